//! Waits of generated programs against what the generator planted, and small traces whose answers are known.

use crate::support;

use std::sync::Arc;

use onca_answer::{Level, WaitSpec, analyse_waits, efficiency};
use onca_generate::program::{Options, PlantedWait, WaitTruth, write, write_archive};
use onca_model::Ticks;
use onca_query::{Lens, Scope, container_path};
use onca_store::Progress;
use onca_testkit::fixtures::trace;
use support::Stored;

/// What is found of a trace, in the form of what was planted. The last number in the path of a process is its rank.
fn found(stored: &Stored) -> Vec<(u32, Ticks, Ticks, &'static str, u32)> {
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let analysis = analyse_waits(&scope).expect("an analysis");
    let containers = &scope.catalog().containers;
    let start = scope.catalog().facts.start;
    let rank = |id| -> u32 {
        let path = container_path(containers, id);
        let mut digits = path.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        digits.next_back().and_then(|digits| digits.parse().ok()).expect("a rank")
    };
    let mut waits: Vec<_> = analysis
        .each()
        .map(|wait| {
            let (from, to) = (wait.window.from - start, wait.window.to - start);
            (rank(wait.container), from, to, wait.kind.name(), rank(wait.cause))
        })
        .collect();
    waits.sort_unstable();
    waits
}

/// Fails with the waits that only one of the two has.
fn assert_same(stored: &Stored, truth: &WaitTruth) {
    let (found, planted) = (found(stored), planted(truth));
    let missed: Vec<_> = planted.iter().filter(|wait| !found.contains(wait)).collect();
    let invented: Vec<_> = found.iter().filter(|wait| !planted.contains(wait)).collect();
    assert!(found == planted, "seed {}: missed {missed:?}, invented {invented:?}", truth.seed);
}

fn planted(truth: &WaitTruth) -> Vec<(u32, Ticks, Ticks, &'static str, u32)> {
    let plain = |it: &PlantedWait| (it.process, it.from_ticks, it.to_ticks, it.kind, it.cause);
    truth.waits.iter().map(plain).collect()
}

fn options(seed: u64) -> Options {
    let procs = 2 + (seed % 9) as u32;
    Options { procs, steps: 5 + (seed % 50) as u32, compute_ticks: 10_000, seed }
}

#[test]
fn waits_of_random_programs_in_paje_are_those_that_were_planted() {
    let mut n_waits = 0;
    for seed in 0..250 {
        let mut text = Vec::new();
        let (_, truth) = write(&options(seed), &mut text).expect("a trace");
        let stored = Stored::new(&text);
        assert_same(&stored, &truth);
        n_waits += truth.waits.len();
    }
    assert!(n_waits > 5_000, "{n_waits} waits are too few to tell");
}

#[test]
fn waits_of_random_programs_in_otf2_are_those_that_were_planted() {
    let mut n_waits = 0;
    for seed in 1_000..1_250 {
        let folder = tempfile::tempdir().expect("a folder");
        let (anchor, _, truth) = write_archive(&options(seed), folder.path()).expect("an archive");
        let stored = Stored::of(folder, &anchor);
        assert_same(&stored, &truth);
        n_waits += truth.waits.len();
    }
    assert!(n_waits > 5_000, "{n_waits} waits are too few to tell");
}

#[test]
fn the_answer_adds_up() {
    let mut text = Vec::new();
    let options = Options { procs: 12, steps: 200, ..Options::default() };
    let (_, truth) = write(&options, &mut text).expect("a trace");
    let stored = Stored::new(&text);
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let analysis = analyse_waits(&scope).expect("an analysis");
    let spec = WaitSpec { level: Some(Level::Kind("Process".to_owned())), n_slices: 7 };
    let answer = analysis.answer(&scope, &spec).expect("an answer");
    let waiting: i128 =
        truth.waits.iter().map(|wait| i128::from(wait.to_ticks - wait.from_ticks)).sum();
    assert_eq!(answer.total(), waiting);
    assert_eq!(answer.rows.iter().map(|row| row.ticks).sum::<i128>(), waiting);
    let charged: i128 = answer.causes.iter().map(onca_answer::Cause::ticks).sum();
    assert_eq!(charged + answer.unexplained, waiting);
    let run = i128::from(truth.end_ticks);
    assert_eq!(answer.path_activities.iter().map(|part| part.ticks).sum::<i128>(), run);
    assert_eq!(answer.path_nodes.iter().map(|part| part.ticks).sum::<i128>(), run);
    // Two halves of the time have the waits of the whole.
    let middle = truth.end_ticks / 3;
    let halves = [(0, middle), (middle, truth.end_ticks)].map(|(from, to)| {
        let scope = stored.scope(&lens, onca_model::Window::new(from, to));
        analysis.answer(&scope, &WaitSpec::default()).expect("an answer").total()
    });
    assert_eq!(halves[0] + halves[1], waiting);
}

