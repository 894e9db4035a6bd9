//! `onca view`: traces in the browser.

pub(super) mod browser;
mod opening;

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use onca_query::AppearanceSpec;
use onca_read::Source;
use onca_serve::{
    Address, Inside, KnownPlatform, Memory, Opened, Opening, Place, Server, Shown, SqlShown,
    TraceSource,
};

use crate::follow::{FollowArgs, FollowedTrace};
use crate::join::{JoinArgs, Joining};
use crate::platform::PlatformArgs;
use crate::remembered;
use crate::sql;
use crate::trace::{OpenTrace, ReadArgs, TraceArgs, is_store, refuse_datasets, trace_path};
use onca_program::format::shown;
use onca_program::{Exit, Failure, written};
use opening::OpeningArgs;

/// Show traces in the browser
///
/// A server on this machine answers the page, and nobody without its token. It prints its address
/// and opens a browser there. Ctrl-C ends it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca view run.paje
  onca view before.paje after.paje --source-dir ~/src/app
  onca view app.paje gpu.json --join --offset gpu.json=-1.5s
  onca view run.paje --no-open --port 8123     then, on your laptop: ssh -L 8123:127.0.0.1:8123 HOST
  onca view --follow run.paje                   while it is written
  onca view run.paje --topology net.dot
  onca view --allow ~/traces     the page lists what can be opened
  onca view run.paje --unix-socket ~/onca.socket")]
pub struct Args {
    /// Traces, or directories of stores
    #[arg(value_name = "TRACE", value_parser = trace_path())]
    traces: Vec<PathBuf>,

    #[command(flatten)]
    join: JoinArgs,

    #[command(flatten)]
    follow: FollowArgs,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    /// Begin with this view: what stands after # in an address of the page
    #[arg(long, value_name = "VIEW", value_parser = parse_view)]
    at: Option<String>,

    #[command(flatten)]
    place: PlaceArgs,

    /// Let the page show files of source code below this folder; may be given several times
    #[arg(long, value_name = "DIR")]
    source_dir: Vec<PathBuf>,

    #[command(flatten)]
    opening: OpeningArgs,

    #[command(flatten)]
    platform: PlatformArgs,

    #[command(flatten)]
    read: ReadArgs,
}

/// A part of an address: it is printed, and written into a page that leads to the address.
fn parse_view(text: &str) -> Result<String, String> {
    let is_fine = |c: char| c.is_ascii_graphic() && !"\"'<>`\\".contains(c);
    match text.chars().all(is_fine) {
        true => Ok(text.trim_start_matches('#').to_owned()),
        false => Err("write what stands after # in an address of the page".to_owned()),
    }
}

/// Where the server listens.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct PlaceArgs {
    /// Listen on this port; by default on one that a trace always has, or else on any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Listen on this address, so that others can connect. Nothing is encrypted: better use ssh -L
    #[arg(long, value_name = "ADDRESS")]
    bind: Option<IpAddr>,

    /// Listen on a socket in the file system that only you can open
    #[arg(long, value_name = "PATH", conflicts_with_all = ["port", "bind"])]
    unix_socket: Option<PathBuf>,
}

impl PlaceArgs {
    fn place(&self) -> Place {
        match &self.unix_socket {
            Some(path) => Place::Unix(path.clone()),
            None => {
                let address = self.bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
                Place::Tcp(SocketAddr::new(address, self.port))
            }
        }
    }

    fn name(&self) -> String {
        match self.place() {
            Place::Tcp(address) => address.to_string(),
            Place::Unix(path) => shown(&path),
        }
    }
}

/// Shows traces until the user ends it.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if let Some(joining) = args.join.joining(&args.traces, &args.read)? {
        joining.check()?;
        return show(args.shown(vec![joined(joining)?])?, &args.place, args.start());
    }
    if args.traces.is_empty() && args.opening.allow.is_empty() {
        let message = "name a trace, such as \"onca view run.paje\", or a folder with --allow; \
                       \"onca demo\" shows one";
        return Err(Failure::Cannot(message.to_owned()));
    }
    if args.follow.follow {
        let traces = vec![followed(&args.traces, &args.read, &args.follow)?];
        return show(args.shown(traces)?, &args.place, args.start());
    }
    args.traces.iter().try_for_each(|trace| check(trace))?;
    if args.traces.iter().filter(|trace| is_stream(trace)).count() > 1 {
        return Err(Failure::Cannot("standard input can be read only once".to_owned()));
    }
    let traces = args.traces.iter().map(|trace| source(trace, &args.read)).collect();
    show(args.shown(traces)?, &args.place, args.start())
}

/// What a person sees first.
#[derive(Clone, Copy)]
struct Start<'a> {
    /// A browser is opened.
    opens: bool,
    /// What stands after `#` in the address.
    view: Option<&'a str>,
}

