//! Table 4.2 of Schnorr's thesis: five processes on three machines of two clusters, seen through a
//! time slice of 9 s, with all link modes and all operators at all levels.

use onca_aggregate::fold::{Describe, Expression, Max, Mean, Min, Sum};
use onca_aggregate::slice::{
    Bounds, Crossing, Cube, LinkCount, LinkEnd, LinkMeasure, LinkRate, LinkSize, LinkSlices,
    LinkTally, LinkTicks, LinkWeighted, StateTime,
};
use onca_aggregate::{Number, Tree};
use onca_model::Ticks;

const TICKS_PER_SECOND: Ticks = 1000;

const BLOCKED: usize = 0;
const EXECUTING: usize = 1;

/// The processes, which are the leaves of the tree in this order.
const A: usize = 0;
const B: usize = 1;
const C: usize = 2;
const D: usize = 3;
const E: usize = 4;

/// Process, value, start and end in seconds.
const STATES: [(usize, usize, Ticks, Ticks); 13] = [
    (A, BLOCKED, 7, 13),
    (A, EXECUTING, 13, 17),
    (A, BLOCKED, 17, 22),
    (B, EXECUTING, 8, 14),
    (B, BLOCKED, 14, 16),
    (B, EXECUTING, 16, 21),
    (C, BLOCKED, 9, 14),
    (C, EXECUTING, 14, 17),
    (C, BLOCKED, 17, 25),
    (D, EXECUTING, 5, 30),
    (E, EXECUTING, 6, 12),
    (E, BLOCKED, 12, 17),
    (E, EXECUTING, 17, 20),
];

/// Origin, destination, start and end in seconds, bytes. The last two cross the slice.
const LINKS: [(usize, usize, Ticks, Ticks, f64); 9] = [
    (A, B, 11, 13, 10.0),
    (A, C, 14, 16, 40.0),
    (B, A, 12, 14, 36.0),
    (C, D, 15, 16, 10.0),
    (D, E, 12, 13, 5.0),
    (D, C, 14, 17, 45.0),
    (E, D, 13, 15, 30.0),
    (B, C, 8, 12, 99.0),
    (E, A, 18, 20, 77.0),
];

/// The grid G has the clusters C1 and C2; C1 the machine M1, C2 the machines M2 and M3.
const NODES: [&str; 11] = ["G", "C1", "C2", "M1", "M2", "M3", "A", "B", "C", "D", "E"];
const PARENTS: [u32; 11] = [0, 0, 0, 1, 2, 2, 3, 3, 4, 4, 5];

fn bounds() -> Bounds {
    Bounds::new(10 * TICKS_PER_SECOND, 19 * TICKS_PER_SECOND, 1).expect("bounds")
}

fn tree() -> Tree {
    let tree = Tree::new(PARENTS.to_vec()).expect("a tree");
    assert_eq!(tree.leaves(), [6, 7, 8, 9, 10]);
    tree
}

fn state_ticks() -> Cube<Ticks> {
    let mut cube = Cube::new(5, 2, 1).expect("a cube");
    for process in [A, B, C, D, E] {
        let mut time = StateTime::new(bounds(), 2);
        for (_, value, start, end) in STATES.iter().filter(|state| state.0 == process) {
            time.add(*value, start * TICKS_PER_SECOND, end * TICKS_PER_SECOND);
        }
        time.drain_into(cube.leaf_mut(process));
    }
    cube
}

fn links<M: LinkMeasure>(measure: M, end: LinkEnd, crossing: Crossing) -> LinkSlices<M> {
    let mut slices = LinkSlices::new(measure, bounds(), crossing, 5, 1).expect("slices");
    for (origin, destination, start, stop, bytes) in LINKS {
        let process = end.of(origin, destination);
        slices.add(process, 0, start * TICKS_PER_SECOND, stop * TICKS_PER_SECOND, bytes);
    }
    slices
}

fn column<T: Number>(cube: &Cube<T>, value: usize) -> [f64; 5] {
    [A, B, C, D, E].map(|process| cube.row(process, value)[0].to_f64())
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12, "{what}: {found} is not {expected}");
    }
}

