//! A trace of which all but the calls is known, and the reading of its ranks on all cores.

use std::sync::Arc;

use onca_model::{FieldId, FieldKind, Nature};

use super::calls::RankFile;
use super::comms::Comms;
use super::function::{END, Packing, functions};
use super::names::Meaning;
use super::sections::Sections;
use super::stream::Stream;
use crate::batch::{Batch, Locate};
use crate::emit::{Emitter, Extras, NewContainer, NewType, ROOT};
use crate::many_files::{DecodedPiece, ManyFiles};
use crate::source::Progress;
use crate::symbols::{Symbol, Symbols};
use crate::turns::Turns;

const HOST: &[u8] = b"host";
const RANK: &[u8] = b"rank";
const THREAD: &[u8] = b"thread";
/// The identifier of the type of messages.
pub(super) const MESSAGE: &[u8] = b"Message";

/// States of a rank, or of one of its threads beyond the first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum States {
    /// Calls, and the time between them.
    Mpi { of_thread: bool },
    /// Functions of the program.
    Function { of_thread: bool },
}

impl States {
    pub fn identifier(self) -> &'static [u8] {
        match self {
            Self::Mpi { of_thread: false } => b"MPI",
            Self::Mpi { of_thread: true } => b"MPI@thread",
            Self::Function { of_thread: false } => b"Function",
            Self::Function { of_thread: true } => b"Function@thread",
        }
    }

    fn name(self) -> &'static [u8] {
        match self {
            Self::Mpi { .. } => b"MPI",
            Self::Function { .. } => b"Function",
        }
    }

    fn owner(self) -> &'static [u8] {
        match self {
            Self::Mpi { of_thread } | Self::Function { of_thread } => {
                if of_thread {
                    THREAD
                } else {
                    RANK
                }
            }
        }
    }
}

/// Something that must be defined before the records that use it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Wanted {
    /// The type of threads beyond the first.
    ThreadType,
    Thread {
        rank: u32,
        thread: u16,
    },
    States(States),
}

/// The alias of a rank.
pub(super) fn rank_alias(rank: u32) -> String {
    format!("R{rank}")
}

/// The alias of the container of a thread: the first is the rank itself.
pub(super) fn thread_alias(rank: u32, thread: u16) -> String {
    match thread {
        0 => rank_alias(rank),
        thread => format!("R{rank}.T{thread}"),
    }
}

/// Extra fields.
pub(super) struct Fields {
    /// Of the arguments of each function, by its number.
    pub arguments: Vec<Vec<Option<FieldId>>>,
    pub cpu_enter: FieldId,
    pub cpu_leave: FieldId,
    pub instance: FieldId,
    pub tag: FieldId,
    /// When a message was asked for.
    pub posted: FieldId,
    /// When a send that was begun was over.
    pub completed: FieldId,
}

impl Fields {
    /// The fields of functions that are called: each becomes a column.
    pub fn new(symbols: &Symbols, is_used: impl Fn(u16) -> bool) -> Self {
        let field = |name: &str, kind| symbols.field(name.as_bytes(), kind);
        let mut arguments = vec![Vec::new(); usize::from(END)];
        for function in functions().filter(|function| is_used(function.id)) {
            let fields = function.arguments.iter().map(|argument| {
                let kind = match (argument.packing, Meaning::of(argument.name)) {
                    (Packing::Text, _) => FieldKind::String,
                    (Packing::Byte | Packing::Short | Packing::Int | Packing::Long, meaning) => {
                        match meaning {
                            Meaning::Number => FieldKind::Int,
                            _ => FieldKind::String,
                        }
                    }
                    _ => return None,
                };
                (!argument.name.is_empty()).then(|| field(argument.name, kind))
            });
            arguments[usize::from(function.id)] = fields.collect();
        }
        Self {
            arguments,
            cpu_enter: field("cpu_enter", FieldKind::Double),
            cpu_leave: field("cpu_leave", FieldKind::Double),
            instance: field("instance", FieldKind::Int),
            tag: field("tag", FieldKind::Int),
            posted: field("posted", FieldKind::Int),
            completed: field("completed", FieldKind::Int),
        }
    }
}

