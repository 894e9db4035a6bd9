//! Keys of links that have been paired.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// More keys than this are not remembered: order then decides by the slow way.
const MAX_USED_KEYS: usize = 1 << 20;

/// The hashes of keys that have been paired, asked for only when a half of a link comes late
/// and in strict reading.
/// Most traces are in order and never ask, so hashes are only listed until somebody does: a
/// set of many keys costs a look into main memory for each link.
#[derive(Clone, Default)]
pub(crate) struct UsedKeys {
    /// Not yet in the set; one key may stand here several times.
    listed: Vec<u64>,
    set: HashSet<u64, BuildHasherDefault<AsIs>>,
    asked: bool,
}

impl UsedKeys {
    /// A key was paired.
    #[inline]
    pub fn add(&mut self, hash: u64) {
        if self.asked {
            self.insert(hash);
        } else {
            self.listed.push(hash);
            if self.listed.len() >= MAX_USED_KEYS {
                self.fill_set();
            }
        }
    }

    /// Was this key paired before? When in doubt, no.
    pub fn contains(&mut self, hash: u64) -> bool {
        self.fill_set();
        self.set.contains(&hash)
    }

    /// Was this key paired before? When in doubt, yes.
    pub fn may_contain(&mut self, hash: u64) -> bool {
        self.fill_set();
        self.set.len() >= MAX_USED_KEYS || self.set.contains(&hash)
    }

    #[cold]
    fn fill_set(&mut self) {
        self.asked = true;
        for hash in std::mem::take(&mut self.listed) {
            self.insert(hash);
        }
    }

    fn insert(&mut self, hash: u64) {
        if self.set.len() < MAX_USED_KEYS {
            self.set.insert(hash);
        }
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.listed.capacity() * 8 + self.set.capacity() * 9
    }
}

/// Hashes of keys are random numbers already.
#[derive(Default)]
struct AsIs(u64);

impl std::hash::Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_whenever_they_were_added() {
        let mut keys = UsedKeys::default();
        for key in [1, 2, 2] {
            keys.add(key);
        }
        assert!(keys.may_contain(1) && keys.may_contain(2) && !keys.may_contain(3));
        keys.add(3);
        assert!(keys.may_contain(3) && !keys.may_contain(4));
    }

    #[test]
    fn with_too_many_keys_all_may_be_used() {
        let mut keys = UsedKeys::default();
        for key in 0..MAX_USED_KEYS as u64 - 1 {
            keys.add(key);
            keys.add(0);
        }
        assert!(!keys.may_contain(u64::MAX));
        keys.add(u64::MAX - 1);
        assert!(keys.may_contain(u64::MAX) && !keys.contains(u64::MAX));
    }
}
