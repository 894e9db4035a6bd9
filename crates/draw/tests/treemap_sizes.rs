//! Treemaps of what operators and ratios make of the leaves, number by number.

use crate::support;

use std::collections::BTreeMap;

use onca_testkit::fixtures::{header, table_4_2, trace};
use onca_views::{
    Canvas, Drawn, Paper, Theme,
    options::{LevelOptions, MeasureOptions},
    treemap::{self, CutName, Levels, TreemapOptions},
};
use support::{
    Stored, against,
    shapes::{rects, title},
};

const CANVAS: Canvas = Canvas { width: 900.0, height: 400.0, theme: Theme::Light, titles: true };
const AREA: f64 = 900.0 * 400.0;

fn aggregate(text: &str) -> MeasureOptions {
    MeasureOptions { agg: Some(text.to_owned()), ..MeasureOptions::default() }
}

fn ratio(text: &str) -> MeasureOptions {
    MeasureOptions { ratio: Some(text.to_owned()), ..MeasureOptions::default() }
}

fn drawn(stored: &Stored, options: TreemapOptions) -> Drawn {
    let options = TreemapOptions { headers: false, ..options };
    treemap::scene(&stored.whole(), &stored.appearance, &CANVAS, &options).expect("a treemap")
}

/// The area of each cell as a number, if all of them together are this.
fn sizes(drawn: &Drawn, together: f64) -> BTreeMap<String, f64> {
    let named = |text: &str| text.replace('\n', " ").split("  ").next().map(str::to_owned);
    let size = |bounds: onca_scene::Bounds| bounds.width() * bounds.height() / AREA * together;
    rects(&drawn.scene)
        .iter()
        .filter_map(|rect| Some((named(title(&drawn.scene, rect))?, size(rect.bounds))))
        .collect()
}

/// Fails unless areas are in proportion to these numbers, as far as whole pixels allow.
fn assert_sizes(drawn: &Drawn, expected: &[(&str, f64)]) {
    let together: f64 = expected.iter().map(|(_, size)| size).sum();
    let found = sizes(drawn, together);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (name, size) in expected {
        let tolerance = (CANVAS.width + CANVAS.height) / AREA * together;
        assert!((found[*name] - size).abs() <= tolerance, "{name}: {}", found[*name]);
    }
}

#[test]
fn a_cell_has_what_the_operator_makes_of_its_leaves() {
    let stored = Stored::from_text(&table_4_2());
    // Seconds blocked and executing: A 11 and 4, B 2 and 11; C 13 and 3, D 0 and 25, E 5 and 9.
    for (agg, expected) in [
        ("mean", [6.5, 7.5, 6.0, 37.0 / 3.0].as_slice()),
        ("max", &[11.0, 11.0, 13.0, 25.0]),
        ("max - min", &[9.0, 7.0, 13.0, 22.0]),
        ("leaves", &[2.0, 2.0, 3.0, 3.0]),
    ] {
        let options = TreemapOptions {
            measure: aggregate(agg),
            level: LevelOptions::at_depth(2),
            ..TreemapOptions::default()
        };
        let names = ["/G/C1 Blocked", "/G/C1 Executing", "/G/C2 Blocked", "/G/C2 Executing"];
        let expected: Vec<(&str, f64)> = names.into_iter().zip(expected.iter().copied()).collect();
        assert_sizes(&drawn(&stored, options), &expected);
    }
}

#[test]
fn the_smallest_of_some_may_be_nothing() {
    let stored = Stored::from_text(&table_4_2());
    let smallest = |depth| TreemapOptions {
        measure: aggregate("min"),
        level: LevelOptions::at_depth(depth),
        ..TreemapOptions::default()
    };
    let expected = [("/G/C1 Blocked", 2.0), ("/G/C1 Executing", 4.0), ("/G/C2 Executing", 3.0)];
    assert_sizes(&drawn(&stored, smallest(2)), &expected);
    assert_sizes(&drawn(&stored, smallest(0)), &[("/ Executing", 3.0)]);
}

#[test]
fn leaves_are_the_same_whatever_the_operator() {
    let stored = Stored::from_text(&table_4_2());
    let sums = drawn(&stored, TreemapOptions::default());
    for agg in ["mean", "min", "max"] {
        let options = TreemapOptions { measure: aggregate(agg), ..TreemapOptions::default() };
        assert_eq!(sizes(&drawn(&stored, options), 83.0), sizes(&sums, 83.0), "{agg}");
    }
}

