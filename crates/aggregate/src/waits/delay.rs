//! Which work of which process caused the waiting of all.
//!
//! Where A waits for B, both did something since they last met. What B did longer than A is the delay; what B itself waited
//! for in that time made it late too, and is charged to whom B waited for. Every wait is charged in full, up to a
//! documented clamp, so that what all causes are charged adds up to the waiting.

use std::collections::HashMap;

use onca_model::Ticks;

use super::apportion::apportion;
use super::{CallId, CollectiveKind, Found, Program};

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
    let meetings = Meetings::of(program, found);
    Charging { program, found, meetings, costs: HashMap::new(), unexplained: 0 }.run()
}

/// For each wait: the calls at which the two had last met, on the side of the one that waits and on the other.
struct Meetings(Vec<(Option<u32>, Option<u32>)>);

impl Meetings {
    /// Two processes meet where one waits for the other, and where all wait for all. A message that nobody waited for brings
    /// nobody together: it may have been sent long ago.
    fn of(program: &Program, found: &Found) -> Self {
        enum Meeting<'a> {
            Wait(usize),
            All(&'a [CallId]),
        }
        let mut order: Vec<(Ticks, Meeting<'_>)> = Vec::new();
        order.extend(found.waits.iter().enumerate().map(|(at, wait)| (wait.to, Meeting::Wait(at))));
        for collective in &program.collectives {
            if matches!(collective.kind, CollectiveKind::Barrier | CollectiveKind::AllToAll) {
                let last = collective.members.iter().map(|id| program.call(*id).enter).max();
                order.extend(last.map(|last| (last, Meeting::All(&collective.members))));
            }
        }
        // All have waited before all have met.
        order.sort_by_key(|(time, meeting)| (*time, matches!(meeting, Meeting::All(_))));
        let mut last = LastMeetings::default();
        let mut met = vec![(None, None); found.waits.len()];
        for (_, meeting) in &order {
            match meeting {
                Meeting::Wait(at) => {
                    let wait = &found.waits[*at];
                    met[*at] = last.before(wait.call, wait.cause);
                    last.meet(wait.call, wait.cause);
                }
                Meeting::All(members) => last.meet_all(members),
            }
        }
        Self(met)
    }
}

/// Where processes met last.
#[derive(Default)]
struct LastMeetings {
    /// By pair, the lower process first: the calls of both.
    pairs: HashMap<(u32, u32), (u32, u32)>,
    /// By process: the operations that it was a member of last, one for each set of members, with its call.
    groups: HashMap<u32, Vec<(u64, u32)>>,
}

impl LastMeetings {
    fn meet(&mut self, a: CallId, b: CallId) {
        let (low, high) = if a.process <= b.process { (a, b) } else { (b, a) };
        self.pairs.insert((low.process, high.process), (low.call, high.call));
    }

    fn meet_all(&mut self, members: &[CallId]) {
        let key = group_key(members);
        for member in members {
            let groups = self.groups.entry(member.process).or_default();
            match groups.iter_mut().find(|(other, _)| *other == key) {
                Some((_, call)) => *call = member.call,
                None => groups.push((key, member.call)),
            }
        }
    }

    /// The calls at which two processes last met, before some calls of theirs.
    fn before(&self, a: CallId, b: CallId) -> (Option<u32>, Option<u32>) {
        let (low, high) = if a.process <= b.process { (a, b) } else { (b, a) };
        let mut met = self.pairs.get(&(low.process, high.process)).copied();
        let of = |id: CallId| self.groups.get(&id.process).map_or(&[][..], Vec::as_slice);
        for (key, call) in of(low) {
            if let Some((_, other)) = of(high).iter().find(|(other, _)| other == key) {
                let is_later = met.is_none_or(|(before, _)| before < *call);
                met = if is_later { Some((*call, *other)) } else { met };
            }
        }
        // Times that disagree may put a meeting after the calls.
        let met = met.filter(|met| met.0 < low.call && met.1 < high.call);
        match (met, a.process <= b.process) {
            (None, _) => (None, None),
            (Some((at_low, at_high)), true) => (Some(at_low), Some(at_high)),
            (Some((at_low, at_high)), false) => (Some(at_high), Some(at_low)),
        }
    }
}

/// Tells one set of members from another.
fn group_key(members: &[CallId]) -> u64 {
    use std::hash::{Hash, Hasher};
    // Only compared within one run: the hash need not be the same elsewhere.
    let mut hasher = std::hash::DefaultHasher::new();
    members.iter().for_each(|member| member.process.hash(&mut hasher));
    hasher.finish()
}

struct Charging<'a> {
    program: &'a Program,
    found: &'a Found,
    meetings: Meetings,
    costs: HashMap<(u32, u32), (i128, i128)>,
    unexplained: i128,
}

