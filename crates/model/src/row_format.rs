//! How rows are written, as all programs call it.

use std::path::Path;
use std::str::FromStr;

/// A form in which rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowFormat {
    /// Aligned columns.
    Table,
    /// Values separated by commas, as in RFC 4180.
    Csv,
    /// The same, with an apostrophe before texts that a spreadsheet would take for a formula.
    SafeCsv,
    /// One JSON object.
    Json,
    /// A JSON object on each line.
    Ndjson,
    /// A Parquet file.
    Parquet,
}

impl RowFormat {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Table, Self::Csv, Self::SafeCsv, Self::Json, Self::Ndjson, Self::Parquet];

    /// What options and messages call it.
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

    /// What it is, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Table => "Aligned columns, for people",
            Self::Csv => "Comma-separated values",
            Self::SafeCsv => {
                "The same, with an apostrophe before texts that a spreadsheet would take for a formula"
            }
            Self::Json => "A list of objects",
            Self::Ndjson => "An object on each line",
            Self::Parquet => "Apache Parquet",
        }
    }

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
}

impl FromStr for RowFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|format| format.name() == name);
        named.ok_or_else(|| format!("{name:?} is no format of rows"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_names_of_files_tell_the_format() {
        for format in RowFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("xml".parse::<RowFormat>().is_err());
        assert_eq!(RowFormat::of(Path::new("a.jsonl")), Some(RowFormat::Ndjson));
        assert_eq!(RowFormat::of(Path::new("a.txt")), None);
    }
}
