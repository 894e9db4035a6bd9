//! Waits, critical paths, delays and logical clocks against programs whose waits are known because they were planted.

use onca_aggregate::waits::{
    Call, CallId, Change, ClockHistory, Collective, CollectiveKind, MaybeCall, Message, Process,
    Program, Replay, Unchanged, WaitKind, critical_path, delay_costs, find_waits, logical_clocks,
};
use onca_model::{Ticks, Window};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const COMPUTE: u32 = 0;
const OTHER_WORK: u32 = 1;
const SEND: u32 = 2;
const RECEIVE: u32 = 3;
const COLLECTIVE: u32 = 4;

/// What a process is known to have waited for: kind, process, from, to, the one that it waited for.
type Planted = (WaitKind, u32, Ticks, Ticks, u32);

/// Runs a program step by step on a clock for each process, and notes who waits while it does.
struct Simulation {
    program: Program,
    clocks: Vec<Ticks>,
    planted: Vec<Planted>,
    /// What each message takes, whenever it is received.
    transfers: Vec<Ticks>,
    /// How many times as long process 0 computes.
    slowness: Ticks,
}

impl Simulation {
    fn new(n: usize) -> Self {
        let program = Program {
            run: Window { from: 0, to: 0 },
            processes: vec![Process::default(); n],
            messages: Vec::new(),
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

    fn compute(&mut self, process: usize, value: u32, ticks: Ticks) {
        let ticks = if process == 0 { self.slowness * ticks } else { ticks };
        self.program.processes[process].push_work(value, ticks);
        self.clocks[process] += ticks;
    }

    /// The process is in a call until some time.
    fn call(&mut self, process: usize, value: u32, leave: Ticks) -> CallId {
        let call = Call {
            enter: self.clocks[process],
            leave,
            value,
            awaits_messages: value == RECEIVE,
            awaits_receivers: value == SEND,
        };
        self.program.processes[process].push_call(call);
        self.clocks[process] = leave;
        let call = self.program.processes[process].calls.len() as u32 - 1;
        CallId { process: process as u32, call }
    }

    fn waits(&mut self, kind: WaitKind, process: usize, to: Ticks, other: usize) {
        if self.clocks[process] < to {
            self.planted.push((kind, process as u32, self.clocks[process], to, other as u32));
        }
    }

    /// A message that takes `transfer`. A sender of a large one does not return before it is asked for.
    fn message(&mut self, from: usize, to: usize, transfer: Ticks, is_large: bool) {
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
            asked: receive.call.into(),
            completed: MaybeCall::NONE,
            unblocks: false,
            travel: arrival.max(asked) - sent,
            size: None,
        });
    }

