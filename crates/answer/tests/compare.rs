//! Two runs compared: small traces whose answers are known, and sums over random ones.

use crate::support;

use std::collections::BTreeMap;

use onca_answer::compare::{Align, CompareSpec, Comparison, MatchRule, compare, compare_several};
use onca_generate::iterative::{self, Checkpoint, MoreWork, SlowNode};
use onca_generate::{Place, program};
use onca_model::{Nature, Ticks};
use onca_query::{Lens, Scope, container_path};
use onca_testkit::fixtures::trace;
use support::Stored;

fn compared(before: &Stored, after: &Stored, align: Align) -> Comparison {
    let lens = Lens::clear();
    let (a, b) = (before.scope(&lens, before.whole()), after.scope(&lens, after.whole()));
    compare(&a, &b, &CompareSpec { align, level: None }).expect("a comparison")
}

fn run_of(options: &iterative::Options) -> Stored {
    let mut text = Vec::new();
    iterative::write(options, &mut text).expect("a trace");
    Stored::new(&text)
}

fn options(seed: u64) -> iterative::Options {
    iterative::Options {
        procs: 16,
        iterations: Some(60),
        place: Place {
            sites: 1,
            clusters_per_site: 2,
            machines_per_cluster: 2,
            all_clusters: None,
        },
        noise: 5,
        seed,
        ..iterative::Options::default()
    }
}

/// The time of each process in each value, innermost states only, in windows of time: by looking at every state.
fn times(scope: &Scope<'_>, windows: &[(Ticks, Ticks)]) -> BTreeMap<(String, usize, String), i128> {
    let catalog = scope.catalog();
    let mut times = BTreeMap::new();
    for (track, of, _) in scope.tracks(Nature::State) {
        let path = container_path(&catalog.containers, of.container);
        let mut open: Vec<(usize, Ticks, Ticks, String)> = Vec::new();
        scope
            .visit_states(track, |depth, _, state| {
                open.truncate(depth);
                let name = String::from_utf8_lossy(&catalog.value(state.value).name).into_owned();
                for (slot, (from, to)) in windows.iter().enumerate() {
                    let ticks = i128::from((state.end.min(*to) - state.start.max(*from)).max(0));
                    if ticks > 0 {
                        *times.entry((path.clone(), slot, name.clone())).or_insert(0) += ticks;
                        if let Some((_, _, _, outer)) = open.last() {
                            *times.entry((path.clone(), slot, outer.clone())).or_insert(0) -= ticks;
                        }
                    }
                }
                open.push((depth, state.start, state.end, name));
            })
            .expect("states");
    }
    times.retain(|_, ticks| *ticks != 0);
    times
}

/// The same from the cube of a comparison, with what is outside of all states as an empty name.
fn cube_times(
    comparison: &Comparison,
    scope: &Scope<'_>,
    is_after: bool,
) -> BTreeMap<(String, usize, String), i128> {
    let mut times = BTreeMap::new();
    for (place, of) in comparison.matching.places.iter().enumerate() {
        let node = if is_after { of.node_after } else { of.node_before };
        for slot in 0..comparison.cube.n_slots() {
            for cell in comparison.cube.get(place, slot) {
                let name = comparison.values[cell.value as usize].name.as_deref();
                let name =
                    name.map_or(String::new(), |it| String::from_utf8_lossy(it).into_owned());
                let ticks = if is_after { cell.after } else { cell.before };
                if ticks != 0 {
                    times.insert((scope.path(node), slot, name), ticks);
                }
            }
        }
    }
    times
}

#[test]
fn the_cube_holds_every_tick_of_both_runs() {
    for seed in 0..12 {
        let run = |seed: u64| {
            let mut text = Vec::new();
            let options = program::Options { procs: 5, steps: 40, compute_ticks: 10_000, seed };
            program::write(&options, &mut text).expect("a trace");
            Stored::new(&text)
        };
        let (before, after) = (run(seed), run(seed + 100));
        let lens = Lens::clear();
        let (a, b) = (before.scope(&lens, before.whole()), after.scope(&lens, after.whole()));
        for align in [Align::Auto, Align::Phases, Align::Begin, Align::End, Align::None] {
            let spec = CompareSpec { align: align.clone(), level: None };
            let comparison = compare(&a, &b, &spec).expect("a comparison");
            assert!(comparison.is_related, "seed {seed}");
            let pairs = &comparison.alignment.pairs;
            let before = pairs.iter().map(|pair| (pair.before.from, pair.before.to));
            let after = pairs.iter().map(|pair| (pair.after.from, pair.after.to));
            let sides = [(&a, before.collect::<Vec<_>>()), (&b, after.collect())];
            for (is_after, (scope, windows)) in [false, true].into_iter().zip(sides) {
                let mut found = cube_times(&comparison, scope, is_after);
                for (slot, (from, to)) in windows.iter().enumerate() {
                    let of_slot = found.iter().filter(|((_, at, _), _)| *at == slot);
                    let all: i128 = of_slot.map(|(_, ticks)| ticks).sum();
                    assert_eq!(all, i128::from(to - from) * 5, "seed {seed}, {align}, slot {slot}");
                }
                found.retain(|(_, _, name), _| !name.is_empty());
                assert_eq!(found, times(scope, &windows), "seed {seed}, {align}");
            }
            let account = comparison.account;
            let sum = account.work + account.rest + account.new + account.gone;
            assert_eq!(sum, comparison.change() as f64, "seed {seed}, {align}");
        }
    }
}

