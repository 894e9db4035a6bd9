//! An archive whose definitions are known, and the reading of its locations on all cores.
//!
//! Locations are read in turn, a piece of each, so that all advance through the trace together:
//! the halves of a message are then met soon after one another. The order of pieces depends on
//! the sizes of the files alone. A file is open only while a piece of it is read, so that any
//! number of locations can be under way.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use onca_model::Code;

use super::anchor::Paths;
use super::comms::Comms;
use super::definitions::Definitions;
use super::emit::Emitter;
use super::fields::Fields;
use super::local::Local;
use super::places::Places;
use super::stream::{Piece, Stream};
use super::text::reference_text;
use super::value::Kind;
use super::vocabulary::{TypeKey, Vocabulary, Wanted};
use super::walk::{Fault, Folder, Refused, walk};
use crate::batch::{Batch, BatchConsumer, Counting, Locate};
use crate::pipeline::{Decode, Taken};
use crate::source::Progress;
use crate::symbols::{Symbol, Symbols};

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
    pub piece_bytes: usize,
    pub folder: Folder,
    pub paths: Paths,
    pub locator: Arc<dyn Locate>,
    /// Where each location stands, by its number.
    pub slots: Vec<Mutex<Slot>>,
    /// Memory that locations hold while they are read.
    pub held: AtomicUsize,
    /// Some location says how far its clock is off.
    pub corrected: AtomicBool,
}

/// What a location is doing.
pub(super) enum Slot {
    Idle(Box<Stream>),
    Busy,
    Ended,
}

/// Where an event file is: its path, its number among the files, its length.
pub(super) type EventFile = (PathBuf, u32, u64);

impl Archive<'_> {
    /// The order in which pieces are read.
    pub fn schedule(&self, files: &[(u32, EventFile)]) -> Schedule {
        let turns = files.iter().map(|&(location, (_, _, size))| {
            Reverse(Turn { share: 0, location, planned: 0, size })
        });
        Schedule { turns: turns.collect() }
    }

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
                piece.problem(refused.code(), || format!("{}: {refused}", path.display()));
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
            piece.problem(Code::MissingPartFile, || format!("{}: {error}", path.display()));
        }
        for (fault, offset) in faults {
            piece.problem(fault.code(), || {
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

    pub fn comm_symbol(&self, id: u32) -> Symbol {
        let name = reference_text(&self.definitions, Kind::Comm, id.into());
        self.symbols.values.intern(&name)
    }

    pub fn window_symbol(&self, id: u32) -> Symbol {
        let name = reference_text(&self.definitions, Kind::Window, id.into());
        self.symbols.values.intern(&name)
    }

    /// A location holds `now` bytes where it held `before`.
    pub fn hold(&self, before: usize, now: usize) {
        self.held.fetch_add(now, Ordering::Relaxed);
        self.held.fetch_sub(before, Ordering::Relaxed);
    }

    fn slot(&self, location: u32) -> MutexGuard<'_, Slot> {
        self.slots[location as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose turn it is next.
pub(super) struct Schedule {
    turns: BinaryHeap<Reverse<Turn>>,
}

/// The next turn of a location: whoever has read the smallest share of its file comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    share: u64,
    location: u32,
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

/// What was defined so far, and a batch for what is to be defined next.
#[derive(Default)]
pub(super) struct Defined {
    known: HashSet<Wanted, RandomState>,
    batch: Batch,
}

impl Decode for Archive<'_> {
    type Source = Schedule;
    type Piece = Box<Stream>;
    type Worker = ();
    type Note = Vec<Wanted>;
    type Order = Defined;

    fn worker(&self) {}

    fn take(&self, schedule: &mut Schedule, _: &mut Batch) -> io::Result<Taken<Box<Stream>>> {
        while let Some(&Reverse(turn)) = schedule.turns.peek() {
            let mut slot = self.slot(turn.location);
            match std::mem::replace(&mut *slot, Slot::Busy) {
                Slot::Busy => return Ok(Taken::NotYet),
                Slot::Ended => {
                    *slot = Slot::Ended;
                    schedule.turns.pop();
                }
                Slot::Idle(stream) => {
                    schedule.turns.pop();
                    schedule.turns.push(Reverse(turn.next(self.piece_bytes)));
                    return Ok(Taken::Piece(stream));
                }
            }
        }
        Ok(Taken::End)
    }

    fn decode(&self, (): &mut (), mut stream: Box<Stream>, batch: &mut Batch) -> Vec<Wanted> {
        stream.decode(self, batch);
        let wanted = std::mem::take(&mut stream.wanted);
        batch.held_bytes = self.held.load(Ordering::Relaxed);
        let location = stream.location;
        *self.slot(location) = if stream.ended { Slot::Ended } else { Slot::Idle(stream) };
        wanted
    }

    fn hand_over(
        &self,
        defined: &mut Defined,
        wanted: Vec<Wanted>,
        batch: &mut Batch,
        consumer: &mut dyn BatchConsumer,
    ) -> ControlFlow<()> {
        let Defined { known, batch: definitions } = defined;
        let mut new: Vec<Wanted> = wanted.into_iter().filter(|&want| known.insert(want)).collect();
        if !new.is_empty() {
            // Values come after the types that they are values of.
            new.sort_by_key(|want| matches!(want, Wanted::Region { .. }));
            definitions.clear();
            definitions.counting = Counting::Bytes;
            definitions.part = batch.part;
            definitions.held_bytes = batch.held_bytes;
            let mut out = Emitter { symbols: self.symbols, batch: definitions };
            for want in new {
                self.vocabulary.define(&self.definitions, &self.places, want, &mut out);
            }
            consumer.accept(definitions)?;
        }
        consumer.accept(batch)
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

impl Refused {
    /// The code of such a problem.
    pub fn code(&self) -> Code {
        match self {
            Self::Outside => Code::OutsideArchive,
            Self::Missing | Self::Unreadable(_) => Code::MissingPartFile,
        }
    }
}
