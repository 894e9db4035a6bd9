//! Messages that travel longer than others of their size.

use std::collections::HashMap;

use onca_model::Ticks;

use super::subject::Subject;
use crate::robust::quantile;

/// Messages between two processes are slow if they take this many times as long as others of their size.
const LEAST_RATIO: f64 = 1.5;
/// A class of messages with fewer pairs has no usual time.
const LEAST_PAIRS: usize = 6;
/// How much of what is slow, and not much else, a place must explain: messages that are slow and of that place, as a share of
/// those that are one or the other.
const LEAST_EXPLAINED: f64 = 0.5;

/// Messages of one size between processes that are as far from each other in the hierarchy.
type Class = (u32, u32);

/// The messages of one class between two processes, in one direction.
struct Pair {
    from: u32,
    to: u32,
    class: Class,
    messages: Vec<u32>,
    /// The time that three in four take at least.
    travel: f64,
    /// Does it tell how long messages travel, or only when they were received?
    is_known: bool,
}

/// What messages take usually.
pub(super) struct Travels {
    pairs: Vec<Pair>,
    usual: HashMap<Class, f64>,
    /// For each message the shortest time of its pair and class.
    pub shortest: Vec<Ticks>,
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

impl Travels {
    pub fn of(subject: &Subject<'_>) -> Self {
        let program = subject.program;
        let mut by_pair: HashMap<(u32, u32, Class), Vec<u32>> = HashMap::new();
        // Who sets another free sends nothing that travels.
        let travels = (0u32..).zip(&program.messages).filter(|(_, message)| !message.unblocks);
        for (at, message) in travels {
            let (from, to) = (message.send.process, message.receive.process);
            let size = message.size.map_or(0, |size| size.checked_ilog2().map_or(1, |log| log + 2));
            let class = (size, subject.common_depth(from, to));
            by_pair.entry((from, to, class)).or_default().push(at);
        }
        let mut shortest = vec![0; program.messages.len()];
        let mut pairs: Vec<Pair> = Vec::with_capacity(by_pair.len());
        for ((from, to, class), messages) in by_pair {
            let travel = |at: &u32| program.messages[*at as usize].travel;
            let least = messages.iter().map(travel).min().unwrap_or(0);
            messages.iter().for_each(|at| shortest[*at as usize] = least);
            let known = |at: &&u32| {
                let message = &program.messages[**at as usize];
                let call = program.call(message.receive);
                // Who was in the call for most of the time that a message travelled waited for it.
                2 * (call.leave - call.enter) >= message.travel
            };
            let mut told: Vec<f64> =
                messages.iter().filter(known).map(|at| travel(at) as f64).collect();
            let is_known = 2 * told.len() >= messages.len();
            if !is_known {
                told = messages.iter().map(|at| travel(at) as f64).collect();
            }
            let travel = quantile(&mut told, 0.25);
            pairs.push(Pair { from, to, class, messages, travel, is_known });
        }
        pairs.sort_by_key(|pair| (pair.from, pair.to, pair.class));
        let mut classes: HashMap<Class, Vec<f64>> = HashMap::new();
        pairs.iter().for_each(|pair| classes.entry(pair.class).or_default().push(pair.travel));
        let usual = classes
            .into_iter()
            .filter(|(_, travels)| travels.len() >= LEAST_PAIRS)
            .map(|(class, mut travels)| (class, quantile(&mut travels, 0.25)))
            .collect();
        Self { pairs, usual, shortest }
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
                let travel = subject.program.messages[at as usize].travel;
                route.usual.insert(at, usual as Ticks);
                route.excess += i128::from((travel - usual as Ticks).max(0));
                times = (times.0 + pair.travel, times.1 + usual);
            }
        }
        route.ratio = times.0 / times.1.max(1.0);
        Some(route)
    }
}
