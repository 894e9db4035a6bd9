//! A process: its calls as far as anybody waits for them, and what it did between them.

use onca_aggregate::findings::TimeBins;
use onca_aggregate::waits::{Call, Column, Process};
use onca_model::{Ticks, ValueId};
use onca_query::{CallPart, CallShape, Scope};
use onca_store::TrackId;

use super::calls::{Candidate, Draft, OperationId, begin_of, join_waits};
use super::ends::Direction;
use super::lookup::Lookup;
use crate::Result;

/// The calls of collective operations of a process, packed, and what they tell of these.
#[derive(Default)]
pub(super) struct Memberships {
    /// The places of the calls among those that are kept.
    calls: Column,
    /// One more than the communicator, and the number within it, where the trace tells the operation.
    communicators: Column,
    instances: Column,
    /// One more than the root, where the trace tells it.
    roots: Column,
}

/// A collective operation as one member tells of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Membership {
    /// The place of the call among those that are kept.
    pub call: u32,
    /// The operation, where the trace tells it.
    pub operation: Option<OperationId>,
    pub root: Option<u32>,
}

impl Memberships {
    fn push(&mut self, membership: Membership) {
        let (communicator, instance) =
            membership.operation.map_or((0, 0), |(it, instance)| (u64::from(it) + 1, instance));
        self.calls.push(membership.call.into());
        self.communicators.push(communicator);
        self.instances.push(instance);
        self.roots.push(membership.root.map_or(0, |root| u64::from(root) + 1));
    }

    pub fn len(&self) -> usize {
        self.calls.len()
    }

    pub fn get(&self, at: usize) -> Membership {
        let less_one = |column: &Column| column.get(at).checked_sub(1).map(|it| it as u32);
        Membership {
            call: self.calls.get_u32(at),
            operation: less_one(&self.communicators).map(|it| (it, self.instances.get(at))),
            root: less_one(&self.roots),
        }
    }
}

/// Links, packed, each with the place of a call among those that are kept.
#[derive(Default)]
pub(super) struct CallsOfLinks {
    links: Column,
    calls: Column,
}

impl CallsOfLinks {
    fn push(&mut self, link: u32, call: u32) {
        self.links.push(link.into());
        self.calls.push(call.into());
    }

    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.links.len()).map(|at| (self.links.get_u32(at), self.calls.get_u32(at)))
    }
}

impl FromIterator<(u32, u32)> for CallsOfLinks {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(many: I) -> Self {
        let mut made = Self::default();
        many.into_iter().for_each(|(link, call)| made.push(link, call));
        made
    }
}

/// What others need of a process that its own calls do not tell.
#[derive(Default)]
pub(super) struct Needs {
    /// When it sets another free without a call, and by which link.
    pub instants: Vec<(Ticks, u32)>,
    /// The links that a call, at a place among the candidates, has asked for.
    pub asked: Vec<(u32, usize)>,
    /// The links at whose sending a call, at a place among the candidates, has waited until they were taken.
    pub completed: Vec<(u32, usize)>,
}

/// What was found of a process.
pub(super) struct ProcessPart {
    pub process: Process,
    /// Its useful work by time.
    pub bins: TimeBins,
    /// When it did something last.
    pub end: Ticks,
    /// For each link that a call sends the place of that call among those that are kept.
    pub sent: CallsOfLinks,
    /// The same for those that a call receives.
    pub received: CallsOfLinks,
    /// For each link that a call asked for before it waited the place of that call.
    pub asked: CallsOfLinks,
    /// For each link that was sent before a call waited until it was taken the place of that call.
    pub completed: CallsOfLinks,
    pub memberships: Memberships,
    /// Waits that were taken for the beginning of the receive after them.
    pub n_joined: u64,
}

