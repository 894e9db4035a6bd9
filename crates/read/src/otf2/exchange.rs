//! Events of messages, one-sided transfers and threads.

use onca_model::{Code, Ticks, push_extra};

use super::archive::Archive;
use super::fields::{push_number_extra, push_time_extra};
use super::messages::{Sent, Transfer};
use super::record::{Event, Values};
use super::stream::Stream;
use super::text::reference_text;
use super::value::Kind;
use super::vocabulary::LinkKind;
use crate::batch::Op;
use crate::cursor::UNDEFINED;
use crate::messages::{Channel, Receive};
use crate::piece::Piece;

impl Stream {
    pub(super) fn send(&mut self, archive: &Archive<'_>, event: &Event, piece: &mut Piece<'_>) {
        let Event { time, values, .. } = *event;
        let channel = channel_of(&values);
        let Some(route) = self.route(archive, Op::StartLink, channel) else {
            return self.without_peer(archive, event, (Kind::Comm, values[1], values[0]), piece);
        };
        let n = self.messages.count(route, channel.tag);
        match channel.tag {
            UNDEFINED => push_extra(&mut self.attributes, archive.fields.tag, b"undefined"),
            tag => push_number_extra(&mut self.attributes, archive.fields.tag, tag.into()),
        }
        if event.number == 15 {
            let extras = std::mem::take(&mut self.attributes);
            let sent = Sent { time, channel, number: n, route, bytes: values[3], extras };
            for given_up in self.messages.begun.begin(values[4], sent) {
                self.sent(archive, given_up, None, piece);
            }
            return;
        }
        let has_extras = piece.take_extras(&mut self.attributes);
        let (start, size) = (Op::StartLink, Some(values[3]));
        self.message_half(archive, time, start, (channel, n), route, size, has_extras, piece);
    }

    /// A send that was begun is over, at a time if that is known.
    pub(super) fn sent(
        &mut self,
        archive: &Archive<'_>,
        mut sent: Sent,
        completed: Option<Ticks>,
        piece: &mut Piece<'_>,
    ) {
        if let Some(completed) = completed {
            push_time_extra(&mut sent.extras, archive.fields.completed, completed);
        }
        let has_extras = piece.keep_extras(&sent.extras);
        let Sent { time, channel, number, route, bytes, .. } = sent;
        let (start, size) = (Op::StartLink, Some(bytes));
        self.message_half(archive, time, start, (channel, number), route, size, has_extras, piece);
    }

    /// Nothing more is known of sends that were begun.
    pub(super) fn release_sends(&mut self, archive: &Archive<'_>, piece: &mut Piece<'_>) {
        for sent in self.messages.begun.take_all() {
            self.sent(archive, sent, None, piece);
        }
    }

    pub(super) fn receive(&mut self, archive: &Archive<'_>, event: &Event, piece: &mut Piece<'_>) {
        let Event { time, number, values } = *event;
        let channel = channel_of(&values);
        let Some(route) = self.route(archive, Op::EndLink, channel) else {
            if number == 19 {
                self.messages.posted.cancel(values[4]);
            }
            return self.without_peer(archive, event, (Kind::Comm, values[1], values[0]), piece);
        };
        let size = Some(values[3]);
        if number != 19 && self.messages.posted.is_empty() {
            let n = self.messages.count(route, channel.tag);
            let has_extras = piece.take_extras(&mut self.attributes);
            let end = Op::EndLink;
            self.message_half(archive, time, end, (channel, n), route, size, has_extras, piece);
            return;
        }
        let extras = std::mem::take(&mut self.attributes);
        let receive = Receive { time, channel, bytes: size, extras, posted: None };
        match number {
            19 => self.messages.posted.complete(values[4], receive),
            _ => self.messages.posted.arrive(receive),
        }
        self.release_receives(archive, piece, false);
    }

    /// A message that was probed for is received.
    pub(super) fn receive_probed(
        &mut self,
        archive: &Archive<'_>,
        event: &Event,
        piece: &mut Piece<'_>,
    ) {
        let Event { time, number, values } = *event;
        let messages = &mut self.messages;
        let message = match number {
            90 => Some(values[0]),
            _ => messages.probed_requests.remove(&values[0]),
        };
        match message.and_then(|message| messages.probed.remove(&message)) {
            Some((rank, comm, tag)) => {
                let values = [rank.into(), comm.into(), tag.into(), values[1], 0, 0];
                self.receive(archive, &Event { time, number: 18, values }, piece);
            }
            None => self.plain_event(archive, event, &[], piece),
        }
    }

