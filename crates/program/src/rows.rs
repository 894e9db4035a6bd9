//! Questions whose answer is rows, and what becomes of the rows.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use onca_model::RowFormat;

use crate::Failure;
use crate::format::{grouped, shown};

/// A question in SQL, and how its answer is written.
#[derive(clap::Args, Debug)]
pub struct QuestionArgs {
    /// The query; "-" for standard input
    #[arg(value_name = "SQL", required_unless_present_any = ["file", "tables"])]
    sql: Option<String>,

    /// Read the query from a file
    #[arg(long, value_name = "FILE", conflicts_with = "sql")]
    file: Option<PathBuf>,

    /// List the tables and their columns
    #[arg(long, conflicts_with_all = ["sql", "file"])]
    pub tables: bool,

    /// How to write the rows; by default as the name of the output file says, or else as a table
    #[arg(long, value_name = "FORMAT", value_parser = row_format())]
    format: Option<RowFormat>,

    /// Where to write them, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub timeout: Option<Duration>,

    /// Write at most this many rows
    #[arg(long, value_name = "N")]
    pub max_rows: Option<u64>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

impl QuestionArgs {
    /// Is the question what comes from standard input?
    pub fn is_standard_input(&self) -> bool {
        self.sql.as_deref() == Some("-")
    }

    /// The text of the query; none if the tables are to be listed.
    pub fn sql(&self) -> Result<Option<String>, Failure> {
        let (what, text) = match &self.file {
            Some(path) => (shown(path), std::fs::read_to_string(path)),
            None if self.is_standard_input() => {
                ("standard input".to_owned(), io::read_to_string(io::stdin().lock()))
            }
            None => return Ok(self.sql.clone()),
        };
        text.map(Some).map_err(|error| Failure::Cannot(format!("{what}: {error}")))
    }

    /// How the rows are written.
    pub fn format(&self) -> RowFormat {
        let named = || self.output.as_deref().and_then(RowFormat::of);
        self.format.or_else(named).unwrap_or(RowFormat::Table)
    }
}

/// Reads what an option says of the format of rows.
pub fn row_format() -> impl TypedValueParser<Value = RowFormat> {
    let values =
        RowFormat::ALL.map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<RowFormat>())
}

/// A limit of rows cut some off.
pub fn more_rows_than(most: u64) -> Failure {
    let most = grouped(most);
    Failure::Limit(format!("there are more than {most} rows; the rest is left out"))
}
