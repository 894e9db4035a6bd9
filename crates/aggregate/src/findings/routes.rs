//! Messages that travel longer than others of their size.

use std::collections::HashMap;

use onca_model::Ticks;
use rayon::prelude::*;

use super::subject::Subject;
use crate::robust::quantile;
use crate::waits::Program;

/// Messages between two processes are slow if they take this many times as long as others of their size.
const LEAST_RATIO: f64 = 1.5;
/// A class of messages with fewer pairs has no usual time.
const LEAST_PAIRS: usize = 6;
/// How much of what is slow, and not much else, a place must explain: messages that are slow and of that place, as a share of
/// those that are one or the other.
const LEAST_EXPLAINED: f64 = 0.5;

/// Messages of one size, and between processes that are as far from each other in the hierarchy.
type Class = (u32, u32);

/// The messages of one class between two processes, in one direction.
struct Pair {
    from: u32,
    to: u32,
    class: Class,
    messages: Vec<u32>,
    /// The time of the quickest.
    least: Ticks,
    /// The time that three in four take at least.
    travel: f64,
    /// Does it tell how long messages travel, or only when they were received?
    is_known: bool,
}

/// What messages take usually.
pub(super) struct Travels {
    pairs: Vec<Pair>,
    usual: HashMap<Class, f64>,
}

/// A part of the network that is slow.
pub(super) struct SlowRoute {
    /// The node of the hierarchy on one side.
    pub node: u32,
    /// The node on the other side; everything else if there is none.
    pub other: Option<u32>,
    /// The messages, with what each should have taken.
    pub usual: HashMap<u32, Ticks>,
    pub ratio: f64,
    /// How well the place explains what is slow, from 0 to 1.
    pub explained: f64,
    /// How much longer the messages took, all together.
    pub excess: i128,
}

impl Pair {
    fn key(&self) -> (u32, u32, u32) {
        (self.from, self.to, self.class.0)
    }
}

/// Messages with sizes of as many bits are of one size.
fn size_class(size: Option<u64>) -> u32 {
    size.map_or(0, |size| size.checked_ilog2().map_or(1, |log| log + 2))
}

/// The messages to a process, by sender and class. Who sets another free sends nothing that travels.
fn pairs_to(subject: &Subject<'_>, to: u32) -> Vec<Pair> {
    let messages = &subject.program.messages;
    let received = subject.wiring.received(to).iter().copied();
    let mut sorted: Vec<(u32, u32, u32)> = received
        .filter(|at| !messages.unblocks(*at as usize))
        .map(|at| (messages.send(at as usize).process, size_class(messages.size(at as usize)), at))
        .collect();
    sorted.sort_unstable();
    let pair = |own: &[(u32, u32, u32)]| {
        let (from, size, _) = own[0];
        let class = (size, subject.common_depth(from, to));
        pair_of(subject.program, (from, to), class, own.iter().map(|(.., at)| *at).collect())
    };
    sorted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(pair).collect()
}

fn pair_of(program: &Program, (from, to): (u32, u32), class: Class, messages: Vec<u32>) -> Pair {
    let travel = |at: &u32| program.messages.travel(*at as usize);
    let known = |at: &&u32| {
        let call = program.call(program.messages.receive(**at as usize));
        // Who was in the call for most of the time that a message travelled waited for it.
        2 * (call.leave - call.enter) >= travel(at)
    };
    let mut told: Vec<f64> = messages.iter().filter(known).map(|at| travel(at) as f64).collect();
    let is_known = 2 * told.len() >= messages.len();
    if !is_known {
        told = messages.iter().map(|at| travel(at) as f64).collect();
    }
    Pair {
        least: messages.iter().map(travel).min().unwrap_or(0),
        travel: quantile(&mut told, 0.25),
        from,
        to,
        class,
        messages,
        is_known,
    }
}

