//! What is summed up.

use onca_aggregate::ratio::Ratio;
use onca_aggregate::slice::{Crossing, LinkEnd};
use onca_answer::slice::{
    Aggregate, AskedRatio, LinkMeasure, Links, Measure, VariableMeasure, What,
};

use onca_program::Failure;

/// What is summed up.
#[derive(clap::Args, Debug)]
pub struct MeasureArgs {
    /// What to sum up
    #[arg(long, value_enum, default_value = "states")]
    by: By,

    /// What of it; by default time for states and variables, count for links and events
    #[arg(long, value_enum)]
    mode: Option<Mode>,

    /// Which end of a link counts it
    #[arg(long = "as", value_enum, value_name = "END", default_value = "origin")]
    end: End,

    /// What becomes of links that cross the border of a slice: drop for one slice, clip for
    /// several by default
    #[arg(long, value_enum)]
    border: Option<Border>,

    /// Count the time of nested states for all of them, not for the innermost only
    #[arg(long)]
    inclusive: bool,

    /// What a group has of its leaves: sum, mean, min, max, or an expression such as "max / mean"
    #[arg(long, value_name = "EXPRESSION", value_parser = parse_aggregate)]
    agg: Option<Aggregate>,

    /// Divide one quantity by another after both were aggregated, such as
    /// "time:Blocked / count:link:Message"
    #[arg(long, value_name = "RATIO", value_parser = parse_ratio, conflicts_with_all = ["by", "mode"])]
    ratio: Option<Ratio>,
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

impl MeasureArgs {
    /// What is summed up over slices.
    pub fn what(&self, n_slices: usize) -> Result<What, Failure> {
        let links = self.links(n_slices);
        if let Some(ratio) = self.ratio.clone() {
            return Ok(What::Ratio(AskedRatio { ratio, links, inclusive: self.inclusive }));
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

    /// What a group has, given what its leaves have.
    pub fn aggregate(&self, what: &What) -> Aggregate {
        self.agg.clone().unwrap_or_else(|| what.usual_aggregate())
    }

    /// How links count.
    fn links(&self, n_slices: usize) -> Links {
        let end = match self.end {
            End::Origin => LinkEnd::Origin,
            End::Destination => LinkEnd::Destination,
        };
        let border = match (self.border, n_slices) {
            (Some(Border::Drop), _) | (None, 0 | 1) => Crossing::Drop,
            // Dropped from several slices, most long links would be lost.
            (Some(Border::Clip), _) | (None, _) => Crossing::Clip,
        };
        Links { end, border }
    }
}

fn parse_aggregate(text: &str) -> Result<Aggregate, String> {
    Aggregate::parse(text).map_err(|error| error.to_string())
}

fn parse_ratio(text: &str) -> Result<Ratio, String> {
    Ratio::parse(text).map_err(|error| error.to_string())
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
