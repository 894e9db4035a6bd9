//! Slices: begins and ends are paired, and slices that overlap get lanes of their own.

use std::io;

use onca_model::{Code, FieldKind, Ticks, printable, push_extra};

use super::decode::{CATEGORY_FIELD, slice_key};
use super::emit::Emitter;
use super::entry::{Entry, Kind};
use super::flows::Flows;
use super::names::{Categories, NO_CATEGORY, Names};
use super::parties::{ShownNames, process_identifier, thread_identifier};
use super::problems::Problems;
use super::types::Type;
use super::window::Position;
use crate::reading::ReadError;
use crate::sort::{Key, Sorter};
use crate::symbols::{Symbol, Symbols};

/// The deepest nesting that is kept.
const MAX_DEPTH: usize = 1 << 16;

/// This many slices of a thread can overlap each other.
const MAX_LANES: usize = 1024;

/// The end of a slice that nothing ends.
const NEVER: Ticks = Ticks::MAX;

/// Pairs begins and ends, which come thread by thread in order of time.
#[derive(Default)]
pub(super) struct Pairing {
    thread: u32,
    open: Vec<OpenSlice>,
    /// Begins that were not kept because they are too deep.
    excess: u64,
    encoded: Vec<u8>,
}

struct OpenSlice {
    start: Ticks,
    place: u64,
    value: Symbol,
    category: u32,
    position: Position,
    extras: Vec<u8>,
}

impl Pairing {
    /// Takes the next begin or end.
    pub fn take(
        &mut self,
        key: Key,
        entry: &Entry<'_>,
        slices: &mut Sorter,
        problems: &mut Problems,
    ) -> io::Result<()> {
        if entry.owner != self.thread {
            self.finish(slices)?;
            self.thread = entry.owner;
        }
        if entry.kind == Kind::Begin {
            if self.open.len() >= MAX_DEPTH {
                self.excess += 1;
                problems.lose(entry.position, Code::NestingTooDeep, || {
                    ("slices nest deeper than 65,536; not kept".to_owned(), None)
                });
                return Ok(());
            }
            self.open.push(OpenSlice {
                start: key.time,
                place: key.place,
                value: entry.value,
                category: entry.category,
                position: entry.position,
                extras: entry.extras.to_vec(),
            });
            return Ok(());
        }
        if self.excess > 0 {
            self.excess -= 1;
            return Ok(());
        }
        match self.open.pop() {
            Some(mut slice) => {
                slice.extras.extend_from_slice(entry.extras);
                self.close(&slice, key.time, slices)
            }
            None => {
                problems.lose(entry.position, Code::PopEmpty, || {
                    ("no slice of the thread is open that could end here".to_owned(), None)
                });
                Ok(())
            }
        }
    }

    fn close(&mut self, slice: &OpenSlice, end: Ticks, slices: &mut Sorter) -> io::Result<()> {
        let entry = Entry {
            kind: Kind::Slice,
            value: slice.value,
            category: slice.category,
            owner: self.thread,
            position: slice.position,
            number: end as u64,
            key: &[],
            extras: &slice.extras,
        };
        entry.encode(&mut self.encoded);
        slices.push(slice_key(self.thread, slice.start, end, slice.place), &self.encoded)
    }

    /// Ends the thread: what is open stays so.
    pub fn finish(&mut self, slices: &mut Sorter) -> io::Result<()> {
        self.excess = 0;
        for slice in std::mem::take(&mut self.open) {
            self.close(&slice, NEVER, slices)?;
        }
        Ok(())
    }
}

/// Lays slices out on lanes. They come thread by thread in order of their start, the longer
/// ones first, between points of flows.
pub(super) struct Layout<'l, 'e, 's> {
    pub emitter: &'l mut Emitter<'e>,
    pub symbols: &'l Symbols,
    pub names: &'l Names<'s>,
    pub shown: &'l ShownNames,
    pub problems: &'l mut Problems,
    /// The smallest difference that the times of the source can express.
    pub resolution: Ticks,
    /// Categories are types; otherwise they are fields.
    pub category_types: bool,
    pub thread: u32,
    pub lanes: Vec<Lane>,
    pub flows: &'l mut Flows<'s>,
    pub extras: Vec<u8>,
}

/// Slices of a thread that nest in each other.
pub(super) struct Lane {
    pair: Symbol,
    /// The ends of those that are open; an inner one is never later than an outer one.
    ends: Vec<Ticks>,
}

