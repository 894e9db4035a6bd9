//! Records of states, events and variables.

use onca_model::{Code, EntitySink, Nature, Strictness, Ticks, TypeId, ValueId, printable};
use onca_read::{Batch, Op, Record, Role, SortKey};

use crate::link_records::decode_half;
use crate::names::ALIVE;
use crate::report::{Place, place_number, position_of};
use crate::track::{DIVERTED, MISFIT, NoEffect};
use crate::{SimulateError, Simulator, UNRESOLVED};

impl<S: EntitySink> Simulator<'_, S> {
    /// Applies a record that opens or closes the only state of its track, as most do, when
    /// nothing is unusual about it; otherwise does nothing and returns false.
    #[inline]
    pub(crate) fn plain_state(&mut self, record: &Record) -> bool {
        let Some(&track) = self.track_of_pair.get(record.pair as usize) else { return false };
        let Some(line) = self.tracks.tracks.get_mut(track as usize) else { return false };
        let time = record.time;
        if !line.is_usual(time) || line.nature != Nature::State {
            return false;
        }
        match record.op {
            Op::PushState if line.is_closed() => {
                let value = self.names.value(self.symbols, line.type_id, record.value);
                line.open(time, value);
            }
            Op::PopState if line.is_plainly_open() => self.tracks.close_plain(track, time),
            _ => return false,
        }
        self.extent.include(time);
        true
    }

    #[inline]
    pub(crate) fn timed(&mut self, batch: &Batch, record: &Record, extras: &[u8]) {
        let place = Place::Batch(batch, record.at);
        let known = self.track_of_pair.get(record.pair as usize).copied().unwrap_or(UNRESOLVED);
        let track = match known {
            UNRESOLVED => match self.resolve_pair(record, place) {
                Some(track) => track,
                None => return,
            },
            track if self.tracks.tracks[track as usize].nature != record.op.nature() => {
                return self.wrong_nature(
                    record,
                    place,
                    self.tracks.tracks[track as usize].type_id,
                );
            }
            track => track,
        };
        let time = record.time;
        let line = &mut self.tracks.tracks[track as usize];
        if record.op.nature() == Nature::Link {
            return self.link_record(batch, record, track, extras);
        }
        let usual = line.is_usual(time);
        let type_id = line.type_id;
        if batch.cut && self.is_half_value(batch, record, type_id) {
            self.reporter.lost += 1;
            return;
        }
        let line = &mut self.tracks.tracks[track as usize];
        if usual {
            line.last_time = time;
        }
        self.extent.include(time);
        let step = self.step_of(batch, record, type_id);
        if usual || self.prepare(batch, record, track, step, extras) {
            self.step(track, time, step, extras, place);
        }
    }

    /// Applies an event whose track and value are known.
    pub(crate) fn new_event(
        &mut self,
        batch: &Batch,
        record: &Record,
        track: u32,
        value: ValueId,
        extras: &[u8],
    ) {
        let line = &mut self.tracks.tracks[track as usize];
        let usual = line.is_usual(record.time);
        if usual {
            line.last_time = record.time;
        }
        self.extent.include(record.time);
        let step = Step::Event(value);
        if usual || self.prepare(batch, record, track, step, extras) {
            self.step(track, record.time, step, extras, Place::Batch(batch, record.at));
        }
    }

    /// What a record does, with its value resolved.
    #[inline]
    fn step_of(&mut self, batch: &Batch, record: &Record, type_id: TypeId) -> Step {
        match record.op {
            Op::SetState => Step::Set(self.names.value(self.symbols, type_id, record.value)),
            Op::PushState => Step::Push(self.names.value(self.symbols, type_id, record.value)),
            Op::PopState => Step::Pop,
            Op::NewEvent => Step::Event(self.names.value(self.symbols, type_id, record.value)),
            Op::SetVariable => Step::SetVariable(self.number(batch, record)),
            Op::AddVariable => Step::AddVariable(self.number(batch, record)),
            Op::SubVariable => Step::AddVariable(-self.number(batch, record)),
            Op::ResetState | Op::StartLink | Op::EndLink | Op::Rare => Step::Reset,
        }
    }

    fn number(&mut self, batch: &Batch, record: &Record) -> f64 {
        let number = batch.numbers[record.value as usize];
        // A value can be rounded later; a sum of rounded values cannot be had later.
        self.pajeng_differs |= record.op != Op::SetVariable;
        if self.options.as_pajeng { f64::from(number as f32) } else { number }
    }

    /// What is unusual about a record of a state, event or variable. False if it must not be
    /// applied now.
    #[cold]
    fn prepare(
        &mut self,
        batch: &Batch,
        record: &Record,
        track: u32,
        step: Step,
        extras: &[u8],
    ) -> bool {
        let place = Place::Batch(batch, record.at);
        let line = &mut self.tracks.tracks[track as usize];
        if line.destroyed != ALIVE {
            self.pajeng_differs = true;
            if self.options.as_pajeng {
                return false;
            }
        }
        let (flags, late) = (line.flags, record.time < line.last_time);
        line.last_time = line.last_time.max(record.time);
        if flags & MISFIT != 0 {
            self.report_misfit(place, track);
        }
        if flags & DIVERTED != 0 {
            if late {
                self.report_disorder(place);
            }
            if self.aside.is_too_late(record.time) {
                self.report_late(place);
                return false;
            }
            let mut encoded = std::mem::take(&mut self.scratch);
            step.encode(&mut encoded);
            encoded.extend_from_slice(extras);
            let place = self.place_number(batch, record.at);
            let key = SortKey { group: u64::from(track), time: record.time, rank: 0, place };
            if let Err(error) = self.aside.push(key, &encoded) {
                self.failed.get_or_insert(SimulateError::Temporary(error));
            }
            self.scratch = encoded;
            return false;
        }
        if late {
            self.divert(track, place);
            return false;
        }
        self.check_life(track, record.time, place);
        true
    }

    /// A track goes backwards: it will have to be sorted.
    pub(crate) fn divert(&mut self, track: u32, place: Place<'_>) {
        if self.options.strictness == Strictness::Strict {
            self.report_disorder(place);
        }
        self.redo.diverted.insert(track);
        self.tracks.dry = true;
    }

    pub(crate) fn report_disorder(&mut self, place: Place<'_>) {
        if let Place::Batch(batch, _) = place
            && batch.in_several_orders
        {
            return;
        }
        self.reporter.report(place, Some(Role::Time), Code::NotTimeOrdered, || {
            ("earlier than a record before it on the same track; sorted in".to_owned(), None)
        });
    }

    /// A record comes after what follows it in time was applied: it is left out.
    #[cold]
    pub(crate) fn report_late(&mut self, place: Place<'_>) {
        self.reporter.report(place, Some(Role::Time), Code::LateRecord, || {
            let message = "earlier than what was already put in order; left out until the end";
            (message.to_owned(), Some("--lateness makes records wait longer".to_owned()))
        });
    }

    pub(crate) fn report_misfit(&mut self, place: Place<'_>, track: u32) {
        let line = &self.tracks.tracks[track as usize];
        let lane = self.tracks.lanes[line.lane.index()];
        let (names, type_id) = (&self.names, line.type_id);
        self.reporter.report(place, Some(Role::Type), Code::TypeNotOfContainer, || {
            let container_type = names.containers.types[lane.container.index()];
            let message = format!(
                "type \"{}\" does not belong to containers of type \"{}\"",
                printable(&names.type_def(type_id).name),
                printable(&names.type_def(container_type).name)
            );
            (message, None)
        });
    }

    /// Compares a record's time with the life of its container.
    pub(crate) fn check_life(&mut self, track: u32, time: Ticks, place: Place<'_>) {
        let line = &self.tracks.tracks[track as usize];
        let (created, destroyed, lane) = (line.created, line.destroyed, line.lane);
        let names = &self.names;
        let container = self.tracks.lanes[lane.index()].container;
        let name = || printable(names.containers.names.get(container.index())).into_owned();
        if time < created {
            self.reporter.report(place, Some(Role::Time), Code::BeforeCreation, || {
                (format!("earlier than the creation of container \"{}\"", name()), None)
            });
        }
        if time > destroyed {
            self.reporter.report(place, Some(Role::Time), Code::AfterDestroy, || {
                (format!("later than the end of container \"{}\"", name()), None)
            });
            self.tracks.close_before(track, destroyed);
        }
    }

    /// Applies a record to its track.
    #[inline]
    fn step(&mut self, track: u32, time: Ticks, step: Step, extras: &[u8], place: Place<'_>) {
        let result = match step {
            Step::Push(value) => self.tracks.push(track, time, value, extras),
            Step::Pop => self.tracks.pop(track, time, extras),
            Step::Set(value) => {
                self.tracks.reset(track, time, false);
                self.tracks.push(track, time, value, extras)
            }
            Step::Reset => {
                self.tracks.reset(track, time, false);
                Ok(())
            }
            Step::Event(value) => {
                self.tracks.event(track, time, value, extras);
                Ok(())
            }
            Step::SetVariable(value) => {
                self.tracks.change_variable(track, time, extras, |_| value);
                Ok(())
            }
            Step::AddVariable(change) => {
                if !self.tracks.change_variable(track, time, extras, |old| old + change) {
                    self.report_without_value(track, place);
                }
                Ok(())
            }
        };
        if let Err(no_effect) = result {
            self.report_no_effect(track, place, no_effect);
        }
    }

    #[cold]
    fn report_without_value(&mut self, track: u32, place: Place<'_>) {
        let names = &self.names;
        let type_id = self.tracks.tracks[track as usize].type_id;
        self.reporter.report(place, Some(Role::Type), Code::VariableWithoutValue, || {
            let name = printable(&names.type_def(type_id).name).into_owned();
            (format!("variable \"{name}\" has no value yet; taken as 0"), None)
        });
    }

    #[cold]
    fn report_no_effect(&mut self, track: u32, place: Place<'_>, no_effect: NoEffect) {
        let line = &self.tracks.tracks[track as usize];
        let (names, type_id) = (&self.names, line.type_id);
        let container = self.tracks.lanes[line.lane.index()].container;
        let code = match no_effect {
            NoEffect::PopEmpty => Code::PopEmpty,
            NoEffect::TooDeep => Code::NestingTooDeep,
        };
        self.reporter.lose(place, None, code, || {
            let what = match no_effect {
                NoEffect::PopEmpty => "is empty; ignored",
                NoEffect::TooDeep => "is deeper than 65,536 states; not kept",
            };
            let message = format!(
                "state stack of type \"{}\" in container \"{}\" {what}",
                printable(&names.type_def(type_id).name),
                printable(names.containers.names.get(container.index()))
            );
            (message, None)
        });
    }

    /// The number of a record's place, which grows along the source.
    pub(crate) fn place_number(&mut self, batch: &Batch, at: u32) -> u64 {
        let line = self.line_at(batch, at);
        place_number(batch.position(line, 1))
    }

    /// The line of a record within its batch; records are asked about in order.
    fn line_at(&mut self, batch: &Batch, at: u32) -> u32 {
        self.cursor.1 += batch.lines_between(self.cursor.0, at) as u32;
        self.cursor.0 = self.cursor.0.max(at);
        self.cursor.1
    }

    /// Applies the records that were put aside, now in order.
    pub(crate) fn apply_sorted(&mut self) -> Result<(), SimulateError<S::Error>> {
        self.aside.take().visit(|key, record| {
            self.apply_aside(key, record);
            match self.tracks.failed.take() {
                Some(error) => Err(SimulateError::Sink(error)),
                None => Ok(()),
            }
        })
    }

    /// Applies those that nothing can come before any more.
    pub(crate) fn release(&mut self) {
        let Some(last) = self.extent.last() else { return };
        while let Some((key, record)) = self.aside.next_before(last) {
            self.apply_aside(key, &record);
        }
    }

    fn apply_aside(&mut self, key: SortKey, record: &[u8]) {
        let position = position_of(key.place);
        let place = Place::Line(position);
        let track = key.group as u32;
        if self.tracks.tracks[track as usize].nature == Nature::Link {
            if let Some(half) = decode_half(key, position, record) {
                self.take_half(&half, place);
            }
        } else if let Some((step, extras)) = Step::decode(record) {
            let line = &self.tracks.tracks[track as usize];
            if key.time < line.created || key.time > line.destroyed {
                self.check_life(track, key.time, place);
            }
            self.step(track, key.time, step, extras, place);
        }
    }
}

