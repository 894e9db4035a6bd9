//! The tree of containers down the left side: groups, names, types and scales.

use onca_layout::text::{Font, without_overlaps};
use onca_model::{TypeId, printable};
use onca_query::{NodeId, Scope};
use onca_scene::{Align, Bounds, Label, Pick, Point, Rise};

use crate::{
    sheet::Sheet,
    timeline::{
        content::{Band, Content, Row, Sharing},
        scale::{GraphScale, NUMBER_SIZE},
    },
};

/// Sizes of letters, in pixels.
const NAME_SIZE: f64 = 12.0;
const SMALL_SIZE: f64 = 10.0;
/// The width of a column of turned names.
const TURNED_WIDTH: f64 = 16.0;
/// More levels of groups are not shown; the innermost stay.
const MOST_LEVELS: usize = 5;
/// Between columns.
const GAP: f64 = 8.0;
/// The numbers of a scale.
const SCALE_WIDTH: f64 = 36.0;
/// The parts of the page that names and types may take.
const NAME_SHARE: f64 = 0.2;
const GROUP_SHARE: f64 = 0.12;
const TYPE_SHARE: f64 = 0.14;
/// The part of the page that all columns together may take: then types go, then outer groups.
const MOST_SHARE: f64 = 0.36;
/// A line of small letters needs this height.
const LINE_HEIGHT: f64 = 10.0;
/// The height of the names of levels above the rows.
pub(crate) const HEADER_HEIGHT: f64 = 17.0;

/// The columns left of the rows.
pub(crate) struct Sidebar {
    groups: Vec<GroupColumn>,
    names: Vec<String>,
    name_width: f64,
    name_kind: String,
    type_width: f64,
    has_scales: bool,
}

/// The groups of one level.
struct GroupColumn {
    spans: Vec<GroupSpan>,
    turned: bool,
    width: f64,
}

/// A group and the rows in it.
#[derive(Clone, PartialEq, Debug)]
struct GroupSpan {
    node: NodeId,
    name: String,
    rows: std::ops::Range<usize>,
    y0: f64,
    y1: f64,
}

impl Sidebar {
    /// Measures what is written beside the rows of a page.
    pub fn new(scope: &Scope<'_>, rows: &[Row], page_width: f64) -> Self {
        let names: Vec<String> = rows.iter().map(|row| row_name(scope, row)).collect();
        let widest = |texts: &mut dyn Iterator<Item = &str>, size: f64| {
            texts.map(|text| Font::Regular.width(text, size)).fold(0.0, f64::max)
        };
        let size = name_size(rows);
        let longest_name = widest(&mut names.iter().map(String::as_str), size);
        let types: Vec<String> = if shows_types(scope, rows) {
            let bands = rows.iter().flat_map(|row| band_names(scope, row));
            bands.filter(|(band, _)| has_line(band)).map(|(_, name)| name).collect()
        } else {
            Vec::new()
        };
        let longest_type = widest(&mut types.iter().map(String::as_str), SMALL_SIZE);
        let groups = group_columns(scope, rows, page_width);
        let is_scaled = |band: &Band| {
            let graph =
                matches!(band.content, Content::Variable { .. } | Content::Reduction { .. });
            graph && has_line(band)
        };
        let mut sidebar = Self {
            groups,
            name_width: longest_name.min(page_width * NAME_SHARE),
            name_kind: common_kind(scope, rows),
            type_width: longest_type.min(page_width * TYPE_SHARE),
            has_scales: rows.iter().flat_map(|row| &row.bands).any(is_scaled),
            names,
        };
        sidebar.shrink_to(page_width * MOST_SHARE);
        sidebar
    }

    /// Leaves out what matters least until the columns fit, names last.
    fn shrink_to(&mut self, width: f64) {
        if self.width() > width && self.name_width > 0.0 {
            self.type_width = 0.0;
        }
        while self.width() > width && !self.groups.is_empty() {
            self.groups.remove(0);
        }
    }

    /// How wide the columns are together.
    pub fn width(&self) -> f64 {
        let groups: f64 = self.groups.iter().map(|column| column.width).sum();
        let part = |width: f64| if width > 0.0 { width + GAP } else { 0.0 };
        let scales = if self.has_scales { SCALE_WIDTH } else { 0.0 };
        groups + part(self.name_width) + part(self.type_width) + scales
    }

