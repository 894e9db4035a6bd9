//! Where two processes have met before one of them waits for the other.

use std::collections::HashMap;

use onca_model::Ticks;

use super::column::Column;
use super::{CallId, CollectiveKind, Found, Program, Waits};

/// Where processes meet: where one waits for the other, and where all wait for all. A message that nobody waited for brings
/// nobody together: it may have been sent long ago.
pub(super) struct Meetings<'a> {
    program: &'a Program,
    waits: &'a Waits,
    /// For each wait one more than the wait between the same two that was before it; 0 where there is none.
    before: Column,
    /// The operations in which all of some processes met, in order of time.
    groups: Groups,
    /// The groups of each process, each with the place of the process among the members.
    groups_of: GroupsOf,
}

/// For each group when it met, and in which operation.
type Groups = Vec<Vec<(Ticks, u32)>>;

/// For each process its groups and places.
type GroupsOf = Vec<Vec<(u32, u32)>>;

impl<'a> Meetings<'a> {
    pub fn of(program: &'a Program, found: &'a Found) -> Self {
        let (groups, groups_of) = groups(program);
        let waits = &found.waits;
        Self { program, waits, before: before(program.n_processes(), waits), groups, groups_of }
    }

    /// The calls at which the two of a wait had last met: of the one that waits, and of the other.
    pub fn last(&self, at: usize) -> (Option<u32>, Option<u32>) {
        let (low, high) = self.pair(at);
        let earlier = self.before.get(at).checked_sub(1).map(|before| self.pair(before as usize));
        let mut met = earlier.map(|(low, high)| (low.call, high.call));
        let until = self.waits.to(at);
        for &(group, place) in &self.groups_of[low.process as usize] {
            let others = &self.groups_of[high.process as usize];
            let Some((_, other)) = others.iter().find(|(it, _)| *it == group) else { continue };
            let operations = &self.groups[group as usize];
            // All have waited before all have met.
            let n_before = operations.partition_point(|(time, _)| *time < until);
            let Some((_, last)) = n_before.checked_sub(1).map(|at| operations[at]) else {
                continue;
            };
            let members = &self.program.collectives[last as usize].members;
            let calls = (members[place as usize].call, members[*other as usize].call);
            if met.is_none_or(|(before, _)| before < calls.0) {
                met = Some(calls);
            }
        }
        // Times that disagree may put a meeting after the calls.
        let met = met.filter(|met| met.0 < low.call && met.1 < high.call);
        match (met, self.waits.call(at).process == low.process) {
            (None, _) => (None, None),
            (Some((at_low, at_high)), true) => (Some(at_low), Some(at_high)),
            (Some((at_low, at_high)), false) => (Some(at_high), Some(at_low)),
        }
    }

    /// The two calls of a wait, that of the lower process first.
    fn pair(&self, at: usize) -> (CallId, CallId) {
        pair(self.waits, at)
    }
}

fn pair(waits: &Waits, at: usize) -> (CallId, CallId) {
    let (call, cause) = (waits.call(at), waits.cause(at));
    if call.process <= cause.process { (call, cause) } else { (cause, call) }
}

/// For each wait one more than the wait between the same two that was before it; 0 where there is none.
fn before(n_processes: usize, waits: &Waits) -> Column {
    let mut by_low: Vec<Vec<u32>> = vec![Vec::new(); n_processes];
    (0..waits.len()).for_each(|at| by_low[pair(waits, at).0.process as usize].push(at as u32));
    let mut before = vec![0; waits.len()];
    for own in by_low {
        let key = |at: u32| (pair(waits, at as usize).1.process, waits.to(at as usize), at);
        let mut own: Vec<(u32, Ticks, u32)> = own.into_iter().map(key).collect();
        own.sort_unstable();
        for two in own.windows(2).filter(|two| two[0].0 == two[1].0) {
            before[two[1].2 as usize] = two[0].2 + 1;
        }
    }
    before.into_iter().map(u64::from).collect()
}

/// The operations in which all of some processes met, by who they are and in order of time; and the groups of each process, each
/// with its place among the members.
fn groups(program: &Program) -> (Groups, GroupsOf) {
    let mut by_members: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut groups = Groups::new();
    let mut groups_of = vec![Vec::new(); program.n_processes()];
    for (at, collective) in (0u32..).zip(&program.collectives) {
        if !matches!(collective.kind, CollectiveKind::Barrier | CollectiveKind::AllToAll) {
            continue;
        }
        let members: Vec<u32> = collective.members.iter().map(|id| id.process).collect();
        let group = *by_members.entry(members).or_insert_with_key(|members| {
            let group = groups.len() as u32;
            for (place, process) in (0u32..).zip(members) {
                groups_of[*process as usize].push((group, place));
            }
            groups.push(Vec::new());
            group
        });
        let last = program.last_enter(collective);
        groups[group as usize].extend(last.map(|last| (last, at)));
    }
    groups.iter_mut().for_each(|operations| operations.sort_unstable());
    (groups, groups_of)
}