impl Args {
    fn start(&self) -> Start<'_> {
        Start { opens: !self.no_open, view: self.at.as_deref() }
    }

    fn platforms(&self) -> Result<Vec<KnownPlatform>, Failure> {
        let known = |platform| KnownPlatform { platform, flags: self.platform.flags() };
        Ok(self.platform.named()?.map(known).into_iter().collect())
    }

    fn shown(&self, traces: Vec<TraceSource>) -> Result<Shown, Failure> {
        Ok(Shown {
            traces,
            platforms: self.platforms()?,
            source_dirs: self.source_dir.clone(),
            openable: self.opening.openable(&self.read)?,
            memory: Box::new(Remembered),
            sql: sql_of(&self.read),
            reports: None,
        })
    }
}

fn sql_of(read: &ReadArgs) -> SqlShown {
    SqlShown { program: sql::program(), memory: read.memory as u64 }
}

/// Shows one trace and opens the browser.
pub fn open(trace: &Path, read: &ReadArgs, place: &PlaceArgs) -> Result<Exit, Failure> {
    show(alone(source(trace, read), read)?, place, Start { opens: true, view: None })
}

/// The page of one trace for the program that this is part of.
pub fn inside(trace: &Path) -> Result<Inside, Failure> {
    let read = ReadArgs::default();
    let trace = TraceArgs { trace: trace.to_owned(), read: read.clone() }.open_unwatched()?;
    let path = trace.path().to_owned();
    let source = TraceSource { path, open: Box::new(|_| opened(Ok(trace), None)) };
    Inside::new(Shown { openable: None, ..alone(source, &read)? })
        .map_err(|error| Failure::Cannot(format!("the page cannot be shown: {error}")))
}

/// Shows what a program records in a folder until the flag is set, and then its whole trace. Before, Ctrl-C is for
/// the program.
pub fn open_running(
    folder: &Path,
    ended: Arc<AtomicBool>,
    read: &ReadArgs,
    place: &PlaceArgs,
) -> Result<Exit, Failure> {
    let viewed = FollowedTrace::of_run(folder, Arc::clone(&ended), read)?;
    let shown = alone(opened_as_it_grows(folder, viewed), read)?;
    let is_ours = move || ended.load(Ordering::Acquire);
    show_beside(shown, place, Start { opens: true, view: None }, is_ours)
}

/// One trace, with nothing that belongs to others.
fn alone(trace: TraceSource, read: &ReadArgs) -> Result<Shown, Failure> {
    Ok(Shown {
        traces: vec![trace],
        platforms: Vec::new(),
        source_dirs: Vec::new(),
        openable: OpeningArgs::default().openable(read)?,
        memory: Box::new(Remembered),
        sql: sql_of(read),
        reports: None,
    })
}

fn is_stream(trace: &Path) -> bool {
    Source::new(trace).is_stream()
}

/// What can be said of a trace before it is read.
fn check(trace: &Path) -> Result<(), Failure> {
    if is_store(trace) {
        return refuse_datasets(trace);
    }
    Source::new(trace).check().map_err(|error| Failure::Cannot(error.to_string()))
}

fn source(trace: &Path, read: &ReadArgs) -> TraceSource {
    let mut args = TraceArgs { trace: trace.to_owned(), read: read.clone() };
    let open = move |opening: &Opening<'_>| {
        args.read.progress = Arc::clone(opening.progress());
        opened(args.open_unwatched(), args.read.unit.clone())
    };
    TraceSource { path: trace.to_owned(), open: Box::new(open) }
}

/// A trace that is shown while it is written.
fn followed(
    traces: &[PathBuf],
    read: &ReadArgs,
    follow: &FollowArgs,
) -> Result<TraceSource, Failure> {
    let [trace] = traces else {
        return Err(Failure::Cannot("only one trace can be followed at a time".to_owned()));
    };
    Ok(opened_as_it_grows(trace, FollowedTrace::new(trace, read, follow)?))
}

fn opened_as_it_grows(trace: &Path, viewed: FollowedTrace) -> TraceSource {
    let open = move |opening: &Opening<'_>| viewed.open(opening).map_err(|failure| said(&failure));
    TraceSource { path: trace.to_owned(), open: Box::new(open) }
}

/// Several sources as one trace. Commands that the page shows name its store.
fn joined(joining: Joining) -> Result<TraceSource, Failure> {
    let path = joining.default_place()?;
    let open =
        |opening: &Opening<'_>| opened(joining.with_progress(opening.progress()).open(), None);
    Ok(TraceSource { path, open: Box::new(open) })
}

fn opened(trace: Result<OpenTrace, Failure>, unit: Option<String>) -> Result<Opened, String> {
    let open = trace.map_err(|failure| said(&failure))?;
    open.mention_problems();
    let (store, files, temporary) = open.into_parts();
    Ok(Opened { store, files, unit, temporary })
}

fn said(failure: &Failure) -> String {
    failure.message().unwrap_or("the trace cannot be read; the terminal says why").to_owned()
}

/// The looks in the user's settings.
pub struct Remembered;

