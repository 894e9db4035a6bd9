//! What one community sends to another in a phase, message by message.

use std::collections::BTreeMap;

use onca_model::{LaneId, Ticks, ValueId, Window};

use super::messages::Message;
use super::{Communication, PhasesAnswer};
use crate::Result;

/// The messages of a flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// How many there are.
    pub count: u64,
    /// The sum of their sizes.
    pub size: u64,
    /// The smallest and the largest size, where any has one.
    pub sizes: Option<(u64, u64)>,
    /// From the first start to the last end.
    pub extent: Window,
    /// The values of their links, the most frequent first.
    pub operations: Vec<Operation>,
    /// The earliest of them.
    pub messages: Vec<ExchangedMessage>,
}

/// A value of links, and how many messages have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The value.
    pub value: ValueId,
    /// How many messages.
    pub count: u64,
}

/// One message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExchangedMessage {
    /// The number of the processor that sends.
    pub from: u32,
    /// The number of the processor that receives.
    pub to: u32,
    /// When it starts.
    pub start: Ticks,
    /// When it ends.
    pub end: Ticks,
    /// How large it is, if that is known.
    pub size: Option<u64>,
    /// Where its link is, and the value of that, if it comes from a trace.
    pub link: Option<(LaneId, u64, ValueId)>,
}

impl Communication<'_> {
    /// What the members of one community of a phase send to those of another, with the earliest messages, at most this many. Nothing where
    /// there is no such phase or community, or no message between them.
    pub fn exchange(
        &self,
        answer: &PhasesAnswer,
        phase: usize,
        (from, to): (usize, usize),
        limit: usize,
    ) -> Result<Option<Exchange>> {
        let communities = answer.communities.get(phase);
        let members = |place: usize| communities.and_then(|all| all.get(place));
        let (Some(senders), Some(receivers)) = (members(from), members(to)) else {
            return Ok(None);
        };
        let Some(middles) = self.middles(&answer.phases[phase].instants) else { return Ok(None) };
        let mut sum = ExchangeSum::new(limit);
        self.visit(|message| {
            let is_meant = middles.contains(&message.doubled_middle())
                && senders.binary_search(&message.from).is_ok()
                && receivers.binary_search(&message.to).is_ok();
            if is_meant {
                sum.add(message);
            }
        })?;
        Ok(sum.finish())
    }
}

struct ExchangeSum {
    limit: usize,
    found: Option<Exchange>,
    operations: BTreeMap<ValueId, u64>,
}

impl ExchangeSum {
    fn new(limit: usize) -> Self {
        Self { limit, found: None, operations: BTreeMap::new() }
    }

    fn add(&mut self, message: &Message) {
        let (low, high) = (message.start.min(message.end), message.start.max(message.end));
        let found = self.found.get_or_insert_with(|| Exchange {
            count: 0,
            size: 0,
            sizes: None,
            extent: Window { from: low, to: high },
            operations: Vec::new(),
            messages: Vec::new(),
        });
        found.count += 1;
        found.extent.from = found.extent.from.min(low);
        found.extent.to = found.extent.to.max(high);
        if let Some(size) = message.size {
            found.size = found.size.saturating_add(size);
            let (least, most) = found.sizes.unwrap_or((size, size));
            found.sizes = Some((least.min(size), most.max(size)));
        }
        if let Some(origin) = message.origin {
            *self.operations.entry(origin.value).or_default() += 1;
        }
        if self.limit == 0 {
            return;
        }
        found.messages.push(ExchangedMessage {
            from: message.from,
            to: message.to,
            start: message.start,
            end: message.end,
            size: message.size,
            link: message.origin.map(|origin| (origin.lane, origin.row, origin.value)),
        });
        // Later ones are dropped now and then, so that each costs little.
        if found.messages.len() >= 2 * self.limit {
            keep_earliest(&mut found.messages, self.limit);
        }
    }

    fn finish(self) -> Option<Exchange> {
        let mut found = self.found?;
        keep_earliest(&mut found.messages, self.limit);
        found.operations =
            self.operations.into_iter().map(|(value, count)| Operation { value, count }).collect();
        found.operations.sort_by_key(|one| (std::cmp::Reverse(one.count), one.value));
        Some(found)
    }
}

/// The earliest messages; those that start and end together stay as they came.
fn keep_earliest(messages: &mut Vec<ExchangedMessage>, limit: usize) {
    messages.sort_by_key(|message| (message.start, message.end));
    messages.truncate(limit);
}
