//! Time in states, and their number.

use std::collections::BTreeMap;

use onca_aggregate::Number;
use onca_aggregate::slice::{Bounds, Cube, StateTime};
use onca_model::{Nature, Ticks};
use onca_query::{DerivedValue, NodeId, ReductionForm, Scope};
use onca_store::{Measure as Nesting, ShareSweep, TrackId};
use rayon::prelude::*;

use super::cube::{Source, Sources, cells, visit_touched};
use super::{Cells, Having, LeafCube, Measure, SliceValue, columns::Columns};
use crate::Result;

/// Fewer edges are looked up one by one.
const MANY_EDGES: usize = 8;

/// With more values than these, sums before each edge are quicker than a sweep.
const SWEPT_VALUES: usize = 4096;

/// The cube of a measure of states.
pub(super) fn cube(scope: &Scope<'_>, bounds: Bounds, measure: Measure) -> Result<LeafCube> {
    let sources = Sources::new(scope, Nature::State, Some(ReductionForm::States))?;
    let columns = Columns::of_values(scope, Nature::State);
    let derived = derived(scope, &bounds, measure, &sources)?;
    let mut values = columns.values.clone();
    values.extend(derived.values);
    let mut cube: Cube<i64> = cells(sources.n_leaves(), values.len(), &bounds)?;
    let edges = bounds.edges();
    let is_cut = edges.len() > MANY_EDGES && edges.windows(2).all(|pair| pair[0] < pair[1]);
    let states = States { scope, bounds, edges, is_cut, columns: &columns, measure };
    sources.fill(
        &mut cube,
        || states.scratch(),
        |scratch, cells, sources| {
            for &(_, source) in sources {
                if let Source::Track(track) = source {
                    states.add(track, scratch, cells)?;
                }
            }
            Ok(())
        },
    )?;
    for row in derived.rows {
        cube.row_mut(row.leaf, columns.values.len() + row.value).copy_from_slice(&row.amounts);
    }
    let scanned = scope.min_duration() > 0;
    let cells = Cells::Whole(cube);
    let having = Some(having(scope, &sources, &values));
    Ok(LeafCube { space: sources.space, bounds, values, cells, tally: None, scanned, having })
}

/// Which leaves have states of which type.
fn having(scope: &Scope<'_>, sources: &Sources, values: &[SliceValue]) -> Having {
    let n_types = scope.catalog().types.len();
    let mut leaves = vec![Vec::new(); n_types + scope.reductions().len()];
    for (leaf, source) in sources.iter() {
        let own = match source {
            Source::Track(track) => scope.store().tracks().get(track).map(|of| of.type_id.index()),
            Source::Derived(reduction, _) => Some(n_types + reduction),
        };
        if let Some(own) = own
            && leaves[own].last() != Some(&(leaf as u32))
        {
            leaves[own].push(leaf as u32);
        }
    }
    let type_of = |value: &SliceValue| match (value.type_id, value.derived) {
        (Some(id), _) => id.index(),
        (None, derived) => n_types + derived.map_or(0, |derived| derived.reduction),
    };
    Having { types: values.iter().map(|value| type_of(value) as u32).collect(), leaves }
}

/// What all tracks have in common.
struct States<'a> {
    scope: &'a Scope<'a>,
    bounds: Bounds,
    edges: Vec<Ticks>,
    /// Are there several slices, each of a tick or more? Then a sweep over all states of the window
    /// is quicker than a look at the sums before each edge, unless slices hold very many, which it
    /// leaps over.
    is_cut: bool,
    columns: &'a Columns,
    measure: Measure,
}

/// What a thread uses again from leaf to leaf.
struct Scratch<'s> {
    /// Where time is found by a sweep.
    sweep: Option<ShareSweep<'s>>,
    /// Ticks by column and slice, wide because parts of the sums may be large.
    ticks: Vec<i128>,
    /// With one more column, for the time of states that are not seen.
    scanned: StateTime,
    /// The columns of the open states.
    open: Vec<usize>,
}

