//! One of two runs that are compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use onca_aggregate::align::{difference, segments};
use onca_aggregate::compare::Course;
use onca_model::{ContainerId, Ticks, ValueId, Window};
use onca_query::Scope;
use onca_store::TrackId;
use rayon::prelude::*;

use crate::diagnosis::Diagnosis;
use crate::times::visit_times;
use crate::waits::{main_track_of, own_values, processes};
use crate::{Result, WaitTable, analyse_waits};

/// In how many slices a run is looked at to find its phases.
const N_SLICES: usize = 256;
/// Slices whose mixes differ by less than this share belong to one phase.
const SAME_PHASE: f64 = 0.15;
const MOST_PHASES: usize = 64;

/// A run, and what is compared of it.
pub(super) struct Side<'a> {
    pub scope: &'a Scope<'a>,
    pub run: Window,
    /// What its ticks are in ticks of the comparison.
    pub scale: i64,
    /// The processes, in natural order.
    pub processes: Vec<ContainerId>,
    /// The track of each process that tells what it does.
    pub tracks: Vec<Option<TrackId>>,
    /// Which values are work, neither communication nor waiting; at the end whether what is outside of all states is.
    pub work: Vec<bool>,
    /// For each value, and at the end for what is outside of all states, its number among those of both runs.
    pub numbers: Vec<u32>,
    known: Arc<Diagnosis>,
}

impl<'a> Side<'a> {
    /// Does the trace end in the middle of something?
    pub fn is_cut(&self) -> bool {
        self.scope.catalog().facts.truncated
    }

    /// A run. Its waits are worked out if they are not known yet, which takes a while.
    pub fn new(scope: &'a Scope<'a>) -> Result<Self> {
        let facts = &scope.catalog().facts;
        let known = match scope.is_clear() {
            true => Diagnosis::of(scope.store())?,
            false => Arc::new(Diagnosis::made(scope, analyse_waits(scope)?)?),
        };
        let processes = processes(scope);
        let tracks = processes.iter().map(|id| main_track_of(scope, *id)).collect::<Result<_>>()?;
        Ok(Self {
            run: Window { from: facts.start, to: facts.end },
            scale: 1,
            work: own_values(scope),
            numbers: Vec::new(),
            scope,
            processes,
            tracks,
            known,
        })
    }

    pub fn course(&self) -> &Course {
        &self.known.course
    }

    pub fn waits(&self) -> &WaitTable {
        &self.known.waits
    }

    /// How long the run is, in ticks of the comparison.
    pub fn length(&self) -> i128 {
        i128::from(self.run.to - self.run.from) * i128::from(self.scale)
    }

    /// The run in ticks of the comparison.
    pub fn scaled_run(&self) -> Window {
        self.scaled(self.run)
    }

    pub fn scaled(&self, window: Window) -> Window {
        Window { from: window.from * self.scale, to: window.to * self.scale }
    }

    /// A window of the comparison in ticks of the run.
    pub fn own(&self, window: Window) -> Window {
        Window { from: window.from / self.scale, to: window.to / self.scale }
    }

    /// The time of a process between neighbouring edges, in ticks of the run: by slot and value, with what is outside of all
    /// states, in this order. The times of a slot add up to its length.
    pub fn times(&self, process: usize, edges: &[Ticks]) -> Result<Vec<((usize, u32), Ticks)>> {
        let mut times: Vec<((usize, u32), i128)> = Vec::new();
        // Where those of the slot begin that came last: slots come in order, lane by lane.
        let mut slot_begin = 0;
        let mut rest: Vec<i128> =
            edges.windows(2).map(|edge| i128::from(edge[1] - edge[0])).collect();
        if let Some(track) = self.tracks[process] {
            visit_times(self.scope, track, edges, |slot, ValueId(value), ticks| {
                if times.last().is_some_and(|((last, _), _)| *last != slot) {
                    slot_begin = times.len();
                }
                match times[slot_begin..].iter_mut().find(|((_, known), _)| *known == value) {
                    Some((_, sum)) => *sum += ticks,
                    None => times.push(((slot, value), ticks)),
                }
                rest[slot] -= ticks;
            })?;
        }
        let outside = self.work.len() as u32 - 1;
        times.extend(rest.into_iter().enumerate().map(|(slot, ticks)| ((slot, outside), ticks)));
        times.sort_by_key(|(at, _)| *at);
        times.dedup_by(|(later_at, later), (at, sum)| {
            let same = later_at == at;
            if same {
                *sum += *later;
            }
            same
        });
        let some = times.into_iter().filter(|(_, ticks)| *ticks != 0);
        Ok(some.map(|(at, ticks)| (at, ticks as Ticks)).collect())
    }

    /// The same by slot and number among the values of both runs, in ticks of the comparison.
    pub fn scaled_times(&self, process: usize, edges: &[Ticks]) -> Result<Vec<(usize, u32, i128)>> {
        let scaled = |((slot, value), ticks): ((usize, u32), Ticks)| {
            (slot, self.numbers[value as usize], i128::from(ticks) * i128::from(self.scale))
        };
        Ok(self.times(process, edges)?.into_iter().map(scaled).collect())
    }

