//! All other views: the solid, the charts, the overview.

use serde_json::{Value, json};

use super::SECOND;
use crate::support::TestSite;

#[tokio::test]
async fn a_solid_has_boxes_over_a_base() {
    let site = TestSite::new().await;
    let asked = json!({"base": "graph", "events": true, "variables": true});
    let scene = site.post("solid", asked).await.expect(200).scene();
    assert_eq!(scene["schema"], "onca-solid/1");
    assert_eq!(scene["window"], json!({"from": 0, "to": 6 * SECOND}));
    assert_eq!(scene["bases"], json!(["graph", "treemap"]));
    assert_eq!((&scene["base"], &scene["layout"]), (&json!("graph"), &json!("force")));
    assert_eq!((&scene["exact"], &scene["cable_scale"]), (&json!(true), &Value::Null));
    let layers = scene["layers"].as_array().unwrap();
    let counted: Vec<(&str, u64)> = layers
        .iter()
        .map(|layer| (layer["kind"].as_str().unwrap(), layer["n"].as_u64().unwrap()))
        .collect();
    // A runs, waits, runs and is idle; B runs. Nested states make no more boxes here.
    let expected = [
        ("cells", 0),
        ("nodes", 2),
        ("cables", 0),
        ("edges", 1),
        ("boxes", 5),
        ("arrows", 1),
        ("ribbons", 1),
        ("marks", 1),
    ];
    assert_eq!(counted, expected);
    let columns = &layers[4]["columns"];
    assert_eq!((&columns["z0"][0], &columns["z0"][2]), (&json!("f32"), &json!(5)));
    let cells = site.post("solid", json!({"base": "treemap"})).await.expect(200).scene();
    assert!(cells["layers"][0]["n"].as_u64().unwrap() >= 2);
    assert_eq!(cells["layout"], Value::Null);
    for (asked, status) in [
        (json!({"base": "topology"}), 422),
        (json!({"base": "cloud"}), 400),
        (json!({"boxes": 1_000_000}), 400),
        (json!({"topology": "none"}), 400),
        (json!({"height": 0}), 400),
        (json!({"depth": 77}), 422),
    ] {
        site.post("solid", asked).await.expect(status);
    }
}

#[tokio::test]
async fn all_views_are_scenes() {
    let site = TestSite::new().await;
    let charts = ["pie", "bars", "matrix", "histogram", "concurrency", "efficiency"];
    let views = ["treemap", "overview", "flame", "graph", "durations", "traffic"];
    let views = views.into_iter().chain(charts);
    for view in views {
        let asked = json!({"width": 500, "height": 300});
        let scene = site.post(&format!("scene/{view}"), asked).await.expect(200).scene();
        assert!(!scene["layers"].as_array().unwrap().is_empty(), "{view}");
        let over_time =
            ["overview", "concurrency", "efficiency", "durations", "traffic"].contains(&view);
        assert_eq!(scene.get("window").is_some(), over_time, "{view}");
    }
    for mode in ["time", "count"] {
        let asked = json!({"width": 500, "height": 300, "mode": mode});
        site.post("scene/treemap", asked).await.expect(200);
    }
    for (more, status) in [
        (json!({"agg": "mean"}), 200),
        (json!({"agg": "max", "ratio": "time:run / count"}), 200),
        (json!({"agg": "middle"}), 400),
        (json!({"ratio": "time:run"}), 400),
        (json!({"ratio": "time / count", "mode": "count"}), 400),
        (json!({"ratio": "time:nowhere / count"}), 422),
    ] {
        let mut asked = json!({"width": 500, "height": 300, "depth": 1});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        site.post("scene/treemap", asked).await.expect(status);
    }
    let inside = json!({"width": 500, "height": 300, "path": ["run"]});
    site.post("scene/flame", inside).await.expect(200);
    let nowhere = json!({"width": 500, "height": 300, "path": ["wait"]});
    site.post("scene/flame", nowhere).await.expect(422);
    let answer = site.post("scene/weather", json!({"width": 5, "height": 3})).await.expect(404);
    assert_eq!(answer.code(), "not-found");
}

#[tokio::test]
async fn views_are_described_with_their_options() {
    let site = TestSite::new().await;
    let told = site.get("/api/traces/1/views").await.expect(200).json();
    assert_eq!(told["schema"], "onca-views/1");
    let view = |name: &str| {
        let views = told["views"].as_array().unwrap();
        views.iter().find(|view| view["name"] == name).cloned().unwrap_or_default()
    };
    let option = |name: &str, option: &str| {
        let view = view(name);
        let options = view["options"].as_array().unwrap();
        options.iter().find(|own| own["name"] == option).cloned().unwrap_or_default()
    };
    let screens = ["timeline", "scene3d", "pie"].map(|name| view(name)["screen"].clone());
    assert_eq!(screens, ["rows", "space", "flat"]);
    let tabs = ["timeline", "scene3d", "pie"].map(|name| view(name)["tab"].clone());
    assert_eq!(tabs, ["timeline", "space", "charts"]);
    assert_eq!(view("pie")["misfit"], Value::Null);
    let missing = view("topology")["misfit"].clone();
    assert!(missing.as_str().unwrap().contains("no network"), "{missing}");
    let slices = option("efficiency", "slices");
    assert_eq!((&slices["default"], &slices["kind"]["is"]), (&json!(100), &json!("number")));
    assert_eq!(option("overview", "p")["kind"], json!({"is": "number"}));
    let events = option("timeline", "events");
    assert_eq!((&events["default"], &events["flag"]), (&json!(true), &json!("no-events")));
    let length = option("bars", "length");
    let names: Vec<&Value> =
        length["kind"]["choices"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["share", "time"]);
}

#[tokio::test]
async fn an_overview_tells_its_trade_offs() {
    let site = TestSite::new().await;
    let asked = json!({"slices": 6});
    let answer = site.post("overview", asked).await.expect(200).json();
    assert_eq!(answer["schema"], "onca-overview/1");
    assert_eq!(answer["slices"], 6);
    assert_eq!(answer["disruptions"], Value::Null);
    let segments = answer["curve"]["segments"].as_array().unwrap();
    assert_eq!(segments.first().unwrap()["from"], 0.0);
    assert_eq!(segments.last().unwrap()["to"], 1.0);
    assert!((answer["curve"]["default"].as_u64().unwrap() as usize) < segments.len());
    let asked = json!({"slices": 6, "disruptions": 3});
    let found = site.post("overview", asked).await.expect(200).json();
    assert_eq!(found["curve"], answer["curve"]);
    assert!(found["disruptions"]["disruptions"].as_array().unwrap().len() <= 3);
    site.post("overview", json!({"slices": 0})).await.expect(422);
    let in_time = json!({"slices": 6, "axis": "time"});
    let in_time = site.post("overview", in_time).await.expect(200).json();
    // Along time alone there are no more areas than slices.
    let n_areas = in_time["curve"]["segments"][0]["aggregates"].as_u64().unwrap();
    assert!(n_areas <= 6, "{in_time}");
    site.post("overview", json!({"slices": 6, "metric": "nonsense"})).await.expect(422);
}
