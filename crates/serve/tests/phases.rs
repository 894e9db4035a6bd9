//! Phases of communication over HTTP: the answers are those of the analysis, and what is kept changes none.

use crate::support;

use onca_testkit::fixtures::header_with_sizes;
use serde_json::{Value, json};
use support::{TestSite, source};

const SECOND: i64 = 1_000_000_000;

/// Four ranks exchange in three rounds: neighbours, those two apart, neighbours. Each round is two bursts.
fn rounds() -> String {
    let mut text = header_with_sizes() + "1 P 0 Process\n5 L 0 P P Message\n";
    (0..4).for_each(|rank| text += &format!("7 0 r{rank} P 0 rank{rank}\n"));
    for (round, apart) in [1, 2, 1].into_iter().enumerate() {
        for burst in 0..2 {
            let start = 100 + 100 * round + 10 * burst;
            for (event, time) in [(16, start), (17, start + 1)] {
                for rank in 0..4 {
                    let end = if event == 16 { rank } else { rank ^ apart };
                    let key = format!("k{round}_{burst}_{rank}");
                    text += &format!("{event} {time} L 0 r{end} put {key} {}\n", 100 * (rank + 1));
                }
            }
        }
    }
    text + "8 400 P r0\n8 400 P r1\n8 400 P r2\n8 400 P r3\n"
}

async fn site() -> TestSite {
    let folder = tempfile::tempdir().unwrap();
    let trace = source(folder.path(), "rounds.paje", &rounds());
    TestSite::with_traces(folder, vec![trace], Vec::new()).await
}

#[tokio::test]
async fn phases_have_times_nodes_and_parts() {
    let site = site().await;
    let told = site.post("phases", json!({})).await.expect(200).json();
    assert_eq!(told["schema"], "onca-phases/1");
    assert_eq!(told["processors"], json!(["/rank0", "/rank1", "/rank2", "/rank3"]));
    assert_eq!(told["nodes"].as_array().unwrap().len(), 4);
    assert_eq!(told["most_phases"], 6);
    let phases = told["phases"].as_array().unwrap();
    let patterns: Vec<&Value> = phases.iter().map(|phase| &phase["pattern"]).collect();
    assert_eq!(patterns, ["A", "B", "A"]);
    assert_eq!(phases[1]["communities"], json!([[0, 2], [1, 3]]));
    // Halfway between the last message of a round and the first of the next.
    assert_eq!(phases[1]["start"], 155_500 * SECOND / 1000);
    // A message from 200 s to 201 s, and one from 210 s to 211 s.
    assert_eq!(phases[1]["within"], json!({"first": 401 * SECOND, "last": 421 * SECOND}));
}

#[tokio::test]
async fn phases_and_communities_unfold() {
    let site = site().await;
    let whole = site.post("phases", json!({})).await.expect(200).json();
    let within = &whole["phases"][1]["within"];
    let asked = json!({"messages": {"within": within}, "phases": 2});
    let told = site.post("phases", asked).await.expect(200).json();
    assert_eq!(told["messages"]["count"], 8);
    assert_eq!(told["phases"].as_array().unwrap().len(), 2);
    let nodes = whole["nodes"].as_array().unwrap();
    let among = json!([nodes[0], nodes[2]]);
    let asked = json!({"messages": {"within": within, "among": among}});
    let told = site.post("phases", asked).await.expect(200).json();
    assert_eq!(told["processors"], json!(["/rank0", "/rank2"]));
    assert_eq!(told["messages"]["count"], 4);
    // What was asked before is not mixed up with what was asked since.
    assert_eq!(site.post("phases", json!({})).await.expect(200).json(), whole);
}

#[tokio::test]
async fn answers_from_memory_are_those_of_another_server() {
    let (one, other) = (site().await, site().await);
    for n in [3, 6, 1, 3, 2, 6] {
        for communities in [json!(null), json!(1), json!(2)] {
            let asked = json!({"phases": n, "communities": communities});
            let told = one.post("phases", asked.clone()).await.expect(200).json();
            let fresh = other.post("phases", asked).await.expect(200).json();
            assert_eq!(told, fresh);
            assert_eq!(told["phases"].as_array().unwrap().len(), n);
        }
    }
}

