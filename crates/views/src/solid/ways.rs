//! What goes through time: the parts of links that nothing hides, variables and events.

use onca_model::Color;
use onca_scene::{Arrow, BaseKind, BaseNode, Bounds, Pick, Point, Rect, Title};

use super::camera::Place;
use super::hidden::{Column, is_hidden};
use super::paint::Painter;
use crate::color;

/// A visible part of an arrow is found in steps of this many pixels.
const STEP: f64 = 2.0;
/// Few arrows are so opaque, and very many.
const ARROW_OPACITY: (f64, f64) = (0.85, 0.15);
/// Up to this many arrows are few; more of them are fainter, so that what they cross stays visible.
const FEW_ARROWS: f64 = 100.0;
/// A bundle of several links is at least this opaque.
const BUNDLE_OPACITY: f64 = 0.4;
/// How wide the message is whose route is drawn, in pixels.
const ROUTE_WIDTH: f64 = 3.0;
/// How wide a post is, in pixels.
const POST_WIDTH: f64 = 1.2;

impl Painter<'_> {
    /// The parts of arrows that nothing hides.
    pub(super) fn arrows(&mut self, columns: &[Column]) {
        let crowd = (FEW_ARROWS / (self.solid.arrows.len() as f64).max(FEW_ARROWS)).sqrt();
        let opacity = (ARROW_OPACITY.0 * crowd).max(ARROW_OPACITY.1);
        for arrow in &self.solid.arrows {
            // A bundle is as plain as few arrows are.
            let opacity = if arrow.count > 1 { opacity.max(BUNDLE_OPACITY) } else { opacity };
            let color = color::faded(arrow.color, opacity);
            let mut stops = vec![arrow.ends.0];
            stops.extend(self.solid.via(arrow));
            stops.push(arrow.ends.1);
            self.way(columns, &stops, arrow.times, color, arrow.width, arrow.pick);
        }
    }

    /// The message whose route is drawn, on its way through time.
    pub(super) fn routed_message(&mut self, columns: &[Column]) {
        if let Some(route) = &self.solid.route {
            self.way(columns, &route.places, route.times, route.color, ROUTE_WIDTH, Pick::NOTHING);
        }
    }

    fn way(
        &mut self,
        columns: &[Column],
        stops: &[u32],
        times: (f64, f64),
        color: Color,
        width: f64,
        pick: Pick,
    ) {
        for (from, to, ends) in self.legs_of(stops, times) {
            for (start, end, is_last) in self.visible_parts(columns, from, to) {
                self.arrows.push(Arrow {
                    from: start,
                    to: end,
                    color,
                    width,
                    head: ends && is_last,
                    dot: false,
                    title: Title::NONE,
                    pick,
                });
            }
        }
    }

    /// The posts at which bundles between groups begin and end, as far as nothing hides them.
    pub(super) fn posts(&mut self, columns: &[Column]) {
        for node in self.solid.nodes.iter().filter(|node| node.kind == BaseKind::Middle) {
            let place = |z: f64| Place { x: node.at.x, y: node.at.y, z };
            for (from, to, _) in self.visible_parts(columns, place(0.0), place(self.height)) {
                self.lines.add([from, to], node.fill, POST_WIDTH);
            }
        }
    }

    /// The parts of a way that nothing hides, and whether each ends where the way does.
    fn visible_parts(
        &self,
        columns: &[Column],
        from: Place,
        to: Place,
    ) -> Vec<(Point, Point, bool)> {
        let (start, end) = (self.on_page(from), self.on_page(to));
        let length = (end.x - start.x).hypot(end.y - start.y);
        let n_steps = (length / STEP).ceil().clamp(1.0, 2000.0) as usize;
        let between = |share: f64| Place {
            x: from.x + share * (to.x - from.x),
            y: from.y + share * (to.y - from.y),
            z: from.z + share * (to.z - from.z),
        };
        let share = |step: usize| step as f64 / n_steps as f64;
        let (mut parts, mut begun) = (Vec::new(), None);
        for step in 0..=n_steps {
            let middle = between((step as f64 + 0.5) / n_steps as f64);
            let is_seen = step < n_steps && !is_hidden(&self.view, columns, middle);
            match (is_seen, begun) {
                (true, None) => begun = Some(step),
                (false, Some(first)) => {
                    let ends = [first, step].map(|step| self.on_page(between(share(step))));
                    parts.push((ends[0], ends[1], step == n_steps));
                    begun = None;
                }
                _ => {}
            }
        }
        parts
    }

    /// The legs of a way over some places, from side to side of the first and the last, cut at the
    /// window; and whether the way ends with a leg.
    fn legs_of(&self, stops: &[u32], (za, zb): (f64, f64)) -> Vec<(Place, Place, bool)> {
        let node = |stop: u32| &self.solid.nodes[stop as usize];
        let pairs = || stops.windows(2).map(|pair| (node(pair[0]), node(pair[1])));
        let length = |(a, b): (&BaseNode, &BaseNode)| (b.at.x - a.at.x).hypot(b.at.y - a.at.y);
        let whole: f64 = pairs().map(length).sum();
        let time = |far: f64| if whole > 0.0 { za + far / whole * (zb - za) } else { za };
        let last_leg = stops.len() - 2;
        let (mut legs, mut far) = (Vec::new(), 0.0);
        for (at, (a, b)) in pairs().enumerate() {
            let begin = time(far);
            far += length((a, b));
            // All the time of a way that stays in one place passes there.
            let end = if at == last_leg { zb } else { time(far) };
            let margins = [(at == 0).then_some(a.radius), (at == last_leg).then_some(b.radius)];
            let [before, after] = margins.map(Option::unwrap_or_default);
            if let Some((from, to)) = self.leg((a.at, begin, before), (b.at, end, after)) {
                legs.push((from, to, at == last_leg && (0.0..=1.0).contains(&zb)));
            }
        }
        legs
    }

    /// From one place and time to another, with what is left out at each end, cut at the window.
    fn leg(
        &self,
        (a, za, before): (Point, f64, f64),
        (b, zb, after): (Point, f64, f64),
    ) -> Option<(Place, Place)> {
        // Where the window is along the way.
        let (mut first, mut last) = (0.0f64, 1.0f64);
        if za == zb && !(0.0..=1.0).contains(&za) {
            return None;
        }
        if za != zb {
            let (one, other) = ((0.0 - za) / (zb - za), (1.0 - za) / (zb - za));
            first = first.max(one.min(other));
            last = last.min(one.max(other));
        }
        // Where it leaves the one node and reaches the other.
        let (x, y) = (b.x - a.x, b.y - a.y);
        let reach = x.abs().max(y.abs());
        if reach > 0.0 {
            first = first.max((before / reach).min(0.49));
            last = last.min(1.0 - (after / reach).min(0.49));
        }
        let place = |share: f64| Place {
            x: a.x + share * x,
            y: a.y + share * y,
            z: (za + share * (zb - za)) * self.height,
        };
        (first < last).then(|| (place(first), place(last)))
    }

    pub(super) fn on_page(&self, place: Place) -> Point {
        let point = self.view.project(place);
        Point::new(self.origin.x + point.x * self.scale, self.origin.y + point.y * self.scale)
    }

    /// Events, and variables as lines whose distance from their node is the value.
    pub(super) fn marks(&mut self, columns: &[Column]) {
        let beside =
            |node: &BaseNode, share: f64| (node.at.x + node.radius * (1.0 + share), node.at.y);
        for ribbon in &self.solid.ribbons.ribbons {
            let node = &self.solid.nodes[ribbon.node as usize];
            let points = &self.solid.ribbons.points[ribbon.points.clone()];
            let mut line = Vec::with_capacity(2 * points.len());
            for (at, (z, value)) in points.iter().enumerate() {
                let until = points.get(at + 1).map_or(1.0, |next| next.0);
                let (x, y) = beside(node, value.max(0.0));
                line.extend([self.at(x, y, *z), self.at(x, y, until)]);
            }
            self.lines.add(line, ribbon.color, 1.2);
        }
        for mark in &self.solid.marks {
            let node = &self.solid.nodes[mark.node as usize];
            let (x, y) = beside(node, 0.05);
            let place = Place { x, y, z: mark.z * self.height };
            if !is_hidden(&self.view, columns, place) {
                let Point { x, y } = self.on_page(place);
                let bounds = Bounds::new(x - 2.0, y - 2.0, x + 2.0, y + 2.0);
                self.pills.push(Rect { pick: mark.pick, ..Rect::plain(bounds, mark.color) });
            }
        }
    }
}
