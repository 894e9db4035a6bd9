//! Symbols: texts of a trace turned into small numbers by many threads at once.
//!
//! A symbol has no meaning and needs no file order: the simulator decides what a symbol refers
//! to. Numbers depend on which thread came first, so nothing that is stored may depend on them.

use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use onca_model::{FieldDef, FieldId, FieldKind, TextColumn};

/// A text, by number.
pub type Symbol = u32;

const SHARD_BITS: u32 = 4;
const SHARDS: usize = 1 << SHARD_BITS;

/// A text of at most sixteen bytes as two numbers. Different texts without NUL bytes have
/// different images.
pub type Image = (u64, u64);

/// The image of a text, if it is short and has no NUL byte.
pub fn image_of(text: &[u8]) -> Option<Image> {
    if text.len() > 16 || memchr::memchr(0, text).is_some() {
        return None;
    }
    let mut bytes = [0; 16];
    bytes[..text.len()].copy_from_slice(text);
    let image = u128::from_le_bytes(bytes);
    Some((image as u64, (image >> 64) as u64))
}

/// A table from texts to symbols that threads share. Hashes are seeded at random, so that no
/// trace can be written to make it slow.
///
/// Short texts, nearly all, stand in the table itself: with a million of them, each look at
/// another place in memory is what costs.
#[derive(Default)]
pub struct Interner {
    state: RandomState,
    shards: [Mutex<TextShard>; SHARDS],
}

#[derive(Default)]
struct TextShard {
    short: Probing<Image>,
    long: HashTable<u32>,
    texts: TextColumn,
}

impl Interner {
    /// The symbol of a text.
    pub fn intern(&self, text: &[u8]) -> Symbol {
        match image_of(text) {
            Some(image) => self.intern_short(text, image),
            None => self.intern_long(text),
        }
    }

    /// The symbol of a text whose image is known.
    pub fn intern_short(&self, text: &[u8], image: Image) -> Symbol {
        let hash = self.state.hash_one(image);
        let shard_index = shard_of(hash);
        let mut shard = lock(&self.shards[shard_index]);
        let shard = &mut *shard;
        let next = shard.texts.len() as u32;
        let local =
            shard.short.find_or_insert(image, hash, next, |image| self.state.hash_one(image));
        if local == next {
            shard.texts.push(text);
        }
        number(local, shard_index)
    }

    fn intern_long(&self, text: &[u8]) -> Symbol {
        let hash = self.state.hash_one(text);
        let shard_index = shard_of(hash);
        let mut shard = lock(&self.shards[shard_index]);
        let shard = &mut *shard;
        let texts = &shard.texts;
        if let Some(&local) = shard.long.find(hash, |&local| texts.get(local as usize) == text) {
            return number(local, shard_index);
        }
        let local = shard.texts.len() as u32;
        shard.texts.push(text);
        let texts = &shard.texts;
        shard
            .long
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
                    + shard.long.capacity() * 5
                    + shard.short.bytes()
            })
            .sum()
    }
}

/// A container and a type, as one key. A short container stands in it by its image, so that the
/// pair is found without looking the container up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct PairKey {
    container: Image,
    type_symbol: Symbol,
    /// The container is too long for an image; its symbol stands for it.
    by_symbol: bool,
}

/// A table from pairs of a container and a type to symbols, shared like [`Interner`].
#[derive(Default)]
struct PairInterner {
    state: RandomState,
    shards: [Mutex<PairShard>; SHARDS],
}

#[derive(Default)]
struct PairShard {
    table: Probing<PairKey>,
    /// Container and type of each pair.
    parts: Vec<(Symbol, Symbol)>,
}

impl PairInterner {
    /// The symbol of a pair; `parts` are asked for when it is new.
    fn intern(&self, pair: PairKey, parts: impl FnOnce() -> (Symbol, Symbol)) -> Symbol {
        let hash = self.state.hash_one(pair);
        let shard_index = shard_of(hash);
        let mut shard = lock(&self.shards[shard_index]);
        let shard = &mut *shard;
        let next = shard.parts.len() as u32;
        let local = shard.table.find_or_insert(pair, hash, next, |pair| self.state.hash_one(pair));
        if local == next {
            shard.parts.push(parts());
        }
        number(local, shard_index)
    }

