//! Questions that commands answer.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use onca_cli::Answer;
use pyo3::prelude::*;

use crate::failure;

/// What messages call the program.
const NAME: &str = "onca";
/// How often is looked whether Ctrl-C was pressed.
const EVERY: Duration = Duration::from_millis(20);

/// Asks a command of `onca`: its exit status, what it prints, and what it says on standard error.
#[pyfunction]
pub fn ask(py: Python<'_>, words: Vec<OsString>) -> PyResult<(u8, Cow<'static, [u8]>, String)> {
    let words = [NAME.into()].into_iter().chain(words).collect();
    let Answer { status, printed, said } =
        interruptible(py, move |stop| onca_cli::ask(words, stop))?;
    Ok((status, Cow::Owned(printed), said))
}

/// The command line itself, with the streams of this process: its exit status.
#[pyfunction]
pub fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    let words = [NAME.into()].into_iter().chain(words).collect();
    py.detach(|| onca_cli::run_as_program(words))
}

/// The names of the views: of one trace, or of two runs that are compared.
#[pyfunction]
pub fn views(of_two: bool) -> Vec<&'static str> {
    onca_cli::views(of_two).collect()
}

/// Does work on a thread of its own, so that this one can see Ctrl-C. Then the work is told to stop, and
/// waited for.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = channel();
    let theirs = Arc::clone(&stop);
    let thread = std::thread::Builder::new()
        .name("onca".to_owned())
        .spawn(move || sender.send(work(&theirs)).unwrap_or_default())
        .map_err(|error| failure(format!("the system gives no thread: {error}")))?;
    let gone = || failure("this is a fault of Onca; standard error says which");
    loop {
        let (done, back) = py.detach(move || (receiver.recv_timeout(EVERY), receiver));
        receiver = back;
        match done {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupted) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    // What it had begun to write is taken away before anything else happens.
                    let _ = py.detach(|| thread.join());
                    return Err(interrupted);
                }
            }
        }
    }
}
