//! What processes did, by process and slot of time.

use onca_model::{Ticks, Window};

use super::meetings::{Meeting, meetings, step_ends};
use crate::robust::quantile;
use crate::waits::{Program, Work};

/// Work of one kind in one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What it was.
    pub value: u32,
    /// How often.
    pub count: u32,
    /// How long, all together.
    pub ticks: Ticks,
    /// The longest one, as far as that is known.
    pub longest: Ticks,
    /// When the longest one began, where that is known.
    pub longest_from: Option<Ticks>,
}

impl Piece {
    /// Adds work of the same value.
    fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.ticks += other.ticks;
        if other.longest > self.longest {
            (self.longest, self.longest_from) = (other.longest, other.longest_from);
        }
    }
}

/// Fewer steps than these are no repetition to compare in.
const LEAST_STEPS: usize = 24;
/// So many pieces of work of a process are in a slot of time, if there are enough.
const PIECES_PER_SLOT: usize = 8;
/// More cells are not held; neighbouring slots are joined.
const MOST_CELLS: usize = 4 << 20;
const MOST_SLOTS: usize = 2048;

/// Do these meetings make steps to compare in?
fn are_enough(meetings: &[Meeting]) -> bool {
    meetings.len() + 1 >= LEAST_STEPS
}

/// Useful work by process and bin of time, as it is gathered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeBins {
    run: Window,
    n_bins: usize,
    /// Work in order of bins.
    pieces: Vec<(u32, Piece)>,
}

impl TimeBins {
    /// How many bins are kept for each of some processes.
    pub fn number_for(n_processes: usize) -> usize {
        (MOST_CELLS / n_processes.max(1)).clamp(16, 512)
    }

    /// No work yet, in this many bins.
    pub fn new(run: Window, n_bins: usize) -> Self {
        Self { run, n_bins: n_bins.max(1), pieces: Vec::new() }
    }

    /// Are they needed to find what costs time in a program? Else it has steps.
    pub fn are_needed(program: &Program) -> bool {
        !are_enough(&meetings(program))
    }

    /// Gives back memory that was taken for more work than came.
    pub fn shrink_to_fit(&mut self) {
        self.pieces.shrink_to_fit();
    }

    /// Adds work. It counts where its middle is, and is added in order of time.
    pub fn push(&mut self, from: Ticks, to: Ticks, value: u32) {
        let middle = i128::from(from) + i128::from(to - from) / 2 - i128::from(self.run.from);
        let length = i128::from(self.run.to - self.run.from).max(1);
        let bin = (middle * self.n_bins as i128 / length).clamp(0, self.n_bins as i128 - 1) as u32;
        let begin = self.pieces.iter().rposition(|(other, _)| *other != bin).map_or(0, |at| at + 1);
        let ticks = to - from;
        let one = Piece { value, count: 1, ticks, longest: ticks, longest_from: Some(from) };
        match self.pieces[begin..].iter_mut().find(|(_, piece)| piece.value == value) {
            Some((_, piece)) => piece.add(one),
            None => self.pieces.push((bin, one)),
        }
    }

    fn count(&self) -> u64 {
        self.pieces.iter().map(|(_, piece)| u64::from(piece.count)).sum()
    }

    fn window(&self, bin: usize) -> Ticks {
        let length = i128::from(self.run.to - self.run.from);
        self.run.from + (length * bin as i128 / self.n_bins as i128) as Ticks
    }
}

/// Useful work by process and slot. In each slot all processes did the same part of the program, as far as that can be
/// told: it lies between operations in which all met, or it is a slot of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cells {
    /// When the slots are.
    pub windows: Vec<Window>,
    /// Do the slots lie between operations in which all met?
    pub are_steps: bool,
    n_processes: usize,
    pieces: Vec<Piece>,
    /// Where the pieces of each cell end, by process and slot.
    ends: Vec<usize>,
}

impl Cells {
    /// Cells between operations in which all met, if there are enough of these, else cells of time.
    pub fn of(program: &Program, bins: &[TimeBins]) -> Self {
        Self::by_steps(program).unwrap_or_else(|| Self::by_time(program, bins))
    }

    /// How many slots there are.
    pub fn n_slots(&self) -> usize {
        self.windows.len()
    }

    /// How many processes there are.
    pub fn n_processes(&self) -> usize {
        self.n_processes
    }

    /// What a process did in a slot.
    pub fn get(&self, process: usize, slot: usize) -> &[Piece] {
        let at = process * self.windows.len() + slot;
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.pieces[from..self.ends[at]]
    }

    /// The useful time of a process in a slot.
    pub fn ticks(&self, process: usize, slot: usize) -> Ticks {
        self.get(process, slot).iter().map(|piece| piece.ticks).sum()
    }

    /// The useful time of a process.
    pub fn total(&self, process: usize) -> i128 {
        (0..self.n_slots()).map(|slot| i128::from(self.ticks(process, slot))).sum()
    }

