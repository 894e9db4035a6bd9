//! Lines to records. A line needs nothing but the header and the labels to be understood, so that
//! all cores decode.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use onca_model::{Code, FieldId, FieldKind, Ticks, push_extra, time_of};

use super::kind::Kind;
use super::labels::Labels;
use super::number::{Bad, Fields, Number};
use super::places::Places;
use super::vocabulary::{Type, Wanted, value_identifier};
use crate::batch::{Batch, LinkHalf, Locate, Located, Op, Record, Role};
use crate::emit::ROOT;
use crate::faults::{Faults, Spot};
use crate::messages::{push_number, span_from};
use crate::symbols::{Symbol, Symbols, image_of};

/// What all lines are understood by.
pub(super) struct Trace<'a> {
    pub symbols: &'a Symbols,
    pub labels: Labels,
    pub places: Places,
    pub fields: LinkFields,
    pub message_value: Symbol,
}

/// Extra fields of links.
pub(super) struct LinkFields {
    tag: FieldId,
    logical_send: FieldId,
    logical_receive: FieldId,
}

impl LinkFields {
    pub fn new(symbols: &Symbols) -> Self {
        let number = |name: &str| symbols.field(name.as_bytes(), FieldKind::Int);
        Self {
            tag: number("tag"),
            logical_send: number("logical_send"),
            logical_receive: number("logical_receive"),
        }
    }
}

/// What a block of lines tells besides its records.
#[derive(Default)]
pub(super) struct Note {
    /// What its records need that no block before of this thread of ours needed.
    pub wanted: Vec<Wanted>,
    /// Places of records that give a counter, among the records of the batch.
    pub counters: Vec<u32>,
    /// Which processor a thread is on, and since when, where that changes within the block.
    pub cpus: Vec<(u32, Ticks, u64)>,
}

/// Why a record is lost.
enum Lost {
    Field(Bad),
    Thread,
    Backward,
    Kind,
    /// It is of an obsolete kind and costs nothing.
    NotRead,
}

impl From<Bad> for Lost {
    fn from(bad: Bad) -> Self {
        Self::Field(bad)
    }
}

/// Decodes blocks of lines.
pub(super) struct Decoder<'a> {
    trace: &'a Trace<'a>,
    locator: Arc<dyn Locate>,
    pairs: HashMap<(u32, Type), Symbol, RandomState>,
    values: HashMap<(Type, i128), Symbol, RandomState>,
    kinds: HashMap<u64, (Kind, f64), RandomState>,
    seen: HashSet<Wanted, RandomState>,
    message_pair: Option<Symbol>,
    /// The processor of each thread, within the block.
    cpu_of: HashMap<u32, u64, RandomState>,
    note: Note,
    extras: Vec<u8>,
}

impl<'a> Decoder<'a> {
    pub fn new(trace: &'a Trace<'a>) -> Self {
        Self {
            trace,
            locator: Arc::new(LineLocator),
            pairs: HashMap::default(),
            values: HashMap::default(),
            kinds: HashMap::default(),
            seen: HashSet::default(),
            message_pair: None,
            cpu_of: HashMap::default(),
            note: Note::default(),
            extras: Vec::new(),
        }
    }

    /// Decodes the first `len` bytes of the batch's text, which begin at `offset` in the source.
    pub fn decode(&mut self, batch: &mut Batch, len: usize, offset: u64) -> Note {
        let text = std::mem::take(&mut batch.text);
        batch.locator = Some(Arc::clone(&self.locator));
        self.cpu_of.clear();
        let mut faults = Faults::default();
        let (mut at, mut number) = (0, 0);
        while at < len {
            let end = memchr::memchr(b'\n', &text[at..len]).map_or(len, |n| at + n);
            let line = text[at..end].trim_ascii();
            // Lines of communicators and comments say nothing that is needed.
            if !matches!(line, [] | [b'#', ..] | [b'c' | b'C' | b'i' | b'I', b':', ..]) {
                let spot = Spot { at: at as u32, line: number, column: 1 };
                self.line(batch, line, spot, offset + at as u64, &mut faults);
            }
            number += 1;
            at = end + 1;
        }
        batch.n_lines += u64::from(number);
        batch.text = text;
        std::mem::take(&mut self.note)
    }

