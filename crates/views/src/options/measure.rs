//! What is summed up over containers and slices.

use onca_aggregate::ratio::Ratio;
use onca_aggregate::slice::{Crossing, LinkEnd};
use onca_answer::slice::{
    Aggregate, AskedRatio, LinkMeasure, Links, Measure, VariableMeasure, What,
};
use serde::{Deserialize, Serialize};

/// What is summed up.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct MeasureOptions {
    /// What to sum up
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub by: By,

    /// What of it; by default time for states and variables, count for links and events
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub mode: Option<Mode>,

    /// Which end of a link counts it
    #[cfg_attr(
        feature = "clap",
        arg(id = "as", long = "as", value_enum, value_name = "END", default_value_t)
    )]
    #[serde(rename = "as")]
    pub end: End,

    /// What becomes of links that cross the border of a slice: drop for one slice, clip for
    /// several by default
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub border: Option<Border>,

    /// Count the time of nested states for all of them, not for the innermost only
    #[cfg_attr(feature = "clap", arg(long))]
    pub inclusive: bool,

    /// What a group has of its leaves: sum, mean, median, min, max, or an expression such as "max / mean"
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "EXPRESSION", value_parser = checked_aggregate)
    )]
    pub agg: Option<String>,

    /// Divide one quantity by another after both were aggregated, such as
    /// "time:Blocked / count:link:Message"
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RATIO", value_parser = checked_ratio, conflicts_with_all = ["by", "mode"])
    )]
    pub ratio: Option<String>,
}

/// What is summed up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum By {
    /// States
    #[default]
    States,
    /// Variables
    Variables,
    /// Links
    Links,
    /// Events
    Events,
}

/// What of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Mode {
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

/// Which end of a link counts it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum End {
    /// Where it comes from
    #[default]
    Origin,
    /// Where it goes to
    Destination,
}

/// What becomes of links that cross the border of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Border {
    /// They count nowhere
    Drop,
    /// They count in each slice for what lies in it
    Clip,
}

impl MeasureOptions {
    /// What is summed up over slices, or why these options do not go together.
    pub fn what(&self, n_slices: usize) -> Result<What, String> {
        let links = self.links(n_slices);
        if let Some(text) = &self.ratio {
            let ratio = Ratio::parse(text).map_err(|error| format!("ratio: {error}"))?;
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
            return Err("--inclusive is for the time of states".to_owned());
        }
        Ok(what)
    }

    /// What a group has, given what its leaves have.
    pub fn aggregate(&self, what: &What) -> Result<Aggregate, String> {
        match &self.agg {
            Some(text) => Aggregate::parse(text).map_err(|error| format!("agg: {error}")),
            None => Ok(what.usual_aggregate()),
        }
    }

    /// How links count.
    pub fn links(&self, n_slices: usize) -> Links {
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

#[cfg(feature = "clap")]
fn checked_aggregate(text: &str) -> Result<String, String> {
    Aggregate::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

#[cfg(feature = "clap")]
fn checked_ratio(text: &str) -> Result<String, String> {
    Ratio::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn misfit(by: By, mode: Mode) -> String {
    let (what, modes) = match by {
        By::States => ("states", "time or count"),
        By::Variables => ("variables", "time, defined, min, max or integral"),
        By::Links => ("links", "count, time, size, rate, weighted or peers"),
        By::Events => ("events", "count"),
    };
    let mode = format!("{mode:?}").to_lowercase();
    format!("there is no mode {mode} for {what}; it is {modes}")
}
