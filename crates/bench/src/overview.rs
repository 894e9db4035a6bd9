//! `onca-bench overview`: how long partitions take, and how that grows with leaves and slices.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use onca_aggregate::Tree;
use onca_aggregate::overview::{
    Axis, Curve, CurveLimits, Gain, OverviewError, Problem, Tables, Watch,
};
use onca_aggregate::slice::Cube;
use serde_json::{Value, json};

use onca_program::format::{byte_size, parse_size};
use onca_program::table::{Cell, Table};
use onca_program::{Exit, Failure, peak_memory};

use crate::measure::{median, milliseconds, report};
use crate::{cold, disruptions};

/// Measure partitions in space and time, for matrices of several sizes
///
/// Every matrix has four values; its leaves lie in machines of 20, these in clusters. Tables are built once, then
/// partitions are computed for several trade-offs, then the curve.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench overview
  onca-bench overview --size 700x30 --size 900x100
  onca-bench overview --disruptions
  onca-bench overview --cold-events 4000000")]
pub struct Args {
    /// Leaves and slices, such as 700x30; may be given several times
    #[arg(long, value_name = "LEAVESxSLICES", value_parser = parse_size_of_matrix)]
    size: Vec<Size>,

    /// How often to measure; the median counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,

    /// Memory that the tables may take
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G")]
    table_memory: usize,

    /// Find planted disruptions in generated runs instead of measuring
    #[arg(long)]
    disruptions: bool,

    /// Runs of --disruptions
    #[arg(long, value_name = "N", default_value_t = 50, requires = "disruptions")]
    seeds: u64,

    /// Measure the way from a trace of this many generated records to its first overview instead
    #[arg(long, value_name = "N", conflicts_with = "disruptions")]
    cold_events: Option<u64>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How large a matrix is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Size {
    n_leaves: usize,
    n_slices: usize,
}

const N_VALUES: usize = 4;
const MACHINE: usize = 20;
const N_CLUSTERS: usize = 3;
/// The trade-offs that are measured: most of what happens does so at small ones.
const TRADE_OFFS: [f64; 4] = [0.005, 0.02, 0.1, 0.5];

const SIZES: [(usize, usize); 9] = [
    (64, 30),
    (700, 30),
    (900, 30),
    (64, 100),
    (900, 100),
    (64, 300),
    (4000, 100),
    (10_000, 100),
    (100_000, 50),
];

/// How exact the curve is to be.
const CURVE: CurveLimits = CurveLimits { bound: 1e-3, solves: 1000 };

/// The curve is searched where one trade-off has at most this many updates.
const CURVE_UPDATES: f64 = 2e8;

fn parse_size_of_matrix(text: &str) -> Result<Size, String> {
    let numbers = text
        .split_once('x')
        .and_then(|(leaves, slices)| Some((leaves.parse().ok()?, slices.parse().ok()?)));
    match numbers {
        Some((n_leaves, n_slices)) if n_leaves > 0 && n_slices > 0 => {
            Ok(Size { n_leaves, n_slices })
        }
        _ => Err("write LEAVESxSLICES, such as 700x30".to_owned()),
    }
}

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if args.disruptions {
        return disruptions::run(args.seeds, args.json);
    }
    if let Some(events) = args.cold_events {
        return cold::run(events, args.json);
    }
    let sizes = match args.size.is_empty() {
        true => SIZES.map(|(n_leaves, n_slices)| Size { n_leaves, n_slices }).to_vec(),
        false => args.size.clone(),
    };
    let figures = sizes
        .into_iter()
        .map(|size| measure(size, args.runs.max(1), args.table_memory as u64))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| Failure::Cannot(error.to_string()))?;
    report(args.json, || json(&figures), |out| print(out, &figures))
}

/// What was measured for one size.
struct Figures {
    size: Size,
    tables: Duration,
    one_p: Duration,
    /// Time and number of partitions for a curve within a thousandth.
    curve: Option<(Duration, usize)>,
    /// The most memory that this process has had.
    peak: Option<u64>,
}

impl Figures {
    /// Updates of the inner loop for one trade-off.
    fn updates(&self) -> f64 {
        let (leaves, slices) = (self.size.n_leaves as f64, self.size.n_slices as f64);
        leaves * slices.powi(3) / 6.0
    }
}

fn measure(size: Size, runs: usize, memory: u64) -> Result<Figures, OverviewError> {
    let (tree, cube) = matrix(size);
    let problem = Problem::new(&tree, &cube, Axis::Both, Gain::Sum)?;
    let watch = Watch::default();
    let mut building = Vec::new();
    let mut solving = Vec::new();
    let mut curve = None;
    for run in 0..runs {
        let started = Instant::now();
        let tables = Tables::new(&problem, memory, watch)?;
        building.push(started.elapsed());
        for p in TRADE_OFFS {
            let started = Instant::now();
            tables.solve(p, watch)?;
            solving.push(started.elapsed());
        }
        let updates = size.n_leaves as f64 * (size.n_slices as f64).powi(3) / 6.0;
        if run == 0 && updates <= CURVE_UPDATES {
            let started = Instant::now();
            let found = Curve::search(&tables, CURVE, watch)?;
            curve = Some((started.elapsed(), found.solves));
        }
    }
    Ok(Figures {
        size,
        tables: median(building),
        one_p: median(solving),
        curve,
        peak: peak_memory("self"),
    })
}

