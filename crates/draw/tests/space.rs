//! Treemaps and overviews of small traces, number by number.

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write;

use onca_query::Scope;
use onca_scene::{Bounds, Figure, Pattern, Rect, Scene};
use onca_testkit::fixtures::{header, table_4_2};
use onca_views::{
    Canvas, Paper, Result, Theme,
    options::{AxisName, By, LevelOptions, MeasureOptions, Mode, PartitionOptions},
    overview::{self, OverviewOptions},
    treemap::{self, CutName, Levels, TreemapOptions},
};
use support::{
    Stored,
    shapes::{rects, texts_are_apart, title},
};

const CANVAS: Canvas = Canvas { width: 900.0, height: 400.0, theme: Theme::Light, titles: true };

/// Fails unless rectangles on whole pixels fill some bounds, each pixel once.
fn assert_covers(rects: &[&Rect], width: usize, height: usize) {
    let mut n_drawn = vec![0u8; width * height];
    for rect in rects {
        let Bounds { x0, y0, x1, y1 } = rect.bounds;
        assert!([x0, y0, x1, y1].iter().all(|edge| edge.fract() == 0.0), "{rect:?}");
        for y in y0 as usize..y1 as usize {
            n_drawn[y * width + x0 as usize..y * width + x1 as usize]
                .iter_mut()
                .for_each(|n| *n += 1);
        }
    }
    assert!(n_drawn.iter().all(|n| *n == 1));
}

/// A trace of nothing but some records.
fn trace(records: &str) -> String {
    header() + records
}

fn treemap_of(stored: &Stored, options: &TreemapOptions) -> Scene {
    let scope = stored.whole();
    treemap::scene(&scope, &stored.appearance, &CANVAS, options).expect("a treemap").scene
}

#[test]
fn tiles_are_as_large_as_the_time_in_each_value() {
    let stored = Stored::from_text(&table_4_2());
    let scene = treemap_of(&stored, &TreemapOptions { headers: false, ..Default::default() });
    // Seconds of each process, of 83 in all.
    let expected = BTreeMap::from([
        ("/G/C1/M1/A Blocked", 11.0),
        ("/G/C1/M1/A Executing", 4.0),
        ("/G/C1/M1/B Blocked", 2.0),
        ("/G/C1/M1/B Executing", 11.0),
        ("/G/C2/M2/C Blocked", 13.0),
        ("/G/C2/M2/C Executing", 3.0),
        ("/G/C2/M2/D Executing", 25.0),
        ("/G/C2/M3/E Blocked", 5.0),
        ("/G/C2/M3/E Executing", 9.0),
    ]);
    let rects = rects(&scene);
    assert_eq!(rects.len(), expected.len());
    assert_covers(&rects, 900, 400);
    for rect in rects {
        let text = title(&scene, rect).replace('\n', " ");
        let name = text.split("  ").next().expect("a name and a share");
        let bounds = rect.bounds;
        let seconds = bounds.width() * bounds.height() / 360_000.0 * 83.0;
        // Edges are on whole pixels.
        let tolerance = (bounds.width() + bounds.height() + 1.0) / 360_000.0 * 83.0;
        assert!((seconds - expected[name]).abs() <= tolerance, "{name}: {seconds}");
    }
}

#[test]
fn levels_sum_up_what_lies_below() {
    let stored = Stored::from_text(&table_4_2());
    for (level, cells) in [
        (LevelOptions::at_depth(0), vec!["/ Blocked", "/ Executing"]),
        (
            LevelOptions::at_depth(2),
            vec!["/G/C1 Blocked", "/G/C1 Executing", "/G/C2 Blocked", "/G/C2 Executing"],
        ),
        (
            LevelOptions::of_kind("Machine"),
            vec![
                "/G/C1/M1 Blocked",
                "/G/C1/M1 Executing",
                "/G/C2/M2 Blocked",
                "/G/C2/M2 Executing",
                "/G/C2/M3 Blocked",
                "/G/C2/M3 Executing",
            ],
        ),
    ] {
        let scene =
            treemap_of(&stored, &TreemapOptions { level, headers: false, ..Default::default() });
        let name = |rect: &&Rect| {
            title(&scene, rect).replace('\n', " ").split("  ").next().map(str::to_owned)
        };
        let mut names: Vec<String> = rects(&scene).iter().filter_map(name).collect();
        names.sort();
        assert_eq!(names, cells);
        assert_covers(&rects(&scene), 900, 400);
    }
}