impl Travels {
    pub fn of(subject: &Subject<'_>) -> Self {
        let receivers = (0..subject.program.n_processes() as u32).into_par_iter();
        let mut pairs: Vec<Pair> = receivers.flat_map_iter(|to| pairs_to(subject, to)).collect();
        pairs.sort_unstable_by_key(Pair::key);
        let mut classes: HashMap<Class, Vec<f64>> = HashMap::new();
        pairs.iter().for_each(|pair| classes.entry(pair.class).or_default().push(pair.travel));
        let usual = classes
            .into_iter()
            .filter(|(_, travels)| travels.len() >= LEAST_PAIRS)
            .map(|(class, mut travels)| (class, quantile(&mut travels, 0.25)))
            .collect();
        Self { pairs, usual }
    }

    /// The shortest time of messages like one between the same two. What does not travel takes none.
    pub fn least(&self, program: &Program, message: usize) -> Ticks {
        let message = program.messages.get(message);
        let key = (message.send.process, message.receive.process, size_class(message.size));
        self.pairs.binary_search_by_key(&key, Pair::key).map_or(0, |at| self.pairs[at].least)
    }

    /// How many pairs there are to compare.
    pub fn n_compared(&self) -> usize {
        self.pairs.iter().filter(|pair| self.usual.contains_key(&pair.class)).count()
    }

    /// The place in the hierarchy that explains best which messages are slow.
    pub fn slow_route(&self, subject: &Subject<'_>) -> Option<SlowRoute> {
        let usual = |pair: &Pair| self.usual.get(&pair.class).copied();
        let is_slow = |pair: &Pair| {
            pair.is_known && usual(pair).is_some_and(|usual| pair.travel >= LEAST_RATIO * usual)
        };
        // What is not known to be slow may be, unless even the time at which it was received is not late.
        let is_told = |pair: &&Pair| {
            is_slow(pair)
                || pair.is_known
                || usual(pair).is_some_and(|usual| pair.travel < LEAST_RATIO * usual)
        };
        let mut n_slow = 0.0;
        let mut places: HashMap<(u32, Option<u32>), (f64, f64)> = HashMap::new();
        for pair in self.pairs.iter().filter(is_told).filter(|pair| usual(pair).is_some()) {
            let slow = f64::from(u8::from(is_slow(pair)));
            n_slow += slow;
            for place in subject.places_between(pair.from, pair.to) {
                let sums = places.entry(place).or_default();
                *sums = (sums.0 + slow, sums.1 + 1.0);
            }
        }
        let explained = |(slow, all): (f64, f64)| slow / (n_slow + all - slow);
        let is_process = |node: u32| subject.nodes.contains(&node);
        let leaves = |(node, other): (u32, Option<u32>)| {
            let n = |node: u32| subject.tree.n_leaves(node);
            // Cables end at machines, not at the processes on them.
            let ends_at_process = is_process(node) || other.is_some_and(is_process);
            (ends_at_process, other.map_or(n(subject.tree.root()), n) + n(node), node, other)
        };
        let (place, sums) =
            places.into_iter().filter(|(_, sums)| sums.0 > 0.0).max_by(|a, b| {
                // Of places that explain it equally well, the smallest.
                let by_size = leaves(b.0).cmp(&leaves(a.0));
                explained(a.1).total_cmp(&explained(b.1)).then(by_size)
            })?;
        if explained(sums) < LEAST_EXPLAINED {
            return None;
        }
        let mut route = SlowRoute {
            node: place.0,
            other: place.1,
            usual: HashMap::new(),
            ratio: 0.0,
            explained: explained(sums),
            excess: 0,
        };
        let mut times = (0.0, 0.0);
        for pair in self.pairs.iter().filter(|pair| is_slow(pair)) {
            let here = subject.places_between(pair.from, pair.to).any(|other| other == place);
            let Some(usual) = usual(pair).filter(|_| here) else { continue };
            for &at in &pair.messages {
                let travel = subject.program.messages.travel(at as usize);
                route.usual.insert(at, usual as Ticks);
                route.excess += i128::from((travel - usual as Ticks).max(0));
                times = (times.0 + pair.travel, times.1 + usual);
            }
        }
        route.ratio = times.0 / times.1.max(1.0);
        Some(route)
    }
}
