//! Which calls belong to one collective operation.
//!
//! Calls that the trace numbers within a communicator belong together if communicator and number are the same. Of others, the n-th call of
//! a value at each member belongs to the n-th of the others. That is checked where it can be: nobody leaves a barrier, or an
//! operation among all, before another has come.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use onca_model::{Ticks, ValueId};

/// A call of a collective operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MemberCall {
    /// Who calls. The calls of an operation stand in this order.
    pub member: u32,
    /// Members of different families do not meet, such as threads of different processes.
    pub family: u32,
    pub value: ValueId,
    pub start: Ticks,
    pub end: Ticks,
    /// The communicator, and the number within it, where the trace tells them.
    pub told: Option<(u32, u64)>,
    /// Nobody leaves before all have come.
    pub meets: bool,
}

/// How it is known that calls belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// The trace tells it.
    Told,
    /// All members have equally many calls, or some one more at the end, and these are their n-th.
    Counted,
    /// They were there at the same time.
    Guessed,
}

/// Calls by operation.
#[derive(Default)]
pub(crate) struct Operations {
    /// Places of calls, those of an operation next to each other.
    pub calls: Vec<u32>,
    /// Where the calls of each operation are, some with only one call.
    pub groups: Vec<(Range<usize>, How)>,
}

impl Operations {
    /// Puts the calls of operations together: as many as there are, each of which is made whenever it is asked for.
    pub fn of(n_calls: usize, call: &impl Fn(u32) -> MemberCall) -> Self {
        let mut found = Self::default();
        let mut told: Vec<u32> = Vec::new();
        let mut untold: BTreeMap<(ValueId, u32), Vec<u32>> = BTreeMap::new();
        for at in 0..n_calls as u32 {
            let MemberCall { value, family, told: operation, .. } = call(at);
            match operation {
                Some(_) => told.push(at),
                None => untold.entry((value, family)).or_default().push(at),
            }
        }
        told.sort_by_cached_key(|at| {
            let MemberCall { told, member, start, .. } = call(*at);
            (told, member, start)
        });
        for group in told.chunk_by(|one, other| call(*one).told == call(*other).told) {
            found.push(group, How::Told);
        }
        for mut of_kind in untold.into_values() {
            let key = |at: &u32| {
                let MemberCall { member, start, .. } = call(*at);
                (member, start)
            };
            if !of_kind.is_sorted_by_key(key) {
                of_kind.sort_by_cached_key(key);
            }
            found.count(call, &of_kind);
        }
        found
    }

    fn push(&mut self, group: &[u32], how: How) {
        let begin = self.calls.len();
        self.calls.extend_from_slice(group);
        self.groups.push((begin..self.calls.len(), how));
    }

    /// Puts together calls of one value, which stand by member and time.
    fn count(&mut self, call: &impl Fn(u32) -> MemberCall, of_kind: &[u32]) {
        let member = |at: &u32| call(*at).member;
        let by_member: Vec<&[u32]> = of_kind.chunk_by(|a, b| member(a) == member(b)).collect();
        let most = by_member.iter().map(|own| own.len()).max().unwrap_or(0);
        let least = by_member.iter().map(|own| own.len()).min().unwrap_or(0);
        let are_equal = by_member.len() > 1 && least == most;
        // Where a trace is cut, some have come to an operation that others have not.
        let are_about_equal = by_member.len() > 1 && most - least <= 1;
        let mut alone: Vec<u32> = Vec::new();
        for n in 0..most {
            let mut rest: Vec<u32> =
                by_member.iter().filter_map(|own| own.get(n)).copied().collect();
            if are_equal && !call(rest[0]).meets {
                self.push(&rest, How::Counted);
                continue;
            }
            let mut rest = rest.as_mut_slice();
            while !rest.is_empty() {
                let n = together(call, rest);
                let (here, later) = rest.split_at_mut(n);
                let are_all = are_about_equal && here.len() == by_member.len();
                match here {
                    [one] => alone.push(*one),
                    _ => self.push(here, if are_all { How::Counted } else { How::Guessed }),
                }
                rest = later;
            }
        }
        // Who has made more calls than others, such as within a part of the processes, belongs to who was there.
        let mut rest = alone.as_mut_slice();
        while !rest.is_empty() {
            let n = together(call, rest);
            let (here, later) = rest.split_at_mut(n);
            self.push(here, How::Guessed);
            rest = later;
        }
    }
}

