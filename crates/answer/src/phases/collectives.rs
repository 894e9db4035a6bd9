//! Collective operations as messages among their members.
//!
//! A trace tells of a collective operation as a state of each member. [`Operations`] tells which belong together.

use std::collections::HashMap;
use std::ops::Range;

use onca_model::{
    ContainerId, Extra, FieldId, LaneId, Nature, Ticks, TypeId, ValueId, Window, extra_fields,
};
use onca_query::{CallPart, CallShape, Role, Scope};

use super::messages::{Message, Origin};
use crate::Result;
use crate::operations::{CommunicatorNumbers, MemberCall, Operations};

/// Calls are not kept beyond this number; their operations are left out then.
const MOST_CALLS: usize = 1 << 22;

/// Up to this many members each sends to each other; of more, all send to the first, and the first to all.
const EACH_TO_EACH: usize = 32;

/// All collective operations that a scope shows.
#[derive(Default)]
pub(super) struct Collectives {
    calls: Vec<Call>,
    operations: Vec<Group>,
    /// Are there too many calls to be kept? Then there are no operations.
    pub too_many: bool,
    /// Do members follow from the order of calls, for want of numbers?
    pub assumed: bool,
}

/// What one member does.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Call {
    /// The communicator, and the number within it, where they are told.
    told: Option<(u32, u64)>,
    container: ContainerId,
    place: u32,
    start: Ticks,
    end: Ticks,
    /// The bytes that it sends, to all together.
    sent: Option<u64>,
    /// The bytes that it receives.
    received: Option<u64>,
    /// Is that the number of items in the call, times their size?
    counted: bool,
    /// The rank of the root in the communicator.
    root: Option<u32>,
    origin: Origin,
}

/// The calls that are one operation.
struct Group {
    calls: Range<usize>,
    /// The place among them of the root.
    root: Option<usize>,
    start: Ticks,
    end: Ticks,
}

/// Which way data goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Course {
    FromRoot,
    ToRoot,
    Among,
}

impl Course {
    /// What a name says; `None` for what exchanges no data of the program, such as to make a communicator.
    fn of(name: &[u8]) -> Option<Self> {
        let has = |words: &[&str]| has_word(name, words);
        if has(&["comm", "cart", "graph", "win", "group", "file"]) {
            None
        } else if has(&["reducescatter", "allreduce", "allgather", "alltoall"]) {
            Some(Self::Among)
        } else if has(&["bcast", "broadcast", "scatter"]) {
            Some(Self::FromRoot)
        } else if has(&["gather", "reduce"]) {
            Some(Self::ToRoot)
        } else {
            Some(Self::Among)
        }
    }
}