/// Machines that compute and communicate in phases, with noise, and some that are odd for a while.
fn matrix(Size { n_leaves, n_slices }: Size) -> (Tree, Cube<f64>) {
    let n_machines = n_leaves.div_ceil(MACHINE);
    // A cluster without machines would be a leaf.
    let n_clusters = N_CLUSTERS.min(n_machines);
    let mut parents = vec![0u32];
    parents.extend(std::iter::repeat_n(0, n_clusters));
    parents.extend((0..n_machines).map(|machine| 1 + (machine * n_clusters / n_machines) as u32));
    parents.extend((0..n_leaves).map(|leaf| (1 + n_clusters + leaf / MACHINE) as u32));
    let tree = Tree::new(parents).expect("parents come before children");
    let mut cube = Cube::new(n_leaves, N_VALUES, n_slices).expect("the sizes of benchmarks fit");
    let mut noise = Noise(1);
    for leaf in 0..n_leaves {
        for slice in 0..n_slices {
            let phase = slice * 5 / n_slices;
            let is_odd = leaf / MACHINE % 7 == 3 && phase == 2;
            let mut shares: [f64; N_VALUES] = std::array::from_fn(|value| {
                let usual = if (value + phase) % N_VALUES == 0 { 6.0 } else { 1.0 };
                let odd = if is_odd && value == 3 { 8.0 } else { 0.0 };
                usual + odd + noise.next()
            });
            let total: f64 = shares.iter().sum();
            shares.iter_mut().for_each(|share| *share /= total);
            for (value, share) in shares.into_iter().enumerate() {
                cube.row_mut(leaf, value)[slice] = share;
            }
        }
    }
    (tree, cube)
}

/// Numbers from 0 to 1 without a pattern, the same in every run (SplitMix64).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The exponent with which the time of one trade-off grows with the updates: the slope of a straight line through the
/// logarithms.
fn exponent(figures: &[Figures]) -> Option<f64> {
    let points: Vec<(f64, f64)> =
        figures.iter().map(|f| (f.updates().ln(), f.one_p.as_secs_f64().ln())).collect();
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (square > 0.0).then(|| product / square)
}

fn print(out: &mut dyn Write, figures: &[Figures]) -> io::Result<()> {
    let columns = [
        "#leaves",
        "#slices",
        "#updates",
        "#tables ms",
        "#one p ms",
        "#ns/update",
        "#curve ms",
        "#partitions",
        "#peak memory",
    ];
    let mut table = Table::new(&columns);
    for figure in figures {
        let (curve, solves) = figure.curve.unzip();
        table.push(vec![
            Cell::text(figure.size.n_leaves.to_string()),
            Cell::text(figure.size.n_slices.to_string()),
            Cell::text(format!("{:.1e}", figure.updates())),
            Cell::text(format!("{:.1}", milliseconds(figure.tables))),
            Cell::text(format!("{:.1}", milliseconds(figure.one_p))),
            Cell::text(format!("{:.3}", figure.one_p.as_secs_f64() * 1e9 / figure.updates())),
            curve.map_or_else(Cell::none, |time| Cell::text(format!("{:.0}", milliseconds(time)))),
            solves.map_or_else(Cell::none, |solves| Cell::text(solves.to_string())),
            figure.peak.map_or_else(Cell::none, |bytes| Cell::text(byte_size(bytes))),
        ]);
    }
    table.write_text(out)?;
    match exponent(figures) {
        Some(exponent) => {
            writeln!(out, "the time of one p grows with the updates to the power of {exponent:.2}")
        }
        None => Ok(()),
    }
}

fn json(figures: &[Figures]) -> Value {
    let figure = |figure: &Figures| {
        json!({
            "leaves": figure.size.n_leaves,
            "slices": figure.size.n_slices,
            "updates": figure.updates(),
            "tables_ms": milliseconds(figure.tables),
            "one_p_ms": milliseconds(figure.one_p),
            "curve_ms": figure.curve.map(|(time, _)| milliseconds(time)),
            "curve_partitions": figure.curve.map(|(_, solves)| solves),
            "peak_bytes": figure.peak,
        })
    };
    json!({
        "schema": "onca-bench-overview/1",
        "sizes": figures.iter().map(figure).collect::<Vec<_>>(),
        "exponent": exponent(figures),
    })
}
