//! The socket: who may connect, for how long, and how it ends.

mod patient;
pub(crate) mod unix;
mod visitors;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::guard::Audience;
use crate::site::{Shown, Site};
use patient::Patient;
use unix::SocketFile;
pub use visitors::Visitor;
use visitors::{Seat, Visitors};

/// How long the server waits for the other ends of its connections, and for how many of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Time for the head of a request, from the moment at which the connection is free for it. A
    /// browser opens another one when it has something to ask.
    pub head: Duration,
    /// Time without any progress in writing an answer.
    pub write: Duration,
    /// Connections at a time. For one more, the oldest of those that have not shown the token is
    /// closed; if there is none, the new one is.
    pub connections: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self { head: Duration::from_secs(10), write: Duration::from_secs(30), connections: 512 }
    }
}

/// Bytes of the head of a request.
const MOST_HEAD_BYTES: usize = 64 << 10;
/// Time for what is under way when the server is to end.
const GRACE: Duration = Duration::from_secs(2);

/// Where a server is to listen.
#[derive(Clone, Debug)]
pub enum Place {
    /// On an address of the network; port 0 is any that is free.
    Tcp(SocketAddr),
    /// On a socket in the file system that only the user may open.
    Unix(PathBuf),
}

/// Where a server listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Address {
    /// On an address of the network.
    Tcp(SocketAddr),
    /// On a socket in the file system.
    Unix(PathBuf),
}

#[derive(Debug)]
enum Bound {
    Tcp(std::net::TcpListener),
    Unix { listener: std::os::unix::net::UnixListener, _file: SocketFile },
}

/// A site on a socket.
#[derive(Debug)]
pub struct Server {
    bound: Bound,
    address: Address,
    site: Site,
    patience: Patience,
}

impl Server {
    /// Takes the place, and begins to open the traces. Nobody is answered before it runs.
    pub fn bind(place: Place, shown: Shown) -> io::Result<Self> {
        let (bound, address, audience) = match place {
            Place::Tcp(asked) => {
                let listener = std::net::TcpListener::bind(asked)?;
                listener.set_nonblocking(true)?;
                let address = listener.local_addr()?;
                (Bound::Tcp(listener), Address::Tcp(address), audience_of(address))
            }
            Place::Unix(path) => {
                let (listener, file) = unix::bind(&path)?;
                let audience = Audience { names: Vec::new(), any_number: false, port: None };
                (Bound::Unix { listener, _file: file }, Address::Unix(path), audience)
            }
        };
        Ok(Self {
            bound,
            address,
            site: Site::new(shown, audience)?,
            patience: Patience::default(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The token that lets requests in.
    pub fn token(&self) -> &str {
        self.site.token()
    }

    /// The same with another patience.
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Answers until the user ends it.
    pub fn run(self) -> io::Result<()> {
        self.run_beside(|| true)
    }

    /// The same beside something else that Ctrl-C is for as long as `is_ours` says no.
    pub fn run_beside(self, is_ours: impl Fn() -> bool) -> io::Result<()> {
        self.run_until(async { ended_by_user(is_ours)?.await })
    }

    /// Answers until something happens.
    pub fn run_until(self, end: impl Future<Output = io::Result<()>>) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let ended = runtime.block_on(async {
            let (stop, stopped) = watch::channel(false);
            let listener = Listener::new(&self.bound)?;
            let visitors = Arc::new(Visitors::default());
            let router = self.site.router();
            let accepting = accept(&listener, router, &visitors, self.patience, stopped);
            let ended = tokio::select! {
                () = accepting => Ok(()),
                ended = end => ended,
            };
            // Nobody may be left to hear it.
            let _ = stop.send(true);
            let all = async {
                self.site.stop().await;
                while !visitors.is_empty() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            let _ = tokio::time::timeout(GRACE, all).await;
            ended
        });
        // What still computes is for nobody.
        runtime.shutdown_background();
        ended
    }
}

/// The names of a server on an address. Who lets it listen beyond this machine may call it by the
/// name of the machine.
fn audience_of(address: SocketAddr) -> Audience {
    let own = match address.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let mut names = vec![own];
    if !address.ip().is_loopback() {
        names.push(rustix::system::uname().nodename().to_string_lossy().into_owned());
    }
    let any_number = address.ip().is_unspecified();
    Audience { names, any_number, port: Some(address.port()) }
}

/// Waits for Ctrl-C, or for what a system sends when it shuts down.
fn ended_by_user(is_ours: impl Fn() -> bool) -> io::Result<impl Future<Output = io::Result<()>>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => if is_ours() { return Ok(()) },
                _ = terminate.recv() => return Ok(()),
                _ = hang_up.recv() => return Ok(()),
            }
        }
    })
}

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    fn new(bound: &Bound) -> io::Result<Self> {
        Ok(match bound {
            Bound::Tcp(listener) => Self::Tcp(TcpListener::from_std(listener.try_clone()?)?),
            Bound::Unix { listener, .. } => {
                Self::Unix(UnixListener::from_std(listener.try_clone()?)?)
            }
        })
    }

    async fn accept(&self) -> io::Result<Box<dyn Stream>> {
        Ok(match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Answers are written whole; nothing is won by waiting for more.
                stream.set_nodelay(true)?;
                Box::new(stream)
            }
            Self::Unix(listener) => Box::new(listener.accept().await?.0),
        })
    }
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

async fn accept(
    listener: &Listener,
    router: Router,
    visitors: &Arc<Visitors>,
    patience: Patience,
    stopped: watch::Receiver<bool>,
) {
    loop {
        let Ok(stream) = listener.accept().await else {
            // Such as when there are no file descriptors left: some will be free again.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Some(seat) = visitors.enter(patience.connections) else { continue };
        tokio::spawn(answer(stream, router.clone(), seat, patience, stopped.clone()));
    }
}

/// Answers the requests of one connection. How it ends matters to nobody but the other end.
async fn answer(
    stream: Box<dyn Stream>,
    router: Router,
    seat: Seat,
    patience: Patience,
    mut stopped: watch::Receiver<bool>,
) {
    let visitor = seat.visitor.clone();
    let router = TowerToHyperService::new(router);
    let answering = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(visitor.clone());
        router.call(request)
    });
    let stream = TokioIo::new(Patient::new(stream, patience.write));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(stream, answering);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = seat.visitor.sent_away() => return,
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
