//! Answers in numbers: statistics, profiles, SQL.

use serde_json::{Value, json};

use crate::SECOND;
use crate::support::TestSite;

/// The time of each value, in ticks.
fn times(statistics: &Value) -> Vec<(String, i64)> {
    let rows = statistics["values"].as_array().expect("values");
    let states = rows.iter().filter(|row| row["nature"] == "state");
    let mut times: Vec<(String, i64)> = states
        .map(|row| {
            (row["value"].as_str().unwrap().to_owned(), row["total_ticks"].as_i64().unwrap())
        })
        .collect();
    times.sort();
    times
}

#[tokio::test]
async fn statistics_are_of_the_window_and_of_rows() {
    let site = TestSite::new().await;
    let whole = site.post("statistics", json!({})).await.expect(200).json();
    assert_eq!(whole["schema"], "onca-stats-values/1");
    let time = |value: &str, seconds: i64| (value.to_owned(), seconds * SECOND);
    assert_eq!(times(&whole), [time("idle", 1), time("run", 9), time("wait", 2)]);
    let window = json!({"from": 2 * SECOND, "to": 4 * SECOND});
    let part = site.post("statistics", json!({"window": window})).await.expect(200).json();
    assert_eq!(times(&part), [time("run", 3), time("wait", 1)]);
    let found = site.post("find", json!({"pattern": "B"})).await.expect(200).json();
    let node = &found["found"][0]["node"];
    let row = site.post("statistics", json!({"nodes": [node]})).await.expect(200).json();
    assert_eq!(times(&row), [time("run", 6)]);
    let both = site.post("statistics", json!({"nodes": [0]})).await.expect(200).json();
    assert_eq!(times(&both), times(&whole));
    let none = site.post("statistics", json!({"nodes": [99]})).await.expect(200).json();
    assert!(times(&none).is_empty());
}

#[tokio::test]
async fn a_profile_tells_paths_of_nested_states() {
    let site = TestSite::new().await;
    let paths = |answer: &Value| -> Vec<(String, Value, Value)> {
        let path = |path: &Value| {
            let name = path["value"].as_str().unwrap().to_owned();
            (name, path["outer"].clone(), path["inclusive_ticks"].clone())
        };
        answer["paths"].as_array().unwrap().iter().map(path).collect()
    };
    let all = site.post("profile", json!({})).await.expect(200).json();
    assert_eq!(all["schema"], "onca-profile/1");
    let known = [
        ("run".to_owned(), Value::Null, json!(11 * SECOND)),
        ("wait".to_owned(), json!(0), json!(2 * SECOND)),
        ("idle".to_owned(), Value::Null, json!(SECOND)),
    ];
    assert_eq!(paths(&all), known);
    let few = site.post("profile", json!({"min_share": 0.5})).await.expect(200).json();
    assert_eq!(paths(&few), known[..1]);
    site.post("profile", json!({"min_share": 2})).await.expect(400);
}

#[tokio::test]
async fn without_the_program_sql_says_how_to_install_it() {
    let site = TestSite::new().await;
    let tables = site.get("/api/traces/1/sql").await.expect(501);
    let answer = site.post("sql", json!({"sql": "SELECT 1"})).await.expect(501);
    for refused in [tables, answer] {
        assert_eq!(refused.code(), "no-sql");
        let message = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("cargo install --path crates/sql-cli --locked"), "{message}");
    }
    site.post("sql", json!({"query": "SELECT 1"})).await.expect(400);
}
