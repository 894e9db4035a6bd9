//! Records of all tracks in order of time, without a cursor for each track.
//!
//! The window is cut into parts that hold a bounded number of records. The records of a part are
//! gathered track after track, on all cores, and sorted. A track costs no memory between parts, so
//! that a million of them are no trouble; a part costs a search in each track. Where one tick
//! alone has too many records, they are handed on in batches of tracks: within a tick the order
//! of tracks is free.

use std::sync::atomic::{AtomicUsize, Ordering};

use onca_model::{ContainerId, Nature, Ticks, ValueId, Window};
use onca_query::Scope;
use rayon::prelude::*;

use super::keys::Half;
use crate::{
    clip::{Clip, Clipped},
    error::Result,
    seen::{self, SeenTrack},
};

/// How many bytes of texts the records of a part may have.
const PART_TEXT: usize = 64 << 20;
/// Tracks that one thread gathers at a time.
const TRACKS_AT_ONCE: usize = 256;

/// A record that is still to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub time: Ticks,
    /// The number of the seen track.
    pub track: u32,
    pub what: What,
    extras: Text,
}

/// What a record says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Push(ValueId),
    Pop,
    Set(f64),
    Event(ValueId),
    Link { end: LinkEnd, half: Half, container: ContainerId, value: ValueId, row: u64, key: Text },
}

/// Which end of a link a record is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinkEnd {
    Start,
    End,
}

/// A text in a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Text {
    batch: u32,
    len: u32,
    start: u64,
}

/// What was gathered of a part.
#[derive(Default)]
pub(crate) struct Part {
    pub records: Vec<Record>,
    texts: Vec<Vec<u8>>,
    /// States and steps that begin in the part, links that end in it: each is counted once.
    pub tally: Tally,
}

/// Entities of a part.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub states: u64,
    pub variables: u64,
    pub events: u64,
    pub links: u64,
    pub clipped: u64,
}

impl Part {
    pub(crate) fn text(&self, text: Text) -> &[u8] {
        let Text { batch, start, len } = text;
        let (start, len) = (start as usize, len as usize);
        self.texts.get(batch as usize).map_or(b"", |texts| &texts[start..start + len])
    }

    pub(crate) fn extras(&self, record: &Record) -> &[u8] {
        self.text(record.extras)
    }
}

/// Gathers the records of a scope.
pub(crate) struct Gatherer<'a> {
    pub scope: &'a Scope<'a>,
    pub clip: Clip,
    pub tracks: &'a [SeenTrack],
    /// How many records a part may have.
    pub limit: usize,
}

