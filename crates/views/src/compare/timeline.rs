//! Two timelines with one axis, and what takes longer between them.

use onca_aggregate::align::Which;
use onca_answer::compare::times_between;
use onca_model::{Ticks, format::count_of};
use onca_scene::{
    Align, Bounds, CLEAR, ColumnPart, Figure, Label, Layer, Pattern, Pick, Point, Rect, Rise,
    Scene, Strips, Title, Titles,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::part::{Part, ShownAxis};
use super::{AxisOptions, Row, Runs, change_color, names_width, row_names};
use crate::legend::Entry;
use crate::options::ViewOptions;
use crate::registry::{Material, Needs, Tab, View};
use crate::sheet::{LABEL_SIZE, Sheet, TICK_SIZE, TIME_AXIS_HEIGHT};
use crate::time_scale::duration;
use crate::{Canvas, Drawn, Paper, Result};

/// Two runs as timelines with one time axis, and what takes longer between them
///
/// Times that belong together are above each other; where one run has nothing, or less, there is a hatched gap. The line between the
/// two is orange where the second run takes longer, and blue where it takes less long.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render compare-timeline before.paje after.paje -o both.svg
  onca render compare-timeline before.paje after.paje --align phases --level Machine -o both.pdf")
)]
pub struct CompareTimelineOptions {
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    #[allow(missing_docs, reason = "clap takes it for the help of a flag")]
    pub shown: AxisOptions,
}

impl ViewOptions for CompareTimelineOptions {}

/// Two runs as timelines with one time axis.
pub struct CompareTimeline;

impl View for CompareTimeline {
    type Options = CompareTimelineOptions;
    const NAME: &str = "compare-timeline";
    const TITLE: &str = "Two timelines";
    const NEEDS: Needs = Needs::OtherRun;
    const TAB: Tab = Tab::Compare;
    const HAS_TIME: bool = true;

    fn scene(
        material: &Material<'_>,
        canvas: &Canvas,
        options: &CompareTimelineOptions,
    ) -> Result<Drawn> {
        let picture = Picture::new(material, options)?;
        let layout = picture.layout(canvas.bounds(), 0.0)?;
        let mut scene = picture.draw(&layout, canvas)?;
        // Whoever shows the scene puts names beside rows: they are the titles of these.
        let (rows, mut rects) = (picture.rows()?, Vec::new());
        for plot in [&layout.before, &layout.after] {
            for (at, row) in rows.iter().enumerate() {
                let title = scene.titles.add(row.name.clone());
                let pick = Pick::Node(row.node.0);
                rects.push(Rect { title, pick, ..Rect::plain(layout.row(plot, at), CLEAR) });
            }
        }
        scene.layers.push(Layer::Rects(rects));
        for (which, plot) in layout.plots() {
            scene.layers.extend(picture.runs.axis_below(&picture.shown(), which, plot, canvas));
        }
        scene.layers.push(Layer::Labels(picture.headings(&layout, canvas)));
        let part = Some(picture.shown().window());
        Ok(Drawn { part, ..Drawn::plain(scene, canvas.bounds()) })
    }

    fn figure(
        material: &Material<'_>,
        paper: &Paper,
        options: &CompareTimelineOptions,
    ) -> Result<Figure> {
        figure(material, paper, options)
    }
}

/// A row is at most and at least this high, in pixels.
const ROW: f64 = 16.0;
const THIN_ROW: f64 = 3.0;
/// Both timelines together are at most this high by themselves.
const MOST_HEIGHT: f64 = 620.0;
/// More rows are joined.
const MOST_ROWS: usize = 64;
/// Between rows.
const ROW_GAP: f64 = 1.0;
/// The line of differences, with room above and below.
const LINE: f64 = 12.0;
const AROUND_LINE: f64 = 6.0;
const HEADING: f64 = 18.0;

struct Picture<'a> {
    runs: Runs<'a>,
    part: Option<Part>,
}

/// Where everything is.
struct Layout {
    names: f64,
    row: f64,
    before: Bounds,
    line: Bounds,
    after: Bounds,
}

impl Layout {
    /// The room of a row of a timeline.
    fn row(&self, plot: &Bounds, at: usize) -> Bounds {
        let gap = if self.row > 2.0 * ROW_GAP + 1.0 { ROW_GAP } else { 0.0 };
        let top = plot.y0 + self.row * at as f64;
        Bounds { y0: top, y1: top + self.row - gap, ..*plot }
    }

    fn plots(&self) -> [(Which, &Bounds); 2] {
        [(Which::Before, &self.before), (Which::After, &self.after)]
    }
}

impl<'a> Picture<'a> {
    fn new(material: &Material<'a>, options: &CompareTimelineOptions) -> Result<Self> {
        let AxisOptions { pairing, part } = &options.shown;
        Ok(Self { runs: Runs::new(material, pairing)?, part: *part })
    }

