//! `onca-bench topology`: how long networks and scenes in space take.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use onca_answer::columns::ColumnCache;
use onca_answer::topology::{Platform, Routing, TopologyAnswer};
use onca_query::{Appearance, Lens, Scope};
use onca_scene::{BaseKind, BaseNode};
use onca_store::Store;
use onca_views::Theme;
use onca_views::solid::{self, Base, SolidDrawn, SolidOptions, Stage};
use serde_json::{Value, json};

use onca_program::format::{byte_size, grouped};
use onca_program::read_network;
use onca_program::{Exit, Failure, peak_memory};

use crate::measure::{WHOLE, WorkStealing, milliseconds, remove, report, timed};
use crate::{CommonArgs, MEMORY, index};

/// Measure how long networks and scenes in space take
///
/// Generates work stealing among processes on 13 clusters, indexes it, sends its messages over the
/// network, and makes a scene of each base. Indexing does not count.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench topology
  onca-bench topology --procs 500 --tasks 20")]
pub struct Args {
    /// Processes of the generated trace
    #[arg(long, value_name = "N", default_value_t = 2900, value_parser = clap::value_parser!(u32).range(13..=100_000))]
    procs: u32,

    /// Tasks of each process; who has none takes half of those of another
    #[arg(long, value_name = "N", default_value_t = 250)]
    tasks: u32,

    #[command(flatten)]
    common: CommonArgs,
}

/// What a page needs at most for a box, an arrow, and anything on the base.
const BOX_VERTICES: usize = 24;
const ARROW_VERTICES: usize = 16;
const FLAT_VERTICES: usize = 4;

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = args.common.folder()?;
    let run = WorkStealing::generate(args.procs, args.tasks, folder.path())?;
    let place = folder.path().join("store.onca");
    index(&run.trace, &place, MEMORY)?;
    remove(&run.trace)?;
    let found = measure(&place, &run.network)?;
    report(args.common.json, || found.json(), |out| found.print(out))
}

/// A scene and how long it took.
struct Made {
    base: Base,
    time: Duration,
    nodes: usize,
    boxes: usize,
    arrows: usize,
    vertices: usize,
}

/// What was measured.
struct Found {
    processes: usize,
    answer: TopologyAnswer,
    routing: Duration,
    scenes: Vec<Made>,
}

fn measure(place: &Path, network: &Path) -> Result<Found, Failure> {
    let store = Store::open(place)?;
    let window = WHOLE.window(&store.catalog().facts);
    let scope = Scope::new(&store, &Lens::clear(), window)?;
    let looks = Appearance::new(store.catalog(), &Lens::clear(), None)?;
    let platform = Platform { network: read_network(network)?, ..Platform::default() };
    let (routing, answer) = timed(|| Ok(platform.traffic(&scope, Routing::Hops)?))?;
    let mut scenes = Vec::new();
    let mut processes = 0;
    for base in [Base::Graph, Base::Topology, Base::Treemap] {
        let options = SolidOptions { base, ..SolidOptions::default() };
        // Nothing is remembered from one base to the next.
        let cache = ColumnCache::default();
        let stage = Stage { height: 600.0, theme: Theme::Light };
        let made = || Ok(solid::scene(&scope, &looks, Some(&platform), stage, &options, &cache)?);
        let (time, drawn) = timed(made)?;
        let is_container = |node: &&BaseNode| node.kind == BaseKind::Container;
        processes = drawn.solid.nodes.iter().filter(is_container).count();
        scenes.push(Made::new(base, time, &drawn));
    }
    Ok(Found { processes, answer, routing, scenes })
}

impl Made {
    fn new(base: Base, time: Duration, drawn: &SolidDrawn) -> Self {
        let solid = &drawn.solid;
        let flat = solid.nodes.len() + solid.cells.len() + solid.cables.len() + solid.edges.len();
        Self {
            base,
            time,
            nodes: solid.nodes.len(),
            boxes: solid.boxes.len(),
            arrows: solid.arrows.len(),
            vertices: BOX_VERTICES * solid.boxes.len()
                + ARROW_VERTICES * solid.arrows.len()
                + FLAT_VERTICES * flat,
        }
    }

    fn json(&self) -> Value {
        json!({
            "base": self.base.name(),
            "ms": milliseconds(self.time),
            "nodes": self.nodes,
            "boxes": self.boxes,
            "arrows": self.arrows,
            "vertices": self.vertices,
        })
    }
}

impl Found {
    fn json(&self) -> Value {
        json!({
            "schema": "onca-bench-topology/1",
            "processes": self.processes,
            "links": self.answer.links.len(),
            "messages": self.answer.totals.routed + self.answer.totals.local,
            "routing_ms": milliseconds(self.routing),
            "scenes": self.scenes.iter().map(Made::json).collect::<Vec<_>>(),
            "peak_rss_bytes": peak_memory("self"),
        })
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let totals = &self.answer.totals;
        writeln!(
            out,
            "{} messages among {} processes, {} network links",
            grouped(totals.routed + totals.local),
            grouped(self.processes as u64),
            grouped(self.answer.links.len() as u64)
        )?;
        writeln!(out, "routing          {:>8.0} ms", milliseconds(self.routing))?;
        for made in &self.scenes {
            writeln!(
                out,
                "scene: {:<10}{:>8.0} ms, {} boxes, {} arrows, at most {} vertices",
                made.base.name(),
                milliseconds(made.time),
                grouped(made.boxes as u64),
                grouped(made.arrows as u64),
                grouped(made.vertices as u64)
            )?;
        }
        if let Some(bytes) = peak_memory("self") {
            writeln!(out, "memory           {:>11}", byte_size(bytes))?;
        }
        Ok(())
    }
}