impl Gatherer<'_> {
    /// Hands on all records, part after part; also says how far it has come, from 0 to 1.
    pub(crate) fn visit(&self, mut visit: impl FnMut(&Part, f64) -> Result<()>) -> Result<()> {
        let facts = &self.scope.catalog().facts;
        let (first, last) = (self.clip.clamp(facts.start), self.clip.clamp(facts.end));
        let span = last.saturating_sub(first).max(1) as f64;
        let mut from = first;
        let mut length = self.first_length(span);
        while from <= last {
            let to = from.saturating_add(length).min(last.saturating_add(1));
            let ticks = Window::new(from, to);
            let done = to.saturating_sub(first) as f64 / span;
            match self.gather(ticks, self.tracks, 0)? {
                Some(part) => {
                    visit(&part, done.min(1.0))?;
                    if part.records.len() <= self.limit / 4 {
                        length = length.saturating_mul(2);
                    }
                    from = to;
                }
                None if to.saturating_sub(from) > 1 => {
                    length = (to.saturating_sub(from) / 2).max(1)
                }
                None => {
                    self.one_tick(ticks, |part| visit(part, done.min(1.0)))?;
                    from = to;
                }
            }
        }
        Ok(())
    }

    /// The length of a part if records were spread evenly.
    fn first_length(&self, span: f64) -> Ticks {
        let counts = self.scope.store().counts();
        let rows = 2 * (counts.states + counts.links) + counts.events + counts.variables;
        let parts = (rows as f64 / self.limit as f64 * 1.5).max(1.0);
        ((span / parts) as Ticks).saturating_add(1)
    }

    fn one_tick(&self, tick: Window, mut visit: impl FnMut(&Part) -> Result<()>) -> Result<()> {
        for (index, tracks) in self.tracks.chunks(TRACKS_AT_ONCE).enumerate() {
            let mut batch = Batch::new(self, tick, 0, usize::MAX);
            let first = index * TRACKS_AT_ONCE;
            tracks.iter().enumerate().try_for_each(|(number, track)| {
                batch.add(track, (first + number) as u32).map(drop)
            })?;
            visit(&Part { records: batch.records, texts: vec![batch.texts], tally: batch.tally })?;
        }
        Ok(())
    }

    /// The records of some tracks in some ticks, in order; nothing if there are too many.
    fn gather(&self, ticks: Window, tracks: &[SeenTrack], first: usize) -> Result<Option<Part>> {
        let (n_records, n_text) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let too_many = || {
            n_records.load(Ordering::Relaxed) > self.limit
                || n_text.load(Ordering::Relaxed) > PART_TEXT
        };
        let batches: Vec<Batch<'_>> = tracks
            .par_chunks(TRACKS_AT_ONCE)
            .enumerate()
            .map(|(index, tracks)| {
                let mut batch = Batch::new(self, ticks, index as u32, self.limit);
                for (number, track) in tracks.iter().enumerate() {
                    if too_many() {
                        break;
                    }
                    let number = first + index * TRACKS_AT_ONCE + number;
                    let (records, text) = batch.add(track, number as u32)?;
                    n_records.fetch_add(records, Ordering::Relaxed);
                    n_text.fetch_add(text, Ordering::Relaxed);
                }
                Ok(batch)
            })
            .collect::<Result<_>>()?;
        if too_many() {
            return Ok(None);
        }
        let mut part = Part::default();
        part.records.reserve(n_records.into_inner());
        for batch in batches {
            part.records.extend_from_slice(&batch.records);
            part.texts.push(batch.texts);
            part.tally.add(&batch.tally);
        }
        // Stable: the records of one track at one instant keep their order.
        part.records.par_sort_by_key(|record| record.time);
        Ok(Some(part))
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.states += other.states;
        self.variables += other.variables;
        self.events += other.events;
        self.links += other.links;
        self.clipped += other.clipped;
    }
}

/// What one thread gathers.
struct Batch<'a> {
    gatherer: &'a Gatherer<'a>,
    /// The ticks of the part.
    ticks: Window,
    /// A tick more, to see what ends where the part begins.
    wider: Window,
    number: u32,
    /// How many records are kept; one more says that there were too many.
    limit: usize,
    records: Vec<Record>,
    texts: Vec<u8>,
    tally: Tally,
}

impl<'a> Batch<'a> {
    fn new(gatherer: &'a Gatherer<'a>, ticks: Window, number: u32, limit: usize) -> Self {
        let wider = Window::new(ticks.from.saturating_sub(1), ticks.to);
        let (records, texts, tally) = (Vec::new(), Vec::new(), Tally::default());
        Self { gatherer, ticks, wider, number, limit, records, texts, tally }
    }

    fn holds(&self, time: Ticks) -> bool {
        self.ticks.from <= time && time < self.ticks.to
    }

    /// Adds the records of a track; returns how many there are, and bytes of texts.
    fn add(&mut self, track: &SeenTrack, number: u32) -> Result<(usize, usize)> {
        let before = (self.records.len(), self.texts.len());
        match track.nature {
            Nature::State => self.states(track, number)?,
            Nature::Variable => self.variables(track, number)?,
            Nature::Event => self.events(track, number)?,
            Nature::Link => self.links(track, number)?,
            Nature::Container => {}
        }
        Ok((self.records.len() - before.0, self.texts.len() - before.1))
    }

    fn keep(&mut self, bytes: &[u8]) -> Text {
        let full = self.records.len() > self.limit
            || self.limit < usize::MAX && self.texts.len() > PART_TEXT;
        // A part that has too much is gathered again in smaller parts.
        if bytes.is_empty() || full {
            return Text::default();
        }
        let start = self.texts.len() as u64;
        self.texts.extend_from_slice(bytes);
        Text { batch: self.number, start, len: bytes.len() as u32 }
    }

    fn push(&mut self, time: Ticks, track: u32, what: What, extras: Text) {
        if self.holds(time) && self.records.len() <= self.limit {
            self.records.push(Record { time, track, what, extras });
        }
    }

