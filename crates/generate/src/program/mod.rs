//! A random program that passes messages, and an exact account of who waits for whom in it.
//!
//! It is worked out on a clock for each process, step by step, and every wait is noted where it happens. So the account does
//! not come from the times in the trace, and an analysis of the trace can be held to it.

mod archive;
mod text;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::dice::Dice;
use crate::{GenerateError, Written, require};

/// How large the program is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of processes.
    pub procs: u32,
    /// How often some processes communicate.
    pub steps: u32,
    /// About how long a process computes between two steps, in ticks.
    pub compute_ticks: i64,
    /// Random numbers begin from here.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { procs: 8, steps: 100, compute_ticks: 1_000_000, seed: 1 }
    }
}

/// A process was made to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlantedWait {
    /// Who waited, by rank.
    pub process: u32,
    /// Since when.
    pub from_ticks: i64,
    /// Until when.
    pub to_ticks: i64,
    /// `late-sender`, `late-receiver`, `wait-at-barrier`, `wait-at-nxn`, `late-broadcast`, `early-reduce` or `early-scan`.
    pub kind: &'static str,
    /// For whom, by rank.
    pub cause: u32,
}

/// Who waits for whom in a generated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitTruth {
    /// The seed it was made from.
    pub seed: u64,
    /// Number of processes.
    pub processes: u32,
    /// The end of the run.
    pub end_ticks: i64,
    /// The waits, by process and time.
    pub waits: Vec<PlantedWait>,
}

impl WaitTruth {
    /// Writes it as JSON.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { seed, processes, end_ticks, waits } = self;
        writeln!(out, "{{")?;
        writeln!(
            out,
            "  \"kind\": \"program\",\n  \"seed\": {seed},\n  \"processes\": {processes},"
        )?;
        write!(out, "  \"end_ticks\": {end_ticks},\n  \"waits\": [")?;
        for (at, wait) in waits.iter().enumerate() {
            let PlantedWait { process, from_ticks, to_ticks, kind, cause } = wait;
            write!(out, "{}\n    ", if at == 0 { "" } else { "," })?;
            write!(
                out,
                "{{\"process\": {process}, \"kind\": \"{kind}\", \"from_ticks\": {from_ticks}"
            )?;
            write!(out, ", \"to_ticks\": {to_ticks}, \"cause\": {cause}}}")?;
        }
        writeln!(out, "{}]\n}}", if waits.is_empty() { "" } else { "\n  " })?;
        out.flush()
    }
}

/// Writes the program in the Pajé format.
pub fn write<W: Write>(
    options: &Options,
    out: &mut W,
) -> Result<(Written, WaitTruth), GenerateError> {
    let program = Program::run(options)?;
    let written = text::write(&program, options.seed, out)?;
    Ok((written, program.truth(options)))
}

/// Writes the program as an OTF2 archive into a folder, which is made; the path of its anchor comes with the account.
pub fn write_archive(
    options: &Options,
    folder: &Path,
) -> Result<(PathBuf, Written, WaitTruth), GenerateError> {
    let program = Program::run(options)?;
    let (anchor, written) = archive::write(&program, folder)?;
    let mut truth = program.truth(options);
    // An archive tells when a message was asked for, and when a send was over.
    truth.waits.extend(&program.waits_for_requests);
    truth.waits.sort_unstable();
    Ok((anchor, written, truth))
}

/// What a process does at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Compute,
    Send,
    Receive,
    PostReceive,
    BeginSend,
    Wait,
    Collective(Operation),
}

/// The names of what processes do, by [`Doing::index`].
const NAMES: [&str; 12] = [
    "compute",
    "MPI_Send",
    "MPI_Recv",
    "MPI_Irecv",
    "MPI_Isend",
    "MPI_Waitall",
    "MPI_Barrier",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Scan",
];

impl Doing {
    fn index(self) -> usize {
        match self {
            Self::Compute => 0,
            Self::Send => 1,
            Self::Receive => 2,
            Self::PostReceive => 3,
            Self::BeginSend => 4,
            Self::Wait => 5,
            Self::Collective(operation) => 6 + operation as usize,
        }
    }
}

