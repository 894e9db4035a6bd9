//! Remarks about how a record fits its container and the records before it.

use super::{ROOT, Reader};
use crate::model::Container;

impl Reader {
    pub(super) fn check_owner(&mut self, type_index: usize, container: usize) {
        let container_type = self.trace.containers[container].type_index;
        if self.trace.types[type_index].parent != Some(container_type) {
            self.tally("type-not-of-container");
        }
    }

    pub(super) fn check_order(&mut self, times_and_lines: impl Iterator<Item = (i64, u64)>) {
        let mut latest = i64::MIN;
        for (time, line) in times_and_lines {
            if time < latest {
                self.tally_at("not-time-ordered", line);
            }
            latest = latest.max(time);
        }
    }

    pub(super) fn check_life(&mut self, container: usize, time: i64, line: u64) {
        let Container { start, destroyed, .. } = self.trace.containers[container];
        // The root was never created.
        if container != ROOT && time < start {
            self.tally_at("before-creation", line);
        }
        if destroyed.is_some_and(|end| time > end) {
            self.tally_at("after-destroy", line);
        }
    }
}
