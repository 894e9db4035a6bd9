//! Traces that are read while they are written.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use onca_testkit::sandbox::{STORE_FILES, Sandbox};

/// A trace of some processes, in the order of time.
fn demo(sandbox: &Sandbox) -> Vec<u8> {
    sandbox
        .onca(["generate", "iterative", "--procs", "8", "--iterations", "20", "-o", "whole.paje"])
        .expect(0);
    sandbox.read("whole.paje")
}

fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
}

fn follow(sandbox: &Sandbox, args: &[&str]) -> Child {
    let mut command = sandbox.command();
    command.args(["index", "--follow"]).args(args).stdin(Stdio::piped());
    start(&mut command)
}

/// The exit status, and what was said.
fn ended(mut child: Child) -> (Option<i32>, String) {
    drop(child.stdin.take());
    let output = child.wait_with_output().expect("ends");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// Waits until something is there; a slow machine is given time.
fn wait_for(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(120), "it never comes");
        sleep(Duration::from_millis(10));
    }
}

fn append(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).expect("opens");
    file.write_all(bytes).expect("written");
}

/// Both stores have the same bytes, but for what their manifests tell of the source.
fn expect_same(sandbox: &Sandbox, one: &str, other: &str) {
    for file in STORE_FILES.iter().filter(|file| **file != "manifest.json") {
        let read = |store: &str| sandbox.read(&format!("{store}/{file}"));
        assert!(read(one) == read(other), "{file} differs");
    }
}

#[test]
fn a_file_that_grows_becomes_the_store_of_the_whole() {
    let sandbox = Sandbox::new();
    let trace = demo(&sandbox);
    let child = follow(&sandbox, &["grows.paje", "--until-idle", "2"]);
    for piece in trace.chunks(trace.len() / 13) {
        append(&sandbox.path("grows.paje"), piece);
        sleep(Duration::from_millis(60));
    }
    let (code, said) = ended(child);
    assert_eq!(code, Some(0), "{said}");
    sandbox.onca(["index", "whole.paje"]).expect(0);
    expect_same(&sandbox, "grows.paje.onca", "whole.paje.onca");
    let again = sandbox.onca(["index", "grows.paje"]).expect(0);
    assert!(String::from_utf8_lossy(&again.stdout).contains("up to date"), "the store is taken");
}

#[test]
fn a_file_that_is_not_in_order_is_put_right_at_the_end() {
    let sandbox = Sandbox::new();
    let trace = String::from_utf8(demo(&sandbox)).expect("text");
    let mut lines: Vec<&str> = trace.lines().collect();
    let n = lines.len();
    lines[n - 200..n - 20].reverse();
    let text = lines.join("\n") + "\n";
    sandbox.write("other.paje", &text);
    sandbox.write("grows.paje", &text[..text.len() / 2]);
    let child = follow(&sandbox, &["grows.paje", "--until-idle", "2", "--lateness", "0.0001"]);
    sleep(Duration::from_millis(300));
    append(&sandbox.path("grows.paje"), &text.as_bytes()[text.len() / 2..]);
    let (code, said) = ended(child);
    let plain = sandbox.onca(["index", "other.paje"]);
    assert_eq!(code, Some(plain.code), "{said}");
    assert!(said.contains("not in the order of time"), "{said}");
    expect_same(&sandbox, "grows.paje.onca", "other.paje.onca");
}

#[test]
fn a_file_that_is_replaced_is_read_anew() {
    let sandbox = Sandbox::new();
    let trace = demo(&sandbox);
    let half =
        trace.iter().take(trace.len() / 2).rposition(|&byte| byte == b'\n').expect("lines") + 1;
    sandbox.write("grows.paje", &trace[..half]);
    let child = follow(&sandbox, &["grows.paje", "--until-idle", "2"]);
    sleep(Duration::from_millis(700));
    std::fs::rename(sandbox.path("whole.paje"), sandbox.path("grows.paje")).expect("renamed");
    let (code, said) = ended(child);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the file was replaced"), "{said}");
    sandbox.write("whole.paje", &trace);
    sandbox.onca(["index", "whole.paje"]).expect(0);
    expect_same(&sandbox, "grows.paje.onca", "whole.paje.onca");
}

