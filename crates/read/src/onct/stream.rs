//! The records of one thread, block by block.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

use foldhash::fast::RandomState;
use onca_model::{Code, FieldKind, Nature, push_extra};

use super::block::{BLOCK_HEAD, Block, Kind, number};
use super::fields::Packed;
use super::trace::Trace;
use crate::batch::{Batch, LinkHalf, Op};
use crate::cursor::{Broken, Field};
use crate::piece::Piece;
use crate::symbols::{Symbol, image_of};

const BACKWARDS: u8 = 0x80;
const SAME_CONTAINER: u8 = 0x40;
const SAME_TYPE: u8 = 0x20;
/// A link as it lies in memory goes on in another slot of this kind.
const MORE: u8 = 16;
/// Bytes of a record as it lies in memory.
const SLOT: usize = 24;

/// Where the reading of a thread stands.
pub(super) struct Stream {
    pub number: u32,
    /// The file, by its number among those of the trace.
    file: usize,
    blocks: std::vec::IntoIter<Block>,
    /// How many records should have come so far.
    expected: u64,
    pub ended: bool,
    pairs: HashMap<(u32, u32), Symbol, RandomState>,
    payload: Vec<u8>,
    packed: Vec<u8>,
    thread: u32,
}

/// A record, before what it refers to was looked up.
struct Raw {
    kind: u8,
    ticks: u64,
    container: u32,
    of: u32,
    body: Body,
}

enum Body {
    Nothing,
    Value(u64),
    Number(f64),
    Link { value: u64, key: u64, owner: u32, size: Option<u64> },
}

/// A field of the record before it.
struct Attribute {
    field: u32,
    kind: FieldKind,
    content: Content,
}

enum Content {
    Text(Vec<u8>),
    /// What the clock of records showed.
    Ticks(u64),
}

/// Gives the records of a payload.
trait Records {
    /// The next record; `None` at the end.
    fn next(&mut self) -> Field<Option<Raw>>;

    /// The next field of the record that came last.
    fn next_field(&mut self) -> Field<Option<Attribute>>;

    /// Where it stands in the payload.
    fn at(&self) -> usize;

    fn is_at_end(&self) -> bool;
}

impl Stream {
    pub fn new(number: u32, file: usize, thread: u32, blocks: Vec<Block>) -> Self {
        Self {
            number,
            file,
            blocks: blocks.into_iter(),
            expected: 0,
            ended: false,
            pairs: HashMap::default(),
            payload: Vec::new(),
            packed: Vec::new(),
            thread,
        }
    }

    /// Decodes the next block.
    pub fn decode(&mut self, trace: &Trace<'_>, batch: &mut Batch) {
        let file = &trace.files[self.file];
        let Some(block) = self.blocks.next() else {
            self.ended = true;
            return;
        };
        self.ended = self.blocks.as_slice().is_empty();
        let start = block.offset - BLOCK_HEAD as u64;
        let mut piece = Piece::new(batch, file.part, start, &trace.locator);
        piece.batch.in_several_orders = true;
        let mut payload = std::mem::take(&mut self.payload);
        match read(&file.path, &block, &mut payload) {
            Err(error) => piece.unreadable(&error, u64::from(block.n_records).max(1)),
            Ok(false) => {
                let n = u64::from(block.n_records).max(1);
                piece.batch.n_records += n;
                self.expected = block.first_record + n;
                piece.lose_many(n, Code::DamagedRecord, || {
                    format!("a block is damaged: {n} records of {} are lost", self.name(trace))
                });
            }
            Ok(true) => self.block(trace, &block, &payload, &mut piece),
        }
        self.payload = payload;
        trace.progress.advance(u64::from(block.len) + BLOCK_HEAD as u64);
    }

    fn name(&self, trace: &Trace<'_>) -> String {
        let threads = &trace.files[self.file].definitions.threads;
        let unknown = || format!("thread number {}", self.thread);
        threads.get(&self.thread).cloned().unwrap_or_else(unknown)
    }

