//! How long which call waited for which process.

use std::collections::HashMap;

use onca_model::Ticks;

use super::{CallId, CollectiveKind, Message, Program};

/// What a call waited for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WaitKind {
    /// A receiver waited for a message that was sent late.
    LateSender,
    /// A sender waited until its message was asked for.
    LateReceiver,
    /// Who was blocked waited until somebody set it free.
    Blocked,
    /// A member of a barrier waited for the last one.
    Barrier,
    /// A member of an operation among all waited for the last one.
    AllToAll,
    /// A member waited for the root, which came late.
    LateBroadcast,
    /// The root came early and waited for the others.
    EarlyReduce,
    /// A member of a scan waited for those before it.
    EarlyScan,
}

impl WaitKind {
    /// All kinds, in the order in which they are listed to people.
    pub const ALL: [Self; 8] = [
        Self::LateSender,
        Self::LateReceiver,
        Self::Blocked,
        Self::Barrier,
        Self::AllToAll,
        Self::LateBroadcast,
        Self::EarlyReduce,
        Self::EarlyScan,
    ];

    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::LateSender => "late-sender",
            Self::LateReceiver => "late-receiver",
            Self::Blocked => "blocked",
            Self::Barrier => "wait-at-barrier",
            Self::AllToAll => "wait-at-nxn",
            Self::LateBroadcast => "late-broadcast",
            Self::EarlyReduce => "early-reduce",
            Self::EarlyScan => "early-scan",
        }
    }
}

/// A call waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// What for.
    pub kind: WaitKind,
    /// The call.
    pub call: CallId,
    /// Since when: the beginning of the call.
    pub from: Ticks,
    /// Until when.
    pub to: Ticks,
    /// The call that was waited for.
    pub cause: CallId,
    /// A message that had been sent earlier was received later: in another order there would have been less to wait for.
    pub wrong_order: bool,
}

impl Wait {
    /// How long.
    pub fn ticks(&self) -> Ticks {
        self.to - self.from
    }
}

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
}

/// What [`find_waits`] finds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The waits, by call. A call waits once: where it waits for several, the longest counts.
    pub waits: Vec<Wait>,
    /// Receivers, after the senders had left their calls.
    pub late_sender_completion: Completion,
    /// Members of barriers, after the first had left.
    pub barrier_completion: Completion,
    /// Members of operations among all, after the first had left.
    pub all_to_all_completion: Completion,
}

impl Found {
    /// The waits of a process, in order of time.
    pub fn of_process(&self, process: u32) -> &[Wait] {
        let from = self.waits.partition_point(|wait| wait.call.process < process);
        let to = self.waits.partition_point(|wait| wait.call.process <= process);
        &self.waits[from..to]
    }

    /// The waiting of all.
    pub fn total(&self) -> i128 {
        self.waits.iter().map(|wait| i128::from(wait.ticks())).sum()
    }
}

/// Finds all waits of a program.
pub fn find_waits(program: &Program) -> Found {
    let mut found = Found::default();
    let wrong = wrong_orders(program);
    for (message, wrong_order) in program.messages.iter().zip(wrong) {
        late_sender(program, message, wrong_order, &mut found);
        late_receiver(program, message, &mut found.waits);
    }
    for at in 0..program.collectives.len() {
        collective(program, at, &mut found);
    }
    // The longest wait of each call stands first among its waits.
    found.waits.sort_by_key(|wait| (wait.call, std::cmp::Reverse(wait.to), wait.kind, wait.cause));
    found.waits.dedup_by_key(|wait| wait.call);
    found
}

fn push(waits: &mut Vec<Wait>, wait: Wait) {
    if wait.from < wait.to {
        waits.push(wait);
    }
}

fn late_sender(program: &Program, message: &Message, wrong_order: bool, found: &mut Found) {
    let (send, receive) = (program.call(message.send), program.call(message.receive));
    if !receive.awaits_messages {
        return;
    }
    let to = send.enter.min(receive.leave);
    let wait = Wait {
        kind: if message.unblocks { WaitKind::Blocked } else { WaitKind::LateSender },
        call: message.receive,
        from: receive.enter,
        to,
        cause: message.send,
        wrong_order: wrong_order && !message.unblocks,
    };
    if wait.from < wait.to && !message.unblocks {
        found.late_sender_completion.add(receive.leave.saturating_sub(send.leave));
    }
    push(&mut found.waits, wait);
}