/// A collective operation, in the order of [`NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Barrier,
    Allreduce,
    Alltoall,
    Bcast,
    Reduce,
    Scan,
}

impl Operation {
    const ALL: [Self; 6] =
        [Self::Barrier, Self::Allreduce, Self::Alltoall, Self::Bcast, Self::Reduce, Self::Scan];

    fn has_root(self) -> bool {
        matches!(self, Self::Bcast | Self::Reduce)
    }
}

/// A part of what a process does.
#[derive(Clone, Debug)]
struct Activity {
    doing: Doing,
    from: i64,
    to: i64,
    /// Messages that it sends, and that it takes: numbers of [`Program::messages`].
    sends: Vec<u32>,
    takes: Vec<u32>,
    /// Messages that it asks for, and those whose sending it ends.
    posts: Vec<u32>,
    completes: Vec<u32>,
    /// The communicator of a collective operation, its number there, and the root among its members.
    operation: Option<(u32, u32, Option<u32>)>,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    from: u32,
    to: u32,
    bytes: u64,
    tag: u32,
    /// It was asked for before it was waited for.
    is_posted: bool,
    /// Another call than the one that sends it waits until it was taken.
    is_begun: bool,
}

/// A program that has run.
struct Program {
    clocks: Vec<i64>,
    activities: Vec<Vec<Activity>>,
    messages: Vec<Message>,
    waits: Vec<PlantedWait>,
    /// Waits of senders for receivers that ask before they wait, and of calls that end what another began. Only a trace that
    /// tells of requests tells of them.
    waits_for_requests: Vec<PlantedWait>,
    /// The members of each communicator: all, those of even rank, those of odd rank.
    communicators: Vec<Vec<u32>>,
    n_operations: Vec<u32>,
    next_tag: u32,
}

impl Program {
    fn run(options: &Options) -> Result<Self, GenerateError> {
        require((2..=1_000_000).contains(&options.procs), || {
            "the number of processes must be from 2 to 1,000,000".to_owned()
        })?;
        require((1..=1 << 40).contains(&options.compute_ticks), || {
            "the time to compute must be more than nothing, and less than 18 minutes".to_owned()
        })?;
        let mut dice = Dice::new(options.seed);
        let all: Vec<u32> = (0..options.procs).collect();
        let of = |rest: u32| all.iter().copied().filter(|rank| rank % 2 == rest).collect();
        let communicators = vec![all.clone(), of(0), of(1)];
        let mut program = Self {
            clocks: vec![0; all.len()],
            activities: vec![Vec::new(); all.len()],
            messages: Vec::new(),
            waits: Vec::new(),
            waits_for_requests: Vec::new(),
            n_operations: vec![0; communicators.len()],
            communicators,
            next_tag: 0,
        };
        for _ in 0..options.steps {
            for rank in 0..options.procs {
                if dice.below(4) > 0 {
                    let ticks = 1 + dice.below(2 * options.compute_ticks as u64) as i64;
                    program.spend(rank, Doing::Compute, ticks);
                }
            }
            program.step(&mut dice, options);
        }
        for rank in 0..options.procs {
            program.spend(rank, Doing::Compute, dice.jitter(options.compute_ticks, 50));
        }
        program.waits.sort_unstable();
        Ok(program)
    }

    fn truth(&self, options: &Options) -> WaitTruth {
        WaitTruth {
            seed: options.seed,
            processes: options.procs,
            end_ticks: self.clocks.iter().copied().max().unwrap_or(0),
            waits: self.waits.clone(),
        }
    }

    fn step(&mut self, dice: &mut Dice, options: &Options) {
        let transfer = 1 + dice.below(1 + options.compute_ticks as u64 / 10) as i64;
        let from = dice.below(u64::from(options.procs)) as u32;
        let to = (from + 1 + dice.below(u64::from(options.procs - 1)) as u32) % options.procs;
        match dice.below(8) {
            0 | 1 => self.send_small(from, to, transfer),
            2 => self.send_large(from, to, transfer),
            3 => self.wait_for_all(dice, from, to, transfer),
            4 => self.wait_for_large(dice, from, to, transfer),
            5 => self.begin_large(dice, from, to, transfer),
            _ => {
                let communicator = dice.below(3) as u32;
                let operation = Operation::ALL[dice.below(6) as usize];
                let n = self.communicators[communicator as usize].len() as u64;
                if n > 0 {
                    let root = dice.below(n) as u32;
                    self.meet(communicator, operation, root, transfer);
                }
            }
        }
    }

