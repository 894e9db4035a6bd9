//! What `onca-trace` writes: a file for each process, with blocks of records of each thread. `docs/onct.md` describes it.
//!
//! The heads of all blocks are looked at first, and definitions and clocks are read. Then the threads of all files
//! are read in turns. Tracks on which several threads record come out of order; the simulator sorts them.

mod block;
mod clock;
mod crc;
mod definitions;
mod fields;
mod files;
mod stream;
mod trace;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onca_model::Code;

use crate::batch::{Batch, BatchConsumer, Counting};
use crate::cursor::Broken;
use crate::emit::Emitter;
use crate::faults::Faults;
use crate::folder::Folder;
use crate::many_files::{end_of_files, read_in_turns};
use crate::reading::{FileList, ReadError, ReadOptions, SourceEnd};
use crate::source::{Progress, Source};
use crate::symbols::Symbols;
use crate::turns::{Schedule, Turns};
use block::{Block, FileProblem, Head, Kind, Reading, find_blocks, number};
use clock::Clock;
use definitions::{Definitions, Names, Vocabulary, define, destroy};
use stream::Stream;
use trace::{ProcessFile, RecordLocator, Trace};

pub use files::{first_file, is_file, is_folder};
pub(crate) use files::{has_end, has_head, named_in};

/// How much of a thread is read in a turn, in bytes: about a block.
const PIECE: usize = 64 << 10;

/// Reads the file of a process, or all those in a folder, and hands the records to the consumer.
pub fn read(
    source: &Source,
    symbols: &Symbols,
    options: ReadOptions,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
    list: &mut FileList,
) -> Result<SourceEnd, ReadError> {
    if source.is_stream() {
        let message = "the trace of a process is read from its file; name it instead of a stream";
        return Err(ReadError::Invalid(message.to_owned()));
    }
    let Survey { mut looks, unread } = survey(source.path(), options.growing, list)?;
    agree_on_time(&mut looks);
    let zero = looks.iter().map(|look| look.clock.time(look.start.ticks)).min().unwrap_or(0);
    let total = looks.iter().map(|look| look.len).sum();
    progress.begin(total);
    let mut problems = Problems { batches: unread };
    mixed_runs(&looks, &mut problems);
    let mut opening = Batch { counting: Counting::Bytes, ..Batch::default() };
    let mut vocabulary = Vocabulary::default();
    let mut process_files = Vec::new();
    let mut streams: Vec<(usize, u32, Vec<Block>)> = Vec::new();
    let n_files = looks.len();
    for (index, look) in looks.iter_mut().enumerate() {
        look.clock.count_from(zero);
        let prefix = if n_files == 1 { String::new() } else { format!("p{index}.") };
        let mut out = Emitter { symbols, batch: &mut opening };
        let (names, n_lost) =
            define(&look.definitions, prefix, &look.clock, &mut vocabulary, &mut out);
        if n_lost > 0 {
            let message = format!("{n_lost} definitions refer to others that are missing");
            look.problem(0, Code::UnknownDefinition, message, n_lost);
        }
        opening.held_bytes += look.definitions.bytes();
        problems.take(look);
        for (thread, blocks) in std::mem::take(&mut look.threads) {
            opening.held_bytes += blocks.capacity() * size_of::<Block>();
            streams.push((index, thread, blocks));
        }
        process_files.push((look, names));
    }
    let producer = process_files.iter().find_map(|(look, _)| look.property("library"));
    let files = process_files.into_iter().map(|(look, names)| look.process_file(names));
    let files: Vec<_> = files.collect();
    let trace = Trace {
        symbols,
        progress,
        files,
        locator: Arc::new(RecordLocator),
        turns: Turns::new(streams.len(), PIECE),
    };
    trace.turns.hold(0, opening.held_bytes);
    let mut sizes = Vec::new();
    for (number, (file, thread, blocks)) in (0..).zip(streams) {
        sizes.push((number, blocks.iter().map(|block| u64::from(block.len)).sum()));
        trace.turns.wait(number, Box::new(Stream::new(number, file, thread, blocks)));
    }
    let schedule = Schedule::new(sizes.into_iter());
    problems.hand_over(consumer)?;
    read_in_turns(&trace, opening, schedule, options.threads, progress, consumer)?;
    let mut closing = Batch { counting: Counting::Bytes, ..Batch::default() };
    for file in &trace.files {
        destroy(&file.definitions, &file.names, &file.clock, symbols, &mut closing);
    }
    if consumer.accept(&closing).is_break() {
        return Err(ReadError::Stopped);
    }
    Ok(end_of_files(1_000_000_000, producer, false, total))
}

/// The files of a trace, looked at.
struct Survey {
    looks: Vec<Look>,
    /// Problems with files that are not read.
    unread: Vec<Batch>,
}

