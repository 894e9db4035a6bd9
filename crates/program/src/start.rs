//! What every program does first.

use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Makes limits of the system errors that are told, instead of ends without a word.
pub(crate) fn prepare() -> Result<(), String> {
    // A file that gets longer than `ulimit -f` allows is then an error of the write.
    // SAFETY: no handler is installed, and nothing else in the process deals with this signal.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    share_work(|body| thread::Builder::new().spawn(body).is_ok())
}

/// Makes the threads that share work, as many as the system gives. They would be made when they are
/// first needed, and a panic would tell that they cannot.
fn share_work(spawn: impl Fn(Box<dyn FnOnce() + Send>) -> bool) -> Result<(), String> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut waiting = waiting_threads(cores, spawn);
    if waiting.is_empty() {
        return Err("the system gives no thread; see \"ulimit -u\"".to_owned());
    }
    if waiting.len() < cores {
        // Others are needed too.
        waiting.truncate(waiting.len().div_ceil(2));
    }
    let n_threads = waiting.len();
    let hand_over = move |thread| {
        let failed = || std::io::Error::other("a thread is gone");
        let worker = waiting.pop().ok_or_else(failed)?;
        worker.send(thread).map_err(|_| failed())
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).spawn_handler(hand_over);
    pool.build_global().map_err(|error| error.to_string())
}

/// Up to this many threads that wait for work.
fn waiting_threads(
    wanted: usize,
    spawn: impl Fn(Box<dyn FnOnce() + Send>) -> bool,
) -> Vec<Sender<rayon::ThreadBuilder>> {
    let start = |_| {
        let (sender, receiver) = channel::<rayon::ThreadBuilder>();
        let body = move || {
            if let Ok(worker) = receiver.recv() {
                worker.run();
            }
        };
        spawn(Box::new(body)).then_some(sender)
    };
    (0..wanted).map_while(start).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A system that gives this many threads.
    fn giving(n: usize) -> impl Fn(Box<dyn FnOnce() + Send>) -> bool {
        let left = Cell::new(n);
        move |body| {
            let given = left.get() > 0;
            left.set(left.get().saturating_sub(1));
            given && thread::Builder::new().spawn(body).is_ok()
        }
    }

    #[test]
    fn work_is_shared_by_the_threads_there_are() {
        assert_eq!(waiting_threads(4, giving(9)).len(), 4);
        assert_eq!(waiting_threads(4, giving(3)).len(), 3);
        let error = share_work(giving(0)).expect_err("no thread");
        assert!(error.contains("ulimit -u"), "{error}");
        share_work(giving(1)).expect("one is enough");
        assert_eq!(rayon::current_num_threads(), 1);
    }
}
