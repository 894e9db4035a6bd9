//! The space-time diagram.

use onca_answer::Level;
use onca_views::timeline::{self, TimelineOptions};

use crate::outcome::{Exit, Failure};

use super::paper::FigureArgs;

/// The space-time diagram: states, links, events and variables of every container over time
///
/// Where several states share a pixel column, the column shows their exact shares. What was summed
/// up, merged or left out for lack of room stands in the caption.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render timeline run.paje -o run.svg
  onca render timeline run.paje --from 1.2s --to 1.3s --width 180mm -o detail.pdf
  onca render timeline run.paje --level machine --no-links --theme dark -o run.png")]
pub struct TimelineArgs {
    #[command(flatten)]
    figure: FigureArgs,

    /// Show each container or group of this kind as one row, with what lies below it
    #[arg(long, value_name = "LEVEL", conflicts_with = "depth")]
    level: Option<String>,

    /// Show each container or group at this distance from the root as one row
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    /// The height of a row, in pixels, where there is room
    #[arg(long, value_name = "PIXELS", value_parser = parse_row_height, default_value = "18")]
    row_height: f64,

    /// Draw at most this many arrows; as many as the picture can hold unless told
    #[arg(long, value_name = "N")]
    arrows: Option<usize>,

    /// Draw no links
    #[arg(long, conflicts_with = "arrows")]
    no_links: bool,

    /// Draw no events
    #[arg(long)]
    no_events: bool,

    /// Draw no variables
    #[arg(long)]
    no_variables: bool,
}

impl TimelineArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let level = self.level.clone().map(Level::Kind).or(self.depth.map(Level::Depth));
        let options = TimelineOptions {
            collapse: level.unwrap_or(Level::Own),
            links: !self.no_links,
            events: !self.no_events,
            variables: !self.no_variables,
            most_arrows: self.arrows,
            row_height: self.row_height,
        };
        self.figure.render(|scope, looks, paper| timeline::figure(scope, looks, paper, &options))
    }
}

fn parse_row_height(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(height) if (1.0..=200.0).contains(&height) => Ok(height),
        _ => Err("write a number of pixels from 1 to 200".to_owned()),
    }
}
