//! Nested states as a flame graph: what is inside a state lies below it, as wide as its time.

use std::collections::BTreeMap;
use std::ops::Range;

use onca_answer::{Cut, Level, Profile, ProfileSpec, profile};
use onca_layout::text::Font;
use onca_model::{ValueId, format::count_of, format::grouped, format::percent};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, CLEAR, Figure, Label, Layer, Pattern, Pick, Point, Rect, Rise, Scene};
use onca_scene::{Title, Titles};
use serde::{Deserialize, Serialize};

use crate::options::ViewOptions;
use crate::registry::{Needs, Tab, View, drawn_from_scope};
use crate::{
    Canvas, Drawn, Paper, Result, Theme, ViewError, bands::Bands, canvas::label, color, names,
    quantity::Quantity, sheet::Sheet, sheet::TICK_SIZE,
};

/// Nested states as a flame graph: what is inside a state lies below it, as wide as its time
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render flame run.paje -o flame.svg
  onca render flame run.paje --inside solve --inside exchange -o exchange.pdf")
)]
pub struct FlameOptions {
    /// Show what is inside a state; given again, inside a state in that one
    #[cfg_attr(feature = "clap", arg(long = "inside", value_name = "VALUE"))]
    pub path: Vec<String>,
}

impl ViewOptions for FlameOptions {}

/// Nested states as a flame graph.
pub struct FlameGraph;

impl View for FlameGraph {
    type Options = FlameOptions;
    const NAME: &str = "flame";
    const TITLE: &str = "Flame graph";
    const TAB: Tab = Tab::Flame;
    const NEEDS: Needs = Needs::States;

    drawn_from_scope!();
}

/// The height of a row, where there is room.
const ROW: f64 = 20.0;
/// Where there is room for more, rows are at most this high, and tell their times too.
const MOST_ROW: f64 = 56.0;
/// A figure does not grow higher than this by itself.
const MOST_HEIGHT: f64 = 860.0;
/// Narrower boxes are drawn as one, in pixels.
const THINNEST: f64 = 1.0;
/// Wider and higher boxes have an edge.
const EDGED: f64 = 3.0;
/// Two lines of text in a box, and what both need.
const LINE: f64 = 15.0;
const TWO_LINES: f64 = 36.0;
/// Beside a text in a box.
const PADDING: f64 = 4.0;

/// The flame graph on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &FlameOptions,
) -> Result<Figure> {
    let title = "Time of nested states";
    let flame = Flame::new(scope, appearance, paper.theme, options)?;
    let entries = flame.bands.legend(flame.profile.total, paper.theme);
    let plan = flame.plan(paper.inner_width());
    let around = Sheet::height_around(paper, title, &entries);
    let wanted = (plan.n_rows as f64 * ROW).min(MOST_HEIGHT);
    let mut sheet = Sheet::new(paper, title, around + wanted);
    plan.notes().into_iter().for_each(|note| sheet.note(note));
    sheet.legend(&entries);
    let plot = sheet.room;
    let drawn = flame.draw(&plan, &Canvas::in_frame(&plot, paper));
    let description = format!("{title}: {}", count_of(plan.boxes.len() as u64, "path"));
    Ok(sheet.finish(description, vec![drawn.panel("flame", plot)]))
}

/// The flame graph alone, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &FlameOptions,
) -> Result<Drawn> {
    let flame = Flame::new(scope, appearance, canvas.theme, options)?;
    let plan = flame.plan(canvas.width);
    Ok(Drawn { notes: plan.notes(), ..flame.draw(&plan, canvas) })
}

/// The paths that are drawn.
struct Flame {
    profile: Profile,
    bands: Bands,
    names: BTreeMap<ValueId, String>,
    quantity: Quantity,
    /// The paths that lead to what fills the width, the outermost first.
    around: Vec<usize>,
}

/// A path, or several that are too narrow, in ticks from the left.
struct Placed {
    row: usize,
    from: i128,
    ticks: i128,
    what: What,
}

enum What {
    Path(usize),
    /// This many paths that continue the same one.
    Narrow(u64),
}

/// Where everything is.
struct Plan {
    boxes: Vec<Placed>,
    /// What the width stands for.
    whole: i128,
    n_rows: usize,
    n_narrow: u64,
}

impl Plan {
    fn notes(&self) -> Vec<String> {
        let n_narrow = grouped(self.n_narrow);
        let note = format!("{n_narrow} paths are too narrow to be told apart");
        (self.n_narrow > 0).then_some(note).into_iter().collect()
    }
}

