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
mod critical_path;
mod hidden;
mod labels;
mod options;
mod page;
mod paint;
mod pieces;
mod routes;
mod steps;
mod ways;

pub use camera::Camera;
pub use options::{Base, SizedBy, SolidOptions, SpaceScene, Stage};
pub(crate) use page::add_scale;
pub use page::figure;
pub(crate) use routes::note as route_note;

use onca_answer::Level;
use onca_answer::columns::ColumnCache;
use onca_answer::topology::Platform;
use onca_model::{Color, Nature};
use onca_query::{Appearance, Scope};
use onca_scene::Solid;

use crate::graph::standing::Standing;
use crate::options::EdgeMetric;
use crate::timeline::{Links, TimelineOptions, key::Key};
use crate::{LegendEntry, Result, TimeScale, ViewError, legend::Swatch, names};

/// A scene in space, and what is to be said about it.
#[derive(Clone, PartialEq, Debug)]
pub struct SolidDrawn {
    /// The marks.
    pub solid: Solid,
    /// What the picture does not show as it is, in words.
    pub notes: Vec<String>,
    /// What sizes and widths mean.
    pub meanings: Vec<String>,
    /// What the colours mean.
    pub legend: Vec<LegendEntry>,
    /// What the colours of network links mean.
    pub cable_scale: Option<CableScale>,
    /// What is measured along the vertical axis.
    pub ruler_title: String,
    pub(crate) swatches: Vec<Swatch>,
}

/// What the colours and widths of network links mean.
#[derive(Clone, PartialEq, Debug)]
pub struct CableScale {
    /// What they show.
    pub title: &'static str,
    /// Colours from little to much, with the amounts.
    pub stops: Vec<(Color, String)>,
    /// How wide links of some bandwidths are, of the widest, and these bandwidths.
    pub widths: Vec<(f64, String)>,
    /// The colour around links that are far slower than the rest, if there are any.
    pub slow: Option<Color>,
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
    stage: Stage,
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
    let standing = Standing::new(
        scope,
        &options.level.or(Level::Own),
        options.metric.map(EdgeMetric::metric),
        &natures,
    )?;
    let squares = options.sizes().map(|by| format!("squares by {}", by.words()));
    let mut maker = Maker {
        scope,
        appearance,
        options,
        stage,
        standing: &standing,
        notes: Vec::new(),
        meanings: squares.into_iter().collect(),
    };
    let mut solid = Solid::default();
    let cable_scale = base::put(&mut maker, platform, &mut solid)?;
    boxes::put(&mut maker, cache, &mut solid)?;
    let network = platform.filter(|_| options.base.is_network());
    match options.critical_path {
        true => critical_path::put(&mut maker, &mut solid)?,
        false => arrows::put(&mut maker, network, &mut solid)?,
    }
    routes::put(&mut maker, network, &mut solid)?;
    steps::put(&mut maker, &mut solid)?;
    let names: Vec<&str> = solid.nodes.iter().map(|node| node.name.as_str()).collect();
    let short: Vec<_> = names::shortened(&names).into_iter().map(|mut ways| ways.pop()).collect();
    for (node, short) in solid.nodes.iter_mut().zip(short) {
        node.short = short.unwrap_or_default();
    }
    let scale = TimeScale::new(window, &scope.catalog().facts.unit);
    let marks = scale.marks(window, MOST_TIMES).into_iter();
    solid.ruler = marks.map(|(ticks, text)| (maker.z(ticks), text)).collect();
    let has_links = options.arrows > 0 && !options.critical_path;
    let links = if has_links { Links::All } else { Links::None };
    let of_key = TimelineOptions {
        links,
        events: options.events,
        critical_path: options.critical_path,
        ..TimelineOptions::default()
    };
    let key = Key::new(scope, appearance, stage.theme, &of_key)?;
    Ok(SolidDrawn {
        solid,
        notes: maker.notes,
        meanings: maker.meanings,
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
    stage: Stage,
    standing: &'a Standing,
    notes: Vec<String>,
    meanings: Vec<String>,
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
