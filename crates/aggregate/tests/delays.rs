//! The charges for delays against a slow and obvious computation.

use crate::simulation;

use std::collections::BTreeMap;

use onca_aggregate::waits::{
    CallId, CollectiveKind, Found, Program, Wait, Wiring, delay_costs, find_waits,
};
use onca_model::Ticks;

use simulation::random;

/// Where some processes met: when, after all that wait at that time, and the calls of those that met.
struct Meeting {
    time: Ticks,
    is_among_all: bool,
    calls: Vec<CallId>,
    /// The wait, where it is one.
    wait: Option<usize>,
}

/// By process and value: short and long term.
type Costs = BTreeMap<(u32, u32), (i128, i128)>;

struct Slowly<'a> {
    program: &'a Program,
    waits: Vec<Wait>,
    meetings: Vec<Meeting>,
    costs: Costs,
    unexplained: i128,
}

impl<'a> Slowly<'a> {
    fn new(program: &'a Program, found: &Found) -> Self {
        let waits: Vec<Wait> = found.waits.iter().collect();
        let of_wait = |(at, wait): (usize, &Wait)| Meeting {
            time: wait.to,
            is_among_all: false,
            calls: vec![wait.call, wait.cause],
            wait: Some(at),
        };
        let mut meetings: Vec<Meeting> = waits.iter().enumerate().map(of_wait).collect();
        for collective in &program.collectives {
            if matches!(collective.kind, CollectiveKind::Barrier | CollectiveKind::AllToAll) {
                let enters = collective.members.iter().map(|id| program.call(*id).enter);
                meetings.push(Meeting {
                    time: enters.max().expect("somebody is there"),
                    is_among_all: true,
                    calls: collective.members.clone(),
                    wait: None,
                });
            }
        }
        meetings.sort_by_key(|meeting| (meeting.time, meeting.is_among_all));
        Self { program, waits, meetings, costs: BTreeMap::new(), unexplained: 0 }
    }

    /// The calls at which two met last before a wait, the latest for the lower process.
    fn last_met(&self, at: usize) -> Option<(u32, u32)> {
        let Wait { call, cause, .. } = self.waits[at];
        let (low, high) = if call.process <= cause.process { (call, cause) } else { (cause, call) };
        let before = self.meetings.iter().take_while(|meeting| meeting.wait != Some(at));
        let call_of = |meeting: &Meeting, process: u32| {
            meeting.calls.iter().find(|id| id.process == process).map(|id| id.call)
        };
        let both = before.filter_map(|meeting| {
            Some((call_of(meeting, low.process)?, call_of(meeting, high.process)?))
        });
        let met = both.max_by_key(|(of_low, _)| *of_low)?;
        if met.0 >= low.call || met.1 >= high.call {
            return None;
        }
        Some(if call.process == low.process { met } else { (met.1, met.0) })
    }

    /// What a process did by value from after one of its calls to the beginning of another, and its waits there.
    fn did(&self, until: CallId, from: Option<u32>) -> (BTreeMap<u32, i128>, Vec<usize>) {
        let process = &self.program.processes[until.process as usize];
        let mut times = BTreeMap::new();
        let mut waits = Vec::new();
        for call in from.map_or(0, |call| call + 1)..=until.call {
            for work in process.work_before(call as usize) {
                *times.entry(work.value).or_default() += i128::from(work.ticks);
            }
            if call < until.call {
                let it = process.call(call as usize);
                *times.entry(it.value).or_default() += i128::from(it.leave - it.enter);
                let id = CallId { call, ..until };
                let found = self.waits.iter().position(|wait| wait.call == id);
                if let Some(at) = found {
                    *times.entry(it.value).or_default() -= i128::from(self.waits[at].ticks());
                    waits.push(at);
                }
            }
        }
        (times, waits)
    }

    fn charge(&mut self, at: usize, own: i128, more: i128) -> Vec<(usize, i128)> {
        let Wait { call, cause, .. } = self.waits[at];
        let met = self.last_met(at);
        let (mine, _) = self.did(call, met.map(|met| met.0));
        let (others, waits) = self.did(cause, met.map(|met| met.1));
        let longer: Vec<(u32, i128)> = others
            .into_iter()
            .map(|(value, ticks)| (value, ticks - mine.get(&value).unwrap_or(&0)))
            .filter(|(_, ticks)| *ticks > 0)
            .collect();
        let mut weights: Vec<i128> = longer.iter().map(|(_, ticks)| *ticks).collect();
        weights.extend(waits.iter().map(|at| i128::from(self.waits[*at].ticks())));
        let all: i128 = weights.iter().sum();
        let explained = own.min(all);
        self.unexplained += own - explained + if all == 0 { more } else { 0 };
        let (short, long) = (shared(explained, &weights), shared(more, &weights));
        for (place, (value, _)) in longer.iter().enumerate() {
            let cost = self.costs.entry((cause.process, *value)).or_default();
            *cost = (cost.0 + short[place], cost.1 + long[place]);
        }
        let handed = short.iter().zip(&long).skip(longer.len()).map(|(a, b)| a + b);
        waits.into_iter().zip(handed).collect()
    }

    /// Charges waits from the last to the first, and what is handed to one that had its turn at once.
    fn run(mut self) -> (Costs, i128) {
        let mut order: Vec<usize> = (0..self.waits.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse((self.waits[*at].to, self.waits[*at].from)));
        let mut inherited = vec![0; self.waits.len()];
        let mut is_done = vec![false; self.waits.len()];
        for at in order {
            is_done[at] = true;
            let mut stack = vec![(at, i128::from(self.waits[at].ticks()), inherited[at])];
            while let Some((at, own, more)) = stack.pop() {
                for (wait, cost) in self.charge(at, own, more) {
                    match is_done[wait] && cost > 0 {
                        true => stack.push((wait, 0, cost)),
                        false => inherited[wait] += cost,
                    }
                }
            }
        }
        (self.costs, self.unexplained)
    }
}

/// Whole shares: what is left over goes one by one to the largest remainders.
fn shared(total: i128, weights: &[i128]) -> Vec<i128> {
    let sum: i128 = weights.iter().sum::<i128>().max(1);
    let mut shares: Vec<i128> = weights.iter().map(|weight| total * weight / sum).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|place| (std::cmp::Reverse(total * weights[*place] % sum), *place));
    let left = total - shares.iter().sum::<i128>();
    order.iter().take(left as usize).for_each(|place| shares[*place] += 1);
    shares
}

#[test]
fn charges_are_those_of_the_definition() {
    let mut n_charges = 0;
    for seed in 0..300 {
        let (program, ..) = random(seed, seed % 2 == 0);
        let found = find_waits(&program, &Wiring::new(&program));
        let (costs, unexplained) = Slowly::new(&program, &found).run();
        let delays = delay_costs(&program, &found);
        let charges: Costs = delays
            .charges
            .iter()
            .map(|it| ((it.process, it.value), (it.short_term, it.long_term)))
            .collect();
        assert_eq!((charges, delays.unexplained), (costs, unexplained), "seed {seed}");
        n_charges += delays.charges.len();
    }
    assert!(n_charges > 1_000, "{n_charges} charges are too few to tell");
}
