//! What ends a program: its exit, a panic, a fatal signal. And what begins one: a fork.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock;
use crate::crc::Crc;
use crate::definitions;
use crate::format::{self, BlockHead, BlockKind};
use crate::ring::{self, Ring};
use crate::session::{self, CRASH_FILE, CRASHING, N_RECORDS, WRITER_TID, WRITING};

/// Faults of the program: caught whatever else is done about them, which follows.
const FAULTS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];
/// Requests to end: caught where the program does not care about them.
const REQUESTS: [i32; 5] =
    [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGXCPU];
const N_SIGNALS: usize = FAULTS.len() + REQUESTS.len();

/// What was done about each signal before.
struct Earlier(UnsafeCell<[MaybeUninit<libc::sigaction>; N_SIGNALS]>);

// SAFETY: written once, under a `Once`, before the handler is installed that reads it.
unsafe impl Sync for Earlier {}

static EARLIER: Earlier = Earlier(UnsafeCell::new([MaybeUninit::uninit(); N_SIGNALS]));

/// Somebody saves the trace, or has saved it.
static SAVING: AtomicBool = AtomicBool::new(false);
static SAVED: AtomicBool = AtomicBool::new(false);

fn signals() -> impl Iterator<Item = (usize, i32)> {
    FAULTS.into_iter().chain(REQUESTS).enumerate()
}

/// Catches fatal signals from now on.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (index, signal) in signals() {
            // SAFETY: all pointers are valid, and the place of what was done before is only read by the handler that
            // the same call installs.
            unsafe {
                let mut before: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(signal, std::ptr::null(), &raw mut before) != 0 {
                    continue;
                }
                if REQUESTS.contains(&signal) && before.sa_sigaction != libc::SIG_DFL {
                    continue;
                }
                (*EARLIER.0.get())[index].write(before);
                let mut action: libc::sigaction = std::mem::zeroed();
                let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = handle;
                action.sa_sigaction = handler as libc::sighandler_t;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&raw mut action.sa_mask);
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    });
}

/// Closes the trace when the program exits, flushes it on a panic, and leaves it to the parent on a fork.
pub fn install_others() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the functions are valid for the life of the program.
        unsafe {
            libc::atexit(at_exit);
            libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child));
        }
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            session::flush();
            earlier(info);
        }));
    });
}

extern "C" fn at_exit() {
    // Nobody is left who could be told of an error.
    let _ = session::close();
}

/// Saves what is in the rings, and lets the signal do what it would have done.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the pointer is that of this thread's error number.
    let errno = unsafe { *libc::__errno_location() };
    if !SAVING.swap(true, Ordering::SeqCst) {
        save(signal);
        SAVED.store(true, Ordering::SeqCst);
    }
    // Another thread may have met a fault too. The process must not end before the trace is saved.
    for _ in 0..5000 {
        if SAVED.load(Ordering::SeqCst) {
            break;
        }
        pause();
    }
    if let Some((index, _)) = signals().find(|(_, known)| *known == signal) {
        // SAFETY: what was done before was kept when this handler was installed. A fault happens again when the
        // handler returns; what somebody sent has to be sent again.
        unsafe {
            let earlier = (*EARLIER.0.get())[index].as_ptr();
            libc::sigaction(signal, earlier, std::ptr::null_mut());
            if info.is_null() || (*info).si_code <= 0 {
                libc::raise(signal);
            }
        }
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Writes the rings as they lie in memory. Only calls that are allowed in a signal handler are made.
fn save(signal: i32) {
    let file = CRASH_FILE.load(Ordering::SeqCst);
    if file < 0 {
        if ring::is_enabled() {
            wait_for_writer();
        }
        return;
    }
    CRASHING.store(true, Ordering::SeqCst);
    ring::enable(false);
    // SAFETY: the call has no condition.
    let is_writer = unsafe { libc::gettid() } == WRITER_TID.load(Ordering::SeqCst);
    // The writer may be about to end a block. If it takes too long, records may be in the file twice; they are
    // numbered, and readers take them once.
    for _ in 0..2000 {
        if is_writer || !WRITING.load(Ordering::SeqCst) {
            break;
        }
        pause();
    }
    let reading = format::reading(&clock::read());
    write(file, &BlockHead::of(BlockKind::Clock), &[&reading]);
    for ring in ring::all() {
        save_ring(file, ring);
    }
    // After the records: they may refer to what was defined a moment ago.
    definitions::visit_pending(|packed| {
        write(file, &BlockHead::of(BlockKind::Definitions), &[packed]);
    });
    let end = format::end(signal.cast_unsigned(), N_RECORDS.load(Ordering::Relaxed));
    write(file, &BlockHead::of(BlockKind::End), &[&end]);
}

fn save_ring(file: i32, ring: &Ring) {
    let (tail, head) = (ring.tail(), ring.head());
    if tail != head {
        let block = BlockHead {
            thread: ring.thread(),
            first_record: ring.n_written(),
            ..BlockHead::of(BlockKind::Raw)
        };
        write(file, &block, &ring.stretches(tail, head));
    }
    let drops = ring.dropped() - ring.drops_written.load(Ordering::Relaxed);
    if drops > 0 {
        let block = BlockHead { thread: ring.thread(), ..BlockHead::of(BlockKind::Drops) };
        write(file, &block, &[&drops.to_le_bytes()]);
    }
}

/// Writes a block. A disk that is full ends it; there is nobody to tell.
fn write(file: i32, head: &BlockHead, payload: &[&[u8]]) {
    let mut crc = Crc::new();
    let mut len = 0;
    for bytes in payload {
        crc.add(bytes);
        len += bytes.len();
    }
    write_all(file, &head.bytes(len as u32, crc.finish()));
    for bytes in payload {
        write_all(file, bytes);
    }
}

fn write_all(file: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the bytes are valid for reading.
        let n = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(n) {
            Ok(n) if n > 0 => bytes = &bytes[n..],
            // SAFETY: the pointer is that of this thread's error number.
            Err(_) if unsafe { *libc::__errno_location() } == libc::EINTR => {}
            _ => return,
        }
    }
}

/// Text cannot be made in a signal handler: the writer, another thread, is asked and waited for.
fn wait_for_writer() {
    session::ask_to_flush();
    for _ in 0..2000 {
        if session::is_flushed() {
            return;
        }
        ring::wake();
        pause();
    }
}

fn pause() {
    let time = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
    // SAFETY: the time is valid for reading. The call is allowed in a signal handler.
    unsafe { libc::nanosleep(&raw const time, std::ptr::null_mut()) };
}

/// The locks that a fork holds, so that its child finds what they keep whole.
struct Held(UnsafeCell<Option<(session::Locked, definitions::Locked)>>);

// SAFETY: touched only between the beginning of a fork and its end, by the thread that forks; the locks in it keep
// others out.
unsafe impl Sync for Held {}

static HELD: Held = Held(UnsafeCell::new(None));

extern "C" fn before_fork() {
    let locks = (session::Locked::take(), definitions::Locked::take());
    // SAFETY: the locks are held.
    unsafe { *HELD.0.get() = Some(locks) };
}

extern "C" fn in_parent() {
    // SAFETY: the locks are held, and are let go after they were taken out.
    drop(unsafe { (*HELD.0.get()).take() });
}

/// The child is off: the trace, the writer and all other threads are the parent's.
extern "C" fn in_child() {
    // SAFETY: as above.
    let Some((mut session, mut definitions)) = (unsafe { (*HELD.0.get()).take() }) else { return };
    ring::enable(false);
    ring::abandon_all();
    session.abandon();
    definitions::forget_threads(&mut definitions);
}
