//! Every request, on a small trace whose answers are known.

mod support;

use onca_testkit::fixtures::{block, common_body, header as paje_header};
use serde_json::{Value, json};
use support::{TestSite, small_trace, source};

const SECOND: i64 = 1_000_000_000;

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

/// How many marks a scene has in the layers of a kind.
fn marks(scene: &Value, kind: &str) -> u64 {
    let layers = scene["layers"].as_array().unwrap().iter().filter(|layer| layer["kind"] == kind);
    layers.map(|layer| layer["n"].as_u64().unwrap()).sum()
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
    let views = ["treemap", "overview", "flame", "graph"].into_iter().chain(charts);
    for view in views {
        let asked = json!({"width": 500, "height": 300});
        let scene = site.post(&format!("scene/{view}"), asked).await.expect(200).scene();
        assert!(!scene["layers"].as_array().unwrap().is_empty(), "{view}");
        let over_time = matches!(view, "overview" | "concurrency" | "efficiency");
        assert_eq!(scene.get("window").is_some(), over_time, "{view}");
    }
    for metric in ["time", "count"] {
        let asked = json!({"width": 500, "height": 300, "metric": metric});
        site.post("scene/treemap", asked).await.expect(200);
    }
    for (more, status) in [
        (json!({"agg": "mean"}), 200),
        (json!({"agg": "max", "ratio": "time:run / count"}), 200),
        (json!({"agg": "middle"}), 400),
        (json!({"ratio": "time:run"}), 400),
        (json!({"ratio": "time / count", "metric": "bytes"}), 400),
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
    let answer = site.with_body("PUT", "marks", r#"{"marks": [{}]}"#.to_owned()).await;
    answer.expect(400);
}

#[tokio::test]
async fn sql_answers_in_all_forms() {
    let site = TestSite::new().await;
    let tables = site.get("/api/traces/1/sql").await.expect(200).json();
    assert_eq!(tables["schema"], "onca-sql-tables/1");
    for example in tables["examples"].as_array().unwrap() {
        site.post("sql", json!({"sql": example["sql"]})).await.expect(200);
    }
    let sql = "SELECT value, count(*) AS n FROM states GROUP BY value ORDER BY value";
    let answer = site.post("sql", json!({"sql": sql})).await.expect(200).json();
    assert_eq!((&answer["schema"], &answer["truncated"]), (&json!("onca-query/1"), &json!(false)));
    let csv = site.post("sql", json!({"sql": sql, "format": "csv"})).await.expect(200);
    assert_eq!(csv.text().replace('\r', ""), "value,n\nidle,1\nrun,2\nwait,1\n");
    let parquet = site.post("sql", json!({"sql": sql, "format": "parquet"})).await.expect(200);
    assert!(parquet.bytes.starts_with(b"PAR1") && parquet.bytes.ends_with(b"PAR1"));
    for hostile in ["DROP TABLE states", "COPY states TO '/tmp/x'", "SELECT * FROM '/etc/passwd'"] {
        let answer = site.post("sql", json!({"sql": hostile})).await.expect(400);
        assert_eq!(answer.code(), "question", "{hostile}");
    }
    let many = "SELECT * FROM generate_series(1, 200000)";
    let answer = site.post("sql", json!({"sql": many})).await;
    if answer.status == 200 {
        assert_eq!(answer.json()["truncated"], true);
    }
}

#[tokio::test]
async fn exports_are_files_with_their_command() {
    let site = TestSite::new().await;
    let asked = json!({"width": 600, "rows": {"fit": 200}, "theme": "dark", "links": "none",
                       "window": {"from": SECOND, "to": 3 * SECOND}});
    let with = |extra: Value| {
        let mut asked = asked.clone();
        asked.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        asked
    };
    let svg = site.post("export", with(json!({"format": "svg"}))).await.expect(200);
    assert!(svg.text().contains("<svg"), "{}", svg.text());
    let command = svg.header("x-onca-command");
    assert!(command.starts_with("onca%20render%20timeline%20"), "{command}");
    let png = site.post("export", with(json!({"format": "png", "scale": 1}))).await.expect(200);
    assert!(png.bytes.starts_with(b"\x89PNG"));
    let pdf = site.post("export", with(json!({"format": "pdf"}))).await.expect(200);
    assert!(pdf.bytes.starts_with(b"%PDF"));
    let lens = json!({"version": 1, "select": {"values": {"hide": ["wait"]}}});
    let told = site.post("command", with(json!({"lens": lens}))).await.expect(200).json();
    let command = told["command"].as_str().unwrap();
    for part in ["--from=1", "--to=3", "--lens=lens.json", "--no-links", "--theme=dark"] {
        assert!(command.contains(part), "{command}");
    }
    assert!(told["lens_file"].as_str().unwrap().contains("wait"));
    let pie = json!({"view": "pie", "width": 300, "height": 300, "format": "svg"});
    assert!(site.post("export", pie).await.expect(200).text().contains("<svg"));
    let page = site.post("export", json!({"view": "page"})).await.expect(200);
    assert!(page.text().contains("<h2>Timeline</h2>"));
    let told = site.post("command", json!({"view": "page"})).await.expect(200).json();
    assert!(told["command"].as_str().unwrap().starts_with("onca render page "));
    for odd in [json!({"view": "page", "format": "svg"}), with(json!({"format": "html"}))] {
        site.post("export", odd).await.expect(400);
    }
    let flame = json!({"view": "flame", "width": 300, "height": 300, "path": ["run"]});
    let told = site.post("command", flame).await.expect(200).json();
    assert!(told["command"].as_str().unwrap().contains("--inside=run"), "{told}");
    let change = json!({"view": "treemap", "width": 300, "height": 300,
                        "against": {"from": 0, "to": SECOND}});
    let told = site.post("command", change.clone()).await.expect(200).json();
    assert!(told["command"].as_str().unwrap().contains("--against-to=1"), "{told}");
    assert!(site.post("export", change).await.expect(200).text().contains("twice as much"));
    let ratio = json!({"view": "treemap", "width": 300, "height": 300,
                       "agg": "max", "ratio": "time:run / count"});
    let told = site.post("command", ratio.clone()).await.expect(200).json();
    let command = told["command"].as_str().unwrap();
    assert!(command.contains("--agg=max '--ratio=time:run / count'"), "{command}");
    assert!(site.post("export", ratio).await.expect(200).text().contains("Ratio time:state:run"));
    let scene = json!({"view": "scene3d", "width": 500, "height": 400, "base": "treemap", "arrows": 0,
                       "camera": {"azimuth": 12.5, "elevation": 60}, "edges": false, "events": true});
    assert!(
        site.post("export", scene.clone()).await.expect(200).text().contains("Hierarchy and time")
    );
    let told = site.post("command", scene).await.expect(200).json();
    let flags = "--base=treemap --camera=12.5,60 --arrows=0 --edges=false --events --width=500";
    assert!(told["command"].as_str().unwrap().contains(flags), "{told}");
    for odd in [
        json!({"view": "scene3d", "height": 400, "camera": {"azimuth": 0, "elevation": 91}}),
        json!({"view": "scene3d"}),
        json!({"view": "topology", "height": 400, "topology": "nowhere"}),
    ] {
        site.post("export", odd).await.expect(400);
    }
    site.post("export", with(json!({"format": "gif"}))).await.expect(400);
    site.post("export", with(json!({"scale": 1000}))).await.expect(400);
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
