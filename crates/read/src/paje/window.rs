//! Lines of less than 64 bytes, looked at all at once with vector instructions.
//!
//! The bytes of a line become masks with a bit for each byte; the edges of the mask of blanks are
//! the tokens. Measured with one thread, before records were also made from the masks alone: a
//! fifth less time for the whole of indexing than byte by byte.

use std::arch::x86_64::*;

use onca_model::Ticks;

use super::cache::image_at;
use super::decode::Line;
use super::token::Token;
use crate::number::{parse_plain, parse_sixteen};
use crate::symbols::Image;

/// How many bytes are looked at.
const WINDOW: usize = 64;
/// How many more may be read: a text that begins at the last byte is loaded in one piece.
const REACH: usize = 16;

/// Bytes that must follow a line, whatever they are.
pub(super) const NEEDED: usize = WINDOW + REACH;

/// A line without quotes, comments and NUL bytes.
pub(super) struct Window<'a> {
    bytes: &'a [u8; NEEDED],
    /// The first byte of each token.
    starts: u64,
    /// The byte after each token.
    ends: u64,
    /// Where the newline is.
    pub newline: u32,
}

impl<'a> Window<'a> {
    /// The line that begins at `start`; `None` if it is longer or needs the full rules.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    pub fn at(text: &'a [u8], start: usize) -> Option<Self> {
        let bytes: &[u8; NEEDED] = text.get(start..)?.first_chunk()?;
        let half = |offset: usize| {
            // SAFETY: `bytes` holds 80 bytes and `offset` is 0 or 32; the load needs no alignment.
            let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().add(offset).cast()) };
            let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
            let mask = |vector| _mm256_movemask_epi8(vector) as u32;
            // Bytes 0x09 to 0x0d are the control characters that separate; 0x0a among them is
            // the newline.
            let shifted = _mm256_sub_epi8(bytes, _mm256_set1_epi8(9));
            let control = _mm256_cmpeq_epi8(_mm256_min_epu8(shifted, _mm256_set1_epi8(4)), shifted);
            let white = mask(_mm256_or_si256(control, is(b' ')));
            let special = mask(_mm256_or_si256(_mm256_or_si256(is(b'"'), is(b'#')), is(0)));
            (white, special, mask(is(b'\n')))
        };
        let (low, high) = (half(0), half(32));
        let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let newlines = join(low.2, high.2);
        let (white, special) = (join(low.0, high.0), join(low.1, high.1));
        // All bits up to the first newline; all 64 if there is none.
        let line = newlines ^ newlines.wrapping_sub(1);
        if newlines == 0 || special & line != 0 {
            return None;
        }
        // Every token ends at a blank of its own, the newline at the latest: `ends` has a bit for
        // each bit of `starts`.
        let before = white << 1 | 1;
        let (starts, ends) = (!white & before & line, white & !before & line);
        Some(Self { bytes, starts, ends, newline: newlines.trailing_zeros() })
    }

    /// How many tokens the line has.
    #[inline(always)]
    pub fn n_tokens(&self) -> u32 {
        self.starts.count_ones()
    }

    /// The first token if it has one or two bytes, as a number.
    #[inline(always)]
    pub fn short_id(&self) -> Option<usize> {
        let (start, end) = (self.starts.trailing_zeros(), self.ends.trailing_zeros());
        let at = start as usize % WINDOW;
        match end.wrapping_sub(start) {
            1 => Some(usize::from(self.bytes[at])),
            2 => Some(usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))),
            _ => None,
        }
    }

    /// Where the first tokens after the id are, as far as there are any. Taking all of them
    /// leaves nothing for the processor to guess.
    #[inline(always)]
    pub fn first_fields(&self) -> [Stretch; 4] {
        let (mut starts, mut ends) = (self.starts, self.ends);
        let mut fields = [Stretch { start: 0, end: 0 }; 4];
        for field in &mut fields {
            starts &= starts.wrapping_sub(1);
            ends &= ends.wrapping_sub(1);
            *field = Stretch { start: starts.trailing_zeros(), end: ends.trailing_zeros() };
        }
        fields
    }

    /// All tokens as positions in the text, when the line begins at `base`.
    pub fn tokens(&self, base: u32, tokens: &mut Vec<Token>) {
        let (mut starts, mut ends) = (self.starts, self.ends);
        tokens.clear();
        tokens.extend((0..self.n_tokens()).map(|_| {
            let stretch = Stretch { start: starts.trailing_zeros(), end: ends.trailing_zeros() };
            starts &= starts.wrapping_sub(1);
            ends &= ends.wrapping_sub(1);
            stretch.token(base)
        }));
    }

    /// The line, when it begins at `start` and has this number.
    pub fn line(&self, start: u32, number: u32) -> Line {
        Line { start, end: start.wrapping_add(self.newline), number }
    }

    /// The text of a token.
    #[inline(always)]
    pub fn text(&self, stretch: Stretch) -> &'a [u8] {
        self.bytes.get(stretch.start as usize..stretch.end as usize).unwrap_or_default()
    }

    /// The image of a token, if it is short.
    #[inline(always)]
    pub fn image(&self, stretch: Stretch) -> Option<Image> {
        image_at(self.sixteen(stretch), stretch.len())
    }

    /// A time that is written as most are.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    pub fn time(&self, stretch: Stretch, exponent: u8) -> Option<Ticks> {
        match stretch.len() {
            0..=16 => parse_sixteen(self.sixteen(stretch), stretch.len(), exponent),
            _ => parse_plain(self.text(stretch), exponent),
        }
    }

    /// The bytes from the beginning of a token on.
    #[inline(always)]
    fn sixteen(&self, stretch: Stretch) -> &'a [u8; REACH] {
        let at = stretch.start as usize % WINDOW;
        self.bytes[at..].first_chunk().expect("80 bytes, of which at most 63 are left out")
    }
}

/// A token of a window.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    pub start: u32,
    pub end: u32,
}

impl Stretch {
    /// From the beginning of this token to the end of another.
    #[inline(always)]
    pub fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }

    #[inline(always)]
    fn len(self) -> usize {
        self.end.wrapping_sub(self.start) as usize
    }

    /// The same as positions in the text, when the line begins at `base`.
    #[inline(always)]
    pub fn token(self, base: u32) -> Token {
        Token { start: base.wrapping_add(self.start), end: base.wrapping_add(self.end) }
    }
}
