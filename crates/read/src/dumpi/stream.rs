//! The calls of one rank as states, piece by piece.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use onca_model::{Code, FieldId, Ticks, push_extra};

use super::call::{Call, Scalar, Times};
use super::calls::{Calls, Next, RankFile};
use super::comms::{Comms, Named, Seen, first_names};
use super::exchange::Exchange;
use super::function::{FUNCTION_ENTER, FUNCTION_EXIT, N_COUNTED, functions};
use super::made::COMM_MAKERS;
use super::names::{Meaning, data_type, operation};
use super::trace::{States, Trace, Wanted, rank_alias, thread_alias};
use crate::batch::{Batch, Locate, Located, Op, Role};
use crate::piece::Piece;
use crate::symbols::{Symbol, image_of};

/// The oldest version whose records are as they are today.
const OLDEST: [u8; 3] = [0, 6, 9];

/// Where the reading of a rank stands.
pub(super) struct Stream {
    /// The number of its file among those of ranks.
    pub number: u32,
    pub rank: u32,
    pub symbol: Symbol,
    part: u32,
    calls: Calls,
    call: Call,
    pub ended: bool,
    /// What the rank calls communicators.
    pub comms: HashMap<i64, Option<Seen>, RandomState>,
    /// What it will call those that calls make, in their order.
    named: std::vec::IntoIter<Named>,
    pub exchange: Exchange,
    /// Collective operations so far, by communicator.
    collectives: HashMap<u32, u64, RandomState>,
    threads: HashMap<u16, Thread, RandomState>,
    /// What the records of this piece need that no earlier piece of this rank needed.
    pub wanted: Vec<Wanted>,
    told_clock: bool,
    /// How often each function was called so far.
    n_calls: Vec<u32>,
    packed: Vec<u8>,
    /// Memory in use, by the last account.
    held: usize,
}

/// A thread of a rank.
#[derive(Clone, Copy)]
struct Thread {
    mpi: Symbol,
    function: Option<Symbol>,
    /// When its last call ended.
    last: Option<Ticks>,
}

impl Stream {
    pub fn new(trace: &Trace<'_>, number: u32, file: RankFile, named: Vec<Named>) -> Self {
        let (rank, part) = (file.rank, file.part);
        Self {
            number,
            rank,
            symbol: trace.symbols.containers.intern(rank_alias(rank).as_bytes()),
            part,
            calls: Calls::new(file, trace.turns.piece_bytes()),
            call: Call::default(),
            ended: false,
            comms: first_names(rank).into_iter().collect(),
            named: named.into_iter(),
            exchange: Exchange::default(),
            collectives: HashMap::default(),
            threads: HashMap::default(),
            wanted: Vec::new(),
            told_clock: false,
            n_calls: vec![0; N_COUNTED],
            packed: Vec::new(),
            held: 0,
        }
    }

    /// Decodes the next piece.
    pub fn decode(&mut self, trace: &Trace<'_>, batch: &mut Batch) {
        let first = self.calls.offset();
        let mut piece = Piece::new(batch, self.part, first, &trace.locator);
        let version = trace.sections[self.number as usize].version;
        if let Some([major, minor, patch]) = version.filter(|version| *version < OLDEST) {
            piece.lose(Code::DamagedRecord, || {
                format!("recorded by version {major}.{minor}.{patch}, which is too old to be read")
            });
            self.ended = true;
        }
        let mut call = std::mem::take(&mut self.call);
        while !self.ended && self.calls.offset() - first < trace.turns.piece_bytes() as u64 {
            piece.at = (self.calls.offset() - first) as u32;
            match self.calls.next(&mut call) {
                Ok(Next::Call) => self.call(trace, &call, &mut piece),
                Ok(Next::End) => {
                    self.check_footer(trace, &mut piece);
                    self.ended = true;
                }
                Ok(Next::Cut) => {
                    piece.cut(1);
                    self.ended = true;
                }
                Ok(Next::Damaged) => {
                    piece.batch.n_records += 1;
                    piece.lose(Code::DamagedRecord, || {
                        "a call that cannot be decoded; the rest of the file is not read".to_owned()
                    });
                    self.ended = true;
                }
                Err(error) => {
                    piece.unreadable(&error, 1);
                    self.ended = true;
                }
            }
        }
        if self.ended {
            self.release_receives(trace, &mut piece, true);
            self.release_sends(trace, &mut piece);
        }
        self.call = call;
        let now = if self.ended { 0 } else { self.exchange.bytes() };
        trace.turns.hold(std::mem::replace(&mut self.held, now), now);
        trace.progress.advance(self.calls.offset() - first);
    }

