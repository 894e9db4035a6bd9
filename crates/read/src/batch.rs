//! Records: what a reader hands to the simulator, in batches that follow the source's order.

use std::sync::Arc;

use onca_model::{Code, Color, Nature, Position, Ticks};

use crate::symbols::Symbol;

/// What a record does, for the records that make up nearly all of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Op {
    /// Close all open states of a track and open one.
    SetState,
    /// Open a state inside the open one.
    PushState,
    /// Close the innermost state.
    PopState,
    /// Close all open states.
    ResetState,
    /// Something happens.
    NewEvent,
    /// A variable gets a value.
    SetVariable,
    /// A variable grows.
    AddVariable,
    /// A variable shrinks.
    SubVariable,
    /// A link leaves its source.
    StartLink,
    /// A link reaches its destination.
    EndLink,
    /// Something rare: see [`Rare`].
    Rare,
}

impl Op {
    /// The nature of the type that such a record needs.
    #[inline]
    pub fn nature(self) -> Nature {
        match self {
            Self::SetState | Self::PushState | Self::PopState | Self::ResetState => Nature::State,
            Self::NewEvent => Nature::Event,
            Self::SetVariable | Self::AddVariable | Self::SubVariable => Nature::Variable,
            Self::StartLink | Self::EndLink => Nature::Link,
            Self::Rare => Nature::Container,
        }
    }
}

impl Record {
    /// The time of a creation: the container has always been there. It then begins with the
    /// trace, whenever that is.
    pub const SINCE_EVER: Ticks = Ticks::MIN;
}

/// One record. What `value` means depends on the operation: a symbol for states and events,
/// else an index into `numbers`, `halves` or `rare` of the batch.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// When; 0 for definitions, which have no time.
    pub time: Ticks,
    /// Where in the batch's text the record stands; orders records and problems.
    pub at: u32,
    /// The container and type it concerns, as a symbol of
    /// [`Symbols::pair`](crate::Symbols::pair).
    pub pair: Symbol,
    /// See above.
    pub value: u32,
    /// What it does.
    pub op: Op,
    /// The next entry of the batch's `extras` belongs to it.
    pub has_extras: bool,
}

/// A stretch of the batch's `arena`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Number of bytes.
    pub len: u32,
}

/// The part of a link record that other records do not have.
#[derive(Clone, Copy, Debug)]
pub struct LinkHalf {
    /// The value, as a symbol.
    pub value: Symbol,
    /// The source or destination, as a symbol.
    pub container: Symbol,
    /// The key's hash.
    pub key_hash: u64,
    /// The key's text.
    pub key: Span,
    /// A size, when an extra field gives one.
    pub size: Option<u64>,
    /// The line within the batch, from 0: a half that stays alone is reported at the end.
    pub line: u32,
    /// Exactly two halves of the trace have this key: it does not matter which comes first.
    pub unique: bool,
}

/// Records that define, create and destroy.
#[derive(Clone, Copy, Debug)]
pub enum Rare {
    /// A type is defined.
    Type(TypeRecord),
    /// A value is defined.
    Value(ValueRecord),
    /// A container is created.
    Create(CreateRecord),
    /// A container is destroyed.
    Destroy {
        /// The container's identifier.
        container: Symbol,
        /// Its type's identifier.
        type_symbol: Symbol,
    },
    /// Another file holds the records of a container.
    Part {
        /// The file's name, as written.
        file: Span,
    },
    /// An event of the traced program; what it says is in its extra fields.
    UserEvent {
        /// The name of the event, as a symbol of a value.
        name: Symbol,
    },
    /// Recognised, and of no consequence.
    Ignored,
}

/// A type definition.
#[derive(Clone, Copy, Debug)]
pub struct TypeRecord {
    /// What it is a type of.
    pub nature: Nature,
    /// The name.
    pub name: Span,
    /// Does an alias stand beside the name?
    pub has_alias: bool,
    /// The alias, or the name without one.
    pub identifier: Symbol,
    /// The container type that it belongs to.
    pub parent: Symbol,
    /// For links: the types of both ends.
    pub ends: Option<(Symbol, Symbol)>,
    /// A colour.
    pub color: Option<Color>,
}

/// A value definition.
#[derive(Clone, Copy, Debug)]
pub struct ValueRecord {
    /// The name.
    pub name: Span,
    /// Does an alias stand beside the name?
    pub has_alias: bool,
    /// The alias, or the name without one.
    pub identifier: Symbol,
    /// The type whose value it is.
    pub type_symbol: Symbol,
    /// A colour.
    pub color: Option<Color>,
}

/// The creation of a container.
#[derive(Clone, Copy, Debug)]
pub struct CreateRecord {
    /// The name.
    pub name: Span,
    /// The alias, if one stands beside the name.
    pub alias: Option<Span>,
    /// The alias, or the name without one.
    pub identifier: Symbol,
    /// The container's type.
    pub type_symbol: Symbol,
    /// The container that it is created in.
    pub parent: Symbol,
    /// A file with its records.
    pub part: Option<Span>,
}

/// What a field of a record stands for, to find its place in the source again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Role {
    /// When.
    Time,
    /// A name to show, or the container that is destroyed.
    Name,
    /// An identifier.
    Alias,
    /// A type.
    Type,
    /// A container, or the owner of a link.
    Container,
    /// A value.
    Value,
    /// The type of a link's source.
    StartContainerType,
    /// The type of a link's destination.
    EndContainerType,
    /// A link's source.
    StartContainer,
    /// A link's destination.
    EndContainer,
    /// What pairs the halves of a link.
    Key,
    /// A colour.
    Color,
    /// A file.
    File,
}

