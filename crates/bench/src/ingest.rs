//! `onca-bench ingest`: indexing, against a peer in the same run.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use onca_generate::{iterative, many, otf2};
use onca_read::{Format, detect, main_file};
use onca_store::Store;
use serde_json::{Value, json};

use onca_program::format::{byte_size, grouped, parse_size, percent};

use crate::measure::report;
use onca_program::{Exit, Failure};

use crate::{CommonArgs, Run, index};

/// Measure indexing, beside a peer and a plain count of newlines
///
/// Machines differ and are noisy: only the ratios of one run mean something. The peer is run
/// when it is installed: pj_dump for Pajé (Debian package pajeng), otf2-print for OTF2 (Debian
/// package otf2-tools).
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench ingest
  onca-bench ingest --kind many --events 9000000
  onca-bench ingest --format otf2
  onca-bench ingest --trace run.paje --runs 5 --json")]
pub struct Args {
    /// Index this trace instead of a generated one
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// The format of the generated trace
    #[arg(long, value_enum, default_value = "paje")]
    format: TraceFormat,

    /// What to generate, in Pajé
    #[arg(long, value_enum, default_value = "iterative")]
    kind: Kind,

    /// Record lines of the generated trace
    #[arg(long, value_name = "N", default_value_t = 3_800_000)]
    events: u64,

    /// Processes of the generated trace
    #[arg(long, value_name = "N", default_value_t = 64)]
    procs: u32,

    /// How often to measure; the median counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,

    /// Memory that indexing may take
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "2G")]
    memory: usize,

    /// Do not run the peer
    #[arg(long)]
    no_peer: bool,

    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Kind {
    /// An MPI-like run on --procs processes
    Iterative,
    /// A million containers with four states each; --events counts nine records a container
    Many,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum TraceFormat {
    /// Pajé, in one file
    Paje,
    /// OTF2, one file for each process
    Otf2,
}

/// What is indexed, and what it is compared with.
struct Subject {
    trace: PathBuf,
    /// The files that hold its records.
    files: Vec<PathBuf>,
    /// The program that prints such traces.
    peer: &'static str,
}

impl Subject {
    fn of(trace: &Path) -> io::Result<Self> {
        let trace = main_file(trace);
        let mut head = Vec::new();
        File::open(&trace)?.take(64).read_to_end(&mut head)?;
        if detect(&head) != Format::Otf2 {
            return Ok(Self { files: vec![trace.clone()], trace, peer: "pj_dump" });
        }
        let mut files = Vec::new();
        for entry in std::fs::read_dir(trace.with_extension(""))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "evt") {
                files.push(path);
            }
        }
        Ok(Self { trace, files, peer: "otf2-print" })
    }

    fn bytes(&self) -> io::Result<u64> {
        self.files.iter().map(|file| Ok(std::fs::metadata(file)?.len())).sum()
    }
}

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let cannot = |error: io::Error| Failure::Cannot(error.to_string());
    let folder = args.common.folder()?;
    let trace = match &args.trace {
        Some(trace) => trace.clone(),
        None => generate(args, folder.path())?,
    };
    let subject = Subject::of(&trace).map_err(cannot)?;
    let text_bytes = subject.bytes().map_err(cannot)?;
    let newlines = count_newlines(&subject.files).map_err(cannot)?;
    let place = folder.path().join("store.onca");
    let mut runs = Vec::new();
    let mut peer = Vec::new();
    for _ in 0..args.runs.max(1) {
        // The two take turns, so that a slow moment of the machine meets both.
        runs.push(index(&subject.trace, &place, args.memory)?);
        if !args.no_peer
            && let Some(elapsed) = run_peer(&subject)
        {
            peer.push(elapsed);
        }
    }
    let opening = measure_opening(&place)?;
    runs.sort_by_key(|run| run.wall - run.fsync);
    let run = &runs[runs.len() / 2];
    let peer = median(peer);
    let result = Figures { text_bytes, newlines, run, peer_name: subject.peer, peer, opening };
    report(args.common.json, || result.json(), |out| result.print(out))
}

fn generate(args: &Args, folder: &Path) -> Result<PathBuf, Failure> {
    let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(format!("generate: {error}"));
    if args.format == TraceFormat::Otf2 {
        let options = otf2::Options {
            locations: args.procs,
            events: args.events,
            ..otf2::Options::default()
        };
        let (anchor, _) = otf2::write(&options, folder).map_err(|error| cannot(&error))?;
        return Ok(anchor);
    }
    let path = folder.join("bench.paje");
    let mut file = File::create(&path).map_err(|error| cannot(&error))?;
    let made = match args.kind {
        Kind::Iterative => {
            let options = iterative::Options {
                procs: args.procs as _,
                events: args.events as _,
                ..iterative::Options::default()
            };
            iterative::write(&options, &mut file)
        }
        Kind::Many => {
            let options =
                many::Options { containers: (args.events / 9) as _, ..many::Options::default() };
            many::write(&options, &mut file)
        }
    };
    made.map_err(|error| cannot(&error))?;
    Ok(path)
}

