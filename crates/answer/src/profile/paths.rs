//! Paths of nested values while they are gathered.

use hashbrown::HashMap;
use onca_model::ValueId;
use onca_query::Scope;
use onca_store::{Measure, TrackId};

use crate::Result;

/// Stands for the path of no state.
pub(super) const NO_PATH: u32 = u32::MAX;

/// A path, as long as it may still grow in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub place: usize,
    /// The path that it continues, which comes before it.
    pub outer: u32,
    pub value: ValueId,
    pub count: u64,
    pub inclusive: i128,
    pub exclusive: i128,
}

/// All paths so far.
pub(super) struct Paths {
    limit: usize,
    /// Some path was not taken in.
    full: bool,
    known: HashMap<(usize, u32, ValueId), u32>,
    pub rows: Vec<Row>,
}

/// A state that is open while a track is read.
#[derive(Clone, Copy)]
struct Open {
    /// The path of the innermost seen state, this one included.
    path: u32,
    /// How many values that path has.
    length: usize,
    /// Is this state seen itself?
    seen: bool,
}

impl Open {
    const NOTHING: Self = Self { path: NO_PATH, length: 0, seen: false };
}

impl Paths {
    /// None yet, and never more than `limit`.
    pub fn new(limit: usize) -> Self {
        let limit = limit.min(NO_PATH as usize);
        Self { limit, full: false, known: HashMap::new(), rows: Vec::new() }
    }

    /// Fails, with the limit, if there were more paths than may be.
    pub fn check(&self) -> std::result::Result<(), usize> {
        if self.full { Err(self.limit) } else { Ok(()) }
    }

    /// Adds the states of a track.
    pub fn add_track(
        &mut self,
        scope: &Scope<'_>,
        place: usize,
        track: TrackId,
        longest: usize,
    ) -> Result<()> {
        let window = scope.window();
        if let [_] = scope.store().tracks().lanes(track)
            && scope.min_duration() <= 0
        {
            return self.add_flat_track(scope, place, track);
        }
        let mut open: Vec<Open> = Vec::new();
        scope.store().visit_track_states(track, window, 0, |depth, _, state| {
            open.resize(depth, Open::NOTHING);
            let outer = open.last().copied().unwrap_or(Open::NOTHING);
            let ticks = i128::from(window.overlap(state.start, state.end));
            if outer.seen
                && let Some(row) = self.rows.get_mut(outer.path as usize)
            {
                row.exclusive -= ticks;
            }
            if !scope.sees_state(state) {
                open.push(Open { seen: false, ..outer });
                return;
            }
            let inner = match outer.length >= longest && outer.path != NO_PATH {
                true => Open { seen: true, ..outer },
                false => {
                    let path = self.find(place, outer.path, state.value);
                    if let Some(row) = self.rows.get_mut(path as usize) {
                        row.inclusive += ticks;
                        row.count += 1;
                    }
                    Open { path, length: outer.length + 1, seen: true }
                }
            };
            if let Some(row) = self.rows.get_mut(inner.path as usize) {
                row.exclusive += ticks;
            }
            open.push(inner);
        })?;
        Ok(())
    }

    /// Adds a track without nested states, from sums: none of its states need be looked at.
    fn add_flat_track(&mut self, scope: &Scope<'_>, place: usize, track: TrackId) -> Result<()> {
        let (store, window) = (scope.store(), scope.window());
        let times = store.state_time(track, window, Measure::Inclusive)?;
        for (value, count) in store.state_counts(track, window)? {
            if !scope.sees_value(value) {
                continue;
            }
            let time = times.binary_search_by_key(&value, |time| time.0);
            let ticks = i128::from(time.map_or(0, |at| times[at].1));
            let path = self.find(place, NO_PATH, value);
            if let Some(row) = self.rows.get_mut(path as usize) {
                row.count += count;
                row.inclusive += ticks;
                row.exclusive += ticks;
            }
        }
        Ok(())
    }

    /// Adds all paths of others.
    pub fn merge(&mut self, other: &Self) {
        self.full |= other.full;
        let mut ids = Vec::with_capacity(other.rows.len());
        for row in &other.rows {
            let outer = ids.get(row.outer as usize).copied().unwrap_or(NO_PATH);
            let id = self.find(row.place, outer, row.value);
            ids.push(id);
            if let Some(own) = self.rows.get_mut(id as usize) {
                own.count += row.count;
                own.inclusive += row.inclusive;
                own.exclusive += row.exclusive;
            }
        }
    }

    /// The path that continues another one with a value, new if need be; none if there are too
    /// many.
    fn find(&mut self, place: usize, outer: u32, value: ValueId) -> u32 {
        if let Some(&id) = self.known.get(&(place, outer, value)) {
            return id;
        }
        if self.rows.len() >= self.limit {
            self.full = true;
            return NO_PATH;
        }
        let id = self.rows.len() as u32;
        self.known.insert((place, outer, value), id);
        self.rows.push(Row { place, outer, value, count: 0, inclusive: 0, exclusive: 0 });
        id
    }
}
