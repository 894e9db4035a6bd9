//! Links as arrows from row to row, bundled where there are more than a picture can hold.

use std::collections::BTreeMap;

use onca_answer::bundles::{
    Bundle, BundleQuestion, BundledLinks, LinkKind, LinkPlace, LinkTally, WantedLinks,
    bundled_links,
};
use onca_model::{Color, ContainerId, format::grouped};
use onca_query::Scope;
use onca_scene::{Arrow, Pick, Point, Title};
use rayon::prelude::*;

use crate::{
    Result, color,
    timeline::{content::Row, drawing::Drawing, fit::Fitted, stage::Stage},
};

/// Links between the same rows that begin and end this close to each other are a bundle, where
/// there are too many; in pixels.
const BIN: f64 = 4.0;
/// Arrows cover at most this share of the diagram.
const INK: f64 = 0.1;
/// Arrows have dots where they begin while there are no more than this.
const MOST_DOTS: usize = 200;
const MOST_WIDTH: f64 = 4.0;

/// What became of the links of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct LinkReport {
    tally: LinkTally,
    /// How many are drawn, alone or in a bundle.
    drawn: u64,
    /// How many arrows there are.
    arrows: u64,
}

impl LinkReport {
    /// What the caption must say, if anything.
    pub fn note(&self) -> Option<String> {
        let Self { tally, drawn, arrows } = *self;
        let links = tally.links - tally.outside;
        if links == arrows {
            return None;
        }
        let shown = if drawn == 0 { "none".to_owned() } else { grouped(drawn) };
        let mut note = format!("{shown} of {} links shown", grouped(links));
        if arrows < drawn {
            note += &format!(" as {} arrows", grouped(arrows));
        }
        if tally.inside > 0 {
            note += &format!(", {} inside summed rows", grouped(tally.inside));
        }
        if tally.halves > 0 {
            note += &format!(", {} have one end only", grouped(tally.halves));
        }
        Some(note)
    }
}

/// The arrows of a picture, and what they leave out.
pub(crate) struct ChosenLinks {
    /// Each with a text for the pointer.
    arrows: Vec<(Arrow, String)>,
    /// What became of the links.
    pub report: LinkReport,
}

/// Chooses arrows for the wanted links of the window that cross what is painted, at most `most`.
pub(crate) fn choose_links(
    stage: &Stage<'_>,
    fitted: &Fitted,
    wanted: &WantedLinks,
    most: usize,
) -> Result<ChosenLinks> {
    let sides = fitted.sides();
    // Rows themselves are large, and links many.
    let anchors: Vec<(f64, bool)> =
        fitted.rows.iter().map(|row| (row.anchor(), row.holds_links())).collect();
    let place = |from: u32, to: u32| {
        let ((tail, holds_links), (head, _)) = (anchors[from as usize], anchors[to as usize]);
        if from == to && holds_links {
            LinkPlace::Inside
        } else if crosses((tail, head), sides) {
            LinkPlace::Shown
        } else {
            LinkPlace::Outside
        }
    };
    let question = BundleQuestion {
        wanted,
        window: stage.instants(),
        bin: BIN * stage.grid.pixel,
        most,
        rows: &rows_of_containers(stage.scope, &fitted.rows),
        place,
    };
    let BundledLinks { bundles, tally } = bundled_links(stage.scope, &question)?;
    let mut report = LinkReport { tally, ..LinkReport::default() };
    let Some(bundles) = bundles else { return Ok(ChosenLinks { arrows: Vec::new(), report }) };
    let ink = INK * (sides.1 - sides.0) * stage.pixels(stage.grid.span());
    let mut bundles = bundles.fitting(ink, |bundle| length_of(stage, bundle, ends(fitted, bundle)));
    bundles.sort_by_key(|b| (b.count, b.start, b.end, b.rows, b.lane, b.row));
    report.drawn = bundles.iter().map(|bundle| bundle.count).sum();
    report.arrows = bundles.len() as u64;
    let style = ArrowStyle::new(stage, &bundles);
    let arrow = |bundle: &Bundle| {
        let arrow = style.arrow(bundle, ends(fitted, bundle))?;
        Some((arrow, text_of(stage, bundle)))
    };
    Ok(ChosenLinks { arrows: bundles.par_iter().filter_map(arrow).collect(), report })
}

/// Draws chosen arrows.
pub(crate) fn draw_links(drawing: &mut Drawing<'_>, chosen: ChosenLinks) {
    for (arrow, text) in chosen.arrows {
        let title = drawing.titles.add(text);
        drawing.arrows.push(Arrow { title, ..arrow });
    }
}

/// The heights at which an arrow begins and ends.
fn ends(fitted: &Fitted, bundle: &Bundle) -> (f64, f64) {
    let (tail, head) = bundle.rows;
    (fitted.rows[tail as usize].anchor(), fitted.rows[head as usize].anchor())
}

/// Does a line between two heights touch what lies between two sides?
fn crosses((tail, head): (f64, f64), (top, foot): (f64, f64)) -> bool {
    tail.min(head) < foot && tail.max(head) > top
}

