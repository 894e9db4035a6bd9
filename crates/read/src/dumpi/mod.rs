//! The DUMPI format: the MPI calls of each rank in a file of its own, and a small text beside them.
//!
//! Records do not tell who belongs to a communicator, so that files of programs that make some are
//! read twice: first for the calls that make them, then for everything. Calls become states;
//! messages are followed from the calls that send them to the calls that receive them, by the
//! rules of MPI.

mod call;
mod calls;
mod clock;
mod comms;
mod exchange;
mod files;
mod function;
mod made;
mod names;
mod partition;
mod sections;
mod stream;
mod survey;
mod trace;

use std::sync::Arc;

use onca_model::FieldKind;

use crate::batch::{Batch, BatchConsumer, Counting};
use crate::emit::{Emitter, ROOT};
use crate::faults::Faults;
use crate::many_files::{end_of_files, piece_bytes, read_in_turns, refuse_stream};
use crate::pipeline;
use crate::reading::{FileList, ReadError, ReadOptions, SourceEnd};
use crate::source::{Progress, Source};
use crate::symbols::{Symbols, image_of};
use crate::turns::{Schedule, Turns};
use comms::replay;
use files::TraceFiles;
use function::{END, function};
use sections::Sections;
use stream::{CallLocator, Stream};
use survey::{Survey, Surveyed};
use trace::{Fields, MESSAGE, Trace, create_places};

/// Communicators may have this many members together, or as many as the trace has bytes: each is known by some bytes,
/// and has as many members as a text beside it says that there are ranks.
const MOST_MEMBERS: usize = 1 << 24;

pub use files::{has_ranks, is_meta, is_rank_file, main_file_in, main_file_of};

/// Reads a trace, by its `.meta` or by the file of a rank, and hands its records to the consumer.
/// Its files are added to the list.
pub fn read(
    source: &Source,
    symbols: &Symbols,
    options: ReadOptions,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
    files: &mut FileList,
) -> Result<SourceEnd, ReadError> {
    refuse_stream(source, "a DUMPI trace", ".meta")?;
    let found = TraceFiles::find(source.path(), files)?;
    let piece_bytes = piece_bytes(&options);
    let survey = Survey { files: &found.ranks, piece_bytes };
    let (_, surveyed) = pipeline::run(&survey, 0, Vec::new(), options.threads, progress, consumer)?;
    let total = found.ranks.iter().map(|file| file.size).sum();
    progress.begin(total);
    let held_bytes = surveyed.iter().map(Surveyed::bytes).sum();
    let mut opening = Batch { counting: Counting::Bytes, held_bytes, ..Batch::default() };
    let mut faults = Faults::default();
    for problem in &found.problems {
        opening.n_lost += problem.n_missing;
        faults.report(&mut opening, 0, problem.code, || problem.message.clone());
    }
    let trace = prepare(&found, surveyed, symbols, progress, piece_bytes, &mut opening);
    let sizes = (0..).zip(&found.ranks).map(|(number, file)| (number, file.size));
    let schedule = Schedule::new(sizes);
    read_in_turns(&trace, opening, schedule, options.threads, progress, consumer)?;
    let version = trace.sections.iter().find_map(|sections| sections.version);
    let producer = version.map(|[major, minor, patch]| format!("DUMPI {major}.{minor}.{patch}"));
    Ok(end_of_files(1_000_000_000, producer, false, total))
}

/// Puts together what the first look told, and creates hosts and ranks.
fn prepare<'a>(
    found: &TraceFiles,
    surveyed: Vec<Surveyed>,
    symbols: &'a Symbols,
    progress: &'a Progress,
    piece_bytes: usize,
    opening: &mut Batch,
) -> Trace<'a> {
    let is_used = |id: u16| {
        let used = |surveyed: &Surveyed| surveyed.used.get(usize::from(id)).copied();
        surveyed.iter().any(|surveyed| used(surveyed).unwrap_or(false))
    };
    let fields = Fields::new(symbols, is_used);
    let ranks = found.ranks.iter().map(|file| file.rank);
    let (sections, made): (Vec<Sections>, Vec<_>) =
        surveyed.into_iter().map(|surveyed| (surveyed.sections, surveyed.made)).unzip();
    let n_bytes: u64 = found.ranks.iter().map(|file| file.size).sum();
    let most_members = MOST_MEMBERS.max(usize::try_from(n_bytes).unwrap_or(usize::MAX));
    let (comms, mut named) = replay(found.n_ranks, most_members, &ranks.zip(made).collect());
    let mut out = Emitter { symbols, batch: opening };
    create_places(&found.ranks, &sections, &mut out);
    let counter_fields = sections.iter().map(|sections| {
        let labels = sections.counter_labels.iter();
        labels.map(|label| symbols.field(label, FieldKind::Int)).collect()
    });
    let value = |id: u16| {
        let name = function(id).map_or("", |function| &function.name);
        symbols.values.intern(name.as_bytes())
    };
    let message_type = symbols.types.intern(MESSAGE);
    let trace = Trace {
        symbols,
        progress,
        fields,
        counter_fields: counter_fields.collect(),
        values: (0..END).map(value).collect(),
        compute: symbols.values.intern(b"Compute"),
        message_pair: symbols.pair(ROOT, image_of(ROOT), message_type),
        locator: Arc::new(CallLocator),
        turns: Turns::new(found.ranks.len(), piece_bytes),
        comms,
        sections,
    };
    trace.turns.hold(0, opening.held_bytes + trace.comms.bytes());
    for (number, file) in (0..).zip(&found.ranks) {
        let named = named.remove(&file.rank).unwrap_or_default();
        let stream = Stream::new(&trace, number, file.clone(), named);
        trace.turns.wait(number, Box::new(stream));
    }
    trace
}
