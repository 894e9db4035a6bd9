//! What tests ask of scenes.

use onca_layout::text::Font;
use onca_scene::{
    Align, Bounds, Figure, Label, Layer, Pick, Point, Rect, Rise, Scene, Strip, Strips, Weight,
};

/// The rectangles of states with their lanes.
pub fn rects_of(scene: &Scene) -> Vec<(&Rect, u32)> {
    let rects = scene.layers.iter().filter_map(|layer| match layer {
        Layer::Rects(rects) => Some(rects),
        _ => None,
    });
    rects
        .flatten()
        .filter_map(|rect| match rect.pick {
            Pick::Entity { lane, .. } => Some((rect, lane)),
            _ => None,
        })
        .collect()
}

/// The strips with what holds their columns.
pub fn strips_of(scene: &Scene) -> Vec<(&Strips, &Strip)> {
    let layers = scene.layers.iter().filter_map(|layer| match layer {
        Layer::Strips(strips) => Some(strips),
        _ => None,
    });
    layers.flat_map(|strips| strips.strips.iter().map(move |strip| (strips, strip))).collect()
}

/// Descriptions of the marks that are not inside a view. The outer columns of a strip may be cut.
pub fn inside(scene: &Scene, view: &Bounds) -> Vec<String> {
    let mut outside = Vec::new();
    let slack = 1e-6;
    let holds = |point: Point| {
        (view.x0 - slack..=view.x1 + slack).contains(&point.x)
            && (view.y0 - slack..=view.y1 + slack).contains(&point.y)
    };
    let mut check = |points: &[Point], what: &dyn std::fmt::Debug| {
        if !points.iter().all(|point| holds(*point)) {
            outside.push(format!("{what:?}"));
        }
    };
    let corners = |b: &Bounds| [Point::new(b.x0, b.y0), Point::new(b.x1, b.y1)];
    for layer in &scene.layers {
        match layer {
            Layer::Rects(rects) => rects.iter().for_each(|r| check(&corners(&r.bounds), r)),
            Layer::Strips(strips) => {
                for strip in &strips.strips {
                    let column = strip.bounds.width() / strip.columns.len() as f64;
                    let (x0, x1) = (strip.bounds.x0 + column, strip.bounds.x1 - column);
                    let shown = Bounds { x0: x0.min(view.x1), x1: x1.max(0.0), ..strip.bounds };
                    check(&corners(&shown), strip);
                }
            }
            Layer::Lines(lines) => check(&lines.points, &"a line"),
            Layer::Polygons(polygons) => check(&polygons.points, &"an area"),
            Layer::Arrows(arrows) => arrows.iter().for_each(|a| check(&[a.from, a.to], a)),
            Layer::Glyphs(glyphs) => glyphs.iter().for_each(|g| check(&[g.at], g)),
            Layer::Labels(labels) => labels.iter().for_each(|l| check(&[l.at], l)),
        }
    }
    outside
}

/// The boxes of all texts of a figure, on its page.
pub fn labels_of(figure: &Figure) -> Vec<(Bounds, String)> {
    let mut boxes = Vec::new();
    for panel in &figure.panels {
        for layer in &panel.scene.layers {
            let Layer::Labels(labels) = layer else { continue };
            for label in labels {
                boxes.push((text_box(label, panel.place(label.at)), label.text.clone()));
            }
        }
    }
    boxes
}

/// The box around the capital letters of a text.
fn text_box(label: &Label, at: Point) -> Bounds {
    let font = match label.weight {
        Weight::Regular => Font::Regular,
        Weight::Bold => Font::Bold,
    };
    let height = font.capital_height(label.size);
    let from = match label.align {
        Align::Start => 0.0,
        Align::Middle => -label.length / 2.0,
        Align::End => -label.length,
    };
    let top = match label.rise {
        Rise::Baseline => -height,
        Rise::Middle => -height / 2.0,
        Rise::Top => 0.0,
    };
    if label.turn == -90.0 {
        // Along the line is up, across it is to the right.
        return Bounds::new(
            at.x + top,
            at.y - from - label.length,
            at.x + top + height,
            at.y - from,
        );
    }
    assert_eq!(label.turn, 0.0, "texts are level or upright");
    Bounds::new(at.x + from, at.y + top, at.x + from + label.length, at.y + top + height)
}
