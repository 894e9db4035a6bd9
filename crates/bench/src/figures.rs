//! `onca-bench figures`: how long scenes take, and how large pictures are.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use onca_answer::columns::ColumnCache;
use onca_answer::slice::{Measure, cube};
use onca_generate::hierarchy;
use onca_query::{Appearance, Lens, Scope};
use onca_store::Store;
use onca_views::{Canvas, Paper, Theme, overview, timeline, treemap};
use serde_json::{Value, json};

use onca_program::format::{byte_size, grouped};
use onca_program::{Exit, Failure};

use crate::measure::{Part, WHOLE, generate, median, milliseconds, remove, report, timed};
use crate::{CommonArgs, MEMORY, index};

/// Measure how long scenes take and how large pictures are
///
/// Generates traces with a small and a large number of records, indexes them, and lays out the
/// same pictures of each: the timeline with 700 rows and 1,500 columns, the overview, a treemap of
/// many containers.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench figures
  onca-bench figures --events 1000000 --events 8000000 --leaves 10000")]
pub struct Args {
    /// Record lines of a generated trace; may be given several times, the smallest first
    #[arg(long, value_name = "N", default_values_t = [4_000_000, 49_000_000])]
    events: Vec<u64>,

    /// Processes of the generated traces, one row each
    #[arg(long, value_name = "N", default_value_t = 700)]
    procs: u32,

    /// Containers of the treemap, rounded to a multiple of a hundred
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    leaves: u32,

    /// How often to measure; the median counts
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,

    #[command(flatten)]
    common: CommonArgs,
}

/// Columns of a timeline, one for each pixel.
const COLUMNS: f64 = 1500.0;
/// Processes of the trace whose picture is weighed.
const WEIGHED_PROCS: u32 = 512;
/// Records of the trace whose picture is weighed.
const WEIGHED_EVENTS: u64 = 2_000_000;

/// A timeline that is measured.
struct Picture {
    title: &'static str,
    part: Part,
    /// What is seen, as a lens.
    lens: &'static str,
    /// With rows of groups?
    groups: bool,
}

impl Picture {
    const fn of(title: &'static str, part: Part) -> Self {
        Self { title, part, lens: r#"{"version": 1}"#, groups: false }
    }
}

/// The timelines. Their places are fixed, away from round numbers, so that runs can be compared.
const PICTURES: [Picture; 6] = [
    Picture::of("timeline of the whole", WHOLE),
    Picture {
        lens: r#"{"version": 1, "select": {"values": {"hide": ["MPI_Send"]}}}"#,
        ..Picture::of("the same, a value hidden", WHOLE)
    },
    Picture { groups: true, ..Picture::of("the same, with groups", WHOLE) },
    Picture::of("timeline of a tenth", Part { from: 437, length: 100 }),
    Picture::of("timeline of a hundredth", Part { from: 523, length: 10 }),
    Picture::of("timeline of a thousandth", Part { from: 713, length: 1 }),
];

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = args.common.folder()?;
    let place = folder.path().join("store.onca");
    let mut lines = Vec::new();
    for &events in &args.events {
        let trace = generate(events, args.procs, folder.path())?;
        let records = index(&trace, &place, MEMORY)?.records;
        remove(&trace)?;
        lines.extend(of_run(&place, records, args)?);
    }
    lines.push(of_hierarchy(&place, folder.path(), args)?);
    let svg = svg_size(&place, folder.path())?;
    report(args.common.json, || json(&lines, svg), |out| print(out, &lines, svg))
}

/// How long one scene took.
struct Line {
    records: u64,
    title: &'static str,
    first: Duration,
    again: Duration,
    marks: usize,
}

fn of_run(place: &Path, records: u64, args: &Args) -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for Picture { title, part, lens, groups } in PICTURES {
        let lens = Lens::from_json(lens)?;
        lines.push(measure(place, records, title, args.runs, |store, cache| {
            let window = part.window(&store.catalog().facts);
            let scope = Scope::new(store, &lens, window)?;
            let appearance = Appearance::new(store.catalog(), &lens, None)?;
            let surface = timeline::Surface {
                width: COLUMNS,
                room: timeline::Room::Exactly(f64::from(args.procs) * 4.0),
                theme: Theme::Light,
                titles: false,
            };
            let options = timeline::TimelineOptions { groups, ..Default::default() };
            let made = timeline::scene(&scope, &appearance, &surface, &options, cache)?;
            Ok(made.rows.len())
        })?);
    }
    for (title, n_slices) in [("cube of 30 slices", 30), ("cube of 100 slices", 100)] {
        lines.push(measure(place, records, title, args.runs, |store, _| {
            let window = WHOLE.window(&store.catalog().facts);
            let scope = Scope::new(store, &Lens::clear(), window)?;
            cube(&scope, n_slices, Measure::StateTime { inclusive: false })?;
            Ok(0)
        })?);
    }
    lines.push(measure(place, records, "overview with its cube", args.runs, |store, _| {
        let window = WHOLE.window(&store.catalog().facts);
        let scope = Scope::new(store, &Lens::clear(), window)?;
        let appearance = Appearance::new(store.catalog(), &Lens::clear(), None)?;
        let options = overview::OverviewOptions::default();
        let made = overview::scene(&scope, &appearance, &canvas(), &options)?;
        Ok(made.scene.layers.len())
    })?);
    Ok(lines)
}