impl Collectives {
    /// The operations that touch the window of a scope. `is_collective` tells it of values, `place` where containers count.
    pub fn new(
        scope: &Scope<'_>,
        is_collective: impl Fn(ValueId) -> bool,
        place: impl Fn(ContainerId) -> Option<u32>,
    ) -> Result<Self> {
        let catalog = scope.catalog();
        let courses: Vec<Option<Course>> = (0..catalog.values.len() as u32)
            .map(|id| {
                Course::of(&catalog.value(ValueId(id)).name).filter(|_| is_collective(ValueId(id)))
            })
            .collect();
        let fields = Fields::new(scope);
        let seen = match fields.instance.is_empty() {
            // Calls are counted from the begin of the trace.
            true => scope.during(Window {
                from: catalog.facts.start,
                to: catalog.facts.end.saturating_add(1),
            }),
            false => scope.clone(),
        };
        let only = if fields.instance.is_empty() { telling_type(scope, &courses) } else { None };
        let mut calls = Vec::new();
        let mut communicators = CommunicatorNumbers::default();
        for (track, of, _) in seen.tracks(Nature::State) {
            let Some(place) = place(of.container) else { continue };
            let is_meant =
                only.is_none_or(|only| only == of.type_id) && may_have(scope, of.type_id, &courses);
            if !is_meant {
                continue;
            }
            let lanes: Vec<LaneId> = scope.store().tracks().lanes(track).to_vec();
            let mut texts: Vec<_> = lanes.iter().map(|lane| scope.store().texts(*lane)).collect();
            seen.visit_states(track, |depth, row, state| -> Result<()> {
                if courses[state.value.index()].is_none() || calls.len() > MOST_CALLS {
                    return Ok(());
                }
                let origin = Origin { lane: lanes[depth], row, value: state.value };
                let mut call = Call {
                    told: None,
                    container: of.container,
                    place,
                    start: state.start,
                    end: state.end,
                    sent: None,
                    received: None,
                    counted: false,
                    root: None,
                    origin,
                };
                if !fields.instance.is_empty() {
                    let (_, extras) = texts[depth].get(row)?;
                    if !fields.read(extras, &mut call, &mut communicators) {
                        return Ok(());
                    }
                }
                calls.push(call);
                Ok(())
            })??;
        }
        if calls.len() > MOST_CALLS {
            return Ok(Self { too_many: true, ..Self::default() });
        }
        let mut found = Self { assumed: fields.instance.is_empty(), ..Self::default() };
        found.group(scope, &calls);
        let window = scope.window();
        found.operations.retain(|one| one.start < window.to && one.end >= window.from);
        Ok(found)
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    fn group(&mut self, scope: &Scope<'_>, calls: &[Call]) {
        let catalog = scope.catalog();
        let shape = |id: u32| CallShape::of(Role::Collective, &catalog.value(ValueId(id)).name);
        let shapes: Vec<Option<CallShape>> = (0..catalog.values.len() as u32).map(shape).collect();
        let member = |at: u32| {
            let call = &calls[at as usize];
            let shape = shapes[call.origin.value.index()];
            let of_threads = shape.is_some_and(|shape| shape.of_threads);
            let parent = catalog.containers.get(call.container).parent;
            MemberCall {
                member: call.container.0,
                family: if of_threads { parent.0 + 1 } else { 0 },
                value: call.origin.value,
                start: call.start,
                end: call.end,
                told: call.told,
                meets: match shape.map(|shape| shape.part) {
                    Some(CallPart::Collective(Some(shape))) => shape.meets(),
                    _ => true,
                },
            }
        };
        let grouped = Operations::of(calls.len(), &member);
        self.calls = grouped.calls.iter().map(|at| calls[*at as usize]).collect();
        let members = if self.assumed { HashMap::new() } else { self.members() };
        for (range, _) in grouped.groups {
            let communicator = self.calls[range.start].told.map(|(communicator, _)| communicator);
            let members = communicator.and_then(|id| members.get(&id)).map(Vec::as_slice);
            self.push(range, members);
        }
    }

    /// The members of each communicator: ranks are their places.
    fn members(&self) -> HashMap<u32, Vec<ContainerId>> {
        let mut members: HashMap<u32, Vec<ContainerId>> = HashMap::new();
        for call in &self.calls {
            if let Some((communicator, _)) = call.told {
                members.entry(communicator).or_default().push(call.container);
            }
        }
        for of_one in members.values_mut() {
            of_one.sort_unstable();
            of_one.dedup();
        }
        members
    }

    /// These calls are an operation, if there are several.
    fn push(&mut self, range: Range<usize>, members: Option<&[ContainerId]>) {
        let calls = &self.calls[range.clone()];
        if calls.len() < 2 {
            return;
        }
        let latest = |of: fn(&Call) -> Ticks| calls.iter().map(of).max().unwrap_or(0);
        let start = latest(|call| call.start);
        let end = latest(|call| call.end).max(start);
        let root = calls.iter().find_map(|call| call.root).and_then(|rank| {
            let container = *members?.get(rank as usize)?;
            calls.iter().position(|call| call.container == container)
        });
        self.operations.push(Group { calls: range, root, start, end });
    }

    /// Visits the messages that operations stand for.
    pub fn visit(&self, scope: &Scope<'_>, mut visit: impl FnMut(&Message)) {
        for operation in &self.operations {
            let calls = &self.calls[operation.calls.clone()];
            let name = &scope.catalog().value(calls[0].origin.value).name;
            let course = Course::of(name).unwrap_or(Course::Among);
            let mut send = |from: &Call, to: &Call, size: Option<u64>| {
                visit(&Message {
                    from: from.place,
                    to: to.place,
                    start: operation.start,
                    end: operation.end,
                    size,
                    is_collective: true,
                    origin: Some(from.origin),
                });
            };
            // The items that these calls name are those for each receiver.
            let is_each = has_word(name, &["alltoall", "scatter"]);
            let n_others = calls.len() - 1;
            let given = |from: &Call, n: usize| match from.counted && is_each {
                true => from.sent,
                false => part(from.sent, n, n_others),
            };
            let others = |own: usize| (0..calls.len()).filter(move |at| *at != own);
            match (course, operation.root) {
                (Course::FromRoot, Some(root)) => {
                    for (n, to) in others(root).enumerate() {
                        let size = calls[to].received.or_else(|| given(&calls[root], n));
                        send(&calls[root], &calls[to], size);
                    }
                }
                (Course::ToRoot, Some(root)) => {
                    others(root)
                        .for_each(|from| send(&calls[from], &calls[root], calls[from].sent));
                }
                _ if calls.len() <= EACH_TO_EACH => {
                    for from in 0..calls.len() {
                        for (n, to) in others(from).enumerate() {
                            send(&calls[from], &calls[to], given(&calls[from], n));
                        }
                    }
                }
                _ => {
                    for (n, other) in others(0).enumerate() {
                        send(&calls[other], &calls[0], calls[other].sent);
                        send(&calls[0], &calls[other], given(&calls[0], n));
                    }
                }
            }
        }
    }
}

/// Has a name one of some words in it? Case and what is no letter or digit do not matter.
fn has_word(name: &[u8], words: &[&str]) -> bool {
    let plain: String = name
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    words.iter().any(|word| plain.contains(word))
}

/// The n-th of equal parts of a size; all parts together are the whole.
fn part(whole: Option<u64>, n: usize, parts: usize) -> Option<u64> {
    let bound = |n: usize| u128::from(whole.unwrap_or(0)) * n as u128 / parts.max(1) as u128;
    whole.map(|_| (bound(n + 1) - bound(n)) as u64)
}

/// Can states of a type be calls of collective operations?
fn may_have(scope: &Scope<'_>, type_id: TypeId, courses: &[Option<Course>]) -> bool {
    let values = scope.catalog().values.iter().zip(courses);
    values.into_iter().any(|(value, course)| value.type_id == type_id && course.is_some())
}

/// The type of states that tells collective operations apart best: others may tell of the same calls in fewer words.
fn telling_type(scope: &Scope<'_>, courses: &[Option<Course>]) -> Option<TypeId> {
    let mut counts: HashMap<TypeId, usize> = HashMap::new();
    for (value, course) in scope.catalog().values.iter().zip(courses) {
        *counts.entry(value.type_id).or_default() += usize::from(course.is_some());
    }
    let best = counts.into_iter().filter(|(_, n)| *n > 0);
    best.max_by_key(|(id, n)| (*n, std::cmp::Reverse(*id))).map(|(id, _)| id)
}

/// The extra fields that tell of collective operations.
struct Fields {
    communicator: Vec<FieldId>,
    instance: Vec<FieldId>,
    root: Vec<FieldId>,
    sent: Vec<FieldId>,
    received: Vec<FieldId>,
    /// Numbers of items, and what an item is, that are sent and received.
    items: [Vec<FieldId>; 2],
    kinds: [Vec<FieldId>; 2],
}

impl Fields {
    fn new(scope: &Scope<'_>) -> Self {
        let catalog = scope.catalog();
        let named = |names: &[&str]| {
            let ids = (0..catalog.fields.len() as u32).map(FieldId);
            let is_one = |id: &FieldId| {
                names.iter().any(|name| catalog.field_name(*id).as_ref() == name.as_bytes())
            };
            ids.filter(is_one).collect()
        };
        Self {
            communicator: named(&["communicator", "comm"]),
            instance: named(&["instance"]),
            root: named(&["root"]),
            sent: named(&["sent"]),
            received: named(&["received"]),
            items: [named(&["count", "sendcount"]), named(&["count", "recvcount"])],
            kinds: [named(&["datatype", "sendtype"]), named(&["datatype", "recvtype"])],
        }
    }

