//! `onca-bench trace`: what recording costs, and whether everything that was recorded is there.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::Duration;

use onca_trace::{Container, ContainerType, Options, StateType, Value as StateValue};
use serde_json::{Value, json};

use onca_program::format::grouped;
use onca_program::{Exit, Failure};

use crate::measure::{remove, report};
use crate::{CommonArgs, MEMORY, index};

/// Measure what recording costs a program
///
/// Times are processor time of the recording thread, so that other work on the machine matters little: the best of several
/// rounds, each of which fits into the buffer of the thread. The cost of reading the processor's clock, which a record
/// cannot go below, is measured beside. Then many threads record more than their buffers hold, a program is
/// killed while it records, and two processes of MPI send a message to and fro: alone, with `onca run`, and with EZTrace.
/// Exit status 1 if a record is missing that should be there.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench trace
  onca-bench trace --states 1000000 --json")]
pub struct Args {
    /// States that each of eight threads records
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    states: u64,

    /// The compiler and the launcher of an MPI; without them messages are not measured
    #[arg(long, value_name = "PROGRAM", default_value = "mpicc")]
    mpicc: PathBuf,
    #[arg(long, value_name = "PROGRAM", default_value = "mpirun")]
    mpirun: PathBuf,

    /// Record for ever into this file, and tell how much
    #[arg(long, value_name = "FILE", hide = true)]
    victim: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArgs,
}

/// Pairs in a round, and rounds.
const PAIRS: u64 = 200_000;
const ROUNDS: usize = 15;
/// Records that a buffer has room for: two rounds.
const CAPACITY: usize = 1 << 19;
/// Records that a buffer has room for by default: what a killed program may lose of a thread.
const BUFFER: u64 = 1 << 16;
/// Threads that record more than their buffers hold.
const THREADS: u64 = 8;
/// The program that is killed tells how far it is after this many pairs.
const TOLD: u64 = 10_000;

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if let Some(file) = &args.victim {
        return record_for_ever(file);
    }
    let folder = args.common.folder()?;
    let found = Found {
        clock_ns: clock_cost(),
        disabled_ns: best(1),
        one_ns: recording(folder.path(), 1)?,
        two_ns: recording(folder.path(), 2)?,
        all_there: all_there(folder.path(), args.states)?,
        killed: killed(folder.path())?,
        messages: messages(folder.path(), args)?,
    };
    report(args.common.json, || found.json(), |out| found.print(out))?;
    Ok(if found.is_whole() { Exit::Fine } else { Exit::Lost })
}

struct Found {
    clock_ns: f64,
    disabled_ns: f64,
    one_ns: f64,
    two_ns: f64,
    all_there: AllThere,
    killed: Killed,
    messages: Option<Messages>,
}

struct AllThere {
    recorded: u64,
    read: u64,
    bytes: u64,
}

struct Killed {
    recorded: u64,
    read: u64,
    /// The reader says that the file is cut.
    is_told: bool,
}

/// Nanoseconds of a message one way.
struct Messages {
    alone: f64,
    with_onca: f64,
    with_eztrace: Option<f64>,
}

fn cannot(error: io::Error) -> Failure {
    Failure::Cannot(format!("trace: {error}"))
}

#[derive(Clone, Copy)]
struct Types {
    thread: ContainerType,
    doing: StateType,
    work: StateValue<StateType>,
}

fn types() -> Types {
    let thread = ContainerType::ROOT.container_type("Thread");
    let doing = thread.state_type("Doing");
    Types { thread, doing, work: doing.value("work") }
}

fn record(types: Types, me: Container, pairs: u64) {
    for _ in 0..pairs {
        me.push(types.work);
        me.pop(types.doing);
    }
}

/// Processor time of this thread, in nanoseconds.
fn cpu_time() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

/// Nanoseconds of a read of the processor's clock.
#[cfg(target_arch = "x86_64")]
fn clock_cost() -> f64 {
    let round = |_| {
        let before = cpu_time();
        let mut sum = 0u64;
        for _ in 0..PAIRS {
            // SAFETY: every x86-64 processor has this instruction.
            sum = sum.wrapping_add(unsafe { std::arch::x86_64::_rdtsc() });
        }
        std::hint::black_box(sum);
        (cpu_time() - before) / PAIRS as f64
    };
    (0..ROUNDS).map(round).fold(f64::MAX, f64::min)
}

#[cfg(not(target_arch = "x86_64"))]
fn clock_cost() -> f64 {
    f64::NAN
}