/// How long the peer takes to read the trace and print it to nowhere.
fn run_peer(subject: &Subject) -> Option<Duration> {
    let started = Instant::now();
    let status = Command::new(subject.peer)
        .arg(&subject.trace)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    status.success().then(|| started.elapsed())
}

/// How long it takes to read the files and count newlines: what no reader can beat.
fn count_newlines(files: &[PathBuf]) -> io::Result<Duration> {
    let mut best = Duration::MAX;
    let mut buffer = vec![0; 1 << 20];
    for _ in 0..3 {
        let started = Instant::now();
        let mut lines = 0;
        for path in files {
            let mut file = File::open(path)?;
            loop {
                let n = file.read(&mut buffer)?;
                if n == 0 {
                    break;
                }
                lines += memchr::memchr_iter(b'\n', &buffer[..n]).count();
            }
        }
        std::hint::black_box(lines);
        best = best.min(started.elapsed());
    }
    Ok(best)
}

fn measure_opening(place: &Path) -> Result<Duration, Failure> {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let started = Instant::now();
        std::hint::black_box(Store::open(place)?);
        best = best.min(started.elapsed());
    }
    Ok(best)
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}

struct Figures<'a> {
    text_bytes: u64,
    newlines: Duration,
    run: &'a Run,
    peer_name: &'static str,
    peer: Option<Duration>,
    opening: Duration,
}

impl Figures<'_> {
    /// The time of indexing without the final wait for the disk, which the peer does not have.
    fn work(&self) -> f64 {
        (self.run.wall - self.run.fsync).as_secs_f64()
    }

    fn ratio(&self, seconds: f64) -> Option<f64> {
        self.peer.map(|peer| peer.as_secs_f64() / seconds)
    }

    fn json(&self) -> Value {
        let peer = self.peer_name.replace('-', "_");
        let mut answer = json!({
            "schema": "onca-bench-ingest/1",
            "text_bytes": self.text_bytes,
            "records": self.run.records,
            "seconds": self.work(),
            "fsync_seconds": self.run.fsync.as_secs_f64(),
            "mb_per_s": self.text_bytes as f64 / 1e6 / self.work(),
            "events_per_s": self.run.records as f64 / self.work(),
            "peak_rss_bytes": self.run.peak_rss,
            "store_bytes": self.run.store_bytes,
            "store_share": self.run.store_bytes as f64 / self.text_bytes as f64,
            "open_seconds": self.opening.as_secs_f64(),
            "newline_count_seconds": self.newlines.as_secs_f64(),
            "ratio_newline_count": self.work() / self.newlines.as_secs_f64(),
        });
        answer[format!("{peer}_seconds")] = json!(self.peer.map(|peer| peer.as_secs_f64()));
        answer[format!("ratio_{peer}")] = json!(self.ratio(self.work()));
        answer[format!("ratio_{peer}_with_fsync")] = json!(self.ratio(self.run.wall.as_secs_f64()));
        answer
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let rate = |amount: u64| (amount as f64 / self.work()) as u64;
        writeln!(
            out,
            "text          {:>12}   {} records",
            byte_size(self.text_bytes),
            grouped(self.run.records)
        )?;
        writeln!(
            out,
            "index         {:>10.3} s   {}/s, {} records/s",
            self.work(),
            byte_size(rate(self.text_bytes)),
            grouped(rate(self.run.records))
        )?;
        writeln!(out, "final fsync   {:>10.3} s", self.run.fsync.as_secs_f64())?;
        writeln!(out, "peak memory   {:>12}", byte_size(self.run.peak_rss))?;
        let share = self.run.store_bytes as f64 / self.text_bytes as f64;
        writeln!(
            out,
            "store         {:>12}   {} of the text",
            byte_size(self.run.store_bytes),
            percent(share)
        )?;
        writeln!(out, "open          {:>9.2} ms", self.opening.as_secs_f64() * 1e3)?;
        writeln!(
            out,
            "newline count {:>10.3} s   indexing takes {:.1} times as long",
            self.newlines.as_secs_f64(),
            self.work() / self.newlines.as_secs_f64()
        )?;
        match (self.peer, self.ratio(self.work()), self.ratio(self.run.wall.as_secs_f64())) {
            (Some(peer), Some(ratio), Some(with_fsync)) => writeln!(
                out,
                "{:<13} {:>10.3} s   indexing is {ratio:.1} times as fast \
                 ({with_fsync:.1} with the fsync)",
                self.peer_name,
                peer.as_secs_f64()
            ),
            _ => writeln!(out, "{:<13} not run", self.peer_name),
        }
    }
}
