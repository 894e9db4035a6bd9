//! Names on the base, and times beside it.

use std::collections::BTreeSet;

use onca_layout::text::Font;
use onca_model::Color;
use onca_scene::{
    Align, BaseCell, BaseKind, BaseNode, BaseNumber, Bounds, Label, Point, Rect, Rise, Solid,
};

use super::camera::Place;
use super::hidden::{Column, is_hidden};
use super::paint::Painter;
use crate::canvas::{centred_label, label};
use crate::sheet::TICK_SIZE;
use crate::{color, names};

/// At most this many names, if they do not touch.
const MOST_NAMES: usize = 60;
/// Of a kind with more members than this, some are named: one in each part of the base, of which
/// there are this many along each side.
const MOST_OF_A_KIND: usize = 40;
const SPREAD: f64 = 4.0;
/// A name is at most this long, in pixels.
const LONGEST_NAME: f64 = 130.0;

/// Which names come first; nothing for what has none.
fn order(kind: BaseKind) -> Option<u8> {
    match kind {
        BaseKind::Group | BaseKind::Middle => Some(0),
        BaseKind::Switch => Some(1),
        BaseKind::Host => Some(3),
        BaseKind::Container => Some(4),
        BaseKind::Wire => None,
    }
}

impl Painter<'_> {
    /// Numbers of links, then names of nodes at their feet, where these are seen, as many as fit
    /// without touching: groups first, then switches, machines and containers. Of a kind with many
    /// only some are named, spread over the base.
    pub(super) fn names(&mut self, columns: &[Column]) {
        let colors = self.shown.theme.colors();
        let mut taken: Vec<Bounds> = Vec::new();
        self.numbers(columns, &mut taken);
        let mut nodes: Vec<&BaseNode> = self.solid.nodes.iter().collect();
        nodes.retain(|node| order(node.kind).is_some());
        let n_of = |kind: BaseKind| nodes.iter().filter(|node| node.kind == kind).count();
        let n_containers = n_of(BaseKind::Container);
        // Machines are named before what runs on them where that is much.
        let place = |kind: BaseKind| match kind {
            BaseKind::Container if n_containers <= MOST_OF_A_KIND => Some(2),
            kind => order(kind),
        };
        let kinds = [BaseKind::Group, BaseKind::Switch, BaseKind::Host, BaseKind::Container];
        let many: Vec<BaseKind> =
            kinds.into_iter().filter(|kind| n_of(*kind) > MOST_OF_A_KIND).collect();
        let on_route = on_route(self.solid);
        let is_on_route =
            |node: &BaseNode| on_route.contains(node.name.as_str()) && node.node.is_none();
        nodes.sort_by_key(|node| (!is_on_route(node), place(node.kind), node.rank));
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        let ways = names::shortened(&names);
        let mut cells: BTreeSet<(Option<u8>, i64, i64)> = BTreeSet::new();
        let mut n_names = 0;
        for (node, ways) in nodes.into_iter().zip(ways) {
            let part = |at: f64| ((at + 1.0) / 2.0 * SPREAD).floor() as i64;
            let cell = (order(node.kind), part(node.at.x), part(node.at.y));
            // The outermost groups have the rank 0.
            let is_site = node.kind == BaseKind::Group && node.rank == 0;
            let is_first = is_site || is_on_route(node);
            let is_one_of_many = !is_first && many.contains(&node.kind);
            if n_names >= MOST_NAMES || (is_one_of_many && cells.contains(&cell)) {
                continue;
            }
            let away = self.view.away;
            // Just in front of the node, outside its square.
            let step = 1.05 * node.radius / away.0.abs().max(away.1.abs());
            let (x, y) = match node.kind {
                BaseKind::Group => {
                    let length = away.0.hypot(away.1).max(1e-9);
                    let step = node.radius / length;
                    (node.at.x - away.0 * step, node.at.y - away.1 * step)
                }
                _ => (node.at.x - away.0 * step, node.at.y - away.1 * step),
            };
            // A name over boxes that hide its node would seem to be theirs.
            if is_hidden(&self.view, columns, Place { x, y, z: 0.0 }) {
                continue;
            }
            let foot = self.at(x, y, 0.0);
            let down = if node.kind == BaseKind::Group { 0.0 } else { TICK_SIZE };
            let at = Point::new(foot.x, foot.y + down);
            let last = ways.len() - 1;
            let fitted = ways.iter().enumerate().find_map(|(way, text)| {
                let text = match way == last {
                    true => Font::Regular.fit(text, TICK_SIZE, LONGEST_NAME)?,
                    false if Font::Regular.width(text, TICK_SIZE) > LONGEST_NAME => return None,
                    false => text.clone(),
                };
                let half = Font::Regular.width(&text, TICK_SIZE) / 2.0 + 2.0;
                let bounds = Bounds::new(at.x - half, at.y - 7.5, at.x + half, at.y + 7.5);
                (!taken.iter().any(|other| other.overlaps(&bounds))).then_some((bounds, text))
            });
            let Some((bounds, text)) = fitted else { continue };
            n_names += 1;
            cells.insert(cell);
            taken.push(bounds);
            self.pills.push(Rect::plain(bounds, color::faded(colors.background, 0.72)));
            let color = if is_on_route(node) { colors.accent } else { colors.text };
            self.names.push(Label { pick: node.pick, ..centred_label(at, text, TICK_SIZE, color) });
        }
        self.cell_names(&mut taken);
    }

    /// Numbers in the middle of the few links of a network that matter.
    fn numbers(&mut self, columns: &[Column], taken: &mut Vec<Bounds>) {
        let colors = self.shown.theme.colors();
        for BaseNumber { ends, text, edge } in &self.solid.numbers {
            let [a, b] = [ends.0, ends.1].map(|end| self.solid.nodes[end as usize].at);
            let (x, y) = ((a.x + b.x) / 2.0, (a.y + b.y) / 2.0);
            let at = self.at(x, y, 0.0);
            let half = Font::Regular.width(text, TICK_SIZE) / 2.0 + 2.0;
            let bounds = Bounds::new(at.x - half, at.y - 7.5, at.x + half, at.y + 7.5);
            let is_free = !taken.iter().any(|other| other.overlaps(&bounds));
            if is_free && !is_hidden(&self.view, columns, Place { x, y, z: 0.0 }) {
                taken.push(bounds);
                let pill = Rect::plain(bounds, color::faded(colors.background, 0.85));
                self.pills.push(Rect { edge: *edge, ..pill });
                self.names.push(centred_label(at, text.clone(), TICK_SIZE, colors.text));
            }
        }
    }

    /// Names of rectangles that hold others, in their near corner.
    fn cell_names(&mut self, taken: &mut Vec<Bounds>) {
        let colors = self.shown.theme.colors();
        let holds_others = |cell: &BaseCell| {
            let inside = |other: &BaseCell| other.depth == cell.depth + 1;
            cell.depth > 0 && self.solid.cells.iter().any(inside)
        };
        let mut names = Vec::new();
        for cell in self.solid.cells.iter().filter(|cell| holds_others(cell) && cell.depth <= 2) {
            let near = |low: f64, high: f64, away: f64| if away > 0.0 { low } else { high };
            let Bounds { x0, y0, x1, y1 } = cell.bounds;
            let corner =
                self.at(near(x0, x1, self.view.away.0), near(y0, y1, self.view.away.1), 0.0);
            let Some(text) = Font::Regular.fit(&cell.name, TICK_SIZE, 130.0) else { continue };
            let width = Font::Regular.width(&text, TICK_SIZE);
            let bounds = Bounds::new(
                corner.x - width / 2.0 - 2.0,
                corner.y,
                corner.x + width / 2.0 + 2.0,
                corner.y + 15.0,
            );
            if !taken.iter().any(|other| other.overlaps(&bounds)) {
                taken.push(bounds);
                names.push((bounds, text, cell.pick));
            }
        }
        for (bounds, text, pick) in names {
            self.pills.push(Rect::plain(bounds, color::faded(colors.background, 0.72)));
            let name = centred_label(bounds.center(), text, TICK_SIZE, colors.muted);
            self.names.push(Label { pick, ..name });
        }
    }

    /// Where round times are along the left edge of what is seen.
    pub(super) fn times(&self) -> Vec<(Point, String)> {
        if self.view.rise.1 < 0.25 {
            return Vec::new();
        }
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let leftmost = square
            .into_iter()
            .min_by(|a, b| self.at(a.0, a.1, 0.0).x.total_cmp(&self.at(b.0, b.1, 0.0).x));
        let (x, y) = leftmost.unwrap_or((-1.0, -1.0));
        self.solid.ruler.iter().map(|(z, text)| (self.at(x, y, *z), text.clone())).collect()
    }
}

/// The names of the nodes of the route that is drawn.
fn on_route(solid: &Solid) -> BTreeSet<&str> {
    let places = solid.route.iter().flat_map(|route| &route.places);
    places.map(|place| solid.nodes[*place as usize].name.as_str()).collect()
}

/// A text at the left of a round time.
pub(super) fn time_label(at: Point, text: &str, color: Color) -> Label {
    let beside = Point::new(at.x - 7.0, at.y);
    Label { align: Align::End, rise: Rise::Middle, ..label(beside, text, TICK_SIZE, color) }
}