#[test]
fn time_in_states() {
    let ticks = state_ticks();
    assert_eq!(column(&ticks, BLOCKED), [5000.0, 2000.0, 6000.0, 0.0, 5000.0]);
    assert_eq!(column(&ticks, EXECUTING), [4000.0, 7000.0, 3000.0, 9000.0, 4000.0]);
    let shares = ticks.proportions(&bounds()).expect("a cube");
    let ninths = |seconds: [f64; 5]| seconds.map(|seconds| seconds / 9.0);
    assert_close(&column(&shares, BLOCKED), &ninths([5.0, 2.0, 6.0, 0.0, 5.0]), "blocked");
    assert_close(&column(&shares, EXECUTING), &ninths([4.0, 7.0, 3.0, 9.0, 4.0]), "executing");
}

/// Each mode at each end, with dropped and with clipped links: A, B, C, D, E.
#[test]
fn links_in_all_modes() {
    let rate = LinkRate { ticks_per_unit: TICKS_PER_SECOND as u64 };
    let ninths = |values: [f64; 5]| values.map(|value| value / 9.0);
    let cases = [
        (
            LinkEnd::Origin,
            Crossing::Drop,
            ninths([100.0, 72.0, 10.0, 140.0, 60.0]),
            [25.0, 18.0, 10.0, 20.0, 15.0],
            [50.0, 36.0, 10.0, 50.0, 30.0],
            ninths([4.0, 2.0, 1.0, 4.0, 2.0]),
            [2.0, 1.0, 1.0, 2.0, 1.0],
        ),
        (
            LinkEnd::Origin,
            Crossing::Clip,
            ninths([100.0, 171.0, 10.0, 140.0, 98.5]),
            [25.0, 42.75, 10.0, 20.0, 53.5],
            [50.0, 85.5, 10.0, 50.0, 68.5],
            ninths([4.0, 4.0, 1.0, 4.0, 3.0]),
            [2.0, 2.0, 1.0, 2.0, 2.0],
        ),
        (
            LinkEnd::Destination,
            Crossing::Drop,
            ninths([72.0, 20.0, 215.0, 70.0, 5.0]),
            [18.0, 5.0, 35.0, 25.0, 5.0],
            [36.0, 10.0, 85.0, 40.0, 5.0],
            ninths([2.0, 2.0, 5.0, 3.0, 1.0]),
            [1.0, 1.0, 2.0, 2.0, 1.0],
        ),
        (
            LinkEnd::Destination,
            Crossing::Clip,
            ninths([110.5, 20.0, 314.0, 70.0, 5.0]),
            [56.5, 5.0, 59.75, 25.0, 5.0],
            [74.5, 10.0, 134.5, 40.0, 5.0],
            ninths([3.0, 2.0, 7.0, 3.0, 1.0]),
            [2.0, 1.0, 3.0, 2.0, 1.0],
        ),
    ];
    for (end, crossing, weighted, rates, sizes, times, counts) in cases {
        let shares = |cube: Cube<f64>| column(&cube.proportions(&bounds()).expect("a cube"), 0);
        let found = shares(links(LinkWeighted, end, crossing).finish());
        assert_close(&found, &weighted, "weighted");
        assert_close(&column(&links(rate, end, crossing).finish(), 0), &rates, "rate");
        assert_close(&column(&links(LinkSize, end, crossing).finish(), 0), &sizes, "size");
        let ticks = links(LinkTicks, end, crossing).finish();
        assert_close(&column(&ticks.proportions(&bounds()).expect("a cube"), 0), &times, "time");
        assert_eq!(column(&links(LinkCount, end, crossing).finish(), 0), counts);
    }
}

#[test]
fn dropped_and_clipped_links_are_told() {
    let tally = |crossing| links(LinkCount, LinkEnd::Origin, crossing).tally();
    let dropped = LinkTally { counted: 7, dropped: 2, clipped: 0, backward: 0 };
    let clipped = LinkTally { counted: 9, dropped: 0, clipped: 2, backward: 0 };
    assert_eq!((tally(Crossing::Drop), tally(Crossing::Clip)), (dropped, clipped));
}

