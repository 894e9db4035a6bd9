//! How well processes used their time, by the roles of their states.
//!
//! A process is a container that has states. What it did with its time is told by the roles
//! of the innermost states: see [`ProcessTime`] and `docs/statistics.md`.

mod hybrid;
pub(crate) mod wire;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use onca_aggregate::efficiency::{Efficiency, GroupTime, GroupTimes, ProcessTime};
use onca_aggregate::fold::Fold;
use onca_aggregate::slice::Bounds;
use onca_aggregate::waits::ClockHistory;
use onca_model::{Nature, Ticks, ValueId, Window};
use onca_query::{NodeId, Role, Scope};
use onca_store::TrackId;
use rayon::prelude::*;

use crate::slices::slices_of;
use crate::times::{chunk_of, visit_times};
use crate::{AnswerError, Cut, Level, Result, analyse_waits};

use hybrid::Callers;
pub use hybrid::{Hybrid, PartEfficiency};

/// How many rows an answer may have.
const MAX_ROWS: usize = 1 << 21;

/// The work that a program is for.
pub(crate) fn is_useful(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Compute | Role::Task))
}

/// Sending, receiving, and waiting for others.
pub(crate) fn is_communication(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Send | Role::Receive | Role::Wait | Role::Collective))
}

/// How well the processes below some nodes used their time.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Efficiencies {
    /// The rows, by node and slice.
    pub rows: Vec<EfficiencyRow>,
    /// There are containers with states of several types, whose times overlap: choose one.
    pub several_types: bool,
    /// Did the lens make it necessary to look at every state?
    pub scanned: bool,
    /// Is communication efficiency split into serialisation and transfer?
    pub is_split: bool,
}

/// How well the processes below one node used one slice of time.
#[derive(Clone, PartialEq, Debug)]
pub struct EfficiencyRow {
    /// The node.
    pub node: NodeId,
    /// The slice.
    pub slice: Window,
    /// What the processes did.
    pub times: GroupTime,
    /// The time in states of each role, in the order of [`Role::ALL`].
    pub roles: [i128; Role::ALL.len()],
    /// The time in states that have no role.
    pub unknown: i128,
    /// The time in no state at all.
    pub none: i128,
    /// The efficiencies.
    pub efficiency: Efficiency,
    /// Those of processes and of their threads, where these are told apart.
    pub hybrid: Option<Hybrid>,
}

impl EfficiencyRow {
    /// The time of all processes: in states or not.
    pub fn whole(&self) -> i128 {
        i128::from(self.slice.to - self.slice.from) * i128::from(self.times.processes)
    }
}

/// The efficiencies of the processes below each node of a level, in `n_slices` slices of the
/// window.
pub fn efficiency(scope: &Scope<'_>, level: &Level, n_slices: usize) -> Result<Efficiencies> {
    let Window { from, to } = scope.window();
    let cut = Cut::new(scope, level)?;
    if cut.nodes().len().saturating_mul(n_slices) > MAX_ROWS {
        return Err(AnswerError::TooLarge(format!(
            "{n_slices} slices of {} groups are too many to hold; take fewer slices, or a level \
             with fewer groups",
            cut.nodes().len()
        )));
    }
    let processes = Processes::new(scope, &cut)?;
    let mut answer =
        Efficiencies { several_types: processes.several_types, ..Efficiencies::default() };
    if from >= to {
        // A trace without any length has no efficiency.
        return Ok(answer);
    }
    let bounds = slices_of(scope, n_slices)?;
    answer.scanned = scope.min_duration() > 0;
    for (group, slices) in processes.times(scope, &bounds)? {
        let of_slice =
            |(k, adding): (usize, Adding)| adding.finish(cut.nodes()[group], bounds.slice(k));
        answer.rows.extend(slices.into_iter().enumerate().map(of_slice));
    }
    Ok(answer)
}

