//! The answers of a site to the program that it is part of: no socket, no token, nothing packed.

use std::fmt;
use std::io;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt;
use tokio::runtime::Runtime;
use tower::ServiceExt;

use crate::guard::Audience;
use crate::site::{Shown, Site};

/// A site that only its own program can ask.
pub struct Inside {
    site: Site,
    router: Router,
    runtime: Runtime,
}

/// What a request is answered with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answered {
    /// The status of HTTP.
    pub status: u16,
    /// The type of the content.
    pub kind: String,
    /// The content.
    pub body: Vec<u8>,
}

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inside").field("site", &self.site).finish_non_exhaustive()
    }
}

impl Inside {
    /// Opens the traces.
    pub fn new(shown: Shown) -> io::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let site = {
            let _inside = runtime.enter();
            // Nobody comes under any name.
            Site::new(shown, Audience { names: Vec::new(), any_number: false, port: None })?
        };
        runtime.block_on(site.opened());
        let router = site.unguarded();
        Ok(Self { site, router, runtime })
    }

    /// Answers a request; from any thread, several at a time.
    pub fn answer(&self, method: &str, path: &str, body: Vec<u8>) -> io::Result<Answered> {
        let request = Request::builder().method(method).uri(path);
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let request = request.body(Body::from(body)).map_err(io::Error::other)?;
        let router = self.router.clone();
        self.runtime.block_on(async move {
            let response = router.oneshot(request).await.unwrap_or_else(|never| match never {});
            let (head, body) = response.into_parts();
            let kind = head.headers.get(header::CONTENT_TYPE);
            let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
            let body = body.collect().await.map_err(io::Error::other)?.to_bytes().to_vec();
            Ok(Answered { status: head.status.as_u16(), kind, body })
        })
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // What is half indexed is taken away.
        self.runtime.block_on(self.site.stop());
    }
}
