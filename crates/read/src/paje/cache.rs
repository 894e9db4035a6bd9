//! Symbols of recent texts, by thread: most records name what the ones before them named.

use super::token::Token;
use crate::symbols::{Image, Interner, Symbol};

/// This cache is direct-mapped: an entry is simply replaced.
const SYMBOL_BITS: u32 = 11;

/// Symbols of recent pairs of a container and a type. It begins with 2^14 entries (640 KiB),
/// which fit a core's cache and hold the pairs of a thousand processes; where misses are many, as
/// with a million containers, it grows: one look into main memory is cheaper than the several
/// that the shared tables need.
pub(super) struct PairCache {
    entries: Vec<PairEntry>,
    bits: u32,
    misses: usize,
}

const LEAST_PAIR_BITS: u32 = 14;
const MOST_PAIR_BITS: u32 = 21;

#[derive(Clone, Copy)]
pub(super) struct PairEntry {
    pub container: Image,
    pub type_: Image,
    pub pair: Symbol,
}

impl PairCache {
    pub fn new() -> Self {
        Self::with_bits(LEAST_PAIR_BITS)
    }

    fn with_bits(bits: u32) -> Self {
        let empty = PairEntry { container: EMPTY, type_: EMPTY, pair: 0 };
        Self { entries: vec![empty; 1 << bits], bits, misses: 0 }
    }

    #[inline(always)]
    fn slot(&self, container: Image, type_: Image) -> usize {
        let mixed = mix(container) ^ mix(type_).rotate_left(31);
        (mixed.wrapping_mul(0xc2b2_ae3d_27d4_eb4f) >> (64 - self.bits)) as usize
    }

    #[inline(always)]
    pub fn get(&self, container: Image, type_: Image) -> Option<Symbol> {
        let slot = self.slot(container, type_);
        let entry = &self.entries[slot];
        if entry.container == container && entry.type_ == type_ {
            return Some(entry.pair);
        }
        let entry = &self.entries[slot ^ 1];
        (entry.container == container && entry.type_ == type_).then_some(entry.pair)
    }

    #[inline(never)]
    pub fn insert(&mut self, entry: PairEntry) {
        self.misses += 1;
        if self.misses > self.entries.len() && self.bits < MOST_PAIR_BITS {
            let mut larger = Self::with_bits((self.bits + 2).min(MOST_PAIR_BITS));
            for old in self.entries.iter().filter(|old| old.container != EMPTY) {
                larger.place(*old);
            }
            *self = larger;
        }
        self.place(entry);
    }

    /// Puts an entry in its place; the one that was there moves to the neighbouring place.
    fn place(&mut self, entry: PairEntry) {
        let slot = self.slot(entry.container, entry.type_);
        self.entries[slot ^ 1] = self.entries[slot];
        self.entries[slot] = entry;
    }
}

/// Symbols of recent short texts.
pub(super) struct SymbolCache {
    entries: Vec<(Image, Symbol)>,
}

impl SymbolCache {
    pub fn new() -> Self {
        Self { entries: vec![(EMPTY, 0); 1 << SYMBOL_BITS] }
    }

    /// The symbol of a token.
    #[inline(always)]
    pub fn get(&mut self, text: &[u8], token: Token, interner: &Interner) -> Symbol {
        let bytes = &text[token.start as usize..token.end as usize];
        let Some(image) = image(text, token) else { return interner.intern(bytes) };
        let slot = (mix(image) >> (64 - SYMBOL_BITS)) as usize;
        let (known, symbol) = self.entries[slot];
        if known == image {
            return symbol;
        }
        let symbol = interner.intern_short(bytes, image);
        self.entries[slot] = (image, symbol);
        symbol
    }
}

/// Spreads the image of a token over the high bits.
#[inline(always)]
fn mix(image: Image) -> u64 {
    (image.0 ^ image.1.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// No token of a decoded line has this image, since NUL bytes are refused.
const EMPTY: Image = (0, u64::MAX);

/// The first 16 bytes of a token as two numbers: different tokens have different images, since
/// no token holds NUL bytes. `None` for longer tokens.
#[inline(always)]
pub(super) fn image(text: &[u8], token: Token) -> Option<Image> {
    let len = token.end.wrapping_sub(token.start);
    let &(low_mask, high_mask) = MASKS.get(len as usize)?;
    let bytes: &[u8; 16] = text.get(token.start as usize..)?.first_chunk()?;
    let image = u128::from_le_bytes(*bytes);
    Some((image as u64 & low_mask, (image >> 64) as u64 & high_mask))
}

/// What to keep of sixteen bytes when a token has so many.
static MASKS: [(u64, u64); 17] = {
    let mut masks = [(0, 0); 17];
    let mut len = 0;
    while len < 16 {
        let mask = (1u128 << (8 * len)) - 1;
        masks[len] = (mask as u64, (mask >> 64) as u64);
        len += 1;
    }
    masks[16] = (u64::MAX, u64::MAX);
    masks
};
