//! Treemaps: how much the containers have of what, as nested areas.
//!
//! Every cell is a container or a group, as large as what it has; inside, it is divided by values.
//! The technique is that of Schnorr, Huard and Navaux, *Triva: Interactive 3D Visualization for
//! Performance Analysis of Parallel Applications* (2010).

mod amounts;
mod cells;
mod difference;
mod measured;
mod options;
mod paint;

use std::borrow::Cow;

use onca_answer::slice::{Aggregate, LinkMeasure, Measure, VariableMeasure, What};
use onca_layout::text::Font;
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure, Label, Point, Weight};

use crate::registry::{Tab, View, drawn_from_scope};
use crate::{
    Canvas, Drawn, Paper, Result, ViewError,
    sheet::{LABEL_SIZE, Sheet},
};
pub use options::{CutName, Levels, TreemapOptions};
pub(crate) use options::{Detail, Understood};

use amounts::Amounts;
use cells::Cells;
use paint::Painter;

/// A treemap.
pub struct Treemap;

impl View for Treemap {
    type Options = TreemapOptions;
    const NAME: &str = "treemap";
    const TITLE: &str = "Treemap";
    const TAB: Tab = Tab::Treemap;

    drawn_from_scope!();
}

/// How high a treemap is, of its width.
const FORM: f64 = 0.58;
/// Several pictures side by side are at least this wide.
const LEAST_WIDTH: f64 = 210.0;
/// Between them, and above each for its title.
const GAP: f64 = 14.0;
const HEADING: f64 = 20.0;

/// The treemap on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &TreemapOptions,
) -> Result<Figure> {
    figure_of(scope, appearance, paper, &Understood::new(options, scope)?)
}

/// The same of options that were understood.
pub(crate) fn figure_of(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &Understood,
) -> Result<Figure> {
    let amounts = measured(scope, appearance, paper.theme, options)?;
    let pictures = Cells::of(&amounts, &options.detail)?;
    let shown = shown(&amounts, &pictures, options)?;
    let title = title(options, &pictures);
    let entries = amounts.legend();
    let around = Sheet::height_around(paper, &title, &entries);
    let (columns, rows) = grid(pictures.len(), paper.width);
    let wanted = (paper.width / columns as f64 * FORM * rows as f64).clamp(180.0, 900.0);
    let mut sheet = Sheet::new(paper, &title, (around + wanted).round());
    sheet.reserve_caption();
    sheet.legend(&entries);
    let mut panels = Vec::new();
    let mut notes: Vec<String> = pictures.iter().filter_map(|cells| cells.note.clone()).collect();
    notes.extend(difference::note(scope, options));
    for (at, (cells, amounts)) in pictures.iter().zip(&shown).enumerate() {
        let mut frame = place(&sheet.room, at, (columns, rows));
        if pictures.len() > 1 {
            heading(&mut sheet, &mut frame, &cells.title);
        }
        let drawn = Painter::new(amounts, cells, Canvas::in_frame(&frame, paper), options).draw();
        notes.extend(drawn.notes.iter().cloned());
        panels.push(drawn.panel("treemap", frame));
    }
    notes.dedup();
    notes.into_iter().for_each(|note| sheet.note(note));
    Ok(sheet.finish(title, panels))
}

/// The treemap alone, in pixels; of several pictures the first. What the colours of a difference
/// mean is told below it.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &TreemapOptions,
) -> Result<Drawn> {
    scene_of(scope, appearance, canvas, &Understood::new(options, scope)?)
}

/// The same of options that were understood.
pub(crate) fn scene_of(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &Understood,
) -> Result<Drawn> {
    let amounts = measured(scope, appearance, canvas.theme, options)?;
    let pictures = Cells::of(&amounts, &options.detail)?;
    let shown = shown(&amounts, &pictures, options)?;
    let first = pictures.first().zip(shown.first());
    let (cells, amounts) = first.ok_or_else(|| nothing(options))?;
    if options.against.is_none() {
        return Ok(Painter::new(amounts, cells, *canvas, options).draw());
    }
    let height = (canvas.height - difference::KEY_HEIGHT).max(1.0);
    let above = Canvas { height, ..*canvas };
    let mut drawn = Painter::new(amounts, cells, above, options).draw();
    drawn.scene.layers.extend(difference::key(canvas));
    Ok(Drawn { view: canvas.bounds(), ..drawn })
}

fn measured<'a>(
    scope: &'a Scope<'a>,
    appearance: &Appearance,
    theme: crate::Theme,
    options: &Understood,
) -> Result<Amounts<'a>> {
    let mut amounts = Amounts::new(scope, appearance, theme, options)?;
    if let Some(window) = options.against {
        let before = scope.during(window);
        amounts = amounts.against(&Amounts::new(&before, appearance, theme, options)?);
    }
    match amounts.adds_up && !has_any(&amounts) {
        true => Err(nothing(options)),
        false => Ok(amounts),
    }
}