    /// All calls were read: is there a footer, and does it count as many?
    fn check_footer(&self, trace: &Trace<'_>, piece: &mut Piece<'_>) {
        let sections = &trace.sections[self.number as usize];
        let Some(counts) = &sections.counts else {
            return piece.lose(Code::Truncated, || {
                "the file ends without its footer: names and sizes of data types are missing"
                    .to_owned()
            });
        };
        // Recorded files count every call twice, other writers once. What was not recorded is counted
        // too, in which way is not known: then the larger count is the bound.
        let mut fewer = functions().filter_map(|function| {
            let id = usize::from(function.id);
            let counted = u64::from(*counts.get(id)?);
            let ignored = sections.ignored.get(id).map_or(0, |&ignored| u64::from(ignored));
            let found = u64::from(self.n_calls[id]);
            let known = found + ignored;
            let is_twice = if ignored == 0 { counted == 2 * known } else { counted <= 2 * known };
            (counted > known && !is_twice).then_some((&function.name, counted, found))
        });
        if let Some((name, counted, found)) = fewer.next() {
            piece.lose(Code::Truncated, || {
                format!("calls are missing: the footer counts {counted} of {name}, and {found} were found")
            });
        }
    }

    fn call(&mut self, trace: &Trace<'_>, call: &Call, piece: &mut Piece<'_>) {
        piece.batch.n_records += 1;
        if let Some(n_calls) = self.n_calls.get_mut(usize::from(call.id())) {
            *n_calls = n_calls.saturating_add(1);
        }
        let Some((enter, leave)) = self.times(call, piece) else {
            return piece
                .lose(Code::MissingField, || "a call of which no time was recorded".to_owned());
        };
        let thread = self.thread(trace, call.thread);
        if matches!(call.id(), FUNCTION_ENTER | FUNCTION_EXIT) {
            return self.program_function(trace, call, enter, piece);
        }
        if let Some(last) = thread.last.filter(|&last| last < enter) {
            piece.push(last, thread.mpi, Op::PushState, trace.compute, false);
            piece.push(enter, thread.mpi, Op::PopState, 0, false);
        }
        let instance = self.instance(call);
        if COMM_MAKERS.contains(&call.id()) {
            self.name_new_comm(call);
        }
        let has_extras = self.keep_fields(trace, call, instance, piece);
        let value = trace.values[usize::from(call.id())];
        piece.push(enter, thread.mpi, Op::PushState, value, has_extras);
        piece.push(leave, thread.mpi, Op::PopState, 0, false);
        if let Some(known) = self.threads.get_mut(&call.thread) {
            known.last = Some(leave.max(thread.last.unwrap_or(leave)));
        }
        self.messages(trace, call, (enter, leave), piece);
    }

    /// When a call began and ended. Without a wall clock it is the time of the processor.
    fn times(&mut self, call: &Call, piece: &mut Piece<'_>) -> Option<Times> {
        let (enter, leave) = match (call.wall, call.cpu) {
            (Some(wall), _) => wall,
            (None, Some(cpu)) => {
                if !std::mem::replace(&mut self.told_clock, true) {
                    piece.problem(Code::UnknownClock, || {
                        "calls have no wall clock time, but that of the processor: times of \
                         different ranks cannot be compared"
                            .to_owned()
                    });
                }
                cpu
            }
            (None, None) => return None,
        };
        if leave < enter {
            piece.problem(Code::NegativeDuration, || "a call ends before it begins".to_owned());
        }
        Some((enter, leave.max(enter)))
    }

    /// The symbols of a thread of the rank.
    fn thread(&mut self, trace: &Trace<'_>, thread: u16) -> Thread {
        if let Some(&known) = self.threads.get(&thread) {
            return known;
        }
        let states = States::Mpi { of_thread: thread != 0 };
        if thread != 0 {
            self.wanted.push(Wanted::ThreadType);
            self.wanted.push(Wanted::Thread { rank: self.rank, thread });
            self.wanted.push(Wanted::States(states));
        }
        let new = Thread { mpi: self.pair(trace, thread, states), function: None, last: None };
        self.threads.insert(thread, new);
        new
    }

    fn pair(&self, trace: &Trace<'_>, thread: u16, states: States) -> Symbol {
        let of = trace.symbols.types.intern(states.identifier());
        let alias = thread_alias(self.rank, thread);
        trace.symbols.pair(alias.as_bytes(), image_of(alias.as_bytes()), of)
    }

