//! Who is let in, and what is said to everybody else.

use crate::support;

use axum::body::Body;
use axum::http::header;
use support::{HOST, PORT, TestSite, bare, send};

/// Some of everything, and what does not exist.
const PATHS: [&str; 9] = [
    "/",
    "/index.html",
    "/api/session",
    "/api/progress",
    "/api/traces/1/info",
    "/api/traces/1/timeline",
    "/api/traces/7/info",
    "/no/such/thing",
    "/api/../../etc/passwd",
];
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];

#[tokio::test]
async fn nothing_is_told_without_the_token() {
    let site = TestSite::new().await;
    for path in PATHS {
        for method in METHODS {
            let request = bare(method, path).body(Body::empty()).unwrap();
            let answer = site.send(request).await.expect(401);
            if (method, path) == ("GET", "/") {
                // People get a page.
                assert!(answer.header("content-type").starts_with("text/html"));
                assert!(answer.text().contains("<h1>This page is for people with its token</h1>"));
            } else if method != "HEAD" {
                assert_eq!(answer.code(), "token", "{method} {path}");
            }
            let told = format!("{:?} {}", answer.headers, answer.text());
            assert!(!told.contains(site.site.token()), "{told}");
        }
    }
}

#[tokio::test]
async fn who_was_let_in_may_let_others_in() {
    let site = TestSite::new().await;
    let told = site.get("/api/traces/1/share").await.expect(200).json();
    assert_eq!(told["token"], site.site.token());
    assert!(told["command"].as_str().unwrap().starts_with("onca view "));
    site.get("/api/traces/7/share").await.expect(404);
}

#[tokio::test]
async fn wrong_tokens_are_refused_and_then_slowed_down() {
    let site = TestSite::new().await;
    let token = site.site.token();
    let mut statuses = Vec::new();
    for wrong in [&token[1..], "", "x", &token.to_uppercase().replace('0', "O")] {
        for form in ["Bearer", "bearer", "Basic"] {
            let given = format!("{form} {wrong}");
            let request = bare("GET", "/api/session").header(header::AUTHORIZATION, given);
            statuses.push(site.send(request.body(Body::empty()).unwrap()).await.status.as_u16());
        }
    }
    assert!(statuses.iter().all(|status| *status == 401), "{statuses:?}");
    for _ in 0..100 {
        let request = bare("GET", "/?token=wrong").body(Body::empty()).unwrap();
        statuses.push(site.send(request).await.status.as_u16());
    }
    assert_eq!(statuses.last(), Some(&429));
    assert!(statuses.iter().all(|status| matches!(status, 401 | 429)));
    site.get("/api/session").await.expect(200);
}

#[tokio::test]
async fn a_visit_with_the_token_sets_a_cookie_that_lets_in() {
    let site = TestSite::new().await;
    let address = format!("/?token={}", site.site.token());
    // Wherever the click comes from.
    let visit = bare("GET", &address).header("sec-fetch-site", "cross-site");
    let answer = site.send(visit.body(Body::empty()).unwrap()).await.expect(200);
    // It is the page itself, which costs no other round trip.
    assert_eq!(answer.text(), site.get("/").await.expect(200).text());
    assert!(!answer.text().contains(site.site.token()));
    let cookie = answer.header("set-cookie").to_owned();
    assert!(cookie.starts_with(&format!("onca-{PORT}=")), "{cookie}");
    assert!(!cookie.contains(site.site.token()));
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let pair = cookie.split(';').next().unwrap();
    // Another server of the same machine may have left a cookie of the same name.
    for cookies in [pair.to_owned(), format!("a=b; {pair}"), format!("onca-{PORT}=old; {pair}")] {
        let request = bare("GET", "/api/session").header(header::COOKIE, cookies);
        site.send(request.body(Body::empty()).unwrap()).await.expect(200);
    }
    // The secret of the cookie is no token.
    let value = pair.split_once('=').unwrap().1;
    let request =
        bare("GET", "/api/session").header(header::AUTHORIZATION, format!("Bearer {value}"));
    site.send(request.body(Body::empty()).unwrap()).await.expect(401);
}