impl Role {
    /// How many roles there are.
    pub const COUNT: usize = 13;
}

/// A problem that the reader met.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Where in the batch's text; orders problems and records.
    pub at: u32,
    /// Line within the batch, from 0.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What kind.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What would help.
    pub hint: Option<String>,
}

/// Finds the place of a record in its source again. Formats differ in how; only diagnostics ask.
pub trait Locate: Send + Sync {
    /// Line within the batch (from 0) and column (from 1) of the field with this role in the
    /// record at `at`, and the name of the event.
    fn locate(&self, text: &[u8], at: u32, role: Option<Role>) -> Located;
}

/// The place of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    /// Line within the batch, from 0.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The name of the event, such as `PajePushState`.
    pub event: String,
}

/// How places in a source are counted. Where bytes are, they take the place of lines in
/// everything that a batch says about lines, and there are no columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counting {
    /// Lines and columns.
    #[default]
    Lines,
    /// Bytes.
    Bytes,
}

/// Some consecutive records of one source file, decoded.
#[derive(Default)]
pub struct Batch {
    /// The records in file order.
    pub records: Vec<Record>,
    /// Values of variables.
    pub numbers: Vec<f64>,
    /// Halves of links.
    pub halves: Vec<LinkHalf>,
    /// Definitions and the like.
    pub rare: Vec<Rare>,
    /// Packed extra fields in the arena, one entry for each record that has some, in order.
    pub extras: Vec<Span>,
    /// Texts that the entries above refer to.
    pub arena: Vec<u8>,
    /// Problems in file order; repeats beyond a bound are only counted in `unsampled`.
    pub problems: Vec<Problem>,
    /// Problems that were counted without a sample.
    pub unsampled: Vec<(Code, u64)>,
    /// Record lines, good or bad.
    pub n_records: u64,
    /// Record lines that the reader had to give up.
    pub n_lost: u64,
    /// Lines of all sorts.
    pub n_lines: u64,
    /// Set when a time does not fit: the largest power of ten that ticks may be of a unit.
    pub tick_exponent_needed: Option<u8>,
    /// The time on the last record line: `None` when there is no record line at all.
    pub last_line: Option<Option<Ticks>>,
    /// It is the last line of a file, no newline ended it, and a name in it may be half a name.
    pub cut: bool,
    /// The format says that values are defined before they are used.
    pub values_are_declared: bool,
    /// The source keeps records in several orders, such as one for each thread: where a track goes back, nothing is wrong.
    pub in_several_orders: bool,
    /// How places of this batch are counted.
    pub counting: Counting,
    /// The first line of the batch in its file, from 1; where bytes are counted, the offset of
    /// its first byte.
    pub first_line: u64,
    /// Memory that the reader holds to decode what follows, in bytes.
    pub held_bytes: usize,
    /// Which part of the trace the batch comes from.
    pub part: u32,
    pub(crate) text: Vec<u8>,
    pub(crate) locator: Option<Arc<dyn Locate>>,
}

impl Batch {
    /// The bytes of a span.
    #[inline]
    pub fn bytes(&self, span: Span) -> &[u8] {
        &self.arena[span.start as usize..][..span.len as usize]
    }

    /// The position of a record's field in the source, and the name of its event.
    pub fn locate(&self, at: u32, role: Option<Role>) -> (Position, String) {
        let Some(locator) = &self.locator else { return (Position::default(), String::new()) };
        let located = locator.locate(&self.text, at, role);
        (self.position(located.line, located.column), located.event)
    }

    /// The position of a line of this batch.
    pub fn position(&self, line: u32, column: u32) -> Position {
        let line = self.first_line + u64::from(line);
        match self.counting {
            Counting::Lines => Position::at_line(self.part, line, column),
            Counting::Bytes => Position::at_offset(self.part, line),
        }
    }

    /// How many lines end between two places of the text. Whoever needs the line of every
    /// record walks from one to the next.
    pub fn lines_between(&self, from: u32, to: u32) -> u64 {
        if self.counting == Counting::Bytes {
            return u64::from(to.saturating_sub(from));
        }
        let text = self.text.get(from as usize..to as usize).unwrap_or_default();
        memchr::memchr_iter(b'\n', text).count() as u64
    }

    /// Empties the batch and keeps its memory; the old text is left to be overwritten.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.numbers.clear();
        self.halves.clear();
        self.rare.clear();
        self.extras.clear();
        self.arena.clear();
        self.problems.clear();
        self.unsampled.clear();
        self.locator = None;
        self.n_records = 0;
        self.n_lost = 0;
        self.n_lines = 0;
        self.tick_exponent_needed = None;
        self.last_line = None;
        self.cut = false;
        self.held_bytes = 0;
    }

    /// Appends bytes to the arena.
    #[inline]
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> Span {
        let start = self.arena.len() as u32;
        self.arena.extend_from_slice(bytes);
        Span { start, len: bytes.len() as u32 }
    }
}

/// Takes batches in file order.
pub trait BatchConsumer: Send {
    /// Applies a batch. `Break` stops reading.
    fn accept(&mut self, batch: &Batch) -> std::ops::ControlFlow<()>;
}
