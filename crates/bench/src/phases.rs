//! `onca-bench phases`: how long the phases of very many messages take.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use onca_answer::phases::{Communication, PhaseSpec};
use onca_query::{Lens, Scope};
use onca_store::Store;
use serde_json::json;

use onca_program::format::{byte_size, grouped};
use onca_program::{Exit, Failure, peak_memory};

use crate::measure::{WHOLE, milliseconds, remove, report, timed};
use crate::{CommonArgs, MEMORY, index};

/// Measure how long the phases of very many messages take
///
/// Generates a trace in which processes exchange messages with their neighbours in a grid, in four steps an iteration, indexes
/// it, and finds phases and communities. Indexing does not count.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench phases
  onca-bench phases --messages 1000000 --procs 1024")]
pub struct Args {
    /// Messages of the generated trace, at least one iteration of them
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    messages: u64,

    /// Processes of the generated trace
    #[arg(long, value_name = "N", default_value_t = 4320, value_parser = clap::value_parser!(u32).range(4..=100_000))]
    procs: u32,

    #[command(flatten)]
    common: CommonArgs,
}

/// Steps of an iteration.
const STEPS: u64 = 4;

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = args.common.folder()?;
    let (trace, place) = (folder.path().join("bench.paje"), folder.path().join("store.onca"));
    generate(args, &trace).map_err(|error| Failure::Cannot(format!("generate: {error}")))?;
    index(&trace, &place, MEMORY)?;
    remove(&trace)?;
    let found = measure(&place)?;
    report(args.common.json, || found.json(), |out| found.print(out))
}

/// Writes the links only. Within a step, everybody starts a little after the one before, and all
/// messages take the same time.
fn generate(args: &Args, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(HEADER.as_bytes())?;
    let procs = u64::from(args.procs);
    for process in 0..procs {
        writeln!(out, "2 0.0 p{process} P 0 p{process}")?;
    }
    let width = procs.isqrt();
    let iterations = args.messages.div_ceil(STEPS * procs).max(1);
    let distances = [1, procs - 1, width, procs - width];
    // Keys are used again when their messages have arrived, so that they are few.
    let key = |step: usize, process: u64| step as u64 * procs + process;
    for iteration in 0..iterations {
        // All messages of an iteration are sent before the first arrives: lines in order of time.
        let begin = |step: usize| iteration * 4_000_000 + step as u64 * 300_000;
        for step in 0..distances.len() {
            for process in 0..procs {
                let (time, key) = (seconds(begin(step) + process * 10), key(step, process));
                writeln!(out, "3 {time} L 0 m p{process} {key} 1024")?;
            }
        }
        for (step, distance) in distances.into_iter().enumerate() {
            for process in 0..procs {
                let time = seconds(begin(step) + 1_000_000 + process * 10);
                let (receiver, key) = ((process + distance) % procs, key(step, process));
                writeln!(out, "4 {time} L 0 m p{receiver} {key}")?;
            }
        }
    }
    out.flush()
}

/// Nanoseconds as the trace writes them.
fn seconds(nanoseconds: u64) -> String {
    format!("{}.{:09}", nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
}

/// The events of the generated trace: containers and the two ends of links.
const HEADER: &str = "\
%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 1
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeStartLink 3
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
% Size int
%EndEventDef
%EventDef PajeEndLink 4
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
0 P 0 Process
1 L 0 P P Message
";

/// What was measured.
struct Found {
    messages: u64,
    processors: usize,
    phases: usize,
    rounding: i64,
    seconds_of_tick: f64,
    clustering: Duration,
    communities: Duration,
}

fn measure(place: &Path) -> Result<Found, Failure> {
    let store = Store::open(place)?;
    let window = WHOLE.window(&store.catalog().facts);
    let scope = Scope::new(&store, &Lens::clear(), window)?;
    let (clustering, communication) =
        timed(|| Ok(Communication::new(&scope, &PhaseSpec::default())?))?;
    let (communities, answer) = timed(|| Ok(communication.phases(None, None)?))?;
    Ok(Found {
        messages: communication.totals.messages,
        processors: communication.processors.len(),
        phases: answer.phases.len(),
        rounding: communication.rounding(),
        seconds_of_tick: 1.0 / communication.unit.ticks_per_unit as f64,
        clustering,
        communities,
    })
}

impl Found {
    fn json(&self) -> serde_json::Value {
        json!({
            "schema": "onca-bench-phases/1",
            "messages": self.messages,
            "processes": self.processors,
            "phases": self.phases,
            "rounding_seconds": self.rounding as f64 * self.seconds_of_tick,
            "clustering_ms": milliseconds(self.clustering),
            "communities_ms": milliseconds(self.communities),
            "peak_rss_bytes": peak_memory("self"),
        })
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{} messages among {} processes: {} phases",
            grouped(self.messages),
            grouped(self.processors as u64),
            grouped(self.phases as u64)
        )?;
        writeln!(out, "joining them in time   {:>10.0} ms", milliseconds(self.clustering))?;
        writeln!(out, "phases and communities {:>10.0} ms", milliseconds(self.communities))?;
        let rounding = self.rounding as f64 * self.seconds_of_tick * 1e6;
        writeln!(out, "times rounded by       {rounding:>10.3} µs at most")?;
        if let Some(bytes) = peak_memory("self") {
            writeln!(out, "memory                 {:>10}", byte_size(bytes))?;
        }
        Ok(())
    }
}
