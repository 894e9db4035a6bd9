//! The C and C++ examples of `onca-trace`, compiled with the compilers of this machine and run, and their traces read.

use crate::support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use onca_model::display_text;
use onca_simulate::Driven;
// The library is built because this program uses it.
use onca_trace as _;
use support::{Rows, extras, read};

/// Compiles an example with the static or the shared library, and runs it.
fn run(source: &str, shared: bool, folder: &Path) -> Driven<Rows> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace");
    let built = std::env::current_exe().expect("this program");
    let built = built.parent().expect("a folder").to_owned();
    let is_cpp = source.ends_with(".cpp");
    let name = source.split('.').next().unwrap_or(source);
    let program = folder.join(name);
    let mut compiler = Command::new(if is_cpp { "c++" } else { "cc" });
    compiler.arg(if is_cpp { "-std=c++11" } else { "-std=gnu11" });
    compiler.args(["-Wall", "-Wextra", "-Werror", "-I"]).arg(crate_folder.join("include"));
    compiler.arg(crate_folder.join("examples/c").join(source)).arg("-o").arg(&program);
    match shared {
        true => {
            let folder = built.display();
            compiler.arg(format!("-L{folder}")).arg(format!("-Wl,-rpath,{folder}"));
            compiler.arg("-l:libonca_trace.so");
        }
        false => {
            compiler.arg(built.join("libonca_trace.a"));
        }
    }
    compiler.args(["-lpthread", "-ldl", "-lm"]);
    let compiled = compiler.output().expect("a compiler");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    assert_eq!(said, "");
    let trace = folder.join(format!("{name}.onct"));
    let status = Command::new(&program).arg(&trace).status().expect("a run");
    assert!(status.success(), "{status}");
    read(&trace, 2, 1 << 20)
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    (folder, path)
}

/// How many states there are of each value.
fn values(driven: &Driven<Rows>) -> BTreeMap<String, usize> {
    let mut values = BTreeMap::new();
    for (_, row, _) in &driven.sink.states {
        let name = display_text(&driven.catalog.value(row.value).name).into_owned();
        *values.entry(name).or_insert(0) += 1;
    }
    values
}

fn n_problems(driven: &Driven<Rows>) -> u64 {
    driven.catalog.diagnostics.iter().map(|(_, tally)| tally.count).sum()
}

#[test]
fn the_program_of_the_paper_is_traced() {
    let (_folder, path) = folder();
    for shared in [false, true] {
        let driven = run("figure14.c", shared, &path);
        let counted =
            [("Global computation", 24), ("Initialization", 4), ("Local computation", 24)];
        let counted = counted.map(|(name, n)| (name.to_owned(), n));
        assert_eq!(values(&driven), BTreeMap::from(counted));
        // Six iterations in which each of four nodes sends to three others.
        assert_eq!(driven.sink.links.len(), 72);
        assert!(
            driven
                .sink
                .links
                .iter()
                .all(|link| link.source.is_some() && link.destination.is_some())
        );
        assert_eq!(n_problems(&driven), 0);
        let is_local = |row: &onca_model::StateRow| {
            driven.catalog.value(row.value).name == b"Local computation"
        };
        let mut comments: Vec<_> =
            driven.sink.states.iter().filter(|(_, row, _)| is_local(row)).collect();
        comments.sort_by_key(|(lane, row, _)| (lane.0, row.start));
        let comments: Vec<_> =
            comments.iter().map(|(_, _, packed)| extras(&driven.catalog, packed)).collect();
        let one: Vec<_> = (0..6).map(|iteration| format!("Comment={iteration}")).collect();
        assert_eq!(comments, [&one[..]; 4].concat());
    }
}

#[test]
fn threads_and_semaphores_are_traced() {
    let (_folder, path) = folder();
    let driven = run("semaphores.c", false, &path);
    let counted = [("waiting", 80), ("working", 80)].map(|(name, n)| (name.to_owned(), n));
    assert_eq!(values(&driven), BTreeMap::from(counted));
    assert_eq!(driven.sink.links.len(), 40);
    assert!(
        driven.sink.links.iter().all(|link| link.destination.is_some() && link.size == Some(4))
    );
    assert_eq!(driven.sink.events.len(), 2);
    assert_eq!(driven.catalog.facts.lost, 0);
    // Whoever waits for an item waits until it is there: so it is known for whom.
    for link in &driven.sink.links {
        let holds = |(lane, row, _): &(onca_model::LaneId, onca_model::StateRow, Vec<u8>)| {
            Some(driven.catalog.lane(*lane).container) == link.destination
                && driven.catalog.value(row.value).name == b"waiting"
                && (row.start..=row.end).contains(&link.end)
        };
        assert!(driven.sink.states.iter().any(holds), "an item at {}", link.end);
    }
    // The buffer is never overfull, and empty at the end.
    let name = |row: &(onca_model::LaneId, onca_model::VariableRow, Vec<u8>)| {
        let lane = driven.catalog.lane(row.0);
        driven.catalog.containers.names.get(lane.container.index()).to_vec()
    };
    let buffer: Vec<_> = driven
        .sink
        .variables
        .iter()
        .filter(|row| name(row) == b"buffer")
        .map(|row| row.1.value)
        .collect();
    assert_eq!(buffer.len(), 81);
    assert!(buffer.iter().all(|&n| (0.0..=4.0).contains(&n)), "{buffer:?}");
    assert_eq!(buffer.last(), Some(&0.0));
}

#[test]
fn states_of_cpp_end_with_their_blocks() {
    let (_folder, path) = folder();
    let driven = run("guards.cpp", false, &path);
    let rows = support::short_rows(&driven);
    let shapes: Vec<_> = rows
        .iter()
        .map(|row| {
            let words: Vec<_> = row.split(' ').collect();
            [&words[1..3], &words[4..]].concat().join(" ")
        })
        .collect();
    let inner = "main Doing d1 inner Comment=again";
    assert_eq!(shapes, ["main Doing d0 outer", inner, inner, inner]);
    assert_eq!(n_problems(&driven), 0);
}