fn survey(path: &Path, growing: bool, list: &mut FileList) -> Result<Survey, ReadError> {
    if !path.is_dir() {
        let part = list.push(path.to_owned());
        return Ok(Survey { looks: vec![Look::at(path, growing, part)?], unread: Vec::new() });
    }
    let folder = Folder::at(path)?;
    let mut survey = Survey { looks: Vec::new(), unread: Vec::new() };
    // A file that comes later changes the folder.
    list.unread.push(path.to_owned());
    let mut first_error = None;
    for file in files::files_in(path) {
        let part = list.next_part();
        let refused = match folder.check(&file) {
            // Its head is still to come.
            Ok(_) if growing && !has_head(&file) => continue,
            Ok(_) => match Look::at(&file, growing, part) {
                Ok(look) => {
                    list.push(file);
                    survey.looks.push(look);
                    continue;
                }
                Err(error) => (Code::MissingPartFile, error),
            },
            Err(refused) => (refused.code(), ReadError::Invalid(refused.to_string())),
        };
        let (code, error) = refused;
        let message = format!("{}: {error}", file.display());
        survey.unread.push(problem_batch(0, 0, code, &message, 1));
        first_error = first_error.or(Some(ReadError::Invalid(message)));
        list.unread.push(file);
    }
    match (survey.looks.is_empty(), first_error) {
        (true, Some(error)) => Err(error),
        (true, None) => {
            Err(ReadError::Invalid("the folder has no file of a process (*.onct)".to_owned()))
        }
        (false, _) => Ok(survey),
    }
}

/// Clocks that were compared with that of another process go by it.
fn agree_on_time(looks: &mut [Look]) {
    let references: Vec<_> = looks
        .iter()
        .filter_map(|look| Some((look.property("rank")?, look.property("run"), look.clock.clone())))
        .collect();
    let n_files = looks.len();
    for look in looks {
        let Some(&(rank, _)) = look.definitions.clock_pairs.first() else { continue };
        let run = look.property("run");
        let is_meant = |(other, of, _): &&(String, Option<String>, Clock)| {
            *other == rank.to_string() && *of == run
        };
        match references.iter().find(is_meant) {
            Some((_, _, reference)) => {
                let pairs = look.definitions.clock_pairs.iter();
                let pairs: Vec<_> =
                    pairs.filter(|(other, _)| *other == rank).map(|(_, pair)| *pair).collect();
                look.clock.agree(reference, &pairs);
            }
            None if n_files > 1 => {
                let message = format!(
                    "the clock was compared with that of rank {rank}, which has no file here: \
                     times are those of its own clock"
                );
                look.problem(0, Code::UnknownClock, message, 0);
            }
            None => {}
        }
    }
}

/// Tells when files cannot be of one run.
fn mixed_runs(looks: &[Look], problems: &mut Problems) {
    let mut runs: BTreeMap<&[u8], &Look> = BTreeMap::new();
    let mut ranks: BTreeMap<&[u8], &Look> = BTreeMap::new();
    for look in looks {
        if let Some(run) = look.definitions.properties.get(&b"run"[..])
            && let Some((other, first)) = runs.first_key_value()
            && *other != &run[..]
        {
            let message = format!("is of another run than {}", first.path.display());
            problems.batches.push(problem_batch(look.part, 0, Code::MixedRuns, &message, 0));
        }
        if let Some(run) = look.definitions.properties.get(&b"run"[..]) {
            runs.entry(run).or_insert(look);
        }
        let Some(rank) = look.definitions.properties.get(&b"rank"[..]) else { continue };
        if let Some(first) = ranks.insert(rank, look) {
            let rank = String::from_utf8_lossy(rank);
            let first = first.path.display();
            let message = format!("rank {rank} is also that of {first}: are these several runs?");
            problems.batches.push(problem_batch(look.part, 0, Code::MixedRuns, &message, 0));
        }
    }
}

/// Problems that are known before records are read, each with its place.
struct Problems {
    batches: Vec<Batch>,
}

impl Problems {
    fn take(&mut self, look: &mut Look) {
        for problem in std::mem::take(&mut look.problems) {
            let FileProblem { offset, code, message, n_lost } = problem;
            self.batches.push(problem_batch(look.part, offset, code, &message, n_lost));
        }
    }

    fn hand_over(self, consumer: &mut dyn BatchConsumer) -> Result<(), ReadError> {
        for batch in self.batches {
            if consumer.accept(&batch).is_break() {
                return Err(ReadError::Stopped);
            }
        }
        Ok(())
    }
}

fn problem_batch(part: u32, offset: u64, code: Code, message: &str, n_lost: u64) -> Batch {
    let mut batch = Batch {
        counting: Counting::Bytes,
        part,
        first_line: offset,
        n_records: n_lost,
        n_lost,
        ..Batch::default()
    };
    Faults::default().report(&mut batch, 0, code, || message.to_owned());
    batch
}

/// What the first look at a file tells.
struct Look {
    path: PathBuf,
    part: u32,
    len: u64,
    start: Reading,
    clock: Clock,
    definitions: Definitions,
    threads: BTreeMap<u32, Vec<Block>>,
    problems: Vec<FileProblem>,
}