#[tokio::test]
async fn only_our_own_names_origins_and_sites_pass() {
    let site = TestSite::new().await;
    let hosts = [
        (Some(HOST), true),
        (Some("localhost:4000"), true),
        (Some("LOCALHOST:4000"), true),
        (Some("[::1]:4000"), true),
        (Some("127.0.0.1:4001"), false),
        (Some("127.0.0.1"), false),
        (Some("127.0.0.1:"), false),
        (Some("evil.example:4000"), false),
        (Some("localhost.evil.example:4000"), false),
        (Some("user@127.0.0.1:4000"), false),
        (Some("0.0.0.0:4000"), false),
        (None, false),
    ];
    let origins = [
        (None, true),
        (Some("http://HOST"), true),
        (Some("https://HOST"), false),
        (Some("null"), false),
        (Some("http://evil.example"), false),
        (Some("http://evil.example:4000"), false),
        (Some("http://127.0.0.1:4001"), false),
        (Some("file://"), false),
        (Some("http://HOST/path"), false),
        (Some(""), false),
    ];
    let sites = [
        (None, true),
        (Some("same-origin"), true),
        (Some("none"), true),
        (Some("same-site"), false),
        (Some("cross-site"), false),
    ];
    for (host, host_is_ours) in hosts {
        for (origin, origin_is_ours) in origins {
            for (from, site_is_ours) in sites {
                for (method, path, fine) in [
                    ("GET", "/api/session", 200),
                    ("POST", "/api/traces/1/info", 200),
                    ("PUT", "/api/traces/1/info", 405),
                    ("DELETE", "/api/session", 405),
                    ("OPTIONS", "/api/session", 405),
                ] {
                    let mut request = site.request(method, path);
                    let headers = request.headers_mut().unwrap();
                    headers.remove(header::HOST);
                    if let Some(host) = host {
                        headers.insert(header::HOST, host.parse().unwrap());
                    }
                    if let Some(origin) = origin {
                        let origin = origin.replace("HOST", host.unwrap_or(HOST));
                        headers.insert(header::ORIGIN, origin.parse().unwrap());
                    }
                    if let Some(from) = from {
                        headers.insert("sec-fetch-site", from.parse().unwrap());
                    }
                    let answer = site.send(request.body(Body::empty()).unwrap()).await;
                    let expected = match host_is_ours && origin_is_ours && site_is_ours {
                        true => fine,
                        false => 403,
                    };
                    let said = answer.status.as_u16();
                    assert_eq!(said, expected, "{host:?} {origin:?} {from:?} {method} {path}");
                }
            }
        }
    }
}

#[tokio::test]
async fn two_hosts_are_none() {
    let site = TestSite::new().await;
    let request = site.request("GET", "/api/session").header(header::HOST, "localhost:4000");
    let answer = site.send(request.body(Body::empty()).unwrap()).await.expect(403);
    assert_eq!(answer.code(), "host");
    let request = site.request("GET", "http://evil.example:4000/api/session");
    site.send(request.body(Body::empty()).unwrap()).await.expect(403);
}

#[tokio::test]
async fn every_answer_says_what_a_browser_may_do_with_it() {
    let site = TestSite::new().await;
    let unknown = bare("GET", "/api/session").body(Body::empty()).unwrap();
    let stranger = bare("GET", "/").body(Body::empty()).unwrap();
    // The page alone may be framed, and by itself alone.
    let page = ("frame-src 'self'; frame-ancestors 'self'", "SAMEORIGIN");
    let other = ("frame-ancestors 'none'", "DENY");
    let answers = [
        (site.get("/").await.expect(200), page),
        (site.get("/widget.html").await, other),
        (site.get("/api/session").await.expect(200), other),
        (site.get("/no/such/thing").await.expect(404), other),
        (send(&site.router, unknown).await.expect(401), other),
        (send(&site.router, stranger).await.expect(401), other),
    ];
    for (answer, (frames, options)) in answers {
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.ends_with(frames), "{policy}");
        assert_eq!(policy.contains("frame-src"), options == "SAMEORIGIN");
        assert_eq!(answer.header("x-frame-options"), options);
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
        assert!(answer.header("x-onca-instance").parse::<u32>().is_ok());
        assert!(answer.headers.contains_key("cache-control"));
        assert!(!answer.headers.contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn what_does_not_exist_or_is_too_long_is_said_in_our_words() {
    let site = TestSite::new().await;
    for path in ["/no/such/thing", "/api/traces/2/info", "/api/traces/x/info", "/api/traces/0/info"]
    {
        assert_eq!(site.get(path).await.expect(404).code(), "not-found", "{path}");
    }
    // Paths of files never leave the table of the page.
    for path in ["/../Cargo.toml", "/assets/../../x", "/%2e%2e/x", "//etc/passwd", "/..%2fx"] {
        assert_eq!(site.get(path).await.expect(404).code(), "not-found", "{path}");
    }
    assert_eq!(site.get("/api/traces/1/timeline").await.expect(405).code(), "method");
    let long = "x".repeat((1 << 20) + 1);
    let answer = site.with_body("POST", "timeline", long).await.expect(413);
    assert_eq!(answer.code(), "too-long");
    let answer = site.with_body("POST", "timeline", "{".to_owned()).await.expect(400);
    assert_eq!(answer.code(), "question");
}

#[tokio::test]
async fn the_page_is_kept_by_its_tag() {
    let site = TestSite::new().await;
    let first = site.get("/").await.expect(200);
    assert_eq!(first.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(first.header("cache-control"), "no-cache");
    let tag = first.header("etag");
    for known in [tag.to_owned(), format!("W/{tag}"), format!("\"other\", {tag}")] {
        let request = site.request("GET", "/").header(header::IF_NONE_MATCH, known);
        let again = site.send(request.body(Body::empty()).unwrap()).await.expect(304);
        assert!(again.bytes.is_empty());
    }
    let request = site.request("POST", "/").body(Body::empty()).unwrap();
    site.send(request).await.expect(405);
}
