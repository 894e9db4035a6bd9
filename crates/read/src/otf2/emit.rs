//! Records of a batch that define and create.

use onca_model::{FieldKind, Nature, Ticks, push_extra};

use crate::batch::{Batch, CreateRecord, Op, Rare, Record, Span, TypeRecord, ValueRecord};
use crate::symbols::Symbols;

/// Extra fields of a definition, packed.
pub(super) struct Extras<'a> {
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
pub(super) struct Emitter<'a> {
    pub symbols: &'a Symbols,
    pub batch: &'a mut Batch,
}

/// A type to define.
pub(super) struct NewType<'a> {
    pub nature: Nature,
    pub name: &'a [u8],
    pub identifier: &'a [u8],
    pub parent: &'a [u8],
    pub ends: Option<(&'a [u8], &'a [u8])>,
}

/// A container to create.
pub(super) struct NewContainer<'a> {
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

    pub fn define_value(
        &mut self,
        type_identifier: &[u8],
        name: &[u8],
        identifier: &[u8],
        extras: &Extras<'_>,
    ) {
        let record = ValueRecord {
            name: self.batch.keep(name),
            has_alias: identifier != name,
            identifier: self.symbols.values.intern(identifier),
            type_symbol: self.symbols.types.intern(type_identifier),
            color: None,
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