impl Efficiencies {
    /// Splits communication efficiency into serialisation and transfer, by the logical clocks of the whole run. The time
    /// that a slice would take without moving data is never less than the useful time of its busiest process, nor more than
    /// the slice has.
    pub fn split(&mut self, scope: &Scope<'_>, level: &Level) -> Result<()> {
        let analysis = analyse_waits(scope)?;
        let cut = Cut::new(scope, level)?;
        let clocks = ClockHistory::new(&analysis.program, &analysis.wiring);
        let mut members: BTreeMap<NodeId, Vec<u32>> = BTreeMap::new();
        for (process, container) in (0u32..).zip(&analysis.containers) {
            let node = scope.hierarchy().node_of(*container);
            if let Some(place) = node.and_then(|node| cut.place(node)) {
                members.entry(cut.nodes()[place]).or_default().push(process);
            }
        }
        for row in &mut self.rows {
            let length = row.slice.to - row.slice.from;
            let processes = members.get(&row.node).map_or(&[][..], Vec::as_slice);
            let least = row.times.max_useful.min(length);
            let ideal = clocks.ideal(processes, row.slice).clamp(least, length);
            row.efficiency = row.times.efficiency(length, Some(ideal));
        }
        self.is_split = true;
        Ok(())
    }
}

/// The containers that have states.
struct Processes {
    /// Their tracks, each with its process.
    tracks: Vec<(usize, TrackId)>,
    /// For each process the place of the group that it belongs to.
    groups: Vec<usize>,
    several_types: bool,
    /// Who passes messages for its threads.
    callers: Callers,
}

impl Processes {
    fn new(scope: &Scope<'_>, cut: &Cut) -> Result<Self> {
        let mut found = Self {
            tracks: Vec::new(),
            groups: Vec::new(),
            several_types: false,
            callers: Callers::of(scope)?,
        };
        let mut containers = Vec::new();
        let mut last = None;
        // The tracks of a container are next to each other.
        for (id, track, node) in scope.tracks(Nature::State) {
            let Some(group) = cut.place(node) else { continue };
            match last == Some(track.container) {
                true => found.several_types = true,
                false => {
                    found.groups.push(group);
                    containers.push(track.container);
                }
            }
            last = Some(track.container);
            found.tracks.push((found.groups.len() - 1, id));
        }
        found.callers.choose(&containers);
        Ok(found)
    }

    /// What the processes of each group did in each slice, by group. Every process is looked at once,
    /// whatever the number of slices.
    fn times(&self, scope: &Scope<'_>, bounds: &Bounds) -> Result<BTreeMap<usize, Vec<Adding>>> {
        let edges = bounds.edges();
        let of_one = |part: &[(usize, TrackId)]| -> Result<BTreeMap<usize, Vec<Adding>>> {
            let mut found = BTreeMap::new();
            let mut sums = Sums::new(scope.catalog().values.len(), bounds.n_slices());
            for tracks in part.chunk_by(|a, b| a.0 == b.0) {
                for &(_, track) in tracks {
                    let add = |slice, value, ticks| sums.add(slice, value, ticks);
                    visit_times(scope, track, &edges, add)?;
                }
                let group = self.groups[tracks[0].0];
                let slices = found
                    .entry(group)
                    .or_insert_with(|| vec![Adding::default(); bounds.n_slices()]);
                let calls = self.callers.calls(tracks[0].0);
                sums.drain_into(slices, bounds, |value| scope.role(value), calls);
            }
            Ok(found)
        };
        let parts: Vec<_> = self.parts().into_par_iter().map(of_one).collect::<Result<_>>()?;
        let mut all: BTreeMap<usize, Vec<Adding>> = BTreeMap::new();
        for (group, slices) in parts.into_iter().flatten() {
            match all.entry(group) {
                Entry::Vacant(entry) => drop(entry.insert(slices)),
                Entry::Occupied(mut entry) => {
                    entry.get_mut().iter_mut().zip(&slices).for_each(|(sum, part)| sum.merge(part));
                }
            }
        }
        Ok(all)
    }

