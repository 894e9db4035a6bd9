//! A running parallel program: processes with a clock each, who compute, exchange messages and meet.
//!
//! The patterns, the iterative run and the demo are told in these steps. A process only moves forward in time, so
//! whatever lies before the slowest clock can be written.

use std::io::Write;

use crate::paje::{Container, LinkKind, Record, Trace, Value};
use crate::place::{Place, PlaceTypes, SlowRoute};
use crate::schedule::Schedule;
use crate::{GenerateError, Written};

/// Runs end in an error long before the clock overflows (2^63 ticks): what one step adds is far less than the rest.
const MAX_TICKS: i64 = 1 << 60;

/// A message from one process to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) bytes: u64,
}

/// A message that was sent: what its receiver needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) arrival: i64,
    pub(crate) key: u64,
}

/// The values of the states around messages.
#[derive(Clone, Copy)]
pub(crate) struct MessageStates {
    pub(crate) send: Value,
    pub(crate) wait: Value,
    pub(crate) recv: Value,
}

/// A program in execution.
pub(crate) struct Run<'w, W: Write> {
    pub(crate) trace: Trace<'w, W>,
    pub(crate) schedule: Schedule,
    pub(crate) clocks: Vec<i64>,
    pub(crate) types: PlaceTypes,
    place: Place,
    /// What messages are, from now on.
    pub(crate) link: LinkKind,
    /// How long every message travels, where the platform does not tell.
    pub(crate) travel_ticks: Option<i64>,
    /// Where messages take longer.
    pub(crate) slow_route: Option<SlowRoute>,
    next_key: u64,
    /// Arrivals of the exchange at hand; kept to reuse its memory.
    sent: Vec<Sent>,
}

impl<'w, W: Write> Run<'w, W> {
    /// A run on a platform whose containers exist already.
    pub(crate) fn new(
        trace: Trace<'w, W>,
        (place, procs): (Place, u32),
        types: PlaceTypes,
        link: LinkKind,
    ) -> Self {
        Run {
            trace,
            schedule: Schedule::default(),
            clocks: vec![0; procs as usize],
            types,
            place,
            link,
            travel_ticks: None,
            slow_route: None,
            next_key: 1,
            sent: Vec::new(),
        }
    }

    pub(crate) fn procs(&self) -> u32 {
        self.clocks.len() as u32
    }

    pub(crate) fn clock(&self, process: u32) -> i64 {
        self.clocks[process as usize]
    }

    pub(crate) fn container(&self, process: u32) -> Container {
        self.types.process.number(process)
    }

    /// The process is in one state for some time.
    pub(crate) fn spend(&mut self, process: u32, value: Value, ticks: i64) {
        let from = self.clock(process);
        self.state(process, value, from, from + ticks);
        self.clocks[process as usize] = from + ticks;
    }

    /// Adds a state without moving the clock.
    pub(crate) fn state(&mut self, process: u32, value: Value, from: i64, to: i64) {
        let container = self.container(process);
        self.schedule.add(from, Record::Push { container, value });
        self.schedule.add(to, Record::Pop { container, value });
    }

    /// The sender is busy with a message for a moment; the message then travels by itself.
    pub(crate) fn send(&mut self, message: Message, send: Value) -> Sent {
        let start = self.clock(message.from);
        let busy = busy_ticks(message.bytes);
        let container = self.container(message.from);
        let value = send;
        self.schedule.add(start, Record::Push { container, value });
        let sent = self.launch(message, start + busy);
        self.schedule.add(start + busy, Record::Pop { container, value });
        self.clocks[message.from as usize] = start + busy;
        sent
    }