    fn clock(&self, rank: u32) -> i64 {
        self.clocks[rank as usize]
    }

    fn spend(&mut self, rank: u32, doing: Doing, ticks: i64) -> &mut Activity {
        let from = self.clock(rank);
        self.clocks[rank as usize] = from + ticks;
        let own = &mut self.activities[rank as usize];
        own.push(Activity {
            doing,
            from,
            to: from + ticks,
            sends: Vec::new(),
            takes: Vec::new(),
            posts: Vec::new(),
            completes: Vec::new(),
            operation: None,
        });
        own.last_mut().expect("just added")
    }

    /// The process is made to wait until a time, if it is there earlier.
    fn plant(&mut self, kind: &'static str, process: u32, to_ticks: i64, cause: u32) {
        let from_ticks = self.clock(process);
        if from_ticks < to_ticks {
            self.waits.push(PlantedWait { process, from_ticks, to_ticks, kind, cause });
        }
    }

    fn message(&mut self, from: u32, to: u32) -> u32 {
        self.next_tag += 1;
        let bytes = 64 * u64::from(self.next_tag % 97 + 1);
        let (is_posted, is_begun) = (false, false);
        self.messages.push(Message { from, to, bytes, tag: self.next_tag, is_posted, is_begun });
        self.messages.len() as u32 - 1
    }

    /// The sender goes on at once; the receiver takes the message when it is there.
    fn send_small(&mut self, from: u32, to: u32, transfer: i64) {
        let message = self.message(from, to);
        let (sent, asked) = (self.clock(from), self.clock(to));
        // A sender that is still there when it is asked would have waited for that, by definition.
        let busy = 1 + transfer / 4;
        let busy = if asked > sent { busy.min(asked - sent) } else { busy };
        self.spend(from, Doing::Send, busy).sends.push(message);
        self.plant("late-sender", to, sent, from);
        let leave = (sent + transfer).max(self.clock(to) + 1);
        let ticks = leave - self.clock(to);
        self.spend(to, Doing::Receive, ticks).takes.push(message);
    }

    /// The sender does not return before the message was asked for and moved.
    fn send_large(&mut self, from: u32, to: u32, transfer: i64) {
        let message = self.message(from, to);
        let (sent, asked) = (self.clock(from), self.clock(to));
        self.plant("late-receiver", from, asked, to);
        self.plant("late-sender", to, sent, from);
        let leave = sent.max(asked) + transfer;
        self.spend(from, Doing::Send, leave - sent).sends.push(message);
        self.spend(to, Doing::Receive, leave - asked).takes.push(message);
    }

    /// The receiver asks for a message, and goes on. When it asked comes back.
    fn post(&mut self, to: u32, message: u32, ticks: i64) -> i64 {
        let asked = self.clock(to);
        self.messages[message as usize].is_posted = true;
        self.spend(to, Doing::PostReceive, ticks).posts.push(message);
        asked
    }

    /// The sender is made to wait until its message is asked for, if it is still there then.
    fn plant_posting(&mut self, from: u32, leave: i64, asked: i64, to: u32) {
        let sent = self.clock(from);
        if sent < asked && asked < leave {
            self.waits_for_requests.push(PlantedWait {
                process: from,
                from_ticks: sent,
                to_ticks: asked,
                kind: "late-receiver",
                cause: to,
            });
        }
    }

