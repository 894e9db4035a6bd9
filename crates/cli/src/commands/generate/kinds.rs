//! The kinds of traces, and the options of each.

use std::path::PathBuf;

use onca_generate::pattern::Pattern;
use onca_generate::{Place, SlowRoute, hierarchy, iterative};

use super::parse::{
    parse_burst, parse_checkpoint, parse_level, parse_slow_link, parse_slow_node, parse_ticks,
    parse_times, pattern_parser,
};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Kind {
    Hierarchy(HierarchyArgs),
    Pattern(PatternArgs),
    Iterative(IterativeArgs),
    Program(ProgramArgs),
    Threads(ThreadsArgs),
    Many(ManyArgs),
    Demo(DemoArgs),
}

/// A tree of containers whose leaves share their time between states by a cosine
///
/// Leaf k of n maps to x in [0, MAX]. It spends (cos x + 1)/2 of the run in the first state and shares the rest
/// equally between the others.
#[derive(Debug, clap::Args)]
pub(super) struct HierarchyArgs {
    /// Names and branching factors from the top to the leaves
    #[arg(
        long,
        value_name = "NAME:N",
        value_delimiter = ',',
        value_parser = parse_level,
        default_value = "Site:4,Cluster:3,Machine:8,Processor:4"
    )]
    pub(super) levels: Vec<hierarchy::Level>,

    /// Names of the states, at least two
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "running,blocked")]
    pub(super) states: Vec<String>,

    /// How long every leaf runs, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_ticks, default_value = "100")]
    pub(super) duration: i64,

    /// The x of the last leaf, in radians; a whole turn by default
    #[arg(long, value_name = "RADIANS", default_value_t = std::f64::consts::TAU)]
    pub(super) max: f64,
}

/// Processes that communicate in a known pattern
#[derive(Debug, clap::Args)]
pub(super) struct PatternArgs {
    /// Who talks to whom
    #[arg(value_name = "PATTERN", default_value = "ring", value_parser = pattern_parser())]
    pub(super) pattern: Pattern,

    /// Number of processes
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(super) procs: u32,

    /// Repetitions of the pattern; tasks per process for master-worker and work-stealing
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) rounds: u32,

    /// Children of each process in hierarchical-star
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) children: u32,

    /// How long every message travels, in seconds; what the network needs by default
    #[arg(long, value_name = "SECONDS", value_parser = parse_ticks)]
    pub(super) travel: Option<i64>,

    /// By how many percent the times of computing differ at most; 0 for equal ones
    #[arg(long, value_name = "PERCENT", default_value_t = 20)]
    pub(super) jitter: u32,

    /// Plant a process (from 0) that computes FACTOR (2 by default) times as long as the others
    #[arg(long, value_name = "RANK[:FACTOR]", value_parser = parse_times("rank-"))]
    pub(super) slow_process: Option<(u32, f64)>,

    /// The name of the type of links
    #[arg(long, value_name = "NAME", default_value = "Message")]
    pub(super) link_name: String,

    /// The values of links: each stage of a round takes the next one
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "PTP")]
    pub(super) link_values: Vec<String>,

    #[command(flatten)]
    pub(super) place: PlaceArgs,

    #[command(flatten)]
    pub(super) load: LoadArgs,
}

/// A run of equal iterations, with planted perturbations
///
/// An init phase, a transition, then iterations of compute, send, wait and allreduce until about the given number of
/// record lines is written. An iteration takes little more than the compute time.
#[derive(Debug, clap::Args)]
pub(super) struct IterativeArgs {
    /// Number of processes
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(super) procs: u32,

    /// About how many record lines to write
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub(super) events: u64,

    /// Make this many iterations, whatever they write
    #[arg(long, value_name = "N", conflicts_with = "events")]
    pub(super) iterations: Option<u64>,

    /// After so many iterations all write what they have, in STEPS steps that end with a barrier, FACTOR times as long as iterations
    #[arg(long, value_name = "AFTER:STEPS[:FACTOR]", value_parser = parse_checkpoint)]
    pub(super) checkpoint: Option<iterative::Checkpoint>,

    /// Neighbours are those in a ring, not those in a grid
    #[arg(long)]
    pub(super) ring: bool,

    /// Plant a machine (from 1) that computes FACTOR (2 by default) times as long, always or from T0 to T1 seconds
    #[arg(long, value_name = "MACHINE[:FACTOR[:T0:T1]]", value_parser = parse_slow_node)]
    pub(super) slow_node: Option<iterative::SlowNode>,

