//! The space-time diagram.

use onca_answer::Level;
use onca_query::{NodeId, Scope};
use onca_views::ViewError;
use onca_views::timeline::{self, Links, TimelineOptions};

use onca_program::{Exit, Failure};

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

    /// Do not collapse this node, by its path; may be given several times
    #[arg(long, value_name = "PATH")]
    open: Vec<String>,

    /// Collapse this node
    #[arg(long, value_name = "PATH")]
    close: Vec<String>,

    /// Give every node that others lie below a row that sums them up
    #[arg(long)]
    groups: bool,

    /// The height of a row, in pixels, where there is room
    #[arg(long, value_name = "PIXELS", value_parser = parse_row_height, default_value = "18")]
    row_height: f64,

    /// Draw at most this many arrows; as many as the picture can hold by default
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
            links: if self.no_links { Links::None } else { Links::All },
            events: !self.no_events,
            variables: !self.no_variables,
            most_arrows: self.arrows,
            row_height: self.row_height,
            groups: self.groups,
            ..TimelineOptions::default()
        };
        self.figure.render(|scope, looks, paper| {
            let (open, closed) = (nodes(scope, &self.open)?, nodes(scope, &self.close)?);
            let options = TimelineOptions { open, closed, ..options };
            timeline::figure(scope, looks, paper, &options)
        })
    }
}

/// The nodes of some paths, as `onca find` and the page write them.
fn nodes(scope: &Scope<'_>, paths: &[String]) -> Result<Vec<NodeId>, ViewError> {
    let unknown = |path: &str| ViewError::Nothing(format!("there is no node {path:?} to show"));
    let find = |path: &String| {
        let found = scope.hierarchy().nodes().find(|node| scope.path(*node) == *path);
        found.ok_or_else(|| unknown(path))
    };
    paths.iter().map(find).collect()
}

fn parse_row_height(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(height) if (1.0..=200.0).contains(&height) => Ok(height),
        _ => Err("write a number of pixels from 1 to 200".to_owned()),
    }
}
