//! `onca slice`: the summary of a window, per container and value, at any level.

mod measure;
mod output;

use std::io;

use onca_aggregate::ratio::Ratio;
use onca_answer::slice::{Aggregate, Measure, Nodes, SliceQuestion, VariableMeasure, What, slice};

use crate::look::LookArgs;
use crate::outcome::{Exit, Failure, written};
use crate::table::FormArgs;
use crate::trace::TraceArgs;

pub use measure::MeasureArgs;

/// Sum up a window of time, per container and value
///
/// For each container, and for each group of them up to the whole trace: the time in each state,
/// the mean of each variable, the number of events, or what links carry. A group has the sum of
/// its leaves, or what --agg says.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca slice run.paje --from 10 --to 19
  onca slice run.paje --level Machine --normalise --agg mean
  onca slice run.paje --by links --mode size --as destination --csv
  onca slice run.paje --ratio 'time:Blocked / count:link:Message' --depth 1
  onca slice run.paje --slices 100 --values MPI_Wait --csv")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Only the containers of this type, or the nodes of this kind
    #[arg(long, value_name = "NAME", conflicts_with = "depth")]
    level: Option<String>,

    /// Only the containers at this depth; the root has depth 0
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    #[command(flatten)]
    measure: MeasureArgs,

    /// What a group has of its leaves: sum, mean, min, max, or an expression such as "max / mean"
    #[arg(long, value_name = "EXPRESSION", value_parser = parse_aggregate)]
    agg: Option<Aggregate>,

    /// Divide one quantity by another after both were aggregated, such as
    /// "time:Blocked / count:link:Message"
    #[arg(long, value_name = "RATIO", value_parser = parse_ratio, conflicts_with_all = ["by", "mode"])]
    ratio: Option<Ratio>,

    /// Give times as shares of the width of the slice
    #[arg(long)]
    normalise: bool,

    /// Cut the window into this many slices
    #[arg(long, value_name = "N", default_value_t = 1)]
    slices: usize,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let question = args.question()?;
    let trace = args.trace.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    let answer = slice(&scope, &question)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    written(match (args.form.json, args.form.csv) {
        (true, _) => output::write_json(&mut out, &answer),
        (_, true) => output::write_csv(&mut out, &answer),
        _ => output::write_text(&mut out, &answer, &question),
    })?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

impl Args {
    fn question(&self) -> Result<SliceQuestion, Failure> {
        let what = self.what()?;
        let aggregate = self.agg.clone().unwrap_or(match what {
            What::Measure(Measure::Variable(VariableMeasure::Min)) => Aggregate::Min,
            What::Measure(Measure::Variable(VariableMeasure::Max)) => Aggregate::Max,
            _ => Aggregate::Sum,
        });
        let nodes = match (&self.level, self.depth) {
            (Some(level), _) => Nodes::Level(level.clone()),
            (None, Some(depth)) => Nodes::Depth(depth),
            (None, None) => Nodes::All,
        };
        let (n_slices, normalise) = (self.slices, self.normalise);
        Ok(SliceQuestion { what, aggregate, nodes, n_slices, normalise })
    }

    fn what(&self) -> Result<What, Failure> {
        let Some(ratio) = self.ratio.clone() else { return self.measure.what(self.slices) };
        let links = self.measure.links(self.slices);
        Ok(What::Ratio { ratio, links, inclusive: self.measure.inclusive })
    }
}

fn parse_aggregate(text: &str) -> Result<Aggregate, String> {
    Aggregate::parse(text).map_err(|error| error.to_string())
}

fn parse_ratio(text: &str) -> Result<Ratio, String> {
    Ratio::parse(text).map_err(|error| error.to_string())
}
