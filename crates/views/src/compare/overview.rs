//! Who works longer than before, and when: places from top to bottom, time to the right.

use std::collections::BTreeMap;

use onca_aggregate::align::Which;
use onca_layout::text::Font;
use onca_model::{Window, format::percent};
use onca_scene::{
    Bounds, Figure, Label, Layer, Lines, Pattern, Pick, Point, Rect, Scene, Title, Titles, Weight,
};
use serde::{Deserialize, Serialize};

use super::part::ShownAxis;
use super::{
    AxisOptions, Row, Runs, change_color, change_legend, change_scale, names_width, row_names,
};
use crate::options::ViewOptions;
use crate::registry::{Material, Needs, Tab, View};
use crate::sheet::{LABEL_SIZE, Sheet, TIME_AXIS_HEIGHT};
use crate::time_scale::duration;
use crate::{Canvas, Drawn, Paper, Result, Theme, canvas::centred_label};

/// Who works longer than in another run, and when, with findings outlined
///
/// Orange is longer, blue is less long; what only one run has is hatched. Numbers are those of the findings of onca compare.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render compare-overview before.paje after.paje -o change.svg
  onca render compare-overview before.paje after.paje --level Cluster -o change.pdf")
)]
pub struct CompareOverviewOptions {
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    #[allow(missing_docs, reason = "clap takes it for the help of a flag")]
    pub shown: AxisOptions,
}

impl ViewOptions for CompareOverviewOptions {}

/// Who works longer than before, and when.
pub struct CompareOverview;

impl View for CompareOverview {
    type Options = CompareOverviewOptions;
    const NAME: &str = "compare-overview";
    const TITLE: &str = "Change over time";
    const NEEDS: Needs = Needs::OtherRun;
    const TAB: Tab = Tab::Compare;
    const HAS_TIME: bool = true;

    fn scene(
        material: &Material<'_>,
        canvas: &Canvas,
        options: &CompareOverviewOptions,
    ) -> Result<Drawn> {
        let runs = Runs::new(material, &options.shown.pairing)?;
        let rows = runs.rows(MOST_ROWS)?;
        let shown = runs.axis(options.shown.part);
        let bottom = (canvas.height - TIME_AXIS_HEIGHT).max(1.0);
        let plot = Bounds { y1: bottom, ..canvas.bounds() };
        let mut scene = draw(&runs, &shown, &rows, plot, canvas);
        scene.layers.extend(runs.axis_below(&shown, Which::After, &plot, canvas));
        let part = Some(shown.window());
        let scale = Some(change_scale());
        Ok(Drawn { part, scale, ..Drawn::plain(scene, canvas.bounds()) })
    }

    fn figure(
        material: &Material<'_>,
        paper: &Paper,
        options: &CompareOverviewOptions,
    ) -> Result<Figure> {
        figure(material, paper, options)
    }
}

/// A row is at most and at least this high, in pixels.
const ROW: f64 = 14.0;
const THIN_ROW: f64 = 2.0;
const MOST_HEIGHT: f64 = 560.0;
/// More rows are joined.
const MOST_ROWS: usize = 128;
/// The box of the number of a finding.
const NUMBER: f64 = 16.0;
/// Narrower cells are joined with their neighbours.
const NARROWEST: f64 = 2.0;

fn figure(
    material: &Material<'_>,
    paper: &Paper,
    options: &CompareOverviewOptions,
) -> Result<Figure> {
    let title = "Work, compared with the run before";
    let runs = Runs::new(material, &options.shown.pairing)?;
    let rows = runs.rows(MOST_ROWS)?;
    let entries = change_legend();
    let around = Sheet::height_around(paper, title, &entries) + TIME_AXIS_HEIGHT;
    let n = rows.len().max(1) as f64;
    let wanted = (n * ROW).min(MOST_HEIGHT).max(n * THIN_ROW);
    let mut sheet = Sheet::new(paper, title, (around + wanted).round());
    runs.notes().into_iter().for_each(|note| sheet.note(note));
    sheet.reserve_caption();
    sheet.legend(&entries);
    sheet.take_bottom(TIME_AXIS_HEIGHT);
    let names = names_width(&rows, paper.inner_width());
    sheet.take_left(names);
    sheet.take_right(8.0);
    let plot = sheet.room;
    let shown = runs.axis(options.shown.part);
    let (marks, title) = runs.time_marks(&shown, Which::After, &plot);
    sheet.bottom_axis(&plot, &marks, &format!("{title} of the second run"));
    let canvas = Canvas::in_frame(&plot, paper);
    for label in row_names(&rows, &plot, names, &canvas) {
        sheet.add_label(label);
    }
    let scene = draw(&runs, &shown, &rows, plot, &canvas);
    let drawn = Drawn::plain(scene, plot);
    let description = format!("{title}: {} rows", rows.len());
    Ok(sheet.finish(description, vec![drawn.panel("compare-overview", plot)]))
}

