//! A figure with every mark, so small that a person can check it.

use onca_layout::text::Font;
use onca_model::Color;
use onca_scene::{
    Align, Arrow, Bounds, CLEAR, ColumnPart, Figure, Glyph, Label, Layer, Lines, Panel, Pattern,
    Pick, Point, Polygons, Rect, Rise, Scene, Shape, Strip, Strips, Title, Titles, Weight,
};

const BLACK: Color = Color::rgb(20, 20, 24);
const GREEN: Color = Color::rgb(0, 158, 115);
const ORANGE: Color = Color::rgb(230, 159, 0);
const BLUE: Color = Color::rgb(0, 114, 178);

/// Every mark once, in panels of their own.
pub fn every_mark() -> Figure {
    let frames = [
        ("rects", rects()),
        ("strips", strips()),
        ("lines", lines()),
        ("arrows", arrows()),
        ("shapes", shapes()),
        ("labels", labels()),
    ];
    let panel = |(number, (name, scene)): (usize, (&'static str, Scene))| {
        let (x, y) = ((number % 2) as f64 * 200.0 + 10.0, (number / 2) as f64 * 110.0 + 10.0);
        Panel {
            name,
            frame: Bounds::new(x, y, x + 180.0, y + 100.0),
            view: Bounds::new(0.0, 0.0, 180.0, 100.0),
            scene,
            clipped: true,
            as_image: false,
        }
    };
    Figure {
        width: 400.0,
        height: 340.0,
        background: Color::rgb(255, 255, 255),
        description: "Every mark. For people who check the drawing.".to_owned(),
        panels: frames.into_iter().enumerate().map(panel).collect(),
    }
}

fn scene(layers: Vec<Layer>) -> Scene {
    Scene { layers, ..Scene::default() }
}

fn rects() -> Scene {
    let mut titles = Titles::default();
    let mut all = Vec::new();
    let patterns = [Pattern::Plain, Pattern::Hatch, Pattern::Diagonal, Pattern::Cross];
    for (number, pattern) in patterns.into_iter().enumerate() {
        let x = number as f64 * 45.0;
        let title = titles.add(format!("{pattern:?} <&>"));
        let plain = Rect::plain(Bounds::new(x, 0.0, x + 40.0, 45.0), GREEN);
        all.push(Rect { pattern, title, ..plain });
        let edge = Color::rgb(0, 70, 110);
        let edged = Rect::plain(Bounds::new(x, 50.0, x + 40.0, 95.0), BLUE);
        all.push(Rect { pattern, edge, ..edged });
    }
    // It reaches out of the frame.
    let faint = Color { alpha: 100, ..ORANGE };
    all.push(Rect::plain(Bounds::new(150.0, 30.0, 1e9, 70.0), faint));
    Scene { layers: vec![Layer::Rects(all)], titles }
}

fn strips() -> Scene {
    let mut strips = Strips { palette: vec![GREEN, ORANGE, BLUE], ..Strips::default() };
    for row in 0..3 {
        let first = strips.columns.len();
        for column in 0..36u8 {
            let is_mixed = row > 0 && column % 12 > 4;
            let share = if is_mixed { 60 + column * 5 } else { 255 };
            let parts = [(0, share), (1, (255 - share) / 2)];
            let parts = parts.map(|(color, share)| ColumnPart { color, share });
            let rare = (row == 2 && column % 9 == 2).then_some(2);
            strips.push_column(parts, rare, is_mixed);
        }
        let y = f64::from(row) * 33.0;
        strips.strips.push(Strip {
            bounds: Bounds::new(0.0, y, 180.0, y + 28.0),
            columns: first..strips.columns.len(),
            pick: Pick::NOTHING,
        });
    }
    scene(vec![Layer::Strips(strips)])
}

fn lines() -> Scene {
    let mut lines = Lines::default();
    let point = Point::new;
    lines.add([point(0.0, 90.0), point(180.0, 90.0)], BLACK, 1.0);
    lines.add([point(10.0, 0.0), point(10.0, 100.0)], BLACK, 1.0);
    let steps = [(10.0, 80.0), (60.0, 80.0), (60.0, 30.0), (120.0, 30.0), (120.0, 60.0)];
    lines.add(steps.map(|(x, y)| point(x, y)), BLUE, 2.0);
    lines.add([point(10.0, 90.0), point(80.0, 50.0), point(1e7, -1e7)], ORANGE, 1.5);
    lines.add([point(10.0, 20.0), point(180.0, 70.0)], GREEN, 1.0);
    lines.lines[4].dashed = true;
    scene(vec![Layer::Lines(lines)])
}

fn arrows() -> Scene {
    let center = Point::new(60.0, 50.0);
    let arrow = |from: Point, to: Point, color: Color, width: f64| Arrow {
        from,
        to,
        color,
        width,
        head: true,
        dot: true,
        title: Title::NONE,
        pick: Pick::NOTHING,
    };
    let mut all: Vec<Arrow> = (0..12)
        .map(|number| {
            let angle = f64::from(number) * std::f64::consts::PI / 6.0;
            let end = Point::new(center.x + 45.0 * angle.cos(), center.y + 45.0 * angle.sin());
            arrow(center, end, BLUE, 1.0)
        })
        .collect();
    let faint = Color { alpha: 110, ..ORANGE };
    all.push(arrow(Point::new(115.0, 15.0), Point::new(170.0, 85.0), faint, 6.0));
    all.push(arrow(Point::new(170.0, 15.0), Point::new(115.0, 85.0), faint, 3.0));
    all.push(arrow(Point::new(140.0, 10.0), Point::new(143.0, 10.0), GREEN, 1.0));
    all.push(arrow(Point::new(140.0, 92.0), Point::new(1e9, 92.0), GREEN, 1.0));
    scene(vec![Layer::Arrows(all)])
}

fn shapes() -> Scene {
    let all = [Shape::Triangle, Shape::Diamond, Shape::Disc, Shape::Square, Shape::Bar];
    let glyph = |(number, shape): (usize, Shape)| Glyph {
        at: Point::new(15.0 + number as f64 * 35.0, 20.0),
        shape,
        size: 12.0,
        color: BLACK,
        title: Title::NONE,
        pick: Pick::NOTHING,
    };
    let mut polygons = Polygons::default();
    let point = Point::new;
    polygons.add([point(5.0, 95.0), point(40.0, 45.0), point(75.0, 95.0)], GREEN);
    polygons.add([point(40.0, 45.0), point(110.0, 45.0), point(75.0, 95.0)], ORANGE);
    let last = polygons.add([point(115.0, 50.0), point(175.0, 60.0), point(130.0, 95.0)], CLEAR);
    last.edge = BLUE;
    scene(vec![
        Layer::Polygons(polygons),
        Layer::Glyphs(all.into_iter().enumerate().map(glyph).collect()),
    ])
}

/// A plain text that begins at a place.
pub fn label(x: f64, y: f64, text: &str) -> Label {
    Label {
        at: Point::new(x, y),
        text: text.to_owned(),
        size: 12.0,
        weight: Weight::Regular,
        color: BLACK,
        align: Align::Start,
        rise: Rise::Baseline,
        turn: 0.0,
        length: Font::Regular.width(text, 12.0),
        title: Title::NONE,
        pick: Pick::NOTHING,
    }
}

fn labels() -> Scene {
    let bold = Font::Bold.width("Bold title", 15.0);
    let all = vec![
        Label { weight: Weight::Bold, size: 15.0, length: bold, ..label(25.0, 15.0, "Bold title") },
        label(25.0, 40.0, "start <&\"'>"),
        Label { align: Align::Middle, ..label(100.0, 60.0, "middle  12.5 %") },
        Label { align: Align::End, ..label(175.0, 80.0, "AVATAR To 1.2340 s") },
        Label { align: Align::Middle, rise: Rise::Top, turn: -90.0, ..label(5.0, 50.0, "turned") },
        Label { rise: Rise::Middle, ..label(25.0, 92.0, "\u{1}bell µs ♞") },
    ];
    scene(vec![Layer::Labels(all)])
}
