//! What was planted in a trace, for those who want to know whether an analysis finds it.

use std::io::{self, Write};

use crate::TICKS_PER_UNIT;

/// The ground truth of a generated run.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// The kind of trace.
    pub kind: &'static str,
    /// The seed it was made from.
    pub seed: u64,
    /// Number of processes.
    pub processes: u32,
    /// Number of iterations.
    pub iterations: u64,
    /// When each iteration ended, where that is told.
    pub iteration_ends: Vec<i64>,
    /// End of the trace.
    pub end_ticks: i64,
    /// The phases of the run, in time order.
    pub phases: Vec<Phase>,
    /// What was planted.
    pub perturbations: Vec<Perturbation>,
}

/// A part of the run in which all processes do the same sort of thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// `init`, `transition`, `iterations`, `checkpoint` or `finalize`.
    pub name: &'static str,
    /// The first moment a process is in it.
    pub from_ticks: i64,
    /// The last moment a process is in it.
    pub to_ticks: i64,
}

/// A planted slowness: computations that begin in the interval take `factor` times as long.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturbation {
    /// `slow-node` or `burst`.
    pub kind: &'static str,
    /// Where it was planted, when that is one container.
    pub container: Option<String>,
    /// Names of the processes it slows down, by rank.
    pub processes: Vec<String>,
    /// Begin of the interval.
    pub from_ticks: i64,
    /// End of the interval, itself outside; never later than the end of the trace.
    pub to_ticks: i64,
    /// How many times as long a computation takes.
    pub factor: f64,
    /// How many computations it did slow down: 0 when the interval lies after the end of the run.
    pub slowed_computations: u64,
}

impl Truth {
    /// Writes it as JSON. Names are made of letters, digits and dashes and need no escapes.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{{")?;
        writeln!(out, "  \"kind\": \"{}\",", self.kind)?;
        writeln!(out, "  \"seed\": {},", self.seed)?;
        writeln!(out, "  \"processes\": {},", self.processes)?;
        writeln!(out, "  \"iterations\": {},", self.iterations)?;
        writeln!(out, "  \"end\": {},", units(self.end_ticks))?;
        write_list("phases", &self.phases, write_phase, out)?;
        if !self.iteration_ends.is_empty() {
            writeln!(out, ",")?;
            let ends: Vec<String> = self.iteration_ends.iter().map(|ticks| units(*ticks)).collect();
            write!(out, "  \"iteration_ends\": [{}]", ends.join(", "))?;
        }
        writeln!(out, ",")?;
        write_list("perturbations", &self.perturbations, write_perturbation, out)?;
        writeln!(out, "\n}}")?;
        out.flush()
    }
}

fn write_list<T, W: Write>(
    name: &str,
    items: &[T],
    write_item: impl Fn(&T, &mut W) -> io::Result<()>,
    out: &mut W,
) -> io::Result<()> {
    write!(out, "  \"{name}\": [")?;
    for (item_idx, item) in items.iter().enumerate() {
        write!(out, "{}\n    ", if item_idx == 0 { "" } else { "," })?;
        write_item(item, out)?;
    }
    write!(out, "{}]", if items.is_empty() { "" } else { "\n  " })
}

fn write_phase<W: Write>(phase: &Phase, out: &mut W) -> io::Result<()> {
    let (from, to) = (units(phase.from_ticks), units(phase.to_ticks));
    write!(out, "{{\"name\": \"{}\", \"from\": {from}, \"to\": {to}}}", phase.name)
}

fn write_perturbation<W: Write>(planted: &Perturbation, out: &mut W) -> io::Result<()> {
    write!(out, "{{\"kind\": \"{}\"", planted.kind)?;
    if let Some(container) = &planted.container {
        write!(out, ", \"container\": \"{container}\"")?;
    }
    let (from, to) = (units(planted.from_ticks), units(planted.to_ticks));
    write!(out, ", \"from\": {from}, \"to\": {to}")?;
    write!(out, ", \"factor\": {}", planted.factor)?;
    write!(out, ", \"slowed_computations\": {}", planted.slowed_computations)?;
    let names: Vec<String> = planted.processes.iter().map(|name| format!("\"{name}\"")).collect();
    write!(out, ", \"processes\": [{}]}}", names.join(", "))
}

/// Trace time with all its digits.
fn units(ticks: i64) -> String {
    format!("{}.{:09}", ticks / TICKS_PER_UNIT, ticks % TICKS_PER_UNIT)
}
