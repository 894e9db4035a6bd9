//! What each value takes in each container, beside what it takes in the others.

pub(crate) mod wire;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use onca_aggregate::slice::Bounds;
use onca_aggregate::statistics::{Odd, odd_ones};
use onca_model::{Nature, TypeId, ValueId};
use onca_query::{NodeId, Scope};
use onca_store::{Measure, TrackId};
use rayon::prelude::*;

use crate::times::visit_times;
use crate::{Cut, Level, Result, StateTimes, ValueStatistics, state_times, statistics};

/// What is asked about containers.
#[derive(Clone, PartialEq, Debug)]
pub struct ContainerSpec {
    /// Which nodes are compared.
    pub level: Level,
    /// Only rows of these nodes and of those below them; all by default. They are still compared with all.
    pub nodes: Option<Vec<NodeId>>,
    /// Only rows of this value.
    pub value: Option<ValueId>,
    /// How many slices the window is cut into.
    pub n_slices: usize,
    /// Rows with less time than this many others are left out.
    pub most_rows: usize,
}

/// What the states of each value take in each container.
#[derive(Clone, Debug)]
pub struct ContainerLoads {
    /// The nodes that rows refer to.
    pub cut: Cut,
    /// The rows, those with the most time first.
    pub rows: Vec<ContainerLoad>,
    /// How many slices the times of a row have; fewer than asked for in a window of few ticks.
    pub n_slices: usize,
    /// How many rows are left out.
    pub left_out: usize,
}

/// What the states of one value take in one container.
#[derive(Clone, PartialEq, Debug)]
pub struct ContainerLoad {
    /// Time, count and durations, as statistics of the same level have them.
    pub of: ValueStatistics,
    /// The value.
    pub value: ValueId,
    /// The time above the mean of all nodes that can have the value, by that mean. None where it is 0.
    pub above_mean: Option<f64>,
    /// Is the time far from that of most of them?
    pub odd: Option<Odd>,
    /// The exclusive time in each slice of the window, in ticks.
    pub over_time: Vec<i128>,
}

/// What each value takes in each container: exclusive times, and how they compare with those of the other
/// containers of the level that have states of the type, whether they have any of the value or not.
pub fn containers(scope: &Scope<'_>, spec: &ContainerSpec) -> Result<ContainerLoads> {
    let cut = Cut::new(scope, &spec.level)?;
    let part = match &spec.nodes {
        Some(nodes) => scope.clone().below(&below(scope, &cut, nodes)),
        None => scope.clone(),
    };
    let found = statistics(&part, cut, Measure::Exclusive, 0)?;
    let wanted = |row: ValueStatistics| {
        let value = row.value.of_trace().filter(|_| row.nature == Nature::State)?;
        spec.value.is_none_or(|one| one == value).then_some((value, row))
    };
    let mut rows: Vec<_> = found.rows.into_iter().filter_map(wanted).collect();
    rows.sort_by_key(|(value, row)| (Reverse(row.ticks), row.place, *value));
    let left_out = rows.len().saturating_sub(spec.most_rows);
    rows.truncate(spec.most_rows);
    let cut = found.cut;
    let compared = compare(scope, &cut, rows.iter().map(|(value, row)| (*value, row.place)))?;
    let n_slices = slices_for(scope, spec.n_slices);
    let mut over_time = in_slices(&part, &cut, n_slices, compared.keys().copied())?;
    let load = |(value, of): (ValueId, ValueStatistics)| {
        let (above_mean, odd) = compared.get(&(value, of.place)).copied().unwrap_or_default();
        let over_time = over_time.remove(&(value, of.place)).unwrap_or_default();
        ContainerLoad { of, value, above_mean, odd, over_time }
    };
    let rows = rows.into_iter().map(load).collect();
    Ok(ContainerLoads { cut, rows, n_slices, left_out })
}

/// The nodes of a cut that are some nodes or lie below them.
fn below(scope: &Scope<'_>, cut: &Cut, nodes: &[NodeId]) -> Vec<NodeId> {
    let hierarchy = scope.hierarchy();
    let is_below = |mut node: NodeId| loop {
        if nodes.contains(&node) {
            return true;
        }
        if node == NodeId::ROOT {
            return false;
        }
        node = hierarchy.parent(node);
    };
    cut.nodes().iter().copied().filter(|node| is_below(*node)).collect()
}

