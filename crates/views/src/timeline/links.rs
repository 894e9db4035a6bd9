//! Links as arrows from row to row, bundled where there are more than a picture can hold.

use onca_model::{Color, ContainerId, LaneId, LinkRow, Ticks, TypeId, ValueId, format::grouped};
use onca_query::{NodeId, Scope};
use onca_scene::{Arrow, Pick, Point, Title};

use crate::{
    Result, color,
    timeline::{content::Row, drawing::Drawing, fit::Fitted, wanted_links::WantedLinks},
};

/// The links of a type are coloured by value while there are no more values than this: numbers of
/// messages would make a rainbow.
const MOST_VALUES: usize = 8;
/// A window with more links shows none: finding the bundles would take too long.
const MOST_LINKS: u64 = 1 << 21;
/// Links between the same rows that begin and end this close to each other are a bundle, where
/// there are too many; in pixels.
const BIN: f64 = 4.0;
/// Arrows cover at most this share of the diagram.
const INK: f64 = 0.1;
/// Arrows have dots where they begin while there are no more than this.
const MOST_DOTS: usize = 200;
const MOST_WIDTH: f64 = 4.0;

/// Links that are drawn as one arrow.
#[derive(Clone, Copy, Debug)]
struct Bundle {
    rows: (u32, u32),
    /// The bins in which it begins and ends.
    bins: (u64, u64),
    /// The number of its colour.
    kind: u32,
    /// How many links it stands for.
    count: u64,
    /// The first of them is drawn.
    start: Ticks,
    end: Ticks,
    lane: LaneId,
    row: u64,
}

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

/// Draws the wanted links of the window that cross what is painted, at most `most` arrows.
pub(crate) fn draw_links(
    drawing: &mut Drawing<'_, '_>,
    fitted: &Fitted,
    wanted: &WantedLinks,
    most: usize,
) -> Result<LinkReport> {
    let colors = LinkColors::new(drawing.scope);
    let mut report = LinkReport::default();
    if wanted.is_all()
        && let Some(too_many) = too_many(drawing)?
    {
        return Ok(LinkReport { links: too_many, ..report });
    }
    let (rows, sides) = (&fitted.rows, fitted.sides());
    let row_of_node = rows_of_nodes(drawing.scope, rows);
    let ends =
        |(tail, head): (u32, u32)| (rows[tail as usize].anchor(), rows[head as usize].anchor());
    let mut bundles = gather(drawing, rows, &row_of_node, &colors, wanted, &mut report)?;
    let n_gathered = bundles.len();
    bundles.retain(|bundle| crosses(ends(bundle.rows), sides));
    report.outside = (n_gathered - bundles.len()) as u64;
    let ink = INK * (sides.1 - sides.0) * drawing.pixels(drawing.grid.span());
    let length = |bundle: &Bundle| length_of(drawing, bundle, ends(bundle.rows));
    if bundles.len() > most || bundles.iter().map(length).sum::<f64>() > ink {
        bundles = thinned(bundled(bundles, BIN * drawing.grid.pixel), most, ink, length);
    }
    bundles.sort_by_key(|b| (b.count, b.start, b.end, b.rows, b.lane, b.row));
    report.drawn = bundles.iter().map(|bundle| bundle.count).sum();
    report.arrows = bundles.len() as u64;
    for bundle in &bundles {
        draw_bundle(drawing, bundle, ends(bundle.rows), bundles.len());
    }
    Ok(report)
}

/// Does a line between two heights touch what lies between two sides?
fn crosses((tail, head): (f64, f64), (top, foot): (f64, f64)) -> bool {
    tail.min(head) < foot && tail.max(head) > top
}

/// How long the visible part of an arrow is, in pixels.
fn length_of(drawing: &Drawing<'_, '_>, bundle: &Bundle, (tail, head): (f64, f64)) -> f64 {
    let grid = &drawing.grid;
    let from = Point::new(grid.x_anywhere(bundle.start), tail);
    let to = Point::new(grid.x_anywhere(bundle.end), head);
    clipped(from, to, grid.span())
        .map_or(0.0, |(from, to)| drawing.pixels(to.x - from.x).hypot(to.y - from.y))
}