fn canvas() -> Canvas {
    Canvas { width: COLUMNS, height: 900.0, theme: Theme::Light, titles: false }
}

/// Many containers with two states.
fn of_hierarchy(place: &Path, folder: &Path, args: &Args) -> Result<Line, Failure> {
    let level = |name: &str, branching| hierarchy::Level { name: name.to_owned(), branching };
    let options = hierarchy::Options {
        levels: vec![
            level("Cluster", 10),
            level("Machine", 10),
            level("Process", (args.leaves / 100).max(1) as _),
        ],
        states: vec!["Executing".to_owned(), "Blocked".to_owned()],
        ..hierarchy::Options::default()
    };
    let trace = folder.join("hierarchy.paje");
    let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(format!("generate: {error}"));
    let mut file = File::create(&trace).map_err(|error| cannot(&error))?;
    hierarchy::write(&options, &mut file).map_err(|error| cannot(&error))?;
    let records = index(&trace, place, MEMORY)?.records;
    remove(&trace)?;
    measure(place, records, "treemap", args.runs, |store, _| {
        let window = WHOLE.window(&store.catalog().facts);
        let scope = Scope::new(store, &Lens::clear(), window)?;
        let appearance = Appearance::new(store.catalog(), &Lens::clear(), None)?;
        let options = treemap::TreemapOptions::default();
        treemap::scene(&scope, &appearance, &canvas(), &options)?;
        Ok(store.catalog().containers.len())
    })
}

/// Times some work on a store that was just opened, and again.
fn measure(
    place: &Path,
    records: u64,
    title: &'static str,
    runs: usize,
    work: impl Fn(&Store, &ColumnCache) -> Result<usize, Failure>,
) -> Result<Line, Failure> {
    let (mut first, mut again) = (Vec::new(), Vec::new());
    let mut marks = 0;
    for _ in 0..runs.max(1) {
        let store = Store::open(place)?;
        let cache = ColumnCache::default();
        first.push(timed(|| work(&store, &cache))?.0);
        let (time, n) = timed(|| work(&store, &cache))?;
        again.push(time);
        marks = n;
    }
    Ok(Line { records, title, first: median(first), again: median(again), marks })
}

/// How many bytes the picture of a timeline has as SVG.
fn svg_size(place: &Path, folder: &Path) -> Result<usize, Failure> {
    let trace = generate(WEIGHED_EVENTS, WEIGHED_PROCS, folder)?;
    index(&trace, place, MEMORY)?;
    remove(&trace)?;
    let store = Store::open(place)?;
    let window = WHOLE.window(&store.catalog().facts);
    let scope = Scope::new(&store, &Lens::clear(), window)?;
    let appearance = Appearance::new(store.catalog(), &Lens::clear(), None)?;
    let options = timeline::TimelineOptions::default();
    let figure = timeline::figure(&scope, &appearance, &Paper::default(), &options)?;
    Ok(onca_draw::svg(&figure).len())
}

fn json(lines: &[Line], svg: usize) -> Value {
    let line = |line: &Line| {
        json!({
            "records": line.records,
            "scene": line.title,
            "first_ms": milliseconds(line.first),
            "again_ms": milliseconds(line.again),
            "size": line.marks,
        })
    };
    json!({
        "schema": "onca-bench-figures/1",
        "scenes": lines.iter().map(line).collect::<Vec<_>>(),
        "svg_bytes": svg,
    })
}

fn print(out: &mut impl Write, lines: &[Line], svg: usize) -> io::Result<()> {
    let mut records = None;
    for line in lines {
        if records.replace(line.records) != Some(line.records) {
            writeln!(out, "{} records", grouped(line.records))?;
        }
        let (first, again) = (milliseconds(line.first), milliseconds(line.again));
        let title = line.title;
        writeln!(out, "  {title:<26} {first:>9.2} ms the first time, {again:>9.2} ms again")?;
    }
    let size = byte_size(svg as u64);
    writeln!(out, "timeline of {WEIGHED_PROCS} processes as SVG: {size}")
}
