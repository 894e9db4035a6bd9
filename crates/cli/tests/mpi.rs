//! `onca run` with programs of MPI, which count their messages themselves, under Open MPI and MPICH.
//!
//! What is not installed is left out, and said; `ONCA_MPI_TESTS=required` makes that a failure, as `scripts/test` does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use onca_testkit::sandbox::{Run, Sandbox, tallies};
use serde_json::Value;

/// An MPI of this machine, by how Debian names its programs.
struct Mpi {
    name: &'static str,
}

impl Mpi {
    /// Those that are installed.
    fn all() -> Vec<Self> {
        let is_there = |name: &&str| {
            let is_there = Command::new(format!("mpicc.{name}")).arg("-show").output().is_ok();
            if !is_there {
                eprintln!("skipped: mpicc.{name} is not installed");
            }
            is_there
        };
        let found: Vec<_> = ["openmpi", "mpich"].into_iter().filter(is_there).collect();
        let is_required = std::env::var("ONCA_MPI_TESTS").is_ok_and(|word| word == "required");
        assert!(found.len() == 2 || !is_required, "Open MPI and MPICH are required: {found:?}");
        found.into_iter().map(|name| Self { name }).collect()
    }

    /// Compiles a program into the sandbox.
    fn compile(&self, sandbox: &Sandbox, source: &Path) -> String {
        let is_fortran = source.extension().is_some_and(|extension| extension == "f90");
        let compiler = if is_fortran { "mpifort" } else { "mpicc" };
        let mut compiler = Command::new(format!("{compiler}.{}", self.name));
        // Fortran uses one function of MPI with numbers and with lists of them.
        compiler.args(if is_fortran { ["-fallow-argument-mismatch", "-w"] } else { ["-O1", "-w"] });
        let name = format!("{}-program", self.name);
        compiler.arg(source).arg("-o").arg(sandbox.path(&name)).arg("-lm");
        let output = compiler.output().unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        format!("./{name}")
    }

    /// `onca run` with this many processes.
    fn command(&self, sandbox: &Sandbox, folder: &str, n: u32, program: &[&str]) -> Command {
        let mut command = sandbox.command();
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        // To build the library takes longer than most programs run.
        command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("mpi"));
        command.args(["run", "--no-view", "--output", folder, "--"]);
        command.arg(format!("mpirun.{}", self.name));
        if self.name == "openmpi" {
            command.arg("--oversubscribe");
        }
        command.args(["-n", &n.to_string()]).args(program);
        command
    }
}

fn source(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    match name {
        "stencil.c" => here.join("../trace/examples/c/stencil.c"),
        name => here.join("tests/mpi").join(name),
    }
}

/// A number that the program prints behind some words.
fn counted(run: &Run, words: &str) -> u64 {
    let out = run.out();
    let number = out.lines().find_map(|line| line.strip_prefix(words)?.trim().parse().ok());
    number.unwrap_or_else(|| panic!("no \"{words}\" in {out}\n{}", run.err()))
}

/// The entities of a kind.
fn rows(sandbox: &Sandbox, trace: &str, kind: &str) -> Vec<Value> {
    let out = sandbox.onca(["dump", "--json", "--kinds", kind, trace]).expect(0).out();
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn field<'a>(row: &'a Value, name: &str) -> Option<&'a str> {
    let extras = row["extras"].as_array()?;
    extras.iter().find(|extra| extra["name"] == name)?["text"].as_str()
}

fn ticks(row: &Value, name: &str) -> i64 {
    row[name].as_i64().unwrap_or_else(|| panic!("no {name} in {row}"))
}