#[test]
fn an_interrupt_leaves_the_store_of_what_was_there() {
    let sandbox = Sandbox::new();
    let trace = demo(&sandbox);
    let half =
        trace.iter().take(trace.len() / 2).rposition(|&byte| byte == b'\n').expect("lines") + 1;
    sandbox.write("grows.paje", &trace[..half]);
    sandbox.write("half.paje", &trace[..half]);
    let child = follow(&sandbox, &["grows.paje"]);
    sleep(Duration::from_millis(1000));
    // Not SIGINT, which shells let background jobs ignore.
    let interrupted = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(interrupted.expect("kill runs").success());
    let (code, said) = ended(child);
    let plain = sandbox.onca(["index", "half.paje"]);
    assert_eq!(code, Some(plain.code), "{said}");
    expect_same(&sandbox, "grows.paje.onca", "half.paje.onca");
}

#[test]
fn a_follower_that_is_killed_again_and_again_loses_nothing() {
    let sandbox = Sandbox::new();
    let trace = demo(&sandbox);
    let path = sandbox.path("grows.paje");
    // Three hundred take a while: `ONCA_KILLS` says how many.
    let kills = std::env::var("ONCA_KILLS").map_or(40, |number| number.parse().expect("a number"));
    for piece in trace.chunks(trace.len().div_ceil(kills)) {
        append(&path, piece);
        let mut child = follow(&sandbox, &["grows.paje"]);
        sleep(Duration::from_millis(piece[0] as u64 % 23));
        child.kill().expect("killed");
        child.wait().expect("gone");
    }
    let (code, said) = ended(follow(&sandbox, &["grows.paje", "--until-idle", "0.5"]));
    assert_eq!(code, Some(0), "{said}");
    sandbox.onca(["index", "whole.paje"]).expect(0);
    expect_same(&sandbox, "grows.paje.onca", "whole.paje.onca");
    sandbox.expect_only(&["grows.paje", "grows.paje.onca", "whole.paje", "whole.paje.onca"]);
}

#[test]
fn a_pipe_is_kept_until_its_store_is_there() {
    let sandbox = Sandbox::new();
    let trace = demo(&sandbox);
    let half = trace.len() / 2;
    let kept = sandbox.path("run.onca.stream");
    let mut child = follow(&sandbox, &["-", "-o", "run.onca"]);
    child.stdin.as_mut().expect("a pipe").write_all(&trace[..half]).expect("taken");
    wait_for(|| std::fs::metadata(&kept).is_ok_and(|found| found.len() == half as u64));
    child.kill().expect("killed");
    child.wait().expect("gone");
    // The writer begins again with the line that was cut.
    let whole = trace.iter().take(half).rposition(|&byte| byte == b'\n').expect("lines") + 1;
    let mut child = follow(&sandbox, &["-", "-o", "run.onca"]);
    child.stdin.as_mut().expect("a pipe").write_all(&trace[whole..]).expect("taken");
    let (code, said) = ended(child);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("of an earlier stream") && said.contains("of a line that was cut"),
        "{said}"
    );
    assert!(!kept.exists());
    sandbox.onca(["index", "whole.paje"]).expect(0);
    expect_same(&sandbox, "run.onca", "whole.paje.onca");
}

#[test]
fn a_socket_is_for_its_user_and_takes_one_writer_after_the_other() {
    let sandbox = Sandbox::new();
    let trace = demo(&sandbox);
    let socket = sandbox.path("in.socket");
    let child = follow(&sandbox, &["unix:in.socket", "-o", "run.onca", "--until-idle", "2"]);
    wait_for(|| socket.exists());
    let mode = std::fs::metadata(&socket).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let half =
        trace.iter().take(trace.len() / 2).rposition(|&byte| byte == b'\n').expect("lines") + 1;
    for part in [&trace[..half], &trace[half..]] {
        let mut stream = UnixStream::connect(&socket).expect("connects");
        stream.write_all(part).expect("taken");
    }
    let (code, said) = ended(child);
    assert_eq!(code, Some(0), "{said}");
    assert!(!socket.exists());
    sandbox.onca(["index", "whole.paje"]).expect(0);
    expect_same(&sandbox, "run.onca", "whole.paje.onca");
}

