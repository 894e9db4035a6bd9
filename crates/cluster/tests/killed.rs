//! An executor is killed or stopped while it works: the answer is right, or the message names the executor.
//! It is never smaller.

use std::time::{Duration, Instant};

use onca_testkit::sandbox::Run;
use rustix::process::Signal;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::sets::{Sample, database, expect_same, right_answer};

/// How many executors are killed, unless ONCA_CLUSTER_KILLS tells another number.
const KILLS: usize = 8;

const SET: &str = "run.set";

/// One that reads much, one whose rows change executors twice, and one that does both.
const QUERIES: [&str; 3] = [
    "SELECT value, count(*) AS n, sum(tick_end - tick_start) AS ticks FROM states GROUP BY value",
    "SELECT c.path, count(*) AS n, sum(l.size) AS bytes FROM links l
     JOIN containers c ON l.source_id = c.id GROUP BY c.path",
    "SELECT a.value, count(*) AS n, sum(b.tick_start - a.tick_start) AS ticks FROM states a
     JOIN states b ON a.container_id = b.container_id GROUP BY a.value",
];

#[test]
fn no_answer_is_smaller_because_an_executor_was_killed() {
    let kills = std::env::var("ONCA_CLUSTER_KILLS").ok();
    let kills = kills.map_or(KILLS, |number| number.parse().expect("a number"));
    let mut cluster = Cluster::apart(2);
    Sample::run(96, 40_000, 1).write(&cluster.path(SET), 4, 1 << 15);
    let one = database(&cluster.path(SET));
    let right = QUERIES.map(|sql| right_answer(&one, sql));
    let times = QUERIES.map(|sql| {
        let started = Instant::now();
        cluster.query(SET, sql, &[]).expect(0);
        started.elapsed()
    });
    let mut n_answered = 0;
    for kill in 0..kills {
        let which = kill % QUERIES.len();
        // From the first instant to the last, in parts that do not go round with the queries.
        let after = times[which].mul_f64((kill % 7) as f64 / 7.0 + 0.05);
        let signal = match kill % 4 {
            // As when its machine hangs: connections stay, and nothing comes.
            1 => Signal::STOP,
            // One that is told to end says so to the scheduler.
            3 => Signal::TERM,
            _ => Signal::KILL,
        };
        let (victim, run) = ask_and_signal(&mut cluster, QUERIES[which], kill % 2, signal, after);
        n_answered += usize::from(is_right(&run, &right[which], QUERIES[which], &victim));
        eprintln!("kill {kill} after {after:?} of {:?}: status {}", times[which], run.code);
        for (sql, right) in QUERIES.iter().zip(&right) {
            expect_same(&cluster.answer(SET, sql), right, sql);
        }
    }
    eprintln!("{n_answered} of {kills} queries were answered although an executor was killed");
}

/// Asks, and signals an executor a while later, for which another one comes: its address, and how the query ended.
fn ask_and_signal(
    cluster: &mut Cluster,
    sql: &str,
    which: usize,
    signal: Signal,
    after: Duration,
) -> (String, Run) {
    let client = cluster.start_query(SET, sql);
    std::thread::sleep(after);
    let mut victim = cluster.executors.remove(which);
    victim.process.signal(signal);
    if signal != Signal::STOP {
        victim.process.end();
    }
    // A query that had no task there yet waits for it.
    cluster.start_executor();
    (victim.address, client.end())
}

/// Is it answered? Then with all rows; and else the message says because of whom.
fn is_right(run: &Run, right: &Value, sql: &str, victim: &str) -> bool {
    let is_answered = run.code == 0;
    match is_answered {
        true => expect_same(&run.json(), right, sql),
        false => {
            let said = run.err();
            assert_eq!(run.code, 2, "{}: {said}", run.shown);
            assert!(said.contains(victim), "{}: {victim} is not in: {said}", run.shown);
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
    is_answered
}

#[test]
fn without_executors_queries_wait_and_then_they_are_answered() {
    let mut cluster = Cluster::apart(1);
    Sample::run(8, 2_000, 1).write(&cluster.path(SET), 1, u64::MAX);
    let one = database(&cluster.path(SET));
    let right = |sql| right_answer(&one, sql);
    let (victim, run) = ask_and_signal(&mut cluster, QUERIES[2], 0, Signal::KILL, Duration::ZERO);
    is_right(&run, &right(QUERIES[2]), QUERIES[2], &victim);
    let mut last = cluster.executors.remove(0);
    last.process.signal(Signal::KILL);
    last.process.end();
    let waiting = cluster.query(SET, QUERIES[0], &["--timeout", "2"]);
    assert!([2, 3].contains(&waiting.code), "{}: {}", waiting.code, waiting.err());
    assert_eq!(waiting.out(), "");
    cluster.start_executor();
    expect_same(&cluster.answer(SET, QUERIES[0]), &right(QUERIES[0]), QUERIES[0]);
}
