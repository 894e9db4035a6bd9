//! Two runs side by side, and what changed from one to the other.

mod flame;
mod matrix;
mod overview;
mod part;
mod table;
mod timeline;
mod treemap;

use std::collections::HashMap;
use std::sync::Arc;

use onca_aggregate::align::Which;
use onca_answer::compare::{Align, CompareSpec, Comparison, Place};
use onca_answer::{Cut, Level};
use onca_layout::text::Font;
use onca_model::{Color, ContainerId, Ticks, TimeUnit, ValueId, Window, printable};
use onca_query::{Appearance, NodeId, Scope, palette};
use onca_scene::{
    Align as TextAlign, Bounds, Figure, Label, Layer, Lines, Pick, Point, Rise, Scene,
};
use serde::{Deserialize, Serialize};

use crate::legend::Entry;
use crate::options::LevelOptions;
use crate::registry::{Material, NO_OTHER_RUN};
use crate::sheet::{Sheet, TICK, TICK_SIZE};
use crate::{
    Canvas, ColorScale, Drawn, Paper, Result, Theme, TimeScale, ViewError, canvas::label, color,
    names,
};

pub use flame::CompareFlame;
pub use matrix::CompareMatrix;
pub use overview::CompareOverview;
pub use part::Part;
pub use table::CompareTable;
pub use timeline::CompareTimeline;
pub use treemap::CompareTreemap;

use part::ShownAxis;

/// How two runs are paired.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct PairingOptions {
    /// By what times belong together: auto, iterations, phases, begin, end, events:NAME or none
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", default_value_t))]
    pub align: Align,

    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    #[allow(missing_docs, reason = "clap takes it for the help of a flag")]
    pub level: LevelOptions,
}

/// How two runs are paired, and what of their axis is drawn.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct AxisOptions {
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    #[allow(missing_docs, reason = "clap takes it for the help of a flag")]
    pub pairing: PairingOptions,

    /// Draw only a part of the axis that both runs share, such as 25%..50%
    #[cfg_attr(feature = "clap", arg(long, value_name = "FROM..TO"))]
    pub part: Option<Part>,
}

/// Round times along an axis, at most.
const MOST_MARKS: usize = 8;
/// A change of this much has the full colour.
const FULL: f64 = 0.5;
/// Colours between which a scale is drawn.
const SCALE_STEPS: u32 = 20;
/// A change of less has none.
const LEAST: f64 = 0.01;

/// The colour of how many times as long something takes: blue for less long, orange for longer.
pub(crate) fn change_color(ratio: f64) -> Color {
    let change = ratio - 1.0;
    palette::diverging(if change.abs() < LEAST { 0.0 } else { (change / FULL).clamp(-1.0, 1.0) })
}

/// What the colours of changes mean.
fn change_legend() -> Vec<Entry> {
    let steps = [
        ("half as long, or gone", 0.5),
        ("a quarter less", 0.75),
        ("as long", 1.0),
        ("a quarter longer", 1.25),
        ("half as long again, or new", 1.5),
    ];
    let entry = |(name, ratio): (&str, f64)| Entry {
        name: name.to_owned(),
        share: None,
        color: change_color(ratio),
        pick: Pick::NOTHING,
    };
    steps.map(entry).into()
}

/// The same for a screen.
fn change_scale() -> ColorScale {
    let marks = [(0.0, "−50 %"), (0.5, "0"), (1.0, "+50 %")];
    ColorScale {
        name: "change".to_owned(),
        colors: (0..=SCALE_STEPS)
            .map(|step| change_color(0.5 + f64::from(step) / f64::from(SCALE_STEPS)))
            .collect(),
        marks: marks.map(|(at, text)| (at, text.to_owned())).into(),
    }
}

/// Two runs, compared.
struct Runs<'a> {
    before: &'a Scope<'a>,
    after: &'a Scope<'a>,
    before_appearance: &'a Appearance,
    after_appearance: &'a Appearance,
    comparison: Arc<Comparison>,
}

impl<'a> Runs<'a> {
    fn new(material: &Material<'a>, pairing: &PairingOptions) -> Result<Self> {
        let other = material.before.ok_or_else(|| ViewError::Nothing(NO_OTHER_RUN.to_owned()))?;
        let spec = CompareSpec { align: pairing.align.clone(), level: pairing.level.level() };
        let comparison = material.memory.comparison(other.scope, material.scope, &spec)?;
        if !comparison.is_related {
            let why = "the two runs have nothing in common that could be compared";
            return Err(ViewError::Nothing(why.to_owned()));
        }
        Ok(Self {
            before: other.scope,
            after: material.scope,
            before_appearance: other.appearance,
            after_appearance: material.appearance,
            comparison,
        })
    }

