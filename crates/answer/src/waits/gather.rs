//! A trace as a program whose processes wait for each other.

use onca_aggregate::findings::TimeBins;
use onca_aggregate::waits::{CallId, Collective, CollectiveKind, MaybeCall, Message, Program};
use onca_model::{ContainerId, Nature, Ticks, ValueId, Window};
use onca_query::{CollectiveShape, Scope, compare_names, container_path};
use rayon::prelude::*;
use serde::Serialize;

use super::calls::{Draft, draft};
use super::ends::{Direction, Links};
use super::lookup::Lookup;
use super::process::{Membership, Needs, ProcessPart, finish};
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
    let mut links = Links::collect(&scope, &process_of)?;
    let (mut parts, frees) = parts(&scope, &lookup, &containers, &links)?;
    links.forget_order();
    let mut examined = Examined {
        halves: links.n_halves,
        elsewhere: links.n_elsewhere,
        joined_waits: parts.iter().map(|part| part.n_joined).sum(),
        useful_outside: lookup.useful.last() == Some(&true),
        ..Examined::default()
    };
    let n_links = links.links.len();
    let sent = by_link(n_links, &mut parts, |part| &mut part.sent);
    let received = by_link(n_links, &mut parts, |part| &mut part.received);
    let asked = by_link(n_links, &mut parts, |part| &mut part.asked);
    let completed = by_link(n_links, &mut parts, |part| &mut part.completed);
    let memberships = parts.iter().map(|part| part.memberships.as_slice()).collect::<Vec<_>>();
    let mut collectives = collectives(&scope, &containers, &memberships, &mut examined);
    let ends = parts.iter().map(|part| part.end).collect();
    let none = TimeBins::new(run, 1);
    let bins = parts.iter_mut().map(|part| std::mem::replace(&mut part.bins, none.clone()));
    let bins = bins.collect();
    let mut program = Program {
        run,
        useful: lookup.useful.clone(),
        processes: parts.into_iter().map(|part| part.process).collect(),
        messages: Vec::new(),
        collectives: Vec::new(),
    };
    for collective in &mut collectives {
        assume_root(&program, collective, &mut examined);
    }
    program.collectives = collectives;
    for (at, link) in links.links.iter().enumerate() {
        let (Some(send), Some(receive)) = (sent[at].place(), received[at].place()) else {
            examined.without_call += 1;
            continue;
        };
        let send = CallId { process: link.from, call: send };
        let receive = CallId { process: link.to, call: receive };
        let call = program.call(receive);
        examined.backward += u64::from(call.leave < program.call(send).enter);
        program.messages.push(Message {
            send,
            receive,
            asked: asked[at],
            completed: completed[at],
            unblocks: frees.get(at) == Some(&true),
            travel: links.travel(at),
            size: link.size,
        });
    }
    drop((links, sent, received, asked, completed));
    program.messages.sort_by_key(|message| message.receive);
    examined.messages = program.messages.len() as u64;
    Ok(Gathered { program, containers, ends, bins, examined })
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
    let drafted = |(process, container): (usize, &ContainerId)| {
        let made = draft(scope, lookup, *container, &links.of(process as u32));
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

/// For each link its call in one of the lists of processes, which are emptied.
fn by_link(
    n_links: usize,
    parts: &mut [ProcessPart],
    list: impl Fn(&mut ProcessPart) -> &mut Vec<(u32, u32)>,
) -> Vec<MaybeCall> {
    let mut calls = vec![MaybeCall::NONE; n_links];
    for part in parts {
        for (link, call) in std::mem::take(list(part)) {
            calls[link as usize] = call.into();
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
    let mut calls = vec![(None, None); links.links.len()];
    for draft in &*drafts {
        for &(link, direction, call) in &draft.chosen {
            match direction {
                Direction::Out => calls[link as usize].0 = call,
                Direction::In => calls[link as usize].1 = call,
            }
        }
    }
    let mut needs: Vec<Needs> = drafts.iter().map(|_| Needs::default()).collect();
    let mut frees = vec![false; links.links.len()];
    for ((at, link), (send, receive)) in (0u32..).zip(&links.links).zip(calls) {
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

/// A call of an operation, and what it tells of it.
type Member<'a> = (CallId, &'a Membership);

/// The collective operations, with members in order of process. Members that were only there at the same time may be of
/// different operations: nobody is said to have waited for another then.
fn collectives(
    scope: &Scope<'_>,
    containers: &[ContainerId],
    memberships: &[&[Membership]],
    examined: &mut Examined,
) -> Vec<Collective> {
    let mut members: Vec<Member<'_>> = Vec::new();
    for (process, own) in (0u32..).zip(memberships) {
        members.extend(own.iter().map(|it| (CallId { process, call: it.call }, it)));
    }
    // Threads meet those of their own process: what they have in common is their parent.
    let family =
        |process: u32| scope.catalog().containers.get(containers[process as usize]).parent.0 + 1;
    let call = |(id, it): &Member<'_>| MemberCall {
        member: id.process,
        family: if it.of_threads { family(id.process) } else { 0 },
        value: it.value,
        start: it.start,
        end: it.end,
        told: it.operation,
        meets: it.shape.meets(),
    };
    let grouped = Operations::of(&members.iter().map(call).collect::<Vec<_>>());
    let mut found: Vec<Collective> = Vec::new();
    for (range, how) in grouped.groups {
        let calls: Vec<Member<'_>> =
            grouped.calls[range].iter().map(|at| members[*at as usize]).collect();
        let made = if how == How::Guessed { None } else { operation(&calls) };
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

/// One operation; `None` where its members do different things.
fn operation(members: &[Member<'_>]) -> Option<Collective> {
    let (_, first) = members.first()?;
    if members.iter().any(|(_, other)| other.shape != first.shape) {
        return None;
    }
    Some(Collective {
        kind: match first.shape {
            CollectiveShape::Barrier => CollectiveKind::Barrier,
            CollectiveShape::AllToAll => CollectiveKind::AllToAll,
            CollectiveShape::OneToAll => CollectiveKind::OneToAll,
            CollectiveShape::AllToOne => CollectiveKind::AllToOne,
            CollectiveShape::Scan => CollectiveKind::Scan,
        },
        root: members.iter().find_map(|(_, membership)| membership.root),
        members: members.iter().map(|(id, _)| *id).collect(),
    })
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