    fn parts(&self, symbol: Symbol) -> (Symbol, Symbol) {
        lock(&self.shards[symbol as usize % SHARDS]).parts[(symbol >> SHARD_BITS) as usize]
    }

    fn bytes(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| {
                let shard = lock(shard);
                shard.parts.capacity() * size_of::<(Symbol, Symbol)>() + shard.table.bytes()
            })
            .sum()
    }
}

/// A hash table of small keys with open addressing: a key and its number stand together, so that
/// a look-up usually touches one place in memory. A general table keeps its control bytes apart
/// and touches two.
struct Probing<K> {
    slots: Vec<(K, u32)>,
    len: usize,
}

/// The number of an empty slot.
const VACANT: u32 = u32::MAX;

impl<K> Default for Probing<K> {
    fn default() -> Self {
        Self { slots: Vec::new(), len: 0 }
    }
}

impl<K: Copy + PartialEq + Default> Probing<K> {
    /// The number of a key; `next` if it is new.
    fn find_or_insert(&mut self, key: K, hash: u64, next: u32, hash_of: impl Fn(K) -> u64) -> u32 {
        if self.len * 3 >= self.slots.len() * 2 {
            self.grow(hash_of);
        }
        let slot = self.slot(key, hash);
        if self.slots[slot].1 == VACANT {
            self.slots[slot] = (key, next);
            self.len += 1;
        }
        self.slots[slot].1
    }

    /// Where a key stands, or the vacant place where it would.
    fn slot(&self, key: K, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 != VACANT && self.slots[slot].0 != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self, hash_of: impl Fn(K) -> u64) {
        let larger = vec![(K::default(), VACANT); (self.slots.len() * 2).max(16)];
        let old = std::mem::replace(&mut self.slots, larger);
        for (key, number) in old.into_iter().filter(|(_, number)| *number != VACANT) {
            let slot = self.slot(key, hash_of(key));
            self.slots[slot] = (key, number);
        }
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<(K, u32)>()
    }
}

/// Tables use the low bits of a hash, shards take others.
fn shard_of(hash: u64) -> usize {
    (hash >> 48) as usize % SHARDS
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
    pairs: PairInterner,
    fields: RwLock<Vec<FieldDef>>,
    keys: RandomState,
}

impl Symbols {
    /// Symbols of a trace of which nothing has been read.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of a container and a type: what nearly every record refers to. `image` is that
    /// of the container, if it is short.
    pub fn pair(&self, container: &[u8], image: Option<Image>, type_symbol: Symbol) -> Symbol {
        let Some(image) = image else {
            let symbol = self.containers.intern(container);
            let key = PairKey { container: (u64::from(symbol), 0), type_symbol, by_symbol: true };
            return self.pairs.intern(key, || (symbol, type_symbol));
        };
        let key = PairKey { container: image, type_symbol, by_symbol: false };
        // The container's symbol is looked up here, where many threads work, and not by the one
        // that asks for it.
        self.pairs.intern(key, || (self.containers.intern_short(container, image), type_symbol))
    }

    /// The symbols of the container and the type of a pair.
    pub fn parts_of_pair(&self, pair: Symbol) -> (Symbol, Symbol) {
        self.pairs.parts(pair)
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
        // Short and long ones, and some with NUL bytes, which only damage can bring.
        let text = |i: usize| match i % 3 {
            0 => format!("p{i}"),
            1 => format!("a name of more than sixteen bytes {i}"),
            _ => format!("{i}\0"),
        };
        let numbers: Vec<_> =
            (0..1000).map(|i| symbols.containers.intern(text(i).as_bytes())).collect();
        for (i, &symbol) in numbers.iter().enumerate() {
            assert_eq!(symbols.containers.text(symbol), text(i).as_bytes());
            assert_eq!(symbols.containers.intern(text(i).as_bytes()), symbol);
        }
        for i in [3, 4] {
            let name = text(i);
            let pair = symbols.pair(name.as_bytes(), image_of(name.as_bytes()), 7);
            assert_eq!(symbols.parts_of_pair(pair), (numbers[i], 7));
            assert_eq!(symbols.pair(name.as_bytes(), image_of(name.as_bytes()), 7), pair);
            assert_ne!(symbols.pair(name.as_bytes(), image_of(name.as_bytes()), 8), pair);
        }
    }
}
