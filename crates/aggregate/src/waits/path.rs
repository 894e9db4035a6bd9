//! The chain of activities that made the run as long as it was.

use std::collections::BTreeMap;

use onca_model::Ticks;

use super::apportion::apportion;
use super::column::partition;
use super::{Found, Program, Work};

/// A part of the critical path: what a process did during some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The process.
    pub process: u32,
    /// When the path comes to it.
    pub from: Ticks,
    /// When the path leaves it.
    pub to: Ticks,
}

/// The critical path, from the beginning of the run to its end. Its segments follow each other without a gap, so that
/// their lengths add up to the run time.
///
/// It is found from the end: along the process that ends last, back to where that process waited; from there along
/// the one that it waited for. `ends` tells when each process did something last.
pub fn critical_path(program: &Program, found: &Found, ends: &[Ticks]) -> Vec<Segment> {
    let Some(last) = (0..ends.len()).max_by_key(|&p| (ends[p], std::cmp::Reverse(p))) else {
        return Vec::new();
    };
    let (mut process, mut time) = (last as u32, program.run.to);
    let mut segments = Vec::new();
    // How often the path changed its process without going back in time.
    let mut n_jumps = 0;
    loop {
        let waits = found.waits.of_process(process);
        let usable = |to: Ticks| to <= time && (n_jumps <= ends.len() || to < time);
        let after = partition(waits.clone(), |at| usable(found.waits.to(at)));
        let wait = (after > waits.start).then(|| found.waits.get(after - 1));
        let from = wait.map_or(program.run.from, |wait| wait.to.max(program.run.from));
        if from < time {
            segments.push(Segment { process, from, to: time });
            n_jumps = 0;
        }
        n_jumps += 1;
        match wait {
            Some(wait) if from > program.run.from => {
                (process, time) = (wait.cause.process, from);
            }
            _ => break,
        }
    }
    segments.reverse();
    segments
}

/// What the path is made of: process, value, time. The times add up to the length of the path.
pub fn path_profile(program: &Program, path: &[Segment]) -> Vec<(u32, u32, Ticks)> {
    let mut times: BTreeMap<(u32, u32), Ticks> = BTreeMap::new();
    for segment in path {
        let process = &program.processes[segment.process as usize];
        let mut add = |value: u32, ticks: Ticks| {
            *times.entry((segment.process, value)).or_default() += ticks;
        };
        let first = process.n_ended(segment.from);
        let mut time = match first.checked_sub(1) {
            Some(before) => process.leave(before),
            None => program.run.from,
        };
        for at in first..=process.n_calls() {
            let call = (at < process.n_calls()).then(|| process.call(at));
            let end = call.map_or(program.run.to, |call| call.enter);
            let ticks = end.min(segment.to) - time.max(segment.from);
            if ticks > 0 {
                let works: Vec<Work> = process.work_before(at).collect();
                let weights: Vec<i128> = works.iter().map(|work| i128::from(work.ticks)).collect();
                // A segment that begins or ends between calls has its share of what was done there.
                let shares = apportion(i128::from(ticks), &weights);
                works.iter().zip(shares).for_each(|(work, share)| add(work.value, share as Ticks));
            }
            let Some(call) = call else { break };
            let ticks = call.leave.min(segment.to) - call.enter.max(segment.from);
            if ticks > 0 {
                add(call.value, ticks);
            }
            time = call.leave;
            if time >= segment.to {
                break;
            }
        }
    }
    times.into_iter().map(|((process, value), ticks)| (process, value, ticks)).collect()
}

/// What all processes did, by value, without waiting.
pub fn work_totals(program: &Program, found: &Found) -> BTreeMap<u32, i128> {
    let mut times: BTreeMap<u32, i128> = BTreeMap::new();
    for process in &program.processes {
        for at in 0..=process.n_calls() {
            for work in process.work_before(at) {
                *times.entry(work.value).or_default() += i128::from(work.ticks);
            }
        }
        for call in process.calls() {
            *times.entry(call.value).or_default() += i128::from(call.leave - call.enter);
        }
    }
    for wait in found.waits.iter() {
        *times.entry(program.call(wait.call).value).or_default() -= i128::from(wait.ticks());
    }
    times
}
