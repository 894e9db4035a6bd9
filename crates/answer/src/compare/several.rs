//! Several runs a side: what is chance, and what is not.

use onca_aggregate::statistics::{by_chance, passing};
use onca_model::Window;
use onca_query::Scope;

use super::side::Side;
use super::{
    CompareSpec, ComparedFinding, Comparison, Place, aligning, common_unit, compare, matching,
    number_values,
};
use crate::Result;

/// With fewer runs a side nothing can be told.
pub const LEAST_RUNS: usize = 3;

/// The runs of both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct RunLengths {
    /// How long those of the first side are, in their own ticks.
    pub before: Vec<i64>,
    /// How long those of the second side are.
    pub after: Vec<i64>,
    /// How likely such a difference is if it is chance.
    pub p: f64,
}

/// The places of the runs that were compared, the middle ones of each side, with what the others tell of it.
pub struct Several {
    /// The place of the run among those of the first side.
    pub before: usize,
    /// The place of the run among those of the second side.
    pub after: usize,
    /// The comparison of these two. Findings that the other runs do not bear out are left out.
    pub comparison: Comparison,
}

/// Compares the middle runs of two sides, and keeps what is not chance by the others: a permutation test for each finding, and
/// of these as many as leave one in twenty wrong (Benjamini and Hochberg).
pub fn compare_several(
    before: &[Scope<'_>],
    after: &[Scope<'_>],
    spec: &CompareSpec,
) -> Result<Several> {
    let (i, j) = (middle(before), middle(after));
    let mut comparison = compare(&before[i], &after[j], spec)?;
    if before.len() >= LEAST_RUNS && after.len() >= LEAST_RUNS && comparison.is_related {
        test(&mut comparison, (before, i), (after, j), spec)?;
    } else if before.len() + after.len() > 2 {
        comparison
            .not_examined
            .push(format!("chance: fewer than {LEAST_RUNS} runs on a side tell nothing"));
    }
    Ok(Several { before: i, after: j, comparison })
}

fn length(scope: &Scope<'_>) -> i64 {
    let facts = &scope.catalog().facts;
    facts.end - facts.start
}

/// The run in the middle by length, the shorter of two.
fn middle(runs: &[Scope<'_>]) -> usize {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|at| (length(&runs[*at]), *at));
    order[(runs.len() - 1) / 2]
}

fn test(
    comparison: &mut Comparison,
    (before, i): (&[Scope<'_>], usize),
    (after, j): (&[Scope<'_>], usize),
    spec: &CompareSpec,
) -> Result<()> {
    let lengths = |runs: &[Scope<'_>]| -> Vec<i64> { runs.iter().map(length).collect() };
    let numbers = |lengths: &[i64], scale: i64| -> Vec<f64> {
        lengths.iter().map(|ticks| (ticks * scale) as f64).collect()
    };
    let (of_before, of_after) = (lengths(before), lengths(after));
    let p = by_chance(
        &numbers(&of_before, comparison.scales.0),
        &numbers(&of_after, comparison.scales.1),
    );
    comparison.lengths_of_all = Some(RunLengths { before: of_before, after: of_after, p });
    let mut samples: Vec<(Vec<f64>, Vec<f64>)> =
        vec![(Vec::new(), Vec::new()); comparison.findings.len()];
    for (runs, at, is_after) in [(before, i, false), (after, j, true)] {
        for run in runs {
            let of = amounts(comparison, &runs[at], run, is_after, spec)?;
            for (sample, amount) in samples.iter_mut().zip(of) {
                let side = if is_after { &mut sample.1 } else { &mut sample.0 };
                side.extend(amount);
            }
        }
    }
    let tested: Vec<Option<f64>> = comparison
        .findings
        .iter()
        .zip(&samples)
        .map(|(finding, (before, after))| {
            let is_tested = !matches!(finding.kind.as_ref(), "new" | "gone");
            let sign = if finding.ticks < 0 { -1.0 } else { 1.0 };
            let signed = |of: &[f64]| of.iter().map(|it| sign * it).collect::<Vec<_>>();
            is_tested.then(|| by_chance(&signed(before), &signed(after)))
        })
        .collect();
    let passes = passing(&tested.iter().flatten().copied().collect::<Vec<_>>(), 0.05);
    let mut told = std::mem::take(&mut comparison.findings);
    for (finding, p) in told.iter_mut().zip(&tested) {
        finding.p = *p;
    }
    let n = told.len();
    told.retain(|finding| finding.p.is_none_or(|p| p <= passes));
    if n > told.len() {
        comparison.not_examined.push(format!(
            "{} of {n} differences between the middle runs are chance by the other runs",
            n - told.len()
        ));
    }
    comparison.findings = told;
    Ok(())
}

/// How much of each finding a run has: the work of its places while it lasts, or how long that is. `None` where the run has
/// nothing that fits.
fn amounts(
    comparison: &Comparison,
    middle: &Scope<'_>,
    run: &Scope<'_>,
    is_after: bool,
    spec: &CompareSpec,
) -> Result<Vec<Option<f64>>> {
    let (mut a, mut b) = (Side::new(middle)?, Side::new(run)?);
    common_unit(&mut a, &mut b)?;
    let names = number_values(&mut a, &mut b);
    let matched = matching::match_places(&a, &b, spec.level.as_ref())?;
    let aligned = aligning::align(&a, &b, &spec.align, names.len())?.alignment;
    let amount = |finding: &ComparedFinding| -> Result<Option<f64>> {
        let window = if is_after { finding.after } else { finding.before };
        let scaled = a.scaled(window);
        let own =
            b.own(Window { from: aligned.to_after(scaled.from), to: aligned.to_after(scaled.to) });
        if finding.kind == "communication" {
            return Ok(Some(((own.to - own.from) * b.scale) as f64));
        }
        let of_middle: Vec<usize> = comparison
            .places_of(finding)
            .flat_map(|place: &Place| if is_after { &place.after } else { &place.before })
            .copied()
            .collect();
        let own_processes: Vec<usize> = matched
            .places
            .iter()
            .filter(|place| place.before.iter().any(|at| of_middle.contains(at)))
            .flat_map(|place| place.after.iter().copied())
            .collect();
        if own_processes.is_empty() || own.to <= own.from {
            return Ok(None);
        }
        let ticks = b.work_time(&own_processes, own)? * i128::from(b.scale);
        Ok(Some(ticks as f64 / own_processes.len() as f64))
    };
    comparison.findings.iter().map(amount).collect()
}
