//! Questions that make no sense, to every request: each is answered in time, with a reason, and
//! never as a fault of the program.

use std::time::Duration;

use axum::body::Body;
use serde_json::{Value, json};

use crate::support::TestSite;

/// Every request that takes a body, with a body that it answers.
fn questions() -> Vec<(&'static str, Value)> {
    let view = json!({"width": 300, "height": 200});
    let mut all = vec![
        ("info", json!({})),
        ("timeline", json!({"width": 300, "rows": {"fit": 200}, "depth": 1, "theme": "light"})),
        ("timeline", json!({"width": 300, "rows": {"height": 18, "from": 0, "to": 100}})),
        ("minimap", json!({"width": 300, "height": 50})),
        ("inspect", json!({"pick": "1-0-0-0"})),
        ("step", json!({"pick": "1-0-0-0", "step": 1})),
        ("solid", json!({"base": "graph"})),
        ("overview", json!({"slices": 10, "disruptions": 3})),
        ("phases", json!({"phases": 2, "communities": 2, "width": 300})),
        ("flow", json!({"flow": {"phase": 0, "from": 0, "to": 0}, "limit": 10})),
        ("find", json!({"pattern": "run", "longer_than": 0, "shorter_than": 9, "limit": 5})),
        ("line", json!({"file": "a.c", "line": 1, "limit": 5})),
        ("statistics", json!({"nodes": [0]})),
        ("profile", json!({"nodes": [0], "min_share": 0.1})),
        ("lens", json!({"version": 1})),
        ("sql", json!({"sql": "SELECT 1", "format": "json"})),
        (
            "export",
            json!({"view": "timeline", "width": 300, "rows": {"fit": 200}, "scale": 1, "format": "png"}),
        ),
        ("command", json!({"view": "pie", "width": 300, "height": 200})),
    ];
    all.extend([
        ("scene/treemap", view.clone()),
        ("scene/overview", json!({"width": 300, "height": 200, "slices": 10, "p": 0.5})),
        ("scene/pie", json!({"width": 300, "height": 200, "depth": 1})),
        ("scene/bars", view.clone()),
        ("scene/matrix", view.clone()),
        ("scene/histogram", json!({"width": 300, "height": 200, "of": "states"})),
        ("scene/concurrency", json!({"width": 300, "height": 200, "slices": 10})),
        ("scene/efficiency", json!({"width": 300, "height": 200, "slices": 10})),
        ("scene/flame", json!({"width": 300, "height": 200, "path": ["run"]})),
        ("scene/commgram", json!({"width": 300, "height": 200, "wave": 0.5, "bands": 1.0})),
        ("scene/graph", json!({"width": 300, "height": 200, "seed": 1})),
        ("scene/nothing", view),
    ]);
    all
}

/// Values for any field.
fn absurd() -> Vec<&'static str> {
    vec![
        "null",
        "true",
        "0",
        "-1",
        "1e9",
        "1000000000",
        "4294967296",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "1e308",
        "1e999",
        "-1e-308",
        "NaN",
        "Infinity",
        "0.5",
        "\"\"",
        "\"NaN\"",
        "\"no such thing\"",
        "\"\\u0000\"",
        "[]",
        "[-1]",
        "[18446744073709551615]",
        "{}",
        "{\"fit\":0}",
        "{\"fit\":1e9}",
        "{\"fit\":-1}",
        "{\"height\":0,\"from\":0,\"to\":0}",
        "{\"height\":1e-9,\"from\":0,\"to\":1e9}",
        "{\"height\":18,\"from\":900,\"to\":-900}",
    ]
}

/// Windows that no trace has.
const WINDOWS: [&str; 9] = [
    r#"{"from":0,"to":0}"#,
    r#"{"from":5,"to":1}"#,
    r#"{"from":-9223372036854775808,"to":9223372036854775807}"#,
    r#"{"from":9223372036854775806,"to":9223372036854775807}"#,
    r#"{"from":-1000000000000,"to":-1}"#,
    r#"{"from":1e300,"to":1e301}"#,
    r#"{"from":0}"#,
    r#"{"from":"0","to":"1"}"#,
    "[]",
];

