//! What there is: the session, a trace in numbers, its problems, its source code.

use std::sync::mpsc;

use onca_serve::Growth;
use serde_json::{Value, json};

use super::SECOND;
use crate::support::{TestSite, small_trace, source};

#[tokio::test]
async fn a_trace_that_is_followed_can_be_asked_while_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    let mut small = source(folder.path(), "small.paje", &small_trace());
    let (first, last) = (small.open, source(folder.path(), "small.paje", &small_trace()).open);
    let (go_on, wait) = mpsc::channel();
    small.open = Box::new(move |opening| {
        let growth = Growth {
            watermark: 3 * SECOND,
            records: 7,
            late: 1,
            silent_seconds: 0,
            note: String::new(),
        };
        opening.has_grown(first(opening)?, growth.clone());
        opening.stands(Growth { silent_seconds: 12, ..growth });
        wait.recv().map_err(|error| error.to_string())?;
        last(opening)
    });
    let site = TestSite::with_traces(folder, vec![small], Vec::new()).await;
    let growth = json!({
        "looks": 1, "watermark_ticks": 3 * SECOND, "late": 1, "silent_seconds": 12, "note": "",
    });
    let mut trace = Value::Null;
    while trace["growth"] != growth {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        trace = site.get("/api/session").await.expect(200).json()["traces"][0].clone();
    }
    assert_eq!((&trace["status"], &trace["progress"]["records"]), (&json!("following"), &json!(7)));
    let info = site.get("/api/traces/1/info").await.expect(200).json();
    assert_eq!(site.get("/api/traces/1@1/info").await.expect(200).json(), info);
    site.get("/api/traces/2@1/info").await.expect(404);
    go_on.send(()).unwrap();
    while trace["status"] != "ready" {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        trace = site.get("/api/session").await.expect(200).json()["traces"][0].clone();
    }
    assert_eq!(trace["growth"], Value::Null);
    site.get("/api/traces/1/info").await.expect(200);
}

#[tokio::test]
async fn a_trace_that_breaks_off_can_be_asked_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut small = source(folder.path(), "small.paje", &small_trace());
    let first = small.open;
    small.open = Box::new(move |opening| {
        let growth = Growth {
            watermark: SECOND,
            records: 7,
            late: 0,
            silent_seconds: 0,
            note: String::new(),
        };
        opening.has_grown(first(opening)?, growth);
        Err("the disk is full".to_owned())
    });
    let site = TestSite::with_traces(folder, vec![small], Vec::new()).await;
    let mut trace = Value::Null;
    while trace["status"] != "broken" {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        trace = site.get("/api/session").await.expect(200).json()["traces"][0].clone();
    }
    assert_eq!((&trace["message"], &trace["growth"]), (&json!("the disk is full"), &Value::Null));
    site.get("/api/traces/1/info").await.expect(200);
}

#[tokio::test]
async fn the_session_tells_of_all_traces() {
    let folder = tempfile::tempdir().unwrap();
    let small = source(folder.path(), "small.paje", &small_trace());
    let mut wrong = source(folder.path(), "wrong.paje", "");
    wrong.open = Box::new(|_| Err("it is no trace".to_owned()));
    let mut panics = source(folder.path(), "panics.paje", "");
    panics.open = Box::new(|_| panic!("on purpose"));
    let site = TestSite::with_traces(folder, vec![panics, wrong, small], Vec::new()).await;
    let session = site.get("/api/session").await.expect(200).json();
    assert_eq!(
        (&session["schema"], &session["sources"]),
        (&json!("onca-session/1"), &json!(false))
    );
    let traces = session["traces"].as_array().unwrap();
    let field = |name: &str| traces.iter().map(|trace| trace[name].clone()).collect::<Vec<_>>();
    assert_eq!(field("id"), [json!("1"), json!("2"), json!("3")]);
    assert_eq!(field("name")[2], "small.paje");
    assert_eq!(field("status"), [json!("failed"), json!("failed"), json!("ready")]);
    assert_eq!(field("message")[1], "it is no trace");
    assert!(field("message")[0].as_str().unwrap().contains("on purpose"));
    assert!(traces[2]["progress"]["read"].as_u64().unwrap() > 0);
    let answer = site.get("/api/traces/1/info").await.expect(409);
    assert_eq!(answer.code(), "not-ready");
    site.get("/api/traces/3/info").await.expect(200);
    let events = site.get("/api/progress").await.expect(200);
    assert_eq!(events.header("content-type"), "text/event-stream");
    let text = events.text();
    let told = text.lines().find_map(|line| line.strip_prefix("data: ")).expect("an event");
    assert_eq!(serde_json::from_str::<Value>(told).unwrap(), session);
}