#[tokio::test]
async fn a_flow_tells_its_messages() {
    let site = site().await;
    let flow = json!({"phase": 1, "from": 0, "to": 0, "limit": 3});
    let told = site.post("flow", json!({"flow": flow})).await.expect(200).json();
    assert_eq!((&told["schema"], &told["count"]), (&json!("onca-flow/1"), &json!(4)));
    assert_eq!((&told["size"], &told["sizes"]), (&json!(800), &json!([100, 300])));
    assert_eq!((&told["start"], &told["end"]), (&json!(200 * SECOND), &json!(211 * SECOND)));
    assert_eq!(told["operations"][0]["name"], "put");
    let messages = told["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3);
    assert_eq!((&messages[0]["from"], &messages[0]["to"]), (&json!("/rank0"), &json!("/rank2")));
    let inspected = site.post("inspect", json!({"pick": messages[0]["pick"]})).await;
    let inspected = inspected.expect(200).json();
    assert_eq!((&inspected["kind"], &inspected["title"]), (&json!("link"), &json!("put")));
    assert_eq!(inspected["start"], messages[0]["start"]);
}

#[tokio::test]
async fn the_picture_follows_its_numbers() {
    let site = site().await;
    let marks = |scene: &Value, kind: &str| -> Vec<u64> {
        let layers = scene["layers"].as_array().unwrap().iter();
        let of_kind = layers.filter(|layer| layer["kind"] == kind);
        of_kind.map(|layer| layer["n"].as_u64().unwrap()).collect()
    };
    let asked = |more: Value| {
        let mut asked = json!({"width": 600, "height": 400});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asked
    };
    let scene = site.post("scene/commgram", asked(json!({}))).await.expect(200).scene();
    // The ground of each phase; two communities in each, at two sides.
    assert_eq!(marks(&scene, "rects"), [3, 12]);
    assert!(scene.get("window").is_none());
    let more = json!({"phases": 2, "communities": 1, "wave": 0.5, "bands": 2});
    let scene = site.post("scene/commgram", asked(more)).await.expect(200).scene();
    assert_eq!(marks(&scene, "rects"), [2, 4]);
    // A narrow picture has as many phases as a wide one.
    for width in [50, 600] {
        let six = json!({"width": width, "height": 400, "phases": 6});
        let scene = site.post("scene/commgram", six).await.expect(200).scene();
        assert_eq!(marks(&scene, "rects")[0], 6);
    }
    let told =
        site.post("phases", json!({"on_screen": true, "phases": 6})).await.expect(200).json();
    assert_eq!(told["phases"].as_array().unwrap().len(), 6);
    let file = json!({"view": "commgram", "width": 700, "height": 500, "phases": 3, "wave": 0.3,
                      "messages": {"size": "none"}});
    let exported = site.post("export", file).await.expect(200);
    assert!(exported.text().contains("3 phases"));
    let command = exported.header("x-onca-command");
    assert!(command.contains("--phases%3D3%20--size%3Dnone%20--wave%3D0.3"), "{command}");
}

#[tokio::test]
async fn the_minimap_has_the_communication_curve_when_asked() {
    let site = site().await;
    let asked =
        |communication: bool| json!({"width": 300, "height": 40, "communication": communication});
    let plain = site.post("minimap", asked(false)).await.expect(200).scene();
    assert_eq!(plain["peaks"], json!([]));
    let both = site.post("minimap", asked(true)).await.expect(200).scene();
    let peaks = both["peaks"].as_array().unwrap();
    let told: Vec<_> = peaks.iter().map(|peak| (&peak["of"], &peak["time"])).collect();
    let change = json!("communication");
    let times = [155_500, 255_500].map(|time: i64| json!(time * SECOND / 1000));
    assert_eq!(told, [(&change, &times[0]), (&change, &times[1])]);
}

#[tokio::test]
async fn questions_that_make_no_sense_are_refused() {
    let site = site().await;
    for (what, asked, status) in [
        ("phases", json!({"messages": {"among": [99]}}), 422),
        ("phases", json!({"messages": {"sizes": "given"}}), 400),
        ("phases", json!({"messages": {"size": "weight"}}), 422),
        ("phases", json!({"depth": 99}), 422),
        ("flow", json!({}), 400),
        ("flow", json!({"flow": {"phase": 9, "from": 0, "to": 0}}), 422),
        ("flow", json!({"flow": {"phase": 0, "from": 0, "to": 1}}), 422),
        ("scene/commgram", json!({"width": 300, "height": 200, "wave": 2}), 400),
        ("scene/commgram", json!({"width": 300, "height": 200, "bands": 0}), 400),
        (
            "export",
            json!({"view": "commgram", "width": 300, "height": 200, "messages": {"among": [1]}}),
            422,
        ),
    ] {
        let answer = site.post(what, asked.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{what} {asked}: {}", answer.text());
    }
    let window = json!({"from": 0, "to": 50 * SECOND});
    let told = site.post("phases", json!({"window": window})).await.expect(200).json();
    assert_eq!(told["phases"], json!([]));
    let asked = json!({"window": window, "width": 300, "height": 200});
    let scene = site.post("scene/commgram", asked).await.expect(200).scene();
    assert_eq!(scene["layers"][0]["n"], 0);
    let why = "there are no messages between containers in what is seen";
    assert_eq!(scene["texts"], json!([why]));
    let asked = json!({"window": window, "on_screen": true});
    assert_eq!(site.post("phases", asked).await.expect(200).json()["phases"], json!([]));
}
