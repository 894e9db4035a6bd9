//! Symbols of recent texts, by thread: most records name what the ones before them named.

use super::token::Token;
use crate::symbols::{Image, Interner, Symbol};

/// This cache is direct-mapped: an entry is simply replaced.
const SYMBOL_BITS: u32 = 11;

/// Symbols of recent pairs of a container and a type. It begins with 2^12 entries, enough
/// for the pairs of a thousand processes; where misses are many, as with a
/// million containers, it grows: one look into main memory is cheaper than the several that the
/// shared tables need.
pub(super) struct PairCache<K> {
    entries: Vec<(K, Symbol)>,
    bits: u32,
    most_bits: u32,
    misses: usize,
}

const LEAST_PAIR_BITS: u32 = 12;
const LARGE_PAIR_BITS: u32 = 15;
const MOST_PAIR_BITS: u32 = 21;

/// What a pair is found by.
pub(super) trait PairKey: Copy + PartialEq {
    /// No pair has this key.
    const EMPTY: Self;
    /// Spreads the key over the high bits.
    fn mix(self) -> u64;
}

/// The container and the type, by their images.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Images {
    pub container: Image,
    pub type_: Image,
}

impl PairKey for Images {
    const EMPTY: Self = Self { container: EMPTY, type_: EMPTY };

    #[inline(always)]
    fn mix(self) -> u64 {
        let mixed = mix(self.container) ^ mix(self.type_).rotate_left(31);
        mixed.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
    }
}

/// Both as they stand in the line, with what is between them, when all this is short.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Neighbours(Image);

impl Neighbours {
    /// `text` is the image of both; `None` if it has sixteen bytes: the last one tells which of
    /// the two comes first.
    #[inline(always)]
    pub fn new(text: Image, container_first: bool) -> Option<Self> {
        let is_short = text.1 >> 56 == 0;
        is_short.then_some(Self((text.0, text.1 | u64::from(container_first) << 56)))
    }

    /// Which of the two comes first.
    pub fn container_first(self) -> bool {
        self.0.1 >> 56 != 0
    }
}

impl PairKey for Neighbours {
    const EMPTY: Self = Self(EMPTY);

    #[inline(always)]
    fn mix(self) -> u64 {
        mix(self.0)
    }
}

impl<K: PairKey> PairCache<K> {
    /// An empty one that takes at most this many bytes, but for the least that is of use.
    pub fn new(most_bytes: usize) -> Self {
        let most_entries = most_bytes / size_of::<(K, Symbol)>();
        let most_bits = most_entries.checked_ilog2().unwrap_or(0);
        Self::with_bits(LEAST_PAIR_BITS, most_bits.clamp(LEAST_PAIR_BITS, MOST_PAIR_BITS))
    }

    fn with_bits(bits: u32, most_bits: u32) -> Self {
        Self { entries: vec![(K::EMPTY, 0); 1 << bits], bits, most_bits, misses: 0 }
    }

    /// It does not fit a core's cache.
    #[inline(always)]
    pub fn is_large(&self) -> bool {
        self.bits > LARGE_PAIR_BITS
    }

    #[inline(always)]
    fn slot(&self, key: K) -> usize {
        (key.mix() >> (64 - self.bits)) as usize
    }

    #[inline(always)]
    pub fn get(&self, key: K) -> Option<Symbol> {
        let slot = self.slot(key);
        let (known, pair) = self.entries[slot];
        if known == key {
            return Some(pair);
        }
        let (known, pair) = self.entries[slot ^ 1];
        (known == key).then_some(pair)
    }

    #[inline(never)]
    pub fn insert(&mut self, key: K, pair: Symbol) {
        self.misses += 1;
        if self.misses > self.entries.len() && self.bits < self.most_bits {
            let mut larger = Self::with_bits((self.bits + 2).min(self.most_bits), self.most_bits);
            for &(old, pair) in self.entries.iter().filter(|(old, _)| *old != K::EMPTY) {
                larger.place(old, pair);
            }
            *self = larger;
        }
        self.place(key, pair);
    }

    /// Puts an entry in its place; the one that was there moves to the neighbouring place.
    fn place(&mut self, key: K, pair: Symbol) {
        let slot = self.slot(key);
        self.entries[slot ^ 1] = self.entries[slot];
        self.entries[slot] = (key, pair);
    }
}

/// Symbols of recent short texts.
pub(super) struct SymbolCache {
    entries: Box<[(Image, Symbol); 1 << SYMBOL_BITS]>,
}

impl SymbolCache {
    pub fn new() -> Self {
        let entries = vec![(EMPTY, 0); 1 << SYMBOL_BITS].into_boxed_slice();
        Self { entries: entries.try_into().expect("as many as were made") }
    }

    /// The symbol of a token.
    #[inline(always)]
    pub fn get(&mut self, text: &[u8], token: Token, interner: &Interner) -> Symbol {
        let bytes = &text[token.start as usize..token.end as usize];
        match image(text, token) {
            Some(image) => self.get_short(bytes, image, interner),
            None => interner.intern(bytes),
        }
    }

    /// The symbol of a text whose image is known.
    #[inline(always)]
    pub fn get_short(&mut self, bytes: &[u8], image: Image, interner: &Interner) -> Symbol {
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
    image_at(text.get(token.start as usize..)?.first_chunk()?, len as usize)
}

/// The image of the first `len` of sixteen bytes. `None` if there are not that many.
#[inline(always)]
pub(super) fn image_at(bytes: &[u8; 16], len: usize) -> Option<Image> {
    let &(low_mask, high_mask) = MASKS.get(len)?;
    let image = u128::from_le_bytes(*bytes);
    Some((image as u64 & low_mask, (image >> 64) as u64 & high_mask))
}

/// What to keep of sixteen bytes when a token has this many.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_of_pairs_grows_with_misses_and_keeps_to_its_bytes() {
        let entry = size_of::<(Images, Symbol)>();
        for (most_bytes, n_entries) in
            [(0, 1 << 12), (entry << 14, 1 << 14), ((entry << 15) - 1, 1 << 14)]
        {
            let mut cache = PairCache::<Images>::new(most_bytes);
            assert_eq!(cache.entries.len(), 1 << 12);
            for number in 0..100_000 {
                let key = Images { container: (number, 1), type_: (7, 7) };
                cache.insert(key, number as Symbol);
                assert_eq!(cache.get(key), Some(number as Symbol));
            }
            assert_eq!(cache.entries.len(), n_entries);
        }
    }
}
