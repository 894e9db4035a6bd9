//! The calls of one process, read from its states.

use std::ops::Range;

use onca_model::{ContainerId, LaneId, Nature, StateRow, Ticks, ValueId, extra_fields};
use onca_query::{CallPart, CallShape, CollectiveShape, Scope};
use onca_store::TrackId;

use super::ends::{Direction, Ends};
use super::lookup::Lookup;
use crate::Result;

/// A collective operation: a number that stands for its communicator, and its number there.
pub(super) type OperationId = (u32, u64);

/// The calls of a process, while it is not known what ends of links elsewhere need of it.
pub(super) struct Draft {
    /// The track that covers most time.
    pub main: Option<TrackId>,
    pub candidates: Vec<Candidate>,
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

/// A call while it is not known whether anybody waits for it.
pub(super) struct Candidate {
    pub enter: Ticks,
    pub leave: Ticks,
    pub value: ValueId,
    pub shape: CallShape,
    pub operation: Option<OperationId>,
    pub root: Option<u32>,
    pub n_sent: u32,
    pub n_received: u32,
    /// It asked for messages that a later call receives, or waited for those that an earlier one sent.
    pub is_needed: bool,
    /// The process was in no call: it set somebody free.
    pub is_instant: bool,
    /// What was done outside of calls is told by other states, which would take the time of this call for work.
    pub is_beside: bool,
    /// Where the wait begins that it is the end of.
    pub waits_since: Option<Ticks>,
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
    pub fn instant(time: Ticks, outside: ValueId) -> Self {
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

    pub fn is_collective(&self) -> Option<CollectiveShape> {
        match self.shape.part {
            CallPart::Collective(shape) if self.shape.blocks => shape,
            _ => None,
        }
    }

    pub fn is_kept(&self) -> bool {
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
pub(super) fn join_waits(candidates: &mut [Candidate]) -> u64 {
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

/// The track that tells most of what a container does.
pub(crate) fn main_track_of(scope: &Scope<'_>, container: ContainerId) -> Result<Option<TrackId>> {
    main_track(scope, &state_tracks(scope, container))
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

pub(super) fn begin_of(call: &Candidate) -> Ticks {
    call.waits_since.unwrap_or(call.enter)
}
