//! Programs that run on a clock for each process, so that their waits are known.

use onca_aggregate::waits::{
    Call, CallId, Collective, CollectiveKind, Message, Messages, Process, Program, WaitKind,
};
use onca_model::{Ticks, Window};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub const COMPUTE: u32 = 0;
pub const OTHER_WORK: u32 = 1;
pub const SEND: u32 = 2;
pub const RECEIVE: u32 = 3;
pub const COLLECTIVE: u32 = 4;

/// What a process is known to have waited for: kind, process, from, to, the one that it waited for.
pub type Planted = (WaitKind, u32, Ticks, Ticks, u32);

/// Runs a program step by step on a clock for each process, and notes who waits while it does.
pub struct Simulation {
    pub program: Program,
    pub clocks: Vec<Ticks>,
    planted: Vec<Planted>,
    /// What each message takes, whenever it is received.
    transfers: Vec<Ticks>,
    /// How many times as long process 0 computes.
    pub slowness: Ticks,
}

impl Simulation {
    pub fn new(n: usize) -> Self {
        let program = Program {
            run: Window { from: 0, to: 0 },
            processes: vec![Process::default(); n],
            messages: Messages::default(),
            collectives: Vec::new(),
            useful: vec![true, true, false, false, false, false],
        };
        Self {
            program,
            clocks: vec![0; n],
            planted: Vec::new(),
            transfers: Vec::new(),
            slowness: 1,
        }
    }

    pub fn compute(&mut self, process: usize, value: u32, ticks: Ticks) {
        let ticks = if process == 0 { self.slowness * ticks } else { ticks };
        self.program.processes[process].push_work(value, ticks);
        self.clocks[process] += ticks;
    }

    /// The process is in a call until some time.
    pub fn call(&mut self, process: usize, value: u32, leave: Ticks) -> CallId {
        let call = Call {
            enter: self.clocks[process],
            leave,
            value,
            awaits_messages: value == RECEIVE,
            awaits_receivers: value == SEND,
        };
        self.program.processes[process].push_call(call);
        self.clocks[process] = leave;
        let call = self.program.processes[process].n_calls() as u32 - 1;
        CallId { process: process as u32, call }
    }

    fn waits(&mut self, kind: WaitKind, process: usize, to: Ticks, other: usize) {
        if self.clocks[process] < to {
            self.planted.push((kind, process as u32, self.clocks[process], to, other as u32));
        }
    }

    /// A message that takes `transfer`. A sender of a large one does not return before it is asked for.
    pub fn message(&mut self, from: usize, to: usize, transfer: Ticks, is_large: bool) {
        let (sent, asked) = (self.clocks[from], self.clocks[to]);
        let start = if is_large { sent.max(asked) } else { sent };
        if is_large {
            self.waits(WaitKind::LateReceiver, from, asked, to);
        }
        self.waits(WaitKind::LateSender, to, sent, from);
        // A sender that leaves the moment it is asked has not waited for that.
        let transfer = if is_large && sent < asked { transfer.max(1) } else { transfer };
        let arrival = start + transfer;
        let send = self.call(from, SEND, if is_large { arrival } else { sent });
        let receive = self.call(to, RECEIVE, arrival.max(asked));
        self.transfers.push(transfer);
        self.program.messages.push(Message {
            send,
            receive,
            asked: Some(receive.call),
            completed: None,
            unblocks: false,
            travel: arrival.max(asked) - sent,
            size: None,
        });
    }

    pub fn collective(
        &mut self,
        kind: CollectiveKind,
        members: &[usize],
        root: usize,
        transfer: Ticks,
    ) {
        let enters: Vec<Ticks> = members.iter().map(|p| self.clocks[*p]).collect();
        let latest = |places: std::ops::Range<usize>| {
            // The first of those that come last.
            places.fold(0, |best, k| if enters[k] > enters[best] { k } else { best })
        };
        let n = members.len();
        let mut ids = Vec::new();
        for (place, &process) in members.iter().enumerate() {
            let (wait_kind, for_whom) = match kind {
                CollectiveKind::Barrier => (WaitKind::Barrier, latest(0..n)),
                CollectiveKind::AllToAll => (WaitKind::AllToAll, latest(0..n)),
                CollectiveKind::OneToAll => (WaitKind::LateBroadcast, root),
                CollectiveKind::AllToOne if place == root => (WaitKind::EarlyReduce, latest(0..n)),
                CollectiveKind::AllToOne => (WaitKind::EarlyReduce, place),
                CollectiveKind::Scan => (WaitKind::EarlyScan, latest(0..place + 1)),
            };
            self.waits(wait_kind, process, enters[for_whom], members[for_whom]);
            let leave = enters[for_whom].max(enters[place]) + transfer;
            ids.push(self.call(process, COLLECTIVE, leave));
        }
        self.program.collectives.push(Collective { kind, root: Some(root as u32), members: ids });
    }

    pub fn finish_with_transfers(mut self) -> (Program, Vec<Ticks>, Vec<Ticks>) {
        let transfers = std::mem::take(&mut self.transfers);
        let (program, _, ends) = self.finish();
        (program, transfers, ends)
    }

    pub fn finish(mut self) -> (Program, Vec<Planted>, Vec<Ticks>) {
        self.program.run.to = self.clocks.iter().copied().max().unwrap_or(0);
        self.planted.sort_by_key(|planted| (planted.1, planted.2, planted.3));
        (self.program, self.planted, self.clocks)
    }
}

/// A random program: everybody computes, and from time to time some of them meet.
pub fn random(seed: u64, is_free: bool) -> (Program, Vec<Planted>, Vec<Ticks>) {
    simulated(seed, is_free, true, 1).finish()
}

/// The same. Large messages make senders wait; process 0 computes `slowness` times as long.
pub fn simulated(seed: u64, is_free: bool, has_large: bool, slowness: Ticks) -> Simulation {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let n = dice.random_range(2..9);
    let mut run = Simulation::new(n);
    run.slowness = slowness;
    for _ in 0..dice.random_range(1..60) {
        for process in 0..n {
            if dice.random_range(0..3) > 0 {
                let value = if dice.random_range(0..4) == 0 { OTHER_WORK } else { COMPUTE };
                run.compute(process, value, dice.random_range(1..1000));
            }
        }
        let transfer = if is_free { 0 } else { dice.random_range(0..50) };
        let from = dice.random_range(0..n);
        if dice.random_range(0..3) > 0 {
            let to = (from + dice.random_range(1..n)) % n;
            run.message(from, to, transfer, dice.random_range(0..2) == 0 && has_large);
            continue;
        }
        let mut members: Vec<usize> = (0..n).filter(|_| dice.random_range(0..4) > 0).collect();
        if members.is_empty() {
            members.push(from);
        }
        let kind = [
            CollectiveKind::Barrier,
            CollectiveKind::AllToAll,
            CollectiveKind::OneToAll,
            CollectiveKind::AllToOne,
            CollectiveKind::Scan,
        ][dice.random_range(0..5)];
        let root = dice.random_range(0..members.len());
        run.collective(kind, &members, root, transfer);
    }
    run
}