#[test]
fn a_level_that_is_not_there_is_refused_with_what_there_is() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let error = |level| {
        let options = TreemapOptions { level, ..Default::default() };
        treemap::scene(&scope, &stored.appearance, &CANVAS, &options)
            .expect_err("no such level")
            .to_string()
    };
    let too_deep = error(LevelOptions::at_depth(9));
    assert!(too_deep.contains("the deepest is 4"), "{too_deep}");
    assert!(error(LevelOptions::of_kind("Rack")).contains("Machine"));
}

#[test]
fn idle_time_can_be_a_value() {
    let stored = Stored::from_text(&table_4_2());
    let scene =
        treemap_of(&stored, &TreemapOptions { idle: true, headers: false, ..Default::default() });
    let idle: f64 = rects(&scene)
        .iter()
        .filter(|rect| title(&scene, rect).contains("no state"))
        .map(|rect| rect.bounds.width() * rect.bounds.height())
        .sum();
    // Five processes for 30 seconds, 83 of the 150 in states.
    assert!((idle / 360_000.0 - 67.0 / 150.0).abs() < 0.01, "{idle}");
}

#[test]
fn parts_that_look_alike_are_one_cell_of_the_optimal_cut() {
    // Two machines whose processes do the same, and one whose do not.
    let mut body = "1 M 0 Machine\n1 P M Process\n2 S P State\n".to_owned();
    for machine in 0..3 {
        writeln!(body, "7 0 m{machine} M 0 m{machine}").expect("a string");
        for process in 0..4 {
            writeln!(body, "7 0 p{machine}{process} P m{machine} p{machine}{process}")
                .expect("a string");
        }
    }
    let mut records = Vec::new();
    for machine in 0..3 {
        for process in 0..4 {
            let name = format!("p{machine}{process}");
            let end = if machine == 2 { 2 + 2 * process } else { 5 };
            records.push((0, format!("12 0 S {name} work\n")));
            records.push((end, format!("12 {end} S {name} wait\n")));
        }
    }
    records.sort();
    body.extend(records.into_iter().map(|(_, record)| record));
    body += "8 10 M m0\n";
    let stored = Stored::from_text(&trace(&body));
    let (cut, p) = (CutName::Optimal, Some(0.01));
    let scene =
        treemap_of(&stored, &TreemapOptions { cut, p, headers: false, ..Default::default() });
    let of = |path: &str| {
        rects(&scene)
            .iter()
            .filter(|rect| title(&scene, rect).starts_with(&format!("{path}\n")))
            .count()
    };
    let all: Vec<&str> = rects(&scene).iter().map(|rect| title(&scene, rect)).collect();
    assert_eq!((of("/m0"), of("/m1"), of("/m2")), (2, 2, 0), "{all:?}");
    assert!(of("/m2/p20") > 0 && of("/m2/p23") > 0);
}

/// A flat trace of processes, each with two states of its own lengths.
fn flat(n: usize) -> String {
    let mut body = "1 P 0 Process\n2 S P State\n".to_owned();
    for process in 0..n {
        writeln!(body, "7 0 p{process} P 0 p{process}").expect("a string");
    }
    for process in 0..n {
        writeln!(body, "12 0 S p{process} work").expect("a string");
    }
    for process in 0..n {
        writeln!(body, "12 {} S p{process} wait", 1.0 + process as f64 / n as f64)
            .expect("a string");
    }
    body += "8 3 P p0\n";
    trace(&body)
}

