//! What the phases of events mean.

use std::borrow::Cow;
use std::io;

use onca_model::{Code, Ticks, printable, time_of};

use super::decode::{Class, Decoder, Here, MAX_TEXT, MICRO, slice_key};
use super::entry::{Entry, Kind};
use super::event::scan_members;
use super::flows::FlowPoint;
use super::names::{Owner, PointKind, PointTrack};
use super::scan::{Scanner, Value};
use crate::paje::SIZE_FIELDS;
use crate::sort::Key;
use crate::symbols::Symbol;

impl Decoder<'_> {
    pub(super) fn slice(
        &mut self,
        here: &Here<'_>,
        phase: u8,
        time: Ticks,
        value: Symbol,
        category: u32,
    ) -> io::Result<()> {
        let mut end = time;
        if phase == b'X' {
            let Some(known) = self.end_of_slice(here, time) else { return Ok(()) };
            end = known;
        }
        let thread = self.thread(here);
        self.pack_extras(here);
        let kind = match phase {
            b'B' => Kind::Begin,
            b'E' => Kind::End,
            _ => Kind::Slice,
        };
        let entry = Entry {
            kind,
            value,
            category,
            owner: thread,
            position: here.position,
            number: end as u64,
            key: &[],
            extras: &self.extras,
        };
        entry.encode(&mut self.encoded);
        if kind != Kind::End {
            self.names.threads[thread as usize].categories.add(category);
        }
        if kind == Kind::Slice {
            self.slices.push(slice_key(thread, time, end, here.offset), &self.encoded)?;
        } else {
            let group = Class::Ends.group(thread);
            let key = Key { group, time, rank: 0, place: here.offset };
            self.first.push(key, &self.encoded)?;
        }
        if kind != Kind::End && !here.event.bind_id.is_absent() {
            self.slice_flow(here, time, value, category, thread)?;
        }
        Ok(())
    }

    fn end_of_slice(&mut self, here: &Here<'_>, start: Ticks) -> Option<Ticks> {
        let duration = self.time(here, here.event.duration, "duration, \"dur\"")?;
        if duration < 0 {
            self.problems.report(here.at(here.event.duration), Code::NegativeDuration, || {
                ("the slice ends before it begins; taken as one of no length".to_owned(), None)
            });
            return Some(start);
        }
        let end = start.checked_add(duration).and_then(time_of);
        if end.is_none() {
            match self.scale {
                0 => self.problems.lose(here.position, Code::BadNumber, || {
                    ("the end of the slice is too large".to_owned(), None)
                }),
                scale => self.need_exponent(scale - 1 + MICRO),
            }
        }
        end
    }

    pub(super) fn instant(
        &mut self,
        here: &Here<'_>,
        time: Ticks,
        value: Symbol,
        category: u32,
    ) -> io::Result<()> {
        let owner = match *here.text(here.event.reach) {
            [b'g'] => Owner::Root,
            [b'p'] => Owner::Process(self.process(here)),
            _ => Owner::Thread(self.thread(here)),
        };
        let typed = self.names.typed_category(category);
        self.pack_extras(here);
        self.pack_category(category, typed);
        let track = PointTrack { owner, kind: PointKind::Instant(typed) };
        self.point(here, time, track, Kind::Instant, value, 0)
    }

    /// Puts aside an instant, or a value of a counter.
    fn point(
        &mut self,
        here: &Here<'_>,
        time: Ticks,
        track: PointTrack,
        kind: Kind,
        value: Symbol,
        number: u64,
    ) -> io::Result<()> {
        let extras: &[u8] = if kind == Kind::Instant { &self.extras } else { &[] };
        let position = here.position;
        let entry =
            Entry { kind, value, category: 0, owner: 0, position, number, key: &[], extras };
        entry.encode(&mut self.encoded);
        let group = Class::Points.group(self.names.point_track(track));
        self.first.push(Key { group, time, rank: 0, place: here.offset }, &self.encoded)
    }

    /// Every member of the arguments is a series of its own.
    pub(super) fn count(&mut self, here: &Here<'_>, time: Ticks) -> io::Result<()> {
        let name = here.text(here.event.name);
        let id = self.id_text(here);
        let mut n_read = 0;
        for &(key, value) in &here.event.args {
            let (series, text) = (here.text(key), here.text(value));
            let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse::<f64>().ok());
            let Some(number) = number.filter(|_| series.len() <= MAX_TEXT) else {
                self.problems.report(here.at(value), Code::BadNumber, || {
                    let (series, text) = (printable(&series), printable(&text));
                    (format!("the value of \"{series}\" is \"{text}\", which is no number"), None)
                });
                continue;
            };
            let owner = Owner::Process(self.process(here));
            let counter = self.names.counter(&name, &id, &series);
            let track = PointTrack { owner, kind: PointKind::Counter(counter) };
            self.point(here, time, track, Kind::Count, 0, number.to_bits())?;
            n_read += 1;
        }
        if n_read == 0 {
            self.problems.lose(here.position, Code::MissingField, || {
                ("the counter has no value in \"args\"".to_owned(), None)
            });
        }
        Ok(())
    }

    /// The id, wherever it is given; empty if it is not.
    fn id_text<'a>(&self, here: &Here<'a>) -> Cow<'a, [u8]> {
        let event = here.event;
        if event.id.is_absent() { self.id2(here).1 } else { here.text(event.id) }
    }

    /// What `id2` says: whether the id is that of one process only, and the id.
    fn id2<'a>(&self, here: &Here<'a>) -> (bool, Cow<'a, [u8]>) {
        let text = here.window.text();
        let mut members = Vec::new();
        if let Value::Nested(span) = here.event.id2
            && text[span.start] == b'{'
            && scan_members(&mut Scanner::new(text, span.start), &mut members).is_ok()
        {
            for (key, value) in members {
                match &*key.text(text) {
                    b"local" => return (true, value.text(text)),
                    b"global" => return (false, value.text(text)),
                    _ => {}
                }
            }
        }
        (false, (&b""[..]).into())
    }

    pub(super) fn flow(
        &mut self,
        here: &Here<'_>,
        phase: u8,
        time: Ticks,
        value: Symbol,
        category: u32,
    ) -> io::Result<()> {
        let id = self.id_text(here);
        if id.is_empty() {
            self.lose_without_id(here);
            return Ok(());
        }
        let point = FlowPoint {
            ends: phase != b's',
            starts: phase != b'f',
            waits: phase == b'f' && !here.is(here.event.binding, b"e"),
            size: self.size(here),
        };
        self.begin_key(&id);
        self.key.extend_from_slice(&category.to_le_bytes());
        self.key.extend_from_slice(&value.to_le_bytes());
        let thread = self.thread(here);
        let typed = self.names.typed_category(category);
        self.pack_extras(here);
        self.pack_category(category, typed);
        self.flow_point(here, time, value, typed, thread, point)
    }

    /// Begins the key of a link with an id, and its length: no id reaches into what follows.
    fn begin_key(&mut self, id: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(&(id.len() as u32).to_le_bytes());
        self.key.extend_from_slice(id);
    }

    /// The newer way: slices themselves say that flows leave and reach them.
    fn slice_flow(
        &mut self,
        here: &Here<'_>,
        time: Ticks,
        value: Symbol,
        category: u32,
        thread: u32,
    ) -> io::Result<()> {
        let event = here.event;
        let ends = here.is(event.flow_in, b"true");
        let starts = here.is(event.flow_out, b"true");
        if !ends && !starts {
            return Ok(());
        }
        let id = here.text(event.bind_id);
        self.begin_key(&id);
        self.extras.clear();
        let typed = self.names.typed_category(category);
        let point = FlowPoint { ends, starts, waits: false, size: None };
        self.flow_point(here, time, value, typed, thread, point)
    }

    fn flow_point(
        &mut self,
        here: &Here<'_>,
        time: Ticks,
        value: Symbol,
        category: u32,
        thread: u32,
        point: FlowPoint,
    ) -> io::Result<()> {
        let entry = Entry {
            kind: Kind::Flow,
            value,
            category,
            owner: thread,
            position: here.position,
            number: point.pack(),
            key: &self.key,
            extras: &self.extras,
        };
        entry.encode(&mut self.encoded);
        // Before the slices of that time, so that those can be waited for.
        let key = Key { group: u64::from(thread), time, rank: 0, place: here.offset };
        self.slices.push(key, &self.encoded)
    }

    /// A size among the arguments.
    fn size(&self, here: &Here<'_>) -> Option<u64> {
        here.event.args.iter().find_map(|&(key, value)| {
            let name = here.text(key);
            let is_size = SIZE_FIELDS.iter().any(|known| name.eq_ignore_ascii_case(known));
            let text = is_size.then(|| here.text(value))?;
            std::str::from_utf8(&text).ok()?.parse().ok()
        })
    }

    pub(super) fn asynchronous(
        &mut self,
        here: &Here<'_>,
        phase: u8,
        time: Ticks,
        value: Symbol,
        category: u32,
    ) -> io::Result<()> {
        let event = here.event;
        let (local, id2) = self.id2(here);
        let id = if event.id.is_absent() { id2 } else { here.text(event.id) };
        if id.is_empty() {
            self.lose_without_id(here);
            return Ok(());
        }
        let process = self.process(here);
        let old = matches!(phase, b'S' | b'T' | b'p' | b'F');
        self.key.clear();
        self.key.extend_from_slice(&if local { process } else { u32::MAX }.to_le_bytes());
        self.key.extend_from_slice(&if old { value } else { u32::MAX }.to_le_bytes());
        let scope = here.text(event.scope);
        self.key.extend_from_slice(&(scope.len() as u32).to_le_bytes());
        self.key.extend_from_slice(&scope);
        self.key.extend_from_slice(&id);
        let step = match phase {
            b'T' | b'p' => event.arg(here.window.text(), b"step"),
            _ => Value::Absent,
        };
        let value = match step {
            Value::Absent => value,
            step => self.symbols.values.intern(&here.text(step)),
        };
        self.pack_extras(here);
        let entry = Entry {
            kind: Kind::Async,
            value,
            category,
            owner: process,
            position: here.position,
            number: u64::from(phase),
            key: &self.key,
            extras: &self.extras,
        };
        entry.encode(&mut self.encoded);
        let group = Class::Async.group(category);
        self.first.push(Key { group, time, rank: 0, place: here.offset }, &self.encoded)
    }

    fn lose_without_id(&mut self, here: &Here<'_>) {
        self.problems.lose(here.position, Code::MissingField, || {
            ("the event has no id, \"id\" or \"id2\"".to_owned(), None)
        });
    }
}