/// An operator at every node: seconds blocked, seconds executing, bytes per second sent.
type Levels = [(&'static str, [f64; 3]); 11];

const PROCESSES: [(&str, [f64; 3]); 5] = [
    ("A", [5.0, 4.0, 25.0]),
    ("B", [2.0, 7.0, 18.0]),
    ("C", [6.0, 3.0, 10.0]),
    ("D", [0.0, 9.0, 20.0]),
    ("E", [5.0, 4.0, 15.0]),
];

/// The levels above the processes, and the processes, which every operator leaves as they are.
fn levels(above: [[f64; 3]; 6]) -> Levels {
    let [a, b, c, d, e] = PROCESSES;
    let above = |at: usize| (NODES[at], above[at]);
    [above(0), above(1), above(2), above(3), above(4), above(5), a, b, c, d, e]
}

/// Folds the two states and the rate of the links, each with its own kind of number.
fn check(expected: &Levels, states: impl Fn(u32) -> [f64; 2], rates: impl Fn(u32) -> f64) {
    for (node, (name, row)) in (0..).zip(expected) {
        let seconds = states(node).map(|ticks| ticks / TICKS_PER_SECOND as f64);
        assert_close(&[seconds[0], seconds[1], rates(node)], row, name);
    }
}

fn rates() -> Cube<f64> {
    let rate = LinkRate { ticks_per_unit: TICKS_PER_SECOND as u64 };
    links(rate, LinkEnd::Origin, Crossing::Drop).finish()
}

#[test]
fn sums_at_all_levels() {
    let expected = levels([
        [18.0, 27.0, 88.0],
        [7.0, 11.0, 43.0],
        [11.0, 16.0, 45.0],
        [7.0, 11.0, 43.0],
        [6.0, 12.0, 30.0],
        [5.0, 4.0, 15.0],
    ]);
    let states = state_ticks().fold(&tree(), &Sum::default());
    let rates = rates().fold(&tree(), &Sum::default());
    let both = |node| [states.node(node)[0] as f64, states.node(node)[1] as f64];
    check(&expected, both, |node| rates.node(node)[0]);
}

#[test]
fn means_at_all_levels() {
    let expected = levels([
        [3.6, 5.4, 17.6],
        [3.5, 5.5, 21.5],
        [11.0 / 3.0, 16.0 / 3.0, 15.0],
        [3.5, 5.5, 21.5],
        [3.0, 6.0, 15.0],
        [5.0, 4.0, 15.0],
    ]);
    let states = state_ticks().fold(&tree(), &Mean::default());
    let rates = rates().fold(&tree(), &Mean::default());
    let both = |node| [0, 1].map(|value: usize| states.node(node)[value].expect("a mean"));
    check(&expected, both, |node| rates.node(node)[0].expect("a mean"));
}

const SMALLEST: [[f64; 3]; 6] = [
    [0.0, 3.0, 10.0],
    [2.0, 4.0, 18.0],
    [0.0, 3.0, 10.0],
    [2.0, 4.0, 18.0],
    [0.0, 3.0, 10.0],
    [5.0, 4.0, 15.0],
];

const LARGEST: [[f64; 3]; 6] = [
    [6.0, 9.0, 25.0],
    [5.0, 7.0, 25.0],
    [6.0, 9.0, 20.0],
    [5.0, 7.0, 25.0],
    [6.0, 9.0, 20.0],
    [5.0, 4.0, 15.0],
];

#[test]
fn smallest_and_largest_at_all_levels() {
    let states = state_ticks().fold(&tree(), &Min::default());
    let rate = rates().fold(&tree(), &Min::default());
    let both = |node| [0, 1].map(|value: usize| states.node(node)[value].expect("one") as f64);
    check(&levels(SMALLEST), both, |node| rate.node(node)[0].expect("one"));

    let states = state_ticks().fold(&tree(), &Max::default());
    let rate = rates().fold(&tree(), &Max::default());
    let both = |node| [0, 1].map(|value: usize| states.node(node)[value].expect("one") as f64);
    check(&levels(LARGEST), both, |node| rate.node(node)[0].expect("one"));
}

/// The same numbers by way of the operators that a user writes.
#[test]
fn expressions_at_all_levels() {
    let states = state_ticks().fold(&tree(), &Describe::default());
    let rates = rates().fold(&tree(), &Describe::default());
    for (text, expected) in [("min", SMALLEST), ("max", LARGEST)] {
        let expression = Expression::parse(text).expect("an expression");
        let of = |group| expression.evaluate(group).expect("defined");
        let both = |node| [0, 1].map(|value: usize| of(&states.node(node)[value]));
        check(&levels(expected), both, |node| of(&rates.node(node)[0]));
    }
    let ratio = Expression::parse("(max - mean) / mean * 100").expect("an expression");
    let grid = ratio.evaluate(&rates.node(0)[0]).expect("defined");
    assert_close(&[grid], &[(25.0 - 17.6) / 17.6 * 100.0], "imbalance of the grid");
}