/// Nanoseconds of a pair of push and pop on each of some threads at once: the worst thread's best round.
fn best(n_threads: usize) -> f64 {
    let types = types();
    let barrier = Barrier::new(n_threads);
    let thread = || {
        let me = Container::ROOT.create(types.thread, "thread");
        let round = |_| {
            barrier.wait();
            let before = cpu_time();
            record(types, me, PAIRS);
            let taken = (cpu_time() - before) / PAIRS as f64;
            onca_trace::flush();
            taken
        };
        let best = (0..ROUNDS).map(round).fold(f64::MAX, f64::min);
        me.destroy();
        best
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(thread)).collect();
        let best = threads.into_iter().map(|thread| thread.join().unwrap_or(f64::NAN));
        best.fold(0.0, f64::max)
    })
}

fn recording(folder: &Path, n_threads: usize) -> Result<f64, Failure> {
    let path = folder.join("pairs.onct");
    let options = Options { capacity: CAPACITY, ..Options::new(&path) };
    onca_trace::open_with(options).map_err(cannot)?;
    let best = best(n_threads);
    onca_trace::close().map_err(cannot)?;
    remove(&path)?;
    Ok(best)
}

/// Records more than buffers hold, and counts what a reader finds.
fn all_there(folder: &Path, states: u64) -> Result<AllThere, Failure> {
    let path = folder.join("many.onct");
    onca_trace::open(&path).map_err(cannot)?;
    let types = types();
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            scope.spawn(move || {
                let me = Container::ROOT.create(types.thread, &format!("thread {number}"));
                record(types, me, states);
                me.destroy();
            });
        }
    });
    onca_trace::close().map_err(cannot)?;
    let bytes = std::fs::metadata(&path).map_err(cannot)?.len();
    let place = folder.join("many.onca");
    let read = index(&path, &place, MEMORY)?.records;
    remove(&path)?;
    Ok(AllThere { recorded: 2 * THREADS * states, read, bytes })
}

/// The other side of `killed`.
fn record_for_ever(file: &Path) -> Result<Exit, Failure> {
    onca_trace::open(file).map_err(cannot)?;
    let types = types();
    let me = Container::ROOT.create(types.thread, "thread");
    let mut out = io::stdout().lock();
    for told in 1.. {
        record(types, me, TOLD);
        writeln!(out, "{}", 2 * told * TOLD).and_then(|()| out.flush()).map_err(cannot)?;
    }
    Ok(Exit::Fine)
}

/// Kills a program that records, and counts what of its records is read.
fn killed(folder: &Path) -> Result<Killed, Failure> {
    let path = folder.join("killed.onct");
    let program = std::env::current_exe().map_err(cannot)?;
    let mut victim = Command::new(program);
    victim.args(["trace", "--victim"]).arg(&path).stdout(Stdio::piped());
    let mut victim = victim.spawn().map_err(cannot)?;
    let out = victim.stdout.take().map(BufReader::new);
    let teller = std::thread::spawn(move || {
        let lines = out.into_iter().flat_map(BufRead::lines).map_while(Result::ok);
        lines.filter_map(|line| line.parse().ok()).last().unwrap_or(0)
    });
    std::thread::sleep(Duration::from_millis(1500));
    victim.kill().and_then(|()| victim.wait()).map_err(cannot)?;
    let recorded = teller.join().unwrap_or(0);
    let output = Command::new(crate::onca()?).args(["info", "--json"]).arg(&path).output();
    let output = output.map_err(cannot)?;
    let info: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| Failure::Cannot(format!("info: {error}")))?;
    let problems = info["diagnostics"].as_array().into_iter().flatten();
    let is_told = problems.filter(|it| it["code"] == "truncated").count() == 1;
    let number = |name: &str| info[name].as_u64().unwrap_or(0);
    // What is lost counts as a record, too.
    Ok(Killed { recorded, read: number("records") - number("lost"), is_told })
}

const PINGPONG: &str = include_str!("pingpong.c");
/// How often the program of messages runs in each way, in turn; the quickest counts. Other work on the machine makes
/// some slower.
const TURNS: usize = 5;
const BATCHES: &str = "500";