#[test]
fn areas_are_ratios_of_what_lies_below() {
    let stored = Stored::from_text(&table_4_2());
    let measure = ratio("time:Blocked / time:Executing");
    let name = "time:state:Blocked / time:state:Executing";
    let of =
        |level| TreemapOptions { measure: measure.clone(), level, ..TreemapOptions::default() };
    let named: Vec<String> = ["/G/C1", "/G/C2"].map(|path| format!("{path} {name}")).into();
    let expected = [(named[0].as_str(), 13.0 / 15.0), (named[1].as_str(), 18.0 / 37.0)];
    assert_sizes(&drawn(&stored, of(LevelOptions::at_depth(2))), &expected);
    let leaves = [("C1/M1/A", 11.0 / 4.0), ("C1/M1/B", 2.0 / 11.0), ("C2/M2/C", 13.0 / 3.0)];
    let leaves = leaves.into_iter().chain([("C2/M3/E", 5.0 / 9.0)]);
    let named: Vec<(String, f64)> =
        leaves.map(|(path, size)| (format!("/G/{path} {name}"), size)).collect();
    let expected: Vec<(&str, f64)> = named.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_sizes(&drawn(&stored, of(LevelOptions::default())), &expected);
}

/// A container with states of its own, above one that has states too.
fn with_own_states() -> Stored {
    let types = "1 P 0 Process\n1 T P Thread\n2 S P State\n2 U T State\n\
                 7 0 p P 0 p\n7 0 t T p t\n";
    let states = "13 0 S p run\n13 0 U t run\n13 2 S p wait\n14 4 S p\n13 1 U t wait\n14 4 U t\n";
    let mut records: Vec<&str> = states.lines().collect();
    records.sort_by_key(|record| record.split(' ').nth(1).map(str::to_owned));
    Stored::from_text(&(header() + types + &records.join("\n") + "\n"))
}

#[test]
fn what_an_inner_container_has_of_its_own_has_a_ratio_too() {
    let stored = with_own_states();
    let measure = ratio("time:wait / time:run");
    let options = TreemapOptions { measure, ..TreemapOptions::default() };
    let name = "time:state:wait / time:state:run";
    let own = [format!("/p itself {name}"), format!("/p/t {name}")];
    assert_sizes(&drawn(&stored, options), &[(&own[0], 1.0), (&own[1], 3.0)]);
}

#[test]
fn ratios_are_compared_as_they_are() {
    let stored = Stored::from_text(&table_4_2());
    let facts = &stored.whole().catalog().facts;
    let (start, end) = (facts.start, facts.end);
    let options = TreemapOptions {
        measure: ratio("time:Blocked / time:Executing"),
        level: LevelOptions::at_depth(0),
        against: against(start, end),
        ..TreemapOptions::default()
    };
    let scene = drawn(&stored, options).scene;
    let texts: Vec<&str> = rects(&scene).iter().map(|rect| title(&scene, rect)).collect();
    // 31 of 52 seconds, whatever the length of the windows.
    let expected = "/\ntime:state:Blocked / time:state:Executing  0.596 → 0.596";
    assert!(texts.contains(&expected), "{texts:?}");
}

#[test]
fn an_optimal_cut_needs_sums() {
    let stored = Stored::from_text(&table_4_2());
    let cut = CutName::Optimal;
    let not_sums = [
        TreemapOptions { measure: ratio("time / count"), cut, ..Default::default() },
        TreemapOptions { measure: aggregate("max"), cut, ..Default::default() },
    ];
    for options in not_sums {
        let found = treemap::scene(&stored.whole(), &stored.appearance, &CANVAS, &options);
        let error = found.expect_err("no cut").to_string();
        assert!(error.contains("amounts that add up"), "{error}");
    }
}

