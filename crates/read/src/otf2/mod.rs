//! The OTF2 format: archives of many files, one for the events of each location.
//!
//! The definitions are loaded first and become container types and containers. Then the event
//! files are decoded, on all cores, into the same records that other formats give. Regions
//! become nested states, messages and one-sided transfers links, metrics variables, and what is
//! left events; `docs/formats.md` tells it all.

mod anchor;
mod archive;
mod comms;
mod definitions;
mod event;
mod exchange;
mod fields;
mod halves;
mod ids;
mod local;
mod lookup;
mod marker;
mod messages;
mod metric;
mod names;
mod places;
mod record;
mod routes;
mod stream;
mod text;
mod value;
mod vocabulary;
mod walk;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use onca_model::{Code, display_text};

use crate::batch::{Batch, BatchConsumer, Counting};
use crate::cursor::UNDEFINED_64;
use crate::emit::Emitter;
use crate::faults::Faults;
use crate::folder::{Folder, Refused, read_piece};
use crate::many_files::{end_of_files, piece_bytes, read_in_turns, refuse_stream};
use crate::reading::{FileList, ReadError, ReadOptions, SourceEnd};
use crate::source::{Progress, Source};
use crate::symbols::Symbols;
use crate::turns::{Schedule, Turns};
use anchor::{Anchor, MAX_ANCHOR_BYTES, Paths};
use archive::{Archive, EventFile};
use comms::Comms;
use definitions::{Clock, Definitions};
use fields::Fields;
use places::Places;
use stream::{EventLocator, Stream};
use vocabulary::Vocabulary;
use walk::walk;

pub use anchor::{anchor_of, anchors_below, anchors_in};

/// Do these first bytes begin the anchor of an archive?
pub fn is_anchor(head: &[u8]) -> bool {
    matches!(head, [0x03, 0x42 | 0x23, b'O', b'T', b'F', b'2', 0, ..])
}

/// Do these first bytes begin a file of an archive, whichever?
pub fn is_file(head: &[u8]) -> bool {
    matches!(head, [0x03, 0x42 | 0x23, ..])
}

/// Reads an archive, by its anchor, and hands its records to the consumer. Its files are added
/// to the list, the anchor and the global definitions first.
pub fn read(
    source: &Source,
    symbols: &Symbols,
    options: ReadOptions,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
    files: &mut FileList,
) -> Result<SourceEnd, ReadError> {
    refuse_stream(source, "an OTF2 archive", "anchor")?;
    let path = source.path();
    let anchor = read_anchor(path)?;
    files.push(path.to_owned());
    let folder = Folder::of(path).map_err(ReadError::Io)?;
    let paths = Paths::of(path);
    let mut opening = Opening { batch: new_batch(files.next_part()), faults: Faults::default() };
    let definitions = opening.load_definitions(&anchor, &folder, &paths, files)?;
    let clock = opening.clock(&definitions);
    let events = opening.find_events(&definitions, &folder, &paths, files);
    let total: u64 = events.iter().map(|(_, (_, _, size))| size).sum();
    progress.begin(total);
    let places = Places::new(&definitions);
    let n_locations = definitions.locations.entries.len();
    let archive = Archive {
        vocabulary: Vocabulary::new(&definitions, &places),
        comms: Comms::new(&definitions),
        fields: Fields::new(&definitions, symbols),
        places,
        definitions,
        symbols,
        progress,
        clock_offset: clock.offset,
        event_chunk: anchor.event_chunk,
        definition_chunk: anchor.definition_chunk,
        folder,
        paths,
        locator: Arc::new(EventLocator),
        turns: Turns::new(n_locations, piece_bytes(&options)),
        corrected: AtomicBool::new(false),
    };
    archive.turns.hold(0, archive.definitions.bytes() + archive.comms.bytes());
    for (location, file) in &events {
        let stream = Stream::new(&archive, *location, file.clone());
        archive.turns.wait(*location, Box::new(stream));
    }
    opening.create_containers(&archive);
    let marker_bytes = marker::read(&archive, &mut opening, files);
    let schedule = Schedule::new(events.iter().map(|&(location, (_, _, size))| (location, size)));
    drop(events);
    read_in_turns(&archive, opening.batch, schedule, options.threads, progress, consumer)?;
    let producer = display_text(&anchor.creator).into_owned();
    let producer = (!producer.is_empty()).then_some(producer);
    let corrected = archive.corrected.load(Ordering::Relaxed);
    Ok(end_of_files(clock.resolution, producer, corrected, total + marker_bytes))
}

fn read_anchor(path: &Path) -> Result<Anchor, ReadError> {
    let mut bytes = Vec::new();
    let len = std::fs::metadata(path).map_err(ReadError::Io)?.len();
    let len = len.min(MAX_ANCHOR_BYTES) as usize;
    read_piece(path, 0, len, &mut bytes).map_err(ReadError::Io)?;
    Anchor::parse(&bytes)
}

fn new_batch(part: u32) -> Batch {
    Batch { counting: Counting::Bytes, part, ..Batch::default() }
}

/// A number of records that a file tells: at least one is missing where something is, and
/// more than the second number are not believed.
fn believed(told: u64) -> u64 {
    match told {
        UNDEFINED_64 => 1,
        told => told.clamp(1, u32::MAX.into()),
    }
}

