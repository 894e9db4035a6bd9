//! A server on real sockets: slow clients, too many of them, sockets of the file system.

use crate::support;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use onca_serve::{Address, Patience, Place, Server, Shown, SqlShown};
use support::{TestMemory, small_trace, source};
use tokio::sync::oneshot;

/// A server that runs until it is dropped.
struct Running {
    address: Address,
    token: String,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
    _folder: tempfile::TempDir,
}

impl Running {
    fn start(place: impl FnOnce(&tempfile::TempDir) -> Place, patience: Patience) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let traces = vec![source(folder.path(), "small.paje", &small_trace())];
        let memory = Box::new(TestMemory::default());
        let (platforms, source_dirs, sql) = (Vec::new(), Vec::new(), SqlShown::default());
        let openable = None;
        let shown = Shown { traces, platforms, source_dirs, openable, memory, sql, reports: None };
        let server = Server::bind(place(&folder), shown).unwrap().with_patience(patience);
        let (address, token) = (server.address().clone(), server.token().to_owned());
        let (end, ended) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            server.run_until(async {
                let _ = ended.await;
                Ok(())
            })
        });
        Self { address, token, end: Some(end), thread: Some(thread), _folder: folder }
    }

    fn on_tcp(patience: Patience) -> Self {
        Self::start(|_| Place::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))), patience)
    }

    fn port(&self) -> u16 {
        match &self.address {
            Address::Tcp(address) => address.port(),
            Address::Unix(_) => panic!("no port"),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
        stream
    }

    /// A request for the session, that ends the connection.
    fn question(&self, host: &str) -> String {
        let token = &self.token;
        format!(
            "GET /api/session HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\n\r\n"
        )
    }

    fn is_answered(&self) -> bool {
        let question = self.question(&format!("localhost:{}", self.port()));
        ask(&mut self.connect(), &question).starts_with("HTTP/1.1 200")
    }

    /// Is its trace indexed?
    fn is_ready(&self) -> bool {
        let question = self.question(&format!("localhost:{}", self.port()));
        !ask(&mut self.connect(), &question).contains("indexing")
    }

    /// Ends it as the user would.
    fn stop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic").expect("a server that ends");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

fn ask(stream: &mut (impl Read + Write), question: &str) -> String {
    // The other end may have closed the connection already.
    let _ = stream.write_all(question.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn who_dribbles_is_closed_and_others_are_answered() {
    let patience = Patience { head: Duration::from_millis(100), ..Patience::default() };
    let server = Running::on_tcp(patience);
    let mut slow: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    }
    assert!(server.is_answered());
    for mut stream in slow {
        let mut rest = Vec::new();
        // The end, by word or by force, but not the timeout of this test.
        if let Err(error) = stream.read_to_end(&mut rest) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
    }
    assert!(server.is_answered());
}

#[test]
fn who_says_nothing_is_closed() {
    let patience = Patience { head: Duration::from_millis(100), ..Patience::default() };
    let server = Running::on_tcp(patience);
    let mut silent = server.connect();
    let mut rest = Vec::new();
    assert_eq!(silent.read_to_end(&mut rest).expect("an end before the test gives up"), 0);
}

/// A connection that has shown the token and stays open.
fn known(server: &Running) -> TcpStream {
    let mut stream = server.connect();
    ask_again(server, &mut stream);
    stream
}

/// Asks on a connection that stays open, and reads the head of the answer.
fn ask_again(server: &Running, stream: &mut TcpStream) {
    let question = server.question(&format!("localhost:{}", server.port()));
    let question = question.replace("Connection: close\r\n", "");
    stream.write_all(question.as_bytes()).expect("a question");
    let mut start = [0; 12];
    stream.read_exact(&mut start).expect("an answer");
    assert_eq!(&start, b"HTTP/1.1 200");
    let mut body = Vec::new();
    // The rest is there when the marks of its end are.
    while !body.ends_with(b"}") {
        let mut more = [0; 1 << 12];
        let n = stream.read(&mut more).expect("more of it");
        assert!(n > 0, "{}", String::from_utf8_lossy(&body));
        body.extend(&more[..n]);
    }
}

#[test]
fn connections_beyond_the_limit_are_closed() {
    let patience = Patience { connections: 2, ..Patience::default() };
    let server = Running::on_tcp(patience);
    let held: Vec<TcpStream> = (0..2).map(|_| known(&server)).collect();
    assert!(!server.is_answered());
    drop(held);
    while !server.is_answered() {}
}

#[test]
fn idle_connections_make_room_for_those_who_may_ask() {
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let wanted = most.maximum.map_or(4096, |most| most.min(4096));
    let raised = rustix::process::Rlimit { current: Some(wanted), ..most };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, raised).expect("more files");
    let server =
        Running::on_tcp(Patience { head: Duration::from_secs(600), ..Patience::default() });
    let mut known = known(&server);
    let mut idle: Vec<TcpStream> = (0..700).map(|_| server.connect()).collect();
    for stream in idle.iter_mut().step_by(3) {
        // The oldest are closed by now.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
    }
    for _ in 0..50 {
        assert!(server.is_answered());
        idle.push(server.connect());
    }
    // Who was let in before them was not sent away.
    ask_again(&server, &mut known);
    let mut closed = Vec::new();
    // The end, by word or by force, but not the timeout of this test.
    if let Err(error) = idle[0].read_to_end(&mut closed) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
}

#[test]
fn many_clients_at_once_are_all_answered_or_asked_to_come_again() {
    let server = Running::on_tcp(Patience::default());
    while !server.is_ready() {}
    let port = server.port();
    let token = &server.token;
    let until = Instant::now() + Duration::from_secs(2);
    let body = r#"{"width":600,"rows":{"fit":300}}"#;
    let counts = std::thread::scope(|scope| {
        let client = |n: usize| {
            move || {
                let mut counts = [0, 0];
                while Instant::now() < until {
                    let (method, path, body) = match n % 2 {
                        0 => ("POST", "timeline", body),
                        _ => ("GET", "info", ""),
                    };
                    let question = format!(
                        "{method} /api/traces/1/{path} HTTP/1.1\r\nHost: localhost:{port}\r\n\
                         Authorization: Bearer {token}\r\nConnection: close\r\n\
                         Content-Length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
                    stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
                    let answer = ask(&mut stream, &question);
                    match answer.get(9..12) {
                        Some("200") => counts[0] += 1,
                        Some("503") => counts[1] += 1,
                        _ => panic!("{answer:.300}"),
                    }
                }
                counts
            }
        };
        let clients: Vec<_> = (0..200).map(|n| scope.spawn(client(n))).collect();
        // Somebody else, who asks again as often as the answer says.
        while Instant::now() < until {
            assert!(server.is_answered());
        }
        let counts = clients.into_iter().map(|client| client.join().expect("no panic"));
        counts.fold([0, 0], |[a, b], [c, d]| [a + c, b + d])
    });
    assert!(counts[0] >= 200, "{counts:?}");
    assert!(server.is_answered());
}

#[test]
fn heads_have_an_end() {
    let server = Running::on_tcp(Patience::default());
    let head = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(200_000));
    let answer = ask(&mut server.connect(), &head);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert!(server.is_answered());
}

#[test]
fn a_socket_of_the_file_system_answers_and_goes() {
    let mut path = PathBuf::new();
    let mut server = Running::start(
        |folder| {
            path = folder.path().join("onca.socket");
            Place::Unix(path.clone())
        },
        Patience::default(),
    );
    // Behind a tunnel the port may be any.
    for (host, status) in [("localhost:8123", "200"), ("evil.example", "403")] {
        let mut stream = UnixStream::connect(&path).unwrap();
        let answer = ask(&mut stream, &server.question(host));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    }
    server.stop();
    assert!(!path.exists());
}
