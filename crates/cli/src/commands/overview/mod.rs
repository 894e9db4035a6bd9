//! `onca overview`: the optimal partition of a trace in space and time.

mod areas;
mod curves;
mod disruptions;
mod output;
mod problem;
mod progress;
mod slices;

use std::fs;
use std::path::{Path, PathBuf};

use onca_aggregate::overview::CurveLimits;
use onca_answer::AnswerError;
use onca_answer::overview::{Matrix, Metric, Overview};
use onca_answer::slice::{CubeFile, LeafCube, Nodes, cube};
use onca_model::{Nature, printable};
use onca_query::{Appearance, Lens, Scope};

use crate::look::{LookArgs, of_traces};
use crate::trace::{ReadArgs, TraceArgs, trace_path};
use onca_program::format::shown;
use onca_program::table::FormArgs;
use onca_program::{Exit, Failure, new_file, print, write_json};

use output::Output;
pub use problem::ProblemArgs;
use progress::Bar;

/// Slices by default: as many as a look at a partition takes in.
const SLICES: usize = 30;
/// Slices of change curves and disruptions, which need to tell when something happens.
const FINE_SLICES: usize = 100;
/// What a cube has decided already, and what asks for more of the hierarchy than it has.
const OF_SLICES: [&str; 3] = ["slices", "level", "depth"];
/// Disruptions that are shown by default.
const DISRUPTIONS: &str = "10";

/// Show which parts of a trace look alike: its optimal partition in space and time
///
/// Containers and slices of time that look alike are joined into areas. The trade-off p, between 0
/// and 1, says how much may be hidden: at 0 only what is equal is joined, at 1 everything. Without
/// --p the trade-off hides little and leaves areas that a reader takes in. docs/overview.md tells
/// all about it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca overview run.paje
  onca overview run.paje --list-p
  onca overview run.paje --p-rank 3 --slices 60
  onca overview run.paje --metric bytes --axis time --json
  onca overview run.paje --disruptions
  onca overview run.paje --change --level Machine
  onca overview run.paje --slices 60 --save-cube cube.json
  onca overview --cube cube.json --p 0.2 --curve --json")]
pub struct Args {
    /// A trace in any format that Onca reads (a file or its folder; "-" for standard input), or the
    /// directory of a store
    #[arg(value_name = "TRACE", value_parser = trace_path(), required_unless_present = "cube")]
    trace: Option<PathBuf>,

    /// Partition what is in FILE instead of a trace: what --save-cube has written, or a matrix as JSON with parent,
    /// leaves and values
    #[arg(long, value_name = "FILE", conflicts_with_all = of_traces(), conflicts_with_all = OF_SLICES)]
    cube: Option<PathBuf>,

    /// Write the time in states by container, value and slice to FILE, which --cube takes instead of the trace
    #[arg(long, value_name = "FILE", conflicts_with = "cube")]
    save_cube: Option<PathBuf>,

    /// Cut the window into this many slices; by default 30, or 100 for --change and --disruptions
    #[arg(long, value_name = "N")]
    slices: Option<usize>,

    #[command(flatten)]
    problem: ProblemArgs,

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
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = DISRUPTIONS, conflicts_with_all = ["curve", "list_p"])]
    disruptions: Option<usize>,

    /// Show how the mix of values changes from slice to slice, by default of the whole trace
    #[arg(long, conflicts_with_all = ["disruptions", "curve", "list_p", "p", "p_rank"])]
    change: bool,

    /// With --change: the containers of this type, or the nodes of this kind
    #[arg(long, value_name = "NAME", requires = "change", conflicts_with = "depth")]
    level: Option<String>,

    /// With --change: the containers at this depth; the root has depth 0
    #[arg(long, value_name = "N", requires = "change")]
    depth: Option<usize>,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if let Some(path) = &args.cube {
        let _watch = args.read.watch();
        let (matrix, lost) = args.read_matrix(path)?;
        args.answer(&matrix, None)?;
        return Ok(Exit::from_lost(lost));
    }
    let trace = args.trace.clone().ok_or_else(|| Failure::Cannot("name a trace".to_owned()))?;
    let trace = TraceArgs { trace, read: args.read.clone() }.open()?;
    trace.mention_problems();
    let window = args.look.window.window(&trace.store.catalog().facts)?;
    let lens = args.look.lens.lens()?;
    let scope = Scope::new(&trace.store, &lens, window)?;
    let metric = args.problem.partition.metric();
    let cube = cube(&scope, args.n_slices(), metric.measure())?;
    if let Some(path) = &args.save_cube {
        save(path, &scope, &cube, &lens, &metric)?;
    }
    args.answer(&Matrix::of_cube(&scope, cube, &metric)?, Some(&scope))?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

