//! Variables.

use onca_aggregate::slice::{Bounds, Cube};
use onca_model::{Nature, Ticks, Window};
use onca_query::{ReductionForm, Scope};

use super::cube::{Source, Sources, cells, visit_touched};
use super::{Cells, LeafCube, SliceValue, VariableMeasure, columns::Columns};
use crate::Result;

/// The cube of a measure of variables. Cells in which a variable is never defined are `NaN`.
pub(super) fn cube(
    scope: &Scope<'_>,
    bounds: Bounds,
    measure: VariableMeasure,
) -> Result<LeafCube> {
    let sources = Sources::new(scope, Nature::Variable, Some(ReductionForm::Variable))?;
    let columns = Columns::of_variables(scope);
    let n_of_trace = columns.values.len();
    let mut values = columns.values.clone();
    let names = scope.reductions().iter().map(|reduction| &reduction.name);
    values.extend(names.map(|name| SliceValue::derived(name, name)));
    let mut cube: Cube<f64> = cells(sources.n_leaves(), values.len(), &bounds)?;
    cube.leaves_mut().for_each(|cells| cells.fill(f64::NAN));
    let n_slices = bounds.n_slices();
    let parts = || vec![Part::NOTHING; values.len() * n_slices];
    sources.fill(&mut cube, parts, |parts, cells, sources| {
        for &(_, source) in sources {
            match source {
                Source::Track(track) => {
                    let tracks = scope.store().tracks();
                    let column = tracks.get(track).and_then(|t| columns.of_type(t.type_id));
                    let Some(column) = column else { continue };
                    let row = &mut parts[column * n_slices..(column + 1) * n_slices];
                    for &lane in tracks.lanes(track) {
                        for (slice, part) in row.iter_mut().enumerate() {
                            let window = slice_of_instants(scope, &bounds, slice);
                            let summary = scope.store().variable_summary(lane, window)?;
                            part.add(&Part {
                                integral: summary.integral,
                                defined: summary.finite_time,
                                min: summary.min.unwrap_or(f64::NAN),
                                max: summary.max.unwrap_or(f64::NAN),
                            });
                        }
                    }
                }
                Source::Derived(reduction, node) => {
                    let column = n_of_trace + reduction;
                    let row = &mut parts[column * n_slices..(column + 1) * n_slices];
                    let reduction = &scope.reductions()[reduction];
                    reduction.visit(scope, node, bounds.window(), |start, end, value| {
                        visit_touched(&bounds, start, end, |slice, ticks| {
                            let integral = value * ticks as f64;
                            row[slice].add(&Part {
                                integral,
                                defined: ticks,
                                min: value,
                                max: value,
                            });
                        });
                    })?;
                }
            }
        }
        let ticks_per_unit = scope.catalog().facts.unit.ticks_per_unit as f64;
        for (index, (cell, part)) in cells.iter_mut().zip(parts).enumerate() {
            let Window { from, to } = bounds.slice(index % n_slices);
            *cell = part.measure(measure, to - from, ticks_per_unit);
            *part = Part::NOTHING;
        }
        Ok(())
    })?;
    let cells = Cells::Real(cube);
    Ok(LeafCube {
        space: sources.space,
        bounds,
        values,
        cells,
        tally: None,
        scanned: false,
        having: None,
    })
}

/// A slice for things that happen at an instant: the last one holds the last instant of the trace
/// where the window reaches to it.
pub(super) fn slice_of_instants(scope: &Scope<'_>, bounds: &Bounds, slice: usize) -> Window {
    let Window { from, to } = bounds.slice(slice);
    let is_last = slice + 1 == bounds.n_slices();
    Window { from, to: if is_last { scope.instants().to } else { to } }
}

/// A variable during a slice.
#[derive(Clone, Copy)]
struct Part {
    integral: f64,
    defined: Ticks,
    min: f64,
    max: f64,
}

impl Part {
    const NOTHING: Self = Self { integral: 0.0, defined: 0, min: f64::NAN, max: f64::NAN };

    fn add(&mut self, other: &Self) {
        self.integral += other.integral;
        self.defined = self.defined.saturating_add(other.defined);
        // The minimum of a number and NaN is the number.
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// `NaN` if the variable is not defined during the slice.
    fn measure(&self, measure: VariableMeasure, width: Ticks, ticks_per_unit: f64) -> f64 {
        match measure {
            VariableMeasure::Min => self.min,
            VariableMeasure::Max => self.max,
            _ if self.defined == 0 => f64::NAN,
            VariableMeasure::Mean => self.integral / width as f64,
            VariableMeasure::Defined => self.integral / self.defined as f64,
            VariableMeasure::Integral => self.integral / ticks_per_unit,
        }
    }
}
