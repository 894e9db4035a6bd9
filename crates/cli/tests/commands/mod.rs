//! Every command with hand-written traces: exact rows, exact fields, exact exit codes.

mod dump;
mod generated;
mod problems;
mod sources;
mod stores;
use std::io::Read;
use std::process::Stdio;

use onca_testkit::fixtures;
use onca_testkit::sandbox::{Run, Sandbox, names_in};

/// A trace with one entity of each kind; nothing in it is worth more than a note.
fn clean_trace() -> String {
    fixtures::trace(
        "12 1 S a x\n\
         13 2.5 S a y\n\
         14 3 S a\n\
         15 4 S a\n\
         9 1 V a 0.1\n\
         16 1 L 0 a v k\n\
         17 3 L 0 b v k\n\
         18 6 E a \"q,r\"\n",
    )
}

const CLEAN_ROWS: &str = "\
Container, 0, 0, 0.000000000, 6.000000000, 6.000000000, 0
Link, 0, Lk, 1.000000000, 3.000000000, 2.000000000, v, A, B, k
Container, 0, Proc, 0.000000000, 6.000000000, 6.000000000, B
Container, 0, Proc, 0.000000000, 6.000000000, 6.000000000, A
Event, A, Ev, 6.000000000, \"q,r\"
State, A, St, 1.000000000, 4.000000000, 3.000000000, 0, x
State, A, St, 2.500000000, 3.000000000, 0.500000000, 1, y
Variable, A, Var, 1.000000000, 6.000000000, 5.000000000, 0.1
";

/// Two records without effect and a repaired one; line 124 is the first after the common body.
fn lossy_trace() -> String {
    fixtures::trace(
        "13 1 S a x\n\
         14 2 S a\n\
         14 3 S a\n\
         18 5 E A q\n\
         18 abc E a q\n",
    )
}

/// The line on which the text that was given to `fixtures::trace` begins.
fn first_line() -> usize {
    (fixtures::header() + &fixtures::common_body()).lines().count() + 1
}

#[test]
fn shells_and_manuals_are_served() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = sandbox.onca(["completions", shell]).expect(0).out();
        assert!(text.contains("validate"), "{shell}: {text}");
    }
    let page = sandbox.onca(["man"]).expect(0).out();
    assert!(page.contains(".TH onca 1"), "{page}");
    sandbox.onca(["man", "-o", "pages"]).expect(0);
    let engine = sandbox.read("pages/onca-sql.1");
    assert!(String::from_utf8_lossy(&engine).contains("onca\\-query(1)"), "who starts it");
    let pages = names_in(&sandbox.path("pages"));
    assert!(pages.iter().any(|page| page == "onca-dump.1"), "{pages:?}");
    assert!(sandbox.onca(["--version"]).expect(0).out().starts_with("onca "));
    assert!(sandbox.onca(["--help"]).expect(0).out().contains("Exit status"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    std::fs::create_dir(sandbox.path("folder")).expect("a folder");
    for args in [
        &[][..],
        &["no-such-command"],
        &["info"],
        &["dump", "t.paje", "--kinds", "smell"],
        &["dump", "t.paje", "--from", "noon"],
        &["dump", "t.paje", "--pj-dump-compat", "--json"],
        &["dump", "t.paje", "--memory", "2 parsecs"],
        &["completions", "no-such-shell"],
        &["store"],
    ] {
        sandbox.onca(args).expect(2);
    }
    for command in ["info", "validate", "dump", "index"] {
        sandbox.onca([command, "absent.paje"]).expect_reason(2, "absent.paje");
        sandbox.onca([command, "folder"]).expect_reason(2, "folder");
    }
    sandbox.onca(["store", "verify", "absent.paje"]).expect_reason(2, "absent.paje");
    // Something that is no trace at all is one that lost everything, not a crash.
    sandbox.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    sandbox.onca(["validate", "picture.png"]).expect(1);
    sandbox.expect_only(&["folder", "picture.png", "t.paje"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let sandbox = Sandbox::new();
    // More rows than a pipe holds, so that the program does write into the closed pipe.
    sandbox
        .onca(["generate", "hierarchy", "--levels", "Site:40,Machine:100", "-o", "t.paje"])
        .expect(0);
    sandbox.onca(["index", "t.paje"]).expect(0);
    for args in [
        &["dump", "t.paje"][..],
        &["dump", "--json", "t.paje"],
        &["generate", "hierarchy", "--levels", "Site:40,Machine:100"],
    ] {
        let mut command = sandbox.command();
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a running program");
        let mut out = child.stdout.take().expect("a pipe");
        let mut first = [0; 100];
        out.read_exact(&mut first).expect("the first bytes");
        drop(out);
        let output = child.wait_with_output().expect("an end");
        let run = Run::checked(format!("{args:?} into a closed pipe"), output).expect(0);
        assert_eq!(run.err(), "", "{args:?}");
    }
}
