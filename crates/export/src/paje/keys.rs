//! The keys of links.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use onca_model::LaneId;

/// Keeps the keys of the trace, but for those that another link still uses: two links with one
/// key that are under way at once could be taken for each other.
#[derive(Default)]
pub(crate) struct Keys {
    hasher: FixedState,
    /// Hashes of the keys of links of which one half is written. Two keys with one hash only make
    /// one of them change without need.
    open: HashSet<u64>,
    changed: HashSet<(LaneId, u64)>,
}

/// Whether the other half of a link is still to come, has been, or is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Half {
    First,
    Second,
    Only,
}

impl Keys {
    /// The key to write for a half of a link, into `text`.
    pub(crate) fn write(
        &mut self,
        lane: LaneId,
        row: u64,
        key: &[u8],
        half: Half,
        text: &mut Vec<u8>,
    ) {
        let hash = self.hasher.hash_one((lane, key));
        let changed = match half {
            // The key of a half link is never free again.
            Half::First | Half::Only => !self.open.insert(hash),
            Half::Second => self.changed.contains(&(lane, row)),
        };
        match half {
            Half::First if changed => {
                self.changed.insert((lane, row));
            }
            Half::Second if changed => {
                self.changed.remove(&(lane, row));
            }
            Half::Second => {
                self.open.remove(&hash);
            }
            _ => {}
        }
        text.clear();
        text.extend_from_slice(key);
        if changed {
            text.extend_from_slice(format!("~{}.{row}", lane.0).as_bytes());
        }
    }
}
