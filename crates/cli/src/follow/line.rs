//! What the user of a terminal sees while a trace is followed.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use onca_program::format::{byte_size, grouped};
use onca_store::Store;

use super::{Observer, Standing};

/// A writer that was silent for so long is spoken of.
const SILENCE: Duration = Duration::from_secs(10);

/// A line on a terminal, and notes.
pub struct LiveLine {
    bar: Option<ProgressBar>,
    told: Arc<AtomicBool>,
    is_silent: bool,
}

impl LiveLine {
    /// Tells of a trace until the flag is set.
    pub fn new(told: &Arc<AtomicBool>) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::no_length();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, told: Arc::clone(told), is_silent: false }
    }

    fn say(&self, what: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("note: {what}")),
            None => eprintln!("note: {what}"),
        }
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for LiveLine {
    fn stands(&mut self, standing: &Standing) -> ControlFlow<()> {
        let is_silent = standing.silence >= SILENCE;
        if let Some(bar) = &self.bar {
            bar.set_message(text_of(standing));
            bar.tick();
        } else if is_silent && !self.is_silent {
            self.say(&silence_of(standing));
        }
        self.is_silent = is_silent;
        match self.told.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn note(&mut self, what: &str) {
        self.say(what);
    }

    fn looks(&self) -> bool {
        false
    }

    fn look(&mut self, _: Store, _: &Standing) {}
}

/// How it stands, in a line.
pub fn text_of(standing: &Standing) -> String {
    let Standing { unit, records, late, bytes, .. } = standing;
    let mut text = match records {
        Some(records) => format!("{} records, {}", grouped(*records), byte_size(*bytes)),
        None => byte_size(*bytes),
    };
    if let Some(watermark) = standing.watermark {
        text += &format!(", up to {} {}", unit.format(watermark), unit.name);
    }
    if *late > 0 {
        text += &format!(", {} came too late", grouped(*late));
    }
    if standing.silence >= SILENCE {
        text += &format!("; {}", silence_of(standing));
    }
    text
}

fn silence_of(standing: &Standing) -> String {
    let in_line = match standing.unfinished {
        0 => "",
        _ => ", in the middle of a line",
    };
    format!("the writer has been silent for {} s{in_line}", standing.silence.as_secs())
}
