//! How many containers are in a value at the same time.

use std::collections::BTreeMap;

use onca_aggregate::statistics::{Concurrency, Levels};
use onca_model::{Nature, Ticks, ValueId, Window};
use onca_query::Scope;
use onca_store::TrackId;
use rayon::prelude::*;
use serde::Serialize;

use crate::slices::slices_of;
use crate::times::chunk_of;
use crate::wire::{HeaderJson, List, SpanJson, ValueNameJson};
use crate::{AnswerError, Result};

/// How many states are held at once; a window with more is done in parts.
const MAX_STATES: u64 = 1 << 22;

/// How many cells of values and slices there may be.
const MAX_CELLS: usize = 1 << 20;

/// How many containers are in each value at the same time, slice by slice. A container is in the
/// value of its innermost state.
#[derive(Clone, Debug)]
pub struct ConcurrencyAnswer {
    /// The slices of the window.
    pub slices: Vec<Window>,
    /// For each value that occurs, the levels of each slice.
    pub values: Vec<(ValueId, Vec<Levels>)>,
}

/// A stretch of time during which a container is in a value.
type Piece = (Ticks, ValueId, Ticks);

/// How many containers are in each value, in `n_slices` slices of the window.
pub fn concurrency(scope: &Scope<'_>, n_slices: usize) -> Result<ConcurrencyAnswer> {
    let window = scope.window();
    let mut sweeps: BTreeMap<ValueId, Concurrency> = BTreeMap::new();
    if window.from >= window.to {
        return Ok(ConcurrencyAnswer { slices: Vec::new(), values: Vec::new() });
    }
    let bounds = slices_of(scope, n_slices)?;
    let tracks: Vec<TrackId> = scope.tracks(Nature::State).map(|(id, ..)| id).collect();
    let mut parts = vec![window];
    while let Some(part) = parts.pop() {
        let middle = part.from + (part.to - part.from) / 2;
        if middle > part.from && count(scope, &tracks, part)? > MAX_STATES {
            parts.push(Window::new(middle, part.to));
            parts.push(Window::new(part.from, middle));
            continue;
        }
        let mut pieces = pieces(scope, &tracks, part)?;
        pieces.par_sort_unstable();
        for (start, value, end) in pieces {
            let n_cells = (sweeps.len() + 1).saturating_mul(n_slices);
            let sweep = match sweeps.entry(value) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(_) if n_cells > MAX_CELLS => {
                    return Err(AnswerError::TooLarge(format!(
                        "{n_slices} slices of so many values are too many; take fewer slices, or \
                         fewer values"
                    )));
                }
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(Concurrency::new(&bounds))
                }
            };
            // Pieces are sorted, and those of a part begin after all of the part before.
            sweep.add(start, end).map_err(|why| AnswerError::Question(why.to_string()))?;
        }
    }
    let values = sweeps.into_iter().map(|(value, sweep)| (value, sweep.finish())).collect();
    let slices = (0..bounds.n_slices()).map(|k| bounds.slice(k)).collect();
    Ok(ConcurrencyAnswer { slices, values })
}

fn count(scope: &Scope<'_>, tracks: &[TrackId], window: Window) -> Result<u64> {
    let counts = tracks.par_chunks(chunk_of(tracks.len())).map(|tracks| -> Result<u64> {
        let counts = scope.store().state_counts_of(tracks, window)?;
        Ok(counts.into_iter().map(|(_, count)| count).sum())
    });
    counts.try_reduce(|| 0, |a, b| Ok(a + b))
}

