//! The last resort: a fault of Onca itself is told in a line, and ends a program like any other failure.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

use onca_model::printable;

use crate::{Exit, Failure, say};

/// Runs a program. A panic becomes a message that says what was being done and whose fault it is, and
/// what was being written is taken away while the stack is unwound.
pub(crate) fn guarded(run: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    told_in_a_line();
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or(Err(Failure::Said))
}

/// From now on a panic is told in a line.
pub(crate) fn told_in_a_line() {
    panic::set_hook(Box::new(tell));
}

fn tell(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let asked: Vec<String> =
        std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let what = info.payload_as_str().unwrap_or("it does not say what");
    say(&message(what, &place, &asked.join(" ")));
    // Only where RUST_BACKTRACE asks for it.
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        say(&trace.to_string());
    }
}

/// What is said of a fault: one line, whatever is in it.
fn message(what: &str, place: &str, asked: &str) -> String {
    format!(
        "error: this is a fault of Onca {}, not of what it was given: {} ({place}) while it ran {:?}; please report it",
        env!("CARGO_PKG_VERSION"),
        printable(what.as_bytes()),
        printable(asked.as_bytes()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_and_files_are_not_left_half_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("out.svg");
        let ended = guarded(|| {
            crate::new_file::fill(&place, |file| {
                file.write_all(b"half of")?;
                panic!("too\nmuch");
                #[expect(unreachable_code)]
                Ok::<(), std::io::Error>(())
            })
            .expect("not reached");
            Ok(Exit::Fine)
        });
        assert!(matches!(ended, Err(Failure::Said)));
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 0, "something half-written stays");
        assert_eq!(guarded(|| Ok(Exit::Lost)).expect("an answer"), Exit::Lost);
    }

    #[test]
    fn a_fault_is_told_in_a_line() {
        let told =
            message("index \u{1b}[31m\nout of bounds", "crates/a.rs:1:2", "onca stats t.paje");
        assert_eq!(told.lines().count(), 1);
        assert!(!told.contains('\u{1b}'), "{told}");
        assert!(told.contains("(crates/a.rs:1:2) while it ran \"onca stats t.paje\""), "{told}");
    }
}
