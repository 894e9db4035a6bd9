//! How well processes used their time, by the roles of their states.
//!
//! A process is a container that has states. What it did with its time is told by the roles
//! of the innermost states: see [`ProcessTime`] and `docs/statistics.md`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use onca_aggregate::efficiency::{
    CommunicationSplit, Efficiency, GroupTime, GroupTimes, ProcessTime,
};
use onca_aggregate::fold::Fold;
use onca_aggregate::slice::Bounds;
use onca_aggregate::waits::ClockHistory;
use onca_model::{Nature, Ticks, TimeUnit, ValueId, Window};
use onca_query::{NodeId, Role, Scope};
use onca_store::TrackId;
use rayon::prelude::*;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::slices::slices_of;
use crate::times::{chunk_of, visit_times};
use crate::wire::{HeaderJson, List, NodeJson, Number, SpanJson, units_of_sum};
use crate::{AnswerError, Cut, Level, Result, analyse_waits};

/// How many rows an answer may have.
const MAX_ROWS: usize = 1 << 21;

/// The work that a program is for.
pub(crate) fn is_useful(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Compute | Role::Task))
}

/// Sending, receiving, and waiting for others.
fn is_communication(role: Option<Role>) -> bool {
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
    let processes = Processes::new(scope, &cut);
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
        let clocks = ClockHistory::new(&analysis.program);
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
}

impl Processes {
    fn new(scope: &Scope<'_>, cut: &Cut) -> Self {
        let mut found = Self { tracks: Vec::new(), groups: Vec::new(), several_types: false };
        let mut last = None;
        // The tracks of a container are next to each other.
        for (id, track, node) in scope.tracks(Nature::State) {
            let Some(group) = cut.place(node) else { continue };
            match last == Some(track.container) {
                true => found.several_types = true,
                false => found.groups.push(group),
            }
            last = Some(track.container);
            found.tracks.push((found.groups.len() - 1, id));
        }
        found
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
                    visit_times(scope, track, bounds, &edges, add)?;
                }
                let group = self.groups[tracks[0].0];
                let slices = found
                    .entry(group)
                    .or_insert_with(|| vec![Adding::default(); bounds.n_slices()]);
                sums.drain_into(slices, |value| scope.role(value));
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

    /// Adds the process to its group, and begins with the next.
    fn drain_into(&mut self, slices: &mut [Adding], role: impl Fn(ValueId) -> Option<Role>) {
        for at in self.changed.drain(..) {
            let (slice, value) = (at / self.n_values, ValueId((at % self.n_values) as u32));
            let ticks = std::mem::take(&mut self.ticks[at]);
            slices[slice].add(&mut self.times[slice], ticks, role(value));
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
    }

    fn finish(self, node: NodeId, slice: Window) -> EfficiencyRow {
        let Self { times, roles, unknown } = self;
        let length = slice.to - slice.from;
        let whole = i128::from(length) * i128::from(times.processes);
        let none = whole - roles.iter().sum::<i128>() - unknown;
        let efficiency = times.efficiency(length, None);
        EfficiencyRow { node, slice, times, roles, unknown, none, efficiency }
    }
}

/// How well processes used their time, as JSON: `onca-stats-efficiency/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EfficienciesJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// Some containers have states of several types, which overlap.
    pub several_types: bool,
    /// Which efficiencies are not told, and why; `null` if all are.
    pub left_out: Option<&'static str>,
    /// The efficiencies, by node and slice.
    pub efficiency: List<'a, EfficiencyRowJson<'a>>,
}

/// How well the processes below one node used one slice of time.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EfficiencyRowJson<'a> {
    /// The node whose processes these are.
    pub node: NodeJson<'a>,
    /// The slice.
    #[serde(flatten)]
    pub slice: SpanJson,
    /// How many processes there are.
    pub processes: u64,
    /// Parallel efficiency; `null` where it is not defined.
    pub parallel: Option<f64>,
    /// Load balance; `null` where it is not defined.
    pub load_balance: Option<f64>,
    /// Communication efficiency; `null` where it is not defined.
    pub communication: Option<f64>,
    /// Serialisation efficiency; `null` where it is not told or not defined.
    pub serialisation: Option<f64>,
    /// Transfer efficiency; `null` where it is not told or not defined.
    pub transfer: Option<f64>,
    /// The share of all time that is communication.
    pub communication_share: Option<f64>,
    /// The useful time of all, in units.
    pub useful: f64,
    /// The useful time of all, in ticks.
    pub useful_ticks: Number,
    /// The useful time of the busiest, in units.
    pub max_useful: f64,
    /// The useful time of the busiest, in ticks.
    pub max_useful_ticks: Ticks,
    /// The communication of all, in units.
    pub communicating: f64,
    /// The communication of all, in ticks.
    pub communicating_ticks: Number,
    /// The time in each role, in `unknown` and in `none`, in units; and each again in ticks.
    pub roles: RoleTimesJson<'a>,
}

/// The time in each role, as an object: for each a field of its name, in units, and one that ends in
/// `_ticks`.
#[derive(Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "Record<string, number>"))]
pub struct RoleTimesJson<'a> {
    unit: &'a TimeUnit,
    row: &'a EfficiencyRow,
}

impl Serialize for RoleTimesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let roles = Role::ALL.iter().map(|role| role.name()).zip(self.row.roles);
        let others = [("unknown", self.row.unknown), ("none", self.row.none)];
        let mut map = serializer.serialize_map(None)?;
        for (name, ticks) in roles.chain(others) {
            map.serialize_entry(name, &units_of_sum(self.unit, ticks))?;
            map.serialize_entry(&format_args!("{name}_ticks"), &Number::sum(ticks))?;
        }
        map.end()
    }
}

impl Efficiencies {
    /// The answer as JSON, `onca-stats-efficiency/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> EfficienciesJson<'a> {
        EfficienciesJson {
            header: HeaderJson::new(scope, "onca-stats-efficiency/1", self.scanned),
            several_types: self.several_types,
            left_out: (!self.is_split).then_some(CommunicationSplit::REASON),
            efficiency: List::new(self.rows.iter().map(|row| row.json(scope))),
        }
    }
}

impl EfficiencyRow {
    fn json<'a>(&'a self, scope: &'a Scope<'_>) -> EfficiencyRowJson<'a> {
        let unit = &scope.catalog().facts.unit;
        let GroupTime { processes, useful, max_useful, communication } = self.times;
        let (serialisation, transfer) = self.efficiency.split.parts();
        EfficiencyRowJson {
            node: NodeJson::new(scope, self.node),
            slice: SpanJson::new(unit, self.slice),
            processes,
            parallel: self.efficiency.parallel,
            load_balance: self.efficiency.load_balance,
            communication: self.efficiency.communication,
            serialisation,
            transfer,
            communication_share: self.efficiency.communication_share,
            useful: units_of_sum(unit, useful),
            useful_ticks: Number::sum(useful),
            max_useful: unit.units(max_useful),
            max_useful_ticks: max_useful,
            communicating: units_of_sum(unit, communication),
            communicating_ticks: Number::sum(communication),
            roles: RoleTimesJson { unit, row: self },
        }
    }
}