/// What must hold of every trace: as many links as the program counted, none of which goes back in time, between two ranks and
/// in calls of MPI; and whoever is in one collective operation does the same.
fn check(sandbox: &Sandbox, trace: &str, n_messages: u64) {
    let links = rows(sandbox, trace, "link");
    assert_eq!(links.len() as u64, n_messages, "{trace}");
    for link in &links {
        assert!(link["source"].is_string() && link["destination"].is_string(), "{link}");
        assert!(ticks(link, "end_ticks") >= ticks(link, "start_ticks"), "goes back: {link}");
        assert!(field(link, "tag").is_some(), "{link}");
        let posted = field(link, "posted").map(|text| text.parse::<i64>().expect("ticks"));
        assert!(posted.is_none_or(|posted| posted <= ticks(link, "end_ticks")), "{link}");
    }
    assert_eq!(tallies(&sandbox.info(trace, 0)), Vec::<String>::new(), "{trace}");
    let examined = &sandbox.onca(["waits", "--json", trace]).expect(0).json()["examined"];
    let expected = [
        ("messages", n_messages),
        ("without_call", 0),
        ("halves", 0),
        ("elsewhere", 0),
        ("backward", 0),
        ("assumed_operations", 0),
        ("assumed_roots", 0),
        ("unpaired", 0),
        ("forced", 0),
    ];
    for (name, number) in expected {
        assert_eq!(examined[name], number, "{trace}: {name} in {examined}");
    }
    assert!(!members(sandbox, trace).is_empty());
}

/// The members of each operation, by communicator and number. All do the same.
fn members(sandbox: &Sandbox, trace: &str) -> BTreeMap<(String, u64), Vec<(String, String)>> {
    let mut operations: BTreeMap<(String, u64), Vec<(String, String)>> = BTreeMap::new();
    for state in rows(sandbox, trace, "state") {
        let Some(communicator) = field(&state, "communicator") else { continue };
        let number = field(&state, "instance").expect("an instance").parse().expect("a number");
        let text = |name: &str| state[name].as_str().expect("a text").to_owned();
        let member = (text("container"), text("value"));
        operations.entry((communicator.to_owned(), number)).or_default().push(member);
    }
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for ((communicator, number), members) in &operations {
        let (_, value) = &members[0];
        let what = format!("operation {number} of {communicator}: {members:?}");
        assert!(members.iter().all(|(_, other)| other == value), "{what}");
        assert_eq!(*sizes.entry(communicator).or_insert(members.len()), members.len(), "{what}");
    }
    operations
}

#[test]
fn a_stencil_has_a_link_for_each_message() {
    for mpi in Mpi::all() {
        let sandbox = Sandbox::new();
        let program = mpi.compile(&sandbox, &source("stencil.c"));
        let mut command = mpi.command(&sandbox, "run", 4, &[&program, "50"]);
        let run = Run::of(command.env("XDG_CACHE_HOME", sandbox.cache())).expect(0);
        let n = counted(&run, "messages");
        assert_eq!(n, 400, "two of each of four processes in 50 steps");
        check(&sandbox, "run", n);
        // Receives were asked for before they were waited for.
        assert!(rows(&sandbox, "run", "link").iter().all(|link| field(link, "posted").is_some()));
        // Communicators that have no messages are not in legends.
        sandbox.onca(["export", "run", "--format", "paje", "-o", "run.paje"]).expect(0);
        let text = String::from_utf8_lossy(&sandbox.read("run.paje")).into_owned();
        assert!(text.contains("MPI_COMM_WORLD") && !text.contains("MPI_COMM_SELF"));
        let sizes = members(&sandbox, "run").values().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes, [4; 6], "five reductions on the way and one at the end");
        // The library is built once.
        let mut command = mpi.command(&sandbox, "again", 2, &[&program, "3"]);
        let again = Run::of(command.env("XDG_CACHE_HOME", sandbox.cache())).expect(0);
        assert!(run.err().contains("built") && !again.err().contains("built"), "{}", again.err());
        check(&sandbox, "again", counted(&again, "messages"));
    }
}

/// Runs a program with a clock that is ahead of that of everybody else.
const AHEAD: [&str; 5] = ["unshare", "--time", "--monotonic", "1000", "--fork"];

