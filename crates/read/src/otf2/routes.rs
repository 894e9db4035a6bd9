//! What all messages between a location and one rank of a communicator have in common: looked up
//! once, not for every message.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::archive::Archive;
use super::comms::Peer;
use super::lookup::Named;
use super::stream::Stream;
use super::vocabulary::{Entity, LinkKind, TypeKey};
use crate::batch::Op;
use crate::messages::{Channel, push_ends};
use crate::symbols::Symbol;

/// The way of messages to or from a rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Route {
    link: TypeKey,
    /// The symbol of the link type; the type is not defined before a message needs it.
    pair: Option<Symbol>,
    /// The symbol of the communicator.
    pub value: Symbol,
    /// Where the first part of its keys is.
    key: (u32, u32),
    /// See [`Peer::listed`].
    pub listed: bool,
}

/// No such rank.
const NOBODY: u32 = u32::MAX;

/// The routes of a location.
#[derive(Debug, Default)]
pub(super) struct Routes {
    /// Of what is received and of what is sent, by communicator and rank.
    numbers: [HashMap<u64, u32, RandomState>; 2],
    routes: Vec<Route>,
    keys: Vec<u8>,
}

impl Routes {
    /// The first part of the keys of messages on a route.
    #[inline]
    pub fn key(&self, route: &Route) -> &[u8] {
        let (start, end) = route.key;
        &self.keys[start as usize..end as usize]
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.numbers.iter().map(|numbers| numbers.capacity() * 13).sum::<usize>()
            + self.routes.capacity() * size_of::<Route>()
            + self.keys.capacity()
    }
}

impl Stream {
    /// The other end of messages on a channel; `None` if there is nobody.
    pub(super) fn peer(&self, archive: &Archive<'_>, channel: Channel) -> Option<Peer> {
        let comm = archive.definitions.comms.number(channel.comm.into())?;
        archive.comms.peer(comm, channel.rank, self.location, self.process)
    }

    /// The number of the route of a message that is sent or received on a channel; `None` if
    /// there is nobody at its other end.
    #[inline]
    pub(super) fn route(&mut self, archive: &Archive<'_>, op: Op, channel: Channel) -> Option<u32> {
        // One number is hashed faster than two.
        let key = u64::from(channel.comm) << 32 | u64::from(channel.rank);
        let direction = usize::from(op == Op::StartLink);
        let number = match self.messages.routes.numbers[direction].get(&key) {
            Some(&number) => number,
            None => {
                let number = self.new_route(archive, op, channel).unwrap_or(NOBODY);
                self.messages.routes.numbers[direction].insert(key, number);
                number
            }
        };
        (number != NOBODY).then_some(number)
    }

    #[cold]
    fn new_route(&mut self, archive: &Archive<'_>, op: Op, channel: Channel) -> Option<u32> {
        let peer = self.peer(archive, channel)?;
        let peer_type = archive.places.locations[peer.location as usize].type_number;
        let (own, other) = (peer.own_rank, channel.rank);
        let (own_mark, other_mark) = peer.marks;
        let ((from, to), ends, marks) = match op {
            Op::StartLink => ((self.place_type, peer_type), (own, other), (own_mark, other_mark)),
            _ => ((peer_type, self.place_type), (other, own), (other_mark, own_mark)),
        };
        let value = self.value(archive, Named::Comm(channel.comm));
        let Routes { routes, keys, .. } = &mut self.messages.routes;
        let start = keys.len() as u32;
        push_ends(keys, channel.comm, ends, marks);
        let link = TypeKey { place_type: Some(from), entity: Entity::Link(LinkKind::Message, to) };
        let key = (start, keys.len() as u32);
        routes.push(Route { link, pair: None, value, key, listed: peer.listed });
        Some(routes.len() as u32 - 1)
    }

    /// A route whose messages are needed, and the symbol of their type.
    #[inline]
    pub(super) fn used_route(&mut self, archive: &Archive<'_>, number: u32) -> (Route, Symbol) {
        let route = self.messages.routes.routes[number as usize];
        let pair = match route.pair {
            Some(pair) => pair,
            None => {
                let pair = self.link_pair(archive, route.link);
                self.messages.routes.routes[number as usize].pair = Some(pair);
                pair
            }
        };
        (route, pair)
    }
}
