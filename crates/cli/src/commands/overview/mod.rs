//! `onca overview`: the optimal partition of a trace in space and time.

mod output;
mod progress;

use std::fs;
use std::io;
use std::path::PathBuf;

use onca_aggregate::overview::{Axis, CurveLimits, Gain};
use onca_aggregate::slice::LinkEnd;
use onca_answer::overview::{Choice, Matrix, Metric, Overview, OverviewOptions};
use onca_answer::slice::Nodes;
use onca_query::Scope;

use crate::format::{parse_size, shown};
use crate::look::LookArgs;
use crate::outcome::{Exit, Failure, written};
use crate::trace::{ReadArgs, TraceArgs};

use output::Output;
use progress::Bar;

/// Slices, unless told: as many as a look at a partition takes in.
const SLICES: usize = 30;
/// Slices of change curves and disruptions, which need to tell when something happens.
const FINE_SLICES: usize = 100;
/// Disruptions that are shown, unless told.
const DISRUPTIONS: &str = "10";

/// Show which parts of a trace look alike: its optimal partition in space and time
///
/// Containers and slices of time that look alike are joined into areas. The trade-off p, between 0
/// and 1, says how much may be hidden: at 0 only what is equal is joined, at 1 everything. Without
/// --p the trade-off is taken where the picture changes most. docs/overview.md tells all about it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca overview run.paje
  onca overview run.paje --list-p
  onca overview run.paje --p-rank 3 --slices 60
  onca overview run.paje --metric bytes --axis time --json
  onca overview run.paje --disruptions
  onca overview run.paje --change --level Machine
  onca overview --cube matrix.json --p 0.2 --curve --json")]
pub struct Args {
    /// A trace (plain or compressed; "-" for standard input), or the directory of a store
    #[arg(value_name = "TRACE", required_unless_present = "cube")]
    trace: Option<PathBuf>,

    /// Partition the matrix in FILE instead of a trace: JSON with parent, leaves and values
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    cube: Option<PathBuf>,

    /// Cut the window into this many slices; 30, or 100 for --change and --disruptions, unless told
    #[arg(long, value_name = "N")]
    slices: Option<usize>,

    /// The trade-off, from 0 (nothing may be hidden) to 1; may be given several times
    #[arg(long, value_name = "P", conflicts_with = "p_rank")]
    p: Vec<f64>,

    /// The trade-off with this number in --list-p
    #[arg(long, value_name = "K")]
    p_rank: Option<usize>,

    /// What to look at: states, events, bytes (sent), bytes-received, or the name of a variable
    #[arg(long, value_name = "METRIC", default_value = "states")]
    metric: String,

    /// Count the time in no state as a value of its own
    #[arg(long)]
    idle: bool,

    /// Along which axes to join
    #[arg(long, value_enum, default_value = "both")]
    axis: AxisName,

    /// How the gain is measured; for experts
    #[arg(long, value_enum, default_value = "sum")]
    gain: GainName,

    /// Show the curve over all trade-offs instead of a partition
    #[arg(long)]
    curve: bool,

    /// List the trade-offs that give different partitions
    #[arg(long)]
    list_p: bool,

    /// List the trade-offs that Ocelotl finds by halving
    #[arg(long, requires = "list_p")]
    compat: bool,

    /// How far --curve may be off, as a share of gain and loss of the whole
    #[arg(long, value_name = "SHARE", default_value_t = CurveLimits::EXACT.bound)]
    bound: f64,

    /// Partitions that --curve computes at most; then it tells how far it may be off
    #[arg(long, value_name = "N", default_value_t = 2000)]
    solves: usize,

