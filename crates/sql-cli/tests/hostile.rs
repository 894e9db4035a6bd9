//! Statements that are made to end or to block a server: each has an answer or a plain error, in
//! time, and the next question is answered.

use crate::statements;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use onca_model::RowFormat;
use onca_sql_client::{ChildOptions, Limits, Question, SqlChildren, SqlFailure, SqlProgram};
use onca_testkit::fixtures;
use onca_testkit::sandbox::{Sandbox, program};

const LIMIT: Duration = Duration::from_millis(500);

/// What a slow machine may take longer than the limit. Without the limit, the statements that burn
/// time would take hours.
const SLOWNESS: Duration = Duration::from_secs(600);

/// Children of a store with a few thousand states, and what holds it.
fn children(memory: u64) -> (Sandbox, SqlChildren) {
    let sandbox = Sandbox::new();
    let steps: String = (0..2_000).map(|step| format!("12 {step} S a v{}\n", step % 7)).collect();
    sandbox.write("t.paje", fixtures::trace(&steps));
    sandbox.onca(["info", "t.paje"]).expect(0);
    let store: PathBuf = sandbox.path("t.paje.onca");
    let sql = SqlProgram { named: Some(program("onca-sql")), ..SqlProgram::default() };
    let options = ChildOptions { store, unit: None, memory, threads: Some(2) };
    (sandbox, SqlChildren::new(sql, options))
}

/// The bytes of an answer as CSV.
async fn ask(children: &SqlChildren, sql: &str, timeout: Duration) -> Result<Vec<u8>, SqlFailure> {
    let limits = Limits { timeout: Some(timeout), max_rows: Some(1_000) };
    let question = Question { sql: sql.to_owned(), format: RowFormat::Csv, limits };
    let mut rows = children.ask(question).await?;
    let mut answer = Vec::new();
    while let Some(more) = rows.next().await? {
        answer.extend(more);
    }
    Ok(answer)
}

/// The simplest question of all is answered, with all the time that a slow machine needs.
async fn is_alive(children: &SqlChildren) -> bool {
    let counted = ask(children, "SELECT count(*) AS n FROM states", SLOWNESS).await;
    counted == Ok(b"n\r\n2000\r\n".to_vec())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

fn kind(outcome: &Result<Vec<u8>, SqlFailure>) -> &'static str {
    match outcome {
        Ok(_) => "answer",
        Err(SqlFailure::Invalid(_)) => "refused",
        Err(SqlFailure::Limit(_)) => "limit",
        Err(SqlFailure::Ended(_)) => "crash",
        Err(SqlFailure::Fault(_)) => "fault",
        Err(SqlFailure::NoProgram(_)) => "no program",
    }
}

#[test]
fn every_hostile_statement_ends_and_the_next_is_answered() {
    let statements = statements::all();
    assert!(statements.len() >= 150, "only {} statements", statements.len());
    let (_sandbox, children) = children(64 << 20);
    let next = AtomicUsize::new(0);
    let mut kinds = BTreeMap::new();
    let outcomes = runtime().block_on(async {
        // Two at a time, as two clients would.
        let client = || async {
            let mut outcomes = Vec::new();
            while let Some((name, sql)) = statements.get(next.fetch_add(1, Ordering::Relaxed)) {
                let started = Instant::now();
                let outcome = ask(&children, sql, LIMIT).await;
                let took = started.elapsed();
                assert!(is_alive(&children).await, "after {name}");
                outcomes.push((name, outcome, took));
            }
            outcomes
        };
        let (mut one, other) = tokio::join!(client(), client());
        one.extend(other);
        one
    });
    let mut wrong = Vec::new();
    for (name, outcome, took) in &outcomes {
        let kind = kind(outcome);
        println!("{kind:8} {:5} ms  {name}", took.as_millis());
        *kinds.entry(kind).or_insert(0) += 1;
        let said = outcome.as_ref().err().map(ToString::to_string);
        let is_plain =
            |said: &String| said.lines().count() == 1 && (10..4_000).contains(&said.len());
        if *took > LIMIT + SLOWNESS
            || matches!(kind, "crash" | "fault" | "no program")
            || !said.as_ref().is_none_or(is_plain)
        {
            wrong.push(format!("{kind} {took:?} {name}: {said:?}"));
        }
    }
    println!("{kinds:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(outcomes.len(), statements.len());
}
