//! The trade-off at which something is an area of its own.

use crate::support;

use onca_aggregate::overview::Watch;
use onca_answer::overview::{Choice, Matrix, Metric, Overview, OverviewOptions};
use onca_model::Window;
use onca_query::Lens;
use onca_testkit::fixtures;
use support::Stored;

/// Eight threads on two nodes that compute for 20 s; those of the second node wait from 8 to 12 s.
fn planted() -> String {
    let mut text = fixtures::header() + "1 N 0 Node\n1 T N Thread\n2 S T STATE\n";
    // What lies below a node does not follow it.
    (0..2).for_each(|node| text += &format!("7 0 n{node} N 0 n{node}\n"));
    for k in 0..4 {
        (0..2).for_each(|node| text += &format!("7 0 t{node}{k} T n{node} t{node}{k}\n"));
    }
    let threads = || (0..2).flat_map(|node| (0..4).map(move |k| (node, k)));
    threads().for_each(|(node, k)| text += &format!("12 0 S t{node}{k} work\n"));
    (0..4).for_each(|k| text += &format!("12 8 S t1{k} wait\n"));
    (0..4).for_each(|k| text += &format!("12 12 S t1{k} work\n"));
    threads().for_each(|(node, k)| text += &format!("15 20 S t{node}{k}\n"));
    text
}

#[test]
fn a_planted_area_is_found_at_a_trade_off_where_it_is_one() {
    let stored = Stored::new(planted().as_bytes());
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let matrix = Matrix::new(&scope, 20, &Metric::States { idle: false }).expect("a matrix");
    let second = scope.catalog().facts.unit.ticks_per_unit as i64;
    let hit = scope.hierarchy().nodes().find(|node| scope.path(*node) == "/n1").expect("a node");
    let place = matrix.places[hit.index()];
    assert_ne!(place, hit.0, "or the test shows little");
    Overview::with(&matrix, &OverviewOptions::default(), Watch::default(), |overview| {
        let window = Window::new(8 * second, 12 * second);
        let own = overview.own_area(&[hit], window, Watch::default())?.expect("an area");
        assert_eq!(own.likeness, 1.0);
        let areas = overview.partition(Choice::P(own.p), Watch::default())?.areas;
        let is_planted = |area: &&onca_answer::overview::AreaRow| {
            (area.node, area.first, area.last) == (place, 8, 11)
        };
        assert_eq!(areas.iter().filter(is_planted).count(), 1, "{areas:?}");
        // It is among few: the simplest picture that shows it.
        assert!(areas.len() <= 4, "{areas:?}");
        let nowhere = Window::new(30 * second, 40 * second);
        assert_eq!(overview.own_area(&[hit], nowhere, Watch::default())?, None);
        assert_eq!(overview.own_area(&[], window, Watch::default())?, None);
        Ok(())
    })
    .expect("an answer");
}
