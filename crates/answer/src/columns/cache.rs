//! Tiles that were computed before.

use std::any::Any;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use onca_model::Ticks;
use onca_store::{StoreIdentity, TrackId};

use super::{form::Kept, grid::Stretch};

/// Remembers tiles for as long as there is room, so that a window that moves by a part, or comes
/// back, costs only what is new. It may serve many threads, stores and lenses.
pub struct ColumnCache {
    /// Those of a row are in one of them, so that threads with different rows seldom wait.
    shards: Vec<Mutex<Generations>>,
    /// What the young ones of a shard may take.
    max_young: usize,
}

const N_SHARDS: usize = 16;

/// What a tile depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct TileKey {
    pub store: StoreIdentity,
    pub tracks: Arc<[TrackId]>,
    pub min_duration: Ticks,
    pub stretch: Stretch,
    /// Of the form.
    pub form: u64,
}

/// A tile of some form.
type AnyTile = Arc<dyn Any + Send + Sync>;

/// The tiles that were used lately, and those used before them. When the young ones take half of
/// the room, the old ones go.
#[derive(Default)]
struct Generations {
    young: HashMap<TileKey, (AnyTile, usize)>,
    old: HashMap<TileKey, (AnyTile, usize)>,
    young_bytes: usize,
}

impl ColumnCache {
    /// A cache for a figure, or for some viewers of a trace.
    pub const DEFAULT_BYTES: usize = 256 << 20;

    /// A cache that holds at most `max_bytes`.
    pub fn new(max_bytes: usize) -> Self {
        let shards = (0..N_SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, max_young: max_bytes / N_SHARDS / 2 }
    }

    /// The tiles of a row with these keys, where they are known.
    pub(super) fn get<T: Kept>(&self, keys: &[TileKey]) -> Vec<Option<Arc<T>>> {
        let Some(first) = keys.first() else { return Vec::new() };
        let mut generations = self.shard(first);
        let mut get = |key| generations.get(key, self.max_young)?.downcast().ok();
        keys.iter().map(&mut get).collect()
    }

    /// Remembers the tiles of a row.
    pub(super) fn insert<T: Kept>(&self, keys: &[TileKey], tiles: &[Arc<T>]) {
        let Some(first) = keys.first() else { return };
        let mut generations = self.shard(first);
        for (key, tile) in keys.iter().zip(tiles) {
            let bytes = weight(key, &**tile);
            generations.insert(key.clone(), (Arc::clone(tile) as AnyTile, bytes), self.max_young);
        }
    }

    /// Where the tiles of a row are. A panic elsewhere cannot have left a map half changed.
    fn shard(&self, key: &TileKey) -> MutexGuard<'_, Generations> {
        let mut hasher = DefaultHasher::new();
        key.tracks.hash(&mut hasher);
        self.shards[hasher.finish() as usize % N_SHARDS]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ColumnCache {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
    }
}

impl Generations {
    fn get(&mut self, key: &TileKey, max_young: usize) -> Option<AnyTile> {
        if let Some((tile, _)) = self.young.get(key) {
            return Some(Arc::clone(tile));
        }
        let (key, (tile, bytes)) = self.old.remove_entry(key)?;
        self.insert(key, (Arc::clone(&tile), bytes), max_young);
        Some(tile)
    }

    fn insert(&mut self, key: TileKey, tile: (AnyTile, usize), max_young: usize) {
        let bytes = tile.1;
        if bytes > max_young {
            return;
        }
        if self.young_bytes + bytes > max_young {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if self.young.insert(key, tile).is_none() {
            self.young_bytes += bytes;
        }
    }
}

/// What a tile counts against the bound. Its tracks are shared by the tiles of a row, of which
/// there may be only one.
fn weight(key: &TileKey, tile: &impl Kept) -> usize {
    tile.bytes() + 2 * size_of::<TileKey>() + size_of_val(&*key.tracks)
}
