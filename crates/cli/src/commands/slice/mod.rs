//! `onca slice`: the summary of a window, per container and value, at any level.

mod output;

use std::io;

use onca_aggregate::ratio::Ratio;
use onca_aggregate::slice::{Crossing, LinkEnd};
use onca_answer::slice::{
    Aggregate, LinkMeasure, Links, Measure, Nodes, SliceQuestion, VariableMeasure, What, slice,
};

use crate::look::LookArgs;
use crate::outcome::{Exit, Failure, written};
use crate::trace::TraceArgs;

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

    /// What to sum up
    #[arg(long, value_enum, default_value = "states")]
    by: By,

    /// What of it; time for states and variables, count for links and events, unless told
    #[arg(long, value_enum)]
    mode: Option<Mode>,

    /// What a group has of its leaves: sum, mean, min, max, or an expression such as "max / mean"
    #[arg(long, value_name = "EXPRESSION", value_parser = parse_aggregate)]
    agg: Option<Aggregate>,

    /// Which end of a link counts it
    #[arg(long = "as", value_enum, value_name = "END", default_value = "origin")]
    end: End,

    /// What becomes of links that cross the border of a slice: drop for one slice, clip for
    /// several, unless told
    #[arg(long, value_enum)]
    border: Option<Border>,

    /// Divide one quantity by another after both were aggregated, such as
    /// "time:Blocked / count:link:Message"
    #[arg(long, value_name = "RATIO", value_parser = parse_ratio, conflicts_with_all = ["by", "mode"])]
    ratio: Option<Ratio>,

    /// Count the time of nested states for all of them, not for the innermost only
    #[arg(long)]
    inclusive: bool,

    /// Give times as shares of the width of the slice
    #[arg(long)]
    normalise: bool,

    /// Cut the window into this many slices
    #[arg(long, value_name = "N", default_value_t = 1)]
    slices: usize,

    #[command(flatten)]
    look: LookArgs,

    /// Print comma-separated values, one row for each container, value and slice
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum By {
    States,
    Variables,
    Links,
    Events,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Mode {
    /// States: time in them. Links: time under way. Variables: mean over the slice
    Time,
    /// How many
    Count,
    /// Links: their size
    Size,
    /// Links: size by duration of each
    Rate,
    /// Links: size weighted by the time under way
    Weighted,
    /// Links: how many with each other container
    Peers,
    /// Variables: mean over the time during which they are defined
    Defined,
    /// Variables: the smallest value
    Min,
    /// Variables: the largest value
    Max,
    /// Variables: value times time
    Integral,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum End {
    Origin,
    Destination,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Border {
    Drop,
    Clip,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let question = args.question()?;
    let trace = args.trace.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    let answer = slice(&scope, &question)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    written(match (args.json, args.csv) {
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
        let links = self.links();
        if let Some(ratio) = self.ratio.clone() {
            return Ok(What::Ratio { ratio, links, inclusive: self.inclusive });
        }
        let Links { end, border } = links;
        let link = |measure| What::Measure(Measure::Link { measure, end, border });
        let variable = |measure| What::Measure(Measure::Variable(measure));
        let what = match (self.by, self.mode) {
            (By::States, None | Some(Mode::Time)) => {
                What::Measure(Measure::StateTime { inclusive: self.inclusive })
            }
            (By::States, Some(Mode::Count)) => What::Measure(Measure::StateCount),
            (By::Events, None | Some(Mode::Count)) => What::Measure(Measure::EventCount),
            (By::Variables, None | Some(Mode::Time)) => variable(VariableMeasure::Mean),
            (By::Variables, Some(Mode::Defined)) => variable(VariableMeasure::Defined),
            (By::Variables, Some(Mode::Min)) => variable(VariableMeasure::Min),
            (By::Variables, Some(Mode::Max)) => variable(VariableMeasure::Max),
            (By::Variables, Some(Mode::Integral)) => variable(VariableMeasure::Integral),
            (By::Links, None | Some(Mode::Count)) => link(LinkMeasure::Count),
            (By::Links, Some(Mode::Time)) => link(LinkMeasure::Time),
            (By::Links, Some(Mode::Size)) => link(LinkMeasure::Size),
            (By::Links, Some(Mode::Rate)) => link(LinkMeasure::Rate),
            (By::Links, Some(Mode::Weighted)) => link(LinkMeasure::Weighted),
            (By::Links, Some(Mode::Peers)) => What::Peers(links),
            (by, Some(mode)) => return Err(misfit(by, mode)),
        };
        let nests = matches!(what, What::Measure(Measure::StateTime { .. }));
        if self.inclusive && !nests {
            return Err(Failure::Cannot("--inclusive is for the time of states".to_owned()));
        }
        Ok(what)
    }

    fn links(&self) -> Links {
        let end = match self.end {
            End::Origin => LinkEnd::Origin,
            End::Destination => LinkEnd::Destination,
        };
        let border = match (self.border, self.slices) {
            (Some(Border::Drop), _) | (None, 0 | 1) => Crossing::Drop,
            // Dropped from several slices, most long links would be lost.
            (Some(Border::Clip), _) | (None, _) => Crossing::Clip,
        };
        Links { end, border }
    }
}

fn misfit(by: By, mode: Mode) -> Failure {
    let (what, modes) = match by {
        By::States => ("states", "time or count"),
        By::Variables => ("variables", "time, defined, min, max or integral"),
        By::Links => ("links", "count, time, size, rate, weighted or peers"),
        By::Events => ("events", "count"),
    };
    let mode = format!("{mode:?}").to_lowercase();
    Failure::Cannot(format!("there is no mode {mode} for {what}; it is {modes}"))
}

fn parse_aggregate(text: &str) -> Result<Aggregate, String> {
    Aggregate::parse(text).map_err(|error| error.to_string())
}

fn parse_ratio(text: &str) -> Result<Ratio, String> {
    Ratio::parse(text).map_err(|error| error.to_string())
}
