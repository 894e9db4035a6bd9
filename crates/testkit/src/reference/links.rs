//! Links: their two halves are collected in file order, and then paired in time order.

use super::records::Fields;
use super::{ROOT, Reader, Refused};
use crate::model::{Extras, Link, Nature};

#[derive(Clone, Debug)]
pub(super) struct LinkHalf {
    time: i64,
    line: u64,
    is_start: bool,
    container: usize,
    value: usize,
    extras: Extras,
}

impl Reader {
    pub(super) fn link_half(&mut self, is_start: bool, fields: Fields) -> Result<(), Refused> {
        let time = self.time(&fields)?;
        if is_start {
            self.check_not_cut()?;
        }
        let owner = self.find_container(&fields.get("Container"), time, None)?;
        let owner_type = self.trace.containers[owner].type_index;
        let type_index = self.find_type(&fields.get("Type"), &[Nature::Link], Some(owner_type))?;
        let (start_type, end_type) = self.trace.types[type_index].link_ends.unwrap_or((ROOT, ROOT));
        let (role, expected_type) =
            if is_start { ("StartContainer", start_type) } else { ("EndContainer", end_type) };
        let container = self.find_container(&fields.get(role), time, Some(expected_type))?;
        self.check_value_whole(type_index, &fields.get("Value"))?;
        self.saw_time(time);
        self.check_owner(type_index, owner);
        if self.trace.containers[container].type_index != expected_type {
            self.tally("link-end-type-mismatch");
        }
        let value = self.find_value(type_index, &fields.get("Value"));
        let queue = self.link_halves.entry((owner, type_index, fields.get("Key"))).or_default();
        queue.push(LinkHalf {
            time,
            line: self.line,
            is_start,
            container,
            value,
            extras: fields.extras,
        });
        Ok(())
    }

    pub(super) fn finish_links(
        &mut self,
        owner: usize,
        type_index: usize,
        key: &[u8],
        halves: Vec<LinkHalf>,
    ) {
        for side in [true, false] {
            let same_side = halves.iter().filter(|half| half.is_start == side);
            self.check_order(same_side.map(|half| (half.time, half.line)));
        }
        let mut halves = halves;
        halves.sort_by_key(|half| half.time);

        let mut pending: Vec<LinkHalf> = Vec::new();
        for half in halves {
            self.check_life(owner, half.time, half.line);
            let is_opposite = |other: &LinkHalf| other.is_start != half.is_start;
            let partner = pending
                .iter()
                .position(|other| is_opposite(other) && other.value == half.value)
                .or_else(|| pending.iter().position(is_opposite));
            let Some(partner) = partner else {
                pending.push(half);
                continue;
            };
            let earlier = pending.remove(partner);
            let line = half.line;
            let mut extras = earlier.extras.clone();
            extras.extend(half.extras.clone());
            let (start, end) = if half.is_start { (half, earlier) } else { (earlier, half) };
            if start.value != end.value {
                self.tally_at("link-value-mismatch", line);
            }
            if end.time < start.time {
                self.tally_at("link-negative-duration", line);
            }
            self.trace.links.push(Link {
                container: owner,
                type_index,
                start: Some(start.time),
                end: Some(end.time),
                value: start.value,
                source: Some(start.container),
                destination: Some(end.container),
                key: key.to_vec(),
                extras,
            });
        }
        for half in pending {
            self.tally_at("link-unmatched", half.line);
            self.trace.links.push(Link {
                container: owner,
                type_index,
                start: half.is_start.then_some(half.time),
                end: (!half.is_start).then_some(half.time),
                value: half.value,
                source: half.is_start.then_some(half.container),
                destination: (!half.is_start).then_some(half.container),
                key: key.to_vec(),
                extras: half.extras,
            });
        }
    }
}
