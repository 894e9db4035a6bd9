//! What places did in both runs, by place, pair of segments and value, to the tick.

use onca_aggregate::align::{Alignment, Pair};
use onca_aggregate::compare::{Site, WorkPiece, Worked};
use onca_model::{Ticks, Window};
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

    /// Adds the cells of the next place, in order.
    fn push(&mut self, cells: Vec<(usize, CubeCell)>) {
        let mut cells = cells.into_iter().peekable();
        for slot in 0..self.n_slots {
            while let Some((_, cell)) = cells.next_if(|(at, _)| *at == slot) {
                self.cells.push(cell);
            }
            self.ends.push(self.cells.len());
        }
    }

    /// How many pairs of segments there are.
    pub fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// How many places there are.
    pub fn n_places(&self) -> usize {
        self.ends.len() / self.n_slots.max(1)
    }
}

/// The times of one process by slot and value, in ticks of the comparison.
type Times = Vec<(usize, u32, i128)>;

/// The cells of a place whose processes have these times in both runs.
fn cells(before: &[Times], after: &[Times]) -> Vec<(usize, CubeCell)> {
    let cell_before =
        |&(slot, value, ticks): &_| (slot, CubeCell { value, before: ticks, after: 0 });
    let cell_after =
        |&(slot, value, ticks): &_| (slot, CubeCell { value, before: 0, after: ticks });
    let mut cells: Vec<(usize, CubeCell)> = before.iter().flatten().map(cell_before).collect();
    cells.extend(after.iter().flatten().map(cell_after));
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
    cells
}

/// What processes worked in both runs, by place.
pub(super) struct BothWorked {
    pub sites: Vec<Site>,
    pub before: Worked,
    pub after: Worked,
}

impl BothWorked {
    /// Adds the processes of the next place.
    fn push(&mut self, node: u32, before: Vec<Times>, after: Vec<Times>, is_work: &[bool]) {
        let site = Site {
            node,
            before: add(&mut self.before, before, is_work),
            after: add(&mut self.after, after, is_work),
        };
        self.sites.push(site);
    }
}

/// Adds processes to a run, and tells their numbers there.
fn add(worked: &mut Worked, processes: Vec<Times>, is_work: &[bool]) -> Vec<usize> {
    let first = worked.n_processes();
    for times in processes {
        let own = times.into_iter().filter(|(_, value, _)| is_work[*value as usize]);
        worked
            .push(own.map(|(slot, value, ticks)| (slot, WorkPiece { value, ticks: ticks as f64 })));
    }
    (first..worked.n_processes()).collect()
}

/// The cube of the places of two runs that lie side by side, and what of it is work, by process.
pub(super) fn fill(
    (before, after): (&Side<'_>, &Side<'_>),
    places: &[Place],
    alignment: &Alignment,
    is_work: &[bool],
) -> Result<(DifferenceCube, BothWorked)> {
    let n_slots = alignment.pairs.len();
    let edges = |side: &Side<'_>, own: fn(&Pair) -> Window| -> Vec<Ticks> {
        let begins = alignment.pairs.iter().map(|pair| own(pair).from);
        let end = alignment.pairs.last().map(|pair| own(pair).to);
        begins.chain(end).map(|time| time / side.scale).collect()
    };
    let edges = (edges(before, |pair| pair.before), edges(after, |pair| pair.after));
    let of_side = |side: &Side<'_>, processes: &[usize], edges: &[Ticks]| -> Result<Vec<Times>> {
        processes.iter().map(|process| side.scaled_times(*process, edges)).collect()
    };
    let of_place = |place: &Place| -> Result<_> {
        let times_before = of_side(before, &place.before, &edges.0)?;
        let times_after = of_side(after, &place.after, &edges.1)?;
        Ok((cells(&times_before, &times_after), times_before, times_after))
    };
    let all: Vec<_> = places.par_iter().map(of_place).collect::<Result<_>>()?;
    let mut cube = DifferenceCube { n_slots, cells: Vec::new(), ends: Vec::new() };
    let mut worked =
        BothWorked { sites: Vec::new(), before: Worked::new(n_slots), after: Worked::new(n_slots) };
    for (place, (cells, times_before, times_after)) in places.iter().zip(all) {
        cube.push(cells);
        worked.push(place.node_after.0, times_before, times_after, is_work);
    }
    Ok((cube, worked))
}