#[test]
fn thousands_of_cells_stay_within_the_picture() {
    let stored = Stored::from_text(&flat(10_000));
    let scope = stored.whole();
    let canvas = Canvas { width: 200.0, height: 150.0, ..CANVAS };
    let drawn = treemap::scene(&scope, &stored.appearance, &canvas, &Default::default())
        .expect("a treemap");
    let all = rects(&drawn.scene);
    assert_covers(&all, 200, 150);
    assert!(all.len() < 200 * 150 / 4, "{}", all.len());
    assert!(drawn.notes.iter().any(|note| note.contains("too small")), "{:?}", drawn.notes);
}

#[test]
fn areas_of_an_overview_fill_space_and_time_once() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    for all_values in [false, true] {
        for p in [0.0, 0.1, 0.5, 1.0] {
            for height in [400.0, 20.0, 4.0] {
                let options = OverviewOptions { p: Some(p), all_values, ..Default::default() };
                let canvas = Canvas { height, ..CANVAS };
                let drawn = overview::scene(&scope, &stored.appearance, &canvas, &options)
                    .expect("an overview");
                // 30 seconds in ticks, five processes.
                assert_eq!(drawn.view, Bounds::new(0.0, 0.0, 30e9, 5.0));
                let painted: Vec<&Rect> =
                    rects(&drawn.scene).into_iter().filter(|rect| rect.fill.alpha > 0).collect();
                let area: f64 =
                    painted.iter().map(|rect| rect.bounds.width() * rect.bounds.height()).sum();
                assert!((area - 150e9).abs() < 1.0, "{area}");
                for (at, one) in painted.iter().enumerate() {
                    assert!(painted[..at].iter().all(|other| !one.bounds.overlaps(&other.bounds)));
                }
            }
        }
    }
}

#[test]
fn an_area_tells_where_when_and_what() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let options = OverviewOptions { p: Some(1.0), slices: 10, ..Default::default() };
    let drawn =
        overview::scene(&scope, &stored.appearance, &CANVAS, &options).expect("an overview");
    let all = rects(&drawn.scene);
    let text = all.iter().map(|rect| title(&drawn.scene, rect)).collect::<Vec<_>>().join("\n");
    assert!(
        text.contains("5 containers") && text.contains("gain") && text.contains("loss"),
        "{text}"
    );
    // 52 of 150 seconds executing, 31 blocked.
    if all.len() == 1 {
        assert!(text.contains("Executing  34.7 %") && text.contains("Blocked  20.7 %"), "{text}");
    }
}

#[test]
fn thin_rows_are_marked_where_they_differ() {
    let stored = Stored::from_text(&flat(300));
    let scope = stored.whole();
    let options = OverviewOptions { p: Some(0.0), ..Default::default() };
    let canvas = Canvas { width: 600.0, height: 300.0, ..CANVAS };
    let drawn =
        overview::scene(&scope, &stored.appearance, &canvas, &options).expect("an overview");
    let marks = |pattern| rects(&drawn.scene).iter().filter(|rect| rect.pattern == pattern).count();
    assert!(marks(Pattern::Cross) > 0, "rows are cut at different times");
    assert!(rects(&drawn.scene).len() <= 60 * 30);
}

/// Every view of this file with many choices.
fn all_figures(stored: &Stored, scope: &Scope<'_>, paper: &Paper) -> Vec<(String, Result<Figure>)> {
    let look = &stored.appearance;
    let mut all = Vec::new();
    for options in [
        TreemapOptions::default(),
        TreemapOptions { level: LevelOptions::at_depth(1), ..Default::default() },
        TreemapOptions { levels: Some(Levels::All), ..Default::default() },
        TreemapOptions { cut: CutName::Optimal, ..Default::default() },
    ] {
        all.push((format!("{options:?}"), treemap::figure(scope, look, paper, &options)));
    }
    for (by, mode) in
        [(By::Links, Mode::Size), (By::Events, Mode::Count), (By::States, Mode::Count)]
    {
        let measure = MeasureOptions { by, mode: Some(mode), ..Default::default() };
        let options = TreemapOptions { measure, ..Default::default() };
        all.push((format!("{options:?}"), treemap::figure(scope, look, paper, &options)));
    }
    for axis in [AxisName::Both, AxisName::Time, AxisName::TimeOfEach, AxisName::Space] {
        for curve in [true, false] {
            let partition = PartitionOptions { axis, ..Default::default() };
            let options = OverviewOptions { partition, curve, ..Default::default() };
            all.push((format!("{options:?}"), overview::figure(scope, look, paper, &options)));
        }
    }
    for (metric, idle) in [("events", false), ("bytes", false), ("states", true)] {
        let metric = metric.to_owned();
        let partition = PartitionOptions { metric, idle, ..Default::default() };
        let options = OverviewOptions { partition, all_values: true, ..Default::default() };
        all.push((format!("{options:?}"), overview::figure(scope, look, paper, &options)));
    }
    all
}