impl Memory for Remembered {
    fn recall(&self, key: &str) -> Result<Option<AppearanceSpec>, String> {
        remembered::recall(key).map_err(|failure| said(&failure))
    }

    fn remember(&self, key: &str, appearance: &AppearanceSpec) -> Result<(), String> {
        remembered::remember(key, appearance).map(|_| ()).map_err(|failure| said(&failure))
    }
}

/// Ports that a trace has for itself are among these: below those that systems hand out.
const STABLE_PORTS: Range<u16> = 20_000..32_000;

/// The port that a trace has whenever it is free, so that addresses stay good and a tunnel can stay open.
fn stable_port(trace: &Path) -> u16 {
    let path = trace.canonicalize().unwrap_or_else(|_| trace.to_owned());
    // FNV-1a: the same on every machine and in every version.
    let hash =
        path.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    STABLE_PORTS.start + (hash % STABLE_PORTS.len() as u64) as u16
}

/// Where to listen: on the port of the first trace, if nobody asked for another and it is free.
fn place_for(shown: &Shown, place: &PlaceArgs) -> Place {
    match (place.place(), shown.traces.first()) {
        (Place::Tcp(address), Some(trace)) if address.port() == 0 => {
            let stable = SocketAddr::new(address.ip(), stable_port(&trace.path));
            Place::Tcp(if TcpListener::bind(stable).is_ok() { stable } else { address })
        }
        (asked, _) => asked,
    }
}

fn show(shown: Shown, place: &PlaceArgs, start: Start<'_>) -> Result<Exit, Failure> {
    show_beside(shown, place, start, || true)
}

/// The same beside something else that Ctrl-C is for as long as `is_ours` says no.
fn show_beside(
    shown: Shown,
    place: &PlaceArgs,
    start: Start<'_>,
    is_ours: impl Fn() -> bool,
) -> Result<Exit, Failure> {
    let server = Server::bind(place_for(&shown, place), shown)
        .map_err(|error| Failure::Cannot(format!("cannot listen on {}: {error}", place.name())))?;
    warn(server.address());
    let fragment = start.view.map_or_else(String::new, |view| format!("#{view}"));
    written(print_address(&server, &fragment))?;
    let url = url_of(&server).map(|url| url + &fragment);
    // The page that leads to the address is there as long as the server is.
    let _page = start.opens.then(|| url.as_deref().and_then(browser::open)).flatten();
    let ended = server.run_beside(is_ours);
    ended.map_err(|error| Failure::Cannot(format!("the server failed: {error}")))?;
    Ok(Exit::Fine)
}

fn warn(address: &Address) {
    let Address::Tcp(address) = address else { return };
    if !address.ip().is_loopback() {
        eprintln!(
            "warning: EVERYBODY WHO CAN REACH {address} CAN TRY TO CONNECT, AND NOTHING IS \
             ENCRYPTED.\nwarning: who listens on the network can read the token and the trace; \
             \"ssh -L\" without --bind is safe"
        );
    }
}

/// The address for a browser on this machine; none for sockets in the file system.
fn url_of(server: &Server) -> Option<String> {
    match server.address() {
        Address::Unix(_) => None,
        Address::Tcp(address) => {
            let mut address = *address;
            if address.ip().is_unspecified() {
                address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
            }
            Some(format!("http://{address}/?token={}", server.token()))
        }
    }
}

/// The port on the side of the user, where there is none on ours.
const NEAR_PORT: u16 = 8123;

fn print_address(server: &Server, fragment: &str) -> io::Result<()> {
    let machine = rustix::system::uname();
    let machine = machine.nodename().to_string_lossy();
    let mut out = io::stdout().lock();
    match server.address() {
        Address::Tcp(address) => {
            let port = address.port();
            writeln!(out, "{}{fragment}", url_of(server).unwrap_or_default())?;
            if address.ip().is_loopback() {
                writeln!(out, "from another machine first: ssh -L {port}:{address} {machine}")?;
            }
        }
        Address::Unix(path) => {
            let path = shown(path);
            writeln!(out, "http://localhost:{NEAR_PORT}/?token={}{fragment}", server.token())?;
            writeln!(out, "from any machine first: ssh -L {NEAR_PORT}:{path} {machine}")?;
        }
    }
    writeln!(out, "Ctrl-C ends it")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_part_of_an_address() {
        assert_eq!(parse_view("#rows=18&window=0-5"), Ok("rows=18&window=0-5".to_owned()));
        assert!(parse_view("a\"><script>").is_err());
        assert!(parse_view("two words").is_err());
    }

    #[test]
    fn a_trace_keeps_its_port() {
        let port = stable_port(Path::new("/nowhere/run.paje"));
        assert!(STABLE_PORTS.contains(&port));
        assert_eq!(port, stable_port(Path::new("/nowhere/run.paje")));
        assert_ne!(port, stable_port(Path::new("/nowhere/other.paje")));
    }
}
