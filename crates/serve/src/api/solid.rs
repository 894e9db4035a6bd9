//! Scenes in space.

use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::Level;
use onca_answer::topology::Routing;
use onca_layout::graph::Method;
use onca_views::matrix;
use onca_views::solid::{self as view, Base, CableScale, SizedBy, SolidOptions};
use onca_views::topology::CableColor;
use serde::Deserialize;
use serde_json::{Value, json};

use super::picture::{ThemeName, side};
use super::scene::header;
use super::timeline::entry;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::wire::SentSolid;

/// Boxes and arrows that can be asked for.
const MOST_BOXES: usize = 200_000;
const MOST_ARROWS: usize = 50_000;

/// What a scene in space is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    #[serde(default)]
    base: BaseName,
    #[serde(default)]
    layout: LayoutName,
    seed: Option<u64>,
    pub topology: Option<String>,
    #[serde(default)]
    routing: RoutingName,
    #[serde(default)]
    cables: CableName,
    level: Option<String>,
    depth: Option<usize>,
    #[serde(default)]
    sized_by: SizeName,
    metric: Option<MetricName>,
    height: Option<f64>,
    boxes: Option<usize>,
    arrows: Option<usize>,
    #[serde(default)]
    events: bool,
    #[serde(default)]
    variables: bool,
    #[serde(default)]
    pub theme: ThemeName,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BaseName {
    #[default]
    Graph,
    Topology,
    Treemap,
    Coords,
}

impl BaseName {
    fn meaning(self) -> Base {
        match self {
            Self::Graph => Base::Graph,
            Self::Topology => Base::Topology,
            Self::Treemap => Base::Treemap,
            Self::Coords => Base::Coords,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayoutName {
    #[default]
    Force,
    Circular,
    Radial,
    Layered,
}

impl LayoutName {
    /// The layout of the name.
    pub fn meaning(self) -> Method {
        match self {
            Self::Force => Method::Force,
            Self::Circular => Method::Circular,
            Self::Radial => Method::Radial,
            Self::Layered => Method::Layered,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RoutingName {
    #[default]
    Hops,
    Latency,
}

impl RoutingName {
    fn meaning(self) -> Routing {
        match self {
            Self::Hops => Routing::Hops,
            Self::Latency => Routing::Latency,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CableName {
    #[default]
    Load,
    Latency,
}

impl CableName {
    fn meaning(self) -> CableColor {
        match self {
            Self::Load => CableColor::Load,
            Self::Latency => CableColor::Latency,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SizeName {
    #[default]
    Containers,
    Time,
    Count,
}

impl SizeName {
    fn meaning(self) -> SizedBy {
        match self {
            Self::Containers => SizedBy::Containers,
            Self::Time => SizedBy::Time,
            Self::Count => SizedBy::Count,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MetricName {
    #[default]
    Bytes,
    Count,
}

impl MetricName {
    fn meaning(self) -> matrix::Metric {
        match self {
            Self::Bytes => matrix::Metric::Bytes,
            Self::Count => matrix::Metric::Count,
        }
    }
}

impl Asked {
    /// What it means.
    pub fn options(&self) -> Result<SolidOptions, Fault> {
        let usual = SolidOptions::default();
        let level = self.level.clone().map(Level::Kind).or(self.depth.map(Level::Depth));
        Ok(SolidOptions {
            base: self.base.meaning(),
            method: self.layout.meaning(),
            seed: self.seed.unwrap_or(usual.seed),
            level: level.unwrap_or(usual.level),
            sized_by: self.sized_by.meaning(),
            metric: self.metric.map(MetricName::meaning),
            routing: self.routing.meaning(),
            cables: self.cables.meaning(),
            height: side("height", self.height.unwrap_or(usual.height))?,
            most_boxes: at_most("boxes", self.boxes, usual.most_boxes, MOST_BOXES)?,
            most_arrows: at_most("arrows", self.arrows, usual.most_arrows, MOST_ARROWS)?,
            events: self.events,
            variables: self.variables,
            theme: self.theme.theme(),
        })
    }
}

fn at_most(name: &str, asked: Option<usize>, usual: usize, most: usize) -> Result<usize, Fault> {
    match asked.unwrap_or(usual) {
        number if number <= most => Ok(number),
        _ => Err(Fault::question(format!("{name}: at most {most}"))),
    }
}

pub async fn solid(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: Asked| {
        let started = Instant::now();
        let (looks, options) = (seen.appearance()?, asked.options()?);
        let platform = seen.platform(asked.topology.as_deref())?;
        let drawn = view::scene(&seen.scope, &looks, platform, &options, &seen.trace.columns)?;
        let legend = drawn.legend.iter().map(entry).collect();
        let mut more = header(&seen, legend, Some(seen.scope.window()), started);
        let mut put = |name: &str, value: Value| more.insert(name.to_owned(), value);
        let bases = view::bases(platform).into_iter().map(|base| json!(base.name()));
        put("bases", bases.collect());
        put("base", json!(options.base.name()));
        put("layout", layout(&options));
        put("ruler_title", json!(drawn.ruler_title));
        put("cable_scale", json!(drawn.cable_scale.as_ref().map(cable_scale)));
        let sent = SentSolid { solid: &drawn.solid, notes: &drawn.notes, more };
        Ok(sent.into_response())
    })
    .await
}

/// The layout that was drawn, where the base has one.
fn layout(options: &SolidOptions) -> Value {
    let has_one = matches!(options.base, Base::Graph | Base::Topology);
    json!(has_one.then(|| options.method.name()))
}

fn cable_scale(scale: &CableScale) -> Value {
    let stop = |(color, text): &(onca_model::Color, String)| json!({"color": color.to_string(), "text": text});
    let stops: Vec<Value> = scale.stops.iter().map(stop).collect();
    json!({"title": scale.title, "stops": stops})
}
