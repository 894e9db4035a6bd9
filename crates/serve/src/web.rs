//! The page itself: files that were built into the program.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use onca_layout::text::Font;

use crate::app::App;
use crate::fault::Fault;
use crate::front;

/// A file of the page.
#[derive(Clone, Copy)]
struct WebFile {
    /// Its path below the root.
    path: &'static str,
    bytes: &'static [u8],
    /// Changes with its content.
    tag: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/web_files.rs"));

/// Names in this folder change with the content.
const HASHED: &str = "assets/";

/// The page that loads the others.
const FRONT: &str = "index.html";

/// The front page as it was built.
pub fn front_text() -> &'static str {
    let page = found(FRONT).map_or(&[][..], |file| file.bytes);
    std::str::from_utf8(page).unwrap_or_default()
}

/// Answers everything that is no other request: the page and what belongs to it.
pub async fn file(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let path = if path.is_empty() { FRONT } else { path };
    let Some(file) = found(path) else {
        return Fault::of_status(StatusCode::NOT_FOUND).into_response();
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Fault::of_status(StatusCode::METHOD_NOT_ALLOWED).into_response();
    }
    if path == FRONT {
        return front::page(&app, request.headers(), front_text()).await;
    }
    let keep = match path.starts_with(HASHED) {
        true => "private, max-age=31536000, immutable",
        false => "no-cache",
    };
    let tag = HeaderValue::from_static(file.tag);
    let headers =
        [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, HeaderValue::from_static(keep))];
    if is_known(request.headers(), &tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let kind = [(header::CONTENT_TYPE, media_type(path))];
    (headers, kind, file.bytes).into_response()
}

/// The file of a path: one of the page, or a font that figures have too.
fn found(path: &str) -> Option<WebFile> {
    let font = |path, font: Font| WebFile { path, bytes: font.bytes(), tag: FONT_TAG };
    match path {
        "font/NotoSans-Regular.ttf" => Some(font("font/NotoSans-Regular.ttf", Font::Regular)),
        "font/NotoSans-Bold.ttf" => Some(font("font/NotoSans-Bold.ttf", Font::Bold)),
        path => FILES.iter().copied().find(|file| file.path == path),
    }
}

/// Fonts change with the program at most.
const FONT_TAG: &str = concat!("\"font-", env!("CARGO_PKG_VERSION"), "\"");

/// Has the browser this very content?
pub fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let tags = headers.get_all(header::IF_NONE_MATCH).into_iter();
    let mut tags = tags.filter_map(|tags| tags.to_str().ok()).flat_map(|tags| tags.split(','));
    // Compression makes a tag a weak one.
    tags.any(|known| known.trim().trim_start_matches("W/").as_bytes() == tag.as_bytes())
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("ttf") => "font/ttf",
        Some("woff2") => "font/woff2",
        Some("wasm") => "application/wasm",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
