//! What a location knows of its messages and one-sided transfers under way.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use onca_model::Ticks;

use super::routes::Routes;
use crate::messages::{Begun, Channel, Counters, Posted};

/// A one-sided transfer under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub window: u32,
    /// Tells it from others with the same identity.
    pub number: u64,
    /// The number of the other location.
    pub peer: u32,
    /// Data comes from the other location.
    pub is_get: bool,
}

/// A message that was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub time: Ticks,
    pub channel: Channel,
    /// Its number on its route.
    pub number: u32,
    pub route: u32,
    pub bytes: u64,
    /// Packed attributes of the event.
    pub extras: Vec<u8>,
}

/// All that a location knows of its messages.
#[derive(Debug, Default)]
pub(super) struct Messages {
    pub routes: Routes,
    /// Messages so far, by route and tag: a route is of one direction, communicator and rank.
    counts: Counters<u64>,
    pub posted: Posted,
    pub begun: Begun<Sent>,
    /// Channels of messages that were found but not received, by the message's id.
    pub probed: HashMap<u64, (u32, u32, u32), RandomState>,
    /// Messages that requests will receive.
    pub probed_requests: HashMap<u64, u64, RandomState>,
    /// Transfers under way, by window and matching id.
    pub transfers: HashMap<(u32, u64), Vec<Transfer>, RandomState>,
    pub n_transfers: u64,
    /// Collective operations so far, by communicator.
    pub collectives: HashMap<u32, u64, RandomState>,
}

impl Messages {
    /// The number of the next message on a route that has a tag.
    #[inline]
    pub fn count(&mut self, route: u32, tag: u32) -> u32 {
        // One number is hashed faster than two.
        self.counts.next(u64::from(route) << 32 | u64::from(tag))
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.routes.bytes()
            + self.counts.bytes()
            + self.posted.bytes()
            + self.begun.bytes()
            + (self.probed.capacity() + self.probed_requests.capacity()) * 24
            + self.transfers.capacity() * (41 + size_of::<Transfer>())
    }
}
