//! `onca-bench questions`: how long answers take, and how that grows with the trace.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use onca_answer::slice::{Measure, SliceQuestion, What, cube, slice};
use onca_query::{Lens, Scope};
use onca_store::Store;
use serde_json::{Value, json};

use onca_program::format::grouped;
use onca_program::{Exit, Failure};

use crate::measure::{Part, WHOLE, generate, median, milliseconds, remove, report, timed};
use crate::sql::SqlFigures;
use crate::{CommonArgs, MEMORY, index};

/// Measure how long questions take, the first time after opening and again
///
/// Generates traces with a small and a large number of records, indexes them, and asks each the
/// same questions. What counts is the ratio: an answer from the large trace should take little
/// more time than the same answer from the small one.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench questions
  onca-bench questions --events 1000000 --events 8000000
  onca-bench questions --trace run.paje --json")]
pub struct Args {
    /// Ask this trace instead of generated ones; may be given several times, the smallest first
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,

    /// Record lines of a generated trace; may be given several times, the smallest first
    #[arg(long, value_name = "N", default_values_t = [4_000_000, 49_000_000])]
    events: Vec<u64>,

    /// Processes of the generated traces
    #[arg(long, value_name = "N", default_value_t = 700)]
    procs: u32,

    /// How often to measure; the median counts
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,

    /// Do not run pj_dump and awk beside SQL
    #[arg(long)]
    no_peer: bool,

    #[command(flatten)]
    common: CommonArgs,
}

/// The peer keeps everything in memory: it is not asked about larger traces.
const PEER_RECORDS: u64 = 10_000_000;

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = args.common.folder()?;
    let mut figures = Vec::new();
    let place = folder.path().join("store.onca");
    for trace in &args.trace {
        figures.push(Figures::of(trace, &place, args)?);
    }
    if args.trace.is_empty() {
        for &events in &args.events {
            let trace = generate(events, args.procs, folder.path())?;
            figures.push(Figures::of(&trace, &place, args)?);
            remove(&trace)?;
        }
    }
    report(args.common.json, || json(&figures), |out| print(out, &figures))
}

/// One question that is measured.
struct Question {
    /// Its name in the JSON.
    name: &'static str,
    /// What it is, for people.
    title: &'static str,
    part: Part,
    n_slices: usize,
    /// How long it may take, in milliseconds.
    limit_ms: f64,
    /// Below this, in milliseconds, a time does not count as growing with the trace.
    floor_ms: f64,
}

/// The places of the parts are fixed, away from round numbers, so that runs can be compared.
const QUESTIONS: &[Question] = &[
    Question {
        name: "slice_whole",
        title: "slice of the whole",
        part: WHOLE,
        n_slices: 1,
        limit_ms: 20.0,
        floor_ms: 10.0,
    },
    Question {
        name: "slice_tenth",
        title: "slice of a tenth",
        part: Part { from: 437, length: 100 },
        n_slices: 1,
        limit_ms: 20.0,
        floor_ms: 10.0,
    },
    Question {
        name: "slice_thousandth",
        title: "slice of a thousandth",
        part: Part { from: 713, length: 1 },
        n_slices: 1,
        limit_ms: 20.0,
        floor_ms: 10.0,
    },
    Question {
        name: "cube_100",
        title: "cube of 100 slices",
        part: WHOLE,
        n_slices: 100,
        limit_ms: 200.0,
        floor_ms: 100.0,
    },
];

impl Question {
    fn ask(&self, store: &Store) -> Result<(), Failure> {
        let window = self.part.window(&store.catalog().facts);
        let scope = Scope::new(store, &Lens::clear(), window)?;
        let measure = Measure::StateTime { inclusive: false };
        if self.n_slices == 1 {
            std::hint::black_box(slice(&scope, &SliceQuestion::new(What::Measure(measure)))?);
        } else {
            std::hint::black_box(cube(&scope, self.n_slices, measure)?);
        }
        Ok(())
    }
}

/// How long a question took, the first time after opening and again.
#[derive(Clone, Copy)]
struct Times {
    first: Duration,
    again: Duration,
}