    fn rows(&self) -> Result<Vec<Row<'_>>> {
        self.runs.rows(MOST_ROWS)
    }

    fn shown(&self) -> ShownAxis<'_> {
        self.runs.axis(self.part)
    }

    /// The room of two timelines and their axes, with so much for names at the left.
    fn layout(&self, room: Bounds, names: f64) -> Result<Layout> {
        let n = self.rows()?.len();
        let fixed = 2.0 * (HEADING + TIME_AXIS_HEIGHT) + LINE + 2.0 * AROUND_LINE;
        let each = ((room.height() - fixed) / 2.0 / n.max(1) as f64).max(1.0);
        let height = (each * n as f64).floor().max(1.0);
        let x0 = room.x0 + names;
        let x1 = room.x1.max(x0 + 1.0);
        let top = room.y0 + HEADING;
        let before = Bounds::new(x0, top, x1, top + height);
        let line_top = before.y1 + TIME_AXIS_HEIGHT + AROUND_LINE;
        let line = Bounds::new(x0, line_top, x1, line_top + LINE);
        let top = line.y1 + AROUND_LINE + HEADING;
        let after = Bounds::new(x0, top, x1, top + height);
        Ok(Layout { names, row: each, before, line, after })
    }

    fn wanted_height(&self) -> Result<f64> {
        let n = self.rows()?.len().max(1) as f64;
        let rows = (2.0 * n * ROW).min(MOST_HEIGHT).max(2.0 * n * THIN_ROW);
        Ok(rows + 2.0 * (HEADING + TIME_AXIS_HEIGHT) + LINE + 2.0 * AROUND_LINE)
    }

    /// Both timelines, and the line between them.
    fn draw(&self, layout: &Layout, canvas: &Canvas) -> Result<Scene> {
        let shown = self.shown();
        let rows = self.rows()?;
        let (mut rects, mut titles) = (Vec::new(), Titles::default());
        for (which, bounds) in layout.plots() {
            rects.push(Rect::plain(*bounds, canvas.theme.colors().field));
            gaps(&shown, which, bounds, canvas, &mut rects);
        }
        self.differences(&shown, &layout.line, canvas, (&mut rects, &mut titles));
        let mut layers = vec![Layer::Rects(rects)];
        for (which, bounds) in layout.plots() {
            layers.push(Layer::Strips(self.strips(&shown, which, bounds, &rows, layout, canvas)?));
        }
        Ok(Scene { layers, titles })
    }

    /// How much longer each pair of segments is in the second run. Neighbours that are narrower than a pixel are one.
    fn differences(
        &self,
        shown: &ShownAxis<'_>,
        bounds: &Bounds,
        canvas: &Canvas,
        (rects, titles): (&mut Vec<Rect>, &mut Titles),
    ) {
        let unit = &self.runs.comparison.unit;
        let (mut begin, mut before, mut after) = (shown.from, 0i128, 0i128);
        for at in shown.pairs() {
            let pair = &shown.axis.pairs[at];
            before += i128::from(pair.before.to - pair.before.from);
            after += i128::from(pair.after.to - pair.after.from);
            let (_, end) = shown.axis.span(at);
            let (x0, x1) = (shown.x(bounds, begin), shown.x(bounds, end));
            if x1 - x0 < 1.0 && end < shown.to {
                continue;
            }
            let ratio = if before > 0 { after as f64 / before as f64 } else { 2.0 };
            let title = match canvas.titles {
                true => titles.add(format!(
                    "before  {}\nafter  {}\nchange  {}",
                    duration(before as f64, unit),
                    duration(after as f64, unit),
                    duration((after - before) as f64, unit)
                )),
                false => Title::NONE,
            };
            let own = Bounds { x0, x1, ..*bounds };
            rects.push(Rect { title, ..Rect::plain(own, change_color(ratio)) });
            (begin, before, after) = (end, 0, 0);
        }
    }

    fn strips(
        &self,
        shown: &ShownAxis<'_>,
        which: Which,
        bounds: &Bounds,
        rows: &[Row<'_>],
        layout: &Layout,
        canvas: &Canvas,
    ) -> Result<Strips> {
        let comparison = &self.runs.comparison;
        let scale = match which {
            Which::Before => comparison.scales.0,
            Which::After => comparison.scales.1,
        };
        let n_columns = bounds.width().floor().max(1.0) as usize;
        let place = |column: usize| shown.edge(column, n_columns);
        let edges: Vec<Ticks> =
            (0..=n_columns).map(|column| shown.axis.time(which, place(column)) / scale).collect();
        let scope = self.runs.scope(which);
        let numbers = self.runs.numbers(which);
        let mut strips = Strips { palette: self.runs.colors(canvas.theme), ..Strips::default() };
        let all: Vec<_> = rows
            .par_iter()
            .map(|row| {
                let processes = row.processes(comparison, which);
                times_between(scope, &processes, &edges).map(|times| (processes.len(), times))
            })
            .collect::<onca_answer::Result<_>>()?;
        for (at, (row, (n, times))) in rows.iter().zip(all).enumerate() {
            for (column, values) in times.iter().enumerate() {
                let width = (place(column + 1) - place(column)) * n as i128;
                let mut parts: Vec<(usize, i128)> = values
                    .iter()
                    .map(|(value, ticks)| (numbers[value.index()], ticks * i128::from(scale)))
                    .collect();
                parts.sort_unstable();
                strips.push_column(shared(&parts, width), None, false);
            }
            let pick = match which {
                Which::Before => Pick::NOTHING,
                Which::After => Pick::Node(row.node.0),
            };
            strips.push_strip(layout.row(bounds, at), pick);
        }
        Ok(strips)
    }

    /// The names of the runs, and how long they are.
    fn headings(&self, layout: &Layout, canvas: &Canvas) -> Vec<Label> {
        let comparison = &self.runs.comparison;
        let (before, after) = comparison.lengths();
        let unit = &comparison.unit;
        let heading = |bounds: &Bounds, text: String| {
            let at = Point::new(bounds.x0 + 1.0, bounds.y0 - 5.0);
            crate::canvas::label(at, text, LABEL_SIZE, canvas.theme.colors().text)
        };
        let text = |name: &str, ticks: i128| format!("{name}  {}", duration(ticks as f64, unit));
        let change = duration((after - before) as f64, unit);
        let sign = if after >= before { "+" } else { "" };
        vec![
            heading(&layout.before, text("before", before)),
            heading(&layout.after, format!("{}  ({sign}{change})", text("after", after))),
        ]
    }

    fn legend(&self, canvas: &Canvas) -> Vec<Entry> {
        let colors = self.runs.colors(canvas.theme);
        let values = &self.runs.comparison.values;
        let mut order: Vec<usize> = (0..values.len())
            .filter(|at| values[*at].name.is_some() && values[*at].before + values[*at].after > 0)
            .collect();
        order.sort_by_key(|at| std::cmp::Reverse(values[*at].before + values[*at].after));
        let entry = |at: usize| Entry {
            name: self.runs.value_name(at),
            share: None,
            color: colors[at],
            pick: Pick::NOTHING,
        };
        order.into_iter().map(entry).collect()
    }
}

