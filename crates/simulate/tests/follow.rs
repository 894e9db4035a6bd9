//! A file that is read while it grows, against plain readings of what was there.

use crate::support;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use onca_model::{Code, Ticks};
use onca_read::{FileList, Progress, Symbols, Tail};
use onca_simulate::{Advance, DriveOptions, Driven, Finished, Follower, Outcome, Plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{Rows, canonical, read};

/// Longer than any random trace.
const LONG: Ticks = 1 << 60;

fn driven(finished: Finished<Rows>) -> Driven<Rows> {
    let Finished { catalog, sink, pajeng_differs } = finished;
    Driven { catalog, sink, bytes: 0, passes: 1, files: FileList::default(), pajeng_differs }
}

/// The lines without the problems.
fn rows(text: &str) -> String {
    text.lines()
        .filter(|line| !line.starts_with("D\t"))
        .map(|line| line.to_owned() + "\n")
        .collect()
}

/// The lines without what is told only at the end: of a header that is not complete, and of parts that
/// the trace names.
fn lasting(text: &str) -> String {
    const AT_END: [&str; 4] =
        ["D\theader-syntax", "D\tmissing-part-file", "D\toutside-archive", "D\tpart-cycle"];
    let stays = |line: &&str| !AT_END.iter().any(|told| line.starts_with(told));
    text.lines().filter(stays).map(|line| line.to_owned() + "\n").collect()
}

/// A plain reading, without the records that it misses because parts cannot be read.
fn read_without_parts(path: &Path) -> Driven<Rows> {
    let mut driven = read(path, 1, 1 << 16);
    let diagnostics = &driven.catalog.diagnostics;
    let count = |code| diagnostics.get(code).map_or(0, |tally| tally.count);
    driven.catalog.facts.lost -= count(Code::MissingPartFile) + count(Code::OutsideArchive);
    driven
}

/// A trace that is written bit by bit, to the place of one that grows and to the place of a plain one.
struct Written<'a> {
    trace: &'a [u8],
    growing: File,
    plain: &'a Path,
    done: usize,
}

impl Written<'_> {
    fn add(&mut self, bytes: usize) {
        let end = (self.done + bytes).min(self.trace.len());
        self.growing.write_all(&self.trace[self.done..end]).expect("written");
        self.done = end;
    }

    fn is_complete(&self) -> bool {
        self.done == self.trace.len()
    }

    /// What a plain reading of all whole lines gives.
    fn expected(&self) -> Driven<Rows> {
        let lines =
            self.trace[..self.done].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        std::fs::write(self.plain, &self.trace[..lines]).expect("written");
        read_without_parts(self.plain)
    }
}

/// Follows a trace while it is written in random pieces; looks at it at random moments.
fn follow(trace: &[u8], seed: u64) -> Option<Plan> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let (path, plain) = (folder.path().join("grows.paje"), folder.path().join("plain.paje"));
    let growing = OpenOptions::new().append(true).create(true).open(&path).expect("made");
    let mut written = Written { trace, growing, plain: &plain, done: 0 };
    let options = DriveOptions {
        threads: if rng.random_range(0..4) == 0 { 2 } else { 1 },
        block_bytes: [40, 700, 1 << 20][rng.random_range(0..3)],
        ..DriveOptions::default()
    };
    let longest = [300, 1500, 6000][rng.random_range(0..3)];
    let progress = Progress::default();
    let mut plan = Plan::default();
    let tail = loop {
        written.add(rng.random_range(1..=longest));
        if let Some(tail) = Tail::open(&path).expect("opens") {
            break tail;
        }
        if written.is_complete() {
            return None;
        }
    };
    'again: loop {
        let symbols = Symbols::new();
        let begun = Follower::new(&tail, &symbols, Rows::default(), &options, &plan, &progress);
        let mut follower = begun.expect("begins");
        loop {
            tail.allow(rng.random_range(1..5000));
            match follower.advance().expect("reads on") {
                Advance::Read(_) => {}
                Advance::Again(better) => {
                    plan = Plan { within: Some(LONG), diverted: Default::default(), ..better };
                    continue 'again;
                }
            }
            if rng.random_range(0..5) == 0 {
                tail.allow(1 << 20);
                if let Advance::Again(_) = follower.advance().expect("reads on") {
                    continue;
                }
                compare(&mut follower, &written.expected(), &plan, seed);
            }
            if written.is_complete() {
                tail.allow(1 << 20);
                return end(follower, trace, &plain, plan, seed);
            }
            written.add(rng.random_range(1..=longest));
        }
    }
}