    /// Show what breaks the pattern of its peers or of its own past, the clearest first
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = DISRUPTIONS, conflicts_with_all = ["curve", "list_p", "p", "p_rank"])]
    disruptions: Option<usize>,

    /// Show how the mix of values changes from slice to slice, of the whole unless told
    #[arg(long, conflicts_with_all = ["disruptions", "curve", "list_p", "p", "p_rank"])]
    change: bool,

    /// With --change: the containers of this type, or the nodes of this kind
    #[arg(long, value_name = "NAME", requires = "change", conflicts_with = "depth")]
    level: Option<String>,

    /// With --change: the containers at this depth; the root has depth 0
    #[arg(long, value_name = "N", requires = "change")]
    depth: Option<usize>,

    /// Memory that the tables may take, such as 512M or 2G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G")]
    table_memory: usize,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    look: LookArgs,

    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum AxisName {
    /// Containers; time is summed up
    Space,
    /// Slices; containers are summed up
    Time,
    /// Slices; every container counts for itself
    TimeOfEach,
    /// Containers and slices
    Both,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum GainName {
    /// From the sum of an area: what makes sense
    Sum,
    /// From the mean of an area: as the paper prints it
    Mean,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if let Some(path) = &args.cube {
        let matrix = read_matrix(path)?;
        args.answer(&matrix, None)?;
        return Ok(Exit::Fine);
    }
    let trace = args.trace.clone().ok_or_else(|| Failure::Cannot("name a trace".to_owned()))?;
    let trace = TraceArgs { trace, read: args.read.clone() }.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    let matrix = Matrix::new(&scope, args.n_slices(), &args.metric())?;
    args.answer(&matrix, Some(&scope))?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

fn read_matrix(path: &PathBuf) -> Result<Matrix, Failure> {
    let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(path)));
    let text = fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
    Matrix::from_json(&text).map_err(|error| cannot(error.to_string()))
}

impl Args {
    fn n_slices(&self) -> usize {
        let is_fine = self.change || self.disruptions.is_some();
        self.slices.unwrap_or(if is_fine { FINE_SLICES } else { SLICES })
    }

    fn metric(&self) -> Metric {
        match self.metric.as_str() {
            "states" => Metric::States { idle: self.idle },
            "events" => Metric::Events,
            "bytes" => Metric::Bytes(LinkEnd::Origin),
            "bytes-received" => Metric::Bytes(LinkEnd::Destination),
            variable => Metric::Variable(variable.to_owned()),
        }
    }

    fn options(&self) -> OverviewOptions {
        OverviewOptions {
            axis: match self.axis {
                AxisName::Space => Axis::Space,
                AxisName::Time => Axis::Time,
                AxisName::TimeOfEach => Axis::TimeOfEach,
                AxisName::Both => Axis::Both,
            },
            gain: match self.gain {
                GainName::Sum => Gain::Sum,
                GainName::Mean => Gain::Mean,
            },
            memory: self.table_memory as u64,
        }
    }

    /// The trade-offs that partitions are wanted for.
    fn choices(&self) -> Vec<Choice> {
        let only_curve = self.curve || self.list_p;
        match (self.p_rank, self.p.is_empty()) {
            (Some(rank), _) => vec![Choice::Rank(rank)],
            (None, false) => self.p.iter().map(|&p| Choice::P(p)).collect(),
            (None, true) if only_curve => Vec::new(),
            (None, true) => vec![Choice::Default],
        }
    }

    fn answer(&self, matrix: &Matrix, scope: Option<&Scope<'_>>) -> Result<(), Failure> {
        let mut output = Output::new(matrix, self.cube.is_some());
        if let Some(most) = self.disruptions {
            output.disruptions = Some(matrix.disruptions(most));
        } else if self.change {
            output.change = Some(match (scope, &self.level, self.depth) {
                (Some(scope), Some(level), _) => {
                    matrix.changes(scope, &Nodes::Level(level.clone()))?
                }
                (Some(scope), None, Some(depth)) => matrix.changes(scope, &Nodes::Depth(depth))?,
                _ => matrix.changes_of([matrix.tree.root()].into_iter()),
            });
        } else {
            let bar = Bar::new("aggregating");
            Overview::with(matrix, &self.options(), bar.watch(), |overview| {
                for choice in self.choices() {
                    output.partitions.push(overview.partition(choice, bar.watch())?);
                }
                let limits = CurveLimits { bound: self.bound, solves: self.solves };
                if self.compat {
                    output.halving = Some(overview.halving(bar.watch())?);
                } else if self.curve || self.list_p {
                    // What --p-rank counts is the draft.
                    let limits = if self.curve { limits } else { CurveLimits::DRAFT };
                    output.curve = Some(overview.curve(limits, bar.watch())?);
                }
                Ok(())
            })?;
        }
        let mut out = io::stdout().lock();
        written(match (self.json, self.csv) {
            (true, _) => output.write_json(&mut out),
            (_, true) => output.write_csv(&mut out),
            _ => output.write_text(&mut out),
        })
    }
}