    /// Plant a burst: from T0 to T1 seconds a SHARE (0 to 1) of the processes computes FACTOR (2 by default) times
    /// as long; may be repeated
    #[arg(long = "burst", value_name = "T0:T1:SHARE[:FACTOR]", value_parser = parse_burst)]
    pub(super) bursts: Vec<iterative::Burst>,

    /// Plant a process (from 0) with FACTOR (2 by default) times as many computations
    #[arg(long, value_name = "RANK[:FACTOR]", value_parser = parse_times("rank-"))]
    pub(super) more_work: Option<(u32, f64)>,

    /// Plant a slow link: messages between A and B, or between A and all others, travel FACTOR times as long. A and B are machines
    /// (3 or machine-3) or clusters (cluster-2)
    #[arg(long, value_name = "A[,B]:FACTOR", value_parser = parse_slow_link)]
    pub(super) slow_link: Option<SlowRoute>,

    /// Plant an iteration (from 0) in which all compute FACTOR (2 by default) times as long
    #[arg(long, value_name = "N[:FACTOR]", value_parser = parse_times(""))]
    pub(super) slow_iteration: Option<(u32, f64)>,

    /// Let process 0 hand something out in every iteration, for which it first computes this share of an iteration
    #[arg(long, value_name = "SHARE")]
    pub(super) late_root: Option<f64>,

    /// By how many percent the times of computing differ at most
    #[arg(long, value_name = "PERCENT", default_value_t = 10)]
    pub(super) noise: u32,

    /// Write what was planted to FILE, as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) truth: Option<PathBuf>,

    #[command(flatten)]
    pub(super) place: PlaceArgs,

    #[command(flatten)]
    pub(super) load: LoadArgs,
}

/// A random program that passes messages, with an account of who waits for whom
///
/// Processes compute for random times, and meet in messages and collective operations. --truth tells every wait, to the tick.
#[derive(Debug, clap::Args)]
pub(super) struct ProgramArgs {
    /// Number of processes
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(super) procs: u32,

    /// How often some processes communicate
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(super) steps: u32,

    /// About how long a process computes between two steps, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_ticks, default_value = "0.001")]
    pub(super) compute: i64,

    /// Write who waits for whom to FILE, as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) truth: Option<PathBuf>,

    /// Write an OTF2 archive into the folder that --output names, not a Pajé trace
    #[arg(long, requires = "output")]
    pub(super) otf2: bool,
}

/// Short-lived threads with semaphores and locks
#[derive(Debug, clap::Args)]
pub(super) struct ThreadsArgs {
    /// Number of processes
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) processes: u32,

    /// Number of threads over the whole run, besides the main threads
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(super) threads: u32,

    /// Threads of a process that may live at once
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(super) at_once: u32,

    /// Semaphores of each process
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) semaphores: u32,

    /// Threads that can be past the P of a semaphore at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) permits: u32,

    /// Locks of each process
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) locks: u32,

    /// How often a thread goes through a semaphore and a lock
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) operations: u32,
}

/// Very many containers with a few states each, in random order
#[derive(Debug, clap::Args)]
pub(super) struct ManyArgs {
    /// Number of containers
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(super) containers: u32,

    /// States of each container
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) pairs: u32,
}

/// The demo trace: 96 processes on three clusters, with something to find
#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {
    /// Write what there is to find to FILE, as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) truth: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct PlaceArgs {
    /// Number of sites
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) sites: u32,

    /// Number of clusters in each site
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) clusters: u32,

    /// Number of clusters of all sites together, spread as evenly as can be
    #[arg(long, value_name = "N", conflicts_with = "clusters")]
    pub(super) all_clusters: Option<u32>,

    /// Number of machines in each cluster
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) machines: u32,

    /// Write the network with bandwidth and latency to FILE, in the DOT language
    #[arg(long, value_name = "FILE")]
    pub(super) write_topology: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct LoadArgs {
    /// Size of a message; in binary-swap that of the first stage, in 2-3-swap what is shared
    #[arg(long, value_name = "BYTES", default_value_t = 65_536)]
    pub(super) message_bytes: u64,

    /// About how long a process computes between messages, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_ticks, default_value = "0.02")]
    pub(super) compute: i64,
}

impl PlaceArgs {
    pub(super) fn place(&self) -> Place {
        Place {
            sites: self.sites,
            clusters_per_site: self.clusters,
            machines_per_cluster: self.machines,
            all_clusters: self.all_clusters,
        }
    }
}