/// Makes a process of its calls and of what others need of it, and adds its work.
pub(super) fn finish(
    scope: &Scope<'_>,
    lookup: &Lookup,
    draft: Draft,
    needs: Needs,
    n_bins: usize,
) -> Result<ProcessPart> {
    let Draft { main, mut candidates, chosen } = draft;
    let mut part = ProcessPart {
        process: Process::default(),
        bins: TimeBins::new(scope.window(), n_bins),
        end: 0,
        sent: CallsOfLinks::default(),
        received: CallsOfLinks::default(),
        asked: CallsOfLinks::default(),
        completed: CallsOfLinks::default(),
        memberships: Memberships::default(),
        n_joined: 0,
    };
    if !lookup.has_begun_sends {
        part.n_joined = join_waits(&mut candidates);
    }
    let outside = ValueId(scope.catalog().values.len() as u32);
    let first_instant = candidates.len();
    let instants = needs.instants.iter();
    candidates.extend(instants.map(|(time, _)| Candidate::instant(*time, outside)));
    let order = in_order(&candidates);
    let mut places = vec![None; candidates.len()];
    let mut n_kept = 0;
    for &at in &order {
        if candidates[at].is_kept() {
            places[at] = Some(n_kept);
            n_kept += 1;
        }
    }
    let place_of = |call: Option<usize>| call.and_then(|at| places[at]);
    for (link, direction, call) in chosen {
        let Some(place) = place_of(call) else { continue };
        match direction {
            Direction::Out => part.sent.push(link, place),
            Direction::In => part.received.push(link, place),
        }
    }
    let instants = needs.instants.iter().zip(first_instant..);
    for ((_, link), at) in instants {
        place_of(Some(at)).into_iter().for_each(|place| part.sent.push(*link, place));
    }
    let of_links = |calls: Vec<(u32, usize)>| -> CallsOfLinks {
        let calls = calls.into_iter();
        calls.filter_map(|(link, at)| Some((link, place_of(Some(at))?))).collect()
    };
    part.asked = of_links(needs.asked);
    part.completed = of_links(needs.completed);
    let mut kept: Vec<Option<Candidate>> = candidates.into_iter().map(Some).collect();
    let candidates: Vec<Candidate> = order
        .into_iter()
        .filter(|at| places[*at].is_some())
        .filter_map(|at| kept[at].take())
        .collect();
    for (call, candidate) in (0u32..).zip(&candidates) {
        if candidate.is_collective().is_some() {
            let Candidate { operation, root, .. } = *candidate;
            part.memberships.push(Membership { call, operation, root });
        }
    }
    fill(scope, (lookup, main), &candidates, &mut part)?;
    part.process.shrink_to_fit();
    part.bins.shrink_to_fit();
    Ok(part)
}

/// The places of candidates in order of time. Instants stand behind the calls; at one time a call that has ended comes before
/// an instant, and one that begins after it.
fn in_order(candidates: &[Candidate]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&at| (begin_of(&candidates[at]), candidates[at].leave));
    order
}

/// Fills the process with the calls, and with what was done between them by the states of a track.
fn fill(
    scope: &Scope<'_>,
    (lookup, main): (&Lookup, Option<TrackId>),
    calls: &[Candidate],
    part: &mut ProcessPart,
) -> Result<()> {
    let run = scope.window();
    let nothing = scope.catalog().values.len() as u32;
    let mut filling = Filling { lookup, calls, next: 0, time: run.from, until: run.to, part };
    if let Some(track) = main {
        // The states that are open, outermost first.
        let mut open: Vec<(Ticks, u32)> = Vec::new();
        scope.store().visit_track_states(track, run, 0, |depth, _, state| {
            while open.len() > depth {
                let (end, value) = open[open.len() - 1];
                filling.go_to(end, value);
                open.pop();
            }
            let around = open.last().map_or(nothing, |(_, value)| *value);
            filling.go_to(state.start, around);
            open.push((state.end, state.value.0));
        })?;
        while let Some((end, value)) = open.pop() {
            filling.go_to(end, value);
        }
    }
    let end = filling.time;
    filling.go_to(run.to, nothing);
    filling.calls_until(run.to);
    part.end = end.max(calls.last().map_or(Ticks::MIN, |call| call.leave)).min(run.to);
    Ok(())
}

/// Cuts what a process did at its calls.
struct Filling<'a> {
    lookup: &'a Lookup,
    calls: &'a [Candidate],
    next: usize,
    /// Everything before this is filled.
    time: Ticks,
    until: Ticks,
    part: &'a mut ProcessPart,
}

impl Filling<'_> {
    /// The process did something from where it was until a time.
    fn go_to(&mut self, to: Ticks, value: u32) {
        let to = to.min(self.until);
        let mut piece = self.time;
        while self.time < to {
            let next = self.calls.get(self.next).map_or(Ticks::MAX, begin_of);
            let end = to.min(next);
            if end > self.time {
                self.part.process.push_work(value, end - self.time);
                self.time = end;
            }
            // Whoever sets another free goes on with the same piece of work.
            let goes_on = self.time < to && self.has_only_instants(self.time);
            if !goes_on && self.time > piece && self.lookup.useful[value as usize] {
                self.part.bins.push(piece, self.time, value);
            }
            self.calls_until(self.time);
            piece = if goes_on { piece } else { self.time };
        }
    }

    /// Are the calls that begin at a time nothing but instants?
    fn has_only_instants(&self, time: Ticks) -> bool {
        let calls = self.calls[self.next..].iter();
        calls.take_while(|call| begin_of(call) <= time).all(|call| call.is_instant)
    }

    /// Takes the calls that begin here, and goes on at their ends.
    fn calls_until(&mut self, time: Ticks) {
        while let Some(call) = self.calls.get(self.next).filter(|call| begin_of(call) <= time) {
            let CallShape { part, blocks, .. } = call.shape;
            self.part.process.push_call(Call {
                enter: begin_of(call),
                leave: call.leave,
                value: call.value.0,
                awaits_messages: blocks
                    && !matches!(part, CallPart::Send | CallPart::Collective(_)),
                awaits_receivers: blocks && matches!(part, CallPart::Send | CallPart::Exchange),
            });
            self.time = self.time.max(call.leave);
            self.next += 1;
        }
    }
}
