//! A progress bar for a long computation, on a terminal only.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use onca_aggregate::overview::Watch;
use onca_program::stop_flag;

/// How often the bar is drawn at most, per second.
const DRAWS: u8 = 10;

/// Shows how far a computation is until it is dropped.
pub struct Bar {
    bar: ProgressBar,
    show: Box<dyn Fn(u64, u64) + Sync>,
    /// Set when the computation is to end.
    stop: Option<Arc<AtomicBool>>,
}

impl Bar {
    /// A bar that nothing is shown of before there is progress.
    pub fn new(what: &'static str) -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => {
                ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(DRAWS))
            }
            false => ProgressBar::hidden(),
        };
        bar.set_prefix(what);
        let shown = bar.clone();
        let show = move |done, total| {
            // Work that is done at once shows nothing.
            if shown.elapsed() > Duration::from_millis(500) {
                shown.set_length(total);
                shown.set_position(done);
            }
        };
        Self { bar, show: Box::new(show), stop: stop_flag() }
    }

    /// What the computation is given.
    pub fn watch(&self) -> Watch<'_> {
        Watch { stop: self.stop.as_deref(), progress: Some(&*self.show) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
