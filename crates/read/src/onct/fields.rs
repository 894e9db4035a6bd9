//! Numbers and texts as they are packed in payloads.

use crate::cursor::{Broken, Field};

/// Walks through a payload.
#[derive(Clone)]
pub(super) struct Packed<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Packed<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next byte, which stays.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    pub fn u8(&mut self) -> Field<u8> {
        let byte = *self.bytes.get(self.at).ok_or(Broken::Short)?;
        self.at += 1;
        Ok(byte)
    }

    /// Seven bits a byte, the lowest first.
    #[inline]
    pub fn u64(&mut self) -> Field<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Broken::Wrong);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Broken::Wrong)
    }

    #[inline]
    pub fn u32(&mut self) -> Field<u32> {
        u32::try_from(self.u64()?).map_err(|_| Broken::Wrong)
    }

    pub fn i64(&mut self) -> Field<i64> {
        let packed = self.u64()?;
        Ok((packed >> 1).cast_signed() ^ -(packed & 1).cast_signed())
    }

    pub fn f64(&mut self) -> Field<f64> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>());
        let bytes = bytes.ok_or(Broken::Short)?;
        self.at += 8;
        Ok(f64::from_le_bytes(*bytes))
    }

    pub fn text(&mut self) -> Field<&'a [u8]> {
        let len = usize::try_from(self.u64()?).map_err(|_| Broken::Short)?;
        self.bytes(len)
    }

    pub fn bytes(&mut self, len: usize) -> Field<&'a [u8]> {
        let end = self.at.checked_add(len).ok_or(Broken::Short)?;
        let text = self.bytes.get(self.at..end).ok_or(Broken::Short)?;
        self.at = end;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_documented() {
        let read = |bytes: &[u8]| Packed::new(bytes).u64();
        assert_eq!(read(&[0]), Ok(0));
        assert_eq!(read(&[0xac, 2]), Ok(300));
        assert_eq!(read(&[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), Ok(u64::MAX));
        assert_eq!(read(&[255, 255, 255, 255, 255, 255, 255, 255, 255, 2]), Err(Broken::Wrong));
        assert_eq!(read(&[0x80]), Err(Broken::Short));
        assert_eq!(
            [0, 1, 2, 3].map(|byte| Packed::new(&[byte]).i64()),
            [Ok(0), Ok(-1), Ok(1), Ok(-2)]
        );
        assert_eq!(Packed::new(&[200, 1, 7]).text(), Err(Broken::Short));
    }
}
