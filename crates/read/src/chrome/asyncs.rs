//! Asynchronous operations: those of a category that are open at the same time get lanes of
//! their own.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use foldhash::fast::RandomState;
use onca_model::{Code, Ticks};

use super::emit::Emitter;
use super::entry::Entry;
use super::names::{NO_CATEGORY, Names};
use super::parties::process_identifier;
use super::problems::Problems;
use super::types::Type;
use crate::reading::ReadError;
use crate::sort::Key;
use crate::symbols::Symbol;

/// Takes steps of operations, which come category by category in order of time.
#[derive(Default)]
pub(super) struct Operations {
    category: u32,
    /// Operations that are open, by their key.
    open: HashMap<Vec<u8>, Operation, RandomState>,
    /// The lanes of each process.
    lanes: HashMap<u32, Lanes, RandomState>,
}

/// An operation that is open.
#[derive(Clone, Copy)]
struct Operation {
    process: u32,
    lane: u32,
    depth: u64,
    /// Inside an operation of the old kind, a step is open.
    in_step: bool,
}

/// The lanes of a category in a process.
#[derive(Default)]
struct Lanes {
    tracks: Vec<Track>,
    free: BinaryHeap<Reverse<u32>>,
}

#[derive(Clone, Copy)]
struct Track {
    states: Symbol,
    events: Symbol,
}

impl Operations {
    /// Takes the next step.
    pub fn take(
        &mut self,
        key: Key,
        entry: &Entry<'_>,
        names: &Names<'_>,
        emitter: &mut Emitter<'_>,
        problems: &mut Problems,
    ) -> Result<(), ReadError> {
        if entry.category != self.category {
            self.category = entry.category;
            self.open.clear();
            self.lanes.clear();
        }
        let time = key.time;
        let known = self.open.get(entry.key).copied();
        match (entry.number as u8, known) {
            (b'b' | b'S', known) => {
                let operation = match known {
                    Some(operation) => operation,
                    None => self.begin(entry.owner, names, emitter)?,
                };
                emitter.push(self.track(operation).states, time, entry)?;
                let deeper = Operation { depth: operation.depth + 1, ..operation };
                self.open.insert(entry.key.to_vec(), deeper);
            }
            (b'e' | b'F', Some(mut operation)) => {
                let states = self.track(operation).states;
                if operation.in_step {
                    emitter.pop(states, time, &[], entry.position)?;
                    (operation.in_step, operation.depth) = (false, operation.depth - 1);
                }
                emitter.pop(states, time, entry.extras, entry.position)?;
                operation.depth -= 1;
                self.put_back(entry.key, operation);
            }
            (b'T', Some(mut operation)) => {
                let states = self.track(operation).states;
                match operation.in_step {
                    true => emitter.pop(states, time, &[], entry.position)?,
                    false => (operation.in_step, operation.depth) = (true, operation.depth + 1),
                }
                emitter.push(states, time, entry)?;
                self.put_back(entry.key, operation);
            }
            (b'n' | b'p', known) => self.instant(known, time, entry, names, emitter)?,
            _ => problems.lose(entry.position, Code::PopEmpty, || {
                ("no asynchronous operation with this id is open".to_owned(), None)
            }),
        }
        Ok(())
    }

    /// Something happens during an operation, or to none that is known: then on the first lane.
    fn instant(
        &mut self,
        known: Option<Operation>,
        time: Ticks,
        entry: &Entry<'_>,
        names: &Names<'_>,
        emitter: &mut Emitter<'_>,
    ) -> Result<(), ReadError> {
        let events = match known {
            Some(operation) => self.track(operation).events,
            None => {
                let passing = self.begin(entry.owner, names, emitter)?;
                self.end(passing);
                self.track(Operation { lane: 0, ..passing }).events
            }
        };
        emitter.event(events, time, entry)
    }

    fn put_back(&mut self, key: &[u8], operation: Operation) {
        if operation.depth > 0 {
            self.open.insert(key.to_vec(), operation);
        } else {
            self.open.remove(key);
            self.end(operation);
        }
    }

    fn track(&self, operation: Operation) -> Track {
        self.lanes[&operation.process].tracks[operation.lane as usize]
    }

    /// Gives an operation the first free lane of its process.
    fn begin(
        &mut self,
        process: u32,
        names: &Names<'_>,
        emitter: &mut Emitter<'_>,
    ) -> Result<Operation, ReadError> {
        let category = self.category;
        let lanes = self.lanes.entry(process).or_default();
        let lane = match lanes.free.pop() {
            Some(Reverse(lane)) => lane,
            None => {
                let lane = lanes.tracks.len() as u32;
                lanes.tracks.push(add_track(process, category, lane, names, emitter)?);
                lane
            }
        };
        Ok(Operation { process, lane, depth: 0, in_step: false })
    }

    fn end(&mut self, operation: Operation) {
        if let Some(lanes) = self.lanes.get_mut(&operation.process) {
            lanes.free.push(Reverse(operation.lane));
        }
    }
}

/// Makes a container for a lane.
fn add_track(
    process: u32,
    category: u32,
    lane: u32,
    names: &Names<'_>,
    emitter: &mut Emitter<'_>,
) -> Result<Track, ReadError> {
    let type_symbol = emitter.type_symbol(names, Type::AsyncTrack)?;
    let identifier = format!("A{process}.{category}.{lane}").into_bytes();
    let mut name = b"async".to_vec();
    if category != NO_CATEGORY {
        name.push(b' ');
        name.extend_from_slice(&names.category_text(category));
    }
    if lane > 0 {
        name.extend_from_slice(format!(" #{}", lane + 1).as_bytes());
    }
    emitter.create(&identifier, &name, type_symbol, &process_identifier(process), &[])?;
    let states = emitter.type_symbol(names, Type::AsyncSlice)?;
    let events = emitter.type_symbol(names, Type::AsyncInstant)?;
    Ok(Track {
        states: emitter.pair(&identifier, states),
        events: emitter.pair(&identifier, events),
    })
}
