//! Puts together what the detectors find, with what each costs.

use std::collections::HashMap;

use onca_model::{Ticks, Window};

use super::amount::{lasting_shares, more};
use super::cells::Cells;
use super::change::{Paced, Prompt, Travelling};
use super::pace::{Hit, LEAST_CLARITY, LEAST_PEERS, Usual, clusters, slow};
use super::roots::{LateRoot, late};
use super::routes::{SlowRoute, Travels};
use super::segments::Raised;
use super::steps::long;
use crate::Tree;
use crate::robust::{median, spread};
use crate::waits::{Change, Found, Program, Replay, Replayed, Unchanged};

/// What costs less than this share of the run time is not told.
const LEAST_SAVED: f64 = 0.002;
/// Who does less useful work than this share of what peers do has another role.
const OTHER_ROLE: f64 = 0.2;
/// Among those that are raised at one time, who is raised by less than this share of the most is noise.
const LEAST_PART: f64 = 1.0 / 3.0;
/// What lasts for this share of the slots lasts all the time.
const ALWAYS: f64 = 0.8;
/// What lasts longer than this share of the slots is a change, not an iteration.
const LONG: f64 = 0.1;
/// How much more than the mean the busiest must have for the work to be uneven.
const LEAST_IMBALANCE: f64 = 1.05;
/// At most this many findings are tried out.
const MOST_TRIED: usize = 12;

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// Some take longer than their peers for the same work.
    Slow,
    /// The same, at one time, at places that have nothing in common.
    Burst,
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
    /// Are these steps?
    pub are_steps: bool,
    /// How many pairs of processes have messages that can be compared with those of others.
    pub n_pairs: usize,
}

/// A run in which something may be wrong.
pub struct Subject<'a> {
    /// What processes did.
    pub program: &'a Program,
    /// Who waited for whom.
    pub found: &'a Found,
    /// What processes did, by slot.
    pub cells: &'a Cells,
    /// The hierarchy.
    pub tree: &'a Tree,
    /// The node of each process.
    pub nodes: &'a [u32],
    /// For each process a number that those of the same kind share.
    pub kinds: &'a [u32],
}

impl Subject<'_> {
    /// The nodes from that of a process up to the root.
    fn ancestors(&self, process: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(self.nodes[process as usize]), |node| self.tree.parent(*node))
    }

    /// How deep the lowest node is that holds both.
    pub(super) fn common_depth(&self, a: u32, b: u32) -> u32 {
        let mut of_b: Vec<u32> = self.ancestors(b).collect();
        of_b.sort_unstable();
        let common = self.ancestors(a).find(|node| of_b.binary_search(node).is_ok());
        common.map_or(0, |node| self.tree.depth(node))
    }

    /// The places that a message between two processes passes: each node that holds only one of them, towards everything else;
    /// and each two of these, one on either side.
    pub(super) fn places_between(
        &self,
        a: u32,
        b: u32,
    ) -> impl Iterator<Item = (u32, Option<u32>)> + use<> {
        let depth = self.common_depth(a, b);
        let below = |process: u32| -> Vec<u32> {
            self.ancestors(process).take_while(|node| self.tree.depth(*node) > depth).collect()
        };
        let (of_a, of_b) = (below(a), below(b));
        let mut places: Vec<(u32, Option<u32>)> =
            of_a.iter().chain(&of_b).map(|node| (*node, None)).collect();
        for &x in &of_a {
            places.extend(of_b.iter().map(|&y| (x.min(y), Some(x.max(y)))));
        }
        places.into_iter()
    }

    /// The processes below a node.
    fn below(&self, node: u32) -> Vec<u32> {
        let all = 0..self.nodes.len() as u32;
        all.filter(|process| self.ancestors(*process).any(|it| it == node)).collect()
    }

    /// The largest nodes that hold just these processes.
    pub fn groups(&self, processes: &[u32]) -> Vec<u32> {
        let mut counts = vec![(0u32, 0u32); self.tree.len()];
        for process in 0..self.nodes.len() as u32 {
            let is_in = u32::from(processes.binary_search(&process).is_ok());
            for node in self.ancestors(process) {
                let of = &mut counts[node as usize];
                *of = (of.0 + is_in, of.1 + 1);
            }
        }
        let is_whole = |node: u32| {
            let (inside, all) = counts[node as usize];
            all > 0 && inside == all
        };
        let is_largest =
            |node: &u32| is_whole(*node) && self.tree.parent(*node).is_none_or(|it| !is_whole(it));
        self.tree.preorder().iter().copied().filter(is_largest).collect()
    }
}

/// Something that may cost time.
struct Candidate {
    finding: Finding,
    mend: Mend,
}

/// How to try what it would be without it.
enum Mend {
    Pace(Vec<f64>),
    Travel(HashMap<u32, Ticks>),
    Prompt(u32, HashMap<u32, Ticks>),
}