    /// Draws the columns left of a plot.
    pub fn draw(&self, scope: &Scope<'_>, sheet: &mut Sheet<'_>, plot: &Bounds, rows: &[Row]) {
        let mut x = plot.x0 - self.width();
        for (level, column) in self.groups.iter().enumerate() {
            draw_groups(sheet, column, x, plot, level == 0);
            x += column.width;
        }
        self.draw_names(sheet, x, plot, rows);
        if self.name_width > 0.0 {
            self.draw_header(sheet, x, plot);
            x += self.name_width + GAP;
        }
        if self.type_width > 0.0 {
            self.draw_types(scope, sheet, x, plot, rows);
        }
    }

    fn draw_header(&self, sheet: &mut Sheet<'_>, x: f64, plot: &Bounds) {
        let room = self.name_width + GAP;
        let fits = Font::Regular.width(&self.name_kind, SMALL_SIZE) <= room;
        if fits && !self.name_kind.is_empty() {
            let at = Point::new(x, plot.y0 - 8.0);
            let label = sheet.label(at, self.name_kind.as_str(), SMALL_SIZE);
            let color = sheet.colors.muted;
            sheet.add_label(Label { color, ..label });
        }
    }

    /// Writes the names of rows; where they would touch, of every second, fifth, tenth and so on of
    /// a group.
    fn draw_names(&self, sheet: &mut Sheet<'_>, x: f64, plot: &Bounds, rows: &[Row]) {
        let size = name_size(rows);
        let half = Font::Regular.capital_height(size) / 2.0;
        let middle = |row: &Row| plot.y0 + row.middle();
        let stride = name_stride(rows, size);
        let is_chosen = |index: &usize| {
            !self.names[*index].is_empty() && self.place_in_group(*index).is_multiple_of(stride)
        };
        let chosen: Vec<usize> = (0..rows.len()).filter(is_chosen).collect();
        let span = |index: &usize| (middle(&rows[*index]) - half, middle(&rows[*index]) + half);
        let spans: Vec<(f64, f64)> = chosen.iter().map(span).collect();
        let shown = without_overlaps(&spans, 2.0);
        for (index, _) in chosen.into_iter().zip(shown).filter(|(_, shown)| *shown) {
            let name = &self.names[index];
            let Some(text) = Font::Regular.fit(name, size, self.name_width) else { continue };
            let label = sheet.label(Point::new(x, middle(&rows[index])), text, size);
            let pick = Pick::Node(rows[index].nodes[0].0);
            sheet.add_label(Label { rise: Rise::Middle, pick, ..label });
        }
    }

    /// How many rows with names come before a row in its innermost group.
    fn place_in_group(&self, row: usize) -> usize {
        let spans = self.groups.last().map_or(&[][..], |column| &column.spans);
        let span = spans.iter().find(|span| span.rows.contains(&row));
        let first = span.map_or(0, |span| span.rows.start);
        self.names[first..row].iter().filter(|name| !name.is_empty()).count()
    }

    fn draw_types(
        &self,
        scope: &Scope<'_>,
        sheet: &mut Sheet<'_>,
        x: f64,
        plot: &Bounds,
        rows: &[Row],
    ) {
        for (band, name) in rows.iter().flat_map(|row| band_names(scope, row)) {
            if !has_line(band) {
                continue;
            }
            let Some(text) = Font::Regular.fit(&name, SMALL_SIZE, self.type_width) else {
                continue;
            };
            let at = Point::new(x, plot.y0 + (band.y0 + band.y1) / 2.0);
            let label = sheet.label(at, text, SMALL_SIZE);
            let color = sheet.colors.muted;
            sheet.add_label(Label { rise: Rise::Middle, color, ..label });
        }
    }
}

/// Writes the numbers of a graph beside it.
pub(crate) fn draw_scale(sheet: &mut Sheet<'_>, plot: &Bounds, scale: &GraphScale) {
    let color = sheet.colors.muted;
    for (y, text) in &scale.marks {
        let Some(text) = Font::Regular.fit(text, NUMBER_SIZE, SCALE_WIDTH - 4.0) else { continue };
        let label = sheet.label(Point::new(plot.x0 - 4.0, plot.y0 + y), text, NUMBER_SIZE);
        sheet.add_label(Label { align: Align::End, rise: Rise::Middle, color, ..label });
    }
}

/// Has a band room for a line of small letters?
fn has_line(band: &Band) -> bool {
    band.y1 - band.y0 >= LINE_HEIGHT
}