    /// Decodes a record; what it gave before it turned out to be wrong is taken back.
    fn line(
        &mut self,
        batch: &mut Batch,
        line: &[u8],
        spot: Spot,
        offset: u64,
        faults: &mut Faults,
    ) {
        batch.n_records += 1;
        let before = (batch.records.len(), batch.extras.len(), self.note.counters.len());
        let mut fields = Fields::new(line);
        let Err(lost) = self.record(batch, &mut fields, spot, offset) else { return };
        batch.records.truncate(before.0);
        batch.extras.truncate(before.1);
        self.note.counters.truncate(before.2);
        batch.n_lost += u64::from(!matches!(lost, Lost::NotRead));
        let spot = Spot { column: fields.at.min(line.len()) as u32 + 1, ..spot };
        let (code, message) = match lost {
            Lost::Field(Bad::Missing) => (Code::MissingField, "a field of the record is missing"),
            Lost::Field(Bad::Number) => (Code::BadNumber, "a field is no number that fits"),
            Lost::Thread => {
                (Code::UnknownContainer, "the header does not tell of this thread of this task")
            }
            Lost::Backward => (Code::NegativeDuration, "the state ends before it begins"),
            Lost::Kind => (Code::UnknownRecord, "a record of unknown kind"),
            Lost::NotRead => {
                (Code::RecordNotRead, "records of global operations are obsolete and not read")
            }
        };
        faults.report_at(batch, spot, code, || message.to_owned());
    }

    fn record(
        &mut self,
        batch: &mut Batch,
        fields: &mut Fields<'_>,
        spot: Spot,
        offset: u64,
    ) -> Result<(), Lost> {
        let mut writer = Writer { batch, at: spot.at };
        match fields.unsigned().map_err(|_| Lost::Kind)? {
            1 => self.state(&mut writer, fields),
            2 => self.event(&mut writer, fields),
            3 => self.message(&mut writer, fields, spot, offset),
            4 => Err(Lost::NotRead),
            _ => Err(Lost::Kind),
        }
    }

    /// A state from one time to another; a negative end is none.
    fn state(&mut self, out: &mut Writer<'_>, fields: &mut Fields<'_>) -> Result<(), Lost> {
        let (thread, cpu) = self.place(fields)?;
        let begin = time(fields)?;
        let end = fields.number()?;
        let value = fields.number()?.value();
        let pair = self.pair(thread, Type::State);
        let value = self.value(Type::State, value);
        out.push(begin, pair, Op::PushState, value);
        if let Some(end) = end.unsigned() {
            let end = time_of(end).ok_or(Bad::Number)?;
            if end < begin {
                return Err(Lost::Backward);
            }
            out.push(end, pair, Op::PopState, 0);
        }
        self.on_cpu(thread, begin, cpu);
        Ok(())
    }

    /// Some events of a thread at one time.
    fn event(&mut self, out: &mut Writer<'_>, fields: &mut Fields<'_>) -> Result<(), Lost> {
        let (thread, cpu) = self.place(fields)?;
        let time = time(fields)?;
        loop {
            let number = fields.unsigned()?;
            let value = fields.number()?;
            self.value_of_type(out, thread, time, number, value);
            if fields.is_at_end() {
                break;
            }
        }
        self.on_cpu(thread, time, cpu);
        Ok(())
    }

    fn value_of_type(
        &mut self,
        out: &mut Writer<'_>,
        thread: u32,
        time: Ticks,
        number: u64,
        value: Number,
    ) {
        let of = Type::Event(number);
        let pair = self.pair(thread, of);
        let (kind, scale) = self.kind(number);
        let ends = value.value() == 0;
        match kind {
            Kind::Flat if ends => out.push(time, pair, Op::ResetState, 0),
            Kind::Stacked if ends => out.push(time, pair, Op::PopState, 0),
            Kind::Flat => out.push(time, pair, Op::SetState, self.value(of, value.value())),
            Kind::Stacked => out.push(time, pair, Op::PushState, self.value(of, value.value())),
            Kind::Instant => out.push(time, pair, Op::NewEvent, self.value(of, value.value())),
            Kind::Quantity | Kind::Counter => {
                if kind == Kind::Counter {
                    self.note.counters.push(out.batch.records.len() as u32);
                }
                let index = out.batch.numbers.len() as u32;
                out.batch.numbers.push(value.as_f64() / scale);
                out.push(time, pair, Op::SetVariable, index);
            }
        }
    }

