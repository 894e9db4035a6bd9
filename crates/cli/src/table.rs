//! Tables for people and for programs: aligned text, or CSV.

use std::borrow::Cow;
use std::io::{self, Write};

use onca_model::{TimeUnit, printable};

use crate::format::{bar, exact_time, grouped, percent, rounded_time, shortened};

/// A table that fits into memory: an answer, not a trace.
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    name: String,
    numeric: bool,
}

/// One cell: what people read, and what programs read.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    text: String,
    exact: Option<String>,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), exact: None }
    }

    /// A name from a trace.
    pub fn name(name: &[u8]) -> Self {
        Self { text: printable(name).into_owned(), exact: None }
    }

    /// The same, but people see at most `width` characters.
    pub fn shortened(self, width: usize) -> Self {
        let text = shortened(&self.text, width);
        Self { exact: Some(self.exact.unwrap_or(self.text)), text }
    }

    /// A number: as people read it, and in full.
    pub fn number(shown: impl Into<String>, exact: impl ToString) -> Self {
        Self { text: shown.into(), exact: Some(exact.to_string()) }
    }

    /// A share of 1: a percentage with a bar, and in full.
    pub fn share(share: Option<f64>) -> Self {
        const WIDTH: usize = 10;
        share.map_or_else(Self::none, |share| {
            let text = format!("{:>7} {:<WIDTH$}", percent(share), bar(share, WIDTH));
            Self::number(text, share)
        })
    }

    /// A ratio with three decimals, and in full.
    pub fn ratio(ratio: Option<f64>) -> Self {
        ratio.map_or_else(Self::none, |ratio| Self::number(format!("{ratio:.3}"), ratio))
    }

    /// A count.
    pub fn count(count: u64) -> Self {
        Self::number(grouped(count), count)
    }

    /// A time in ticks: rounded for people, in units and exactly for programs.
    pub fn time(unit: &TimeUnit, ticks: Option<i128>) -> Self {
        ticks.map_or_else(Self::none, |ticks| {
            Self::number(rounded_time(unit, ticks as f64), exact_time(unit, ticks))
        })
    }

    /// A mean of ticks.
    pub fn mean(unit: &TimeUnit, ticks: Option<f64>) -> Self {
        ticks.map_or_else(Self::none, |ticks| {
            Self::number(rounded_time(unit, ticks), ticks / unit.ticks_per_unit as f64)
        })
    }

    /// Nothing.
    pub fn none() -> Self {
        Self { text: "-".to_owned(), exact: Some(String::new()) }
    }

    fn exact(&self) -> &str {
        self.exact.as_deref().unwrap_or(&self.text)
    }
}

impl Table {
    /// A table with these columns; a name that begins with `#` is that of a column of numbers.
    pub fn new(columns: &[&str]) -> Self {
        let column = |name: &&str| Column {
            name: name.trim_start_matches('#').to_owned(),
            numeric: name.starts_with('#'),
        };
        Self { columns: columns.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Appends a row, which has a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// Keeps the first rows, and says how many there were beyond.
    pub fn truncate(&mut self, n: usize) -> usize {
        let beyond = self.rows.len().saturating_sub(n);
        self.rows.truncate(n);
        beyond
    }

    /// Has it no rows?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How wide the text is, with what stands between the columns.
    pub fn width(&self) -> usize {
        self.widths().iter().map(|width| width + 2).sum::<usize>().saturating_sub(2)
    }

    /// How wide each column is.
    fn widths(&self) -> Vec<usize> {
        let width = |text: &str| text.chars().count();
        (0..self.columns.len())
            .map(|at| {
                let cells = self.rows.iter().map(|row| width(&row[at].text));
                cells.chain([width(&self.columns[at].name)]).max().unwrap_or(0)
            })
            .collect()
    }

    /// Writes aligned columns, numbers to the right.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let widths = self.widths();
        let line = |out: &mut dyn Write, texts: &[&str]| {
            let mut text = String::new();
            for ((cell, column), width) in texts.iter().zip(&self.columns).zip(&widths) {
                let cell: Cow<'_, str> = match column.numeric {
                    true => format!("{cell:>width$}").into(),
                    false => format!("{cell:<width$}").into(),
                };
                text.push_str(&cell);
                text.push_str("  ");
            }
            writeln!(out, "{}", text.trim_end())
        };
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        line(out, &names)?;
        for row in &self.rows {
            let texts: Vec<&str> = row.iter().map(|cell| cell.text.as_str()).collect();
            line(out, &texts)?;
        }
        Ok(())
    }

    /// Writes comma-separated values (RFC 4180), numbers in full.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        write_csv_line(out, names.into_iter())?;
        for row in &self.rows {
            write_csv_line(out, row.iter().map(Cell::exact))?;
        }
        Ok(())
    }
}

/// Writes one line of comma-separated values.
pub fn write_csv_line<'a>(
    out: &mut dyn Write,
    cells: impl Iterator<Item = &'a str>,
) -> io::Result<()> {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        match cell.contains([',', '"', '\n', '\r']) {
            true => write!(out, "\"{}\"", cell.replace('"', "\"\""))?,
            false => out.write_all(cell.as_bytes())?,
        }
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["name", "#time"]);
        table.push(vec![Cell::text("a, \"b\""), Cell::number("1,234", 1234)]);
        table.push(vec![Cell::name(b"x\x1b"), Cell::none()]);
        table
    }

    #[test]
    fn text_is_aligned() {
        let mut out = Vec::new();
        table().write_text(&mut out).expect("memory");
        assert_eq!(
            String::from_utf8(out).expect("text"),
            "name      time\na, \"b\"   1,234\nx\\u{1b}      -\n"
        );
    }

    #[test]
    fn csv_is_quoted_and_exact() {
        let mut out = Vec::new();
        table().write_csv(&mut out).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text, "name,time\r\n\"a, \"\"b\"\"\",1234\r\nx\\u{1b},\r\n");
    }
}