    /// The time of all processes by number among the values of both runs, in ticks of the comparison.
    pub fn totals(&self, n_numbers: usize) -> Result<Vec<i128>> {
        let edges = [self.run.from, self.run.to];
        let times: Vec<Vec<(usize, u32, i128)>> = (0..self.processes.len())
            .into_par_iter()
            .map(|process| self.scaled_times(process, &edges))
            .collect::<Result<_>>()?;
        let mut totals = vec![0; n_numbers];
        for (_, number, ticks) in times.into_iter().flatten() {
            totals[number as usize] += ticks;
        }
        Ok(totals)
    }

    /// The borders of the phases of the run, in its ticks, and what each phase is made of: by numbers of both runs.
    pub fn phases(&self, n_numbers: usize) -> Result<(Vec<Ticks>, Vec<Vec<f64>>)> {
        let edges = edges_of(self.run, N_SLICES);
        let mixes = self.mixes(&edges, n_numbers)?;
        let parts = segments(&mixes, SAME_PHASE, MOST_PHASES);
        let mut borders = vec![self.run.from];
        borders.extend(parts.iter().map(|part| edges[part.end]));
        let sum = |part: &std::ops::Range<usize>| {
            let mut sum = vec![0.0; n_numbers];
            for mix in &mixes[part.clone()] {
                sum.iter_mut().zip(mix).for_each(|(sum, ticks)| *sum += ticks);
            }
            sum
        };
        Ok((borders, parts.iter().map(sum).collect()))
    }

    /// The time of all processes between neighbouring edges, by numbers of both runs.
    fn mixes(&self, edges: &[Ticks], n_numbers: usize) -> Result<Vec<Vec<f64>>> {
        let all: Vec<Vec<((usize, u32), Ticks)>> = (0..self.processes.len())
            .into_par_iter()
            .map(|process| self.times(process, edges))
            .collect::<Result<_>>()?;
        let mut mixes = vec![vec![0.0; n_numbers]; edges.len() - 1];
        for ((slot, value), ticks) in all.into_iter().flatten() {
            mixes[slot][self.numbers[value as usize] as usize] += ticks as f64;
        }
        Ok(mixes)
    }

    /// The work of some processes during a window, in ticks of the run.
    pub fn work_time(&self, processes: &[usize], window: Window) -> Result<i128> {
        let edges = [window.from, window.to];
        let of = |process: &usize| -> Result<i128> {
            let times = self.times(*process, &edges)?;
            let work = times.iter().filter(|((_, value), _)| self.work[*value as usize]);
            Ok(work.map(|(_, ticks)| i128::from(*ticks)).sum())
        };
        processes.iter().map(of).sum()
    }

    /// Does a value belong to the work of some numbers, or to any where there are none?
    fn is_work_of(&self, value: ValueId, numbers: &[u32]) -> bool {
        let number = self.numbers[value.index()];
        self.work[value.index()] && (numbers.is_empty() || numbers.contains(&number))
    }

    fn tracks_of(&self, processes: &[usize]) -> Vec<TrackId> {
        processes.iter().filter_map(|process| self.tracks[*process]).collect()
    }

    /// How many states of some work some processes have in a window.
    pub fn work_count(&self, processes: &[usize], numbers: &[u32], window: Window) -> Result<u64> {
        let counts = self.scope.store().state_counts_of(&self.tracks_of(processes), window)?;
        let own = counts.iter().filter(|(value, _)| self.is_work_of(*value, numbers));
        Ok(own.map(|(_, count)| count).sum())
    }

    /// From when some work begins in the first of two windows until it ends in the last.
    pub fn at_work(
        &self,
        processes: &[usize],
        numbers: &[u32],
        (first, last): (Window, Window),
    ) -> Result<Window> {
        let (mut from, mut to) = (first.to, last.from);
        for track in self.tracks_of(processes) {
            for window in [first, last] {
                self.scope.store().visit_track_states(track, window, 0, |_, _, state| {
                    if self.is_work_of(state.value, numbers) {
                        from = from.min(state.start.max(first.from));
                        to = to.max(state.end.min(last.to));
                    }
                })?;
            }
        }
        let whole = Window { from: first.from, to: last.to };
        Ok(if from < to { Window { from, to } } else { whole })
    }
}

/// The time of some processes between neighbouring edges, which come in ascending order: for each gap the values, each once.
/// What is outside of all states is left out.
pub fn times_between(
    scope: &Scope<'_>,
    processes: &[ContainerId],
    edges: &[Ticks],
) -> Result<Vec<Vec<(ValueId, i128)>>> {
    let mut gaps: Vec<BTreeMap<ValueId, i128>> =
        vec![BTreeMap::new(); edges.len().saturating_sub(1)];
    for process in processes {
        if let Some(track) = main_track_of(scope, *process)? {
            visit_times(scope, track, edges, |gap, value, ticks| {
                *gaps[gap].entry(value).or_default() += ticks;
            })?;
        }
    }
    let some = |gap: BTreeMap<ValueId, i128>| gap.into_iter().filter(|it| it.1 != 0).collect();
    Ok(gaps.into_iter().map(some).collect())
}

/// A window in equal parts.
pub(super) fn edges_of(window: Window, n: usize) -> Vec<Ticks> {
    let length = i128::from(window.to - window.from);
    let n = (n as i128).min(length).max(1);
    (0..=n).map(|k| window.from + (length * k / n) as Ticks).collect()
}

/// How alike two mixes are, from 0 to 1.
pub(super) fn alike(a: &[f64], b: &[f64]) -> f64 {
    1.0 - difference(a, b)
}
