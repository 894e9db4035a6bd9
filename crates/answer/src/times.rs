//! How long the containers of each node were in each value.

use onca_model::{Nature, Ticks, ValueId, Window};
use onca_query::Scope;
use onca_store::{Measure, TrackId, ValueSums};
use rayon::prelude::*;

use crate::{Cut, Result};

/// The time in a value at one place of a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueTime {
    /// The place.
    pub place: usize,
    /// The value.
    pub value: ValueId,
    /// The time of the seen states, in the window.
    pub ticks: i128,
}

/// The time in each value at each place of a cut, by place and value, without zeros.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateTimes {
    /// The times.
    pub rows: Vec<ValueTime>,
    /// Did the lens make it necessary to look at every state?
    pub scanned: bool,
}

impl StateTimes {
    /// The rows of a place.
    pub fn at(&self, place: usize) -> &[ValueTime] {
        let from = self.rows.partition_point(|row| row.place < place);
        let to = self.rows.partition_point(|row| row.place <= place);
        &self.rows[from..to]
    }

    /// The time in a value at a place.
    pub fn get(&self, place: usize, value: ValueId) -> i128 {
        let found = self.rows.binary_search_by_key(&(place, value), |row| (row.place, row.value));
        found.map_or(0, |at| self.rows[at].ticks)
    }
}

/// The time in each value during a window, from cumulative sums wherever the lens allows.
pub fn state_times(
    scope: &Scope<'_>,
    cut: &Cut,
    window: Window,
    measure: Measure,
) -> Result<StateTimes> {
    times_of(scope, &cut.tracks(scope, Nature::State), window, measure)
}

/// The same for tracks with any places.
pub(crate) fn times_of(
    scope: &Scope<'_>,
    tracks: &[(usize, TrackId)],
    window: Window,
    measure: Measure,
) -> Result<StateTimes> {
    let scanned = scope.min_duration() > 0;
    let parts: Vec<Vec<ValueTime>> = tracks
        .par_chunks(chunk_of(tracks.len()))
        .map(|tracks| {
            let mut rows = Vec::new();
            for &(place, track) in tracks {
                let add = |value, ticks| rows.push(ValueTime { place, value, ticks });
                match scanned {
                    false => summed(scope, track, window, measure, add)?,
                    true => walked(scope, track, window, measure, add)?,
                }
            }
            Ok(merged(rows))
        })
        .collect::<Result<_>>()?;
    Ok(StateTimes { rows: merged(parts.concat()), scanned })
}

/// Gives `visit` the time of a track in each value between neighbouring edges, which come in ascending order, in parts that
/// are to be added up: some may be below 0. Equals [`times_of`] for each window between two edges.
pub(crate) fn visit_times(
    scope: &Scope<'_>,
    track: TrackId,
    edges: &[Ticks],
    mut visit: impl FnMut(usize, ValueId, i128),
) -> Result<()> {
    if scope.min_duration() > 0 {
        for (slice, edge) in edges.windows(2).enumerate() {
            let window = Window { from: edge[0], to: edge[1] };
            walked(scope, track, window, Measure::Exclusive, |value, ticks| {
                visit(slice, value, ticks)
            })?;
        }
        return Ok(());
    }
    scope.store().visit_state_time(track, edges, Measure::Exclusive, |slice, value, ticks| {
        if scope.sees_value(value) {
            visit(slice, value, ticks);
        }
    })?;
    Ok(())
}

/// How many items a thread takes at once: enough to be worth it, few enough to share the work.
pub(crate) fn chunk_of(n: usize) -> usize {
    n.div_ceil(8 * rayon::current_num_threads()).max(1)
}

/// Times by place and value, each once, without zeros.
fn merged(mut rows: Vec<ValueTime>) -> Vec<ValueTime> {
    rows.sort_unstable_by_key(|row| (row.place, row.value));
    rows.dedup_by(|later, earlier| {
        let same = (later.place, later.value) == (earlier.place, earlier.value);
        if same {
            earlier.ticks += later.ticks;
        }
        same
    });
    rows.retain(|row| row.ticks != 0);
    rows
}

fn summed(
    scope: &Scope<'_>,
    track: TrackId,
    window: Window,
    measure: Measure,
    mut add: impl FnMut(ValueId, i128),
) -> Result<()> {
    for (value, ticks) in scope.store().state_time(track, window, measure)? {
        if scope.sees_value(value) {
            add(value, i128::from(ticks));
        }
    }
    Ok(())
}

/// The same state by state. What is hidden takes its time from the state around it, but does not
/// count itself.
fn walked(
    scope: &Scope<'_>,
    track: TrackId,
    window: Window,
    measure: Measure,
    mut add: impl FnMut(ValueId, i128),
) -> Result<()> {
    let mut sums = ValueSums::new(scope.catalog().values.len());
    // By depth: the value of the open state, if that is seen.
    let mut open: Vec<Option<ValueId>> = Vec::new();
    scope.store().visit_track_states(track, window, 0, |depth, _, state| {
        open.resize(depth, None);
        let ticks = i128::from(window.overlap(state.start, state.end));
        if let (Measure::Exclusive, Some(Some(outer))) = (measure, open.last()) {
            sums.add(*outer, -ticks);
        }
        let seen = scope.sees_state(state).then_some(state.value);
        if let Some(value) = seen {
            sums.add(value, ticks);
        }
        open.push(seen);
    })?;
    sums.into_sorted().into_iter().for_each(|(value, ticks)| add(value, ticks));
    Ok(())
}
