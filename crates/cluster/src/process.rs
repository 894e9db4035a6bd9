//! What all processes of a cluster do: threads, signals, and words for those who look for a fault.

use std::sync::LazyLock;

use log::{LevelFilter, Log, Metadata, Record};
use onca_program::{Failure, say};
use onca_sql::STACK_BYTES;
use rustix::process::{Signal, kill_process};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// Threads for requests. What they do may be as deep as a query.
pub fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread()
        .thread_name("onca-cluster")
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()
        .map_err(|error| Failure::Limit(format!("cannot start threads: {error}")))
}

/// Waits until the process is told to end.
pub async fn ended() {
    let Ok(mut term) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = term.recv() => {}
    }
}

/// Whether a process belongs to another one.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct LifeArgs {
    /// End when standard input does
    #[arg(long, hide = true)]
    end_with_input: bool,
}

impl LifeArgs {
    /// From now on the process ends as it does when it is told to.
    pub fn watch(self) {
        if !self.end_with_input {
            return;
        }
        std::thread::spawn(|| {
            // Nothing is written to it.
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            let _ = kill_process(rustix::process::getpid(), Signal::TERM);
        });
    }
}

struct Words;

impl Log for Words {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        if record.level() <= log::max_level() {
            let level = record.level().as_str().to_lowercase();
            say(&format!(
                "{level}: {}",
                onca_model::printable(record.args().to_string().as_bytes())
            ));
        }
    }

    fn flush(&self) {}
}

/// Makes the engine say what it does.
pub fn talk() {
    static ONCE: LazyLock<bool> = LazyLock::new(|| log::set_logger(&Words).is_ok());
    if *ONCE {
        log::set_max_level(LevelFilter::Info);
    }
}
