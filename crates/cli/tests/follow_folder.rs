//! Traces that are read anew whenever they have grown: the files of running processes, and JSON.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use onca_testkit::sandbox::{STORE_FILES, Sandbox};
use onca_testkit::viewing::{Viewing, signal};
use onca_trace::{Container, ContainerType};
use serde_json::{Value, json};

/// What makes this program one that is traced: the file whose presence ends it.
const PROGRAM: &str = "ONCA_TEST_TRACED_UNTIL";

/// No test: what `onca run` runs.
#[test]
fn the_program_that_is_traced() {
    let Some(stop) = std::env::var_os(PROGRAM) else { return };
    record_until("unnamed.onct", || Path::new(&stop).exists());
}

/// Records states until somebody has had enough.
fn record_until(path: impl AsRef<Path>, is_enough: impl Fn() -> bool) {
    onca_trace::open(path.as_ref()).expect("a trace");
    let process = ContainerType::ROOT.container_type("Process");
    let doing = process.state_type("Doing");
    let me = Container::ROOT.create(process, "main");
    while !is_enough() {
        me.push(doing.value("work"));
        sleep(Duration::from_millis(1));
        me.pop(doing);
    }
    onca_trace::close().expect("a closed trace");
}

fn wait_for(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(120), "it never comes");
        sleep(Duration::from_millis(20));
    }
}

/// What the session says of the first trace.
fn trace(viewing: &Viewing) -> Value {
    let answer = viewing.get("/api/session");
    let body = answer.split_once("\r\n\r\n").expect("a body").1;
    let session: Value = serde_json::from_str(body).expect("JSON");
    session["traces"][0].clone()
}

fn records(viewing: &Viewing) -> u64 {
    trace(viewing)["progress"]["records"].as_u64().unwrap_or(0)
}

fn expect_same(sandbox: &Sandbox, one: &str, other: &str) {
    for file in STORE_FILES.iter().filter(|file| **file != "manifest.json") {
        let read = |store: &str| sandbox.read(&format!("{store}/{file}"));
        assert!(read(one) == read(other), "{file} differs");
    }
}

#[test]
fn a_folder_is_shown_while_processes_write_and_come() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("run");
    std::fs::create_dir(&folder).expect("a folder");
    let viewing = Viewing::start(&sandbox, &["view", "--follow", "run", "--no-open"]);
    let begun = Instant::now();
    // It waits for the first process, and sees it while it writes.
    let first = || records(&viewing) > 100 || begun.elapsed() > Duration::from_secs(100);
    record_until(folder.join("one.onct"), first);
    let before = records(&viewing);
    assert!(before > 100, "{}", trace(&viewing));
    assert_eq!(trace(&viewing)["status"], "following");
    let containers = |viewing: &Viewing| -> u64 {
        let answer = viewing.get("/api/traces/1/info");
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        let info: Value = serde_json::from_str(body).expect("JSON");
        info["counts"]["containers"].as_u64().expect("a number")
    };
    let with_one = containers(&viewing);
    record_until(folder.join("two.onct"), || containers(&viewing) > with_one);
    // Both have closed their files, and no other comes.
    wait_for(|| trace(&viewing)["status"] == "ready");
    assert_eq!(trace(&viewing)["message"], Value::Null);
    assert_eq!(viewing.interrupt(), Some(0));
    sandbox.onca(["index", "run", "-o", "plain.onca"]).expect(0);
    expect_same(&sandbox, "run.onca", "plain.onca");
}

#[test]
fn a_program_is_shown_while_it_runs() {
    let sandbox = Sandbox::new();
    let stop = sandbox.path("stop");
    let program = std::env::current_exe().expect("this program");
    let mut command = sandbox.command();
    command.env(PROGRAM, &stop).stdin(Stdio::null());
    let exec = "exec \"$0\" --exact follow_folder::the_program_that_is_traced >&2";
    let program = program.to_str().expect("text");
    let viewing =
        Viewing::start_as(command, &["run", "--output", "run", "--", "sh", "-c", exec, program]);
    wait_for(|| trace(&viewing)["status"] == "following");
    let first = records(&viewing);
    wait_for(|| records(&viewing) > first);
    // As long as it runs, Ctrl-C is for the program.
    signal("INT", viewing.child.id());
    sleep(Duration::from_millis(300));
    assert_eq!(trace(&viewing)["status"], "following");
    std::fs::write(&stop, "").expect("written");
    wait_for(|| trace(&viewing)["status"] == "ready");
    assert_eq!(viewing.interrupt(), Some(0));
    sandbox.onca(["index", "run", "-o", "plain.onca"]).expect(0);
    expect_same(&sandbox, "run.onca", "plain.onca");
}

#[test]
fn json_is_shown_as_it_grows_however_it_is_split() {
    let sandbox = Sandbox::new();
    let event = |at: u64| {
        format!(
            "{{\"ph\":\"X\",\"name\":\"step {}\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":7}},",
            at % 3,
            at * 10
        )
    };
    let text: String = "[".to_owned() + &(0..300).map(event).collect::<String>();
    let path = sandbox.write("run.json", &text[..70]);
    let viewing = Viewing::start(&sandbox, &["view", "--follow", "run.json", "--no-open"]);
    // No line end is in it, and its pieces end anywhere.
    let grow = |from: usize, to: usize| {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("opens");
        file.write_all(&text.as_bytes()[from..to]).expect("written");
        let whole = text[..to].matches("},").count() as u64;
        wait_for(|| records(&viewing) == whole);
    };
    let mut at = 70;
    for to in [71, 500, 501, 4000, text.len()] {
        grow(at, to);
        at = to;
    }
    let status = trace(&viewing);
    assert_eq!((&status["status"], &status["growth"]["note"]), (&json!("following"), &json!("")));
    let answer = viewing.get("/api/traces/1/info");
    assert!(answer.contains("\"lost\":0"), "{answer}");
    assert_eq!(viewing.interrupt(), Some(0));
}

#[test]
fn json_becomes_the_store_of_the_whole() {
    let sandbox = Sandbox::new();
    let text = "[{\"ph\":\"B\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1},\n\
                {\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":5}\n";
    sandbox.write("run.json", text);
    sandbox.onca(["index", "--follow", "run.json", "--until-idle", "0.3"]).expect(0);
    sandbox.onca(["index", "run.json", "-o", "plain.onca"]).expect(0);
    expect_same(&sandbox, "run.json.onca", "plain.onca");
    // What a pipe brings has no line ends to be cut at.
    let piped = ["index", "--follow", "-", "-o", "piped.onca"];
    sandbox.onca_reading(text.replace('\n', "").as_bytes(), &piped).expect(0);
    let records = |store| sandbox.info(store, 0)["records"].as_u64().expect("a number");
    assert_eq!(records("piped.onca"), 2);
    assert_eq!(records("plain.onca"), 2);
    sandbox.onca(["index", "--follow", "plain.onca"]).expect_reason(2, "is a store");
}
