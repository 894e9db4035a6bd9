//! A trace as a program whose processes wait for each other.

use onca_aggregate::findings::TimeBins;
use onca_aggregate::waits::{CallId, Collective, CollectiveKind, Message, Messages, Program};
use onca_model::{ContainerId, Nature, Ticks, ValueId, Window};
use onca_query::{CallPart, CallShape, CollectiveShape, Scope, compare_names, container_path};
use rayon::prelude::*;
use serde::Serialize;

use super::calls::{Draft, draft};
use super::ends::{Direction, LinkOrder, Links};
use super::lookup::Lookup;
use super::process::{CallsOfLinks, Membership, Memberships, Needs, ProcessPart, finish};
use crate::Result;
use crate::operations::{How, MemberCall, Operations};

/// What was looked at, and what could not be.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Examined {
    /// Messages whose two ends lie in calls.
    pub messages: u64,
    /// Messages of which one end lies in no call.
    pub without_call: u64,
    /// Links with only one end.
    pub halves: u64,
    /// Links from or to containers that are no processes.
    pub elsewhere: u64,
    /// Messages whose receive ended before their sending began: clocks disagree.
    pub backward: u64,
    /// Collective operations that the trace numbers.
    pub operations: u64,
    /// Collective operations whose members were found by counting.
    pub assumed_operations: u64,
    /// Operations whose root is assumed from who left when.
    pub assumed_roots: u64,
    /// Calls of collective operations that fit no operation.
    pub unpaired: u64,
    /// Waits that were taken for the beginning of the receive after them.
    pub joined_waits: u64,
    /// Calls that had to go on without what they waited for, because each waited for another.
    pub forced: u64,
    /// What a process does outside of all states is taken for useful work.
    pub useful_outside: bool,
}

/// A trace as a program.
pub(super) struct Gathered {
    pub program: Program,
    /// The container of each process.
    pub containers: Vec<ContainerId>,
    /// When each process did something last.
    pub ends: Vec<Ticks>,
    /// The useful work of each process by time.
    pub bins: Vec<TimeBins>,
    pub examined: Examined,
}

/// Gathers all of a trace, whatever the window of the scope is: who met whom before matters.
pub(super) fn gather_program(scope: &Scope<'_>) -> Result<Gathered> {
    let facts = &scope.catalog().facts;
    let run = Window { from: facts.start, to: facts.end };
    let scope = scope.during(run);
    let containers = processes(&scope);
    let mut process_of = vec![None; scope.catalog().containers.len()];
    for (process, container) in (0u32..).zip(&containers) {
        process_of[container.index()] = Some(process);
    }
    // Processes are read twice; all other passes take about as long as reading them once does.
    if let Some(progress) = scope.store().progress() {
        progress.begin(3 * containers.len() as u64);
    }
    let lookup = Lookup::new(&scope);
    let links = Links::collect(&scope, &process_of)?;
    let (mut parts, frees) = parts(&scope, &lookup, &containers, &links)?;
    scope.store().go_on()?;
    let mut examined = Examined {
        halves: links.n_halves,
        elsewhere: links.n_elsewhere,
        joined_waits: parts.iter().map(|part| part.n_joined).sum(),
        useful_outside: lookup.useful.last() == Some(&true),
        ..Examined::default()
    };
    let ends = parts.iter().map(|part| part.end).collect();
    let none = TimeBins::new(run, 1);
    let bins = parts.iter_mut().map(|part| std::mem::replace(&mut part.bins, none.clone()));
    let mut bins: Vec<TimeBins> = bins.collect();
    let mut program = Program {
        run,
        useful: lookup.useful.clone(),
        processes: parts.iter_mut().map(|part| std::mem::take(&mut part.process)).collect(),
        messages: Messages::default(),
        collectives: Vec::new(),
    };
    program.messages = messages(&links, &mut parts, &frees);
    examined.messages = program.messages.len() as u64;
    examined.without_call = links.len() as u64 - examined.messages;
    drop((links, frees));
    let memberships = parts.into_iter().map(|part| part.memberships).collect::<Vec<_>>();
    let backward = |at: &usize| {
        let sent = program.enter(program.messages.send(*at));
        program.leave(program.messages.receive(*at)) < sent
    };
    examined.backward = (0..program.messages.len()).filter(backward).count() as u64;
    scope.store().go_on()?;
    let members = Members { scope: &scope, lookup: &lookup, program: &program };
    let mut collectives = members.collectives(&containers, &memberships, &mut examined);
    for collective in &mut collectives {
        assume_root(&program, collective, &mut examined);
    }
    program.collectives = collectives;
    if !TimeBins::are_needed(&program) {
        bins = Vec::new();
    }
    Ok(Gathered { program, containers, ends, bins, examined })
}