impl Layout<'_, '_, '_> {
    /// Takes the next slice or point of a flow.
    pub fn take(&mut self, key: Key, entry: &Entry<'_>) -> Result<(), ReadError> {
        if entry.owner != self.thread {
            self.finish()?;
            self.thread = entry.owner;
        }
        if entry.kind == Kind::Flow {
            return Ok(self.flows.take(key, entry)?);
        }
        self.flows.slice_begins(key.time)?;
        let end = entry.number as Ticks;
        for index in 0..MAX_LANES {
            if index == self.lanes.len() {
                self.add_lane(index)?;
            }
            self.close_until(index, key.time)?;
            if let Some(end) = self.fit(index, end, entry) {
                if index > 0 {
                    self.report_overlap(entry);
                }
                return self.open(index, key.time, end, entry);
            }
        }
        self.problems.lose(entry.position, Code::SliceOverlap, || {
            (format!("more than {MAX_LANES} slices of the thread overlap here"), None)
        });
        Ok(())
    }

    /// The end that a slice gets if it goes on this lane; `None` if it does not nest there.
    fn fit(&mut self, lane: usize, end: Ticks, entry: &Entry<'_>) -> Option<Ticks> {
        let outer = self.lanes[lane].ends.last().copied().unwrap_or(NEVER);
        if end <= outer {
            return Some(end);
        }
        // Times were rounded one by one when they were written: nothing else makes so little.
        if end.saturating_sub(outer) > self.resolution {
            return None;
        }
        self.problems.report(entry.position, Code::SliceClipped, || {
            let message = "the slice ends later than the one around it by a rounding error";
            (message.to_owned(), Some("it ends with it".to_owned()))
        });
        Some(outer)
    }

    fn open(
        &mut self,
        lane: usize,
        start: Ticks,
        end: Ticks,
        entry: &Entry<'_>,
    ) -> Result<(), ReadError> {
        let Lane { pair, ends } = &mut self.lanes[lane];
        if ends.len() >= MAX_DEPTH {
            self.problems.lose(entry.position, Code::NestingTooDeep, || {
                ("slices nest deeper than 65,536; not kept".to_owned(), None)
            });
            return Ok(());
        }
        ends.push(end);
        let pair = *pair;
        if self.category_types || entry.category == NO_CATEGORY {
            return self.emitter.push(pair, start, entry);
        }
        self.extras.clear();
        let field = self.symbols.field(CATEGORY_FIELD, FieldKind::String);
        push_extra(&mut self.extras, field, &self.names.category_text(entry.category));
        self.extras.extend_from_slice(entry.extras);
        self.emitter.push(pair, start, &Entry { extras: &self.extras, ..*entry })
    }

    /// Ends the slices of a lane that end until a time.
    fn close_until(&mut self, lane: usize, time: Ticks) -> Result<(), ReadError> {
        let Lane { pair, ends } = &mut self.lanes[lane];
        while let Some(end) = ends.pop_if(|end| *end <= time) {
            self.emitter.pop(*pair, end, &[], Position::default())?;
        }
        Ok(())
    }

    fn add_lane(&mut self, lane: usize) -> Result<(), ReadError> {
        let party = &self.names.threads[self.thread as usize];
        let category = match party.categories {
            Categories::One(category) if self.category_types => category,
            _ => NO_CATEGORY,
        };
        let identifier = thread_identifier(self.thread, lane);
        if lane > 0 {
            let type_symbol = self.emitter.type_symbol(self.names, Type::Thread)?;
            let name = self.shown.thread(self.thread, lane);
            let process = process_identifier(party.process);
            self.emitter.create(&identifier, &name, type_symbol, &process, &[])?;
        }
        let type_symbol = self.emitter.type_symbol(self.names, Type::Slice(category))?;
        let pair = self.emitter.pair(&identifier, type_symbol);
        self.lanes.push(Lane { pair, ends: Vec::new() });
        Ok(())
    }

    #[cold]
    fn report_overlap(&mut self, entry: &Entry<'_>) {
        let symbols = self.symbols;
        self.problems.report(entry.position, Code::SliceOverlap, || {
            let name = symbols.values.text(entry.value);
            let message = format!(
                "\"{}\" overlaps another slice of its thread and is not inside it",
                printable(&name)
            );
            (message, Some("it is kept on a lane of its own".to_owned()))
        });
    }

    /// Ends the thread.
    pub fn finish(&mut self) -> Result<(), ReadError> {
        self.flows.thread_ends()?;
        for lane in 0..self.lanes.len() {
            self.close_until(lane, NEVER - 1)?;
        }
        self.lanes.clear();
        Ok(())
    }
}
