//! Flame graphs and efficiency of small traces, number by number.

use crate::support;

use std::collections::BTreeMap;

use onca_scene::{Bounds, Layer, Pick, Scene};
use onca_testkit::fixtures::{table_4_2, trace};
use onca_views::{
    Canvas, Drawn, Paper, Theme, ViewError,
    efficiency::{self, EfficiencyOptions},
    flame::{self, FlameOptions},
};
use support::{
    Stored,
    shapes::{rects, texts_are_apart, title},
};

const CANVAS: Canvas = Canvas { width: 1000.0, height: 400.0, theme: Theme::Light, titles: true };
const SECOND: f64 = 1e9;

/// `A` solves for 8 s, of which it exchanges from 1 to 4 and waits in that from 2 to 3, and waits
/// again, directly, from 6 to 7; `B` is idle for 2 s.
fn nested() -> Stored {
    Stored::from_text(&trace(
        "13 0 S a solve\n13 1 S a exchange\n13 2 S a wait\n14 3 S a\n14 4 S a\n13 6 S a wait\n\
         14 7 S a\n14 8 S a\n13 8 S b idle\n14 10 S b\n",
    ))
}

fn draw(stored: &Stored, path: &[&str]) -> Result<Drawn, ViewError> {
    let options = FlameOptions { path: path.iter().map(|name| (*name).to_owned()).collect() };
    flame::scene(&stored.whole(), &stored.appearance, &CANVAS, &options)
}

/// How high rows are where there is room.
const ROW: f64 = 56.0;

/// The row of each box and its ends, with its name.
fn boxes(scene: &Scene) -> Vec<(String, f64, f64, f64)> {
    let name = |rect| title(scene, rect).lines().next().unwrap_or_default().to_owned();
    let mut found: Vec<_> = rects(scene)
        .into_iter()
        .map(|rect| (name(rect), rect.bounds.y0 / ROW, rect.bounds.x0, rect.bounds.x1))
        .collect();
    found.sort_by(|a, b| (a.1, a.2).partial_cmp(&(b.1, b.2)).expect("numbers"));
    found
}

fn placed(name: &str, row: f64, from: f64, to: f64) -> (String, f64, f64, f64) {
    (name.to_owned(), row, from, to)
}

#[test]
fn boxes_are_as_wide_as_the_time_and_lie_below_what_is_around_them() {
    let stored = nested();
    let drawn = draw(&stored, &[]).expect("a flame graph");
    let expected = [
        placed("solve", 0.0, 0.0, 800.0),
        placed("idle", 0.0, 800.0, 1000.0),
        placed("exchange", 1.0, 0.0, 300.0),
        placed("wait", 1.0, 300.0, 400.0),
        placed("wait", 2.0, 0.0, 100.0),
    ];
    assert_eq!(boxes(&drawn.scene), expected);
    let solve = rects(&drawn.scene)[0];
    assert_eq!(
        title(&drawn.scene, solve),
        "solve\nwith what is inside  8 s, 80.0 %\nwithout  4 s, 40.0 %\nhow often  1"
    );
    assert!(matches!(solve.pick, Pick::Value(_)));
    assert!(drawn.notes.is_empty());
}

#[test]
fn what_is_inside_a_state_fills_the_width() {
    let stored = nested();
    let drawn = draw(&stored, &["solve", "exchange"]).expect("a flame graph");
    let expected = [
        placed("solve", 0.0, 0.0, 1000.0),
        placed("exchange", 1.0, 0.0, 1000.0),
        placed("wait", 2.0, 0.0, 333.0),
    ];
    assert_eq!(boxes(&drawn.scene), expected);
    for nowhere in [&["exchange"][..], &["solve", "idle"], &["Moon"]] {
        let why = draw(&stored, nowhere).expect_err("no such path").to_string();
        assert!(why.contains(nowhere[nowhere.len() - 1]), "{why}");
    }
}

