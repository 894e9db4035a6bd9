//! A scene in space on paper.

use std::collections::BTreeMap;

use onca_model::Color;
use onca_scene::{
    Arrow, BaseKind, Bounds, Label, Layer, Lines, Pick, Point, Polygons, Rect, Scene, Solid, Title,
    Titles,
};

use super::camera::{Camera, Place, View};
use super::hidden::{Column, from_behind};
use crate::{Theme, color};

/// How much darker the sides of a box are that look along `x` and along `y`.
const SHADES: (f64, f64) = (0.14, 0.3);
/// Seen so steeply, the sides of boxes are not seen.
const FROM_ABOVE: f64 = 0.02;
/// How wide a route is: of the half width of a node, and in pixels at least.
const ROUTE_SHARE: f64 = 0.3;
const ROUTE_WIDTH: f64 = 3.0;
/// Where on a link the direction of a route is shown.
const HEAD_PLACE: f64 = 0.72;
/// Boxes as high as this have edges, in pixels.
const EDGED: f64 = 7.0;

/// What is drawn of a scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub camera: Camera,
    pub theme: Theme,
    /// What nodes send each other, on the base.
    pub edges: bool,
    pub names: bool,
}

/// What was drawn: what is solid, and what is above it.
pub(super) struct Painted {
    pub solid: Scene,
    pub above: Scene,
    /// Where round times are, at the side where there is room for their texts.
    pub times: Vec<(Point, String)>,
}

/// A picture in the making.
pub(super) struct Painter<'a> {
    pub(super) solid: &'a Solid,
    pub(super) shown: Shown,
    pub(super) view: View,
    /// The scale, and where the middle of the base is.
    pub(super) scale: f64,
    pub(super) origin: Point,
    /// How high the time axis is, in the unit of the base.
    pub(super) height: f64,
    pub(super) polygons: Polygons,
    pub(super) lines: Lines,
    pub(super) arrows: Vec<Arrow>,
    pub(super) names: Vec<Label>,
    pub(super) pills: Vec<Rect>,
    pub(super) titles: Titles,
}

impl<'a> Painter<'a> {
    /// Fits a scene into a frame.
    pub fn new(solid: &'a Solid, shown: Shown, frame: &Bounds) -> Self {
        let view = View::new(shown.camera);
        let height = fitting_height(&view, frame);
        let corners = corners(height).map(|corner| view.project(corner));
        let extent = |of: fn(&Point) -> f64| {
            let low = corners.iter().map(of).fold(f64::INFINITY, f64::min);
            (low, corners.iter().map(of).fold(f64::NEG_INFINITY, f64::max))
        };
        let (x, y) = (extent(|point| point.x), extent(|point| point.y));
        let scale = (frame.width() / (x.1 - x.0)).min(frame.height() / (y.1 - y.0).max(1e-9));
        // A page without room has a picture without size.
        let scale = scale.max(1e-3);
        let centre = frame.center();
        let origin =
            Point::new(centre.x - (x.0 + x.1) / 2.0 * scale, centre.y - (y.0 + y.1) / 2.0 * scale);
        Self {
            solid,
            shown,
            view,
            scale,
            origin,
            height,
            polygons: Polygons::default(),
            lines: Lines::default(),
            arrows: Vec::new(),
            names: Vec::new(),
            pills: Vec::new(),
            titles: Titles::default(),
        }
    }

    /// Draws everything.
    pub fn paint(mut self) -> Painted {
        self.walls();
        self.cells();
        self.areas();
        self.cables_and_edges();
        self.route();
        self.plates();
        let columns = self.columns();
        self.boxes(&columns);
        self.posts(&columns);
        self.arrows(&columns);
        self.routed_message(&columns);
        self.marks(&columns);
        if self.shown.names {
            self.names(&columns);
        }
        let times = self.times();
        let solid = vec![Layer::Polygons(self.polygons)];
        let above = vec![
            Layer::Lines(self.lines),
            Layer::Arrows(self.arrows),
            Layer::Rects(self.pills),
            Layer::Labels(self.names),
        ];
        Painted {
            solid: Scene { layers: solid, titles: self.titles },
            above: Scene { layers: above, titles: Titles::default() },
            times,
        }
    }