impl Look {
    /// While it is written, what is not whole at its end is left out and no problem.
    fn at(path: &Path, growing: bool, part: u32) -> Result<Self, ReadError> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let head = Head::read(&file)?;
        let mut problems = Vec::new();
        let mut blocks = find_blocks(&file, &head, len, &mut problems)?;
        if growing {
            problems.retain(|problem| problem.code != Code::Truncated);
            blocks.pop_if(|block| block.is_cut);
        }
        let mut look = Self {
            path: path.to_owned(),
            part,
            len,
            start: head.start,
            clock: Clock::new(head.start, std::iter::empty()),
            definitions: Definitions::default(),
            threads: BTreeMap::new(),
            problems,
        };
        look.blocks(&file, blocks, growing)?;
        Ok(look)
    }

    fn problem(&mut self, offset: u64, code: Code, message: String, n_lost: u64) {
        self.problems.push(FileProblem { offset, code, message, n_lost });
    }

    fn blocks(&mut self, file: &File, blocks: Vec<Block>, growing: bool) -> io::Result<()> {
        let mut readings = Vec::new();
        let mut payload = Vec::new();
        let mut end = None;
        for block in blocks {
            if matches!(block.kind, Kind::Events | Kind::Raw) {
                self.threads.entry(block.thread).or_default().push(block);
                continue;
            }
            let is_sound = block.read(file, &mut payload)?;
            match block.kind {
                _ if !is_sound => {
                    let what = match block.kind {
                        Kind::Definitions => "definitions",
                        _ => "what the library tells of itself",
                    };
                    let message = format!("a block with {what} is damaged");
                    self.problem(block.offset, Code::DamagedRecord, message, 1);
                }
                Kind::Definitions => match self.definitions.read(&payload) {
                    Ok(()) => {}
                    Err(Broken::Short) if block.is_cut => {}
                    Err(_) => {
                        let message = "definitions that cannot be decoded".to_owned();
                        self.problem(block.offset, Code::DamagedRecord, message, 1);
                    }
                },
                Kind::Clock => readings.extend(Reading::parse(&payload)),
                Kind::Drops => {
                    let n = payload.first_chunk::<8>().map_or(0, |bytes| number(bytes));
                    let unknown = || format!("thread number {}", block.thread);
                    let threads = &self.definitions.threads;
                    let name = threads.get(&block.thread).cloned().unwrap_or_else(unknown);
                    let message =
                        format!("the buffer of {name} was full: {n} records were dropped");
                    self.problem(block.offset, Code::DroppedRecords, message, n);
                }
                Kind::End => end = payload.first_chunk::<12>().copied().or(end),
                Kind::Unknown(kind) => {
                    let message = format!("blocks of kind {kind} are not known");
                    self.problem(block.offset, Code::UnknownRecord, message, 1);
                }
                Kind::Events | Kind::Raw => {}
            }
        }
        self.count_missing(end.filter(|end| end[..4] == [0; 4]).map(|end| number(&end[4..])));
        if end.is_none() && !growing {
            let message = "the file ends without its end mark: the program was killed or still \
                           runs, and what it had not yet written is missing";
            self.problem(self.len, Code::Truncated, message.to_owned(), 1);
        }
        self.clock = Clock::new(self.start, readings.into_iter());
        if !self.clock.has_rate() && !self.threads.is_empty() {
            let message = "the clock was read only once: a tick is taken for a nanosecond";
            self.problem(0, Code::UnknownClock, message.to_owned(), 0);
        }
        Ok(())
    }

    /// Tells of records whose blocks cannot be found, where the file says how many it has.
    fn count_missing(&mut self, n_written: Option<u64>) {
        let mut n_found = 0u64;
        let mut n_gaps = 0u64;
        for blocks in self.threads.values() {
            let mut next = 0u64;
            for block in blocks {
                // Those before a block of the same thread are told of when it is read.
                n_gaps = n_gaps.saturating_add(block.first_record.saturating_sub(next));
                n_found += u64::from(block.n_records);
                next = block.first_record.saturating_add(u64::from(block.n_records));
            }
        }
        let n_missing = n_written.unwrap_or(0).saturating_sub(n_found).saturating_sub(n_gaps);
        if n_missing > 0 {
            let message = format!("{n_missing} records are in blocks that cannot be found");
            self.problem(self.len, Code::DamagedRecord, message, n_missing);
        } else if n_gaps == 0 {
            // Nobody knows what they were, but something they were.
            self.problems.iter_mut().for_each(|problem| problem.n_lost = problem.n_lost.max(1));
        }
    }

    fn property(&self, key: &str) -> Option<String> {
        let value = self.definitions.properties.get(key.as_bytes())?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    fn process_file(&mut self, names: Names) -> ProcessFile {
        let start = self.start;
        ProcessFile {
            path: std::mem::take(&mut self.path),
            part: self.part,
            definitions: std::mem::take(&mut self.definitions),
            names,
            clock: std::mem::replace(&mut self.clock, Clock::new(start, std::iter::empty())),
        }
    }
}
