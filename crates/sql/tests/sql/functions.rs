//! The functions against what they mean.

use crate::support::{Cell, Sample, float, int};
use onca_testkit::fixtures;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn small() -> Sample {
    let body =
        "1 M P Machine\n7 1 m/1 M a \"m/1\"\n7 1 m2 M a m2\n12 1 S a v\n12 3 S a w\n8 5 P a\n";
    Sample::of(fixtures::trace(body).as_bytes())
}

fn one(sample: &Sample, expression: &str) -> Cell {
    let rows = sample.ask(&format!("SELECT {expression}"));
    assert_eq!(rows.len(), 1);
    rows[0][0].clone()
}

#[test]
fn overlap_is_the_common_part() {
    let sample = small();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..100 {
        // Small numbers, so that ends often coincide.
        let [start, end, from, to]: [i64; 4] = std::array::from_fn(|_| rng.random_range(-9..9));
        let common = (start.max(from)..end.min(to)).count() as i64;
        let ticks = format!("overlap({start}, {end}, {from}, {to})");
        assert_eq!(one(&sample, &ticks), int(common), "{ticks}");
        let units = format!("overlap({start}.0, {end}.0, {from}.0, {to}.0)");
        assert_eq!(one(&sample, &units), float(common as f64), "{units}");
    }
}

#[test]
fn overlap_takes_columns_and_nulls() {
    let sample = small();
    let sum = "SELECT sum(overlap(tick_start, tick_end, 2000000000, 4000000000)) FROM states";
    // v from 1 to 3, w from 3 to 5: one unit each in the window.
    assert_eq!(sample.ask(sum), [[int(2_000_000_000)]]);
    assert_eq!(sample.ask("SELECT sum(overlap(t_start, t_end, 2, 4)) FROM states"), [[float(2.0)]]);
    assert_eq!(one(&sample, "overlap(1, NULL, 3, 4)"), Cell::Null);
    assert_eq!(
        one(
            &sample,
            "overlap(-9223372036854775807, 9223372036854775807, -9223372036854775807, 9223372036854775807)"
        ),
        int(i64::MAX)
    );
}

#[test]
fn containers_have_names_paths_and_ancestors() {
    let sample = small();
    let rows = sample.ask(
        "SELECT name, path(id), name(ancestor(id, 'Proc')), ancestor(id, 0), ancestor(id, 2) = id
         FROM containers ORDER BY id",
    );
    let text = |text: &str| Cell::Text(text.to_owned());
    let yes = Cell::Bool(true);
    assert_eq!(rows[1], [text("A"), text("/A"), text("A"), int(0), Cell::Null]);
    assert_eq!(rows[3], [text("m/1"), text("/A/m\\/1"), text("A"), int(0), yes.clone()]);
    assert_eq!(rows[4], [text("m2"), text("/A/m2"), text("A"), int(0), yes]);
    assert_eq!(rows[2], [text("B"), text("/B"), text("B"), int(0), Cell::Null]);
    assert_eq!(rows[0][2], Cell::Null, "the root lies in no process");
}

#[test]
fn ids_that_nothing_has_give_null() {
    let sample = small();
    for call in [
        "name(99)",
        "path(99)",
        "path(-1)",
        "ancestor(99, 0)",
        "name(NULL)",
        "ancestor(1, -1)",
        "ancestor(1, 40)",
    ] {
        assert_eq!(one(&sample, call), Cell::Null, "{call}");
    }
    let message = sample.refusal("SELECT ancestor(id, 'Procc') FROM containers");
    assert!(message.contains("Procc") && message.contains("Machine"), "{message}");
}

#[test]
fn a_chain_of_containers_has_depths_without_end_and_paths_to_a_bound() {
    let mut body = "1 C 0 C\n7 0 c0 C 0 c0\n".to_owned();
    for depth in 1..3000 {
        body += &format!("7 0 c{depth} C c{} c{depth}\n", depth - 1);
    }
    let sample = Sample::of(fixtures::trace(&body).as_bytes());
    let rows = sample.ask("SELECT max(depth), count(path), count(*) FROM containers");
    let n = sample.store.catalog().containers.len() as i64;
    assert_eq!(rows, [[int(3000), int(n - 2000), int(n)]]);
}

#[test]
fn a_slice_tells_the_time_in_each_state() {
    let sample = small();
    let text = |text: &str| Cell::Text(text.to_owned());
    let rows = sample.ask(
        "SELECT container, level, value, ticks, time, mean_share FROM slice(2, 4.5, 'Proc') ORDER BY value",
    );
    // v lasts from 1 to 3, w from 3 to 5. The two machines in the process have no states, and so no part in shares.
    let expected = [("v", 1_000_000_000, 1.0, 1.0 / 2.5), ("w", 1_500_000_000, 1.5, 1.5 / 2.5)];
    let expected = expected.map(|(value, ticks, time, share)| {
        vec![text("A"), text("Proc"), text(value), int(ticks), float(time), float(share)]
    });
    assert_eq!(rows, expected);
    let whole = "SELECT sum(ticks) FROM slice('0%', '100%', 0)";
    assert_eq!(sample.ask(whole), sample.ask("SELECT sum(exclusive_ticks) FROM states"));
    for (arguments, why) in [
        ("1", "write slice(from, to)"),
        ("4, 2", "the window is empty"),
        ("0, 'later'", "is no time"),
        ("0, 1, 'Nowhere'", "there is no level"),
        ("0, 1, -1", "a level is a constant"),
    ] {
        let refusal = sample.refusal(&format!("SELECT * FROM slice({arguments})"));
        assert!(refusal.contains(why), "{arguments}: {refusal}");
    }
}

#[test]
fn waits_and_findings_are_tables() {
    let options = onca_generate::program::Options { procs: 6, steps: 80, ..Default::default() };
    let mut text = Vec::new();
    let (_, truth) = onca_generate::program::write(&options, &mut text).expect("a trace");
    let sample = Sample::of(&text);
    let rows =
        sample.ask("SELECT kind, sum(duration_ticks) FROM waits GROUP BY kind ORDER BY kind");
    let mut planted: std::collections::BTreeMap<&str, i64> = std::collections::BTreeMap::new();
    for wait in &truth.waits {
        *planted.entry(wait.kind).or_default() += wait.to_ticks - wait.from_ticks;
    }
    let planted: Vec<Vec<Cell>> = planted
        .into_iter()
        .map(|(kind, ticks)| vec![Cell::Text(kind.to_owned()), int(ticks)])
        .collect();
    assert_eq!(rows, planted);

    let slow = onca_generate::iterative::SlowNode { machine: 3, factor: 1.5, interval_ticks: None };
    let options = onca_generate::iterative::Options {
        procs: 32,
        events: 40_000,
        slow_node: Some(slow),
        ..Default::default()
    };
    let mut text = Vec::new();
    onca_generate::iterative::write(&options, &mut text).expect("a trace");
    let sample = Sample::of(&text);
    let rows = sample.ask("SELECT kind, groups, containers FROM findings WHERE rank = 1");
    let text = |text: &str| Cell::Text(text.to_owned());
    assert_eq!(rows, [[text("slow"), text("/site-1/cluster-1/machine-3"), int(2)]]);
}
