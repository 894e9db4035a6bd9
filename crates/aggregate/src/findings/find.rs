//! Puts together what the detectors find, with what each costs.

use onca_model::{Ticks, Window};

use super::candidates::{
    busy_ones, late_root, long_steps, slow_link, slow_ones, uneven, without_stalled,
};
use super::cost::tried;
use super::pace::{LEAST_PEERS, Usual};
use super::roots::late;
use super::routes::Travels;
use super::subject::Subject;
use crate::robust::median;
use crate::waits::{Replay, Unchanged};

/// What costs less than this share of the run time is not told.
const LEAST_SAVED: f64 = 0.002;
/// Who does less useful work than this share of what peers do has another role.
pub const OTHER_ROLE: f64 = 0.2;
/// At most this many findings are tried out.
const MOST_TRIED: usize = 12;

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// Some take longer than their peers for the same work.
    Slow,
    /// The same, at one time, at places that have nothing in common.
    Burst,
    /// One piece of work takes many times as long as others like it.
    Stall,
    /// Some have more work than their peers.
    Imbalance,
    /// All take longer in one iteration than in others.
    OutlierIteration,
    /// All take longer from some time on, or for a long time.
    Change,
    /// Messages of one size travel longer than elsewhere.
    Link,
    /// A root comes late to its operations.
    CollectiveWait,
}

impl FindingKind {
    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Burst => "burst",
            Self::Stall => "stall",
            Self::Imbalance => "imbalance",
            Self::OutlierIteration => "outlier-iteration",
            Self::Change => "change",
            Self::Link => "link",
            Self::CollectiveWait => "collective-wait",
        }
    }
}

/// Something that costs time.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Where, in order.
    pub processes: Vec<u32>,
    /// The other side of a link; empty where that is everybody else, or where there is no other side.
    pub towards: Vec<u32>,
    /// When.
    pub window: Window,
    /// How many times as long, or as much, as is usual.
    pub ratio: f64,
    /// The value of the work, or of the operation, where it is one.
    pub value: Option<u32>,
    /// How much longer the work or the messages took than is usual.
    pub excess: i128,
    /// How much of the waiting of all goes away with it.
    pub waiting: i128,
    /// How many processes wait less without it.
    pub n_waiting: u64,
    /// How much shorter the run would be.
    pub saved: Ticks,
    /// How sure it is, from 0 to 1.
    pub sure: f64,
}

impl Finding {
    /// The time of all processes that it costs.
    pub fn cost(&self) -> i128 {
        self.excess + self.waiting
    }
}

/// What was found, and what it was looked for in.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// The most costly first.
    pub findings: Vec<Finding>,
    /// Processes that do less useful work than their peers, because they have another role.
    pub other_roles: Vec<u32>,
    /// Processes that have too few peers.
    pub without_peers: Vec<u32>,
    /// How many processes were compared.
    pub n_compared: usize,
    /// In how many slots of time, or steps between operations of all.
    pub n_slots: usize,
    /// How many pairs of processes have messages that can be compared with those of others.
    pub n_pairs: usize,
}

/// Finds what costs time in a run.
pub fn find(subject: &Subject<'_>) -> Findings {
    let (program, cells) = (subject.program, subject.cells);
    let mut answer = Findings { n_slots: cells.n_slots(), ..Findings::default() };
    let mut candidates = Vec::new();
    for group in groups(subject, &mut answer) {
        let usual = Usual::of(cells, &group);
        candidates.extend(slow_ones(subject, &group, &usual));
        candidates.extend(busy_ones(subject, &group, &usual));
        candidates.extend(long_steps(subject, &group, &usual));
        candidates.extend(uneven(subject, &group));
    }
    without_stalled(&mut candidates);
    let travels = Travels::of(subject);
    answer.n_pairs = travels.n_compared();
    candidates.extend(travels.slow_route(subject).map(|route| slow_link(subject, route)));
    let roots = late(program, subject.found).into_iter().take(3);
    candidates.extend(roots.map(|root| late_root(subject, root)));
    candidates.sort_by_key(|it| std::cmp::Reverse(it.finding.cost()));
    candidates.truncate(MOST_TRIED);
    if candidates.is_empty() {
        return answer;
    }
    let least = |message: usize| travels.least(program, message);
    let replay = Replay::new(program, subject.wiring, least);
    let before = replay.run(&Unchanged);
    for candidate in candidates {
        let finding = tried(subject, &replay, &before, candidate);
        if finding.saved as f64 >= LEAST_SAVED * (program.run.to - program.run.from) as f64 {
            answer.findings.push(finding);
        }
    }
    answer.findings.sort_by_key(|finding| std::cmp::Reverse((finding.saved, finding.cost())));
    answer.findings = without_repeats(std::mem::take(&mut answer.findings));
    answer
}

/// The processes that can be compared with each other.
fn groups(subject: &Subject<'_>, answer: &mut Findings) -> Vec<Vec<usize>> {
    let mut by_kind: Vec<(u32, usize)> =
        subject.kinds.iter().copied().zip(0..subject.cells.n_processes()).collect();
    by_kind.sort_unstable();
    let mut groups = Vec::new();
    for kind in by_kind.chunk_by(|a, b| a.0 == b.0) {
        let total = |process: usize| subject.cells.total(process) as f64;
        let mut totals: Vec<f64> =
            kind.iter().map(|(_, process)| total(*process)).filter(|it| *it > 0.0).collect();
        let least = OTHER_ROLE * median(&mut totals);
        let (group, others): (Vec<usize>, Vec<usize>) = kind
            .iter()
            .map(|(_, process)| *process)
            .partition(|process| total(*process) > 0.0 && total(*process) >= least);
        answer.other_roles.extend(others.iter().map(|process| *process as u32));
        if group.len() < LEAST_PEERS {
            answer.without_peers.extend(group.iter().map(|process| *process as u32));
            continue;
        }
        answer.n_compared += group.len();
        groups.push(group);
    }
    groups
}

/// Leaves out what says of the same processes at the same time what a costlier one says.
fn without_repeats(findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let repeats = |other: &Finding| {
            let common = other.window.overlap(finding.window.from, finding.window.to);
            let longer =
                (other.window.to - other.window.from).max(finding.window.to - finding.window.from);
            let shared = finding
                .processes
                .iter()
                .filter(|process| other.processes.binary_search(process).is_ok())
                .count();
            2 * common >= longer && 2 * shared >= finding.processes.len()
        };
        match kept.iter_mut().find(|other| repeats(other)) {
            None => kept.push(finding),
            // A root that comes late has more work, or is slow: that it is the root says more.
            Some(other)
                if finding.kind == FindingKind::CollectiveWait
                    && 2 * finding.saved >= other.saved =>
            {
                *other = finding;
            }
            Some(_) => {}
        }
    }
    kept
}
