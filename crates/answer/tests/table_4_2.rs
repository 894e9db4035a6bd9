//! The example of the thesis on time slices (Schnorr, 2009, table 4.2): a window of nine seconds
//! over five processes, and what groups have of it.

use crate::support;

use onca_aggregate::ratio::Ratio;
use onca_aggregate::slice::{Crossing, LinkEnd};
use onca_answer::slice::{
    Aggregate, AskedRatio, LinkMeasure, Links, Measure, Nodes, SliceAnswer, SliceQuestion, What,
    ratios, slice,
};
use onca_model::Window;
use onca_query::Lens;
use onca_testkit::fixtures::table_4_2;
use support::Stored;

const UNIT: i64 = 1_000_000_000;
const PROCESSES: [&str; 5] = ["A", "B", "C", "D", "E"];

fn ask(question: &SliceQuestion) -> SliceAnswer {
    let stored = Stored::new(table_4_2().as_bytes());
    let scope = stored.scope(&Lens::clear(), Window::new(10 * UNIT, 19 * UNIT));
    slice(&scope, question).expect("an answer")
}

fn state_time() -> What {
    What::Measure(Measure::StateTime { inclusive: false })
}

fn links(measure: LinkMeasure, end: LinkEnd, border: Crossing) -> What {
    What::Measure(Measure::Link { measure, end, border })
}

