//! Structure on a base, time upwards.
//!
//! Every container stands on a base that shows structure: who communicates with whom, a network, or
//! the hierarchy. Its states are boxes on top of each other, links are arrows from the place and
//! time of sending to those of receiving. The idea is that of Schnorr, Huard and Navaux, *Triva:
//! Interactive 3D Visualization for Performance Analysis of Parallel Applications* (2010).
//!
//! A scene is bounded by what it is asked for, never by the trace: states too thin to be seen become
//! exact shares, links become bundles, and the notes say so.

mod arrows;
mod base;
mod boxes;
mod camera;
mod cells;
mod hidden;
mod labels;
mod page;
mod paint;
mod pieces;
mod steps;
mod ways;

pub use camera::Camera;
pub(crate) use page::add_scale;
pub use page::{SolidFigureOptions, figure};

use onca_answer::Level;
use onca_answer::columns::ColumnCache;
use onca_answer::topology::{Platform, Routing};
use onca_layout::graph::Method;
use onca_model::{Color, Nature};
use onca_query::{Appearance, Scope};
use onca_scene::Solid;

use crate::graph::standing::Standing;
use crate::timeline::{Links, TimelineOptions, key::Key};
use crate::topology::CableColor;
use crate::{LegendEntry, Result, Theme, TimeScale, ViewError, legend::Swatch, matrix};

/// What lies on the base.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Base {
    /// Who communicates with whom.
    #[default]
    Graph,
    /// A network, laid out by what is joined.
    Topology,
    /// The hierarchy, as nested rectangles.
    Treemap,
    /// A network, where it says that its nodes are.
    Coords,
}

impl Base {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Graph, Self::Topology, Self::Treemap, Self::Coords];

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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SizedBy {
    /// How many containers stand in it.
    #[default]
    Containers,
    /// The time of their states.
    Time,
    /// The number of their states.
    Count,
}

/// What a scene in space can be asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct SolidOptions {
    /// What lies on the base.
    pub base: Base,
    /// How a graph or a network is laid out.
    pub method: Method,
    /// Where the random numbers of a layout begin.
    pub seed: u64,
    /// Which nodes stand on the base.
    pub level: Level,
    /// What the rectangles of the hierarchy are sized by.
    pub sized_by: SizedBy,
    /// What the width of edges shows; bytes where links have sizes unless told.
    pub metric: Option<matrix::Metric>,
    /// What makes a way through a network short.
    pub routing: Routing,
    /// What the colour of network links shows.
    pub cables: CableColor,
    /// How many pixels the time axis has.
    pub height: f64,
    /// At most so many boxes.
    pub most_boxes: usize,
    /// At most so many arrows.
    pub most_arrows: usize,
    /// Events are drawn.
    pub events: bool,
    /// Variables are drawn.
    pub variables: bool,
    /// Light or dark.
    pub theme: Theme,
}

impl Default for SolidOptions {
    fn default() -> Self {
        Self {
            base: Base::Graph,
            method: Method::Force,
            seed: 1,
            level: Level::Own,
            sized_by: SizedBy::Containers,
            metric: None,
            routing: Routing::Hops,
            cables: CableColor::Load,
            height: 600.0,
            most_boxes: 16_000,
            most_arrows: 2_000,
            events: false,
            variables: false,
            theme: Theme::Light,
        }
    }
}

/// A scene in space, and what is to be said about it.
#[derive(Clone, PartialEq, Debug)]
pub struct SolidDrawn {
    /// The marks.
    pub solid: Solid,
    /// What the picture does not show as it is, in words.
    pub notes: Vec<String>,
    /// What the colours mean.
    pub legend: Vec<LegendEntry>,
    /// What the colours of network links mean.
    pub cable_scale: Option<CableScale>,
    /// What is measured along the vertical axis.
    pub ruler_title: String,
    pub(crate) swatches: Vec<Swatch>,
}

/// What the colours of network links mean.
#[derive(Clone, PartialEq, Debug)]
pub struct CableScale {
    /// What they show.
    pub title: &'static str,
    /// Colours from little to much, with the amounts.
    pub stops: Vec<(Color, String)>,
}

/// The bases that a trace can have with what is known of a network.
pub fn bases(platform: Option<&Platform>) -> Vec<Base> {
    let possible = |base: &Base| match base {
        Base::Graph | Base::Treemap => true,
        Base::Topology => platform.is_some(),
        Base::Coords => platform.is_some_and(|platform| platform.network.has_positions()),
    };
    Base::ALL.into_iter().filter(possible).collect()
}

/// Round times along the vertical axis.
const MOST_TIMES: usize = 8;

/// Makes the scene.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    platform: Option<&Platform>,
    options: &SolidOptions,
    cache: &ColumnCache,
) -> Result<SolidDrawn> {
    let window = scope.window();
    if window.from >= window.to {
        return Err(ViewError::Nothing("no time passes in the window".to_owned()));
    }
    let mut natures = vec![Nature::State];
    natures.extend(options.events.then_some(Nature::Event));
    natures.extend(options.variables.then_some(Nature::Variable));
    let standing = Standing::new(scope, &options.level, options.metric, &natures)?;
    let mut maker = Maker { scope, appearance, options, standing: &standing, notes: Vec::new() };
    let mut solid = Solid::default();
    let cable_scale = base::put(&mut maker, platform, &mut solid)?;
    boxes::put(&mut maker, cache, &mut solid)?;
    arrows::put(&mut maker, &mut solid)?;
    steps::put(&mut maker, &mut solid)?;
    let scale = TimeScale::new(window, &scope.catalog().facts.unit);
    let marks = scale.marks(window, MOST_TIMES).into_iter();
    solid.ruler = marks.map(|(ticks, text)| (maker.z(ticks), text)).collect();
    let links = if options.most_arrows > 0 { Links::All } else { Links::None };
    let of_key = TimelineOptions { links, events: options.events, ..TimelineOptions::default() };
    let key = Key::new(scope, appearance, options.theme, &of_key)?;
    Ok(SolidDrawn {
        solid,
        notes: maker.notes,
        legend: key.entries,
        cable_scale,
        ruler_title: scale.title(),
        swatches: key.swatches,
    })
}

/// A scene in the making.
struct Maker<'a> {
    scope: &'a Scope<'a>,
    appearance: &'a Appearance,
    options: &'a SolidOptions,
    standing: &'a Standing,
    notes: Vec<String>,
}

impl Maker<'_> {
    /// Where a time is between the begin and the end of the window.
    fn z(&self, ticks: f64) -> f64 {
        let window = self.scope.window();
        (ticks - window.from as f64) / (window.to as f64 - window.from as f64)
    }

    /// How long the window is.
    fn length(&self) -> f64 {
        let window = self.scope.window();
        window.to as f64 - window.from as f64
    }
}
