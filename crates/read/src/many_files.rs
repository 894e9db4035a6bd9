//! Traces of many files: what is done the same way whatever the format.

use std::hash::Hash;
use std::io;
use std::ops::ControlFlow;

use onca_model::TimeUnit;

use crate::batch::{Batch, BatchConsumer};
use crate::emit::{Defined, Emitter};
use crate::pipeline::{self, Decode, Taken};
use crate::reading::{Origin, ReadError, ReadOptions, SourceEnd};
use crate::source::{Progress, Source};
use crate::symbols::Symbols;
use crate::turns::{Schedule, Turns};

/// The most that is decoded of a file at once. Less than for one long text: the files take
/// turns, and what they have in common waits until all have had theirs.
const MAX_PIECE: usize = 128 << 10;

/// How much is decoded of a file at once.
pub(crate) fn piece_bytes(options: &ReadOptions) -> usize {
    options.block_bytes.clamp(64, MAX_PIECE)
}

/// A stream is one file only. `what` has many, of which `main` is to be named.
pub(crate) fn refuse_stream(source: &Source, what: &str, main: &str) -> Result<(), ReadError> {
    match source.is_stream() {
        true => Err(ReadError::Invalid(format!(
            "{what} has many files; name its {main} instead of a stream"
        ))),
        false => Ok(()),
    }
}

/// A trace of which all but the records is known.
pub(crate) trait ManyFiles: Sync {
    /// Where the reading of a file stands.
    type Stream: Send;
    /// Something that must be defined before the records that use it.
    type Wanted: Copy + Eq + Hash + Send;

    fn symbols(&self) -> &Symbols;

    fn turns(&self) -> &Turns<Self::Stream>;

    /// Decodes the next piece of a file.
    fn decode_piece(
        &self,
        stream: &mut Self::Stream,
        batch: &mut Batch,
    ) -> DecodedPiece<Self::Wanted>;

    /// Defines what records want.
    fn define(&self, wanted: Self::Wanted, out: &mut Emitter<'_>);

    /// Is it defined after the rest? Values come after the types that they are values of.
    fn is_late(_: Self::Wanted) -> bool {
        false
    }
}

/// A piece of a file that was decoded.
pub(crate) struct DecodedPiece<W> {
    /// The number of the file.
    pub file: u32,
    /// What its records want that no earlier piece of the file wanted.
    pub wanted: Vec<W>,
    /// The file has no more.
    pub is_last: bool,
}

impl<T: ManyFiles> Decode for T {
    type Source = Schedule;
    type Piece = Box<T::Stream>;
    type Worker = ();
    type Note = Vec<T::Wanted>;
    type Order = Defined<T::Wanted>;

    fn worker(&self) {}

    fn take(&self, schedule: &mut Schedule, _: &mut Batch) -> io::Result<Taken<Box<T::Stream>>> {
        Ok(self.turns().take(schedule))
    }

    fn decode(&self, (): &mut (), mut stream: Box<T::Stream>, batch: &mut Batch) -> Self::Note {
        let DecodedPiece { file, wanted, is_last } = self.decode_piece(&mut stream, batch);
        batch.held_bytes = self.turns().held();
        match is_last {
            true => self.turns().end(file),
            false => self.turns().wait(file, stream),
        }
        wanted
    }

    fn hand_over(
        &self,
        defined: &mut Defined<T::Wanted>,
        wanted: Vec<T::Wanted>,
        batch: &mut Batch,
        consumer: &mut dyn BatchConsumer,
    ) -> ControlFlow<()> {
        let define = |wanted, out: &mut Emitter<'_>| self.define(wanted, out);
        defined.hand_over(self.symbols(), wanted, T::is_late, define, batch, consumer)
    }
}

/// Hands over what was known before, and then the records of all files.
pub(crate) fn read_in_turns<T: ManyFiles>(
    trace: &T,
    opening: Batch,
    schedule: Schedule,
    threads: usize,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
) -> Result<(), ReadError> {
    if consumer.accept(&opening).is_break() {
        return Err(ReadError::Stopped);
    }
    drop(opening);
    pipeline::run(trace, schedule, Defined::default(), threads, progress, consumer)?;
    Ok(())
}

/// The end of a trace whose clock shows this many ticks a second.
pub(crate) fn end_of_files(
    ticks_per_second: u64,
    producer: Option<String>,
    corrected_clocks: bool,
    bytes: u64,
) -> SourceEnd {
    let unit = TimeUnit { ticks_per_unit: ticks_per_second, name: "s".to_owned(), assumed: false };
    SourceEnd {
        origin: Origin::Said { unit, producer, corrected_clocks },
        bytes,
        // What is cut in one of many files is told by its batch.
        truncated: false,
    }
}
