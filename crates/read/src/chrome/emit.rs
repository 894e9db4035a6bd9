//! Records on their way to the consumer, and the types and containers that they need.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use onca_model::{Nature, Ticks};

use super::entry::Entry;
use super::names::{Names, Owner};
use super::parties::{process_identifier, thread_identifier};
use super::problems::Problems;
use super::types::{Definition, Type};
use super::window::Position;
use crate::batch::{
    Batch, BatchConsumer, CreateRecord, LinkHalf, Locate, Located, Op, Rare, Record, Role,
    TypeRecord,
};
use crate::reading::ReadError;
use crate::source::Progress;
use crate::symbols::{Symbol, Symbols, image_of};

/// This many records are handed over at once.
const RECORDS_PER_BATCH: usize = 16 << 10;

/// The identifier of the root, of containers and of types.
pub(super) const ROOT: &[u8] = b"0";

/// Hands records over.
pub(super) struct Emitter<'a> {
    symbols: &'a Symbols,
    consumer: &'a mut dyn BatchConsumer,
    progress: &'a Progress,
    part: u32,
    batch: Batch,
    positions: Vec<Position>,
    types: HashMap<Type, Symbol, RandomState>,
}

impl<'a> Emitter<'a> {
    pub fn new(
        symbols: &'a Symbols,
        consumer: &'a mut dyn BatchConsumer,
        progress: &'a Progress,
        part: u32,
    ) -> Self {
        Self {
            symbols,
            consumer,
            progress,
            part,
            batch: Batch::default(),
            positions: Vec::new(),
            types: HashMap::default(),
        }
    }

    /// Tells what was read and met so far, and that the reader holds so much memory.
    pub fn report(
        &mut self,
        problems: &mut Problems,
        n_events: u64,
        held_bytes: usize,
        tick_exponent_needed: Option<u8>,
    ) -> Result<(), ReadError> {
        problems.move_into(&mut self.batch);
        self.batch.n_records = n_events;
        self.batch.held_bytes = held_bytes;
        self.batch.tick_exponent_needed = tick_exponent_needed;
        self.hand_over()
    }

    /// Hands over what waits.
    pub fn hand_over(&mut self) -> Result<(), ReadError> {
        let batch = &mut self.batch;
        let held_bytes = batch.held_bytes;
        batch.part = self.part;
        // Lines of places count from the beginning of the source.
        batch.first_line = 1;
        let positions = std::mem::take(&mut self.positions);
        batch.locator = Some(Arc::new(Places { positions }));
        let flow = self.consumer.accept(batch);
        batch.clear();
        batch.held_bytes = held_bytes;
        match flow.is_break() || self.progress.is_cancelled() {
            true => Err(ReadError::Stopped),
            false => Ok(()),
        }
    }

    /// Adds a record.
    #[inline]
    fn record(
        &mut self,
        op: Op,
        time: Ticks,
        pair: Symbol,
        value: u32,
        extras: &[u8],
        position: Position,
    ) -> Result<(), ReadError> {
        let at = self.batch.records.len() as u32;
        let has_extras = !extras.is_empty();
        if has_extras {
            let span = self.batch.keep(extras);
            self.batch.extras.push(span);
        }
        self.batch.records.push(Record { time, at, pair, value, op, has_extras });
        self.positions.push(position);
        match self.batch.records.len() >= RECORDS_PER_BATCH {
            true => self.hand_over(),
            false => Ok(()),
        }
    }

    /// A state begins.
    #[inline]
    pub fn push(&mut self, pair: Symbol, time: Ticks, entry: &Entry<'_>) -> Result<(), ReadError> {
        self.record(Op::PushState, time, pair, entry.value, entry.extras, entry.position)
    }

    /// The innermost state ends.
    #[inline]
    pub fn pop(
        &mut self,
        pair: Symbol,
        time: Ticks,
        extras: &[u8],
        position: Position,
    ) -> Result<(), ReadError> {
        self.record(Op::PopState, time, pair, 0, extras, position)
    }

    /// Something happens.
    pub fn event(&mut self, pair: Symbol, time: Ticks, entry: &Entry<'_>) -> Result<(), ReadError> {
        self.record(Op::NewEvent, time, pair, entry.value, entry.extras, entry.position)
    }

