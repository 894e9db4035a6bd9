//! What the page begins with: the picture in it, and the first answer.

use std::sync::mpsc;

use axum::body::Body;
use axum::http::header;
use onca_answer::columns::ColumnCache;
use onca_model::Window;
use onca_query::{Appearance, Lens, Scope};
use onca_store::Store;
use onca_testkit::fixtures::{common_body, header as paje_header};
use onca_views::Theme;
use onca_views::timeline::{Links, Room, Surface, TimelineOptions, bare_figure, scene};
use serde_json::{Value, json};

use super::SECOND;
use crate::support::{Answer, TestSite, small_trace, source};

/// The page for a browser that has some cookies.
async fn page_with(site: &TestSite, cookies: &str) -> String {
    let request = site.request("GET", "/").header(header::COOKIE, cookies);
    site.send(request.body(Body::empty()).unwrap()).await.expect(200).text()
}

/// A scene without the time that it took.
fn without_time(answer: &Answer) -> (Value, Vec<u8>) {
    let mut header = answer.scene();
    for name in ["ms", "start", "question"] {
        header.as_object_mut().unwrap().remove(name);
    }
    let length = u32::from_le_bytes(answer.bytes[8..12].try_into().unwrap());
    (header, answer.bytes[12 + length as usize..].to_vec())
}

#[tokio::test]
async fn the_page_has_the_first_picture_in_it() {
    let site = TestSite::new().await;
    let page = site.get("/").await.expect(200).text();
    assert!(page.contains("<html lang=\"en\" data-first=\"1\" data-rows=\"18\""), "{page}");
    assert!(page.contains("<source media=\"(prefers-color-scheme: dark)\""), "{page}");
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(at("<div id=\"first\">") < at("<div id=\"app\">"));
    assert!(at("src=\"/first.png?width=789&amp;height=394&amp;theme=light\"") > 0);
    // In the size and the theme that the browser had last; nobody else writes into the page.
    let page = page_with(&site, "a=b; onca-plot=640x300.dark").await;
    assert!(page.contains("src=\"/first.png?width=640&amp;height=300&amp;theme=dark\""), "{page}");
    assert!(!page.contains("<source"), "{page}");
    let page = page_with(&site, "onca-plot=\"><script>").await;
    assert!(page.contains("width=789&amp;"), "{page}");
    // Marks take some room above the picture.
    assert!(!page.contains("data-marked"));
    let marks = json!({"marks": [{"time": 3}]});
    site.with_body("PUT", "marks", marks.to_string()).await.expect(200);
    assert!(page_with(&site, "").await.contains(" data-marked"));
}

#[tokio::test]
async fn the_picture_is_what_the_renderer_draws() {
    let site = TestSite::new().await;
    for (name, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
        let address = format!("/first.png?width=600&height=200&theme={name}");
        let picture = site.get(&address).await.expect(200);
        assert_eq!(picture.header("content-type"), "image/png");
        let store = Store::open(&site.folder.path().join("small.paje.onca")).unwrap();
        let facts = &store.catalog().facts;
        let window = Window { from: facts.start, to: facts.end };
        let lens = Lens::clear();
        let scope = Scope::new(&store, &lens, window).unwrap();
        let looks = Appearance::new(scope.catalog(), &lens, None).unwrap();
        let room = Room::Natural { from: 0.0, to: 400.0 };
        let surface = Surface { width: 600.0, room, theme, titles: true };
        let options = TimelineOptions {
            groups: true,
            // Few links are all shown.
            links: Links::All,
            row_height: 18.0,
            ..TimelineOptions::default()
        };
        let drawn = scene(&scope, &looks, &surface, &options, &ColumnCache::default()).unwrap();
        let figure = bare_figure(&scope, &drawn, (600.0, 200.0), theme);
        assert!(picture.bytes == onca_draw::png(&figure, 1.0).unwrap(), "{name}");
    }
    for wrong in ["", "?width=600", "?width=0&height=200", "?width=600&height=200&theme=blue"] {
        site.get(&format!("/first.png{wrong}")).await.expect(400);
    }
}

