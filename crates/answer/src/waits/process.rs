//! The calls of one process, and what it did between them.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use onca_aggregate::findings::TimeBins;
use onca_aggregate::waits::{Call, Process};
use onca_model::{ContainerId, FieldId, LaneId, Nature, StateRow, Ticks, ValueId, extra_fields};
use onca_query::{CallPart, CallShape, CollectiveShape, Role, Scope};
use onca_store::TrackId;

use super::ends::{Direction, Ends};
use crate::Result;
use crate::efficiency::is_useful;
use crate::operations::CommunicatorNumbers;

/// What is looked up once for all processes.
pub(super) struct Lookup {
    /// How each value communicates.
    pub shapes: Vec<Option<CallShape>>,
    /// For each type: are its states calls?
    pub call_types: Vec<bool>,
    /// For each type: do its states tell which operation a call is part of?
    pub operation_types: Vec<bool>,
    pub instance: Option<FieldId>,
    pub communicator: Vec<FieldId>,
    pub root: Option<FieldId>,
    /// A wait without a message may be for one that was sent.
    pub has_begun_sends: bool,
    /// The program calls a library for messages: who does not call it sends nothing.
    pub has_library: bool,
    /// Which values are useful work, and at the end whether what is outside of all states is.
    pub useful: Vec<bool>,
    communicators: Mutex<CommunicatorNumbers>,
}

impl Lookup {
    pub fn new(scope: &Scope<'_>) -> Self {
        let catalog = scope.catalog();
        let shapes: Vec<Option<CallShape>> = (0..catalog.values.len() as u32)
            .map(|id| CallShape::of(scope.role(ValueId(id))?, &catalog.value(ValueId(id)).name))
            .collect();
        let of_type = |at: usize| {
            let values = catalog.values.iter().enumerate();
            values.filter(move |(_, value)| value.type_id.index() == at).map(|(id, _)| shapes[id])
        };
        let is_state = |at: usize| catalog.types[at].nature == Nature::State;
        let types = 0..catalog.types.len();
        // Some writers define values of a library that the program does not use.
        let mut has_states = vec![false; catalog.types.len()];
        scope
            .tracks(Nature::State)
            .for_each(|(_, track, _)| has_states[track.type_id.index()] = true);
        let of_library: Vec<bool> = types
            .clone()
            .map(|at| has_states[at] && of_type(at).flatten().any(|shape| shape.of_library))
            .collect();
        let has_library = of_library.contains(&true);
        let is_collective =
            |shape: &CallShape| matches!(shape, CallShape { part: CallPart::Collective(_), .. });
        let field = |name: &str| {
            let found = catalog
                .fields
                .iter()
                .position(|field| field.name.eq_ignore_ascii_case(name.as_bytes()));
            found.map(|at| FieldId(at as u32))
        };
        let instance = field("instance");
        let operation_types = types
            .clone()
            .map(|at| {
                let may_tell = instance.is_some() && is_state(at) && !of_library[at];
                let mut shapes = of_type(at).flatten();
                may_tell
                    && shapes.next().is_some_and(|it| is_collective(&it))
                    && shapes.all(|it| is_collective(&it))
            })
            .collect();
        let begins_send = |shape: &CallShape| shape.part == CallPart::Send && !shape.blocks;
        Self {
            call_types: types
                .map(|at| if has_library { of_library[at] } else { is_state(at) })
                .collect(),
            operation_types,
            instance,
            communicator: ["communicator", "comm"].into_iter().filter_map(field).collect(),
            root: field("root"),
            has_begun_sends: shapes.iter().flatten().any(begins_send),
            has_library,
            useful: useful(scope, has_library),
            communicators: Mutex::default(),
            shapes,
        }
    }

    /// A number that stands for a communicator.
    fn number_of(&self, communicator: &[u8]) -> u32 {
        self.communicators.lock().unwrap_or_else(PoisonError::into_inner).get(communicator)
    }

    fn shape(&self, value: ValueId) -> Option<CallShape> {
        self.shapes[value.index()]
    }
}

