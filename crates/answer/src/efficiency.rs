//! How well processes used their time, by the roles of their states.
//!
//! A process is a container that has states. What it did with its time is told by the roles
//! of the innermost states: see [`ProcessTime`] and `docs/statistics.md`.

use onca_aggregate::efficiency::{
    CommunicationSplit, Efficiency, GroupTime, GroupTimes, ProcessTime,
};
use onca_aggregate::fold::Fold;
use onca_model::{Nature, Ticks, Window};
use onca_query::{NodeId, Role, Scope};
use onca_store::{Measure, TrackId};
use serde_json::{Map, Value, json};

use crate::json::{header, node, put_sum, put_time};
use crate::slices::slices_of;
use crate::times::{StateTimes, times_of};
use crate::{AnswerError, Cut, Level, Result};

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
#[derive(Clone, PartialEq, Debug)]
pub struct Efficiencies {
    /// The rows, by node and slice.
    pub rows: Vec<EfficiencyRow>,
    /// There are containers with states of several types, whose times overlap: choose one.
    pub several_types: bool,
    /// Did the lens make it necessary to look at every state?
    pub scanned: bool,
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
        Efficiencies { rows: Vec::new(), several_types: processes.several_types, scanned: false };
    if from >= to {
        // A trace without any length has no efficiency.
        return Ok(answer);
    }
    let bounds = slices_of(scope, n_slices)?;
    for k in 0..bounds.n_slices() {
        let slice = bounds.slice(k);
        let times = times_of(scope, &processes.tracks, slice, Measure::Exclusive)?;
        answer.scanned |= times.scanned;
        answer.rows.extend(processes.rows(scope, &cut, &times, slice));
    }
    let order = |row: &EfficiencyRow| (cut.place(row.node), row.slice.from);
    answer.rows.sort_by_key(order);
    Ok(answer)
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

    fn rows(
        &self,
        scope: &Scope<'_>,
        cut: &Cut,
        times: &StateTimes,
        slice: Window,
    ) -> Vec<EfficiencyRow> {
        let mut found: Vec<Option<Adding>> = vec![None; cut.nodes().len()];
        for (process, &group) in self.groups.iter().enumerate() {
            let group = found[group].get_or_insert_default();
            let mut time = ProcessTime::default();
            for row in times.at(process) {
                group.add(&mut time, row.ticks, scope.role(row.value));
            }
            GroupTimes.add(&mut group.times, time);
        }
        let nodes = cut.nodes().iter().zip(found);
        nodes.filter_map(|(&node, found)| Some(found?.finish(node, slice))).collect()
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

    fn finish(self, node: NodeId, slice: Window) -> EfficiencyRow {
        let Self { times, roles, unknown } = self;
        let length = slice.to - slice.from;
        let whole = i128::from(length) * i128::from(times.processes);
        let none = whole - roles.iter().sum::<i128>() - unknown;
        let efficiency = times.efficiency(length, None);
        EfficiencyRow { node, slice, times, roles, unknown, none, efficiency }
    }
}

impl Efficiencies {
    /// The answer as JSON, `onca-stats-efficiency/1`.
    pub fn json(&self, scope: &Scope<'_>) -> Value {
        let mut answer = header(scope, "onca-stats-efficiency/1", self.scanned);
        answer.insert("several_types".to_owned(), json!(self.several_types));
        answer.insert("left_out".to_owned(), json!(CommunicationSplit::REASON));
        let rows = self.rows.iter().map(|row| row.json(scope)).collect();
        answer.insert("efficiency".to_owned(), Value::Array(rows));
        Value::Object(answer)
    }
}

impl EfficiencyRow {
    fn json(&self, scope: &Scope<'_>) -> Value {
        let unit = &scope.catalog().facts.unit;
        let mut object = Map::new();
        object.insert("node".to_owned(), node(scope, self.node));
        put_time(&mut object, unit, "from", Some(self.slice.from));
        put_time(&mut object, unit, "to", Some(self.slice.to));
        object.insert("processes".to_owned(), json!(self.times.processes));
        object.insert("parallel".to_owned(), json!(self.efficiency.parallel));
        object.insert("load_balance".to_owned(), json!(self.efficiency.load_balance));
        object.insert("communication".to_owned(), json!(self.efficiency.communication));
        let share = self.efficiency.communication_share;
        object.insert("communication_share".to_owned(), json!(share));
        put_sum(&mut object, unit, "useful", self.times.useful);
        put_time(&mut object, unit, "max_useful", Some(self.times.max_useful));
        put_sum(&mut object, unit, "communicating", self.times.communication);
        let mut roles = Map::new();
        for (role, ticks) in Role::ALL.iter().zip(self.roles) {
            put_sum(&mut roles, unit, role.name(), ticks);
        }
        put_sum(&mut roles, unit, "unknown", self.unknown);
        put_sum(&mut roles, unit, "none", self.none);
        object.insert("roles".to_owned(), Value::Object(roles));
        Value::Object(object)
    }
}
