//! Halves of links.

use onca_model::Ticks;

use super::archive::Archive;
use super::comms::Peer;
use super::lookup::Named;
use super::messages::Transfer;
use super::stream::Stream;
use super::vocabulary::{Entity, LinkKind, TypeKey};
use crate::batch::{LinkHalf, Op, Span};
use crate::messages::{Channel, message_key, push_number, span_from};
use crate::piece::Piece;
use crate::symbols::Symbol;

impl Stream {
    /// The other end of a message; `None` if there is nobody.
    pub(super) fn peer(&self, archive: &Archive<'_>, channel: Channel) -> Option<Peer> {
        let comm = archive.definitions.comms.number(channel.comm.into())?;
        archive.comms.peer(comm, channel.rank, self.location, self.process)
    }

    /// One end of a message.
    #[allow(clippy::too_many_arguments, reason = "a message has that many sides")]
    pub(super) fn message_half(
        &mut self,
        archive: &Archive<'_>,
        time: Ticks,
        op: Op,
        channel: Channel,
        peer: Peer,
        n: u32,
        bytes: Option<u64>,
        piece: &mut Piece<'_>,
    ) {
        let peer_type = archive.places.locations[peer.location as usize].type_number;
        let (own, other) = (peer.own_rank, channel.rank);
        let ((from, to), (source, destination)) = match op {
            Op::StartLink => ((self.place_type, peer_type), (own, other)),
            _ => ((peer_type, self.place_type), (other, own)),
        };
        let start = piece.batch.arena.len();
        let key = &mut piece.batch.arena;
        message_key(key, channel, (source, destination), n);
        if !peer.listed {
            // Another thread of the process counts for itself.
            key.push(b'@');
            push_number(key, self.location.into());
        }
        let key = span_from(key, start);
        let value = self.value(archive, Named::Comm(channel.comm));
        let link = TypeKey { place_type: Some(from), entity: Entity::Link(LinkKind::Message, to) };
        self.half(archive, time, op, link, value, self.symbol, bytes, key, piece);
    }

    /// One end of a one-sided transfer.
    pub(super) fn transfer_half(
        &mut self,
        archive: &Archive<'_>,
        time: Ticks,
        op: Op,
        transfer: Transfer,
        bytes: Option<u64>,
        piece: &mut Piece<'_>,
    ) {
        let peer = &archive.places.locations[transfer.peer as usize];
        let (from, to) = match transfer.is_get {
            true => (peer.type_number, self.place_type),
            false => (self.place_type, peer.type_number),
        };
        let own_end = (op == Op::StartLink) != transfer.is_get;
        let container = match own_end {
            true => self.symbol,
            false => archive.symbols.containers.intern(&peer.alias),
        };
        let start = piece.batch.arena.len();
        let key = &mut piece.batch.arena;
        key.extend_from_slice(b"rma ");
        push_number(key, transfer.window.into());
        key.push(b':');
        push_number(key, self.location.into());
        key.push(b'#');
        push_number(key, transfer.number);
        let key = span_from(key, start);
        let value = self.value(archive, Named::Window(transfer.window));
        let link = TypeKey { place_type: Some(from), entity: Entity::Link(LinkKind::Rma, to) };
        self.half(archive, time, op, link, value, container, bytes, key, piece);
    }

    /// One end of the link between a thread and who creates it or waits for it.
    #[allow(clippy::too_many_arguments, reason = "a link has that many sides")]
    pub(super) fn thread_half(
        &mut self,
        archive: &Archive<'_>,
        time: Ticks,
        kind: LinkKind,
        op: Op,
        contingent: u64,
        sequence: u64,
        piece: &mut Piece<'_>,
    ) {
        let start = piece.batch.arena.len();
        let key = &mut piece.batch.arena;
        push_number(key, contingent);
        key.push(b'#');
        push_number(key, sequence);
        let key = span_from(key, start);
        let entity = Entity::Link(kind, self.place_type);
        let link = TypeKey { place_type: Some(self.place_type), entity };
        let value = self.value(archive, Named::Comm(contingent as u32));
        self.half(archive, time, op, link, value, self.symbol, None, key, piece);
        if let Some(half) = piece.batch.halves.last_mut() {
            // Nothing promises that a number is used once.
            half.unique = false;
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a link has that many sides")]
    fn half(
        &mut self,
        archive: &Archive<'_>,
        time: Ticks,
        op: Op,
        link: TypeKey,
        value: Symbol,
        container: Symbol,
        size: Option<u64>,
        key: Span,
        piece: &mut Piece<'_>,
    ) {
        let pair = self.link_pair(archive, link);
        let key_hash = archive.symbols.key_hash(piece.batch.bytes(key));
        let line = piece.at;
        let half = LinkHalf { value, container, key_hash, key, size, line, unique: true };
        piece.batch.halves.push(half);
        let index = piece.batch.halves.len() as u32 - 1;
        piece.push(time, pair, op, index, false);
    }
}
