//! CRC-32 as of zlib, by a table of its own: what a file says is checked with other code than wrote it.

const TABLES: [[u32; 256]; 4] = {
    let mut tables = [[0; 256]; 4];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            bit += 1;
        }
        tables[0][i] = crc;
        i += 1;
    }
    let mut i = 0;
    while i < 256 {
        let mut table = 1;
        while table < 4 {
            let before = tables[table - 1][i];
            tables[table][i] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            table += 1;
        }
        i += 1;
    }
    tables
};

pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let (fours, rest) = bytes.as_chunks::<4>();
    let mut crc = !0;
    for four in fours {
        let [a, b, c, d] = (u32::from_le_bytes(*four) ^ crc).to_le_bytes().map(usize::from);
        crc = TABLES[3][a] ^ TABLES[2][b] ^ TABLES[1][c] ^ TABLES[0][d];
    }
    let last = |crc: u32, &byte: &u8| (crc >> 8) ^ TABLES[0][usize::from(crc as u8 ^ byte)];
    !rest.iter().fold(crc, last)
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn known_sums() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b"The quick brown fox jumps over the lazy dog"), 0x414f_a339);
        assert_eq!(crc32(b""), 0);
    }
}
