//! Links as arrows from row to row, bundled where there are more than a picture can hold.

use std::collections::BTreeMap;

use onca_model::{Color, ContainerId, LaneId, LinkRow, TypeId, ValueId, Window, format::grouped};
use onca_query::{LinkPart, Scope};
use onca_scene::{Arrow, Pick, Point, Title};
use onca_store::Store;
use rayon::prelude::*;

use crate::{
    Result, color,
    timeline::{
        content::Row,
        drawing::Drawing,
        fit::Fitted,
        link_bundles::{Bundle, Bundles, LotLimit},
        stage::Stage,
        wanted_links::WantedLinks,
    },
};

/// The links of a type are coloured by value while there are no more values than this: numbers of
/// messages would make a rainbow.
const MOST_VALUES: usize = 8;
/// A window with more links shows none: finding the bundles would take too long.
const MOST_LINKS: u64 = 1 << 19;
/// Arrows cover at most this share of the diagram.
const INK: f64 = 0.1;
/// Arrows have dots where they begin while there are no more than this.
const MOST_DOTS: usize = 200;
const MOST_WIDTH: f64 = 4.0;

/// How the links of a picture are coloured.
pub(crate) struct LinkColors {
    by_value: Vec<bool>,
}

impl LinkColors {
    /// Decides for each type of links.
    pub fn new(scope: &Scope<'_>) -> Self {
        let catalog = scope.catalog();
        let mut n_values = vec![0; catalog.types.len()];
        catalog.values.iter().for_each(|value| n_values[value.type_id.index()] += 1);
        Self { by_value: n_values.iter().map(|n| *n <= MOST_VALUES).collect() }
    }

    /// Are the links of a type coloured by their value?
    pub fn by_value(&self, type_id: TypeId) -> bool {
        self.by_value[type_id.index()]
    }
}

/// What became of the links of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct LinkReport {
    /// How many there are.
    pub links: u64,
    /// How many are drawn, alone or in a bundle.
    pub drawn: u64,
    /// How many arrows there are.
    pub arrows: u64,
    /// How many stay inside a row that sums others up.
    pub inside: u64,
    /// How many have only one end.
    pub halves: u64,
    /// How many lie above or below what is painted.
    pub outside: u64,
}

impl LinkReport {
    /// The sum of two.
    fn and(&self, other: &Self) -> Self {
        Self {
            links: self.links + other.links,
            drawn: self.drawn + other.drawn,
            arrows: self.arrows + other.arrows,
            inside: self.inside + other.inside,
            halves: self.halves + other.halves,
            outside: self.outside + other.outside,
        }
    }

