//! Graphs, networks, and scenes in space.

use clap::ValueEnum;
use onca_answer::Level;
use onca_layout::graph::Method;
use onca_views::graph::{self, GraphOptions};
use onca_views::matrix;
use onca_views::solid::{self, Base, Camera, SizedBy, SolidFigureOptions, SolidOptions};
use onca_views::topology::{self, CableColor, NetworkPlaces, TopologyOptions};

use crate::commands::stats::LevelArgs;
use crate::platform::{PlatformArgs, RoutingName};
use onca_program::{Exit, Failure};

use super::paper::FigureArgs;

/// How nodes are laid out.
#[derive(clap::Args, Debug)]
struct LayoutArgs {
    /// How nodes are laid out
    #[arg(long, value_enum, value_name = "LAYOUT", help_heading = "Layout")]
    layout: Option<LayoutName>,

    /// Random numbers of the layout begin from N
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Layout")]
    seed: u64,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum LayoutName {
    /// Distances on paper are those in the graph
    Force,
    /// On a circle
    Circular,
    /// Around the middle of the graph
    Radial,
    /// In layers from the middle of the graph
    Layered,
}

impl LayoutArgs {
    fn named(&self) -> Option<Method> {
        self.layout.map(|layout| match layout {
            LayoutName::Force => Method::Force,
            LayoutName::Circular => Method::Circular,
            LayoutName::Radial => Method::Radial,
            LayoutName::Layered => Method::Layered,
        })
    }

    fn method(&self) -> Method {
        self.named().unwrap_or_default()
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Metric {
    /// The number of links
    Count,
    /// Their sizes
    Bytes,
}

impl Metric {
    fn metric(self) -> matrix::Metric {
        match self {
            Self::Count => matrix::Metric::Count,
            Self::Bytes => matrix::Metric::Bytes,
        }
    }
}

/// What the colour of a network link shows.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum CableName {
    /// The share of its bandwidth that was used
    #[default]
    Load,
    /// Its latency
    Latency,
}

impl CableName {
    fn color(self) -> CableColor {
        match self {
            Self::Load => CableColor::Load,
            Self::Latency => CableColor::Latency,
        }
    }
}

/// A network and what is shown of it.
#[derive(clap::Args, Debug)]
struct NetworkArgs {
    #[command(flatten)]
    platform: PlatformArgs,

    /// What makes a way short
    #[arg(long, value_enum, value_name = "BY", default_value_t, help_heading = "Network")]
    routing: RoutingName,

    /// What the colour of a network link shows
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, help_heading = "Network")]
    colors: CableName,
}

/// Who communicates with whom: a graph with a pie of states for every node, edges by volume
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render graph run.paje -o graph.svg
  onca render graph run.paje --level machine --layout circular --metric count -o graph.pdf")]
pub struct GraphArgs {
    #[command(flatten)]
    figure: FigureArgs,

    #[command(flatten)]
    level: LevelArgs,

    #[command(flatten)]
    layout: LayoutArgs,

    /// What the width of edges shows; bytes where links have sizes, else their number
    #[arg(long, value_enum, value_name = "METRIC")]
    metric: Option<Metric>,
}

impl GraphArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let options = GraphOptions {
            level: self.level.level().unwrap_or(Level::Own),
            method: self.layout.method(),
            seed: self.layout.seed,
            metric: self.metric.map(Metric::metric),
        };
        self.figure.render(|scope, looks, paper| graph::figure(scope, looks, paper, &options))
    }
}

/// A network with what runs on it and what crosses its links
///
/// Machines are pies of the states of what runs on them. A link is as wide as its bandwidth, and its
/// colour is the share of it that was used.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render topology run.paje --topology net.dot -o net.svg
  onca render topology simulated.trace --colors latency --layout radial -o net.pdf")]
pub struct TopologyArgs {
    #[command(flatten)]
    figure: FigureArgs,

    #[command(flatten)]
    network: NetworkArgs,

    #[command(flatten)]
    layout: LayoutArgs,
}

impl TopologyArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let places =
            self.layout.named().map(|method| NetworkPlaces::Layout(method, self.layout.seed));
        let options = TopologyOptions {
            places,
            routing: self.network.routing.routing(),
            cables: self.network.colors.color(),
        };
        self.figure.render_on(&self.network.platform, |scope, looks, platform, paper| {
            let platform = platform.ok_or_else(|| {
                let why = "the trace tells of no network; name a file of it with --topology";
                onca_views::ViewError::Nothing(why.to_owned())
            })?;
            topology::figure(scope, looks, platform, paper, &options)
        })
    }
}

/// What lies on the base.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum BaseName {
    /// Who communicates with whom
    #[default]
    Graph,
    /// A network, laid out by what is joined
    Topology,
    /// The hierarchy, as nested rectangles
    Treemap,
    /// A network, where it says that its nodes are
    Coords,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum SizeName {
    /// How many containers
    #[default]
    Containers,
    /// The time of states
    Time,
    /// The number of states
    Count,
}