    fn block(&mut self, trace: &Trace<'_>, block: &Block, payload: &[u8], piece: &mut Piece<'_>) {
        if block.first_record > self.expected {
            let n = block.first_record - self.expected;
            piece.batch.n_records = piece.batch.n_records.saturating_add(n);
            piece.lose_many(n, Code::DamagedRecord, || {
                format!("{n} records of {} before this block are lost", self.name(trace))
            });
        }
        // A crash may have written records twice.
        let known = self.expected.saturating_sub(block.first_record);
        let n_decoded = match block.kind {
            Kind::Raw => self.records(trace, block, &mut Slots::new(payload), known, piece),
            _ => {
                let mut records = Encoded::new(payload, block.base);
                self.records(trace, block, &mut records, known, piece)
            }
        };
        let (n_decoded, broken) = n_decoded;
        self.expected = self.expected.max(block.first_record.saturating_add(n_decoded));
        let n_missing = u64::from(block.n_records).saturating_sub(n_decoded);
        if block.is_cut {
            let n_missing = n_missing.max(1);
            piece.batch.n_records += n_missing;
            piece.lose_many(n_missing, Code::Truncated, || {
                let name = self.name(trace);
                format!("the file ends in a block: {n_missing} records of {name} are lost")
            });
            self.expected = self.expected.max(block.first_record + u64::from(block.n_records));
        } else if broken || n_missing > 0 {
            let n_missing = n_missing.max(1);
            piece.batch.n_records += n_missing;
            piece.lose_many(n_missing, Code::DamagedRecord, || {
                format!("{n_missing} records of a block cannot be decoded")
            });
        }
    }

    /// Hands over the records of a block after those that are known; how many it has, and whether it is broken.
    fn records(
        &mut self,
        trace: &Trace<'_>,
        block: &Block,
        records: &mut dyn Records,
        known: u64,
        piece: &mut Piece<'_>,
    ) -> (u64, bool) {
        let mut n = 0;
        let mut packed = std::mem::take(&mut self.packed);
        let broken = loop {
            let at = records.at();
            let raw = match records.next() {
                Ok(Some(raw)) => raw,
                Ok(None) => break false,
                Err(_) => break true,
            };
            packed.clear();
            let names = &trace.files[self.file].names;
            let fields = loop {
                match records.next_field() {
                    Ok(None) => break Ok(()),
                    Err(broken) => break Err(broken),
                    Ok(Some(attribute)) => {
                        let name = names.field(attribute.field).unwrap_or(b"unknown field");
                        let field = trace.symbols.field(name, attribute.kind);
                        match attribute.content {
                            Content::Text(text) => push_extra(&mut packed, field, &text),
                            Content::Ticks(ticks) => {
                                let time = trace.files[self.file].clock.time(ticks);
                                push_extra(&mut packed, field, time.to_string().as_bytes());
                            }
                        }
                    }
                }
            };
            // A record whose fields are cut is not what was recorded. Where the file ends, more might have followed.
            if fields.is_err() || block.is_cut && records.is_at_end() {
                break true;
            }
            n += 1;
            if n > known {
                piece.at = (at + BLOCK_HEAD) as u32;
                piece.batch.n_records += 1;
                if let Err(what) = self.record(trace, &raw, &packed, piece) {
                    piece.lose(Code::UnknownDefinition, || format!("a record refers to {what}"));
                }
            }
        };
        self.packed = packed;
        (n, broken)
    }

    fn pair(&mut self, trace: &Trace<'_>, container: u32, of: u32) -> Result<Symbol, String> {
        if let Some(&known) = self.pairs.get(&(container, of)) {
            return Ok(known);
        }
        let names = &trace.files[self.file].names;
        let alias = names
            .container(container)
            .ok_or_else(|| format!("container {container}, which is not defined"))?;
        let of_symbol = names.types.get(&of).map(|known| known.symbol);
        let of_symbol = of_symbol.ok_or_else(|| format!("type {of}, which is not defined"))?;
        let pair = trace.symbols.pair(&alias, image_of(&alias), of_symbol);
        self.pairs.insert((container, of), pair);
        Ok(pair)
    }

