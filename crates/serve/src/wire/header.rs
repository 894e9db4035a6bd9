//! What the headers of scenes say.

use std::collections::BTreeMap;

use onca_scene::{Bounds, Pick};
use onca_views::{ColorScale, HistogramPlot, LegendEntry, UprightAxis};
use serde::Serialize;

use crate::question::TimeWindow;

/// What the header of every scene says: `onca-scene/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SceneHeader<'a> {
    schema: &'static str,
    /// The part of view space that the picture fills.
    view: ViewBounds,
    #[serde(flatten)]
    about: &'a AboutScene,
    /// Nothing was summed up, thinned or left out: there are no `notes`.
    exact: bool,
    /// What was summed up, thinned or left out, in words.
    notes: &'a [String],
    /// The layers in the order in which they are painted.
    layers: Vec<LayerHeader>,
    /// Texts that labels and titles refer to.
    texts: Vec<&'a str>,
}

impl<'a> SceneHeader<'a> {
    pub(super) fn new(
        view: Bounds,
        about: &'a AboutScene,
        notes: &'a [String],
        layers: Vec<LayerHeader>,
        texts: Vec<&'a str>,
    ) -> Self {
        let view = ViewBounds::new(view);
        Self { schema: "onca-scene/1", view, about, exact: notes.is_empty(), notes, layers, texts }
    }
}

/// A rectangle of view space.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Bounds"))]
struct ViewBounds {
    x0: f64,
    y0: f64,
    x1: f64,
    y1: f64,
}

impl ViewBounds {
    fn new(Bounds { x0, y0, x1, y1 }: Bounds) -> Self {
        Self { x0, y0, x1, y1 }
    }
}

/// What is said of scenes of all kinds besides what is in them.
#[derive(Clone, Serialize, Debug, Default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AboutScene {
    /// The time that was drawn; absent where the view has no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub window: Option<TimeWindow>,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// What the colours mean.
    pub legend: Vec<LegendLine>,
    /// What the strengths of colours mean; absent where they mean no amounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub scale: Option<ScaleLine>,
    /// What the height means; absent where it is no single quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub upright: Option<UprightLine>,
    /// The histograms in the picture; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<PlotLine>>"))]
    pub plots: Vec<PlotLine>,
}

/// What the height of a picture means.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "UprightAxis"))]
pub struct UprightLine {
    /// What is measured.
    name: String,
    /// Amounts along it; `at` is in view space.
    marks: Vec<AxisMark>,
}

impl UprightLine {
    /// What a view says.
    pub fn new(axis: &UprightAxis) -> Self {
        let mark = |(at, text): &(f64, String)| AxisMark { at: *at, text: text.clone() };
        Self { name: axis.name.clone(), marks: axis.marks.iter().map(mark).collect() }
    }
}

/// A histogram in a picture.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "HistogramPlot"))]
pub struct PlotLine {
    /// Its columns, all of the same width. That of zeros is left of them, where there is one.
    bounds: ViewBounds,
    /// The number of the value whose states it counts; `null` where it counts something else.
    value: Option<u32>,
    /// The smallest number of each column, and of one that would come after the last, in ticks or bytes.
    edges: Vec<i64>,
}

impl PlotLine {
    /// What a view says.
    pub fn new(plot: &HistogramPlot) -> Self {
        let value = match plot.pick {
            Pick::Value(value) => Some(value),
            _ => None,
        };
        Self { bounds: ViewBounds::new(plot.bounds), value, edges: plot.edges.clone() }
    }
}

/// What the strengths of colours mean.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ColorScale"))]
pub struct ScaleLine {
    /// What is measured.
    name: String,
    /// Colours from the least amount to the largest, evenly, as `#rrggbb` or `#rrggbbaa`.
    colors: Vec<String>,
    /// Amounts along the scale; `at` is from 0 to 1.
    marks: Vec<AxisMark>,
}

/// An amount along an axis.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct AxisMark {
    /// Where it is.
    at: f64,
    text: String,
}

impl ScaleLine {
    /// What a view says.
    pub fn new(scale: &ColorScale) -> Self {
        let mark = |(at, text): &(f64, String)| AxisMark { at: *at, text: text.clone() };
        Self {
            name: scale.name.clone(),
            colors: scale.colors.iter().map(ToString::to_string).collect(),
            marks: scale.marks.iter().map(mark).collect(),
        }
    }
}

/// A line of a legend.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LegendEntry"))]
pub struct LegendLine {
    pub name: String,
    /// As `#rrggbb` or `#rrggbbaa`.
    pub color: String,
    /// The number of the value; `null` where the colour stands for a type.
    pub value: Option<u32>,
    /// Its share of the time of all states; `null` for links and events.
    pub share: Option<f64>,
}

impl LegendLine {
    /// What a view says.
    pub fn new(entry: &LegendEntry) -> Self {
        let value = match entry.pick {
            Pick::Value(value) => Some(value),
            _ => None,
        };
        let (name, color) = (entry.name.clone(), entry.color.to_string());
        Self { name, color, value, share: entry.share }
    }
}

/// A layer: marks of one kind.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "WireLayer"))]
pub struct LayerHeader {
    /// What the marks are.
    pub kind: &'static str,
    /// How many there are.
    pub n: usize,
    /// Where the columns lie, by name.
    pub columns: BTreeMap<&'static str, ColumnPlace>,
}

/// Where a column lies: what its numbers are, how many bytes after the begin of the body, how many numbers.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ColumnPlace(pub ColumnType, pub usize, pub usize);

/// What the numbers of a column are.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    U8,
    U16,
    U32,
    F32,
}