fn papers() -> Vec<Paper> {
    let paper = Paper::default();
    vec![
        paper.clone(),
        Paper {
            width: 340.0,
            theme: Theme::Dark,
            source: Some("a trace".to_owned()),
            ..paper.clone()
        },
        Paper { height: Some(240.0), ..paper.clone() },
        Paper { width: 1800.0, title: Some(String::new()), titles: false, ..paper },
    ]
}

#[test]
fn texts_never_touch_whatever_the_paper() {
    let hostile = "1 P 0 Process\n2 S P State\n7 0 a P 0 \"<&\\\"'>\u{202e}\u{1F980}\"\n\
                   7 0 b P 0 \"a name that goes on and on and on and on and on and on and on\"\n\
                   12 0 S a \"</text><script>\"\n12 0 S b \"a/b:c\"\n12 2 S a \"\"\n8 5 P a\n";
    for text in [table_4_2(), trace(hostile), flat(60)] {
        let stored = Stored::from_text(&text);
        let scope = stored.whole();
        for paper in papers() {
            for (what, figure) in all_figures(&stored, &scope, &paper) {
                let Ok(figure) = figure else { continue };
                texts_are_apart(&what, &figure);
                assert_eq!(onca_draw::svg(&figure), onca_draw::svg(&figure), "{what}");
            }
        }
    }
}

#[test]
fn where_nothing_is_there_is_a_reason() {
    let one_instant = "1 P 0 Process\n2 S P State\n7 1 a P 0 a\n12 1 S a work\n";
    let no_states = "1 P 0 Process\n2 S P State\n7 0 a P 0 a\n8 5 P a\n";
    for body in ["", one_instant, no_states] {
        let stored = Stored::from_text(&trace(body));
        let scope = stored.whole();
        for (what, figure) in all_figures(&stored, &scope, &Paper::default()) {
            // Time in no state is something to show.
            if body == no_states && what.contains("idle: true") {
                assert!(figure.is_ok(), "{what}");
                continue;
            }
            let why = figure.map(|_| ()).expect_err(&what).to_string();
            assert!(why.len() > 10 && !why.contains("NaN"), "{what}: {why}");
        }
    }
}

#[test]
fn one_container_is_a_picture() {
    let stored = Stored::from_text(&trace(
        "1 P 0 Process\n2 S P State\n7 0 a P 0 a\n12 0 S a work\n8 5 P a\n",
    ));
    let scope = stored.whole();
    let scene = treemap_of(&stored, &TreemapOptions::default());
    assert_covers(&rects(&scene), 900, 400);
    assert_eq!(rects(&scene).len(), 1);
    let drawn = overview::scene(&scope, &stored.appearance, &CANVAS, &Default::default())
        .expect("an overview");
    assert_eq!(rects(&drawn.scene).len(), 1);
}

#[test]
fn more_slices_than_pixels_are_refused() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let options = OverviewOptions { slices: 64, ..Default::default() };
    let canvas = Canvas { width: 50.0, ..CANVAS };
    let why = overview::scene(&scope, &stored.appearance, &canvas, &options).expect_err("too many");
    assert!(why.to_string().contains("take at most 50"), "{why}");
}
