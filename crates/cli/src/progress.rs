//! A progress bar for work that takes a while, on a terminal only.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use onca_program::stop_flag;
use onca_store::Store;

/// Work that is done sooner shows nothing.
const DELAY: Duration = Duration::from_millis(500);

/// Work that says how far it is.
pub trait Watched: Send + Sync + 'static {
    /// Is it bytes that are counted?
    const BYTES: bool;

    /// What is done.
    fn done(&self) -> u64;

    /// All there is to do; 0 when it is not known.
    fn total(&self) -> u64;
}

impl Watched for onca_read::Progress {
    const BYTES: bool = true;

    fn done(&self) -> u64 {
        self.read()
    }

    fn total(&self) -> u64 {
        self.total()
    }
}

impl Watched for onca_store::Progress {
    const BYTES: bool = false;

    fn done(&self) -> u64 {
        self.done()
    }

    fn total(&self) -> u64 {
        self.total()
    }
}

/// The store for an analysis that takes a while, and a bar as long as that is kept.
pub fn watched(store: &Store) -> (Store, ShownProgress) {
    let progress = Arc::default();
    let shown = ShownProgress::new("analysing", &progress);
    (store.watched(progress), shown)
}

/// Shows how far some work is until it is dropped.
pub struct ShownProgress {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ShownProgress {
    /// Begins to watch.
    pub fn new<P: Watched>(what: &str, progress: &Arc<P>) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        let (stop, stopped) = mpsc::channel();
        let (what, progress) = (what.to_owned(), Arc::clone(progress));
        let show = move || show(&what, &*progress, &stopped);
        // Without a thread nothing is shown; the work goes on.
        let thread = std::thread::Builder::new().spawn(show).ok();
        Self { stop: Some(stop), thread }
    }
}

impl Drop for ShownProgress {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A progress bar that failed is no reason to fail.
            let _ = thread.join();
        }
    }
}

/// Cancels the reading of a source when whoever asks tells the command to stop, until it is dropped.
pub struct StoppedFromOutside {
    /// The thread that looks ends when this is dropped.
    _done: Option<mpsc::Sender<()>>,
}

impl StoppedFromOutside {
    /// Begins to look. A program is ended by signals, and needs nobody who looks.
    pub fn new(progress: &Arc<onca_read::Progress>) -> Self {
        let Some(stop) = stop_flag() else { return Self { _done: None } };
        let (done, is_done) = mpsc::channel();
        let progress = Arc::clone(progress);
        let look = move || {
            let every = Duration::from_millis(20);
            while is_done.recv_timeout(every) == Err(mpsc::RecvTimeoutError::Timeout) {
                if stop.load(Ordering::Relaxed) {
                    return progress.cancel();
                }
            }
        };
        // Without a thread the reading goes on to its end.
        let started = std::thread::Builder::new().spawn(look);
        Self { _done: started.is_ok().then_some(done) }
    }
}

fn show<P: Watched>(what: &str, progress: &P, stopped: &mpsc::Receiver<()>) {
    let waits = |time| matches!(stopped.recv_timeout(time), Err(mpsc::RecvTimeoutError::Timeout));
    if !waits(DELAY) {
        return;
    }
    let total = progress.total();
    let (bar, template) = match total {
        _ if !P::BYTES => (ProgressBar::new(total), "{prefix} {wide_bar} {percent} % {eta} left"),
        0 => (ProgressBar::no_length(), "{prefix} {spinner} {bytes} {bytes_per_sec}"),
        _ => (
            ProgressBar::new(total),
            "{prefix} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} left",
        ),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_prefix(what.to_owned());
    while waits(Duration::from_millis(100)) {
        if !P::BYTES {
            bar.set_length(progress.total());
        }
        bar.set_position(progress.done());
    }
    bar.finish_and_clear();
}
