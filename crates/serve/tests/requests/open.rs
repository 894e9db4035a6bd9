//! Opening traces from the page: folders that were allowed, and dropped files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use axum::body::Body;
use axum::http::header;
use onca_serve::Openable;
use serde_json::{Value, json};

use crate::support::{Answer, TestSite, bare, small_trace, source_of};

const DROP: &str = "00112233445566ff";

/// A site without a trace, and a folder `traces` that was allowed beside a secret.
async fn site(drop_limit: u64) -> (TestSite, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("traces/deep")).unwrap();
    fs::write(root.join("traces/deep/run.paje"), small_trace()).unwrap();
    fs::write(root.join("secret.paje"), small_trace()).unwrap();
    symlink("../secret.paje", root.join("traces/link.paje")).unwrap();
    let openable = Openable {
        folders: vec![root.join("traces")],
        drops: root.join("cache/dropped"),
        drop_limit,
        recent: Some(root.join("cache/recent.json")),
        source: Box::new(source_of),
    };
    (TestSite::that_opens(folder, openable), root)
}

async fn open(site: &TestSite, asked: Value) -> Answer {
    let request = site.request("POST", "/api/open").body(Body::from(asked.to_string()));
    site.send(request.unwrap()).await
}

async fn put(site: &TestSite, path: &str, body: impl Into<Body>) -> Answer {
    site.send(site.request("PUT", path).body(body.into()).unwrap()).await
}

#[tokio::test]
async fn a_trace_below_an_allowed_folder_is_listed_and_opened() {
    let (site, root) = site(1 << 20).await;
    let session = site.get("/api/session").await.expect(200).json();
    assert_eq!((&session["opens"], &session["traces"]), (&json!(true), &json!([])));
    site.get("/").await.expect(200);
    site.get("/api/start").await.expect(200);
    let places = site.get("/api/places").await.expect(200).json();
    assert_eq!(places["schema"], "onca-places/1");
    assert_eq!(places["folders"], json!([root.join("traces").to_str().unwrap()]));
    assert_eq!((&places["recent"], &places["dropped"]), (&json!([]), &json!([])));
    let top = site.get("/api/folder?folder=0&path=").await.expect(200).json();
    assert_eq!(top["entries"], json!([{"name": "deep", "kind": "folder", "size": null}]));
    let deep = site.get("/api/folder?folder=0&path=deep").await.expect(200).json();
    let size = small_trace().len();
    assert_eq!(deep["entries"], json!([{"name": "run.paje", "kind": "trace", "size": size}]));

    let spot = json!({"folder": 0, "path": "deep/run.paje"});
    let opened = open(&site, spot.clone()).await.expect(200).json();
    assert_eq!(opened, json!({"schema": "onca-opened/1", "id": "1"}));
    site.ready().await;
    let info = site.get("/api/traces/1/info").await.expect(200).json();
    assert_eq!((&info["name"], &info["counts"]["states"]), (&json!("run.paje"), &json!(4)));
    // The same once more is the same.
    assert_eq!(open(&site, spot.clone()).await.expect(200).json(), opened);
    let places = site.get("/api/places").await.expect(200).json();
    assert_eq!(places["recent"], json!([spot]));
}

#[tokio::test]
async fn nothing_else_is_listed_or_opened() {
    let (site, root) = site(1 << 20).await;
    let outside = root.join("secret.paje");
    for path in ["../secret.paje", "link.paje", "deep/../../secret.paje", "/etc/passwd", "nothing"]
        .into_iter()
        .chain(outside.to_str())
    {
        let answer = open(&site, json!({"folder": 0, "path": path})).await.expect(404);
        assert_eq!(answer.code(), "not-found", "{path}");
        let asked = format!("/api/folder?folder=0&path={path}");
        assert_eq!(site.get(&asked).await.expect(404).code(), "not-found", "{path}");
    }
    for path in ["..", "deep%2F..%2F..", "%2Fetc", "%00"] {
        site.get(&format!("/api/folder?folder=0&path={path}")).await.expect(404);
    }
    site.get("/api/folder?folder=1&path=").await.expect(404);
    for odd in [json!({}), json!({"folder": -1, "path": ""}), json!([]), json!({"path": "x"})] {
        assert_eq!(open(&site, odd).await.expect(400).code(), "question");
    }
    assert_eq!(site.get("/api/session").await.json()["traces"], json!([]));
    let closed = TestSite::new().await;
    closed.get("/api/places").await.expect(404);
    open(&closed, json!({"folder": 0, "path": "small.paje"})).await.expect(404);
    put(&closed, &format!("/api/drops/{DROP}/run.paje"), "x").await.expect(404);
}