/// Which values are the work that the program is for, and at the end whether what is outside of all states is.
fn useful(scope: &Scope<'_>, has_library: bool) -> Vec<bool> {
    let catalog = scope.catalog();
    let roles: Vec<Option<Role>> =
        (0..catalog.values.len() as u32).map(|id| scope.role(ValueId(id))).collect();
    let of_states =
        |id: &usize| catalog.type_def(catalog.values[*id].type_id).nature == Nature::State;
    // In a program that passes messages, functions of any name are its work.
    let is_work = |id: usize| is_useful(roles[id]) || has_library && roles[id].is_none();
    let mut useful: Vec<bool> = (0..roles.len()).map(|id| of_states(&id) && is_work(id)).collect();
    useful.push(has_library && !useful.contains(&true));
    useful
}

/// A collective operation as one member tells of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Membership {
    /// The place of the call among those that are kept.
    pub call: u32,
    pub shape: CollectiveShape,
    pub value: ValueId,
    pub start: Ticks,
    pub end: Ticks,
    /// Only threads of one process take part in it.
    pub of_threads: bool,
    /// The operation, where the trace tells it.
    pub operation: Option<OperationId>,
    pub root: Option<u32>,
}

/// A collective operation: a number that stands for its communicator, and its number there.
pub(super) type OperationId = (u32, u64);

/// The calls of a process, while it is not known what ends of links elsewhere need of it.
pub(super) struct Draft {
    /// The track that covers most time.
    main: Option<TrackId>,
    candidates: Vec<Candidate>,
    /// For each end of a link the place of its call among the candidates.
    pub chosen: Vec<(u32, Direction, Option<usize>)>,
}

impl Draft {
    /// Can the call at a place be ended by somebody who is in no call?
    pub fn is_blocked(&self, call: usize) -> bool {
        let CallShape { part, blocks, .. } = self.candidates[call].shape;
        blocks && matches!(part, CallPart::Wait | CallPart::Idle)
    }

    /// Does the process have nothing to do in the call at a place?
    pub fn is_idle(&self, call: usize) -> bool {
        self.candidates[call].shape.part == CallPart::Idle
    }

    /// Does the call at a place ask for what it receives?
    pub fn asks(&self, call: usize) -> bool {
        !matches!(self.candidates[call].shape.part, CallPart::Wait | CallPart::Idle)
    }

    /// The call that asked for a message at a time. It is needed from now on.
    pub fn call_that_asked(&mut self, time: Ticks) -> Option<usize> {
        let asks = |at: &usize| {
            matches!(self.candidates[*at].shape.part, CallPart::Receive | CallPart::Exchange)
        };
        // Where one ends when the next begins, it may be either; the trace tells the beginning more often than the end.
        let call = under_way(&self.candidates, time).rev().find(asks)?;
        self.candidates[call].is_needed = true;
        Some(call)
    }

    /// The call that waited until a message was taken, and ended at a time. It is needed from now on.
    pub fn call_that_completed(&mut self, time: Ticks) -> Option<usize> {
        let waits = |at: &usize| {
            let CallShape { part, blocks, .. } = self.candidates[*at].shape;
            blocks && part == CallPart::Wait
        };
        let call = under_way(&self.candidates, time).find(waits)?;
        self.candidates[call].is_needed = true;
        Some(call)
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
    /// For each link end the place of its call among those that are kept.
    pub ends: Vec<(u32, Direction, Option<u32>)>,
    /// For each link that a call asked for before it waited the place of that call.
    pub asked: Vec<(u32, u32)>,
    /// For each link that was sent before a call waited until it was taken the place of that call.
    pub completed: Vec<(u32, u32)>,
    pub memberships: Vec<Membership>,
    /// Waits that were taken for the beginning of the receive after them.
    pub n_joined: u64,
}

/// A call while it is not known whether anybody waits for it.
struct Candidate {
    enter: Ticks,
    leave: Ticks,
    value: ValueId,
    shape: CallShape,
    operation: Option<OperationId>,
    root: Option<u32>,
    n_sent: u32,
    n_received: u32,
    /// It asked for messages that a later call receives, or waited for those that an earlier one sent.
    is_needed: bool,
    /// The process was in no call: it set somebody free.
    is_instant: bool,
    /// What was done outside of calls is told by other states, which would take the time of this call for work.
    is_beside: bool,
    /// Where the wait begins that it is the end of.
    waits_since: Option<Ticks>,
}

impl Candidate {
    fn new(state: &StateRow, shape: CallShape, told: Told) -> Self {
        Self {
            enter: state.start,
            leave: state.end,
            value: state.value,
            shape,
            operation: told.operation,
            root: told.root,
            n_sent: 0,
            n_received: 0,
            is_needed: false,
            is_instant: false,
            is_beside: false,
            waits_since: None,
        }
    }

