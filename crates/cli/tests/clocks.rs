//! `onca clocks` on traces whose clocks are known.

use std::fmt::Write as _;

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

const RANKS: usize = 5;
/// The shortest and the longest message, in nanoseconds.
const FLIGHT: (i64, i64) = (1_000, 20_000);

/// The clock of a rank: what it shows at a real time, in nanoseconds.
#[derive(Clone, Copy)]
struct Clock {
    offset: i64,
    /// In millionths.
    drift: i64,
}

impl Clock {
    fn at(self, real: i64) -> i64 {
        real + self.offset + (real as f64 * self.drift as f64 * 1e-6).round() as i64
    }
}

/// A second of a ring of ranks that send both ways, as their clocks show it. Each rank has a
/// state that lasts from its first millisecond to its last, and a child that has no messages.
fn ring(clocks: &[Clock; RANKS]) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut text = fixtures::header();
    text += "1 P 0 Rank\n1 T P Thread\n2 S T State\n5 L 0 P P Message\n";
    let seconds = |nanoseconds: i64| {
        let sign = if nanoseconds < 0 { "-" } else { "" };
        let size = nanoseconds.unsigned_abs();
        format!("{sign}{}.{:09}", size / 1_000_000_000, size % 1_000_000_000)
    };
    // Records in the order of what clocks show: links of all ranks are one track.
    let mut records = Vec::new();
    for (rank, clock) in clocks.iter().enumerate() {
        let (from, to) = (clock.at(1_000_000), clock.at(999_000_000));
        records.push((from, format!("12 {} S t{rank} busy", seconds(from))));
        records.push((to, format!("15 {} S t{rank}", seconds(to))));
    }
    for number in 0..2_000 {
        let from = rng.random_range(0..RANKS);
        let step = if rng.random_bool(0.5) { 1 } else { RANKS - 1 };
        let to = (from + step) % RANKS;
        let sent = rng.random_range(2_000_000..998_000_000);
        let received = sent + rng.random_range(FLIGHT.0..FLIGHT.1);
        let (sent, received) = (clocks[from].at(sent), clocks[to].at(received));
        records.push((sent, format!("16 {} L 0 r{from} m k{number}", seconds(sent))));
        records.push((received, format!("17 {} L 0 r{to} m k{number}", seconds(received))));
    }
    records.sort();
    let first = seconds(records[0].0);
    for rank in 0..RANKS {
        writeln!(text, "7 {first} r{rank} P 0 rank{rank}").expect("text");
        writeln!(text, "7 {first} t{rank} T r{rank} thread").expect("text");
    }
    writeln!(text, "7 {first} lonely P 0 lonely").expect("text");
    for (_, record) in records {
        text += &record;
        text.push('\n');
    }
    text
}

const AGREED: [Clock; RANKS] = [Clock { offset: 40_000, drift: 0 }; RANKS];

fn off() -> [Clock; RANKS] {
    [0, 3_000_000, -700_000, 45, 9_000].map(|offset| Clock { offset, drift: 0 })
}

fn drifting() -> [Clock; RANKS] {
    let clocks = [(0, 0), (2_000_000, 50), (-300_000, -80), (0, 120), (77, -15)];
    clocks.map(|(offset, drift)| Clock { offset, drift })
}

/// What is to be added to the time of a rank so that it is that of rank 0, at a real time.
fn needed(clocks: &[Clock; RANKS], rank: usize, real: i64) -> i64 {
    clocks[0].at(real) - clocks[rank].at(real)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn clocks_that_agree_are_said_to_and_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("run.paje", ring(&AGREED));
    let said = sandbox.onca(["clocks", "run.paje"]).expect(0).out();
    assert_eq!(
        said,
        "2,000 messages among 5 processes: none was received before it was sent, the clocks agree\n"
    );
    let run = sandbox.onca(["clocks", "run.paje", "--correct", "-o", "new.onca"]).expect(0);
    assert!(run.out().contains("nothing to correct: no store was written"), "{}", run.out());
    assert!(!sandbox.path("new.onca").exists());
    let answer = sandbox.onca(["clocks", "run.paje", "--json"]).expect(0).json();
    assert_eq!((&answer["schema"], &answer["model"]), (&"onca-clocks/1".into(), &"agree".into()));
    assert_eq!(answer["before"]["backward"], 0);
    assert_eq!(answer["silent"][0]["path"], "/lonely");
}