    /// Reads what extra fields say of a call. Without a number it belongs to none that is known.
    fn read(
        &self,
        extras: &[u8],
        call: &mut Call,
        communicators: &mut CommunicatorNumbers,
    ) -> bool {
        let text = |of: &[FieldId]| {
            extra_fields(extras)
                .find(|extra| of.contains(&extra.field))
                .map(|extra: Extra<'_>| extra.text)
        };
        let number = |of: &[FieldId]| -> Option<u64> {
            std::str::from_utf8(text(of)?).ok()?.trim().parse().ok()
        };
        let (Some(communicator), Some(instance)) =
            (text(&self.communicator), number(&self.instance))
        else {
            return false;
        };
        let bytes = |side: usize| {
            let items = number(&self.items[side])?;
            items.checked_mul(size_of_type(text(&self.kinds[side])?)?)
        };
        call.told = Some((communicators.get(communicator), instance));
        call.root = number(&self.root).and_then(|rank| u32::try_from(rank).ok());
        call.sent = number(&self.sent);
        if call.sent.is_none() {
            (call.sent, call.counted) = (bytes(0), true);
        }
        call.received = number(&self.received).or_else(|| bytes(1));
        true
    }
}

/// The bytes of a type of MPI whose size is the same nearly everywhere.
fn size_of_type(name: &[u8]) -> Option<u64> {
    Some(match name {
        b"MPI_CHAR" | b"MPI_SIGNED_CHAR" | b"MPI_UNSIGNED_CHAR" | b"MPI_BYTE" | b"MPI_PACKED" => 1,
        b"MPI_SHORT" | b"MPI_UNSIGNED_SHORT" => 2,
        b"MPI_INT" | b"MPI_UNSIGNED" | b"MPI_FLOAT" | b"MPI_INTEGER" | b"MPI_REAL" => 4,
        b"MPI_LONG"
        | b"MPI_UNSIGNED_LONG"
        | b"MPI_DOUBLE"
        | b"MPI_LONG_LONG"
        | b"MPI_LONG_LONG_INT"
        | b"MPI_UNSIGNED_LONG_LONG"
        | b"MPI_DOUBLE_PRECISION"
        | b"MPI_2INT" => 8,
        b"MPI_LONG_DOUBLE" => 16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_which_way_data_goes() {
        for (name, course) in [
            ("MPI_Bcast", Some(Course::FromRoot)),
            ("MPI_Iscatterv", Some(Course::FromRoot)),
            ("action_reduce", Some(Course::ToRoot)),
            ("Gatherv", Some(Course::ToRoot)),
            ("MPI_Reduce_scatter", Some(Course::Among)),
            ("MPI_Allgather", Some(Course::Among)),
            ("Barrier", Some(Course::Among)),
            ("MPI_Comm_split", None),
            ("MPI_Cart_create", None),
        ] {
            assert_eq!(Course::of(name.as_bytes()), course, "{name}");
        }
    }

    #[test]
    fn parts_add_up() {
        for whole in [0, 1, 7, 100, u64::MAX] {
            for parts in [1, 3, 7] {
                let sum: u64 = (0..parts).filter_map(|n| part(Some(whole), n, parts)).sum();
                assert_eq!(sum, whole);
            }
        }
        assert_eq!(part(None, 0, 3), None);
    }
}
