//! `onca topology`: how much crosses each link of a network.

use std::cmp::Reverse;
use std::io::{self, Write};

use onca_answer::topology::{LinkLoad, Network, TopologyAnswer};
use onca_query::{Scope, container_path};

use crate::look::LookArgs;
use crate::platform::PlatformArgs;
use crate::trace::TraceArgs;
use onca_program::format::{byte_size, count_of, grouped};
use onca_program::table::{Cell, FormArgs, Table};
use onca_program::{Exit, Failure, print, say, write_json};
use onca_views::options::RoutingName;

/// Links that people see unless they want all.
const MOST_LINKS: usize = 30;
/// Names that a warning repeats.
const MOST_NAMES: usize = 5;

/// Send the messages of a trace over a network: load of every link, hops, traffic between sites
///
/// Containers run where --map says, else on the machine of their name, else where the container around them
/// runs. Messages take the shortest way; of equally short ones always the same.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca topology run.paje --topology net.dot
  onca topology run.paje --topology net.dot --map places.csv --routing latency
  onca topology simulated.trace --from 1s --to 2s --csv")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    #[command(flatten)]
    platform: PlatformArgs,

    /// What makes a way short
    #[arg(long, value_enum, value_name = "BY", default_value_t, help_heading = "Network")]
    routing: RoutingName,

    /// List all links, not only the busiest
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = args.trace.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    let platform = args.platform.needed(&trace.store)?;
    let routing = args.routing.routing();
    let answer = platform.traffic(&scope, routing)?;
    warn(&scope, &platform.network, &answer);
    print(|out| match (args.form.json, args.form.csv) {
        (true, _) => write_json(out, &answer.json(&scope, &platform.network, routing)),
        (_, true) => links_table(&answer, answer.links.iter()).write_csv(out, args.form),
        _ => write_text(&answer, &platform.network, args.all, out),
    })?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

/// Says what the answer leaves out.
fn warn(scope: &Scope<'_>, network: &Network, answer: &TopologyAnswer) {
    let path = |id: &onca_model::ContainerId| container_path(&scope.catalog().containers, *id);
    let homeless: Vec<String> = answer.without_place.iter().map(path).collect();
    tell(&homeless, "container", "on no known machine; --map tells where they run");
    let empty = answer.empty_hosts.iter().map(|node| network.nodes()[*node].name.clone());
    tell(&empty.collect::<Vec<_>>(), "machine", "without containers");
    for (n, what) in [
        (answer.totals.without_place, "with an end on no known machine"),
        (answer.totals.without_route, "between machines that nothing joins"),
    ] {
        if n > 0 {
            say!("warning: {} {what}: counted nowhere", count_of(n, "message"));
        }
    }
}

fn tell(names: &[String], noun: &str, what: &str) {
    if names.is_empty() {
        return;
    }
    let more = if names.len() > MOST_NAMES { ", ..." } else { "" };
    let some = names[..names.len().min(MOST_NAMES)].join(", ");
    say!("warning: {} {what}: {some}{more}", count_of(names.len() as u64, noun));
}

fn write_text(
    answer: &TopologyAnswer,
    network: &Network,
    all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let totals = &answer.totals;
    writeln!(
        out,
        "{}: {} routed ({}), {} within a machine",
        onca_model::printable(network.name.as_bytes()),
        count_of(totals.routed, "message"),
        byte_size(totals.bytes),
        grouped(totals.local)
    )?;
    let mut busiest: Vec<&LinkLoad> = answer.links.iter().collect();
    busiest.sort_by_key(|link| Reverse((link.bytes, link.messages)));
    let shown = if all { busiest.len() } else { busiest.len().min(MOST_LINKS) };
    writeln!(out)?;
    links_table(answer, busiest[..shown].iter().copied()).write_text(out)?;
    if shown < busiest.len() {
        let rest = (busiest.len() - shown) as u64;
        writeln!(out, "and {} less busy; --all lists them", count_of(rest, "link"))?;
    }
    writeln!(out)?;
    let mut hops = Table::new(&["#hops", "#messages", "#share"]);
    let whole = answer.hops.iter().sum::<u64>().max(1);
    for (n, &count) in answer.hops.iter().enumerate().filter(|(_, count)| **count > 0) {
        let share = Some(count as f64 / whole as f64);
        hops.push(vec![Cell::count(n as u64), Cell::count(count), Cell::share(share)]);
    }
    hops.write_text(out)?;
    if !answer.sites.is_empty() {
        writeln!(out)?;
        let mut sites = Table::new(&["from", "to", "#messages", "#bytes"]);
        for one in &answer.sites {
            sites.push(vec![
                Cell::name(one.from.as_bytes()),
                Cell::name(one.to.as_bytes()),
                Cell::count(one.messages),
                bytes(one.bytes),
            ]);
        }
        sites.write_text(out)?;
    }
    Ok(())
}

fn bytes(bytes: u64) -> Cell {
    Cell::number(byte_size(bytes), bytes)
}

fn links_table<'a>(answer: &TopologyAnswer, links: impl Iterator<Item = &'a LinkLoad>) -> Table {
    let mut table = Table::new(&["link", "#messages", "#bytes", "#bandwidth", "#latency", "#load"]);
    for link in links {
        let per_second = link.capacity.bandwidth.map_or_else(Cell::none, |bandwidth| {
            Cell::number(format!("{}/s", byte_size(bandwidth as u64)), bandwidth)
        });
        let latency = link.capacity.latency.map_or_else(Cell::none, |latency| {
            Cell::number(format!("{:.0} µs", latency * 1e6), latency)
        });
        table.push(vec![
            Cell::name(link.name.as_bytes()),
            Cell::count(link.messages),
            bytes(link.bytes),
            per_second,
            latency,
            Cell::share(answer.load(link)),
        ]);
    }
    table
}