    /// What the caption must say, if anything.
    pub fn note(&self) -> Option<String> {
        let Self { drawn, arrows, inside, halves, .. } = *self;
        let links = self.links - self.outside;
        if links == arrows {
            return None;
        }
        let shown = if drawn == 0 { "none".to_owned() } else { grouped(drawn) };
        let mut note = format!("{shown} of {} links shown", grouped(links));
        if arrows < drawn {
            note += &format!(" as {} arrows", grouped(arrows));
        }
        if inside > 0 {
            note += &format!(", {} inside summed rows", grouped(inside));
        }
        if halves > 0 {
            note += &format!(", {} have one end only", grouped(halves));
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
    if wanted.is_all()
        && let Some(links) = too_many(stage)?
    {
        let report = LinkReport { links, ..LinkReport::default() };
        return Ok(ChosenLinks { arrows: Vec::new(), report });
    }
    let sides = fitted.sides();
    let Gathered { bundles, mut report } = gather(stage, fitted, wanted, most)?;
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

/// The number of links, where they are too many to look at.
fn too_many(stage: &Stage<'_>) -> Result<Option<u64>> {
    let (scope, store) = (stage.scope, stage.scope.store());
    let window = stage.instants();
    let mut most = 0;
    for (lane, _) in scope.link_lanes() {
        most += store.most_links(lane, window)?;
    }
    if most <= MOST_LINKS {
        return Ok(None);
    }
    let mut n = 0;
    for (lane, _) in scope.link_lanes() {
        let seen = scope.containers();
        n += store.link_totals(lane, seen, seen, window)?.count;
    }
    Ok((n > MOST_LINKS).then_some(n))
}

/// For each container the row that shows it: that of its node or of the nearest node above.
fn rows_of_containers(scope: &Scope<'_>, rows: &[Row]) -> Vec<Option<u32>> {
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

/// Links that were looked at.
struct Gathered {
    bundles: Bundles,
    report: LinkReport,
}

impl Gathered {
    /// These and later ones.
    fn and(self, later: Self) -> Self {
        let report = self.report.and(&later.report);
        Self { bundles: self.bundles.and(later.bundles), report }
    }
}

/// Looks at all wanted links: at all there are on all cores.
fn gather(
    stage: &Stage<'_>,
    fitted: &Fitted,
    wanted: &WantedLinks,
    most: usize,
) -> Result<Gathered> {
    let scope = stage.scope;
    let rows = LinkRows::new(scope, fitted);
    let limit = LotLimit::default();
    let nothing = || Gathered {
        bundles: Bundles::new(&stage.grid, most, limit.clone()),
        report: LinkReport::default(),
    };
    let WantedLinks::Of(owners) = wanted else {
        let add = |mut gathered: Gathered, LinkPart { lane, blocks }: LinkPart| {
            let (store, window) = (scope.store(), stage.instants());
            store.visit_link_blocks(lane, blocks, window, None, 0, |row, link| {
                rows.add(&mut gathered, lane, row, link);
            })?;
            Ok(gathered)
        };
        let mut parts = scope.link_parts();
        parts.retain(|part| may_touch(scope.store(), part, stage.instants()));
        // To put together what two threads have gathered costs as much as some thousand links.
        let at_once = parts.len().div_ceil(2 * rayon::current_num_threads()).max(1);
        let parts = parts.into_par_iter().with_min_len(at_once).try_fold(nothing, add);
        return parts.try_reduce(nothing, |gathered, later| Ok(gathered.and(later)));
    };
    let mut gathered = nothing();
    for (lane, _) in scope.link_lanes() {
        owners.visit(scope.store(), lane, stage.instants(), |row, link| {
            rows.add(&mut gathered, lane, row, link);
        })?;
    }
    Ok(gathered)
}

/// May one of some links touch a window?
fn may_touch(store: &Store, part: &LinkPart, window: Window) -> bool {
    let mut blocks = store.blocks(part.lane).skip(part.blocks.start).take(part.blocks.len());
    blocks.any(|block| block.first < window.to && block.last >= window.from)
}

/// Which rows links go from and to.
struct LinkRows<'a> {
    scope: &'a Scope<'a>,
    /// By row: where links begin and end, and whether they may stay inside. Rows themselves are
    /// large, and links many.
    anchors: Vec<(f64, bool)>,
    sides: (f64, f64),
    row_of_container: Vec<Option<u32>>,
    colors: LinkColors,
}

impl<'a> LinkRows<'a> {
    fn new(scope: &'a Scope<'a>, fitted: &'a Fitted) -> Self {
        let row_of_container = rows_of_containers(scope, &fitted.rows);
        let anchor = |row: &Row| (row.anchor(), row.holds_links());
        let anchors = fitted.rows.iter().map(anchor).collect();
        let colors = LinkColors::new(scope);
        Self { scope, anchors, sides: fitted.sides(), row_of_container, colors }
    }

    /// The row of an end.
    fn row_at(&self, end: ContainerId) -> Option<u32> {
        self.row_of_container[end.index()]
    }

    /// Adds a link, if it is seen.
    #[inline]
    fn add(&self, gathered: &mut Gathered, lane: LaneId, row: u64, link: &LinkRow<'_>) {
        if !self.scope.sees_link(link) {
            return;
        }
        let Gathered { bundles, report } = gathered;
        report.links += 1;
        let (Some(source), Some(destination)) = (link.source, link.destination) else {
            report.halves += 1;
            return;
        };
        let (Some(from), Some(to)) = (self.row_at(source), self.row_at(destination)) else {
            return;
        };
        let ((tail, holds_links), (head, _)) =
            (self.anchors[from as usize], self.anchors[to as usize]);
        if from == to && holds_links {
            report.inside += 1;
            return;
        }
        if !crosses((tail, head), self.sides) {
            report.outside += 1;
            return;
        }
        let kind = kind_of(&self.colors, self.scope.catalog().lane(lane).type_id, link);
        let LinkRow { start, end, .. } = *link;
        bundles.add(Bundle { rows: (from, to), kind, count: 1, start, end, lane, row });
    }
}

/// Links of one kind have one colour. Values and types are told apart by the lowest bit.
fn kind_of(colors: &LinkColors, type_id: TypeId, link: &LinkRow<'_>) -> u32 {
    if colors.by_value(type_id) { link.value.0 << 1 } else { (type_id.0 << 1) | 1 }
}

/// How arrows are drawn.
struct ArrowStyle<'a> {
    stage: &'a Stage<'a>,
    n_arrows: usize,
    /// By kind.
    colors: BTreeMap<u32, Color>,
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

fn color_of(stage: &Stage<'_>, kind: u32) -> Color {
    match kind & 1 {
        0 => stage.appearance.of_value(ValueId(kind >> 1)).color,
        _ => stage.appearance.of_type(TypeId(kind >> 1)).color,
    }
}

/// The text for the pointer.
fn text_of(stage: &Stage<'_>, bundle: &Bundle) -> String {
    let catalog = stage.scope.catalog();
    let name = match bundle.kind & 1 {
        0 => &catalog.value(ValueId(bundle.kind >> 1)).name,
        _ => &catalog.type_def(TypeId(bundle.kind >> 1)).name,
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