/// At most `most` bundles of at most `ink` pixels together, taken as if by lot: a fixed step would
/// show always the same of a pattern that repeats.
fn thinned(
    mut bundles: Vec<Bundle>,
    most: usize,
    ink: f64,
    length: impl Fn(&Bundle) -> f64,
) -> Vec<Bundle> {
    bundles.sort_by_cached_key(|bundle| (lot(bundle), bundle.lane, bundle.row));
    let mut used = 0.0;
    let fitting = bundles.iter().take(most).take_while(|bundle| {
        used += length(bundle);
        used <= ink
    });
    let n = fitting.count().max(1).min(bundles.len());
    bundles.truncate(n);
    bundles
}

/// A number that depends on nothing but the link, and looks random: the steps of SplitMix64.
fn lot(bundle: &Bundle) -> u64 {
    let mut mixed = bundle.row.wrapping_add(u64::from(bundle.lane.0) << 40);
    mixed = mixed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The number of links, where they are too many to look at.
fn too_many(drawing: &Drawing<'_, '_>) -> Result<Option<u64>> {
    let (scope, store) = (drawing.scope, drawing.scope.store());
    let lanes: Vec<LaneId> = scope.link_lanes().map(|(lane, _)| lane).collect();
    if lanes.iter().map(|lane| store.n_rows(*lane)).sum::<u64>() <= MOST_LINKS {
        return Ok(None);
    }
    let mut n = 0;
    for lane in lanes {
        let (seen, window) = (scope.containers(), drawing.instants());
        n += store.link_totals(lane, seen, seen, window)?.count;
    }
    Ok((n > MOST_LINKS).then_some(n))
}

/// For each node the row that shows it: its own or that of the nearest node above.
fn rows_of_nodes(scope: &Scope<'_>, rows: &[Row]) -> Vec<Option<u32>> {
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
    row_of_node
}

/// All links that can be drawn, each as a bundle of one.
fn gather(
    drawing: &Drawing<'_, '_>,
    rows: &[Row],
    row_of_node: &[Option<u32>],
    colors: &LinkColors,
    wanted: &WantedLinks,
    report: &mut LinkReport,
) -> Result<Vec<Bundle>> {
    let hierarchy = drawing.scope.hierarchy();
    let row_at = |end: Option<ContainerId>| {
        let node: NodeId = hierarchy.node_of(end?)?;
        row_of_node[node.index()]
    };
    let mut bundles = Vec::new();
    for (lane, type_id) in drawing.scope.link_lanes() {
        wanted.visit(drawing.scope.store(), lane, drawing.instants(), |row, link| {
            if !drawing.scope.sees_link(link) {
                return;
            }
            report.links += 1;
            if link.source.is_none() || link.destination.is_none() {
                report.halves += 1;
                return;
            }
            let (Some(from), Some(to)) = (row_at(link.source), row_at(link.destination)) else {
                return;
            };
            if from == to && rows[from as usize].holds_links() {
                report.inside += 1;
                return;
            }
            let kind = kind_of(colors, type_id, link);
            let LinkRow { start, end, .. } = *link;
            let rows = (from, to);
            bundles.push(Bundle { rows, bins: (0, 0), kind, count: 1, start, end, lane, row });
        })?;
    }
    Ok(bundles)
}

/// Links of one kind have one colour. Values and types are told apart by the lowest bit.
fn kind_of(colors: &LinkColors, type_id: TypeId, link: &LinkRow<'_>) -> u32 {
    if colors.by_value(type_id) { link.value.0 << 1 } else { (type_id.0 << 1) | 1 }
}

fn color_of(drawing: &Drawing<'_, '_>, kind: u32) -> Color {
    match kind & 1 {
        0 => drawing.appearance.of_value(ValueId(kind >> 1)).color,
        _ => drawing.appearance.of_type(TypeId(kind >> 1)).color,
    }
}

/// Joins bundles between the same rows that begin and end in the same bins.
fn bundled(mut bundles: Vec<Bundle>, bin: f64) -> Vec<Bundle> {
    let first = bundles.iter().map(|b| b.start.min(b.end)).min().unwrap_or(0);
    let bin_of = |time: Ticks| ((i128::from(time) - i128::from(first)) as f64 / bin) as u64;
    for bundle in &mut bundles {
        bundle.bins = (bin_of(bundle.start), bin_of(bundle.end));
    }
    let place = |b: &Bundle| (b.rows, b.kind, b.bins);
    bundles.sort_unstable_by_key(|b| (place(b), b.start, b.end, b.lane, b.row));
    bundles.dedup_by(|later, earlier| {
        let same = place(later) == place(earlier);
        if same {
            earlier.count += later.count;
        }
        same
    });
    bundles
}

fn draw_bundle(
    drawing: &mut Drawing<'_, '_>,
    bundle: &Bundle,
    (tail, head): (f64, f64),
    n_arrows: usize,
) {
    let grid = drawing.grid;
    let from = Point::new(grid.x_anywhere(bundle.start), tail);
    let to = Point::new(grid.x_anywhere(bundle.end), head);
    let inside = |x: f64| (0.0..=grid.span()).contains(&x);
    let (starts, ends) = (inside(from.x), inside(to.x));
    let Some((from, to)) = clipped(from, to, grid.span()) else { return };
    // Many arrows over each other are still to be seen through.
    let opacity = (1.0 - n_arrows as f64 / 1000.0).clamp(0.5, 0.9);
    let legible = color::legible(color_of(drawing, bundle.kind), drawing.colors.background);
    let color = color::faded(legible, opacity);
    let width = (1.0 + (bundle.count as f64).log2() * 0.4).min(MOST_WIDTH);
    let title = title_of(drawing, bundle);
    let pick = Pick::entity(bundle.lane.0, bundle.row);
    let dot = starts && n_arrows <= MOST_DOTS;
    drawing.arrows.push(Arrow { from, to, color, width, head: ends, dot, title, pick });
}

fn title_of(drawing: &mut Drawing<'_, '_>, bundle: &Bundle) -> Title {
    let catalog = drawing.scope.catalog();
    let name = match bundle.kind & 1 {
        0 => &catalog.value(ValueId(bundle.kind >> 1)).name,
        _ => &catalog.type_def(TypeId(bundle.kind >> 1)).name,
    };
    let name = onca_model::printable(name);
    let times = drawing.times_text(bundle.start, bundle.end);
    let text = match bundle.count {
        1 => format!("{name}\n{times}"),
        n => format!("{name}\n{} links, the first {times}", grouped(n)),
    };
    drawing.titles.add(text)
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

    #[test]
    fn bundles_keep_the_number_of_links_and_the_first_of_them() {
        let link = |start, end, row| Bundle {
            rows: (0, 1),
            bins: (0, 0),
            kind: 0,
            count: 1,
            start,
            end,
            lane: LaneId(0),
            row,
        };
        let links = vec![link(7, 9, 1), link(0, 3, 0), link(12, 19, 2), link(11, 15, 3)];
        let bundles = bundled(links, 10.0);
        let counts: Vec<(u64, u64)> = bundles.iter().map(|b| (b.count, b.row)).collect();
        assert_eq!(counts, [(2, 0), (2, 3)]);
        let whole = bundled(bundles, 100.0);
        assert_eq!((whole[0].count, whole[0].row, whole.len()), (4, 0, 1));
        let both = |ink| thinned(vec![link(1, 2, 8), link(2, 3, 9)], 5, ink, |_| 10.0).len();
        assert_eq!((both(20.0), both(19.0), both(1.0)), (2, 1, 1));
    }
}
