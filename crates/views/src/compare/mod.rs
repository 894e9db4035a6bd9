//! Two runs side by side, and what changed from one to the other.

mod axis;
mod flame;
mod overview;
mod table;
mod timeline;
mod treemap;

use std::collections::HashMap;
use std::sync::Arc;

use onca_answer::compare::{Align, CompareSpec, Comparison, Place};
use onca_answer::{Cut, Level};
use onca_layout::text::Font;
use onca_model::{Color, ContainerId, TimeUnit, ValueId, printable};
use onca_query::{Appearance, NodeId, Scope, palette};
use onca_scene::{Align as TextAlign, Bounds, Label, Pick, Point, Rise};
use serde::{Deserialize, Serialize};

use crate::legend::Entry;
use crate::options::LevelOptions;
use crate::registry::{Material, NO_OTHER_RUN};
use crate::sheet::TICK_SIZE;
use crate::{Canvas, Result, Theme, ViewError, canvas::label, color, names};

pub use flame::CompareFlame;
pub use overview::CompareOverview;
pub use table::CompareTable;
pub use timeline::CompareTimeline;
pub use treemap::CompareTreemap;

use axis::Which;

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

/// A change of this much has the full colour.
const FULL: f64 = 0.5;
/// A change of less has none.
const LEAST: f64 = 0.01;

/// The colour of how many times as long something takes: blue for less long, orange for longer.
fn change_color(ratio: f64) -> Color {
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
