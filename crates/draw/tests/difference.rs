//! Treemaps of what changed between two windows.

use crate::support;

use std::collections::BTreeMap;

use onca_model::Window;
use onca_query::palette::diverging;
use onca_scene::Rect;
use onca_testkit::fixtures::trace;
use onca_views::{
    Canvas, Drawn, Paper, Theme,
    options::LevelOptions,
    treemap::{self, TreemapOptions},
};
use support::{
    Stored, against,
    shapes::{rects, texts_are_apart, title},
};

const CANVAS: Canvas = Canvas { width: 600.0, height: 424.0, theme: Theme::Light, titles: true };
const SECOND: i64 = 1_000_000_000;

/// `A` runs all the time. `B` runs for 1 s and waits for 3 s, then sleeps for half of 2 s.
fn stored() -> Stored {
    Stored::from_text(&trace(
        "13 0 S a run\n13 0 S b run\n14 1 S b\n13 1 S b wait\n14 4 S b\n13 4 S b sleep\n\
         14 5 S b\n14 6 S a\n",
    ))
}

/// The last 2 s compared with the first 4 s.
fn compared(stored: &Stored) -> Drawn {
    let scope = stored.window(Window::new(4 * SECOND, 6 * SECOND));
    let against = against(0, 4 * SECOND);
    let options = TreemapOptions { against, headers: false, ..TreemapOptions::default() };
    treemap::scene(&scope, &stored.appearance, &CANVAS, &options).expect("a treemap")
}

fn by_title(drawn: &Drawn) -> BTreeMap<&str, &Rect> {
    let named = rects(&drawn.scene).into_iter().map(|rect| (title(&drawn.scene, rect), rect));
    named.filter(|(title, _)| !title.is_empty()).collect()
}

#[test]
fn areas_are_means_and_colours_are_changes() {
    let stored = stored();
    let drawn = compared(&stored);
    let found = by_title(&drawn);
    // Per second of its window: then and now.
    let expected = [
        ("/A\nrun  100.0 % → 100.0 %", 1.0, 1.0),
        ("/B\nrun  25.0 % → 0.0 %", 0.25, 0.0),
        ("/B\nsleep  0.0 % → 50.0 %", 0.0, 0.5),
        ("/B\nwait  75.0 % → 0.0 %", 0.75, 0.0),
    ];
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), expected.map(|(title, ..)| title));
    let whole: f64 = expected.iter().map(|(_, then, now)| then + now).sum();
    for (title, then, now) in expected {
        let rect = found[title];
        let share = rect.bounds.width() * rect.bounds.height() / (600.0 * 400.0);
        // Boxes are on whole pixels.
        assert!((share - (then + now) / whole).abs() < 0.01, "{title}: {share}");
        assert_eq!(rect.fill, diverging((now - then) / (now + then)), "{title}");
    }
}

#[test]
fn groups_tell_the_change_of_all_they_hold() {
    let stored = stored();
    let scope = stored.window(Window::new(4 * SECOND, 6 * SECOND));
    let against = against(0, 4 * SECOND);
    let options =
        TreemapOptions { against, level: LevelOptions::at_depth(0), ..TreemapOptions::default() };
    let drawn = treemap::scene(&scope, &stored.appearance, &CANVAS, &options).expect("a treemap");
    let titles: Vec<&str> = by_title(&drawn).into_keys().collect();
    // Shares are those of both containers.
    let expected =
        ["/\nrun  62.5 % → 50.0 %", "/\nsleep  0.0 % → 25.0 %", "/\nwait  37.5 % → 0.0 %"];
    assert_eq!(titles, expected);
}

#[test]
fn a_window_compared_with_itself_has_no_colour() {
    let stored = stored();
    let window = Window::new(SECOND, 3 * SECOND);
    let options =
        TreemapOptions { against: against(window.from, window.to), ..TreemapOptions::default() };
    let drawn = treemap::scene(&stored.window(window), &stored.appearance, &CANVAS, &options);
    let drawn = drawn.expect("a treemap");
    for (title, rect) in by_title(&drawn).into_iter().filter(|(title, _)| title.contains('→')) {
        assert_eq!(rect.fill, diverging(0.0), "{title}");
    }
}

#[test]
fn a_page_says_what_is_compared() {
    let stored = stored();
    let scope = stored.window(Window::new(4 * SECOND, 6 * SECOND));
    let against = against(0, 4 * SECOND);
    let options = TreemapOptions { against, ..TreemapOptions::default() };
    let paper = Paper { width: 420.0, source: Some("t".to_owned()), ..Paper::default() };
    let figure = treemap::figure(&scope, &stored.appearance, &paper, &options).expect("a figure");
    texts_are_apart("difference", &figure);
    let svg = onca_draw::svg(&figure);
    for part in ["Change of time in states", "twice as much", "compared with 0 – 4 s"] {
        assert!(svg.contains(part), "{part}");
    }
}
