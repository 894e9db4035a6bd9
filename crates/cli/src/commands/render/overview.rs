//! The optimal partition as a picture.

use onca_views::overview::{self, Intensity, OverviewOptions, Shading};

use crate::commands::overview::ProblemArgs;
use onca_program::{Exit, Failure};

use super::paper::FigureArgs;

/// The optimal partition in space and time: which parts of a trace look alike
///
/// An area has the colour of its strongest value, the fainter the smaller that value's share. Areas
/// that were joined only because they are too thin to be drawn have a diagonal line where their
/// parts agree in time, and a cross where they do not.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render overview run.paje -o run.svg
  onca render overview run.paje --p 0.2 --slices 60 -o run.pdf
  onca render overview run.paje --all-values --no-curve -o run.png
  onca render overview run.paje --axis time -o strip.svg")]
pub struct OverviewArgs {
    #[command(flatten)]
    figure: FigureArgs,

    #[command(flatten)]
    problem: ProblemArgs,

    /// Cut the window into this many slices
    #[arg(long, value_name = "N", default_value_t = 30)]
    slices: usize,

    /// Show all values of an area, stacked, instead of the strongest
    #[arg(long)]
    all_values: bool,

    /// Let the time in no state make colours fainter
    #[arg(long, conflicts_with = "all_values")]
    by_amount: bool,

    /// Draw rows together that are thinner than this, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 3.0)]
    thinnest: f64,

    /// Leave out the curve of gain and loss
    #[arg(long)]
    no_curve: bool,
}

impl OverviewArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let problem = self.problem.options();
        let options = OverviewOptions {
            metric: self.problem.metric(),
            slices: self.slices,
            axis: problem.axis,
            choice: self.problem.choice()?,
            gain: problem.gain,
            shading: if self.all_values { Shading::AllValues } else { Shading::Mode },
            intensity: if self.by_amount { Intensity::Amount } else { Intensity::Share },
            thinnest: self.thinnest,
            curve: !self.no_curve,
            memory: problem.memory,
        };
        self.figure.render(|scope, looks, paper| overview::figure(scope, looks, paper, &options))
    }
}
