//! An archive whose definitions are known, and the reading of its locations on all cores.
//!
//! Locations are read in turn. A file is open only while a piece of it is read, so that any
//! number of locations can be under way.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use onca_model::Code;

use super::anchor::Paths;
use super::comms::Comms;
use super::definitions::Definitions;
use super::fields::Fields;
use super::local::Local;
use super::places::Places;
use super::stream::Stream;
use super::vocabulary::{TypeKey, Vocabulary, Wanted};
use super::walk::{Fault, walk};
use crate::batch::{Batch, Locate};
use crate::emit::Emitter;
use crate::folder::{Folder, Refused};
use crate::many_files::{DecodedPiece, ManyFiles};
use crate::piece::Piece;
use crate::source::Progress;
use crate::symbols::{Symbol, Symbols};
use crate::turns::Turns;

/// An archive, ready to be read.
pub(super) struct Archive<'a> {
    pub symbols: &'a Symbols,
    pub progress: &'a Progress,
    pub definitions: Definitions,
    pub places: Places,
    pub vocabulary: Vocabulary,
    pub comms: Comms,
    pub fields: Fields,
    pub clock_offset: u64,
    pub event_chunk: u64,
    pub definition_chunk: u64,
    pub folder: Folder,
    pub paths: Paths,
    pub locator: Arc<dyn Locate>,
    /// Where each location stands, by its number.
    pub turns: Turns<Stream>,
    /// Some location says how far its clock is off.
    pub corrected: AtomicBool,
}

/// Where an event file is: its path, its number among the files, its length.
pub(super) type EventFile = (PathBuf, u32, u64);

impl Archive<'_> {
    /// Loads what a location says about its ids and its clock. Without it ids are global and
    /// its clock is right.
    pub fn load_local(&self, location: u32, piece: &mut Piece<'_>) -> Local {
        let id = self.definitions.locations.entries[location as usize].id;
        let path = self.paths.local_definitions(id);
        let mut local = Local::default();
        let len = match self.folder.check(&path) {
            Ok(len) => len,
            Err(Refused::Missing) => return local,
            Err(refused) => {
                piece.lose(refused.code(), || format!("{}: {refused}", path.display()));
                return local;
            }
        };
        let mut faults = Vec::new();
        let walked = walk(
            &path,
            len,
            self.definition_chunk,
            |kind, c| local.take(kind, c),
            |fault, offset| faults.push((fault, offset)),
        );
        if let Err(error) = walked {
            piece.lose(Code::MissingPartFile, || format!("{}: {error}", path.display()));
        }
        for (fault, offset) in faults {
            piece.lose(fault.code(), || {
                format!("{}, offset {offset}: {}", path.display(), fault.what())
            });
        }
        if local.clock.is_needed() {
            self.corrected.store(true, Ordering::Relaxed);
        }
        local
    }

    pub fn type_symbol(&self, key: TypeKey) -> Symbol {
        let identifier = self.vocabulary.type_identifier(&self.definitions, &self.places, key);
        self.symbols.types.intern(&identifier)
    }

    pub fn region_symbol(&self, number: u32) -> Symbol {
        let identifier = self.vocabulary.region_identifier(&self.definitions, number);
        self.symbols.values.intern(&identifier)
    }
}

impl ManyFiles for Archive<'_> {
    type Stream = Stream;
    type Wanted = Wanted;

    fn symbols(&self) -> &Symbols {
        self.symbols
    }

    fn turns(&self) -> &Turns<Stream> {
        &self.turns
    }

    fn decode_piece(&self, stream: &mut Stream, batch: &mut Batch) -> DecodedPiece<Wanted> {
        stream.decode(self, batch);
        let wanted = std::mem::take(&mut stream.wanted);
        DecodedPiece { file: stream.location, wanted, is_last: stream.ended }
    }

    fn define(&self, wanted: Wanted, out: &mut Emitter<'_>) {
        self.vocabulary.define(&self.definitions, &self.places, wanted, out);
    }

    fn is_late(wanted: Wanted) -> bool {
        matches!(wanted, Wanted::Region { .. })
    }
}

impl Fault {
    /// The code of such a problem.
    pub fn code(self) -> Code {
        match self {
            Self::Record | Self::Chunk | Self::Foreign => Code::DamagedRecord,
            Self::Cut => Code::Truncated,
        }
    }

    /// What it means.
    pub fn what(self) -> &'static str {
        match self {
            Self::Record => "a definition that cannot be decoded; it is skipped",
            Self::Chunk => "a definition that cannot be; the rest of its chunk is not read",
            Self::Cut => "the file ends without its end mark: definitions may be missing",
            Self::Foreign => "this is no definition file of OTF2",
        }
    }
}
