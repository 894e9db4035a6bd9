//! Flows: their points are put in order and become links from each point to the next.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use onca_model::Ticks;

use super::entry::{Entry, Kind};
use super::window::Position;
use crate::batch::Op;
use crate::sort::{Key, Sorter};
use crate::symbols::{Symbol, Symbols};

/// This many ends of flows wait for the next slice of their thread; when there are more, the
/// oldest keep their own time.
const MAX_WAITING: usize = 1 << 16;

/// What a point of a flow is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FlowPoint {
    /// A link reaches it.
    pub ends: bool,
    /// A link leaves it.
    pub starts: bool,
    /// It belongs to the next slice of its thread.
    pub waits: bool,
    /// The size of what flows.
    pub size: Option<u64>,
}

impl FlowPoint {
    /// All of it in one number; sizes of more than 60 bits are left out.
    pub fn pack(self) -> u64 {
        let flags = u64::from(self.ends) | u64::from(self.starts) << 1 | u64::from(self.waits) << 2;
        let size = self.size.filter(|size| size >> 60 == 0).map_or(0, |size| size + 1);
        flags | size << 3
    }

    fn unpack(packed: u64) -> Self {
        Self {
            ends: packed & 1 != 0,
            starts: packed & 2 != 0,
            waits: packed & 4 != 0,
            size: (packed >> 3).checked_sub(1),
        }
    }

    /// At one time a flow starts before it goes on, and goes on before it ends.
    fn rank(self) -> u64 {
        match (self.ends, self.starts) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        }
    }
}

/// Takes points thread by thread, in order of time.
pub(super) struct Flows<'s> {
    symbols: &'s Symbols,
    /// All points, by flow.
    points: Sorter,
    /// Points that belong to the next slice.
    waiting: Vec<(Key, Vec<u8>)>,
    encoded: Vec<u8>,
}

impl<'s> Flows<'s> {
    pub fn new(symbols: &'s Symbols, memory: usize) -> Self {
        let points = Sorter::new(memory / 32);
        Self { symbols, points, waiting: Vec::new(), encoded: Vec::new() }
    }

    /// Takes the next point.
    pub fn take(&mut self, key: Key, entry: &Entry<'_>) -> io::Result<()> {
        if !FlowPoint::unpack(entry.number).waits {
            return self.add(key, key.time, entry);
        }
        if self.waiting.len() >= MAX_WAITING {
            self.thread_ends()?;
        }
        let mut bytes = Vec::new();
        entry.encode(&mut bytes);
        self.waiting.push((key, bytes));
        Ok(())
    }

    /// A slice begins on the thread: what waits for it gets its time.
    pub fn slice_begins(&mut self, time: Ticks) -> io::Result<()> {
        self.release(|_| time)
    }

    /// There is no more slice: what waits for one keeps its own time.
    pub fn thread_ends(&mut self) -> io::Result<()> {
        self.release(|key| key.time)
    }

    fn release(&mut self, time: impl Fn(Key) -> Ticks) -> io::Result<()> {
        let mut waiting = std::mem::take(&mut self.waiting);
        for (key, bytes) in waiting.drain(..) {
            if let Some(entry) = Entry::decode(&bytes) {
                self.add(key, time(key), &entry)?;
            }
        }
        self.waiting = waiting;
        Ok(())
    }

    fn add(&mut self, key: Key, time: Ticks, entry: &Entry<'_>) -> io::Result<()> {
        entry.encode(&mut self.encoded);
        let group = self.symbols.key_hash(entry.key);
        let rank = FlowPoint::unpack(entry.number).rank();
        self.points.push(Key { group, time, rank, place: key.place }, &self.encoded)
    }

    /// Joins the points of each flow; gives the halves of links, to be put in order of time.
    pub fn into_halves(self, memory: usize) -> io::Result<Sorter> {
        let mut joining = Joining {
            group: 0,
            open: HashMap::new(),
            halves: Sorter::new(memory / 32),
            text: Vec::new(),
            encoded: Vec::new(),
        };
        self.points.visit(|key, bytes| match Entry::decode(bytes) {
            Some(entry) => joining.take(key, &entry),
            None => Ok(()),
        })?;
        joining.end_group()?;
        Ok(joining.halves)
    }
}

