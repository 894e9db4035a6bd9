//! How many containers are in a value at the same time.

use std::collections::BTreeMap;

use onca_aggregate::statistics::{Concurrency, Levels};
use onca_model::{Nature, Ticks, ValueId, Window, display_text};
use onca_query::Scope;
use onca_store::TrackId;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::json::{header, put_time};
use crate::slices::slices_of;
use crate::times::chunk_of;
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

impl ConcurrencyAnswer {
    /// The answer as JSON, `onca-stats-concurrency/1`.
    pub fn json(&self, scope: &Scope<'_>) -> Value {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        let mut answer = header(scope, "onca-stats-concurrency/1", true);
        let mut rows = Vec::new();
        for (value, slices) in &self.values {
            let value = catalog.value(*value);
            for (slice, levels) in self.slices.iter().zip(slices) {
                let mut object = Map::new();
                object.insert("value".to_owned(), json!(display_text(&value.name)));
                let type_name = &catalog.type_def(value.type_id).name;
                object.insert("type".to_owned(), json!(display_text(type_name)));
                put_time(&mut object, unit, "from", Some(slice.from));
                put_time(&mut object, unit, "to", Some(slice.to));
                object.insert("min".to_owned(), json!(levels.min()));
                object.insert("mean".to_owned(), json!(levels.mean()));
                object.insert("max".to_owned(), json!(levels.max()));
                let times = levels.times.iter().map(|&(level, ticks)| {
                    let mut object = Map::new();
                    object.insert("containers".to_owned(), json!(level));
                    put_time(&mut object, unit, "time", Some(ticks));
                    Value::Object(object)
                });
                object.insert("levels".to_owned(), Value::Array(times.collect()));
                rows.push(Value::Object(object));
            }
        }
        answer.insert("concurrency".to_owned(), Value::Array(rows));
        Value::Object(answer)
    }
}
