//! Clocks: messages received before they were sent, and how far the clocks of processes are off.
//!
//! See [`onca_aggregate::clocks`] for what is computed, and `docs/clocks.md` for what it means.

pub(crate) mod wire;

use std::collections::BTreeMap;

use onca_aggregate::clocks::{Clock, Estimate, Messages, Model};
use onca_model::{ContainerId, LaneId, Ticks, TimeMap};
use onca_query::{NodeId, Resolver, Scope};
use onca_store::{Correction, Store};

use crate::{AnswerError, Cut, Level, Result};

/// How many pairs of processes may exchange messages.
const MAX_PAIRS: usize = 1 << 18;

/// Which links are messages, and who has a clock.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClockSpec {
    /// Which nodes have a clock each.
    pub level: Level,
    /// Only links of these types; of all that are seen where it is empty.
    pub link_types: Vec<String>,
}

/// What messages say about clocks.
#[derive(Clone, Debug)]
pub struct ClocksAnswer {
    /// The nodes that send or receive messages, in the order of the lens.
    pub processes: Vec<Process>,
    /// Nodes of the same kinds without messages: nothing is known of their clocks.
    pub silent: Vec<NodeId>,
    /// The pairs with messages that go backwards, the worst first.
    pub pairs: Vec<BackwardPair>,
    /// Messages as they are.
    pub before: Backward,
    /// The same messages with corrected times.
    pub after: Backward,
    /// Links with an end that is not known or has no clock.
    pub left_out: u64,
    /// What was found.
    pub estimate: Estimate,
    /// What corrects the times of each process.
    maps: Vec<TimeMap>,
    /// The process that each container takes its time from.
    process_of: Vec<Option<u32>>,
}

/// A node with a clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Process {
    /// It.
    pub node: NodeId,
    /// What is to be added to its times.
    pub clock: Clock,
    /// The process that its clock is compared with, by number.
    pub reference: usize,
    /// Messages that it sent or received.
    pub messages: u64,
}

/// How many messages go backwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Backward {
    /// Messages.
    pub messages: u64,
    /// Those that were received before they were sent.
    pub backward: u64,
    /// By how much at most.
    pub worst: Ticks,
}

impl Backward {
    fn add(&mut self, sent: Ticks, received: Ticks) {
        self.messages += 1;
        if received < sent {
            self.backward += 1;
            self.worst = self.worst.max(sent.saturating_sub(received));
        }
    }
}

/// Messages from one process to another, some of which go backwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackwardPair {
    /// The sender, by number.
    pub from: usize,
    /// The receiver, by number.
    pub to: usize,
    /// How many go backwards.
    pub counts: Backward,
}

/// Looks at all messages, estimates the clocks, and looks again at what the correction makes of
/// the messages.
pub fn clocks(scope: &Scope<'_>, spec: &ClockSpec) -> Result<ClocksAnswer> {
    let source = Source::new(scope, spec)?;
    let mut gathered = Gathered::default();
    let mut too_many = false;
    let left_out = source.visit(|message| {
        too_many |= gathered.pairs.len() > MAX_PAIRS;
        if !too_many {
            gathered.add(message);
        }
    })?;
    if too_many {
        return Err(AnswerError::TooLarge(format!(
            "more than {MAX_PAIRS} pairs exchange messages; choose a level, or fewer containers"
        )));
    }
    let numbers: Vec<usize> = gathered.counts.keys().copied().collect();
    let number_of = |place: usize| numbers.binary_search(&place).unwrap_or(0);
    let Gathered { messages, pairs, counts, before } = gathered;
    let estimate = messages.estimate();
    let maps: Vec<TimeMap> = numbers.iter().map(|&place| estimate.map(place as u32)).collect();
    let mut after = before;
    if before.backward > 0 {
        after = Backward::default();
        source.visit(|message| {
            let (from, to) = (&maps[number_of(message.from)], &maps[number_of(message.to)]);
            let moved = |map: &TimeMap, time| map.apply(time).unwrap_or(time);
            after.add(moved(from, message.sent), moved(to, message.received));
        })?;
    }
    let process = |&place: &usize| Process {
        node: source.cut.nodes()[place],
        clock: estimate.clocks.get(place).copied().unwrap_or_default(),
        reference: number_of(estimate.references.get(place).map_or(place, |&at| at as usize)),
        messages: counts[&place],
    };
    let mut pairs: Vec<BackwardPair> = pairs
        .into_iter()
        .filter(|(_, counts)| counts.backward > 0)
        .map(|((from, to), counts)| BackwardPair {
            from: number_of(from),
            to: number_of(to),
            counts,
        })
        .collect();
    pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.counts.worst), pair.from, pair.to));
    let processes: Vec<Process> = numbers.iter().map(process).collect();
    Ok(ClocksAnswer {
        silent: silent(scope, &source.cut, &processes),
        process_of: source.processes(scope, &numbers),
        processes,
        maps,
        pairs,
        before,
        after,
        left_out,
        estimate: Estimate { clocks: Vec::new(), references: Vec::new(), ..estimate },
    })
}

/// The nodes without messages of kinds that have messages.
fn silent(scope: &Scope<'_>, cut: &Cut, processes: &[Process]) -> Vec<NodeId> {
    let hierarchy = scope.hierarchy();
    let mut has_messages = vec![false; hierarchy.len()];
    processes.iter().for_each(|process| has_messages[process.node.index()] = true);
    let kinds: std::collections::BTreeSet<&[u8]> =
        processes.iter().map(|process| hierarchy.kind(process.node)).collect();
    let is_silent =
        |node: &NodeId| !has_messages[node.index()] && kinds.contains(hierarchy.kind(*node));
    cut.nodes().iter().copied().filter(is_silent).collect()
}