/// The stretches in which a seen state is innermost, clipped to a window.
fn pieces(scope: &Scope<'_>, tracks: &[TrackId], window: Window) -> Result<Vec<Piece>> {
    let parts: Vec<Vec<Piece>> = tracks
        .par_chunks(chunk_of(tracks.len()))
        .map(|tracks| {
            let mut pieces = Vec::new();
            for &track in tracks {
                let mut stack = Stack { open: Vec::new(), pieces: &mut pieces };
                scope.store().visit_track_states(track, window, 0, |depth, _, state| {
                    let seen = scope.sees_state(state).then_some(state.value);
                    let (start, end) = (state.start.max(window.from), state.end.min(window.to));
                    stack.push(depth, seen, start, end);
                })?;
                stack.close(0);
            }
            Ok(pieces)
        })
        .collect::<Result<_>>()?;
    Ok(parts.concat())
}

/// The states that are open, each with the time up to which its innermost time is told.
struct Stack<'a> {
    open: Vec<OpenState>,
    pieces: &'a mut Vec<Piece>,
}

#[derive(Clone, Copy)]
struct OpenState {
    seen: Option<ValueId>,
    told: Ticks,
    end: Ticks,
}

impl Stack<'_> {
    /// A state opens inside the first `depth` that are open.
    fn push(&mut self, depth: usize, seen: Option<ValueId>, start: Ticks, end: Ticks) {
        self.close(depth);
        // What encloses an instant at the edge of the window may lie outside it.
        self.open.resize(depth, OpenState { seen: None, told: start, end: start });
        if let Some(&outer) = self.open.last() {
            self.tell(outer, start);
        }
        if let Some(outer) = self.open.last_mut() {
            outer.told = outer.told.max(end);
        }
        self.open.push(OpenState { seen, told: start, end });
    }

    /// Closes all but the first `depth`.
    fn close(&mut self, depth: usize) {
        while self.open.len() > depth
            && let Some(state) = self.open.pop()
        {
            self.tell(state, state.end);
        }
    }

    fn tell(&mut self, state: OpenState, until: Ticks) {
        if let Some(value) = state.seen
            && state.told < until
        {
            self.pieces.push((state.told, value, until));
        }
    }
}

/// How many containers are in each value at the same time, as JSON: `onca-stats-concurrency/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ConcurrencyJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// The values that occur, each in all slices.
    pub concurrency: List<'a, ConcurrencyRowJson<'a>>,
}

/// How many containers are in one value in one slice.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ConcurrencyRowJson<'a> {
    /// The value and its type.
    #[serde(flatten)]
    pub value: ValueNameJson<'a>,
    /// The slice.
    #[serde(flatten)]
    pub slice: SpanJson,
    /// The fewest at the same time; `null` for a slice of no length.
    pub min: Option<u64>,
    /// The mean over time.
    pub mean: Option<f64>,
    /// The most at the same time.
    pub max: Option<u64>,
    /// For how long how many are in the value.
    pub levels: List<'a, LevelTimeJson>,
}

/// For how long this many containers are in a value.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LevelTimeJson {
    /// How many containers.
    pub containers: u64,
    /// For how long, in units.
    pub time: f64,
    /// The same in ticks.
    pub time_ticks: Ticks,
}

impl ConcurrencyAnswer {
    /// The answer as JSON, `onca-stats-concurrency/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> ConcurrencyJson<'a> {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        let level = |&(containers, ticks): &(u64, Ticks)| LevelTimeJson {
            containers,
            time: unit.units(ticks),
            time_ticks: ticks,
        };
        let row = move |value: ValueId, slice: Window, levels: &'a Levels| ConcurrencyRowJson {
            value: ValueNameJson::new(catalog, value),
            slice: SpanJson::new(unit, slice),
            min: levels.min(),
            mean: levels.mean(),
            max: levels.max(),
            levels: List::new(levels.times.iter().map(level)),
        };
        let rows = self.values.iter().flat_map(move |(value, slices)| {
            let slices = self.slices.iter().zip(slices);
            slices.map(move |(&slice, levels)| row(*value, slice, levels))
        });
        ConcurrencyJson {
            header: HeaderJson::new(scope, "onca-stats-concurrency/1", true),
            concurrency: List::new(rows),
        }
    }
}