    /// A variable gets a value.
    pub fn set(
        &mut self,
        pair: Symbol,
        time: Ticks,
        value: f64,
        position: Position,
    ) -> Result<(), ReadError> {
        let index = self.batch.numbers.len() as u32;
        self.batch.numbers.push(value);
        self.record(Op::SetVariable, time, pair, index, &[], position)
    }

    /// A link leaves or reaches the thread that owns the entry.
    pub fn half(
        &mut self,
        op: Op,
        pair: Symbol,
        time: Ticks,
        entry: &Entry<'_>,
        size: Option<u64>,
    ) -> Result<(), ReadError> {
        let half = LinkHalf {
            value: entry.value,
            container: self.symbols.containers.intern(&thread_identifier(entry.owner, 0)),
            key_hash: self.symbols.key_hash(entry.key),
            key: self.batch.keep(entry.key),
            size,
            line: entry.position.line.saturating_sub(1),
            unique: true,
        };
        let index = self.batch.halves.len() as u32;
        self.batch.halves.push(half);
        self.record(op, time, pair, index, entry.extras, entry.position)
    }

    fn rare(&mut self, rare: Rare, time: Ticks, extras: &[u8]) -> Result<(), ReadError> {
        let index = self.batch.rare.len() as u32;
        self.batch.rare.push(rare);
        self.record(Op::Rare, time, 0, index, extras, Position::default())
    }

    /// The symbol of a type, which is defined when it is first needed.
    pub fn type_symbol(&mut self, names: &Names<'_>, of: Type) -> Result<Symbol, ReadError> {
        if let Some(&known) = self.types.get(&of) {
            return Ok(known);
        }
        let Definition { nature, identifier, name, parent } = of.define(names);
        let parent = match parent {
            // Containers nest two deep, so this ends.
            Some(parent) => self.type_symbol(names, parent)?,
            None => self.symbols.types.intern(ROOT),
        };
        let ends = match nature {
            Nature::Link => {
                let thread = self.type_symbol(names, Type::Thread)?;
                Some((thread, thread))
            }
            _ => None,
        };
        let symbol = self.symbols.types.intern(identifier.as_bytes());
        let name = self.batch.keep(&name);
        let record = TypeRecord {
            nature,
            name,
            has_alias: true,
            identifier: symbol,
            parent,
            ends,
            color: None,
        };
        self.rare(Rare::Type(record), 0, &[])?;
        self.types.insert(of, symbol);
        Ok(symbol)
    }

    /// A container that has always been there.
    pub fn create(
        &mut self,
        identifier: &[u8],
        name: &[u8],
        type_symbol: Symbol,
        parent: &[u8],
        extras: &[u8],
    ) -> Result<(), ReadError> {
        let record = CreateRecord {
            name: self.batch.keep(name),
            alias: Some(self.batch.keep(identifier)),
            identifier: self.symbols.containers.intern(identifier),
            type_symbol,
            parent: self.symbols.containers.intern(parent),
            part: None,
        };
        self.rare(Rare::Create(record), Record::SINCE_EVER, extras)
    }

    /// The symbol of a container and a type.
    pub fn pair(&mut self, container: &[u8], type_symbol: Symbol) -> Symbol {
        self.symbols.pair(container, image_of(container), type_symbol)
    }

    /// The symbol of an owner and a type.
    pub fn pair_of(&mut self, owner: Owner, type_symbol: Symbol) -> Symbol {
        match owner {
            Owner::Root => self.pair(ROOT, type_symbol),
            Owner::Process(process) => self.pair(&process_identifier(process), type_symbol),
            Owner::Thread(thread) => self.pair(&thread_identifier(thread, 0), type_symbol),
        }
    }
}

/// Positions of the records of a batch.
struct Places {
    positions: Vec<Position>,
}

impl Locate for Places {
    fn locate(&self, _: &[u8], at: u32, _: Option<Role>) -> Located {
        let position = self.positions.get(at as usize).copied().unwrap_or_default();
        let (line, column) = (position.line.saturating_sub(1), position.column);
        Located { line, column, event: String::new() }
    }
}
