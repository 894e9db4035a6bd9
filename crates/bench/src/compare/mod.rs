//! Are planted differences between two runs found, with place, time and amount, and is nothing found between equal runs?

mod judge;
mod plans;
mod speed;

use std::io::Write;
use std::path::Path;

use onca_answer::compare::{CompareSpec, compare};
use onca_program::{Exit, Failure};
use onca_store::Store;
use serde_json::json;

use crate::measure::report;
use crate::runs::{stored_run, whole};
use crate::{CommonArgs, temporary_folder};

use judge::{judge, shift};
use plans::{KINDS, planned};

/// Compare generated runs that differ in one planted thing, and count how often it is found
///
/// Each pair has its own seeds, places, times and noise. What was planted is known, and so is how much longer the run is because
/// of it: the second run is made once more, with the same seed, without it.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    common: CommonArgs,

    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,

    /// How many pairs of each kind
    #[arg(long, value_name = "N", default_value_t = 200)]
    pairs: u64,

    /// Only this kind of difference
    #[arg(long, value_name = "NAME")]
    only: Option<String>,

    /// By how much the slow machine of `slow` and `slow-while` is slower, such as 1.1
    #[arg(long, value_name = "FACTOR", default_value_t = 1.1)]
    factor: f64,

    /// Tell what was found instead, for each miss
    #[arg(long)]
    misses: bool,

    /// Measure instead how long it takes to compare two runs of about N records
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "pairs", "only", "factor", "misses"])]
    events: Option<u64>,

    /// How many processes these have
    #[arg(long, value_name = "N", default_value_t = 700, requires = "events")]
    procs: u32,
}

/// How one kind of difference was found.
#[derive(Default)]
struct Tally {
    kind: &'static str,
    pairs: u64,
    /// Found among the first three; for equal runs those with any finding.
    found: u64,
    /// Shares of what finding and truth have in common.
    overlaps: Vec<f64>,
    /// How far amounts are off, as shares of the true amount.
    errors: Vec<f64>,
    /// How far iterations are off, in iterations.
    shifts: Vec<f64>,
    misses: Vec<String>,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = temporary_folder(args.common.folder.as_deref())?;
    if let Some(events) = args.events {
        return speed::run(events, args.procs, folder.path(), args.common.json);
    }
    let mut tallies = Vec::new();
    for kind in KINDS {
        if args.only.as_deref().is_none_or(|only| only == kind) {
            tallies.push(tally(kind, args, folder.path())?);
        }
    }
    let json = || {
        json!({
            "schema": "onca-bench-compare/1",
            "kinds": tallies.iter().map(|it| json!({
                "kind": it.kind,
                "pairs": it.pairs,
                "found": it.found,
                "overlap_median": middle(&it.overlaps),
                "overlap_enough": count(&it.overlaps, |overlap| overlap >= 0.8),
                "amount_error_median": middle(&it.errors),
                "amount_within_tenth": count(&it.errors, |error| error <= 0.1),
                "shift_most": it.shifts.iter().copied().reduce(f64::max),
            })).collect::<Vec<_>>(),
        })
    };
    report(args.common.json, json, |out| {
        writeln!(
            out,
            "{:<18} {:>6} {:>6}  {:>16}  {:>18}  {:>10}",
            "planted", "pairs", "found", "overlap >= 0.8", "amount within 10 %", "off by"
        )?;
        for it in &tallies {
            let part = |numbers: &[f64], fits: &dyn Fn(f64) -> bool| match numbers.len() {
                0 => "-".to_owned(),
                n => format!("{} of {n}", count(numbers, fits)),
            };
            let shift = it.shifts.iter().copied().reduce(f64::max);
            writeln!(
                out,
                "{:<18} {:>6} {:>6}  {:>16}  {:>18}  {:>10}",
                it.kind,
                it.pairs,
                it.found,
                part(&it.overlaps, &|overlap| overlap >= 0.8),
                part(&it.errors, &|error| error <= 0.1),
                shift.map_or("-".to_owned(), |shift| format!("{shift:.1}")),
            )?;
            for miss in it.misses.iter().filter(|_| args.misses) {
                writeln!(out, "    {miss}")?;
            }
        }
        Ok(())
    })
}

fn count(numbers: &[f64], fits: impl Fn(f64) -> bool) -> usize {
    numbers.iter().filter(|number| fits(**number)).count()
}

fn middle(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

fn tally(kind: &'static str, args: &Args, folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally { kind, ..Tally::default() };
    for seed in args.from..args.from + args.pairs {
        let planned = planned(kind, seed, args.factor)?;
        let (a, of_a) = stored_run(&planned.before, &folder.join("before"))?;
        let (b, of_b) = stored_run(&planned.after, &folder.join("after"))?;
        let (a, b) = (Store::open(&a)?, Store::open(&b)?);
        let (a, b) = (whole(&a)?, whole(&b)?);
        let comparison = compare(&a, &b, &CompareSpec::default())?;
        tally.pairs += 1;
        tally.shifts.push(shift(&comparison, &of_a, &of_b));
        judge(&planned, &comparison, (&of_a, &of_b), &b, seed, &mut tally)?;
    }
    Ok(tally)
}
