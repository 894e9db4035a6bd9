//! Why a query has no answer, in words for the one who asked.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::error::ArrowError;
use datafusion::common::Diagnostic;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::sqlparser::parser::ParserError;
use onca_store::StoreError;
use onca_tables::TABLES;
use parquet::errors::ParquetError;

use crate::dataset::{DataSets, DatasetError};
use crate::session::{CATALOG, SCHEMA};

/// The longest message, in characters.
const MOST_MESSAGE: usize = 1_000;

/// Why a query has no answer.
#[derive(Debug)]
pub enum SqlError {
    /// The query is wrong, or asks for what is not allowed.
    Invalid(String),
    /// A limit stopped it.
    Limit(String),
    /// The store cannot be read.
    Store(StoreError),
    /// A data set cannot be read.
    Dataset(DatasetError),
}

/// The result of a question to a [`Database`](crate::Database).
pub type Result<T> = std::result::Result<T, SqlError>;

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(message) | Self::Limit(message) => f.write_str(message),
            Self::Store(error) => error.fmt(f),
            Self::Dataset(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SqlError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Dataset(error) => Some(error),
            Self::Invalid(_) | Self::Limit(_) => None,
        }
    }
}

impl From<DatasetError> for SqlError {
    fn from(error: DatasetError) -> Self {
        Self::Dataset(error)
    }
}

impl From<DataFusionError> for SqlError {
    fn from(error: DataFusionError) -> Self {
        match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => {
                return Self::Limit("the query needs more memory than it may take".to_owned());
            }
            DataFusionError::External(_) => {
                return into_external(error);
            }
            _ => {}
        }
        let message = match error.diagnostic() {
            Some(diagnostic) => located(diagnostic, &error),
            None => plain(&error),
        };
        Self::Invalid(one_line(&message))
    }
}

/// The error of the store, or of a data set, in an error of the engine, or what else it says.
fn into_external(error: DataFusionError) -> SqlError {
    let text = one_line(&error.to_string());
    let mut error = error;
    loop {
        error = match error {
            DataFusionError::External(inner) => {
                return match inner.downcast::<StoreError>() {
                    Ok(error) => SqlError::Store(*error),
                    Err(inner) => inner
                        .downcast::<DatasetError>()
                        .map_or(SqlError::Invalid(text), |error| SqlError::Dataset(*error)),
                };
            }
            DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => *inner,
            _ => return SqlError::Invalid(text),
        };
    }
}

/// What a fault of the engine is about, where it reads data sets.
#[derive(Clone, Debug)]
pub(crate) struct Faults(pub Option<Arc<DataSets>>);

impl Faults {
    /// The engine says what is wrong with the bytes of a file, but not which file it is. So all are
    /// compared with their checksums.
    pub fn of(&self, error: DataFusionError) -> SqlError {
        let Some(sets) = &self.0 else { return error.into() };
        if let Some(known) = causes(&error).find_map(|cause| cause.downcast_ref::<DatasetError>()) {
            return SqlError::Dataset(known.again());
        }
        let is_of_file = causes(&error).any(|cause| {
            let arrow = cause.downcast_ref::<ArrowError>();
            cause.is::<ParquetError>() || matches!(arrow, Some(ArrowError::ParquetError(_)))
        });
        // From elsewhere come words alone.
        let is_of_file =
            is_of_file || (sets.address().is_some() && error.to_string().contains("ParquetError"));
        let damaged = if is_of_file { sets.damaged() } else { None };
        damaged.map_or_else(|| error.into(), SqlError::Dataset)
    }
}

/// An error, what caused it, and so on.
fn causes(error: &DataFusionError) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    let first: &(dyn std::error::Error + 'static) = error;
    std::iter::successors(Some(first), |error| error.source())
}

/// The place of the problem, what it is, and what would be right.
fn located(diagnostic: &Diagnostic, error: &DataFusionError) -> String {
    let place = match &diagnostic.span {
        Some(span) => format!("line {}, column {}: ", span.start.line, span.start.column),
        None => String::new(),
    };
    // The root error often says more, such as the columns that there are.
    let message = plain(error.find_root());
    let notes = diagnostic.notes.iter().map(|note| note.message.as_str());
    let helps = diagnostic.helps.iter().map(|help| help.message.as_str());
    let more: Vec<&str> = notes.chain(helps).filter(|more| !message.contains(more)).collect();
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join("; ")) };
    format!("{place}{message}{more}")
}

fn plain(error: &DataFusionError) -> String {
    match error.find_root() {
        DataFusionError::SQL(error, _) => parser_message(error),
        DataFusionError::ArrowError(error, _) => error.to_string(),
        DataFusionError::SchemaError(error, _) => error.to_string(),
        DataFusionError::Internal(message) => {
            format!("the query engine cannot do this: {message}")
        }
        DataFusionError::Plan(message) => with_tables(message),
        DataFusionError::NotImplemented(message)
        | DataFusionError::Configuration(message)
        | DataFusionError::Execution(message) => message.clone(),
        other => other.to_string(),
    }
}

/// Who asks for a table that is not there gets to know those that are.
fn with_tables(message: &str) -> String {
    let own = format!("table '{CATALOG}.{SCHEMA}.");
    let name = message.strip_prefix(&own).and_then(|rest| rest.strip_suffix("' not found"));
    // Stores have them, so this is a data set.
    if let Some(name @ ("findings" | "waits")) = name {
        return format!("{name} are not in a data set; they need the store: onca query TRACE");
    }
    match message.ends_with("not found") && message.starts_with("table '") {
        true => {
            let message = message.replacen(&format!("{CATALOG}.{SCHEMA}."), "", 1);
            format!("{message}; the tables are {}", TABLES.join(", "))
        }
        false => message.to_owned(),
    }
}

/// The parser puts the place at the end of its message; here it comes first, as everywhere.
pub(crate) fn parser_message(error: &ParserError) -> String {
    let message = match error {
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => message,
        ParserError::RecursionLimitExceeded => "the query is nested too deeply",
    };
    match message.rsplit_once(" at Line: ") {
        Some((message, place)) => {
            let place = place.replace(", Column: ", ", column ");
            format!("line {place}: {message}")
        }
        None => message.to_owned(),
    }
}

/// A text without its line breaks, and not too long: the engine likes to repeat the query.
pub(crate) fn one_line(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut line = lines.join(" ");
    if let Some((cut, _)) = line.char_indices().nth(MOST_MESSAGE) {
        line.truncate(cut);
        line.push('…');
    }
    line
}
