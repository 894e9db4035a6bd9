//! Who sends more, or less, to whom than in another run.

use std::collections::HashMap;

use onca_answer::{Cut, Level, LinkTotals, matrix};
use onca_layout::text::Font;
use onca_model::ContainerId;
use onca_query::{NodeId, Scope};
use onca_scene::{
    Align, Bounds, CLEAR, Figure, Label, Layer, Pattern, Pick, Point, Rect, Rise, Scene, Title,
    Titles,
};
use serde::{Deserialize, Serialize};

use super::{PairingOptions, Row, Runs, Which, change_color, change_scale, names_width, row_names};
use crate::matrix::Metric;
use crate::options::ViewOptions;
use crate::quantity::Quantity;
use crate::registry::{Material, Needs, Tab, View};
use crate::sheet::TICK_SIZE;
use crate::{Canvas, Drawn, Paper, Result, ViewError, canvas::centred_label, canvas::label, color};

/// Who sends more, or less, to whom than in another run
///
/// Senders go down, receivers to the right. Orange is more, blue is less; what only one run has is hatched.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render compare-matrix before.paje after.paje -o change.svg
  onca render compare-matrix before.paje after.paje --level Machine --metric count -o change.pdf")
)]
pub struct CompareMatrixOptions {
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    #[allow(missing_docs, reason = "clap takes it for the help of a flag")]
    pub pairing: PairingOptions,

    /// What is summed up; bytes where links of both runs have sizes, else their number
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "METRIC"))]
    pub metric: Option<Metric>,
}

impl ViewOptions for CompareMatrixOptions {}

/// Who sends more, or less, to whom.
pub struct CompareMatrix;

impl View for CompareMatrix {
    type Options = CompareMatrixOptions;
    const NAME: &str = "compare-matrix";
    const TITLE: &str = "Change of messages";
    const NEEDS: Needs = Needs::OtherRun;
    const TAB: Tab = Tab::Compare;

    fn scene(
        material: &Material<'_>,
        canvas: &Canvas,
        options: &CompareMatrixOptions,
    ) -> Result<Drawn> {
        let runs = Runs::new(material, &options.pairing)?;
        let grid = Grid::new(&runs, options.metric)?;
        let scene = grid.draw(canvas.bounds(), canvas);
        Ok(Drawn { scale: Some(change_scale()), ..Drawn::plain(scene, canvas.bounds()) })
    }

    fn figure(
        material: &Material<'_>,
        paper: &Paper,
        options: &CompareMatrixOptions,
    ) -> Result<Figure> {
        let runs = Runs::new(material, &options.pairing)?;
        let grid = Grid::new(&runs, options.metric)?;
        let title = format!("{}, compared with the run before", capitalised(grid.metric.noun()));
        let height = (paper.inner_width() * FORM).min(MOST_SIDE);
        let draw = |canvas: &Canvas| Ok(grid.draw(canvas.bounds(), canvas));
        runs.figure(paper, Self::NAME, &title, height, draw)
    }
}

/// The height of a page for its width.
const FORM: f64 = 0.8;
const MOST_SIDE: f64 = 720.0;
/// More rows are joined.
const MOST_ROWS: usize = 64;
/// Cells this wide are set apart from each other.
const CELL_WITH_EDGE: f64 = 9.0;
/// Names above columns take this much.
const HEADING: f64 = 16.0;

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// What rows send each other in both runs.
struct Grid<'a> {
    rows: Vec<Row<'a>>,
    metric: Metric,
    quantity: Quantity,
    /// By sender and receiver, those that are not zero in both: before and after.
    amounts: Vec<((usize, usize), (f64, f64))>,
}

impl<'a> Grid<'a> {
    fn new(runs: &'a Runs<'a>, metric: Option<Metric>) -> Result<Self> {
        let rows = runs.rows(MOST_ROWS)?;
        let sums = [sums(runs, &rows, Which::Before)?, sums(runs, &rows, Which::After)?];
        if sums.iter().all(HashMap::is_empty) {
            let why = "there are no messages between what both runs have";
            return Err(ViewError::Nothing(why.to_owned()));
        }
        let sized = sums.iter().all(|sums| sums.values().any(|totals| totals.size > 0));
        let metric = metric.unwrap_or(if sized { Metric::Bytes } else { Metric::Count });
        let [before, after] = sums;
        let scales = runs.comparison.scales;
        let amount = |sums: &HashMap<_, LinkTotals>, pair, scale: i64| -> f64 {
            let amount = sums.get(&pair).map_or(0.0, |totals| metric.of(totals) as f64);
            if metric == Metric::Time { amount * scale as f64 } else { amount }
        };
        let mut pairs: Vec<(usize, usize)> = before.keys().chain(after.keys()).copied().collect();
        pairs.sort_unstable();
        pairs.dedup();
        let both = |pair| (pair, (amount(&before, pair, scales.0), amount(&after, pair, scales.1)));
        let amounts = pairs.into_iter().map(both).filter(|(_, both)| *both != (0.0, 0.0));
        let quantity = match metric {
            Metric::Time => Quantity::Time(runs.comparison.unit.clone()),
            _ => metric.quantity(runs.after),
        };
        Ok(Self { amounts: amounts.collect(), rows, metric, quantity })
    }