/// What made a process late.
struct Reasons {
    /// What it did longer than the one that waited, by value.
    longer: Vec<(u32, i128)>,
    /// What it waited for itself: places among all waits.
    waits: std::ops::Range<usize>,
}

impl Charging<'_> {
    /// Later waits are handed on to earlier ones, so they come first.
    fn run(mut self) -> Delays {
        let waits = &self.found.waits;
        let mut order: Vec<usize> = (0..waits.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse((waits[at].to, waits[at].from)));
        let mut inherited = vec![0i128; waits.len()];
        let mut is_done = vec![false; waits.len()];
        let mut stack: Vec<(usize, i128, i128)> = Vec::new();
        for at in order {
            let own = i128::from(waits[at].ticks());
            stack.push((at, own, std::mem::take(&mut inherited[at])));
            is_done[at] = true;
            // Waits that end at one instant may come in any order: what is handed to one that had its turn goes on at once.
            let mut n_steps = 0;
            while let Some((at, own, more)) = stack.pop() {
                n_steps += 1;
                if n_steps > 10_000 {
                    self.unexplained += own + more;
                    continue;
                }
                let handed = self.charge(at, own, more);
                for (wait, cost) in handed.into_iter().filter(|(_, cost)| *cost > 0) {
                    match is_done[wait] {
                        true => stack.push((wait, 0, cost)),
                        false => inherited[wait] += cost,
                    }
                }
            }
        }
        let mut charges: Vec<Charge> = self
            .costs
            .iter()
            .map(|(&(process, value), &(short_term, long_term))| Charge {
                process,
                value,
                short_term,
                long_term,
            })
            .collect();
        charges.sort_by_key(|charge| (charge.process, charge.value));
        Delays { charges, unexplained: self.unexplained }
    }

    /// Charges a wait of length `own`, with `more` that was handed to it. Gives what is handed on, by wait.
    fn charge(&mut self, at: usize, own: i128, more: i128) -> Vec<(usize, i128)> {
        let cause = self.found.waits[at].cause;
        let Reasons { longer, waits } = self.reasons(at);
        let mut weights: Vec<i128> = longer.iter().map(|(_, ticks)| *ticks).collect();
        weights.extend(self.found.waits[waits.clone()].iter().map(|it| i128::from(it.ticks())));
        let all: i128 = weights.iter().sum();
        if all == 0 {
            self.unexplained += own + more;
            return Vec::new();
        }
        // A wait may be longer than all that is known to have delayed its cause.
        let explained = own.min(all);
        self.unexplained += own - explained;
        let (short, long) = (apportion(explained, &weights), apportion(more, &weights));
        for (place, (value, _)) in longer.iter().enumerate() {
            let cost = self.costs.entry((cause.process, *value)).or_default();
            // What was handed on came from those that waited for others.
            cost.0 += short[place];
            cost.1 += long[place];
        }
        let both = short.iter().zip(&long).map(|(short, long)| short + long);
        waits.zip(both.skip(longer.len())).collect()
    }

    fn reasons(&self, at: usize) -> Reasons {
        let wait = &self.found.waits[at];
        let (own_from, other_from) = self.meetings.0[at];
        let mine = self.times(wait.call, own_from);
        let others = self.times(wait.cause, other_from);
        let mut longer: Vec<(u32, i128)> = others
            .0
            .into_iter()
            .map(|(value, ticks)| (value, ticks - mine.get(value)))
            .filter(|(_, ticks)| *ticks > 0)
            .collect();
        longer.sort_unstable();
        let first =
            other_from.map_or(0, |call| call + 1).max(wait.cause.call.saturating_sub(MOST_CALLS));
        let id = |call| CallId { process: wait.cause.process, call };
        let place = |call| self.found.waits.partition_point(|other| other.call < id(call));
        Reasons { longer, waits: place(first)..place(wait.cause.call) }
    }

    /// What a process did by value, without waiting, from the end of a call to the beginning of another.
    fn times(&self, until: CallId, from: Option<u32>) -> Times {
        let process = &self.program.processes[until.process as usize];
        let first = from.map_or(0, |call| call + 1).max(until.call.saturating_sub(MOST_CALLS));
        let id = |call| CallId { process: until.process, call };
        let waits = &self.found.waits;
        let before = waits.partition_point(|wait| wait.call < id(first));
        let mut waits = waits[before..].iter().peekable();
        let mut times = Times::default();
        for call in first..=until.call {
            for work in process.work_before(call as usize) {
                times.add(work.value, i128::from(work.ticks));
            }
            if call < until.call {
                let it = &process.calls[call as usize];
                let waited = waits.next_if(|wait| wait.call == id(call));
                let waited = waited.map_or(0, super::Wait::ticks);
                times.add(it.value, i128::from(it.leave - it.enter - waited));
            }
        }
        times
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
