//! XXH64, the hash of files: as fast as they can be read, and the same on every machine and in
//! every version. It tells accidents apart, not forgeries.

const PRIMES: [u64; 5] = [
    0x9e37_79b1_85eb_ca87,
    0xc2b2_ae3d_27d4_eb4f,
    0x1656_67b1_9e37_79f9,
    0x85eb_ca77_c2b2_ae63,
    0x27d4_eb2f_1656_67c5,
];

/// Bytes that the four lanes take at once.
const STRIPE: usize = 32;

/// A hash in the making, with the seed 0.
pub(crate) struct Xxh64 {
    lanes: [u64; 4],
    len: u64,
}

impl Default for Xxh64 {
    fn default() -> Self {
        let [first, second, ..] = PRIMES;
        let lanes = [first.wrapping_add(second), second, 0, first.wrapping_neg()];
        Self { lanes, len: 0 }
    }
}

impl Xxh64 {
    /// Takes whole stripes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        debug_assert_eq!(bytes.len() % STRIPE, 0, "only the last piece may end anywhere");
        self.len += bytes.len() as u64;
        for stripe in bytes.as_chunks::<STRIPE>().0 {
            for (lane, word) in self.lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
                *lane = round(*lane, u64::from_le_bytes(*word));
            }
        }
    }

    /// Takes the last bytes.
    pub(crate) fn finish(mut self, bytes: &[u8]) -> u64 {
        let (stripes, rest) = bytes.split_at(bytes.len() / STRIPE * STRIPE);
        self.update(stripes);
        let mut hash = match self.len {
            0 => PRIMES[4],
            _ => self.merged(),
        };
        hash = hash.wrapping_add(self.len + rest.len() as u64);
        let (words, rest) = rest.as_chunks::<8>();
        for word in words {
            hash ^= round(0, u64::from_le_bytes(*word));
            hash = hash.rotate_left(27).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]);
        }
        let (halves, rest) = rest.as_chunks::<4>();
        for half in halves {
            hash ^= u64::from(u32::from_le_bytes(*half)).wrapping_mul(PRIMES[0]);
            hash = hash.rotate_left(23).wrapping_mul(PRIMES[1]).wrapping_add(PRIMES[2]);
        }
        for &byte in rest {
            hash ^= u64::from(byte).wrapping_mul(PRIMES[4]);
            hash = hash.rotate_left(11).wrapping_mul(PRIMES[0]);
        }
        hash = (hash ^ hash >> 33).wrapping_mul(PRIMES[1]);
        hash = (hash ^ hash >> 29).wrapping_mul(PRIMES[2]);
        hash ^ hash >> 32
    }

    fn merged(&self) -> u64 {
        let rotated = self.lanes.iter().zip([1, 7, 12, 18]);
        let sum = rotated.fold(0u64, |sum, (lane, by)| sum.wrapping_add(lane.rotate_left(by)));
        self.lanes.iter().fold(sum, |hash, &lane| {
            (hash ^ round(0, lane)).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3])
        })
    }
}

fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(PRIMES[1])).rotate_left(31).wrapping_mul(PRIMES[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the program `xxhsum -H64` prints.
    #[test]
    fn known_texts_have_known_hashes() {
        let of = |text: &str| Xxh64::default().finish(text.as_bytes());
        assert_eq!(of(""), 0xef46_db37_51d8_e999);
        assert_eq!(of("a"), 0xd24e_c4f1_a98c_6e5b);
        assert_eq!(of("abc"), 0x44bc_2cf5_ad77_0999);
        assert_eq!(of("Nobody inspects the spammish repetition"), 0xfbce_a83c_8a37_8bf1);
    }

    #[test]
    fn pieces_give_the_hash_of_the_whole() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1_000).collect();
        let whole = Xxh64::default().finish(&bytes);
        for cut in [0, 32, 320, 992] {
            let mut hash = Xxh64::default();
            hash.update(&bytes[..cut]);
            assert_eq!(hash.finish(&bytes[cut..]), whole, "{cut}");
        }
    }
}
