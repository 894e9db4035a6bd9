//! Single entities: by pick, by name, by line of source code.

use onca_testkit::fixtures::{block, common_body, header as paje_header};
use serde_json::{Value, json};

use super::SECOND;
use crate::support::{TestSite, source};

#[tokio::test]
async fn picks_are_inspected_and_stepped_from() {
    let site = TestSite::new().await;
    let found = site.post("find", json!({"pattern": "wait"})).await.expect(200).json();
    let wait = &found["found"][0]["pick"];
    let told = site.post("inspect", json!({"pick": wait})).await.expect(200).json();
    assert_eq!((&told["schema"], &told["kind"]), (&json!("onca-inspect/1"), &json!("state")));
    assert_eq!((&told["title"], &told["start"]), (&json!("wait"), &json!(SECOND)));
    let around = &told["nesting"][0];
    assert_eq!((&around["title"], &around["relation"]), (&json!("run"), &json!("around")));
    let run = &around["pick"];
    let next = site.post("step", json!({"pick": run, "step": 1})).await.expect(200).json();
    let told = site.post("inspect", json!({"pick": next["pick"]})).await.expect(200).json();
    assert_eq!(told["title"], "idle");
    let back = json!({"pick": next["pick"], "step": -1});
    let back = site.post("step", back).await.expect(200).json();
    assert_eq!(&back["pick"], run);
    let end = json!({"pick": next["pick"], "step": 1});
    assert_eq!(site.post("step", end).await.expect(200).json()["pick"], Value::Null);
    // The root during a second: a node, at a time, of a length.
    let root = (2u64 << 60).to_string();
    let asked = json!({"pick": root, "at": SECOND, "span": SECOND});
    let told = site.post("inspect", asked).await.expect(200).json();
    assert_eq!(told["kind"], "aggregate");
    let shares = told["shares"].as_array().unwrap();
    let ticks: Vec<i64> = shares.iter().map(|share| share["ticks"].as_i64().unwrap()).collect();
    assert_eq!(ticks, [SECOND, SECOND], "one runs, one waits");
    // One row of both says the same, and who they are.
    let asked = json!({"pick": ((2u64 << 60) + 1).to_string(), "at": SECOND, "span": SECOND,
                       "nodes": [1, 2]});
    let both = site.post("inspect", asked).await.expect(200).json();
    assert_eq!(both["shares"], told["shares"]);
    assert_eq!(both["fields"], json!([{"name": "containers", "text": "2: A, B"}]));
    for (pick, status) in [("x", 400), ("-1", 400), ("0", 422), ("18446744073709551615", 422)] {
        site.post("inspect", json!({"pick": pick})).await.expect(status);
    }
    let nowhere = (1u64 << 60 | 77 << 32).to_string();
    site.post("inspect", json!({"pick": nowhere})).await.expect(422);
    site.post("step", json!({"pick": run, "step": 2})).await.expect(400);
}

#[tokio::test]
async fn lines_of_source_tell_what_they_made() {
    let folder = tempfile::tempdir().unwrap();
    let text = paje_header()
        + &block("30", "PajeSetState", &["Time", "Type", "Container", "Value", "File", "Line"])
        + &common_body()
        + "30 1 S a run main.c 7\n30 2 S a wait main.c 8\n30 3 S b run main.c 7\n\
           30 4 S b run other.c 7\n8 5 P a\n8 5 P b\n";
    let traces = vec![source(folder.path(), "lines.paje", &text)];
    let site = TestSite::with_traces(folder, traces, Vec::new()).await;
    let info = site.get("/api/traces/1/info").await.expect(200).json();
    assert_eq!(info["has_source"], true);
    let found = site.post("line", json!({"file": "main.c", "line": 7})).await.expect(200).json();
    let starts = |found: &Value| -> Vec<i64> {
        let hits = found["found"].as_array().unwrap().iter();
        hits.map(|hit| hit["start_ticks"].as_i64().unwrap() / SECOND).collect()
    };
    assert_eq!(starts(&found), [1, 3]);
    let told = site.post("inspect", json!({"pick": found["found"][0]["pick"]})).await.json();
    assert_eq!(told["source"], json!({"file": "main.c", "line": 7}));
    let page = json!({"file": "main.c", "line": 7, "limit": 1});
    let first = site.post("line", page).await.expect(200).json();
    let rest = json!({"file": "main.c", "line": 7, "after": first["next"]});
    assert_eq!(starts(&site.post("line", rest).await.expect(200).json()), [3]);
    let none = site.post("line", json!({"file": "main.c", "line": 9})).await.expect(200).json();
    assert!(starts(&none).is_empty());
}

#[tokio::test]
async fn search_tells_picks_and_pages() {
    let site = TestSite::new().await;
    let asked = json!({"pattern": "*", "kinds": ["state"], "limit": 3});
    let first = site.post("find", asked).await.expect(200).json();
    assert_eq!(first["schema"], "onca-find/1");
    let hits = first["found"].as_array().unwrap();
    assert_eq!(hits.len(), 3);
    let bits: u64 = hits[0]["pick"].as_str().unwrap().parse().unwrap();
    assert_eq!(bits >> 60, 1, "an entity");
    assert!(hits[0]["node"].as_u64().is_some());
    let asked = json!({"pattern": "*", "kinds": ["state"], "after": first["next"]});
    let second = site.post("find", asked).await.expect(200).json();
    assert_eq!(second["found"].as_array().unwrap().len(), 1);
    assert_eq!(second["next"], Value::Null);
    let found = site.post("find", json!({"pattern": "B"})).await.expect(200).json();
    let hit = &found["found"][0];
    let bits: u64 = hit["pick"].as_str().unwrap().parse().unwrap();
    assert_eq!((bits >> 60, Some(bits & 0xffff_ffff)), (2, hit["node"].as_u64()));
    let long = json!({"pattern": "*", "kinds": ["state"], "longer_than": 5 * SECOND});
    let found = site.post("find", long).await.expect(200).json();
    assert_eq!(found["found"].as_array().unwrap().len(), 1, "only B runs for 6 seconds");
    let answer = site.post("find", json!({"pattern": "re:("})).await.expect(400);
    assert_eq!(answer.code(), "question");
}
