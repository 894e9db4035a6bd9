//! Real traces against what `pj_dump` prints of them.
//!
//! The folder that the environment variable `ONCA_CORPUS` names holds `NAME.trace.xz` and, where
//! pj_dump can read the trace, `NAME.pj_dump.csv.xz`: the output of `pj_dump -l 9 -u`. Without
//! the variable there is nothing to compare, and the test says so.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn corpus() -> Option<Vec<PathBuf>> {
    let Some(folder) = std::env::var_os("ONCA_CORPUS") else {
        eprintln!("skipped: ONCA_CORPUS does not name a folder of traces");
        return None;
    };
    let entries = std::fs::read_dir(&folder).expect("the folder that ONCA_CORPUS names");
    let mut traces: Vec<PathBuf> = entries
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.to_string_lossy().ends_with(".trace.xz"))
        .collect();
    traces.sort();
    assert!(!traces.is_empty(), "{} holds no traces", folder.to_string_lossy());
    Some(traces)
}

fn onca(folder: &Path, arguments: &[&str], trace: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_onca"))
        .args(arguments)
        .arg(trace)
        .env("XDG_CACHE_HOME", folder)
        .output()
        .expect("onca runs")
}

fn unpack(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    liblzma::read::XzDecoder::new(file).read_to_end(&mut bytes).expect("xz");
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Are two rows the same but for the last decimal of a number? pj_dump reads times by a fast
/// parser that is not correctly rounded; where a trace has more than nine decimals, that shows.
fn nearly_equal(left: &str, right: &str) -> bool {
    let (left, right) = (left.split(", "), right.split(", "));
    left.clone().count() == right.clone().count()
        && left.zip(right).all(|(left, right)| {
            left == right
                || match (left.parse::<f64>(), right.parse::<f64>()) {
                    (Ok(left), Ok(right)) => (left - right).abs() < 1.5e-9,
                    _ => false,
                }
        })
}

#[test]
fn every_trace_that_pj_dump_reads_gives_its_rows() {
    let Some(traces) = corpus() else { return };
    let mut n_compared = 0;
    for trace in traces {
        let name = trace.file_name().expect("name").to_string_lossy().replace(".trace.xz", "");
        let Some(expected) = unpack(&trace.with_file_name(format!("{name}.pj_dump.csv.xz"))) else {
            continue;
        };
        let folder = tempfile::tempdir().expect("temporary folder");
        let copy = folder.path().join("run.trace.xz");
        std::fs::copy(&trace, &copy).expect("copy");
        let output = onca(folder.path(), &["dump", "--pj-dump-compat"], &copy);
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        n_compared += 1;
        if found == expected {
            continue;
        }
        let differing: Vec<_> = expected
            .lines()
            .zip(found.lines())
            .filter(|(expected, found)| expected != found)
            .collect();
        let rounding = expected.lines().count() == found.lines().count()
            && differing.len() * 100 < expected.lines().count()
            && differing.iter().all(|(expected, found)| nearly_equal(expected, found));
        assert!(
            rounding,
            "{name}: {} rows differ, the first:\n  pj_dump {:?}\n  onca    {:?}\n{}",
            differing.len(),
            differing.first().map(|pair| pair.0),
            differing.first().map(|pair| pair.1),
            String::from_utf8_lossy(&output.stderr)
        );
        eprintln!("{name}: {} rows differ in the last decimal", differing.len());
    }
    eprintln!("{n_compared} traces compared");
}

#[test]
fn every_trace_that_pj_dump_refuses_is_read_and_its_problems_named() {
    let Some(traces) = corpus() else { return };
    for trace in traces {
        let name = trace.file_name().expect("name").to_string_lossy().replace(".trace.xz", "");
        if trace.with_file_name(format!("{name}.pj_dump.csv.xz")).exists() {
            continue;
        }
        let folder = tempfile::tempdir().expect("temporary folder");
        let output = onca(folder.path(), &["validate", "--json"], &trace);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(answer["lost"], 0, "{name}");
        let problems = answer["diagnostics"].as_array().expect("a list");
        let serious = problems.iter().any(|problem| problem["severity"] != "note");
        assert!(serious, "{name}: pj_dump refuses it, but nothing is wrong with it: {answer:#}");
        assert!(output.status.success(), "{name}: {:?}", output.status);
    }
}
