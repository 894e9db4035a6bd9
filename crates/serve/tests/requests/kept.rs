//! What the user leaves: lenses, looks, marks.

use serde_json::json;

use crate::support::TestSite;

#[tokio::test]
async fn lenses_are_checked_and_kept() {
    let site = TestSite::new().await;
    let lens = json!({"version": 1, "select": {"values": {"hide": ["wait"]}}});
    let answer = site.post("lens", json!({"lens": lens})).await.expect(200).json();
    assert_eq!(answer["schema"], "onca-lens-answer/1");
    let hidden = answer["values"].as_array().unwrap().iter().filter(|value| value["seen"] == false);
    assert_eq!(hidden.count(), 1);
    let wrong = json!({"version": 1, "select": {"values": {"hide": ["Wiat"]}}});
    assert_eq!(site.post("lens", json!({"lens": wrong})).await.expect(422).code(), "lens");

    let text = r#"{"version": 1}"#;
    // By sha256sum.
    let hash = "c3aa9744214caf6eb993d6f88f3f1dda3e4e60d59f712b6463c4ce2c4b00dfa1";
    let wrong = site.with_body("PUT", &format!("lens/{hash}"), "{}".to_owned()).await;
    assert_eq!(wrong.expect(400).code(), "question");
    site.get(&format!("/api/traces/1/lens/{hash}")).await.expect(404);
    site.with_body("PUT", &format!("lens/{hash}"), text.to_owned()).await.expect(200);
    let kept = site.get(&format!("/api/traces/1/lens/{hash}")).await.expect(200).json();
    assert_eq!(kept["version"], 1);
    for odd in ["../../x", "..%2f..%2fx", "x", &hash[1..], &hash.to_uppercase()] {
        site.get(&format!("/api/traces/1/lens/{odd}")).await.expect(404);
    }
}

#[tokio::test]
async fn looks_are_remembered_for_traces_of_the_kind() {
    let site = TestSite::new().await;
    let looks = json!({"values": {"run": {"color": "#00ff00"}}});
    site.with_body("PUT", "appearance", looks.to_string()).await.expect(200);
    assert_eq!(site.memory.0.lock().unwrap().len(), 1);
    let info = site.get("/api/traces/1/info").await.expect(200).json();
    let run = info["values"].as_array().unwrap().iter().find(|value| value["name"] == "run");
    assert_eq!(run.unwrap()["color_from"], "remembered");
    let wrong = json!({"values": {"run": {"color": "green?"}}});
    let answer = site.with_body("PUT", "appearance", wrong.to_string()).await;
    assert_eq!(answer.expect(422).code(), "lens");
}

#[tokio::test]
async fn marks_are_kept_beside_the_store() {
    let site = TestSite::new().await;
    let none = site.get("/api/traces/1/marks").await.expect(200).json();
    assert_eq!(none, json!({"schema": "onca-marks/1", "marks": []}));
    let mark = json!({"time": 5, "name": "here", "note": "<b>", "color": "#123456"});
    let marks = json!({"schema": "onca-marks/1", "marks": [mark]});
    site.with_body("PUT", "marks", marks.to_string()).await.expect(200);
    assert_eq!(site.get("/api/traces/1/marks").await.expect(200).json(), marks);
    assert!(site.folder.path().join("small.paje.onca-view/marks.json").is_file());
    // A note belongs to a window, and perhaps to a row.
    let note = json!({"time": 5, "end": 2_000_000_000, "row": "/root/A", "name": "slow",
                      "note": "why <i>?", "color": null});
    let marks = json!({"schema": "onca-marks/1", "marks": [note, mark]});
    site.with_body("PUT", "marks", marks.to_string()).await.expect(200);
    assert_eq!(site.get("/api/traces/1/marks").await.expect(200).json(), marks);
    let report = site.post("export", json!({"view": "page"})).await.expect(200).text();
    let notes = &report[report.find("Notes").expect("a section")..];
    assert!(notes.contains("/root/A") && notes.contains("why &lt;i&gt;?"), "{notes}");
    assert!(notes.contains("2.000000000"), "{notes}");
    let answer = site.with_body("PUT", "marks", r#"{"marks": [{}]}"#.to_owned()).await;
    answer.expect(400);
}
