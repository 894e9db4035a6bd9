//! Two traces of one site, compared.

use serde_json::{Value, json};

use super::SECOND;
use crate::support::{TestSite, small_trace, source};

/// The small trace, and the same with a wait and all after it 2 seconds longer.
async fn two() -> TestSite {
    let folder = tempfile::tempdir().expect("a folder");
    let slower = small_trace()
        .replace("14 3 S a", "14 5 S a")
        .replace("9 4 V a 3", "9 6 V a 3")
        .replace("12 5 S a idle", "12 7 S a idle")
        .replace("8 6 P", "8 8 P");
    let traces = vec![
        source(folder.path(), "small.paje", &small_trace()),
        source(folder.path(), "slower.paje", &slower),
    ];
    TestSite::with_traces(folder, traces, Vec::new()).await
}

/// Asks the second trace.
async fn ask(site: &TestSite, what: &str, question: Value, status: u16) -> Value {
    let answer = site.post_to(&format!("/api/traces/2/{what}"), question).await;
    answer.expect(status).json()
}

#[tokio::test]
async fn a_comparison_says_how_much_longer_the_second_is() {
    let site = two().await;
    let asked = json!({"before": "1", "align": "begin"});
    let answer = ask(&site, "compare", asked, 200).await;
    assert_eq!(answer["schema"], "onca-compare/1");
    assert_eq!(answer["change_ticks"], 2 * SECOND);
    // They begin together, so that the axis is as long as the longer run.
    assert_eq!(answer["axis_ticks"], 8 * SECOND);
    assert_eq!(answer["matched"]["rule"], "path");
    // The other way round.
    let asked = json!({"before": "2", "align": "begin"});
    let answer = site.post("compare", asked).await.expect(200).json();
    assert_eq!(answer["change_ticks"], -2 * SECOND);
}

#[tokio::test]
async fn what_cannot_be_compared_is_refused() {
    let site = two().await;
    let told = ask(&site, "compare", json!({}), 400).await;
    assert_eq!(told["message"], "before: the trace to compare with is missing");
    ask(&site, "compare", json!({"before": "9"}), 404).await;
    ask(&site, "compare", json!({"before": 1}), 400).await;
    ask(&site, "compare", json!({"before": "1", "align": "by chance"}), 400).await;
    let frame = json!({"width": 300, "height": 200});
    ask(&site, "scene/compare-timeline", frame, 422).await;
}

#[tokio::test]
async fn pictures_of_two_runs_show_a_part_of_their_axis() {
    let site = two().await;
    let asked = |part: Option<&str>| {
        let mut asked = json!({"before": "1", "align": "begin", "width": 300, "height": 200});
        asked["part"] = json!(part);
        asked
    };
    for view in ["compare-timeline", "compare-overview"] {
        let path = format!("/api/traces/2/scene/{view}");
        let whole = site.post_to(&path, asked(None)).await.expect(200).scene();
        assert_eq!(whole["window"], json!({"from": 0, "to": 8 * SECOND}), "{view}");
        let half = site.post_to(&path, asked(Some("25%..75%"))).await.expect(200).scene();
        assert_eq!(half["window"], json!({"from": 2 * SECOND, "to": 6 * SECOND}), "{view}");
        site.post_to(&path, asked(Some("2..1"))).await.expect(400);
    }
}

#[tokio::test]
async fn a_picture_of_two_runs_has_a_command_that_draws_it() {
    let site = two().await;
    let asked = json!({"view": "compare-table", "before": "1", "width": 400, "format": "svg"});
    let told = ask(&site, "command", asked.clone(), 200).await;
    let command = told["command"].as_str().expect("a command");
    let (before, after) = (command.find("small.paje"), command.find("slower.paje"));
    assert!(command.starts_with("onca render compare-table "), "{command}");
    assert!(before.is_some() && before < after, "{command}");
    let file = site.post_to("/api/traces/2/export", asked).await.expect(200);
    assert!(file.text().contains("<svg"));
}

#[tokio::test]
async fn views_of_two_runs_fit_where_there_are_two() {
    let misfits = |answer: Value| -> Vec<bool> {
        let views = answer["views"].as_array().expect("views").clone();
        let of_two = views.iter().filter(|view| view["tab"] == "compare");
        of_two.map(|view| view["misfit"].is_null()).collect()
    };
    let alone = TestSite::new().await.get("/api/traces/1/views").await.expect(200).json();
    assert_eq!(misfits(alone), [false; 6]);
    let both = two().await.get("/api/traces/2/views").await.expect(200).json();
    assert_eq!(misfits(both), [true; 6]);
}
