//! Columns of whole numbers that take little room.

use std::ops::Range;

/// Whole numbers in as few bytes each as the largest needs. Any of them is found at once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Column {
    /// The numbers, and a rest so that eight bytes can be read where the last begins.
    bytes: Vec<u8>,
    width: usize,
    len: usize,
}

/// The number of bytes that are read at once.
const WORD: usize = size_of::<u64>();

impl Column {
    /// Adds a number.
    #[inline]
    pub fn push(&mut self, number: u64) {
        let width = (64 - number.leading_zeros()).div_ceil(8) as usize;
        if width > self.width {
            self.widen(width);
        }
        let at = self.len * self.width;
        self.bytes.resize(at + self.width + WORD, 0);
        self.bytes[at..at + WORD].copy_from_slice(&number.to_le_bytes());
        self.len += 1;
    }

    /// A number.
    #[inline]
    pub fn get(&self, at: usize) -> u64 {
        let from = at * self.width;
        let word = self.bytes[from..from + WORD].first_chunk().expect("the slice has this length");
        // A shift by all bits is none.
        let mask = if self.width == 0 { 0 } else { u64::MAX >> (64 - 8 * self.width) };
        u64::from_le_bytes(*word) & mask
    }

    /// The same for numbers of 32 bits.
    #[inline]
    pub fn get_u32(&self, at: usize) -> u32 {
        self.get(at) as u32
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        (0..self.len).map(|at| self.get(at))
    }

    /// Gives back memory that was taken for more numbers than came.
    pub fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// How many bytes each takes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All of them as they lie in memory: each in [`width`](Self::width) bytes, the lowest first.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len * self.width]
    }

    /// Numbers of which each takes so many bytes; none where this cannot be.
    pub fn from_bytes(bytes: &[u8], width: usize, len: usize) -> Option<Self> {
        if width > WORD || Some(bytes.len()) != len.checked_mul(width) {
            return None;
        }
        if len == 0 {
            return Some(Self::default());
        }
        let mut all = Vec::with_capacity(bytes.len() + WORD);
        all.extend_from_slice(bytes);
        all.resize(bytes.len() + WORD, 0);
        Some(Self { bytes: all, width, len })
    }

    fn widen(&mut self, width: usize) {
        let room = (self.len + 1).next_power_of_two() * width + WORD;
        let mut wide = Self { bytes: Vec::with_capacity(room), width, len: 0 };
        self.iter().for_each(|number| wide.push(number));
        *self = wide;
    }
}

impl FromIterator<u64> for Column {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut column = Self::default();
        numbers.into_iter().for_each(|number| column.push(number));
        column.shrink_to_fit();
        column
    }
}

/// Every number that is a multiple of this is kept in full.
const STRIDE: usize = 64;

/// Numbers that grow: each is kept as the difference to one not far before it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Growing {
    bases: Vec<i64>,
    differences: Column,
}

impl Growing {
    /// Adds a number.
    #[inline]
    pub fn push(&mut self, number: i64) {
        if self.len().is_multiple_of(STRIDE) {
            self.bases.push(number);
        }
        let base = self.bases[self.len() / STRIDE];
        self.differences.push(number.wrapping_sub(base) as u64);
    }

    /// A number.
    #[inline]
    pub fn get(&self, at: usize) -> i64 {
        self.bases[at / STRIDE].wrapping_add(self.differences.get(at) as i64)
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.differences.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }

    /// Gives back memory that was taken for more numbers than came.
    pub fn shrink_to_fit(&mut self) {
        self.bases.shrink_to_fit();
        self.differences.shrink_to_fit();
    }

    /// What is kept in full, and the differences to it.
    pub fn parts(&self) -> (&[i64], &Column) {
        (&self.bases, &self.differences)
    }

    /// The same numbers again; none where the parts do not fit.
    pub fn from_parts(bases: Vec<i64>, differences: Column) -> Option<Self> {
        let fits = bases.len() == differences.len().div_ceil(STRIDE);
        fits.then_some(Self { bases, differences })
    }
}

/// The first of some places of which something does not hold any more.
pub fn partition(places: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { start: mut low, end: mut high } = places;
    while low < high {
        let middle = low.midpoint(high);
        match holds(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn a_column_has_the_numbers_that_were_pushed() {
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..300 {
            let bits = dice.random_range(0..=64);
            let numbers: Vec<u64> = (0..dice.random_range(0..200))
                .map(|_| dice.random::<u64>().checked_shr(64 - bits).unwrap_or(0))
                .collect();
            let column: Column = numbers.iter().copied().collect();
            assert_eq!(column.iter().collect::<Vec<_>>(), numbers);
            assert_eq!(column.len(), numbers.len());
            let again = Column::from_bytes(column.as_bytes(), column.width(), column.len());
            let again = again.expect("it fits");
            assert_eq!(again.iter().collect::<Vec<_>>(), numbers);
            assert!(Column::from_bytes(&[0; 3], 2, 1).is_none());
            assert!(Column::from_bytes(&[0; 9], 9, 1).is_none());
        }
    }

    #[test]
    fn growing_numbers_may_be_any_numbers() {
        let mut dice = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..100 {
            let numbers: Vec<i64> = (0..200).map(|_| dice.random()).collect();
            let mut growing = Growing::default();
            numbers.iter().for_each(|number| growing.push(*number));
            let back: Vec<i64> = (0..growing.len()).map(|at| growing.get(at)).collect();
            assert_eq!(back, numbers);
            let (bases, differences) = growing.parts();
            assert!(Growing::from_parts(bases[1..].to_vec(), differences.clone()).is_none());
            let again = Growing::from_parts(bases.to_vec(), differences.clone());
            assert_eq!(again, Some(growing));
        }
    }

    #[test]
    fn small_numbers_take_little_room() {
        let column: Column = (0..1000).map(|at| at % 200).collect();
        assert!(column.bytes.len() <= 1000 + WORD);
        let zeros: Column = std::iter::repeat_n(0, 1000).collect();
        assert_eq!(zeros.bytes.len(), WORD);
    }
}