/// `a` sends at 3 s to `b`, which receives from 1 s on; both compute before.
const LATE: &str = "13 0 S a computing\n13 0 S b computing\n14 1 S b\n13 1 S b MPI_Recv\n14 3 S a\n\
                    13 3 S a MPI_Send\n16 3 L 0 a m k\n14 4 S a\n17 5 L 0 b m k\n14 5 S b\n";

#[test]
fn a_late_sender_is_blamed() {
    let stored = Stored::new(trace(LATE).as_bytes());
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let analysis = analyse_waits(&scope).expect("an analysis");
    let second = scope.catalog().facts.unit.ticks_per_unit as Ticks;
    let waits: Vec<_> = analysis.each().collect();
    let [wait] = waits.as_slice() else { panic!("{waits:?}") };
    assert_eq!((wait.window.from, wait.window.to), (second, 3 * second));
    let answer = analysis.answer(&scope, &WaitSpec::default()).expect("an answer");
    let [cause] = answer.causes.as_slice() else { panic!("{:?}", answer.causes) };
    assert_eq!(cause.ticks(), i128::from(2 * second));
    let name = cause.activity.map(|value| scope.catalog().value(value).name.as_ref());
    assert_eq!(name, Some(b"computing".as_slice()));
    // The path: 3 s of computing at the sender, 2 s of receiving.
    let path: Vec<i128> = answer.path_activities.iter().map(|part| part.ticks).collect();
    assert_eq!(path, [i128::from(3 * second), i128::from(2 * second)]);
    assert!(answer.examined.not_examined().iter().any(|why| why.contains("collective")));
}

#[test]
fn a_trace_without_calls_says_what_it_lacks() {
    let stored = Stored::new(trace("13 0 S a run\n14 2 S a\n").as_bytes());
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let answer = analyse_waits(&scope).expect("an analysis").answer(&scope, &WaitSpec::default());
    let answer = answer.expect("an answer");
    assert_eq!((answer.total(), answer.kinds.len()), (0, 0));
    assert_eq!(answer.examined.not_examined().len(), 2);
}

/// `a` computes for 2 s and sends; `b` waits for it, and computes for 2 s.
const SERIAL: &str = "13 0 S a computing\n13 0 S b MPI_Recv\n14 2 S a\n13 2 S a MPI_Send\n\
                      16 2 L 0 a m k\n17 2 L 0 b m k\n14 2 S b\n13 2 S b computing\n14 2 S a\n\
                      13 2 S a idle\n14 4 S a\n14 4 S b\n";

#[test]
fn efficiency_is_split_for_slices_and_nodes() {
    let split = |body: &str, level: Level, n_slices: usize| -> Vec<[Option<f64>; 3]> {
        let stored = Stored::new(trace(body).as_bytes());
        let lens = Lens::clear();
        let scope = stored.scope(&lens, stored.whole());
        let mut found = efficiency(&scope, &level, n_slices).expect("efficiency");
        assert!(!found.is_split);
        found.split(&scope, &level).expect("a split");
        let row = |row: &onca_answer::EfficiencyRow| {
            let (serialisation, transfer) = row.efficiency.split.parts();
            [row.efficiency.load_balance, serialisation, transfer]
        };
        found.rows.iter().map(row).collect()
    };
    let all = |numbers: [f64; 3]| numbers.map(Some);
    // One after the other: half of the run is needed by each.
    assert_eq!(split(SERIAL, Level::Whole, 1), [all([1.0, 0.5, 1.0])]);
    // Within each half, one works all the time and nothing moves.
    assert_eq!(split(SERIAL, Level::Whole, 2), [all([0.5, 1.0, 1.0]), all([0.5, 1.0, 1.0])]);
    // 3 s of work, then 2 s of moving.
    assert_eq!(split(LATE, Level::Whole, 1), [all([2.0 / 3.0, 1.0, 0.6])]);
    let slices = split(LATE, Level::Whole, 5);
    assert_eq!(slices[0], all([1.0, 1.0, 1.0]));
    assert_eq!(slices[1], all([0.5, 1.0, 1.0]));
    assert_eq!(slices[4], [None, None, Some(0.0)]);
    // Seen alone, `b` has the clock of `a` from when the message is there.
    assert_eq!(split(LATE, Level::Own, 1)[1], all([1.0, 1.0 / 3.0, 0.6]));
}

