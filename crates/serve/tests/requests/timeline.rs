//! The timeline and the minimap.

use axum::body::Body;
use serde_json::{Value, json};

use super::SECOND;
use crate::support::{Answer, TestSite};

/// How many marks a scene has in the layers of a kind.
fn marks(scene: &Value, kind: &str) -> u64 {
    let layers = scene["layers"].as_array().unwrap().iter().filter(|layer| layer["kind"] == kind);
    layers.map(|layer| layer["n"].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn a_timeline_is_a_scene_with_rows() {
    let site = TestSite::new().await;
    let asked = json!({"width": 600, "rows": {"fit": 200}});
    let scene = site.post("timeline", asked).await.expect(200).scene();
    assert_eq!(scene["schema"], "onca-scene/1");
    assert_eq!(scene["window"], json!({"from": 0, "to": 6 * SECOND}));
    assert_eq!(scene["view"]["x1"], 6e9);
    let rows = scene["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(rows[0]["state"], "leaf");
    assert_eq!(rows[0]["path"], "/A");
    let [scale] = scene["scales"].as_array().unwrap().as_slice() else { panic!("one variable") };
    assert!(scale["y0"].as_f64() > rows[0]["y0"].as_f64(), "{scale}");
    assert!(scale["y1"].as_f64() < rows[0]["y1"].as_f64(), "{scale}");
    let marks: Vec<&Value> = scale["marks"].as_array().unwrap().iter().collect();
    assert_eq!(marks[0]["text"], "3");
    assert_eq!(marks[marks.len() - 1]["text"], "0");
    let legend = scene["legend"].as_array().unwrap();
    let names: Vec<&str> = legend.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["run", "wait", "idle", "m", "beep"]);
    assert_eq!(legend[0]["share"], 9.0 / 12.0);
    let window = json!({"from": SECOND, "to": 2 * SECOND});
    let asked = json!({"width": 600, "rows": {"fit": 200}, "window": window, "links": "none"});
    let scene = site.post("timeline", asked).await.expect(200).scene();
    assert_eq!(scene["window"], window);
    let kinds = scene["layers"].as_array().unwrap().iter().map(|layer| layer["kind"].clone());
    assert!(!kinds.collect::<Vec<_>>().contains(&json!("arrows")));
}

#[tokio::test]
async fn rows_of_natural_height_are_drawn_where_they_are_seen() {
    let site = TestSite::new().await;
    let asked = |from: f64, to: f64| {
        json!({"width": 600, "groups": true, "closed": [0],
                                           "rows": {"height": 20, "from": from, "to": to}})
    };
    let scene = site.post("timeline", asked(0.0, 10.0)).await.expect(200).scene();
    let (rows, n_rows) = (scene["rows"].as_array().unwrap(), scene["n_rows"].as_u64().unwrap());
    assert_eq!((rows.len(), n_rows), (1, 1), "the root is closed: {rows:?}");
    assert_eq!((&rows[0]["state"], &rows[0]["below"]), (&json!("closed"), &json!(2)));
    let mut open = asked(0.0, 10.0);
    open["closed"] = json!([]);
    let scene = site.post("timeline", open).await.expect(200).scene();
    assert!(scene["n_rows"].as_u64().unwrap() >= 2);
    assert!((scene["rows"].as_array().unwrap().len() as u64) < scene["n_rows"].as_u64().unwrap());
    assert!(scene["height"].as_f64().unwrap() >= 40.0);
    for (from, to) in [(10.0, 10.0), (-1.0, 5.0), (0.0, 1e12), (0.0, 30_000.0)] {
        assert_eq!(site.post("timeline", asked(from, to)).await.expect(400).code(), "question");
    }
}

#[tokio::test]
async fn links_are_drawn_as_asked() {
    let site = TestSite::new().await;
    let found = site.post("find", json!({"pattern": "idle"})).await.expect(200).json();
    let (idle, a) = (&found["found"][0]["pick"], &found["found"][0]["node"]);
    let found = site.post("find", json!({"pattern": "B", "kinds": ["container"]})).await;
    let b = found.expect(200).json()["found"][0]["node"].as_u64().unwrap();
    let pair = |from: u64, to: u64| (5 << 60 | from << 32 | to).to_string();
    let n = a.as_u64().unwrap();
    for (links, arrows) in [
        (json!({"of": [pair(n, b)]}), 1),
        (json!({"of": [pair(b, n)]}), 0),
        (json!("all"), 1),
        (json!("none"), 0),
        (json!({"of": [idle]}), 0),
        (json!({"nodes": [a]}), 1),
        (json!({"of": [], "nodes": []}), 0),
    ] {
        let asked = json!({"width": 600, "rows": {"fit": 200}, "links": links});
        let scene = site.post("timeline", asked).await.expect(200).scene();
        assert_eq!(marks(&scene, "arrows"), arrows, "{links}");
    }
}

#[tokio::test]
async fn the_minimap_is_a_scene_of_the_whole() {
    let site = TestSite::new().await;
    let asked = json!({"width": 300, "height": 40, "theme": "dark"});
    let scene = site.post("minimap", asked).await.expect(200).scene();
    assert_eq!(scene["window"], json!({"from": 0, "to": 6 * SECOND}));
    assert!(marks(&scene, "strips") + marks(&scene, "rects") > 0);
}

#[tokio::test]
async fn questions_that_make_no_sense_are_refused() {
    let site = TestSite::new().await;
    let rows = json!({"fit": 200});
    let cases = [
        (json!({"width": 600}), 400, "question"),
        (json!({"width": 600, "rows": rows, "with": 1}), 400, "question"),
        (json!({"width": -1, "rows": rows}), 400, "question"),
        (json!({"width": 1e9, "rows": rows}), 400, "question"),
        (json!({"width": 600, "rows": rows, "window": {"from": 5, "to": 5}}), 400, "question"),
        (json!({"width": 600, "rows": rows, "window": {"from": 0.5, "to": 5}}), 400, "question"),
        (json!({"width": 600, "rows": rows, "lens": {"version": 99}}), 400, "lens"),
        (json!({"width": 600, "rows": rows, "lens": {"no": 1}}), 400, "lens"),
        (
            json!({"width": 600, "rows": rows,
                   "lens": {"version": 1, "select": {"values": {"hide": ["Wiat"]}}}}),
            422,
            "lens",
        ),
    ];
    for (asked, status, code) in cases {
        let answer = site.post("timeline", asked.clone()).await.expect(status);
        assert_eq!(answer.code(), code, "{asked}");
    }
    let answer = site.with_body("POST", "timeline", "[]".to_owned()).await.expect(400);
    assert_eq!(answer.code(), "question");
}

#[tokio::test]
async fn a_scene_that_is_known_is_sent_again_unless_it_looks_different() {
    let site = TestSite::new().await;
    let asked = json!({"width": 600, "rows": {"fit": 200}, "theme": "dark"});
    let plain = site.post("timeline", asked.clone()).await.expect(200);
    let again = site.post("timeline", asked.clone()).await.expect(200);
    assert_eq!(again.bytes, plain.bytes, "to the milliseconds that it took");
    let request = site.request("POST", "/api/traces/1/timeline");
    let request = request.header("accept-encoding", "gzip, zstd");
    let request = request.body(Body::from(asked.to_string())).expect("a request");
    let packed = site.send(request).await.expect(200);
    assert_eq!(
        (packed.header("content-encoding"), packed.header("vary")),
        ("zstd", "accept-encoding")
    );
    let unpacked = zstd::decode_all(packed.bytes.as_slice()).expect("zstd");
    let packed = Answer { bytes: unpacked, ..packed };
    assert_eq!(packed.scene()["layers"], plain.scene()["layers"]);
    let red = json!({"values": {"run": {"color": "#ff0000"}}});
    site.with_body("PUT", "appearance", red.to_string()).await.expect(200);
    let changed = site.post("timeline", asked).await.expect(200).scene();
    assert_eq!(changed["legend"][0]["color"], "#ff0000");
    assert_ne!(plain.scene()["legend"][0]["color"], "#ff0000");
}
