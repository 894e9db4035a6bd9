//! How far the clocks of processes are off, by the messages between them.
//!
//! A message is not received before it is sent. So each one bounds the difference of two clocks
//! from one side, and messages both ways bound it from both. Where no message goes backwards
//! nothing is estimated: clocks that agree are left alone. Otherwise offsets are looked for that
//! meet all bounds; where there are none, clocks must also drift, and the rates are those of the
//! lines that pass between the messages of pairs of processes with the most room. What is still
//! missed after that is told: clocks that jump have no correction of this kind.
//!
//! Only the corners of the convex hull of the messages between two processes are kept, so that
//! memory does not grow with their number.

mod hull;
mod offsets;
mod pair;

use std::collections::{BTreeMap, BTreeSet};

use onca_model::{Ticks, TimeMap};

use hull::Hull;
use offsets::{Bound, Offsets};
use pair::{Line, MAX_DRIFT, Pair};

/// Messages between processes, which are numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    hulls: BTreeMap<(u32, u32), Hull>,
    /// The first and the last time of each process.
    extents: BTreeMap<u32, (Ticks, Ticks)>,
    n: u64,
    n_backward: u64,
    worst: Ticks,
}

impl Messages {
    /// Takes a message: the times are those of the sender's and of the receiver's clock.
    pub fn push(&mut self, from: u32, to: u32, sent: Ticks, received: Ticks) {
        self.n += 1;
        if received < sent {
            self.n_backward += 1;
            self.worst = self.worst.max(sent.saturating_sub(received));
        }
        for (process, time) in [(from, sent), (to, received)] {
            let extent = self.extents.entry(process).or_insert((time, time));
            *extent = (extent.0.min(time), extent.1.max(time));
        }
        if from != to {
            self.hulls.entry((from, to)).or_default().push((sent, received));
        }
    }

    /// How many messages there are.
    pub fn count(&self) -> u64 {
        self.n
    }

    /// How many were received before they were sent.
    pub fn backward(&self) -> u64 {
        self.n_backward
    }

    /// By how much at most.
    pub fn worst(&self) -> Ticks {
        self.worst
    }

    /// Estimates the clocks of all processes up to the last that was spoken of.
    pub fn estimate(mut self) -> Estimate {
        for hull in self.hulls.values_mut() {
            hull.thin_out();
        }
        let n = self.extents.keys().last().map_or(0, |&last| last as usize + 1);
        let origin = self.extents.values().map(|extent| extent.0).min().unwrap_or(0);
        let right = Estimate {
            model: Model::Agree,
            origin,
            clocks: vec![Clock::default(); n],
            references: (0..n as u32).collect(),
            missed: 0,
        };
        if self.n_backward == 0 {
            return right;
        }
        let rates = vec![1.0; n];
        let offsets = Offsets::find(n, &self.bounds(origin, &rates, 0));
        if offsets.missed == 0 {
            return right.with(Model::Offsets, &offsets, &rates, offsets.radii.clone());
        }
        let ways = Ways::find(&self, origin, &offsets.groups, n);
        let drifting = Offsets::find(n, &self.bounds(origin, &ways.rates, 1));
        if drifting.missed >= offsets.missed {
            return right.with(Model::Offsets, &offsets, &rates, vec![None; n]);
        }
        let mut firsts: Vec<u32> = (0..n as u32).collect();
        for group in &drifting.groups {
            group.iter().for_each(|&member| firsts[member as usize] = group[0]);
        }
        let radius = |process: u32| {
            let first = firsts[process as usize];
            self.radius(origin, &ways, &drifting.offsets, process, first)
        };
        let radii = (0..n as u32).map(radius).collect();
        right.with(Model::OffsetsAndDrifts, &drifting, &ways.rates, radii)
    }