    fn scope(&self, which: Which) -> &'a Scope<'a> {
        match which {
            Which::Before => self.before,
            Which::After => self.after,
        }
    }

    fn unit(&self, which: Which) -> &'a TimeUnit {
        &self.scope(which).catalog().facts.unit
    }

    /// The colour of each value of both runs, by its number. What both have looks as in the second.
    fn colors(&self, theme: Theme) -> Vec<Color> {
        let mut colors = vec![theme.colors().field; self.comparison.values.len()];
        let sides =
            [(Which::Before, self.before_appearance), (Which::After, self.after_appearance)];
        for (which, appearance) in sides {
            for (id, number) in (0u32..).zip(self.numbers(which)) {
                let own = color::of_state(self.scope(which), appearance, ValueId(id).into());
                colors[number] = color::over(own, theme.colors().background);
            }
        }
        colors
    }

    /// The number of each value of a run among those of both.
    fn numbers(&self, which: Which) -> Vec<usize> {
        let by_name: HashMap<&[u8], usize> = self
            .comparison
            .values
            .iter()
            .enumerate()
            .filter_map(|(number, value)| Some((value.name.as_deref()?, number)))
            .collect();
        let values = &self.scope(which).catalog().values;
        let number = |name: &[u8]| by_name.get(name).copied().unwrap_or(0);
        values.iter().map(|value| number(&value.name)).collect()
    }

    /// The name of a value by its number.
    fn value_name(&self, number: usize) -> String {
        match &self.comparison.values[number].name {
            Some(name) => printable(name).into_owned(),
            None => "outside of all states".to_owned(),
        }
    }

    /// Places in at most so many rows: those below one container are one row where there are more.
    fn rows(&self, most: usize) -> Result<Vec<Row<'_>>> {
        let places = &self.comparison.matching.places;
        let grouped = |depth: usize| -> Result<Vec<Row<'_>>> {
            let cut = Cut::new(self.after, &Level::Depth(depth))?;
            let mut row_of: HashMap<NodeId, usize> = HashMap::new();
            let mut rows: Vec<Row<'_>> = Vec::new();
            for (number, place) in places.iter().enumerate() {
                let node = cut.place(place.node_after).map_or(NodeId::ROOT, |at| cut.nodes()[at]);
                let row = *row_of.entry(node).or_insert_with(|| {
                    rows.push(Row { node, places: vec![], numbers: vec![], name: String::new() });
                    rows.len() - 1
                });
                rows[row].places.push(place);
                rows[row].numbers.push(number);
            }
            Ok(rows)
        };
        // The deepest level with few enough rows: there are fewer the less deep it is.
        let (mut fits, mut too_deep) = (0, self.after.hierarchy().max_depth() + 1);
        let mut rows = grouped(fits)?;
        while too_deep - fits > 1 {
            let depth = fits + (too_deep - fits) / 2;
            let deeper = grouped(depth)?;
            if deeper.len() > most {
                too_deep = depth;
            } else {
                (fits, rows) = (depth, deeper);
            }
        }
        let nodes: Vec<NodeId> = rows.iter().map(|row| row.node).collect();
        let names = names::of_nodes(self.after, &nodes);
        rows.iter_mut().zip(names).for_each(|(row, name)| row.name = name);
        Ok(rows)
    }

    /// The axis that both runs share, as much of it as is drawn.
    fn axis(&self, part: Option<Part>) -> ShownAxis<'_> {
        ShownAxis::new(&self.comparison.alignment.pairs, part)
    }

    /// Round times of a run at their places in a plot, and what they are.
    fn time_marks(
        &self,
        shown: &ShownAxis<'_>,
        which: Which,
        plot: &Bounds,
    ) -> (Vec<(f64, String)>, String) {
        let scale = match which {
            Which::Before => self.comparison.scales.0,
            Which::After => self.comparison.scales.1,
        };
        let time_at = |place: i128| shown.axis.time(which, place) / scale;
        let (from, to) = (time_at(shown.from), time_at(shown.to));
        // A part in which the run has nothing is one moment of it.
        let window = Window { from, to: to.max(from + 1) };
        let time = TimeScale::new(window, self.unit(which));
        let marks = time.marks(window, MOST_MARKS).into_iter().filter_map(|(ticks, text)| {
            let place = shown.axis.place(which, (ticks as Ticks).saturating_mul(scale));
            (shown.from..=shown.to).contains(&place).then(|| (shown.x(plot, place), text))
        });
        (marks.collect(), time.title())
    }

    /// Round times of a run below a plot of a screen.
    fn axis_below(
        &self,
        shown: &ShownAxis<'_>,
        which: Which,
        plot: &Bounds,
        canvas: &Canvas,
    ) -> [Layer; 2] {
        let colors = canvas.theme.colors();
        let (mut lines, mut labels) = (Lines::default(), Vec::new());
        let mut below = |x: f64, y: f64, text: String| {
            let text = label(Point::new(x, plot.y1 + TICK + y), text, TICK_SIZE, colors.muted);
            labels.push(Label { align: TextAlign::Middle, rise: Rise::Top, ..text });
        };
        lines.add([Point::new(plot.x0, plot.y1), Point::new(plot.x1, plot.y1)], colors.axis, 1.0);
        let (marks, title) = self.time_marks(shown, which, plot);
        let mut free_from = plot.x0;
        for (x, text) in marks {
            let ends = [Point::new(x, plot.y1), Point::new(x, plot.y1 + TICK)];
            lines.add(ends, colors.axis, 1.0);
            let half = Font::Regular.width(&text, TICK_SIZE) / 2.0;
            if x - half >= free_from && x + half <= plot.x1 {
                below(x, 2.0, text);
                free_from = x + half + TICK_SIZE;
            }
        }
        below(plot.center().x, 5.0 + TICK_SIZE, title);
        [Layer::Lines(lines), Layer::Labels(labels)]
    }

    /// What a picture says about how it was made.
    fn notes(&self) -> Vec<String> {
        let matching = &self.comparison.matching;
        let mut notes = vec![format!(
            "times paired by {}, containers by {}",
            self.comparison.align,
            matching.rule.name()
        )];
        if let Some(level) = &matching.level {
            notes.push(format!("means over the processes of each {}", printable(level.as_bytes())));
        }
        let n_alone = matching.alone_before.len() + matching.alone_after.len();
        if n_alone > 0 {
            notes.push(format!("{n_alone} processes have no counterpart"));
        }
        notes
    }

    /// A page with one picture, of this height, whose colours mean changes.
    fn figure(
        &self,
        paper: &Paper,
        view: &'static str,
        title: &str,
        height: f64,
        draw: impl FnOnce(&Canvas) -> Result<Scene>,
    ) -> Result<Figure> {
        let entries = change_legend();
        let around = Sheet::height_around(paper, title, &entries);
        let mut sheet = Sheet::new(paper, title, (around + height).round());
        self.notes().into_iter().for_each(|note| sheet.note(note));
        sheet.reserve_caption();
        sheet.legend(&entries);
        let plot = sheet.room;
        let canvas = Canvas::in_frame(&plot, paper);
        let drawn = Drawn::plain(draw(&canvas)?, canvas.bounds());
        Ok(sheet.finish(title.to_owned(), vec![drawn.panel(view, plot)]))
    }
}