/// The messages whose two ends lie in calls, by receiver and call.
fn messages(links: &Links, parts: &mut [ProcessPart], frees: &[bool]) -> Messages {
    let sent = by_link(links.len(), parts, |part| &mut part.sent);
    let asked = by_link(links.len(), parts, |part| &mut part.asked);
    let completed = by_link(links.len(), parts, |part| &mut part.completed);
    let call_of = |calls: &[u32], link: u32| {
        calls.get(link as usize).copied().filter(|call| *call != NO_CALL)
    };
    let mut messages = Messages::default();
    for (process, part) in (0u32..).zip(parts) {
        let received = std::mem::take(&mut part.received);
        let mut received: Vec<(u32, u32)> =
            received.iter().map(|(link, call)| (call, link)).collect();
        received.sort_unstable();
        for (call, link) in received {
            let Some(send) = call_of(&sent, link) else { continue };
            let ends = links.get(link as usize);
            messages.push(Message {
                send: CallId { process: ends.from, call: send },
                receive: CallId { process, call },
                asked: call_of(&asked, link),
                completed: call_of(&completed, link),
                unblocks: frees.get(link as usize) == Some(&true),
                travel: links.travel(link as usize),
                size: ends.size,
            });
        }
    }
    messages.shrink_to_fit();
    messages
}

/// One of the steps is done that whoever watches counts.
fn step(scope: &Scope<'_>) {
    if let Some(progress) = scope.store().progress() {
        progress.step();
    }
}

/// What was found of each process, and for each link whether it only sets somebody free; nothing where no link does.
fn parts(
    scope: &Scope<'_>,
    lookup: &Lookup,
    containers: &[ContainerId],
    links: &Links,
) -> Result<(Vec<ProcessPart>, Vec<bool>)> {
    let n_bins = TimeBins::number_for(containers.len());
    let order = LinkOrder::new(links, containers.len());
    let drafted = |(process, container): (usize, &ContainerId)| {
        let made = draft(scope, lookup, *container, &order.of(process as u32));
        step(scope);
        made
    };
    let finished = |draft, needs| {
        let made = finish(scope, lookup, draft, needs, n_bins);
        step(scope);
        made
    };
    let all = containers.par_iter().enumerate();
    // Calls before they are chosen take four times the memory of a process: most programs need those of one at a time.
    if lookup.has_library && !links.tell_times() {
        let alone = all.map(|it| {
            let draft = drafted(it)?;
            let needs = own_needs(&draft);
            finished(draft, needs)
        });
        return Ok((alone.collect::<Result<_>>()?, Vec::new()));
    }
    let mut drafts: Vec<Draft> = all.map(drafted).collect::<Result<_>>()?;
    let (needs, frees) = needs(links, lookup, &mut drafts);
    let both = drafts.into_par_iter().zip(needs);
    let parts = both.map(|(draft, needs)| finished(draft, needs)).collect::<Result<_>>()?;
    Ok((parts, frees))
}

/// The place of no call.
const NO_CALL: u32 = u32::MAX;

/// For each link its call in one of the lists of processes, which are emptied; nothing where these are empty.
fn by_link(
    n_links: usize,
    parts: &mut [ProcessPart],
    list: impl Fn(&mut ProcessPart) -> &mut CallsOfLinks,
) -> Vec<u32> {
    let are_any = parts.iter_mut().any(|part| !list(part).is_empty());
    let mut calls = vec![NO_CALL; if are_any { n_links } else { 0 }];
    for part in parts {
        for (link, call) in std::mem::take(list(part)).iter() {
            calls[link as usize] = call;
        }
    }
    calls
}

