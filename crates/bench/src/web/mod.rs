//! `onca-bench web`: how fast the page and its server are.

mod brush;
pub mod client;
mod crowd;
mod first;
mod page;
mod walk;

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use onca_answer::topology::Platform;
use onca_query::AppearanceSpec;
use onca_serve::{
    Address, KnownPlatform, Memory, Opened, Opening, Place, Server, Shown, SqlShown, TraceSource,
};
use onca_store::Store;
use serde_json::{Value, json};

use onca_program::format::{byte_size, grouped};
use onca_program::read_network;
use onca_program::{Exit, Failure, peak_memory};

use super::measure::{WorkStealing, generate, remove, report};
use super::{CommonArgs, MEMORY, index};
use brush::Brushes;
use client::Target;
use crowd::Crowd;
use first::FirstPictures;
use walk::Walk;

/// Measure the page and its server
///
/// Generates a large trace, indexes it and serves it as "onca view" does. Then it asks for the
/// scenes of a random walk through the trace, asks all views for some windows, lets many clients
/// ask at the same time, and, if there is a Chromium, opens the page in it and moves around. There
/// it also turns a scene in space, of work stealing among processes on 13 clusters. A browser that
/// runs already visits the page as well, with the network of this machine and with a slow one; that
/// needs Node.js.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench web
  onca-bench web --events 4000000 --seconds 5 --no-browser")]
pub struct Args {
    /// Record lines of the generated trace
    #[arg(long, value_name = "N", default_value_t = 49_000_000)]
    events: u64,

    /// Processes of the generated trace, one row each
    #[arg(long, value_name = "N", default_value_t = 700)]
    procs: u32,

    /// Steps of the walk
    #[arg(long, value_name = "N", default_value_t = 200)]
    steps: usize,

    /// Windows that all views are asked for, one view after the other
    #[arg(long, value_name = "N", default_value_t = 30)]
    brushes: usize,

    /// Clients that ask at the same time, each every three seconds
    #[arg(long, value_name = "N", default_value_t = 100)]
    clients: usize,

    /// For how long they ask
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    seconds: u64,

    /// Visits of a browser that runs, over each network
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    visits: u32,

    /// Processes of the scene in space
    #[arg(long, value_name = "N", default_value_t = 2900, value_parser = clap::value_parser!(u32).range(13..=100_000))]
    space_procs: u32,

    /// Tasks of each of them; who has none takes half of those of another
    #[arg(long, value_name = "N", default_value_t = 250)]
    space_tasks: u32,

    /// The browser; by default what ONCA_BROWSER names, or the first Chromium that is found
    #[arg(long, value_name = "PROGRAM")]
    browser: Option<PathBuf>,

    /// Do not open the page
    #[arg(long, conflicts_with = "browser")]
    no_browser: bool,

    #[command(flatten)]
    common: CommonArgs,
}

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let browser = if args.no_browser { None } else { page::find_browser(args.browser.as_deref()) };
    browser.as_ref().map(|_| first::check()).transpose()?;
    let folder = args.common.folder()?;
    let trace = generate(args.events, args.procs, folder.path())?;
    let place = folder.path().join("store.onca");
    let records = index(&trace, &place, MEMORY)?.records;
    remove(&trace)?;
    let (reports, reported) = mpsc::channel();
    let target = serve(&place, Vec::new(), reports)?;
    let opened = |browser: &PathBuf| page::measure(browser, &target, &reported);
    // First: nobody has asked for anything yet.
    let page = browser.as_ref().map(opened).transpose()?;
    let pictured = |browser: &PathBuf| first::measure(browser, &target, args.visits);
    let first = browser.as_ref().map(pictured).transpose()?;
    let cannot = |error: io::Error| Failure::Cannot(format!("bench web: {error}"));
    let walk = walk::measure(&target, args.procs, args.steps).map_err(cannot)?;
    let brushes = brush::measure(&target, args.procs, args.brushes).map_err(cannot)?;
    let crowd = crowd::measure(&target, args.procs, args.clients, args.seconds).map_err(cannot)?;
    let turned = |browser: &PathBuf| measure_space(args, browser, folder.path());
    let space = browser.as_ref().map(turned).transpose()?;
    let peak = peak_memory("self");
    let measured = Measured { records, page, first, space, walk, brushes, crowd, peak };
    report(args.common.json, || measured.json(), |out| measured.print(out))
}

/// Turns a scene in space, on a page of a server of its own: where there is a network, the page does
/// that.
fn measure_space(args: &Args, browser: &Path, folder: &Path) -> Result<Value, Failure> {
    let run = WorkStealing::generate(args.space_procs, args.space_tasks, folder)?;
    let place = folder.join("space.onca");
    index(&run.trace, &place, MEMORY)?;
    remove(&run.trace)?;
    let platform = Platform { network: read_network(&run.network)?, ..Platform::default() };
    let (reports, reported) = mpsc::channel();
    let known = KnownPlatform { platform, flags: Vec::new() };
    let target = serve(&place, vec![known], reports)?;
    page::measure(browser, &target, &reported)
}

