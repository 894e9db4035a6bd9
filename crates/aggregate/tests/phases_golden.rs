//! Phases and communities against reference results of a slow program.
//!
//! `temporal`: times, and for each rule the order, the merges `[left, right, distance, representative]` and the first place of each of `q`
//! phases. `cnm`: messages `[from, to, bytes]`, merges `[left, right, score]`, and communities and modularity for each number of them.
//! `hungarian`: the least total. `curve`: communities of phases, their differences and heights.

use onca_aggregate::phases::{
    Community, CommunityTree, Curve, Linkage, TimeTree, Traffic, least_total,
};
use serde_json::Value;

const GOLDEN: &str = include_str!("golden/phases.json");

fn golden(part: &str) -> Vec<Value> {
    let json: Value = serde_json::from_str(GOLDEN).expect("JSON");
    list(&json[part]).to_vec()
}

fn list(json: &Value) -> &[Value] {
    json.as_array().expect("a list")
}

fn number(json: &Value) -> f64 {
    json.as_f64().expect("a number")
}

fn numbers(json: &Value) -> Vec<u64> {
    list(json).iter().map(|number| number.as_u64().expect("a count")).collect()
}

fn grouping(json: &Value) -> Vec<Community> {
    let members = |json: &Value| numbers(json).into_iter().map(|member| member as u32).collect();
    list(json).iter().map(members).collect()
}

fn assert_close(own: f64, expected: f64) {
    assert!((own - expected).abs() < 1e-9, "{own} instead of {expected}");
}

/// Times in the file have quarters; here they are whole.
const QUARTERS: f64 = 4.0;

#[test]
fn messages_join_in_time() {
    let cases = golden("temporal");
    assert_eq!(cases.len(), 5);
    for case in &cases {
        let given: Vec<f64> = list(&case["times"]).iter().map(number).collect();
        for (name, linkage) in [("midpoint", Linkage::Midpoint), ("weighted", Linkage::Weighted)] {
            let expected = &case[name];
            let order = numbers(&expected["order"]);
            let sorted: Vec<f64> = order.iter().map(|&at| given[at as usize]).collect();
            let times: Vec<i64> = sorted.iter().map(|time| (time * QUARTERS) as i64).collect();
            let tree = TimeTree::new(&times, &[], linkage);
            let merges = tree.merges(&times, &[]);
            assert_eq!(merges.len(), list(&expected["merges"]).len());
            for (merge, expected) in merges.iter().zip(list(&expected["merges"])) {
                let clusters = (merge.left as f64, merge.right as f64);
                assert_eq!(clusters, (number(&expected[0]), number(&expected[1])));
                assert_close(merge.distance / QUARTERS, number(&expected[2]));
                assert_close(sorted[0] + merge.representative / QUARTERS, number(&expected[3]));
            }
            for (n, firsts) in expected["cuts"].as_object().expect("cuts") {
                let firsts: Vec<usize> = numbers(firsts).iter().map(|&at| at as usize).collect();
                assert_eq!(tree.cut(n.parse().expect("a number")), firsts);
            }
        }
    }
}

#[test]
fn processors_join_by_modularity() {
    let cases = golden("cnm");
    assert_eq!(cases.len(), 6);
    for case in &cases {
        let n = case["processors"].as_u64().expect("a count") as usize;
        let traffic = |message: &Value| {
            let message = numbers(message);
            let (from, to) = (message[0] as u32, message[1] as u32);
            Traffic { from, to, weight: message[2], count: 1 }
        };
        let traffic: Vec<Traffic> = list(&case["messages"]).iter().map(traffic).collect();
        let tree = CommunityTree::new(n, &traffic);
        let own: Vec<[i128; 3]> = tree
            .merges()
            .iter()
            .map(|merge| [i128::from(merge.left), i128::from(merge.right), merge.score])
            .collect();
        let merge = |json: &Value| {
            [0, 1, 2].map(|at| i128::from(json[at].as_i64().expect("a whole number")))
        };
        let expected: Vec<[i128; 3]> = list(&case["merges"]).iter().map(merge).collect();
        assert_eq!(own, expected);
        let mut best = f64::NEG_INFINITY;
        for count in (1..=n).rev() {
            let key = count.to_string();
            assert_eq!(tree.communities(count), grouping(&case["communities"][&key]));
            match (tree.modularity(count), &case["modularity"][&key]) {
                (None, expected) => assert!(expected.is_null()),
                (Some(own), expected) => {
                    assert_close(own, number(expected));
                    best = best.max(number(expected));
                }
            }
        }
        if let Some(own) = tree.modularity(tree.best_count()) {
            assert_close(own, best);
        }
    }
}

#[test]
fn matchings_cost_least() {
    let cases = golden("hungarian");
    assert_eq!(cases.len(), 6);
    for case in &cases {
        let row = |json: &Value| list(json).iter().map(number).collect::<Vec<f64>>();
        let costs: Vec<Vec<f64>> = list(&case["cost"]).iter().map(row).collect();
        let (total, columns) = least_total(&costs);
        assert_close(total, number(&case["total"]));
        let mut sorted = columns.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..costs.len()), "{columns:?}");
    }
}

#[test]
fn heights_follow_the_differences() {
    let cases = golden("curve");
    assert_eq!(cases.len(), 5);
    for case in &cases {
        let phases: Vec<Vec<Community>> = list(&case["phases"]).iter().map(grouping).collect();
        let curve = Curve::new(&phases);
        assert_eq!(curve.heights.len(), phases.len());
        for (own, expected) in curve.heights.iter().zip(list(&case["heights"])) {
            assert_close(*own, number(expected));
        }
        assert_eq!(curve.differences.len(), list(&case["differences"]).len());
        for (own, expected) in curve.differences.iter().zip(list(&case["differences"])) {
            assert_close(own.total, number(expected));
        }
    }
}
