//! A figure as SVG.

use std::fmt::Write;

use onca_layout::text::FAMILY;
use onca_scene::{Bounds, Figure, Layer, Panel, Pattern};

use crate::number::{Hundredths, push, push_attribute};
use crate::pen::Pen;
use crate::place::Place;
use crate::style::{Hatch, push_color};
use crate::xml::push_text;
use crate::{arrows, image, labels, lines, rects, strips};

/// A figure as a document in SVG. The same figure gives the same bytes.
///
/// Texts are told to keep to their measured length in any font. Marks with a title show it under
/// the pointer.
pub fn svg(figure: &Figure) -> String {
    svg_at(figure, 1.0)
}

/// The same for a device that shows a pixel of the page as `resolution` pixels: what is an image in
/// it has as many rows.
pub(crate) fn svg_at(figure: &Figure, resolution: f64) -> String {
    let mut out = String::new();
    push_head(&mut out, figure);
    if has_hatch(figure) {
        Hatch(figure.background).push_definition(&mut out);
        out.push('\n');
    }
    for panel in &figure.panels {
        let image = panel.as_image.then(|| image::of_panel(figure, panel, resolution)).flatten();
        match image {
            Some(image) => out.push_str(&image),
            None => push_panel(&mut out, figure, panel, resolution),
        }
    }
    out.push_str("</svg>\n");
    out
}

fn push_head(out: &mut String, figure: &Figure) {
    out.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\"");
    push_attribute(out, "width", figure.width);
    push_attribute(out, "height", figure.height);
    out.push_str(" viewBox=\"0 0");
    push(out, Hundredths::of(figure.width));
    push(out, Hundredths::of(figure.height));
    // Two spaces in a text are two spaces.
    let _ = writeln!(
        out,
        "\" role=\"img\" font-family=\"'{FAMILY}',Arial,sans-serif\" xml:space=\"preserve\">"
    );
    push_description(out, &figure.description);
    out.push_str("<path");
    push_color(out, "fill", figure.background);
    let _ = writeln!(out, " d=\"{}\"/>", rect_path(&figure.page()));
}

/// The first sentence is the title, the rest is the description.
fn push_description(out: &mut String, description: &str) {
    let (title, rest) = description.split_once(". ").unwrap_or((description, ""));
    for (tag, text) in [("title", title), ("desc", rest)] {
        if !text.is_empty() {
            let _ = write!(out, "<{tag}>");
            push_text(out, text);
            let _ = writeln!(out, "</{tag}>");
        }
    }
}

fn push_panel(out: &mut String, figure: &Figure, panel: &Panel, resolution: f64) {
    let clip = panel.clipped.then(|| clip_id(&panel.frame));
    if let Some(id) = &clip {
        let path = rect_path(&panel.frame);
        let _ = writeln!(out, "<clipPath id=\"{id}\"><path d=\"{path}\"/></clipPath>");
    }
    let _ = write!(out, "<g class=\"{}\"", panel.name);
    if let Some(id) = &clip {
        let _ = write!(out, " clip-path=\"url(#{id})\"");
    }
    out.push_str(">\n");
    let place = Place::new(figure, panel);
    for layer in &panel.scene.layers {
        match layer {
            Layer::Rects(rects) => rects::push(out, &place, rects),
            Layer::Strips(strips) => strips::push(out, &place, strips, resolution),
            Layer::Lines(lines) => lines::push(out, &place, lines),
            Layer::Arrows(arrows) => arrows::push(out, &place, arrows),
            Layer::Polygons(polygons) => lines::push_polygons(out, &place, polygons),
            Layer::Glyphs(glyphs) => arrows::push_glyphs(out, &place, glyphs),
            Layer::Labels(labels) => labels::push(out, &place, labels),
        }
    }
    out.push_str("</g>\n");
}

/// A name that tells all there is to know, so that two pictures on one page cannot mean different
/// frames by the same name.
fn clip_id(frame: &Bounds) -> String {
    let [x0, y0, x1, y1] =
        [frame.x0, frame.y0, frame.x1, frame.y1].map(|side| Hundredths::of(side).0);
    format!("clip-{x0}-{y0}-{x1}-{y1}")
}

fn rect_path(bounds: &Bounds) -> String {
    let mut pen = Pen::default();
    pen.rect(bounds);
    pen.finish()
}

fn has_hatch(figure: &Figure) -> bool {
    let mut layers = figure.panels.iter().flat_map(|panel| &panel.scene.layers);
    layers.any(|layer| match layer {
        Layer::Rects(rects) => rects.iter().any(|rect| rect.pattern == Pattern::Hatch),
        _ => false,
    })
}
