//! What a location knows of its messages and one-sided transfers under way.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::messages::{Counters, Posted};

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

/// All that a location knows of its messages.
#[derive(Debug, Default)]
pub(super) struct Messages {
    pub sent: Counters,
    pub received: Counters,
    pub posted: Posted,
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
    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.sent.bytes()
            + self.received.bytes()
            + self.posted.bytes()
            + (self.probed.capacity() + self.probed_requests.capacity()) * 24
            + self.transfers.capacity() * (41 + size_of::<Transfer>())
    }
}
