//! Records that were put aside until they can be applied in the order of their times.

use std::collections::BTreeMap;
use std::io;

use onca_model::Ticks;
use onca_read::{SortKey, Sorter};

/// Where they are.
pub(crate) enum Aside {
    /// All wait for the end.
    UntilEnd(Sorter),
    /// Each waits for a while.
    Window(OrderWindow),
}

/// The latest records of a source that goes on, in order.
#[derive(Clone)]
pub(crate) struct OrderWindow {
    /// A record waits until the latest is later by this much,
    within: Ticks,
    /// or until this many bytes wait.
    most_bytes: usize,
    /// By time and place: the group is that of the key.
    waiting: BTreeMap<(Ticks, u64), (u64, Vec<u8>)>,
    bytes: usize,
    /// The time of the last that was let go: what comes now must not be earlier.
    let_go: Ticks,
}

/// What a record that waits takes beside its bytes, about.
const EACH: usize = 80;

impl Aside {
    pub fn new(within: Option<Ticks>, memory: usize) -> Self {
        let Some(within) = within else { return Self::UntilEnd(Sorter::new(memory)) };
        let (waiting, bytes, let_go) = (BTreeMap::new(), 0, Ticks::MIN);
        Self::Window(OrderWindow { within, most_bytes: memory, waiting, bytes, let_go })
    }

    pub fn push(&mut self, key: SortKey, record: &[u8]) -> io::Result<()> {
        match self {
            Self::UntilEnd(sorter) => sorter.push(key, record),
            Self::Window(window) => {
                window.bytes += EACH + record.len();
                window.waiting.insert((key.time, key.place), (key.group, record.to_vec()));
                Ok(())
            }
        }
    }

    /// Would a record of this time come after one that follows it in time?
    pub fn is_too_late(&self, time: Ticks) -> bool {
        matches!(self, Self::Window(window) if time < window.let_go)
    }

    /// The first that waits, if it need not wait longer. `last` is the time of the latest record.
    pub fn next_before(&mut self, last: Ticks) -> Option<(SortKey, Vec<u8>)> {
        let Self::Window(window) = self else { return None };
        let first = window.waiting.first_entry()?;
        let (time, place) = *first.key();
        if window.bytes <= window.most_bytes && time > last.saturating_sub(window.within) {
            return None;
        }
        let (group, record) = first.remove();
        window.bytes -= EACH + record.len();
        window.let_go = time;
        Some((SortKey { group, time, rank: 0, place }, record))
    }

    /// All of them, and nothing is aside any more.
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::UntilEnd(Sorter::new(0)))
    }

    /// A copy, for a look at what the end would bring; of what waits for the real end there is none.
    pub fn fork(&self) -> Self {
        match self {
            Self::UntilEnd(_) => Self::UntilEnd(Sorter::new(0)),
            Self::Window(window) => Self::Window(window.clone()),
        }
    }

    /// Visits all in order.
    pub fn visit<E: From<io::Error>>(
        self,
        mut visit: impl FnMut(SortKey, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::UntilEnd(sorter) => sorter.visit(visit),
            Self::Window(window) => {
                window.waiting.into_iter().try_for_each(|((time, place), (group, record))| {
                    visit(SortKey { group, time, rank: 0, place }, &record)
                })
            }
        }
    }

    /// Memory in use, about. A sorter keeps to its own bound.
    pub fn bytes(&self) -> usize {
        match self {
            Self::UntilEnd(_) => 0,
            Self::Window(window) => window.bytes,
        }
    }
}