/// Finds what costs time in a run.
pub fn find(subject: &Subject<'_>) -> Findings {
    let (program, cells) = (subject.program, subject.cells);
    let mut answer =
        Findings { n_slots: cells.n_slots(), are_steps: cells.are_steps, ..Findings::default() };
    let mut candidates = Vec::new();
    for group in groups(subject, &mut answer) {
        let usual = Usual::of(cells, &group);
        candidates.extend(slow_ones(subject, &group, &usual));
        candidates.extend(busy_ones(subject, &group, &usual));
        candidates.extend(long_steps(subject, &group, &usual));
        candidates.extend(uneven(subject, &group));
    }
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
    let replay = Replay::new(program, &travels.shortest);
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

fn slow_ones(subject: &Subject<'_>, group: &[usize], usual: &Usual) -> Vec<Candidate> {
    let cells = subject.cells;
    let excess = |hit: &Hit| {
        let both = took_and_usual(cells, usual, hit);
        both.0 - both.1
    };
    let found = clusters(slow(cells, group, usual), excess);
    let clear = found.into_iter().map(clear_ones);
    let clear = clear.filter(|hits| stands_apart(cells, group, usual, hits));
    clear.map(|hits| slow_cluster(subject, group, usual, hits)).collect()
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
) -> Candidate {
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
    let both = hits.iter().map(|hit| took_and_usual(cells, usual, hit));
    let (took, expected) = both.fold((0.0, 0.0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
    let mut factors = vec![1.0; cells.n_processes()];
    hits.iter().for_each(|hit| factors[hit.process] = (-hit.raised.mean).exp());
    let finding = Finding {
        value: longest_value(cells, usual, &hits),
        sure: sureness(hits.iter().map(|hit| hit.raised.clarity).fold(0.0, f64::max)),
        ..blank(kind, processes, cells.window(first, last), took / expected, took - expected)
    };
    Candidate { finding, mend: Mend::Pace(factors) }
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

fn busy_ones(subject: &Subject<'_>, group: &[usize], usual: &Usual) -> Vec<Candidate> {
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

fn long_steps(subject: &Subject<'_>, group: &[usize], usual: &Usual) -> Vec<Candidate> {
    let cells = subject.cells;
    let candidate = |raised: Raised| {
        let is_long = raised.len() as f64 > (LONG * cells.n_slots() as f64).max(1.0);
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
fn uneven(subject: &Subject<'_>, group: &[usize]) -> Option<Candidate> {
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

fn slow_link(subject: &Subject<'_>, route: SlowRoute) -> Candidate {
    let towards = route.other.map_or(Vec::new(), |other| subject.below(other));
    let run = subject.program.run;
    let finding = Finding {
        towards,
        sure: route.explained,
        ..blank(FindingKind::Link, subject.below(route.node), run, route.ratio, route.excess as f64)
    };
    Candidate { finding, mend: Mend::Travel(route.usual) }
}

fn late_root(subject: &Subject<'_>, root: LateRoot) -> Candidate {
    let process = &subject.program.processes[root.process as usize];
    let ticks = |call: u32| -> Ticks {
        process.work_before(call as usize).iter().map(|work| work.ticks).sum()
    };
    let excess: Ticks =
        root.usual_work.iter().map(|(call, usual)| (ticks(*call) - usual).max(0)).sum();
    let usual: Ticks = root.usual_work.values().sum();
    let ratio = (usual + excess) as f64 / usual.max(1) as f64;
    let finding = Finding {
        value: Some(root.value),
        sure: 0.9,
        ..blank(FindingKind::CollectiveWait, vec![root.process], root.window, ratio, excess as f64)
    };
    Candidate { finding, mend: Mend::Prompt(root.process, root.usual_work) }
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

/// How sure something is that stands out this many times from the noise.
fn sureness(clarity: f64) -> f64 {
    (1.0 - 0.5 * (LEAST_CLARITY / clarity.max(LEAST_CLARITY)).powi(2)).min(0.99)
}

/// Lets the run go again without it.
fn tried(
    subject: &Subject<'_>,
    replay: &Replay<'_>,
    before: &Replayed,
    candidate: Candidate,
) -> Finding {
    let Candidate { mut finding, mend } = candidate;
    let program = subject.program;
    let after = match &mend {
        Mend::Pace(factors) => {
            let window = finding.window;
            run(replay, &Paced { program, factors: factors.clone(), window })
        }
        Mend::Travel(usual) => run(replay, &Travelling { program, usual }),
        Mend::Prompt(process, usual_work) => run(replay, &Prompt { process: *process, usual_work }),
    };
    finding.saved = (before.end() - after.end()).max(0);
    let less: Vec<i128> =
        before.waited.iter().zip(&after.waited).map(|(before, after)| before - after).collect();
    let least = i128::from(finding.saved / 100);
    finding.waiting = less.iter().filter(|ticks| **ticks > least).sum();
    finding.n_waiting = less.iter().filter(|ticks| **ticks > least).count() as u64;
    if finding.kind == FindingKind::Slow {
        finding.saved = finding.saved.max(saved_by_sharing(subject, &finding));
    }
    finding
}

fn run(replay: &Replay<'_>, change: &impl Change) -> Replayed {
    replay.run(change)
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