    /// The bounds of offsets for clocks with these rates. Rounding can take `more` of each.
    fn bounds(&self, origin: Ticks, rates: &[f64], more: i128) -> Vec<Bound> {
        let bound = |(&(from, to), hull): (&(u32, u32), &Hull)| {
            let (a, b) = (rates[from as usize] - 1.0, rates[to as usize] - 1.0);
            let least = hull.corners().iter().map(|&(sent, received)| {
                let ahead = a * since(origin, sent) - b * since(origin, received);
                i128::from(sent) - i128::from(received) + ahead.ceil() as i128
            });
            Some(Bound { from, to, least: least.max()? + more })
        };
        self.hulls.iter().filter_map(bound).collect()
    }

    /// The messages of two processes both ways; `None` if there are none one way.
    fn pair(&self, origin: Ticks, a: u32, b: u32) -> Option<Pair> {
        let points = |from, to| {
            let corners = self.hulls.get(&(from, to))?.corners().iter();
            let point =
                |&(sent, received): &(Ticks, Ticks)| (since(origin, sent), since(origin, received));
            Some(corners.map(point).collect())
        };
        Some(Pair { there: points(a, b)?, back: points(b, a)? })
    }

    /// By how much the clock of a process can be wrong, compared with the first of its group: what
    /// all lines on the way between them allow, at the ends of its time.
    fn radius(
        &self,
        origin: Ticks,
        ways: &Ways,
        offsets: &[i128],
        process: u32,
        first: u32,
    ) -> Option<i128> {
        let (begin, end) = self.extents.get(&process)?;
        let mut radius = 0.0f64;
        for time in [since(origin, *begin), since(origin, *end)] {
            let (mut low, mut high) = (time, time);
            let mut at = process;
            while let Some(way) = ways.up.get(&at) {
                let pair = self.pair(origin, way.parent, at)?;
                let rates = way.rates?;
                (low, high) = (pair.bounds(rates, low).0, pair.bounds(rates, high).1);
                at = way.parent;
            }
            if at != first {
                return None;
            }
            let shift = (offsets[process as usize] - offsets[first as usize]) as f64;
            let here = time * ways.rates[process as usize] + shift;
            radius = radius.max(high - here).max(here - low);
        }
        Some(radius.ceil() as i128)
    }
}

/// A time after another.
fn since(origin: Ticks, time: Ticks) -> f64 {
    (i128::from(time) - i128::from(origin)) as f64
}

/// How the clocks of a group are read by that of its first process: over pairs of processes that
/// send messages both ways, those with the least doubt first.
struct Ways {
    up: BTreeMap<u32, Way>,
    /// The rate of each clock, compared with that of the first of its group.
    rates: Vec<f64>,
}

/// A step of a way.
struct Way {
    parent: u32,
    /// The rates that are possible; `None` if none is.
    rates: Option<(f64, f64)>,
}

/// A step that could be taken next: its doubt, and where it leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    doubt: u64,
    child: u32,
    parent: u32,
}

impl Ways {
    fn find(messages: &Messages, origin: Ticks, groups: &[Vec<u32>], n: usize) -> Self {
        let mut neighbours = vec![BTreeSet::new(); n];
        for &(a, b) in messages.hulls.keys() {
            if messages.hulls.contains_key(&(b, a)) {
                neighbours[a as usize].insert(b);
            }
        }
        let mut ways = Self { up: BTreeMap::new(), rates: vec![1.0; n] };
        for group in groups {
            ways.span(messages, origin, group[0], &neighbours);
        }
        ways
    }

    /// Spans the processes that can be reached from one.
    fn span(
        &mut self,
        messages: &Messages,
        origin: Ticks,
        first: u32,
        neighbours: &[BTreeSet<u32>],
    ) {
        let mut steps = BTreeMap::new();
        let mut here = Some(first);
        let mut reached = BTreeSet::from([first]);
        while let Some(parent) = here {
            for &child in neighbours[parent as usize].difference(&reached) {
                if let Some(Look { doubt, line, rates }) = look(messages, origin, parent, child) {
                    steps.insert(Step { doubt, child, parent }, (line, rates));
                }
            }
            here = None;
            while let Some((step, (line, rates))) = steps.pop_first() {
                if reached.insert(step.child) {
                    let Step { child, parent, .. } = step;
                    self.rates[child as usize] = self.rates[parent as usize] * line.rate;
                    self.up.insert(child, Way { parent, rates });
                    here = Some(child);
                    break;
                }
            }
        }
    }
}