impl States<'_> {
    fn scratch(&self) -> Scratch<'_> {
        let n_columns = self.columns.values.len();
        Scratch {
            sweep: self.is_swept().then(|| ShareSweep::new(self.scope.store())),
            ticks: vec![0; n_columns * self.bounds.n_slices()],
            scanned: StateTime::new(self.bounds, n_columns + 1),
            open: Vec::new(),
        }
    }

    /// Is time found by a sweep over all states? It has room for every value of the trace in each
    /// slice, which must not be more than the states.
    fn is_swept(&self) -> bool {
        let is_exclusive = matches!(self.measure, Measure::StateTime { inclusive: false });
        let n_values = self.scope.catalog().values.len();
        self.is_cut && is_exclusive && n_values <= SWEPT_VALUES
    }

    /// Adds a track to the cells of its leaf.
    fn add(&self, track: TrackId, scratch: &mut Scratch<'_>, cells: &mut [i64]) -> Result<()> {
        let cells = &mut cells[..self.columns.values.len() * self.bounds.n_slices()];
        match (self.measure, self.scope.min_duration() > 0) {
            (Measure::StateTime { inclusive }, false) => match &mut scratch.sweep {
                Some(sweep) => self.sweep_time(track, sweep, cells),
                None => self.add_time(track, inclusive, &mut scratch.ticks, cells),
            },
            (Measure::StateTime { inclusive }, true) => {
                self.scan_time(track, inclusive, scratch, cells)
            }
            (_, false) => self.add_counts(track, cells),
            (_, true) => self.scan_counts(track, cells),
        }
    }

    fn sweep_time(
        &self,
        track: TrackId,
        sweep: &mut ShareSweep<'_>,
        cells: &mut [i64],
    ) -> Result<()> {
        let n_slices = self.bounds.n_slices();
        for from in (0..n_slices).step_by(sweep.max_gaps()) {
            let to = (from + sweep.max_gaps()).min(n_slices);
            sweep.begin(&self.edges[from..=to]);
            sweep.add_track(track, 0)?;
            for gap in 0..to - from {
                for share in sweep.drain(gap) {
                    if let Some(column) = self.columns.of_value(share.value) {
                        let cell = &mut cells[column * n_slices + from + gap];
                        *cell = cell.plus(share.ticks);
                    }
                }
            }
        }
        Ok(())
    }

    fn add_time(
        &self,
        track: TrackId,
        inclusive: bool,
        sums: &mut [i128],
        cells: &mut [i64],
    ) -> Result<()> {
        let n_slices = self.bounds.n_slices();
        let nesting = if inclusive { Nesting::Inclusive } else { Nesting::Exclusive };
        let store = self.scope.store();
        // A track has few of the columns of a trace with many.
        let mut touched = Vec::new();
        store.visit_state_time(track, &self.edges, nesting, |slice, value, ticks| {
            if let Some(column) = self.columns.of_value(value) {
                let place = column * n_slices + slice;
                if sums[place] == 0 {
                    touched.push(place);
                }
                sums[place] += ticks;
            }
        })?;
        for place in touched {
            let sum = std::mem::take(&mut sums[place]);
            let ticks = sum.clamp(i128::from(Ticks::MIN), i128::from(Ticks::MAX));
            cells[place] = cells[place].plus(ticks as Ticks);
        }
        Ok(())
    }

    /// Looks at every state, also at those that are too short to be seen: they take time from the
    /// state around them.
    fn scan_time(
        &self,
        track: TrackId,
        inclusive: bool,
        scratch: &mut Scratch<'_>,
        cells: &mut [i64],
    ) -> Result<()> {
        let nowhere = self.columns.values.len();
        let (time, open) = (&mut scratch.scanned, &mut scratch.open);
        let (store, window) = (self.scope.store(), self.scope.window());
        store.visit_track_states(track, window, 0, |depth, _, state| {
            // An instant at the edge of the window may come without the states around it.
            open.resize(depth, nowhere);
            let seen = self.scope.sees_state(state);
            let column = self.columns.of_value(state.value).filter(|_| seen).unwrap_or(nowhere);
            let around = open.last().copied().filter(|_| !inclusive);
            time.add_nested(column, around, state.start, state.end);
            open.push(column);
        })?;
        open.clear();
        time.drain_into(cells);
        Ok(())
    }

    fn add_counts(&self, track: TrackId, cells: &mut [i64]) -> Result<()> {
        let n_slices = self.bounds.n_slices();
        for slice in 0..n_slices {
            let window = self.bounds.slice(slice);
            if window.from >= window.to {
                continue;
            }
            for (value, count) in self.scope.store().state_counts(track, window)? {
                if let Some(column) = self.columns.of_value(value) {
                    cells[column * n_slices + slice] += count as i64;
                }
            }
        }
        Ok(())
    }

    fn scan_counts(&self, track: TrackId, cells: &mut [i64]) -> Result<()> {
        let n_slices = self.bounds.n_slices();
        Ok(self.scope.visit_states(track, |_, _, state| {
            if let Some(column) = self.columns.of_value(state.value) {
                visit_touched(&self.bounds, state.start, state.end, |slice, _| {
                    cells[column * n_slices + slice] += 1;
                });
            }
        })?)
    }
}

