//! What a scope shows one by one, for pictures that have room for it, and how much of it there is.

use std::collections::BTreeMap;
use std::sync::Arc;

use onca_model::{EventRow, LaneId, Nature, StateRow, TypeId, ValueId, VariableRow, Window};
use onca_query::{LockUse, Scope};
use onca_store::{Counts, TrackId, ValueOrder, VariableSummary};

use crate::Result;

/// What the trace has, whatever the lens shows.
pub fn counts(scope: &Scope<'_>) -> Counts {
    scope.store().counts()
}

/// How many entities of a type the trace has, whatever the lens shows.
pub fn n_of_type(scope: &Scope<'_>, id: TypeId) -> u64 {
    let catalog = scope.catalog();
    if catalog.type_def(id).nature == Nature::Container {
        return catalog.containers.types.iter().filter(|other| **other == id).count() as u64;
    }
    let tracks = scope.store().tracks().of_type(id);
    let lanes = tracks.iter().flat_map(|&track| lanes_of(scope, track));
    lanes.map(|&lane| n_rows(scope, lane)).sum()
}

/// The values in the order of the time that they have in the whole trace, the most first.
pub fn order_by_time(scope: &Scope<'_>) -> Result<Arc<ValueOrder>> {
    Ok(scope.store().order_by_time()?)
}

/// The lanes of a track: states have one for each depth.
pub fn lanes_of<'a>(scope: &'a Scope<'_>, track: TrackId) -> &'a [LaneId] {
    scope.store().tracks().lanes(track)
}

/// How many entities a lane has in the whole trace, those that the lens hides included.
pub fn n_rows(scope: &Scope<'_>, lane: LaneId) -> u64 {
    scope.store().n_rows(lane)
}

/// How many states some tracks have in a window, those that the lens hides included.
pub fn n_states(scope: &Scope<'_>, tracks: &[TrackId], window: Window) -> Result<u64> {
    Ok(scope.store().n_states(tracks, window)?)
}

/// How many states of each seen value a track has in the window of the scope.
pub fn state_counts(scope: &Scope<'_>, track: TrackId) -> Result<Vec<(ValueId, u64)>> {
    let mut counts = scope.store().state_counts(track, scope.window())?;
    counts.retain(|(value, _)| scope.sees_value(*value));
    Ok(counts)
}

/// Visits the seen states of a lane that touch a window: row and state.
pub fn visit_states(
    scope: &Scope<'_>,
    lane: LaneId,
    window: Window,
    mut visit: impl FnMut(u64, &StateRow),
) -> Result<()> {
    scope.store().visit_states(lane, window, 0, |row, state, _| {
        if scope.sees_state(state) {
            visit(row, state);
        }
    })?;
    Ok(())
}

/// Visits all states of a track that touch the window of the scope, outer ones first: depth, row,
/// state, and whether it is seen.
pub fn visit_nested_states(
    scope: &Scope<'_>,
    track: TrackId,
    mut visit: impl FnMut(usize, u64, &StateRow, bool),
) -> Result<()> {
    scope.store().visit_track_states(track, scope.window(), 0, |depth, row, state| {
        visit(depth, row, state, scope.sees_state(state));
    })?;
    Ok(())
}

/// Visits the seen events of a lane in a window: row and event.
pub fn visit_events(
    scope: &Scope<'_>,
    lane: LaneId,
    window: Window,
    mut visit: impl FnMut(u64, &EventRow),
) -> Result<()> {
    scope.store().visit_events(lane, window, |row, event| {
        if scope.sees_event(event) {
            visit(row, event);
        }
    })?;
    Ok(())
}

/// How many events of each seen value some lanes have in a window.
pub fn event_counts(
    scope: &Scope<'_>,
    lanes: &[LaneId],
    window: Window,
) -> Result<BTreeMap<ValueId, u64>> {
    let mut counts = BTreeMap::new();
    for &lane in lanes {
        for (value, n) in scope.store().event_counts(lane, window)? {
            if scope.sees_value(value) {
                *counts.entry(value).or_default() += n;
            }
        }
    }
    Ok(counts)
}

/// Visits the steps of a variable that touch a window, with their rows.
pub fn visit_steps(
    scope: &Scope<'_>,
    lane: LaneId,
    window: Window,
    mut visit: impl FnMut(u64, &VariableRow),
) -> Result<()> {
    scope.store().visit_variables(lane, window, |row, step| visit(row, step))?;
    Ok(())
}

/// What a variable is in a window.
pub fn variable_summary(
    scope: &Scope<'_>,
    lane: LaneId,
    window: Window,
) -> Result<VariableSummary> {
    Ok(scope.store().variable_summary(lane, window)?)
}

/// A state in which a lock is held or waited for.
pub struct LockState<'a> {
    /// Where it is stored.
    pub lane: LaneId,
    /// Its row there.
    pub row: u64,
    /// The state.
    pub state: StateRow,
    /// The name of the lock.
    pub lock: &'a [u8],
    /// What is done with it.
    pub lock_use: LockUse,
}

/// Visits the seen states of a track in a window that are about a lock, by what the first rule of the
/// lens says that fits.
pub fn visit_lock_states(
    scope: &Scope<'_>,
    track: TrackId,
    window: Window,
    mut visit: impl FnMut(LockState<'_>),
) -> Result<()> {
    for &lane in lanes_of(scope, track) {
        let mut uses: Vec<(u64, StateRow)> = Vec::new();
        visit_states(scope, lane, window, |row, state| {
            if scope.locks().iter().any(|rule| rule.use_of(state.value).is_some()) {
                uses.push((row, *state));
            }
        })?;
        let mut texts = scope.store().texts(lane);
        for (row, state) in uses {
            let (_, packed) = texts.get(row)?;
            let found = scope.locks().iter().find_map(|rule| {
                let lock_use = rule.use_of(state.value)?;
                Some((rule.lock(scope.catalog(), state.value, packed)?, lock_use))
            });
            if let Some((lock, lock_use)) = found {
                visit(LockState { lane, row, state, lock, lock_use });
            }
        }
    }
    Ok(())
}