/// What is written beside a row.
fn row_name(scope: &Scope<'_>, row: &Row) -> String {
    let hierarchy = scope.hierarchy();
    let name = |node: NodeId| printable(scope.name(node)).into_owned();
    match (row.sharing, row.nodes.as_slice()) {
        (_, []) => String::new(),
        (Sharing::Merged, [first, .., last]) => format!("{} … {}", name(*first), name(*last)),
        (Sharing::Own, [first, _, ..]) => {
            format!("{} × {}", printable(hierarchy.kind(*first)), row.nodes.len())
        }
        (Sharing::Own | Sharing::Group, [node]) if !hierarchy.children(*node).is_empty() => {
            String::new()
        }
        (_, [node, ..]) if *node == NodeId::ROOT => "all".to_owned(),
        (_, [node, ..]) => name(*node),
    }
}

/// The kind of all rows, if they have one kind.
fn common_kind(scope: &Scope<'_>, rows: &[Row]) -> String {
    let mut kinds = rows.iter().map(|row| scope.hierarchy().kind(row.nodes[0]));
    let first = kinds.next().unwrap_or_default();
    let same = kinds.all(|kind| kind == first);
    if same { printable(first).into_owned() } else { String::new() }
}

/// What is written beside the bands of a row; those over each other have one text.
fn band_names<'r>(scope: &Scope<'_>, row: &'r Row) -> Vec<(&'r Band, String)> {
    let places = row.bands.chunk_by(|_, next| next.over);
    let text = |bands: &'r [Band]| {
        let names: Vec<String> = bands.iter().map(|band| band_name(scope, band)).collect();
        (&bands[0], names.join(", "))
    };
    places.map(text).collect()
}

fn band_name(scope: &Scope<'_>, band: &Band) -> String {
    let type_name = |id: TypeId| printable(&scope.catalog().type_def(id).name).into_owned();
    match &band.content {
        Content::Nothing | Content::Events { .. } => String::new(),
        Content::States { type_id, .. }
        | Content::Summary { type_id, .. }
        | Content::Below { type_id, .. }
        | Content::Variable { type_id, .. } => type_name(*type_id),
        Content::Reduction { index, .. } => scope.reductions()[*index].name.clone(),
    }
}

/// Types are written where a row has several, or where rows differ.
fn shows_types(scope: &Scope<'_>, rows: &[Row]) -> bool {
    let names = |row: &Row| -> Vec<String> {
        let names = band_names(scope, row).into_iter().map(|(_, name)| name);
        names.filter(|name| !name.is_empty()).collect()
    };
    let mut all: Vec<String> = Vec::new();
    for row in rows {
        let own = names(row);
        if own.len() > 1 || row_name(scope, row).is_empty() {
            return true;
        }
        all.extend(own);
        all.sort();
        all.dedup();
        if all.len() > 1 {
            return true;
        }
    }
    false
}

/// The size of names that fits the usual row.
fn name_size(rows: &[Row]) -> f64 {
    let heights = rows.iter().map(|row| row.span().1 - row.span().0);
    let least = heights.fold(f64::INFINITY, f64::min);
    if least >= NAME_SIZE + 3.0 { NAME_SIZE } else { SMALL_SIZE }
}

/// Every how many rows a name has room: 1, 2, 5, 10 and so on.
fn name_stride(rows: &[Row], size: f64) -> usize {
    let height = rows.last().map_or(0.0, |row| row.span().1);
    let pitch = height / rows.len().max(1) as f64;
    let needed = ((Font::Regular.capital_height(size) + 2.0) / pitch.max(0.01)).ceil();
    let strides = (0..).flat_map(|power| [1, 2, 5].map(|factor| factor * 10usize.pow(power)));
    strides.take(24).find(|stride| *stride as f64 >= needed).unwrap_or(usize::MAX)
}

/// The groups that a row lies in, from the outermost.
fn groups_of(scope: &Scope<'_>, row: &Row) -> Vec<NodeId> {
    let hierarchy = scope.hierarchy();
    let own = row.nodes[0];
    let is_group = !row.holds_links() && !hierarchy.children(own).is_empty();
    let mut at = if is_group { own } else { hierarchy.parent(own) };
    let mut groups = Vec::new();
    while at != NodeId::ROOT {
        groups.push(at);
        at = hierarchy.parent(at);
    }
    groups.reverse();
    groups
}