/// How long the visible part of an arrow is, in pixels.
fn length_of(stage: &Stage<'_>, bundle: &Bundle, (tail, head): (f64, f64)) -> f64 {
    let grid = &stage.grid;
    let from = Point::new(grid.x_anywhere(bundle.start), tail);
    let to = Point::new(grid.x_anywhere(bundle.end), head);
    clipped(from, to, grid.span())
        .map_or(0.0, |(from, to)| stage.pixels(to.x - from.x).hypot(to.y - from.y))
}

/// For each container the row that shows it: that of its node or of the nearest node above.
pub(crate) fn rows_of_containers(scope: &Scope<'_>, rows: &[Row]) -> Vec<Option<u32>> {
    let hierarchy = scope.hierarchy();
    let mut row_of_node = vec![None; hierarchy.len()];
    for (index, row) in rows.iter().enumerate() {
        row.nodes.iter().for_each(|node| row_of_node[node.index()] = Some(index as u32));
    }
    for node in hierarchy.nodes().skip(1) {
        if row_of_node[node.index()].is_none() {
            row_of_node[node.index()] = row_of_node[hierarchy.parent(node).index()];
        }
    }
    let containers = (0..scope.catalog().containers.len()).map(|id| ContainerId(id as u32));
    containers.map(|id| row_of_node[hierarchy.node_of(id)?.index()]).collect()
}

/// How arrows are drawn.
struct ArrowStyle<'a> {
    stage: &'a Stage<'a>,
    n_arrows: usize,
    /// By kind.
    colors: BTreeMap<LinkKind, Color>,
}

impl<'a> ArrowStyle<'a> {
    fn new(stage: &'a Stage<'a>, bundles: &[Bundle]) -> Self {
        let n_arrows = bundles.len();
        // Many arrows over each other are still to be seen through.
        let opacity = (1.0 - n_arrows as f64 / 1000.0).clamp(0.5, 0.9);
        let mut colors = BTreeMap::new();
        for bundle in bundles {
            colors.entry(bundle.kind).or_insert_with_key(|kind| {
                let legible = color::legible(color_of(stage, *kind), stage.colors.background);
                color::faded(legible, opacity)
            });
        }
        Self { stage, n_arrows, colors }
    }

    /// An arrow between two heights, if any of it is to be seen.
    fn arrow(&self, bundle: &Bundle, (tail, head): (f64, f64)) -> Option<Arrow> {
        let grid = &self.stage.grid;
        let from = Point::new(grid.x_anywhere(bundle.start), tail);
        let to = Point::new(grid.x_anywhere(bundle.end), head);
        let inside = |x: f64| (0.0..=grid.span()).contains(&x);
        let (starts, ends) = (inside(from.x), inside(to.x));
        let (from, to) = clipped(from, to, grid.span())?;
        Some(Arrow {
            from,
            to,
            color: self.colors[&bundle.kind],
            width: (1.0 + (bundle.count as f64).log2() * 0.4).min(MOST_WIDTH),
            head: ends,
            dot: starts && self.n_arrows <= MOST_DOTS,
            title: Title::NONE,
            pick: Pick::entity(bundle.lane.0, bundle.row),
        })
    }
}

fn color_of(stage: &Stage<'_>, kind: LinkKind) -> Color {
    match kind {
        LinkKind::Value(value) => stage.appearance.of_value(value).color,
        LinkKind::Type(type_id) => stage.appearance.of_type(type_id).color,
    }
}

/// The text for the pointer.
fn text_of(stage: &Stage<'_>, bundle: &Bundle) -> String {
    let catalog = stage.scope.catalog();
    let name = match bundle.kind {
        LinkKind::Value(value) => &catalog.value(value).name,
        LinkKind::Type(type_id) => &catalog.type_def(type_id).name,
    };
    let name = onca_model::printable(name);
    let times = stage.times_text(bundle.start, bundle.end);
    match bundle.count {
        1 => format!("{name}\n{times}"),
        n => format!("{name}\n{} links, the first {times}", grouped(n)),
    }
}

/// The part of a line between 0 and `width`.
fn clipped(from: Point, to: Point, width: f64) -> Option<(Point, Point)> {
    let (low, high) = (from.x.min(to.x), from.x.max(to.x));
    if high < 0.0 || low > width {
        return None;
    }
    let at = |x: f64| {
        let share = if from.x == to.x { 0.0 } else { (x - from.x) / (to.x - from.x) };
        Point::new(x, from.y + share * (to.y - from.y))
    };
    let end = |point: Point| {
        if (0.0..=width).contains(&point.x) { point } else { at(point.x.clamp(0.0, width)) }
    };
    Some((end(from), end(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_the_window() {
        let line = |x0, x1| clipped(Point::new(x0, 0.0), Point::new(x1, 10.0), 100.0);
        assert_eq!(line(-50.0, 50.0), Some((Point::new(0.0, 5.0), Point::new(50.0, 10.0))));
        assert_eq!(line(50.0, 150.0), Some((Point::new(50.0, 0.0), Point::new(100.0, 5.0))));
        assert_eq!(line(20.0, 20.0), Some((Point::new(20.0, 0.0), Point::new(20.0, 10.0))));
        assert_eq!(line(-20.0, -1.0), None);
        assert_eq!(line(101.0, 120.0), None);
    }
}
