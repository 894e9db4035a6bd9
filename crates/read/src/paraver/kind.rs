//! What becomes of events, by their type.

use super::labels::Labels;

/// What an event of a type does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Its value holds until the next; 0 is nothing.
    Flat,
    /// A value is entered inside the one before, and 0 leaves it.
    Stacked,
    /// It happens.
    Instant,
    /// A quantity gets a value.
    Quantity,
    /// Counted since the event before: the value holds for the time before the event.
    Counter,
}

impl Kind {
    /// Numbers of types are given out by the tools that write traces, in ranges that are kept.
    pub fn of(number: u64, labels: &Labels) -> Self {
        let has_values = labels.events.get(&number).is_some_and(|event| !event.values.is_empty());
        match number {
            // Samples and their callers; the program begins, tracing goes on and off.
            30_000_000..=30_099_999 | 40_000_001 | 40_000_012 | 40_000_018 => Self::Instant,
            // Functions and parallel regions of the program nest.
            60_000_000..=60_099_999 if has_values => Self::Stacked,
            _ if has_values => Self::Flat,
            42_000_000..=42_999_999 | 44_000_000..=44_999_999 | 46_000_000..=46_999_999 => {
                Self::Counter
            }
            _ => Self::Quantity,
        }
    }
}
