//! Much communication that is not waiting: what messages and operations take by themselves.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use onca_model::{ValueId, Window};
use onca_query::NodeId;
use rayon::prelude::*;

use super::waiting::{LEAST_EXPLAINED, time_of_all};
use super::{FoundFinding, Telling, text};
use crate::efficiency::is_communication;
use crate::waits::WaitAnalysis;

/// Communication is told by itself from this share of the time of all processes on. Sixteen processes that pass messages in
/// a known pattern spend a sixth of it so, and a third where each sends to all others.
const LEAST_COMMUNICATION: f64 = 0.4;

/// Time by value.
type Times = BTreeMap<u32, i128>;

/// Communication that takes much of the time of all processes, without what they are known to wait. What it costs the run is
/// not known: nobody tells what another program would send.
pub(super) fn finding(telling: &Telling<'_>, found: &[FoundFinding]) -> Option<FoundFinding> {
    let &Telling { analysis, scope, subject } = telling;
    let examined = analysis.examined();
    let n_operations = examined.operations + examined.assumed_operations + examined.unpaired;
    let all = time_of_all(analysis);
    // Who is blocked does not communicate where nobody does; and where clocks disagree, so do waits.
    let is_possible = examined.messages + n_operations > 0 && examined.backward == 0;
    if !is_possible || all <= 0.0 {
        return None;
    }
    let values = 0..analysis.program.useful.len() as u32;
    let communicates: Vec<bool> =
        values.map(|value| is_communication(scope.role(ValueId(value)))).collect();
    let times: Vec<Times> = (0..analysis.containers.len() as u32)
        .into_par_iter()
        .map(|process| beyond_waiting(analysis, &communicates, process))
        .collect();
    let whole: i128 = times.iter().map(total).sum();
    let of_links: i128 = found.iter().filter(|it| it.kind == "link").map(|it| it.cost).sum();
    let is_explained = of_links as f64 >= LEAST_EXPLAINED * whole as f64;
    if (whole as f64) < LEAST_COMMUNICATION * all || is_explained {
        return None;
    }
    let run = analysis.program.run;
    let length = (run.to - run.from) as f64;
    let processes: Vec<u32> = (0u32..)
        .zip(&times)
        .filter(|(_, times)| total(times) as f64 >= LEAST_COMMUNICATION * length)
        .map(|(process, _)| process)
        .collect();
    let mut by_value = Times::new();
    for process in &processes {
        for (value, ticks) in &times[*process as usize] {
            *by_value.entry(*value).or_default() += ticks;
        }
    }
    let cost = total(&by_value);
    let (value, most) =
        by_value.into_iter().max_by_key(|&(value, ticks)| (ticks, Reverse(value)))?;
    let groups: Vec<NodeId> = subject.groups(&processes).into_iter().map(NodeId).collect();
    let told = match processes.len() > 1 && processes.len() == analysis.containers.len() {
        true => text::Told { who: "all processes".to_owned(), is_one: false },
        false => text::named(scope, &groups, processes.len()),
    };
    let calls = processes.iter().flat_map(|it| analysis.program.processes[*it as usize].calls());
    let window = calls
        .filter(|call| communicates[call.value as usize])
        .map(|call| Window { from: call.enter, to: call.leave })
        .reduce(|a, b| Window { from: a.from.min(b.from), to: a.to.max(b.to) })
        .unwrap_or(run);
    let share = cost as f64 / (processes.len() as f64 * length);
    let part = most as f64 / cost.max(1) as f64;
    Some(FoundFinding {
        kind: "communication".into(),
        text: text::communication(
            scope,
            &told,
            (cost, share),
            (analysis.activity(value), part),
            &text::during(scope, run, window),
        ),
        containers: processes.iter().map(|it| analysis.containers[*it as usize]).collect(),
        groups,
        towards: Vec::new(),
        window,
        cost,
        saved: 0,
        sure: 0.9,
        effects: Vec::new(),
    })
}

fn total(times: &Times) -> i128 {
    times.values().sum()
}

/// The time of a process in each value that is communication, without what it is known to wait there.
fn beyond_waiting(analysis: &WaitAnalysis, communicates: &[bool], process: u32) -> Times {
    let of = &analysis.program.processes[process as usize];
    let mut times = Times::new();
    let mut add = |value: u32, ticks: i128| {
        if communicates[value as usize] {
            *times.entry(value).or_default() += ticks;
        }
    };
    for call in of.calls() {
        add(call.value, i128::from(call.leave - call.enter));
    }
    // Calls that nobody waits for stand among the work.
    for at in 0..=of.n_calls() {
        of.work_before(at).for_each(|work| add(work.value, i128::from(work.ticks)));
    }
    let waits = &analysis.found.waits;
    for wait in waits.of_process(process).map(|at| waits.get(at)) {
        add(analysis.program.call(wait.call).value, -i128::from(wait.ticks()));
    }
    times
}