    pub(super) fn at(&self, x: f64, y: f64, z: f64) -> Point {
        let point = self.view.project(Place { x, y, z: z * self.height });
        Point::new(self.origin.x + point.x * self.scale, self.origin.y + point.y * self.scale)
    }

    /// The base and the two walls behind it, with lines at round times.
    fn walls(&mut self) {
        let colors = self.shown.theme.colors();
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        if self.view.rise.0 > 0.0 {
            let base = square.map(|(x, y)| self.at(x, y, 0.0));
            self.polygons.add(base, colors.field).edge = colors.axis;
        }
        if self.view.rise.1 == 0.0 {
            return;
        }
        let far = |away: f64| if away >= 0.0 { 1.0 } else { -1.0 };
        let (x, y) = (far(self.view.away.0), far(self.view.away.1));
        let walls =
            [((x, -1.0), (x, 1.0), self.view.away.0), ((-1.0, y), (1.0, y), self.view.away.1)];
        for (from, to, away) in walls.into_iter().filter(|(.., away)| *away != 0.0) {
            let shade = color::mix(colors.field, colors.grid, if away > 0.0 { 0.2 } else { 0.35 });
            let wall = [(from, 0.0), (to, 0.0), (to, 1.0), (from, 1.0)];
            let wall = wall.map(|((x, y), z)| self.at(x, y, z));
            self.polygons.add(wall, shade).edge = colors.grid;
            for (z, _) in &self.solid.ruler {
                let (from, to) = (self.at(from.0, from.1, *z), self.at(to.0, to.1, *z));
                self.thin_line(from, to, 1.0, colors.grid);
            }
        }
    }

    /// A line that takes part in the order of what is solid.
    fn thin_line(&mut self, from: Point, to: Point, width: f64, fill: Color) {
        let length = (to.x - from.x).hypot(to.y - from.y).max(1e-9);
        let (x, y) =
            ((to.y - from.y) / length * width / 2.0, (from.x - to.x) / length * width / 2.0);
        let corner = |point: Point, side: f64| Point::new(point.x + side * x, point.y + side * y);
        self.polygons
            .add([corner(from, 1.0), corner(to, 1.0), corner(to, -1.0), corner(from, -1.0)], fill);
    }

    fn cells(&mut self) {
        if self.view.rise.0 == 0.0 {
            return;
        }
        for cell in &self.solid.cells {
            let Bounds { x0, y0, x1, y1 } = cell.bounds;
            let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
            let corners = corners.map(|(x, y)| self.at(x, y, 0.0));
            let polygon = self.polygons.add(corners, cell.fill);
            (polygon.edge, polygon.pick) = (cell.edge, cell.pick);
            polygon.title = copied(self.solid, cell.title, &mut self.titles);
        }
    }

    fn cables_and_edges(&mut self) {
        for cable in &self.solid.cables {
            let title = copied(self.solid, cable.title, &mut self.titles);
            self.band(cable.ends, cable.width, cable.color, title, Pick::NOTHING);
        }
        if self.shown.edges {
            for edge in &self.solid.edges {
                let title = copied(self.solid, edge.title, &mut self.titles);
                self.band(edge.ends, edge.width, edge.color, title, edge.pick);
            }
        }
    }

    /// The route of a message on the base, with its direction on every link that has room for it.
    fn route(&mut self) {
        let Some(route) = &self.solid.route else { return };
        let rim = self.shown.theme.colors().background;
        let place = |stop: u32| self.solid.nodes[stop as usize].at;
        let width = (ROUTE_WIDTH / self.scale).max(ROUTE_SHARE * self.thinnest(&route.places));
        for (color, width) in [(rim, 1.5 * width), (route.color, width)] {
            for pair in route.places.windows(2) {
                self.band((pair[0], pair[1]), width, color, Title::NONE, Pick::NOTHING);
            }
        }
        for pair in route.places.windows(2) {
            let (from, to) = (place(pair[0]), place(pair[1]));
            let (x, y) = (to.x - from.x, to.y - from.y);
            let length = x.hypot(y);
            if length < 8.0 * width {
                continue;
            }
            // Beyond the middle, where numbers of links are.
            let (x, y) = (x / length * width, y / length * width);
            let at = |from: f64, to: f64| from + HEAD_PLACE * (to - from);
            let (at_x, at_y) = (at(from.x, to.x), at(from.y, to.y));
            let head = [(3.0, 0.0), (-1.8, 2.4), (-1.8, -2.4)];
            let head = head.map(|(along, across)| {
                self.at(at_x + along * x - across * y, at_y + along * y + across * x, 0.0)
            });
            self.polygons.add(head, route.color).edge = rim;
        }
    }