/// Writes a cube to a file, whole or not at all.
fn save(
    path: &Path,
    scope: &Scope<'_>,
    cube: &LeafCube,
    lens: &Lens,
    metric: &Metric,
) -> Result<(), Failure> {
    if !matches!(metric, Metric::States { .. }) {
        let why = "--save-cube keeps the time in states; it takes no --metric";
        return Err(Failure::Cannot(why.to_owned()));
    }
    let appearance = Appearance::new(scope.catalog(), lens, None)?;
    let file = CubeFile::of(scope, cube, &appearance)?;
    new_file::fill(path, |out| file.write(out)).map_err(|error| new_file::failure(path, &error))
}

impl Args {
    fn read_matrix(&self, path: &Path) -> Result<(Matrix, u64), Failure> {
        let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(path)));
        let text = fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
        Matrix::of_file(&text, &self.problem.partition.metric()).map_err(|error| match error {
            AnswerError::TooLarge(why) => Failure::Limit(format!("{}: {why}", shown(path))),
            error => cannot(error.to_string()),
        })
    }

    fn n_slices(&self) -> usize {
        let is_fine = self.change || self.disruptions.is_some();
        self.slices.unwrap_or(if is_fine { FINE_SLICES } else { SLICES })
    }

    fn answer(&self, matrix: &Matrix, scope: Option<&Scope<'_>>) -> Result<(), Failure> {
        let nothing = nothing_to_see(matrix, scope);
        let mut output = Output::new(matrix, nothing);
        if self.change {
            output.change = Some(match (scope, &self.level, self.depth) {
                (Some(scope), Some(level), _) => {
                    matrix.changes(scope, &Nodes::Level(level.clone()))?
                }
                (Some(scope), None, Some(depth)) => matrix.changes(scope, &Nodes::Depth(depth))?,
                _ => matrix.changes_of([matrix.tree.root()].into_iter()),
            });
        } else {
            let bar = Bar::new("aggregating");
            let choice = self.disruptions.map(|_| self.problem.choice()).transpose()?;
            Overview::with(matrix, &self.problem.partition.options(), bar.watch(), |overview| {
                if let (Some(most), Some(choice)) = (self.disruptions, choice) {
                    let found = overview.disruptions(most, choice, bar.watch())?;
                    output.disruptions = Some(found);
                    return Ok(());
                }
                self.aggregate(overview, &bar, &mut output)
            })?;
        }
        print(|out| match (self.form.json, self.form.csv) {
            (true, _) => write_json(out, &output.json()),
            (_, true) => output.write_csv(out, self.form),
            _ => output.write_text(out),
        })
    }

    /// Partitions and curves.
    fn aggregate(
        &self,
        overview: &Overview<'_>,
        bar: &Bar,
        output: &mut Output<'_>,
    ) -> onca_answer::Result<()> {
        let choices = match self.curve || self.list_p {
            true => self.problem.given(),
            false => self.problem.choices(),
        };
        for choice in choices {
            output.partitions.push(overview.partition(choice, bar.watch())?);
        }
        if self.compat {
            output.halving = Some(overview.halving(bar.watch())?);
        } else if self.curve || self.list_p {
            // What --p-rank counts is the draft.
            let limits = match self.curve {
                true => CurveLimits { bound: self.bound, solves: self.solves },
                false => CurveLimits::DRAFT,
            };
            output.curve =
                Some(overview.curve(limits, self.problem.partition.rule(), bar.watch())?);
        }
        Ok(())
    }
}

/// What to say where a window has nothing of a metric: which ones the trace knows.
fn nothing_to_see(matrix: &Matrix, scope: Option<&Scope<'_>>) -> String {
    let types = scope.map_or(&[][..], |scope| &scope.catalog().types);
    let has = |nature: Nature| types.iter().any(|def| def.nature == nature);
    let general = [(Nature::State, "states"), (Nature::Event, "events"), (Nature::Link, "bytes")];
    let mut metrics: Vec<String> = general
        .into_iter()
        .filter(|&(nature, name)| has(nature) && name != matrix.metric)
        .map(|(_, name)| name.to_owned())
        .collect();
    let variables = types.iter().filter(|def| def.nature == Nature::Variable);
    metrics.extend(variables.map(|def| printable(&def.name).into_owned()));
    metrics.sort();
    metrics.dedup();
    let others = match (metrics.is_empty(), scope) {
        (true, None) => "and the file has nothing else to aggregate".to_owned(),
        (true, Some(_)) => "and the trace has nothing else to aggregate".to_owned(),
        (false, _) => format!("--metric looks at something else: {}", metrics.join(", ")),
    };
    format!("no {} are seen in this window; {others}", matrix.metric)
}
