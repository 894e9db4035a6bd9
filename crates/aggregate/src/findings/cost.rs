//! What a finding costs: the run goes again without it.

use onca_model::Ticks;

use super::candidates::{Candidate, Mend};
use super::change::{InTime, Paced, Travelling};
use super::find::{Finding, FindingKind};
use super::subject::Subject;
use crate::robust::{median, spread};
use crate::waits::{Replay, Replayed};

/// Lets the run go again without it.
pub(super) fn tried(
    subject: &Subject<'_>,
    replay: &Replay<'_>,
    before: &Replayed,
    candidate: Candidate,
) -> Finding {
    let Candidate { mut finding, mend } = candidate;
    let program = subject.program;
    let after = match &mend {
        Mend::Pace(factors) => replay.run(&Paced { program, factors, window: finding.window }),
        Mend::Travel(usual) => replay.run(&Travelling { program, usual }),
        Mend::InTime(process, usual_work) => replay.run(&InTime { process: *process, usual_work }),
    };
    finding.saved = (before.end() - after.end()).max(0);
    let less: Vec<i128> =
        before.waited.iter().zip(&after.waited).map(|(before, after)| before - after).collect();
    let least = i128::from(finding.saved / 100);
    finding.waiting = less.iter().filter(|ticks| **ticks > least).sum();
    finding.n_waiting = less.iter().filter(|ticks| **ticks > least).count() as u64;
    if matches!(finding.kind, FindingKind::Slow | FindingKind::Stall) {
        finding.saved = finding.saved.max(saved_by_sharing(subject, &finding));
    }
    finding
}

/// Where work goes to whoever is free, nobody waits for those who are slow: they do less of it, and what they lose is shared
/// by all. That is so where peers do different numbers of pieces.
fn saved_by_sharing(subject: &Subject<'_>, finding: &Finding) -> Ticks {
    /// Where the numbers of pieces are given, those of most peers differ by less than this share.
    const GIVEN: f64 = 0.02;
    let cells = subject.cells;
    let kind = subject.kinds[finding.processes[0] as usize];
    let count = |process: usize| -> f64 {
        let pieces = (0..cells.n_slots()).flat_map(|slot| cells.get(process, slot));
        pieces.map(|piece| f64::from(piece.count)).sum()
    };
    let peers = (0..subject.nodes.len()).filter(|process| subject.kinds[*process] == kind);
    let mut counts: Vec<f64> = peers.map(count).filter(|it| *it > 0.0).collect();
    let usual = median(&mut counts);
    let is_given = spread(counts.iter().map(|count| count - usual)) <= GIVEN * usual;
    if is_given { 0 } else { (finding.excess / counts.len().max(1) as i128) as Ticks }
}
