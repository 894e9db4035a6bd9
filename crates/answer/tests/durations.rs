//! The durations of states, on a small trace whose numbers are known, and as cells against the list.

use crate::support;

use std::collections::BTreeMap;

use onca_answer::{duration_bin, durations, value_of_states};
use onca_model::{Ticks, Window};
use onca_query::Lens;
use onca_testkit::fixtures::trace;
use support::Stored;

const SECOND: Ticks = 1_000_000_000;

/// Two processes: `run` for 1, 2 and 4 s, `wait` for 3 s and for no time.
fn stored() -> Stored {
    let text = "13 0 S a run\n14 1 S a\n13 1 S a wait\n13 2 S b run\n14 4 S a\n13 4 S a run\n\
                14 4 S b\n13 4 S b wait\n14 4 S b\n14 8 S a\n";
    Stored::new(trace(text).as_bytes())
}

#[test]
fn states_are_listed_by_their_begin() {
    let stored = stored();
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let run = value_of_states(&scope, None).expect("the value with the most time");
    assert_eq!(scope.catalog().value(run).name, b"run");
    let found = durations(&scope, run, 10, 4).expect("durations");
    let listed: Vec<(Ticks, Ticks)> =
        found.states.iter().map(|state| (state.start / SECOND, state.ticks / SECOND)).collect();
    assert_eq!(listed, [(0, 1), (2, 2), (4, 4)]);
    assert_eq!(found.extent, Some((SECOND, 4 * SECOND)));
    let wait = value_of_states(&scope, Some("wait")).expect("a value");
    let found = durations(&scope, wait, 10, 4).expect("durations");
    assert_eq!((found.n_states, found.n_instants), (2, 1));
    assert!(value_of_states(&scope, Some("sleep")).is_err());
}

#[test]
fn only_what_begins_in_the_window_counts() {
    let stored = stored();
    let lens = Lens::clear();
    let scope = stored.scope(&lens, Window::new(SECOND / 2, 3 * SECOND));
    let run = value_of_states(&scope, Some("run")).expect("a value");
    let found = durations(&scope, run, 10, 4).expect("durations");
    assert_eq!(found.states.iter().map(|state| state.start).collect::<Vec<_>>(), [2 * SECOND]);
}

#[test]
fn more_states_than_wanted_are_counted_where_they_are() {
    let stored = stored();
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let run = value_of_states(&scope, Some("run")).expect("a value");
    let listed = durations(&scope, run, 3, 4).expect("durations");
    let counted = durations(&scope, run, 2, 4).expect("durations");
    assert!(listed.cells.is_empty() && counted.states.is_empty());
    // Four columns of 2 s each.
    let mut expected: BTreeMap<u32, u64> = BTreeMap::new();
    for state in &listed.states {
        *expected.entry((state.start / (2 * SECOND)) as u32).or_default() += 1;
    }
    let mut columns: BTreeMap<u32, u64> = BTreeMap::new();
    for ((column, bin), n) in &counted.cells {
        *columns.entry(*column).or_default() += n;
        let (from, to) = duration_bin(*bin);
        let fits = |ticks: Ticks| from <= ticks as f64 && (ticks as f64) < to;
        assert!(listed.states.iter().any(|state| fits(state.ticks)), "{from} to {to}");
    }
    assert_eq!(columns, expected);
}
