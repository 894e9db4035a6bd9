//! What is aggregated, how, and with which trade-off.

use onca_aggregate::overview::{Axis, Gain, StartRule};
use onca_aggregate::slice::LinkEnd;
use onca_answer::overview::{Choice, Metric, OverviewOptions};

use onca_program::Failure;
use onca_program::format::parse_size;

/// What is aggregated, how, and with which trade-off.
#[derive(clap::Args, Debug)]
pub struct ProblemArgs {
    /// The trade-off, from 0 (nothing may be hidden) to 1; may be given several times
    #[arg(long, value_name = "P", conflicts_with = "p_rank")]
    p: Vec<f64>,

    /// The trade-off with this number in --list-p
    #[arg(long, value_name = "K")]
    p_rank: Option<usize>,

    /// How the default trade-off is chosen
    #[arg(long, value_enum, default_value = "readable", conflicts_with_all = ["p", "p_rank"])]
    p_rule: RuleName,

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

    /// Memory that the tables may take, such as 512M or 2G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G")]
    table_memory: usize,
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
enum RuleName {
    /// Little is hidden, and there are not too many areas
    Readable,
    /// Nearest to all of the gain without any loss
    Nearest,
    /// Where gain and loss change most differently, as in Ocelotl
    Steepest,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum GainName {
    /// From the sum of an area: what makes sense
    Sum,
    /// From the mean of an area: as the paper prints it
    Mean,
}

impl ProblemArgs {
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

    /// The trade-offs that were given.
    pub fn given(&self) -> Vec<Choice> {
        match self.p_rank {
            Some(rank) => vec![Choice::Rank(rank)],
            None => self.p.iter().map(|&p| Choice::P(p)).collect(),
        }
    }

    /// The trade-offs that partitions are wanted for: one by a rule when none was given.
    pub fn choices(&self) -> Vec<Choice> {
        let given = self.given();
        if given.is_empty() { vec![Choice::Start(self.rule())] } else { given }
    }

    /// The trade-off where only one partition is wanted.
    pub fn choice(&self) -> Result<Choice, Failure> {
        match self.choices().as_slice() {
            [choice] => Ok(*choice),
            _ => Err(Failure::Cannot("give one --p, not several".to_owned())),
        }
    }
}
