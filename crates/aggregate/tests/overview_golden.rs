//! Optimal partitions against reference results that were computed by a slow program, whose optima were compared with
//! all partitions of tiny inputs.
//!
//! `parent[k]` is the parent of node `k`, -1 for the root; `values[leaf][value][slice]` belongs to the nodes in
//! `leaves`. Partitions list `[node, first, last]`. Where `gain` is null, `p` sits on a breakpoint, and only the value is
//! defined.

use onca_aggregate::Tree;
use onca_aggregate::overview::{
    Axis, Curve, CurveLimits, Gain, Halving, Look, Partition, Problem, Tables, Watch,
};
use onca_aggregate::slice::Cube;
use serde_json::Value;

const FILES: [&str; 13] = [
    include_str!("golden/overview/all_zero.json"),
    include_str!("golden/overview/caterpillar.json"),
    include_str!("golden/overview/constant.json"),
    include_str!("golden/overview/events_counts.json"),
    include_str!("golden/overview/fig3.json"),
    include_str!("golden/overview/five_states_unbalanced.json"),
    include_str!("golden/overview/one_leaf.json"),
    include_str!("golden/overview/one_slice.json"),
    include_str!("golden/overview/pure_states.json"),
    include_str!("golden/overview/random_small.json"),
    include_str!("golden/overview/space_then_time.json"),
    include_str!("golden/overview/twins.json"),
    include_str!("golden/overview/zero_state.json"),
];

const CAP: u64 = 1 << 30;

struct Golden {
    json: Value,
    tree: Tree,
    cube: Cube<f64>,
}

impl Golden {
    fn read(text: &str) -> Self {
        let json: Value = serde_json::from_str(text).expect("JSON");
        let parents = list(&json["parent"]).iter().enumerate();
        let parents = parents.map(|(node, parent)| parent.as_u64().unwrap_or(node as u64) as u32);
        let tree = Tree::new(parents.collect()).expect("a tree");
        let values = list(&json["values"]);
        let n_values = list(&values[0]).len();
        let n_slices = list(&values[0][0]).len();
        let mut cube = Cube::new(values.len(), n_values, n_slices).expect("a cube");
        for (node, rows) in list(&json["leaves"]).iter().zip(values) {
            let place =
                tree.leaves().iter().position(|&leaf| u64::from(leaf) == node.as_u64().unwrap());
            for (value, row) in list(rows).iter().enumerate() {
                let numbers: Vec<f64> = list(row).iter().map(number).collect();
                cube.row_mut(place.expect("a leaf"), value).copy_from_slice(&numbers);
            }
        }
        Self { json, tree, cube }
    }

    fn name(&self) -> &str {
        self.json["name"].as_str().expect("a name")
    }

    fn problem(&self, gain: Gain) -> Problem<'_> {
        Problem::new(&self.tree, &self.cube, Axis::Both, gain).expect("a problem")
    }
}

fn list(json: &Value) -> &[Value] {
    json.as_array().expect("a list")
}

fn number(json: &Value) -> f64 {
    json.as_f64().expect("a number")
}

fn tables<'p>(problem: &'p Problem<'p>) -> Tables<'p> {
    Tables::new(problem, CAP, Watch::default()).expect("small tables")
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let allowed = tolerance * expected.abs().max(1.0);
    assert!((found - expected).abs() <= allowed, "{what}: {found} instead of {expected}");
}

fn triples(partition: &Partition) -> Vec<[u64; 3]> {
    partition.areas.iter().map(|a| [u64::from(a.node), a.first as u64, a.last as u64]).collect()
}

fn check_partition(golden: &Golden, found: &Partition, expected: &Value) {
    let what = format!("{} at p = {}", golden.name(), found.p);
    if expected["gain"].is_null() {
        return;
    }
    assert_close(found.gain, number(&expected["gain"]), 1e-9, &what);
    assert_close(found.loss, number(&expected["loss"]), 1e-9, &what);
    if expected["unique"] == true {
        let triple = |area: &Value| [0, 1, 2].map(|at| area[at].as_u64().expect("a number"));
        let partition: Vec<[u64; 3]> = list(&expected["partition"]).iter().map(triple).collect();
        assert_eq!(triples(found), partition, "{what}");
    }
    assert_eq!(
        found.areas.len() as u64,
        expected["aggregates"].as_u64().expect("a count"),
        "{what}"
    );
}

