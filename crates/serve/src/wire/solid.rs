//! Scenes in space.

use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use onca_scene::{BaseKind, BaseNumber, BaseRoute, Solid, Title};
use onca_views::options::LayoutName;
use onca_views::solid::{Base, CableScale};
use serde::Serialize;

use super::columns::{Columns, LayerColumns};
use super::header::{AboutScene, LayerHeader};
use super::layers::{bits, bounds, picks, points, shape};
use super::{MEDIA_TYPE, assembled};

/// Stands for no number.
pub const NONE: u32 = u32::MAX;
/// Stands for a quantity that is not known.
const UNKNOWN: f64 = -1.0;

/// A scene in space with what is to be said about it.
#[derive(Debug)]
pub struct SentSolid<'a> {
    /// The marks.
    pub solid: &'a Solid,
    /// What was summed up, thinned or left out, in words.
    pub notes: &'a [String],
    /// What is said of scenes of all kinds.
    pub about: AboutScene,
    /// What is said of this kind.
    pub of_solid: AboutSolid<'a>,
}

/// What the header of a scene in space says: `onca-solid/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SolidHeader<'a> {
    schema: &'static str,
    #[serde(flatten)]
    about: &'a AboutScene,
    #[serde(flatten)]
    of_solid: &'a AboutSolid<'a>,
    /// Nothing was summed up, thinned or left out: there are no `notes`.
    exact: bool,
    /// What was summed up, thinned or left out, in words.
    notes: &'a [String],
    /// The numbers of the time axis.
    ruler: Vec<RulerTick<'a>>,
    /// Numbers of links of a network.
    numbers: Vec<BaseNumberHeader<'a>>,
    /// The way of the message that was asked for; `null` where none was, or where it has none.
    route: Option<BaseRouteHeader<'a>>,
    /// One layer of each kind.
    layers: Vec<LayerHeader>,
    /// Texts that labels and titles refer to.
    texts: Vec<&'a str>,
}

/// What is said of a scene in space besides what is in it.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AboutSolid<'a> {
    /// The bases that the trace can have.
    pub bases: Vec<Base>,
    /// The base that was drawn.
    pub base: Base,
    /// The layout of the base; `null` where it has none.
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub layout: Option<LayoutName>,
    /// What the time axis is called.
    pub ruler_title: &'a str,
    /// What the colours and widths of network links mean; `null` where they mean nothing.
    pub cable_scale: Option<CableScaleHeader<'a>>,
}

/// What the colours and widths of network links mean.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "CableScale"))]
pub struct CableScaleHeader<'a> {
    /// What they show.
    title: &'a str,
    /// From little to much.
    stops: Vec<CableStop<'a>>,
    /// How wide links of some bandwidths are.
    widths: Vec<CableWidth<'a>>,
    /// The colour around links that are far slower than the rest, if there are any.
    slow: Option<String>,
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct CableStop<'a> {
    /// As `#rrggbb` or `#rrggbbaa`.
    color: String,
    /// The amount.
    text: &'a str,
}

#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct CableWidth<'a> {
    /// Of the widest.
    width: f64,
    /// The bandwidth.
    text: &'a str,
}

impl<'a> CableScaleHeader<'a> {
    /// What a view says.
    pub fn new(scale: &'a CableScale) -> Self {
        let stops = scale.stops.iter();
        let stops = stops.map(|(color, text)| CableStop { color: color.to_string(), text });
        let widths = scale.widths.iter();
        let widths = widths.map(|(width, text)| CableWidth { width: *width, text });
        let slow = scale.slow.map(|color| color.to_string());
        Self { title: scale.title, stops: stops.collect(), widths: widths.collect(), slow }
    }
}

/// A number of a link of a network, between two places.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "BaseNumber"))]
struct BaseNumberHeader<'a> {
    a: u32,
    b: u32,
    text: &'a str,
    /// The colour around it.
    edge: String,
}

impl<'a> BaseNumberHeader<'a> {
    fn new(number: &'a BaseNumber) -> Self {
        let (a, b) = number.ends;
        Self { a, b, text: &number.text, edge: number.edge.to_string() }
    }
}

/// The way of a message over a network.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "BaseRoute"))]
struct BaseRouteHeader<'a> {
    /// The places of the nodes, from the one that sends.
    places: &'a [u32],
    /// When it leaves, from 0 to 1.
    za: f64,
    /// When it arrives.
    zb: f64,
    /// The way in words.
    text: &'a str,
}

impl<'a> BaseRouteHeader<'a> {
    fn new(route: &'a BaseRoute) -> Self {
        let (za, zb) = route.times;
        Self { places: &route.places, za, zb, text: &route.text }
    }
}