#[test]
fn runs_with_other_noise_do_not_differ() {
    let before = run_of(&options(1));
    for seed in 2..8 {
        let comparison = compared(&before, &run_of(&options(seed)), Align::Auto);
        assert_eq!(comparison.align, Align::Iterations);
        assert_eq!(comparison.matching.rule, MatchRule::Path);
        assert_eq!(comparison.findings, [], "seed {seed}");
    }
}

#[test]
fn a_slow_machine_is_told_with_those_who_wait_for_it() {
    let slow = SlowNode { machine: 2, factor: 1.25, interval_ticks: None };
    let after = run_of(&iterative::Options { slow_node: Some(slow), ..options(9) });
    let comparison = compared(&run_of(&options(1)), &after, Align::Auto);
    let [finding] = &comparison.findings[..] else { panic!("{:?}", comparison.findings) };
    assert_eq!((finding.kind.as_ref(), finding.containers.len()), ("slow", 4));
    assert!(finding.text.starts_with("machine-2 takes 1.25 times as long"), "{}", finding.text);
    assert_eq!(finding.n_waiting, 12);
    let share = comparison.share_of_change(finding.ticks).expect("a change");
    assert!((0.8..1.2).contains(&share), "{share}");
    assert!(comparison.is_slower_beyond_noise());
    // The other way around the same machine has become faster.
    let turned = compared(&after, &run_of(&options(1)), Align::Auto);
    let [finding] = &turned.findings[..] else { panic!("{:?}", turned.findings) };
    assert_eq!(finding.kind, "fast");
    assert!(finding.ticks < 0 && !turned.is_slower_beyond_noise());
}

#[test]
fn more_work_is_told_apart_from_slow_work() {
    let mut other = options(9);
    other.faults.more_work = Some(MoreWork { process: 5, factor: 1.5 });
    let comparison = compared(&run_of(&options(1)), &run_of(&other), Align::Auto);
    let finding = comparison.findings.first().expect("a finding");
    assert_eq!(finding.kind, "more-work", "{}", finding.text);
    assert!(finding.text.starts_with("rank-5 has 1.5"), "{}", finding.text);
}

#[test]
fn what_only_one_run_has_is_new_or_gone() {
    let checkpoint = Some(Checkpoint { after: 20, steps: 8, factor: 1.0 });
    let with = run_of(&iterative::Options { checkpoint, ..options(2) });
    let without = run_of(&options(1));
    let (added, dropped) =
        (compared(&without, &with, Align::Auto), compared(&with, &without, Align::Auto));
    let (new, gone) = (&added.findings[..], &dropped.findings[..]);
    assert!(matches!(new, [it] if it.kind == "new"), "{new:?}");
    assert!(matches!(gone, [it] if it.kind == "gone"), "{gone:?}");
    assert_eq!(new[0].after, gone[0].before);
    assert_eq!(new[0].ticks, -gone[0].ticks);
    assert!(!gone[0].containers.is_empty());
}

#[test]
fn other_numbers_of_processes_are_compared_by_machine() {
    let after = run_of(&iterative::Options { procs: 32, ..options(2) });
    let comparison = compared(&run_of(&options(1)), &after, Align::Auto);
    assert_eq!(comparison.matching.level.as_deref(), Some("Machine"));
    assert_eq!(comparison.matching.places.len(), 4);
    let sizes: Vec<(usize, usize)> =
        comparison.matching.places.iter().map(|it| (it.before.len(), it.after.len())).collect();
    assert_eq!(sizes, [(4, 8); 4]);
    assert_eq!(comparison.findings, []);
}

/// A process that works and waits in turns, `n` times, the work for `ticks` each.
fn turns(name: &str, work: &str, n: u32, ticks: u32) -> String {
    let mut body = String::new();
    let mut time = 0;
    for _ in 0..n {
        body += &format!("12 {time} S {name} {work}\n");
        time += ticks;
        body += &format!("12 {time} S {name} Waiting\n");
        time += 2;
    }
    body + &format!("8 {time} P {name}\n")
}

