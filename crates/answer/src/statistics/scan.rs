//! Looking at every instance, in bounded memory and in parallel.

use std::collections::BTreeMap;

use onca_aggregate::statistics::{Longest, StreamSummary};
use onca_model::{ContainerId, LaneId, Nature, Ticks, ValueId};
use onca_query::Scope;
use onca_store::TrackId;
use rayon::prelude::*;

use super::{Durations, Instance, ValueStatistics};
use crate::Result;
use crate::times::chunk_of;

/// Up to so many instances of a value all durations are kept, so that quantiles are exact.
const EXACT_UP_TO: usize = 1 << 14;

/// What is known of the instances of a value.
pub(super) struct Gathered {
    count: u64,
    /// The time of links in the window.
    pub ticks: i128,
    size: Option<u64>,
    durations: Option<(StreamSummary, Longest<Instance>)>,
}

/// What is known of the instances of each value.
pub(super) type ByValue = BTreeMap<ValueId, Gathered>;

impl Gathered {
    fn new(n_longest: usize) -> Self {
        let durations = (StreamSummary::new(EXACT_UP_TO), Longest::new(n_longest));
        Self { count: 0, ticks: 0, size: None, durations: Some(durations) }
    }

    /// Only how many there are.
    pub fn count(count: u64) -> Self {
        Self { count, ticks: 0, size: None, durations: None }
    }

    #[inline]
    fn add(&mut self, start: Ticks, end: Ticks, container: Option<ContainerId>) {
        self.count += 1;
        if let Some((summary, longest)) = &mut self.durations {
            let duration = end.saturating_sub(start);
            summary.add(duration);
            longest.offer(duration, Instance { start, end, container });
        }
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
        value: ValueId,
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
        // Dense: this is done for every state of a trace.
        let mut values: Vec<Option<Gathered>> = Vec::new();
        values.resize_with(scope.catalog().values.len(), || None);
        for &(_, track) in tracks {
            let container = scope.store().tracks().get(track).map(|track| track.container);
            for &lane in scope.store().tracks().lanes(track) {
                let (window, least) = (scope.window(), scope.min_duration());
                scope.store().visit_states(lane, window, least, |_, state, _| {
                    if scope.sees_value(state.value) {
                        values[state.value.index()]
                            .get_or_insert_with(|| Gathered::new(n_longest))
                            .add(state.start, state.end, container);
                    }
                })?;
            }
        }
        let found = values.into_iter().enumerate();
        let found = found.filter_map(|(id, found)| Some((ValueId(id as u32), found?)));
        Ok(found.collect::<ByValue>())
    });
    merged(parts)
}

/// All seen links.
pub(super) fn links(scope: &Scope<'_>, n_longest: usize) -> Result<ByValue> {
    let lanes: Vec<LaneId> = scope.link_lanes().map(|(lane, _)| lane).collect();
    let window = scope.window();
    let parts = lanes.par_chunks(chunk_of(lanes.len())).map(|lanes| {
        let mut values = ByValue::new();
        for &lane in lanes {
            scope.visit_links(lane, |_, link| {
                let found = values.entry(link.value).or_insert_with(|| Gathered::new(n_longest));
                match link.source.is_some() && link.destination.is_some() {
                    true => found.add(link.start, link.end, link.source),
                    false => found.count += 1,
                }
                found.ticks += i128::from(window.overlap(link.start, link.end));
                if let Some(size) = link.size {
                    found.size = Some(found.size.unwrap_or(0).saturating_add(size));
                }
            })?;
        }
        Ok(values)
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
    parts.try_reduce(ByValue::new, |mut all, part| {
        for (value, found) in part {
            match all.entry(value) {
                std::collections::btree_map::Entry::Occupied(mut own) => own.get_mut().merge(found),
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(found);
                }
            }
        }
        Ok(all)
    })
}
