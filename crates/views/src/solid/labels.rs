//! Names on the base, and times beside it.

use onca_layout::text::Font;
use onca_model::Color;
use onca_scene::{Align, BaseCell, BaseKind, BaseNode, Bounds, Label, Point, Rect, Rise};

use super::camera::Place;
use super::hidden::{Column, is_hidden};
use super::paint::Painter;
use crate::canvas::{centred_label, label};
use crate::color;
use crate::sheet::TICK_SIZE;

/// At most this many names, if they do not touch.
const MOST_NAMES: usize = 60;

impl Painter<'_> {
    /// Names of nodes at their feet, where these are seen, as many as fit without touching.
    pub(super) fn names(&mut self, columns: &[Column]) {
        let colors = self.shown.theme.colors();
        let mut nodes: Vec<&BaseNode> = self.solid.nodes.iter().collect();
        nodes.retain(|node| {
            matches!(node.kind, BaseKind::Container | BaseKind::Host | BaseKind::Switch)
        });
        let n_containers = nodes.iter().filter(|node| node.kind == BaseKind::Container).count();
        let is_crowded = n_containers > MOST_NAMES;
        nodes.sort_by_key(|node| ((node.kind == BaseKind::Container) == is_crowded, node.rank));
        let mut taken: Vec<Bounds> = Vec::new();
        for node in nodes {
            let Some(text) = Font::Regular.fit(&node.name, TICK_SIZE, 130.0) else { continue };
            let away = self.view.away;
            // Just in front of the node, outside its square.
            let step = 1.05 * node.radius / away.0.abs().max(away.1.abs());
            let (x, y) = (node.at.x - away.0 * step, node.at.y - away.1 * step);
            // A name over boxes that hide its node would seem to be theirs.
            if is_hidden(&self.view, columns, Place { x, y, z: 0.0 }) {
                continue;
            }
            let foot = self.at(x, y, 0.0);
            let at = Point::new(foot.x, foot.y + TICK_SIZE);
            let half = Font::Regular.width(&text, TICK_SIZE) / 2.0 + 2.0;
            let bounds = Bounds::new(at.x - half, at.y - 7.5, at.x + half, at.y + 7.5);
            if taken.len() >= MOST_NAMES || taken.iter().any(|other| other.overlaps(&bounds)) {
                continue;
            }
            taken.push(bounds);
            self.pills.push(Rect::plain(bounds, color::faded(colors.background, 0.72)));
            self.names
                .push(Label { pick: node.pick, ..centred_label(at, text, TICK_SIZE, colors.text) });
        }
        self.cell_names(&mut taken);
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

/// A text at the left of a round time.
pub(super) fn time_label(at: Point, text: &str, color: Color) -> Label {
    let beside = Point::new(at.x - 7.0, at.y);
    Label { align: Align::End, rise: Rise::Middle, ..label(beside, text, TICK_SIZE, color) }
}
