//! Asks the server as a page does.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// Where a server is, and what lets requests in.
#[derive(Clone)]
pub struct Target {
    pub address: SocketAddr,
    pub token: String,
}

/// A connection to the server.
pub struct Client {
    sender: SendRequest<Full<Bytes>>,
    target: Target,
}

/// What came back, and how long it took from the request to the last byte.
pub struct Answer {
    pub status: StatusCode,
    pub body: Bytes,
    pub time: Duration,
}

impl Client {
    pub async fn connect(target: &Target) -> io::Result<Self> {
        let stream = TcpStream::connect(target.address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        tokio::spawn(connection);
        Ok(Self { sender, target: target.clone() })
    }

    /// Asks a question; the answer is compressed, as browsers want it.
    pub async fn post(&mut self, path: &str, question: &Value) -> io::Result<Answer> {
        let request = Request::post(path)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT_ENCODING, "gzip, zstd");
        self.send(request, question.to_string()).await
    }

    /// Asks for something that needs no question.
    pub async fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.send(Request::get(path), String::new()).await
    }

    async fn send(
        &mut self,
        request: hyper::http::request::Builder,
        body: String,
    ) -> io::Result<Answer> {
        let request = request
            .header(HOST, self.target.address.to_string())
            .header(AUTHORIZATION, format!("Bearer {}", self.target.token))
            .body(Full::new(Bytes::from(body)))
            .map_err(io::Error::other)?;
        self.sender.ready().await.map_err(io::Error::other)?;
        let started = Instant::now();
        let response = self.sender.send_request(request).await.map_err(io::Error::other)?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(io::Error::other)?.to_bytes();
        Ok(Answer { status, body, time: started.elapsed() })
    }
}

/// Runs work that waits for the server.
pub fn block_on<T>(work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}
