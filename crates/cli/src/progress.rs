//! A progress bar for work that takes a while, on a terminal only.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use onca_read::Progress;

/// Work that is done sooner shows nothing.
const DELAY: Duration = Duration::from_millis(500);

/// Shows how far a source has been read until it is dropped.
pub struct ShownProgress {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ShownProgress {
    /// Begins to watch.
    pub fn new(what: &str, progress: &Arc<Progress>) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        let (stop, stopped) = mpsc::channel();
        let (what, progress) = (what.to_owned(), Arc::clone(progress));
        let thread = std::thread::spawn(move || show(&what, &progress, &stopped));
        Self { stop: Some(stop), thread: Some(thread) }
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

fn show(what: &str, progress: &Progress, stopped: &mpsc::Receiver<()>) {
    let waits = |time| matches!(stopped.recv_timeout(time), Err(mpsc::RecvTimeoutError::Timeout));
    if !waits(DELAY) {
        return;
    }
    let total = progress.total();
    let (bar, template) = match total {
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
        bar.set_position(progress.read());
    }
    bar.finish_and_clear();
}
