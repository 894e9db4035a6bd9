//! What each kind of event becomes.

use onca_model::{Code, Ticks, push_extra, time_of};

use super::archive::Archive;
use super::event::{EventKind, Packing, root_text};
use super::fields::{MAX_FIELDS, push_number_extra};
use super::local::Local;
use super::lookup::Named;
use super::stream::Stream;
use super::text::{reference_text, value_text};
use super::value::{Kind, Typed, typed_value};
use super::vocabulary::Entity;
use crate::batch::Op;
use crate::cursor::{Cursor, Field};
use crate::piece::Piece;

/// Deeper regions are not compared with what leaves them.
const MAX_CHECKED_DEPTH: usize = 1 << 16;

pub(super) type Values = [u64; MAX_FIELDS];

/// An event whose fields are known; ids are global.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// The number of its kind.
    pub number: u8,
    pub time: Ticks,
    pub values: Values,
}

impl Stream {
    #[inline]
    pub(super) fn enter(&mut self, archive: &Archive<'_>, id: u32, piece: &mut Piece<'_>) {
        piece.batch.n_records += 1;
        let Some(time) = self.time_or_lose(piece) else { return };
        let value = self.region(archive, id, piece);
        let pair = self.pair_of_regions(archive);
        let has_extras = piece.take_extras(&mut self.attributes);
        piece.push(time, pair, Op::PushState, value, has_extras);
        if self.open_regions.len() < MAX_CHECKED_DEPTH {
            self.open_regions.push(id);
        } else {
            self.n_unchecked += 1;
        }
    }

    #[inline]
    pub(super) fn leave(&mut self, archive: &Archive<'_>, id: u32, piece: &mut Piece<'_>) {
        piece.batch.n_records += 1;
        let Some(time) = self.time_or_lose(piece) else { return };
        let pair = self.pair_of_regions(archive);
        let has_extras = piece.take_extras(&mut self.attributes);
        piece.push(time, pair, Op::PopState, 0, has_extras);
        if self.n_unchecked > 0 {
            self.n_unchecked -= 1;
        } else if let Some(open) = self.open_regions.pop()
            && open != id
        {
            self.report_other_region(archive, open, id, piece);
        }
    }

    #[cold]
    fn report_other_region(
        &self,
        archive: &Archive<'_>,
        open: u32,
        left: u32,
        piece: &mut Piece<'_>,
    ) {
        piece.problem(Code::LeaveOtherRegion, || {
            let name = |id: u32| {
                let id = self.local.global(Kind::Region, id.into());
                let name = reference_text(&archive.definitions, Kind::Region, id);
                onca_model::printable(&name).into_owned()
            };
            format!("leaves \"{}\" while \"{}\" is the innermost", name(left), name(open))
        });
    }

    /// The time of the event at hand. Without one it is lost.
    #[inline]
    pub(super) fn time_or_lose(&mut self, piece: &mut Piece<'_>) -> Option<Ticks> {
        if self.time.is_none() {
            self.attributes.clear();
            piece.lose(Code::DamagedRecord, || "an event without a time".to_owned());
        }
        self.time
    }

    pub(super) fn attribute_list(
        &mut self,
        archive: &Archive<'_>,
        c: &mut Cursor<'_>,
    ) -> Field<()> {
        let definitions = &archive.definitions;
        for _ in 0..c.c32()? {
            let id = self.local.global(Kind::Attribute, c.c32()?.into());
            let kind = c.u8()?;
            let value = match typed_value(c, kind)? {
                Typed::Reference(kind, id) => Typed::Reference(kind, self.local.global(kind, id)),
                value => value,
            };
            let field = archive.fields.attribute(definitions, id);
            push_extra(&mut self.attributes, field, &value_text(definitions, value));
        }
        Ok(())
    }

    /// Applies an event whose fields are known; ids are global.
    pub(super) fn event(
        &mut self,
        archive: &Archive<'_>,
        number: u8,
        values: &Values,
        piece: &mut Piece<'_>,
    ) {
        piece.batch.n_records += 1;
        let Some(time) = self.time_or_lose(piece) else { return };
        let event = &Event { time, number, values: *values };
        match number {
            10 => self.buffer_flush(archive, event, piece),
            11 => self.measurement_on_off(archive, event, piece),
            14 | 15 => self.send(archive, event, piece),
            18 | 19 => self.receive(archive, event, piece),
            22 | 37 => {
                self.collective_since = Some(time);
                self.attributes.clear();
            }
            23 | 38 => self.collective_end(archive, event, piece),
            46..=48 => self.transfer(archive, event, piece),
            49 | 50 | 52 => self.transfer_end(archive, event, piece),
            62..=65 => self.thread_event(archive, event, piece),
            66 | 67 => self.calling_context(archive, event, piece),
            90 | 92 => self.receive_probed(archive, event, piece),
            _ => {
                if number == 16
                    && let Some(sent) = self.messages.begun.end(values[0])
                {
                    self.sent(archive, sent, Some(time), piece);
                }
                self.note(number, time, values);
                self.plain_event(archive, event, &[], piece);
            }
        }
    }

