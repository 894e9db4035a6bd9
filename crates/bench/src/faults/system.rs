//! A system that fails: indexing that is killed at any call, and calls that fail. Afterwards there is the
//! old store or the new one, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use onca_generate::iterative;
use onca_program::Failure;
use onca_store::Store;

use super::Tally;
use crate::onca;

/// Calls at which indexing is killed.
const CALLS: [&str; 10] = [
    "openat",
    "read",
    "pread64",
    "write",
    "fsync",
    "mkdir",
    "rename",
    "renameat2",
    "unlink",
    "rmdir",
];

/// Calls that fail, and how.
const FAILING: [(&str, &[&str]); 8] = [
    ("write", &["ENOSPC", "EDQUOT", "EIO"]),
    ("fsync", &["ENOSPC", "EDQUOT", "EIO"]),
    ("mkdir", &["ENOSPC", "EDQUOT", "EACCES"]),
    ("rename", &["ENOSPC", "EIO"]),
    ("renameat2", &["ENOSPC", "EIO"]),
    ("openat", &["ENOSPC", "EMFILE", "EIO"]),
    ("read", &["EIO"]),
    ("pread64", &["EIO"]),
];

/// A folder in which two traces take turns in one store, so that the old one and the new can be told apart.
struct Turns {
    program: PathBuf,
    folder: PathBuf,
    /// What the stores of the traces contain.
    stores: [Vec<u8>; 2],
    turn: usize,
}

const TRACES: [&str; 2] = ["a.paje", "b.paje"];
const STORE: &str = "s.onca";

#[derive(Default)]
struct Counts {
    tried: u64,
    old: u64,
    new: u64,
    lost: u64,
    leftovers: u64,
    bad_ends: u64,
}

impl Turns {
    /// Two traces, which are others in each round.
    fn new(folder: &Path, round: u64) -> Result<Self, Failure> {
        let cannot = |why: &dyn std::fmt::Display| Failure::Cannot(format!("faults: {why}"));
        let strace = Command::new("strace").arg("-V").stdout(Stdio::null()).status();
        if !strace.is_ok_and(|status| status.success()) {
            let why = "strace is missing, which lets calls fail (Debian: apt install strace); or leave out kills and errors with --only";
            return Err(cannot(&why));
        }
        let folder = folder.join("turns");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).map_err(|error| cannot(&error))?;
        let mut turns = Self { program: onca()?, folder, stores: Default::default(), turn: 0 };
        for (which, trace) in TRACES.iter().enumerate() {
            let options = iterative::Options {
                procs: 4,
                events: 2_000 + 500 * round,
                seed: 2 * round + which as u64,
                ..iterative::Options::default()
            };
            let mut text = Vec::new();
            iterative::write(&options, &mut text).map_err(|error| cannot(&error))?;
            fs::write(turns.folder.join(trace), text).map_err(|error| cannot(&error))?;
            turns.index(which, Command::new(&turns.program))?;
            turns.stores[which] =
                turns.content().ok_or_else(|| cannot(&"a trace cannot be indexed"))?;
        }
        turns.turn = 1;
        Ok(turns)
    }

    /// Indexes a trace, by a program or by one that starts it.
    fn index(&self, which: usize, mut command: Command) -> Result<std::process::Output, Failure> {
        command.args(["index", "--force", TRACES[which], "-o", STORE]);
        command.current_dir(&self.folder).stdout(Stdio::null());
        command.output().map_err(|error| Failure::Cannot(format!("faults: {error}")))
    }

    /// What tells the store that is there from others, if it is sound.
    fn content(&self) -> Option<Vec<u8>> {
        let place = self.folder.join(STORE);
        Store::open(&place).and_then(|store| store.verify()).ok()?;
        let files = ["tables.bin", "index.bin", "data.bin"];
        let contents: Result<Vec<Vec<u8>>, _> =
            files.iter().map(|name| fs::read(place.join(name))).collect();
        Some(contents.ok()?.concat())
    }

    /// What is in the folder besides the traces and the store.
    fn has_leftovers(&self) -> bool {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let expected = |name: &str| TRACES.contains(&name) || name == STORE;
        entries.into_iter().any(|entry| !expected(&entry.file_name().to_string_lossy()))
    }

    /// Indexes the other trace while the system fails so at the `n`th call; whether it did.
    fn disturb(
        &mut self,
        call: &str,
        how: &str,
        n: u64,
        counts: &mut Counts,
    ) -> Result<bool, Failure> {
        let next = 1 - self.turn;
        let mut command = Command::new("strace");
        let log = self.folder.join("strace.log");
        command.args(["-f", "-qq", "-o"]).arg(&log);
        command.args(["-e", &format!("trace={call}"), "-e"]);
        command.arg(format!("inject={call}:{how}:when={n}")).arg(&self.program);
        let output = self.index(next, command)?;
        let logged = fs::read_to_string(&log).unwrap_or_default();
        let _ = fs::remove_file(&log);
        let killed = how.starts_with("signal");
        let happened = logged.contains("(INJECTED)") || logged.contains("killed by SIGKILL");
        let said = String::from_utf8_lossy(&output.stderr);
        // The program that loads programs needs the system too, and is not ours.
        if said.contains("error while loading shared libraries") || !happened {
            self.turn = if happened { self.turn } else { next };
            return Ok(happened);
        }
        counts.tried += 1;
        let code = output.status.code();
        if !killed && !matches!(code, Some(0 | 2 | 3)) {
            counts.bad_ends += 1;
        }
        // Whoever opens the store cleans up.
        match self.content() {
            Some(content) if content == self.stores[self.turn] && code != Some(0) => {
                counts.old += 1;
            }
            Some(content) if content == self.stores[next] => {
                counts.new += 1;
                self.turn = next;
            }
            _ => {
                counts.lost += 1;
                self.index(next, Command::new(&self.program))?;
                self.turn = next;
            }
        }
        if self.has_leftovers() {
            counts.leftovers += 1;
            self.index(next, Command::new(&self.program))?;
            self.turn = next;
        }
        Ok(true)
    }
}

