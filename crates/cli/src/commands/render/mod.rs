//! `onca render`: a view as a picture.

mod charts;
mod commgram;
mod overview;
mod page;
mod paper;
mod structure;
mod timeline;
mod treemap;

use onca_program::{Exit, Failure};

/// Draw a view of a trace as SVG, PNG or PDF, or everything as one page of HTML
///
/// The picture is the same on every machine, byte for byte.
#[derive(clap::Args, Debug)]
#[command(subcommand_value_name = "VIEW", subcommand_help_heading = "Views")]
pub struct Args {
    #[command(subcommand)]
    view: View,
}

#[derive(clap::Subcommand, Debug)]
enum View {
    Timeline(timeline::TimelineArgs),
    Treemap(treemap::TreemapArgs),
    Overview(overview::OverviewArgs),
    Pie(charts::PieArgs),
    Bars(charts::BarsArgs),
    Matrix(charts::MatrixArgs),
    Commgram(commgram::CommgramArgs),
    Histogram(charts::HistogramArgs),
    Concurrency(charts::ConcurrencyArgs),
    Efficiency(charts::EfficiencyArgs),
    Flame(charts::FlameArgs),
    Graph(structure::GraphArgs),
    Topology(structure::TopologyArgs),
    Scene3d(Box<structure::Scene3dArgs>),
    Page(page::PageArgs),
}

/// Draws.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    match &args.view {
        View::Timeline(args) => args.render(),
        View::Treemap(args) => args.render(),
        View::Overview(args) => args.render(),
        View::Pie(args) => args.render(),
        View::Bars(args) => args.render(),
        View::Matrix(args) => args.render(),
        View::Commgram(args) => args.render(),
        View::Histogram(args) => args.render(),
        View::Concurrency(args) => args.render(),
        View::Efficiency(args) => args.render(),
        View::Flame(args) => args.render(),
        View::Graph(args) => args.render(),
        View::Topology(args) => args.render(),
        View::Scene3d(args) => args.render(),
        View::Page(args) => args.render(),
    }
}
