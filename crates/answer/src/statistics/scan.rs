//! Looking at every instance, in bounded memory and in parallel.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use onca_aggregate::statistics::{Longest, StreamSummary};
use onca_model::{ContainerId, LinkRow, Nature, Ticks, ValueId, Window};
use onca_query::{NodeId, Reduction, Scope, StateValue};
use onca_store::{StateScan, StateSlice, TrackId};
use rayon::prelude::*;

use super::{Durations, Instance, ValueStatistics};
use crate::Result;
use crate::times::chunk_of;

/// Up to this many instances of a value all durations are kept, so that quantiles are exact.
const EXACT_UP_TO: usize = 1 << 14;

/// What is known of the instances of a value.
pub(super) struct Gathered {
    count: u64,
    /// The time of links in the window.
    pub ticks: i128,
    size: Option<u64>,
    durations: Option<(StreamSummary, Longest<Instance>)>,
}

/// What is known of the instances of values, by value.
pub(super) type ByValue = Vec<(ValueId, Gathered)>;

impl Gathered {
    fn new(n_longest: usize) -> Self {
        let durations = (StreamSummary::new(EXACT_UP_TO), Longest::new(n_longest));
        Self { count: 0, ticks: 0, size: None, durations: Some(durations) }
    }

    /// Only how many there are.
    pub fn count(count: u64) -> Self {
        Self { count, ticks: 0, size: None, durations: None }
    }

    /// Adds a link whose ends are both known.
    fn add_link(&mut self, link: &LinkRow<'_>) {
        let LinkRow { start, end, source, .. } = *link;
        let duration = end.saturating_sub(start);
        self.add_duration(duration);
        self.offer(duration, Instance { start, end, container: source });
    }

    /// Adds an instance, without a look at whether it is among the longest.
    #[inline]
    fn add_duration(&mut self, duration: Ticks) {
        self.count += 1;
        if let Some((summary, _)) = &mut self.durations {
            summary.add(duration);
        }
    }

    /// Keeps an instance if it is among the longest; returns how long one must be for that.
    fn offer(&mut self, duration: Ticks, instance: Instance) -> Ticks {
        let Some((_, longest)) = &mut self.durations else { return Ticks::MAX };
        longest.offer(duration, instance);
        longest.least()
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.ticks += other.ticks;
        self.size = match (self.size, other.size) {
            (Some(own), Some(other)) => Some(own.saturating_add(other)),
            (own, other) => own.or(other),
        };
        if let (Some(own), Some(other)) = (&mut self.durations, other.durations) {
            own.0.merge(&other.0);
            own.1.merge(other.1);
        }
    }

    pub fn finish(
        self,
        place: usize,
        value: StateValue,
        nature: Nature,
        ticks: Option<i128>,
        share: Option<f64>,
    ) -> ValueStatistics {
        let Self { count, size, durations, .. } = self;
        let (summary, longest) = durations.unzip();
        ValueStatistics {
            place,
            value,
            nature,
            ticks,
            share,
            count,
            size,
            durations: summary.as_ref().and_then(Durations::of),
            longest: longest
                .map(|longest| longest.into_sorted().into_iter().map(|(_, item)| item).collect())
                .unwrap_or_default(),
        }
    }
}

/// The tracks of a place, of tracks that are ordered by place.
pub(super) fn of_place(tracks: &[(usize, TrackId)], place: usize) -> &[(usize, TrackId)] {
    let from = tracks.partition_point(|track| track.0 < place);
    let to = tracks.partition_point(|track| track.0 <= place);
    &tracks[from..to]
}

/// All seen states of some tracks.
pub(super) fn states(
    scope: &Scope<'_>,
    tracks: &[(usize, TrackId)],
    n_longest: usize,
) -> Result<ByValue> {
    let parts = tracks.par_chunks(chunk_of(tracks.len())).map(|tracks| {
        let mut scan = StateScan::new(scope.store());
        let mut found = FoundStates::new(scope, n_longest);
        for &(_, track) in tracks {
            let container = scope.store().tracks().get(track).map(|track| track.container);
            for &lane in scope.store().tracks().lanes(track) {
                scan.visit(lane, scope.window(), |states| found.add(states, container))?;
            }
        }
        Ok(found.by_value())
    });
    merged(parts)
}