    /// A process sets another free while it is in no call.
    fn instant(time: Ticks, outside: ValueId) -> Self {
        Self {
            enter: time,
            leave: time,
            value: outside,
            shape: CallShape {
                part: CallPart::Send,
                blocks: false,
                of_library: false,
                of_threads: false,
            },
            operation: None,
            root: None,
            n_sent: 1,
            n_received: 0,
            is_needed: false,
            is_instant: true,
            is_beside: false,
            waits_since: None,
        }
    }

    fn is_collective(&self) -> Option<CollectiveShape> {
        match self.shape.part {
            CallPart::Collective(shape) if self.shape.blocks => shape,
            _ => None,
        }
    }

    fn is_kept(&self) -> bool {
        self.n_sent > 0
            || self.n_received > 0
            || self.is_needed
            || self.is_beside
            || self.is_collective().is_some()
    }
}

/// Finds the calls of a process, with the ends of links in them.
pub(super) fn draft(
    scope: &Scope<'_>,
    lookup: &Lookup,
    container: ContainerId,
    ends: &Ends<'_>,
) -> Result<Draft> {
    let tracks = state_tracks(scope, container);
    let main = main_track(scope, &tracks)?;
    let mut candidates = candidates(scope, lookup, &tracks, main)?;
    add_operations(scope, lookup, &tracks, &mut candidates)?;
    let chosen = ends
        .iter()
        .map(|end| {
            let call = choose(&candidates, end.time, end.direction);
            if let Some(call) = call {
                match end.direction {
                    Direction::Out => candidates[call].n_sent += 1,
                    Direction::In => candidates[call].n_received += 1,
                }
            }
            (end.link, end.direction, call)
        })
        .collect();
    Ok(Draft { main, candidates, chosen })
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
        ends: Vec::new(),
        asked: Vec::new(),
        completed: Vec::new(),
        memberships: Vec::new(),
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
    part.ends = chosen.into_iter().map(|(link, side, call)| (link, side, place_of(call))).collect();
    let instants = needs.instants.iter().zip(first_instant..);
    part.ends.extend(instants.map(|((_, link), at)| (*link, Direction::Out, place_of(Some(at)))));
    let of_links = |calls: Vec<(u32, usize)>| -> Vec<(u32, u32)> {
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
        if let Some(shape) = candidate.is_collective() {
            part.memberships.push(Membership {
                call,
                shape,
                value: candidate.value,
                start: candidate.enter,
                end: candidate.leave,
                of_threads: candidate.shape.of_threads,
                operation: candidate.operation,
                root: candidate.root,
            });
        }
    }
    fill(scope, (lookup, main), &candidates, &mut part)?;
    Ok(part)
}

/// The places of candidates in order of time. Instants stand behind the calls; at one time a call that has ended comes before
/// an instant, and one that begins after it.
fn in_order(candidates: &[Candidate]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&at| (begin_of(&candidates[at]), candidates[at].leave));
    order
}

/// The seen tracks of states of a container.
fn state_tracks(scope: &Scope<'_>, container: ContainerId) -> Vec<TrackId> {
    let tracks = scope.store().tracks();
    let is_seen = |id: &TrackId| {
        tracks.get(*id).is_some_and(|track| {
            let is_state = scope.catalog().type_def(track.type_id).nature == Nature::State;
            is_state && scope.sees_in(track.type_id, track.container)
        })
    };
    tracks.of_container(container).map(TrackId).filter(is_seen).collect()
}

