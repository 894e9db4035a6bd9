//! Statistics, balance, messages, concurrency and efficiency against lists of entities.

use crate::support;

use std::collections::BTreeMap;

use onca_aggregate::statistics::{Levels, RatioHistogram};
use onca_answer::{
    Cut, Level, Load, balance, concurrency, efficiency, link_histograms, matrix, slice_times,
    state_histograms, state_times, statistics,
};
use onca_model::{Nature, Ticks, ValueId, display_text};
use onca_query::{NodeId, Role, Scope};
use onca_store::Measure;
use support::both::{Both, Look, SECOND, Seen, links, rng, states};

const CASES: u64 = 60;

/// Runs a check on random traces through random lenses.
fn on_random_traces(check: impl Fn(&Both, &Look, &Scope<'_>)) {
    for seed in 0..CASES {
        let mut rng = rng(seed);
        let both = Both::random(&mut rng);
        let mut looks = vec![Look::everything(&both)];
        looks.extend((0..4).map(|_| Look::random(&mut rng, &both)));
        for look in looks {
            check(&both, &look, &look.scope(&both));
        }
    }
}

fn value_name(scope: &Scope<'_>, value: ValueId) -> String {
    display_text(&scope.catalog().value(value).name).into_owned()
}

fn node_name(scope: &Scope<'_>, node: NodeId) -> String {
    display_text(scope.name(node)).into_owned()
}

/// The exclusive time of a state: its own, less that of the states directly inside it.
fn exclusive(all: &[Seen], state: &Seen, look: &Look) -> Ticks {
    let window = look.window();
    let inside = all.iter().filter(|other| state.holds(other) && other.depth == state.depth + 1);
    let inside: Ticks = inside.map(|other| window.overlap(other.start, other.end)).sum();
    window.overlap(state.start, state.end) - inside
}

#[test]
fn times_and_durations_are_those_of_the_states() {
    on_random_traces(|both, look, scope| {
        let all = states(both, look);
        for measure in [Measure::Exclusive, Measure::Inclusive] {
            let mut times: BTreeMap<(String, String), i128> = BTreeMap::new();
            let mut durations: BTreeMap<(String, String), Vec<Ticks>> = BTreeMap::new();
            for state in all.iter().filter(|state| !state.hidden) {
                let key = (both.name(state.container), state.value.clone());
                let ticks = match measure {
                    Measure::Exclusive => exclusive(&all, state, look),
                    Measure::Inclusive => look.window().overlap(state.start, state.end),
                };
                *times.entry(key.clone()).or_default() += i128::from(ticks);
                durations.entry(key).or_default().push(state.end - state.start);
            }
            let cut = Cut::new(scope, &Level::Own).expect("a cut");
            let found = statistics(scope, cut, measure, 2).expect("statistics");
            let rows = found.rows.iter().filter(|row| row.nature == Nature::State);
            let mut n_rows = 0;
            for row in rows {
                let node = node_name(scope, found.cut.nodes()[row.place]);
                let value = row.value.of_trace().expect("the lens derives nothing");
                let key = (node, value_name(scope, value));
                let sorted = durations.get_mut(&key).unwrap_or_else(|| panic!("{key:?} {look:?}"));
                sorted.sort_unstable();
                assert_eq!(row.ticks, Some(times[&key]), "{key:?} {measure:?} {look:?}");
                assert_eq!(row.count, sorted.len() as u64, "{key:?} {look:?}");
                let of = row.durations.expect("durations");
                let n = sorted.len();
                assert_eq!((of.min, of.max), (sorted[0], sorted[n - 1]));
                assert_eq!(of.median, sorted[n.div_ceil(2) - 1]);
                assert_eq!(of.p90, sorted[(9 * n).div_ceil(10) - 1]);
                assert_eq!(of.mean, sorted.iter().sum::<Ticks>() as f64 / n as f64);
                assert!(of.exact);
                let longest: Vec<Ticks> =
                    row.longest.iter().map(|instance| instance.end - instance.start).collect();
                let expected: Vec<Ticks> = sorted.iter().rev().take(2).copied().collect();
                assert_eq!(longest, expected);
                n_rows += 1;
            }
            assert_eq!(n_rows, durations.len(), "{look:?}");
        }
    });
}

#[test]
fn levels_and_slices_add_up_to_the_whole() {
    on_random_traces(|_, look, scope| {
        for measure in [Measure::Exclusive, Measure::Inclusive] {
            let sum = |level: Level, window| {
                let cut = Cut::new(scope, &level).expect("a cut");
                let times = state_times(scope, &cut, window, measure).expect("times");
                times.rows.iter().map(|row| row.ticks).sum::<i128>()
            };
            let whole = sum(Level::Whole, look.window());
            assert_eq!(sum(Level::Own, look.window()), whole);
            assert_eq!(sum(Level::Depth(1), look.window()), whole);
            let middle = (look.from + look.to) / 2 * SECOND;
            let (mut first, mut second) = (look.window(), look.window());
            (first.to, second.from) = (middle, middle);
            assert_eq!(sum(Level::Own, first) + sum(Level::Own, second), whole);
        }
    });
}

#[test]
fn balance_compares_ranks_and_machines() {
    on_random_traces(|both, look, scope| {
        let all = states(both, look);
        for (level, by_machine) in [("Rank", false), ("Machine", true)] {
            if all.is_empty() {
                continue;
            }
            let level = Level::Kind(level.to_owned());
            let Ok(found) = balance(scope, Some(&level), Measure::Exclusive) else { continue };
            for row in &found.rows {
                let wanted = match row.load {
                    Load::Useful => "compute".to_owned(),
                    Load::Value(value) => value_name(scope, value),
                };
                let mut loads: BTreeMap<String, Ticks> = BTreeMap::new();
                // Whoever has states counts, also outside the window.
                for state in &both.trace.states {
                    if look.sees_rank(both, state.container) {
                        let id = state.container;
                        let name = if by_machine { both.machine(id) } else { both.name(id) };
                        loads.entry(name).or_default();
                    }
                }
                for state in all.iter().filter(|state| !state.hidden && state.value == wanted) {
                    let id = state.container;
                    let name = if by_machine { both.machine(id) } else { both.name(id) };
                    *loads.entry(name).or_default() += exclusive(&all, state, look);
                }
                let largest = *loads.values().max().expect("a load");
                let mean = loads.values().sum::<Ticks>() as f64 / loads.len() as f64;
                assert_eq!(row.balance.count, loads.len() as u64, "{look:?}");
                assert_eq!(row.balance.max, largest as f64, "{wanted} {look:?}");
                assert!((row.balance.mean - mean).abs() <= 1e-6 * mean.abs());
                assert_eq!(loads[&node_name(scope, row.most)], largest);
            }
        }
    });
}

#[test]
fn the_matrix_is_that_of_the_links() {
    on_random_traces(|both, look, scope| {
        for (level, by_machine) in [(Level::Own, false), (Level::Depth(1), true)] {
            let mut expected: BTreeMap<(String, String), (u64, u64, Ticks)> = BTreeMap::new();
            for link in links(both, look) {
                let (Some(source), Some(destination)) = (link.source, link.destination) else {
                    continue;
                };
                let name = |id| if by_machine { both.machine(id) } else { both.name(id) };
                let sum = expected.entry((name(source), name(destination))).or_default();
                sum.0 += 1;
                sum.1 += link.size.unwrap_or(0);
                sum.2 += look.window().overlap(link.start, link.end);
            }
            let found = matrix(scope, Cut::new(scope, &level).expect("a cut")).expect("a matrix");
            let pairs: BTreeMap<_, _> = found
                .pairs
                .iter()
                .map(|pair| {
                    let name = |place| node_name(scope, found.node(place));
                    let totals = pair.totals;
                    ((name(pair.from), name(pair.to)), (totals.count, totals.size, totals.time))
                })
                .collect();
            assert_eq!(pairs, expected, "{look:?}");
            assert_eq!(found.scanned, look.min_seconds > 0, "only then are links hidden");
        }
    });
}

#[test]
fn histograms_lose_no_link() {
    on_random_traces(|both, look, scope| {
        let all = links(both, look);
        let found = link_histograms(scope).expect("histograms");
        let whole =
            |link: &&support::both::SeenLink| link.source.is_some() && link.destination.is_some();
        let n_whole = all.iter().filter(whole).count() as u64;
        assert_eq!(found.halves, all.len() as u64 - n_whole, "{look:?}");
        assert_eq!(found.durations.total(), n_whole, "{look:?}");
        let n_sized = all.iter().filter(|link| link.size.is_some()).count() as u64;
        assert_eq!(found.sizes.total(), n_sized);
        for bin in found.sizes.filled() {
            let bounds = [bin, bin + 1].map(|bin| RatioHistogram::lower_bound(bin) as u64);
            let range = bounds[0]..bounds[1];
            let sized = all.iter().filter(|link| link.size.is_some_and(|s| range.contains(&s)));
            assert_eq!(found.sizes.count(bin..bin + 1), sized.count() as u64, "{look:?}");
        }
    });
}

#[test]
fn states_are_counted_by_their_length() {
    on_random_traces(|both, look, scope| {
        let mut lengths: BTreeMap<String, Vec<Ticks>> = BTreeMap::new();
        for state in states(both, look).into_iter().filter(|state| !state.hidden) {
            lengths.entry(state.value).or_default().push(state.end - state.start);
        }
        let found = state_histograms(scope).expect("histograms");
        assert_eq!(found.len(), lengths.len(), "{look:?}");
        for (value, found) in found {
            let lengths = &lengths[&value_name(scope, value)];
            let n_in = |from, to| {
                lengths.iter().filter(|ticks| from <= **ticks && **ticks < to).count() as u64
            };
            assert_eq!((found.zeros, found.total()), (n_in(0, 1), lengths.len() as u64));
            for bin in found.filled() {
                let bound = RatioHistogram::lower_bound;
                assert_eq!(found.count(bin..bin + 1), n_in(bound(bin), bound(bin + 1)), "{look:?}");
            }
        }
    });
}

#[test]
fn concurrency_is_what_every_second_shows() {
    on_random_traces(|both, look, scope| {
        let all = states(both, look);
        let found = concurrency(scope, 1).expect("concurrency");
        let mut expected: BTreeMap<String, BTreeMap<u64, Ticks>> = BTreeMap::new();
        let innermost = |container: usize, second: i64| {
            let open = all.iter().filter(|state| {
                state.container == container
                    && state.start <= second * SECOND
                    && second * SECOND < state.end
            });
            open.max_by_key(|state| state.depth).filter(|state| !state.hidden)
        };
        for value in support::both::VALUES {
            for second in look.from..look.to {
                let inside = (0..both.trace.containers.len()).filter(|&container| {
                    innermost(container, second).is_some_and(|state| state.value == value)
                });
                let level = inside.count() as u64;
                *expected.entry(value.to_owned()).or_default().entry(level).or_default() += SECOND;
            }
        }
        // A value in which nobody ever is does not occur.
        expected.retain(|_, levels| levels.keys().any(|level| *level > 0));
        let levels: BTreeMap<_, BTreeMap<u64, Ticks>> = found
            .values
            .iter()
            .map(|(value, slices)| {
                (value_name(scope, *value), slices[0].times.iter().copied().collect())
            })
            .collect();
        assert_eq!(levels, expected, "{look:?}");
    });
}

#[test]
fn the_time_of_slices_is_that_of_all_levels() {
    on_random_traces(|_, look, scope| {
        let expected = concurrency(scope, 7).expect("concurrency");
        let found = slice_times(scope, 7).expect("times");
        assert_eq!(found.slices, expected.slices);
        let expected: Vec<(ValueId, Vec<i128>)> = expected
            .values
            .iter()
            .map(|(value, slices)| (*value, slices.iter().map(Levels::integral).collect()))
            .collect();
        assert_eq!(found.values, expected, "{look:?}");
    });
}

#[test]
fn efficiency_follows_the_roles() {
    on_random_traces(|both, look, scope| {
        let all = states(both, look);
        let found = efficiency(scope, &Level::Whole, 1).expect("efficiency");
        let mut useful: BTreeMap<String, Ticks> = BTreeMap::new();
        let mut communication = 0;
        let mut unknown = 0;
        for state in &both.trace.states {
            if look.sees_rank(both, state.container) {
                useful.entry(both.name(state.container)).or_default();
            }
        }
        for state in all.iter().filter(|state| !state.hidden) {
            let ticks = exclusive(&all, state, look);
            match state.value.as_str() {
                "compute" => *useful.entry(both.name(state.container)).or_default() += ticks,
                "odd" => unknown += i128::from(ticks),
                _ => communication += i128::from(ticks),
            }
        }
        let Some(row) = found.rows.first() else {
            assert!(useful.is_empty(), "{look:?}");
            return;
        };
        let sum: Ticks = useful.values().sum();
        let largest = useful.values().copied().max().unwrap_or(0);
        let length = look.window().to - look.window().from;
        assert_eq!(row.times.processes, useful.len() as u64);
        assert_eq!(row.times.useful, i128::from(sum), "{look:?}");
        assert_eq!(row.times.max_useful, largest);
        assert_eq!((row.times.communication, row.unknown), (communication, unknown));
        let mean = sum as f64 / useful.len() as f64;
        let close = |found: Option<f64>, expected: f64| {
            assert!((found.expect("a number") - expected).abs() < 1e-12, "{look:?}");
        };
        close(row.efficiency.parallel, mean / length as f64);
        close(row.efficiency.communication, largest as f64 / length as f64);
        if largest > 0 {
            close(row.efficiency.load_balance, mean / largest as f64);
        }
        let roles: i128 = row.roles.iter().sum();
        assert_eq!(roles + row.unknown + row.none, row.whole(), "nothing is hidden");
        assert_eq!(Role::ALL.len(), row.roles.len());
        assert!(!found.several_types);
    });
}

#[test]
fn efficiency_over_time_adds_up() {
    on_random_traces(|_, look, scope| {
        let whole = efficiency(scope, &Level::Whole, 1).expect("efficiency");
        let slices = efficiency(scope, &Level::Whole, 3).expect("efficiency");
        let machines = efficiency(scope, &Level::Depth(1), 1).expect("efficiency");
        let useful = |rows: &[onca_answer::EfficiencyRow]| {
            rows.iter().map(|row| row.times.useful).sum::<i128>()
        };
        assert_eq!(useful(&slices.rows), useful(&whole.rows), "{look:?}");
        assert_eq!(useful(&machines.rows), useful(&whole.rows), "{look:?}");
    });
}

#[test]
fn a_trace_without_entities_has_empty_answers() {
    let both = Both::new(&(support::both::header() + &support::both::body()));
    let look = Look { to: 0, ..Look::everything(&both) };
    let scope = look.scope(&both);
    let cut = || Cut::new(&scope, &Level::Whole).expect("a cut");
    assert!(statistics(&scope, cut(), Measure::Exclusive, 3).expect("an answer").rows.is_empty());
    assert!(balance(&scope, None, Measure::Exclusive).expect("an answer").rows.is_empty());
    assert!(matrix(&scope, cut()).expect("an answer").pairs.is_empty());
    assert!(concurrency(&scope, 4).expect("an answer").values.is_empty());
    assert!(efficiency(&scope, &Level::Whole, 4).expect("an answer").rows.is_empty());
}

#[test]
fn levels_that_are_not_there_are_refused() {
    let both = Both::new(&(support::both::header() + &support::both::body()));
    let scope = Look::everything(&both).scope(&both);
    let why = |level| Cut::new(&scope, &level).expect_err("no level").to_string();
    assert!(why(Level::Kind("Site".to_owned())).contains("Machine, Rank"));
    assert!(why(Level::Depth(9)).contains("the deepest is 2"));
}

fn text(answer: &impl serde::Serialize) -> String {
    serde_json::to_string(answer).expect("JSON")
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut rng = rng(99);
    let both = Both::random(&mut rng);
    for look in [Look::everything(&both), Look::random(&mut rng, &both)] {
        let scope = look.scope(&both);
        let answers = || {
            let cut = |level| Cut::new(&scope, &level).expect("a cut");
            let profile = onca_answer::ProfileSpec::new(cut(Level::Own));
            [
                statistics(&scope, cut(Level::Own), Measure::Exclusive, 3)
                    .map(|answer| text(&answer.json(&scope))),
                balance(&scope, None, Measure::Inclusive).map(|answer| text(&answer.json(&scope))),
                matrix(&scope, cut(Level::Own)).map(|answer| text(&answer.json(&scope))),
                link_histograms(&scope).map(|answer| text(&answer.json(&scope))),
                concurrency(&scope, 3).map(|answer| text(&answer.json(&scope))),
                efficiency(&scope, &Level::Depth(1), 3).map(|answer| text(&answer.json(&scope))),
                onca_answer::profile(&scope, profile).map(|answer| text(&answer.json(&scope))),
            ]
            .map(|answer| answer.expect("an answer"))
        };
        let with_threads = |n: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
            pool.install(answers)
        };
        let alone = with_threads(1);
        assert_eq!(with_threads(2), alone);
        assert_eq!(with_threads(5), alone);
    }
}