/// `b` is in a state from 1 s to 5 s, which `a` ends at 4 s while it works; a lock looks on.
fn set_free(state: &str) -> String {
    trace(&format!(
        "1 K 0 Lock\n2 H K Held\n5 M 0 K P Passed\n7 0 c K 0 C\n12 0 H c held\n\
         13 0 S a running\n13 0 S b running\n14 1 S b\n13 1 S b {state}\n16 4 L 0 a m k\n16 4 M 0 c m j\n\
         17 5 L 0 b m k\n17 5 M 0 b m j\n14 5 S b\n13 5 S b running\n14 6 S a\n14 8 S b\n15 8 H c\n"
    ))
}

#[test]
fn whoever_sets_others_free_is_blamed() {
    for state in ["blocked", "Sleeping"] {
        let stored = Stored::new(set_free(state).as_bytes());
        let lens = Lens::clear();
        let scope = stored.scope(&lens, stored.whole());
        let analysis = analyse_waits(&scope).expect("an analysis");
        let second = scope.catalog().facts.unit.ticks_per_unit as Ticks;
        let waits: Vec<_> = analysis.each().collect();
        let [wait] = waits.as_slice() else { panic!("{state}: {waits:?}") };
        assert_eq!(wait.kind.name(), "blocked");
        assert_eq!((wait.window.from, wait.window.to), (second, 4 * second));
        let answer = analysis.answer(&scope, &WaitSpec::default()).expect("an answer");
        // The lock has no state that anybody knows: it is no process.
        assert_eq!((answer.n_processes, answer.examined.elsewhere), (2, 1));
        let [cause] = answer.causes.as_slice() else { panic!("{:?}", answer.causes) };
        assert_eq!(
            (scope.name(cause.node), cause.ticks()),
            (b"A".as_slice(), i128::from(3 * second))
        );
        let path: Vec<(&[u8], i128)> = answer
            .path
            .iter()
            .map(|(node, span)| (scope.name(*node), i128::from((span.to - span.from) / second)))
            .collect();
        assert_eq!(path, [(b"A".as_slice(), 4), (b"B".as_slice(), 4)]);
    }
}

/// Task 1 sends from 100 to 500; task 2 has asked for it from 300 to 310 and waits from 600 to 650. Then task 1 begins to send at 1000, though the
/// message leaves at 1300; task 2 receives from 900 to 1400.
const PARAVER: &str = "#Paraver (01/02/2026 at 10:00):2000_ns:1(2):1:2(1:1,1:1)\n\
    2:1:1:1:1:100:50000001:1\n3:1:1:1:1:100:100:2:1:2:1:300:650:64:7\n2:2:1:2:1:300:50000001:4\n\
    2:2:1:2:1:310:50000001:0\n2:1:1:1:1:500:50000001:0\n2:2:1:2:1:600:50000001:5\n2:2:1:2:1:650:50000001:0\n\
    2:2:1:2:1:900:50000001:2\n2:1:1:1:1:1000:50000001:3\n3:1:1:1:1:1000:1300:2:1:2:1:900:1400:64:8\n\
    2:1:1:1:1:1010:50000001:0\n2:2:1:2:1:1400:50000001:0\n";
const PARAVER_NAMES: &str = "EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Send\n2 MPI_Recv\n\
    3 MPI_Isend\n4 MPI_Irecv\n5 MPI_Wait\n0 Outside MPI\n";

#[test]
fn paraver_tells_when_a_message_was_asked_for_and_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.prv");
    std::fs::write(&path, PARAVER).expect("a written trace");
    std::fs::write(folder.path().join("t.pcf"), PARAVER_NAMES).expect("written names");
    let stored = Stored::of(folder, &path);
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let analysis = analyse_waits(&scope).expect("an analysis");
    let found: Vec<_> =
        analysis.each().map(|wait| (wait.kind.name(), wait.window.from, wait.window.to)).collect();
    assert_eq!(found, [("late-receiver", 100, 300), ("late-sender", 900, 1000)]);
    let answer = analysis.answer(&scope, &WaitSpec::default()).expect("an answer");
    assert_eq!((answer.examined.messages, answer.examined.without_call), (2, 0));
}

#[test]
fn who_watches_sees_how_far_an_analysis_is() {
    let mut text = Vec::new();
    let options = Options { procs: 9, ..Options::default() };
    write(&options, &mut text).expect("a trace");
    let stored = Stored::new(&text);
    let progress = Arc::new(Progress::default());
    let store = stored.store.watched(Arc::clone(&progress));
    let scope = Scope::new(&store, &Lens::clear(), stored.whole()).expect("a scope");
    assert_eq!((progress.done(), progress.total()), (0, 0));
    analyse_waits(&scope).expect("waits");
    // Findings, beside which delays and clocks are worked out, have the rest.
    assert_eq!((progress.done(), progress.total()), (2 * 9 + 2 * 9 / 6, 3 * 9));
}
