//! Answers in numbers: statistics, profiles, SQL.

use serde_json::{Value, json};

use super::SECOND;
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
async fn containers_are_compared_value_by_value() {
    let site = TestSite::new().await;
    let all = site.post("containers", json!({"slices": 6})).await.expect(200).json();
    assert_eq!((&all["schema"], &all["slices"]), (&json!("onca-containers/1"), &json!(6)));
    assert_eq!(all["left_out"], 0);
    let row = |row: &Value| {
        let parts = ["name", "value", "total_ticks", "count", "imbalance_percent"];
        parts.map(|part| row[part].clone())
    };
    let rows = all["rows"].as_array().expect("rows");
    // `run` has 9 seconds of two, `wait` 2, `idle` 1.
    let known = [
        ("B", "run", 6, 1, 100.0 * (6.0 / 4.5 - 1.0)),
        ("A", "run", 3, 1, 100.0 * (3.0 / 4.5 - 1.0)),
        ("A", "wait", 2, 1, 100.0),
        ("A", "idle", 1, 1, 100.0),
    ];
    assert_eq!(rows.len(), known.len());
    for (found, (name, value, seconds, count, above)) in rows.iter().zip(known) {
        let [found_name, found_value, ticks, found_count, imbalance] = row(found);
        assert_eq!((found_name, found_value), (json!(name), json!(value)));
        assert_eq!((ticks, found_count), (json!(seconds * SECOND), json!(count)));
        assert!((imbalance.as_f64().expect("a number") - above).abs() < 1e-9);
        // Two are too few to tell who is unlike the other.
        assert_eq!(found["outlier"], Value::Null);
    }
    let seconds = |ticks: [i64; 6]| json!(ticks.map(|seconds| seconds * SECOND));
    assert_eq!(rows[1]["over_time"], seconds([1, 0, 0, 1, 1, 0]));
    let node = &rows[1]["node"];
    let of_one = site.post("containers", json!({"nodes": [node]})).await.expect(200).json();
    assert_eq!(of_one["rows"].as_array().map(Vec::len), Some(3));
    assert_eq!(of_one["rows"][0]["imbalance_percent"], rows[1]["imbalance_percent"]);
    for wrong in [json!({"slices": 0}), json!({"limit": 0})] {
        site.post("containers", wrong).await.expect(400);
    }
    site.post("containers", json!({"level": "Nobody"})).await.expect(422);
}

#[tokio::test]
async fn a_summary_tells_efficiency_and_who_has_most_to_do() {
    let site = TestSite::new().await;
    let lens = json!({"version": 1, "roles": {"run": "compute"}});
    let told = site.post("summary", json!({"lens": lens})).await.expect(200).json();
    assert_eq!(told["schema"], "onca-summary/1");
    // `A` runs for 3 of 6 seconds, `B` for all 6.
    let efficiency = &told["efficiency"];
    assert_eq!((&efficiency["processes"], &efficiency["parallel"]), (&json!(2), &json!(0.75)));
    assert_eq!(efficiency["load_balance"], 0.75);
    assert_eq!(efficiency["communication"], 1.0);
    let most = &told["most_loaded"];
    assert_eq!((&most["name"], &most["value"]), (&json!("B"), &Value::Null));
    assert_eq!(
        (&most["max"], &most["mean"], &most["nodes"]),
        (&json!(6.0), &json!(4.5), &json!(2))
    );
    // Nothing is known to be useful: the value that has the most time is compared.
    let told = site.post("summary", json!({})).await.expect(200).json();
    assert_eq!(
        (&told["most_loaded"]["name"], &told["most_loaded"]["value"]),
        (&json!("B"), &json!("run"))
    );
    let lens = json!({"version": 1, "select": {"values": {"hide": ["run"]}}});
    let told = site.post("summary", json!({"lens": lens})).await.expect(200).json();
    assert_eq!(told["efficiency"], Value::Null);
    let most = &told["most_loaded"];
    assert_eq!((&most["name"], &most["value"]), (&json!("A"), &json!("wait")));
    assert_eq!((&most["max"], &most["mean"]), (&json!(2.0), &json!(1.0)));
    site.post("summary", json!({"nodes": [1]})).await.expect(400);
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