    /// Remembers what a later event will need.
    fn note(&mut self, number: u8, time: Ticks, values: &Values) {
        let messages = &mut self.messages;
        match number {
            17 => messages.posted.post(values[0], time),
            21 => messages.posted.cancel(values[0]),
            89 => {
                let channel = (values[0] as u32, values[1] as u32, values[2] as u32);
                messages.probed.insert(values[3], channel);
            }
            91 => {
                messages.probed_requests.insert(values[1], values[0]);
            }
            _ => {}
        }
    }

    /// An event that stays an event, with all its fields.
    pub(super) fn plain_event(
        &mut self,
        archive: &Archive<'_>,
        event: &Event,
        more: &[u8],
        piece: &mut Piece<'_>,
    ) {
        let Event { time, number, values } = *event;
        let mut packed = std::mem::take(&mut self.attributes);
        archive.fields.pack(&archive.definitions, number, &values, &mut packed);
        packed.extend_from_slice(more);
        if number == 86 {
            let instance = self.count_collective(values[1]);
            push_number_extra(&mut packed, archive.fields.instance, instance);
        }
        let pair = self.pair(archive, Entity::Event);
        let value = self.value(archive, Named::Event(number));
        let has_extras = piece.keep_extras(&packed);
        piece.push(time, pair, Op::NewEvent, value, has_extras);
        packed.clear();
        self.attributes = packed;
    }

    pub(super) fn program_begin(
        &mut self,
        archive: &Archive<'_>,
        c: &mut Cursor<'_>,
        piece: &mut Piece<'_>,
    ) -> Field<()> {
        let name = self.local.global(Kind::String, c.c32()?.into());
        let mut arguments = Vec::new();
        for _ in 0..c.c32()? {
            let argument = self.local.global(Kind::String, c.c32()?.into());
            if !arguments.is_empty() {
                arguments.push(b' ');
            }
            let text = reference_text(&archive.definitions, Kind::String, argument);
            arguments.extend_from_slice(&text);
        }
        piece.batch.n_records += 1;
        let Some(time) = self.time_or_lose(piece) else { return Ok(()) };
        let mut packed = Vec::new();
        archive.fields.pack_arguments(83, &arguments, &mut packed);
        let event = Event { time, number: 83, values: [name, 0, 0, 0, 0, 0] };
        self.plain_event(archive, &event, &packed, piece);
        Ok(())
    }

    fn buffer_flush(&mut self, archive: &Archive<'_>, event: &Event, piece: &mut Piece<'_>) {
        let Event { time, values, .. } = *event;
        let stop = i128::from(values[0]) - i128::from(archive.clock_offset);
        let stop = time_of(stop).unwrap_or(time).max(time);
        let pair = self.pair(archive, Entity::Measurement);
        let value = archive.symbols.values.intern(b"BufferFlush");
        let has_extras = piece.take_extras(&mut self.attributes);
        piece.push(time, pair, Op::PushState, value, has_extras);
        piece.push(stop, pair, Op::PopState, 0, false);
    }

    fn measurement_on_off(&mut self, archive: &Archive<'_>, event: &Event, piece: &mut Piece<'_>) {
        let Event { time, values, .. } = *event;
        let off = values[0] == 2;
        if off == self.measurement_off {
            return self.plain_event(archive, event, &[], piece);
        }
        self.measurement_off = off;
        let pair = self.pair(archive, Entity::Measurement);
        let value = archive.symbols.values.intern(b"off");
        let has_extras = piece.take_extras(&mut self.attributes);
        let op = if off { Op::PushState } else { Op::PopState };
        piece.push(time, pair, op, value, has_extras);
    }