    /// The receiver asks for messages of two senders, computes, and waits for both.
    fn wait_for_all(&mut self, dice: &mut Dice, first: u32, to: u32, transfer: i64) {
        let others: Vec<u32> =
            (0..self.clocks.len() as u32).filter(|rank| *rank != to && *rank != first).collect();
        let second = others.get(dice.below(others.len() as u64) as usize).copied();
        let senders: Vec<u32> = std::iter::once(first).chain(second).collect();
        let mut posted = Vec::new();
        for &from in &senders {
            let message = self.message(from, to);
            posted.push((message, self.post(to, message, 1 + transfer / 8)));
        }
        self.spend(to, Doing::Compute, 1 + dice.below(1 + 4 * transfer as u64) as i64);
        let mut leave = self.clock(to) + 1;
        let mut last = (i64::MIN, first);
        for (&from, &(message, asked)) in senders.iter().zip(&posted) {
            let sent = self.clock(from);
            let busy = 1 + transfer / 4;
            self.plant_posting(from, sent + busy, asked, to);
            self.spend(from, Doing::Send, busy).sends.push(message);
            leave = leave.max(sent + transfer);
            // Of two that send at the same time, the lower rank counts.
            if sent > last.0 || sent == last.0 && from < last.1 {
                last = (sent, from);
            }
        }
        self.plant("late-sender", to, last.0, last.1);
        let ticks = leave - self.clock(to);
        self.spend(to, Doing::Wait, ticks).takes =
            posted.into_iter().map(|(message, _)| message).collect();
    }

    /// The receiver asks for a message, computes, and waits for it; the sender does not return before it was asked for and
    /// moved.
    fn wait_for_large(&mut self, dice: &mut Dice, from: u32, to: u32, transfer: i64) {
        let message = self.message(from, to);
        let asked = self.post(to, message, 1 + transfer / 8);
        self.spend(to, Doing::Compute, 1 + dice.below(1 + 4 * transfer as u64) as i64);
        let sent = self.clock(from);
        let moved = sent.max(asked) + transfer;
        self.plant_posting(from, moved, asked, to);
        self.plant("late-sender", to, sent, from);
        self.spend(from, Doing::Send, moved - sent).sends.push(message);
        let leave = moved.max(self.clock(to) + 1);
        let ticks = leave - self.clock(to);
        self.spend(to, Doing::Wait, ticks).takes.push(message);
    }

    /// The sender begins to send, computes, and waits until the message was asked for and moved.
    fn begin_large(&mut self, dice: &mut Dice, from: u32, to: u32, transfer: i64) {
        let message = self.message(from, to);
        self.messages[message as usize].is_begun = true;
        let (sent, asked) = (self.clock(from), self.clock(to));
        self.spend(from, Doing::BeginSend, 1 + transfer / 8).sends.push(message);
        self.spend(from, Doing::Compute, 1 + dice.below(1 + 4 * transfer as u64) as i64);
        self.plant("late-sender", to, sent, from);
        let moved = sent.max(asked) + transfer;
        self.spend(to, Doing::Receive, moved - asked).takes.push(message);
        let leave = moved.max(self.clock(from) + 1);
        self.plant_posting(from, leave, asked, to);
        let ticks = leave - self.clock(from);
        self.spend(from, Doing::Wait, ticks).completes.push(message);
    }

    /// A collective operation. `root` is a place among the members.
    fn meet(&mut self, communicator: u32, operation: Operation, root: u32, transfer: i64) {
        let members = self.communicators[communicator as usize].clone();
        let number = self.n_operations[communicator as usize];
        self.n_operations[communicator as usize] += 1;
        let enters: Vec<i64> = members.iter().map(|rank| self.clock(*rank)).collect();
        // The first of those that come last.
        let last_of =
            |n: usize| (0..n).fold(0, |last, at| if enters[at] > enters[last] { at } else { last });
        let root = root as usize;
        for (place, &rank) in members.iter().enumerate() {
            let (kind, waits_for) = match operation {
                Operation::Barrier => ("wait-at-barrier", last_of(members.len())),
                Operation::Allreduce | Operation::Alltoall => {
                    ("wait-at-nxn", last_of(members.len()))
                }
                Operation::Bcast => ("late-broadcast", root),
                Operation::Reduce if place == root => ("early-reduce", last_of(members.len())),
                Operation::Reduce => ("early-reduce", place),
                Operation::Scan => ("early-scan", last_of(place + 1)),
            };
            self.plant(kind, rank, enters[waits_for], members[waits_for]);
            let leave = enters[waits_for].max(enters[place]) + transfer;
            let told_root = operation.has_root().then_some(root as u32);
            let activity = self.spend(rank, Doing::Collective(operation), leave - enters[place]);
            activity.operation = Some((communicator, number, told_root));
        }
    }
}
