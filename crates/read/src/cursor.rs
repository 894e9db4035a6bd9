//! Numbers and texts of binary formats, the packed ones of OTF2 among them. Nothing is read beyond
//! the end of what is there.

/// How a file orders the bytes of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The second byte of every file.
    pub fn of(byte: u8) -> Option<Self> {
        match byte {
            0x42 => Some(Self::Little),
            0x23 => Some(Self::Big),
            _ => None,
        }
    }
}

/// The number that stands for "undefined" in a 32-bit field.
pub(crate) const UNDEFINED: u32 = u32::MAX;
/// The number that stands for "undefined" in a 64-bit field.
pub(crate) const UNDEFINED_64: u64 = u64::MAX;

/// Why a field could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Broken {
    /// The bytes end in the middle of it.
    Short,
    /// It cannot be right.
    Wrong,
}

pub(crate) type Field<T> = Result<T, Broken>;

/// Walks through bytes.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    pub at: usize,
    /// What lies beyond is not looked at, except to load whole words of which it is cut off.
    end: usize,
    order: ByteOrder,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], at: usize, order: ByteOrder) -> Self {
        Self { bytes, at, end: bytes.len(), order }
    }

    #[inline(always)]
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.end.saturating_sub(self.at)
    }

    pub fn is_at_end(&self) -> bool {
        self.left() == 0
    }

    #[inline(always)]
    pub fn bytes(&mut self, n: usize) -> Field<&'a [u8]> {
        let taken = self.rest().get(..n).ok_or(Broken::Short)?;
        self.at += n;
        Ok(taken)
    }

    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Field<[u8; N]> {
        let taken = self.rest().first_chunk::<N>().ok_or(Broken::Short)?;
        self.at += N;
        Ok(*taken)
    }

    #[inline(always)]
    pub fn u8(&mut self) -> Field<u8> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub fn u16(&mut self) -> Field<u16> {
        let bytes = self.array()?;
        Ok(match self.order {
            ByteOrder::Little => u16::from_le_bytes(bytes),
            ByteOrder::Big => u16::from_be_bytes(bytes),
        })
    }

    pub fn u32(&mut self) -> Field<u32> {
        let bytes = self.array()?;
        Ok(match self.order {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        })
    }

    #[inline(always)]
    pub fn u64(&mut self) -> Field<u64> {
        let bytes = self.array()?;
        Ok(match self.order {
            ByteOrder::Little => u64::from_le_bytes(bytes),
            ByteOrder::Big => u64::from_be_bytes(bytes),
        })
    }

    pub fn f64(&mut self) -> Field<f64> {
        self.u64().map(f64::from_bits)
    }

    /// A compressed number of at most 32 bits.
    #[inline(always)]
    pub fn c32(&mut self) -> Field<u32> {
        match self.compressed(4)? {
            Some(number) => Ok(number as u32),
            None => Ok(UNDEFINED),
        }
    }

    /// A compressed number of at most 64 bits.
    #[inline(always)]
    pub fn c64(&mut self) -> Field<u64> {
        Ok(self.compressed(8)?.unwrap_or(UNDEFINED_64))
    }

    /// A compressed signed number.
    pub fn i64(&mut self) -> Field<i64> {
        self.c64().map(u64::cast_signed)
    }

    /// A compressed signed number of at most 32 bits.
    pub fn i32(&mut self) -> Field<i32> {
        self.c32().map(u32::cast_signed)
    }

    /// The low-order bytes of a number, as many as the first byte says; `None` is "undefined".
    #[inline(always)]
    fn compressed(&mut self, widest: u8) -> Field<Option<u64>> {
        let n = self.u8()?;
        if n > widest {
            return if n == u8::MAX { Ok(None) } else { Err(Broken::Wrong) };
        }
        let word = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>());
        let bytes = self.bytes(usize::from(n))?;
        // Numbers differ in width from one to the next: a loop over their bytes would be
        // mispredicted.
        let beyond = 64 - 8 * u32::from(n);
        let fold = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        Ok(Some(match (self.order, word) {
            (ByteOrder::Little, Some(&word)) => {
                u64::from_le_bytes(word) & u64::MAX.checked_shr(beyond).unwrap_or(0)
            }
            (ByteOrder::Big, Some(&word)) => {
                u64::from_be_bytes(word).checked_shr(beyond).unwrap_or(0)
            }
            (ByteOrder::Little, None) => bytes.iter().rev().fold(0, fold),
            (ByteOrder::Big, None) => bytes.iter().fold(0, fold),
        }))
    }

    /// A text up to its zero byte.
    pub fn text(&mut self) -> Field<&'a [u8]> {
        let rest = self.rest();
        let len = memchr::memchr(0, rest).ok_or(Broken::Short)?;
        self.at += len + 1;
        Ok(&rest[..len])
    }

    /// The length of a record.
    #[inline(always)]
    pub fn length(&mut self) -> Field<u64> {
        match self.u8()? {
            u8::MAX => self.u64(),
            length => Ok(u64::from(length)),
        }
    }

    /// A cursor over the payload of a record whose length comes next; this one goes on after it.
    #[inline(always)]
    pub fn payload(&mut self) -> Field<Self> {
        let length = usize::try_from(self.length()?).map_err(|_| Broken::Short)?;
        let end = self.at.checked_add(length).ok_or(Broken::Short)?;
        if end > self.end {
            return Err(Broken::Short);
        }
        let payload = Self { end, ..*self };
        self.at = end;
        Ok(payload)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn compressed_numbers_hold_their_low_bytes_in_the_order_of_the_file() {
        let read = |bytes: &[u8], order| Cursor::new(bytes, 0, order).c64();
        assert_eq!(read(&[0], ByteOrder::Little), Ok(0));
        assert_eq!(read(&[2, 0x34, 0x12], ByteOrder::Little), Ok(0x1234));
        assert_eq!(read(&[2, 0x12, 0x34], ByteOrder::Big), Ok(0x1234));
        assert_eq!(read(&[255], ByteOrder::Big), Ok(UNDEFINED_64));
        assert_eq!(read(&[9, 0, 0, 0, 0, 0, 0, 0, 0, 0], ByteOrder::Big), Err(Broken::Wrong));
        assert_eq!(read(&[3, 1, 2], ByteOrder::Little), Err(Broken::Short));
        assert_eq!(Cursor::new(&[5, 1, 1, 1, 1, 1], 0, ByteOrder::Big).c32(), Err(Broken::Wrong));
        assert_eq!(Cursor::new(&[255], 0, ByteOrder::Big).i64(), Ok(-1));
    }

    #[test]
    fn a_number_is_the_same_whatever_follows_it() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..2000 {
            let width = rng.random_range(0..=8usize);
            let mut bytes = vec![width as u8];
            bytes.extend((0..width).map(|_| rng.random::<u8>()));
            let number = bytes[1..].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
            bytes.extend((0..rng.random_range(0..12)).map(|_| rng.random::<u8>()));
            assert_eq!(Cursor::new(&bytes, 0, ByteOrder::Little).c64(), Ok(number));
            bytes[1..=width].reverse();
            assert_eq!(Cursor::new(&bytes, 0, ByteOrder::Big).c64(), Ok(number));
        }
    }

    #[test]
    fn lengths_that_lie_find_nothing() {
        let long = [255, 255, 255, 255, 255, 255, 255, 255, 127, 1, 2];
        assert!(Cursor::new(&long, 0, ByteOrder::Little).payload().is_err());
        let mut cursor = Cursor::new(&[2, 7, 8, 9], 0, ByteOrder::Little);
        let mut payload = cursor.payload().expect("two bytes are there");
        assert_eq!((payload.u8(), payload.u8(), payload.u8()), (Ok(7), Ok(8), Err(Broken::Short)));
        assert_eq!(cursor.u8(), Ok(9));
    }
}
