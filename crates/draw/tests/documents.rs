//! What is written is well-formed, safe, short and always the same.

use crate::support;

use onca_layout::text::Font;
use onca_model::Color;
use onca_scene::{
    Bounds, ColumnPart, Figure, Label, Layer, Panel, Pick, Rect, Scene, Strip, Strips, Titles,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use roxmltree::Document;

const BLACK: Color = Color::rgb(0, 0, 0);

fn page(width: f64, height: f64, scene: Scene) -> Figure {
    let mut figure = Figure {
        width,
        height,
        background: Color::rgb(255, 255, 255),
        description: String::new(),
        panels: Vec::new(),
    };
    figure.panels.push(Panel::on_page("test", figure.page(), scene));
    figure
}

fn scene(layer: Layer) -> Scene {
    Scene { layers: vec![layer], ..Scene::default() }
}

fn hostile_figure(name: &str) -> Figure {
    let mut titles = Titles::default();
    let title = titles.add(name);
    let label = Label { title, ..support::sample::label(10.0, 20.0, name) };
    let rect = Rect { title, ..Rect::plain(Bounds::new(0.0, 0.0, 50.0, 50.0), BLACK) };
    let layers = vec![Layer::Rects(vec![rect]), Layer::Labels(vec![label])];
    let mut figure = page(100.0, 50.0, Scene { layers, titles });
    figure.description = format!("{name}. {name}");
    figure
}

#[test]
fn every_mark_is_well_formed() {
    let svg = onca_draw::svg(&support::sample::every_mark());
    let document = Document::parse(&svg).expect("well-formed");
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let text = |tag: &str| {
        root.children().find(|node| node.has_tag_name(tag)).and_then(|node| node.text())
    };
    assert_eq!(text("title"), Some("Every mark"));
    assert_eq!(text("desc"), Some("For people who check the drawing."));
    let panels: Vec<&str> = root.children().filter_map(|node| node.attribute("class")).collect();
    assert_eq!(panels, ["rects", "strips", "lines", "arrows", "shapes", "labels"]);
}

#[test]
fn names_cannot_break_out_of_their_place() {
    let names = [
        "</text></svg><script>alert(1)</script>",
        "a\" onload=\"x",
        "]]><!--",
        "&amp;&#0;",
        "\0\u{1}\u{8}\u{b}\u{1f}\u{7f}\u{85}\u{fffe}\u{ffff}",
        "line\r\nfeed\ttab",
        "\u{202e}right to left\u{2066}",
        "🦀 ﷽ é ⓪",
    ];
    for name in names {
        let figure = hostile_figure(name);
        let svg = onca_draw::svg(&figure);
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        assert!(!document.descendants().any(|node| node.has_tag_name("script")));
        let tags = document.descendants().filter(|node| node.is_element()).count();
        // The root with two texts and a background, the panel, and in it a rectangle and a label,
        // each with a title and in a group.
        assert_eq!(tags, 11, "{name:?}: {svg}");
        assert!(document.descendants().all(|node| node.attribute("onload").is_none()));
        onca_draw::png(&figure, 1.0).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        onca_draw::pdf(&figure).unwrap_or_else(|error| panic!("{name:?}: {error}"));
    }
}

#[test]
fn a_name_without_surprises_is_read_back() {
    let svg = onca_draw::svg(&hostile_figure("a < b && \"c\"  d"));
    let document = Document::parse(&svg).expect("well-formed");
    let text = document.descendants().find(|node| node.has_tag_name("text")).expect("a text");
    assert_eq!(text.last_child().and_then(|node| node.text()), Some("a < b && \"c\"  d"));
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let figure = support::sample::every_mark();
    assert_eq!(onca_draw::svg(&figure), onca_draw::svg(&figure.clone()));
    assert_eq!(onca_draw::png(&figure, 1.5), onca_draw::png(&figure.clone(), 1.5));
    let pdf = onca_draw::pdf(&figure).expect("a document");
    assert_eq!(Ok(&pdf), onca_draw::pdf(&figure.clone()).as_ref());
    assert!(pdf.starts_with(b"%PDF"));
    let says = |words: &[u8]| pdf.windows(words.len()).any(|bytes| bytes == words);
    assert!(!says(b"CreationDate"));
    // Texts are texts: the fonts are inside, with what their glyphs mean.
    assert!(says(b"NotoSans-Bold") && says(b"/ToUnicode"));
}

#[test]
fn texts_keep_to_their_measured_length() {
    let svg = onca_draw::svg(&hostile_figure("rank 12"));
    let document = Document::parse(&svg).expect("well-formed");
    let text = document.descendants().find(|node| node.has_tag_name("text")).expect("a text");
    let length: f64 = text.attribute("textLength").expect("a length").parse().expect("a number");
    assert!((length - Font::Regular.width("rank 12", 12.0)).abs() <= 0.005);
}

#[test]
fn neighbours_share_the_very_same_edge() {
    let third = 100.0 / 3.0;
    let rects = (0..3).map(|number| {
        let x = f64::from(number) * third;
        Rect::plain(Bounds::new(x, 0.0, x + third, 10.0), BLACK)
    });
    let svg = onca_draw::svg(&page(100.0, 10.0, scene(Layer::Rects(rects.collect()))));
    assert!(svg.contains("d=\"M0 0H33.33V10H0M33.33 0H66.67V10H33.33M66.67 0H100V10H66.67\""));
}

#[test]
fn noise_on_512_rows_stays_below_5_megabytes() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let colors = (0..8).map(|number| Color::rgb(number * 30, 255 - number * 30, number * 7));
    let mut strips = Strips { palette: colors.collect(), ..Strips::default() };
    for row in 0..512 {
        let first = strips.columns.len();
        for _ in 0..1500 {
            let (low, high) = (random.random_range(0..128), random.random_range(0..127));
            let part = |share| ColumnPart { color: random.random_range(0..8), share };
            let parts = [low, high, 255 - low - high].map(part);
            let rare = random.random_bool(0.05).then_some(3);
            strips.push_column(parts, rare, random.random_bool(0.5));
        }
        let y = f64::from(row) * 6.0;
        strips.strips.push(Strip {
            bounds: Bounds::new(0.0, y, 1500.0, y + 5.0),
            columns: first..strips.columns.len(),
            pick: Pick::NOTHING,
        });
    }
    let svg = onca_draw::svg(&page(1500.0, 3072.0, scene(Layer::Strips(strips))));
    assert!(svg.len() < 5_000_000, "{} bytes", svg.len());
    Document::parse(&svg).expect("well-formed");
}

#[test]
fn a_figure_may_be_empty() {
    let figure = page(10.0, 10.0, Scene::default());
    Document::parse(&onca_draw::svg(&figure)).expect("well-formed");
    let figure = page(0.0, 0.0, Scene::default());
    Document::parse(&onca_draw::svg(&figure)).expect("well-formed");
}