fn group_columns(scope: &Scope<'_>, rows: &[Row], page_width: f64) -> Vec<GroupColumn> {
    let groups: Vec<Vec<NodeId>> = rows.iter().map(|row| groups_of(scope, row)).collect();
    let n_levels = groups.iter().map(Vec::len).max().unwrap_or(0);
    let mut levels: Vec<Vec<GroupSpan>> = Vec::new();
    for level in 0..n_levels {
        let spans = spans_of(scope, rows, &groups, level);
        match levels.last_mut() {
            // A group in a group of which it is all: one column tells both names.
            Some(outer) if ranges(outer).eq(ranges(&spans)) => {
                for (outer, inner) in outer.iter_mut().zip(&spans) {
                    outer.name = format!("{} / {}", outer.name, inner.name);
                    outer.node = inner.node;
                }
            }
            _ => levels.push(spans),
        }
    }
    let skipped = levels.len().saturating_sub(MOST_LEVELS);
    levels.into_iter().skip(skipped).map(|spans| group_column(spans, page_width)).collect()
}

fn ranges(spans: &[GroupSpan]) -> impl Iterator<Item = std::ops::Range<usize>> {
    spans.iter().map(|span| span.rows.clone())
}

fn spans_of(
    scope: &Scope<'_>,
    rows: &[Row],
    groups: &[Vec<NodeId>],
    level: usize,
) -> Vec<GroupSpan> {
    let mut spans: Vec<GroupSpan> = Vec::new();
    for (index, (row, groups)) in rows.iter().zip(groups).enumerate() {
        let Some(&node) = groups.get(level) else { continue };
        let (y0, y1) = row.span();
        match spans.last_mut() {
            Some(span) if span.node == node && span.rows.end == index => {
                (span.rows.end, span.y1) = (index + 1, y1);
            }
            _ => {
                let name = printable(scope.name(node)).into_owned();
                spans.push(GroupSpan { node, name, rows: index..index + 1, y0, y1 });
            }
        }
    }
    spans
}

/// Names are turned where most of them fit so; else they are written along the rows.
fn group_column(spans: Vec<GroupSpan>, page_width: f64) -> GroupColumn {
    let length = |span: &GroupSpan| Font::Regular.width(&span.name, SMALL_SIZE);
    let fitting = spans.iter().filter(|span| length(span) + 4.0 <= span.y1 - span.y0).count();
    let flat_lines = spans.iter().filter(|span| span.y1 - span.y0 >= LINE_HEIGHT).count();
    let turned = 2 * fitting >= spans.len() || flat_lines < spans.len() / 2;
    let longest = spans.iter().map(length).fold(0.0, f64::max);
    let flat_width = longest.min(page_width * GROUP_SHARE) + 2.0 * GAP;
    GroupColumn { spans, turned, width: if turned { TURNED_WIDTH } else { flat_width } }
}

fn draw_groups(sheet: &mut Sheet<'_>, column: &GroupColumn, x: f64, plot: &Bounds, outer: bool) {
    for span in &column.spans {
        let (y0, y1) = (plot.y0 + span.y0, plot.y0 + span.y1);
        let height = y1 - y0;
        let bracket = x + column.width - 4.0;
        if height >= 4.0 {
            let (top, foot) = (Point::new(bracket, y0 + 1.0), Point::new(bracket, y1 - 2.0));
            sheet.add_line([top, foot], sheet.colors.axis, 1.0);
        }
        if outer && span.rows.start > 0 {
            sheet.add_grid_line(Point::new(x, y0 - 0.5), Point::new(plot.x1, y0 - 0.5));
        }
        let middle = (y0 + y1) / 2.0;
        let color = sheet.colors.text;
        let pick = Pick::Node(span.node.0);
        if column.turned {
            let Some(text) = Font::Regular.fit(&span.name, SMALL_SIZE, height - 4.0) else {
                continue;
            };
            let label = sheet.label(Point::new(bracket - 3.5, middle), text, SMALL_SIZE);
            sheet.add_label(Label { align: Align::Middle, turn: -90.0, color, pick, ..label });
        } else if height >= LINE_HEIGHT {
            let room = column.width - 2.0 * GAP;
            let Some(text) = Font::Regular.fit(&span.name, SMALL_SIZE, room) else { continue };
            let label = sheet.label(Point::new(x, middle), text, SMALL_SIZE);
            sheet.add_label(Label { rise: Rise::Middle, color, pick, ..label });
        }
    }
}