    /// Half the width of the smallest of some nodes.
    fn thinnest(&self, places: &[u32]) -> f64 {
        let radii = places.iter().map(|place| self.solid.nodes[*place as usize].radius);
        radii.fold(f64::INFINITY, f64::min)
    }

    /// A flat band between two places of the base.
    fn band(&mut self, ends: (u32, u32), width: f64, fill: Color, title: Title, pick: Pick) {
        let place = |end: u32| self.solid.nodes[end as usize].at;
        let (from, to) = (place(ends.0), place(ends.1));
        let length = (to.x - from.x).hypot(to.y - from.y);
        if length < 1e-9 {
            return;
        }
        // Never thinner than half a pixel.
        let half = (width / 2.0).max(0.25 / self.scale);
        let (x, y) = ((to.y - from.y) / length * half, (from.x - to.x) / length * half);
        let corners = [
            (from.x + x, from.y + y),
            (to.x + x, to.y + y),
            (to.x - x, to.y - y),
            (from.x - x, from.y - y),
        ];
        let corners = corners.map(|(x, y)| self.at(x, y, 0.0));
        let polygon = self.polygons.add(corners, fill);
        (polygon.title, polygon.pick) = (title, pick);
    }

    /// The groups of a network, those around others first.
    fn areas(&mut self) {
        let colors = self.shown.theme.colors();
        for node in self.solid.nodes.iter().filter(|node| node.kind == BaseKind::Group) {
            let corners = self.circle(node.at, node.radius, 48);
            let polygon = self.polygons.add(corners, node.fill);
            polygon.edge = color::mix(colors.grid, colors.axis, 0.4);
            polygon.title = copied(self.solid, node.title, &mut self.titles);
        }
    }

    /// A circle on the base.
    fn circle(&self, at: Point, radius: f64, n: u32) -> Vec<Point> {
        let angles = (0..n).map(|step| f64::from(step) * std::f64::consts::TAU / f64::from(n));
        let point =
            |angle: f64| self.at(at.x + radius * angle.cos(), at.y + radius * angle.sin(), 0.0);
        angles.map(point).collect()
    }

