//! SQL in `onca view`: children that answer, their limits, their end.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;
use onca_testkit::viewing::{Viewing, signal};
use serde_json::{Value, json};

const ENDLESS: &str = "SELECT count(*) FROM generate_series(1, 10000000000000) WHERE value % 7 = 8";
const PATH: &str = "/api/traces/1/sql";

fn view(sandbox: &Sandbox) -> Viewing {
    view_with(sandbox, &[])
}

fn view_with(sandbox: &Sandbox, more: &[&str]) -> Viewing {
    let body = "12 0 S a run\n12 1 S a wait\n12 4 S a run\n18 2 E b hello\n8 5 P a\n8 5 P b\n";
    sandbox.write("t.paje", fixtures::trace(body));
    let arguments = [&["view", "t.paje", "--no-open"], more].concat();
    let viewing = Viewing::start(sandbox, &arguments);
    viewing.wait_until_ready();
    viewing
}

/// Status and body of a question.
fn ask(viewing: &Viewing, question: &Value) -> (u16, Vec<u8>) {
    let answer = viewing.ask("POST", PATH, &question.to_string());
    let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    let status = String::from_utf8_lossy(&answer[9..12]).parse().expect("a status");
    (status, answer[head + 4..].to_vec())
}

fn ask_json(viewing: &Viewing, sql: &str) -> (u16, Value) {
    let (status, body) = ask(viewing, &json!({ "sql": sql }));
    (status, serde_json::from_slice(&body).expect("JSON"))
}

/// The processes that a process has started.
fn children_of(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |number: &u32| {
        let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    };
    numbers.filter(is_child).collect()
}

/// The one child of a server; it is there once it was asked something.
fn child_of(viewing: &Viewing) -> u32 {
    match children_of(viewing.child.id())[..] {
        [child] => child,
        ref children => panic!("{} children", children.len()),
    }
}