/// A value at a place of a cut.
type ValueAt = (ValueId, usize);
type Comparison = (Option<f64>, Option<Odd>);

/// How times compare with those of the other places that have states of the same type.
fn compare(
    scope: &Scope<'_>,
    cut: &Cut,
    rows: impl Iterator<Item = ValueAt>,
) -> Result<BTreeMap<ValueAt, Comparison>> {
    let times = state_times(scope, cut, scope.window(), Measure::Exclusive)?;
    let places = places_by_type(scope, cut);
    let mut wanted: Vec<ValueAt> = rows.collect();
    wanted.sort_unstable();
    let mut compared = BTreeMap::new();
    for same in wanted.chunk_by(|a, b| a.0 == b.0) {
        let value = same[0].0;
        let type_id = scope.catalog().value(value).type_id;
        let places = places.get(&type_id).map_or(&[][..], Vec::as_slice);
        let loads = loads_at(&times, places, value);
        let odd = odd_ones(&loads);
        let mean = loads.iter().sum::<i128>() as f64 / loads.len().max(1) as f64;
        for &(_, place) in same {
            let Ok(at) = places.binary_search(&place) else { continue };
            let above = (mean != 0.0).then(|| loads[at] as f64 / mean - 1.0);
            compared.insert((value, place), (above, odd[at]));
        }
    }
    Ok(compared)
}

fn loads_at(times: &StateTimes, places: &[usize], value: ValueId) -> Vec<i128> {
    places.iter().map(|place| times.get(*place, value)).collect()
}

/// For each type of states the places that have a track of it, in order.
fn places_by_type(scope: &Scope<'_>, cut: &Cut) -> BTreeMap<TypeId, Vec<usize>> {
    let mut places: BTreeMap<TypeId, Vec<usize>> = BTreeMap::new();
    for (place, track) in cut.tracks(scope, Nature::State) {
        if let Some(of) = scope.store().tracks().get(track) {
            places.entry(of.type_id).or_default().push(place);
        }
    }
    places.values_mut().for_each(Vec::dedup);
    places
}

/// A slice has a tick at least.
fn slices_for(scope: &Scope<'_>, n_slices: usize) -> usize {
    let window = scope.window();
    let ticks = window.to.saturating_sub(window.from).max(0);
    usize::try_from(ticks).map_or(n_slices, |ticks| n_slices.min(ticks))
}

/// The exclusive time of some values at their places in each slice of the window.
fn in_slices(
    scope: &Scope<'_>,
    cut: &Cut,
    n_slices: usize,
    wanted: impl Iterator<Item = ValueAt>,
) -> Result<BTreeMap<ValueAt, Vec<i128>>> {
    let mut found: BTreeMap<ValueAt, Vec<i128>> = wanted.map(|key| (key, Vec::new())).collect();
    let window = scope.window();
    let Ok(bounds) = Bounds::new(window.from, window.to, n_slices) else { return Ok(found) };
    let edges = bounds.edges();
    let tracks = cut.tracks(scope, Nature::State);
    let by_place: Vec<&[(usize, TrackId)]> = tracks.chunk_by(|a, b| a.0 == b.0).collect();
    let sums: Vec<BTreeMap<ValueAt, Vec<i128>>> = by_place
        .into_par_iter()
        .map(|tracks| {
            let mut sums: BTreeMap<ValueAt, Vec<i128>> = BTreeMap::new();
            for &(place, track) in tracks {
                visit_times(scope, track, &edges, |slice, value, ticks| {
                    if found.contains_key(&(value, place)) {
                        let own = sums.entry((value, place)).or_insert_with(|| vec![0; n_slices]);
                        own[slice] += ticks;
                    }
                })?;
            }
            Ok(sums)
        })
        .collect::<Result<_>>()?;
    found.values_mut().for_each(|times| times.resize(n_slices, 0));
    found.extend(sums.into_iter().flatten());
    Ok(found)
}
