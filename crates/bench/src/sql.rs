//! SQL in `onca-bench questions`: the total time per value, beside `pj_dump` and `awk`.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use onca_program::Failure;
use onca_program::format::byte_size;

use crate::measure::watched;
use crate::onca;

const QUERY: &str = "SELECT value, sum(duration_ticks), count(*) FROM states GROUP BY value";

/// What people write today: the duration and the value are the sixth and the eighth column.
const AWK: &str = r#"$1 == "State" { total[$8] += $6; count[$8]++ }
END { for (value in total) print value, total[value], count[value] }"#;

/// Memory that the engine may take.
const MEMORY: &str = "512M";

/// What was measured on one trace.
pub struct SqlFigures {
    /// The whole program, from its start to its end, on the finished store.
    wall: Duration,
    /// The most memory that it had, where the system tells.
    peak: Option<u64>,
    /// The peer from its start to its end.
    peer: Option<Duration>,
}

impl SqlFigures {
    /// Asks the store `runs` times, and the text once.
    pub fn of(place: &Path, text: Option<&Path>, runs: usize) -> Result<Self, Failure> {
        let asked: Vec<(Duration, Option<u64>)> =
            (0..runs.max(1)).map(|_| ask(place)).collect::<Result<_, _>>()?;
        let mut walls: Vec<Duration> = asked.iter().map(|(wall, _)| *wall).collect();
        walls.sort();
        let peak = asked.iter().filter_map(|(_, peak)| *peak).max();
        Ok(Self { wall: walls[walls.len() / 2], peak, peer: text.and_then(pj_dump_and_awk) })
    }

    fn ratio(&self) -> Option<f64> {
        self.peer.map(|peer| peer.as_secs_f64() / self.wall.as_secs_f64())
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        json!({
            "query": QUERY,
            "seconds": self.wall.as_secs_f64(),
            "memory_limit": MEMORY,
            "peak_rss_bytes": self.peak,
            "pj_dump_awk_seconds": self.peer.map(|peer| peer.as_secs_f64()),
            "ratio_pj_dump_awk": self.ratio(),
        })
    }

    /// As a line for people.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let milliseconds = self.wall.as_secs_f64() * 1e3;
        write!(out, "  {:<22} {milliseconds:>9.2} ms", "SQL, time per value")?;
        if let Some(peak) = self.peak {
            write!(out, ", peak memory {} (limit {MEMORY})", byte_size(peak))?;
        }
        if let (Some(peer), Some(ratio)) = (self.peer, self.ratio()) {
            let peer = peer.as_secs_f64();
            write!(out, ", {ratio:.0} times as fast as pj_dump | awk ({peer:.2} s)")?;
        }
        writeln!(out)
    }
}

fn ask(place: &Path) -> Result<(Duration, Option<u64>), Failure> {
    let mut command = Command::new(onca()?);
    command.args(["query", "--memory", MEMORY]).arg(place).arg(QUERY);
    watched(command.stdout(Stdio::null()))
}

/// How long the peers take together; nothing where one is missing.
fn pj_dump_and_awk(trace: &Path) -> Option<Duration> {
    let started = Instant::now();
    let mut dump = Command::new("pj_dump")
        .arg(trace)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let lines = dump.stdout.take()?;
    let awk = Command::new("awk")
        .args(["-F", ", ", AWK])
        .stdin(lines)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let dumped = dump.wait().ok()?;
    (awk.ok()?.success() && dumped.success()).then(|| started.elapsed())
}