    /// Hands a record over; what is not defined is the error.
    fn record(
        &mut self,
        trace: &Trace<'_>,
        raw: &Raw,
        packed: &[u8],
        piece: &mut Piece<'_>,
    ) -> Result<(), String> {
        let op = match raw.kind {
            1 => Op::SetState,
            2 => Op::PushState,
            3 => Op::PopState,
            4 => Op::ResetState,
            5 => Op::NewEvent,
            6 => Op::SetVariable,
            7 => Op::AddVariable,
            8 => Op::SubVariable,
            9 => Op::StartLink,
            _ => Op::EndLink,
        };
        let file = &trace.files[self.file];
        let nature = file.names.types.get(&raw.of).map(|known| known.nature);
        match nature {
            None => return Err(format!("type {}, which is not defined", raw.of)),
            Some(nature) if nature != op.nature() => {
                let (has, wants) = (nature.name(), op.nature().name());
                return Err(format!("type {}, which is a {has} type and no {wants} type", raw.of));
            }
            Some(Nature::Link) if file.names.container(raw.container).is_none() => {
                return Err(format!("container {}, which is not defined", raw.container));
            }
            Some(_) => {}
        }
        let owner = match raw.body {
            Body::Link { owner, .. } => owner,
            _ => raw.container,
        };
        let pair = self.pair(trace, owner, raw.of)?;
        let value_of = |value: u64| {
            let known = u32::try_from(value).ok().and_then(|id| file.names.values.get(&id));
            match known {
                Some((of, symbol)) if *of == raw.of => Ok(*symbol),
                Some((of, _)) => {
                    Err(format!("value {value} of type {}, which is of type {of}", raw.of))
                }
                None => Err(format!("value {value}, which is not defined")),
            }
        };
        let value = match raw.body {
            Body::Nothing => 0,
            Body::Value(value) => value_of(value)?,
            Body::Number(number) => {
                piece.batch.numbers.push(number);
                piece.batch.numbers.len() as u32 - 1
            }
            Body::Link { value, key, size, .. } => {
                let value = value_of(value)?;
                let alias = file.names.container(raw.container).unwrap_or_default();
                let text = key.to_string();
                let half = LinkHalf {
                    value,
                    container: trace.symbols.containers.intern(&alias),
                    key_hash: trace.symbols.key_hash(text.as_bytes()),
                    key: piece.batch.keep(text.as_bytes()),
                    size,
                    line: piece.at,
                    unique: false,
                };
                piece.batch.halves.push(half);
                piece.batch.halves.len() as u32 - 1
            }
        };
        let has_extras = piece.keep_extras(packed);
        piece.push(file.clock.time(raw.ticks), pair, op, value, has_extras);
        Ok(())
    }
}

fn read(path: &Path, block: &Block, payload: &mut Vec<u8>) -> io::Result<bool> {
    block.read(&File::open(path)?, payload)
}

/// Records as the writer packs them.
struct Encoded<'a> {
    packed: Packed<'a>,
    ticks: u64,
    container: u32,
    of: u32,
}

impl<'a> Encoded<'a> {
    fn new(payload: &'a [u8], base: u64) -> Self {
        Self { packed: Packed::new(payload), ticks: base, container: 0, of: 0 }
    }
}

