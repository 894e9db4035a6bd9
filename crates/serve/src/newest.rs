//! Remembering a few answers, the newest.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Entries by key, the newest last.
#[derive(Default)]
pub struct Newest<T> {
    entries: Mutex<Vec<Arc<Entry<T>>>>,
}

/// What is remembered under a key.
pub struct Entry<T> {
    key: String,
    /// What it is.
    pub content: T,
}

impl<T: Default> Newest<T> {
    /// The entry of a key, which is the newest from now on.
    pub fn entry(&self, key: String) -> Arc<Entry<T>> {
        let mut all = lock(&self.entries);
        let found = all.iter().position(|entry| entry.key == key).map(|at| all.remove(at));
        let entry = found.unwrap_or_else(|| Arc::new(Entry { key, content: T::default() }));
        all.push(Arc::clone(&entry));
        entry
    }

    /// Forgets old entries: this many stay, as long as they are not too large together.
    pub fn forget_old(&self, most: usize, largest: usize, size: impl Fn(&T) -> usize) {
        keep_newest(&mut lock(&self.entries), most, largest, |entry| size(&entry.content));
    }
}

/// The size of what somebody finds out. What is not known yet has none, and is not waited for.
pub fn size_if_known<T>(content: &Mutex<Option<Arc<T>>>, size: impl Fn(&T) -> usize) -> usize {
    let known = content.try_lock().ok().and_then(|known| known.clone());
    known.map_or(0, |known| size(&known))
}

/// Drops old entries until there are at most this many, and those before the newest are together not too large.
pub fn keep_newest<T>(
    entries: &mut Vec<T>,
    most: usize,
    largest: usize,
    size: impl Fn(&T) -> usize,
) {
    let mut sum = 0;
    let older = entries.iter().rev().skip(1).take(most.saturating_sub(1));
    let n = older.take_while(|entry| {
        sum += size(entry);
        sum <= largest
    });
    let n_kept = (n.count() + 1).min(entries.len());
    entries.drain(..entries.len() - n_kept);
}

/// What a thread that panicked has left is whole: entries are only ever replaced.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stay_as_far_as_they_fit() {
        let kept = |sizes: &[usize], most, largest| {
            let mut entries = sizes.to_vec();
            keep_newest(&mut entries, most, largest, |size| *size);
            entries
        };
        assert_eq!(kept(&[], 3, 10), [0; 0]);
        assert_eq!(kept(&[1, 2, 3, 4], 3, 10), [2, 3, 4]);
        assert_eq!(kept(&[1, 5, 6, 99], 4, 10), [6, 99]);
        assert_eq!(kept(&[11, 99], 4, 10), [99]);
    }
}
