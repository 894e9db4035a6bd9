//! Treemaps.

use clap::ValueEnum;
use onca_answer::overview::Choice;
use onca_layout::treemap::Order;
use onca_model::Window;
use onca_query::{Scope, TimeText};
use onca_views::ViewError;
use onca_views::treemap::{self, Detail, TreemapOptions};

use crate::commands::slice::MeasureArgs;
use onca_program::{Exit, Failure};

use super::paper::FigureArgs;

/// A treemap: how much of each value every container has in the window
///
/// The area of a cell is the amount, its colour the value.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render treemap run.paje -o run.svg
  onca render treemap run.paje --level machine --values 'MPI_*' -o waiting.pdf
  onca render treemap run.paje --levels all -o levels.png
  onca render treemap run.paje --by links --mode size -o sent.svg
  onca render treemap run.paje --level machine --agg max -o slowest.svg
  onca render treemap run.paje --ratio 'time:Blocked / count:link' -o blocked.svg
  onca render treemap run.paje --cut optimal --p 0.1 -o parts.svg
  onca render treemap run.paje --from 50% --against-to 50% -o change.svg")]
pub struct TreemapArgs {
    #[command(flatten)]
    figure: FigureArgs,

    #[command(flatten)]
    measure: MeasureArgs,

    /// Divide the containers of this type, or the nodes of this kind, by values
    #[arg(long, value_name = "LEVEL", conflicts_with_all = ["depth", "levels", "cut"])]
    level: Option<String>,

    /// Divide the containers at this depth; the root has depth 0
    #[arg(long, value_name = "N", conflicts_with_all = ["levels", "cut"])]
    depth: Option<usize>,

    /// One picture for each depth, side by side
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with = "cut")]
    levels: Option<Levels>,

    /// Which containers are divided: all, or those of the optimal partition, where what looks
    /// alike is shown as one
    #[arg(long, value_enum, value_name = "CUT", default_value_t = CutName::Leaves)]
    cut: CutName,

    /// The trade-off of the optimal partition, from 0 to 1; by default a rule chooses it
    #[arg(long, value_name = "P")]
    p: Option<f64>,

    /// Show the time in no state too
    #[arg(long)]
    idle: bool,

    /// Keep the order of the containers: less square, but pictures of several windows can be
    /// compared
    #[arg(long)]
    keep_order: bool,

    /// No names above groups: then all areas are in proportion to each other
    #[arg(long)]
    no_headers: bool,

    /// Draw together what is thinner than this, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 2.0)]
    thinnest: f64,

    /// Show what changed since another window, which begins here
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = TimeText::parse)]
    against_from: Option<TimeText>,

    /// Show what changed since another window, which ends here
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = TimeText::parse)]
    against_to: Option<TimeText>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Levels {
    All,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum CutName {
    /// The containers that have nothing below them
    Leaves,
    /// Those of the optimal partition
    Optimal,
}

impl TreemapArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        if self.p.is_some() && self.cut != CutName::Optimal {
            return Err(Failure::Cannot("--p goes with --cut optimal".to_owned()));
        }
        let what = self.measure.what(1)?;
        let options = TreemapOptions {
            aggregate: self.measure.aggregate(&what),
            what,
            idle: self.idle,
            detail: self.detail(),
            order: if self.keep_order { Order::Given } else { Order::Largest },
            headers: !self.no_headers,
            thinnest: self.thinnest,
            ..TreemapOptions::default()
        };
        self.figure.render(|scope, looks, paper| {
            let against = self.against(scope).map_err(ViewError::Nothing)?;
            treemap::figure(scope, looks, paper, &TreemapOptions { against, ..options })
        })
    }

    /// The window that is compared with.
    fn against(&self, scope: &Scope<'_>) -> Result<Option<Window>, String> {
        if self.against_from.is_none() && self.against_to.is_none() {
            return Ok(None);
        }
        let facts = &scope.catalog().facts;
        let from = self.against_from.map_or(Ok(facts.start), |time| time.ticks(facts))?;
        let to = self.against_to.map_or(Ok(facts.end), |time| time.ticks(facts))?;
        match from < to {
            true => Ok(Some(Window { from, to })),
            false => Err("the window to compare with is empty".to_owned()),
        }
    }

    fn detail(&self) -> Detail {
        let choice = || self.p.map_or_else(|| Choice::Start(Default::default()), Choice::P);
        match (self.levels, self.cut, &self.level, self.depth) {
            (Some(Levels::All), ..) => Detail::EveryDepth,
            (None, CutName::Optimal, ..) => Detail::Optimal(choice()),
            (None, _, Some(level), _) => Detail::Kind(level.clone()),
            (None, _, None, Some(depth)) => Detail::Depth(depth),
            (None, ..) => Detail::Leaves,
        }
    }
}