/// Serves a store until the program ends.
fn serve(
    place: &Path,
    platforms: Vec<KnownPlatform>,
    reports: mpsc::Sender<Value>,
) -> Result<Target, Failure> {
    let store = place.to_owned();
    let open = move |_: &Opening<'_>| {
        let store = Store::open(&store).map_err(|error| error.to_string())?;
        Ok(Opened { store, files: Vec::new(), unit: None, temporary: None })
    };
    let shown = Shown {
        traces: vec![TraceSource { path: place.to_owned(), open: Box::new(open) }],
        platforms,
        source_dirs: Vec::new(),
        openable: None,
        memory: Box::new(NoMemory),
        sql: SqlShown::default(),
        reports: Some(reports),
    };
    let cannot = |error: io::Error| Failure::Cannot(format!("cannot serve: {error}"));
    let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(Place::Tcp(free), shown).map_err(cannot)?;
    let Address::Tcp(address) = *server.address() else {
        return Err(Failure::Cannot("the server has no port".to_owned()));
    };
    let target = Target { address, token: server.token().to_owned() };
    thread::spawn(move || server.run());
    Ok(target)
}

/// Nobody has chosen colours: every machine draws the same.
struct NoMemory;

impl Memory for NoMemory {
    fn recall(&self, _: &str) -> Result<Option<AppearanceSpec>, String> {
        Ok(None)
    }

    fn remember(&self, _: &str, _: &AppearanceSpec) -> Result<(), String> {
        Ok(())
    }
}

/// What was measured.
struct Measured {
    records: u64,
    /// What the page says; none without a browser.
    page: Option<Value>,
    /// When the trace is seen in a browser that runs.
    first: Option<FirstPictures>,
    /// What it says while a scene in space is turned.
    space: Option<Value>,
    walk: Walk,
    brushes: Brushes,
    crowd: Crowd,
    peak: Option<u64>,
}

impl Measured {
    fn json(&self) -> Value {
        json!({
            "schema": "onca-bench-web/1",
            "records": self.records,
            "page": self.page,
            "first_pictures": self.first.as_ref().map(FirstPictures::json),
            "space": self.space,
            "walk": self.walk.json(),
            "brushes": self.brushes.json(),
            "clients": self.crowd.json(),
            "peak_rss_bytes": self.peak,
        })
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{} records", grouped(self.records))?;
        match &self.page {
            None => writeln!(out, "page            not measured: no browser was found or wanted")?,
            Some(page) => print_page(out, page)?,
        }
        if let Some(first) = &self.first {
            first.print(out)?;
        }
        if let Some(space) = &self.space {
            writeln!(out, "a scene in space, turned")?;
            print_page(out, space)?;
        }
        let Walk { times, most_bytes, .. } = &self.walk;
        writeln!(
            out,
            "walk            {} scenes, median {:.1} ms, 99 % within {:.1} ms, at most {} each",
            grouped(times.len() as u64),
            times.median_ms(),
            times.within_ms(0.99),
            byte_size(*most_bytes as u64),
        )?;
        self.brushes.print(out)?;
        let Crowd { times, sent_away, failed, clients, .. } = &self.crowd;
        writeln!(
            out,
            "{clients} clients     {} answers, 99 % within {:.1} ms, {} sent away, {} failed",
            grouped(times.len() as u64),
            times.within_ms(0.99),
            grouped(*sent_away),
            grouped(*failed),
        )?;
        let peak = self.peak.map_or("not known".to_owned(), byte_size);
        writeln!(out, "peak memory     {peak}, clients included")
    }
}

fn print_page(out: &mut impl Write, page: &Value) -> io::Result<()> {
    let number = |name: &str| page[name].as_f64().unwrap_or(f64::NAN);
    writeln!(
        out,
        "fresh browser   first picture {:.0} ms after the page was asked for",
        number("first_picture_ms")
    )?;
    writeln!(
        out,
        "frames          {} moves, scripting median {:.1} ms, 99 % within {:.1} ms; {} draw calls, {} vertices",
        number("frames"),
        number("frame_median_ms"),
        number("frame_p99_ms"),
        number("draw_calls"),
        grouped(number("vertices") as u64),
    )?;
    writeln!(
        out,
        "apart           median {:.0} ms, 99 % within {:.0} ms",
        number("interval_median_ms"),
        number("interval_p99_ms"),
    )
}

/// Times in order.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    /// The time within which this many of them lie; 0 if there are none.
    fn within_ms(&self, share: f64) -> f64 {
        let place = (self.0.len() as f64 * share).ceil() as usize;
        let time = self.0.get(place.saturating_sub(1)).copied().unwrap_or_default();
        super::measure::milliseconds(time)
    }

    fn median_ms(&self) -> f64 {
        self.within_ms(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_times_are_counted_from_the_shortest() {
        let times = Times::new((1..=100).rev().map(Duration::from_millis).collect());
        assert_eq!((times.median_ms(), times.within_ms(0.99)), (50.0, 99.0));
        assert_eq!(Times::default().median_ms(), 0.0);
    }
}