/// What the messages of two processes say.
struct Look {
    /// How much doubt there is, as a number that grows with it.
    doubt: u64,
    line: Line,
    /// The rates that are possible; `None` if none is.
    rates: Option<(f64, f64)>,
}

fn look(messages: &Messages, origin: Ticks, parent: u32, child: u32) -> Option<Look> {
    let pair = messages.pair(origin, parent, child)?;
    let line = pair.best();
    let rates = pair.rates(line);
    let (first, last) = messages.extents.get(&child)?;
    let doubt = rates.map(|rates| {
        let ends = [since(origin, *first), since(origin, *last)];
        let width = |&time: &f64| {
            let (low, high) = pair.bounds(rates, time);
            high - low
        };
        ends.iter().map(width).fold(0.0, f64::max) as u64
    });
    Some(Look { doubt: doubt.unwrap_or(u64::MAX), line, rates })
}

/// What has to be assumed of clocks for messages to be received after they are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// They agree: no message goes backwards.
    Agree,
    /// They are off.
    Offsets,
    /// They are off, and drift.
    OffsetsAndDrifts,
}

/// The clock of a process.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Clock {
    /// What is to be added to its times, at the origin.
    pub offset: Ticks,
    /// How much more is to be added with every tick. Clocks are assumed to drift by less than a
    /// thousandth.
    pub drift: f64,
    /// By how much a corrected time can be wrong either way, compared with the clock of the
    /// first process that it exchanges messages with, over others perhaps, if the model is
    /// right. `None` where messages do not bound it.
    pub uncertainty: Option<Ticks>,
}

/// How far clocks are off.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// What was assumed.
    pub model: Model,
    /// The time from which drifts count.
    pub origin: Ticks,
    /// The clocks of all processes.
    pub clocks: Vec<Clock>,
    /// The process whose clock each one is compared with: the first of those that it exchanges
    /// messages with both ways, over others perhaps; itself where there is none, and where
    /// clocks agree.
    pub references: Vec<u32>,
    /// By how much a message can still go backwards; 0 if none does.
    pub missed: Ticks,
}

impl Estimate {
    /// What corrects the times of a process; leaves them alone if the correction would not fit.
    pub fn map(&self, process: u32) -> TimeMap {
        let clock = self.clocks.get(process as usize).copied().unwrap_or_default();
        let moves = clock.offset != 0 || clock.drift != 0.0;
        let map = moves.then(|| TimeMap::drifting(self.origin, clock.offset, clock.drift));
        map.flatten().unwrap_or(TimeMap::IDENTITY)
    }

    /// A time of a process, corrected.
    pub fn corrected(&self, process: u32, time: Ticks) -> Ticks {
        self.map(process).apply(time).unwrap_or(time)
    }

    fn with(
        mut self,
        model: Model,
        found: &Offsets,
        rates: &[f64],
        radii: Vec<Option<i128>>,
    ) -> Self {
        self.model = model;
        self.missed = ticks(found.missed);
        for (place, clock) in self.clocks.iter_mut().enumerate() {
            clock.offset = ticks(found.offsets[place]);
            clock.drift = rates[place] - 1.0;
            clock.uncertainty = radii[place].map(ticks);
        }
        for group in &found.groups {
            group.iter().for_each(|&member| self.references[member as usize] = group[0]);
        }
        self
    }
}

/// A number of ticks, as far as there are.
fn ticks(number: i128) -> Ticks {
    Ticks::try_from(number).unwrap_or(if number < 0 { Ticks::MIN } else { Ticks::MAX })
}

const _: () = assert!(MAX_DRIFT < 1.0, "clocks do not stand still or go back");

#[cfg(test)]
mod tests;
