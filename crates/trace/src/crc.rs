//! CRC-32 as of zlib and PNG (reflected, polynomial 0x04c11db7). Written by hand because the handler of a
//! fatal signal needs one that neither allocates nor initialises anything.

/// Tables for eight bytes at a time.
const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = before >> 8 ^ tables[0][before as usize & 0xff];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// A sum that grows with the bytes it is shown.
#[derive(Clone, Copy)]
pub struct Crc(u32);

impl Crc {
    pub const fn new() -> Self {
        Self(!0)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let word = u64::from_le_bytes(*eight) ^ u64::from(crc);
            crc = 0;
            for (table, byte) in TABLES.iter().rev().zip(word.to_le_bytes()) {
                crc ^= table[usize::from(byte)];
            }
        }
        for &byte in rest {
            crc = crc >> 8 ^ TABLES[0][usize::from(crc as u8 ^ byte)];
        }
        self.0 = crc;
    }

    pub fn finish(self) -> u32 {
        !self.0
    }
}

/// The sum of some bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.add(bytes);
    crc.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sums() {
        // The check value of the CRC catalogue, and sums that `gzip` and `cksum -a crc32b` print.
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b"The quick brown fox jumps over the lazy dog"), 0x414f_a339);
        assert_eq!(crc32(&[0; 32]), 0x190a_55ad);
        assert_eq!(crc32(&[0xff; 32]), 0xff6c_ab0b);
    }

    #[test]
    fn a_sum_does_not_depend_on_the_pieces() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for cut in [0, 1, 7, 8, 9, 500, 999, 1000] {
            let mut crc = Crc::new();
            crc.add(&bytes[..cut]);
            crc.add(&bytes[cut..]);
            assert_eq!(crc.finish(), crc32(&bytes), "cut at {cut}");
        }
    }
}