    /// A function of the program is entered or left.
    fn program_function(
        &mut self,
        trace: &Trace<'_>,
        call: &Call,
        time: Ticks,
        piece: &mut Piece<'_>,
    ) {
        let states = States::Function { of_thread: call.thread != 0 };
        let known = self.threads.get(&call.thread).and_then(|thread| thread.function);
        let pair = known.unwrap_or_else(|| {
            self.wanted.push(Wanted::States(states));
            self.pair(trace, call.thread, states)
        });
        if let Some(thread) = self.threads.get_mut(&call.thread) {
            thread.function = Some(pair);
        }
        if call.id() == FUNCTION_EXIT {
            return piece.push(time, pair, Op::PopState, 0, false);
        }
        let address = call.number("address").unwrap_or(0).cast_unsigned();
        let addresses = &trace.sections[self.number as usize].addresses;
        let value = match addresses.get(&address) {
            Some(name) => trace.symbols.values.intern(name),
            None => trace.symbols.values.intern(format!("{address:#x}").as_bytes()),
        };
        piece.push(time, pair, Op::PushState, value, false);
    }

    /// The number of a collective operation among those of its communicator.
    fn instance(&mut self, call: &Call) -> Option<u64> {
        let comm = match call.id() {
            52..=62 | 65..=67 | 155 | 156 => call.number("comm"),
            84..=86 | 99 | 101 | 111 => call.number("oldcomm"),
            _ => None,
        };
        let seen = self.comms.get(&comm?).copied().flatten()?;
        let n = self.collectives.entry(seen.comm).or_insert(0);
        *n += 1;
        Some(*n - 1)
    }

    fn name_new_comm(&mut self, call: &Call) {
        let Some(new) = call.number("newcomm") else { return };
        let seen = self.named.next().filter(|(known, _)| *known == new).and_then(|(_, seen)| seen);
        self.comms.insert(new, seen);
    }

    /// Puts what a call says into extra fields.
    fn keep_fields(
        &mut self,
        trace: &Trace<'_>,
        call: &Call,
        instance: Option<u64>,
        piece: &mut Piece<'_>,
    ) -> bool {
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        let fields = &trace.fields;
        let of_function = &fields.arguments[usize::from(call.id())];
        for (place, argument, scalar) in call.scalars() {
            let Some(field) = of_function.get(place).copied().flatten() else { continue };
            match scalar {
                Scalar::Text(text) => push_extra(&mut packed, field, text),
                Scalar::Number(number) => {
                    let text = match Meaning::of(argument.name) {
                        Meaning::Number => number.to_string(),
                        Meaning::DataType => data_type(number),
                        Meaning::Operation => operation(number),
                        Meaning::Communicator => self.comm_name(number),
                    };
                    push_extra(&mut packed, field, text.as_bytes());
                }
            }
        }
        let mut number = |field: FieldId, text: String| {
            push_extra(&mut packed, field, text.as_bytes());
        };
        if let Some(instance) = instance {
            number(fields.instance, instance.to_string());
        }
        if let (Some((enter, leave)), Some(_)) = (call.cpu, call.wall) {
            number(fields.cpu_enter, seconds(enter));
            number(fields.cpu_leave, seconds(leave));
        }
        let counters = &trace.counter_fields[self.number as usize];
        for (&field, (enter, leave)) in counters.iter().zip(&call.counters) {
            number(field, leave.wrapping_sub(*enter).to_string());
        }
        let kept = piece.keep_extras(&packed);
        self.packed = packed;
        kept
    }

    /// What a communicator is called, by the number that the rank has for it.
    fn comm_name(&self, number: i64) -> String {
        match (self.comms.get(&number).copied().flatten(), number) {
            (Some(seen), _) => Comms::name(seen.comm),
            (None, 1) => "MPI_COMM_NULL".to_owned(),
            (None, number) => number.to_string(),
        }
    }
}

/// Nanoseconds as seconds.
fn seconds(nanoseconds: i64) -> String {
    const SECOND: i64 = 1_000_000_000;
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let magnitude = nanoseconds.unsigned_abs();
    let second = SECOND.unsigned_abs();
    format!("{sign}{}.{:09}", magnitude / second, magnitude % second)
}

/// The place of a record is that of the first byte of its call.
pub(super) struct CallLocator;

impl Locate for CallLocator {
    fn locate(&self, _: &[u8], at: u32, _: Option<Role>) -> Located {
        Located { line: at, column: 0, event: String::new() }
    }
}
