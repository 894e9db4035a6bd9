//! Pies, bars, matrices, histograms, concurrency, efficiency, flame graphs.

use clap::ValueEnum;
use onca_answer::Level;
use onca_views::{Ruler, bars, concurrency, efficiency, flame, histogram, matrix, pie};

use crate::commands::stats::LevelArgs;
use onca_program::{Exit, Failure};

use super::paper::FigureArgs;

/// Shares of the states as pies: one of everything, or one for each container of a level
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render pie run.paje -o pie.svg
  onca render pie run.paje --level machine -o pies.pdf --width 180mm")]
pub struct PieArgs {
    #[command(flatten)]
    figure: FigureArgs,

    #[command(flatten)]
    level: LevelArgs,
}

impl PieArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let options = pie::PieOptions { level: self.level.level().unwrap_or(Level::Whole) };
        self.figure.render(|scope, looks, paper| pie::figure(scope, looks, paper, &options))
    }
}

/// Shares of the states as stacked bars, one for each container
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render bars run.paje -o bars.svg
  onca render bars run.paje --level machine --length time -o bars.png
  onca render bars run.paje --order time:MPI_Wait --descending -o waiting.pdf")]
pub struct BarsArgs {
    #[command(flatten)]
    figure: FigureArgs,

    #[command(flatten)]
    level: LevelArgs,

    /// What the length of a bar means
    #[arg(long, value_enum, value_name = "LENGTH", default_value_t = Length::Share)]
    length: Length,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Length {
    /// The share of the window: all bars are as long
    Share,
    /// The time of all containers of the bar
    Time,
}

impl BarsArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let usual = bars::BarsOptions::default();
        let options = bars::BarsOptions {
            level: self.level.level().unwrap_or(usual.level),
            length: match self.length {
                Length::Share => bars::BarLength::Share,
                Length::Time => bars::BarLength::Time,
            },
        };
        self.figure.render(|scope, looks, paper| bars::figure(scope, looks, paper, &options))
    }
}

/// How amounts are spread over a scale.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum ScaleName {
    /// Equal steps are equal differences
    Linear,
    /// Equal steps are equal ratios
    Log,
}

impl ScaleName {
    fn ruler(self) -> Ruler {
        match self {
            Self::Linear => Ruler::Linear,
            Self::Log => Ruler::Log,
        }
    }
}

/// Who sends how much to whom
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render matrix run.paje -o matrix.svg
  onca render matrix run.paje --level machine --metric bytes -o traffic.pdf")]
pub struct MatrixArgs {
    #[command(flatten)]
    figure: FigureArgs,

    #[command(flatten)]
    level: LevelArgs,

    /// What is summed up; bytes where links have sizes, else their number
    #[arg(long, value_enum, value_name = "METRIC")]
    metric: Option<Metric>,

    /// How amounts are spread over colours; chosen by the amounts by default
    #[arg(long, value_enum, value_name = "SCALE")]
    color_scale: Option<ScaleName>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Metric {
    /// The number of links
    Count,
    /// Their sizes
    Bytes,
    /// The time that they take in the window
    Time,
}

impl MatrixArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let usual = matrix::MatrixOptions::default();
        let options = matrix::MatrixOptions {
            level: self.level.level().unwrap_or(usual.level),
            metric: self.metric.map(|metric| match metric {
                Metric::Count => matrix::Metric::Count,
                Metric::Bytes => matrix::Metric::Bytes,
                Metric::Time => matrix::Metric::Time,
            }),
            colors: self.color_scale.map(ScaleName::ruler),
        };
        self.figure.render(|scope, looks, paper| matrix::figure(scope, looks, paper, &options))
    }
}

/// How many messages are how large and how long, or how long states last
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render histogram run.paje -o messages.svg
  onca render histogram run.paje --of states --values MPI_Wait -o waiting.svg")]
pub struct HistogramArgs {
    #[command(flatten)]
    figure: FigureArgs,

    /// What is counted
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Counted::Links)]
    of: Counted,

    /// How counts are spread over the height; chosen by the amounts by default
    #[arg(long, value_enum, value_name = "SCALE")]
    count_scale: Option<ScaleName>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Counted {
    /// Links by their size and by their duration
    Links,
    /// Links by their size
    LinkSizes,
    /// Links by their duration
    LinkDurations,
    /// The states of each value by their duration
    States,
}

impl HistogramArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let options = histogram::HistogramOptions {
            counted: match self.of {
                Counted::Links => histogram::Counted::Links,
                Counted::LinkSizes => histogram::Counted::LinkSizes,
                Counted::LinkDurations => histogram::Counted::LinkDurations,
                Counted::States => histogram::Counted::States,
            },
            counts: self.count_scale.map(ScaleName::ruler),
        };
        self.figure.render(|scope, looks, paper| histogram::figure(scope, looks, paper, &options))
    }
}

/// How many containers are in each state over time
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render concurrency run.paje -o mountains.svg
  onca render concurrency run.paje --slices 50 --from 1s --to 2s -o mountains.png")]
pub struct ConcurrencyArgs {
    #[command(flatten)]
    figure: FigureArgs,

    /// Cut the window into this many slices; one for each pixel by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    slices: Option<u32>,
}

impl ConcurrencyArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let options =
            concurrency::ConcurrencyOptions { n_slices: self.slices.map(|slices| slices as usize) };
        self.figure.render(|scope, looks, paper| concurrency::figure(scope, looks, paper, &options))
    }
}

/// How well the processes used their time, over time
///
/// Parallel efficiency is the share of useful time: of states whose role is compute or task. The lens gives roles to values.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render efficiency run.paje -o efficiency.svg
  onca render efficiency run.paje --slices 50 --from 1s --to 2s -o efficiency.png")]
pub struct EfficiencyArgs {
    #[command(flatten)]
    figure: FigureArgs,

    /// Cut the window into this many slices
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 100)]
    slices: u32,
}

impl EfficiencyArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let options = efficiency::EfficiencyOptions { n_slices: self.slices as usize };
        self.figure.render(|scope, _, paper| efficiency::figure(scope, paper, &options))
    }
}

/// Nested states as a flame graph: what is inside a state lies below it, as wide as its time
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render flame run.paje -o flame.svg
  onca render flame run.paje --inside solve --inside exchange -o exchange.pdf")]
pub struct FlameArgs {
    #[command(flatten)]
    figure: FigureArgs,

    /// Show what is inside a state; given again, inside a state in that one
    #[arg(long, value_name = "VALUE")]
    inside: Vec<String>,
}

impl FlameArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let options = flame::FlameOptions { path: self.inside.clone() };
        self.figure.render(|scope, looks, paper| flame::figure(scope, looks, paper, &options))
    }
}