/// Waits for something that is to happen, however slow the machine is.
fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(started.elapsed() < Duration::from_secs(600), "waiting for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The time that a process has computed, in hundredths of a second.
fn computed(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    rest.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// Sends a question and does not wait for its answer.
fn send(viewing: &Viewing, sql: &str) -> TcpStream {
    let (host, token) = viewing.address();
    let body = json!({ "sql": sql }).to_string();
    let mut stream = TcpStream::connect(host).expect("a server");
    write!(
        stream,
        "POST {PATH} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("a question");
    stream
}

#[test]
fn answers_come_in_all_forms_and_errors_have_their_place() {
    let sandbox = Sandbox::new();
    let viewing = view(&sandbox);
    let tables = viewing.get(PATH);
    let tables: Value =
        serde_json::from_str(tables.split_once("\r\n\r\n").expect("a head").1).expect("JSON");
    assert_eq!(tables["schema"], "onca-sql-tables/1");
    assert_eq!(
        tables["tables"][2]["columns"][0],
        json!({"name": "container_id", "type": "UInt32"})
    );
    for example in tables["examples"].as_array().expect("examples") {
        assert_eq!(ask_json(&viewing, example["sql"].as_str().expect("SQL")).0, 200);
    }
    let sql = "SELECT value, count(*) AS n FROM states GROUP BY value ORDER BY value";
    let (status, answer) = ask_json(&viewing, sql);
    assert_eq!((status, &answer["truncated"]), (200, &json!(false)));
    assert_eq!(answer["rows"], json!([["run", 2], ["wait", 1]]));
    let (_, csv) = ask(&viewing, &json!({"sql": sql, "format": "csv"}));
    assert_eq!(csv, b"value,n\r\nrun,2\r\nwait,1\r\n");
    let (_, parquet) = ask(&viewing, &json!({"sql": sql, "format": "parquet"}));
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    let (status, wrong) = ask_json(&viewing, "SELECT value,\n  valu FROM states");
    assert_eq!((status, &wrong["code"]), (400, &json!("question")));
    assert!(wrong["message"].as_str().expect("words").contains("line 2, column 3"), "{wrong}");
    for hostile in ["DROP TABLE states", "COPY states TO '/tmp/x'", "SELECT * FROM '/etc/passwd'"] {
        assert_eq!(ask_json(&viewing, hostile).0, 400, "{hostile}");
    }
    // More than a frame, and more rows than the limit.
    let (status, many) =
        ask_json(&viewing, "SELECT *, 'abcdefghij' FROM generate_series(1, 200000)");
    assert_eq!((status, &many["truncated"]), (200, &json!(true)));
    assert_eq!(many["rows"].as_array().map(Vec::len), Some(100_000));
    assert_eq!(many["rows"][99_999], json!([100_000, "abcdefghij"]));
}

#[test]
fn the_child_has_no_environment_and_a_limit_and_a_crash_is_a_fault_of_one_request() {
    let sandbox = Sandbox::new();
    let viewing = view(&sandbox);
    assert_eq!(ask_json(&viewing, "SELECT 1").0, 200);
    let child = child_of(&viewing);
    assert_eq!(fs::read(format!("/proc/{child}/environ")).expect("an environment"), b"");
    let limits = fs::read_to_string(format!("/proc/{child}/limits")).expect("limits");
    let data = limits.lines().find(|line| line.starts_with("Max data size")).expect("a limit");
    // A quarter of --memory, the engine, and what each thread has: see docs/sql.md.
    let threads = std::thread::available_parallelism().expect("a number").get();
    let most = (512 + 256 + 32 * threads) << 20;
    assert_eq!(data.split_whitespace().nth(3), Some(most.to_string().as_str()), "{data}");

    let killed = std::thread::scope(|scope| {
        let asking = scope.spawn(|| ask_json(&viewing, ENDLESS));
        let child = busy_child_of(&viewing);
        signal("KILL", child);
        let (status, answer) = asking.join().expect("an answer");
        assert_eq!((status, &answer["code"]), (500, &json!("fault")), "{answer}");
        assert!(answer["message"].as_str().expect("words").contains("engine ended"), "{answer}");
        child
    });
    // The next one is there before anybody asks.
    wait_for_others(&viewing, killed);
    assert_eq!(ask_json(&viewing, "SELECT 1").0, 200);
}

/// The child that has computed for a second, once there is one: longer than any takes to start.
fn busy_child_of(viewing: &Viewing) -> u32 {
    let mut busy = None;
    wait_for("a query to run", || {
        busy = children_of(viewing.child.id()).into_iter().find(|&child| computed(child) > 100);
        busy.is_some()
    });
    busy.expect("it was found")
}

/// Waits until a server has children that do nothing, and this one is not among them.
fn wait_for_others(viewing: &Viewing, child: u32) {
    let mut last = Vec::new();
    wait_for("children that rest", || {
        let children = children_of(viewing.child.id());
        let now: Vec<_> = children.iter().map(|&child| (child, computed(child))).collect();
        std::thread::sleep(Duration::from_millis(300));
        let rest = !children.is_empty() && !children.contains(&child) && now == last;
        last = now;
        rest
    });
}

#[test]
fn a_question_ends_when_its_client_leaves() {
    let sandbox = Sandbox::new();
    let viewing = view(&sandbox);
    let client = send(&viewing, ENDLESS);
    let child = busy_child_of(&viewing);
    drop(client);
    wait_for_others(&viewing, child);
    assert_eq!(ask_json(&viewing, "SELECT 1").0, 200);
}

#[test]
fn the_child_ends_with_its_server() {
    let sandbox = Sandbox::new();
    let viewing = view(&sandbox);
    let _client = send(&viewing, ENDLESS);
    wait_for("the child", || children_of(viewing.child.id()).len() == 1);
    let child = child_of(&viewing);
    wait_for("the query to run", || computed(child) > 10);
    signal("KILL", viewing.child.id());
    let is_there = || {
        let status = fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
        !status.is_empty() && !status.contains("State:\tZ")
    };
    wait_for("the child to end", || !is_there());
}

#[test]
fn what_takes_too_long_ends_and_others_are_answered_meanwhile() {
    let sandbox = Sandbox::new();
    let viewing = view(&sandbox);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| {
            let answer = ask_json(&viewing, ENDLESS);
            ended.store(true, Ordering::Relaxed);
            answer
        });
        wait_for("the query to run", || {
            children_of(viewing.child.id()).first().is_some_and(|&child| computed(child) > 10)
        });
        let mut meanwhile = 0;
        while !ended.load(Ordering::Relaxed) {
            assert_eq!(ask_json(&viewing, "SELECT 1").0, 200);
            meanwhile += 1;
        }
        assert!(meanwhile > 1, "{meanwhile} answers");
        let (status, answer) = slow.join().expect("an answer");
        assert_eq!((status, &answer["code"]), (422, &json!("limit")), "{answer}");
        assert!(answer["message"].as_str().expect("words").contains("10 s"), "{answer}");
    });
    assert_eq!(ask_json(&viewing, "SELECT 1").0, 200);
    // It does not run on.
    let is_at_rest = || {
        let sum = || children_of(viewing.child.id()).into_iter().map(computed).sum::<u64>();
        let before = sum();
        std::thread::sleep(Duration::from_millis(300));
        sum() == before
    };
    wait_for("all children to rest", is_at_rest);
}

#[test]
fn the_answer_says_which_limit_stopped_a_query() {
    let sandbox = Sandbox::new();
    let viewing = view_with(&sandbox, &["--memory", "256M"]);
    let greedy = "SELECT approx_percentile_cont(0.5, 2000000000) WITHIN GROUP (ORDER BY value) \
                  FROM generate_series(1, 10)";
    let deep = format!("SELECT 1,\n{}1", "1 + ".repeat(10_000));
    let nested = format!("SELECT {}1{}", "(".repeat(60), ")".repeat(60));
    for (sql, status, code, part) in [
        (greedy, 422, "limit", "more memory"),
        (&deep, 400, "question", "line 2, column 4001: the query is too long here"),
        (&nested, 400, "question", "line 1, column 58: the query is nested too deeply"),
    ] {
        let (said, answer) = ask_json(&viewing, sql);
        assert_eq!((said, &answer["code"]), (status, &json!(code)), "{answer}");
        assert!(answer["message"].as_str().expect("words").contains(part), "{answer}");
        assert_eq!(ask_json(&viewing, "SELECT 1").0, 200);
    }
}
