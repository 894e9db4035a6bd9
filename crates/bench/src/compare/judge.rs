//! What was found of what was planted.

use std::collections::BTreeSet;

use onca_answer::compare::{ComparedFinding, Comparison};
use onca_generate::Truth;
use onca_program::Failure;
use onca_query::Scope;

use super::Tally;
use super::plans::Planned;
use crate::runs::{rank, truth_of};

/// Was the right thing found?
pub fn judge(
    planned: &Planned,
    comparison: &Comparison,
    (of_a, of_b): (&Truth, &Truth),
    after: &Scope<'_>,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let told = || -> Vec<String> {
        let findings = comparison.findings.iter().take(3);
        findings.map(|it| format!("{}: {}", it.kind, it.text)).collect()
    };
    let Some(kind) = planned.kind else {
        if !comparison.findings.is_empty() {
            tally.found += 1;
            tally.misses.push(format!("{seed}: {:?}", told()));
        }
        return Ok(());
    };
    let right = |finding: &&ComparedFinding| {
        finding.kind == kind && overlap(planned, finding, (of_a, of_b), after) >= 0.5
    };
    let among_three = comparison.findings.iter().take(3);
    let Some(finding) = among_three.into_iter().find(right) else {
        tally.misses.push(format!("{seed}: {kind} {:?}: {:?}", planned.window, told()));
        return Ok(());
    };
    tally.found += 1;
    tally.overlaps.push(overlap(planned, finding, (of_a, of_b), after));
    let plain = truth_of(&planned.plain)?;
    let amount = (of_b.end_ticks - plain.end_ticks) as f64;
    tally.errors.push((finding.ticks as f64 / amount - 1.0).abs());
    Ok(())
}

/// What a finding has in common with what was planted: processes times time.
fn overlap(
    planned: &Planned,
    finding: &ComparedFinding,
    (of_a, of_b): (&Truth, &Truth),
    after: &Scope<'_>,
) -> f64 {
    let is_gone = finding.is_gone();
    let (run, window) = match is_gone {
        true => (of_a.end_ticks, finding.before),
        false => (of_b.end_ticks, finding.after),
    };
    let (from, to) = planned.window.unwrap_or((0, run));
    let common = window.overlap(from, to) as f64;
    let time = common / ((window.to - window.from) as f64 + (to - from) as f64 - common);
    let Some(machine) = planned.machine else { return time };
    let procs = planned.after.procs;
    let planted: BTreeSet<u32> = (0..procs)
        .filter(|process| planned.after.place.machine_of(*process, procs) == machine)
        .collect();
    let found: BTreeSet<u32> =
        finding.containers.iter().filter_map(|id| rank(after.store(), *id)).collect();
    time * planted.intersection(&found).count() as f64 / planted.union(&found).count() as f64
}

/// By how many iterations the times of two runs are paired wrongly, at most. Iterations that only one run has do not count.
pub fn shift(comparison: &Comparison, of_a: &Truth, of_b: &Truth) -> f64 {
    let n = of_a.iteration_ends.len().min(of_b.iteration_ends.len());
    let off = |at: usize| {
        let middle = (of_a.iteration_ends[at - 1] + of_a.iteration_ends[at]) / 2;
        let time = comparison.alignment.to_after(middle);
        of_b.iteration_ends.partition_point(|end| *end <= time).abs_diff(at) as f64
    };
    (1..n).map(off).fold(0.0, f64::max)
}
