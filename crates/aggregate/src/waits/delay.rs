//! Which work of which process caused the waiting of all.
//!
//! Where A waits for B, both did something since they last met. What B did longer than A is the delay; what B itself waited
//! for in that time made it late too, and is charged to whom B waited for. Every wait is charged in full, up to a
//! documented clamp, so that what all causes are charged adds up to the waiting.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use onca_model::Ticks;

use super::apportion::Shares;
use super::meeting::Meetings;
use super::{CallId, Found, Program, Waits};

/// How many calls are looked at on each side of a wait at most, back to where the two last met.
const MOST_CALLS: u32 = 4096;

/// What one kind of work of one process costs others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The process.
    pub process: u32,
    /// What it did.
    pub value: u32,
    /// The waiting of those that waited for it.
    pub short_term: i128,
    /// The waiting of those that waited for others that waited for it.
    pub long_term: i128,
}

/// What [`delay_costs`] finds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Delays {
    /// The charges, by process and value.
    pub charges: Vec<Charge>,
    /// Waiting for which no cause was found: the one that was waited for did nothing longer and waited for nobody.
    pub unexplained: i128,
}

/// Charges all waits to what caused them. `found` is what was found in the same program.
pub fn delay_costs(program: &Program, found: &Found) -> Delays {
    Charging {
        program,
        waits: &found.waits,
        meetings: Meetings::of(program, found),
        inherited: HashMap::new(),
        costs: vec![Vec::new(); program.n_processes()],
        unexplained: 0,
        reasons: Reasons::default(),
    }
    .run()
}

/// Waits from the last that ends to the first: later ones are handed on to earlier ones.
struct Backwards<'a> {
    waits: &'a Waits,
    /// The last wait of each process that had no turn yet. The waits of a process do not overlap.
    next: BinaryHeap<(Ticks, Ticks, Reverse<usize>)>,
    /// For each process the first of its waits that had their turn.
    done: Vec<usize>,
}

impl<'a> Backwards<'a> {
    fn new(waits: &'a Waits, n_processes: usize) -> Self {
        let of = |process: usize| waits.of_process(process as u32);
        let done = (0..n_processes).map(|process| of(process).end).collect();
        let mut order = Self { waits, next: BinaryHeap::new(), done };
        (0..n_processes).for_each(|process| order.put(process));
        order
    }

    /// The next wait of a process waits for its turn.
    fn put(&mut self, process: usize) {
        if self.done[process] > self.waits.of_process(process as u32).start {
            let at = self.done[process] - 1;
            let to = self.waits.to(at);
            self.next.push((to, to - self.waits.ticks(at), Reverse(at)));
        }
    }

    /// Had a wait its turn?
    fn is_done(&self, at: usize) -> bool {
        at >= self.done[self.waits.call(at).process as usize]
    }
}

impl Iterator for Backwards<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let (_, _, Reverse(at)) = self.next.pop()?;
        let process = self.waits.call(at).process as usize;
        self.done[process] = at;
        self.put(process);
        Some(at)
    }
}

struct Charging<'a> {
    program: &'a Program,
    waits: &'a Waits,
    meetings: Meetings<'a>,
    /// What was handed to waits that had no turn yet.
    inherited: HashMap<usize, i128>,
    /// For each process what its work is charged, by value.
    costs: Vec<Vec<Charge>>,
    unexplained: i128,
    reasons: Reasons,
}

/// What made a process late. It is used for one wait after another.
#[derive(Default)]
struct Reasons {
    mine: Times,
    others: Times,
    /// What it did longer than the one that waited, by value.
    longer: Vec<(u32, i128)>,
    /// Of each of these, then of each of the waits, how long.
    weights: Vec<i128>,
    /// Shares of the wait, and of what was handed to it.
    short: Shares,
    long: Shares,
}

