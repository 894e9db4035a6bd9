//! What an optimal partition is of, and how it is chosen.

use onca_aggregate::overview::{Axis, Gain, StartRule};
use onca_aggregate::slice::LinkEnd;
use onca_answer::overview::{Metric, OverviewOptions};
use serde::{Deserialize, Serialize};

/// What is aggregated, how, and by which rule the trade-off is chosen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct PartitionOptions {
    /// The trade-off with this number in --list-p
    #[cfg_attr(feature = "clap", arg(long, value_name = "K", conflicts_with = "p"))]
    pub p_rank: Option<usize>,

    /// How the default trade-off is chosen
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, default_value_t, conflicts_with_all = ["p", "p_rank"])
    )]
    pub p_rule: RuleName,

    /// What to look at: states, events, bytes (sent), bytes-received, or the name of a variable
    #[cfg_attr(feature = "clap", arg(long, value_name = "METRIC", default_value = "states"))]
    pub metric: String,

    /// Count the time in no state as a value of its own
    #[cfg_attr(feature = "clap", arg(long))]
    pub idle: bool,

    /// Along which axes to join
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub axis: AxisName,

    /// How the gain is measured; for experts
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub gain: GainName,

    /// Memory that the tables may take, such as 512M or 2G
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SIZE", value_parser = onca_model::format::parse_size, default_value = "1G")
    )]
    pub table_memory: usize,
}

impl Default for PartitionOptions {
    fn default() -> Self {
        Self {
            p_rank: None,
            p_rule: RuleName::default(),
            metric: "states".to_owned(),
            idle: false,
            axis: AxisName::default(),
            gain: GainName::default(),
            table_memory: 1 << 30,
        }
    }
}

/// Along which axes cells are joined.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum AxisName {
    /// Containers; time is summed up
    Space,
    /// Slices; containers are summed up
    Time,
    /// Slices; every container counts for itself
    TimeOfEach,
    /// Containers and slices
    #[default]
    Both,
}

/// Which partition is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum AreasName {
    /// The optimal one
    #[default]
    Optimum,
    /// The best fixed grid with no more areas: containers of one depth, slices of one width
    Grid,
    /// The best partition in space times one in time with no more areas
    Product,
    /// All three, one below the other
    All,
}

/// How the default trade-off is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum RuleName {
    /// Little is hidden, and there are not too many areas
    #[default]
    Readable,
    /// Nearest to all of the gain without any loss
    Nearest,
    /// Where gain and loss change most differently, as in Ocelotl
    Steepest,
}

/// How the gain is measured.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum GainName {
    /// From the sum of an area: what makes sense
    #[default]
    Sum,
    /// From the mean of an area: as the paper prints it
    Mean,
}

impl PartitionOptions {
    /// What is looked at.
    pub fn metric(&self) -> Metric {
        match self.metric.as_str() {
            "states" => Metric::States { idle: self.idle },
            "events" => Metric::Events,
            "bytes" => Metric::Bytes(LinkEnd::Origin),
            "bytes-received" => Metric::Bytes(LinkEnd::Destination),
            variable => Metric::Variable(variable.to_owned()),
        }
    }

    /// The rule for the default trade-off.
    pub fn rule(&self) -> StartRule {
        match self.p_rule {
            RuleName::Readable => StartRule::Readable,
            RuleName::Nearest => StartRule::Nearest,
            RuleName::Steepest => StartRule::Steepest,
        }
    }

    /// How to aggregate.
    pub fn options(&self) -> OverviewOptions {
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
}