    /// The nodes on the base: those that others stand on first.
    fn plates(&mut self) {
        let colors = self.shown.theme.colors();
        let is_seen = |kind: BaseKind| kind != BaseKind::Group;
        let carries = |node: &onca_scene::BaseNode| node.on.is_none();
        let (below, above): (Vec<_>, Vec<_>) = self
            .solid
            .nodes
            .iter()
            .filter(|node| is_seen(node.kind))
            .partition(|node| carries(node));
        for node in below.into_iter().chain(above) {
            let (x, y, r) = (node.at.x, node.at.y, node.radius);
            let square = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)];
            let corners: Vec<Point> = match node.kind {
                BaseKind::Switch | BaseKind::Wire | BaseKind::Middle => self.circle(node.at, r, 16),
                _ => square.map(|(x, y)| self.at(x, y, 0.0)).to_vec(),
            };
            let polygon = self.polygons.add(corners, node.fill);
            (polygon.edge, polygon.pick) = (colors.axis, node.pick);
            polygon.title = copied(self.solid, node.title, &mut self.titles);
        }
    }

    /// The boxes of each node, in the unit of the base.
    fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        for group in self.solid.boxes.chunk_by(|a, b| a.node == b.node) {
            let node = &self.solid.nodes[group[0].node as usize];
            let boxes = group.iter();
            let boxes = boxes
                .map(|one| (one.z0 * self.height, one.z1 * self.height, one.radius * node.radius));
            columns.push(Column {
                x: node.at.x,
                y: node.at.y,
                radius: node.radius,
                boxes: boxes.collect(),
            });
        }
        columns
    }

    fn boxes(&mut self, columns: &[Column]) {
        let groups: Vec<&[onca_scene::StateBox]> =
            self.solid.boxes.chunk_by(|a, b| a.node == b.node).collect();
        let is_from_above = self.view.rise.1 < FROM_ABOVE;
        for column in from_behind(&self.view, columns) {
            let group = groups[column];
            if is_from_above {
                self.draw_roof(group);
                continue;
            }
            for (at, one) in group.iter().enumerate() {
                // A top that the next box covers is not seen.
                let covered = group
                    .get(at + 1)
                    .is_some_and(|next| next.z0 <= one.z1 + 1e-12 && next.radius >= one.radius);
                self.draw_box(one, !covered);
            }
        }
    }

    /// What is seen of a node from above: the value with the largest share of the time.
    fn draw_roof(&mut self, group: &[onca_scene::StateBox]) {
        let mut heights: BTreeMap<[u8; 4], (Color, f64)> = BTreeMap::new();
        for one in group {
            let Color { red, green, blue, alpha } = one.color;
            let height = heights.entry([red, green, blue, alpha]).or_insert((one.color, 0.0));
            height.1 += one.z1 - one.z0;
        }
        let largest = heights.into_values().max_by(|a, b| a.1.total_cmp(&b.1));
        let widest = group.iter().max_by(|a, b| a.radius.total_cmp(&b.radius));
        if let (Some((color, _)), Some(one)) = (largest, widest) {
            let pick = self.solid.nodes[one.node as usize].pick;
            self.draw_box(&onca_scene::StateBox { color, pick, ..*one }, true);
        }
    }

    fn draw_box(&mut self, one: &onca_scene::StateBox, has_top: bool) {
        let node = &self.solid.nodes[one.node as usize];
        let (x, y, r) = (node.at.x, node.at.y, node.radius * one.radius);
        let ((sine, cosine), (away_x, away_y)) = (self.view.rise, self.view.away);
        let is_high = (one.z1 - one.z0) * self.height * cosine * self.scale >= EDGED;
        let mut face = |corners: [(f64, f64, f64); 4], shade: f64, edged: bool| {
            let corners = corners.map(|(x, y, z)| self.at(x, y, z));
            let fill = color::mix(one.color, Color::rgb(0, 0, 0), shade);
            let polygon = self.polygons.add(corners, fill);
            polygon.pick = one.pick;
            if edged {
                polygon.edge = color::darker(fill);
            }
        };
        if cosine > 0.0 {
            let near = |away: f64| if away > 0.0 { -r } else { r };
            if away_x != 0.0 {
                let x = x + near(away_x);
                let side = [
                    (x, y - r, one.z0),
                    (x, y + r, one.z0),
                    (x, y + r, one.z1),
                    (x, y - r, one.z1),
                ];
                face(side, SHADES.0, is_high);
            }
            if away_y != 0.0 {
                let y = y + near(away_y);
                let side = [
                    (x - r, y, one.z0),
                    (x + r, y, one.z0),
                    (x + r, y, one.z1),
                    (x - r, y, one.z1),
                ];
                face(side, SHADES.1 * f64::from(u8::from(away_x != 0.0)), is_high);
            }
        }
        if sine > 0.0 && has_top {
            let z = one.z1;
            face(
                [(x - r, y - r, z), (x + r, y - r, z), (x + r, y + r, z), (x - r, y + r, z)],
                0.0,
                true,
            );
        }
    }
}

/// The corners of the room that a scene fills.
fn corners(height: f64) -> [Place; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|corner: u8| {
        let side = |bit: u8| if corner & bit == 0 { -1.0 } else { 1.0 };
        Place { x: side(1), y: side(2), z: if corner & 4 == 0 { 0.0 } else { height } }
    })
}

/// A time axis as high as makes the scene fill a frame.
fn fitting_height(view: &View, frame: &Bounds) -> f64 {
    let (sine, cosine) = view.rise;
    let (low, high) = view.across((0.0, 0.0), 1.0);
    let wide = high - low;
    let base = wide * sine;
    let high = wide * frame.height() / frame.width().max(1.0);
    if cosine < 0.05 { 1.0 } else { ((high - base) / cosine).clamp(0.5, 4.0) }
}

/// A title of the scene in another list.
fn copied(solid: &Solid, title: Title, titles: &mut Titles) -> Title {
    solid.titles.get(title).map_or(Title::NONE, |text| titles.add(text))
}
