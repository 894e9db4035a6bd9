//! What places did in both runs, by place, pair of segments and value, to the tick.

use onca_aggregate::align::Alignment;
use onca_model::Ticks;
use rayon::prelude::*;

use super::matching::Place;
use super::side::Side;
use crate::Result;

/// The time of one value in one cell, in ticks of the comparison, over all processes of the place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CubeCell {
    /// The number of the value among those of both runs.
    pub value: u32,
    /// The time in the first run.
    pub before: i128,
    /// The time in the second run.
    pub after: i128,
}

/// What places did in both runs.
///
/// The times of a cell add up to the length of its segment, times the processes of its place, in each run: what is outside of
/// all states is a value too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DifferenceCube {
    n_slots: usize,
    cells: Vec<CubeCell>,
    /// Where each cell ends, by place and slot.
    ends: Vec<usize>,
}

impl DifferenceCube {
    /// The values of a cell.
    pub fn get(&self, place: usize, slot: usize) -> &[CubeCell] {
        let at = place * self.n_slots + slot;
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[from..self.ends[at]]
    }

    /// How many pairs of segments there are.
    pub fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// How many places there are.
    pub fn n_places(&self) -> usize {
        self.ends.len() / self.n_slots.max(1)
    }

    /// The cube of the places of two runs that lie side by side.
    pub(super) fn new(
        before: &Side<'_>,
        after: &Side<'_>,
        places: &[Place],
        alignment: &Alignment,
    ) -> Result<Self> {
        let n_slots = alignment.pairs.len();
        let edges =
            |own: &dyn Fn(usize) -> Ticks| -> Vec<Ticks> { (0..=n_slots).map(own).collect() };
        let edge = |side: &Side<'_>, is_after: bool| {
            edges(&|at| {
                let pair = alignment.pairs.get(at);
                let last = alignment.pairs.last();
                let time = match (pair, last, is_after) {
                    (Some(pair), _, false) => pair.before.from,
                    (Some(pair), _, true) => pair.after.from,
                    (None, Some(last), false) => last.before.to,
                    (None, Some(last), true) => last.after.to,
                    (None, None, _) => 0,
                };
                time / side.scale
            })
        };
        let (edges_before, edges_after) = (edge(before, false), edge(after, true));
        let of = |place: &Place| -> Result<Vec<(usize, CubeCell)>> {
            let mut cells = Vec::new();
            let mut add = |side: &Side<'_>, times: Vec<((usize, u32), Ticks)>, is_after: bool| {
                cells.extend(times.into_iter().map(|((slot, value), ticks)| {
                    let value = side.numbers[value as usize];
                    let ticks = i128::from(ticks) * i128::from(side.scale);
                    let (before, after) = if is_after { (0, ticks) } else { (ticks, 0) };
                    (slot, CubeCell { value, before, after })
                }));
            };
            for process in &place.before {
                add(before, before.times(*process, &edges_before)?, false);
            }
            for process in &place.after {
                add(after, after.times(*process, &edges_after)?, true);
            }
            // Those of a process are in order already.
            cells.sort_by_key(|(slot, cell)| (*slot, cell.value));
            cells.dedup_by(|(later_slot, later), (slot, cell)| {
                let same = (*later_slot, later.value) == (*slot, cell.value);
                if same {
                    cell.before += later.before;
                    cell.after += later.after;
                }
                same
            });
            Ok(cells)
        };
        let all: Vec<Vec<(usize, CubeCell)>> = places.par_iter().map(of).collect::<Result<_>>()?;
        let mut cube = Self { n_slots, cells: Vec::new(), ends: Vec::new() };
        for of_place in all {
            let mut of_place = of_place.into_iter().peekable();
            for slot in 0..n_slots {
                while let Some((_, cell)) = of_place.next_if(|(at, _)| *at == slot) {
                    cube.cells.push(cell);
                }
                cube.ends.push(cube.cells.len());
            }
        }
        Ok(cube)
    }
}
