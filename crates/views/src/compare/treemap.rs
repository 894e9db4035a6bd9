//! Where processes spend their time in two runs, as nested rectangles coloured by what changed.

use onca_layout::text::Font;
use onca_layout::treemap::{Order, Tile, squarify};
use onca_model::format::percent;
use onca_scene::{
    Bounds, Figure, Label, Layer, Pattern, Pick, Point, Rect, Rise, Scene, Title, Titles,
};
use serde::{Deserialize, Serialize};

use super::{PairingOptions, Row, Runs, change_color, change_scale};
use crate::options::ViewOptions;
use crate::registry::{Material, Needs, Tab, View};
use crate::sheet::{LABEL_SIZE, TICK_SIZE};
use crate::time_scale::duration;
use crate::{Canvas, Drawn, Paper, Result, canvas::label, color};

/// Where processes spend their time in two runs, as nested rectangles coloured by what changed
///
/// Each container holds a rectangle for each value, as large as its time in the run where it is longer. Orange is longer, blue is
/// less long; what only one run has is hatched.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render compare-treemap before.paje after.paje -o change.svg
  onca render compare-treemap before.paje after.paje --level Machine -o change.pdf")
)]
pub struct CompareTreemapOptions {
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    #[allow(missing_docs, reason = "clap takes it for the help of a flag")]
    pub pairing: PairingOptions,
}

impl ViewOptions for CompareTreemapOptions {}

/// Where processes spend their time in two runs.
pub struct CompareTreemap;

impl View for CompareTreemap {
    type Options = CompareTreemapOptions;
    const NAME: &str = "compare-treemap";
    const TITLE: &str = "Change by container";
    const NEEDS: Needs = Needs::OtherRun;
    const TAB: Tab = Tab::Compare;

    fn scene(
        material: &Material<'_>,
        canvas: &Canvas,
        options: &CompareTreemapOptions,
    ) -> Result<Drawn> {
        let runs = Runs::new(material, &options.pairing)?;
        let scene = draw(&runs, canvas)?;
        Ok(Drawn { scale: Some(change_scale()), ..Drawn::plain(scene, canvas.bounds()) })
    }

    fn figure(
        material: &Material<'_>,
        paper: &Paper,
        options: &CompareTreemapOptions,
    ) -> Result<Figure> {
        let title = "Time in states, compared with the run before";
        let runs = Runs::new(material, &options.pairing)?;
        let height = (paper.width * FORM).clamp(180.0, 900.0);
        runs.figure(paper, Self::NAME, title, height, |canvas| draw(&runs, canvas))
    }
}

/// The height of a page for its width.
const FORM: f64 = 0.55;
/// More containers are joined.
const MOST_ROWS: usize = 64;
/// Thinner tiles are left out, in pixels.
const THINNEST: f64 = 1.5;
/// The name of a container takes this much at its top, if it has room.
const HEADING: f64 = 15.0;
const PADDING: f64 = 3.0;

/// The time of a value in a row, for each process.
struct Amount {
    value: usize,
    before: f64,
    after: f64,
}

fn amounts(runs: &Runs<'_>, row: &Row<'_>) -> Vec<Amount> {
    let comparison = &runs.comparison;
    let (n_before, n_after) = row
        .places
        .iter()
        .fold((0, 0), |sum, place| (sum.0 + place.before.len(), sum.1 + place.after.len()));
    let mut sums = vec![(0i128, 0i128); comparison.values.len()];
    for &place in &row.numbers {
        for slot in 0..comparison.cube.n_slots() {
            for cell in comparison.cube.get(place, slot) {
                let sum = &mut sums[cell.value as usize];
                *sum = (sum.0 + cell.before, sum.1 + cell.after);
            }
        }
    }
    let amount = |(value, (before, after)): (usize, (i128, i128))| Amount {
        value,
        before: before as f64 / n_before.max(1) as f64,
        after: after as f64 / n_after.max(1) as f64,
    };
    sums.into_iter()
        .enumerate()
        .filter(|(value, sum)| comparison.values[*value].name.is_some() && *sum != (0, 0))
        .map(amount)
        .collect()
}

