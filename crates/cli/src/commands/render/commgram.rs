//! Phases of communication as a picture.

use onca_views::commgram::{self, CommgramOptions};

use crate::commands::phases::PhaseArgs;
use onca_program::{Exit, Failure};

use super::paper::FigureArgs;

/// Phases of communication: communities of processes, and what they send each other
///
/// Bars are communities, bands what one sends to another; thin ribbons show where the members of a community go from phase to
/// phase. A phase lies as high as the one before where its communities are the same.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render commgram run.paje -o run.svg
  onca render commgram run.paje --phases 12 --communities 4 -o run.pdf
  onca render commgram run.paje --wave 0 --bands 2 -o flat.png")]
pub struct CommgramArgs {
    #[command(flatten)]
    figure: FigureArgs,

    #[command(flatten)]
    problem: PhaseArgs,

    /// How much of the height phases are moved up and down by, from 0 to 0.9
    #[arg(long, value_name = "SHARE", value_parser = parse_wave, default_value = "0.2", help_heading = "Picture")]
    wave: f64,

    /// How wide bands are, compared with the usual
    #[arg(long, value_name = "FACTOR", value_parser = parse_bands, default_value = "1", help_heading = "Picture")]
    bands: f64,
}

fn parse_wave(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=0.9).contains(share));
    share.ok_or_else(|| "write a share from 0 to 0.9".to_owned())
}

fn parse_bands(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (0.01..=100.0).contains(factor));
    factor.ok_or_else(|| "write a factor from 0.01 to 100".to_owned())
}

impl CommgramArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let options = CommgramOptions {
            spec: self.problem.spec(),
            phases: self.problem.n_phases(),
            communities: self.problem.n_communities(),
            waviness: self.wave,
            band_scale: self.bands,
        };
        self.figure.render(|scope, looks, paper| commgram::figure(scope, looks, paper, &options))
    }
}
