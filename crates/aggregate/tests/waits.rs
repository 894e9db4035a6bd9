//! Waits, critical paths, delays and logical clocks against programs whose waits are known because they were planted.

use crate::simulation;

use onca_aggregate::waits::{
    CallId, Change, ClockHistory, CollectiveKind, Found, Message, Program, Replay, Unchanged, Wait,
    WaitKind, Wiring, critical_path, delay_costs, find_waits, logical_clocks,
};
use onca_model::Ticks;

use simulation::{COLLECTIVE, COMPUTE, Planted, RECEIVE, SEND, Simulation, random, simulated};

fn find(program: &Program) -> Found {
    find_waits(program, &Wiring::new(program))
}

/// The only wait.
fn only(found: &Found) -> Wait {
    assert_eq!(found.waits.len(), 1, "{found:?}");
    found.waits.get(0)
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
        let wiring = Wiring::new(&program);
        let replayed = Replay::new(&program, &wiring, |at| transfers[at]).run(&Unchanged);
        assert_eq!(replayed.ends, ends, "seed {seed}");
    }
}

#[test]
fn a_replay_with_a_change_is_the_run_with_that_change() {
    let mut saved = 0;
    for seed in 0..500 {
        let (program, transfers, slow) = simulated(seed, false, false, 2).finish_with_transfers();
        let (_, _, ends) = simulated(seed, false, false, 1).finish_with_transfers();
        let wiring = Wiring::new(&program);
        let replayed = Replay::new(&program, &wiring, |at| transfers[at]).run(&Halved);
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
        let found = find(&program);
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
        let found = find(&program);
        let path = critical_path(&program, &found, &ends);
        let length: Ticks = path.iter().map(|segment| segment.to - segment.from).sum();
        assert_eq!(length, program.run.to - program.run.from, "seed {seed}");
        for pair in path.windows(2) {
            assert_eq!(pair[0].to, pair[1].from, "seed {seed}");
        }
        for segment in &path {
            let meets = |wait: &Wait| wait.from < segment.to && segment.from < wait.to;
            let waits = found.waits.of_process(segment.process);
            let inside = waits.map(|at| found.waits.get(at)).find(meets);
            assert_eq!(inside, None, "seed {seed}: the path waits in {segment:?}");
        }
    }
}

#[test]
fn without_transfer_times_the_ideal_run_is_the_real_one() {
    for seed in 0..500 {
        let (program, ..) = random(seed, true);
        let clocks = logical_clocks(&program, &Wiring::new(&program));
        assert_eq!(clocks.forced, 0, "seed {seed}");
        // A large message makes its sender wait for the receiver, which a network without delay does not.
        let is_plain = |message: Message| {
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
        let (clocks, history) = (
            logical_clocks(&program, &Wiring::new(&program)),
            ClockHistory::new(&program, &Wiring::new(&program)),
        );
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
        let found = find(&program);
        let delays = delay_costs(&program, &found);
        let costs: i128 = delays.charges.iter().map(|it| it.short_term + it.long_term).sum();
        assert_eq!(costs + delays.unexplained, found.waits.total(), "seed {seed}");
        explained += costs;
        all += found.waits.total();
    }
    assert!(explained * 10 > all * 8, "{explained} of {all} explained");
}

fn efficiencies(program: &Program) -> [f64; 3] {
    let clocks = logical_clocks(program, &Wiring::new(program));
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
    let found = find(&program);
    assert_eq!(found.waits.total(), 1000 + 2000 + 3000 + 4000);
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
    let delays = delay_costs(&program, &find(&program));
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
    let found = find(&program);
    assert_eq!(found.waits.total(), 800 + 800);
    let delays = delay_costs(&program, &found);
    let [charge] = delays.charges.as_slice() else { panic!("{delays:?}") };
    assert_eq!((charge.process, charge.value), (0, COMPUTE));
    assert_eq!((charge.short_term, charge.long_term), (800, 800));
}

/// A message of which nothing is told but its calls.
fn message(send: CallId, receive: CallId) -> Message {
    Message { send, receive, asked: None, completed: None, unblocks: false, travel: 0, size: None }
}

#[test]
fn a_late_receiver_is_late_by_when_it_asked() {
    let mut run = Simulation::new(2);
    run.compute(1, COMPUTE, 300);
    let post = run.call(1, COLLECTIVE, 310);
    run.compute(1, COMPUTE, 500);
    let send = run.call(0, SEND, 400);
    let receive = run.call(1, RECEIVE, 850);
    run.program.messages.push(Message { asked: Some(post.call), ..message(send, receive) });
    let (program, ..) = run.finish();
    let found = find(&program);
    let wait = only(&found);
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
    let found = find(&program);
    let wait = only(&found);
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
    let found = find(&program);
    let wait = only(&found);
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
    let found = find(&program);
    let wait = only(&found);
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
    assert_eq!(logical_clocks(&program, &Wiring::new(&program)).forced, 1);
    let found = find(&program);
    let path = critical_path(&program, &found, &ends);
    assert_eq!(path.iter().map(|segment| segment.to - segment.from).sum::<Ticks>(), 20);
    let delays = delay_costs(&program, &found);
    let costs: i128 = delays.charges.iter().map(|it| it.short_term + it.long_term).sum();
    assert_eq!(costs + delays.unexplained, found.waits.total());
}
