//! Traces and pictures at the edge of what there is.

use onca_model::Window;
use onca_scene::{Figure, Layer};
use onca_testkit::fixtures;
use onca_views::timeline::{TimelineOptions, figure};
use onca_views::{Paper, ViewError};

use super::marks::{inside, labels_of, rects_of, strips_of};
use crate::support::Stored;

fn drawn(stored: &Stored, window: Window, paper: &Paper) -> Result<Figure, ViewError> {
    let scope = stored.scope(window);
    figure(&scope, &stored.appearance(), paper, &TimelineOptions::default())
}

fn whole(text: &str) -> (Stored, Figure) {
    let stored = Stored::new(text);
    let figure = drawn(&stored, stored.whole(), &Paper::default()).expect("a figure");
    (stored, figure)
}

fn timeline_of(figure: &Figure) -> &onca_scene::Panel {
    figure.panels.iter().find(|panel| panel.name == "timeline").expect("a timeline")
}

fn flat(n: usize) -> String {
    let mut text = fixtures::header() + "1 P 0 Proc\n2 S P St\n";
    for process in 0..n {
        text += &format!("7 0 p{process} P 0 process{process}\n");
    }
    text
}

#[test]
fn an_empty_trace_says_that_there_is_nothing() {
    let stored = Stored::new(&fixtures::header());
    let error = drawn(&stored, stored.whole(), &Paper::default()).expect_err("nothing to draw");
    assert_eq!(error.to_string(), "there is no container to show");
}

#[test]
fn a_picture_without_room_says_so() {
    let stored = Stored::new(&(flat(1) + "12 0 S p0 a\n12 9 S p0 b\n"));
    for paper in [
        Paper { width: 30.0, ..Paper::default() },
        Paper { height: Some(40.0), ..Paper::default() },
    ] {
        let error = drawn(&stored, stored.whole(), &paper).expect_err("no room");
        assert!(error.to_string().contains("too small"), "{error}");
    }
}

#[test]
fn one_container_without_anything_has_a_row() {
    let (_, figure) = whole(&(flat(1) + "8 5 P p0\n"));
    assert!(labels_of(&figure).iter().any(|(_, text)| text == "process0"));
    assert_eq!(rects_of(&timeline_of(&figure).scene).len(), 0);
}

#[test]
fn one_instant_leaves_a_mark() {
    let (_, figure) = whole(&(flat(1) + "13 0 S p0 a\n14 0 S p0\n"));
    let panel = timeline_of(&figure);
    let rects = rects_of(&panel.scene);
    assert_eq!(rects.len(), 1);
    assert!(panel.place_bounds(&rects[0].0.bounds).width() >= 1.0);
    assert_eq!(inside(&panel.scene, &panel.view), Vec::<String>::new());
}

#[test]
fn ten_thousand_rows_share_four_hundred_pixels() {
    let mut text = flat(10_000);
    for process in 0..10_000 {
        text += &format!("12 {} S p{process} a\n", process % 7);
    }
    text += "12 100 S p0 b\n";
    let stored = Stored::new(&text);
    let paper = Paper { height: Some(400.0), source: Some("t".to_owned()), ..Paper::default() };
    let figure = drawn(&stored, stored.whole(), &paper).expect("a figure");
    assert_eq!(figure.height, 400.0);
    let panel = timeline_of(&figure);
    let strips = strips_of(&panel.scene);
    assert!(strips.len() as f64 <= panel.frame.height(), "{}", strips.len());
    assert!(strips.len() >= 100, "the room is used: {}", strips.len());
    for (_, strip) in &strips {
        assert!(panel.place_bounds(&strip.bounds).height() >= 1.0);
    }
    let texts: Vec<String> = labels_of(&figure).into_iter().map(|(_, text)| text).collect();
    assert!(texts.iter().any(|text| text.contains("neighbours share a row")), "{texts:?}");
}

#[test]
fn groups_are_collapsed_before_neighbours_are_merged() {
    let mut text = fixtures::header() + "1 M 0 Machine\n1 P M Proc\n2 S P St\n";
    for machine in 0..60 {
        text += &format!("7 0 m{machine} M 0 machine{machine}\n");
        for process in 0..20 {
            text += &format!("7 0 p{machine}_{process} P m{machine} p\n");
            text += &format!("12 0 S p{machine}_{process} a\n");
        }
    }
    text += "12 100 S p0_0 b\n";
    let stored = Stored::new(&text);
    let paper = Paper { height: Some(400.0), source: Some("t".to_owned()), ..Paper::default() };
    let figure = drawn(&stored, stored.whole(), &paper).expect("a figure");
    assert_eq!(strips_of(&timeline_of(&figure).scene).len(), 60);
    let texts: Vec<String> = labels_of(&figure).into_iter().map(|(_, text)| text).collect();
    assert!(texts.iter().any(|text| text.contains("sums up all below its Machine")), "{texts:?}");
}

#[test]
fn huge_and_tiny_times_are_drawn() {
    for (first, last) in
        [("0", "9000000000"), ("1e-9", "3e-9"), ("-5e8", "5e8"), ("1e9", "1000000001")]
    {
        let text = flat(2) + &format!("12 {first} S p0 a\n12 {first} S p1 b\n12 {last} S p0 b\n");
        let stored = Stored::new(&text);
        let window = Window::new(stored.trace.states[0].start, stored.whole().to);
        let figure = drawn(&stored, window, &Paper::default()).expect("a figure");
        let panel = timeline_of(&figure);
        let rects = rects_of(&panel.scene);
        let widest = rects
            .iter()
            .map(|(rect, _)| panel.place_bounds(&rect.bounds).width())
            .fold(0.0, f64::max);
        assert!((widest - panel.frame.width()).abs() < 1.0, "{first} {last}: {rects:?}");
        assert_eq!(inside(&panel.scene, &panel.view), Vec::<String>::new());
    }
}

#[test]
fn hostile_names_stay_in_their_place() {
    let long = "x".repeat(5000);
    let text = fixtures::header()
        + "1 P 0 Proc\n2 S P St\n"
        + &format!("7 0 a P 0 \"{long}\"\n7 0 b P 0 \"<script>&\u{202e}\u{1}\"\n")
        + &format!("12 0 S a \"{long}\"\n12 0 S b \"]]>\"\n12 5 S a z\n");
    let (_, figure) = whole(&text);
    for (place, text) in labels_of(&figure) {
        assert!(place.x0 >= 0.0 && place.x1 <= figure.width, "{text}");
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
}

#[test]
fn deep_nesting_becomes_shares() {
    let mut text = flat(1);
    (0..200).for_each(|depth| text += &format!("13 {depth} S p0 v{}\n", depth % 3));
    (0..200).for_each(|depth| text += &format!("14 {} S p0\n", 300 + depth));
    let (_, figure) = whole(&text);
    let panel = timeline_of(&figure);
    assert!(rects_of(&panel.scene).is_empty());
    let n_layers =
        panel.scene.layers.iter().filter(|layer| matches!(layer, Layer::Strips(_))).count();
    assert_eq!(n_layers, 1);
}