/// The cells, and the findings over them.
fn draw(
    runs: &Runs<'_>,
    shown: &ShownAxis<'_>,
    rows: &[Row<'_>],
    plot: Bounds,
    canvas: &Canvas,
) -> Scene {
    let (mut rects, mut titles) = (Vec::new(), Titles::default());
    rects.push(Rect::plain(plot, canvas.theme.colors().field));
    for (at, row) in rows.iter().enumerate() {
        let height = plot.height() / rows.len() as f64;
        let own = Bounds {
            y0: plot.y0 + height * at as f64,
            y1: plot.y0 + height * (at + 1) as f64,
            ..plot
        };
        cells(runs, shown, row, own, canvas, (&mut rects, &mut titles));
    }
    let mut layers = vec![Layer::Rects(rects)];
    layers.extend(outlines(runs, shown, rows, plot));
    Scene { layers, titles }
}

/// The work of a row in each pair of segments.
fn cells(
    runs: &Runs<'_>,
    shown: &ShownAxis<'_>,
    row: &Row<'_>,
    bounds: Bounds,
    canvas: &Canvas,
    (rects, titles): (&mut Vec<Rect>, &mut Titles),
) {
    let comparison = &runs.comparison;
    let places = &row.numbers;
    let (n_before, n_after) = row
        .places
        .iter()
        .fold((0, 0), |sum, place| (sum.0 + place.before.len(), sum.1 + place.after.len()));
    let (mut begin, mut before, mut after) = (shown.from, 0f64, 0f64);
    let mut is_both = false;
    let axis = &shown.axis;
    for at in shown.pairs() {
        let pair = &axis.pairs[at];
        for place in places {
            for cell in comparison.cube.get(*place, at) {
                if comparison.values[cell.value as usize].is_work {
                    before += cell.before as f64 / n_before.max(1) as f64;
                    after += cell.after as f64 / n_after.max(1) as f64;
                }
            }
        }
        is_both |= pair.is_both();
        let (_, end) = axis.span(at);
        let (x0, x1) = (shown.x(&bounds, begin), shown.x(&bounds, end));
        let next_is_alike =
            axis.pairs.get(at + 1).is_some_and(|next| next.is_both() == pair.is_both());
        let next_is_alike = next_is_alike && end < shown.to;
        if x1 - x0 < NARROWEST && next_is_alike {
            continue;
        }
        if before > 0.0 || after > 0.0 {
            let ratio = if before > 0.0 { after / before } else { 2.0 };
            let own = Bounds { x0, x1, ..bounds };
            let title = match canvas.titles {
                true => titles.add(told(runs, row, (before, after))),
                false => Title::NONE,
            };
            let pattern = if is_both { Pattern::Plain } else { Pattern::Hatch };
            let pick = Pick::Node(row.node.0);
            rects.push(Rect { title, pattern, pick, ..Rect::plain(own, change_color(ratio)) });
        }
        (begin, before, after, is_both) = (end, 0.0, 0.0, false);
    }
}

fn told(runs: &Runs<'_>, row: &Row<'_>, (before, after): (f64, f64)) -> String {
    let unit = &runs.comparison.unit;
    let change = match before > 0.0 {
        true => format!("\nchange  {}", percent(after / before - 1.0)),
        false => String::new(),
    };
    format!(
        "{}\nwork before  {}\nwork after  {}{change}",
        row.name,
        duration(before, unit),
        duration(after, unit)
    )
}

/// The findings as rectangles with their numbers.
fn outlines(runs: &Runs<'_>, shown: &ShownAxis<'_>, rows: &[Row<'_>], plot: Bounds) -> [Layer; 3] {
    let comparison = &runs.comparison;
    let (mut lines, mut labels) = (Lines::default(), Vec::new());
    // The cells are light in every theme.
    let colors = Theme::Light.colors();
    let line = colors.text;
    let mut rects = Vec::new();
    let height = plot.height() / rows.len().max(1) as f64;
    let mut row_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        row.numbers.iter().for_each(|place| {
            row_of.insert(*place, at);
        });
    }
    for (number, finding) in comparison.findings.iter().enumerate() {
        let (which, window, scale) = match finding.is_gone() {
            true => (Which::Before, finding.before, comparison.scales.0),
            false => (Which::After, finding.after, comparison.scales.1),
        };
        let scaled = Window { from: window.from * scale, to: window.to * scale };
        let (from, to) = shown.axis.places(which, scaled);
        if to <= shown.from || shown.to <= from {
            continue;
        }
        let (x0, x1) = (shown.x(&plot, from), shown.x(&plot, to));
        let mut hit: Vec<usize> = finding
            .places
            .iter()
            .filter_map(|place| row_of.get(&(*place as usize)).copied())
            .collect();
        hit.sort_unstable();
        hit.dedup();
        for (at, run) in hit.chunk_by(|a, b| a + 1 == *b).enumerate() {
            let bounds = Bounds {
                x0,
                x1,
                y0: plot.y0 + height * run[0] as f64,
                y1: plot.y0 + height * (run[run.len() - 1] + 1) as f64,
            };
            let corners = [
                (bounds.x0, bounds.y0),
                (bounds.x1, bounds.y0),
                (bounds.x1, bounds.y1),
                (bounds.x0, bounds.y1),
                (bounds.x0, bounds.y0),
            ];
            lines.add(corners.map(|(x, y)| Point::new(x, y)), line, 1.5);
            if at == 0 {
                let text = (number + 1).to_string();
                let half = (Font::Bold.width(&text, LABEL_SIZE) / 2.0 + 4.0).max(NUMBER / 2.0);
                let middle = Point::new(
                    (bounds.x0 + half).min(plot.x1 - half),
                    bounds.center().y.clamp(plot.y0 + NUMBER / 2.0, plot.y1 - NUMBER / 2.0),
                );
                let (y0, y1) = (middle.y - NUMBER / 2.0, middle.y + NUMBER / 2.0);
                let own = Bounds::new(middle.x - half, y0, middle.x + half, y1);
                rects.push(Rect { edge: line, ..Rect::plain(own, colors.background) });
                let text = centred_label(middle, text, LABEL_SIZE, line);
                labels.push(Label { weight: Weight::Bold, ..text });
            }
        }
    }
    [Layer::Lines(lines), Layer::Rects(rects), Layer::Labels(labels)]
}