fn check_looks(golden: &Golden, found: &Partition, expected: &Value) {
    let Some(modes) = expected["mode"].as_array() else { return };
    for (area, mode) in found.areas.iter().zip(modes) {
        let look = Look::of(&golden.tree, &golden.cube, area.node, area.first, area.last);
        let state = mode["state"].as_i64().expect("a state");
        assert_eq!(look.mode.map_or(-1, |mode| mode as i64), state, "{} {area:?}", golden.name());
        assert_close(look.share, number(&mode["alpha"]), 1e-9, golden.name());
    }
}

#[test]
fn optima_at_given_trade_offs() {
    for golden in FILES.map(Golden::read) {
        let problem = golden.problem(Gain::Sum);
        let tables = tables(&problem);
        let (gain, loss) = tables.whole();
        assert_close(gain, number(&golden.json["root"]["gain"]), 1e-9, golden.name());
        assert_close(loss, number(&golden.json["root"]["loss"]), 1e-9, golden.name());
        for expected in list(&golden.json["optimal"]) {
            let found =
                tables.solve(number(&expected["p"]), Watch::default()).expect("a partition");
            assert_close(found.value(), number(&expected["value"]), 1e-9, golden.name());
            check_partition(&golden, &found, expected);
            check_looks(&golden, &found, expected);
        }
    }
}

#[test]
fn optima_between_breakpoints() {
    for golden in FILES.map(Golden::read) {
        let problem = golden.problem(Gain::Sum);
        let tables = tables(&problem);
        for segment in list(&golden.json["segments"]) {
            let p = (number(&segment["p_lo"]) + number(&segment["p_hi"])) / 2.0;
            let found = tables.solve(p, Watch::default()).expect("a partition");
            check_partition(&golden, &found, segment);
        }
    }
}

#[test]
fn the_gain_of_means() {
    for golden in FILES.map(Golden::read) {
        let problem = golden.problem(Gain::Mean);
        let tables = tables(&problem);
        for expected in list(&golden.json["mean_gain_variant"]) {
            let found =
                tables.solve(number(&expected["p"]), Watch::default()).expect("a partition");
            assert_close(found.value(), number(&expected["value"]), 1e-9, golden.name());
        }
    }
}

#[test]
fn the_exact_curve() {
    for golden in FILES.map(Golden::read) {
        let problem = golden.problem(Gain::Sum);
        let curve = Curve::search(&tables(&problem), CurveLimits::EXACT, Watch::default())
            .expect("a curve");
        let expected: Vec<f64> = list(&golden.json["breakpoints"]).iter().map(number).collect();
        let found: Vec<f64> = curve.breakpoints().collect();
        assert_eq!(found.len(), expected.len(), "{}: {found:?} {expected:?}", golden.name());
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() <= 1e-7 * expected,
                "{} {found} {expected}",
                golden.name()
            );
        }
        for (found, expected) in curve.segments.iter().zip(list(&golden.json["segments"])) {
            assert_close(found.gain, number(&expected["gain"]), 1e-9, golden.name());
            assert_close(found.loss, number(&expected["loss"]), 1e-9, golden.name());
            assert_eq!(found.n_areas as u64, expected["aggregates"].as_u64().expect("a count"));
        }
        assert!(curve.bound <= CurveLimits::EXACT.bound, "{}", golden.name());
        assert!(curve.solves <= 2 * found.len() + 3, "{}: {} solves", golden.name(), curve.solves);
    }
}

#[test]
fn trade_offs_by_halving() {
    for golden in FILES.map(Golden::read) {
        let problem = golden.problem(Gain::Sum);
        let expected = &golden.json["dichotomy"];
        let step = number(&expected["threshold"]);
        let found = Halving::search(&tables(&problem), step, Watch::default()).expect("a list");
        let points = list(&expected["points"]);
        assert_eq!(found.points.len(), points.len(), "{}: {found:?}", golden.name());
        for (found, expected) in found.points.iter().zip(points) {
            assert_eq!(found.p, number(&expected["p"]), "{}", golden.name());
            assert_close(found.gain, number(&expected["gain"]), 1e-9, golden.name());
            assert_close(found.loss, number(&expected["loss"]), 1e-9, golden.name());
        }
        let default = found.points[found.default].p;
        assert_eq!(default, number(&expected["default_p"]), "{}", golden.name());
    }
}
