//! An open trace: its file, and the thread that writes it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::clock::{self, Clock, Reading};
use crate::config::{self, Format, Options, Overflow};
use crate::definitions::{self, Definition};
use crate::encode::Encoder;
use crate::format::{self, BlockHead, BlockKind};
use crate::paje::PajeWriter;
use crate::ring::{self, Owner, Ring};
use crate::signals;

/// The file that a fatal signal writes to; -1 when there is none.
pub static CRASH_FILE: AtomicI32 = AtomicI32::new(-1);
/// A fatal signal came: the writer stops before it writes anything else.
pub static CRASHING: AtomicBool = AtomicBool::new(false);
/// The writer is between a look at a ring and the end of writing it.
pub static WRITING: AtomicBool = AtomicBool::new(false);
/// The thread of the writer, as the system numbers it.
pub static WRITER_TID: AtomicI32 = AtomicI32::new(0);
/// Records in the file.
pub static N_RECORDS: AtomicU64 = AtomicU64::new(0);

/// The writer is asked to stop.
static STOPPING: AtomicBool = AtomicBool::new(false);
/// How often somebody asked for everything to be written, and how often that was done.
static FLUSHES_WANTED: AtomicU64 = AtomicU64::new(0);
static FLUSHES_DONE: AtomicU64 = AtomicU64::new(0);

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

struct Session {
    writer: JoinHandle<io::Result<()>>,
}

/// The lock on the open trace, which a fork holds.
pub struct Locked(MutexGuard<'static, Option<Session>>);

impl Locked {
    pub fn take() -> Self {
        Self(SESSION.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// In the child of a fork: the trace is the parent's. The handle is of a thread that is not here.
    pub fn abandon(&mut self) {
        std::mem::forget(self.0.take());
        let file = CRASH_FILE.swap(-1, Ordering::SeqCst);
        if file >= 0 {
            // SAFETY: the file was the writer's, which is not here; the parent has its own.
            unsafe { libc::close(file) };
        }
    }
}

/// Opens a trace. Nothing is recorded, and nothing is an error, where `ONCA_TRACE` is `off`.
pub fn open(options: Options) -> io::Result<()> {
    let Some(options) = options.changed_by_environment()? else { return Ok(()) };
    let mut session = Locked::take();
    if session.0.is_some() {
        // Whoever names the file for the whole process may have opened it, such as the wrapper of MPI.
        if config::is_file_named() {
            return Ok(());
        }
        let message = "a trace is open already";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
    }
    let path = options.real_path();
    let file = create(&path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let clock = Clock::choose();
    let start = clock::read();
    ring::CAPACITY.store(options.slots(), Ordering::Relaxed);
    ring::BLOCKS.store(options.overflow == Overflow::Block, Ordering::Relaxed);
    for ring in ring::all() {
        ring.forget();
        if ring.owner() == Owner::Ended {
            ring.release();
        }
    }
    ring::DROPPED_LATE.store(0, Ordering::Relaxed);
    STOPPING.store(false, Ordering::SeqCst);
    CRASHING.store(false, Ordering::SeqCst);
    N_RECORDS.store(0, Ordering::Relaxed);
    definitions::open(properties());
    let output: Box<dyn Output> = match options.format {
        Format::Onct => {
            let out = Onct::begin(file, clock, &start)?;
            CRASH_FILE.store(out.file.as_raw_fd(), Ordering::SeqCst);
            Box::new(out)
        }
        Format::Paje => Box::new(PajeWriter::begin(file, start)?),
    };
    let interval = options.interval.max(Duration::from_millis(1));
    let named = std::thread::Builder::new().name("onca-trace".to_owned());
    let writer = named.spawn(move || without_signals(|| write_until_stopped(output, interval)))?;
    *session.0 = Some(Session { writer });
    if options.catch_signals {
        signals::install();
    }
    signals::install_others();
    ring::enable(true);
    Ok(())
}

/// The file of a trace, which no other process writes.
fn create(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true).custom_flags(libc::O_CLOEXEC);
    let file = options.open(path)?;
    // SAFETY: the file is open.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
        let error = io::Error::last_os_error();
        return Err(match error.kind() {
            io::ErrorKind::WouldBlock => io::Error::other(
                "another process writes it; put %p or %r into the name, so that each has a file",
            ),
            _ => error,
        });
    }
    file.set_len(0)?;
    Ok(file)
}

/// What a trace says about its process.
fn properties() -> Vec<Definition> {
    let program = std::env::args_os().next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy();
    let mut properties = vec![
        ("library", concat!("onca-trace ", env!("CARGO_PKG_VERSION")).to_owned()),
        ("program", program.into_owned()),
        ("host", config::host()),
        ("pid", std::process::id().to_string()),
    ];
    properties.extend(config::rank().map(|rank| ("rank", rank)));
    properties.extend(config::run().map(|run| ("run", run)));
    let property =
        |(key, value): (&str, String)| Definition::Property { key: key.to_owned(), value };
    properties.into_iter().map(property).collect()
}

/// Ends the trace that is open: everything that was recorded is in the file then.
pub fn close() -> io::Result<()> {
    let mut session = Locked::take();
    let Some(Session { writer }) = session.0.take() else { return Ok(()) };
    ring::enable(false);
    STOPPING.store(true, Ordering::SeqCst);
    ring::wake();
    let written = writer.join();
    CRASH_FILE.store(-1, Ordering::SeqCst);
    definitions::close();
    written.unwrap_or_else(|_| Err(io::Error::other("the thread that writes the trace failed")))
}

/// Waits until everything that was recorded before is written, but not for ever; false if that took too long.
pub fn flush() -> bool {
    if !ring::is_enabled() {
        return true;
    }
    let wanted = FLUSHES_WANTED.fetch_add(1, Ordering::SeqCst) + 1;
    let deadline = Instant::now() + Duration::from_secs(10);
    while FLUSHES_DONE.load(Ordering::SeqCst) < wanted {
        if Instant::now() > deadline || !ring::is_enabled() {
            return false;
        }
        ring::wake();
        std::thread::sleep(Duration::from_micros(200));
    }
    true
}

/// Asks for everything to be written. Safe in a signal handler, as is the next one.
pub fn ask_to_flush() {
    FLUSHES_WANTED.fetch_add(1, Ordering::SeqCst);
}

/// Was everything written that was asked for?
pub fn is_flushed() -> bool {
    FLUSHES_DONE.load(Ordering::SeqCst) >= FLUSHES_WANTED.load(Ordering::SeqCst)
}

/// Signals are for the threads of the program.
fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: the sets are valid, and a set of signals is plain numbers. Faults cannot be blocked.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigfillset(&raw mut set);
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE] {
            libc::sigdelset(&raw mut set, fault);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        WRITER_TID.store(libc::gettid(), Ordering::SeqCst);
    }
    work()
}