/// What a process needs where all that it waits for is asked for by the calls that wait: what [`needs`] finds then.
fn own_needs(draft: &Draft) -> Needs {
    let asks = |&(link, direction, call): &(u32, Direction, Option<usize>)| {
        let call = call.filter(|call| direction == Direction::In && draft.asks(*call))?;
        Some((link, call))
    };
    Needs { asked: draft.chosen.iter().filter_map(asks).collect(), ..Needs::default() }
}

/// What the processes need of each other, and for each link whether it only sets somebody free.
fn needs(links: &Links, lookup: &Lookup, drafts: &mut [Draft]) -> (Vec<Needs>, Vec<bool>) {
    let mut calls = vec![(None, None); links.len()];
    for draft in &*drafts {
        for &(link, direction, call) in &draft.chosen {
            match direction {
                Direction::Out => calls[link as usize].0 = call,
                Direction::In => calls[link as usize].1 = call,
            }
        }
    }
    let mut needs: Vec<Needs> = drafts.iter().map(|_| Needs::default()).collect();
    let mut frees = vec![false; links.len()];
    for (at, (send, receive)) in (0u32..).zip(calls) {
        let link = links.get(at as usize);
        let told = links.told(at as usize);
        let Some(receive) = receive else { continue };
        let receiver = &mut drafts[link.to as usize];
        if !lookup.has_library && receiver.is_blocked(receive) {
            frees[at as usize] = send.is_none() || receiver.is_idle(receive);
            if send.is_none() {
                needs[link.from as usize].instants.push((link.start, at));
            }
        }
        // A receive that waits asks when it begins; what a wait ends was asked for earlier.
        let asked = match receiver.asks(receive) {
            true => Some(receive),
            false => told.posted.and_then(|posted| receiver.call_that_asked(posted)),
        };
        needs[link.to as usize].asked.extend(asked.map(|call| (at, call)));
        let sender = &mut drafts[link.from as usize];
        let completed = told.completed.and_then(|time| sender.call_that_completed(time));
        needs[link.from as usize].completed.extend(completed.map(|call| (at, call)));
    }
    (needs, frees)
}

/// The containers that have states, in the natural order of their paths: that of their ranks. Where states have roles, what
/// has none that has one is no process: a semaphore, a lock.
pub(crate) fn processes(scope: &Scope<'_>) -> Vec<ContainerId> {
    let catalog = scope.catalog();
    let mut has_roles = vec![false; catalog.types.len()];
    for (id, value) in (0u32..).zip(&catalog.values) {
        has_roles[value.type_id.index()] |= scope.role(ValueId(id)).is_some();
    }
    let tracks = || scope.tracks(Nature::State).map(|(_, track, _)| track);
    let any_has = tracks().any(|track| has_roles[track.type_id.index()]);
    let mut found: Vec<ContainerId> = tracks()
        .filter(|track| !any_has || has_roles[track.type_id.index()])
        .map(|track| track.container)
        .collect();
    found.sort_unstable();
    found.dedup();
    let containers = &scope.catalog().containers;
    let mut named: Vec<(String, ContainerId)> =
        found.into_iter().map(|id| (container_path(containers, id), id)).collect();
    named.sort_by(|(a, first), (b, second)| {
        compare_names(a.as_bytes(), b.as_bytes()).then(first.cmp(second))
    });
    named.into_iter().map(|(_, id)| id).collect()
}

/// Puts the calls of collective operations together.
struct Members<'a> {
    scope: &'a Scope<'a>,
    lookup: &'a Lookup,
    program: &'a Program,
}