    /// Hands out receives whose turn it is.
    pub(super) fn release_receives(
        &mut self,
        archive: &Archive<'_>,
        piece: &mut Piece<'_>,
        at_end: bool,
    ) {
        loop {
            let posted = &mut self.messages.posted;
            let next = if at_end { posted.next_at_end() } else { posted.next() };
            let Some(receive) = next else { return };
            let Receive { time, channel, bytes, mut extras, posted } = receive;
            let Some(route) = self.route(archive, Op::EndLink, channel) else { continue };
            if let Some(posted) = posted {
                push_time_extra(&mut extras, archive.fields.posted, posted);
            }
            let n = self.messages.count(route, channel.tag);
            let has_extras = piece.keep_extras(&extras);
            let end = Op::EndLink;
            self.message_half(archive, time, end, (channel, n), route, bytes, has_extras, piece);
        }
    }

    /// What has nobody at its other end stays an event. `kind` is what ranks are counted in.
    fn without_peer(
        &mut self,
        archive: &Archive<'_>,
        event: &Event,
        (kind, id, rank): (Kind, u64, u64),
        piece: &mut Piece<'_>,
    ) {
        piece.problem(Code::UnknownRank, || {
            let name = reference_text(&archive.definitions, kind, id);
            let name = onca_model::printable(&name).into_owned();
            format!("\"{name}\" has no rank {rank} here; kept as an event")
        });
        self.plain_event(archive, event, &[], piece);
    }

    pub(super) fn transfer(&mut self, archive: &Archive<'_>, event: &Event, piece: &mut Piece<'_>) {
        let Event { time, number, values } = *event;
        let (window, remote) = (values[0] as u32, values[1] as u32);
        let comm = archive.definitions.windows.get(window).map(|&(_, comm)| comm);
        let channel = Channel { comm: comm.unwrap_or(UNDEFINED), rank: remote, tag: 0 };
        let Some(peer) = self.peer(archive, channel) else {
            return self.without_peer(archive, event, (Kind::Window, values[0], values[1]), piece);
        };
        let (bytes, matching) = match number {
            48 => (values[3].max(values[4]), values[5]),
            _ => (values[2], values[3]),
        };
        self.messages.n_transfers += 1;
        let transfer = Transfer {
            window,
            number: self.messages.n_transfers,
            peer: peer.location,
            is_get: number == 47,
        };
        self.messages.transfers.entry((window, matching)).or_default().push(transfer);
        let has_extras = piece.take_extras(&mut self.attributes);
        let start = Op::StartLink;
        self.transfer_half(archive, time, start, transfer, Some(bytes), has_extras, piece);
    }

    /// All transfers with this identity have ended.
    pub(super) fn transfer_end(
        &mut self,
        archive: &Archive<'_>,
        event: &Event,
        piece: &mut Piece<'_>,
    ) {
        let Event { time, values, .. } = *event;
        let key = (values[0] as u32, values[1]);
        let Some(transfers) = self.messages.transfers.remove(&key) else {
            return self.plain_event(archive, event, &[], piece);
        };
        self.attributes.clear();
        for transfer in transfers {
            self.transfer_half(archive, time, Op::EndLink, transfer, None, false, piece);
        }
    }

    /// The beginning and end of a thread are events; where it is known who created it and who
    /// waits for it, they are also links.
    pub(super) fn thread_event(
        &mut self,
        archive: &Archive<'_>,
        event: &Event,
        piece: &mut Piece<'_>,
    ) {
        let Event { time, number, values } = *event;
        self.plain_event(archive, event, &[], piece);
        if values[0] == u64::from(UNDEFINED) {
            return;
        }
        let (kind, op) = match number {
            62 => (LinkKind::ThreadCreate, Op::StartLink),
            63 => (LinkKind::ThreadCreate, Op::EndLink),
            65 => (LinkKind::ThreadWait, Op::StartLink),
            _ => (LinkKind::ThreadWait, Op::EndLink),
        };
        self.thread_half(archive, time, kind, op, values[0], values[1], piece);
    }
}

fn channel_of(values: &Values) -> Channel {
    Channel { comm: values[1] as u32, rank: values[0] as u32, tag: values[2] as u32 }
}
