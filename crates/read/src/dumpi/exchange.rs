//! The messages that calls send and receive.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use onca_model::{Code, Ticks, push_extra};

use super::call::{Call, Status};
use super::comms::{Comms, Seen};
use super::names::bytes_of;
use super::stream::Stream;
use super::trace::Trace;
use crate::batch::{LinkHalf, Op};
use crate::messages::{Begun, Channel, Counters, Posted, Receive, message_key, span_from};
use crate::piece::Piece;
use crate::symbols::Symbol;

/// A message to or from it is none.
const NOBODY: i64 = -2;
/// Whoever sends.
const ANYBODY: i64 = -1;
/// Whatever tag.
const ANY_TAG: i64 = -1;

/// A message as one side of it asks for it.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Rank in the communicator.
    peer: i64,
    tag: i64,
    comm: Option<Seen>,
    bytes: Option<u64>,
}

/// A message that was sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    time: Ticks,
    channel: Channel,
    /// Its number in its channel.
    number: u32,
    tag: i64,
    bytes: Option<u64>,
}

/// A request that can be started again and again.
#[derive(Clone, Copy, Debug)]
enum Persistent {
    Send(Asked),
    Receive(Asked),
}

/// All that a rank knows of its messages.
#[derive(Default)]
pub(super) struct Exchange {
    sent: Counters<Channel>,
    received: Counters<Channel>,
    posted: Posted,
    begun: Begun<Sent>,
    /// Receives under way, by request. Numbers of requests are used again, and sends share them:
    /// only receives are here.
    pending: HashMap<i64, Asked, RandomState>,
    persistent: HashMap<i64, Persistent, RandomState>,
    comm_symbols: HashMap<u32, Symbol, RandomState>,
}

impl Exchange {
    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        let per_request = size_of::<(i64, Persistent)>() + 1;
        self.sent.bytes()
            + self.received.bytes()
            + self.posted.bytes()
            + self.begun.bytes()
            + (self.pending.capacity() + self.persistent.capacity()) * per_request
    }
}

impl Stream {
    /// Follows the messages of a call. They are sent when it begins and received when it ends.
    pub(super) fn messages(
        &mut self,
        trace: &Trace<'_>,
        call: &Call,
        (enter, leave): (Ticks, Ticks),
        piece: &mut Piece<'_>,
    ) {
        let request = call.number("request").unwrap_or(0);
        match call.id() {
            0 | 3..=5 => self.send(trace, enter, self.asked_send(trace, call), piece),
            8..=11 => self.begin_send(trace, enter, request, self.asked_send(trace, call), piece),
            1 => {
                let asked = self.asked_receive(trace, call);
                self.receive(trace, leave, asked, call.statuses.first(), piece);
            }
            12 => self.post(trace, request, enter, self.asked_receive(trace, call), piece),
            26..=29 => {
                let send = Persistent::Send(self.asked_send(trace, call));
                self.exchange.persistent.insert(request, send);
            }
            30 => {
                let receive = Persistent::Receive(self.asked_receive(trace, call));
                self.exchange.persistent.insert(request, receive);
            }
            15 => {
                self.exchange.persistent.remove(&request);
            }
            31 => self.start(trace, enter, request, piece),
            32 => {
                for &request in call.list("requests") {
                    self.start(trace, enter, request, piece);
                }
            }
            33 | 34 => {
                self.send(trace, enter, self.asked_send(trace, call), piece);
                let asked = self.asked_receive(trace, call);
                self.receive(trace, leave, asked, call.statuses.first(), piece);
            }
            13 | 14 | 16..=21 => self.completions(trace, call, leave, piece),
            _ => {}
        }
    }

    fn asked_send(&self, trace: &Trace<'_>, call: &Call) -> Asked {
        self.asked(trace, call, "dest", ["sendtag", "tag"], ["sendcount", "count"], "sendtype")
    }

    fn asked_receive(&self, trace: &Trace<'_>, call: &Call) -> Asked {
        self.asked(trace, call, "source", ["recvtag", "tag"], ["recvcount", "count"], "recvtype")
    }

    /// What a call asks for. Calls that do both have names of their own for each.
    fn asked(
        &self,
        trace: &Trace<'_>,
        call: &Call,
        peer: &str,
        tags: [&str; 2],
        counts: [&str; 2],
        data_type: &str,
    ) -> Asked {
        let number = |name: &str| call.number(name);
        let count = number(counts[0]).or(number(counts[1])).unwrap_or(0);
        let data_type = number(data_type).or(number("datatype")).unwrap_or(0);
        let sizes = &trace.sections[self.number as usize].type_sizes;
        let comm = number("comm").and_then(|comm| self.comms.get(&comm).copied().flatten());
        Asked {
            peer: number(peer).unwrap_or(NOBODY),
            tag: number(tags[0]).or(number(tags[1])).unwrap_or(0),
            comm,
            bytes: bytes_of(sizes, data_type, count),
        }
    }