/// The first batch: what definitions say, and what is wrong with them.
struct Opening {
    batch: Batch,
    faults: Faults,
}

impl Opening {
    fn problem(&mut self, offset: u64, code: Code, text: impl FnOnce() -> String) {
        // Definitions beyond 4 GiB are reported at that mark.
        let at = u32::try_from(offset).unwrap_or(u32::MAX);
        self.faults.report(&mut self.batch, at, code, text);
    }

    /// Reports a problem that costs records of which there is nothing else.
    fn lose(&mut self, offset: u64, n: u64, code: Code, text: impl FnOnce() -> String) {
        self.batch.n_lost += n;
        self.problem(offset, code, text);
    }

    fn load_definitions(
        &mut self,
        anchor: &Anchor,
        folder: &Folder,
        paths: &Paths,
        files: &mut FileList,
    ) -> Result<Definitions, ReadError> {
        let path = paths.definitions();
        let refuse = |refused: &dyn std::fmt::Display| {
            let path = path.display();
            ReadError::Invalid(format!("the definitions of the archive, {path}: {refused}"))
        };
        let len = folder.check(&path).map_err(|refused| refuse(&refused))?;
        files.push(path.clone());
        let mut definitions = Definitions::default();
        let mut faults = Vec::new();
        let mut n_definitions = 0;
        walk(
            &path,
            len,
            anchor.definition_chunk,
            |kind, c| {
                n_definitions += 1;
                definitions.take(kind, c)
            },
            |fault, offset| faults.push((fault, offset)),
        )
        .map_err(|error| refuse(&error))?;
        let n_faults = faults.len() as u64;
        for (fault, offset) in faults {
            self.lose(offset, 1, fault.code(), || fault.what().to_owned());
        }
        if n_definitions < anchor.n_definitions {
            let missing = anchor.n_definitions - n_definitions;
            // What is told already is not counted again.
            self.lose(len, believed(missing).saturating_sub(n_faults), Code::Truncated, || {
                format!("{missing} of {} definitions are missing", anchor.n_definitions)
            });
        }
        let known = definitions.locations.entries.len() as u64;
        if known < anchor.n_locations {
            self.lose(len, believed(anchor.n_locations - known), Code::Truncated, || {
                format!("{known} of {} locations are defined", anchor.n_locations)
            });
        }
        Ok(definitions)
    }

    /// The clock of the archive, or nanoseconds if it does not tell.
    fn clock(&mut self, definitions: &Definitions) -> Clock {
        let usable = |clock: &Clock| !matches!(clock.resolution, 0 | UNDEFINED_64);
        match definitions.clock.filter(usable) {
            Some(clock) => clock,
            None => {
                self.problem(0, Code::UnknownClock, || {
                    "the archive does not tell its clock; times are taken as nanoseconds".to_owned()
                });
                Clock { resolution: 1_000_000_000, offset: 0 }
            }
        }
    }

    /// The event files of all locations that have one.
    fn find_events(
        &mut self,
        definitions: &Definitions,
        folder: &Folder,
        paths: &Paths,
        files: &mut FileList,
    ) -> Vec<(u32, EventFile)> {
        let mut events = Vec::new();
        for (number, location) in definitions.locations.entries.iter().enumerate() {
            if definitions.locations.number(location.id) != Some(number as u32) {
                continue;
            }
            let path = paths.events(location.id);
            match folder.check(&path) {
                Ok(size) => {
                    let part = files.push(path.clone());
                    events.push((number as u32, (path, part, size)));
                }
                // A location without events need not have a file.
                Err(Refused::Missing) if location.n_events == 0 => files.unread.push(path),
                Err(refused) => {
                    self.lose(0, believed(location.n_events), refused.code(), || {
                        let (id, path) = (location.id, path.display());
                        format!("the events of location {id}, {path}: {refused}")
                    });
                    files.unread.push(path);
                }
            }
        }
        self.find_local_definitions(definitions, folder, paths, files);
        events
    }

    /// The local definitions of all locations. An archive may have none; one of which only some are
    /// there has lost the others.
    fn find_local_definitions(
        &mut self,
        definitions: &Definitions,
        folder: &Folder,
        paths: &Paths,
        files: &mut FileList,
    ) {
        let mut missing = Vec::new();
        let n_before = files.read.len();
        for location in &definitions.locations.entries {
            let path = paths.local_definitions(location.id);
            match folder.check(&path) {
                Ok(_) => files.read.push(path),
                Err(refused) => {
                    if matches!(refused, Refused::Missing) && location.n_events > 0 {
                        missing.push(path.clone());
                    }
                    files.unread.push(path);
                }
            }
        }
        if files.read.len() > n_before {
            for path in missing {
                self.lose(0, 1, Code::MissingPartFile, || {
                    format!("{}: is not there; ids and times are taken as they are", path.display())
                });
            }
        }
    }

    fn create_containers(&mut self, archive: &Archive<'_>) {
        for (code, message) in &archive.places.problems {
            self.problem(0, *code, || message.clone());
        }
        let mut out = Emitter { symbols: archive.symbols, batch: &mut self.batch };
        archive.places.emit(&archive.definitions, &mut out);
        self.batch.held_bytes = archive.turns.held();
    }
}