    /// A collective operation, known only now that it ends.
    fn collective_end(&mut self, archive: &Archive<'_>, event: &Event, piece: &mut Piece<'_>) {
        let Event { time, number, values } = *event;
        let since = self.collective_since.take().unwrap_or(time);
        // The events of MPI and of one-sided windows hold the same in another order.
        let (kind, comm, root, sent, received) = match number {
            23 => (Kind::Comm, values[1], values[2], values[3], values[4]),
            _ => (Kind::Window, values[2], values[3], values[4], values[5]),
        };
        let fields = &archive.fields;
        let mut packed = std::mem::take(&mut self.attributes);
        let name = reference_text(&archive.definitions, kind, comm);
        push_extra(&mut packed, fields.communicator, &name);
        push_extra(&mut packed, fields.root, root_text(root as u32).as_bytes());
        push_number_extra(&mut packed, fields.sent, sent);
        push_number_extra(&mut packed, fields.received, received);
        if number == 23 {
            let instance = self.count_collective(comm);
            push_number_extra(&mut packed, fields.instance, instance);
        }
        let pair = self.pair(archive, Entity::Collective);
        let value = self.value(archive, Named::Collective(values[0] as u8));
        let has_extras = piece.keep_extras(&packed);
        piece.push(since, pair, Op::PushState, value, has_extras);
        piece.push(time, pair, Op::PopState, 0, false);
        packed.clear();
        self.attributes = packed;
    }

    /// The number of a collective operation among those of its communicator: the same at all
    /// members.
    fn count_collective(&mut self, comm: u64) -> u64 {
        let count = self.messages.collectives.entry(comm as u32).or_insert(0);
        *count += 1;
        *count - 1
    }

    fn calling_context(&mut self, archive: &Archive<'_>, event: &Event, piece: &mut Piece<'_>) {
        let Event { time, number, values } = *event;
        let pair = self.pair_of_regions(archive);
        if number == 67 {
            let has_extras = piece.take_extras(&mut self.attributes);
            return piece.push(time, pair, Op::PopState, 0, has_extras);
        }
        let value = match archive.definitions.contexts.get(values[0]) {
            Some(&region) => self.global_region(archive, region, piece),
            None => {
                let id = values[0];
                piece.problem(Code::UnknownDefinition, || format!("context {id} is not defined"));
                archive.symbols.values.intern(format!("context {id}").as_bytes())
            }
        };
        let mut packed = std::mem::take(&mut self.attributes);
        push_number_extra(&mut packed, archive.fields.unwind_distance, values[1]);
        let has_extras = piece.keep_extras(&packed);
        piece.push(time, pair, Op::PushState, value, has_extras);
        packed.clear();
        self.attributes = packed;
    }
}

/// Reads the fields of an event as the table says.
pub(super) fn table_values(local: &Local, event: &EventKind, c: &mut Cursor<'_>) -> Field<Values> {
    let mut values = [0; MAX_FIELDS];
    for (field, value) in event.fields.iter().zip(&mut values) {
        *value = match field.packing {
            Packing::Byte => c.u8()?.into(),
            Packing::Small => c.c32()?.into(),
            Packing::Large => c.c64()?,
            Packing::Signed => c.i64()?.cast_unsigned(),
            Packing::Time => c.u64()?,
            Packing::Reference(kind) => local.global(kind, c.c32()?.into()),
            Packing::Texts => 0,
        };
    }
    Ok(values)
}

/// The same for messages, which are frequent, without the table.
#[inline(always)]
pub(super) fn message_values(
    local: &Local,
    has_request: bool,
    c: &mut Cursor<'_>,
) -> Field<Values> {
    let rank = c.c32()?.into();
    let comm = local.global(Kind::Comm, c.c32()?.into());
    let (tag, bytes) = (c.c32()?.into(), c.c64()?);
    let request = if has_request { c.c64()? } else { 0 };
    Ok([rank, comm, tag, bytes, request, 0])
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::cursor::ByteOrder;
    use crate::otf2::event::event_kind;

    #[test]
    fn messages_have_the_fields_that_the_table_says() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut local = Local::default();
        // Communicators 0, 1 and 2 are 5, 6 and 7 elsewhere.
        let map = [6, 1, 3, 0, 1, 5, 1, 6, 1, 7];
        let mut c = Cursor::new(&map, 0, ByteOrder::Little);
        local.take(5, &mut c).expect("a map");
        let mut n_good = 0;
        for _ in 0..5000 {
            let width = |rng: &mut ChaCha8Rng| rng.random_range(0..4u8);
            let mut bytes = Vec::new();
            for _ in 0..rng.random_range(3..7) {
                let n = if rng.random_ratio(1, 20) { 255 } else { width(&mut rng) };
                bytes.push(n);
                bytes.extend((0..n % 255).map(|_| rng.random_range(0..4u8)));
            }
            for (number, has_request) in [(14, false), (15, true), (18, false), (19, true)] {
                let event = event_kind(number).expect("a kind");
                let mut slow = Cursor::new(&bytes, 0, ByteOrder::Little);
                let mut fast = slow;
                let values = table_values(&local, event, &mut slow);
                assert_eq!(message_values(&local, has_request, &mut fast), values);
                n_good += u32::from(values.is_ok());
            }
        }
        assert!(n_good > 5000);
    }
}
