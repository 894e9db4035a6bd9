//! Writes the records of a Pajé trace.

use std::cmp::Reverse;
use std::io::{self, Write};

use onca_model::{
    Catalog, Color, ContainerId, Containers, Extra, FieldId, LaneId, Nature, Ticks, TypeId,
    ValueId, extra_fields,
};
use onca_query::Scope;
use onca_store::{ContainerSet, Store};

use super::gather::{LinkEnd, Part, Record, What};
use super::keys::{Half, Keys};
use super::layout::{Layouts, RecordKind};
use super::names::Identifiers;
use super::needed;
use super::word::Words;
use crate::{Summary, clip::Clip, error::Result, seen::SeenTrack};

/// Containers in the order in which they begin, or end: the rest of it.
struct Queue {
    /// The last is the next.
    waiting: Vec<(Ticks, ContainerId)>,
}

impl Queue {
    /// The next, if it is due: before `time`, or then too.
    fn next(&mut self, time: Ticks, then_too: bool) -> Option<Ticks> {
        let next = self.waiting.last()?.0;
        (next < time || then_too && next == time).then_some(next)
    }
}

/// Writes definitions, then records in order of time, with the containers they need.
pub(super) struct Writer<'a> {
    scope: &'a Scope<'a>,
    store: &'a Store,
    catalog: &'a Catalog,
    clip: Clip,
    tracks: &'a [SeenTrack],
    layouts: Layouts<'a>,
    names: Identifiers<'a>,
    keys: Keys,
    created: ContainerSet,
    begins: Queue,
    ends: Queue,
    /// When it is the turn of each container to end.
    turns: Vec<Ticks>,
    words: Words<&'a mut dyn Write>,
    /// The largest time written.
    latest: Ticks,
    summary: Summary,
    key: Vec<u8>,
    fields: Vec<FieldId>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        scope: &'a Scope<'a>,
        clip: Clip,
        tracks: &'a [SeenTrack],
        layouts: Layouts<'a>,
        out: &'a mut dyn Write,
    ) -> Self {
        let catalog = scope.catalog();
        let containers = &catalog.containers;
        let seen = (1..containers.len() as u32).map(ContainerId).filter(|&id| {
            let (start, end) = (containers.starts[id.index()], containers.ends[id.index()]);
            scope.containers().contains(id) && clip.interval(start, end).is_some()
        });
        let begin = |id: ContainerId| (clip.clamp(containers.starts[id.index()]), id);
        let mut begins: Vec<_> = seen.map(begin).collect();
        begins.sort_unstable_by_key(|&(time, id)| Reverse((time, id)));
        let turns = turns_to_end(containers, &clip);
        let all = (1..containers.len() as u32).map(ContainerId);
        let mut ends: Vec<_> = all.map(|id| (turns[id.index()], id)).collect();
        ends.sort_unstable_by_key(|&(time, id)| (Reverse(time), id));
        Self {
            scope,
            store: scope.store(),
            catalog,
            clip,
            tracks,
            layouts,
            names: Identifiers::new(catalog),
            keys: Keys::default(),
            created: [ContainerId::ROOT].into_iter().collect(),
            begins: Queue { waiting: begins },
            ends: Queue { waiting: ends },
            turns,
            words: Words::new(out),
            latest: Ticks::MIN,
            summary: Summary::default(),
            key: Vec::new(),
            fields: Vec::new(),
        }
    }

    /// Writes the header, the types and the values.
    pub(super) fn definitions(&mut self) -> Result<()> {
        self.layouts.write(&mut self.words.out)?;
        let types = (1..self.catalog.types.len() as u32).map(TypeId);
        for id in types.filter(|id| needed::is_written(self.scope, *id)) {
            self.define_type(id)?;
        }
        for id in needed::values(self.scope) {
            self.define_value(id)?;
        }
        Ok(())
    }

    fn define_type(&mut self, id: TypeId) -> io::Result<()> {
        let def = self.catalog.type_def(id);
        let color = needed::color(def);
        let fields: Vec<Extra<'_>> = extra_fields(&def.extras).collect();
        self.begin(needed::definition(def.nature), color.is_some(), &fields)?;
        self.words.text(self.names.type_of(id))?;
        self.words.text(self.names.type_of(def.parent))?;
        if def.nature == Nature::Link {
            let (start, end) = def.ends.unwrap_or((TypeId::ROOT, TypeId::ROOT));
            self.words.text(self.names.type_of(start))?;
            self.words.text(self.names.type_of(end))?;
        }
        self.words.text(&def.name)?;
        self.color(color)?;
        self.end(&fields)
    }

    fn define_value(&mut self, id: ValueId) -> io::Result<()> {
        let def = self.catalog.value(id);
        let fields: Vec<Extra<'_>> = extra_fields(&def.extras).collect();
        self.begin(RecordKind::DefineValue, def.color.is_some(), &fields)?;
        self.words.text(self.names.value(id))?;
        self.words.text(self.names.type_of(def.type_id))?;
        self.words.text(&def.name)?;
        self.color(def.color)?;
        self.end(&fields)
    }

    fn color(&mut self, color: Option<Color>) -> io::Result<()> {
        let Some(Color { red, green, blue, alpha }) = color else { return Ok(()) };
        let share = |channel: u8| f64::from(channel) / 255.0;
        let (red, green, blue) = (share(red), share(green), share(blue));
        match alpha {
            255 => write!(self.words.out, " \"{red:.6} {green:.6} {blue:.6}\""),
            _ => {
                write!(self.words.out, " \"{red:.6} {green:.6} {blue:.6} {:.6}\"", share(alpha))
            }
        }
    }

    /// Writes the records of a part.
    pub(super) fn part(&mut self, part: &Part) -> Result<()> {
        for record in &part.records {
            self.advance(record.time, false)?;
            self.record(part, record)?;
        }
        let tally = &part.tally;
        self.summary.states += tally.states;
        self.summary.variables += tally.variables;
        self.summary.events += tally.events;
        self.summary.links += tally.links;
        self.summary.clipped += tally.clipped;
        Ok(())
    }

    /// Writes the last containers, and says what was written.
    pub(super) fn finish(mut self) -> Result<Summary> {
        self.advance(Ticks::MAX, true)?;
        let last = self.clip.clamp(self.catalog.facts.end);
        if self.latest < last {
            // Nothing else says how long the window lasts.
            self.write_end(last, ContainerId::ROOT)?;
        } else if self.catalog.containers.destroyed[0] {
            self.destroy(ContainerId::ROOT)?;
        }
        self.words.out.flush()?;
        Ok(Summary { unsayable: self.words.changed, ..self.summary })
    }

    /// Lets containers begin and end until records of a time can be written: one that begins then
    /// is needed, one that ends then still has records.
    fn advance(&mut self, time: Ticks, at_end: bool) -> io::Result<()> {
        loop {
            let (begin, end) = (self.begins.next(time, true), self.ends.next(time, at_end));
            let begins = begin.is_some_and(|begin| end.is_none_or(|end| begin <= end));
            if begins && let Some((begin, id)) = self.begins.waiting.pop() {
                self.create(id, begin)?;
            } else if end.is_some()
                && let Some((_, id)) = self.ends.waiting.pop()
            {
                self.destroy(id)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Creates a container, and those around it first, unless they are there. One that has ended
    /// before, and still has records, ends at once: only the time of the end counts.
    fn create(&mut self, id: ContainerId, now: Ticks) -> io::Result<()> {
        let mut missing = Vec::new();
        let mut at = id;
        while !self.created.contains(at) {
            missing.push(at);
            at = self.catalog.containers.parents[at.index()];
        }
        while let Some(id) = missing.pop() {
            let container = self.catalog.containers.get(id);
            let fields: Vec<Extra<'_>> = extra_fields(container.extras).collect();
            self.begin(RecordKind::Create, false, &fields)?;
            self.time(self.clip.life(container.start, container.end).0)?;
            self.words.text(self.names.container(id))?;
            self.words.text(self.names.type_of(container.type_id))?;
            self.words.text(self.names.container(container.parent))?;
            self.words.text(container.name)?;
            self.end(&fields)?;
            self.created.insert(id);
            self.summary.containers += 1;
            if self.turns[id.index()] < now {
                self.destroy(id)?;
            }
        }
        Ok(())
    }

    fn destroy(&mut self, id: ContainerId) -> io::Result<()> {
        if !self.created.contains(id) {
            return Ok(());
        }
        let containers = &self.catalog.containers;
        let (start, end) = (containers.starts[id.index()], containers.ends[id.index()]);
        self.write_end(self.clip.life(start, end).1, id)
    }

    fn write_end(&mut self, time: Ticks, id: ContainerId) -> io::Result<()> {
        self.begin(RecordKind::Destroy, false, &[])?;
        self.time(time)?;
        self.words.text(self.names.type_of(self.catalog.containers.types[id.index()]))?;
        self.words.text(self.names.container(id))?;
        self.end(&[])
    }

    fn record(&mut self, part: &Part, record: &Record) -> io::Result<()> {
        let SeenTrack { track, .. } = self.tracks[record.track as usize];
        let extras: Vec<Extra<'_>> = extra_fields(part.extras(record)).collect();
        self.create(track.container, record.time)?;
        let fields = match record.what {
            What::Push(_) => self.first_fields(RecordKind::PushState, &extras),
            What::Pop => &extras[self.split(RecordKind::PushState, &extras)..],
            What::Link { half: Half::Only, .. } | What::Set(_) | What::Event(_) => &extras,
            What::Link { end: LinkEnd::Start, .. } => {
                self.first_fields(RecordKind::StartLink, &extras)
            }
            What::Link { end: LinkEnd::End, .. } => {
                &extras[self.split(RecordKind::StartLink, &extras)..]
            }
        };
        let kind = match record.what {
            What::Push(_) => RecordKind::PushState,
            What::Pop => RecordKind::PopState,
            What::Set(_) => RecordKind::SetVariable,
            What::Event(_) => RecordKind::NewEvent,
            What::Link { end: LinkEnd::Start, .. } => RecordKind::StartLink,
            What::Link { end: LinkEnd::End, .. } => RecordKind::EndLink,
        };
        if let What::Link { container, .. } = record.what {
            self.create(container, record.time)?;
        }
        self.begin(kind, false, fields)?;
        self.time(record.time)?;
        self.words.text(self.names.type_of(track.type_id))?;
        self.words.text(self.names.container(track.container))?;
        match record.what {
            What::Pop => {}
            What::Push(value) | What::Event(value) => self.words.text(self.names.value(value))?,
            What::Set(number) => self.words.number(number)?,
            What::Link { half, container, value, row, key, .. } => {
                self.words.text(self.names.value(value))?;
                self.words.text(self.names.container(container))?;
                let lane = self.tracks[record.track as usize].lane(self.store);
                self.link_key(lane, row, part.text(key), half)?;
            }
        }
        self.end(fields)
    }

    fn link_key(&mut self, lane: LaneId, row: u64, key: &[u8], half: Half) -> io::Result<()> {
        self.keys.write(lane, row, key, half, &mut self.key);
        self.words.text(&self.key)
    }

    fn split(&mut self, first: RecordKind, extras: &[Extra<'_>]) -> usize {
        self.fields.clear();
        self.fields.extend(extras.iter().map(|extra| extra.field));
        self.layouts.split(first, &self.fields)
    }

    fn first_fields<'e>(&mut self, first: RecordKind, extras: &'e [Extra<'e>]) -> &'e [Extra<'e>] {
        &extras[..self.split(first, extras)]
    }

    fn time(&mut self, time: Ticks) -> io::Result<()> {
        self.latest = self.latest.max(time);
        self.words.time(&self.catalog.facts.unit, time)
    }

    /// Begins a record with the number of its definition.
    fn begin(&mut self, kind: RecordKind, color: bool, extras: &[Extra<'_>]) -> io::Result<()> {
        self.fields.clear();
        self.fields.extend(extras.iter().map(|extra| extra.field));
        let number = self.layouts.number(kind, color, &self.fields);
        let number = number.ok_or_else(|| io::Error::other("a record has unexpected fields"))?;
        write!(self.words.out, "{number}")
    }

    /// Ends a record with its extra fields.
    fn end(&mut self, extras: &[Extra<'_>]) -> io::Result<()> {
        for extra in extras {
            self.words.text(extra.text)?;
        }
        self.words.end()
    }
}

/// When it is the turn of each container to end: when it ends, but not before those inside it,
/// which would end with it.
fn turns_to_end(containers: &Containers, clip: &Clip) -> Vec<Ticks> {
    let lives = containers.starts.iter().zip(&containers.ends);
    let mut turns: Vec<Ticks> = lives.map(|(&start, &end)| clip.life(start, end).1).collect();
    for index in (1..containers.len()).rev() {
        let parent = containers.parents[index].index();
        turns[parent] = turns[parent].max(turns[index]);
    }
    turns
}