/// A trace, ready to be read.
pub(super) struct Trace<'a> {
    pub symbols: &'a Symbols,
    pub progress: &'a Progress,
    pub comms: Comms,
    /// What the file of each rank tells besides its calls.
    pub sections: Vec<Sections>,
    pub fields: Fields,
    /// Counters of each rank.
    pub counter_fields: Vec<Vec<FieldId>>,
    /// The values of states that stand for functions, by their number.
    pub values: Vec<Symbol>,
    pub compute: Symbol,
    pub message_pair: Symbol,
    pub locator: Arc<dyn Locate>,
    pub turns: Turns<Stream>,
}

/// Defines the types that every trace has, and creates hosts and ranks.
pub(super) fn create_places(files: &[RankFile], sections: &[Sections], out: &mut Emitter<'_>) {
    let mut define = |nature, name: &str, identifier, parent| {
        let name = name.as_bytes();
        let ends = (nature == Nature::Link).then_some((RANK, RANK));
        out.define_type(&NewType { nature, name, identifier, parent, ends });
    };
    define(Nature::Container, "Host", HOST, ROOT);
    define(Nature::Container, "Rank", RANK, HOST);
    define(Nature::Link, "Message", MESSAGE, ROOT);
    define_states(States::Mpi { of_thread: false }, out);
    let mut hosts: Vec<&[u8]> = Vec::new();
    for (file, sections) in files.iter().zip(sections) {
        let host = sections.host.as_deref().unwrap_or(b"unknown host");
        let number = hosts.iter().position(|known| *known == host).unwrap_or(hosts.len());
        let host_alias = format!("H{number}");
        if number == hosts.len() {
            hosts.push(host);
            create(out, host, &host_alias, HOST, ROOT);
        }
        let name = format!("rank {}", file.rank);
        create(out, name.as_bytes(), &rank_alias(file.rank), RANK, host_alias.as_bytes());
    }
}

fn create(out: &mut Emitter<'_>, name: &[u8], alias: &str, type_identifier: &[u8], parent: &[u8]) {
    let extras = Extras::new(out.symbols);
    let alias = alias.as_bytes();
    out.create(&NewContainer { name, alias, type_identifier, parent }, &extras);
}

fn define_states(states: States, out: &mut Emitter<'_>) {
    out.define_type(&NewType {
        nature: Nature::State,
        name: states.name(),
        identifier: states.identifier(),
        parent: states.owner(),
        ends: None,
    });
}

impl ManyFiles for Trace<'_> {
    type Stream = Stream;
    type Wanted = Wanted;

    fn symbols(&self) -> &Symbols {
        self.symbols
    }

    fn turns(&self) -> &Turns<Stream> {
        &self.turns
    }

    fn decode_piece(&self, stream: &mut Stream, batch: &mut Batch) -> DecodedPiece<Wanted> {
        stream.decode(self, batch);
        let wanted = std::mem::take(&mut stream.wanted);
        DecodedPiece { file: stream.number, wanted, is_last: stream.ended }
    }

    fn define(&self, wanted: Wanted, out: &mut Emitter<'_>) {
        match wanted {
            Wanted::States(states) => define_states(states, out),
            Wanted::ThreadType => out.define_type(&NewType {
                nature: Nature::Container,
                name: b"Thread",
                identifier: THREAD,
                parent: RANK,
                ends: None,
            }),
            Wanted::Thread { rank, thread } => {
                let (alias, parent) = (thread_alias(rank, thread), rank_alias(rank));
                let name = format!("rank {rank} thread {thread}");
                create(out, name.as_bytes(), &alias, THREAD, parent.as_bytes());
            }
        }
    }
}
