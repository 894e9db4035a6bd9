//! How rows of an answer are written, as `onca` and `onca-sql` both call it.

use std::path::Path;

/// A format of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum RowFormat {
    /// Aligned columns, for people
    Table,
    /// Comma-separated values
    Csv,
    /// The same, with an apostrophe before texts that a spreadsheet would take for a formula
    SafeCsv,
    /// A list of objects
    Json,
    /// An object on each line
    Ndjson,
    /// Apache Parquet
    Parquet,
}

impl RowFormat {
    /// The format that the name of a file tells.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// What the option calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Csv => "csv",
            Self::SafeCsv => "safe-csv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn names_are_those_of_the_option() {
        for &format in RowFormat::value_variants() {
            assert_eq!(RowFormat::from_str(format.name(), false), Ok(format));
        }
        assert_eq!(RowFormat::of(Path::new("a.jsonl")), Some(RowFormat::Ndjson));
        assert_eq!(RowFormat::of(Path::new("a.txt")), None);
    }
}
