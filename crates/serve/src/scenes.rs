//! Scenes that were sent lately: whoever asks the same again gets the same bytes.
//!
//! Many who look at a trace look at the same first, the whole of it; and whoever goes back was
//! there before.

use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::fault::Fault;
use crate::newest::{Entry, Newest, lock};
use crate::wire::MEDIA_TYPE;

/// This many are remembered, as long as they are not too large together.
const MOST_KEPT: usize = 64;
/// Bytes that are kept, of all but the newest.
const MOST_BYTES: usize = 64 << 20;
/// Scenes are packed in less time than it takes to send what this saves.
const LEVEL: i32 = 1;

/// The scenes of a trace, ready to be sent.
#[derive(Default)]
pub struct Scenes(Newest<Mutex<Option<SentBytes>>>);

/// What is remembered of one question.
pub type RememberedScene = Entry<Mutex<Option<SentBytes>>>;

/// A question that a scene answers.
pub struct SceneRequest {
    /// What is asked for: the path below the trace.
    of: String,
    /// May the answer be packed?
    packed: bool,
    /// The question.
    pub body: Bytes,
}

/// A scene as it is sent.
#[derive(Clone)]
pub struct SentBytes {
    bytes: Bytes,
    packed: bool,
}

impl<S: Send + Sync> FromRequest<S> for SceneRequest {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let of = request.uri().path().to_owned();
        let packed = accepts_zstd(request.headers());
        let body =
            Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        Ok(Self { of, packed, body })
    }
}

impl SceneRequest {
    /// What the answer depends on, besides the trace: the question, and how things look.
    pub fn key(&self, looks: &str) -> String {
        let Self { of, packed, body } = self;
        format!("{of} {packed} {looks} {}", String::from_utf8_lossy(body))
    }

    /// Makes scenes as they are sent to whoever asked.
    pub fn sender(&self) -> impl Fn(Bytes) -> SentBytes + Send + use<> {
        let packed = self.packed;
        move |scene| match packed.then(|| zstd::bulk::compress(&scene, LEVEL)) {
            Some(Ok(small)) => SentBytes { bytes: Bytes::from(small), packed: true },
            _ => SentBytes { bytes: scene, packed: false },
        }
    }
}

impl Scenes {
    /// What is remembered of a question, if anything.
    pub fn of(&self, key: String) -> Arc<RememberedScene> {
        self.0.entry(key)
    }

    /// The scene that answers a question. Whoever asks first makes it; others wait meanwhile.
    pub fn remembered_or(
        &self,
        remembered: &RememberedScene,
        make: impl FnOnce() -> Result<SentBytes, Fault>,
    ) -> Result<SentBytes, Fault> {
        let mut known = lock(&remembered.content);
        if let Some(known) = &*known {
            return Ok(known.clone());
        }
        let made = make()?;
        *known = Some(made.clone());
        drop(known);
        self.0.forget_old(MOST_KEPT, MOST_BYTES, |scene| {
            if_made(scene).map_or(0, |it| it.bytes.len())
        });
        Ok(made)
    }
}

/// A scene, unless it is still to be made, or in the making.
pub fn if_made(scene: &Mutex<Option<SentBytes>>) -> Option<SentBytes> {
    scene.try_lock().ok()?.clone()
}

impl IntoResponse for SentBytes {
    fn into_response(self) -> Response {
        let mut response = ([(header::CONTENT_TYPE, MEDIA_TYPE)], self.bytes).into_response();
        if self.packed {
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("zstd"));
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        response
    }
}

/// Does the client say that it can unpack this?
fn accepts_zstd(headers: &HeaderMap) -> bool {
    let listed = headers.get_all(header::ACCEPT_ENCODING).iter();
    listed.filter_map(|list| list.to_str().ok()).flat_map(|list| list.split(',')).any(|one| {
        let (name, quality) = one.split_once(';').unwrap_or((one, ""));
        let refused = quality.trim().strip_prefix("q=").and_then(|q| q.parse().ok()) == Some(0.0);
        name.trim().eq_ignore_ascii_case("zstd") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_for_those_who_ask_for_it() {
        let accepts = |list: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, list.parse().expect("a header"));
            accepts_zstd(&headers)
        };
        for list in ["zstd", "gzip, deflate, br, zstd", "ZSTD;q=0.5", "br;q=0, zstd ; q=1"] {
            assert!(accepts(list), "{list}");
        }
        for list in ["", "gzip", "zstd;q=0", "zstd; q=0.0, gzip", "zstandard"] {
            assert!(!accepts(list), "{list}");
        }
        assert!(!accepts_zstd(&HeaderMap::new()));
    }

    #[test]
    fn a_scene_is_made_once() {
        let scenes = Scenes::default();
        let made =
            |bytes: &'static [u8]| SentBytes { bytes: Bytes::from_static(bytes), packed: false };
        let remembered = scenes.of("a".to_owned());
        assert!(if_made(&remembered.content).is_none());
        let failed = scenes.remembered_or(&remembered, || Err(Fault::busy()));
        assert!(failed.is_err() && if_made(&remembered.content).is_none(), "the next tries again");
        let first = scenes.remembered_or(&remembered, || Ok(made(b"first")));
        let same = scenes.of("a".to_owned());
        let second = scenes.remembered_or(&same, || panic!("it is known"));
        let other = scenes.remembered_or(&scenes.of("b".to_owned()), || Ok(made(b"other")));
        let bytes = |sent: Result<SentBytes, Fault>| sent.expect("a scene").bytes;
        assert_eq!(
            [bytes(first), bytes(second), bytes(other)].map(|sent| sent.to_vec()),
            [b"first", b"first", b"other"]
        );
    }
}
