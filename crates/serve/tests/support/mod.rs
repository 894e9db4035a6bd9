//! What the tests share: a site with a small trace, and requests to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header, request};
use http_body_util::BodyExt;
use onca_query::AppearanceSpec;
use onca_read::Source;
use onca_serve::{Audience, Memory, Openable, Opened, Opening, Shown, Site, SqlShown, TraceSource};
use onca_simulate::{DriveOptions, drive};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};
use onca_testkit::fixtures::{common_body, header as paje_header};
use serde_json::Value;
use tower::ServiceExt;

/// The port that the site believes to have.
pub const PORT: u16 = 4000;
pub const HOST: &str = "127.0.0.1:4000";

/// Two processes for 6 seconds: `A` runs, waits from 1 to 3 and is idle from 5 on, `B` only runs;
/// a link from 1 to 2, an event at 2, a variable.
pub fn small_trace() -> String {
    let records = [
        "12 0 S a run",
        "12 0 S b run",
        "9 0 V a 1",
        "13 1 S a wait",
        "16 1 L 0 a m k1",
        "17 2 L 0 b m k1",
        "18 2 E a beep",
        "14 3 S a",
        "9 4 V a 3",
        "12 5 S a idle",
        "8 6 P a",
        "8 6 P b",
    ];
    paje_header() + &common_body() + &records.join("\n") + "\n"
}

/// Looks that are remembered as long as the test lasts.
#[derive(Clone, Default)]
pub struct TestMemory(pub Arc<Mutex<BTreeMap<String, AppearanceSpec>>>);

impl Memory for TestMemory {
    fn recall(&self, key: &str) -> Result<Option<AppearanceSpec>, String> {
        Ok(self.0.lock().expect("no panic").get(key).cloned())
    }

    fn remember(&self, key: &str, appearance: &AppearanceSpec) -> Result<(), String> {
        self.0.lock().expect("no panic").insert(key.to_owned(), appearance.clone());
        Ok(())
    }
}

/// Opens a trace that is a text, in a folder.
pub fn source(folder: &Path, name: &str, text: &str) -> TraceSource {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a written trace");
    source_of(&path)
}

/// Opens a trace that is there; its store lies beside it.
pub fn source_of(path: &Path) -> TraceSource {
    let path = path.to_owned();
    let place = path.with_added_extension("onca");
    let trace = path.clone();
    let open = move |opening: &Opening<'_>| {
        let progress = opening.progress();
        let driven = drive(&Source::new(&trace), &DriveOptions::default(), progress, || {
            StoreBuilder::create(&place, &BuildOptions::default())
        })
        .map_err(|error| error.to_string())?;
        let built = driven.sink.finish(&driven.catalog, &Fingerprint::default(), &BTreeMap::new());
        built.map_err(|error| error.to_string())?;
        let store = Store::open(&place).map_err(|error| error.to_string())?;
        Ok(Opened { store, files: vec![trace], unit: None, temporary: None })
    };
    TraceSource { path, open: Box::new(open) }
}

/// A site and the folder with its traces.
pub struct TestSite {
    pub site: Site,
    pub router: Router,
    pub memory: TestMemory,
    pub folder: tempfile::TempDir,
}

impl TestSite {
    /// A site with the small trace.
    pub async fn new() -> Self {
        Self::with_sources(Vec::new()).await
    }

    /// The same, with folders of source code.
    pub async fn with_sources(source_dirs: Vec<PathBuf>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let traces = vec![source(folder.path(), "small.paje", &small_trace())];
        Self::with_traces(folder, traces, source_dirs).await
    }

    /// A site with other traces, when they are ready or have failed.
    pub async fn with_traces(
        folder: tempfile::TempDir,
        traces: Vec<TraceSource>,
        source_dirs: Vec<PathBuf>,
    ) -> Self {
        let test = Self::begin(folder, traces, source_dirs);
        test.ready().await;
        test
    }

    /// The same, without waiting for them.
    pub fn begin(
        folder: tempfile::TempDir,
        traces: Vec<TraceSource>,
        source_dirs: Vec<PathBuf>,
    ) -> Self {
        Self::with(folder, traces, source_dirs, None)
    }

    /// A site that may open other traces.
    pub fn that_opens(folder: tempfile::TempDir, openable: Openable) -> Self {
        Self::with(folder, Vec::new(), Vec::new(), Some(openable))
    }

    fn with(
        folder: tempfile::TempDir,
        traces: Vec<TraceSource>,
        source_dirs: Vec<PathBuf>,
        openable: Option<Openable>,
    ) -> Self {
        let memory = TestMemory::default();
        let shown = Shown {
            traces,
            platforms: Vec::new(),
            source_dirs,
            openable,
            memory: Box::new(memory.clone()),
            sql: SqlShown::default(),
            reports: None,
        };
        let audience = Audience { names: Vec::new(), any_number: false, port: Some(PORT) };
        let site = Site::new(shown, audience).expect("a site");
        Self { router: site.router(), site, memory, folder }
    }

    /// Waits until no trace is being indexed any more.
    pub async fn ready(&self) {
        while self.get("/api/session").await.text().contains("indexing") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// A request that is let in.
    pub fn request(&self, method: &str, path: &str) -> request::Builder {
        let bearer = format!("Bearer {}", self.site.token());
        bare(method, path).header(header::AUTHORIZATION, bearer)
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        send(&self.router, request).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request("GET", path).body(Body::empty()).expect("a request")).await
    }

    /// Posts to the first trace.
    pub async fn post(&self, what: &str, body: Value) -> Answer {
        self.with_body("POST", what, body.to_string()).await
    }

    /// Posts to any path.
    pub async fn post_to(&self, path: &str, body: Value) -> Answer {
        let request = self.request("POST", path).body(Body::from(body.to_string()));
        self.send(request.expect("a request")).await
    }

    pub async fn with_body(&self, method: &str, what: &str, body: String) -> Answer {
        let path = format!("/api/traces/1/{what}");
        self.send(self.request(method, &path).body(Body::from(body)).expect("a request")).await
    }
}

/// A request without any right to an answer.
pub fn bare(method: &str, path: &str) -> request::Builder {
    Request::builder().method(method).uri(path).header(header::HOST, HOST)
}

pub async fn send(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.expect("routers do not fail");
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a whole body").to_bytes().to_vec();
    Answer { status: parts.status, headers: parts.headers, bytes }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Answer {
    /// The answer, if it has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| {
            panic!("{error}: {}", self.text());
        })
    }

    /// The code of a failure, which must have the form of all failures.
    #[track_caller]
    pub fn code(&self) -> String {
        let json = self.json();
        assert_eq!(json["schema"], "onca-error/1", "{json}");
        assert!(json["message"].as_str().is_some_and(|message| !message.is_empty()), "{json}");
        json["code"].as_str().expect("a code").to_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The header of a scene.
    #[track_caller]
    pub fn scene(&self) -> Value {
        assert_eq!(self.header("content-type"), "application/x-onca-scene", "{}", self.text());
        let length = u32::from_le_bytes(self.bytes[8..12].try_into().expect("four bytes"));
        serde_json::from_slice(&self.bytes[12..12 + length as usize]).expect("JSON")
    }
}
