//! What the detectors find, as findings whose cost is not known yet.

use std::collections::HashMap;

use onca_model::{Ticks, Window};

use super::amount::{lasting_shares, more};
use super::cells::{Cells, Piece};
use super::find::{Finding, FindingKind};
use super::pace::{Hit, Usual, clusters, slow};
use super::roots::LateRoot;
use super::routes::SlowRoute;
use super::segments::{Raised, sureness};
use super::steps::long;
use super::subject::Subject;
use crate::robust::{median, spread};

/// Among those that are raised at one time, who is raised by less than this share of the most is noise.
const LEAST_PART: f64 = 1.0 / 3.0;
/// What lasts for this share of the slots lasts all the time.
const ALWAYS: f64 = 0.8;
/// What lasts longer than this share of the slots is a change, not an iteration.
const LONG: f64 = 0.1;
/// One piece is a stall if it makes this share of the difference, and takes this many times as long as is usual.
const STALL_PART: f64 = 0.6;
const STALL_RATIO: f64 = 5.0;
/// How much more than the mean the busiest must have for the work to be uneven.
const LEAST_IMBALANCE: f64 = 1.05;

/// Something that may cost time.
pub(super) struct Candidate {
    pub finding: Finding,
    pub mend: Mend,
}

/// How to try what it would be without it.
pub(super) enum Mend {
    /// Processes work this many times as long.
    Pace(Vec<f64>),
    /// Messages travel for these times.
    Travel(HashMap<u32, Ticks>),
    /// A process works for these times before its calls.
    InTime(u32, HashMap<u32, Ticks>),
}

pub(super) fn slow_ones(subject: &Subject<'_>, group: &[usize], usual: &Usual) -> Vec<Candidate> {
    let cells = subject.cells;
    let excess = |hit: &Hit| {
        let both = took_and_usual(cells, usual, hit);
        both.0 - both.1
    };
    let found = clusters(slow(cells, group, usual), excess);
    let clear = found.into_iter().map(clear_ones);
    let clear = clear.filter(|hits| stands_apart(cells, group, usual, hits));
    clear.flat_map(|hits| slow_cluster(subject, group, usual, hits)).collect()
}

/// Are those that are hit for some time further from the others than these are from each other? Where everybody differs at that
/// time, the slowest are no fault.
fn stands_apart(cells: &Cells, group: &[usize], usual: &Usual, hits: &[Hit]) -> bool {
    /// How many times the spread of the others.
    const LEAST: f64 = 4.0;
    let Raised { first, last, .. } = hits[0].raised;
    let processes = processes_of(hits);
    let level = |process: &usize| {
        let raised = Raised { first, last, mean: 0.0, clarity: 0.0 };
        let (took, usual) = took_and_usual(cells, usual, &Hit { process: *process, raised });
        (took > 0.0 && usual > 0.0).then(|| (took / usual).ln())
    };
    let is_hit = |process: &&usize| processes.binary_search(&(**process as u32)).is_ok();
    let mut own: Vec<f64> = group.iter().filter(is_hit).filter_map(level).collect();
    let mut others: Vec<f64> = group.iter().filter(|it| !is_hit(it)).filter_map(level).collect();
    let middle = median(&mut others);
    let distance = spread(others.iter().map(|level| level - middle));
    median(&mut own) - middle >= LEAST * distance
}

fn took_and_usual(cells: &Cells, usual: &Usual, hit: &Hit) -> (f64, f64) {
    (hit.raised.first..=hit.raised.last)
        .map(|slot| usual.both(cells, hit.process, slot))
        .fold((0.0, 0.0), |sum, both| (sum.0 + both.0, sum.1 + both.1))
}

/// Without those that are hardly raised beside the others.
fn clear_ones(mut hits: Vec<Hit>) -> Vec<Hit> {
    let most = hits.iter().map(|hit| hit.raised.mean).fold(0.0, f64::max);
    hits.retain(|hit| hit.raised.mean >= LEAST_PART * most);
    hits
}

