//! A batch that is being filled from a stretch of a binary file.

use std::io;
use std::sync::Arc;

use onca_model::{Code, Ticks};

use crate::batch::{Batch, Counting, Locate, Op, Record, Span};
use crate::faults::Faults;
use crate::symbols::Symbol;

/// A batch that is being filled from a piece.
pub(crate) struct Piece<'b> {
    pub batch: &'b mut Batch,
    faults: Faults,
    /// Where the event at hand begins.
    pub at: u32,
}

impl<'b> Piece<'b> {
    /// Begins a piece at an offset of a file, which has a number among the files of the trace.
    pub fn new(batch: &'b mut Batch, part: u32, offset: u64, locator: &Arc<dyn Locate>) -> Self {
        batch.counting = Counting::Bytes;
        batch.part = part;
        batch.first_line = offset;
        batch.locator = Some(Arc::clone(locator));
        Self { batch, faults: Faults::default(), at: 0 }
    }

    /// Adds a record. `extras` tells whether it owns what was last put into the list of extras.
    #[inline]
    pub fn push(&mut self, time: Ticks, pair: Symbol, op: Op, value: u32, has_extras: bool) {
        self.batch.records.push(Record { time, at: self.at, pair, value, op, has_extras });
    }

    /// Puts packed extra fields into the list; true if there are any.
    #[inline]
    pub fn keep_extras(&mut self, packed: &[u8]) -> bool {
        if packed.is_empty() {
            return false;
        }
        let span: Span = self.batch.keep(packed);
        self.batch.extras.push(span);
        true
    }

    /// The same with extra fields that are not needed any more.
    #[inline]
    pub fn take_extras(&mut self, packed: &mut Vec<u8>) -> bool {
        let kept = self.keep_extras(packed);
        packed.clear();
        kept
    }

    /// Reports a problem with the event at hand.
    #[cold]
    pub fn problem(&mut self, code: Code, text: impl FnOnce() -> String) {
        self.faults.report(self.batch, self.at, code, text);
    }

    /// The file is over without an end: at least this many records are missing.
    #[cold]
    pub fn cut(&mut self, n_missing: u64) {
        self.lose_many(n_missing, Code::Truncated, || {
            "the file ends without its end mark: the trace is cut".to_owned()
        });
    }

    /// The system does not give more of the file, which would have this many more records.
    #[cold]
    pub fn unreadable(&mut self, error: &io::Error, n_missing: u64) {
        self.lose_many(n_missing, Code::MissingPartFile, || {
            format!("cannot be read further: {error}")
        });
    }

    /// Reports a problem that costs records.
    #[cold]
    pub fn lose_many(&mut self, n: u64, code: Code, text: impl FnOnce() -> String) {
        self.batch.n_lost += n;
        self.problem(code, text);
    }

    /// Reports a problem that costs the event at hand.
    #[cold]
    pub fn lose(&mut self, code: Code, text: impl FnOnce() -> String) {
        self.batch.n_lost += 1;
        self.problem(code, text);
    }
}