/// Kills indexing at every call of the system, the first, the second and so on, up to this many.
pub fn kills(folder: &Path, points: u64) -> Result<Tally, Failure> {
    try_all(
        "killed while indexing",
        folder,
        points,
        CALLS.iter().map(|call| (*call, "signal=KILL".to_owned())),
    )
}

/// Lets every call of the system fail, in every way, up to this many.
pub fn errors(folder: &Path, points: u64) -> Result<Tally, Failure> {
    let ways = FAILING
        .iter()
        .flat_map(|(call, errors)| errors.iter().map(|error| (*call, format!("error={error}"))));
    try_all("failing calls", folder, points, ways)
}

fn try_all(
    what: &str,
    folder: &Path,
    points: u64,
    ways: impl Iterator<Item = (&'static str, String)> + Clone,
) -> Result<Tally, Failure> {
    let (started, mut counts) = (Instant::now(), Counts::default());
    // Other traces have other calls.
    for round in 0.. {
        let mut turns = Turns::new(folder, round)?;
        // All ways at the first call, then at the second, as long as there is one.
        let (mut open, before): (Vec<_>, _) = (ways.clone().collect(), counts.tried);
        let mut n = 1;
        while !open.is_empty() && counts.tried < points {
            let mut left = Vec::new();
            for (call, how) in open {
                if counts.tried < points && turns.disturb(call, &how, n, &mut counts)? {
                    left.push((call, how));
                }
            }
            open = left;
            n += 1;
        }
        // Without strace nothing is ever disturbed.
        if counts.tried >= points || counts.tried == before {
            break;
        }
    }
    Ok(Tally {
        what: what.to_owned(),
        tried: counts.tried,
        held: vec![("old store", counts.old), ("new store", counts.new)],
        broken: vec![
            ("no store or a wrong one", counts.lost),
            ("leftovers", counts.leftovers),
            ("ends that are no status", counts.bad_ends),
        ],
        seconds: started.elapsed().as_secs_f64(),
    })
}