fn slow_cluster(
    subject: &Subject<'_>,
    group: &[usize],
    usual: &Usual,
    hits: Vec<Hit>,
) -> Vec<Candidate> {
    let cells = subject.cells;
    let (first, last) = (hits[0].raised.first, hits[0].raised.last);
    let n_slots = last + 1 - first;
    let processes = processes_of(&hits);
    let is_always = n_slots as f64 >= ALWAYS * cells.n_slots() as f64;
    let is_one_step = cells.are_steps && n_slots == 1 && 2 * processes.len() >= group.len();
    let kind = if is_one_step {
        FindingKind::OutlierIteration
    } else if is_always || subject.groups(&processes).len() == 1 {
        FindingKind::Slow
    } else {
        FindingKind::Burst
    };
    let stalls: Option<Vec<Candidate>> = hits.iter().map(|hit| stall(cells, usual, hit)).collect();
    if let Some(stalls) = stalls.filter(|_| !is_one_step) {
        return stalls;
    }
    let both = hits.iter().map(|hit| took_and_usual(cells, usual, hit));
    let (took, expected) = both.fold((0.0, 0.0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
    let mut factors = vec![1.0; cells.n_processes()];
    hits.iter().for_each(|hit| factors[hit.process] = (-hit.raised.mean).exp());
    let finding = Finding {
        value: longest_value(cells, usual, &hits),
        sure: sureness(hits.iter().map(|hit| hit.raised.clarity).fold(0.0, f64::max)),
        ..blank(kind, processes, cells.window(first, last), took / expected, took - expected)
    };
    vec![Candidate { finding, mend: Mend::Pace(factors) }]
}

/// A hit that is one piece of work, many times as long as is usual, that makes most of the difference.
fn stall(cells: &Cells, usual: &Usual, hit: &Hit) -> Option<Candidate> {
    let (took, expected) = took_and_usual(cells, usual, hit);
    let Raised { first, last, clarity, .. } = hit.raised;
    let pieces = (first..=last).flat_map(|slot| {
        let usual = move |value| usual.piece(value, slot);
        cells.get(hit.process, slot).iter().filter_map(move |it| Some((slot, it, usual(it.value)?)))
    });
    let beyond = |piece: &Piece, usual: f64| piece.longest as f64 - usual;
    let (slot, piece, usual) =
        pieces.max_by(|a, b| beyond(a.1, a.2).total_cmp(&beyond(b.1, b.2)))?;
    let ratio = piece.longest as f64 / usual.max(1.0);
    if beyond(piece, usual) < STALL_PART * (took - expected) || ratio < STALL_RATIO {
        return None;
    }
    let window = match piece.longest_from {
        Some(from) => Window { from, to: from + piece.longest },
        None => cells.window(slot, slot),
    };
    let mut factors = vec![1.0; cells.n_processes()];
    factors[hit.process] = 1.0 / ratio;
    let processes = vec![hit.process as u32];
    let finding = Finding {
        value: Some(piece.value),
        sure: sureness(clarity),
        ..blank(FindingKind::Stall, processes, window, ratio, beyond(piece, usual))
    };
    Some(Candidate { finding, mend: Mend::Pace(factors) })
}

/// Leaves out that some have more work, or that all take longer, where most of that is stalls.
pub(super) fn without_stalled(candidates: &mut Vec<Candidate>) {
    let stalled: Vec<(u32, Window, i128)> = candidates
        .iter()
        .map(|it| &it.finding)
        .filter(|it| it.kind == FindingKind::Stall)
        .map(|it| (it.processes[0], it.window, it.excess))
        .collect();
    candidates.retain(|it| {
        let Finding { kind, processes, window, excess, .. } = &it.finding;
        let own = stalled.iter().filter(|(process, when, _)| {
            processes.binary_search(process).is_ok() && window.overlap(when.from, when.to) > 0
        });
        let explained: i128 = own.map(|(.., excess)| excess).sum();
        let may_be = matches!(
            kind,
            FindingKind::Imbalance | FindingKind::Change | FindingKind::OutlierIteration
        );
        !may_be || 2 * explained < *excess
    });
}

fn processes_of(hits: &[Hit]) -> Vec<u32> {
    let mut processes: Vec<u32> = hits.iter().map(|hit| hit.process as u32).collect();
    processes.sort_unstable();
    processes.dedup();
    processes
}

/// The value that takes the most time more than usual.
fn longest_value(cells: &Cells, usual: &Usual, hits: &[Hit]) -> Option<u32> {
    let mut sums: HashMap<u32, f64> = HashMap::new();
    for hit in hits {
        for slot in hit.raised.first..=hit.raised.last {
            for piece in cells.get(hit.process, slot) {
                if let Some(usual) = usual.piece(piece.value, slot) {
                    *sums.entry(piece.value).or_default() +=
                        piece.ticks as f64 - usual * f64::from(piece.count);
                }
            }
        }
    }
    sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(value, _)| value)
}

pub(super) fn busy_ones(subject: &Subject<'_>, group: &[usize], usual: &Usual) -> Vec<Candidate> {
    let cells = subject.cells;
    let ticks = |hit: &Hit| -> f64 {
        let slots = hit.raised.first..=hit.raised.last;
        slots.map(|slot| cells.ticks(hit.process, slot) as f64).sum()
    };
    let excess = |hit: &Hit| ticks(hit) * (1.0 - (-hit.raised.mean).exp());
    let found = clusters(more(cells, group, usual), excess);
    let candidate = |hits: Vec<Hit>| {
        let hits = clear_ones(hits);
        let mut factors = vec![1.0; cells.n_processes()];
        hits.iter().for_each(|hit| factors[hit.process] = (-hit.raised.mean).exp());
        let window = cells.window(hits[0].raised.first, hits[0].raised.last);
        let sum: f64 = hits.iter().map(excess).sum();
        let all: f64 = hits.iter().map(ticks).sum();
        let finding = Finding {
            sure: sureness(hits.iter().map(|hit| hit.raised.clarity).fold(0.0, f64::max)),
            ..blank(FindingKind::Imbalance, processes_of(&hits), window, all / (all - sum), sum)
        };
        Candidate { finding, mend: Mend::Pace(factors) }
    };
    found.into_iter().map(candidate).collect()
}

pub(super) fn long_steps(subject: &Subject<'_>, group: &[usize], usual: &Usual) -> Vec<Candidate> {
    let cells = subject.cells;
    let candidate = |raised: Raised| {
        // A slot of time is no iteration.
        let is_long =
            !cells.are_steps || raised.len() as f64 > (LONG * cells.n_slots() as f64).max(1.0);
        let kind = if is_long { FindingKind::Change } else { FindingKind::OutlierIteration };
        let mut factors = vec![1.0; cells.n_processes()];
        group.iter().for_each(|process| factors[*process] = (-raised.mean).exp());
        let ticks = |process: usize| -> f64 {
            (raised.first..=raised.last).map(|slot| cells.ticks(process, slot) as f64).sum()
        };
        let all: f64 = group.iter().map(|process| ticks(*process)).sum();
        let processes = group.iter().map(|process| *process as u32).collect();
        let window = cells.window(raised.first, raised.last);
        let excess = all * (1.0 - (-raised.mean).exp());
        let finding = Finding {
            sure: sureness(raised.clarity),
            ..blank(kind, processes, window, raised.mean.exp(), excess)
        };
        Candidate { finding, mend: Mend::Pace(factors) }
    };
    long(cells, group, usual).into_iter().map(candidate).collect()
}

/// Work that is spread unevenly over many, for the whole run.
pub(super) fn uneven(subject: &Subject<'_>, group: &[usize]) -> Option<Candidate> {
    let shares = lasting_shares(subject.cells, group)?;
    let most = shares.iter().copied().fold(0.0, f64::max);
    let is_above = |share: &f64| *share > LEAST_IMBALANCE;
    let above: Vec<u32> = group
        .iter()
        .zip(&shares)
        .filter(|(_, share)| is_above(share))
        .map(|(process, _)| *process as u32)
        .collect();
    if above.is_empty() {
        return None;
    }
    let mut factors = vec![1.0; subject.cells.n_processes()];
    for (process, share) in group.iter().zip(&shares) {
        factors[*process] = 1.0 / share.max(f64::MIN_POSITIVE);
    }
    let total = |process: &u32| subject.cells.total(*process as usize) as f64;
    let excess: f64 =
        above.iter().map(|process| total(process) * (1.0 - factors[*process as usize])).sum();
    let run = subject.program.run;
    let finding = Finding { sure: 0.9, ..blank(FindingKind::Imbalance, above, run, most, excess) };
    Some(Candidate { finding, mend: Mend::Pace(factors) })
}

pub(super) fn slow_link(subject: &Subject<'_>, route: SlowRoute) -> Candidate {
    let towards = route.other.map_or(Vec::new(), |other| subject.below(other));
    let run = subject.program.run;
    let finding = Finding {
        towards,
        sure: route.explained,
        ..blank(FindingKind::Link, subject.below(route.node), run, route.ratio, route.excess as f64)
    };
    Candidate { finding, mend: Mend::Travel(route.usual) }
}

pub(super) fn late_root(subject: &Subject<'_>, root: LateRoot) -> Candidate {
    let process = &subject.program.processes[root.process as usize];
    let ticks =
        |call: u32| -> Ticks { process.work_before(call as usize).map(|work| work.ticks).sum() };
    let excess: Ticks =
        root.usual_work.iter().map(|(call, usual)| (ticks(*call) - usual).max(0)).sum();
    let usual: Ticks = root.usual_work.values().sum();
    let ratio = (usual + excess) as f64 / usual.max(1) as f64;
    let finding = Finding {
        value: Some(root.value),
        sure: 0.9,
        ..blank(FindingKind::CollectiveWait, vec![root.process], root.window, ratio, excess as f64)
    };
    Candidate { finding, mend: Mend::InTime(root.process, root.usual_work) }
}

fn blank(
    kind: FindingKind,
    processes: Vec<u32>,
    window: Window,
    ratio: f64,
    excess: f64,
) -> Finding {
    Finding {
        kind,
        processes,
        towards: Vec::new(),
        window,
        ratio,
        value: None,
        excess: excess.max(0.0) as i128,
        waiting: 0,
        n_waiting: 0,
        saved: 0,
        sure: 0.0,
    }
}
