//! Symbols: texts of a trace turned into small numbers by many threads at once.
//!
//! A symbol has no meaning and needs no file order: the simulator decides what a symbol refers
//! to. Numbers depend on which thread came first, so nothing that is stored may depend on them.

use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use foldhash::quality::RandomState;
use hashbrown::HashTable;
use onca_model::{FieldDef, FieldId, FieldKind, TextColumn};

/// A text, by number.
pub type Symbol = u32;

const SHARD_BITS: u32 = 4;
const SHARDS: usize = 1 << SHARD_BITS;

/// A table from texts to symbols that threads share. The hash is seeded at random, so that no
/// trace can be written to make it slow.
#[derive(Default)]
pub struct Interner {
    state: RandomState,
    shards: [Mutex<TextShard>; SHARDS],
}

#[derive(Default)]
struct TextShard {
    table: HashTable<u32>,
    texts: TextColumn,
}

impl Interner {
    /// The symbol of a text.
    pub fn intern(&self, text: &[u8]) -> Symbol {
        let hash = self.state.hash_one(text);
        // The table uses the low and the highest bits; the shard takes bits between them.
        let shard_index = (hash >> 48) as usize % SHARDS;
        let mut shard = lock(&self.shards[shard_index]);
        let shard = &mut *shard;
        if let Some(&local) =
            shard.table.find(hash, |&local| shard.texts.get(local as usize) == text)
        {
            return number(local, shard_index);
        }
        let local = shard.texts.len() as u32;
        shard.texts.push(text);
        let texts = &shard.texts;
        shard
            .table
            .insert_unique(hash, local, |&other| self.state.hash_one(texts.get(other as usize)));
        number(local, shard_index)
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> Vec<u8> {
        let shard = lock(&self.shards[symbol as usize % SHARDS]);
        shard.texts.get((symbol >> SHARD_BITS) as usize).to_vec()
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| {
                let shard = lock(shard);
                shard.texts.bytes.capacity()
                    + shard.texts.ends.capacity() * 8
                    + shard.table.capacity() * 5
            })
            .sum()
    }
}

/// A table from pairs of symbols to symbols, shared like [`Interner`].
#[derive(Default)]
pub struct PairInterner {
    state: RandomState,
    shards: [Mutex<PairShard>; SHARDS],
}

#[derive(Default)]
struct PairShard {
    table: HashTable<u32>,
    pairs: Vec<(Symbol, Symbol)>,
}

impl PairInterner {
    /// The symbol of a pair.
    pub fn intern(&self, pair: (Symbol, Symbol)) -> Symbol {
        let hash = self.state.hash_one(pair);
        let shard_index = (hash >> 48) as usize % SHARDS;
        let mut shard = lock(&self.shards[shard_index]);
        let shard = &mut *shard;
        if let Some(&local) = shard.table.find(hash, |&local| shard.pairs[local as usize] == pair) {
            return number(local, shard_index);
        }
        let local = shard.pairs.len() as u32;
        shard.pairs.push(pair);
        let pairs = &shard.pairs;
        shard.table.insert_unique(hash, local, |&other| self.state.hash_one(pairs[other as usize]));
        number(local, shard_index)
    }

    /// The pair of a symbol.
    pub fn pair(&self, symbol: Symbol) -> (Symbol, Symbol) {
        lock(&self.shards[symbol as usize % SHARDS]).pairs[(symbol >> SHARD_BITS) as usize]
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| {
                let shard = lock(shard);
                shard.pairs.capacity() * 8 + shard.table.capacity() * 5
            })
            .sum()
    }
}

fn number(local: u32, shard: usize) -> Symbol {
    local << SHARD_BITS | shard as u32
}

/// A panicking thread cannot leave these tables half changed, so a poisoned lock is as good as
/// any other.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All the symbols of a trace. Containers, types and values are separate namespaces, so that
/// tables indexed by symbol stay short.
#[derive(Default)]
pub struct Symbols {
    /// Identifiers of containers.
    pub containers: Interner,
    /// Identifiers of types.
    pub types: Interner,
    /// Identifiers of values, whatever their type.
    pub values: Interner,
    /// Pairs (container, type): what nearly every record refers to.
    pub pairs: PairInterner,
    fields: RwLock<Vec<FieldDef>>,
    keys: RandomState,
}

impl Symbols {
    /// Symbols of a trace of which nothing has been read.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of an extra field, by its name and declared type.
    pub fn field(&self, name: &[u8], kind: FieldKind) -> FieldId {
        let mut fields = self.fields.write().unwrap_or_else(PoisonError::into_inner);
        let position = fields.iter().position(|field| field.name == name && field.kind == kind);
        let index = position.unwrap_or_else(|| {
            fields.push(FieldDef { name: name.to_vec(), kind });
            fields.len() - 1
        });
        FieldId(index as u32)
    }

    /// All extra fields, in order of their ids.
    pub fn fields(&self) -> Vec<FieldDef> {
        self.fields.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The hash of a link key. Keys are hashed and compared, never interned: most are unique.
    #[inline]
    pub fn key_hash(&self, key: &[u8]) -> u64 {
        self.keys.hash_one(key)
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.containers.bytes() + self.types.bytes() + self.values.bytes() + self.pairs.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_stable_and_distinct() {
        let symbols = Symbols::new();
        let numbers: Vec<_> =
            (0..1000).map(|i| symbols.containers.intern(format!("p{i}").as_bytes())).collect();
        for (i, &symbol) in numbers.iter().enumerate() {
            assert_eq!(symbols.containers.text(symbol), format!("p{i}").as_bytes());
            assert_eq!(symbols.containers.intern(format!("p{i}").as_bytes()), symbol);
        }
        let pair = symbols.pairs.intern((numbers[3], 7));
        assert_eq!(symbols.pairs.pair(pair), (numbers[3], 7));
        assert_eq!(symbols.pairs.intern((numbers[3], 7)), pair);
        assert_ne!(symbols.pairs.intern((7, numbers[3])), pair);
    }
}