#[test]
fn clocks_of_different_machines_are_put_right() {
    let is_allowed = Command::new(AHEAD[0]).args(&AHEAD[1..]).arg("true").status();
    if !is_allowed.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this user may not run programs with other clocks");
        return;
    }
    // Open MPI does not start where clocks differ on one machine.
    for mpi in Mpi::all().into_iter().filter(|mpi| mpi.name == "mpich") {
        let sandbox = Sandbox::new();
        let program = mpi.compile(&sandbox, &source("stencil.c"));
        let [own, others] = [[&program, "50"], [&program, "50"]];
        let both = [&own[..], &[":", "-n", "2"], &AHEAD, &others].concat();
        let run = Run::of(&mut mpi.command(&sandbox, "run", 2, &both)).expect(0);
        check(&sandbox, "run", counted(&run, "messages"));
        let info = sandbox.info("run", 0);
        let length = ticks(&info, "end_ticks") - ticks(&info, "start_ticks");
        assert!(length < 500_000_000_000, "the clocks are 1000 s apart: {length} ns");
    }
}

#[test]
fn all_ways_to_pass_messages_are_known() {
    for mpi in Mpi::all() {
        let sandbox = Sandbox::new();
        let program = mpi.compile(&sandbox, &source("everything.c"));
        for n in [3, 4] {
            let name = format!("run-{n}");
            let run = Run::of(&mut mpi.command(&sandbox, &name, n, &[&program])).expect(0);
            check(&sandbox, &name, counted(&run, "messages"));
            let operations = members(&sandbox, &name);
            let blocking = [
                "Barrier",
                "Bcast",
                "Reduce",
                "Allreduce",
                "Gather",
                "Gatherv",
                "Scatter",
                "Allgather",
                "Alltoall",
                "Alltoallv",
                "Reduce_scatter_block",
                "Scan",
            ]
            .map(|name| format!("MPI_{name}"));
            let calls = operations.values().flatten();
            let calls = calls.filter(|(_, value)| blocking.contains(value)).count();
            assert_eq!(calls as u64, counted(&run, "calls of operations"), "{name}");
            // Halves in the other order: the last rank of a communicator is the root of its broadcast, and the first of its members.
            let broadcasts = rows(&sandbox, &name, "state");
            let mut roots = BTreeMap::new();
            for state in broadcasts.iter().filter(|state| state["value"] == "MPI_Bcast") {
                let communicator = field(state, "communicator").expect("a communicator");
                roots.insert(communicator.to_owned(), field(state, "root").map(str::to_owned));
            }
            let last = Some((n - 1).to_string());
            assert_eq!(roots.remove("MPI_COMM_WORLD"), Some(last));
            assert_eq!(roots.len(), 6, "{roots:?}");
            assert!(roots.values().all(|root| root.as_deref() == Some("0")), "{roots:?}");
            // What has no state is counted.
            let events = rows(&sandbox, &name, "event");
            let counts: Vec<_> = events
                .iter()
                .map(|event| (event["value"].as_str().expect("a value"), field(event, "calls")))
                .collect();
            let once = Some("1");
            let mut expected =
                [("MPI_Buffer_attach", once), ("MPI_Buffer_detach", once)].repeat(n as usize);
            expected.sort_unstable();
            let mut counts = counts;
            counts.sort_unstable();
            assert_eq!(counts, expected, "{name}");
        }
        // Clocks that are compared although they are one: they are only as good as the quickest answer, on a machine that
        // is busy with other tests, and may contradict messages. That is told, and nothing else is wrong.
        let mut measured = mpi.command(&sandbox, "measured", 3, &[&program]);
        let run = Run::of(measured.env("ONCA_MPI_CLOCKS", "measure")).expect(0);
        let links = rows(&sandbox, "measured", "link");
        assert_eq!(links.len() as u64, counted(&run, "messages"));
        let of_clocks = ["link-negative-duration ", "unsynchronised-clocks "];
        for problem in tallies(&sandbox.info("measured", 0)) {
            assert!(of_clocks.iter().any(|code| problem.starts_with(code)), "{problem}");
        }
    }
}

#[test]
fn threads_have_containers_of_their_own() {
    for mpi in Mpi::all() {
        let sandbox = Sandbox::new();
        let program = mpi.compile(&sandbox, &source("threads.c"));
        let run = Run::of(&mut mpi.command(&sandbox, "run", 2, &[&program])).expect(0);
        check(&sandbox, "run", counted(&run, "messages"));
        let ends = |link: &Value| {
            let end = |name: &str| link[name].as_str().expect("a rank").to_owned();
            (end("source"), end("destination"))
        };
        let mut seen: Vec<_> = rows(&sandbox, "run", "link").iter().map(ends).collect();
        seen.sort();
        seen.dedup();
        // Three threads a rank, each of which talks with one of the other; which is which depends on who is first.
        assert_eq!(seen.len(), 6, "{seen:?}");
        assert_eq!(
            sandbox.info("run", 0)["counts"]["containers"],
            9,
            "threads, main ones, and the root"
        );
    }
}

