//! The alphabet of the format: variable-length integers, packed columns, a reader that checks
//! every bound.

use crate::error::{StoreError, damaged};

/// Bytes that follow every buffer which packed columns are read from, so that any element can
/// be loaded as eight bytes and masked.
pub(crate) const PAD: usize = 8;

/// Appends seven bits a byte, low bits first, the top bit set on all but the last byte.
#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number so that small magnitudes are short.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_varint(out, zigzag(number));
}

/// Appends a length and the bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends an ascending list of distinct numbers as differences.
pub(crate) fn put_ascending(out: &mut Vec<u8>, numbers: &[u32]) {
    put_varint(out, numbers.len() as u64);
    let mut next = 0;
    for &number in numbers {
        put_varint(out, u64::from(number) - next);
        next = u64::from(number) + 1;
    }
}

/// A column that takes no byte may not be longer, so that a damaged count cannot take the memory.
const MAX_EMPTY_COLUMN: usize = 1 << 24;

/// Appends a width and a column of that width.
pub(crate) fn put_column(out: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = u64> + Clone) {
    let width = width_of(numbers.clone().fold(0, |all, number| all | number));
    let width = if numbers.len() > MAX_EMPTY_COLUMN { width.max(1) } else { width };
    out.push(width);
    put_packed(out, width, numbers);
}

/// Appends the first number, then a column of differences.
pub(crate) fn put_deltas(out: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = i64> + Clone) {
    let first = numbers.clone().next().unwrap_or_default();
    put_signed(out, first);
    let before = std::iter::once(first).chain(numbers.clone()).take(numbers.len());
    let deltas: Vec<u64> =
        numbers.zip(before).map(|(number, before)| zigzag(number.wrapping_sub(before))).collect();
    put_column(out, deltas.iter().copied());
}

/// Small magnitudes, of either sign, to small numbers.
pub(crate) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// The reverse of [`zigzag`].
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Why bytes cannot be read. As small as can be: a million numbers are read one by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    /// They end too early.
    Short,
    /// A number does not fit.
    TooLarge,
    /// A count is larger than what follows.
    Count,
    /// A block lies outside its chunk.
    Outside,
}

impl From<Cut> for StoreError {
    fn from(cut: Cut) -> Self {
        damaged(match cut {
            Cut::Short => "a field runs past the end",
            Cut::TooLarge => "a number is too large",
            Cut::Count => "a count is larger than what follows",
            Cut::Outside => "a block lies outside its chunk",
        })
    }
}

/// Reads what the `put_` functions wrote; anything out of bounds is damage, never a panic.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// A reader that starts at `at`.
    pub(crate) fn from(bytes: &'a [u8], at: usize) -> Result<Self, Cut> {
        if at > bytes.len() {
            return Err(Cut::Outside);
        }
        Ok(Self { bytes, at })
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], Cut> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.bytes.len());
        let Some(end) = end else {
            return Err(Cut::Short);
        };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Cut> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Cut> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Cut> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Cut> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn f64(&mut self) -> Result<f64, Cut> {
        Ok(f64::from_bits(self.u64()?))
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Cut> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, Cut> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err(Cut::Short);
            };
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Cut::TooLarge)
    }

    pub(crate) fn varint_u32(&mut self) -> Result<u32, Cut> {
        u32::try_from(self.varint()?).map_err(|_| Cut::TooLarge)
    }

    pub(crate) fn signed(&mut self) -> Result<i64, Cut> {
        Ok(unzigzag(self.varint()?))
    }

    /// A count of things that take at least one byte each, so that damage cannot ask for memory.
    pub(crate) fn count(&mut self) -> Result<usize, Cut> {
        let count = self.varint()?;
        if count > self.remaining() as u64 {
            return Err(Cut::Count);
        }
        Ok(count as usize)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Cut> {
        let n = self.count()?;
        self.take(n)
    }

    pub(crate) fn ascending(&mut self) -> Result<Vec<u32>, Cut> {
        let mut numbers = Vec::new();
        self.extend_ascending(&mut numbers)?;
        Ok(numbers)
    }

    /// Appends an ascending list to a list that is used again.
    pub(crate) fn extend_ascending(&mut self, numbers: &mut Vec<u32>) -> Result<(), Cut> {
        let n = self.count()?;
        let mut next = 0u64;
        numbers.reserve(n);
        for _ in 0..n {
            let number = self
                .varint()?
                .checked_add(next)
                .and_then(|number| u32::try_from(number).ok())
                .ok_or(Cut::TooLarge)?;
            numbers.push(number);
            next = u64::from(number) + 1;
        }
        Ok(())
    }

    /// What [`put_column`] wrote.
    pub(crate) fn column(&mut self, n: usize) -> Result<impl Iterator<Item = u64> + use<'a>, Cut> {
        let width = self.u8()?;
        if width > 8 || (width == 0 && n > MAX_EMPTY_COLUMN) {
            return Err(Cut::TooLarge);
        }
        let step = usize::from(width);
        let column = self.take(n.checked_mul(step).ok_or(Cut::TooLarge)?)?;
        let mask = mask(width);
        Ok((0..n).map(move |index| {
            let at = index * step;
            match column.get(at..at + 8) {
                Some(word) => u64::from_le_bytes(word.try_into().expect("eight bytes")) & mask,
                // Near the end of the column there are no eight bytes to load.
                None => column[at..at + step]
                    .iter()
                    .rev()
                    .fold(0, |number, &byte| number << 8 | u64::from(byte)),
            }
        }))
    }

    /// What [`put_deltas`] wrote.
    pub(crate) fn deltas(&mut self, n: usize) -> Result<impl Iterator<Item = i64> + use<'a>, Cut> {
        let first = self.signed()?;
        Ok(self.column(n)?.scan(first, |number, delta| {
            *number = number.wrapping_add(unzigzag(delta));
            Some(*number)
        }))
    }

    /// A column of `n` numbers of `width` bytes each.
    pub(crate) fn packed(&mut self, n: usize, width: u8) -> Result<Packed, Cut> {
        if width > 8 {
            return Err(Cut::TooLarge);
        }
        let at = self.at;
        let len = n.checked_mul(usize::from(width)).ok_or(Cut::TooLarge)?;
        self.take(len)?;
        Ok(Packed { at, width: usize::from(width), mask: mask(width) })
    }
}