/// The bound that is told holds, and is not wider than the longest way of the shortest messages.
#[test]
fn offsets_are_found_within_the_bound_that_is_told() {
    let (sandbox, clocks) = (Sandbox::new(), off());
    sandbox.write("run.paje", ring(&clocks));
    let answer = sandbox.onca(["clocks", "run.paje", "--json"]).expect(0).json();
    assert_eq!((&answer["model"], &answer["reference"]), (&"offsets".into(), &0.into()));
    assert!(number(&answer["before"]["backward"]) > 100.0);
    assert_eq!(answer["after"]["backward"], 0);
    assert_eq!(answer["pairs"][0]["worst_ticks"], answer["before"]["worst_ticks"]);
    let processes = answer["processes"].as_array().expect("processes");
    assert_eq!(processes.len(), RANKS);
    for (rank, process) in processes.iter().enumerate() {
        assert_eq!(process["node"]["path"], format!("/rank{rank}"));
        let error = number(&process["offset_ticks"]) - needed(&clocks, rank, 0) as f64;
        let told = number(&process["uncertainty_ticks"]);
        assert!(error.abs() <= told, "rank {rank}: {error} {told}");
        assert!(told <= 4_000.0 * RANKS as f64, "rank {rank}: {told}");
        assert_eq!(number(&process["drift"]), 0.0);
    }
}

#[test]
fn drifts_are_found_and_corrected_times_are_within_the_bound() {
    let (sandbox, clocks) = (Sandbox::new(), drifting());
    sandbox.write("run.paje", ring(&clocks));
    let run = sandbox.onca(["clocks", "run.paje", "--correct", "-o", "new.onca"]).expect(0);
    assert!(run.out().contains("corrected times are in new.onca"), "{}", run.out());
    let answer = sandbox.onca(["clocks", "run.paje", "--json"]).expect(0).json();
    assert_eq!(answer["model"], "offsets and drifts");
    assert_eq!(answer["after"]["backward"], 0);
    for (rank, process) in answer["processes"].as_array().expect("processes").iter().enumerate() {
        let real = 1.0 / (1.0 + clocks[rank].drift as f64 * 1e-6) - 1.0;
        assert!((number(&process["drift"]) - real).abs() < 1e-5, "rank {rank}: {process}");
    }

    // The states of the threads below the ranks now begin and end together, as they did.
    let told = number(&answer["uncertainty_ticks"]);
    assert!(told < 50_000.0, "{told}");
    let rows = sandbox.onca(["dump", "new.onca", "--kinds", "state", "--json"]).expect(0).out();
    let states: Vec<Value> =
        rows.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(states.len(), RANKS);
    for state in &states {
        for (name, real) in [("start", 1_000_000), ("end", 999_000_000)] {
            let error = number(&state[name]) * 1e9 - clocks[0].at(real) as f64;
            assert!(error.abs() <= told + 2.0, "{name}: {error} {told} {state}");
        }
    }

    // No link goes backwards any more, and the store says what was done to it.
    let again = sandbox.onca(["clocks", "new.onca"]).expect(0).out();
    assert!(again.contains("the clocks agree"), "{again}");
    let info = sandbox.info("new.onca", 0);
    let change = &info["changes"][0];
    assert_eq!((&change["kind"], &change["processes"]), (&"corrected".into(), &5.into()));
    assert_eq!(change["backward_before"], answer["before"]["backward"]);
    assert_eq!(change["uncertainty_ticks"], answer["uncertainty_ticks"]);
    let text = sandbox.onca(["info", "new.onca"]).expect(0).out();
    assert!(text.contains("clocks corrected: 4 of 5 clocks moved"), "{text}");
    assert_eq!(sandbox.info("run.paje", 0)["changes"], Value::Array(Vec::new()));
    let (old, new) = (sandbox.info("run.paje", 0), info);
    assert_eq!(old["counts"], new["counts"]);
}

#[test]
fn tables_have_a_row_for_each_clock() {
    let sandbox = Sandbox::new();
    sandbox.write("run.paje", ring(&off()));
    let csv = sandbox.onca(["clocks", "run.paje", "--csv"]).expect(0).out();
    assert_eq!(csv.lines().count(), 1 + RANKS, "{csv}");
    let first = csv.lines().next().expect("a head");
    assert_eq!(first, "process,reference,messages,offset,drift (ppm),uncertainty");
    let text = sandbox.onca(["clocks", "run.paje"]).expect(0).out();
    for part in ["compared with the clock of /rank0", "nothing is known: 1 (/lonely)", "--correct"]
    {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    // All ranks on one clock: what goes backwards cannot be corrected.
    let one = sandbox.onca(["clocks", "run.paje", "--depth", "0"]).expect(0).out();
    assert!(one.contains("no such correction explains all"), "{one}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("run.paje", ring(&off()));
    let nowhere = sandbox.onca(["clocks", "run.paje", "--correct"]).expect(2).err();
    assert!(nowhere.contains("--output"), "{nowhere}");
    std::fs::create_dir(sandbox.path("full")).expect("a folder");
    sandbox.write("full/note.txt", "mine");
    let into = ["clocks", "run.paje", "--correct", "-o", "full"];
    sandbox.onca(into).expect_reason(2, "not a store");
    let own = ["clocks", "run.paje", "--correct", "-o", "run.paje.onca"];
    sandbox.onca(own).expect_reason(2, "does not change");
    sandbox.write("none.paje", fixtures::trace("12 1 S a x\n"));
    let none = sandbox.onca(["clocks", "none.paje"]).expect(0).out();
    assert_eq!(none, "no messages: nothing is known of the clocks\n");
}