impl Members<'_> {
    /// The collective operations, with members in order of process. Members that were only there at the same time may be of
    /// different operations: nobody is said to have waited for another then.
    fn collectives(
        &self,
        containers: &[ContainerId],
        memberships: &[Memberships],
        examined: &mut Examined,
    ) -> Vec<Collective> {
        let of_process = |(process, own): (u32, &Memberships)| {
            (0..own.len() as u32).map(move |at| (process, at))
        };
        let members: Vec<(u32, u32)> = (0u32..).zip(memberships).flat_map(of_process).collect();
        let member = |at: u32| {
            let (process, at) = members[at as usize];
            let told = memberships[process as usize].get(at as usize);
            (CallId { process, call: told.call }, told)
        };
        let call = |at: u32| {
            let (id, told) = member(at);
            self.member_call(containers, id, told)
        };
        let grouped = Operations::of(members.len(), &call);
        let mut found: Vec<Collective> = Vec::new();
        for (range, how) in grouped.groups {
            let calls = &grouped.calls[range];
            let made = match how {
                How::Guessed => None,
                _ => self.operation(calls.iter().map(|at| member(*at))),
            };
            match (made, how) {
                (None, _) => examined.unpaired += calls.len() as u64,
                (Some(collective), how) => {
                    match how {
                        How::Told => examined.operations += 1,
                        _ => examined.assumed_operations += 1,
                    }
                    found.push(collective);
                }
            }
        }
        // Numbers of communicators depend on who came first; the calls of members do not.
        found.sort_by_key(|collective| collective.members.first().copied());
        found
    }

    fn member_call(&self, containers: &[ContainerId], id: CallId, told: Membership) -> MemberCall {
        let call = self.program.call(id);
        let value = ValueId(call.value);
        let (of_threads, meets) = self.lookup.shape(value).map_or((false, false), |shape| {
            (shape.of_threads, collective_shape(shape).is_some_and(CollectiveShape::meets))
        });
        // Threads meet those of their own process: what they have in common is their parent.
        let parent = self.scope.catalog().containers.get(containers[id.process as usize]).parent;
        MemberCall {
            member: id.process,
            family: if of_threads { parent.0 + 1 } else { 0 },
            value,
            start: call.enter,
            end: call.leave,
            told: told.operation,
            meets,
        }
    }

    /// One operation; `None` where its members do different things.
    fn operation(
        &self,
        members: impl Iterator<Item = (CallId, Membership)> + Clone,
    ) -> Option<Collective> {
        let shape = |(id, _): (CallId, Membership)| {
            collective_shape(self.lookup.shape(ValueId(self.program.call(id).value))?)
        };
        let mut shapes = members.clone().map(shape);
        let first = shapes.next()??;
        if shapes.any(|other| other != Some(first)) {
            return None;
        }
        Some(Collective {
            kind: match first {
                CollectiveShape::Barrier => CollectiveKind::Barrier,
                CollectiveShape::AllToAll => CollectiveKind::AllToAll,
                CollectiveShape::OneToAll => CollectiveKind::OneToAll,
                CollectiveShape::AllToOne => CollectiveKind::AllToOne,
                CollectiveShape::Scan => CollectiveKind::Scan,
            },
            root: members.clone().find_map(|(_, told)| told.root),
            members: members.map(|(id, _)| id).collect(),
        })
    }
}

/// What members of a collective operation wait for, if a call is one.
fn collective_shape(shape: CallShape) -> Option<CollectiveShape> {
    match shape.part {
        CallPart::Collective(shape) => shape,
        _ => None,
    }
}

/// Where the trace does not tell the root, who left when may: nobody leaves a broadcast before its root has come, and nobody
/// but the root has to stay until the last has come to a reduction.
fn assume_root(program: &Program, collective: &mut Collective, examined: &mut Examined) {
    if collective.root.is_some() {
        return;
    }
    let call = |place: usize| program.call(collective.members[place]);
    let places = 0..collective.members.len();
    let root = match collective.kind {
        CollectiveKind::OneToAll => {
            let first_leave = places.clone().map(|place| call(place).leave).min();
            let may_be = places.filter(|&place| Some(call(place).enter) <= first_leave);
            may_be.max_by_key(|&place| (call(place).enter, std::cmp::Reverse(place)))
        }
        CollectiveKind::AllToOne => {
            let last_enter = places.clone().map(|place| call(place).enter).max();
            let mut stay = places.filter(|&place| Some(call(place).leave) >= last_enter);
            let first = stay.next();
            // Whoever comes last may leave at once, and so be the one that stays.
            match stay.next() {
                None => first,
                Some(second) => {
                    let early: Vec<usize> = first
                        .into_iter()
                        .chain([second])
                        .chain(stay)
                        .filter(|&place| Some(call(place).enter) < last_enter)
                        .collect();
                    (early.len() == 1).then(|| early[0])
                }
            }
        }
        _ => return,
    };
    collective.root = root.map(|place| place as u32);
    examined.assumed_roots += u64::from(root.is_some());
}