/// Numbers of 0 to 8 bytes each inside a padded buffer. Width 0 means all are 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    at: usize,
    width: usize,
    mask: u64,
}

impl Packed {
    /// The number in row `index`; the caller keeps `index` below the count it parsed with.
    #[inline]
    pub(crate) fn get(&self, bytes: &[u8], index: usize) -> u64 {
        let at = self.at + index * self.width;
        match bytes.get(at..at + 8) {
            Some(word) => u64::from_le_bytes(word.try_into().expect("eight bytes")) & self.mask,
            None => 0,
        }
    }

    /// The column from a row on.
    #[inline]
    pub(crate) fn starting_at(self, row: usize) -> Self {
        Self { at: self.at + row * self.width, ..self }
    }

    /// Appends what `map` makes of the first `n` numbers.
    pub(crate) fn extend<T>(
        &self,
        bytes: &[u8],
        n: usize,
        out: &mut Vec<T>,
        map: impl Fn(u64) -> T,
    ) {
        let column = bytes.get(self.at..self.at + n * self.width).unwrap_or_default();
        // A loop for each width, so that none has to look at it.
        match self.width {
            0 => out.extend((0..n).map(|_| map(0))),
            1 => out.extend(numbers::<1>(column).map(map)),
            2 => out.extend(numbers::<2>(column).map(map)),
            3 => out.extend(numbers::<3>(column).map(map)),
            4 => out.extend(numbers::<4>(column).map(map)),
            5 => out.extend(numbers::<5>(column).map(map)),
            6 => out.extend(numbers::<6>(column).map(map)),
            7 => out.extend(numbers::<7>(column).map(map)),
            _ => out.extend(numbers::<8>(column).map(map)),
        }
    }

    /// Replaces what is there by what `map` makes of the first `n` numbers.
    pub(crate) fn replace<T>(
        &self,
        bytes: &[u8],
        n: usize,
        out: &mut Vec<T>,
        map: impl Fn(u64) -> T,
    ) {
        out.clear();
        self.extend(bytes, n, out, map);
    }

    /// Gives `visit` the first `n` numbers, each with its row.
    #[inline]
    pub(crate) fn for_each(&self, bytes: &[u8], n: usize, mut visit: impl FnMut(usize, u64)) {
        let column = bytes.get(self.at..self.at + n * self.width).unwrap_or_default();
        let visit = |(index, number)| visit(index, number);
        match self.width {
            0 => (0..n).map(|index| (index, 0)).for_each(visit),
            1 => numbers::<1>(column).enumerate().for_each(visit),
            2 => numbers::<2>(column).enumerate().for_each(visit),
            3 => numbers::<3>(column).enumerate().for_each(visit),
            4 => numbers::<4>(column).enumerate().for_each(visit),
            5 => numbers::<5>(column).enumerate().for_each(visit),
            6 => numbers::<6>(column).enumerate().for_each(visit),
            7 => numbers::<7>(column).enumerate().for_each(visit),
            _ => numbers::<8>(column).enumerate().for_each(visit),
        }
    }

