//! Who may ask, and what every answer says about itself.
//!
//! The server is for one user on a machine that others use too, and for one page in a browser that
//! shows others too. So a request needs a secret, must be meant for this server, and must not come
//! from the page of somebody else.

mod address;
mod headers;
mod secret;
mod tries;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub use address::Audience;
pub use headers::{front_frames, put_headers};
pub use secret::{Secret, random_hex};

use crate::fault::{Code, Fault};
use crate::listen::Visitor;
use tries::Tries;

/// What lets requests in.
#[derive(Debug)]
pub struct Guard {
    token: Secret,
    /// What the cookie holds. It is not the token: who sees a cookie cannot make addresses of it.
    cookie: Secret,
    audience: Audience,
    instance: HeaderValue,
    wrong: Tries,
}

impl Guard {
    /// A guard with secrets of its own for a server that answers to some names.
    pub fn new(audience: Audience, instance: u32) -> std::io::Result<Self> {
        Ok(Self {
            token: Secret::random()?,
            cookie: Secret::random()?,
            audience,
            instance: HeaderValue::from(instance),
            wrong: Tries::default(),
        })
    }

    /// The token that lets in.
    pub fn token(&self) -> &str {
        self.token.text()
    }

    /// Lets a request in, or says why not.
    fn admit(&self, headers: &HeaderMap) -> Result<(), Fault> {
        self.audience.check_origin(headers)?;
        let given = bearer(headers).map(|given| self.token.is(given));
        let given = given.or_else(|| {
            // Other servers on this machine may have set cookies of the same name.
            let name = self.cookie_name(headers);
            let mut cookies = cookies(headers, &name).peekable();
            cookies.peek()?;
            Some(cookies.any(|given| self.cookie.is(given)))
        });
        match given {
            Some(true) => Ok(()),
            Some(false) => Err(self.wrong_token()),
            None => {
                let message = "open the address that onca view printed: it has the token";
                Err(Fault::new(StatusCode::UNAUTHORIZED, Code::Token, message))
            }
        }
    }

    fn wrong_token(&self) -> Fault {
        match self.wrong.again() {
            true => Fault::new(StatusCode::UNAUTHORIZED, Code::Token, "this is not the token"),
            false => {
                let message = "too many wrong tokens; wait a second";
                Fault::new(StatusCode::TOO_MANY_REQUESTS, Code::Token, message)
            }
        }
    }

    /// Browsers do not tell ports apart when they send cookies, so the name does.
    fn cookie_name(&self, headers: &HeaderMap) -> String {
        format!("onca-{}", address::port_of(headers).unwrap_or(80))
    }

    /// The cookie for a visit with the token in its address.
    ///
    /// The visit is answered with the page itself, whose script takes the token out of the address.
    /// A redirection would cost a round trip, and where a click on a foreign page leads here, browsers
    /// send no strict cookie along the redirections that follow; with what a page loads, they do.
    fn welcome(&self, headers: &HeaderMap, given: &str) -> Result<HeaderValue, Fault> {
        if !self.token.is(given) {
            return Err(self.wrong_token());
        }
        let (name, value) = (self.cookie_name(headers), self.cookie.text());
        let cookie = format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/");
        HeaderValue::try_from(cookie).map_err(|_| Fault::ours("a cookie"))
    }
}

/// The layer around everything: checks the request, and marks the answer.
pub async fn stand_guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let is_visit = is_visit(&request);
    let mut response = match checked(&guard, request, next).await {
        Ok(response) => in_our_words(response),
        Err(fault) if is_visit && fault.lacks_token() => fault.into_page(),
        Err(fault) => fault.into_response(),
    };
    put_headers(response.headers_mut(), &guard.instance);
    response
}

async fn checked(guard: &Guard, request: Request, next: Next) -> Result<Response, Fault> {
    guard.audience.check_host(&request)?;
    if let Some(token) = token_of(&request) {
        let cookie = guard.welcome(request.headers(), &token)?;
        keep_connection(&request);
        let mut response = next.run(request).await;
        response.headers_mut().insert(header::SET_COOKIE, cookie);
        return Ok(response);
    }
    guard.admit(request.headers())?;
    keep_connection(&request);
    Ok(next.run(request).await)
}

/// Who was let in once does not make room for strangers.
fn keep_connection(request: &Request) {
    if let Some(visitor) = request.extensions().get::<Visitor>() {
        visitor.admit();
    }
}

/// Failures that the router or an extractor put into words of its own.
fn in_our_words(response: Response) -> Response {
    let status = response.status();
    let json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !(status.is_client_error() || status.is_server_error()) || json {
        return response;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    let mut ours = Fault::of_status(status).into_response();
    if let Some(allow) = allow {
        ours.headers_mut().insert(header::ALLOW, allow);
    }
    ours
}

/// Does somebody open the page?
fn is_visit(request: &Request<Body>) -> bool {
    request.method() == Method::GET && request.uri().path() == "/"
}

/// The token in the address, if this is a visit to the front page.
fn token_of(request: &Request<Body>) -> Option<String> {
    if !is_visit(request) {
        return None;
    }
    let parts = request.uri().query()?.split('&');
    parts.filter_map(|part| part.strip_prefix("token=")).next().map(str::to_owned)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().unwrap_or_default();
    let (scheme, given) = text.split_once(' ').unwrap_or((text, ""));
    Some(if scheme.eq_ignore_ascii_case("bearer") { given.trim() } else { "" })
}

/// The values of the cookies of a name.
pub fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let all = headers.get_all(header::COOKIE).into_iter();
    let pairs = all.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(';'));
    pairs.filter_map(move |pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    })
}
