//! What every answer says about itself.

use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::web::front_text;

/// Nothing is framed, and nothing may frame it.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| policy("frame-ancestors 'none'"));

/// The front page may stand beside itself, in a frame of this very server.
static FRONT_POLICY: LazyLock<HeaderValue> =
    LazyLock::new(|| policy("frame-src 'self'; frame-ancestors 'self'"));

/// Only what this server serves is loaded and run. Of scripts in a page, that is the very text of those
/// in the front page as it was built.
fn policy(frames: &str) -> HeaderValue {
    let scripts: String = inline_scripts(front_text()).map(allowed).collect();
    let policy = format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'; \
         img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; {frames}"
    );
    HeaderValue::try_from(policy).expect("a policy has only letters that a header may have")
}

/// The texts of the scripts that stand in a page.
fn inline_scripts(page: &str) -> impl Iterator<Item = &str> {
    let scripts = page.split("<script>").skip(1);
    scripts.filter_map(|rest| rest.split_once("</script>")).map(|(script, _)| script)
}

/// What a policy says to allow a script.
fn allowed(script: &str) -> String {
    format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(script)))
}

const ALWAYS: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// What the front page says of frames.
pub fn front_frames() -> [(HeaderName, HeaderValue); 2] {
    let options = HeaderValue::from_static("SAMEORIGIN");
    [(header::X_FRAME_OPTIONS, options), (header::CONTENT_SECURITY_POLICY, FRONT_POLICY.clone())]
}

/// Adds them. Answers that do not say how long they hold are not kept, and those that do not say who may
/// frame them are framed by nobody.
pub fn put_headers(headers: &mut HeaderMap, instance: &HeaderValue) {
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(HeaderName::from_static("x-onca-instance"), instance.clone());
    headers.entry(header::X_FRAME_OPTIONS).or_insert(HeaderValue::from_static("DENY"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert_with(|| POLICY.clone());
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_scripts_of_the_page_are_allowed() {
        let page = "<script type=\"module\" src=\"/a.js\"></script><script>one()</script>\
                    <p><script>two()</script>";
        assert_eq!(inline_scripts(page).collect::<Vec<_>>(), ["one()", "two()"]);
        assert_eq!(inline_scripts("<p>nothing").count(), 0);
        // printf %s 'one()' | openssl dgst -sha256 -binary | base64
        assert_eq!(allowed("one()"), " 'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4='");
    }
}
