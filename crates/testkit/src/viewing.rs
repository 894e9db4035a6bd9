//! `onca view` while a test asks it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Sends a signal, such as INT, to a process.
pub fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "a signal for {process}");
}

/// A server that is ended when the test is.
pub struct Viewing {
    pub child: Child,
    /// What it prints first: its address, how to reach it, how to end it.
    pub lines: Vec<String>,
}

impl Viewing {
    pub fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        Self::start_as(sandbox.command(), arguments)
    }

    /// Starts a program with surroundings of its own.
    pub fn start_as(mut command: Command, arguments: &[&str]) -> Self {
        let mut child = command
            .args(arguments)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a program that runs");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let lines = out.lines().take(3).map(|line| line.expect("text")).collect();
        Self { child, lines }
    }

    /// The address and the token of the first line.
    pub fn address(&self) -> (&str, &str) {
        let rest = self.lines[0].strip_prefix("http://").expect("an address");
        rest.split_once("/?token=").expect("a token")
    }

    pub fn get(&self, path: &str) -> String {
        String::from_utf8_lossy(&self.ask("GET", path, "")).into_owned()
    }

    /// Head and body of an answer.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
        let (host, token) = self.address();
        let mut stream = TcpStream::connect(host).expect("a server");
        stream.set_read_timeout(Some(Duration::from_secs(600))).expect("a timeout");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("a question");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        answer
    }

    /// The body of an answer to a question about the trace.
    pub fn post(&self, what: &str, question: &Value) -> Vec<u8> {
        let answer = self.ask("POST", &format!("/api/traces/1/{what}"), &question.to_string());
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
        answer[head + 4..].to_vec()
    }

    pub fn wait_until_ready(&self) {
        while self.get("/api/session").contains("\"indexing\"") {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn interrupt(mut self) -> Option<i32> {
        signal("INT", self.child.id());
        self.child.wait().expect("an end").code()
    }
}

impl Drop for Viewing {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