    /// Adds the first numbers to those in `sums`, as many as there are.
    pub(crate) fn add_to(&self, bytes: &[u8], sums: &mut [i64]) {
        self.for_each(bytes, sums.len(), |index, number| {
            sums[index] = sums[index].wrapping_add(number as i64);
        });
    }

    /// Are the first `n` numbers all below `bound`?
    pub(crate) fn all_below(&self, bytes: &[u8], n: usize, bound: u64) -> bool {
        let mut largest = 0;
        match self.width {
            // Usual, and many bytes can be compared at once.
            1 => {
                let column = bytes.get(self.at..self.at + n).unwrap_or_default();
                largest = column.iter().copied().max().map_or(0, u64::from);
            }
            _ => self.for_each(bytes, n, |_, number| largest = number.max(largest)),
        }
        largest < bound
    }
}

fn mask(width: u8) -> u64 {
    if width == 8 { u64::MAX } else { (1u64 << (8 * width)) - 1 }
}

/// The bytes that the largest number of a column needs.
pub(crate) fn width_of(largest: u64) -> u8 {
    (64 - largest.leading_zeros()).div_ceil(8) as u8
}

/// Appends a column of `width` bytes a number.
pub(crate) fn put_packed(
    out: &mut Vec<u8>,
    width: u8,
    numbers: impl ExactSizeIterator<Item = u64>,
) {
    let start = out.len();
    out.resize(start + numbers.len() * usize::from(width), 0);
    let column = &mut out[start..];
    // A loop for each width, so that none has to look at it.
    match width {
        0 => {}
        1 => pack::<1>(column, numbers),
        2 => pack::<2>(column, numbers),
        3 => pack::<3>(column, numbers),
        4 => pack::<4>(column, numbers),
        5 => pack::<5>(column, numbers),
        6 => pack::<6>(column, numbers),
        7 => pack::<7>(column, numbers),
        _ => pack::<8>(column, numbers),
    }
}

fn pack<const W: usize>(column: &mut [u8], numbers: impl Iterator<Item = u64>) {
    for (place, number) in column.chunks_exact_mut(W).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes()[..W]);
    }
}

/// The numbers of a column, each of `W` bytes.
fn numbers<const W: usize>(column: &[u8]) -> impl ExactSizeIterator<Item = u64> + '_ {
    column.chunks_exact(W).map(|place| {
        let mut word = [0; 8];
        word[..W].copy_from_slice(place);
        u64::from_le_bytes(word)
    })
}

/// The first index in `0..n` for which `before` is false; `before` holds for a prefix.
#[inline]
pub(crate) fn partition_point(n: usize, mut before: impl FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_at_every_width() {
        for width in 0..=8u8 {
            let largest = mask(width);
            assert_eq!(width_of(largest), width);
            let numbers = [0, largest / 3, largest];
            let mut out = vec![7; 3];
            put_packed(&mut out, width, numbers.iter().copied());
            assert_eq!(out.len(), 3 + 3 * usize::from(width));
            let mut reader = Reader::from(&out, 3).expect("inside");
            let column = reader.packed(3, width).expect("fits");
            out.extend([0xff; PAD]);
            for (index, &number) in numbers.iter().enumerate() {
                assert_eq!(column.get(&out, index), number);
            }
            let mut all = vec![1];
            column.extend(&out, 3, &mut all, |number| number);
            assert_eq!(all[1..], numbers);
            assert_eq!(column.starting_at(1).get(&out, 1), numbers[2]);
        }
    }

    #[test]
    fn varints_come_back_and_cut_ones_are_damage() {
        for number in [0, 127, 128, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_varint(&mut out, number);
            assert_eq!(Reader::new(&out).varint().expect("whole"), number);
            assert!(Reader::new(&out[..out.len() - 1]).varint().is_err());
        }
        for number in [0, -1, 1, i64::MIN, i64::MAX] {
            let mut out = Vec::new();
            put_signed(&mut out, number);
            assert_eq!(Reader::new(&out).signed().expect("whole"), number);
        }
        assert!(Reader::new(&[0xff; 11]).varint().is_err());
    }

    #[test]
    fn ascending_lists_come_back() {
        let numbers = [0, 1, 5, u32::MAX];
        let mut out = Vec::new();
        put_ascending(&mut out, &numbers);
        assert_eq!(Reader::new(&out).ascending().expect("whole"), numbers);
    }
}
