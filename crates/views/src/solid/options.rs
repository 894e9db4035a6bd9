//! What a scene in space can be asked for.

use onca_scene::Figure;
use serde::{Deserialize, Serialize};

use super::{Camera, page};
use crate::options::{EdgeMetric, LayoutOptions, LevelOptions, NetworkOptions, ViewOptions};
use crate::registry::{Material, Screen, Tab, View};
use crate::{Paper, Result, Theme};

/// A scene in space: structure on a base, time upwards
///
/// States are boxes on their container, links are arrows from the place and time of sending to those of
/// receiving. From above the scene shows the structure, from the front it is a space-time diagram.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render scene3d run.paje -o scene.svg
  onca render scene3d run.paje --base topology --topology net.dot --camera iso -o scene.pdf
  onca render scene3d run.paje --base treemap --camera 45,20 --level machine -o scene.png
  onca render scene3d run.paje --camera top -o pattern.svg")
)]
pub struct SolidOptions {
    /// What lies on the base
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "BASE", default_value_t))]
    pub base: Base,

    /// From where it is seen: top, side, front, iso, or the angles around and above in degrees, such
    /// as 45,20
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "CAMERA",
            value_parser = Camera::parse,
            default_value = "iso",
            allow_hyphen_values = true
        )
    )]
    pub camera: Camera,

    /// What is shown of a network.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,

    /// Which nodes stand on the base.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,

    /// How a graph or a network is laid out.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub layout: LayoutOptions,

    /// What the rectangles of a treemap, or the machines of a network, are sized by; by default the
    /// containers of a treemap, and nothing in a network
    #[cfg_attr(
        feature = "clap",
        arg(long = "size", value_enum, value_name = "WHAT", help_heading = "Layout")
    )]
    pub sized_by: Option<SizedBy>,

    /// What the width of edges shows; bytes where links have sizes, else their number
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "METRIC"))]
    pub metric: Option<EdgeMetric>,

    /// Draw what containers send each other on the base, or not; by default only where there is no network
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "YES", num_args = 0..=1, default_missing_value = "true")
    )]
    pub edges: Option<bool>,

    /// Draw at most this many arrows; 0 for none
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "N",
            value_parser = clap::value_parser!(u32).range(..=50_000),
            default_value_t = 5_000
        )
    )]
    pub arrows: u32,

    /// Draw at most this many boxes; more are summed up. By default 16,000, or 48 for each node where
    /// these are more
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "N",
            value_parser = clap::value_parser!(u32).range(..=200_000)
        )
    )]
    pub boxes: Option<u32>,

    /// Draw events
    #[cfg_attr(feature = "clap", arg(long))]
    pub events: bool,

    /// Draw variables
    #[cfg_attr(feature = "clap", arg(long))]
    pub variables: bool,

    /// Show the critical path in place of links: what is not on it is pale
    #[cfg_attr(feature = "clap", arg(long))]
    pub critical_path: bool,

    /// No names
    #[cfg_attr(feature = "clap", arg(long = "no-names", action = clap::ArgAction::SetFalse))]
    pub names: bool,
}

impl SolidOptions {
    /// What the squares of the base show, if they show anything.
    pub(super) fn sizes(&self) -> Option<SizedBy> {
        match self.base {
            Base::Graph => None,
            Base::Treemap => self.sized_by.or(Some(SizedBy::Containers)),
            Base::Topology | Base::Coords => self.sized_by,
        }
    }

    /// Whether what containers send each other is drawn on the base.
    pub(super) fn shows_edges(&self) -> bool {
        self.edges.unwrap_or(!self.base.is_network())
    }
}

impl Default for SolidOptions {
    fn default() -> Self {
        Self {
            base: Base::default(),
            camera: Camera::ISO,
            network: NetworkOptions::default(),
            level: LevelOptions::default(),
            layout: LayoutOptions::default(),
            sized_by: None,
            metric: None,
            edges: None,
            arrows: 5_000,
            boxes: None,
            events: false,
            variables: false,
            critical_path: false,
            names: true,
        }
    }
}

impl ViewOptions for SolidOptions {}

/// What lies on the base.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SolidBase"))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Base {
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

impl Base {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Graph, Self::Topology, Self::Treemap, Self::Coords];

    /// Does a network lie there?
    pub fn is_network(self) -> bool {
        matches!(self, Self::Topology | Self::Coords)
    }

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Topology => "topology",
            Self::Treemap => "treemap",
            Self::Coords => "coords",
        }
    }
}

/// What the size of a rectangle of the hierarchy is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum SizedBy {
    /// How many containers
    Containers,
    /// The time of states
    Time,
    /// The number of states
    Count,
    /// What is sent and received
    Communication,
}

impl SizedBy {
    /// What a picture says of it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Containers => "number of containers",
            Self::Time => "time in states",
            Self::Count => "number of states",
            Self::Communication => "communication",
        }
    }
}

/// Where a scene in space is shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stage {
    /// How many pixels the time axis has.
    pub height: f64,
    /// Light or dark.
    pub theme: Theme,
}

/// A scene in space.
pub struct SpaceScene;

impl View for SpaceScene {
    type Options = SolidOptions;
    const NAME: &str = "scene3d";
    const TITLE: &str = "3D scene";
    const TAB: Tab = Tab::Space;
    const SCREEN: Screen = Screen::Space;
    const USES_NETWORK: bool = true;

    fn figure(material: &Material<'_>, paper: &Paper, options: &SolidOptions) -> Result<Figure> {
        page::figure(material.scope, material.appearance, material.platform, paper, options)
    }
}