fn draw(runs: &Runs<'_>, canvas: &Canvas) -> Result<Scene> {
    let rows = runs.rows(MOST_ROWS)?;
    let of_rows: Vec<Vec<Amount>> = rows.iter().map(|row| amounts(runs, row)).collect();
    let size = |amount: &Amount| amount.before.max(amount.after);
    let sizes: Vec<f64> = of_rows.iter().map(|row| row.iter().map(size).sum()).collect();
    let room = Tile::new(0.0, 0.0, canvas.width, canvas.height);
    let mut marks =
        Marks { runs, canvas, rects: vec![], labels: vec![], titles: Titles::default() };
    for (at, tile) in squarify(&sizes, room, Order::Given, THINNEST).tiles {
        let inner = marks.container(&rows[at], tile);
        let sizes: Vec<f64> = of_rows[at].iter().map(size).collect();
        for (number, tile) in squarify(&sizes, inner, Order::Largest, THINNEST).tiles {
            marks.value(&rows[at], &of_rows[at][number], tile);
        }
    }
    let layers = vec![Layer::Rects(marks.rects), Layer::Labels(marks.labels)];
    Ok(Scene { layers, titles: marks.titles })
}

struct Marks<'a> {
    runs: &'a Runs<'a>,
    canvas: &'a Canvas,
    rects: Vec<Rect>,
    labels: Vec<Label>,
    titles: Titles,
}

impl Marks<'_> {
    /// The frame and the name of a container; what is left for its values.
    fn container(&mut self, row: &Row<'_>, tile: Tile) -> Tile {
        let colors = self.canvas.theme.colors();
        let bounds = Bounds::new(tile.x0, tile.y0, tile.x1, tile.y1);
        self.rects.push(Rect { pick: Pick::Node(row.node.0), ..Rect::plain(bounds, colors.field) });
        let inside = bounds.inset(1.0);
        let has_name = inside.height() >= 3.0 * HEADING && inside.width() >= 40.0;
        let name = Font::Regular.fit(&row.name, TICK_SIZE, inside.width() - 2.0 * PADDING);
        let Some(name) = name.filter(|_| has_name) else {
            return Tile::new(inside.x0, inside.y0, inside.x1, inside.y1);
        };
        let at = Point::new(inside.x0 + PADDING, inside.y0 + HEADING / 2.0);
        let text = label(at, name, TICK_SIZE, colors.text);
        self.labels.push(Label { rise: Rise::Middle, ..text });
        Tile::new(inside.x0, inside.y0 + HEADING, inside.x1, inside.y1)
    }

    fn value(&mut self, row: &Row<'_>, amount: &Amount, tile: Tile) {
        let colors = self.canvas.theme.colors();
        let Amount { value, before, after } = *amount;
        let is_both = before > 0.0 && after > 0.0;
        let ratio = if before > 0.0 { after / before } else { 2.0 };
        let fill = change_color(ratio);
        let name = self.runs.value_name(value);
        let title = match self.canvas.titles {
            true => {
                let unit = &self.runs.comparison.unit;
                let change = if is_both { percent(ratio - 1.0) } else { String::new() };
                self.titles.add(format!(
                    "{}, {name}\nbefore  {}\nafter  {}\n{change}",
                    row.name,
                    duration(before, unit),
                    duration(after, unit)
                ))
            }
            false => Title::NONE,
        };
        let bounds = Bounds::new(tile.x0, tile.y0, tile.x1, tile.y1);
        let pattern = if is_both { Pattern::Plain } else { Pattern::Hatch };
        let edge = if tile.thickness() >= 4.0 { colors.background } else { onca_scene::CLEAR };
        self.rects.push(Rect { title, pattern, edge, ..Rect::plain(bounds, fill) });
        if tile.height() < LABEL_SIZE + 4.0 {
            return;
        }
        let told = match is_both {
            true => format!("{name}  {:+.0} %", 100.0 * (ratio - 1.0)),
            false if after > 0.0 => format!("{name}  new"),
            false => format!("{name}  gone"),
        };
        let fits =
            |text: &str| Font::Regular.width(text, TICK_SIZE) <= tile.width() - 2.0 * PADDING;
        let Some(text) = [told, name].into_iter().find(|text| fits(text)) else { return };
        let at = Point::new(bounds.center().x, bounds.center().y);
        self.labels.push(crate::canvas::centred_label(at, text, TICK_SIZE, color::text_on(fill)));
    }
}