/// The derived states of some nodes, by number. Their whole lengths are known only from the whole
/// trace.
pub(super) fn derived(
    scope: &Scope<'_>,
    reduction: &Reduction,
    nodes: &[NodeId],
    n_longest: usize,
) -> Result<BTreeMap<i64, Gathered>> {
    let facts = &scope.catalog().facts;
    let (window, whole) = (scope.window(), Window::new(facts.start, facts.end));
    let mut found: BTreeMap<i64, Gathered> = BTreeMap::new();
    for &node in nodes {
        let container = scope.hierarchy().container(node);
        reduction.visit(scope, node, whole, |start, end, number| {
            let inside = end.min(window.to).saturating_sub(start.max(window.from));
            if inside > 0 {
                let own = found.entry(number as i64).or_insert_with(|| Gathered::new(n_longest));
                own.ticks += i128::from(inside);
                own.add_duration(end.saturating_sub(start));
                own.offer(end.saturating_sub(start), Instance { start, end, container });
            }
        })?;
    }
    Ok(found)
}

/// What a thread finds out about states, by value: with a place for each that a trace may have, as
/// this is done for every state, but with room only for those that occur.
struct FoundStates<'a> {
    scope: &'a Scope<'a>,
    /// Where a value is among those found, plus one; 0 for a value that was not met.
    places: Vec<u32>,
    values: Vec<FoundValue>,
    n_longest: usize,
}

struct FoundValue {
    value: ValueId,
    gathered: Gathered,
    /// An instance must last as long to be among the longest.
    least: Ticks,
}

impl<'a> FoundStates<'a> {
    fn new(scope: &'a Scope<'a>, n_longest: usize) -> Self {
        let places = vec![0; scope.catalog().values.len()];
        Self { scope, places, values: Vec::new(), n_longest }
    }

    fn add(&mut self, states: StateSlice<'_>, container: Option<ContainerId>) {
        let min_duration = self.scope.min_duration();
        let times = states.starts.iter().zip(states.ends);
        for ((&start, &end), &value) in times.zip(states.values) {
            let duration = end.saturating_sub(start);
            if duration < min_duration {
                continue;
            }
            let found = self.of(value);
            found.gathered.add_duration(duration);
            if duration >= found.least {
                found.least = found.gathered.offer(duration, Instance { start, end, container });
            }
        }
    }

    #[inline]
    fn of(&mut self, value: ValueId) -> &mut FoundValue {
        let place = &mut self.places[value.index()];
        if *place == 0 {
            let least = if self.n_longest > 0 { Ticks::MIN } else { Ticks::MAX };
            self.values.push(FoundValue { value, gathered: Gathered::new(self.n_longest), least });
            *place = self.values.len() as u32;
        }
        &mut self.values[*place as usize - 1]
    }

    /// What was found of the values that are seen.
    fn by_value(self) -> ByValue {
        let seen = self.values.into_iter().filter(|found| self.scope.sees_value(found.value));
        let mut seen: ByValue = seen.map(|found| (found.value, found.gathered)).collect();
        seen.sort_unstable_by_key(|(value, _)| *value);
        seen
    }
}

/// All seen links.
pub(super) fn links(scope: &Scope<'_>, n_longest: usize) -> Result<ByValue> {
    let window = scope.window();
    let parts = scope.link_parts().into_par_iter().map(|part| {
        let mut values = BTreeMap::new();
        scope.visit_link_part(&part, |_, link| {
            let found = values.entry(link.value).or_insert_with(|| Gathered::new(n_longest));
            match link.source.is_some() && link.destination.is_some() {
                true => found.add_link(link),
                false => found.count += 1,
            }
            found.ticks += i128::from(window.overlap(link.start, link.end));
            if let Some(size) = link.size {
                found.size = Some(found.size.unwrap_or(0).saturating_add(size));
            }
        })?;
        Ok(values.into_iter().collect())
    });
    merged(parts)
}

/// How many seen events of each value some tracks have, without looking at each.
pub(super) fn events(
    scope: &Scope<'_>,
    tracks: &[(usize, TrackId)],
) -> Result<BTreeMap<ValueId, u64>> {
    let mut counts = BTreeMap::new();
    for &(_, track) in tracks {
        for &lane in scope.store().tracks().lanes(track) {
            for (value, count) in scope.store().event_counts(lane, scope.instants())? {
                if scope.sees_value(value) {
                    *counts.entry(value).or_default() += count;
                }
            }
        }
    }
    Ok(counts)
}

/// Puts the parts together. Neither summaries nor lists of the longest depend on the order.
fn merged(parts: impl ParallelIterator<Item = Result<ByValue>>) -> Result<ByValue> {
    parts.try_reduce(ByValue::new, |left, right| {
        if left.is_empty() {
            return Ok(right);
        }
        let mut all = ByValue::with_capacity(left.len().max(right.len()));
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((left, _)), Some((right, _))) => left.cmp(right),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Ok(all),
            };
            let other = if order.is_ge() { right.next() } else { None };
            let mut own = if order.is_le() { left.next() } else { None };
            match (&mut own, other) {
                (Some((_, own)), Some((_, other))) => own.merge(other),
                (_, other) => own = own.or(other),
            }
            all.extend(own);
        }
    })
}
