//! `onca-bench` as a program: small benchmarks run to their end and print what their documents say.

use std::ffi::OsStr;
use std::process::Command;

use onca_testkit::sandbox::{Run, Sandbox, program};

fn bench<I: AsRef<OsStr>>(sandbox: &Sandbox, args: impl IntoIterator<Item = I>) -> Run {
    // The program that it measures must be there too.
    program("onca");
    let mut command = sandbox.confined(Command::new(env!("CARGO_BIN_EXE_onca-bench")));
    Run::of(command.args(args))
}

#[test]
fn questions_are_measured() {
    let sandbox = Sandbox::new();
    let args = ["questions", "--events", "3000", "--events", "6000", "--procs", "8"];
    let run = bench(&sandbox, [&args[..], &["--runs", "1", "--json"]].concat()).expect(0);
    let answer = run.json();
    assert_eq!(answer["schema"], "onca-bench-questions/1");
    assert_eq!(answer["traces"].as_array().map(Vec::len), Some(2));
    assert_eq!(answer["growth"].as_array().map(Vec::len), Some(4));
    assert!(answer["traces"][1]["cube_100"]["first_ms"].is_number(), "{answer:#}");
    let text = bench(&sandbox, [&args[..], &["--runs", "1"]].concat()).expect(0).out();
    assert!(text.contains("slice of a thousandth"), "{text}");
    let nowhere = bench(&sandbox, [&args[..], &["--folder", "nowhere"]].concat()).expect(2).err();
    assert!(nowhere.contains("nowhere: there is no such folder"), "{nowhere}");
    sandbox.expect_only(&[]);
}

#[test]
fn the_benchmark_measures() {
    let args = ["overview", "--size", "20x8", "--size", "40x10", "--runs", "1", "--json"];
    let figures = bench(&Sandbox::new(), args).expect(0).json();
    assert_eq!(figures["sizes"].as_array().map(Vec::len), Some(2));
    assert_eq!(figures["sizes"][1]["leaves"], 40);
    let args = ["overview", "--disruptions", "--seeds", "1", "--json"];
    let found = bench(&Sandbox::new(), args).expect(0).json();
    assert_eq!(found["runs"], 1);
    assert!(found["found"][0].as_u64() >= Some(2), "{found:#}");
    assert!(found["highest_clean_score"].as_f64() < found["threshold"].as_f64(), "{found:#}");
}

#[test]
fn queries_of_a_cluster_are_measured() {
    let sandbox = Sandbox::new();
    for other in ["onca-sql", "onca-cluster"] {
        program(other);
    }
    let args = ["cluster", "--events", "3000", "--procs", "8", "--executors", "1,2", "--runs", "1"];
    let answer = bench(&sandbox, [&args[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(answer["schema"], "onca-bench-cluster/1");
    assert!(answer["states"].as_u64() > Some(0), "{answer:#}");
    let ways = answer["ways"].as_array().expect("ways");
    assert!(ways.len() >= 4, "{answer:#}");
    for way in ways {
        assert_eq!(way["queries"].as_array().map(Vec::len), Some(5), "{answer:#}");
    }
    let of_two = ways.iter().find(|way| way["way"] == "executors: 2").expect("two executors");
    assert!(of_two["scheduler_bytes"].is_number(), "{answer:#}");
    let text = bench(&sandbox, args).expect(0).out();
    assert!(text.contains("time per value") && text.contains("DuckDB"), "{text}");
    sandbox.expect_only(&[]);
}
