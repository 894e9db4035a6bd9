//! Many files that are read in turn, a piece of each, so that all advance through the trace
//! together: the halves of a message are then met soon after one another. The order of pieces
//! depends on the sizes of the files alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::pipeline::Taken;

/// Where the reading of each file stands.
pub(crate) struct Turns<S> {
    slots: Vec<Mutex<Slot<S>>>,
    piece_bytes: usize,
    /// Memory that is held while files are read.
    held: AtomicUsize,
}

/// What is done with a file.
enum Slot<S> {
    Idle(Box<S>),
    Busy,
    Ended,
}

impl<S> Turns<S> {
    /// This many files, of which none is read yet.
    pub fn new(n_files: usize, piece_bytes: usize) -> Self {
        let slots = (0..n_files).map(|_| Mutex::new(Slot::Ended)).collect();
        Self { slots, piece_bytes, held: AtomicUsize::new(0) }
    }

    /// How much of a file is read in a turn, in bytes.
    pub fn piece_bytes(&self) -> usize {
        self.piece_bytes
    }

    /// Something takes `now` bytes that took `before`.
    pub fn hold(&self, before: usize, now: usize) {
        self.held.fetch_add(now, Ordering::Relaxed);
        self.held.fetch_sub(before, Ordering::Relaxed);
    }

    /// Memory that is held, in bytes.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// A file waits for its turn.
    pub fn wait(&self, number: u32, stream: Box<S>) {
        *self.slot(number) = Slot::Idle(stream);
    }

    /// A file was read to its end.
    pub fn end(&self, number: u32) {
        *self.slot(number) = Slot::Ended;
    }

    /// Takes the file whose turn it is.
    pub fn take(&self, schedule: &mut Schedule) -> Taken<Box<S>> {
        while let Some(&Reverse(turn)) = schedule.turns.peek() {
            let mut slot = self.slot(turn.number);
            match std::mem::replace(&mut *slot, Slot::Busy) {
                Slot::Busy => return Taken::NotYet,
                Slot::Ended => {
                    *slot = Slot::Ended;
                    schedule.turns.pop();
                }
                Slot::Idle(stream) => {
                    schedule.turns.pop();
                    schedule.turns.push(Reverse(turn.next(self.piece_bytes)));
                    return Taken::Piece(stream);
                }
            }
        }
        Taken::End
    }

    fn slot(&self, number: u32) -> MutexGuard<'_, Slot<S>> {
        self.slots[number as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose turn it is next.
pub(crate) struct Schedule {
    turns: BinaryHeap<Reverse<Turn>>,
}

impl Schedule {
    /// The order in which files, given by number and size, are read.
    pub fn new(files: impl Iterator<Item = (u32, u64)>) -> Self {
        let turns =
            files.map(|(number, size)| Reverse(Turn { share: 0, number, planned: 0, size }));
        Self { turns: turns.collect() }
    }
}

/// The next turn of a file: whichever was read to the smallest share comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    share: u64,
    number: u32,
    planned: u64,
    size: u64,
}

impl Turn {
    fn next(self, piece_bytes: usize) -> Self {
        let planned = self.planned.saturating_add(piece_bytes as u64);
        let share = (u128::from(planned) << 32) / u128::from(self.size.max(1));
        Self { share: u64::try_from(share).unwrap_or(u64::MAX), planned, ..self }
    }
}
