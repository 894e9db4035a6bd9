//! What the processes of a run worked.

use std::ops::Range;

use super::runs::Subject;

/// Work of one value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WorkPiece {
    /// What it is.
    pub value: u32,
    /// How long it takes, in ticks.
    pub ticks: f64,
}

/// What processes worked, by process, segment and value.
#[derive(Clone, PartialEq, Debug)]
pub struct Worked {
    n_slots: usize,
    pieces: Vec<WorkPiece>,
    /// Where those of each segment of each process end.
    ends: Vec<usize>,
}

impl Worked {
    /// No process yet, in this many segments.
    pub fn new(n_slots: usize) -> Self {
        Self { n_slots, pieces: Vec::new(), ends: Vec::new() }
    }

    /// How many processes there are.
    pub fn n_processes(&self) -> usize {
        self.ends.len() / self.n_slots.max(1)
    }

    /// Adds a process: its pieces with their segments, in order.
    pub fn push(&mut self, pieces: impl IntoIterator<Item = (usize, WorkPiece)>) {
        let mut pieces = pieces.into_iter().peekable();
        for slot in 0..self.n_slots {
            while let Some((_, piece)) = pieces.next_if(|(at, _)| *at == slot) {
                self.pieces.push(piece);
            }
            self.ends.push(self.pieces.len());
        }
    }

    /// Did nobody work?
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    fn places(&self, process: usize, slots: Range<usize>) -> Range<usize> {
        let begin = |at: usize| if at == 0 { 0 } else { self.ends[at - 1] };
        let first = process * self.n_slots;
        begin(first + slots.start)..begin(first + slots.end)
    }

    /// What a process worked in a segment.
    pub(super) fn pieces(&self, process: usize, slot: usize) -> &[WorkPiece] {
        &self.pieces[self.places(process, slot..slot + 1)]
    }

    /// How long a process did some work in a segment.
    pub(super) fn of(&self, process: usize, slot: usize, of: &Subject) -> f64 {
        let own = self.pieces(process, slot).iter();
        own.filter(|piece| of.has(piece.value)).map(|piece| piece.ticks).sum()
    }

    /// The longest work of one process in a segment.
    pub(super) fn busiest(&self, slot: usize) -> f64 {
        let total = |process: usize| -> f64 {
            self.pieces(process, slot).iter().map(|piece| piece.ticks).sum()
        };
        (0..self.n_processes()).map(total).fold(0.0, f64::max)
    }

    /// Lets some work of a process take `factor` times as long.
    pub(super) fn scale(&mut self, process: usize, slots: Range<usize>, of: &Subject, factor: f64) {
        let places = self.places(process, slots);
        for piece in self.pieces[places].iter_mut().filter(|piece| of.has(piece.value)) {
            piece.ticks *= factor;
        }
    }
}