/// The amounts of each picture.
fn shown<'m, 's>(
    amounts: &'m Amounts<'s>,
    pictures: &[Cells],
    options: &Understood,
) -> Result<Vec<Cow<'m, Amounts<'s>>>> {
    let shown: Vec<_> = pictures.iter().map(|cells| amounts.at(cells)).collect();
    // The smallest of all may be nothing where the smallest of some is not.
    if shown.iter().any(|amounts| has_any(amounts)) { Ok(shown) } else { Err(nothing(options)) }
}

fn has_any(amounts: &Amounts<'_>) -> bool {
    amounts.total(amounts.tree().root()) > 0.0
}

fn nothing(options: &Understood) -> ViewError {
    let what = words(options);
    ViewError::Nothing(format!("no container that is seen has any {what} in the window"))
}

/// What areas are, in words.
fn words(options: &Understood) -> String {
    let what = match &options.what {
        What::Measure(measure) => what_is(*measure).to_owned(),
        What::Ratio(asked) => format!("ratio {}", asked.ratio),
        What::Peers(_) => "number of links with each other container".to_owned(),
    };
    match (&options.aggregate, &options.what) {
        (Aggregate::Sum, _) => what,
        (aggregate, What::Ratio(_)) => format!("{what}, each {}", operator(aggregate)),
        (aggregate, _) => format!("{} of {what}", operator(aggregate)),
    }
}

fn operator(aggregate: &Aggregate) -> Cow<'static, str> {
    match aggregate {
        Aggregate::Sum => "sum".into(),
        Aggregate::Mean => "mean".into(),
        Aggregate::Min => "smallest".into(),
        Aggregate::Max => "largest".into(),
        Aggregate::Median => "median".into(),
        Aggregate::Expression(expression) => expression.to_string().into(),
    }
}

fn what_is(measure: Measure) -> &'static str {
    match measure {
        Measure::StateTime { inclusive: false } => "time in states",
        Measure::StateTime { inclusive: true } => "time in states, nested ones included",
        Measure::StateCount => "number of states",
        Measure::EventCount => "number of events",
        Measure::Variable(VariableMeasure::Mean) => "mean of variables",
        Measure::Variable(VariableMeasure::Defined) => "mean of variables while they are defined",
        Measure::Variable(VariableMeasure::Min) => "smallest value of variables",
        Measure::Variable(VariableMeasure::Max) => "largest value of variables",
        Measure::Variable(VariableMeasure::Integral) => "integral of variables",
        Measure::Link { measure: LinkMeasure::Count, .. } => "number of links",
        Measure::Link { measure: LinkMeasure::Time, .. } => "time of links",
        Measure::Link { measure: LinkMeasure::Size, .. } => "size of links",
        Measure::Link { measure: LinkMeasure::Rate, .. } => "rate of links",
        Measure::Link { measure: LinkMeasure::Weighted, .. } => "weighted size of links",
    }
}

fn title(options: &Understood, pictures: &[Cells]) -> String {
    let what = words(options);
    let (first, others) = what.split_at(1);
    let what = match options.against {
        Some(_) => format!("Change of {what}"),
        None => first.to_uppercase() + others,
    };
    match pictures {
        [cells] => format!("{what}, {}", cells.title),
        _ => format!("{what}, level by level"),
    }
}

/// Columns and rows for some pictures.
fn grid(n: usize, width: f64) -> (usize, usize) {
    let columns = ((width / LEAST_WIDTH) as usize).clamp(1, n.max(1));
    let rows = n.max(1).div_ceil(columns);
    // As even as can be: four pictures are two rows of two, not three and one.
    (n.max(1).div_ceil(rows), rows)
}

/// The place of a picture of several, on whole pixels.
fn place(room: &Bounds, at: usize, (columns, rows): (usize, usize)) -> Bounds {
    let side = |from: f64, to: f64, at: usize, n: usize| {
        let length = (to - from - GAP * (n - 1) as f64) / n as f64;
        let begin = from + at as f64 * (length + GAP);
        (begin.ceil(), (begin + length).floor())
    };
    let (x0, x1) = side(room.x0, room.x1, at % columns, columns);
    let (y0, y1) = side(room.y0, room.y1, at / columns, rows);
    Bounds::new(x0, y0, x1, y1)
}

fn heading(sheet: &mut Sheet<'_>, frame: &mut Bounds, text: &str) {
    if let Some(text) = Font::Bold.fit(text, LABEL_SIZE, frame.width()) {
        let label = sheet.label(Point::new(frame.x0, frame.y0 + LABEL_SIZE), text, LABEL_SIZE);
        sheet.add_label(Label { weight: Weight::Bold, ..label });
    }
    frame.y0 = (frame.y0 + HEADING).min(frame.y1);
}
