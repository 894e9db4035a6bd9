//! Damaged traces: whatever the bytes, an answer or a reason, always the same, and soon.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use onca_generate::damage::damage;
use onca_generate::small::{self, Format};
use onca_model::{EntitySink, EventRow, LaneId, LinkRow, StateRow, VariableRow};
use onca_program::Failure;
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Tally;

/// Longer than this is a hang.
const LONGEST: Duration = Duration::from_secs(10);

/// Panics in any thread.
static PANICS: AtomicU64 = AtomicU64::new(0);

#[derive(Default)]
struct Counts {
    clean: u64,
    damaged: u64,
    refused: u64,
    panics: u64,
    hangs: u64,
    differing: u64,
}

/// Reads damaged traces of some formats.
pub fn run(
    folder: &Path,
    formats: &[Format],
    n: u64,
    seed: u64,
    keep: Option<&Path>,
) -> Result<Vec<Tally>, Failure> {
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {
        PANICS.fetch_add(1, Ordering::Relaxed);
    }));
    let n_formats = formats.len() as u64;
    let share = |(number, format): (usize, &Format)| {
        let extra = u64::from((number as u64) < n % n_formats);
        of_format(*format, folder, n / n_formats + extra, seed, keep)
    };
    let tallies = formats.iter().enumerate().map(share).collect();
    std::panic::set_hook(told);
    tallies
}

fn of_format(
    format: Format,
    folder: &Path,
    n: u64,
    seed: u64,
    keep: Option<&Path>,
) -> Result<Tally, Failure> {
    let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(format!("inputs: {error}"));
    let place = folder.join(format!("inputs-{}", format.files()[0]));
    fs::create_dir_all(&place).map_err(|error| cannot(&error))?;
    let good = small::write(format, &place).map_err(|error| cannot(&error))?;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (started, mut counts) = (Instant::now(), Counts::default());
    for number in 0..n {
        let damaged = damage(&good, &mut random);
        for (name, content) in format.files().iter().zip(&damaged) {
            fs::write(place.join(name), content).map_err(|error| cannot(&error))?;
        }
        if !counts.add(&place.join(format.files()[0]), number)
            && let Some(keep) = keep
        {
            let kept = keep.join(format!("{}-{seed}-{number}", format.files()[0]));
            for (name, content) in format.files().iter().zip(&damaged) {
                let file = kept.join(name);
                let parent = file.parent().unwrap_or(&kept);
                let written = fs::create_dir_all(parent).and_then(|()| fs::write(&file, content));
                written.map_err(|error| cannot(&error))?;
            }
        }
    }
    Ok(Tally {
        what: format!("damaged {} traces", format.name()),
        tried: n,
        held: vec![
            ("read whole", counts.clean),
            ("in part", counts.damaged),
            ("refused", counts.refused),
        ],
        broken: vec![
            ("panics", counts.panics),
            ("over 10 s", counts.hangs),
            ("differ when read again", counts.differing),
        ],
        seconds: started.elapsed().as_secs_f64(),
    })
}

impl Counts {
    /// Reads a trace twice. Did everything hold?
    fn add(&mut self, trace: &Path, number: u64) -> bool {
        let panics = PANICS.load(Ordering::Relaxed);
        let started = Instant::now();
        let once = read(trace, 1);
        let threads = [1, 2, 8][(number % 3) as usize];
        let again = read(trace, threads);
        let hung = started.elapsed() > 2 * LONGEST;
        let panicked = PANICS.load(Ordering::Relaxed) > panics;
        let differs = once != again;
        self.hangs += u64::from(hung);
        self.panics += u64::from(panicked);
        self.differing += u64::from(differs);
        match once {
            Ok(read) if read.is_whole => self.clean += 1,
            Ok(_) => self.damaged += 1,
            Err(_) => self.refused += 1,
        }
        !(hung || panicked || differs)
    }
}

/// All that a reader says of a trace.
#[derive(PartialEq, Eq, Debug)]
struct Read {
    is_whole: bool,
    text: String,
}

fn read(trace: &Path, threads: usize) -> Result<Read, String> {
    let options = DriveOptions { memory: 64 << 20, threads, ..DriveOptions::default() };
    let progress = Arc::new(Progress::default());
    let driven = catch_unwind(AssertUnwindSafe(|| {
        drive(&Source::new(trace), &options, &progress, || Ok(Rows::default()))
    }));
    let driven = driven.map_err(|_| "a panic".to_owned())?.map_err(|error| error.to_string())?;
    let mut text = driven.sink.0;
    let catalog = driven.catalog;
    let is_whole = catalog.diagnostics.is_empty() && catalog.facts.lost == 0;
    let _ = write!(text, "{catalog:?}");
    Ok(Read { is_whole, text })
}

/// All rows as text.
#[derive(Default)]
struct Rows(String);

impl Rows {
    fn add(
        &mut self,
        lane: LaneId,
        row: impl std::fmt::Debug,
        extras: &[u8],
    ) -> Result<(), Infallible> {
        let _ = writeln!(self.0, "{lane:?} {row:?} {extras:?}");
        Ok(())
    }
}

impl EntitySink for Rows {
    type Error = Infallible;

    fn state(&mut self, lane: LaneId, row: &StateRow, extras: &[u8]) -> Result<(), Infallible> {
        self.add(lane, row, extras)
    }

    fn variable(
        &mut self,
        lane: LaneId,
        row: &VariableRow,
        extras: &[u8],
    ) -> Result<(), Infallible> {
        self.add(lane, row, extras)
    }

    fn event(&mut self, lane: LaneId, row: &EventRow, extras: &[u8]) -> Result<(), Infallible> {
        self.add(lane, row, extras)
    }

    fn link(&mut self, lane: LaneId, row: &LinkRow<'_>, extras: &[u8]) -> Result<(), Infallible> {
        self.add(lane, row, extras)
    }
}
