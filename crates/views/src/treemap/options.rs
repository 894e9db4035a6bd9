//! What a treemap can be asked for.

use onca_answer::AnswerError;
use onca_answer::overview::Choice;
use onca_answer::slice::{Aggregate, What};
use onca_layout::treemap::Order;
use onca_model::Window;
use onca_query::Scope;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::options::{AgainstOptions, LevelOptions, MeasureOptions, ViewOptions};

/// A treemap: how much of each value every container has in the window
///
/// The area of a cell is the amount, its colour the value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render treemap run.paje -o run.svg
  onca render treemap run.paje --level machine --values 'MPI_*' -o waiting.pdf
  onca render treemap run.paje --levels all -o levels.png
  onca render treemap run.paje --by links --mode size -o sent.svg
  onca render treemap run.paje --level machine --agg max -o slowest.svg
  onca render treemap run.paje --ratio 'time:Blocked / count:link' -o blocked.svg
  onca render treemap run.paje --cut optimal --p 0.1 -o parts.svg
  onca render treemap run.paje --from 50% --against-to 50% -o change.svg")
)]
pub struct TreemapOptions {
    /// What the areas are.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub measure: MeasureOptions,

    /// Which nodes are divided by values; what lies below them is summed up.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,

    /// One picture for each depth, side by side
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, value_name = "WHICH", conflicts_with_all = ["cut", "level", "depth"])
    )]
    pub levels: Option<Levels>,

    /// Which containers are divided: all, or those of the optimal partition, where what looks
    /// alike is shown as one
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_enum,
            value_name = "CUT",
            default_value_t,
            conflicts_with_all = ["level", "depth"]
        )
    )]
    pub cut: CutName,

    /// The trade-off of the optimal partition, from 0 to 1; by default a rule chooses it
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub p: Option<f64>,

    /// Show the time in no state too
    #[cfg_attr(feature = "clap", arg(long))]
    pub idle: bool,

    /// Keep the order of the containers: less square, but pictures of several windows can be
    /// compared
    #[cfg_attr(feature = "clap", arg(long))]
    pub keep_order: bool,

    /// No names above groups: then all areas are in proportion to each other
    #[cfg_attr(feature = "clap", arg(long = "no-headers", action = clap::ArgAction::SetFalse))]
    pub headers: bool,

    /// Draw together what is thinner than this, in pixels
    #[cfg_attr(feature = "clap", arg(long, value_name = "PIXELS", default_value_t = 2.0))]
    pub thinnest: f64,

    /// Another window: colours then tell what changed since, and areas are the mean of both.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub against: AgainstOptions,
}

impl Default for TreemapOptions {
    fn default() -> Self {
        Self {
            measure: MeasureOptions::default(),
            level: LevelOptions::default(),
            levels: None,
            cut: CutName::default(),
            p: None,
            idle: false,
            keep_order: false,
            headers: true,
            thinnest: 2.0,
            against: AgainstOptions::default(),
        }
    }
}

/// Which depths have a picture of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Levels {
    /// Every one
    All,
}

/// Which containers are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum CutName {
    /// The containers that have nothing below them
    #[default]
    Leaves,
    /// Those of the optimal partition
    Optimal,
}

impl ViewOptions for TreemapOptions {
    fn portable(&self, scope: &Scope<'_>) -> Self {
        Self { against: self.against.written(scope), ..self.clone() }
    }
}

/// Which nodes are divided by values; what lies below them is summed up.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Detail {
    /// All containers that have nothing below them.
    Leaves,
    /// Those at this distance from the root.
    Depth(usize),
    /// Those of a kind, such as a type of containers.
    Kind(String),
    /// Every depth has a picture of its own, side by side.
    EveryDepth,
    /// Those of the optimal partition: what looks alike is shown as one.
    Optimal(Choice),
}

/// Options that were understood.
pub(crate) struct Understood {
    /// As they were asked for.
    pub options: TreemapOptions,
    /// What the areas are: an amount of each value, or a ratio.
    pub what: What,
    /// What a cell has, given what its leaves have.
    pub aggregate: Aggregate,
    /// Only the values with these names; all when there are none.
    pub only: Vec<String>,
    /// Which nodes are divided by values.
    pub detail: Detail,
    /// Another window.
    pub against: Option<Window>,
}

impl Understood {
    /// Understands options, of one slice.
    pub fn new(options: &TreemapOptions, scope: &Scope<'_>) -> Result<Self> {
        if options.p.is_some() && options.cut != CutName::Optimal {
            let why = "--p goes with --cut optimal";
            return Err(AnswerError::Question(why.to_owned()).into());
        }
        let what = options.measure.what(1).map_err(AnswerError::Question)?;
        let aggregate = options.measure.aggregate(&what).map_err(AnswerError::Question)?;
        Ok(Self {
            what,
            aggregate,
            only: Vec::new(),
            detail: options.detail(),
            against: options.against.window(scope)?,
            options: options.clone(),
        })
    }

    /// In which order nodes are placed.
    pub fn order(&self) -> Order {
        if self.options.keep_order { Order::Given } else { Order::Largest }
    }
}

impl TreemapOptions {
    fn detail(&self) -> Detail {
        let choice = || self.p.map_or_else(|| Choice::Start(Default::default()), Choice::P);
        match (self.levels, self.cut, &self.level) {
            (Some(Levels::All), ..) => Detail::EveryDepth,
            (None, CutName::Optimal, _) => Detail::Optimal(choice()),
            (None, _, LevelOptions { level: Some(kind), .. }) => Detail::Kind(kind.clone()),
            (None, _, LevelOptions { depth: Some(depth), .. }) => Detail::Depth(*depth),
            (None, ..) => Detail::Leaves,
        }
    }
}