#[test]
fn narrow_paths_are_drawn_as_one_and_counted() {
    // One state of 1 s and two thousand of 1 µs with names of their own, each with one inside.
    let mut records = "13 0 S a long\n14 1 S a\n".to_owned();
    for at in 0..2000 {
        let begin = 1.0 + f64::from(at) * 2e-6;
        let (inside, end) = (begin + 2.5e-7, begin + 1e-6);
        records += &format!("13 {begin:.9} S a v{at}\n13 {inside:.9} S a in\n");
        records += &format!("14 {end:.9} S a\n14 {end:.9} S a\n");
    }
    let stored = Stored::from_text(&trace(&records));
    let drawn = draw(&stored, &[]).expect("a flame graph");
    let found = boxes(&drawn.scene);
    assert_eq!(found[0], placed("long", 0.0, 0.0, 998.0));
    assert_eq!(found[1], placed("2,000 narrow paths", 0.0, 998.0, 1000.0));
    assert_eq!(found.len(), 2);
    assert_eq!(drawn.notes, ["4,000 paths are too narrow to be told apart"]);
}

#[test]
fn nothing_to_draw_is_said() {
    let stored = Stored::from_text(&trace("18 1 E a beep\n18 2 E a beep\n"));
    let why = draw(&stored, &[]).expect_err("no states").to_string();
    assert!(why.contains("state"), "{why}");
    let options = EfficiencyOptions::default();
    let why = efficiency::scene(&stored.whole(), &CANVAS, &options).expect_err("no states");
    assert!(why.to_string().contains("states"), "{why}");
}

/// What each slice says of itself, by its begin in seconds.
fn slices(drawn: &Drawn) -> BTreeMap<i64, String> {
    let of = |rect: &onca_scene::Rect| {
        let lines = title(&drawn.scene, rect).lines().skip(1).map(|line| {
            let (_, share) = line.split_once("  ").expect("a name and a share");
            share.to_owned()
        });
        ((rect.bounds.x0 / SECOND) as i64, lines.collect::<Vec<_>>().join(", "))
    };
    rects(&drawn.scene).into_iter().map(of).collect()
}

#[test]
fn efficiency_is_that_of_each_slice() {
    // `A` computes all the time, `B` half of the first 2 s, and nobody at all from 2 to 4.
    let stored = Stored::from_text(&trace(
        "13 0 S a compute\n13 0 S b compute\n14 1 S b\n14 2 S a\n13 2 S a wait\n14 4 S a\n\
         13 2 S b wait\n14 4 S b\n",
    ));
    let options = EfficiencyOptions { slices: 2, split: false };
    let drawn = efficiency::scene(&stored.whole(), &CANVAS, &options).expect("curves");
    let expected = [(0, "75.0 %, 75.0 %, 100.0 %"), (2, "0.0 %, undefined, 0.0 %")];
    let expected = expected.map(|(at, text)| (at, text.to_owned()));
    assert_eq!(slices(&drawn), BTreeMap::from(expected));
    let lines = drawn.scene.layers.iter().find_map(|layer| match layer {
        Layer::Lines(lines) => Some(lines),
        _ => None,
    });
    let heights: Vec<Vec<f64>> = lines
        .expect("lines")
        .lines
        .iter()
        .map(|line| lines.expect("lines").of(line).iter().map(|point| point.y).collect())
        .collect();
    // Communication efficiency, load balance where it is defined, parallel efficiency.
    let expected = [vec![100.0, 100.0, 0.0, 0.0], vec![75.0, 75.0], vec![75.0, 75.0, 0.0, 0.0]];
    assert_eq!(heights, expected);
    assert_eq!(drawn.view, Bounds::new(0.0, 104.0, 4.0 * SECOND, 0.0));
}

#[test]
fn no_text_lies_on_another_or_leaves_the_page() {
    for stored in [nested(), Stored::from_text(&table_4_2())] {
        let scope = stored.whole();
        let source = Some("a trace".to_owned());
        for (width, height) in [(960.0, None), (240.0, None), (500.0, Some(130.0))] {
            let paper = Paper { width, height, source: source.clone(), ..Paper::default() };
            let flame = flame::figure(&scope, &stored.appearance, &paper, &FlameOptions::default());
            texts_are_apart("flame", &flame.expect("a flame graph"));
            let curves = efficiency::figure(&scope, &paper, &EfficiencyOptions::default());
            texts_are_apart("efficiency", &curves.expect("curves"));
        }
    }
}
