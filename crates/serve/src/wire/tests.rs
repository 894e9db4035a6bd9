//! Scenes are read back by a small reader of their own.

use onca_model::Color;
use onca_scene::{
    Align, Arrow, CLEAR, ColumnPart, Glyph, Label, Layer, Lines, Pattern, Pick, Point, Polygons,
    Rect, Rise, Shape, Strips, Title, Titles, Weight,
};
use serde_json::{Value, json};

use super::*;

/// A scene as a page reads it.
struct Read {
    header: Value,
    body: Vec<u8>,
}

impl Read {
    fn new(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((&bytes[..4], word(4)), (&b"ONCS"[..], 1));
        let end = 12 + word(8) as usize;
        assert_eq!(end % 8, 0);
        let header = serde_json::from_slice(&bytes[12..end]).expect("the header is JSON");
        Self { header, body: bytes[end..].to_vec() }
    }

    fn column(&self, layer: usize, name: &str) -> Vec<f64> {
        let place = &self.header["layers"][layer]["columns"][name];
        let (kind, offset, length) = (&place[0], place[1].as_u64(), place[2].as_u64());
        let (offset, length) = (offset.unwrap() as usize, length.unwrap() as usize);
        assert_eq!(offset % 8, 0, "{name}");
        let bytes = &self.body[offset..];
        let read = |index: usize| match kind.as_str().unwrap() {
            "u8" => f64::from(bytes[index]),
            "u16" => f64::from(u16::from_le_bytes(bytes[2 * index..][..2].try_into().unwrap())),
            "u32" => f64::from(u32::from_le_bytes(bytes[4 * index..][..4].try_into().unwrap())),
            "f32" => f64::from(f32::from_le_bytes(bytes[4 * index..][..4].try_into().unwrap())),
            other => panic!("{other} is no type of a column"),
        };
        (0..length).map(read).collect()
    }

    /// The picks of a layer, put together from their halves.
    fn picks(&self, layer: usize) -> Vec<Option<Pick>> {
        let halves = self.column(layer, "pick_lo").into_iter().zip(self.column(layer, "pick_hi"));
        halves.map(|(lo, hi)| Pick::from_bits((hi as u64) << 32 | lo as u64)).collect()
    }
}

const RED: Color = Color::rgb(255, 0, 0);

fn sent(layers: Vec<Layer>, titles: Titles) -> Read {
    let scene = Scene { layers, titles };
    let notes = ["two rows share a line".to_owned()];
    let about = &AboutScene { ms: 3.0, ..AboutScene::default() };
    let view = Bounds::new(0.0, 0.0, 100.0, 50.0);
    Read::new(&SentScene { scene: &scene, view, notes: &notes, about }.encode())
}

#[test]
fn rectangles_keep_places_colours_titles_and_picks() {
    let mut titles = Titles::default();
    let title = titles.add("é \"quoted\"");
    let pick = Pick::Entity { lane: 0x0abc_def0, row: 0xdead_beef };
    let rect = Rect {
        pattern: Pattern::Cross,
        title,
        pick,
        ..Rect::plain(
            Bounds::new(1.5, 2.0, 3.0, 4.0),
            Color { red: 1, green: 2, blue: 3, alpha: 4 },
        )
    };
    let read = sent(vec![Layer::Rects(vec![rect, Rect::plain(rect.bounds, RED)])], titles);
    assert_eq!(read.header["layers"][0]["kind"], "rects");
    assert_eq!(read.header["layers"][0]["n"], 2);
    assert_eq!(read.column(0, "x0"), [1.5, 1.5]);
    assert_eq!(read.column(0, "y1"), [4.0, 4.0]);
    assert_eq!(read.column(0, "fill"), [f64::from(0x0403_0201), f64::from(0xff00_00ff_u32)]);
    assert_eq!(read.column(0, "edge"), [0.0, 0.0]);
    assert_eq!(read.column(0, "pattern"), [3.0, 0.0]);
    assert_eq!(read.column(0, "title"), [1.0, 0.0]);
    assert_eq!(read.picks(0), [Some(pick), Some(Pick::Nothing)]);
    assert_eq!(read.header["texts"][0], "é \"quoted\"");
}

#[test]
fn the_header_says_what_the_picture_is() {
    let read = sent(Vec::new(), Titles::default());
    assert_eq!(read.header["schema"], "onca-scene/1");
    assert_eq!(read.header["view"], json!({"x0": 0.0, "y0": 0.0, "x1": 100.0, "y1": 50.0}));
    assert_eq!(read.header["exact"], false);
    assert_eq!(read.header["notes"][0], "two rows share a line");
    assert_eq!(read.header["ms"], 3.0);
    assert!(read.body.is_empty());
}

