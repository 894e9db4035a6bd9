//! A command that is asked inside of another program, such as a Python interpreter. What it would print is
//! kept, it stops when it is told to, and whatever happens to it does not end the process.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::outcome::ended;
use crate::{Exit, Failure, fault};

thread_local! {
    /// What the command of this thread has printed and said, if it is a guest.
    static GUEST: RefCell<Option<Guest>> = const { RefCell::new(None) };
}

/// A command of this thread.
struct Guest {
    printed: Vec<u8>,
    said: String,
    stop: Arc<AtomicBool>,
}

/// What a command answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Its exit status.
    pub status: u8,
    /// What a program would have written to standard output.
    pub printed: Vec<u8>,
    /// What a program would have written to standard error.
    pub said: String,
}

/// Runs a command on this thread as a guest. It ends early once the flag is set.
pub fn ask<A: clap::Parser>(
    words: impl IntoIterator<Item = OsString>,
    stop: &Arc<AtomicBool>,
    run: impl FnOnce(A) -> Result<Exit, Failure>,
) -> Answer {
    let arguments = match A::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let text = error.render().to_string();
            return match error.use_stderr() {
                true => Answer { status: Failure::CANNOT.into(), said: text, ..Answer::default() },
                false => Answer { printed: text.into_bytes(), ..Answer::default() },
            };
        }
    };
    let guest = Guest { printed: Vec::new(), said: String::new(), stop: Arc::clone(stop) };
    GUEST.set(Some(guest));
    fault::told_in_a_line();
    let result = panic::catch_unwind(AssertUnwindSafe(|| run(arguments)));
    let status = ended(result.unwrap_or(Err(Failure::Said)));
    let Guest { printed, said, .. } = GUEST.take().unwrap_or_else(|| unreachable!());
    Answer { status, printed, said }
}

/// Is the command of this thread a guest?
pub fn is_guest() -> bool {
    GUEST.with_borrow(Option::is_some)
}

/// The flag that tells the command of this thread to stop, if it is a guest.
pub fn stop_flag() -> Option<Arc<AtomicBool>> {
    GUEST.with_borrow(|guest| guest.as_ref().map(|guest| Arc::clone(&guest.stop)))
}

/// Says something on standard error, or to whoever asks.
pub fn say(line: &str) {
    GUEST.with_borrow_mut(|guest| match guest {
        Some(guest) => {
            guest.said.push_str(line);
            guest.said.push('\n');
        }
        None => eprintln!("{line}"),
    });
}

/// Says a formatted line on standard error, or to whoever asks.
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => { $crate::say(&format!($($arguments)*)) };
}

/// Where a guest's answer is kept.
#[derive(Debug)]
pub struct KeptOutput;

impl Write for KeptOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        GUEST.with_borrow_mut(|guest| {
            if let Some(guest) = guest {
                guest.printed.extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::print;

    #[derive(clap::Parser)]
    struct Words {
        #[arg(long)]
        fails: bool,
        #[arg(long)]
        panics: bool,
    }

    fn run(words: Words) -> Result<Exit, Failure> {
        print(|out| out.write_all(b"an answer\n"))?;
        say!("a {}", "note");
        assert!(!words.panics, "on purpose");
        match (words.fails, stop_flag()) {
            (true, _) => Err(Failure::Limit("too much".to_owned())),
            (_, Some(stop)) if stop.load(Ordering::Relaxed) => Err(Failure::Interrupted),
            _ => Ok(Exit::Lost),
        }
    }

    fn asked(words: &[&str], stop: bool) -> (u8, String, String) {
        let words = ["onca"].iter().chain(words).map(OsString::from);
        let answer = ask(words, &Arc::new(AtomicBool::new(stop)), run);
        let printed = String::from_utf8(answer.printed).expect("text");
        (answer.status, printed, answer.said)
    }

    #[test]
    fn what_a_guest_prints_and_says_is_kept() {
        let kept = |status, said: &str| (status, "an answer\n".to_owned(), said.to_owned());
        assert_eq!(asked(&[], false), kept(1, "a note\n"));
        assert_eq!(asked(&["--fails"], false), kept(3, "a note\nerror: too much\n"));
        assert_eq!(asked(&[], true), kept(130, "a note\nerror: interrupted\n"));
        assert!(!is_guest());
    }

    #[test]
    fn a_file_is_not_written_on_once_a_guest_is_told_to_stop() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("long");
        let stop = Arc::new(AtomicBool::new(false));
        let write = |_: Words| {
            let written = crate::new_file::fill(&place, |file| {
                file.write_all(&[0; 100_000])?;
                stop.store(true, Ordering::Relaxed);
                file.write_all(&[0; 100_000])
            });
            written.map(|()| Exit::Fine).map_err(|error| crate::new_file::failure(&place, &error))
        };
        let answer = ask(["onca".into()], &stop, write);
        assert_eq!(answer.status, 2);
        assert!(answer.said.contains("stopped"), "{}", answer.said);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn words_that_are_not_understood_and_faults_end_the_command_alone() {
        let (status, printed, said) = asked(&["--wrong"], false);
        assert_eq!((status, printed.as_str()), (2, ""));
        assert!(said.contains("--wrong"), "{said}");
        let (status, _, said) = asked(&["--panics"], false);
        assert_eq!(status, 2);
        assert!(said.contains("a fault of Onca") && said.contains("on purpose"), "{said}");
        let (status, printed, _) = asked(&["--help"], false);
        assert_eq!(status, 0);
        assert!(printed.contains("--fails"), "{printed}");
    }
}