    fn send(&mut self, trace: &Trace<'_>, time: Ticks, asked: Asked, piece: &mut Piece<'_>) {
        if let Some(sent) = self.numbered(trace, time, asked, piece) {
            self.sent(trace, sent, None, piece);
        }
    }

    /// A send that a later call ends.
    fn begin_send(
        &mut self,
        trace: &Trace<'_>,
        time: Ticks,
        request: i64,
        asked: Asked,
        piece: &mut Piece<'_>,
    ) {
        let Some(sent) = self.numbered(trace, time, asked, piece) else { return };
        for given_up in self.exchange.begun.begin(request.cast_unsigned(), sent) {
            self.sent(trace, given_up, None, piece);
        }
    }

    /// The next message that this rank sends; `None` if it is none.
    fn numbered(
        &mut self,
        trace: &Trace<'_>,
        time: Ticks,
        asked: Asked,
        piece: &mut Piece<'_>,
    ) -> Option<Sent> {
        let channel = self.channel(trace, asked, piece)?;
        let number = self.exchange.sent.next(channel);
        Some(Sent { time, channel, number, tag: asked.tag, bytes: asked.bytes })
    }

    /// Hands out a message that was sent, and when that was over, if it is known.
    fn sent(
        &mut self,
        trace: &Trace<'_>,
        sent: Sent,
        completed: Option<Ticks>,
        piece: &mut Piece<'_>,
    ) {
        let Sent { time, channel, number, tag, bytes } = sent;
        let mut packed = Vec::new();
        push_extra(&mut packed, trace.fields.tag, tag.to_string().as_bytes());
        if let Some(completed) = completed {
            push_extra(&mut packed, trace.fields.completed, completed.to_string().as_bytes());
        }
        let ends = (self.rank, channel.rank);
        self.half(trace, time, Op::StartLink, channel, ends, number, bytes, piece);
        keep_extras(&packed, piece);
    }

    /// Nothing more is known of sends that were begun.
    pub(super) fn release_sends(&mut self, trace: &Trace<'_>, piece: &mut Piece<'_>) {
        for sent in self.exchange.begun.take_all() {
            self.sent(trace, sent, None, piece);
        }
    }

    /// A receive is posted; from nobody there is nothing to wait for.
    fn post(
        &mut self,
        trace: &Trace<'_>,
        request: i64,
        time: Ticks,
        asked: Asked,
        piece: &mut Piece<'_>,
    ) {
        // A number that is used again is free: what it was of has ended unseen.
        if let Some(sent) = self.exchange.begun.end(request.cast_unsigned()) {
            self.sent(trace, sent, None, piece);
        }
        if asked.peer != NOBODY {
            self.exchange.pending.insert(request, asked);
            self.exchange.posted.post(request.cast_unsigned(), time);
        }
    }

    fn start(&mut self, trace: &Trace<'_>, time: Ticks, request: i64, piece: &mut Piece<'_>) {
        match self.exchange.persistent.get(&request) {
            Some(&Persistent::Send(asked)) => {
                self.begin_send(trace, time, request, asked, piece);
            }
            Some(&Persistent::Receive(asked)) => self.post(trace, request, time, asked, piece),
            None => {}
        }
    }

    /// Requests that a call found complete. Statuses are in the order of what is complete.
    fn completions(&mut self, trace: &Trace<'_>, call: &Call, time: Ticks, piece: &mut Piece<'_>) {
        let flag = call.number("flag") != Some(0);
        let requests = call.list("requests");
        let at = |index: i64| usize::try_from(index).ok().and_then(|i| requests.get(i)).copied();
        let complete: Vec<Option<i64>> = match call.id() {
            _ if !flag => Vec::new(),
            13 | 14 => vec![call.number("request")],
            16 | 17 => vec![call.number("index").and_then(at)],
            18 | 19 => requests.iter().map(|&request| Some(request)).collect(),
            _ => call.list("indices").iter().map(|&index| at(index)).collect(),
        };
        for (place, request) in complete.into_iter().enumerate() {
            let Some(request) = request else { continue };
            let Some(asked) = self.exchange.pending.remove(&request) else {
                if let Some(sent) = self.exchange.begun.end(request.cast_unsigned()) {
                    self.sent(trace, sent, Some(time), piece);
                }
                continue;
            };
            let status = call.statuses.get(place);
            match self.arrived(trace, time, asked, status, piece) {
                Some(receive) => {
                    self.exchange.posted.complete(request.cast_unsigned(), receive);
                }
                None => self.exchange.posted.cancel(request.cast_unsigned()),
            }
        }
        self.release_receives(trace, piece, false);
    }