    /// The time from the beginning of a slot to the end of another.
    pub fn window(&self, first: usize, last: usize) -> Window {
        Window { from: self.windows[first].from, to: self.windows[last].to }
    }

    fn by_time(program: &Program, bins: &[TimeBins]) -> Self {
        let mut counts: Vec<f64> = bins.iter().map(|of| of.count() as f64).collect();
        counts.retain(|count| *count > 0.0);
        let usual = quantile(&mut counts, 0.5) as usize;
        let n_bins = bins.first().map_or(1, |of| of.n_bins);
        let wanted = (usual / PIECES_PER_SLOT).clamp(1, n_bins);
        let group = n_bins.div_ceil(wanted);
        let n_slots = n_bins.div_ceil(group);
        let windows = match bins.first() {
            Some(of) => (0..n_slots)
                .map(|at| Window {
                    from: of.window(at * group),
                    to: of.window(((at + 1) * group).min(n_bins)),
                })
                .collect(),
            None => vec![program.run],
        };
        let mut made = Building::new(windows, false);
        for of in bins {
            let mut pieces = of.pieces.iter().peekable();
            for slot in 0..n_slots {
                while let Some((_, piece)) =
                    pieces.next_if(|(bin, _)| *bin as usize / group == slot)
                {
                    made.add(*piece);
                }
                made.end_cell();
            }
        }
        made.finish()
    }

    fn by_steps(program: &Program) -> Option<Self> {
        let n = program.n_processes();
        let meetings = meetings(program);
        if !are_enough(&meetings) {
            return None;
        }
        let n_steps = meetings.len() + 1;
        let most = (MOST_CELLS / n.max(1)).clamp(LEAST_STEPS, MOST_SLOTS);
        let group = n_steps.div_ceil(most);
        let border = |step: usize| match step.checked_sub(1) {
            None => program.run.from,
            Some(at) => meetings.get(at).map_or(program.run.to, |meeting| meeting.time),
        };
        let windows: Vec<Window> = (0..n_steps.div_ceil(group))
            .map(|at| Window {
                from: border(at * group),
                to: border(((at + 1) * group).min(n_steps)),
            })
            .collect();
        // When the first begins with useful work: a step may have other things before.
        let mut begins = vec![Ticks::MAX; windows.len()];
        let mut made = Building::new(windows, true);
        for (process, ends) in program.processes.iter().zip(step_ends(program, &meetings)) {
            let mut ends = ends.iter().peekable();
            let mut step = 0;
            for call in 0..=process.n_calls() {
                while let Some((_, ended)) = ends.next_if(|(end, _)| (*end as usize) < call) {
                    step = ended + 1;
                }
                made.go_to(step / group);
                let begin = call.checked_sub(1).map_or(program.run.from, |at| process.leave(at));
                for work in process.work_before(call) {
                    if program.is_useful(work.value) {
                        begins[step / group] = begins[step / group].min(begin);
                        let Work { value, count, ticks } = work;
                        let longest = ticks / Ticks::from(count.max(1));
                        made.add(Piece { value, count, ticks, longest, longest_from: None });
                    }
                }
            }
            made.end_process();
        }
        let mut cells = made.finish();
        for (window, begin) in cells.windows.iter_mut().zip(begins) {
            window.from = window.from.max(begin).min(window.to);
        }
        Some(cells)
    }
}

/// Puts cells together, slot by slot and process by process.
struct Building {
    cells: Cells,
    begin: usize,
}

impl Building {
    fn new(windows: Vec<Window>, are_steps: bool) -> Self {
        let cells =
            Cells { windows, are_steps, n_processes: 0, pieces: Vec::new(), ends: Vec::new() };
        Self { cells, begin: 0 }
    }

    fn add(&mut self, piece: Piece) {
        let cells = &mut self.cells;
        match cells.pieces[self.begin..].iter_mut().find(|other| other.value == piece.value) {
            Some(other) => other.add(piece),
            None => cells.pieces.push(piece),
        }
    }

    fn end_cell(&mut self) {
        self.begin = self.cells.pieces.len();
        self.cells.ends.push(self.begin);
    }

    /// The slot of the process at hand that is being filled.
    fn slot(&self) -> usize {
        self.cells.ends.len() % self.cells.windows.len().max(1)
    }

    /// Ends cells until a slot is at hand.
    fn go_to(&mut self, slot: usize) {
        while self.slot() < slot.min(self.cells.windows.len() - 1) {
            self.end_cell();
        }
    }

    fn end_process(&mut self) {
        self.go_to(self.cells.windows.len() - 1);
        self.end_cell();
    }

    fn finish(mut self) -> Cells {
        self.cells.n_processes = self.cells.ends.len() / self.cells.windows.len().max(1);
        self.cells
    }
}
