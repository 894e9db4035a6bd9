//! Roots that come late to their operations.

use std::collections::HashMap;

use onca_model::{Ticks, Window};

use crate::robust::median;
use crate::waits::{CallId, Collective, CollectiveKind, Found, Program, WaitKind};

/// A root comes late at least this often.
const LEAST_TIMES: usize = 3;

/// A process that makes others wait by coming late to operations of which it is the root.
pub(super) struct LateRoot {
    pub process: u32,
    /// From the first to the last operation that it came late to.
    pub window: Window,
    /// The value of the operations.
    pub value: u32,
    pub waiting: i128,
    /// What the root would do before its calls if it did no more than others, by call.
    pub usual_work: HashMap<u32, Ticks>,
}

pub(super) fn late(program: &Program, found: &Found) -> Vec<LateRoot> {
    let mut waits: HashMap<CallId, (i128, Ticks, Ticks)> = HashMap::new();
    for wait in found.waits.iter().filter(|wait| wait.kind == WaitKind::LateBroadcast) {
        let of = waits.entry(wait.cause).or_insert((0, wait.from, wait.to));
        *of = (of.0 + i128::from(wait.ticks()), of.1.min(wait.from), of.2.max(wait.to));
    }
    let mut roots: HashMap<u32, LateRoot> = HashMap::new();
    for collective in &program.collectives {
        let root = collective.root.and_then(|root| collective.members.get(root as usize));
        let (CollectiveKind::OneToAll, Some(root)) = (collective.kind, root) else { continue };
        let Some(&(ticks, from, to)) = waits.get(root) else { continue };
        let late = roots.entry(root.process).or_insert_with(|| LateRoot {
            process: root.process,
            window: Window { from, to },
            value: program.call(*root).value,
            waiting: 0,
            usual_work: HashMap::new(),
        });
        late.window = Window { from: late.window.from.min(from), to: late.window.to.max(to) };
        late.waiting += ticks;
        late.usual_work.insert(root.call, usual_work(program, collective, *root));
    }
    let mut roots: Vec<LateRoot> =
        roots.into_values().filter(|root| root.usual_work.len() >= LEAST_TIMES).collect();
    roots.sort_by_key(|root| (std::cmp::Reverse(root.waiting), root.process));
    roots
}

/// What the members but the root did before they came to an operation, since their call before it.
fn usual_work(program: &Program, collective: &Collective, root: CallId) -> Ticks {
    let others = collective.members.iter().filter(|id| id.process != root.process);
    let mut ticks: Vec<f64> = others
        .map(|id| {
            let process = &program.processes[id.process as usize];
            process.work_before(id.call as usize).map(|work| work.ticks as f64).sum()
        })
        .collect();
    median(&mut ticks) as Ticks
}