/// Where records go.
pub trait Output: Send {
    fn definitions(&mut self, definitions: Vec<Definition>) -> io::Result<()>;

    /// All clocks were read; records that come next are older.
    fn clock(&mut self, reading: &Reading) -> io::Result<()>;

    /// Takes the slots of a ring up to a head.
    fn drain(&mut self, ring: &Ring, head: u64) -> io::Result<()>;

    /// Records of a thread were dropped.
    fn drops(&mut self, thread: u32, n: u64, ticks: u64) -> io::Result<()>;

    /// Hands what is ready to the system, or everything.
    fn flush(&mut self, everything: bool) -> io::Result<()>;

    fn end(&mut self) -> io::Result<()>;
}

fn write_until_stopped(mut output: Box<dyn Output>, interval: Duration) -> io::Result<()> {
    let written = write_all(&mut *output, interval);
    if let Err(error) = &written {
        // Nobody empties the rings any more; nobody may wait for them.
        ring::enable(false);
        if CRASHING.load(Ordering::SeqCst) {
            // The handler of the signal writes to the file.
            std::mem::forget(output);
            return Ok(());
        }
        // The program goes on without its trace, and may never ask what became of it.
        eprintln!("onca-trace: the trace cannot be written: {error}");
    }
    written
}

fn write_all(output: &mut dyn Output, interval: Duration) -> io::Result<()> {
    loop {
        let seen = ring::wake_count();
        let wanted = FLUSHES_WANTED.load(Ordering::SeqCst);
        let stopping = STOPPING.load(Ordering::SeqCst);
        let is_asked = wanted != FLUSHES_DONE.load(Ordering::SeqCst);
        pass(output, is_asked)?;
        if stopping {
            // What was recorded while the last pass ran.
            pass(output, true)?;
            return critical(|| {
                output.clock(&clock::read())?;
                output.end()
            });
        }
        FLUSHES_DONE.store(wanted, Ordering::SeqCst);
        if FLUSHES_WANTED.load(Ordering::SeqCst) == wanted {
            ring::wait_for_wake(seen, interval);
        }
    }
}

