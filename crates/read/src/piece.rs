//! A batch that is being filled from a stretch of a binary file.

use onca_model::{Code, Ticks};

use crate::batch::{Batch, Op, Record, Span};
use crate::faults::Faults;
use crate::symbols::Symbol;

/// A batch that is being filled from a piece.
pub(crate) struct Piece<'b> {
    pub batch: &'b mut Batch,
    pub faults: Faults,
    /// Where the event at hand begins.
    pub at: u32,
}

impl Piece<'_> {
    /// Adds a record. `extras` tells whether it owns what was last put into the list of extras.
    #[inline]
    pub fn push(&mut self, time: Ticks, pair: Symbol, op: Op, value: u32, has_extras: bool) {
        self.batch.records.push(Record { time, at: self.at, pair, value, op, has_extras });
    }

    /// Puts packed extra fields into the list; true if there are any.
    pub fn keep_extras(&mut self, packed: &[u8]) -> bool {
        if packed.is_empty() {
            return false;
        }
        let span: Span = self.batch.keep(packed);
        self.batch.extras.push(span);
        true
    }

    /// Reports a problem with the event at hand.
    #[cold]
    pub fn problem(&mut self, code: Code, text: impl FnOnce() -> String) {
        self.faults.report(self.batch, self.at, code, text);
    }

    /// Reports a problem that costs the event at hand.
    #[cold]
    pub fn lose(&mut self, code: Code, text: impl FnOnce() -> String) {
        self.batch.n_lost += 1;
        self.problem(code, text);
    }
}