    /// A link that leaves at a time, whatever its sender does.
    pub(crate) fn launch(&mut self, message: Message, time: i64) -> Sent {
        let key = self.next_key;
        self.next_key += 1;
        let start_link = Record::StartLink {
            link: self.link,
            from: self.container(message.from),
            key,
            bytes: Some(message.bytes),
        };
        self.schedule.add(time, start_link);
        let (from, to) = (self.machine_of(message.from), self.machine_of(message.to));
        let on_platform = || self.place.transit_ticks(from, to, message.bytes);
        let transit = self.travel_ticks.unwrap_or_else(on_platform);
        let transit = match self.slow_route {
            Some(slow) => (transit as f64 * slow.factor_between(&self.place, from, to)) as i64,
            None => transit,
        };
        let arrival = time + transit;
        Sent { arrival, key }
    }

    /// The end of a link, whatever its receiver does.
    pub(crate) fn land(&mut self, to: u32, sent: Sent, time: i64) {
        let end_link = Record::EndLink { link: self.link, to: self.container(to), key: sent.key };
        self.schedule.add(time, end_link);
    }

    /// The receiver waits for a message if it has to, and takes it.
    pub(crate) fn receive(&mut self, message: Message, sent: Sent, states: MessageStates) {
        let to = message.to;
        let wait = sent.arrival - self.clock(to);
        if wait > 0 {
            self.spend(to, states.wait, wait);
        }
        let start = self.clock(to);
        let busy = busy_ticks(message.bytes);
        self.land(to, sent, start + busy);
        self.spend(to, states.recv, busy);
    }

    /// All messages are sent, each sender in the order given; then all are received.
    pub(crate) fn exchange(&mut self, messages: &[Message], states: MessageStates) {
        let mut sent = std::mem::take(&mut self.sent);
        sent.extend(messages.iter().map(|m| self.send(*m, states.send)));
        for (message, sent) in messages.iter().zip(sent.drain(..)) {
            self.receive(*message, sent, states);
        }
        self.sent = sent;
    }

    /// All wait for the last.
    pub(crate) fn meet(&mut self, wait: Value) {
        let last = self.clocks.iter().copied().max().unwrap_or(0);
        for process in 0..self.procs() {
            let ticks = last - self.clock(process);
            if ticks > 0 {
                self.spend(process, wait, ticks);
            }
        }
    }

    /// Writes what no process can precede any more.
    pub(crate) fn write_past(&mut self) -> Result<(), GenerateError> {
        let slowest = self.clocks.iter().copied().min().unwrap_or(0);
        self.write_before(slowest)
    }

    /// Writes what lies before `limit`.
    pub(crate) fn write_before(&mut self, limit: i64) -> Result<(), GenerateError> {
        if self.schedule.latest() > MAX_TICKS {
            return Err(GenerateError::too_long());
        }
        Ok(self.schedule.write_before(limit, &mut self.trace)?)
    }

    /// Ends the run: the rest is written and every container is destroyed.
    pub(crate) fn finish(mut self) -> Result<Written, GenerateError> {
        self.schedule.write_rest(&mut self.trace)?;
        let end = self.schedule.latest();
        let procs = self.procs();
        self.types.destroy((&self.place, procs), end, &mut self.trace)?;
        self.trace.finish()
    }

    fn machine_of(&self, process: u32) -> u32 {
        self.place.machine_of(process, self.procs())
    }
}

/// How long a process is busy with handing over a message: a call, and a copy at 8 bytes a tick.
fn busy_ticks(bytes: u64) -> i64 {
    2_000 + (bytes / 8) as i64
}

/// The most square grid of `procs` cells: rows, columns.
pub(crate) fn grid(procs: u32) -> (u32, u32) {
    let rows = (1..=procs.isqrt()).rev().find(|r| procs.is_multiple_of(*r));
    let rows = rows.unwrap_or(1);
    (rows, procs / rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_square_as_they_can() {
        assert_eq!(grid(96), (8, 12));
        assert_eq!(grid(64), (8, 8));
        assert_eq!(grid(13), (1, 13));
        assert_eq!(grid(1), (1, 1));
    }
}