impl Records for Encoded<'_> {
    fn next(&mut self) -> Field<Option<Raw>> {
        if self.packed.is_at_end() {
            return Ok(None);
        }
        let packed = &mut self.packed;
        let tag = packed.u8()?;
        let elapsed = packed.u64()?;
        self.ticks = match tag & BACKWARDS {
            0 => self.ticks.checked_add(elapsed),
            _ => self.ticks.checked_sub(elapsed),
        }
        .ok_or(Broken::Wrong)?;
        if tag & SAME_CONTAINER == 0 {
            self.container = packed.u32()?;
        }
        if tag & SAME_TYPE == 0 {
            self.of = packed.u32()?;
        }
        let kind = tag & 0x1f;
        let body = match kind {
            1 | 2 | 5 => Body::Value(packed.u64()?),
            3 | 4 => Body::Nothing,
            6..=8 => Body::Number(packed.f64()?),
            9 | 10 => Body::Link {
                value: packed.u64()?,
                key: packed.u64()?,
                owner: packed.u32()?,
                size: packed.u64()?.checked_sub(1),
            },
            _ => return Err(Broken::Wrong),
        };
        let (ticks, container, of) = (self.ticks, self.container, self.of);
        Ok(Some(Raw { kind, ticks, container, of, body }))
    }

    fn next_field(&mut self) -> Field<Option<Attribute>> {
        let Some(tag @ 17..=20) = self.packed.peek() else { return Ok(None) };
        self.packed.u8()?;
        let field = self.packed.u32()?;
        if tag == 20 {
            let content = Content::Ticks(self.packed.u64()?);
            return Ok(Some(Attribute { field, kind: FieldKind::Int, content }));
        }
        let (kind, text) = match tag {
            17 => (FieldKind::String, self.packed.text()?.to_vec()),
            18 => (FieldKind::Int, self.packed.i64()?.to_string().into_bytes()),
            _ => (FieldKind::Double, double(self.packed.f64()?)),
        };
        Ok(Some(Attribute { field, kind, content: Content::Text(text) }))
    }

    fn at(&self) -> usize {
        self.packed.at
    }

    fn is_at_end(&self) -> bool {
        self.packed.is_at_end()
    }
}

/// The shortest text that is this number again.
fn double(number: f64) -> Vec<u8> {
    format!("{number:?}").into_bytes()
}

/// Records as they lie in memory, which a crash has saved.
struct Slots<'a> {
    packed: Packed<'a>,
}

impl<'a> Slots<'a> {
    fn new(payload: &'a [u8]) -> Self {
        Self { packed: Packed::new(payload) }
    }

    /// The words of the next slot.
    fn slot(packed: &mut Packed<'_>) -> Field<[u64; 3]> {
        let bytes = packed.bytes(SLOT)?;
        Ok([0, 8, 16].map(|at| number(&bytes[at..at + 8])))
    }
}

impl Records for Slots<'_> {
    fn next(&mut self) -> Field<Option<Raw>> {
        if self.packed.is_at_end() {
            return Ok(None);
        }
        let [ticks, word, payload] = Self::slot(&mut self.packed)?;
        let (kind, of, container) =
            (word as u8, (word >> 8) as u32 & 0xff_ffff, (word >> 32) as u32);
        let body = match kind {
            1 | 2 | 5 => Body::Value(payload),
            3 | 4 => Body::Nothing,
            6..=8 => Body::Number(f64::from_bits(payload)),
            9 | 10 => {
                let [size, word, value] = Self::slot(&mut self.packed)?;
                if word as u8 != MORE {
                    return Err(Broken::Wrong);
                }
                let owner = (word >> 32) as u32;
                Body::Link { value, key: payload, owner, size: size.checked_sub(1) }
            }
            _ => return Err(Broken::Wrong),
        };
        Ok(Some(Raw { kind, ticks, container, of, body }))
    }

    fn next_field(&mut self) -> Field<Option<Attribute>> {
        let mut ahead = self.packed.clone();
        let Ok([first, word, _]) = Self::slot(&mut ahead) else { return Ok(None) };
        let field = (word >> 8) as u32 & 0xff_ffff;
        let (kind, content) = match word as u8 {
            17 => {
                let len = usize::try_from(first).map_err(|_| Broken::Wrong)?;
                let padded = len.checked_next_multiple_of(SLOT).ok_or(Broken::Wrong)?;
                (FieldKind::String, Content::Text(ahead.bytes(padded)?[..len].to_vec()))
            }
            18 => {
                let number = first.cast_signed().to_string();
                (FieldKind::Int, Content::Text(number.into_bytes()))
            }
            19 => (FieldKind::Double, Content::Text(double(f64::from_bits(first)))),
            20 => (FieldKind::Int, Content::Ticks(first)),
            _ => return Ok(None),
        };
        self.packed = ahead;
        Ok(Some(Attribute { field, kind, content }))
    }

    fn at(&self) -> usize {
        self.packed.at
    }

    fn is_at_end(&self) -> bool {
        self.packed.is_at_end()
    }
}
