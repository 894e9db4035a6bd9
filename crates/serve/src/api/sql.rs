//! Questions in SQL.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use onca_sql::{Format, Limits, TableInfo, row_writer};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Shared, TraceId};
use crate::fault::Fault;

const LIMITS: Limits =
    Limits { timeout: Some(Duration::from_secs(10)), max_rows: Some(100_000), memory: 512 << 20 };

/// What can be asked of any trace.
const EXAMPLES: [(&str, &str); 5] = [
    (
        "Time per value",
        "SELECT value, count(*) AS n, sum(exclusive_ticks) AS ticks\n\
         FROM states\nGROUP BY value\nORDER BY ticks DESC",
    ),
    (
        "The longest states",
        "SELECT container, value, t_start, duration\n\
         FROM states\nORDER BY duration_ticks DESC\nLIMIT 100",
    ),
    (
        "The slowest links",
        "SELECT source, destination, value, t_start, duration, size\n\
         FROM links\nORDER BY duration_ticks DESC\nLIMIT 100",
    ),
    (
        "Containers by type",
        "SELECT type, count(*) AS n, min(path) AS first\n\
         FROM containers\nGROUP BY type\nORDER BY n",
    ),
    ("Problems of the trace", "SELECT severity, code, line, message\nFROM diagnostics"),
];

pub async fn tables(State(app): Shared, Path(id): TraceId) -> Result<Json<Value>, Fault> {
    app.with(&id, |_, trace| {
        let tables: Vec<Value> = trace.database()?.tables().iter().map(describe).collect();
        let examples: Vec<Value> =
            EXAMPLES.iter().map(|(title, sql)| json!({"title": title, "sql": sql})).collect();
        Ok(Json(json!({"schema": "onca-sql-tables/1", "tables": tables, "examples": examples})))
    })
    .await
}

fn describe(table: &TableInfo) -> Value {
    let columns = table.columns.iter();
    let columns = columns.map(|column| json!({"name": column.name, "type": column.data_type}));
    json!({"name": table.name, "columns": columns.collect::<Vec<_>>()})
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    sql: String,
    #[serde(default)]
    format: RowFormat,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RowFormat {
    #[default]
    Json,
    Csv,
    Parquet,
}

impl RowFormat {
    fn format(self) -> Format {
        match self {
            Self::Json => Format::Json,
            Self::Csv => Format::Csv,
            Self::Parquet => Format::Parquet,
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }
}

pub async fn query(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    let trace = app.traces.ready(&id)?;
    let Asked { sql, format } =
        serde_json::from_slice(&body).map_err(|error| Fault::question(error.to_string()))?;
    // The engine works on threads of its own. It stops when this future is dropped, which is when
    // the client goes away.
    let turn = app.workshop.turn().await?;
    let mut answer = trace.database()?.query(&sql, &LIMITS).await?;
    let mut batches = Vec::new();
    while let Some(batch) = answer.next().await? {
        batches.push(batch);
    }
    drop(turn);
    let (schema, truncated) = (answer.schema().clone(), answer.is_truncated());
    let bytes = app.workshop.run(move || {
        let mut bytes = Vec::new();
        let mut writer = row_writer(format.format(), &schema, &mut bytes)?;
        batches.iter().try_for_each(|batch| writer.write(batch))?;
        writer.finish(truncated)?;
        Ok(bytes)
    });
    Ok(([(header::CONTENT_TYPE, format.media_type())], bytes.await?).into_response())
}
