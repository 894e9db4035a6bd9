//! `onca-cluster local`: a scheduler and some executors on this machine.

use std::io::{self, BufRead, BufReader, Write as _};
use std::num::NonZeroUsize;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use onca_program::{Exit, Failure, print};

use crate::process::{ended, runtime};
use crate::secret::{self, SecretArgs, Word};

/// How often is looked whether all processes are still there.
const LOOK: Duration = Duration::from_millis(300);

/// Start a scheduler and some executors on this machine, until Ctrl-C
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    secret: SecretArgs,

    /// How many executors
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN.saturating_add(1))]
    executors: NonZeroUsize,

    /// Tasks of an executor at the same time; by default the cores are shared
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,

    /// The port of the scheduler; 0 is a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
}

/// Starts all, and waits for the end.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    // Gone with the command, if it was made for it.
    let made;
    let secret = match args.secret.named() {
        Some(path) => path,
        None => {
            made = private_folder()?;
            let path = made.path().join("secret");
            secret::make(&path)?;
            path
        }
    };
    Word::read(&secret)?;
    let all = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let share = all.get().div_euclid(args.executors.get()).max(1);
    let cores = args.cores.map_or(share, NonZeroUsize::get);
    let bind = format!("127.0.0.1:{}", args.port);
    let (first, scheduler) = start("scheduler", &secret, &["--bind", &bind])?;
    let mut running = vec![first];
    for _ in 0..args.executors.get() {
        let more = ["--scheduler", &scheduler, "--cores", &cores.to_string()];
        let (executor, _) = start("executor", &secret, &more)?;
        running.push(executor);
    }
    print(|out| {
        writeln!(out, "scheduler: {scheduler}")?;
        writeln!(out, "secret: {}", secret.display())?;
        for executor in running.iter().skip(1) {
            writeln!(out, "executor: {}", executor.address)?;
        }
        let (secret, ask) = (secret.display(), "DATASET \"SELECT count(*) FROM states\"");
        writeln!(out, "\nonca-cluster query --secret {secret} --scheduler {scheduler} {ask}")
    })?;
    runtime()?.block_on(watch(&mut running))?;
    Ok(Exit::Fine)
}

fn private_folder() -> Result<tempfile::TempDir, Failure> {
    let folder = tempfile::Builder::new().prefix("onca-cluster-").tempdir();
    folder.map_err(|error| Failure::Cannot(format!("cannot make a folder: {error}")))
}

/// A process that ends when this does.
struct Running {
    child: Child,
    what: &'static str,
    address: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts this program again, and waits for the address that it tells.
fn start(what: &'static str, secret: &Path, more: &[&str]) -> Result<(Running, String), Failure> {
    let cannot = |why: String| Failure::Cannot(format!("cannot start the {what}: {why}"));
    let program: PathBuf = std::env::current_exe().map_err(|error| cannot(error.to_string()))?;
    let child = Command::new(program)
        .arg(what)
        .arg("--secret")
        .arg(secret)
        .args(more)
        .arg("--end-with-input")
        // It closes however this process ends.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // Ctrl-C is for the one who started them, who then ends them.
        .process_group(0)
        .spawn()
        .map_err(|error| cannot(error.to_string()))?;
    let mut running = Running { child, what, address: String::new() };
    let Some(out) = running.child.stdout.take() else {
        return Err(cannot("it says nothing".to_owned()));
    };
    let mut line = String::new();
    let read: io::Result<usize> = BufReader::new(out).read_line(&mut line);
    let address = line.trim().strip_prefix(what).and_then(|rest| rest.strip_prefix(": "));
    match (read, address) {
        (Ok(_), Some(address)) => {
            running.address = address.to_owned();
            Ok((running, address.to_owned()))
        }
        // It has said why.
        _ => Err(Failure::Said),
    }
}

/// Waits for the end. An executor that is gone is told, and the others go on; without a scheduler
/// nothing does.
async fn watch(running: &mut Vec<Running>) -> Result<(), Failure> {
    let mut end = std::pin::pin!(ended());
    loop {
        tokio::select! {
            biased;
            () = &mut end => return Ok(()),
            () = tokio::time::sleep(LOOK) => {}
        }
        let mut gone = Vec::new();
        running.retain_mut(|process| match process.child.try_wait() {
            Ok(None) => true,
            _ => {
                gone.push((process.what, process.address.clone()));
                false
            }
        });
        for (what, address) in gone {
            let why = format!("the {what} at {address} is gone");
            match what {
                "scheduler" => return Err(Failure::Cannot(why)),
                _ => onca_program::say(&format!("warning: {why}")),
            }
        }
    }
}
