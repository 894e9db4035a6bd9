//! What depends on the order of lines.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use foldhash::fast::RandomState;
use onca_model::Ticks;

use super::decode::{Note, Trace};
use super::vocabulary::{Type, Wanted, define};
use crate::batch::{Batch, BatchConsumer, Op, Record};
use crate::emit::Emitter;
use crate::symbols::Symbol;

/// Where the trace stands between two blocks of lines.
pub(super) struct Order {
    part: u32,
    next_line: u64,
    held_bytes: usize,
    known: HashSet<Wanted, RandomState>,
    /// What goes before a block.
    before: Batch,
    /// When each counter was read last.
    counters: HashMap<Symbol, Ticks, RandomState>,
    cpus: HashMap<u32, OnCpu, RandomState>,
}

/// The processor that a thread is on.
struct OnCpu {
    first: (Ticks, u64),
    last: u64,
    /// It has been on another.
    moved: bool,
}

impl Order {
    pub fn new(part: u32, next_line: u64, held_bytes: usize) -> Self {
        Self {
            part,
            next_line,
            held_bytes,
            known: HashSet::default(),
            before: Batch::default(),
            counters: HashMap::default(),
            cpus: HashMap::default(),
        }
    }

    /// Hands a block over, after what must be known before.
    pub fn hand_over(
        &mut self,
        trace: &Trace<'_>,
        note: Note,
        batch: &mut Batch,
        consumer: &mut dyn BatchConsumer,
    ) -> ControlFlow<()> {
        batch.part = self.part;
        batch.first_line = self.next_line;
        batch.held_bytes = self.held_bytes;
        self.next_line += batch.n_lines;
        self.before.clear();
        let moves = self.moves(note.cpus);
        let mut new: Vec<Wanted> =
            note.wanted.into_iter().filter(|&wanted| self.known.insert(wanted)).collect();
        let cpu = Wanted::Type(Type::Cpu);
        if !moves.is_empty() && self.known.insert(cpu) {
            new.push(cpu);
        }
        new.sort_unstable();
        let mut out = Emitter { symbols: trace.symbols, batch: &mut self.before };
        for wanted in new {
            define(wanted, &trace.labels, &mut out);
        }
        for (thread, time, cpu) in moves {
            set(&mut self.before, time, trace.pair(thread, Type::Cpu), cpu as f64);
        }
        self.date_counters(&note.counters, batch);
        self.tell(consumer)?;
        consumer.accept(batch)
    }

    /// The processors that threads move to. Of a thread that never moves there are none.
    fn moves(&mut self, cpus: Vec<(u32, Ticks, u64)>) -> Vec<(u32, Ticks, u64)> {
        let mut moves = Vec::new();
        for (thread, time, cpu) in cpus {
            let new = OnCpu { first: (time, cpu), last: cpu, moved: false };
            let on = self.cpus.entry(thread).or_insert(new);
            if on.last == cpu {
                continue;
            }
            if !on.moved {
                moves.push((thread, on.first.0, on.first.1));
            }
            (on.last, on.moved) = (cpu, true);
            moves.push((thread, time, cpu));
        }
        moves
    }

    /// A counter tells what was counted since it was read before: its value holds from then on.
    fn date_counters(&mut self, places: &[u32], batch: &mut Batch) {
        for &place in places {
            let record = &mut batch.records[place as usize];
            let last = self.counters.entry(record.pair).or_insert(0);
            let read = record.time;
            record.time = read.min(*last);
            *last = read.max(*last);
        }
    }

    /// Ends the trace: nothing is known of counters after they were read last.
    pub fn finish(mut self, consumer: &mut dyn BatchConsumer) -> ControlFlow<()> {
        self.before.clear();
        let counters: BTreeMap<Symbol, Ticks> = self.counters.drain().collect();
        for (pair, time) in counters {
            set(&mut self.before, time, pair, 0.0);
        }
        self.tell(consumer)
    }

    fn tell(&mut self, consumer: &mut dyn BatchConsumer) -> ControlFlow<()> {
        if self.before.records.is_empty() {
            return ControlFlow::Continue(());
        }
        self.before.part = self.part;
        self.before.held_bytes = self.held_bytes;
        consumer.accept(&self.before)
    }
}

fn set(batch: &mut Batch, time: Ticks, pair: Symbol, value: f64) {
    let index = batch.numbers.len() as u32;
    batch.numbers.push(value);
    let op = Op::SetVariable;
    batch.records.push(Record { time, at: 0, pair, value: index, op, has_extras: false });
}