#[test]
fn runs_without_anything_in_common_are_said_to_be_so() {
    let run = |body: &str| Stored::new(trace(body).as_bytes());
    let (before, after) = (run(&turns("a", "Sorting", 20, 5)), run(&turns("b", "Drawing", 20, 7)));
    // Waiting is the same, and more than a fifth of both.
    assert!(compared(&before, &after, Align::Auto).is_related);
    let (before, after) =
        (run(&turns("a", "Sorting", 20, 50)), run(&turns("b", "Drawing", 20, 70)));
    let comparison = compared(&before, &after, Align::Auto);
    assert!(!comparison.is_related);
    assert_eq!(comparison.findings, []);
    assert_eq!(comparison.account.new + comparison.account.gone, comparison.change() as f64);
}

#[test]
fn events_pair_times() {
    let run = |ticks: u32| Stored::new(trace(&turns("a", "Sorting", 10, ticks)).as_bytes());
    let comparison = compared(&run(6), &run(9), Align::Events("Sorting".to_owned()));
    let unit = comparison.unit.ticks_per_unit as i64;
    let lengths: Vec<(i64, i64)> = comparison
        .alignment
        .pairs
        .iter()
        .map(|pair| {
            let length = |window: onca_model::Window| (window.to - window.from) / unit;
            (length(pair.before), length(pair.after))
        })
        .filter(|lengths| *lengths != (0, 0))
        .collect();
    assert_eq!(lengths, [(8, 11); 10]);
    let error = {
        let lens = Lens::clear();
        let (a, b) = (run(6), run(9));
        let (a, b) = (a.scope(&lens, a.whole()), b.scope(&lens, b.whole()));
        let align = Align::Events("Nothing".to_owned());
        compare(&a, &b, &CompareSpec { align, level: None }).expect_err("no such event").to_string()
    };
    assert!(error.contains("\"Nothing\""), "{error}");
}

#[test]
fn several_runs_tell_chance_from_change() {
    let slow = SlowNode { machine: 3, factor: 1.15, interval_ticks: None };
    let runs = |seeds: std::ops::Range<u64>, slow: Option<&SlowNode>| -> Vec<Stored> {
        seeds
            .map(|seed| run_of(&iterative::Options { slow_node: slow.cloned(), ..options(seed) }))
            .collect()
    };
    let lens = Lens::clear();
    let (before, after) = (runs(1..4, None), runs(4..7, Some(&slow)));
    let a: Vec<Scope<'_>> = before.iter().map(|run| run.scope(&lens, run.whole())).collect();
    let b: Vec<Scope<'_>> = after.iter().map(|run| run.scope(&lens, run.whole())).collect();
    let several = compare_several(&a, &b, &CompareSpec::default()).expect("a comparison");
    let all = several.comparison.lengths_of_all.as_ref().expect("all runs");
    assert_eq!(all.p, 1.0 / 20.0);
    let [finding] = &several.comparison.findings[..] else {
        panic!("{:?}", several.comparison.findings)
    };
    assert_eq!((finding.kind.as_ref(), finding.p), ("slow", Some(1.0 / 20.0)));
}

/// A trace whose records are in order of time, as of a program that was stopped.
fn in_order_of_time(options: &iterative::Options) -> Vec<u8> {
    let mut text = Vec::new();
    iterative::write(options, &mut text).expect("a trace");
    let text = String::from_utf8(text).expect("text");
    // Definitions have no time, and stay first.
    let time = |line: &&str| -> u64 {
        let mut words = line.split(' ');
        let is_timed =
            words.next().and_then(|code| code.parse().ok()).is_some_and(|it: u32| it > 5);
        let digits = words.next().filter(|_| is_timed).map(|word| word.replace('.', ""));
        digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
    };
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_by_key(time);
    lines.join("\n").into_bytes()
}

#[test]
fn a_run_that_is_cut_has_less_and_nothing_else_changed() {
    let text = in_order_of_time(&options(7));
    // In the middle of a record, about two thirds on.
    let at = text.len() * 2 / 3;
    let at = at + text[at..].iter().position(|byte| *byte == b'\n').expect("a line") - 3;
    let (whole, cut) = (Stored::new(&text), Stored::new(&text[..at]));
    let comparison = compared(&whole, &cut, Align::Auto);
    let kinds: Vec<&str> = comparison.findings.iter().map(|finding| &*finding.kind).collect();
    assert_eq!(kinds, ["gone"]);
    let told = &comparison.not_examined;
    assert!(
        told.iter().any(|remark| remark.contains("of the second run: its trace is cut")),
        "{told:?}"
    );
    assert!(told.iter().any(|remark| remark == "1 record of the second run: lost"), "{told:?}");
    // The other way round the rest is new.
    let back = compared(&cut, &whole, Align::Auto);
    let kinds: Vec<&str> = back.findings.iter().map(|finding| &*finding.kind).collect();
    assert_eq!(kinds, ["new"]);
}
