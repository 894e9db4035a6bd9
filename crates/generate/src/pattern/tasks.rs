//! Patterns without a fixed order: tasks that a master hands out, or that are stolen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;

use super::{Options, States, message};
use crate::GenerateError;
use crate::dice::Dice;
use crate::run::{Run, Sent};

/// A request, or the answer that there is nothing.
const SMALL_BYTES: u64 = 64;

/// A worker that computes, and the message with which it will report.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Report {
    arrival: i64,
    worker: u32,
    key: u64,
}

pub(super) fn master_worker<W: Write>(
    options: &Options,
    states: States,
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let mut left = u64::from(options.rounds) * u64::from(options.procs - 1);
    let mut reports = BinaryHeap::new();
    for worker in 1..options.procs {
        left -= 1;
        let report = do_task(options, states, worker, dice, run);
        reports.push(Reverse(report));
    }
    while let Some(Reverse(report)) = reports.pop() {
        let Report { arrival, worker, key } = report;
        let result = message(worker, 0, options.message_bytes);
        run.receive(result, Sent { arrival, key }, states.message);
        if left > 0 {
            left -= 1;
            let report = do_task(options, states, worker, dice, run);
            reports.push(Reverse(report));
        }
        if run.schedule.is_large() {
            // Workers without a task stay where they are and say nothing more.
            let waiting = reports.iter().map(|Reverse(r)| run.clock(r.worker));
            let limit = waiting.chain([run.clock(0)]).min().unwrap_or(0);
            run.write_before(limit)?;
        }
    }
    Ok(())
}

/// The master sends a task, the worker does it and sends the result.
fn do_task<W: Write>(
    options: &Options,
    states: States,
    worker: u32,
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Report {
    let task = message(0, worker, SMALL_BYTES);
    let sent = run.send(task, states.message.send);
    run.receive(task, sent, states.message);
    let ticks = options.slowed(worker, dice.jitter(options.compute_ticks, 60));
    run.spend(worker, states.compute, ticks);
    let result = message(worker, 0, options.message_bytes);
    let Sent { arrival, key } = run.send(result, states.message.send);
    Report { arrival, worker, key }
}

/// Tasks begin on a quarter of the processes. The one whose clock is earliest acts next, so nobody sees the future.
pub(super) fn work_stealing<W: Write>(
    options: &Options,
    states: States,
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let procs = options.procs;
    let rich = procs.div_ceil(4);
    let mut left = u64::from(options.rounds) * u64::from(procs);
    let mut queues = vec![0_u64; procs as usize];
    for process in 0..rich {
        let extra = u64::from(u64::from(process) < left % u64::from(rich));
        queues[process as usize] = left / u64::from(rich) + extra;
    }
    let mut next: BinaryHeap<_> = (0..procs).map(|p| Reverse((0_i64, p))).collect();
    while let Some(Reverse((now, process))) = next.pop() {
        if run.schedule.is_large() {
            run.write_before(now)?;
        }
        if left == 0 {
            break;
        }
        if queues[process as usize] > 0 {
            queues[process as usize] -= 1;
            left -= 1;
            let ticks = options.slowed(process, dice.jitter(options.compute_ticks, 60));
            run.spend(process, states.compute, ticks);
        } else {
            steal(options, (states, process), &mut queues, dice, run);
        }
        next.push(Reverse((run.clock(process), process)));
    }
    Ok(())
}

/// Asks a victim for half of its tasks. The victim's runtime answers beside its work, so its states do not change.
fn steal<W: Write>(
    options: &Options,
    (states, thief): (States, u32),
    queues: &mut [u64],
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) {
    let shift = 1 + dice.below(u64::from(options.procs) - 1) as u32;
    let victim = (thief + shift) % options.procs;
    let request = run.send(message(thief, victim, SMALL_BYTES), states.message.send);
    run.land(victim, request, request.arrival);
    let taken = queues[victim as usize].div_ceil(2);
    queues[victim as usize] -= taken;
    queues[thief as usize] += taken;
    let bytes = match taken {
        0 => SMALL_BYTES,
        _ => options.message_bytes,
    };
    let answer = message(victim, thief, bytes);
    let sent = run.launch(answer, request.arrival + dice.jitter(2_000, 50));
    run.receive(answer, sent, states.message);
}