    /// States come in order of opening. Before one opens, all that are as deep or deeper end.
    fn states(&mut self, track: &SeenTrack, number: u32) -> Result<()> {
        let Gatherer { scope, clip, .. } = self.gatherer;
        let mut texts = track.texts(scope.store());
        let mut open: Vec<(usize, Ticks, Text)> = Vec::new();
        let mut failed = Ok(());
        seen::states(scope, track, self.wider, |depth, row, state| {
            let Some(Clipped { start, end, cut }) = clip.state(state) else { return };
            if failed.is_err() {
                return;
            }
            while let Some((_, ended, extras)) = open.pop_if(|(other, _, _)| *other >= depth) {
                self.push(ended, number, What::Pop, extras);
            }
            let mut extras = Text::default();
            if self.holds(start) || self.holds(end) {
                match texts[depth].get(row) {
                    Ok((_, packed)) => extras = self.keep(packed),
                    Err(error) => failed = Err(error),
                }
            }
            self.push(start, number, What::Push(state.value), extras);
            if self.holds(start) {
                self.tally.states += 1;
                self.tally.clipped += u64::from(cut);
            }
            open.push((depth, end, extras));
        })?;
        while let Some((_, ended, extras)) = open.pop() {
            self.push(ended, number, What::Pop, extras);
        }
        Ok(failed?)
    }

    fn variables(&mut self, track: &SeenTrack, number: u32) -> Result<()> {
        let Gatherer { scope, clip, .. } = self.gatherer;
        let mut texts = track.texts(scope.store());
        let mut failed = Ok(());
        seen::variables(scope, track, self.ticks, |row, step| {
            let Some(Clipped { start, cut, .. }) = clip.variable(step) else { return };
            if failed.is_err() || !self.holds(start) {
                return;
            }
            match texts[0].get(row) {
                Ok((_, packed)) => {
                    let extras = self.keep(packed);
                    self.push(start, number, What::Set(step.value), extras);
                    self.tally.variables += 1;
                    self.tally.clipped += u64::from(cut);
                }
                Err(error) => failed = Err(error),
            }
        })?;
        Ok(failed?)
    }

    fn events(&mut self, track: &SeenTrack, number: u32) -> Result<()> {
        let Gatherer { scope, clip, .. } = self.gatherer;
        let mut texts = track.texts(scope.store());
        let mut failed = Ok(());
        seen::events(scope, track, self.ticks, |row, event| {
            if failed.is_err() || !clip.window().touches(event.time, event.time) {
                return;
            }
            match texts[0].get(row) {
                Ok((_, packed)) => {
                    let extras = self.keep(packed);
                    self.push(event.time, number, What::Event(event.value), extras);
                    self.tally.events += 1;
                }
                Err(error) => failed = Err(error),
            }
        })?;
        Ok(failed?)
    }

    fn links(&mut self, track: &SeenTrack, number: u32) -> Result<()> {
        let Gatherer { scope, clip, .. } = self.gatherer;
        let mut texts = track.texts(scope.store());
        let mut failed = Ok(());
        seen::links(scope, track, self.wider, |row, link| {
            let Some(Clipped { start, end, cut }) = clip.link(link) else { return };
            if failed.is_err() || !(self.holds(start) || self.holds(end)) {
                return;
            }
            let (key, extras) = match texts[0].get(row) {
                Ok((key, packed)) => (self.keep(key), self.keep(packed)),
                Err(error) => {
                    failed = Err(error);
                    return;
                }
            };
            let whole = link.source.is_some() && link.destination.is_some();
            let half = |first: bool| match (whole, first) {
                (false, _) => Half::Only,
                (true, true) => Half::First,
                (true, false) => Half::Second,
            };
            let mut put = |time, end, half, container, extras| {
                let what = What::Link { end, half, container, value: link.value, row, key };
                self.push(time, number, what, extras);
            };
            // Of two ends at one instant the start comes first.
            let start_first = start <= end;
            if let Some(source) = link.source {
                put(start, LinkEnd::Start, half(start_first), source, extras);
            }
            if let Some(destination) = link.destination {
                put(end, LinkEnd::End, half(!start_first), destination, extras);
            }
            if self.holds(start.max(end)) {
                self.tally.links += 1;
                self.tally.clipped += u64::from(cut);
            }
        })?;
        Ok(failed?)
    }
}