#[tokio::test]
async fn one_answer_has_the_session_the_trace_and_the_first_scene() {
    let site = TestSite::new().await;
    let answer = site.get("/api/start?width=600&height=200").await.expect(200);
    let header = answer.scene();
    let start = &header["start"];
    assert_eq!((&start["schema"], &start["id"]), (&json!("onca-start/1"), &json!("1")));
    assert_eq!(start["session"], site.get("/api/session").await.expect(200).json());
    let info = site.get("/api/traces/1/info").await.expect(200).json();
    assert_eq!(start["trace"]["info"], info);
    assert_eq!(info["row_height"], 18);
    let marks = site.get("/api/traces/1/marks").await.expect(200).json();
    assert_eq!(start["trace"]["marks"], marks);
    // It is the scene that its question asks for.
    let question = header["question"].clone();
    assert_eq!(question["window"], json!({"from": 0, "to": 6 * SECOND}));
    assert_eq!(question["theme"], "light");
    let asked = site.post("timeline", question).await.expect(200);
    assert!(without_time(&answer) == without_time(&asked));
    // Without a plot there is no scene.
    let bare = site.get("/api/start").await.expect(200).json();
    assert_eq!(&bare, start);
}

#[tokio::test]
async fn many_rows_are_seen_at_once() {
    let names = (0..60).map(|n| format!("7 0 p{n} P 0 \"rank {n}\"\n"));
    let states = (0..60).map(|n| format!("12 {n} S p{n} run\n"));
    let text = paje_header() + &common_body() + &names.chain(states).collect::<String>();
    let folder = tempfile::tempdir().unwrap();
    let traces = vec![source(folder.path(), "wide.paje", &text)];
    let site = TestSite::with_traces(folder, traces, Vec::new()).await;
    assert!(site.get("/").await.text().contains("data-rows=\"fit\""));
    let header = site.get("/api/start?width=600&height=200.7").await.expect(200).scene();
    assert_eq!(header["question"]["rows"], json!({"fit": 200.0}));
    assert_eq!(header["start"]["trace"]["info"]["row_height"], "fit");
}

#[tokio::test]
async fn a_trace_that_is_not_ready_has_no_picture() {
    let folder = tempfile::tempdir().unwrap();
    let mut slow = source(folder.path(), "slow.paje", &small_trace());
    let (release, held) = mpsc::channel::<()>();
    let open = slow.open;
    slow.open = Box::new(move |progress| {
        held.recv().map_err(|error| error.to_string())?;
        open(progress)
    });
    let site = TestSite::begin(folder, vec![slow], Vec::new());
    let page = site.get("/").await.expect(200).text();
    assert!(!page.contains("first.png") && !page.contains("data-first="), "{page}");
    let start = site.get("/api/start?width=600&height=200").await.expect(200).json();
    assert_eq!((&start["trace"], &start["id"]), (&Value::Null, &json!("1")));
    assert_eq!(start["session"]["traces"][0]["status"], "indexing");
    assert_eq!(site.get("/first.png?width=600&height=200").await.expect(409).code(), "not-ready");
    release.send(()).expect("it waits for this");
    site.ready().await;
    assert!(site.get("/").await.text().contains("first.png"));
    site.get("/api/start?width=600&height=200").await.expect(200).scene();
}

#[tokio::test]
async fn names_of_a_trace_stay_outside_of_the_page() {
    let hostile = "</script><img src=x onerror=alert(1)>\u{2028}";
    let text = small_trace().replace("run", &format!("\"{hostile}\""));
    let folder = tempfile::tempdir().unwrap();
    let name = "<b onmouseover=x>.paje";
    let traces = vec![source(folder.path(), name, &text)];
    let site = TestSite::with_traces(folder, traces, Vec::new()).await;
    let page = site.get("/").await.expect(200).text();
    assert!(page.contains("first.png"), "{page}");
    for part in ["onerror", "onmouseover", "\u{2028}"] {
        assert!(!page.contains(part), "{part}: {page}");
    }
    // They are in the answer, whole: it is read as JSON, not as markup.
    let header = site.get("/api/start?width=600&height=200").await.expect(200).scene();
    let info = &header["start"]["trace"]["info"];
    assert_eq!(info["name"], name);
    let values = info["values"].as_array().unwrap();
    assert!(values.iter().any(|value| value["name"].as_str().unwrap().contains("onerror")));
}
