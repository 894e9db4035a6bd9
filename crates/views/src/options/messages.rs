//! Which messages count, and how many phases and communities are wanted of them.

use onca_aggregate::phases::Linkage;
use onca_answer::AnswerError;
use onca_answer::phases::{CollectiveChoice, MessageSize, Part, PhaseSpec};
use onca_query::{NodeId, Scope};
use serde::{Deserialize, Serialize};

use super::{LevelOptions, ViewOptions};

/// Phases of communication, and the communities in each.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct PhaseOptions {
    /// How many phases; the number that stands out most by default
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))
    )]
    pub phases: Option<u32>,

    /// How many communities in each phase; those with the largest modularity by default
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))
    )]
    pub communities: Option<u32>,

    /// Which messages count.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub messages: MessageOptions,

    /// Who communicates.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,
}

/// Which messages count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct MessageOptions {
    /// Only links of this type; may be given several times
    #[cfg_attr(feature = "clap", arg(long = "link-type", value_name = "TYPE"))]
    pub link_types: Vec<String>,

    /// How large a message is: "given" by the trace, its "value", an extra field by its name, or
    /// "none" to count messages
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "SIZE",
            value_parser = clap::builder::NonEmptyStringValueParser::new(),
            default_value = "given"
        )
    )]
    pub size: String,

    /// Leave out collective operations, whether links or states tell of them
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_collectives: bool,

    /// Leave out everything but collective operations
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "no_collectives"))]
    pub only_collectives: bool,

    /// Only operations of this name, such as MPI_Allreduce or MPI_Send: a value of links, of the
    /// states of collective operations, or of the states that messages are sent or received in; may
    /// be given several times
    #[cfg_attr(feature = "clap", arg(long = "function", value_name = "NAME"))]
    pub functions: Vec<String>,

    /// Where joined messages stand in time
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "RULE", default_value_t))]
    pub linkage: LinkageName,

    /// Only messages of one phase.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub within: Option<Middles>,

    /// Only messages between these nodes.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub among: Option<Vec<u32>>,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self {
            link_types: Vec::new(),
            size: "given".to_owned(),
            no_collectives: false,
            only_collectives: false,
            functions: Vec::new(),
            linkage: LinkageName::default(),
            within: None,
            among: None,
        }
    }
}

/// The first and last sum of start and end of messages, in ticks after the begin of the trace: whole
/// numbers, where a middle need not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Middles {
    /// Of the first message.
    pub first: i64,
    /// Of the last message.
    pub last: i64,
}

/// Where joined messages stand in time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum LinkageName {
    /// Halfway between the two that were joined
    #[default]
    Midpoint,
    /// At the mean of all their messages
    Weighted,
}

impl ViewOptions for PhaseOptions {}

impl PhaseOptions {
    /// What is asked of the messages of a file, which has no nodes and no times of a trace.
    pub fn spec_of_file(&self) -> PhaseSpec {
        let messages = &self.messages;
        PhaseSpec {
            level: self.level.level().unwrap_or_default(),
            link_types: messages.link_types.clone(),
            size: match messages.size.as_str() {
                "given" => MessageSize::Given,
                "value" => MessageSize::Value,
                "none" => MessageSize::Ignored,
                field => MessageSize::Field(field.to_owned()),
            },
            collectives: match (messages.no_collectives, messages.only_collectives) {
                (true, _) => CollectiveChoice::Without,
                (false, true) => CollectiveChoice::Alone,
                (false, false) => CollectiveChoice::With,
            },
            functions: messages.functions.clone(),
            linkage: match messages.linkage {
                LinkageName::Midpoint => Linkage::Midpoint,
                LinkageName::Weighted => Linkage::Weighted,
            },
            part: Part::default(),
        }
    }

    /// What is asked of the messages of a trace.
    pub fn spec(&self, scope: &Scope<'_>) -> Result<PhaseSpec, AnswerError> {
        let MessageOptions { within, among, .. } = &self.messages;
        let n_nodes = scope.hierarchy().len();
        let is_unknown = |node: &&u32| **node as usize >= n_nodes;
        if let Some(node) = among.iter().flatten().find(is_unknown) {
            return Err(AnswerError::Question(format!("among: there is no node {node}")));
        }
        let begin = 2 * i128::from(scope.catalog().facts.start);
        let absolute = |sum: i64| {
            let sum = begin + i128::from(sum);
            sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
        };
        let part = Part {
            middles: within.map(|own| absolute(own.first)..=absolute(own.last)),
            among: among.as_ref().map(|nodes| nodes.iter().map(|node| NodeId(*node)).collect()),
        };
        Ok(PhaseSpec { part, ..self.spec_of_file() })
    }

    /// How many phases are wanted, if a number is.
    pub fn n_phases(&self) -> Option<usize> {
        self.phases.map(|n| n as usize)
    }

    /// How many communities are wanted in each, if a number is.
    pub fn n_communities(&self) -> Option<usize> {
        self.communities.map(|n| n as usize)
    }
}