#[tokio::test]
async fn a_dropped_file_is_opened_and_removed() {
    let (site, root) = site(4 << 20).await;
    // Longer than other bodies may be, which end at 1 MiB.
    let text = small_trace() + &"# filler\n".repeat(150_000);
    assert!(text.len() > 1 << 20);
    put(&site, &format!("/api/drops/{DROP}/my%20run.paje"), text.clone()).await.expect(204);
    let places = site.get("/api/places").await.expect(200).json();
    let dropped = json!([{"drop": DROP, "files": ["my run.paje"], "size": text.len()}]);
    assert_eq!(places["dropped"], dropped);
    assert_eq!(places["drop_limit"], 4 << 20);
    assert_eq!(places["drop_room"], (4 << 20) - text.len());
    let asked = json!({"drop": DROP});
    assert_eq!(open(&site, asked.clone()).await.expect(200).json()["id"], "1");
    site.ready().await;
    site.get("/api/traces/1/info").await.expect(200);
    let remove = site.request("DELETE", &format!("/api/drops/{DROP}")).body(Body::empty());
    site.send(remove.unwrap()).await.expect(204);
    assert_eq!(site.get("/api/traces/1/info").await.expect(404).code(), "not-found");
    assert_eq!(site.get("/api/session").await.json()["traces"], json!([]));
    assert_eq!(fs::read_dir(root.join("cache/dropped")).unwrap().count(), 0);
    open(&site, asked).await.expect(404);
    // Numbers are not given again.
    let spot = json!({"folder": 0, "path": "deep/run.paje"});
    assert_eq!(open(&site, spot).await.expect(200).json()["id"], "2");
}

#[tokio::test]
async fn dropped_files_have_a_limit_together() {
    let (site, root) = site(100).await;
    put(&site, &format!("/api/drops/{DROP}/a.prv"), "x".repeat(60)).await.expect(204);
    let long = put(&site, &format!("/api/drops/{DROP}/b.pcf"), "x".repeat(41)).await.expect(413);
    assert_eq!(long.code(), "too-long");
    assert!(long.text().contains("100 bytes") && long.text().contains("--upload-limit"));
    // A body that does not say how long it is.
    let pieces = (0..5).map(|_| Ok::<_, std::io::Error>("0123456789"));
    let stream = Body::from_stream(futures::stream::iter(pieces));
    put(&site, &format!("/api/drops/{DROP}/c.row"), stream).await.expect(413);
    let entries = fs::read_dir(root.join("cache/dropped")).unwrap();
    assert_eq!(entries.count(), 1, "nothing half-written is left");
    put(&site, &format!("/api/drops/{DROP}/b.pcf"), "x".repeat(40)).await.expect(204);
    for odd in ["..", ".hidden", "a%2Fb", "a%5Cb", "x.onca", "%00"] {
        let path = format!("/api/drops/{DROP}/{odd}");
        assert_eq!(put(&site, &path, "").await.expect(400).code(), "question", "{odd}");
    }
    put(&site, "/api/drops/..%2f..%2fx/run.paje", "").await.expect(404);
    put(&site, "/api/drops/xyz/run.paje", "").await.expect(404);
}

#[tokio::test]
async fn files_are_taken_only_from_our_own_page() {
    let (site, root) = site(100).await;
    let path = format!("/api/drops/{DROP}/run.paje");
    let request = bare("PUT", &path).body(Body::from("x")).unwrap();
    assert_eq!(site.send(request).await.expect(401).code(), "token");
    let request = site.request("PUT", &path).header(header::ORIGIN, "http://evil.example");
    assert_eq!(
        site.send(request.body(Body::from("x")).unwrap()).await.expect(403).code(),
        "origin"
    );
    let request = site.request("PUT", &path).header("sec-fetch-site", "cross-site");
    site.send(request.body(Body::from("x")).unwrap()).await.expect(403);
    assert!(!root.join("cache").exists());
}
