//! What is seen.

use crate::support;

use onca_draw::DrawError;
use onca_model::Color;
use onca_scene::{
    Arrow, Bounds, Figure, Layer, Lines, Panel, Pattern, Pick, Point, Rect, Scene, Title,
};

const RED: Color = Color::rgb(255, 0, 0);
const BLUE: Color = Color::rgb(0, 0, 255);
const WHITE: Color = Color::rgb(255, 255, 255);

/// A figure of 100 × 60 pixels with a panel in its middle.
fn figure(layer: Layer, clipped: bool) -> Figure {
    let scene = Scene { layers: vec![layer], ..Scene::default() };
    let panel = Panel {
        name: "test",
        frame: Bounds::new(20.0, 10.0, 80.0, 50.0),
        view: Bounds::new(0.0, 0.0, 60.0, 40.0),
        scene,
        clipped,
        as_image: false,
    };
    Figure {
        width: 100.0,
        height: 60.0,
        background: WHITE,
        description: String::new(),
        panels: vec![panel],
    }
}

struct Picture {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Picture {
    fn of(figure: &Figure, scale: f64) -> Self {
        let png = onca_draw::png(figure, scale).expect("a picture");
        let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().expect("a header");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a small picture")];
        let info = reader.next_frame(&mut bytes).expect("pixels");
        assert_eq!(info.color_type, png::ColorType::Rgb);
        Self { width: info.width, height: info.height, bytes }
    }

    fn at(&self, x: u32, y: u32) -> Color {
        let first = ((y * self.width + x) * 3) as usize;
        Color::rgb(self.bytes[first], self.bytes[first + 1], self.bytes[first + 2])
    }

    /// All pixels that are not white.
    fn painted(&self) -> Vec<(u32, u32)> {
        let all = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        all.filter(|&(x, y)| self.at(x, y) != WHITE).collect()
    }
}

#[test]
fn a_picture_has_the_size_of_its_figure_times_the_scale() {
    let empty = figure(Layer::Rects(Vec::new()), false);
    for (scale, size) in [(1.0, (100, 60)), (2.5, (250, 150)), (0.333, (33, 20)), (0.001, (1, 1))] {
        let picture = Picture::of(&empty, scale);
        assert_eq!((picture.width, picture.height), size);
        assert!(picture.painted().is_empty());
    }
}

#[test]
fn a_panel_looks_the_same_as_an_image() {
    let rect = Rect::plain(Bounds::new(5.0, 5.0, 40.0, 30.0), RED);
    let shapes = figure(Layer::Rects(vec![rect]), false);
    let mut image = shapes.clone();
    image.panels[0].as_image = true;
    assert!(
        onca_draw::svg(&image).contains("<image") && !onca_draw::svg(&shapes).contains("<image")
    );
    for scale in [1.0, 2.0] {
        let (shapes, image) = (Picture::of(&shapes, scale), Picture::of(&image, scale));
        assert_eq!(shapes.painted(), image.painted());
        // In the middle of the rectangle, which begins where the frame does.
        let pixel = |length: f64| (length * scale) as u32;
        assert_eq!(image.at(pixel(42.0), pixel(27.0)), RED);
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let empty = figure(Layer::Rects(Vec::new()), false);
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(onca_draw::png(&empty, scale), Err(DrawError::Scale(_))), "{scale}");
    }
    let error = onca_draw::png(&empty, 1000.0).expect_err("too large");
    assert_eq!(
        error.to_string(),
        "a picture of 100000 × 60000 pixels is too large: 67108864 pixels can be drawn, which a \
         scale of 105.75 or a smaller figure gives"
    );
    let flat = Figure { height: 0.0, ..empty };
    assert_eq!(onca_draw::png(&flat, 1.0), Err(DrawError::Empty));
    assert_eq!(onca_draw::pdf(&flat), Err(DrawError::Empty));
}

#[test]
fn what_reaches_out_of_a_clipped_frame_is_cut_off() {
    let rect = Rect::plain(Bounds::new(-1e9, 5.0, 1e9, 15.0), RED);
    let clipped = Picture::of(&figure(Layer::Rects(vec![rect]), true), 1.0);
    let expected = (15..25).flat_map(|y| (20..80).map(move |x| (x, y)));
    assert_eq!(clipped.painted(), expected.collect::<Vec<_>>());
    let open = Picture::of(&figure(Layer::Rects(vec![rect]), false), 1.0);
    assert_eq!(open.painted().len(), 100 * 10);
}

