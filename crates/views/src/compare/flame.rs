//! Nested states of two runs as one flame graph, coloured by what changed.

use std::collections::BTreeMap;

use onca_answer::{Cut, Level, Profile, ProfileSpec, profile};
use onca_layout::text::Font;
use onca_model::{format::percent, printable};
use onca_query::Scope;
use onca_scene::{
    Bounds, Figure, Label, Layer, Pattern, Pick, Point, Rect, Rise, Scene, Title, Titles,
};
use serde::{Deserialize, Serialize};

use super::{PairingOptions, Runs, change_color, change_scale};
use crate::options::ViewOptions;
use crate::registry::{Material, Needs, Tab, View};
use crate::sheet::TICK_SIZE;
use crate::time_scale::duration;
use crate::{Canvas, Drawn, Paper, Result, ViewError, canvas::label, color};

/// Nested states of two runs as one flame graph, coloured by what changed
///
/// Boxes are as wide as their time in the second run; orange is longer than before, blue is less long. What is new or gone is
/// hatched; what is gone has the width that it had.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render compare-flame before.json after.json -o change.svg
  onca render compare-flame before.otf2 after.otf2 --without-gone -o change.pdf")
)]
pub struct CompareFlameOptions {
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    #[allow(missing_docs, reason = "clap takes it for the help of a flag")]
    pub pairing: PairingOptions,

    /// Leave out what only the first run has
    #[cfg_attr(feature = "clap", arg(long))]
    pub without_gone: bool,
}

impl ViewOptions for CompareFlameOptions {}

/// Nested states of two runs as one flame graph.
pub struct CompareFlame;

impl View for CompareFlame {
    type Options = CompareFlameOptions;
    const NAME: &str = "compare-flame";
    const TITLE: &str = "Change of nested states";
    const NEEDS: Needs = Needs::OtherRun;
    const TAB: Tab = Tab::Compare;

    fn scene(
        material: &Material<'_>,
        canvas: &Canvas,
        options: &CompareFlameOptions,
    ) -> Result<Drawn> {
        let flame = Flame::new(material, options)?;
        Ok(Drawn {
            scale: Some(change_scale()),
            ..Drawn::plain(flame.draw(canvas), canvas.bounds())
        })
    }

    fn figure(
        material: &Material<'_>,
        paper: &Paper,
        options: &CompareFlameOptions,
    ) -> Result<Figure> {
        let title = "Time of nested states, compared with the run before";
        let flame = Flame::new(material, options)?;
        let height = (flame.depth as f64 * ROW).min(MOST_HEIGHT);
        flame.runs.figure(paper, Self::NAME, title, height, |canvas| Ok(flame.draw(canvas)))
    }
}

const ROW: f64 = 20.0;
/// Where there is room for more, rows are at most this high.
const MOST_ROW: f64 = 40.0;
const MOST_HEIGHT: f64 = 860.0;
const THINNEST: f64 = 1.0;
const PADDING: f64 = 4.0;

/// A path of nested states of both runs. Times are for each process, in ticks of the comparison.
#[derive(Default)]
struct Node {
    before: f64,
    after: f64,
    /// Without what is inside.
    own_before: f64,
    own_after: f64,
    inside: BTreeMap<Vec<u8>, Node>,
}

impl Node {
    /// Adds the paths of a run.
    fn add(&mut self, scope: &Scope<'_>, profile: &Profile, per_process: f64, is_after: bool) {
        let names = |value: onca_model::ValueId| scope.catalog().value(value).name.to_vec();
        let mut along: Vec<Vec<u8>> = Vec::new();
        for path in &profile.paths {
            along.truncate(path.depth);
            along.push(names(path.value));
            let mut node = &mut *self;
            for name in &along {
                node = node.inside.entry(name.clone()).or_default();
            }
            let (inclusive, exclusive) =
                (path.inclusive as f64 * per_process, path.exclusive as f64 * per_process);
            if is_after {
                (node.after, node.own_after) = (inclusive, exclusive);
            } else {
                (node.before, node.own_before) = (inclusive, exclusive);
            }
        }
    }

    fn is_gone(&self) -> bool {
        self.after == 0.0 && self.before > 0.0
    }

    /// How wide it is.
    fn width(&self, with_gone: bool) -> f64 {
        let own = if self.is_gone() { self.own_before } else { self.own_after };
        own + self.shown(with_gone).map(|(_, node)| node.width(with_gone)).sum::<f64>()
    }

    /// What is inside of it, as far as it is shown.
    fn shown(&self, with_gone: bool) -> impl Iterator<Item = (&Vec<u8>, &Self)> {
        self.inside.iter().filter(move |(_, node)| with_gone || !node.is_gone())
    }