fn compare(follower: &mut Follower<'_, Rows>, expected: &Driven<Rows>, plan: &Plan, seed: u64) {
    let sink = follower.sink_mut().clone();
    let finished = follower.look(sink).expect("can be looked at").expect("by this plan");
    assert_eq!(finished.catalog.facts, expected.catalog.facts, "seed {seed}");
    assert_eq!(finished.catalog.fields, expected.catalog.fields, "seed {seed}");
    assert_eq!(finished.catalog.values, expected.catalog.values, "seed {seed}");
    let (found, expected) = (canonical(&driven(finished)), canonical(expected));
    match plan.within {
        None => assert_eq!(lasting(&found), lasting(&expected), "seed {seed}"),
        // Problems of the order are told by the last reading.
        Some(_) => assert_eq!(rows(&found), rows(&expected), "seed {seed}"),
    }
    assert_eq!(follower.n_late(), 0);
}

/// The end gives what a plain reading of the whole gives, a last line without its newline too.
fn end(
    follower: Follower<'_, Rows>,
    trace: &[u8],
    plain: &Path,
    plan: Plan,
    seed: u64,
) -> Option<Plan> {
    std::fs::write(plain, trace).expect("written");
    let expected = canonical(&read_without_parts(plain));
    match follower.finish().expect("finishes") {
        Outcome::Again(_) => {}
        Outcome::Finished(finished) => {
            let found = canonical(&driven(*finished));
            match plan.within {
                None => assert_eq!(lasting(&found), lasting(&expected), "end of seed {seed}"),
                Some(_) => assert_eq!(rows(&found), rows(&expected), "end of seed {seed}"),
            }
        }
    }
    Some(plan)
}

#[test]
fn random_traces_are_at_any_line_end_what_an_index_of_it_gives() {
    let plans: Vec<_> =
        (0..1000).map(|seed| follow(&onca_testkit::random::trace(seed), seed)).collect();
    let count = |is: fn(&Plan) -> bool| plans.iter().flatten().filter(|plan| is(plan)).count();
    assert!(count(|plan| plan.within.is_none()) > 100, "some are in order");
    assert!(count(|plan| plan.within.is_some()) > 100, "some are not");
}

const HEADER: &str = "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
    %EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
    %EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n\
    %EventDef PajeSetState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n\
    0 P 0 Process\n1 S P State\n2 0 a P 0 a\n";

#[test]
fn what_comes_too_late_is_counted_and_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("late.paje");
    let text = format!(
        "{HEADER}3 1 S a x\n3 9 S a y\n3 8.5 S a z\n3 20 S a x\n3 2 S a late\n3 21 S a y\n"
    );
    std::fs::write(&path, text).expect("written");
    let tail = Tail::open(&path).expect("opens").expect("has lines");
    let (symbols, options, progress) = (
        Symbols::new(),
        DriveOptions { block_bytes: 1, ..DriveOptions::default() },
        Progress::default(),
    );
    let plan = Plan { within: Some(1_000_000_000), ..Plan::default() };
    let mut follower = Follower::new(&tail, &symbols, Rows::default(), &options, &plan, &progress)
        .expect("begins");
    tail.allow(1 << 20);
    assert!(matches!(follower.advance().expect("reads"), Advance::Read(_)));
    assert_eq!(follower.n_late(), 1);
    assert_eq!(follower.watermark(), Some(20_000_000_000));
    let sink = follower.sink_mut().clone();
    let finished = follower.look(sink).expect("can be looked at").expect("by this plan");
    assert_eq!(
        finished.catalog.diagnostics.get(Code::LateRecord).map(|tally| tally.count),
        Some(1)
    );
    let found = support::short_rows(&driven(finished));
    assert_eq!(
        found,
        [
            "S a State 1-8.5 d0 x",
            "S a State 8.5-9 d0 z",
            "S a State 9-20 d0 y",
            "S a State 20-21 d0 x",
            "S a State 21-21 d0 y open",
        ]
    );
    assert!(follower.needs_another_reading());
}
