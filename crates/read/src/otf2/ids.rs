//! Tables from the ids of a file to what they stand for. Some writers count from 0, others
//! spread ids over the whole range.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The most that a table may be larger than the number of its entries.
const SPARSE: usize = 4;

/// Finds entries by id: by index while ids are dense, by hash where they are not.
#[derive(Clone, Debug, Default)]
pub(super) struct IdTable {
    dense: Vec<u32>,
    sparse: HashMap<u64, u32, RandomState>,
    n_entries: usize,
}

/// No entry.
const NONE: u32 = u32::MAX;

impl IdTable {
    /// Sets the entry of an id; returns the one it had.
    pub fn insert(&mut self, id: u64, entry: u32) -> Option<u32> {
        self.n_entries += 1;
        let room = self.n_entries * SPARSE + 64;
        match usize::try_from(id) {
            Ok(index) if index < self.dense.len().max(room) && !self.sparse.contains_key(&id) => {
                if index >= self.dense.len() {
                    self.dense.resize(index + 1, NONE);
                }
                let old = std::mem::replace(&mut self.dense[index], entry);
                (old != NONE).then_some(old)
            }
            _ => self.sparse.insert(id, entry),
        }
    }

    /// The entry of an id.
    #[inline]
    pub fn get(&self, id: u64) -> Option<u32> {
        match self.dense.get(usize::try_from(id).unwrap_or(usize::MAX)) {
            Some(&entry) if entry != NONE => Some(entry),
            _ if self.sparse.is_empty() => None,
            _ => self.sparse.get(&id).copied(),
        }
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.dense.capacity() * 4 + self.sparse.capacity() * 17
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn ids_are_found_as_in_a_map() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        for spread in [10u64, 1000, u64::MAX] {
            let (mut table, mut map) = (IdTable::default(), BTreeMap::new());
            for entry in 0..2000 {
                let id = rng.random_range(0..spread);
                assert_eq!(table.insert(id, entry), map.insert(id, entry));
            }
            for id in map.keys().copied().chain(0..2000) {
                assert_eq!(table.get(id), map.get(&id).copied(), "{id}");
            }
        }
    }
}
