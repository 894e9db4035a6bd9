//! Questions in SQL.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use onca_model::RowFormat;
use onca_model::format::byte_size;
use onca_sql_client::{Limits, Question, Table};
use serde::{Deserialize, Serialize};

use super::{Shared, TraceId};
use crate::fault::Fault;

const LIMITS: Limits = Limits { timeout: Some(Duration::from_secs(10)), max_rows: Some(100_000) };

/// The longest answer.
const MOST_BYTES: usize = 256 << 20;

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

/// What can be asked in SQL: `onca-sql-tables/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SqlTablesAnswer"))]
pub struct Tables {
    schema: &'static str,
    /// The tables, each with `name` and `columns`.
    tables: Vec<Table>,
    /// Queries that any trace can be asked.
    examples: Vec<Example>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SqlExample"))]
struct Example {
    title: &'static str,
    sql: &'static str,
}

pub async fn tables(State(app): Shared, Path(id): TraceId) -> Result<Json<Tables>, Fault> {
    let trace = app.traces.ready(&id)?;
    let tables = trace.sql.tables().await?;
    let examples = EXAMPLES.iter().map(|&(title, sql)| Example { title, sql }).collect();
    Ok(Json(Tables { schema: "onca-sql-tables/1", tables, examples }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SqlQuestion {
    sql: String,
    #[serde(default)]
    format: Form,
}

/// The forms of rows that a page can use.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    #[default]
    Json,
    Csv,
    SafeCsv,
    Parquet,
}

impl Form {
    fn of_rows(self) -> RowFormat {
        match self {
            Self::Json => RowFormat::Json,
            Self::Csv => RowFormat::Csv,
            Self::SafeCsv => RowFormat::SafeCsv,
            Self::Parquet => RowFormat::Parquet,
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Csv | Self::SafeCsv => "text/csv; charset=utf-8",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }
}

pub async fn query(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    let trace = app.traces.ready(&id)?;
    let SqlQuestion { sql, format } =
        serde_json::from_slice(&body).map_err(|error| Fault::question(error.to_string()))?;
    // Another process computes, and is ended when this future is dropped, which is when the client
    // goes away.
    let _turn = app.sql_workshop.turn().await?;
    let question = Question { sql, format: format.of_rows(), limits: LIMITS };
    let mut rows = trace.sql.ask(question).await?;
    // All rows before the first is sent: a failure in their midst still has a status of its own.
    let mut bytes = Vec::new();
    while let Some(more) = rows.next().await? {
        if bytes.len() + more.len() > MOST_BYTES {
            let most = byte_size(MOST_BYTES as u64);
            return Err(Fault::limit(format!("the answer is longer than {most}; ask for less")));
        }
        bytes.extend(more);
    }
    Ok(([(header::CONTENT_TYPE, format.media_type())], bytes).into_response())
}
