//! Questions that tests ask of scenes and figures.

use onca_layout::text::Font;
use onca_scene::{Align, Bounds, Figure, Label, Layer, Panel, Point, Rect, Rise, Scene, Weight};

/// The rectangles of a scene.
pub fn rects(scene: &Scene) -> Vec<&Rect> {
    let mut found = Vec::new();
    for layer in &scene.layers {
        if let Layer::Rects(rects) = layer {
            found.extend(rects);
        }
    }
    found
}

/// The text that a rectangle shows.
pub fn title<'s>(scene: &'s Scene, rect: &Rect) -> &'s str {
    scene.titles.get(rect.title).unwrap_or("")
}

/// The outlines of a scene with the texts that they show.
pub fn polygons(scene: &Scene) -> Vec<(&str, &[Point])> {
    let mut found = Vec::new();
    for layer in &scene.layers {
        if let Layer::Polygons(all) = layer {
            for polygon in &all.polygons {
                found.push((scene.titles.get(polygon.title).unwrap_or(""), all.of(polygon)));
            }
        }
    }
    found
}

/// The area of an outline.
pub fn area(corners: &[Point]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a.x * b.y - b.x * a.y).sum::<f64>().abs() / 2.0
}

/// The texts of a figure, with the room that they take on the page.
pub fn texts(figure: &Figure) -> Vec<(&str, Bounds)> {
    let mut found = Vec::new();
    for panel in &figure.panels {
        for layer in &panel.scene.layers {
            if let Layer::Labels(labels) = layer {
                found.extend(labels.iter().map(|label| (label.text.as_str(), room(panel, label))));
            }
        }
    }
    found
}

/// The room of a label, with letters as high as capitals.
fn room(panel: &Panel, label: &Label) -> Bounds {
    let font = if label.weight == Weight::Bold { Font::Bold } else { Font::Regular };
    let (length, height) = (font.width(&label.text, label.size), font.capital_height(label.size));
    let before = match label.align {
        Align::Start => 0.0,
        Align::Middle => length / 2.0,
        Align::End => length,
    };
    let above = match label.rise {
        Rise::Baseline => height,
        Rise::Middle => height / 2.0,
        Rise::Top => 0.0,
    };
    let at = panel.place(label.at);
    // Turned to the left by a right angle, along the line is up.
    match label.turn == -90.0 {
        false => {
            Bounds::new(at.x - before, at.y - above, at.x - before + length, at.y - above + height)
        }
        true => {
            Bounds::new(at.x - above, at.y + before - length, at.x - above + height, at.y + before)
        }
    }
}

/// Fails unless all texts are on the page and none lies on another.
pub fn texts_are_apart(name: &str, figure: &Figure) {
    let page = figure.page();
    let texts = texts(figure);
    for (index, (text, room)) in texts.iter().enumerate() {
        let slack = 0.5;
        let inside = room.x0 >= page.x0 - slack
            && room.x1 <= page.x1 + slack
            && room.y0 >= page.y0 - slack
            && room.y1 <= page.y1 + slack;
        assert!(inside, "{name}: {text:?} leaves the page: {room:?} of {page:?}");
        for (other, its_room) in &texts[..index] {
            assert!(!room.overlaps(its_room), "{name}: {text:?} lies on {other:?}");
        }
    }
}
