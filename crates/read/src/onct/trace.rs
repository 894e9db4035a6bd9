//! A trace of which all but the records is known.

use std::path::PathBuf;
use std::sync::Arc;

use super::clock::Clock;
use super::definitions::{Definitions, Names};
use super::stream::Stream;
use crate::batch::{Batch, Locate, Located, Role};
use crate::emit::Emitter;
use crate::many_files::{DecodedPiece, ManyFiles};
use crate::source::Progress;
use crate::symbols::Symbols;
use crate::turns::Turns;

/// The file of a process.
pub(super) struct ProcessFile {
    pub path: PathBuf,
    /// Its number among the files of the trace.
    pub part: u32,
    pub definitions: Definitions,
    pub names: Names,
    pub clock: Clock,
}

/// A trace, ready to be read.
pub(super) struct Trace<'a> {
    pub symbols: &'a Symbols,
    pub progress: &'a Progress,
    pub files: Vec<ProcessFile>,
    pub locator: Arc<dyn Locate>,
    pub turns: Turns<Stream>,
}

impl ManyFiles for Trace<'_> {
    type Stream = Stream;
    /// Everything is defined before the first record.
    type Wanted = ();

    fn symbols(&self) -> &Symbols {
        self.symbols
    }

    fn turns(&self) -> &Turns<Stream> {
        &self.turns
    }

    fn decode_piece(&self, stream: &mut Stream, batch: &mut Batch) -> DecodedPiece<()> {
        stream.decode(self, batch);
        DecodedPiece { file: stream.number, wanted: Vec::new(), is_last: stream.ended }
    }

    fn define(&self, (): (), _: &mut Emitter<'_>) {}
}

/// The place of a record is that of its first byte.
pub(super) struct RecordLocator;

impl Locate for RecordLocator {
    fn locate(&self, _: &[u8], at: u32, _: Option<Role>) -> Located {
        Located { line: at, column: 0, event: String::new() }
    }
}