    fn collective(
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

    fn finish_with_transfers(mut self) -> (Program, Vec<Ticks>, Vec<Ticks>) {
        let transfers = std::mem::take(&mut self.transfers);
        let (program, _, ends) = self.finish();
        (program, transfers, ends)
    }

    fn finish(mut self) -> (Program, Vec<Planted>, Vec<Ticks>) {
        self.program.run.to = self.clocks.iter().copied().max().unwrap_or(0);
        self.planted.sort_by_key(|planted| (planted.1, planted.2, planted.3));
        (self.program, self.planted, self.clocks)
    }
}

/// A random program: everybody computes, and from time to time some of them meet.
fn random(seed: u64, is_free: bool) -> (Program, Vec<Planted>, Vec<Ticks>) {
    simulated(seed, is_free, true, 1).finish()
}

/// The same. Large messages make senders wait; process 0 computes `slowness` times as long.
fn simulated(seed: u64, is_free: bool, has_large: bool, slowness: Ticks) -> Simulation {
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

/// Process 0 computes in half the time.
struct Halved;

impl Change for Halved {
    fn work(&self, process: u32, _call: u32, ticks: Ticks) -> Ticks {
        if process == 0 { ticks / 2 } else { ticks }
    }
}

#[test]
fn a_replay_without_changes_is_the_run() {
    for seed in 0..500 {
        let (program, transfers, ends) = simulated(seed, false, true, 1).finish_with_transfers();
        let replayed = Replay::new(&program, &transfers).run(&Unchanged);
        assert_eq!(replayed.ends, ends, "seed {seed}");
    }
}

#[test]
fn a_replay_with_a_change_is_the_run_with_that_change() {
    let mut saved = 0;
    for seed in 0..500 {
        let (program, transfers, slow) = simulated(seed, false, false, 2).finish_with_transfers();
        let (_, _, ends) = simulated(seed, false, false, 1).finish_with_transfers();
        let replayed = Replay::new(&program, &transfers).run(&Halved);
        assert_eq!(replayed.ends, ends, "seed {seed}");
        saved += usize::from(slow.iter().max() > ends.iter().max());
    }
    assert!(saved > 250, "the change shortens only {saved} runs");
}

#[test]
fn planted_waits_are_found_to_the_tick() {
    let mut n_waits = 0;
    for seed in 0..500 {
        let (program, planted, _) = random(seed, seed % 2 == 0);
        let found = find_waits(&program);
        let waits: Vec<Planted> = found
            .waits
            .iter()
            .map(|wait| (wait.kind, wait.call.process, wait.from, wait.to, wait.cause.process))
            .collect();
        assert_eq!(waits, planted, "seed {seed}");
        n_waits += waits.len();
    }
    assert!(n_waits > 5_000, "{n_waits} waits are too few to tell");
}

#[test]
fn a_critical_path_is_as_long_as_the_run_and_goes_where_nobody_waits() {
    for seed in 0..500 {
        let (program, _, ends) = random(seed, seed % 2 == 0);
        let found = find_waits(&program);
        let path = critical_path(&program, &found, &ends);
        let length: Ticks = path.iter().map(|segment| segment.to - segment.from).sum();
        assert_eq!(length, program.run.to - program.run.from, "seed {seed}");
        for pair in path.windows(2) {
            assert_eq!(pair[0].to, pair[1].from, "seed {seed}");
        }
        for segment in &path {
            let meets = |wait: &&onca_aggregate::waits::Wait| {
                wait.from < segment.to && segment.from < wait.to
            };
            let inside = found.of_process(segment.process).iter().find(meets);
            assert_eq!(inside, None, "seed {seed}: the path waits in {segment:?}");
        }
    }
}

#[test]
fn without_transfer_times_the_ideal_run_is_the_real_one() {
    for seed in 0..500 {
        let (program, ..) = random(seed, true);
        let clocks = logical_clocks(&program);
        assert_eq!(clocks.forced, 0, "seed {seed}");
        // A large message makes its sender wait for the receiver, which a network without delay does not.
        let is_plain = |message: &Message| {
            let asked = program.call(message.asked().expect("known")).enter;
            program.call(message.send).enter >= asked
        };
        if program.messages.iter().all(is_plain) {
            assert_eq!(clocks.ideal(), program.run.to, "seed {seed}");
        }
        assert!(clocks.ideal() <= program.run.to, "seed {seed}");
    }
}

#[test]
fn clocks_never_go_back_and_end_where_they_end() {
    for seed in 0..200 {
        let (program, ..) = random(seed, seed % 2 == 0);
        let (clocks, history) = (logical_clocks(&program), ClockHistory::new(&program));
        let all: Vec<u32> = (0..program.n_processes() as u32).collect();
        assert_eq!(history.ideal(&all, program.run), clocks.ideal(), "seed {seed}");
        let length = program.run.to - program.run.from;
        for &process in &all {
            let at = |k: Ticks| history.at(process, program.run.from + length * k / 64);
            assert_eq!(at(64), clocks.ends[process as usize], "seed {seed}");
            assert!((0..64).all(|k| at(k) <= at(k + 1)), "seed {seed}, process {process}");
        }
    }
}

#[test]
fn costs_of_delays_add_up_to_the_waiting() {
    let mut explained = 0;
    let mut all = 0;
    for seed in 0..500 {
        let (program, _, _) = random(seed, seed % 2 == 0);
        let found = find_waits(&program);
        let delays = delay_costs(&program, &found);
        let costs: i128 = delays.charges.iter().map(|it| it.short_term + it.long_term).sum();
        assert_eq!(costs + delays.unexplained, found.total(), "seed {seed}");
        explained += costs;
        all += found.total();
    }
    assert!(explained * 10 > all * 8, "{explained} of {all} explained");
}

fn efficiencies(program: &Program) -> [f64; 3] {
    let clocks = logical_clocks(program);
    let n = program.n_processes() as f64;
    let mean = clocks.useful.iter().sum::<Ticks>() as f64 / n;
    let run = (program.run.to - program.run.from) as f64;
    let (busiest, ideal) = (clocks.busiest() as f64, clocks.ideal() as f64);
    // Load balance, serialisation, transfer.
    [mean / busiest, busiest / ideal, ideal / run]
}

#[test]
fn a_chain_is_serial() {
    let n = 5;
    let mut run = Simulation::new(n);
    for process in 0..n {
        if process > 0 {
            run.message(process - 1, process, 0, false);
        }
        run.compute(process, COMPUTE, 1000);
    }
    let (program, _, ends) = run.finish();
    assert_eq!(efficiencies(&program), [1.0, 1.0 / n as f64, 1.0]);
    // All ranks but the first wait for the first; its work is charged for what they wait because of it.
    let found = find_waits(&program);
    assert_eq!(found.total(), 1000 + 2000 + 3000 + 4000);
    let path = critical_path(&program, &found, &ends);
    assert_eq!(path.iter().map(|segment| segment.process).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}

#[test]
fn work_that_grows_with_the_rank_is_imbalance_alone() {
    let n = 6;
    let mut run = Simulation::new(n);
    for process in 0..n {
        run.compute(process, COMPUTE, 1000 * (1 + 2 * process as Ticks));
    }
    run.collective(CollectiveKind::Barrier, &(0..n).collect::<Vec<_>>(), 0, 0);
    let (program, ..) = run.finish();
    let balance = n as f64 / (2 * n - 1) as f64;
    assert_eq!(efficiencies(&program), [balance, 1.0, 1.0]);
    // Everything is charged to the computing of the last rank.
    let delays = delay_costs(&program, &find_waits(&program));
    let [charge] = delays.charges.as_slice() else { panic!("{delays:?}") };
    assert_eq!((charge.process, charge.value), (n as u32 - 1, COMPUTE));
    assert_eq!((charge.short_term, charge.long_term), (2000 * 15, 0));
    assert_eq!(delays.unexplained, 0);
}

#[test]
fn work_before_a_broadcast_at_the_root_halves_serialisation() {
    let n = 4;
    let mut run = Simulation::new(n);
    run.compute(0, COMPUTE, 1000);
    run.collective(CollectiveKind::OneToAll, &(0..n).collect::<Vec<_>>(), 0, 0);
    (1..n).for_each(|process| run.compute(process, COMPUTE, 1000));
    let (program, ..) = run.finish();
    assert_eq!(efficiencies(&program), [1.0, 0.5, 1.0]);
}

#[test]
fn what_is_handed_on_is_charged_to_the_first_cause() {
    // Rank 0 is late for rank 1, which is therefore late for rank 2.
    let mut run = Simulation::new(3);
    run.collective(CollectiveKind::Barrier, &[0, 1, 2], 0, 0);
    run.compute(0, COMPUTE, 900);
    (1..3).for_each(|process| run.compute(process, COMPUTE, 100));
    run.message(0, 1, 0, false);
    run.message(1, 2, 0, false);
    let (program, ..) = run.finish();
    let found = find_waits(&program);
    assert_eq!(found.total(), 800 + 800);
    let delays = delay_costs(&program, &found);
    let [charge] = delays.charges.as_slice() else { panic!("{delays:?}") };
    assert_eq!((charge.process, charge.value), (0, COMPUTE));
    assert_eq!((charge.short_term, charge.long_term), (800, 800));
}

/// A message of which nothing is told but its calls.
fn message(send: CallId, receive: CallId) -> Message {
    let (asked, completed) = (MaybeCall::NONE, MaybeCall::NONE);
    Message { send, receive, asked, completed, unblocks: false, travel: 0, size: None }
}

#[test]
fn a_late_receiver_is_late_by_when_it_asked() {
    let mut run = Simulation::new(2);
    run.compute(1, COMPUTE, 300);
    let post = run.call(1, COLLECTIVE, 310);
    run.compute(1, COMPUTE, 500);
    let send = run.call(0, SEND, 400);
    let receive = run.call(1, RECEIVE, 850);
    run.program.messages.push(Message { asked: post.call.into(), ..message(send, receive) });
    let (program, ..) = run.finish();
    let found = find_waits(&program);
    let [wait] = found.waits.as_slice() else { panic!("{found:?}") };
    assert_eq!((wait.kind, wait.from, wait.to), (WaitKind::LateReceiver, 0, 300));
    // What the receiver did after it had asked is not to blame.
    let delays = delay_costs(&program, &found);
    let [charge] = delays.charges.as_slice() else { panic!("{delays:?}") };
    assert_eq!((charge.process, charge.value, charge.short_term), (1, COMPUTE, 300));
}

#[test]
fn who_is_set_free_was_blocked() {
    let mut run = Simulation::new(2);
    run.compute(0, COMPUTE, 600);
    let set_free = run.call(0, COLLECTIVE, 600);
    run.compute(0, COMPUTE, 100);
    let blocked = run.call(1, RECEIVE, 620);
    run.program.messages.push(Message { unblocks: true, ..message(set_free, blocked) });
    let (program, _, ends) = run.finish();
    let found = find_waits(&program);
    let [wait] = found.waits.as_slice() else { panic!("{found:?}") };
    assert_eq!((wait.kind, wait.from, wait.to), (WaitKind::Blocked, 0, 600));
    assert_eq!(found.late_sender_completion.count, 0);
    let delays = delay_costs(&program, &found);
    let [charge] = delays.charges.as_slice() else { panic!("{delays:?}") };
    assert_eq!((charge.process, charge.value, charge.short_term), (0, COMPUTE, 600));
    let path = critical_path(&program, &found, &ends);
    assert_eq!(path.iter().map(|it| it.process).collect::<Vec<_>>(), [0]);
}

#[test]
fn several_messages_in_one_call_count_once() {
    let mut run = Simulation::new(3);
    run.compute(0, COMPUTE, 500);
    run.compute(1, COMPUTE, 800);
    let sends = [0, 1].map(|process| run.call(process, SEND, run.clocks[process]));
    let receive = run.call(2, RECEIVE, 1000);
    for send in sends {
        run.program.messages.push(message(send, receive));
    }
    let (program, ..) = run.finish();
    let found = find_waits(&program);
    let [wait] = found.waits.as_slice() else { panic!("{found:?}") };
    assert_eq!((wait.from, wait.to, wait.cause.process), (0, 800, 1));
    assert!(!wait.wrong_order);
}

#[test]
fn a_message_that_was_there_before_makes_it_the_wrong_order() {
    let mut run = Simulation::new(3);
    // Rank 1 has sent at once, rank 0 late; rank 2 takes that of rank 0 first.
    let early = run.call(1, SEND, 0);
    run.compute(0, COMPUTE, 700);
    let late = run.call(0, SEND, 700);
    for (send, leave) in [(late, 700), (early, 710)] {
        let receive = run.call(2, RECEIVE, leave);
        run.program.messages.push(message(send, receive));
    }
    let (program, ..) = run.finish();
    let found = find_waits(&program);
    let [wait] = found.waits.as_slice() else { panic!("{found:?}") };
    assert_eq!((wait.ticks(), wait.wrong_order), (700, true));
}

#[test]
fn calls_that_wait_for_each_other_do_not_hang() {
    // Two receives that each come before the sending that the other needs: no real program does this.
    let mut run = Simulation::new(2);
    let receives = [0, 1].map(|process| run.call(process, RECEIVE, 10));
    let sends = [0, 1].map(|process| run.call(process, SEND, 20));
    run.program.messages.push(message(sends[1], receives[0]));
    run.program.messages.push(message(sends[0], receives[1]));
    let (program, _, ends) = run.finish();
    assert_eq!(logical_clocks(&program).forced, 1);
    let found = find_waits(&program);
    let path = critical_path(&program, &found, &ends);
    assert_eq!(path.iter().map(|segment| segment.to - segment.from).sum::<Ticks>(), 20);
    let delays = delay_costs(&program, &found);
    let costs: i128 = delays.charges.iter().map(|it| it.short_term + it.long_term).sum();
    assert_eq!(costs + delays.unexplained, found.total());
}
