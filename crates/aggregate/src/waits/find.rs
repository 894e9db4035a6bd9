//! How long which call waited for which process.

use onca_model::Ticks;
use rayon::prelude::*;

use super::gate::Gate;
use super::{Call, Collective, CollectiveKind, Message, Program, Wait, WaitKind, Waits, Wiring};

/// Time at the end of operations, after what was waited for had come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Completion {
    /// How many calls spent time with it.
    pub count: u64,
    /// How much.
    pub ticks: i128,
}

impl Completion {
    fn add(&mut self, ticks: Ticks) {
        if ticks > 0 {
            self.count += 1;
            self.ticks += i128::from(ticks);
        }
    }

    fn join(&mut self, other: Self) {
        self.count += other.count;
        self.ticks += other.ticks;
    }
}

/// What [`find_waits`] finds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The waits, by call. A call waits once: where it waits for several, the longest counts.
    pub waits: Waits,
    /// Receivers, after the senders had left their calls.
    pub late_sender_completion: Completion,
    /// Members of barriers, after the first had left.
    pub barrier_completion: Completion,
    /// Members of operations among all, after the first had left.
    pub all_to_all_completion: Completion,
}

/// Finds all waits of a program.
pub fn find_waits(program: &Program, wiring: &Wiring) -> Found {
    let gates: Vec<Gate> =
        program.collectives.par_iter().map(|collective| Gate::of(program, collective)).collect();
    let finding = Finding { program, wiring, gates: &gates };
    let processes = 0..program.n_processes() as u32;
    let parts: Vec<Part> = processes.into_par_iter().map(|it| finding.of_process(it)).collect();
    let mut found = Found::default();
    for part in parts {
        part.waits.iter().for_each(|wait| found.waits.push(wait));
        found.late_sender_completion.join(part.late_sender);
        found.barrier_completion.join(part.barrier);
        found.all_to_all_completion.join(part.all_to_all);
    }
    found.waits.end(program.n_processes());
    found
}

/// The waits of one process.
#[derive(Default)]
struct Part {
    waits: Waits,
    late_sender: Completion,
    barrier: Completion,
    all_to_all: Completion,
}

/// Looks for the waits of processes, one at a time.
#[derive(Clone, Copy)]
struct Finding<'a> {
    program: &'a Program,
    wiring: &'a Wiring,
    gates: &'a [Gate],
}

impl Finding<'_> {
    fn of_process(self, process: u32) -> Part {
        let mut part = Part::default();
        let mut waits: Vec<Wait> = Vec::new();
        let received = self.wiring.received(process);
        let wrong = wrong_orders(self.program, received);
        for (at, wrong_order) in received.iter().zip(wrong) {
            let message = self.program.messages.get(*at as usize);
            waits.extend(self.late_sender(&message, wrong_order, &mut part.late_sender));
        }
        for &at in self.wiring.sent.get(process) {
            waits.extend(self.late_receivers(&self.program.messages.get(at as usize)));
        }
        for &(at, place) in self.wiring.operations.get(process) {
            waits.extend(self.in_operation(at as usize, place as usize, &mut part));
        }
        // The longest wait of each call stands first among its waits.
        waits.sort_unstable_by_key(|wait| {
            (wait.call, std::cmp::Reverse(wait.to), wait.kind, wait.cause, wait.wrong_order)
        });
        waits.dedup_by_key(|wait| wait.call);
        waits.into_iter().for_each(|wait| part.waits.push(wait));
        part
    }

    fn late_sender(
        self,
        message: &Message,
        wrong_order: bool,
        completion: &mut Completion,
    ) -> Option<Wait> {
        let receive = self.program.call(message.receive);
        if !receive.awaits_messages {
            return None;
        }
        let wait = some(Wait {
            kind: if message.unblocks { WaitKind::Blocked } else { WaitKind::LateSender },
            call: message.receive,
            from: receive.enter,
            to: self.program.enter(message.send).min(receive.leave),
            cause: message.send,
            wrong_order: wrong_order && !message.unblocks,
        })?;
        if !message.unblocks {
            let sent = self.program.leave(message.send);
            completion.add(receive.leave.saturating_sub(sent));
        }
        Some(wait)
    }

    /// The call that sends may wait, and the one that waits until the message was taken.
    fn late_receivers(self, message: &Message) -> impl Iterator<Item = Wait> {
        let sends = || {
            let waits = self.program.call(message.send).awaits_receivers;
            waits.then_some(message.send)
        };
        let cause = message.asked();
        let calls = cause.map(|_| [sends(), message.completed()]).into_iter().flatten().flatten();
        calls.filter_map(move |id| {
            let (call, cause) = (self.program.call(id), cause?);
            let asked = self.program.enter(cause);
            let (kind, from) = (WaitKind::LateReceiver, call.enter);
            let wait = Wait { kind, call: id, from, to: asked, cause, wrong_order: false };
            if call.leave > asked { some(wait) } else { None }
        })
    }

    /// What a member of an operation waits for.
    fn in_operation(self, at: usize, place: usize, part: &mut Part) -> Option<Wait> {
        let (collective, gate) = (&self.program.collectives[at], &self.gates[at]);
        let call = self.program.call(collective.members[place]);
        let kind = match collective.kind {
            CollectiveKind::Barrier => {
                part.barrier.add(self.completes(collective, gate, &call));
                WaitKind::Barrier
            }
            CollectiveKind::AllToAll => {
                part.all_to_all.add(self.completes(collective, gate, &call));
                WaitKind::AllToAll
            }
            CollectiveKind::OneToAll => WaitKind::LateBroadcast,
            CollectiveKind::AllToOne => WaitKind::EarlyReduce,
            CollectiveKind::Scan => WaitKind::EarlyScan,
        };
        let cause = collective.members[gate.waited_for(collective, place)?];
        some(Wait {
            kind,
            call: collective.members[place],
            from: call.enter,
            to: self.program.enter(cause).min(call.leave),
            cause,
            wrong_order: false,
        })
    }

    /// The time that a member spends in an operation after all had come and the first had left.
    fn completes(self, collective: &Collective, gate: &Gate, call: &Call) -> Ticks {
        let last_enter = self.program.enter(collective.members[gate.last]);
        call.leave.saturating_sub(gate.first_leave.max(last_enter.min(call.leave)))
    }
}

fn some(wait: Wait) -> Option<Wait> {
    (wait.from < wait.to).then_some(wait)
}

/// For each message that a process received: was one that had been sent earlier received later?
fn wrong_orders(program: &Program, received: &[u32]) -> Vec<bool> {
    // From the last to the first: the earliest sending among those received later.
    let mut earliest = Ticks::MAX;
    let mut wrong = vec![false; received.len()];
    let receive = |at: &u32| program.messages.receive(*at as usize);
    let mut places = received.len();
    // Messages of one call are received together.
    for of_call in received.chunk_by(|a, b| receive(a) == receive(b)).rev() {
        let sent = |at: &u32| program.enter(program.messages.send(*at as usize));
        places -= of_call.len();
        for (place, at) in (places..).zip(of_call) {
            wrong[place] = earliest < sent(at);
        }
        earliest = of_call.iter().map(sent).min().unwrap_or(earliest).min(earliest);
    }
    wrong
}