/// A row of a picture: one place, or those below one container.
struct Row<'a> {
    node: NodeId,
    /// The places, and their numbers.
    places: Vec<&'a Place>,
    numbers: Vec<usize>,
    name: String,
}

impl Row<'_> {
    /// Its processes in a run.
    fn processes(&self, comparison: &Comparison, which: Which) -> Vec<ContainerId> {
        let (before, after) = &comparison.processes;
        let of = |place: &&Place| match which {
            Which::Before => place.before.iter().map(|at| before[*at]).collect::<Vec<_>>(),
            Which::After => place.after.iter().map(|at| after[*at]).collect::<Vec<_>>(),
        };
        self.places.iter().flat_map(of).collect()
    }
}

/// Names of rows take at most this share of the width.
const NAME_SHARE: f64 = 0.2;

/// How much room the names of rows take at the left.
fn names_width(rows: &[Row<'_>], width: f64) -> f64 {
    let widest =
        rows.iter().map(|row| Font::Regular.width(&row.name, TICK_SIZE)).fold(0.0, f64::max);
    (widest + 8.0).min(NAME_SHARE * width).ceil()
}

/// The names of rows beside a plot, as many as there is room for.
fn row_names(rows: &[Row<'_>], plot: &Bounds, names: f64, canvas: &Canvas) -> Vec<Label> {
    let height = plot.height() / rows.len().max(1) as f64;
    let every = (TICK_SIZE / height).ceil().max(1.0) as usize;
    let name = |(at, row): (usize, &Row<'_>)| {
        let text = Font::Regular.fit(&row.name, TICK_SIZE, names - 6.0)?;
        let y = plot.y0 + height * (at as f64 + 0.5);
        let text =
            label(Point::new(plot.x0 - 6.0, y), text, TICK_SIZE, canvas.theme.colors().muted);
        Some(Label { align: TextAlign::End, rise: Rise::Middle, ..text })
    };
    rows.iter().enumerate().filter(|(at, _)| at % every == 0).filter_map(name).collect()
}