fn late_receiver(program: &Program, message: &Message, waits: &mut Vec<Wait>) {
    let Some(cause) = message.asked() else { return };
    let asked = program.call(cause).enter;
    let mut wait = |id: CallId| {
        let call = program.call(id);
        if call.leave > asked {
            let (kind, from) = (WaitKind::LateReceiver, call.enter);
            push(waits, Wait { kind, call: id, from, to: asked, cause, wrong_order: false });
        }
    };
    if program.call(message.send).awaits_receivers {
        wait(message.send);
    }
    if let Some(completed) = message.completed() {
        wait(completed);
    }
}

fn collective(program: &Program, at: usize, found: &mut Found) {
    let collective = &program.collectives[at];
    let members = &collective.members;
    let call = |place: usize| program.call(members[place]);
    let Some(last) = (0..members.len()).max_by_key(|&k| (call(k).enter, std::cmp::Reverse(k)))
    else {
        return;
    };
    let mut wait_for = |kind, place: usize, other: usize| {
        let (waits, waited_for) = (call(place), call(other));
        let wait = Wait {
            kind,
            call: members[place],
            from: waits.enter,
            to: waited_for.enter.min(waits.leave),
            cause: members[other],
            wrong_order: false,
        };
        push(&mut found.waits, wait);
    };
    let root = collective.root.map(|root| root as usize).filter(|root| *root < members.len());
    match (collective.kind, root) {
        (CollectiveKind::Barrier, _) => {
            (0..members.len()).for_each(|k| wait_for(WaitKind::Barrier, k, last));
            complete(program, at, last, &mut found.barrier_completion);
        }
        (CollectiveKind::AllToAll, _) => {
            (0..members.len()).for_each(|k| wait_for(WaitKind::AllToAll, k, last));
            complete(program, at, last, &mut found.all_to_all_completion);
        }
        (CollectiveKind::OneToAll, Some(root)) => {
            (0..members.len()).for_each(|k| wait_for(WaitKind::LateBroadcast, k, root));
        }
        (CollectiveKind::AllToOne, Some(root)) => wait_for(WaitKind::EarlyReduce, root, last),
        // Nobody knows who waits for whom.
        (CollectiveKind::OneToAll | CollectiveKind::AllToOne, None) => {}
        (CollectiveKind::Scan, _) => {
            let mut latest = 0;
            for k in 1..members.len() {
                if call(k).enter > call(latest).enter {
                    latest = k;
                }
                wait_for(WaitKind::EarlyScan, k, latest);
            }
        }
    }
}

/// The time that members spend in an operation after all had come and the first had left.
fn complete(program: &Program, at: usize, last: usize, completion: &mut Completion) {
    let members = &program.collectives[at].members;
    let last_enter = program.call(members[last]).enter;
    let first_leave = members.iter().map(|id| program.call(*id).leave).min().unwrap_or(0);
    for id in members {
        let leave = program.call(*id).leave;
        completion.add(leave.saturating_sub(first_leave.max(last_enter.min(leave))));
    }
}

/// For each message: was one to the same process that had been sent earlier received later?
fn wrong_orders(program: &Program) -> Vec<bool> {
    // From the last to the first: the earliest sending among those received later.
    let mut earliest: HashMap<u32, (Ticks, u32, Ticks)> = HashMap::new();
    let mut wrong = vec![false; program.messages.len()];
    for (at, message) in program.messages.iter().enumerate().rev() {
        let (sent, call) = (program.call(message.send).enter, message.receive.call);
        // Messages of one call are received together.
        let (before, of_call, of_this) =
            earliest.entry(message.receive.process).or_insert((Ticks::MAX, call, Ticks::MAX));
        if *of_call != call {
            *before = (*before).min(*of_this);
            (*of_call, *of_this) = (call, Ticks::MAX);
        }
        wrong[at] = *before < sent;
        *of_this = (*of_this).min(sent);
    }
    wrong
}
