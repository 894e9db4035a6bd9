//! Whom a request is meant for, and from whose page it comes.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, Uri, header, uri::Authority};

use crate::fault::{Code, Fault};

/// Under which names the server answers.
///
/// A name that leads here but is not among them was made by somebody who wants his page to look
/// like ours to the browser.
#[derive(Clone, Debug)]
pub struct Audience {
    /// Names besides the loopback ones, without port.
    pub names: Vec<String>,
    /// Any number will do for a name: the server listens on all addresses of the machine. Names of
    /// others cannot be numbers.
    pub any_number: bool,
    /// The port; any behind a socket of the file system, whose other end may be anywhere.
    pub port: Option<u16>,
}

const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

impl Audience {
    /// Is the request meant for this server?
    pub fn check_host(&self, request: &Request) -> Result<(), Fault> {
        // An address in the request line must be the same as the header, and is what counts.
        let line = request.uri().authority();
        let host = sole_host(request.headers());
        let fits = match (host, line) {
            (Some(host), None) => self.is_ours(&host),
            (Some(host), Some(line)) => host == *line && self.is_ours(&host),
            (None, _) => false,
        };
        if fits {
            return Ok(());
        }
        let message = "this server answers only to the address that it printed";
        Err(Fault::new(StatusCode::FORBIDDEN, Code::Host, message))
    }

    fn is_ours(&self, host: &Authority) -> bool {
        // No name and password before the host.
        if host.as_str().contains('@') {
            return false;
        }
        let port = match host.port() {
            None if host.as_str().ends_with(':') => return false,
            None => 80,
            Some(port) => port.as_u16(),
        };
        let named = |name: &str| host.host().eq_ignore_ascii_case(name);
        let number = || host.host().trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        let known = LOOPBACK.into_iter().any(named)
            || self.names.iter().any(|name| named(name))
            || self.any_number && number();
        known && self.port.is_none_or(|ours| ours == port)
    }

    /// Does the request come from our own page, or from no page at all?
    pub fn check_origin(&self, headers: &HeaderMap) -> Result<(), Fault> {
        let own_origin = headers.get_all(header::ORIGIN).into_iter().all(|origin| {
            let host = sole_host(headers);
            let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
            match (origin, host) {
                (Some(origin), Some(host)) => {
                    origin.scheme_str() == Some("http")
                        && origin.authority().is_some_and(|from| same(from, &host))
                        && matches!(origin.path(), "" | "/")
                        && origin.query().is_none()
                }
                _ => false,
            }
        });
        let own_site = headers
            .get_all("sec-fetch-site")
            .into_iter()
            .all(|site| matches!(site.as_bytes(), b"same-origin" | b"none"));
        if own_origin && own_site {
            return Ok(());
        }
        let message = "requests from other pages are not answered";
        Err(Fault::new(StatusCode::FORBIDDEN, Code::Origin, message))
    }
}

/// The port in the address of a request.
pub fn port_of(headers: &HeaderMap) -> Option<u16> {
    sole_host(headers)?.port_u16()
}

/// What the one header `Host` says; nothing if there are several or none.
fn sole_host(headers: &HeaderMap) -> Option<Authority> {
    let mut hosts = headers.get_all(header::HOST).into_iter();
    let host = hosts.next().filter(|_| hosts.next().is_none())?;
    Authority::try_from(host.as_bytes()).ok()
}

fn same(one: &Authority, other: &Authority) -> bool {
    one.host().eq_ignore_ascii_case(other.host())
        && one.port_u16().unwrap_or(80) == other.port_u16().unwrap_or(80)
        && !one.as_str().contains('@')
}