/// A number of the time axis.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct RulerTick<'a> {
    /// Where it is, from 0 to 1.
    z: f64,
    text: &'a str,
}

impl SentSolid<'_> {
    /// The bytes that go over the wire.
    pub fn encode(&self) -> Bytes {
        let (mut columns, solid) = (Columns::default(), self.solid);
        let mut texts: Vec<&str> = solid.titles.texts().iter().map(String::as_str).collect();
        let layers = vec![
            layer("cells", &mut columns, |to| cells(solid, to, &mut texts)),
            layer("nodes", &mut columns, |to| nodes(solid, to, &mut texts)),
            layer("cables", &mut columns, |to| cables(solid, to)),
            layer("edges", &mut columns, |to| edges(solid, to)),
            layer("boxes", &mut columns, |to| boxes(solid, to)),
            layer("arrows", &mut columns, |to| arrows(solid, to)),
            layer("ribbons", &mut columns, |to| ribbons(solid, to)),
            layer("marks", &mut columns, |to| marks(solid, to)),
        ];
        let header = SolidHeader {
            schema: "onca-solid/1",
            about: &self.about,
            of_solid: &self.of_solid,
            exact: self.notes.is_empty(),
            notes: self.notes,
            ruler: solid.ruler.iter().map(|(z, text)| RulerTick { z: *z, text }).collect(),
            numbers: solid.numbers.iter().map(BaseNumberHeader::new).collect(),
            route: solid.route.as_ref().map(BaseRouteHeader::new),
            layers,
            texts,
        };
        assembled(&header, columns)
    }
}

impl IntoResponse for SentSolid<'_> {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, MEDIA_TYPE)], self.encode()).into_response()
    }
}

fn layer(
    kind: &'static str,
    columns: &mut Columns,
    put: impl FnOnce(&mut LayerColumns<'_>) -> usize,
) -> LayerHeader {
    let mut to = columns.layer();
    let n = put(&mut to);
    LayerHeader { kind, n, columns: to.places() }
}

fn cells<'a>(solid: &'a Solid, to: &mut LayerColumns<'_>, texts: &mut Vec<&'a str>) -> usize {
    let each = || solid.cells.iter();
    bounds(each().map(|cell| cell.bounds), to);
    to.u8("depth", each().map(|cell| cell.depth));
    put_texts(each().map(|cell| cell.name.as_str()), to, texts);
    to.u32("node", each().map(|cell| cell.node));
    to.u32("fill", each().map(|cell| bits(cell.fill)));
    to.u32("edge", each().map(|cell| bits(cell.edge)));
    titles(each().map(|cell| cell.title), to);
    picks(each().map(|cell| cell.pick), to);
    solid.cells.len()
}

fn nodes<'a>(solid: &'a Solid, to: &mut LayerColumns<'_>, texts: &mut Vec<&'a str>) -> usize {
    let each = || solid.nodes.iter();
    points(each().map(|node| node.at), to);
    to.f32("radius", each().map(|node| node.radius));
    to.u8("base_kind", each().map(|node| base_kind(node.kind)));
    put_texts(each().map(|node| node.name.as_str()), to, texts);
    let first = texts.len() as u32;
    texts.extend(each().map(|node| node.short.as_str()));
    to.u32("short", first..texts.len() as u32);
    to.u32("rank", each().map(|node| node.rank));
    to.u32("node", each().map(|node| node.node.unwrap_or(NONE)));
    to.u32("on", each().map(|node| node.on.unwrap_or(NONE)));
    to.u32("fill", each().map(|node| bits(node.fill)));
    titles(each().map(|node| node.title), to);
    picks(each().map(|node| node.pick), to);
    solid.nodes.len()
}

fn cables(solid: &Solid, to: &mut LayerColumns<'_>) -> usize {
    let each = || solid.cables.iter();
    ends(each().map(|cable| cable.ends), to);
    to.f32("width", each().map(|cable| cable.width));
    to.u32("cable_color", each().map(|cable| bits(cable.color)));
    counts(each().map(|cable| cable.count), to);
    to.f32("bytes", each().map(|cable| cable.bytes as f64));
    to.f32("bandwidth", each().map(|cable| cable.bandwidth.unwrap_or(UNKNOWN)));
    to.f32("latency", each().map(|cable| cable.latency.unwrap_or(UNKNOWN)));
    to.f32("load", each().map(|cable| cable.load.unwrap_or(UNKNOWN)));
    titles(each().map(|cable| cable.title), to);
    solid.cables.len()
}