#[test]
fn titles_tell_the_operator_and_the_ratio() {
    let stored = Stored::from_text(&table_4_2());
    let paper = Paper { width: 700.0, ..Paper::default() };
    let by_level = || TreemapOptions { levels: Some(Levels::All), ..TreemapOptions::default() };
    for (options, expected) in [
        (TreemapOptions { measure: aggregate("mean"), ..by_level() }, "Mean of time in states"),
        (
            TreemapOptions { measure: aggregate(" max / mean "), ..by_level() },
            "Max / mean of time in states, level by level",
        ),
        (
            TreemapOptions { measure: ratio("time:Blocked / count:link"), ..by_level() },
            "Ratio time:state:Blocked / count:link, level by level",
        ),
    ] {
        let figure = treemap::figure(&stored.whole(), &stored.appearance, &paper, &options);
        let svg = onca_draw::svg(&figure.expect("a figure"));
        assert!(svg.contains(expected), "{expected}");
    }
}

#[test]
fn the_pointer_is_told_the_largest_of_many_values() {
    // Thirty values, each a second longer than the one before.
    let (mut lines, mut at) = (String::new(), 0);
    for value in 0..30 {
        lines += &format!("12 {at} S a v{value}\n");
        at += value + 1;
    }
    lines += &format!("15 {at} S a\n");
    let stored = Stored::from_text(&trace(&lines));
    let drawn =
        treemap::scene(&stored.whole(), &stored.appearance, &CANVAS, &TreemapOptions::default());
    let scene = drawn.expect("a treemap").scene;
    let mut texts = scene.titles.texts().iter();
    let told = texts.find(|text| text.starts_with("/A: 1 container")).expect("a strip");
    let lines: Vec<&str> = told.lines().skip(1).collect();
    assert_eq!(lines.len(), 25);
    assert_eq!(lines[0], "v6  1.5 %");
    assert_eq!(lines[23], "v29  6.5 %");
    assert_eq!(lines[24], "and 6 more");
}

/// Two machines, the first with two processes, all of which only compute; the second machine is alone
/// in its cluster.
fn alone() -> String {
    trace(
        "1 C 0 Cluster\n1 M C Machine\n1 P M Process\n2 S P State\n7 0 c1 C 0 one\n7 0 c2 C 0 two\n\
         7 0 m1 M c1 near\n7 0 m2 M c2 far\n7 0 a P m1 rank0\n7 0 b P m1 rank1\n7 0 c P m2 rank2\n\
         12 0 S a compute\n12 0 S b compute\n12 0 S c compute\n8 4 P a\n8 4 P b\n8 4 P c\n",
    )
}

fn texts(drawn: &Drawn) -> Vec<String> {
    let mut texts = Vec::new();
    for layer in &drawn.scene.layers {
        if let onca_scene::Layer::Labels(labels) = layer {
            texts.extend(labels.iter().map(|label| label.text.clone()));
        }
    }
    texts
}

#[test]
fn a_cell_with_one_value_has_its_own_name_and_time() {
    let stored = Stored::from_text(&alone());
    let usual = TreemapOptions::default();
    let drawn =
        treemap::scene(&stored.whole(), &stored.appearance, &CANVAS, &usual).expect("a treemap");
    let texts = texts(&drawn);
    for name in ["rank0  4 s", "rank1  4 s", "two/far/rank2  4 s", "one/near"] {
        assert!(texts.iter().any(|text| text == name), "{name} in {texts:?}");
    }
    assert!(texts.iter().all(|text| !text.contains('%')), "{texts:?}");
}

/// Names of few cells lie over them: three that are the same have the same area. Each has a line around
/// it, though all have one colour.
#[test]
fn names_of_few_cells_take_no_room() {
    let stored = Stored::from_text(&alone());
    let usual = TreemapOptions::default();
    let drawn =
        treemap::scene(&stored.whole(), &stored.appearance, &CANVAS, &usual).expect("a treemap");
    let cells: Vec<f64> = rects(&drawn.scene)
        .iter()
        .filter(|rect| title(&drawn.scene, rect).contains("\ncompute"))
        .map(|rect| rect.bounds.width() * rect.bounds.height())
        .filter(|area| *area > 10_000.0)
        .collect();
    assert_eq!(cells.len(), 3);
    for area in cells {
        assert!((area - AREA / 3.0).abs() < 1_000.0, "{area}");
    }
    let lines = drawn.scene.layers.iter().filter_map(|layer| match layer {
        onca_scene::Layer::Lines(lines) => Some(lines.lines.len()),
        _ => None,
    });
    assert!(lines.sum::<usize>() >= 3);
}