    fn draw(&self, room: Bounds, canvas: &Canvas) -> Scene {
        let names = names_width(&self.rows, canvas.width);
        let n = self.rows.len().max(1) as f64;
        let side = (room.width() - names).min(room.height() - HEADING).max(1.0);
        let x0 = room.x0 + names + ((room.width() - names - side) / 2.0).max(0.0);
        let plot = Bounds::new(x0, room.y0 + HEADING, x0 + side, room.y0 + HEADING + side);
        let cell = side / n;
        let colors = canvas.theme.colors();
        let (mut rects, mut titles) = (vec![Rect::plain(plot, colors.field)], Titles::default());
        let mut labels = row_names(&self.rows, &plot, names, canvas);
        labels.extend(self.column_names(&plot, cell, canvas));
        let edge = if cell >= CELL_WITH_EDGE { colors.background } else { CLEAR };
        for &((row, column), (before, after)) in &self.amounts {
            let is_both = before > 0.0 && after > 0.0;
            let ratio = if before > 0.0 { after / before } else { 2.0 };
            let fill = change_color(ratio);
            let (x, y) = (plot.x0 + cell * column as f64, plot.y0 + cell * row as f64);
            let bounds = Bounds::new(x, y, x + cell, y + cell);
            let title = match canvas.titles {
                true => titles.add(self.told(row, column, (before, after))),
                false => Title::NONE,
            };
            let pattern = if is_both { Pattern::Plain } else { Pattern::Hatch };
            let pick = Pick::Pair { from: self.node(row).0, to: self.node(column).0 };
            rects.push(Rect { title, pattern, edge, pick, ..Rect::plain(bounds, fill) });
            let text = format!("{:+.0} %", 100.0 * (ratio - 1.0));
            if is_both && Font::Regular.width(&text, TICK_SIZE) + 6.0 <= cell {
                labels.push(centred_label(bounds.center(), text, TICK_SIZE, color::text_on(fill)));
            }
        }
        Scene { layers: vec![Layer::Rects(rects), Layer::Labels(labels)], titles }
    }

    fn node(&self, row: usize) -> NodeId {
        self.rows[row].node
    }

    /// The names of receivers, where there is room for all.
    fn column_names(&self, plot: &Bounds, cell: f64, canvas: &Canvas) -> Vec<Label> {
        let fits = |row: &Row<'_>| Font::Regular.width(&row.name, TICK_SIZE) + 6.0 <= cell;
        if !self.rows.iter().all(fits) {
            return Vec::new();
        }
        let name = |(at, row): (usize, &Row<'_>)| {
            let at = Point::new(plot.x0 + cell * (at as f64 + 0.5), plot.y0 - HEADING / 2.0);
            let text = label(at, row.name.clone(), TICK_SIZE, canvas.theme.colors().muted);
            Label { align: Align::Middle, rise: Rise::Middle, ..text }
        };
        self.rows.iter().enumerate().map(name).collect()
    }

    fn told(&self, row: usize, column: usize, (before, after): (f64, f64)) -> String {
        let words = |amount| self.metric.words(&self.quantity, amount);
        format!(
            "{} to {}\nbefore  {}\nafter  {}",
            self.rows[row].name,
            self.rows[column].name,
            words(before),
            words(after)
        )
    }
}

/// What rows send each other in a run.
fn sums(
    runs: &Runs<'_>,
    rows: &[Row<'_>],
    which: Which,
) -> Result<HashMap<(usize, usize), LinkTotals>> {
    let scope: &Scope<'_> = runs.scope(which);
    let row_of: HashMap<ContainerId, usize> = rows
        .iter()
        .enumerate()
        .flat_map(|(at, row)| {
            row.processes(&runs.comparison, which).into_iter().map(move |process| (process, at))
        })
        .collect();
    // Links may end below processes.
    let row_at = |node: NodeId| {
        let parent =
            |node: &NodeId| (*node != NodeId::ROOT).then(|| scope.hierarchy().parent(*node));
        let up = std::iter::successors(Some(node), parent);
        up.filter_map(|node| scope.hierarchy().container(node))
            .find_map(|container| row_of.get(&container).copied())
    };
    let found = matrix(scope, Cut::new(scope, &Level::Own)?)?;
    let mut sums: HashMap<(usize, usize), LinkTotals> = HashMap::new();
    for pair in &found.pairs {
        let ends = (row_at(found.node(pair.from)), row_at(found.node(pair.to)));
        if let (Some(from), Some(to)) = ends {
            sums.entry((from, to)).or_default().add(&pair.totals);
        }
    }
    Ok(sums)
}
