//! All waits of a run, in little room.

use std::ops::Range;

use onca_aggregate::waits::WaitKind;
use onca_model::{ContainerId, Ticks, Window};

use crate::WaitOf;

/// All waits of a run by container, those of one container in order of time. They do not overlap.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct WaitTable {
    /// The containers that waited, in order, each with where its waits end.
    pub(super) containers: Vec<(ContainerId, usize)>,
    pub(super) from: Vec<Ticks>,
    pub(super) to: Vec<Ticks>,
    pub(super) causes: Vec<ContainerId>,
    /// The kind and, in the top bit, whether messages were taken in the wrong order.
    pub(super) kinds: Vec<u8>,
}

pub(super) const WRONG_ORDER: u8 = 0x80;

impl WaitTable {
    /// Puts waits in order.
    pub fn new(waits: impl Iterator<Item = WaitOf>) -> Self {
        let mut waits: Vec<WaitOf> = waits.collect();
        waits.sort_by_key(|wait| (wait.container, wait.window.from));
        let mut table = Self::default();
        for wait in waits {
            table.push(&wait);
        }
        table
    }

    fn push(&mut self, wait: &WaitOf) {
        self.from.push(wait.window.from);
        self.to.push(wait.window.to);
        self.causes.push(wait.cause);
        let order = if wait.wrong_order { WRONG_ORDER } else { 0 };
        let kind = WaitKind::ALL.iter().position(|kind| *kind == wait.kind);
        self.kinds.push(kind.unwrap_or_default() as u8 | order);
        match self.containers.last_mut() {
            Some((last, end)) if *last == wait.container => *end = self.from.len(),
            _ => self.containers.push((wait.container, self.from.len())),
        }
    }

    /// How many waits there are.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Is there no wait at all?
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    /// All waits, by container and time.
    pub fn each(&self) -> impl Iterator<Item = WaitOf> {
        let begins = std::iter::once(0).chain(self.containers.iter().map(|(_, end)| *end));
        let of_one = move |((container, end), begin): (&(ContainerId, usize), usize)| {
            let container = *container;
            (begin..*end).map(move |at| self.at(container, at))
        };
        self.containers.iter().zip(begins).flat_map(of_one)
    }

    /// The waits of a container that lie in a window, at least in part.
    pub fn of(
        &self,
        container: ContainerId,
        window: Window,
    ) -> impl ExactSizeIterator<Item = WaitOf> {
        self.places(container, window).map(move |at| self.at(container, at))
    }

    fn places(&self, container: ContainerId, window: Window) -> Range<usize> {
        let Ok(place) = self.containers.binary_search_by_key(&container, |(id, _)| *id) else {
            return 0..0;
        };
        let begin = place.checked_sub(1).map_or(0, |before| self.containers[before].1);
        let end = self.containers[place].1;
        let first = begin + self.to[begin..end].partition_point(|to| *to <= window.from);
        let after = begin + self.from[begin..end].partition_point(|from| *from < window.to);
        first..after.max(first)
    }

    fn at(&self, container: ContainerId, at: usize) -> WaitOf {
        WaitOf {
            kind: WaitKind::ALL[usize::from(self.kinds[at] & !WRONG_ORDER)],
            container,
            window: Window { from: self.from[at], to: self.to[at] },
            cause: self.causes[at],
            wrong_order: self.kinds[at] & WRONG_ORDER != 0,
        }
    }
}