/// States that a lens derives: a value for each number that occurs.
struct Derived {
    values: Vec<SliceValue>,
    rows: Vec<DerivedRow>,
}

/// All slices of a derived value of a leaf.
struct DerivedRow {
    leaf: usize,
    value: usize,
    amounts: Vec<i64>,
}

fn derived(
    scope: &Scope<'_>,
    bounds: &Bounds,
    measure: Measure,
    sources: &Sources,
) -> Result<Derived> {
    let wanted: Vec<(usize, usize, NodeId)> = sources
        .iter()
        .filter_map(|(leaf, source)| match source {
            Source::Derived(reduction, node) => Some((leaf, reduction, node)),
            Source::Track(_) => None,
        })
        .collect();
    let amounts: Vec<Vec<(i64, Vec<i64>)>> = wanted
        .par_iter()
        .map(|&(_, reduction, node)| derived_of(scope, bounds, measure, reduction, node))
        .collect::<Result<_>>()?;
    let numbered = || wanted.iter().zip(&amounts);
    let mut values: BTreeMap<(usize, i64), usize> = numbered()
        .flat_map(|(&(_, reduction, _), rows)| {
            rows.iter().map(move |&(number, _)| ((reduction, number), 0))
        })
        .collect();
    values.values_mut().enumerate().for_each(|(index, value)| *value = index);
    let rows = numbered()
        .flat_map(|(&(leaf, reduction, _), rows)| {
            rows.iter().map(move |(number, amounts)| (leaf, (reduction, *number), amounts))
        })
        .map(|(leaf, key, amounts)| DerivedRow {
            leaf,
            value: values[&key],
            amounts: amounts.clone(),
        })
        .collect();
    let named = |&(reduction, number): &(usize, i64)| SliceValue {
        derived: Some(DerivedValue { reduction, number }),
        ..SliceValue::derived(&scope.reductions()[reduction].name, &number.to_string())
    };
    Ok(Derived { values: values.keys().map(named).collect(), rows })
}

/// The numbers that a derived state of one node has, and the amount of each by slice.
fn derived_of(
    scope: &Scope<'_>,
    bounds: &Bounds,
    measure: Measure,
    reduction: usize,
    node: NodeId,
) -> Result<Vec<(i64, Vec<i64>)>> {
    let mut numbers: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    scope.reductions()[reduction].visit(scope, node, scope.window(), |start, end, number| {
        // A derived state is a count.
        let amounts = numbers.entry(number as i64).or_insert_with(|| vec![0; bounds.n_slices()]);
        visit_touched(bounds, start, end, |slice, ticks| {
            amounts[slice] += if measure == Measure::StateCount { 1 } else { ticks };
        });
    })?;
    Ok(numbers.into_iter().collect())
}
