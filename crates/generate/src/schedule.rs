//! Puts records into time order while only a bounded part of them is in memory.
//!
//! A generator adds what its processes do in whatever order it works it out, and says from time to time how far no
//! process can fall back any more. Everything before that limit is sorted and written.

use std::io::{self, Write};

use crate::paje::{Record, Trace};

/// Event-driven generators write when this many records wait: enough to make sorting cheap, and little memory.
const ENOUGH: usize = 1 << 14;

/// Records that wait for their turn.
#[derive(Default)]
pub(crate) struct Schedule {
    pending: Vec<(i64, Record)>,
    latest: i64,
}

impl Schedule {
    /// Adds a record. Records of the same time keep the order in which they were added.
    pub(crate) fn add(&mut self, time: i64, record: Record) {
        self.latest = self.latest.max(time);
        self.pending.push((time, record));
    }

    /// How many records wait.
    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether it is worth the sorting to write now.
    pub(crate) fn is_large(&self) -> bool {
        self.pending.len() >= ENOUGH
    }

    /// The latest time of all records so far.
    pub(crate) fn latest(&self) -> i64 {
        self.latest
    }

    /// Writes all records before `limit`. None may be added before it from now on.
    pub(crate) fn write_before<W: Write>(
        &mut self,
        limit: i64,
        trace: &mut Trace<'_, W>,
    ) -> io::Result<()> {
        // Stable, and what is left over from the last call stands first: ties keep the order of adding.
        self.pending.sort_by_key(|(time, _)| *time);
        let n_ready = self.pending.partition_point(|(time, _)| *time < limit);
        for (time, record) in self.pending.drain(..n_ready) {
            trace.record(time, record)?;
        }
        Ok(())
    }

    /// Writes all that is left.
    pub(crate) fn write_rest<W: Write>(&mut self, trace: &mut Trace<'_, W>) -> io::Result<()> {
        self.write_before(i64::MAX, trace)
    }
}
