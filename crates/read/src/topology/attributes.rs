//! Attributes of nodes, edges and groups.

use std::sync::Arc;

/// Keys with values, each key once, in the order in which keys were first given.
///
/// A copy is cheap until it is changed: thousands of edges share the defaults of their graph.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Attributes {
    entries: Arc<Vec<Entry>>,
}

/// A key and its value.
type Entry = (Arc<[u8]>, Arc<[u8]>);

impl Attributes {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.iter().find(|(known, _)| *known == key.as_bytes()).map(|(_, value)| value)
    }

    /// All keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|(key, value)| (&key[..], &value[..]))
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Gives a key a value, in place of the one it had.
    pub(super) fn set(&mut self, key: &Arc<[u8]>, value: &Arc<[u8]>) {
        let entries = Arc::make_mut(&mut self.entries);
        match entries.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = Arc::clone(value),
            None => entries.push((Arc::clone(key), Arc::clone(value))),
        }
    }

    /// Gives all keys of another set their values there. Says how many entries had to be stored.
    pub(super) fn extend(&mut self, more: &Attributes) -> usize {
        if more.is_empty() {
            return 0;
        }
        if self.is_empty() {
            *self = more.clone();
            return 0;
        }
        let shared = Arc::strong_count(&self.entries) > 1;
        let before = if shared { 0 } else { self.len() };
        for (key, value) in more.entries.iter() {
            self.set(key, value);
        }
        self.len() - before
    }
}