/// All bodies that differ from one that is answered in one field.
fn bodies(question: &Value) -> Vec<String> {
    let fields = question.as_object().expect("an object");
    let with = |name: &str, value: &str| {
        let kept = fields.iter().filter(|(other, _)| *other != name);
        let kept = kept.map(|(other, value)| format!("{other:?}:{value},")).collect::<String>();
        format!("{{{kept}{name:?}:{value}}}")
    };
    let mut bodies: Vec<String> = fields
        .keys()
        .flat_map(|name| absurd().into_iter().map(move |value| (name, value)))
        .map(|(name, value)| with(name, value))
        .collect();
    bodies.extend(WINDOWS.map(|window| with("window", window)));
    bodies.extend(["null", "7", "{}", r#"{"version":99}"#].map(|lens| with("lens", lens)));
    bodies.push(with("no_such_field", "1"));
    bodies.extend(["", "{", "null", "[]", "7", "\u{0}"].map(str::to_owned));
    bodies.push("[".repeat(100_000));
    bodies
}

#[tokio::test]
async fn absurd_parameters_have_a_reason_and_never_a_fault() {
    let site = TestSite::new().await;
    let mut asked = 0;
    for (path, question) in questions() {
        for body in bodies(&question) {
            let answering = site.with_body("POST", path, body.clone());
            let answer = tokio::time::timeout(Duration::from_secs(600), answering).await;
            let answer = answer.unwrap_or_else(|_| panic!("{path} {body:.200} hangs"));
            asked += 1;
            let status = answer.status.as_u16();
            // No program answers SQL here.
            let is_missing = path == "sql" && status == 501;
            assert!(
                matches!(status, 200 | 400 | 404 | 413 | 422) || is_missing,
                "{path} {body:.200}: {status} {:.300}",
                answer.text()
            );
            if status != 200 {
                answer.code();
            }
        }
    }
    assert!(asked > 2_000, "{asked} questions");
    site.get("/api/session").await.expect(200);
}

#[tokio::test]
async fn absurd_addresses_have_a_reason_and_never_a_fault() {
    let site = TestSite::new().await;
    for path in ["/first.png", "/api/start"] {
        for width in ["0", "-1", "1e9", "1000000000", "4294967296", "NaN", "", "x", "100000"] {
            for rest in
                ["height=300&theme=light", "height=0", "height=1000000000", "theme=none", ""]
            {
                let address = format!("{path}?width={width}&{rest}");
                let answer = site.get(&address).await;
                let status = answer.status.as_u16();
                assert!(
                    matches!(status, 200 | 400 | 422),
                    "{address}: {status} {:.300}",
                    answer.text()
                );
            }
        }
    }
    for id in ["0", "-1", "2", "18446744073709551616", "1e0", "%31%00", "%2e%2e", "x", "%ff"] {
        for what in ["info", "problems", "marks", "sql"] {
            let answer = site.get(&format!("/api/traces/{id}/{what}")).await;
            assert!(matches!(answer.status.as_u16(), 400 | 404), "{id}: {}", answer.text());
            answer.code();
        }
    }
}

#[tokio::test]
async fn no_path_leads_out() {
    let site = TestSite::with_sources(vec![tempfile::tempdir().expect("a folder").keep()]).await;
    let ups = [
        "..",
        "%2e%2e",
        "%2E%2E",
        ".%2e",
        "%2e.",
        "..%00",
        "..;",
        "....",
        "%252e%252e",
        "%c0%ae%c0%ae",
        "%u002e%u002e",
        "..%5c",
        "..%255c",
        "\u{2e}\u{2e}",
    ];
    let between = ["/", "%2f", "%2F", "%5c", "//", "%252f", "/./"];
    let targets = ["etc/passwd", "small.paje", "Cargo.toml", "proc/self/environ"];
    let mut asked = 0;
    for up in ups {
        for slash in between {
            for target in targets {
                let climb = format!("{up}{slash}").repeat(6);
                for address in [
                    format!("/{climb}{target}"),
                    format!("/assets/{climb}{target}"),
                    format!("/font/{climb}{target}"),
                    format!("/api/traces/1/source?file={climb}{target}"),
                    format!("/api/traces/1/lens/{climb}{target}"),
                ] {
                    let answer = site.get(&address).await;
                    let status = answer.status.as_u16();
                    assert!(
                        matches!(status, 400 | 404 | 405 | 422),
                        "{address}: {status} {}",
                        answer.text()
                    );
                    let told = answer.text();
                    assert!(!told.contains("root:") && !told.contains("[package]"), "{address}");
                    asked += 1;
                }
            }
        }
    }
    assert!(asked >= 1_000, "{asked}");
    for file in [
        "/etc/passwd",
        "file:///etc/passwd",
        "~/x",
        "%5c%5chost%5cshare",
        "%00",
        "/proc/self/environ",
    ] {
        let request = site.request("GET", &format!("/api/traces/1/source?file={file}"));
        let answer = site.send(request.body(Body::empty()).expect("a request")).await;
        assert!(matches!(answer.status.as_u16(), 400 | 404 | 422), "{file}: {}", answer.text());
    }
}