/// What was measured on one trace.
struct Figures {
    records: u64,
    open: Duration,
    /// In the order of [`QUESTIONS`].
    times: Vec<Times>,
    sql: SqlFigures,
}

impl Figures {
    fn of(trace: &Path, place: &Path, args: &Args) -> Result<Self, Failure> {
        let records = index(trace, place, MEMORY)?.records;
        let runs = args.runs;
        let mut open = Vec::new();
        let mut times = Vec::new();
        for question in QUESTIONS {
            let (mut first, mut again) = (Vec::new(), Vec::new());
            for _ in 0..runs.max(1) {
                let (opened, store) = timed(|| Ok(Store::open(place)?))?;
                open.push(opened);
                first.push(timed(|| question.ask(&store))?.0);
                again.push(timed(|| question.ask(&store))?.0);
            }
            times.push(Times { first: median(first), again: median(again) });
        }
        let with_peer = !args.no_peer && records <= PEER_RECORDS;
        let sql = SqlFigures::of(place, with_peer.then_some(trace), runs)?;
        Ok(Self { records, open: median(open), times, sql })
    }

    fn json(&self) -> Value {
        let mut answer = json!({
            "records": self.records,
            "open_ms": milliseconds(self.open),
            "sql": self.sql.json(),
        });
        for (question, times) in QUESTIONS.iter().zip(&self.times) {
            answer[question.name] = json!({
                "first_ms": milliseconds(times.first),
                "again_ms": milliseconds(times.again),
            });
        }
        answer
    }
}

/// How the time of one question grew from the smallest trace to the largest.
struct Growth<'a> {
    question: &'a Question,
    small_ms: f64,
    large_ms: f64,
}

impl Growth<'_> {
    /// The time on the large trace in terms of what the small trace, or no trace, may take.
    fn ratio(&self) -> f64 {
        self.large_ms / self.small_ms.max(self.question.floor_ms)
    }

    fn json(&self) -> Value {
        json!({
            "question": self.question.name,
            "large_ms": self.large_ms,
            "limit_ms": self.question.limit_ms,
            "within_limit": self.large_ms <= self.question.limit_ms,
            "floor_ms": self.question.floor_ms,
            "ratio": self.ratio(),
        })
    }
}

fn growths(figures: &[Figures]) -> Vec<Growth<'static>> {
    let (Some(small), Some(large)) = (figures.first(), figures.last()) else { return Vec::new() };
    let times = small.times.iter().zip(&large.times);
    let growth = |(question, (small, large)): (&'static Question, (&Times, &Times))| Growth {
        question,
        small_ms: milliseconds(small.first),
        large_ms: milliseconds(large.first),
    };
    QUESTIONS.iter().zip(times).map(growth).collect()
}

fn json(figures: &[Figures]) -> Value {
    json!({
        "schema": "onca-bench-questions/1",
        "traces": figures.iter().map(Figures::json).collect::<Vec<_>>(),
        "growth": growths(figures).iter().map(Growth::json).collect::<Vec<_>>(),
    })
}

fn print(out: &mut impl Write, figures: &[Figures]) -> io::Result<()> {
    for figure in figures {
        writeln!(out, "{} records", grouped(figure.records))?;
        writeln!(out, "  {:<22} {:>9.2} ms", "open", milliseconds(figure.open))?;
        for (question, times) in QUESTIONS.iter().zip(&figure.times) {
            let (first, again) = (milliseconds(times.first), milliseconds(times.again));
            let title = question.title;
            writeln!(out, "  {title:<22} {first:>9.2} ms the first time, {again:>9.2} ms again")?;
        }
        figure.sql.print(out)?;
    }
    if figures.len() > 1 {
        writeln!(out, "the largest trace, the first time")?;
        for growth in growths(figures) {
            let Question { title, limit_ms, floor_ms, .. } = growth.question;
            let (large, ratio) = (growth.large_ms, growth.ratio());
            writeln!(
                out,
                "  {title:<22} {large:>9.2} ms (limit {limit_ms} ms), {ratio:.2} times \
                 max(the smallest trace, {floor_ms} ms)"
            )?;
        }
    }
    Ok(())
}
