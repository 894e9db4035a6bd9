//! How late pictures of a trace are that is written at the same time, and what following it costs.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use onca_program::format::byte_size;
use onca_program::{Exit, Failure, peak_memory};
use serde_json::{Value, json};

use crate::measure::{generate, median, milliseconds, report};
use crate::web::client::{Client, Target, block_on};
use crate::{CommonArgs, onca};

/// How often something is written.
const STEP: Duration = Duration::from_millis(20);
/// Bytes of a record of the generated text, about.
const RECORD: u64 = 35;
const PROCS: u32 = 64;

/// A trace in the browser while it is written
///
/// A writer appends to a Pajé trace at a steady rate, and `onca view --follow` is asked for pictures of the whole. A picture
/// is late by the time since the newest record in it was written. The page asks at most once a second, which comes on top.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Megabytes that are written each second
    #[arg(long, default_value_t = 50)]
    rate: u64,

    /// How long it is written
    #[arg(long, default_value_t = 20)]
    seconds: u64,

    #[command(flatten)]
    common: CommonArgs,
}

/// How much was written when, in records.
type Course = Mutex<Vec<(Instant, u64)>>;

/// A picture that came.
struct Picture {
    came: Instant,
    /// How long ago its newest record was written.
    late: Duration,
}

/// What was measured.
struct Live {
    written: u64,
    wrote_for: Duration,
    pictures: Vec<Picture>,
    peak: u64,
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = args.common.folder()?;
    let bytes = args.rate * args.seconds * 1_000_000;
    let whole = generate(bytes / RECORD, PROCS, folder.path())?;
    let cannot = |error: io::Error| Failure::Cannot(error.to_string());
    let grows = folder.path().join("grows.paje");
    File::create(&grows).map_err(cannot)?;
    let mut viewing = Viewing::start(&grows)?;
    let course = Course::default();
    let live = std::thread::scope(|scope| {
        let writing = scope.spawn(|| write(&whole, &grows, args.rate * 1_000_000, &course));
        let pictures = block_on(watch(&viewing.target, &course, || writing.is_finished()));
        let wrote = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let (written, wrote_for) = wrote.map_err(cannot)?;
        let peak = peak_memory(&viewing.child.id().to_string()).unwrap_or(0);
        Ok::<_, Failure>(Live { written, wrote_for, pictures: pictures.map_err(cannot)?, peak })
    })?;
    viewing.end();
    report(args.common.json, || live.json(), |out| live.print(out))
}

/// The server, which ends when this does.
struct Viewing {
    child: Child,
    target: Target,
}

impl Viewing {
    fn start(trace: &Path) -> Result<Self, Failure> {
        let cannot = |what: String| Failure::Cannot(format!("onca view: {what}"));
        let mut child = Command::new(onca()?)
            .args(["view", "--follow", "--no-open"])
            .arg(trace)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| cannot(error.to_string()))?;
        let mut line = String::new();
        let read = child.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let found = line.trim_end().strip_prefix("http://").and_then(|line| {
            let (address, token) = line.split_once("/?token=")?;
            Some(Target { address: address.parse().ok()?, token: token.to_owned() })
        });
        match (read, found) {
            (Some(Ok(_)), Some(target)) => Ok(Self { child, target }),
            _ => {
                // It may have ended by itself.
                let _ = child.kill();
                Err(cannot(format!("gave no address but {line:?}")))
            }
        }
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Viewing {
    fn drop(&mut self) {
        self.end();
    }
}

/// Appends a trace to a file, this many bytes a second; how many there were and how long it took.
fn write(whole: &Path, grows: &Path, rate: u64, course: &Course) -> io::Result<(u64, Duration)> {
    let text = std::fs::read(whole)?;
    let mut file = File::options().append(true).open(grows)?;
    let header =
        text.windows(13).rposition(|word| word == b"%EndEventDef\n").map_or(0, |at| at + 13);
    let begun = Instant::now();
    let (mut done, mut records) = (0, 0);
    while done < text.len() {
        let due = (begun.elapsed().as_secs_f64() * rate as f64) as usize;
        let end = due.clamp(done, text.len());
        file.write_all(&text[done..end])?;
        records += memchr::memchr_iter(b'\n', text.get(done.max(header)..end).unwrap_or(b""))
            .count() as u64;
        done = end;
        let mut course = course.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        course.push((Instant::now(), records));
        drop(course);
        std::thread::sleep(STEP);
    }
    Ok((done as u64, begun.elapsed()))
}

/// Asks for pictures until the last record is in one.
async fn watch(
    target: &Target,
    course: &Course,
    has_ended: impl Fn() -> bool,
) -> io::Result<Vec<Picture>> {
    let mut client = Client::connect(target).await?;
    let (mut pictures, mut seen) = (Vec::new(), 0);
    loop {
        let ended = has_ended();
        let asked = client.get("/api/traces/1/info").await?;
        let info: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
        let records = info["records"].as_u64().unwrap_or(0);
        if records > seen {
            seen = records;
            let length = info["length"].as_i64().unwrap_or(1);
            let question = json!({
                "window": {"from": 0, "to": length}, "width": 1500, "rows": {"fit": 600},
                "links": "none", "theme": "light",
            });
            let answer = client.post("/api/traces/1/timeline", &question).await?;
            if !answer.status.is_success() {
                return Err(io::Error::other(String::from_utf8_lossy(&answer.body).into_owned()));
            }
            let came = Instant::now();
            let course = course.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            // The first piece with which they were all there.
            let at = course.partition_point(|(_, written)| *written < records);
            let written = course.get(at).map_or(came, |(written, _)| *written);
            pictures.push(Picture { came, late: came - written });
            if ended && course.last().is_some_and(|(_, all)| *all <= records) {
                return Ok(pictures);
            }
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

impl Live {
    fn late(&self) -> Vec<Duration> {
        self.pictures.iter().map(|picture| picture.late).collect()
    }

    /// How far pictures are apart, the later half of them.
    fn apart(&self) -> Duration {
        let later = &self.pictures[self.pictures.len() / 2..];
        median(later.windows(2).map(|two| two[1].came - two[0].came).collect())
    }

    fn rate(&self) -> f64 {
        self.written as f64 / self.wrote_for.as_secs_f64()
    }

    fn json(&self) -> Value {
        json!({
            "schema": "onca-bench-live/1",
            "written_bytes": self.written,
            "bytes_per_second": self.rate(),
            "pictures": self.pictures.len(),
            "late_median_ms": milliseconds(median(self.late())),
            "late_most_ms": milliseconds(self.late().into_iter().max().unwrap_or_default()),
            "apart_in_the_end_ms": milliseconds(self.apart()),
            "peak_rss_bytes": self.peak,
        })
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{} were written, {} a second; {} pictures came\n\
             late by {:.0} ms, at most {:.0} ms; in the end {:.0} ms apart\n\
             at most {} of memory",
            byte_size(self.written),
            byte_size(self.rate() as u64),
            self.pictures.len(),
            milliseconds(median(self.late())),
            milliseconds(self.late().into_iter().max().unwrap_or_default()),
            milliseconds(self.apart()),
            byte_size(self.peak),
        )
    }
}