    /// The tracks in parts for the cores, none with only some tracks of a process.
    fn parts(&self) -> Vec<&[(usize, TrackId)]> {
        let size = chunk_of(self.tracks.len());
        let mut parts = Vec::new();
        let mut rest = self.tracks.as_slice();
        while !rest.is_empty() {
            let last = rest[size.min(rest.len()) - 1].0;
            let (part, later) =
                rest.split_at(rest.partition_point(|(process, _)| *process <= last));
            parts.push(part);
            rest = later;
        }
        parts
    }
}

/// The time of a process in each value and slice while it is added up.
struct Sums {
    n_values: usize,
    /// By slice and value.
    ticks: Vec<i128>,
    /// Which of them were changed, some several times.
    changed: Vec<usize>,
    times: Vec<ProcessTime>,
}

impl Sums {
    fn new(n_values: usize, n_slices: usize) -> Self {
        let times = vec![ProcessTime::default(); n_slices];
        Self { n_values, ticks: vec![0; n_values * n_slices], changed: Vec::new(), times }
    }

    fn add(&mut self, slice: usize, value: ValueId, ticks: i128) {
        let at = slice * self.n_values + value.index();
        if self.ticks[at] == 0 {
            self.changed.push(at);
        }
        self.ticks[at] += ticks;
    }

    /// Adds the process to its group, and begins with the next. `calls` tells which values are calls, if it passes the
    /// messages of its threads.
    fn drain_into(
        &mut self,
        slices: &mut [Adding],
        bounds: &Bounds,
        role: impl Fn(ValueId) -> Option<Role>,
        calls: Option<&[bool]>,
    ) {
        let mut inside = vec![0; slices.len()];
        for at in self.changed.drain(..) {
            let (slice, value) = (at / self.n_values, ValueId((at % self.n_values) as u32));
            let ticks = std::mem::take(&mut self.ticks[at]);
            slices[slice].add(&mut self.times[slice], ticks, role(value));
            if calls.is_some_and(|calls| calls[value.index()]) {
                inside[slice] += ticks;
            }
        }
        if calls.is_some() {
            for (at, (group, inside)) in slices.iter_mut().zip(inside).enumerate() {
                let Window { from, to } = bounds.slice(at);
                let useful = (i128::from(to - from) - inside).max(0) as Ticks;
                GroupTimes.add(&mut group.outside, ProcessTime { useful, communication: 0 });
            }
        }
        for (group, time) in slices.iter_mut().zip(&mut self.times) {
            GroupTimes.add(&mut group.times, std::mem::take(time));
        }
    }
}

/// The times of a group while they are added up.
#[derive(Clone, Default)]
struct Adding {
    times: GroupTime,
    roles: [i128; Role::ALL.len()],
    unknown: i128,
    /// Of those that pass messages for their threads: the time outside of these calls, as if it was useful.
    outside: GroupTime,
}

impl Adding {
    fn add(&mut self, process: &mut ProcessTime, ticks: i128, role: Option<Role>) {
        let clamped = ticks.clamp(0, i128::from(Ticks::MAX)) as Ticks;
        if is_useful(role) {
            process.useful = process.useful.saturating_add(clamped);
        } else if is_communication(role) {
            process.communication = process.communication.saturating_add(clamped);
        }
        match role.and_then(|role| Role::ALL.iter().position(|other| *other == role)) {
            Some(at) => self.roles[at] += ticks,
            None => self.unknown += ticks,
        }
    }

    fn merge(&mut self, other: &Self) {
        GroupTimes.merge(&mut self.times, &other.times);
        self.roles.iter_mut().zip(other.roles).for_each(|(sum, ticks)| *sum += ticks);
        self.unknown += other.unknown;
        GroupTimes.merge(&mut self.outside, &other.outside);
    }

    fn finish(self, node: NodeId, slice: Window) -> EfficiencyRow {
        let Self { times, roles, unknown, outside } = self;
        let length = slice.to - slice.from;
        let whole = i128::from(length) * i128::from(times.processes);
        let none = whole - roles.iter().sum::<i128>() - unknown;
        let efficiency = times.efficiency(length, None);
        let hybrid = Hybrid::of(&efficiency, &outside.efficiency(length, None));
        EfficiencyRow { node, slice, times, roles, unknown, none, efficiency, hybrid }
    }
}