impl Charging<'_> {
    fn run(mut self) -> Delays {
        let mut order = Backwards::new(self.waits, self.program.n_processes());
        let mut stack: Vec<(usize, i128, i128)> = Vec::new();
        let mut handed: Vec<(usize, i128)> = Vec::new();
        while let Some(at) = order.next() {
            let own = i128::from(self.waits.ticks(at));
            stack.push((at, own, self.inherited.remove(&at).unwrap_or(0)));
            // Waits that end at one instant may come in any order: what is handed to one that had its turn goes on at once.
            let mut n_steps = 0;
            while let Some((at, own, more)) = stack.pop() {
                n_steps += 1;
                if n_steps > 10_000 {
                    self.unexplained += own + more;
                    continue;
                }
                self.charge(at, own, more, &mut handed);
                for (wait, cost) in handed.drain(..) {
                    match order.is_done(wait) {
                        true => stack.push((wait, 0, cost)),
                        false => *self.inherited.entry(wait).or_default() += cost,
                    }
                }
            }
        }
        let mut charges: Vec<Charge> = self.costs.into_iter().flatten().collect();
        charges.sort_unstable_by_key(|charge| (charge.process, charge.value));
        Delays { charges, unexplained: self.unexplained }
    }

    /// Charges a wait of length `own`, with `more` that was handed to it. What is handed on is added to `handed`, by wait.
    fn charge(&mut self, at: usize, own: i128, more: i128, handed: &mut Vec<(usize, i128)>) {
        let waits = self.find_reasons(at);
        let Reasons { longer, weights, short, long, .. } = &mut self.reasons;
        let all: i128 = weights.iter().sum();
        if all == 0 {
            self.unexplained += own + more;
            return;
        }
        // A wait may be longer than all that is known to have delayed its cause.
        let explained = own.min(all);
        self.unexplained += own - explained;
        let (short, long) = (short.split(explained, weights), long.split(more, weights));
        let process = self.waits.cause(at).process;
        let costs = &mut self.costs[process as usize];
        for (place, (value, _)) in longer.iter().enumerate() {
            let known = costs.iter().position(|charge| charge.value == *value);
            let known = known.unwrap_or_else(|| {
                costs.push(Charge { process, value: *value, short_term: 0, long_term: 0 });
                costs.len() - 1
            });
            // What was handed on came from those that waited for others.
            costs[known].short_term += short[place];
            costs[known].long_term += long[place];
        }
        let both = short.iter().zip(long).map(|(short, long)| short + long);
        handed.extend(waits.zip(both.skip(longer.len())).filter(|(_, cost)| *cost > 0));
    }

    /// Finds what made the one that was waited for late. Gives the waits among it.
    fn find_reasons(&mut self, at: usize) -> Range<usize> {
        let (call, cause) = (self.waits.call(at), self.waits.cause(at));
        let (own_from, other_from) = self.meetings.last(at);
        let mut reasons = std::mem::take(&mut self.reasons);
        self.add_times(call, own_from, &mut reasons.mine);
        let waits = self.add_times(cause, other_from, &mut reasons.others);
        let Reasons { mine, others, longer, weights, .. } = &mut reasons;
        longer.clear();
        longer.extend(others.0.iter().map(|(value, ticks)| (*value, ticks - mine.get(*value))));
        longer.retain(|(_, ticks)| *ticks > 0);
        longer.sort_unstable();
        weights.clear();
        weights.extend(longer.iter().map(|(_, ticks)| *ticks));
        weights.extend(waits.clone().map(|wait| i128::from(self.waits.ticks(wait))));
        self.reasons = reasons;
        waits
    }

    /// What a process did by value, without waiting, from the end of a call to the beginning of another; and its waits there.
    fn add_times(&self, until: CallId, from: Option<u32>, times: &mut Times) -> Range<usize> {
        times.0.clear();
        let process = &self.program.processes[until.process as usize];
        let first = from.map_or(0, |call| call + 1).max(until.call.saturating_sub(MOST_CALLS));
        let begin = self.waits.first_at(CallId { call: first, ..until });
        let mut next = begin;
        let end = self.waits.of_process(until.process).end;
        for call in first..=until.call {
            for work in process.work_before(call as usize) {
                times.add(work.value, i128::from(work.ticks));
            }
            if call < until.call {
                let it = process.call(call as usize);
                let mut own = i128::from(it.leave - it.enter);
                if next < end && self.waits.call(next).call == call {
                    own -= i128::from(self.waits.ticks(next));
                    next += 1;
                }
                times.add(it.value, own);
            }
        }
        begin..next
    }
}

/// Times by value. There are few values between two meetings, so that a list is quicker than a table.
#[derive(Default)]
struct Times(Vec<(u32, i128)>);

impl Times {
    fn add(&mut self, value: u32, ticks: i128) {
        match self.0.iter_mut().find(|(other, _)| *other == value) {
            Some((_, sum)) => *sum += ticks,
            None => self.0.push((value, ticks)),
        }
    }

    fn get(&self, value: u32) -> i128 {
        self.0.iter().find(|(other, _)| *other == value).map_or(0, |(_, ticks)| *ticks)
    }
}