fn edges(solid: &Solid, to: &mut LayerColumns<'_>) -> usize {
    let each = || solid.edges.iter();
    ends(each().map(|edge| edge.ends), to);
    to.f32("width", each().map(|edge| edge.width));
    to.u32("edge_color", each().map(|edge| bits(edge.color)));
    counts(each().map(|edge| edge.count), to);
    to.f32("bytes", each().map(|edge| edge.bytes as f64));
    titles(each().map(|edge| edge.title), to);
    picks(each().map(|edge| edge.pick), to);
    solid.edges.len()
}

fn boxes(solid: &Solid, to: &mut LayerColumns<'_>) -> usize {
    let each = || solid.boxes.iter();
    to.u32("node", each().map(|state| state.node));
    to.f32("z0", each().map(|state| state.z0));
    to.f32("z1", each().map(|state| state.z1));
    to.f32("radius", each().map(|state| state.radius));
    to.u32("box_color", each().map(|state| bits(state.color)));
    to.u8("aggregate", each().map(|state| u8::from(state.aggregate)));
    picks(each().map(|state| state.pick), to);
    solid.boxes.len()
}

fn arrows(solid: &Solid, to: &mut LayerColumns<'_>) -> usize {
    let each = || solid.arrows.iter();
    ends(each().map(|arrow| arrow.ends), to);
    to.f32("za", each().map(|arrow| arrow.times.0));
    to.f32("zb", each().map(|arrow| arrow.times.1));
    to.u32("via", solid.vias.iter().copied());
    let firsts = each().map(|arrow| arrow.via.0);
    to.u32("first_via", firsts.chain([solid.vias.len() as u32]));
    to.f32("width", each().map(|arrow| arrow.width));
    to.u32("arrow_color", each().map(|arrow| bits(arrow.color)));
    counts(each().map(|arrow| arrow.count), to);
    picks(each().map(|arrow| arrow.pick), to);
    solid.arrows.len()
}

fn ribbons(solid: &Solid, to: &mut LayerColumns<'_>) -> usize {
    let (all, each) = (&solid.ribbons, || solid.ribbons.ribbons.iter());
    to.f32("z", all.points.iter().map(|(z, _)| *z));
    to.f32("value", all.points.iter().map(|(_, value)| *value));
    let firsts = each().map(|ribbon| ribbon.points.start as u32);
    to.u32("first_point", firsts.chain([all.points.len() as u32]));
    to.u32("node", each().map(|ribbon| ribbon.node));
    to.u32("ribbon_color", each().map(|ribbon| bits(ribbon.color)));
    titles(each().map(|ribbon| ribbon.title), to);
    picks(each().map(|ribbon| ribbon.pick), to);
    all.ribbons.len()
}

fn marks(solid: &Solid, to: &mut LayerColumns<'_>) -> usize {
    let each = || solid.marks.iter();
    to.u32("node", each().map(|mark| mark.node));
    to.f32("z", each().map(|mark| mark.z));
    to.u8("shape", each().map(|mark| shape(mark.shape)));
    to.u32("mark_color", each().map(|mark| bits(mark.color)));
    counts(each().map(|mark| mark.count), to);
    picks(each().map(|mark| mark.pick), to);
    solid.marks.len()
}

fn ends(pairs: impl Iterator<Item = (u32, u32)> + Clone, to: &mut LayerColumns<'_>) {
    to.u32("a", pairs.clone().map(|(a, _)| a));
    to.u32("b", pairs.map(|(_, b)| b));
}

/// Numbers that a column cannot hold are the largest that it can: titles have them in words.
fn counts(numbers: impl Iterator<Item = u64>, to: &mut LayerColumns<'_>) {
    to.u32("count", numbers.map(|number| u32::try_from(number).unwrap_or(u32::MAX)));
}

fn titles(all: impl Iterator<Item = Title>, to: &mut LayerColumns<'_>) {
    to.u32("title", all.map(Title::number));
}

fn put_texts<'a>(
    names: impl Iterator<Item = &'a str>,
    to: &mut LayerColumns<'_>,
    texts: &mut Vec<&'a str>,
) {
    let first = texts.len() as u32;
    texts.extend(names);
    to.u32("text", first..texts.len() as u32);
}

pub fn base_kind(kind: BaseKind) -> u8 {
    match kind {
        BaseKind::Container => 0,
        BaseKind::Host => 1,
        BaseKind::Switch => 2,
        BaseKind::Wire => 3,
        BaseKind::Middle => 4,
        BaseKind::Group => 5,
    }
}