#[test]
fn who_does_not_say_the_token_is_not_heard() {
    let sandbox = Sandbox::new();
    let trace = demo(&sandbox);
    let mut child = follow(&sandbox, &["tcp:127.0.0.1:0", "-o", "run.onca", "--until-idle", "2"]);
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("an address");
    let address =
        line.split(&[' ', ';'][..]).find(|word| word.starts_with("127.")).expect("an address");
    let token = line.trim_end().rsplit(' ').next().expect("a token");
    for first in ["wrong", token] {
        let mut stream = TcpStream::connect(address).expect("connects");
        let sent = stream.write_all(format!("{first}\n").as_bytes());
        // A stranger may have been sent away already.
        let _ = sent.and_then(|()| stream.write_all(&trace));
    }
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    let (code, out) = ended(child);
    assert_eq!(code, Some(0), "{out}{rest}");
    assert!(rest.contains("did not say the token"), "{rest}");
    sandbox.onca(["index", "whole.paje"]).expect(0);
    expect_same(&sandbox, "run.onca", "whole.paje.onca");
}

#[test]
fn what_cannot_be_followed_says_why() {
    let sandbox = Sandbox::new();
    sandbox.write("run.prv", "#Paraver (01/01/2026 at 00:00):1:1(1):1:1(1:1)\n");
    sandbox.write("empty.paje", "");
    for (args, why) in [
        (&["run.prv"][..], "cannot be followed"),
        (&["tcp:nowhere", "-o", "x.onca"][..], "HOST:PORT"),
        (&["-"][..], "give -o"),
        (&["empty.paje", "--until-idle", "0.1"][..], "not even a whole line"),
        (&["run.prv", "empty.paje"][..], "only one trace"),
        (&["--until-idle", "0.1", "nowhere"][..], "nothing has come of it"),
    ] {
        let (code, said) = ended(follow(&sandbox, args));
        assert_eq!(code, Some(2), "{args:?} {said}");
        assert!(said.contains(why), "{args:?}: {said}");
    }
}

#[test]
fn a_writer_that_stops_inside_a_line_is_told() {
    let sandbox = Sandbox::new();
    let trace = demo(&sandbox);
    let half = trace.len() / 2;
    let cut = half - usize::from(trace[half - 1] == b'\n');
    sandbox.write("grows.paje", &trace[..cut]);
    // Who is silent for ten seconds is spoken of.
    let (code, said) = ended(follow(&sandbox, &["grows.paje", "--until-idle", "10.5"]));
    assert!(code == Some(0) || code == Some(1), "{code:?} {said}");
    assert!(said.contains("silent for 10 s, in the middle of a line"), "{said}");
    assert!(said.contains("its writer may have died"), "{said}");
}

#[test]
fn a_full_disk_ends_it_and_is_told() {
    let sandbox = Sandbox::new();
    demo(&sandbox);
    // No file may be longer than this many blocks of 512 bytes, like on a disk that is full.
    let limited = |blocks: u32, args: &str| {
        let onca = onca_testkit::sandbox::program("onca");
        let script = format!("ulimit -f {blocks}; exec \"$0\" index --follow {args}");
        let mut command = sandbox.confined(Command::new("sh"));
        command.args(["-c", &script]).arg(onca).stdin(Stdio::piped());
        start(&mut command)
    };
    let (code, said) = ended(limited(8, "whole.paje --until-idle 0.5"));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("whole.paje.onca"), "{said}");
    assert!(!sandbox.path("whole.paje.onca").exists());
    // What is sent and cannot be kept must not look complete.
    let mut child = limited(8, "- -o run.onca");
    let trace = sandbox.read("whole.paje");
    // Whoever writes is told by the end of the pipe.
    let _ = child.stdin.as_mut().expect("a pipe").write_all(&trace);
    let (code, said) = ended(child);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("no room for more of what is sent"), "{said}");
    assert!(!sandbox.path("run.onca").exists());
    assert_eq!(sandbox.read("run.onca.stream").len(), 8 * 512);
}