/// Joins points, which come flow by flow in order of time.
struct Joining {
    /// Flows are told apart by their hash, and then by their key.
    group: u64,
    /// The last point of each flow of the group, if something leaves it.
    open: HashMap<Vec<u8>, Start>,
    halves: Sorter,
    text: Vec<u8>,
    encoded: Vec<u8>,
}

/// A point that waits for the next one of its flow.
struct Start {
    time: Ticks,
    place: u64,
    value: Symbol,
    category: u32,
    thread: u32,
    position: Position,
    size: Option<u64>,
    extras: Vec<u8>,
}

impl Joining {
    fn take(&mut self, key: Key, entry: &Entry<'_>) -> io::Result<()> {
        if key.group != self.group {
            self.end_group()?;
            self.group = key.group;
        }
        let point = FlowPoint::unpack(entry.number);
        let before = self.open.remove(entry.key);
        let half = Entry { number: size_number(point.size), ..*entry };
        match before {
            Some(start) if point.ends => {
                self.start(&start, entry.key)?;
                // Both halves are one link, whatever the second is called.
                let half = Entry { value: start.value, category: start.category, ..half };
                self.half(Kind::LinkEnd, key, half, format_args!("#{}", start.place))?;
            }
            // Nothing goes on from there.
            Some(start) => self.start(&start, entry.key)?,
            // It must not meet what leaves the same point.
            None if point.ends => {
                self.half(Kind::LinkEnd, key, half, format_args!("#to {}", key.place))?;
            }
            None => {}
        }
        if point.starts {
            let start = Start {
                time: key.time,
                place: key.place,
                value: entry.value,
                category: entry.category,
                thread: entry.owner,
                position: entry.position,
                size: point.size,
                extras: entry.extras.to_vec(),
            };
            self.open.insert(entry.key.to_vec(), start);
        }
        Ok(())
    }

    fn end_group(&mut self) -> io::Result<()> {
        for (key, start) in std::mem::take(&mut self.open) {
            self.start(&start, &key)?;
        }
        Ok(())
    }

    fn start(&mut self, start: &Start, key: &[u8]) -> io::Result<()> {
        let entry = Entry {
            kind: Kind::LinkStart,
            value: start.value,
            category: start.category,
            owner: start.thread,
            position: start.position,
            number: size_number(start.size),
            key,
            extras: &start.extras,
        };
        let sort_key = Key { group: 0, time: start.time, rank: 0, place: start.place };
        self.half(Kind::LinkStart, sort_key, entry, format_args!("#{}", start.place))
    }

    /// Puts half a link aside. An id can be that of many flows at once; what is added, the place
    /// where the link starts, makes it unique.
    fn half(
        &mut self,
        kind: Kind,
        key: Key,
        entry: Entry<'_>,
        added: fmt::Arguments<'_>,
    ) -> io::Result<()> {
        self.text.clear();
        self.text.extend_from_slice(id_of(entry.key));
        self.text.write_fmt(added)?;
        Entry { kind, key: &self.text, ..entry }.encode(&mut self.encoded);
        let key = Key { group: 0, rank: u64::from(kind == Kind::LinkEnd), ..key };
        self.halves.push(key, &self.encoded)
    }
}

/// The id in the key of a flow.
fn id_of(key: &[u8]) -> &[u8] {
    let Some((len, rest)) = key.split_first_chunk::<4>() else { return key };
    rest.get(..u32::from_le_bytes(*len) as usize).unwrap_or(rest)
}

/// A size that may be missing, as a number.
fn size_number(size: Option<u64>) -> u64 {
    size.map_or(0, |size| size.saturating_add(1))
}

/// What half a link does, and its size.
pub(super) fn half_of(entry: &Entry<'_>) -> (Op, Option<u64>) {
    let op = if entry.kind == Kind::LinkStart { Op::StartLink } else { Op::EndLink };
    (op, entry.number.checked_sub(1))
}
