//! What was measured of a cluster, for people and for programs.

use std::io::{self, Write};
use std::time::Duration;

use onca_program::format::{byte_size, grouped};
use serde_json::{Value, json};

use super::ways::Way;
use super::{Query, Subject};
use crate::measure::milliseconds;

/// As JSON.
pub fn json(subject: &Subject, queries: &[Query], ways: &[Way]) -> Value {
    let ways = ways.iter().map(|way| {
        let times = queries.iter().zip(&way.times);
        let times: Vec<Value> = times
            .map(|(query, time)| json!({ "query": query.name, "ms": milliseconds(*time) }))
            .collect();
        json!({
            "way": way.title,
            "startup_ms": milliseconds(way.startup),
            "queries": times,
            "client_bytes": way.client,
            "scheduler_bytes": way.scheduler,
            "executor_bytes": way.executor,
        })
    });
    json!({
        "schema": "onca-bench-cluster/1",
        "states": subject.sum("rows", |table| table == "states"),
        "state_bytes": subject.sum("bytes", |table| table == "states"),
        "rows": subject.sum("rows", |_| true),
        "bytes": subject.sum("bytes", |_| true),
        "ways": ways.collect::<Vec<_>>(),
    })
}

/// As a table: a row for each query, a column for each way.
pub fn print(
    subject: &Subject,
    queries: &[Query],
    ways: &[Way],
    out: &mut dyn Write,
) -> io::Result<()> {
    let states = subject.sum("rows", |table| table == "states");
    let bytes = subject.sum("bytes", |_| true);
    writeln!(out, "{} states, a data set of {}", grouped(states), byte_size(bytes))?;
    write!(out, "{:<32}", "ms, start-up apart")?;
    // DuckDB has a column whether it is there or not.
    let missing = ways.iter().all(|way| way.title != "DuckDB").then_some("DuckDB");
    for title in ways.iter().map(|way| way.title.as_str()).chain(missing) {
        write!(out, " {title:>13}")?;
    }
    writeln!(out)?;
    let mut row = |title: &str, cell: &dyn Fn(&Way) -> Option<String>| {
        let cells = ways.iter().map(cell).chain(missing.map(|_| None));
        write!(out, "{title:<32}")?;
        for cell in cells {
            write!(out, " {:>13}", cell.as_deref().unwrap_or("-"))?;
        }
        writeln!(out)
    };
    let shown = |time: Duration| format!("{:.0}", milliseconds(time));
    for (at, query) in queries.iter().enumerate() {
        row(query.title, &|way| way.times.get(at).copied().map(shown))?;
    }
    row("start-up", &|way| Some(shown(way.startup)))?;
    row("memory of the client", &|way| way.client.map(byte_size))?;
    row("memory of the scheduler", &|way| way.scheduler.map(byte_size))?;
    row("memory of an executor", &|way| way.executor.map(byte_size))
}