    /// A message. It leaves when it is sent physically and arrives when it is received so; when
    /// the calls were made is told in fields.
    fn message(
        &mut self,
        out: &mut Writer<'_>,
        fields: &mut Fields<'_>,
        spot: Spot,
        offset: u64,
    ) -> Result<(), Lost> {
        let (sender, _) = self.place(fields)?;
        let logical_send = fields.unsigned()?;
        let sent = time(fields)?;
        let (receiver, _) = self.place(fields)?;
        let logical_receive = fields.unsigned()?;
        let received = time(fields)?;
        let size = fields.unsigned()?;
        let tag = fields.number()?.value();
        let LinkFields { tag: tag_field, logical_send: send, logical_receive: receive } =
            self.trace.fields;
        let mut extras = std::mem::take(&mut self.extras);
        extras.clear();
        push_extra(&mut extras, tag_field, tag.to_string().as_bytes());
        push_extra(&mut extras, send, logical_send.to_string().as_bytes());
        self.half(out, sent, Op::StartLink, sender, size, &extras, (spot, offset));
        extras.clear();
        push_extra(&mut extras, receive, logical_receive.to_string().as_bytes());
        self.half(out, received, Op::EndLink, receiver, size, &extras, (spot, offset));
        self.extras = extras;
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "a link has that many sides")]
    fn half(
        &mut self,
        out: &mut Writer<'_>,
        time: Ticks,
        op: Op,
        thread: u32,
        size: u64,
        extras: &[u8],
        (spot, offset): (Spot, u64),
    ) {
        let pair = self.message_pair();
        let symbols = self.trace.symbols;
        // Both ends stand on one line, and no other line is there.
        let start = out.batch.arena.len();
        push_number(&mut out.batch.arena, offset);
        let key = span_from(&out.batch.arena, start);
        let half = LinkHalf {
            value: self.trace.message_value,
            container: self.trace.places.symbol(thread),
            key_hash: symbols.key_hash(out.batch.bytes(key)),
            key,
            size: Some(size),
            line: spot.line,
            unique: true,
        };
        out.batch.halves.push(half);
        let packed = out.batch.keep(extras);
        out.batch.extras.push(packed);
        let index = out.batch.halves.len() as u32 - 1;
        out.push(time, pair, op, index);
        if let Some(record) = out.batch.records.last_mut() {
            record.has_extras = true;
        }
    }

    /// The thread that the next fields speak of, and the processor that it is on.
    #[inline]
    fn place(&self, fields: &mut Fields<'_>) -> Result<(u32, u64), Lost> {
        let cpu = fields.unsigned()?;
        let (application, task) = (fields.unsigned()?, fields.unsigned()?);
        let thread = fields.unsigned()?;
        let thread = self.trace.places.thread(application, task, thread).ok_or(Lost::Thread)?;
        Ok((thread, cpu))
    }

    /// A thread is on a processor; 0 is none that is known.
    #[inline]
    fn on_cpu(&mut self, thread: u32, time: Ticks, cpu: u64) {
        if cpu != 0 && self.cpu_of.insert(thread, cpu) != Some(cpu) {
            self.note.cpus.push((thread, time, cpu));
        }
    }

    #[inline]
    fn pair(&mut self, thread: u32, of: Type) -> Symbol {
        if let Some(&pair) = self.pairs.get(&(thread, of)) {
            return pair;
        }
        self.want(Wanted::Type(of));
        let pair = self.trace.pair(thread, of);
        self.pairs.insert((thread, of), pair);
        pair
    }

    fn message_pair(&mut self) -> Symbol {
        if let Some(pair) = self.message_pair {
            return pair;
        }
        self.want(Wanted::Type(Type::Message));
        let symbols = self.trace.symbols;
        let of = symbols.types.intern(&Type::Message.identifier());
        *self.message_pair.insert(symbols.pair(ROOT, image_of(ROOT), of))
    }

    #[inline]
    fn value(&mut self, of: Type, value: i128) -> Symbol {
        if let Some(&symbol) = self.values.get(&(of, value)) {
            return symbol;
        }
        self.want(Wanted::Value(of, value));
        let symbol = self.trace.symbols.values.intern(&value_identifier(value));
        self.values.insert((of, value), symbol);
        symbol
    }

    #[inline]
    fn kind(&mut self, number: u64) -> (Kind, f64) {
        let labels = &self.trace.labels;
        *self.kinds.entry(number).or_insert_with(|| {
            let precision = labels.events.get(&number).map_or(0, |event| event.precision);
            (Kind::of(number, labels), 10f64.powi(precision.into()))
        })
    }

    fn want(&mut self, wanted: Wanted) {
        if self.seen.insert(wanted) {
            self.note.wanted.push(wanted);
        }
    }
}

impl Trace<'_> {
    /// The symbol of a thread and a type.
    pub fn pair(&self, thread: u32, of: Type) -> Symbol {
        let of = self.symbols.types.intern(&of.identifier());
        let alias = self.places.alias(thread);
        self.symbols.pair(alias, image_of(alias), of)
    }
}

/// A time of the trace.
#[inline]
fn time(fields: &mut Fields<'_>) -> Result<Ticks, Lost> {
    Ok(time_of(fields.unsigned()?).ok_or(Bad::Number)?)
}

/// Adds records of one line to a batch.
struct Writer<'b> {
    batch: &'b mut Batch,
    at: u32,
}

impl Writer<'_> {
    #[inline]
    fn push(&mut self, time: Ticks, pair: Symbol, op: Op, value: u32) {
        let record = Record { time, at: self.at, pair, value, op, has_extras: false };
        self.batch.records.push(record);
    }
}

/// The place of a record is that of its line.
struct LineLocator;

impl Locate for LineLocator {
    fn locate(&self, text: &[u8], at: u32, _: Option<Role>) -> Located {
        let before = text.get(..at as usize).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() as u32;
        let event = match text.get(at as usize) {
            Some(b'1') => "state",
            Some(b'2') => "event",
            Some(b'3') => "communication",
            _ => "",
        };
        Located { line, column: 1, event: event.to_owned() }
    }
}