#[test]
fn a_line_from_far_away_comes_where_it_should() {
    let mut lines = Lines::default();
    lines.add([Point::new(-1e9, -1e9), Point::new(1e9, 1e9)], RED, 1.0);
    let picture = Picture::of(&figure(Layer::Lines(lines), true), 1.0);
    assert!((0..40).all(|step| picture.at(20 + step, 10 + step) != WHITE));
    assert_eq!(picture.at(40, 20), WHITE);
}

#[test]
fn rectangles_that_touch_leave_no_gap() {
    for scale in [1.0, 1.37, 2.0] {
        let rects = (0..18).map(|number| {
            let x = f64::from(number) * (60.0 / 18.0);
            Rect::plain(
                Bounds::new(x, 0.0, x + 60.0 / 18.0, 40.0),
                [RED, BLUE][number as usize % 2],
            )
        });
        let picture = Picture::of(&figure(Layer::Rects(rects.collect()), true), scale);
        let inside = |from: f64, to: f64| (from * scale).ceil() as u32..(to * scale).floor() as u32;
        for x in inside(21.0, 79.0) {
            for y in inside(11.0, 49.0) {
                assert!([RED, BLUE].contains(&picture.at(x, y)), "{x}, {y} at {scale}");
            }
        }
    }
}

#[test]
fn an_edge_is_one_pixel_wide_and_inside() {
    let bounds = Bounds::new(10.0, 10.0, 30.0, 20.0);
    let rect = Rect { edge: BLUE, ..Rect::plain(bounds, RED) };
    let picture = Picture::of(&figure(Layer::Rects(vec![rect]), true), 1.0);
    assert_eq!(picture.painted().len(), 20 * 10);
    let is_edge = |x: u32, y: u32| x == 30 || x == 49 || y == 20 || y == 29;
    for (x, y) in picture.painted() {
        assert_eq!(picture.at(x, y), if is_edge(x, y) { BLUE } else { RED }, "{x}, {y}");
    }
}

#[test]
fn patterns_change_what_is_seen_inside_and_nothing_outside() {
    let bounds = Bounds::new(10.0, 10.0, 30.0, 30.0);
    let painted = |pattern| {
        let rect = Rect { pattern, ..Rect::plain(bounds, BLUE) };
        let picture = Picture::of(&figure(Layer::Rects(vec![rect]), true), 1.0);
        assert_eq!(picture.painted().len(), 400, "{pattern:?}");
        let marked = |&(x, y): &(u32, u32)| picture.at(x, y) != BLUE;
        picture.painted().iter().filter(|place| marked(place)).count()
    };
    assert_eq!(painted(Pattern::Plain), 0);
    let [hatch, diagonal, cross] = [Pattern::Hatch, Pattern::Diagonal, Pattern::Cross].map(painted);
    assert!((50..300).contains(&hatch), "{hatch}");
    assert!((20..80).contains(&diagonal), "{diagonal}");
    assert!(cross > diagonal && cross < 2 * diagonal + 8, "{cross} and {diagonal}");
}

#[test]
fn an_arrow_has_its_head_where_it_points() {
    let ends = |from: (f64, f64), to: (f64, f64)| {
        let arrow = Arrow {
            from: Point::new(from.0, from.1),
            to: Point::new(to.0, to.1),
            color: RED,
            width: 1.0,
            head: true,
            dot: false,
            title: Title::NONE,
            pick: Pick::NOTHING,
        };
        let painted = Picture::of(&figure(Layer::Arrows(vec![arrow]), true), 4.0).painted();
        let near = |(x, y): (f64, f64)| {
            let (x, y) = ((x + 20.0) * 4.0, (y + 10.0) * 4.0);
            let apart = |&&(px, py): &&(u32, u32)| (f64::from(px) - x).hypot(f64::from(py) - y);
            painted.iter().filter(|place| apart(place) < 28.0).count()
        };
        (near(from), near(to))
    };
    for number in 0..16 {
        let angle = f64::from(number) * std::f64::consts::TAU / 16.0;
        let to = (30.0 + 18.0 * angle.cos(), 20.0 + 18.0 * angle.sin());
        let (tail, tip) = ends((30.0, 20.0), to);
        assert!(tip as f64 > 1.5 * tail as f64, "{tip} pixels at the tip, {tail} at the tail");
    }
}

#[test]
fn texts_are_drawn_in_the_bundled_font() {
    let sample = support::sample::every_mark();
    let labels = sample.panels.iter().find(|panel| panel.name == "labels").expect("a panel");
    let frame = labels.frame;
    let picture = Picture::of(&sample, 1.0);
    let inside = |&&(x, y): &&(u32, u32)| {
        let (x, y) = (f64::from(x), f64::from(y));
        frame.x0 <= x && x < frame.x1 && frame.y0 <= y && y < frame.y1
    };
    let painted = picture.painted();
    assert!(painted.iter().filter(inside).count() > 500);
}
