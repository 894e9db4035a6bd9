//! Halves of links.

use onca_model::Ticks;

use super::archive::Archive;
use super::lookup::Named;
use super::messages::Transfer;
use super::stream::Stream;
use super::vocabulary::{Entity, LinkKind, TypeKey};
use crate::batch::{LinkHalf, Op, Span};
use crate::messages::{Channel, push_count, push_number, span_from};
use crate::piece::Piece;
use crate::symbols::Symbol;

/// One end of a link.
struct NewHalf {
    time: Ticks,
    op: Op,
    /// The symbol of the link type.
    pair: Symbol,
    value: Symbol,
    container: Symbol,
    size: Option<u64>,
    key: Span,
    /// Exactly two halves of the trace have this key.
    unique: bool,
    has_extras: bool,
}

impl Stream {
    /// One end of the `n`-th message of a channel, on its route.
    #[allow(clippy::too_many_arguments, reason = "a message has that many sides")]
    pub(super) fn message_half(
        &mut self,
        archive: &Archive<'_>,
        time: Ticks,
        op: Op,
        (channel, n): (Channel, u32),
        route: u32,
        size: Option<u64>,
        has_extras: bool,
        piece: &mut Piece<'_>,
    ) {
        let (route, pair) = self.used_route(archive, route);
        let start = piece.batch.arena.len();
        let key = &mut piece.batch.arena;
        key.extend_from_slice(self.messages.routes.key(&route));
        push_count(key, channel.tag, n);
        if !route.listed {
            // Another thread of the process counts for itself.
            key.push(b'@');
            push_number(key, self.location.into());
        }
        let key = span_from(key, start);
        let (value, container) = (route.value, self.symbol);
        let half =
            NewHalf { time, op, pair, value, container, size, key, unique: true, has_extras };
        push_half(archive, &half, piece);
    }

    /// One end of a one-sided transfer.
    #[allow(clippy::too_many_arguments, reason = "a transfer has that many sides")]
    pub(super) fn transfer_half(
        &mut self,
        archive: &Archive<'_>,
        time: Ticks,
        op: Op,
        transfer: Transfer,
        size: Option<u64>,
        has_extras: bool,
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
        let pair = self.link_pair(archive, link);
        let half =
            NewHalf { time, op, pair, value, container, size, key, unique: true, has_extras };
        push_half(archive, &half, piece);
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
        let half = NewHalf {
            time,
            op,
            pair: self.link_pair(archive, link),
            value,
            container: self.symbol,
            size: None,
            key,
            // Nothing promises that a number is used once.
            unique: false,
            has_extras: false,
        };
        push_half(archive, &half, piece);
    }
}

/// Adds one end of a link to a batch.
#[inline]
fn push_half(archive: &Archive<'_>, half: &NewHalf, piece: &mut Piece<'_>) {
    let &NewHalf { time, op, pair, value, container, size, key, unique, has_extras } = half;
    let key_hash = archive.symbols.key_hash(piece.batch.bytes(key));
    let line = piece.at;
    piece.batch.halves.push(LinkHalf { value, container, key_hash, key, size, line, unique });
    let index = piece.batch.halves.len() as u32 - 1;
    piece.push(time, pair, op, index, has_extras);
}
