//! One phase.

use std::ops::Range;

use onca_aggregate::phases::{Community, CommunityTree, Traffic, TrafficSum};
use onca_model::{Ticks, Window};

/// A stretch of time in which messages lie close together.
#[derive(Clone, PartialEq, Debug)]
pub struct Phase {
    /// When it is: from halfway after the last message of the phase before to halfway before the first one of the next.
    pub window: Window,
    /// The different times of its messages, by their places among all.
    pub instants: Range<usize>,
    /// The middle of its first message.
    pub first_message: Ticks,
    /// What its messages amount to.
    pub totals: PhaseTotals,
    /// What each processor sends to each other, by sender and receiver. The weight is the size, or the number of messages.
    pub traffic: Vec<Traffic>,
    /// Who sends or receives.
    pub active: Vec<u32>,
    /// How those join, each by its place in `active`.
    pub tree: CommunityTree,
    /// The pattern, from 0 in order of appearance: phases that look alike have the same.
    pub label: usize,
}

/// What the messages of a phase amount to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PhaseTotals {
    /// How many there are.
    pub messages: u64,
    /// The sum of their sizes.
    pub size: u64,
    /// How many go from a processor to itself.
    pub to_self: u64,
    /// How many belong to collective operations.
    pub collective: u64,
}

/// What the members of one community send to those of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The place of the community that sends.
    pub from: usize,
    /// The place of the community that receives.
    pub to: usize,
    /// How much: the sum of sizes, or the number of messages.
    pub weight: u64,
    /// In how many messages.
    pub count: u64,
}

impl Phase {
    pub(super) fn new(
        window: Window,
        instants: Range<usize>,
        first_message: Ticks,
        totals: PhaseTotals,
        sum: TrafficSum,
    ) -> Self {
        let traffic = sum.into_sorted();
        let mut active: Vec<u32> = traffic.iter().flat_map(|t| [t.from, t.to]).collect();
        active.sort_unstable();
        active.dedup();
        let place = |processor: u32| active.partition_point(|&other| other < processor) as u32;
        let placed: Vec<Traffic> = weighed(&traffic)
            .into_iter()
            .map(|traffic| Traffic { from: place(traffic.from), to: place(traffic.to), ..traffic })
            .collect();
        let tree = CommunityTree::new(active.len(), &placed);
        Self { window, instants, first_message, totals, traffic, active, tree, label: 0 }
    }

    /// How many communities there are: as many as asked for, as far as there are processors, else the best number.
    pub fn n_communities(&self, count: Option<usize>) -> usize {
        count
            .unwrap_or_else(|| self.tree.best_count())
            .clamp(1.min(self.active.len()), self.active.len())
    }

    /// Its communities, by their smallest processor.
    pub fn communities(&self, count: Option<usize>) -> Vec<Community> {
        let mut communities = self.tree.communities(self.n_communities(count));
        for member in communities.iter_mut().flatten() {
            *member = self.active[*member as usize];
        }
        communities
    }

    /// What communities of the phase send to each other, by sender and receiver.
    pub fn flows(&self, communities: &[Community]) -> Vec<Flow> {
        let mut places = vec![0; self.active.len()];
        let place = |processor: u32| self.active.partition_point(|&other| other < processor);
        for (number, members) in communities.iter().enumerate() {
            members.iter().for_each(|&member| places[place(member)] = number as u32);
        }
        let mut sum = TrafficSum::default();
        for traffic in &self.traffic {
            let (from, to) = (places[place(traffic.from)], places[place(traffic.to)]);
            sum.add(Traffic { from, to, ..*traffic });
        }
        let flow = |t: Traffic| Flow {
            from: t.from as usize,
            to: t.to as usize,
            weight: t.weight,
            count: t.count,
        };
        sum.into_sorted().into_iter().map(flow).collect()
    }
}

/// The same traffic, measured by the number of messages where all of them are empty: they tell who talks with whom all the same.
pub(super) fn weighed(traffic: &[Traffic]) -> Vec<Traffic> {
    let is_empty = traffic.iter().all(|traffic| traffic.weight == 0);
    let weight = |traffic: &Traffic| if is_empty { traffic.count } else { traffic.weight };
    traffic.iter().map(|traffic| Traffic { weight: weight(traffic), ..*traffic }).collect()
}
