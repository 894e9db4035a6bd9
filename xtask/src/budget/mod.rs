//! What `onca` may cost: the crates it is built from, and the page that a browser loads at once.

mod page;
pub mod time;

use std::path::Path;

use crate::Checked;
use crate::cargo::{self, Crate};

/// The package whose dependencies are counted.
const PACKAGE: &str = "onca-cli";

/// Crates of the SQL engine, by name or by the beginning of their names. Together they take longer
/// to build than all others, so they belong to a program of their own.
const SQL_ENGINE: &[&str] = &["datafusion", "arrow", "parquet", "sqlparser", "object_store"];

/// A little above what there is: a new crate is free, a new tree of crates is a decision.
const CRATES: u64 = 230;

/// What must arrive before the page shows anything: a second on a line of 600 kbit/s.
const SCRIPT_BYTES: u64 = 71_000;

/// Styles arrive beside the script and block the page too.
const STYLE_BYTES: u64 = 10_000;

/// Measures, prints what it measured, and returns what is over its limit.
pub fn check(root: &Path) -> Result<Checked, String> {
    let first = page::first_load(&page::folder(root))?;
    let crates = cargo::tree(root, PACKAGE, "normal,build")?;
    let engine: Vec<&Crate> = crates.iter().filter(|one| is_of_sql_engine(&one.name)).collect();
    let rows = [
        Row::new("crates of onca", crates.len() as u64, CRATES),
        Row::new("  of the SQL engine", engine.len() as u64, 0),
        Row::new("first script, gzip bytes", first.scripts.bytes, SCRIPT_BYTES),
        Row::new("first style, gzip bytes", first.styles.bytes, STYLE_BYTES),
    ];
    print!("{}", table(&rows));
    let mut problems: Vec<String> = rows.iter().filter_map(Row::problem).collect();
    if let [one, ..] = engine[..] {
        problems.push(format!(
            "why {} is there: cargo tree --package {PACKAGE} --edges normal,build --invert {}",
            one.name, one.name
        ));
    }
    if first.scripts.bytes > SCRIPT_BYTES {
        problems.push(format!("the first script is {}", first.scripts.files.join(", ")));
    }
    Ok(Checked { what: format!("{} limits", rows.len()), problems })
}

/// Checks, then builds from nothing and prints what took how long.
pub fn check_and_time(root: &Path) -> Result<Checked, String> {
    let checked = check(root)?;
    time::measure(root)?;
    Ok(checked)
}

fn is_of_sql_engine(name: &str) -> bool {
    SQL_ENGINE.iter().any(|engine| {
        name.strip_prefix(engine)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
    })
}

/// One measure and its limit.
struct Row {
    what: &'static str,
    is: u64,
    limit: u64,
}

impl Row {
    fn new(what: &'static str, is: u64, limit: u64) -> Self {
        Self { what, is, limit }
    }

    fn problem(&self) -> Option<String> {
        let Self { what, is, limit } = self;
        (is > limit).then(|| format!("{}: {is}, the limit is {limit}", what.trim_start()))
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = format!("{:26}{:>10}{:>10}\n", "", "is", "limit");
    for Row { what, is, limit } in rows {
        text += &format!("{what:26}{is:>10}{limit:>10}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_known_by_its_names() {
        for name in ["datafusion", "datafusion-common", "arrow", "arrow-array", "sqlparser_derive"]
        {
            assert!(is_of_sql_engine(name), "{name}");
        }
        for name in ["arrayref", "arrows", "onca-store", "parquetry", "sql"] {
            assert!(!is_of_sql_engine(name), "{name}");
        }
    }

    #[test]
    fn a_limit_may_be_reached_and_not_passed() {
        assert_eq!(Row::new("crates", 240, 240).problem(), None);
        let over = Row::new("  crates", 241, 240).problem();
        assert_eq!(over.as_deref(), Some("crates: 241, the limit is 240"));
    }

    #[test]
    fn the_table_has_a_line_for_each_measure() {
        let rows = [Row::new("crates of onca", 212, 240), Row::new("script", 65_432, 70_000)];
        let expected = [
            "                                  is     limit",
            "crates of onca                   212       240",
            "script                         65432     70000",
            "",
        ];
        assert_eq!(table(&rows), expected.join("\n"));
    }
}