/// The outermost states that communicate, in order of time; none overlaps another.
fn candidates(
    scope: &Scope<'_>,
    lookup: &Lookup,
    tracks: &[TrackId],
    main: Option<TrackId>,
) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for &track in tracks {
        let Some(of) = scope.store().tracks().get(track) else { continue };
        if !lookup.call_types[of.type_id.index()] {
            continue;
        }
        let mut texts = Texts::new(scope, lookup, track);
        let mut until = Ticks::MIN;
        scope.visit_states(track, |depth, row, state| -> Result<()> {
            let Some(shape) = lookup.shape(state.value) else { return Ok(()) };
            // Who passes messages is not idle for want of them.
            if lookup.has_library && shape.part == CallPart::Idle {
                return Ok(());
            }
            if depth > 0 && state.start < until {
                return Ok(());
            }
            until = state.end;
            let told = match shape.part {
                CallPart::Collective(Some(_)) => texts.get(depth, row)?,
                _ => Told::default(),
            };
            let is_beside = lookup.has_library && main != Some(track);
            found.push(Candidate { is_beside, ..Candidate::new(state, shape, told) });
            Ok(())
        })??;
    }
    Ok(without_overlap(found))
}

/// Sorts candidates by time, and leaves out what overlaps one before it.
fn without_overlap(mut found: Vec<Candidate>) -> Vec<Candidate> {
    if !found.is_sorted_by_key(|it| (it.enter, it.leave)) {
        found.sort_by_key(|it| (it.enter, it.leave));
    }
    let mut until = Ticks::MIN;
    found.retain(|it| {
        let is_free = it.enter >= until;
        until = until.max(it.leave);
        is_free
    });
    found
}

/// What states of operations tell is put to the calls that they are in; where there is none they are calls themselves.
fn add_operations(
    scope: &Scope<'_>,
    lookup: &Lookup,
    tracks: &[TrackId],
    candidates: &mut Vec<Candidate>,
) -> Result<()> {
    let mut alone = Vec::new();
    for &track in tracks {
        let Some(of) = scope.store().tracks().get(track) else { continue };
        if !lookup.operation_types[of.type_id.index()] || lookup.call_types[of.type_id.index()] {
            continue;
        }
        let mut texts = Texts::new(scope, lookup, track);
        scope.visit_states(track, |depth, row, state| -> Result<()> {
            let told = texts.get(depth, row)?;
            let before = candidates.partition_point(|it| it.enter <= state.start);
            let around = before.checked_sub(1).filter(|at| candidates[*at].leave >= state.end);
            match around {
                Some(at) => {
                    let call = &mut candidates[at];
                    call.operation = told.operation.or(call.operation);
                    call.root = told.root.or(call.root);
                }
                None => {
                    let made = |shape| Candidate::new(state, shape, told);
                    alone.extend(lookup.shape(state.value).map(made));
                }
            }
            Ok(())
        })??;
    }
    if !alone.is_empty() {
        candidates.append(&mut alone);
        *candidates = without_overlap(std::mem::take(candidates));
    }
    Ok(())
}

/// What a trace tells of an operation.
#[derive(Clone, Copy, Default)]
struct Told {
    operation: Option<OperationId>,
    root: Option<u32>,
}

/// Reads what the states of a track tell of operations.
struct Texts<'a> {
    lookup: &'a Lookup,
    lanes: Vec<Option<onca_store::TextReader<'a>>>,
}

impl<'a> Texts<'a> {
    fn new(scope: &'a Scope<'_>, lookup: &'a Lookup, track: TrackId) -> Self {
        let lanes: &[LaneId] = scope.store().tracks().lanes(track);
        let reader = |lane: &LaneId| {
            let texts = scope.store().texts(*lane);
            let is_told = lookup.instance.is_some() || lookup.root.is_some();
            (is_told && !texts.is_empty()).then_some(texts)
        };
        Self { lookup, lanes: lanes.iter().map(reader).collect() }
    }

