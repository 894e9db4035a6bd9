//! A program that runs while a test does, and what it says.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// What a slow machine may take to start or to end a program.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A program. It is killed when the test ends, with what it has started.
pub struct Process {
    child: Child,
    lines: Receiver<String>,
    errors: PathBuf,
}

impl Process {
    /// Starts it. What it says on standard error goes to a file.
    pub fn start(command: &mut Command, errors: PathBuf) -> Self {
        let file = File::create(&errors).expect("a file for messages");
        let started = command.process_group(0).stdout(Stdio::piped()).stderr(file).spawn();
        let mut child = started.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        // The program must be able to go on writing when nobody waits for a line any more.
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, lines, errors }
    }

    /// Waits for a line that begins so, and gives the rest of it.
    pub fn line(&self, start: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(rest) = line.strip_prefix(start) {
                        return rest.trim().to_owned();
                    }
                }
                Err(error) => panic!("no line {start:?}: {error}\n{}", self.said()),
            }
        }
    }

    /// The lines on standard output that nobody has waited for.
    pub fn more_lines(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }

    /// What it has said on standard error.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.errors).unwrap_or_default()).into_owned()
    }

    /// The number that the system gives it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Does it run?
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    /// Tells it something.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("a process");
    }

    /// Waits for its end, but not for ever.
    pub fn end(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait().expect("a child") {
                Some(status) => return status,
                None if Instant::now() > until => panic!("it does not end\n{}", self.said()),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nobody is left in a group that has ended.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}