/// Where a run has nothing.
fn gaps(
    shown: &ShownAxis<'_>,
    which: Which,
    bounds: &Bounds,
    canvas: &Canvas,
    rects: &mut Vec<Rect>,
) {
    for (from, to) in shown.axis.gaps(which) {
        let gap = Bounds { x0: shown.x(bounds, from), x1: shown.x(bounds, to), ..*bounds };
        // Narrower ones are noise between segments.
        if gap.width() >= 2.0 {
            let fill = canvas.theme.colors().grid;
            rects.push(Rect { pattern: Pattern::Hatch, ..Rect::plain(gap, fill) });
        }
    }
}

/// Parts of a column by their ticks, as shares of 255 that add up.
fn shared(parts: &[(usize, i128)], width: i128) -> Vec<ColumnPart> {
    let (mut sum, mut given) = (0i128, 0i128);
    let mut shares = Vec::with_capacity(parts.len());
    for (color, ticks) in parts {
        sum += (*ticks).max(0);
        let until = (sum * 255 / width.max(1)).min(255);
        shares.push(ColumnPart { color: *color as u16, share: (until - given) as u8 });
        given = until;
    }
    shares
}

/// Both timelines on a page.
fn figure(
    material: &Material<'_>,
    paper: &Paper,
    options: &CompareTimelineOptions,
) -> Result<Figure> {
    let title = "Two runs, time by time";
    let whole = Canvas {
        width: paper.inner_width(),
        height: 0.0,
        theme: paper.theme,
        titles: paper.titles,
    };
    let picture = Picture::new(material, options)?;
    let entries = picture.legend(&whole);
    let around = Sheet::height_around(paper, title, &entries);
    let mut sheet = Sheet::new(paper, title, (around + picture.wanted_height()?).round());
    picture.runs.notes().into_iter().for_each(|note| sheet.note(note));
    sheet.reserve_caption();
    sheet.legend(&entries);
    sheet.take_right(8.0);
    let rows = picture.rows()?;
    let layout = picture.layout(sheet.room, names_width(&rows, whole.width))?;
    let shown = picture.shown();
    let canvas = Canvas { height: sheet.room.height(), ..whole };
    for (which, bounds) in layout.plots() {
        let (marks, title) = picture.runs.time_marks(&shown, which, bounds);
        sheet.bottom_axis(bounds, &marks, &title);
        for name in row_names(&rows, bounds, layout.names, &canvas) {
            sheet.add_label(name);
        }
    }
    let scene = picture.draw(&layout, &canvas)?;
    for heading in picture.headings(&layout, &canvas) {
        sheet.add_label(heading);
    }
    let line =
        sheet.label(Point::new(layout.line.x0 - 6.0, layout.line.center().y), "longer", TICK_SIZE);
    sheet.add_label(Label { align: Align::End, rise: Rise::Middle, ..line });
    let n = picture.runs.comparison.alignment.pairs.len() as u64;
    let description = format!("{title}: {}", count_of(n, "segment"));
    let page = sheet.room;
    let drawn = Drawn::plain(scene, page);
    Ok(sheet.finish(description, vec![drawn.panel("compare-timeline", page)]))
}
