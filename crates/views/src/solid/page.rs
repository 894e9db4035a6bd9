//! The page around a scene in space.

use onca_answer::columns::ColumnCache;
use onca_answer::topology::Platform;
use onca_model::Color;
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure, Label, Panel, Point, Rise};

use super::labels::time_label;
use super::paint::{Painted, Painter, Shown};
use super::{Base, CableScale, SolidOptions, Stage, scene};
use crate::legend::{Entry, Swatch};
use crate::sheet::{LABEL_SIZE, Sheet};
use crate::{Paper, Result, Theme};

/// How high the picture is, of its width, and the most.
const FORM: f64 = 0.72;
const MOST_HEIGHT: f64 = 900.0;
/// What the texts of the time axis take at the left side.
const TIMES: f64 = 58.0;
/// What names in front of the base take below it.
const NAMES: f64 = 14.0;
/// More boxes than this are drawn as an image inside the file.
const MOST_SHAPES: usize = 20_000;

/// The scene on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    platform: Option<&Platform>,
    paper: &Paper,
    options: &SolidOptions,
) -> Result<Figure> {
    let wanted = (paper.width * FORM).min(MOST_HEIGHT);
    let height = paper.height.unwrap_or(wanted);
    let cache = ColumnCache::default();
    let stage = Stage { height, theme: paper.theme };
    let drawn = scene(scope, appearance, platform, stage, options, &cache)?;
    let title = match options.base {
        Base::Graph => "Communication and time",
        Base::Topology | Base::Coords => "Network and time",
        Base::Treemap => "Hierarchy and time",
    };
    let mut entries = drawn.legend.clone();
    let mut swatches = drawn.swatches.clone();
    if let Some(scale) = &drawn.cable_scale {
        add_scale(scale, paper.theme, &mut entries, &mut swatches);
    }
    let around = Sheet::height_around(paper, title, &entries);
    let mut sheet = Sheet::new(paper, title, around + wanted);
    drawn.meanings.iter().chain(&drawn.notes).for_each(|note| sheet.note(note.clone()));
    sheet.reserve_caption();
    sheet.legend_with(&entries, |at| swatches[at]);
    let frame = Bounds { x0: sheet.room.x0 + TIMES, ..sheet.room }.inset(8.0);
    let is_flat = options.camera.elevation >= 75.0;
    let frame = if is_flat { sheet.room.inset(8.0) } else { frame };
    let frame = Bounds { y1: (frame.y1 - NAMES).max(frame.y0), ..frame };
    let shown = Shown {
        camera: options.camera,
        theme: paper.theme,
        edges: options.shows_edges(),
        names: options.names,
    };
    let Painted { solid, above, times } = Painter::new(&drawn.solid, shown, &frame).paint();
    for (at, text) in &times {
        let muted = sheet.colors.muted;
        sheet.add_label(time_label(*at, text, muted));
    }
    if let Some((last, _)) = times.last() {
        let at = Point::new((last.x - TIMES).max(4.0), last.y - 20.0);
        let name = sheet.label(at, &drawn.ruler_title, LABEL_SIZE - 1.0);
        let color = sheet.colors.muted;
        sheet.add_label(Label { rise: Rise::Middle, color, ..name });
    }
    let page = Bounds::new(0.0, 0.0, paper.width, paper.height.unwrap_or(around + wanted));
    let as_image = drawn.solid.boxes.len() > MOST_SHAPES;
    let panels = vec![
        Panel { as_image, ..Panel::on_page("scene3d", page, solid) },
        Panel::on_page("above", page, above),
    ];
    let description = format!(
        "{title}. {} places, {} boxes, {} arrows",
        drawn.solid.nodes.len(),
        drawn.solid.boxes.len(),
        drawn.solid.arrows.len()
    );
    Ok(sheet.finish(description, panels))
}

/// The widest line of a legend, in tenths of a pixel.
const WIDEST_SWATCH: f64 = 60.0;

/// What the colours and widths of network links mean, as entries of the legend.
pub(crate) fn add_scale(
    scale: &CableScale,
    theme: Theme,
    entries: &mut Vec<Entry>,
    swatches: &mut Vec<Swatch>,
) {
    let mut add = |name: String, color: Color, swatch: Swatch| {
        entries.push(Entry { name, share: None, color, pick: onca_scene::Pick::NOTHING });
        swatches.push(swatch);
    };
    for (at, (color, text)) in scale.stops.iter().enumerate() {
        let name = if at == 0 { format!("{}: {text}", scale.title) } else { text.clone() };
        add(name, *color, Swatch::Box);
    }
    for (at, (width, text)) in scale.widths.iter().enumerate() {
        let name = if at == 0 { format!("bandwidth: {text}") } else { text.clone() };
        let width = (width * WIDEST_SWATCH).max(8.0) as u8;
        add(name, theme.colors().axis, Swatch::Line(width));
    }
    if let Some(color) = scale.slow {
        add("far slower than the rest".to_owned(), color, Swatch::Line(60));
    }
}