impl Flame {
    fn new(
        scope: &Scope<'_>,
        appearance: &Appearance,
        theme: Theme,
        options: &FlameOptions,
    ) -> Result<Self> {
        let profile = profile(scope, ProfileSpec::new(Cut::new(scope, &Level::Whole)?))?;
        let mut times: BTreeMap<ValueId, i128> = BTreeMap::new();
        for path in &profile.paths {
            *times.entry(path.value).or_default() += path.exclusive;
        }
        if profile.paths.iter().all(|path| path.inclusive == 0) {
            let why = "no container that is seen is in any state in the window";
            return Err(ViewError::Nothing(why.to_owned()));
        }
        let values: Vec<ValueId> = times.keys().copied().collect();
        let names = values.iter().copied().zip(names::of_values(scope, &values)).collect();
        let bands = Bands::new(scope, appearance, theme, times.into_iter().collect());
        let quantity = Quantity::Time(scope.catalog().facts.unit.clone());
        let mut flame = Self { profile, bands, names, quantity, around: Vec::new() };
        flame.around = flame.paths_along(&options.path)?;
        Ok(flame)
    }

    /// The paths of names, each inside the one before.
    fn paths_along(&self, names: &[String]) -> Result<Vec<usize>> {
        let mut found: Vec<usize> = Vec::new();
        for name in names {
            let continues = |&at: &usize| {
                let path = &self.profile.paths[at];
                path.outer == found.last().copied() && self.names.get(&path.value) == Some(name)
            };
            let next = (0..self.profile.paths.len()).find(continues);
            let place = if found.is_empty() { "outermost" } else { "inside the one before" };
            let none = || ViewError::Nothing(format!("there is no state {name:?} {place}"));
            found.push(next.ok_or_else(none)?);
        }
        Ok(found)
    }

    /// The paths inside what fills the width: they follow it, and are deeper.
    fn inside(&self) -> Range<usize> {
        let paths = &self.profile.paths;
        let Some(&last) = self.around.last() else { return 0..paths.len() };
        let n_inside = paths[last + 1..].iter().take_while(|path| path.depth > paths[last].depth);
        last + 1..last + 1 + n_inside.count()
    }

    /// Puts every path below the one it continues, from left to right. Paths come before those that
    /// continue them, so that one pass is enough.
    fn plan(&self, width: f64) -> Plan {
        let paths = &self.profile.paths;
        let is_outermost = |path: &&onca_answer::Path| path.outer.is_none();
        let whole = match self.around.last() {
            Some(&last) => paths[last].inclusive,
            None => paths.iter().filter(is_outermost).map(|path| path.inclusive).sum(),
        };
        let narrowest = whole as f64 / width.max(1.0) * THINNEST;
        let full = |(row, &path): (usize, &usize)| Placed {
            row,
            from: 0,
            ticks: whole,
            what: What::Path(path),
        };
        let mut boxes: Vec<Placed> = self.around.iter().enumerate().map(full).collect();
        // Where the next path inside a drawn one begins; `None` is the outermost row.
        let mut free: BTreeMap<Option<usize>, i128> = BTreeMap::new();
        free.insert(self.around.last().copied(), 0);
        let mut narrow: BTreeMap<Option<usize>, (u64, i128)> = BTreeMap::new();
        let mut n_narrow = 0;
        for number in self.inside() {
            let path = &paths[number];
            let Some(begin) = free.get(&path.outer).copied() else {
                // Inside of what is too narrow.
                n_narrow += 1;
                continue;
            };
            if (path.inclusive as f64) < narrowest {
                let (count, ticks) = narrow.entry(path.outer).or_default();
                (*count, *ticks) = (*count + 1, *ticks + path.inclusive);
                n_narrow += 1;
                continue;
            }
            free.insert(path.outer, begin + path.inclusive);
            free.insert(Some(number), begin);
            let (row, from, ticks) = (path.depth, begin, path.inclusive);
            boxes.push(Placed { row, from, ticks, what: What::Path(number) });
        }
        for (outer, (count, ticks)) in narrow {
            let row = outer.map_or(0, |outer| paths[outer].depth + 1);
            let from = free.get(&outer).copied().unwrap_or(0);
            if ticks as f64 >= narrowest {
                boxes.push(Placed { row, from, ticks, what: What::Narrow(count) });
            }
        }
        let n_rows = boxes.iter().map(|placed| placed.row + 1).max().unwrap_or(1);
        Plan { boxes, whole, n_rows, n_narrow }
    }

