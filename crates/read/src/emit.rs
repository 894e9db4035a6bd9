//! Records of a batch that define and create.

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::ControlFlow;

use foldhash::fast::RandomState;
use onca_model::{Color, FieldKind, Nature, Ticks, push_extra};

use crate::batch::{
    Batch, BatchConsumer, CreateRecord, Op, Rare, Record, Span, TypeRecord, ValueRecord,
};
use crate::symbols::Symbols;

/// The identifier of the root and of its type.
pub(crate) const ROOT: &[u8] = b"0";

/// Extra fields of a definition, packed.
pub(crate) struct Extras<'a> {
    symbols: &'a Symbols,
    packed: Vec<u8>,
}

impl<'a> Extras<'a> {
    pub fn new(symbols: &'a Symbols) -> Self {
        Self { symbols, packed: Vec::new() }
    }

    pub fn push(&mut self, name: &[u8], kind: FieldKind, text: &[u8]) {
        push_extra(&mut self.packed, self.symbols.field(name, kind), text);
    }

    /// All fields.
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }

    pub fn number(&mut self, name: &str, number: impl Into<u64>) {
        let number: u64 = number.into();
        self.push(name.as_bytes(), FieldKind::Int, number.to_string().as_bytes());
    }
}

/// Writes records that define into a batch.
pub(crate) struct Emitter<'a> {
    pub symbols: &'a Symbols,
    pub batch: &'a mut Batch,
}

/// A type to define.
pub(crate) struct NewType<'a> {
    pub nature: Nature,
    pub name: &'a [u8],
    pub identifier: &'a [u8],
    pub parent: &'a [u8],
    pub ends: Option<(&'a [u8], &'a [u8])>,
}

/// A value to define.
pub(crate) struct NewValue<'a> {
    pub type_identifier: &'a [u8],
    pub name: &'a [u8],
    pub identifier: &'a [u8],
    pub color: Option<Color>,
}

/// A container to create.
pub(crate) struct NewContainer<'a> {
    pub name: &'a [u8],
    pub alias: &'a [u8],
    pub type_identifier: &'a [u8],
    pub parent: &'a [u8],
}

impl Emitter<'_> {
    pub fn define_type(&mut self, new: &NewType<'_>) {
        let types = &self.symbols.types;
        let record = TypeRecord {
            nature: new.nature,
            name: self.batch.keep(new.name),
            has_alias: new.identifier != new.name,
            identifier: types.intern(new.identifier),
            parent: types.intern(new.parent),
            ends: new.ends.map(|(from, to)| (types.intern(from), types.intern(to))),
            color: None,
        };
        self.push(0, Rare::Type(record), &[]);
    }

    pub fn create(&mut self, new: &NewContainer<'_>, extras: &Extras<'_>) {
        let record = CreateRecord {
            name: self.batch.keep(new.name),
            alias: Some(self.batch.keep(new.alias)),
            identifier: self.symbols.containers.intern(new.alias),
            type_symbol: self.symbols.types.intern(new.type_identifier),
            parent: self.symbols.containers.intern(new.parent),
            part: None,
        };
        self.push(Record::SINCE_EVER, Rare::Create(record), &extras.packed);
    }

    pub fn define_value(&mut self, new: &NewValue<'_>, extras: &Extras<'_>) {
        let record = ValueRecord {
            name: self.batch.keep(new.name),
            has_alias: new.identifier != new.name,
            identifier: self.symbols.values.intern(new.identifier),
            type_symbol: self.symbols.types.intern(new.type_identifier),
            color: new.color,
        };
        self.push(0, Rare::Value(record), &extras.packed);
    }

    fn push(&mut self, time: Ticks, rare: Rare, extras: &[u8]) {
        let batch = &mut *self.batch;
        if !extras.is_empty() {
            let span: Span = batch.keep(extras);
            batch.extras.push(span);
        }
        let value = batch.rare.len() as u32;
        batch.rare.push(rare);
        let has_extras = !extras.is_empty();
        batch.records.push(Record { time, at: 0, pair: 0, value, op: Op::Rare, has_extras });
    }
}

/// What was defined so far, and a batch for what is to be defined next: types and values are
/// defined when they are first used.
pub(crate) struct Defined<W> {
    known: HashSet<W, RandomState>,
    batch: Batch,
}

impl<W> Default for Defined<W> {
    fn default() -> Self {
        Self { known: HashSet::default(), batch: Batch::default() }
    }
}

impl<W: Copy + Eq + Hash> Defined<W> {
    /// Hands a batch over, after what its records want. What `is_late` comes after the rest.
    pub fn hand_over(
        &mut self,
        symbols: &Symbols,
        wanted: Vec<W>,
        is_late: impl Fn(W) -> bool,
        mut define: impl FnMut(W, &mut Emitter<'_>),
        batch: &Batch,
        consumer: &mut dyn BatchConsumer,
    ) -> ControlFlow<()> {
        let mut new: Vec<W> = wanted.into_iter().filter(|&want| self.known.insert(want)).collect();
        if !new.is_empty() {
            new.sort_by_key(|&want| is_late(want));
            self.batch.clear();
            self.batch.counting = batch.counting;
            self.batch.part = batch.part;
            self.batch.held_bytes = batch.held_bytes;
            let mut out = Emitter { symbols, batch: &mut self.batch };
            for want in new {
                define(want, &mut out);
            }
            consumer.accept(&self.batch)?;
        }
        consumer.accept(batch)
    }
}