/// Measures messages, if there is an MPI.
fn messages(folder: &Path, args: &Args) -> Result<Option<Messages>, Failure> {
    let source = folder.join("pingpong.c");
    std::fs::write(&source, PINGPONG).map_err(cannot)?;
    let program = folder.join("pingpong");
    let compiled =
        Command::new(&args.mpicc).arg("-O2").arg(&source).arg("-o").arg(&program).output();
    if !compiled.is_ok_and(|output| output.status.success()) {
        return Ok(None);
    }
    let onca = crate::onca()?;
    let mut alone = Vec::new();
    let mut with_onca = Vec::new();
    let mut with_eztrace = Vec::new();
    for turn in 0..TURNS {
        let mut command = Command::new(&args.mpirun);
        alone.extend(one_way(command.args(["-n", "2"]).arg(&program).arg(BATCHES), folder)?);
        let mut command = Command::new(&onca);
        command.args(["run", "--no-view", "--output"]).arg(folder.join(format!("run-{turn}")));
        command.arg("--mpicc").arg(&args.mpicc).arg("--").arg(&args.mpirun);
        with_onca.extend(one_way(command.args(["-n", "2"]).arg(&program).arg(BATCHES), folder)?);
        // It has a module for each MPI, and fails with that of another.
        for module in ["openmpi", "mpich"] {
            let mut command = Command::new(&args.mpirun);
            command.args(["-n", "2", "eztrace", "-t", module]).arg(&program).arg(BATCHES);
            let time = one_way(&mut command, folder)?;
            with_eztrace.extend(time.filter(|_| has_trace(folder, "pingpong_trace")));
        }
    }
    let least = |times: Vec<f64>| times.into_iter().reduce(f64::min);
    let (Some(alone), Some(with_onca)) = (least(alone), least(with_onca)) else { return Ok(None) };
    Ok(Some(Messages { alone, with_onca, with_eztrace: least(with_eztrace) }))
}

/// Has EZTrace written a trace? A program runs without it, too. The next one is not to be taken for it.
fn has_trace(folder: &Path, name: &str) -> bool {
    std::fs::remove_dir_all(folder.join(name)).is_ok()
}

/// What the program of messages prints, if it runs.
fn one_way(command: &mut Command, folder: &Path) -> Result<Option<f64>, Failure> {
    let output = command.current_dir(folder).stdin(Stdio::null()).output().map_err(cannot)?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = out.lines().find_map(|line| line.strip_prefix("one way "));
    Ok(line.and_then(|line| line.split(' ').next()?.parse().ok()))
}

impl Found {
    /// Is everything there that must be? A killed program loses what is in its buffer.
    fn is_whole(&self) -> bool {
        let AllThere { recorded, read, .. } = self.all_there;
        let killed = &self.killed;
        recorded == read && killed.is_told && killed.recorded <= killed.read + BUFFER
    }

    fn json(&self) -> Value {
        json!({
            "schema": "onca-bench-trace/1",
            "clock_ns": self.clock_ns,
            "disabled_ns": self.disabled_ns,
            "pair_ns": self.one_ns,
            "pair_of_two_threads_ns": self.two_ns,
            "recorded": self.all_there.recorded,
            "read": self.all_there.read,
            "file_bytes": self.all_there.bytes,
            "told_before_kill": self.killed.recorded,
            "read_after_kill": self.killed.read,
            "cut_is_told": self.killed.is_told,
            "buffer_records": BUFFER,
            "message_ns": self.messages.as_ref().map(|it| it.alone),
            "message_with_onca_ns": self.messages.as_ref().map(|it| it.with_onca),
            "message_with_eztrace_ns": self.messages.as_ref().and_then(|it| it.with_eztrace),
        })
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let AllThere { recorded, read, bytes } = self.all_there;
        writeln!(out, "processor time of a push and a pop, best of {ROUNDS} rounds")?;
        writeln!(out, "  no trace is open     {:8.2} ns", self.disabled_ns)?;
        writeln!(out, "  recording            {:8.2} ns", self.one_ns)?;
        let ratio = self.two_ns / self.one_ns;
        writeln!(out, "  on two threads       {:8.2} ns, {ratio:.2} times one", self.two_ns)?;
        writeln!(out, "  two clock readings   {:8.2} ns of it", 2.0 * self.clock_ns)?;
        let per_record = bytes as f64 / recorded.max(1) as f64;
        let (recorded, read) = (grouped(recorded), grouped(read));
        writeln!(
            out,
            "{THREADS} threads recorded {recorded}, read {read}, {per_record:.2} bytes each"
        )?;
        let Killed { recorded, read, is_told } = self.killed;
        let lost = recorded.saturating_sub(read);
        let (told, read) = (grouped(recorded), grouped(read));
        writeln!(
            out,
            "killed after it told of {told} records: {read} are in the file, {lost} of these are \
             not; at most {BUFFER} may be, and that it is cut is {}",
            if is_told { "told" } else { "NOT told" }
        )?;
        let Some(Messages { alone, with_onca, with_eztrace }) = self.messages else {
            return writeln!(out, "messages: there is no MPI to measure them with");
        };
        writeln!(out, "a message of 8 bytes one way, the best of {TURNS} medians")?;
        writeln!(out, "  alone                {alone:8.0} ns")?;
        let more = with_onca - alone;
        writeln!(out, "  with onca run        {with_onca:8.0} ns, {more:.0} more")?;
        match with_eztrace {
            Some(time) => {
                writeln!(out, "  with EZTrace         {time:8.0} ns, {:.0} more", time - alone)
            }
            None => writeln!(out, "  EZTrace is not installed, or does not run with this MPI"),
        }
    }
}