/// A message between places of the cut.
struct Message {
    from: usize,
    to: usize,
    sent: Ticks,
    received: Ticks,
}

/// The links that are messages.
struct Source<'a> {
    scope: &'a Scope<'a>,
    cut: Cut,
    lanes: Vec<LaneId>,
}

impl<'a> Source<'a> {
    fn new(scope: &'a Scope<'a>, spec: &ClockSpec) -> Result<Self> {
        let resolver = Resolver::new(scope.catalog());
        let mut types = Vec::new();
        for pattern in &spec.link_types {
            types.extend(resolver.types(pattern).map_err(AnswerError::Question)?);
        }
        let lanes = scope.link_lanes().filter(|(_, id)| types.is_empty() || types.contains(id));
        let lanes = lanes.map(|(lane, _)| lane).collect();
        Ok(Self { scope, cut: Cut::new(scope, &spec.level)?, lanes })
    }

    fn place(&self, container: ContainerId) -> Option<usize> {
        self.cut.place(self.scope.hierarchy().node_of(container)?)
    }

    /// Visits all messages. Gives the number of links that are none, because an end is not known
    /// or has no clock.
    fn visit(&self, mut visit: impl FnMut(&Message)) -> Result<u64> {
        let mut left_out = 0;
        for &lane in &self.lanes {
            self.scope.visit_links(lane, |_, link| {
                let from = link.source.and_then(|id| self.place(id));
                let to = link.destination.and_then(|id| self.place(id));
                match (from, to) {
                    (Some(from), Some(to)) => {
                        visit(&Message { from, to, sent: link.start, received: link.end });
                    }
                    _ => left_out += 1,
                }
            })?;
        }
        Ok(left_out)
    }

    /// The process that each container takes its time from: its own node's, if that has messages,
    /// else that of the container it lies in.
    fn processes(&self, scope: &Scope<'_>, numbers: &[usize]) -> Vec<Option<u32>> {
        let containers = &scope.catalog().containers;
        let mut found: Vec<Option<u32>> = Vec::with_capacity(containers.len());
        for index in 0..containers.len() {
            let own = self.place(ContainerId(index as u32));
            let own = own.and_then(|place| numbers.binary_search(&place).ok());
            let above = found.get(containers.parents[index].index()).copied().flatten();
            found.push(own.map(|number| number as u32).or(above));
        }
        found
    }
}

/// What is gathered in the first look at messages, by place.
#[derive(Default)]
struct Gathered {
    messages: Messages,
    pairs: BTreeMap<(usize, usize), Backward>,
    counts: BTreeMap<usize, u64>,
    before: Backward,
}

impl Gathered {
    fn add(&mut self, message: &Message) {
        let Message { from, to, sent, received } = *message;
        self.messages.push(from as u32, to as u32, sent, received);
        self.pairs.entry((from, to)).or_default().add(sent, received);
        self.before.add(sent, received);
        *self.counts.entry(from).or_default() += 1;
        if from != to {
            *self.counts.entry(to).or_default() += 1;
        }
    }
}

impl ClocksAnswer {
    /// Do clocks agree, as far as messages tell?
    pub fn agree(&self) -> bool {
        self.estimate.model == Model::Agree
    }

    /// Would the correction change any time?
    pub fn moves(&self) -> bool {
        self.processes.iter().any(is_moved)
    }

    /// By how much a corrected time can be wrong, where messages bound it at all.
    pub fn uncertainty(&self) -> Option<Ticks> {
        self.processes.iter().filter_map(|process| process.clock.uncertainty).max()
    }

    /// The process that all others are compared with, if there is one.
    pub fn reference(&self) -> Option<usize> {
        let first = self.processes.first()?.reference;
        self.processes.iter().all(|process| process.reference == first).then_some(first)
    }

    /// What corrects the times of each container.
    pub fn maps(&self) -> Vec<TimeMap> {
        let map = |process: &Option<u32>| match process {
            Some(number) => self.maps[*number as usize],
            None => TimeMap::IDENTITY,
        };
        self.process_of.iter().map(map).collect()
    }

    /// What a store with corrected times remembers.
    pub fn correction(&self, store: &Store) -> Correction {
        let clocks = || self.processes.iter().map(|process| process.clock);
        Correction {
            from: store.dir().display().to_string(),
            drifts: self.estimate.model == Model::OffsetsAndDrifts,
            moved: self.processes.iter().filter(|process| is_moved(process)).count() as u64,
            processes: self.processes.len() as u64,
            largest_offset_ticks: clocks()
                .map(|clock| clock.offset.saturating_abs())
                .max()
                .unwrap_or(0),
            largest_drift: clocks().map(|clock| clock.drift.abs()).fold(0.0, f64::max),
            uncertainty_ticks: self.uncertainty(),
            unbounded: clocks().filter(|clock| clock.uncertainty.is_none()).count() as u64,
            backward_before: self.before.backward,
            backward_after: self.after.backward,
        }
    }
}

fn is_moved(process: &Process) -> bool {
    process.clock.offset != 0 || process.clock.drift != 0.0
}

/// The word for what had to be assumed of clocks.
pub fn model_name(model: Model) -> &'static str {
    match model {
        Model::Agree => "agree",
        Model::Offsets => "offsets",
        Model::OffsetsAndDrifts => "offsets and drifts",
    }
}