#[test]
fn strips_have_columns_with_parts() {
    let mut strips = Strips { palette: vec![RED, CLEAR], ..Strips::default() };
    let part = |color, share| ColumnPart { color, share };
    let bounds = Bounds::new(0.0, 0.0, 2.0, 9.0);
    strips.push_column([part(0, 200), part(1, 55)], None, true);
    strips.push_strip(bounds, Pick::Node(7));
    strips.push_column([part(0, 200), part(1, 55)], None, true);
    (0..300).for_each(|_| strips.push_column([part(0, 200)], None, false));
    strips.push_column([], Some(1), false);
    strips.push_strip(bounds, Pick::Node(7));
    let read = sent(vec![Layer::Strips(strips)], Titles::default());
    assert_eq!(read.column(0, "first_run"), [0.0, 1.0]);
    assert_eq!(read.column(0, "n_columns"), [1.0, 302.0]);
    assert_eq!(read.column(0, "repeat"), [1.0, 1.0, 255.0, 45.0, 1.0]);
    assert_eq!(read.column(0, "n_parts"), [2.0, 2.0, 1.0, 1.0, 0.0]);
    assert_eq!(read.column(0, "look"), [1.0, 1.0, 0.0, 0.0, 2.0]);
    assert_eq!(read.column(0, "rare"), [1.0]);
    assert_eq!(read.column(0, "color"), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(read.column(0, "share"), [200.0, 55.0, 200.0, 55.0, 200.0, 200.0]);
    assert_eq!(read.column(0, "palette"), [f64::from(0xff00_00ff_u32), 0.0]);
    assert_eq!(read.picks(0), [Some(Pick::Node(7)); 2]);
}

#[test]
fn lines_and_polygons_have_their_points_in_turn() {
    let point = Point::new;
    let mut lines = Lines::default();
    lines.add([point(0.0, 1.0), point(2.0, 3.0)], RED, 1.5);
    lines.add([point(4.0, 5.0); 3], RED, 1.0);
    // In another order than their points, as nothing forbids.
    lines.lines.reverse();
    let mut polygons = Polygons::default();
    polygons.add([point(1.0, 1.0); 4], RED).edge = RED;
    let read = sent(vec![Layer::Lines(lines), Layer::Polygons(polygons)], Titles::default());
    assert_eq!(read.column(0, "first_point"), [0.0, 3.0, 5.0]);
    assert_eq!(read.column(0, "x"), [4.0, 4.0, 4.0, 0.0, 2.0]);
    assert_eq!(read.column(0, "y"), [5.0, 5.0, 5.0, 1.0, 3.0]);
    assert_eq!(read.column(0, "width"), [1.0, 1.5]);
    assert_eq!(read.column(0, "dashed"), [0.0, 0.0]);
    assert_eq!(read.column(1, "first_point"), [0.0, 4.0]);
    assert_eq!(read.column(1, "edge"), [f64::from(0xff00_00ff_u32)]);
}

#[test]
fn arrows_glyphs_and_labels_keep_their_kind() {
    let at = Point::new(8.0, 9.0);
    let (title, pick) = (Title::NONE, Pick::Value(3));
    let arrow = |head, dot| Arrow {
        from: at,
        to: Point::new(1.0, 2.0),
        color: RED,
        width: 2.0,
        head,
        dot,
        title,
        pick,
    };
    let glyph = Glyph { at, shape: Shape::Bar, size: 6.0, color: RED, title, pick };
    let mut titles = Titles::default();
    let title = titles.add("a title");
    let label = Label {
        at,
        text: "a label".to_owned(),
        size: 11.0,
        weight: Weight::Bold,
        color: RED,
        align: Align::End,
        rise: Rise::Middle,
        turn: 90.0,
        length: 33.5,
        title,
        pick,
    };
    let arrows = Layer::Arrows(vec![arrow(true, false), arrow(true, true)]);
    let layers = vec![arrows, Layer::Glyphs(vec![glyph]), Layer::Labels(vec![label])];
    let read = sent(layers, titles);
    assert_eq!(read.column(0, "ends"), [1.0, 3.0]);
    assert_eq!((read.column(0, "x0")[0], read.column(0, "x1")[0]), (8.0, 1.0));
    assert_eq!((read.column(1, "shape"), read.column(1, "size")), (vec![4.0], vec![6.0]));
    assert_eq!(read.header["texts"], json!(["a title", "a label"]));
    assert_eq!((read.column(2, "text"), read.column(2, "title")), (vec![1.0], vec![1.0]));
    let small = ["bold", "align", "rise", "turn", "length"].map(|name| read.column(2, name)[0]);
    assert_eq!(small, [1.0, 2.0, 1.0, 90.0, 33.5]);
    assert_eq!(read.picks(2), [Some(pick)]);
}
