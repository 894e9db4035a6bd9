//! Time slices against reference results that were computed by other means.

use std::collections::HashMap;

use onca_aggregate::slice::{Bounds, Cube, EventCounts, StateTime, VariableMean, VariableMode};
use onca_model::Ticks;

const CASES: &str = include_str!("golden/timeslices.txt");

/// Times are halves, and the window is cut into 1, 4, 7 or 10 slices: with 14 ticks to the unit
/// all times and bounds are whole ticks.
const TICKS_PER_UNIT: f64 = 14.0;

/// The lines of a case by their first word, cut at the semicolons into words.
type Case<'a> = HashMap<&'a str, Vec<Vec<&'a str>>>;

fn cases() -> Vec<Case<'static>> {
    let blocks = CASES.split("\n\n").skip(1);
    let cases: Vec<Case> = blocks.map(|block| block.lines().map(line).collect()).collect();
    assert_eq!(cases.len(), 8);
    cases
}

fn line(text: &str) -> (&str, Vec<Vec<&str>>) {
    let (word, rest) = text.split_once(' ').expect("a word and what follows");
    (word, rest.split(';').map(|item| item.split_whitespace().collect()).collect())
}

fn number(word: &str) -> f64 {
    word.parse().expect("a number")
}

fn ticks(word: &str) -> Ticks {
    let ticks = number(word) * TICKS_PER_UNIT;
    assert_eq!(ticks.fract(), 0.0, "{word}");
    ticks as Ticks
}

fn bounds(case: &Case) -> Bounds {
    let n_slices = case["slices"][0][0].parse().expect("a number");
    Bounds::new(0, ticks("100"), n_slices).expect("bounds")
}

/// The values are single letters.
fn value(word: &str, first: u8) -> usize {
    usize::from(word.as_bytes()[0] - first)
}

/// What is expected of a value in each slice: 0 where it is not named.
fn expected(slices: &[Vec<&str>], name: &str) -> Vec<f64> {
    let of_slice = |slice: &Vec<&str>| {
        let place = slice.iter().position(|word| *word == name);
        place.map_or(0.0, |at| number(slice[at + 1]))
    };
    slices.iter().map(of_slice).collect()
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12, "{found} is not {expected}");
    }
}

#[test]
fn shares_of_states() {
    for case in cases() {
        let bounds = bounds(&case);
        let mut time = StateTime::new(bounds, 3);
        for state in &case["states"] {
            time.add(value(state[0], b'a'), ticks(state[1]), ticks(state[2]));
        }
        let mut cube = Cube::new(1, 3, bounds.n_slices()).expect("a cube");
        time.drain_into(cube.leaf_mut(0));
        let shares = cube.proportions(&bounds).expect("a cube");
        for name in ["a", "b", "c"] {
            assert_close(shares.row(0, value(name, b'a')), &expected(&case["shares"], name));
        }
    }
}

#[test]
fn means_of_variables() {
    for case in cases() {
        let mut mean = VariableMean::new(bounds(&case));
        let samples = &case["samples"];
        for (at, sample) in samples.iter().enumerate() {
            let end = samples.get(at + 1).map_or("100", |next| next[0]);
            mean.add(ticks(sample[0]), ticks(end), number(sample[1]));
        }
        for (mode, line) in
            [(VariableMode::Slice, "means"), (VariableMode::Defined, "defined_means")]
        {
            let found: Option<Vec<f64>> = mean.means(mode).into_iter().collect();
            let expected: Vec<f64> = case[line].iter().map(|slice| number(slice[0])).collect();
            assert_close(&found.expect("defined in every slice"), &expected);
        }
    }
}

#[test]
fn counts_of_events() {
    for case in cases() {
        let bounds = bounds(&case);
        let mut counts = EventCounts::new(bounds, 2);
        for event in &case["events"] {
            counts.add(value(event[0], b'x'), ticks(event[1]));
        }
        let mut cube = Cube::<i64>::new(1, 2, bounds.n_slices()).expect("a cube");
        counts.drain_into(cube.leaf_mut(0));
        for name in ["x", "y"] {
            let found: Vec<f64> =
                cube.row(0, value(name, b'x')).iter().map(|&count| count as f64).collect();
            assert_eq!(found, expected(&case["counts"], name));
        }
    }
}

/// Nested calls: `main` calls `f` twice; the first `f` calls `g` twice, and `h`, which takes no time.
#[test]
fn exclusive_time_of_nested_states() {
    let [main, f, g, h] = [0, 1, 2, 3];
    let bounds = Bounds::new(0, 100, 4).expect("bounds");
    let mut time = StateTime::new(bounds, 4);
    time.add_nested(main, None, 0, 100);
    time.add_nested(f, Some(main), 10, 60);
    time.add_nested(g, Some(f), 20, 30);
    time.add_nested(g, Some(f), 30, 45);
    time.add_nested(h, Some(f), 45, 45);
    time.add_nested(f, Some(main), 70, 100);
    let mut cube = Cube::new(1, 4, 4).expect("a cube");
    time.drain_into(cube.leaf_mut(0));
    let shares = cube.proportions(&bounds).expect("a cube");
    assert_close(shares.row(0, main), &[0.4, 0.0, 0.4, 0.0]);
    assert_close(shares.row(0, f), &[0.4, 0.2, 0.6, 1.0]);
    assert_close(shares.row(0, g), &[0.2, 0.8, 0.0, 0.0]);
    assert_close(shares.row(0, h), &[0.0; 4]);
}
