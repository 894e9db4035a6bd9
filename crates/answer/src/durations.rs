//! When the states of a value begin, and how long they last.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use onca_model::{LaneId, Nature, Ticks, ValueId, Window};
use onca_query::Scope;
use onca_store::TrackId;
use rayon::prelude::*;

use crate::times::chunk_of;
use crate::{AnswerError, Level, Result, entities};

/// Bins of durations for each power of two.
const BINS_PER_DOUBLING: f64 = 16.0;

/// The states of a value by their begin and their duration.
#[derive(Clone, PartialEq, Debug)]
pub struct DurationScatter {
    /// The value.
    pub value: ValueId,
    /// How many of its states begin in the window.
    pub n_states: u64,
    /// How many of them have no length.
    pub n_instants: u64,
    /// The shortest and the longest of those that have one.
    pub extent: Option<(Ticks, Ticks)>,
    /// Each state, where there are few.
    pub states: Vec<DurationOf>,
    /// How many there are in each column and bin, where there are many. Those without length are not
    /// in it.
    pub cells: BTreeMap<(u32, u32), u64>,
}

/// A state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DurationOf {
    /// Its lane.
    pub lane: LaneId,
    /// Its row there.
    pub row: u64,
    /// When it begins.
    pub start: Ticks,
    /// How long it lasts.
    pub ticks: Ticks,
}

/// The durations of a bin: from, and up to but not including.
pub fn duration_bin(bin: u32) -> (f64, f64) {
    let bound = |bin: u32| (f64::from(bin) / BINS_PER_DOUBLING).exp2();
    (bound(bin), bound(bin + 1))
}

fn bin_of(ticks: Ticks) -> u32 {
    ((ticks as f64).log2() * BINS_PER_DOUBLING).floor() as u32
}

/// The states of a value that begin in the window. More than `most_states` are counted by column, of
/// which there are `n_columns`, and by duration.
pub fn durations(
    scope: &Scope<'_>,
    value: ValueId,
    most_states: usize,
    n_columns: usize,
) -> Result<DurationScatter> {
    let Window { from, to } = scope.window();
    let length = i128::from(to) - i128::from(from);
    if length <= 0 || n_columns == 0 {
        return Err(AnswerError::Question("no time passes in the window".to_owned()));
    }
    let column = |start: Ticks| {
        let after = i128::from(start) - i128::from(from);
        (after * n_columns as i128 / length) as u32
    };
    let type_id = scope.catalog().value(value).type_id;
    let tracks = scope.tracks(Nature::State).filter(|(_, track, _)| track.type_id == type_id);
    let tracks: Vec<TrackId> = tracks.map(|(id, ..)| id).collect();
    // All threads together: once there are too many, nobody lists any more.
    let n_listed = AtomicU64::new(0);
    let parts = tracks.par_chunks(chunk_of(tracks.len())).map(|tracks| {
        let mut part = DurationScatter::none(value);
        for &track in tracks {
            let lanes = entities::lanes_of(scope, track);
            scope.visit_states(track, |depth, row, state| {
                if state.value != value || state.start < from || state.start >= to {
                    return;
                }
                let ticks = state.end.saturating_sub(state.start);
                part.add(column(state.start), ticks);
                if n_listed.fetch_add(1, Ordering::Relaxed) < most_states as u64 {
                    let lane = lanes[depth];
                    part.states.push(DurationOf { lane, row, start: state.start, ticks });
                }
            })?;
        }
        Ok(part)
    });
    let none = || DurationScatter::none(value);
    let mut all = parts.try_reduce(none, |all, part| Ok::<_, AnswerError>(all.with(part)))?;
    if all.n_states > most_states as u64 {
        all.states.clear();
    } else {
        all.cells.clear();
        all.states.sort_unstable_by_key(|state| (state.start, state.lane, state.row));
    }
    Ok(all)
}

impl DurationScatter {
    fn none(value: ValueId) -> Self {
        let (states, cells) = (Vec::new(), BTreeMap::new());
        Self { value, n_states: 0, n_instants: 0, extent: None, states, cells }
    }

    fn add(&mut self, column: u32, ticks: Ticks) {
        self.n_states += 1;
        if ticks <= 0 {
            self.n_instants += 1;
            return;
        }
        let (least, most) = self.extent.unwrap_or((ticks, ticks));
        self.extent = Some((least.min(ticks), most.max(ticks)));
        *self.cells.entry((column, bin_of(ticks))).or_default() += 1;
    }

    fn with(mut self, other: Self) -> Self {
        self.n_states += other.n_states;
        self.n_instants += other.n_instants;
        self.extent = match (self.extent, other.extent) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        self.states.extend(other.states);
        for (cell, n) in other.cells {
            *self.cells.entry(cell).or_default() += n;
        }
        self
    }
}

/// The value of states with a name; without one, the value that has the most time in the window.
pub fn value_of_states(scope: &Scope<'_>, name: Option<&str>) -> Result<ValueId> {
    let catalog = scope.catalog();
    let cut = crate::Cut::new(scope, &Level::Whole)?;
    let times = crate::state_times(scope, &cut, scope.window(), onca_store::Measure::Exclusive)?;
    let rows = times.rows.iter();
    match name {
        Some(name) => {
            let is_named = |value: &ValueId| catalog.value(*value).name == name.as_bytes();
            let found = rows.map(|row| row.value).find(is_named);
            found.ok_or_else(|| {
                AnswerError::Question(format!("there is no state {name:?} in what is seen"))
            })
        }
        None => {
            let most = rows.max_by_key(|row| (row.ticks, std::cmp::Reverse(row.value)));
            most.map(|row| row.value).ok_or_else(|| {
                AnswerError::Question("there are no states in what is seen".to_owned())
            })
        }
    }
}