#[tokio::test]
async fn info_tells_types_values_and_levels() {
    let site = TestSite::new().await;
    let info = site.get("/api/traces/1/info").await.expect(200).json();
    assert_eq!(info["schema"], "onca-view-info/1");
    assert_eq!((&info["name"], &info["begin_ticks"]), (&json!("small.paje"), &json!("0")));
    assert_eq!(info["length"], 6 * SECOND);
    assert_eq!(info["unit"]["ticks_per_unit"], "1000000000");
    assert_eq!(info["counts"]["states"], 4);
    let values = info["values"].as_array().unwrap();
    let mut counts: Vec<(&str, u64)> = values
        .iter()
        .map(|value| (value["name"].as_str().unwrap(), value["count"].as_u64().unwrap()))
        .collect();
    counts.sort_unstable();
    assert_eq!(counts, [("beep", 1), ("idle", 1), ("m", 1), ("run", 2), ("wait", 1)]);
    let levels: Vec<&Value> = info["levels"].as_array().unwrap().iter().collect();
    assert_eq!(levels.last().unwrap(), &&json!({"name": "Proc", "nodes": 2}));
    let red = json!({"version": 1, "appearance": {"values": {"run": {"color": "#ff0000"}}}});
    let info = site.post("info", json!({"lens": red})).await.expect(200).json();
    let run = info["values"].as_array().unwrap().iter().find(|value| value["name"] == "run");
    assert_eq!(
        (&run.unwrap()["color"], &run.unwrap()["color_from"]),
        (&json!("#ff0000"), &json!("lens"))
    );
}

#[tokio::test]
async fn problems_are_counted_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let text = small_trace() + "12 7 S nobody run\n";
    let traces = vec![source(folder.path(), "odd.paje", &text)];
    let site = TestSite::with_traces(folder, traces, Vec::new()).await;
    let problems = site.get("/api/traces/1/problems").await.expect(200).json();
    assert_eq!(problems["schema"], "onca-problems/1");
    let samples = problems["samples"].as_array().unwrap();
    let sample = samples.iter().find(|sample| sample["line"] == text.lines().count());
    let sample = sample.expect("a problem in the last line");
    assert!(sample["file"].as_str().unwrap().ends_with("odd.paje"));
    let counts = problems["counts"].as_array().unwrap();
    let count = counts.iter().find(|count| count["code"] == sample["code"]);
    assert_eq!(count.expect("its code is counted")["count"], 1);
}

#[tokio::test]
async fn source_files_are_read_only_below_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/main.c"), "int main;\n<script>\n").unwrap();
    std::fs::write(folder.path().join("secret"), "secret").unwrap();
    let site = TestSite::with_sources(vec![folder.path().join("src")]).await;
    let session = site.get("/api/session").await.json();
    assert_eq!(session["sources"], true);
    let read = site.get("/api/traces/1/source?file=/home/x/src/main.c").await.expect(200).json();
    assert_eq!(read["lines"], json!(["int main;", "<script>"]));
    assert_eq!(read["file"], "main.c");
    let outside = folder.path().join("secret");
    for name in ["../secret", "..%2Fsecret", "%2e%2e/secret", "%00", "/etc/passwd", "."] {
        let answer = site.get(&format!("/api/traces/1/source?file={name}")).await.expect(404);
        assert_eq!(answer.code(), "not-found", "{name}");
    }
    site.get(&format!("/api/traces/1/source?file={}", outside.display())).await.expect(404);
    let answer = site.get("/api/traces/1/source").await.expect(400);
    assert_eq!(answer.code(), "question");
    let none = TestSite::new().await;
    none.get("/api/traces/1/source?file=main.c").await.expect(404);
}