/// A scene in space: structure on a base, time upwards
///
/// States are boxes on their container, links are arrows from the place and time of sending to those of
/// receiving. From above the scene shows the structure, from the front it is a space-time diagram.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render scene3d run.paje -o scene.svg
  onca render scene3d run.paje --base topology --topology net.dot --camera iso -o scene.pdf
  onca render scene3d run.paje --base treemap --camera 45,20 --level machine -o scene.png
  onca render scene3d run.paje --camera top -o pattern.svg")]
pub struct Scene3dArgs {
    #[command(flatten)]
    figure: FigureArgs,

    /// What lies on the base
    #[arg(long, value_enum, value_name = "BASE", default_value_t)]
    base: BaseName,

    /// From where it is seen: top, side, front, iso, or the angles around and above in degrees, such
    /// as 45,20
    #[arg(long, value_name = "CAMERA", value_parser = parse_camera, default_value = "iso", allow_hyphen_values = true)]
    camera: Camera,

    #[command(flatten)]
    network: NetworkArgs,

    #[command(flatten)]
    level: LevelArgs,

    #[command(flatten)]
    layout: LayoutArgs,

    /// What the rectangles of a treemap are sized by
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, help_heading = "Layout")]
    size: SizeName,

    /// What the width of edges shows; bytes where links have sizes, else their number
    #[arg(long, value_enum, value_name = "METRIC")]
    metric: Option<Metric>,

    /// Draw what containers send each other on the base, or not; by default only where there is no network
    #[arg(long, value_name = "YES", num_args = 0..=1, default_missing_value = "true")]
    edges: Option<bool>,

    /// Draw at most this many arrows; 0 for none
    #[arg(long, value_name = "N", default_value_t = 600)]
    arrows: usize,

    /// Draw at most this many boxes; more are summed up
    #[arg(long, value_name = "N", default_value_t = 16_000)]
    boxes: usize,

    /// Draw events
    #[arg(long)]
    events: bool,

    /// Draw variables
    #[arg(long)]
    variables: bool,

    /// No names
    #[arg(long)]
    no_names: bool,
}

impl Scene3dArgs {
    /// Draws.
    pub fn render(&self) -> Result<Exit, Failure> {
        let options = SolidFigureOptions {
            scene: self.scene(),
            camera: self.camera,
            edges: self.edges,
            names: !self.no_names,
        };
        self.figure.render_on(&self.network.platform, |scope, looks, platform, paper| {
            solid::figure(scope, looks, platform, paper, &options)
        })
    }

    fn scene(&self) -> SolidOptions {
        SolidOptions {
            base: match self.base {
                BaseName::Graph => Base::Graph,
                BaseName::Topology => Base::Topology,
                BaseName::Treemap => Base::Treemap,
                BaseName::Coords => Base::Coords,
            },
            method: self.layout.method(),
            seed: self.layout.seed,
            level: self.level.level().unwrap_or(Level::Own),
            sized_by: match self.size {
                SizeName::Containers => SizedBy::Containers,
                SizeName::Time => SizedBy::Time,
                SizeName::Count => SizedBy::Count,
            },
            metric: self.metric.map(Metric::metric),
            routing: self.network.routing.routing(),
            cables: self.network.colors.color(),
            most_boxes: self.boxes,
            most_arrows: self.arrows,
            events: self.events,
            variables: self.variables,
            ..SolidOptions::default()
        }
    }
}

fn parse_camera(text: &str) -> Result<Camera, String> {
    let angles = || {
        let (azimuth, elevation) = text.split_once(',')?;
        let angle = |text: &str| text.trim().parse::<f64>().ok().filter(|angle| angle.is_finite());
        let (azimuth, elevation) = (angle(azimuth)?, angle(elevation)?);
        (0.0..=90.0).contains(&elevation).then_some(Camera { azimuth, elevation })
    };
    let named = match text {
        "top" => Some(Camera::TOP),
        "side" => Some(Camera::SIDE),
        "front" => Some(Camera::FRONT),
        "iso" => Some(Camera::ISO),
        _ => angles(),
    };
    named.ok_or_else(|| {
        "write top, side, front, iso, or two angles such as 45,20, of which the second is from 0 to 90"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_are_read() {
        assert_eq!(parse_camera("top"), Ok(Camera::TOP));
        assert_eq!(parse_camera("-45, 20"), Ok(Camera { azimuth: -45.0, elevation: 20.0 }));
        for wrong in ["", "up", "45", "45,91", "45,-1", "nan,3", "1,2,3"] {
            assert!(parse_camera(wrong).is_err(), "{wrong}");
        }
    }
}