/// What a node has of a value, as a number.
#[track_caller]
fn amount(answer: &SliceAnswer, node: &str, value: &str) -> f64 {
    let node = answer.nodes.iter().position(|n| n.name == node.as_bytes()).expect("a node");
    let value = answer.values.iter().position(|v| v.name == value.as_bytes()).expect("a value");
    answer.amount(node, value, 0).expect("an amount").to_f64()
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

#[test]
fn states_and_rates_of_processes_and_their_sums() {
    let time = ask(&SliceQuestion::new(state_time()));
    let rate = links(LinkMeasure::Rate, LinkEnd::Origin, Crossing::Drop);
    let rate = ask(&SliceQuestion::new(rate));
    for (node, blocked, executing, link) in [
        ("A", 5, 4, 25.0),
        ("B", 2, 7, 18.0),
        ("C", 6, 3, 10.0),
        ("D", 0, 9, 20.0),
        ("E", 5, 4, 15.0),
        ("M1", 7, 11, 43.0),
        ("M2", 6, 12, 30.0),
        ("M3", 5, 4, 15.0),
        ("C1", 7, 11, 43.0),
        ("C2", 11, 16, 45.0),
        ("G", 18, 27, 88.0),
    ] {
        assert_eq!(amount(&time, node, "Blocked"), f64::from(blocked) * UNIT as f64, "{node}");
        assert_eq!(amount(&time, node, "Executing"), f64::from(executing) * UNIT as f64, "{node}");
        close(amount(&rate, node, "m"), link);
    }
    let tally = rate.tally.expect("a tally");
    assert_eq!((tally.counted, tally.dropped, tally.clipped), (7, 2, 0));
}

#[test]
fn other_operators_at_every_level() {
    let table = [
        (
            "mean",
            [
                ("G", 3.6, 5.4),
                ("C1", 3.5, 5.5),
                ("C2", 11.0 / 3.0, 16.0 / 3.0),
                ("M1", 3.5, 5.5),
                ("M2", 3.0, 6.0),
                ("M3", 5.0, 4.0),
            ],
        ),
        (
            "min",
            [
                ("G", 0.0, 3.0),
                ("C1", 2.0, 4.0),
                ("C2", 0.0, 3.0),
                ("M1", 2.0, 4.0),
                ("M2", 0.0, 3.0),
                ("M3", 5.0, 4.0),
            ],
        ),
        (
            "max",
            [
                ("G", 6.0, 9.0),
                ("C1", 5.0, 7.0),
                ("C2", 6.0, 9.0),
                ("M1", 5.0, 7.0),
                ("M2", 6.0, 9.0),
                ("M3", 5.0, 4.0),
            ],
        ),
    ];
    let medians = [
        ("G", 5.0, 4.0),
        ("C1", 3.5, 5.5),
        ("C2", 5.0, 4.0),
        ("M1", 3.5, 5.5),
        ("M2", 3.0, 6.0),
        ("M3", 5.0, 4.0),
    ];
    for (operator, nodes) in table.into_iter().chain([("median", medians)]) {
        let aggregate = Aggregate::parse(operator).expect("an operator");
        let answer = ask(&SliceQuestion { aggregate, ..SliceQuestion::new(state_time()) });
        for (node, blocked, executing) in nodes {
            close(amount(&answer, node, "Blocked") / UNIT as f64, blocked);
            close(amount(&answer, node, "Executing") / UNIT as f64, executing);
        }
    }
}

#[test]
fn shares_of_the_slice() {
    let question = SliceQuestion { normalise: true, ..SliceQuestion::new(state_time()) };
    let answer = ask(&question);
    for (node, blocked, executing) in
        [("A", 5.0, 4.0), ("B", 2.0, 7.0), ("C", 6.0, 3.0), ("D", 0.0, 9.0), ("G", 18.0, 27.0)]
    {
        close(amount(&answer, node, "Blocked"), blocked / 9.0);
        close(amount(&answer, node, "Executing"), executing / 9.0);
    }
    let mean = ask(&SliceQuestion { aggregate: Aggregate::Mean, ..question });
    close(amount(&mean, "G", "Blocked"), 18.0 / 45.0);
}

#[test]
fn links_of_both_ends_dropped_and_clipped() {
    use Crossing::{Clip, Drop};
    use LinkEnd::{Destination, Origin};
    use LinkMeasure::{Count, Rate, Size, Weighted};
    let ninths = |numbers: [f64; 5]| numbers.map(|number| number / 9.0);
    let table = [
        (Weighted, Origin, Drop, ninths([100.0, 72.0, 10.0, 140.0, 60.0])),
        (Weighted, Origin, Clip, ninths([100.0, 171.0, 10.0, 140.0, 98.5])),
        (Weighted, Destination, Drop, ninths([72.0, 20.0, 215.0, 70.0, 5.0])),
        (Weighted, Destination, Clip, ninths([110.5, 20.0, 314.0, 70.0, 5.0])),
        (Rate, Origin, Drop, [25.0, 18.0, 10.0, 20.0, 15.0]),
        (Rate, Origin, Clip, [25.0, 42.75, 10.0, 20.0, 53.5]),
        (Rate, Destination, Drop, [18.0, 5.0, 35.0, 25.0, 5.0]),
        (Rate, Destination, Clip, [56.5, 5.0, 59.75, 25.0, 5.0]),
        (Size, Origin, Drop, [50.0, 36.0, 10.0, 50.0, 30.0]),
        (Size, Origin, Clip, [50.0, 85.5, 10.0, 50.0, 68.5]),
        (Size, Destination, Drop, [36.0, 10.0, 85.0, 40.0, 5.0]),
        (Size, Destination, Clip, [74.5, 10.0, 134.5, 40.0, 5.0]),
        (Count, Origin, Drop, [2.0, 1.0, 1.0, 2.0, 1.0]),
        (Count, Origin, Clip, [2.0, 2.0, 1.0, 2.0, 2.0]),
        (Count, Destination, Drop, [1.0, 1.0, 2.0, 2.0, 1.0]),
        (Count, Destination, Clip, [2.0, 1.0, 3.0, 2.0, 1.0]),
    ];
    for (measure, end, border, expected) in table {
        let answer = ask(&SliceQuestion::new(links(measure, end, border)));
        for (process, expected) in PROCESSES.into_iter().zip(expected) {
            close(amount(&answer, process, "m"), expected);
        }
    }
    let times = [
        (Origin, Drop, [4.0, 2.0, 1.0, 4.0, 2.0]),
        (Origin, Clip, [4.0, 4.0, 1.0, 4.0, 3.0]),
        (Destination, Drop, [2.0, 2.0, 5.0, 3.0, 1.0]),
        (Destination, Clip, [3.0, 2.0, 7.0, 3.0, 1.0]),
    ];
    for (end, border, expected) in times {
        let what = links(LinkMeasure::Time, end, border);
        let answer = ask(&SliceQuestion { normalise: true, ..SliceQuestion::new(what) });
        for (process, ninths) in PROCESSES.into_iter().zip(expected) {
            close(amount(&answer, process, "m"), ninths / 9.0);
        }
    }
}

#[test]
fn ratios_are_divided_after_aggregation() {
    let of = |ratio: &str, nodes: Nodes| {
        let what = What::Ratio(AskedRatio {
            ratio: Ratio::parse(ratio).expect("a ratio"),
            links: Links { end: LinkEnd::Origin, border: Crossing::Drop },
            inclusive: false,
        });
        ask(&SliceQuestion { nodes, ..SliceQuestion::new(what) })
    };
    let first = |answer: &SliceAnswer, node: &str| {
        let node = answer.nodes.iter().position(|n| n.name == node.as_bytes()).expect("a node");
        answer.amount(node, 0, 0).map(|amount| amount.to_f64())
    };
    let blocked = of("time:Blocked / count:link:Message", Nodes::All);
    assert_eq!(first(&blocked, "A"), Some(2.5));
    assert_eq!(first(&blocked, "D"), Some(0.0));
    assert_eq!(first(&blocked, "G"), Some(18.0 / 7.0));
    let busy = of("time:Executing / time:Blocked", Nodes::Level("Cluster".to_owned()));
    assert_eq!(busy.nodes.len(), 2);
    assert_eq!(first(&busy, "C2"), Some(16.0 / 11.0));
    let undefined = of("time:Executing / time:Blocked", Nodes::All);
    assert_eq!(first(&undefined, "D"), None, "divided by nothing");
    // C1 sends to A, B and C, C2 to C, D and E.
    let peers = of("size:link / peers:link", Nodes::Level("Cluster".to_owned()));
    assert_eq!(first(&peers, "C1"), Some(86.0 / 3.0));
    assert_eq!(first(&peers, "C2"), Some(90.0 / 3.0));

    let stored = Stored::new(table_4_2().as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let what = What::Ratio(AskedRatio {
        ratio: Ratio::parse("time:Bloked / time").expect("a ratio"),
        links: Links { end: LinkEnd::Origin, border: Crossing::Drop },
        inclusive: false,
    });
    let error = slice(&scope, &SliceQuestion::new(what)).expect_err("no such value").to_string();
    let expected = "no value or type \"Bloked\" of kind state; there are ";
    assert!(error.starts_with(expected) && error.contains("Blocked"), "{error}");
}

#[test]
fn every_place_has_the_ratio_that_is_told_of_its_node() {
    let stored = Stored::new(table_4_2().as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    for (text, agg) in [
        ("time:Blocked / count:link", "sum"),
        ("time:Executing / time:Blocked", "mean"),
        ("time / count", "max - min"),
        ("size:link / peers:link", "sum"),
    ] {
        let asked = AskedRatio {
            ratio: Ratio::parse(text).expect("a ratio"),
            links: Links { end: LinkEnd::Origin, border: Crossing::Drop },
            inclusive: false,
        };
        let aggregate = Aggregate::parse(agg).expect("an operator");
        let found = ratios(&scope, &asked, &aggregate).expect("ratios");
        let what = What::Ratio(asked);
        let question = SliceQuestion { aggregate, ..SliceQuestion::new(what) };
        let answer = slice(&scope, &question).expect("an answer");
        assert_eq!(answer.nodes.len(), found.by_place.len(), "no node has data of its own");
        for (index, node) in answer.nodes.iter().enumerate() {
            let told = answer.amount(index, 0, 0).map(|amount| amount.to_f64());
            assert_eq!(found.by_place[found.space.place(node.id) as usize], told, "{text} {agg}");
        }
    }
}

#[test]
fn peers_of_processes_and_of_clusters() {
    let links = Links { end: LinkEnd::Origin, border: Crossing::Drop };
    let question = SliceQuestion::new(What::Peers(links));
    let answer = ask(&question);
    assert_eq!(amount(&answer, "A", "/G/C1/M1/B"), 1.0);
    assert_eq!(amount(&answer, "A", "/G/C2/M2/D"), 0.0);
    assert_eq!(answer.rows.len(), 7);
    let clusters = ask(&SliceQuestion { nodes: Nodes::Level("Cluster".to_owned()), ..question });
    assert_eq!(amount(&clusters, "C1", "/G/C1"), 2.0);
    assert_eq!(amount(&clusters, "C1", "/G/C2"), 1.0);
    assert_eq!(amount(&clusters, "C2", "/G/C2"), 4.0);
    assert_eq!(clusters.rows.len(), 3);
}