    fn get(&mut self, depth: usize, row: u64) -> Result<Told> {
        let Some(Some(texts)) = self.lanes.get_mut(depth) else { return Ok(Told::default()) };
        let (_, extras) = texts.get(row)?;
        let (mut instance, mut communicator, mut told) = (None, 0, Told::default());
        for extra in extra_fields(extras) {
            let number = || std::str::from_utf8(extra.text).ok()?.parse::<u64>().ok();
            if Some(extra.field) == self.lookup.instance {
                instance = number();
            } else if Some(extra.field) == self.lookup.root {
                told.root = number().and_then(|root| u32::try_from(root).ok());
            } else if self.lookup.communicator.contains(&extra.field) {
                communicator = self.lookup.number_of(extra.text);
            }
        }
        told.operation = instance.map(|instance| (communicator, instance));
        Ok(told)
    }
}

/// The call that an end of a link belongs to: one that is under way at that time, and of those that meet there the one
/// that does such a thing.
fn choose(candidates: &[Candidate], time: Ticks, direction: Direction) -> Option<usize> {
    let rank = |at: &usize| {
        let it = &candidates[*at];
        let (part, is_used) = match (direction, it.shape.part) {
            (Direction::Out, CallPart::Send | CallPart::Exchange) => (0, it.n_sent > 0),
            (Direction::Out, CallPart::Collective(_)) => (1, false),
            (Direction::Out, CallPart::Wait) => (2, false),
            (Direction::Out, CallPart::Receive | CallPart::Idle) => (3, false),
            (Direction::In, CallPart::Receive | CallPart::Exchange) if it.shape.blocks => {
                (0, it.n_received > 0)
            }
            (Direction::In, CallPart::Wait) => (0, false),
            (Direction::In, CallPart::Collective(_)) => (1, false),
            (Direction::In, CallPart::Receive | CallPart::Exchange | CallPart::Idle) => (2, false),
            (Direction::In, CallPart::Send) => (3, false),
        };
        // A message is there at the end of the call that takes it, not when the next one begins.
        let begins_here = direction == Direction::In && it.enter == time && it.leave > time;
        (part, begins_here, is_used, *at)
    };
    under_way(candidates, time).min_by_key(rank)
}

/// The calls that are under way at a time, one that ends and one that begins then included.
fn under_way(candidates: &[Candidate], time: Ticks) -> Range<usize> {
    let end = candidates.partition_point(|it| it.enter <= time);
    let near = candidates[..end].iter().rev().take_while(|it| it.leave >= time).count();
    end - near..end
}

/// A wait that has no message, directly before a call that receives one, is the beginning of that call. How many are.
fn join_waits(candidates: &mut [Candidate]) -> u64 {
    let mut n_joined = 0;
    for at in 1..candidates.len() {
        let (before, after) = candidates.split_at_mut(at);
        let (wait, receive) = (&before[at - 1], &mut after[0]);
        let is_bare = wait.shape.part == CallPart::Wait && wait.n_sent == 0 && wait.n_received == 0;
        let receives = receive.shape.part == CallPart::Receive && receive.n_received > 0;
        if is_bare && receives && wait.leave == receive.enter {
            receive.waits_since = Some(wait.enter);
            n_joined += 1;
        }
    }
    n_joined
}

/// The track that covers most time.
fn main_track(scope: &Scope<'_>, tracks: &[TrackId]) -> Result<Option<TrackId>> {
    let run = scope.window();
    let mut best: Option<(Ticks, TrackId)> = None;
    for &track in tracks {
        let outermost = scope.store().tracks().lanes(track).first();
        let Some(&outermost) = outermost else { continue };
        let covered: Ticks =
            scope.store().lane_time(outermost, run)?.iter().map(|(_, ticks)| *ticks).sum();
        if best.is_none_or(|(most, _)| covered > most) {
            best = Some((covered, track));
        }
    }
    Ok(best.map(|(_, track)| track))
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

fn begin_of(call: &Candidate) -> Ticks {
    call.waits_since.unwrap_or(call.enter)
}