/// What a record does to its track.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Set(ValueId),
    Push(ValueId),
    Pop,
    Reset,
    Event(ValueId),
    SetVariable(f64),
    AddVariable(f64),
}

impl Step {
    fn encode(self, out: &mut Vec<u8>) {
        let (tag, payload) = match self {
            Self::Set(value) => (0, u64::from(value.0)),
            Self::Push(value) => (1, u64::from(value.0)),
            Self::Pop => (2, 0),
            Self::Reset => (3, 0),
            Self::Event(value) => (4, u64::from(value.0)),
            Self::SetVariable(number) => (5, number.to_bits()),
            Self::AddVariable(number) => (6, number.to_bits()),
        };
        out.clear();
        out.push(tag);
        out.extend_from_slice(&payload.to_le_bytes());
    }

    /// The step, and the extra fields after it.
    fn decode(record: &[u8]) -> Option<(Self, &[u8])> {
        let (&tag, rest) = record.split_first()?;
        let (payload, extras) = rest.split_first_chunk::<8>()?;
        let payload = u64::from_le_bytes(*payload);
        let value = ValueId(payload as u32);
        let step = match tag {
            0 => Self::Set(value),
            1 => Self::Push(value),
            2 => Self::Pop,
            3 => Self::Reset,
            4 => Self::Event(value),
            5 => Self::SetVariable(f64::from_bits(payload)),
            6 => Self::AddVariable(f64::from_bits(payload)),
            _ => return None,
        };
        Some((step, extras))
    }
}