    fn depth(&self) -> usize {
        self.inside.values().map(|node| 1 + node.depth()).max().unwrap_or(0)
    }
}

struct Flame<'a> {
    runs: Runs<'a>,
    root: Node,
    depth: usize,
    with_gone: bool,
}

impl<'a> Flame<'a> {
    fn new(material: &Material<'a>, options: &CompareFlameOptions) -> Result<Self> {
        let runs = Runs::new(material, &options.pairing)?;
        let mut root = Node::default();
        let (n_before, n_after) = runs.comparison.n_processes();
        let scales = runs.comparison.scales;
        let sides =
            [(runs.before, n_before, scales.0, false), (runs.after, n_after, scales.1, true)];
        for (scope, n, scale, is_after) in sides {
            let profile = profile(scope, ProfileSpec::new(Cut::new(scope, &Level::Whole)?))?;
            root.add(scope, &profile, scale as f64 / n.max(1) as f64, is_after);
        }
        let depth = root.depth();
        if depth == 0 {
            return Err(ViewError::Nothing("neither run is in any state".to_owned()));
        }
        Ok(Self { runs, root, depth, with_gone: !options.without_gone })
    }

    fn draw(&self, canvas: &Canvas) -> Scene {
        let row = (canvas.height / self.depth as f64).min(MOST_ROW);
        let whole = self.root.width(self.with_gone);
        let mut marks = Marks {
            flame: self,
            canvas,
            row,
            pixels: canvas.width / whole.max(1.0),
            rects: Vec::new(),
            labels: Vec::new(),
            titles: Titles::default(),
        };
        marks.inside(&self.root, 0, 0.0);
        let layers = vec![Layer::Rects(marks.rects), Layer::Labels(marks.labels)];
        Scene { layers, titles: marks.titles }
    }
}

struct Marks<'a> {
    flame: &'a Flame<'a>,
    canvas: &'a Canvas,
    row: f64,
    /// Pixels of a tick.
    pixels: f64,
    rects: Vec<Rect>,
    labels: Vec<Label>,
    titles: Titles,
}

impl Marks<'_> {
    /// What is inside of a path, the widest first.
    fn inside(&mut self, node: &Node, depth: usize, from: f64) {
        let with_gone = self.flame.with_gone;
        let mut inside: Vec<(&Vec<u8>, &Node, f64)> =
            node.shown(with_gone).map(|(name, node)| (name, node, node.width(with_gone))).collect();
        inside.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(b.0)));
        let mut x = from;
        for (name, node, width) in inside {
            let (x0, x1) = ((x * self.pixels).round(), ((x + width) * self.pixels).round());
            if x1 - x0 >= THINNEST {
                let top = depth as f64 * self.row;
                self.path(name, node, Bounds::new(x0, top, x1, top + self.row));
                self.inside(node, depth + 1, x);
            }
            x += width;
        }
    }

    fn path(&mut self, name: &[u8], node: &Node, bounds: Bounds) {
        let colors = self.canvas.theme.colors();
        let is_both = node.before > 0.0 && node.after > 0.0;
        let ratio = if node.before > 0.0 { node.after / node.before } else { 2.0 };
        let fill = change_color(ratio);
        let name = printable(name).into_owned();
        let title = match self.canvas.titles {
            true => {
                let unit = &self.flame.runs.comparison.unit;
                let change = if is_both { percent(ratio - 1.0) } else { String::new() };
                self.titles.add(format!(
                    "{name}\nbefore  {}\nafter  {}\n{change}",
                    duration(node.before, unit),
                    duration(node.after, unit)
                ))
            }
            false => Title::NONE,
        };
        let pattern = if is_both { Pattern::Plain } else { Pattern::Hatch };
        let edge = if bounds.width() >= 3.0 { colors.background } else { onca_scene::CLEAR };
        let pick = Pick::NOTHING;
        self.rects.push(Rect { edge, title, pattern, pick, ..Rect::plain(bounds, fill) });
        if bounds.height() < TICK_SIZE + 2.0 {
            return;
        }
        let told = match is_both {
            true => format!("{name}  {:+.0} %", 100.0 * (ratio - 1.0)),
            false if node.after > 0.0 => format!("{name}  new"),
            false => format!("{name}  gone"),
        };
        let room = bounds.width() - 2.0 * PADDING;
        let fits = |text: &String| Font::Regular.width(text, TICK_SIZE) <= room;
        let text = Some(told).filter(fits).or_else(|| Font::Regular.fit(&name, TICK_SIZE, room));
        let Some(text) = text.filter(|text| !text.is_empty()) else { return };
        let at = Point::new(bounds.x0 + PADDING, bounds.center().y);
        let text = label(at, text, TICK_SIZE, color::text_on(fill));
        self.labels.push(Label { rise: Rise::Middle, ..text });
    }
}
