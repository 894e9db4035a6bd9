//! Profiles against paths that are found by comparing every state with every other.

use crate::support;

use std::collections::BTreeMap;

use onca_answer::{Cut, Level, Profile, ProfileSpec, profile, state_times};
use onca_model::{Ticks, display_text};
use onca_query::Scope;
use onca_store::Measure;
use support::both::{Both, Look, SECOND, Seen, rng, states};

/// A container and the values of a path.
type Key = (String, Vec<String>);

/// Count, inclusive and exclusive time of every path.
fn expected(both: &Both, look: &Look, longest: usize) -> BTreeMap<Key, (u64, i128, i128)> {
    let all = states(both, look);
    let window = look.window();
    let overlap = |state: &Seen| i128::from(window.overlap(state.start, state.end));
    let mut paths: BTreeMap<Key, (u64, i128, i128)> = BTreeMap::new();
    for state in all.iter().filter(|state| !state.hidden) {
        let mut around: Vec<&Seen> =
            all.iter().filter(|other| other.holds(state) && !other.hidden).collect();
        around.sort_by_key(|other| other.depth);
        let mut values: Vec<String> = around.iter().map(|other| other.value.clone()).collect();
        values.push(state.value.clone());
        let whole = values.len() <= longest;
        values.truncate(longest);
        let path = paths.entry((both.name(state.container), values)).or_default();
        let inside =
            all.iter().filter(|other| state.holds(other) && other.depth == state.depth + 1);
        path.2 += overlap(state) - inside.map(overlap).sum::<i128>();
        if whole {
            path.0 += 1;
            path.1 += overlap(state);
        }
    }
    paths
}

fn found(scope: &Scope<'_>, profile: &Profile) -> BTreeMap<Key, (u64, i128, i128)> {
    let name = |value| display_text(&scope.catalog().value(value).name).into_owned();
    let paths = profile.paths.iter().enumerate().map(|(number, path)| {
        let node = display_text(scope.name(profile.cut.nodes()[path.place])).into_owned();
        let values = profile.values(number).into_iter().map(name).collect();
        ((node, values), (path.count, path.inclusive, path.exclusive))
    });
    paths.collect()
}

#[test]
fn paths_are_those_of_the_nested_states() {
    for seed in 0..60 {
        let mut rng = rng(seed);
        let both = Both::random(&mut rng);
        for round in 0..5 {
            let look = match round {
                0 => Look::everything(&both),
                _ => Look::random(&mut rng, &both),
            };
            let scope = look.scope(&both);
            let cut = || Cut::new(&scope, &Level::Own).expect("a cut");
            for limit in [None, Some(1), Some(2)] {
                let spec = ProfileSpec { depth_limit: limit, ..ProfileSpec::new(cut()) };
                let profile = profile(&scope, spec).expect("a profile");
                let wanted = expected(&both, &look, limit.unwrap_or(usize::MAX));
                assert_eq!(found(&scope, &profile), wanted, "{limit:?} {look:?}");
                let times = state_times(&scope, &cut(), look.window(), Measure::Exclusive);
                let sum: i128 = times.expect("times").rows.iter().map(|row| row.ticks).sum();
                assert_eq!(profile.total, sum, "exclusive times are the time of all states");
                assert_eq!((profile.left_out, profile.left_out_ticks), (0, 0));
            }
        }
    }
}

#[test]
fn what_is_left_out_is_counted() {
    for seed in 0..20 {
        let both = Both::random(&mut rng(seed));
        let scope = Look::everything(&both).scope(&both);
        let cut = || Cut::new(&scope, &Level::Whole).expect("a cut");
        let all = profile(&scope, ProfileSpec::new(cut())).expect("a profile");
        let spec = ProfileSpec { min_share: 0.05, ..ProfileSpec::new(cut()) };
        let some = profile(&scope, spec).expect("a profile");
        let least = all.total as f64 * 0.05;
        let large = all.paths.iter().filter(|path| path.inclusive as f64 >= least).count();
        assert_eq!(some.paths.len(), large);
        assert_eq!(some.left_out as usize, all.paths.len() - large);
        let shown: i128 = some.paths.iter().map(|path| path.exclusive).sum();
        assert_eq!(shown + some.left_out_ticks, all.total);
    }
}

#[test]
fn paths_come_before_their_continuations_and_the_longest_first() {
    let text = support::both::header()
        + &support::both::body()
        + "13 0 S r0 a\n13 1 S r0 b\n14 2 S r0\n13 3 S r0 c\n14 6 S r0\n14 7 S r0\n\
           13 7 S r0 a\n14 8 S r0\n13 8 S r0 d\n14 9 S r0\n";
    let both = Both::new(&text);
    let scope = Look::everything(&both).scope(&both);
    let cut = Cut::new(&scope, &Level::Whole).expect("a cut");
    let found = profile(&scope, ProfileSpec::new(cut)).expect("a profile");
    let seconds = |ticks: i128| (ticks / i128::from(SECOND)) as Ticks;
    let rows: Vec<_> = found
        .paths
        .iter()
        .map(|path| {
            let name = display_text(&scope.catalog().value(path.value).name).into_owned();
            (path.depth, name, path.count, seconds(path.inclusive), seconds(path.exclusive))
        })
        .collect();
    let row = |depth, name: &str, count, inclusive, exclusive| {
        (depth, name.to_owned(), count, inclusive, exclusive)
    };
    assert_eq!(
        rows,
        [row(0, "a", 2, 8, 4), row(1, "c", 1, 3, 3), row(1, "b", 1, 1, 1), row(0, "d", 1, 1, 1)]
    );
}

#[test]
fn too_many_paths_are_refused() {
    let both = Both::random(&mut rng(1));
    let scope = Look::everything(&both).scope(&both);
    let cut = Cut::new(&scope, &Level::Whole).expect("a cut");
    let spec = ProfileSpec { max_paths: 3, ..ProfileSpec::new(cut) };
    let why = profile(&scope, spec).expect_err("too many").to_string();
    assert!(why.contains("more than 3 paths"), "{why}");
}
