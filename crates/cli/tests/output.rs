//! What a command prints and writes, and what it leaves when it is ended: a terminal is not driven, a
//! spreadsheet computes nothing, memory has a bound, nothing half-written stays.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use onca_testkit::fixtures;
use onca_testkit::sandbox::{Sandbox, program};
use onca_testkit::viewing::signal;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// What a command shows on a terminal, which it believes to be its standard output.
fn on_a_terminal(command: &mut Command) -> Vec<u8> {
    let leader = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&leader).expect("granted");
    unlockpt(&leader).expect("unlocked");
    let name = ptsname(&leader, Vec::new()).expect("a name");
    let terminal: OwnedFd =
        rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a terminal");
    let mut child = command.stdout(terminal).stderr(Stdio::null()).spawn().expect("started");
    // The last of those who write to it goes with the child.
    command.stdout(Stdio::null());
    let (mut leader, mut shown, mut piece) = (File::from(leader), Vec::new(), [0; 1 << 16]);
    // A terminal that nobody writes to any more is an error to read.
    while let Ok(n @ 1..) = leader.read(&mut piece) {
        shown.extend_from_slice(&piece[..n]);
    }
    let status = child.wait().expect("an end");
    assert_eq!(status.code(), Some(0), "{command:?}");
    shown
}

/// Names that drive terminals, and formulas.
fn hostile_trace() -> String {
    let escape = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m";
    fixtures::trace(&format!(
        "13 1 S a \"=HYPERLINK({escape})\"\n14 2 S a\n13 2 S b \"-2+3\"\n14 4 S b\n\
         16 1 L 0 a @SUM k\n17 2 L 0 b @SUM k\n18 1 E a +1\n"
    ))
}

#[test]
fn names_do_not_drive_a_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", hostile_trace());
    for command in [
        &["dump"][..],
        &["dump", "--pj-dump-compat"],
        &["dump", "--json"],
        &["stats"],
        &["stats", "--csv"],
        &["info"],
        &["find", "HYPERLINK"],
        &["slice", "--csv"],
        &["lens"],
        &["validate"],
        &["export", "-o", "-", "--format", "paje"],
    ] {
        let mut onca = sandbox.command();
        onca.args(command).arg("t.paje");
        if command[0] == "find" {
            onca = sandbox.command();
            onca.args(["find", "t.paje", "*HYPERLINK*"]);
        }
        let shown = on_a_terminal(&mut onca);
        assert!(!shown.is_empty(), "{command:?}");
        let text = String::from_utf8(shown).expect("text");
        let driving = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        assert!(!text.contains(driving), "{command:?}: {text:?}");
    }
    let piped = sandbox.onca(["dump", "t.paje"]).expect(0);
    assert!(piped.out().contains("\u{1b}]0;title"), "a pipe gets every byte");
}

#[test]
fn a_terminal_is_shown_what_somebody_may_read() {
    let sandbox = Sandbox::new();
    let name = "n".repeat(4_000);
    let body: String = (0..4_000).map(|n| format!("13 {n} S a {name}{n}\n")).collect();
    sandbox.write("t.paje", fixtures::trace(&body));
    let whole = sandbox.onca(["dump", "t.paje"]).expect(0).stdout;
    assert!(whole.len() > 16_000_000);
    let mut onca = sandbox.command();
    let shown = on_a_terminal(onca.args(["dump", "t.paje"]));
    assert!((10_000_000..11_000_000).contains(&shown.len()), "{}", shown.len());
    let end = String::from_utf8_lossy(&shown[shown.len() - 200..]).into_owned();
    assert!(end.contains("> FILE") && end.contains("| less"), "{end}");
}

#[test]
fn spreadsheets_find_no_formulas() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", hostile_trace());
    for command in [
        "stats t.paje --csv --what values",
        "stats t.paje --csv --what longest",
        "slice t.paje --csv",
        "find t.paje *HYPERLINK* --csv",
        "find t.paje *HYPERLINK* --count --csv",
        "profile t.paje --csv",
        "dump t.paje",
    ] {
        let words = || command.split(' ');
        let begins = |text: &str, with: &str| {
            let cells =
                text.split([',', '\n']).map(|cell| cell.trim_start().trim_start_matches('"'));
            cells.filter(|cell| cell.starts_with(with)).count()
        };
        let formulas =
            |text: &str| ["=H", "-2+", "@SUM"].map(|with| begins(text, with)).iter().sum();
        let plain: usize = formulas(&sandbox.onca(words()).expect(0).out());
        assert!(plain > 0, "{command} has nothing to make harmless");
        let safe = sandbox.onca(words().chain(["--safe-for-spreadsheets"])).expect(0).out();
        assert_eq!(formulas(&safe), 0_usize, "{command}: {safe}");
        let made_harmless = begins(&safe, "'=H") + begins(&safe, "'-2+") + begins(&safe, "'@SUM");
        assert_eq!(made_harmless, plain, "{command}: {safe}");
    }
    let refused = sandbox.onca(["stats", "t.paje", "--safe-for-spreadsheets"]);
    assert!(refused.expect(2).err().contains("--csv"), "it is about CSV");
}

/// Waits until a command has begun a file or a folder.
fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_there() {
        assert!(started.elapsed() < Duration::from_secs(600), "{what} does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// `onca`, which obeys signals whatever this test was told to ignore: who runs in the background
/// ignores some, and what it starts does too.
fn obedient(sandbox: &Sandbox) -> Command {
    let mut env = sandbox.confined(Command::new("env"));
    env.arg("--default-signal=HUP,INT,TERM").arg(program("onca"));
    env.stdout(Stdio::null()).stderr(Stdio::null());
    env
}

#[test]
fn who_is_told_to_stop_leaves_nothing() {
    let sandbox = Sandbox::new();
    let generate = ["generate", "iterative", "--procs", "64", "--events", "200000000"];
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let mut child = obedient(&sandbox);
        let mut child = child.args(generate).args(["-o", "out.paje"]).spawn().expect("started");
        wait_for("a file", || !sandbox.names(&sandbox.work()).is_empty());
        signal(name, child.id());
        assert_eq!(child.wait().expect("an end").code(), Some(code), "{name}");
        sandbox.expect_only(&[]);
    }
    sandbox.onca(["generate", "iterative", "--events", "300000", "-o", "t.paje"]).expect(0);
    let mut child = obedient(&sandbox).args(["index", "t.paje"]).spawn().expect("started");
    wait_for("a store", || sandbox.names(&sandbox.work()).iter().any(|it| it.contains(".tmp-")));
    signal("INT", child.id());
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    sandbox.expect_only(&["t.paje"]);
}

#[test]
fn a_question_that_takes_too_much_is_ended_with_a_word() {
    let sandbox = Sandbox::new();
    let size = ["--procs", "6000", "--events", "60000"];
    sandbox.onca(["generate", "iterative", "-o", "t.paje"].into_iter().chain(size)).expect(0);
    sandbox.onca(["index", "t.paje"]).expect(0);
    let containers = ["stats", "t.paje", "--what", "containers", "--csv", "--memory"];
    sandbox.onca(containers.into_iter().chain(["1M"])).expect_reason(3, "--memory allows");
    sandbox.onca(containers.into_iter().chain(["1G"])).expect(0);
    // A table is held to be printed; JSON is not.
    let json = ["stats", "t.paje", "--what", "containers", "--json", "--memory", "1M"];
    sandbox.onca(json).expect(0);
    // Messages are joined in little memory; those of collective operations of so many are many.
    sandbox.onca(["phases", "t.paje", "--no-collectives", "--memory", "1M"]).expect(0);
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
}