    fn receive(
        &mut self,
        trace: &Trace<'_>,
        time: Ticks,
        asked: Asked,
        status: Option<&Status>,
        piece: &mut Piece<'_>,
    ) {
        if asked.peer == NOBODY {
            return;
        }
        if let Some(receive) = self.arrived(trace, time, asked, status, piece) {
            self.exchange.posted.arrive(receive);
            self.release_receives(trace, piece, false);
        }
    }

    /// A message that has arrived; `None` if it is none, or nothing tells whose it is. Its status
    /// knows better than who asked.
    fn arrived(
        &self,
        trace: &Trace<'_>,
        time: Ticks,
        asked: Asked,
        status: Option<&Status>,
        piece: &mut Piece<'_>,
    ) -> Option<Receive> {
        let (asked, bytes) = match status {
            Some(status) if status.cancelled => return None,
            Some(status) => {
                let (peer, tag) = (status.source.into(), status.tag.into());
                (Asked { peer, tag, ..asked }, u64::try_from(status.bytes).ok())
            }
            None => (asked, None),
        };
        if asked.peer == ANYBODY || asked.tag == ANY_TAG && asked.peer != NOBODY {
            piece.problem(Code::UnknownRank, || {
                "nothing tells which message was received; it has no end".to_owned()
            });
            return None;
        }
        let channel = self.channel(trace, asked, piece)?;
        Some(Receive { time, channel, bytes, extras: Vec::new(), posted: None })
    }

    /// Hands out receives whose turn it is.
    pub(super) fn release_receives(
        &mut self,
        trace: &Trace<'_>,
        piece: &mut Piece<'_>,
        at_end: bool,
    ) {
        loop {
            let posted = &mut self.exchange.posted;
            let next = if at_end { posted.next_at_end() } else { posted.next() };
            let Some(Receive { time, channel, bytes, posted, .. }) = next else { return };
            let n = self.exchange.received.next(channel);
            let ends = (channel.rank, self.rank);
            self.half(trace, time, Op::EndLink, channel, ends, n, bytes, piece);
            if let Some(posted) = posted {
                let mut packed = Vec::new();
                push_extra(&mut packed, trace.fields.posted, posted.to_string().as_bytes());
                keep_extras(&packed, piece);
            }
        }
    }

    /// What messages with this other end are numbered by; ranks are those of the whole trace.
    fn channel(&self, trace: &Trace<'_>, asked: Asked, piece: &mut Piece<'_>) -> Option<Channel> {
        if asked.peer == NOBODY {
            return None;
        }
        let found = asked.comm.and_then(|seen| {
            Some((seen, trace.comms.world_rank(seen.comm, asked.peer, self.rank)?))
        });
        let Some((seen, rank)) = found else {
            piece.problem(Code::UnknownRank, || {
                let rank = asked.peer;
                format!("the members of the communicator are not known, or it has no rank {rank}")
            });
            return None;
        };
        let tag = (asked.tag as i32).cast_unsigned();
        Some(Channel { comm: seen.comm, rank, tag })
    }

    #[allow(clippy::too_many_arguments, reason = "a message has that many sides")]
    fn half(
        &mut self,
        trace: &Trace<'_>,
        time: Ticks,
        op: Op,
        channel: Channel,
        ends: (u32, u32),
        n: u32,
        size: Option<u64>,
        piece: &mut Piece<'_>,
    ) {
        let values = &trace.symbols.values;
        let symbols = &mut self.exchange.comm_symbols;
        let value = *symbols
            .entry(channel.comm)
            .or_insert_with(|| values.intern(Comms::name(channel.comm).as_bytes()));
        let start = piece.batch.arena.len();
        message_key(&mut piece.batch.arena, channel, ends, n);
        let key = span_from(&piece.batch.arena, start);
        let key_hash = trace.symbols.key_hash(piece.batch.bytes(key));
        let (container, line) = (self.symbol, piece.at);
        piece.batch.halves.push(LinkHalf {
            value,
            container,
            key_hash,
            key,
            size,
            line,
            unique: true,
        });
        let index = piece.batch.halves.len() as u32 - 1;
        piece.push(time, trace.message_pair, op, index, false);
    }
}

/// Gives the last record extra fields.
fn keep_extras(packed: &[u8], piece: &mut Piece<'_>) {
    let has_extras = piece.keep_extras(packed);
    if let Some(record) = piece.batch.records.last_mut() {
        record.has_extras = has_extras;
    }
}