/// How many of some calls were there together, from the first that began on: nobody has left before another came. They come
/// first then, by member.
fn together(call: &impl Fn(u32) -> MemberCall, places: &mut [u32]) -> usize {
    let mut by_start: Vec<(Ticks, u32, Ticks, u32)> = places
        .iter()
        .map(|at| {
            let MemberCall { start, member, end, .. } = call(*at);
            (start, member, end, *at)
        })
        .collect();
    by_start.sort_by_key(|(start, member, ..)| (*start, *member));
    let Some((_, _, first_end, _)) = by_start.first() else { return 0 };
    let mut leaves = *first_end;
    let n = by_start.iter().take_while(|(start, _, end, _)| {
        let is_there = *start <= leaves;
        leaves = leaves.min(*end);
        is_there
    });
    let n = n.count().max(1);
    by_start[..n].sort_by_key(|(_, member, ..)| *member);
    places.iter_mut().zip(by_start).for_each(|(place, (.., at))| *place = at);
    n
}

/// Numbers that stand for communicators, by name. Which is which does not matter.
#[derive(Default)]
pub(crate) struct CommunicatorNumbers(HashMap<Box<[u8]>, u32>);

impl CommunicatorNumbers {
    pub fn get(&mut self, name: &[u8]) -> u32 {
        let next = self.0.len() as u32;
        match self.0.get(name) {
            Some(&number) => number,
            None => *self.0.entry(name.into()).or_insert(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(member: u32, start: Ticks, end: Ticks) -> MemberCall {
        MemberCall { member, family: 0, value: ValueId(3), start, end, told: None, meets: true }
    }

    /// The operations as members with the times at which they come.
    fn found(calls: &[MemberCall]) -> Vec<(Vec<(u32, Ticks)>, How)> {
        let Operations { calls: places, groups } =
            Operations::of(calls.len(), &|at| calls[at as usize]);
        let it = |at: &u32| (calls[*at as usize].member, calls[*at as usize].start);
        groups
            .into_iter()
            .map(|(range, how)| (places[range].iter().map(it).collect(), how))
            .collect()
    }

    #[test]
    fn what_the_trace_tells_needs_no_guess() {
        let told = |member, start, number| MemberCall {
            told: Some((0, number)),
            ..call(member, start, start + 1)
        };
        let calls = [told(1, 50, 0), told(0, 0, 0), told(1, 0, 1), told(0, 90, 1)];
        let expected = [(vec![(0, 0), (1, 50)], How::Told), (vec![(0, 90), (1, 0)], How::Told)];
        assert_eq!(found(&calls), expected);
    }

    #[test]
    fn the_nth_calls_belong_together() {
        let calls = [call(0, 0, 9), call(0, 20, 29), call(1, 5, 9), call(1, 27, 29)];
        let expected =
            [(vec![(0, 0), (1, 5)], How::Counted), (vec![(0, 20), (1, 27)], How::Counted)];
        assert_eq!(found(&calls), expected);
    }

    #[test]
    fn nobody_leaves_a_barrier_before_another_has_come() {
        // Two pairs that meet among themselves, as often as each other.
        let calls = [call(0, 0, 9), call(1, 5, 9), call(2, 30, 39), call(3, 35, 39)];
        let expected =
            [(vec![(0, 0), (1, 5)], How::Guessed), (vec![(2, 30), (3, 35)], How::Guessed)];
        assert_eq!(found(&calls), expected);
        // Who sends to all may leave at once.
        let sends = calls.map(|call| MemberCall { meets: false, ..call });
        assert_eq!(found(&sends), [(vec![(0, 0), (1, 5), (2, 30), (3, 35)], How::Counted)]);
    }

    #[test]
    fn the_last_call_of_a_trace_that_is_cut_is_alone() {
        let calls = [call(0, 0, 9), call(0, 20, 29), call(1, 5, 9)];
        let expected = [(vec![(0, 0), (1, 5)], How::Counted), (vec![(0, 20)], How::Guessed)];
        assert_eq!(found(&calls), expected);
    }

    #[test]
    fn who_calls_more_often_belongs_to_who_was_there() {
        let calls = [call(0, 0, 9), call(1, 5, 9), call(2, 50, 59), call(0, 55, 59)];
        let expected =
            [(vec![(0, 0), (1, 5)], How::Guessed), (vec![(0, 55), (2, 50)], How::Guessed)];
        assert_eq!(found(&calls), expected);
    }

    #[test]
    fn families_do_not_meet() {
        let of = |family, call| MemberCall { family, ..call };
        let calls = [
            of(1, call(0, 0, 9)),
            of(1, call(1, 5, 9)),
            of(2, call(2, 1, 9)),
            of(2, call(3, 6, 9)),
        ];
        let expected = [(vec![(0, 0), (1, 5)], How::Counted), (vec![(2, 1), (3, 6)], How::Counted)];
        assert_eq!(found(&calls), expected);
    }
}
