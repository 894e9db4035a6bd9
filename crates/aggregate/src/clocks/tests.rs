//! Clocks that are known, and what messages say of them.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A message: sender, receiver, and the real times.
type Real = (u32, u32, f64, f64);

/// A clock that shows `offset + rate * time`.
#[derive(Clone, Copy)]
struct Shown {
    offset: f64,
    rate: f64,
}

impl Shown {
    fn at(self, time: f64) -> Ticks {
        (self.offset + self.rate * time).round() as Ticks
    }
}

/// Messages of some processes, each way between neighbours on a ring and some others, that take
/// from 1 to 20 microseconds, over a second.
fn traffic(rng: &mut ChaCha8Rng, n: u32) -> Vec<Real> {
    let mut messages = Vec::new();
    for _ in 0..400 * n {
        let from = rng.random_range(0..n);
        let step = if rng.random_range(0..4) == 0 { rng.random_range(1..n) } else { 1 };
        let to =
            if rng.random_range(0..2) == 0 { (from + step) % n } else { (from + n - step) % n };
        let sent = rng.random_range(0.0..1e9);
        messages.push((from, to, sent, sent + rng.random_range(1e3..20e3)));
    }
    messages
}

fn collect(messages: &[Real], clocks: &[Shown]) -> Messages {
    let mut collected = Messages::default();
    for &(from, to, sent, received) in messages {
        let (sender, receiver) = (clocks[from as usize], clocks[to as usize]);
        collected.push(from, to, sender.at(sent), receiver.at(received));
    }
    collected
}

/// Corrected times that are farther from the clock of the first process than is said, and messages
/// that still go backwards.
fn check(estimate: &Estimate, messages: &[Real], clocks: &[Shown]) {
    for &(from, to, sent, received) in messages {
        let left = estimate.corrected(from, clocks[from as usize].at(sent));
        let arrives = estimate.corrected(to, clocks[to as usize].at(received));
        assert!(arrives >= left, "{from} {to}");
        for (process, time, found) in [(from, sent, left), (to, received, arrives)] {
            let clock = estimate.clocks[process as usize];
            let first = estimate.corrected(0, clocks[0].at(time));
            let uncertainty = clock.uncertainty.expect("messages go both ways");
            // Clocks are rounded to ticks.
            assert!(
                (found - first).abs() <= uncertainty + 2,
                "{process} {found} {first} {clock:?}"
            );
        }
    }
}

#[test]
fn clocks_that_agree_are_left_alone() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let messages = traffic(&mut rng, 6);
    let clocks = [Shown { offset: 5e9, rate: 1.0 }; 6];
    let collected = collect(&messages, &clocks);
    assert_eq!((collected.backward(), collected.count()), (0, 2400));
    let estimate = collected.estimate();
    assert_eq!(estimate.model, Model::Agree);
    assert_eq!(estimate.clocks, [Clock::default(); 6]);
    assert_eq!(estimate.corrected(3, 77), 77);
    // A little disagreement that no message shows is none.
    let clocks: Vec<_> =
        (0..6).map(|p| Shown { offset: f64::from(p) * 100.0, rate: 1.0 }).collect();
    assert_eq!(collect(&messages, &clocks).estimate().model, Model::Agree);
}

#[test]
fn offsets_are_found_within_what_is_said() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n = rng.random_range(2..9);
        let messages = traffic(&mut rng, n);
        let mut clock = || Shown { offset: rng.random_range(-1e9..1e9), rate: 1.0 };
        let clocks: Vec<Shown> = (0..n).map(|_| clock()).collect();
        let estimate = collect(&messages, &clocks).estimate();
        assert_eq!((estimate.model, estimate.missed), (Model::Offsets, 0), "{seed}");
        assert_eq!(estimate.references, vec![0; n as usize]);
        check(&estimate, &messages, &clocks);
        let worst = estimate.clocks.iter().filter_map(|clock| clock.uncertainty).max();
        // Messages take a microsecond at least, and there are hops of them.
        assert!(worst.is_some_and(|worst| worst < 4000 * i64::from(n)), "{seed} {worst:?}");
    }
}

#[test]
fn drifts_are_found_within_what_is_said() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n = rng.random_range(2..7);
        let messages = traffic(&mut rng, n);
        let mut clock = |process: u32| Shown {
            offset: rng.random_range(-1e6..1e6),
            // Up to 200 millionths, and never the same.
            rate: 1.0 + (f64::from(process) - 3.0) * 6e-5 + rng.random_range(0.0..1e-5),
        };
        let clocks: Vec<Shown> = (0..n).map(&mut clock).collect();
        let estimate = collect(&messages, &clocks).estimate();
        assert_eq!((estimate.model, estimate.missed), (Model::OffsetsAndDrifts, 0), "{seed}");
        check(&estimate, &messages, &clocks);
        for (process, clock) in estimate.clocks.iter().enumerate() {
            let real = clocks[0].rate / clocks[process].rate - 1.0;
            assert!((clock.drift - real).abs() < 1e-5, "{seed}: {} {real}", clock.drift);
            assert!(clock.uncertainty.is_some_and(|ticks| ticks < 50_000), "{seed} {clock:?}");
        }
    }
}

#[test]
fn who_only_receives_is_moved_and_nothing_is_known_of_it() {
    let mut messages = Messages::default();
    messages.push(0, 1, 100, 40);
    messages.push(0, 1, 200, 190);
    let estimate = messages.estimate();
    let moved = Clock { offset: 60, drift: 0.0, uncertainty: None };
    assert_eq!(estimate.clocks, [Clock::default(), moved]);
    assert_eq!(estimate.references, [0, 1]);
    assert_eq!(estimate.model, Model::Offsets);
}

#[test]
fn clocks_that_jump_are_told() {
    let mut messages = Messages::default();
    for time in 0..100 {
        // The second clock goes back by 500 in the middle, for a while.
        let jump = if (40..60).contains(&time) { 500 } else { 0 };
        messages.push(0, 1, time * 1000, time * 1000 + 10 - jump);
        messages.push(1, 0, time * 1000 - jump, time * 1000 + 10);
    }
    assert_eq!((messages.backward(), messages.worst()), (20, 490));
    let estimate = messages.estimate();
    assert!((200..=250).contains(&estimate.missed), "{estimate:?}");
}

#[test]
fn no_messages_say_nothing() {
    let estimate = Messages::default().estimate();
    assert_eq!((estimate.model, estimate.clocks.len()), (Model::Agree, 0));
    assert_eq!(estimate.corrected(5, 9), 9);
}
