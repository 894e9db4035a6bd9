//! Ends a command from outside: when it is told to stop, and when it takes more memory than it may.
//! What it has not finished is taken away first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use onca_store::remove_unfinished;

use crate::format::byte_size;
use crate::memory::held_memory;
use crate::{Failure, is_guest};

/// How often is looked.
const EVERY: Duration = Duration::from_millis(20);
/// What a program holds besides what it counts.
const MARGIN: u64 = 64 << 20;
/// What users and systems end programs with.
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The last of them that came.
static CAME: AtomicI32 = AtomicI32::new(0);

extern "C" fn remember(signal: i32) {
    CAME.store(signal, Ordering::Relaxed);
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watch {
    caught: Vec<i32>,
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins. Memory may be held up to an eighth more than is given: who counts does not count all.
    pub fn new(memory: Option<u64>) -> Self {
        Self::with(memory, None)
    }

    /// The same for a command that comes to an end by itself when it is told to: the flag then is set. Who
    /// tells it twice does not want to wait.
    pub fn telling(memory: Option<u64>, told: &Arc<AtomicBool>) -> Self {
        Self::with(memory, Some(Arc::clone(told)))
    }

    fn with(memory: Option<u64>, told: Option<Arc<AtomicBool>>) -> Self {
        if is_guest() {
            // Signals and memory are the business of whose process it is.
            return Self { caught: Vec::new(), stop: None, thread: None };
        }
        let (stop, stopped) = mpsc::channel();
        let look = move || look(memory, told.as_deref(), &stopped);
        // Without a thread a signal ends the program as it always did.
        match std::thread::Builder::new().spawn(look) {
            Ok(thread) => Self { caught: catch(), stop: Some(stop), thread: Some(thread) },
            Err(_) => Self { caught: Vec::new(), stop: None, thread: None },
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It ends by itself.
            let _ = thread.join();
        }
        for signal in &self.caught {
            // Whoever has begun to wait for a signal in the meantime keeps it.
            if handler_of(*signal) == Some(ours()) {
                // SAFETY: this gives back what `catch` found.
                unsafe { libc::signal(*signal, libc::SIG_DFL) };
            }
        }
    }
}

fn ours() -> libc::sighandler_t {
    remember as *const () as libc::sighandler_t
}

/// What is done when a signal comes.
fn handler_of(signal: i32) -> Option<libc::sighandler_t> {
    // SAFETY: all of it may be zero; it is filled in by the system.
    let mut found: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: nothing is changed, and what is found has room.
    let result = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut found) };
    (result == 0).then_some(found.sa_sigaction)
}

/// Catches the signals that nobody catches or ignores, and tells which.
fn catch() -> Vec<i32> {
    let is_caught = |signal: &i32| {
        // SAFETY: the handler only stores a number, which is allowed in one.
        handler_of(*signal) == Some(libc::SIG_DFL)
            && unsafe { libc::signal(*signal, ours()) } != libc::SIG_ERR
    };
    SIGNALS.into_iter().filter(is_caught).collect()
}

/// Does something that goes on when the user presses Ctrl-C: waiting for a program that gets the same signal.
pub fn outlasting_interrupts<T>(work: impl FnOnce() -> T) -> T {
    extern "C" fn nothing(_: i32) {}
    let nothing: extern "C" fn(i32) = nothing;
    let is_free = handler_of(libc::SIGINT) == Some(libc::SIG_DFL);
    if is_free {
        // The program would also ignore what is ignored here, but does not inherit a handler.
        // SAFETY: the handler does nothing.
        unsafe { libc::signal(libc::SIGINT, nothing as libc::sighandler_t) };
    }
    let done = work();
    if is_free {
        // SAFETY: this gives back what was there.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
    }
    done
}

fn look(memory: Option<u64>, told: Option<&AtomicBool>, stopped: &Receiver<()>) {
    while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        match CAME.swap(0, Ordering::Relaxed) {
            0 => {}
            _ if told.is_some_and(|told| !told.swap(true, Ordering::Relaxed)) => {}
            libc::SIGINT => end(&Failure::Interrupted),
            signal => {
                remove_unfinished();
                // What a shell reports of a command that such a signal has ended.
                std::process::exit(128 + signal);
            }
        }
        let Some(most) = memory else { continue };
        if held_memory().is_some_and(|held| held > (most / 8 * 9).max(most + MARGIN)) {
            end(&Failure::Limit(format!(
                "this takes more than {}, which is what --memory allows: look at less of the trace (--from and --to, \
                 or a lens), or allow more",
                byte_size(most)
            )));
        }
    }
}

fn end(failure: &Failure) -> ! {
    remove_unfinished();
    if let Some(message) = failure.message() {
        eprintln!("error: {message}");
    }
    std::process::exit(failure.code().number())
}
