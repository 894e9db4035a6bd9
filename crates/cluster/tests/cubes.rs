//! The cube that executors gather is that of the trace, to the tick.

use std::fs;

use onca_answer::slice::{CubeFile, Measure, cube};
use onca_model::Window;
use onca_query::{Appearance, Lens, Scope};
use onca_testkit::random;
use serde_json::Value;

use crate::cluster::{Cluster, PARTS};
use crate::sets::Sample;

const SLICES: usize = 16;

/// The file of the cube of a trace.
fn of_trace(sample: &Sample, window: Window) -> Value {
    let scope = Scope::new(&sample.store, &Lens::clear(), window).expect("a scope");
    let cube = cube(&scope, SLICES, Measure::StateTime { inclusive: false }).expect("a cube");
    let appearance = Appearance::new(scope.catalog(), &Lens::clear(), None).expect("colours");
    let file = CubeFile::of(&scope, &cube, &appearance).expect("a file");
    serde_json::to_value(file).expect("JSON")
}

/// The file that the cluster writes.
fn of_cluster(cluster: &Cluster, args: &[&str]) -> Value {
    let slices = SLICES.to_string();
    let args =
        [&["cube"], args, &["--slices", &slices, "--parts", PARTS, "-o", "cube.json"]].concat();
    let run = cluster.run(&args);
    // With status 1 the trace had lost records when it was read.
    assert!([0, 1].contains(&run.code), "{}", run.err());
    let file = cluster.sandbox.read("cube.json");
    fs::remove_file(cluster.path("cube.json")).expect("removed");
    serde_json::from_slice(&file).expect("JSON")
}

/// Five traces of several kinds and sizes.
fn samples() -> [Sample; 5] {
    let random = |seed| Sample::of(&random::trace(seed));
    [Sample::demo(), Sample::run(24, 6_000, 2), Sample::run(7, 3_000, 3), random(4), random(5)]
}

#[test]
fn cubes_of_1_2_and_4_executors_are_those_of_the_traces() {
    let samples = samples();
    for executors in [1, 2, 4] {
        let cluster = Cluster::local(executors);
        for (number, sample) in samples.iter().enumerate() {
            let place = format!("run-{number}");
            sample.write(&cluster.path(&place), 3, 1 << 15);
            let facts = &sample.store.catalog().facts;
            let whole = of_trace(sample, Window::new(facts.start, facts.end));
            assert_eq!(of_cluster(&cluster, &[&place]), whole, "{place}, {executors} executors");
            let middle = facts.start + (facts.end - facts.start) / 2;
            let to = facts.unit.format(middle);
            let part = of_trace(sample, Window::new(facts.start, middle));
            let found = of_cluster(&cluster, &[&place, "--to", &to]);
            assert_eq!(found, part, "{place} to {to}, {executors} executors");
        }
    }
}

#[test]
fn one_run_of_a_folder_has_a_cube() {
    let cluster = Cluster::local(2);
    fs::create_dir(cluster.path("runs")).expect("a folder");
    let samples = [Sample::run(7, 3_000, 3), Sample::demo()];
    for (number, sample) in samples.iter().enumerate() {
        sample.write(&cluster.path(&format!("runs/run-{number}")), 1, u64::MAX);
    }
    let facts = &samples[1].store.catalog().facts;
    let whole = of_trace(&samples[1], Window::new(facts.start, facts.end));
    assert_eq!(of_cluster(&cluster, &["runs", "--run", "run-1"]), whole);
    let said = cluster.run(&["cube", "runs", "-o", "cube.json"]).expect(2).err();
    assert!(said.contains("--run") && said.contains("run-1"), "{said}");
}
