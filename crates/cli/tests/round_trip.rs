//! What a generator says that it wrote is what the program finds, to the last tick.

use std::collections::BTreeMap;

use onca_generate::{
    GenerateError, Place, Written, demo, hierarchy, iterative, many, pattern, threads,
};
use onca_testkit::sandbox::{Sandbox, tallies};
use serde_json::Value;

const PLACE: Place =
    Place { sites: 2, clusters_per_site: 1, machines_per_cluster: 2, all_clusters: None };

/// Writes a trace and compares everything that is known of it with `info --json`.
fn check(what: &str, write: impl FnOnce(&mut Vec<u8>) -> Result<Written, GenerateError>) {
    let sandbox = Sandbox::new();
    let mut text = Vec::new();
    let written = write(&mut text).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(text.len() as u64, written.bytes, "{what}: bytes");
    sandbox.write("t.paje", &text);

    let info = sandbox.info("t.paje", 0);
    let number = |value: &Value| value.as_i64().unwrap_or_else(|| panic!("{what}: {value}"));
    let found = Written {
        records: number(&info["records"]) as u64,
        bytes: number(&info["store"]["source_bytes"]) as u64,
        containers: number(&info["counts"]["containers"]) as u64,
        states: number(&info["counts"]["states"]) as u64,
        links: number(&info["counts"]["links"]) as u64,
        events: number(&info["counts"]["events"]) as u64,
        variables: number(&info["counts"]["variables"]) as u64,
        end_ticks: number(&info["end_ticks"]),
        ticks_per_value: ticks_per_value(&info),
    };
    assert_eq!(found, written, "{what}: what was found (left) and what was written");
    assert_eq!(info["unit"]["ticks_per_unit"], 1_000_000_000, "{what}");
    assert_eq!(info["lost"], 0, "{what}");
    let serious: Vec<String> =
        tallies(&info).into_iter().filter(|tally| !tally.contains(" note ")).collect();
    assert_eq!(serious, Vec::<String>::new(), "{what}");

    // The rows of the dump are as many as the entities.
    let rows = sandbox.onca(["dump", "t.paje"]).expect(0).out();
    for (kind, count) in [
        ("Container, ", written.containers),
        ("State, ", written.states),
        ("Link, ", written.links),
        ("Event, ", written.events),
        ("Variable, ", written.variables),
    ] {
        let found = rows.lines().filter(|row| row.starts_with(kind)).count() as u64;
        assert_eq!(found, count, "{what}: rows that begin with {kind:?}");
    }
}

/// Inclusive time of each (type, value) that some state has.
fn ticks_per_value(info: &Value) -> BTreeMap<(String, String), i64> {
    let types = info["types"].as_array().expect("types");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    types
        .iter()
        .filter(|found| found["nature"] == "state")
        .flat_map(|found| {
            let name = text(&found["name"]);
            let values = found["values"].as_array().expect("values").iter();
            values.map(move |value| {
                // A value whose states have no length has no time; it is written all the same.
                ((name.clone(), text(&value["name"])), value["time_ticks"].as_i64().unwrap_or(0))
            })
        })
        .collect()
}

#[test]
fn hierarchies() {
    for (branching, n_states) in [(2, 2), (5, 3), (1, 4)] {
        let level = |name: &str| hierarchy::Level { name: name.to_owned(), branching };
        let options = hierarchy::Options {
            levels: ["Site", "Cluster", "Machine"].map(level).to_vec(),
            states: (0..n_states).map(|state| format!("state{state}")).collect(),
            ..hierarchy::Options::default()
        };
        check(&format!("{options:?}"), |out| hierarchy::write(&options, out));
    }
}

#[test]
fn patterns() {
    for pattern in pattern::Pattern::ALL {
        let options = pattern::Options {
            pattern,
            // Binary swap wants a power of two.
            procs: 8,
            rounds: 3,
            place: PLACE,
            seed: 7,
            ..pattern::Options::default()
        };
        check(&format!("{options:?}"), |out| pattern::write(&options, out));
    }
}

#[test]
fn iterative_runs() {
    let slow_node = iterative::SlowNode { machine: 2, factor: 3.0, interval_ticks: None };
    let burst = iterative::Burst {
        from_ticks: 100_000_000,
        to_ticks: 300_000_000,
        share: 0.5,
        factor: 2.0,
    };
    for (slow_node, bursts) in [(None, vec![]), (Some(slow_node), vec![burst])] {
        let options = iterative::Options {
            procs: 8,
            events: 5_000,
            place: PLACE,
            slow_node,
            bursts,
            ..iterative::Options::default()
        };
        check(&format!("{options:?}"), |out| iterative::write(&options, out));
    }
}

#[test]
fn threads_and_gates() {
    for seed in 1..4 {
        let options = threads::Options { processes: 2, threads: 40, seed, ..Default::default() };
        check(&format!("{options:?}"), |out| threads::write(&options, out));
    }
}

#[test]
fn many_containers() {
    let options = many::Options { containers: 3_000, pairs: 3, seed: 5 };
    check(&format!("{options:?}"), |out| many::write(&options, out));
}

#[test]
fn the_demo() {
    for seed in [demo::Options::default().seed, 99] {
        let options = demo::Options { seed };
        check(&format!("{options:?}"), |out| demo::write(&options, out));
    }
}