/// Writes what is new.
fn pass(output: &mut dyn Output, everything: bool) -> io::Result<()> {
    // What a record refers to was defined before it was recorded: definitions that are taken after the heads are
    // all that is needed.
    let heads: Vec<_> = ring::all().map(|ring| (ring, ring.owner(), ring.head())).collect();
    let has_records = heads.iter().any(|(ring, _, head)| *head != ring.tail());
    critical(|| {
        let pending = definitions::take_pending();
        if has_records || !pending.is_empty() {
            output.definitions(pending)?;
            output.clock(&clock::read())?;
        }
        Ok(())
    })?;
    for (ring, owner, head) in heads {
        critical(|| output.drain(ring, head))?;
        let dropped = ring.dropped();
        let new = dropped - ring.drops_written.load(Ordering::Relaxed);
        if new > 0 {
            critical(|| output.drops(ring.thread(), new, clock::ticks()))?;
            ring.drops_written.store(dropped, Ordering::Relaxed);
        }
        if owner == Owner::Ended && ring.head() == ring.tail() {
            ring.release();
        }
    }
    let late = ring::DROPPED_LATE.swap(0, Ordering::Relaxed);
    critical(|| {
        if late > 0 {
            output.drops(0, late, clock::ticks())?;
        }
        output.flush(everything)
    })
}

/// Does something that a fatal signal waits for; once one has come, nothing any more.
fn critical(work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    WRITING.store(true, Ordering::SeqCst);
    let done = match CRASHING.load(Ordering::SeqCst) {
        true => Err(io::Error::other("a signal ends the program")),
        false => work(),
    };
    WRITING.store(false, Ordering::SeqCst);
    done
}

/// The format of this library. Every block is handed to the system whole.
struct Onct {
    file: File,
    encoder: Encoder,
    buffer: Vec<u8>,
}

impl Onct {
    fn begin(mut file: File, clock: Clock, start: &Reading) -> io::Result<Self> {
        file.write_all(&format::file_head(clock, std::process::id(), start))?;
        Ok(Self { file, encoder: Encoder::default(), buffer: Vec::new() })
    }

    fn write(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl Output for Onct {
    fn definitions(&mut self, definitions: Vec<Definition>) -> io::Result<()> {
        let mut rest = &definitions[..];
        while !rest.is_empty() {
            // A block that is damaged should not cost all definitions.
            let (some, others) = rest.split_at(rest.len().min(1000));
            let mut payload = Vec::new();
            some.iter().for_each(|definition| definition.write(&mut payload));
            BlockHead::of(BlockKind::Definitions).write(&payload, &mut self.buffer);
            self.write()?;
            rest = others;
        }
        Ok(())
    }

    fn clock(&mut self, reading: &Reading) -> io::Result<()> {
        BlockHead::of(BlockKind::Clock).write(&format::reading(reading), &mut self.buffer);
        self.write()
    }

    fn drain(&mut self, ring: &Ring, head: u64) -> io::Result<()> {
        while ring.tail() < head {
            let (tail, n) = self.encoder.block(ring, ring.tail(), head, &mut self.buffer);
            self.write()?;
            N_RECORDS.fetch_add(n, Ordering::Relaxed);
            ring.advance(tail, n);
        }
        Ok(())
    }

    fn drops(&mut self, thread: u32, n: u64, ticks: u64) -> io::Result<()> {
        let head = BlockHead { thread, base: ticks, ..BlockHead::of(BlockKind::Drops) };
        head.write(&n.to_le_bytes(), &mut self.buffer);
        self.write()
    }

    fn flush(&mut self, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        let payload = format::end(0, N_RECORDS.load(Ordering::Relaxed));
        BlockHead::of(BlockKind::End).write(&payload, &mut self.buffer);
        self.write()
    }
}