#[test]
fn fortran_is_recorded_like_c() {
    for mpi in Mpi::all() {
        let sandbox = Sandbox::new();
        let is_there = Command::new("gfortran").arg("--version").output().is_ok();
        let is_required = std::env::var("ONCA_MPI_TESTS").is_ok_and(|word| word == "required");
        assert!(is_there || !is_required, "gfortran is required");
        if !is_there {
            eprintln!("skipped: gfortran is not installed");
            return;
        }
        // The old functions and those of the module mpi_f08.
        for name in ["fortran", "fortran08"] {
            let program = mpi.compile(&sandbox, &source(&format!("{name}.f90")));
            let run = Run::of(&mut mpi.command(&sandbox, name, 4, &[&program])).expect(0);
            check(&sandbox, name, counted(&run, "messages"));
            let info = sandbox.onca(["info", name]).expect(0).out();
            for call in ["MPI_Init ", "MPI_Waitall", "MPI_Test", "MPI_Waitany", "MPI_Finalize"] {
                assert!(info.contains(call), "{name}: {call} in {info}");
            }
        }
    }
}

#[test]
fn what_cannot_be_run_is_told() {
    let sandbox = Sandbox::new();
    sandbox.onca(["run", "--", "./nowhere"]).expect_reason(2, "there is no program");
    sandbox.onca(["run", "--mpicc", "./mpicc", "--", "true"]).expect_reason(2, "no compiler");
    sandbox.onca(["run", "--no-view", "--", "true"]).expect_reason(2, "recorded nothing");
    let failed = sandbox.onca(["run", "--no-view", "--", "sh", "-c", "exit 3"]).expect(3);
    assert!(failed.err().contains("ended with status 3"), "{}", failed.err());
    // Ctrl-C is for the program.
    let ended = sandbox.onca(["run", "--no-view", "--", "sh", "-c", "kill -INT $PPID; exit 3"]);
    assert!(ended.expect(3).err().contains("recorded nothing"));
    // A launcher without a compiler, and a compiler that refuses.
    let script = |name: &str, text: &str| {
        let path = sandbox.write(name, format!("#!/bin/sh\n{text}\n"));
        let mut mode = std::fs::metadata(&path).expect("a file").permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
        std::fs::set_permissions(&path, mode).expect("a mode");
    };
    script("mpirun", "echo nothing");
    let mut alone = sandbox.command();
    alone.args(["run", "--", "./mpirun", "x"]).env("PATH", sandbox.work().join("empty"));
    Run::of(&mut alone).expect_reason(2, "there is no mpicc beside ./mpirun");
    script("mpicc", "echo mpi.h is missing >&2; exit 1");
    let refused = sandbox.onca(["run", "--", "./mpirun", "x"]).expect(2);
    assert!(refused.err().contains("mpi.h is missing"), "{}", refused.err());
    assert!(refused.err().contains("cannot be compiled"), "{}", refused.err());
    // Nothing is left of runs that came to nothing, and what is there is not mixed with another run.
    sandbox.expect_only(&["mpicc", "mpirun"]);
    std::fs::create_dir(sandbox.path("full")).expect("a folder");
    sandbox.write("full/process-0-1.onct", "");
    let again = ["run", "--output", "full", "--", "true"];
    sandbox.onca(again).expect_reason(2, "has the trace of another run");
}

#[test]
fn a_program_that_never_calls_mpi_init_is_told() {
    for mpi in Mpi::all() {
        let sandbox = Sandbox::new();
        let run = Run::of(&mut mpi.command(&sandbox, "run", 2, &["true"])).expect(2);
        assert!(run.err().contains("it may never call MPI_Init"), "{}", run.err());
    }
}
