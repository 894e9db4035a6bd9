//! All waits of a run, in little room.

use std::ops::Range;

use onca_aggregate::waits::{Column, Growing, WaitKind, partition};
use onca_model::{ContainerId, Ticks, Window};

use crate::WaitOf;

/// All waits of a run by container, those of one container in order of time. They do not overlap.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct WaitTable {
    /// The containers that waited, in order, each with where its waits end.
    pub(super) containers: Vec<(ContainerId, usize)>,
    pub(super) from: Growing,
    pub(super) ticks: Column,
    pub(super) causes: Column,
    /// The kind and, in the top bit, whether messages were taken in the wrong order.
    pub(super) kinds: Column,
}

pub(super) const WRONG_ORDER: u8 = 0x80;

impl WaitTable {
    /// Packs waits that come by container and time.
    pub fn new(waits: impl Iterator<Item = WaitOf>) -> Self {
        let mut table = Self::default();
        for wait in waits {
            let order = if wait.wrong_order { WRONG_ORDER } else { 0 };
            let kind = WaitKind::ALL.iter().position(|kind| *kind == wait.kind);
            table.push(wait.window, wait.cause, kind.unwrap_or_default() as u8 | order);
            let n = table.len();
            match table.containers.last_mut() {
                Some((last, end)) if *last == wait.container => *end = n,
                _ => table.containers.push((wait.container, n)),
            }
        }
        table
    }

    fn push(&mut self, window: Window, cause: ContainerId, kind: u8) {
        self.from.push(window.from);
        self.ticks.push((window.to - window.from) as u64);
        self.causes.push(cause.0.into());
        self.kinds.push(kind.into());
    }

    /// How many waits there are.
    pub fn len(&self) -> usize {
        self.ticks.len()
    }

    /// Is there no wait at all?
    pub fn is_empty(&self) -> bool {
        self.ticks.is_empty()
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
        let first = partition(begin..end, |at| self.window(at).to <= window.from);
        let after = partition(begin..end, |at| self.window(at).from < window.to);
        first..after.max(first)
    }

    fn window(&self, at: usize) -> Window {
        let from = self.from.get(at);
        Window { from, to: from + self.ticks.get(at) as Ticks }
    }

    fn cause(&self, at: usize) -> ContainerId {
        ContainerId(self.causes.get_u32(at))
    }

    fn kind(&self, at: usize) -> u8 {
        self.kinds.get(at) as u8
    }

    fn at(&self, container: ContainerId, at: usize) -> WaitOf {
        let kind = self.kind(at);
        WaitOf {
            kind: WaitKind::ALL[usize::from(kind & !WRONG_ORDER)],
            container,
            window: self.window(at),
            cause: self.cause(at),
            wrong_order: kind & WRONG_ORDER != 0,
        }
    }
}
