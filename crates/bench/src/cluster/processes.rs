//! A scheduler and executors that are measured.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use onca_program::{Failure, peak_memory};

/// A program that says where it listens. It is killed when it is no longer needed.
struct Server {
    child: Child,
    address: String,
    /// It could not write any more if this were closed.
    out: BufReader<ChildStdout>,
}

impl Server {
    /// Starts it, and waits for the line that begins so.
    fn start(mut command: Command, what: &str) -> Result<Self, Failure> {
        let cannot = |why: String| Failure::Cannot(format!("the {what}: {why}"));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| cannot(error.to_string()))?;
        let out = child.stdout.take().ok_or_else(|| cannot("it has no output".to_owned()))?;
        let mut server = Self { child, address: String::new(), out: BufReader::new(out) };
        let start = format!("{what}: ");
        loop {
            let mut line = String::new();
            match server.out.read_line(&mut line) {
                Ok(0) => return Err(cannot("it ended before it was ready".to_owned())),
                Ok(_) => {}
                Err(error) => return Err(cannot(error.to_string())),
            }
            if let Some(address) = line.strip_prefix(&start) {
                server.address = address.trim().to_owned();
                return Ok(server);
            }
        }
    }

    fn memory(&self) -> Option<u64> {
        peak_memory(&self.child.id().to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A scheduler with its executors.
pub struct Cluster {
    executors: Vec<Server>,
    scheduler: Server,
    secret: PathBuf,
}

impl Cluster {
    /// Starts them on free ports of this machine.
    pub fn start(
        program: &Path,
        executors: usize,
        cores: usize,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let secret = folder.join(format!("secret-{executors}"));
        let made = Command::new(program).arg("secret").arg(&secret).stdout(Stdio::null()).status();
        if !made.as_ref().is_ok_and(|status| status.success()) {
            return Err(Failure::Cannot(format!("{} secret: {made:?}", program.display())));
        }
        let with_secret = |what: &str| {
            let mut command = Command::new(program);
            command.arg(what).arg("--secret").arg(&secret);
            command
        };
        let mut command = with_secret("scheduler");
        command.args(["--bind", "127.0.0.1:0"]);
        let scheduler = Server::start(command, "scheduler")?;
        let mut started = Vec::new();
        for number in 0..executors {
            let work = folder.join(format!("work-{executors}-{number}"));
            std::fs::create_dir(&work).map_err(|error| Failure::Cannot(error.to_string()))?;
            let mut command = with_secret("executor");
            command.args(["--cores", &cores.to_string(), "--scheduler", &scheduler.address]);
            command.arg("--work-dir").arg(&work);
            started.push(Server::start(command, "executor")?);
        }
        Ok(Self { executors: started, scheduler, secret })
    }

    /// A client that asks for JSON.
    pub fn query(&self, program: &Path, set: &Path, sql: &str) -> Command {
        let mut command = Command::new(program);
        command.arg("query").arg(set).args([sql, "--format", "json", "--secret"]);
        command.arg(&self.secret).args(["--scheduler", &self.scheduler.address]);
        command
    }

    /// The most memory that the scheduler has had.
    pub fn scheduler_memory(&self) -> Option<u64> {
        self.scheduler.memory()
    }

    /// The most that any executor has had.
    pub fn executor_memory(&self) -> Option<u64> {
        self.executors.iter().filter_map(Server::memory).max()
    }
}