    fn draw(&self, plan: &Plan, canvas: &Canvas) -> Drawn {
        let row = (canvas.height / plan.n_rows as f64).min(MOST_ROW);
        let x_of = |ticks: i128| (ticks as f64 / plan.whole as f64 * canvas.width).round();
        let mut marks =
            Marks { flame: self, canvas, rects: vec![], labels: vec![], titles: Titles::default() };
        for placed in &plan.boxes {
            let top = placed.row as f64 * row;
            let (x0, x1) = (x_of(placed.from), x_of(placed.from + placed.ticks));
            let bounds = Bounds::new(x0, top, x1.max(x0 + THINNEST), top + row);
            match placed.what {
                What::Path(number) => marks.path(number, bounds),
                What::Narrow(count) => marks.narrow(count, placed.ticks, bounds),
            }
        }
        let layers = vec![Layer::Rects(marks.rects), Layer::Labels(marks.labels)];
        let scene = Scene { layers, titles: marks.titles };
        Drawn::plain(scene, canvas.bounds())
    }

    /// A time, and its share of all.
    fn time_and_share(&self, ticks: i128) -> String {
        let share = percent(ticks as f64 / self.profile.total.max(1) as f64);
        format!("{}, {share}", self.quantity.text(ticks as f64))
    }

    /// What a path shows under the pointer.
    fn title(&self, number: usize) -> String {
        let path = &self.profile.paths[number];
        let time = |ticks: i128| self.time_and_share(ticks);
        format!(
            "{}\nwith what is inside  {}\nwithout  {}\nhow often  {}",
            self.names.get(&path.value).map_or("", String::as_str),
            time(path.inclusive),
            time(path.exclusive),
            grouped(path.count),
        )
    }
}

/// The marks of a flame graph in the making.
struct Marks<'a> {
    flame: &'a Flame,
    canvas: &'a Canvas,
    rects: Vec<Rect>,
    labels: Vec<Label>,
    titles: Titles,
}

impl Marks<'_> {
    fn path(&mut self, number: usize, bounds: Bounds) {
        let flame = self.flame;
        let Flame { profile, bands, names, .. } = flame;
        let value = profile.paths[number].value;
        let colors = self.canvas.theme.colors();
        let fill = bands.of(value).map_or(colors.axis, |band| bands.list[band].color);
        let is_large = bounds.width() >= EDGED && bounds.height() >= EDGED;
        let edge = if is_large { color::edge_on(fill, colors, colors.background) } else { CLEAR };
        let pick = Pick::Value(value.0);
        let title = self.title(|| flame.title(number));
        self.rects.push(Rect { edge, title, pick, ..Rect::plain(bounds, fill) });
        if bounds.height() < TICK_SIZE + 2.0 || bounds.width() < 2.0 * PADDING + TICK_SIZE {
            return;
        }
        let name = names.get(&value).map_or("", String::as_str);
        let room = bounds.width() - 2.0 * PADDING;
        let Some(name) = Font::Regular.fit(name, TICK_SIZE, room) else { return };
        let time = flame.time_and_share(profile.paths[number].inclusive);
        let has_second =
            bounds.height() >= TWO_LINES && Font::Regular.width(&time, TICK_SIZE) <= room;
        let lines = if has_second { vec![name, time] } else { vec![name] };
        let first = bounds.center().y - (lines.len() - 1) as f64 * LINE / 2.0;
        for (number, text) in lines.into_iter().enumerate() {
            let at = Point::new(bounds.x0 + PADDING, first + number as f64 * LINE);
            let text = label(at, text, TICK_SIZE, color::text_on(fill));
            self.labels.push(Label { rise: Rise::Middle, pick, ..text });
        }
    }

    fn narrow(&mut self, count: u64, ticks: i128, bounds: Bounds) {
        let fill = self.canvas.theme.colors().axis;
        let time = self.flame.quantity.text(ticks as f64);
        let title = self.title(|| format!("{}\ntogether  {time}", count_of(count, "narrow path")));
        self.rects.push(Rect { pattern: Pattern::Hatch, title, ..Rect::plain(bounds, fill) });
    }

    fn title(&mut self, text: impl FnOnce() -> String) -> Title {
        if self.canvas.titles { self.titles.add(text()) } else { Title::NONE }
    }
}
