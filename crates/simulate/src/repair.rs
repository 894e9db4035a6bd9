//! Pairs halves of links whose keys cannot fit.
//!
//! SimGrid makes the key of a message of source, destination, tag and a number. A receive from
//! any source has -1 in place of the source, one with any tag has -1 in place of the tag: no
//! start ever has such a key. What it received is not in the trace. The repair takes the ends
//! in order of time. To each it gives the earliest start that still waits, was sent before the
//! end, and has its destination, its tag, its value and, where both tell one, its size.

use std::collections::{BTreeMap, VecDeque};

use crate::links::{Half, Side};

/// Two halves that belong together, by their numbers in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    pub start: usize,
    pub end: usize,
    /// A message of another source could have been received instead.
    pub ambiguous: bool,
}

/// The key of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key {
    source: i64,
    destination: i64,
    tag: i64,
}

const ANY: i64 = -1;

impl Key {
    fn of(half: &Half) -> Option<Self> {
        let mut numbers = std::str::from_utf8(half.key()).ok()?.split('_').map(str::parse::<i64>);
        let mut next = || numbers.next()?.ok();
        let key = Self { source: next()?, destination: next()?, tag: next()? };
        next()?;
        numbers.next().is_none().then_some(key)
    }

    fn has_wildcard(&self) -> bool {
        self.source == ANY || self.tag == ANY
    }
}

/// Starts that wait, of one track and one destination, by tag, in order of time.
type Waiting = BTreeMap<i64, VecDeque<usize>>;

/// The pairs among halves that have found no other half, in order of the ends' times.
pub(crate) fn pairs(halves: &[Half]) -> Vec<Pair> {
    let mut in_time: Vec<usize> = (0..halves.len()).collect();
    // Halves are in order of their place, and this sort keeps it.
    in_time.sort_by_key(|&index| halves[index].time);
    let mut waiting: BTreeMap<(u32, i64), Waiting> = BTreeMap::new();
    let mut ends = Vec::new();
    for index in in_time {
        let half = &halves[index];
        let Some(key) = Key::of(half) else { continue };
        match half.side {
            Side::Start => {
                let of_destination = waiting.entry((half.track, key.destination)).or_default();
                of_destination.entry(key.tag).or_default().push_back(index);
            }
            Side::End if key.has_wildcard() => ends.push((index, key)),
            Side::End => {}
        }
    }
    let paired = ends.into_iter().filter_map(|(end, key)| {
        let waiting = waiting.get_mut(&(halves[end].track, key.destination))?;
        pair(halves, waiting, end, key)
    });
    paired.collect()
}

fn pair(halves: &[Half], waiting: &mut Waiting, end: usize, key: Key) -> Option<Pair> {
    let received = &halves[end];
    let fits = |start: usize| {
        let sent = &halves[start];
        let same_size = sent.size().zip(received.size()).is_none_or(|(a, b)| a == b);
        let from = Key::of(sent).is_some_and(|of| key.source == ANY || of.source == key.source);
        sent.value == received.value && same_size && from
    };
    let in_flight = |queue: &VecDeque<usize>| {
        let sent = queue.iter().copied().take_while(|&start| halves[start].time <= received.time);
        sent.enumerate().filter(|&(_, start)| fits(start)).collect::<Vec<_>>()
    };
    let candidates: Vec<(i64, usize, usize)> = waiting
        .iter()
        .filter(|&(&tag, _)| key.tag == ANY || tag == key.tag)
        .flat_map(|(&tag, queue)| in_flight(queue).into_iter().map(move |(at, s)| (tag, at, s)))
        .collect();
    // Among equal times the one that comes first in the source.
    let &(tag, at, start) =
        candidates.iter().min_by_key(|&&(_, _, start)| (halves[start].time, start))?;
    let source = halves[start].container;
    let ambiguous = candidates.iter().any(|&(_, _, other)| halves[other].container != source);
    waiting.get_mut(&tag)?.remove(at);
    Some(Pair { start, end, ambiguous })
}
