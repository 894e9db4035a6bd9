//! Tables for people and for programs: aligned text, or CSV.

use std::borrow::Cow;
use std::io::{self, Write};

use onca_model::{TimeUnit, csv_field, printable};

use crate::format::{
    bar, count_of, exact_time, grouped, percent, rounded_time, shortened, shortened_path,
};

/// How wide text may be where nothing tells.
const COLUMNS: usize = 80;
/// People see no more of a cell: names of traces may be of any length.
const MOST_CELL: usize = 200;
/// People see no more rows; CSV has all.
const MOST_ROWS: usize = 100_000;
/// Paths are not shortened below this.
const LEAST_PATH: usize = 12;

/// How a command prints its answer: for people by default.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct FormArgs {
    /// Print a table as comma-separated values, all rows and numbers in full
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// CSV: put an apostrophe before texts that a spreadsheet would take for a formula
    #[arg(long, requires = "csv")]
    pub safe_for_spreadsheets: bool,
}

/// A table that fits into memory: an answer, not a trace.
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// How many rows it takes.
    most: usize,
    /// How many rows it did not take.
    beyond: usize,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    name: String,
    numeric: bool,
    /// Does it hold paths, which are shortened where there is no room?
    path: bool,
    /// Is it for programs only?
    hidden: bool,
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
    /// A table with these columns. A name that begins with `#` is that of a column of numbers, with `/` of a column of paths;
    /// with a `-` before that, only programs see it.
    pub fn new(columns: &[&str]) -> Self {
        let column = |name: &&str| {
            let (hidden, name) = stripped(name, '-');
            let (numeric, name) = stripped(name, '#');
            // What stands behind the mark of numbers may come from a trace.
            let (path, name) = if numeric { (false, name) } else { stripped(name, '/') };
            Column { name: name.to_owned(), numeric, path, hidden }
        };
        let columns = columns.iter().map(column).collect();
        Self { columns, rows: Vec::new(), most: usize::MAX, beyond: 0 }
    }

    /// As many rows as people may want to see; [`write_beyond`](Self::write_beyond) tells how
    /// many more there are.
    pub fn for_people(columns: &[&str]) -> Self {
        Self::new(columns).at_most(MOST_ROWS)
    }

    /// Takes only the first rows and counts the others.
    pub fn at_most(self, n: usize) -> Self {
        Self { most: n, ..self }
    }

    /// Appends a row, which has a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// Appends a row that is made only if there is room for it.
    pub fn push_with(&mut self, row: impl FnOnce() -> Vec<Cell>) {
        match self.rows.len() < self.most {
            true => self.push(row()),
            false => self.beyond += 1,
        }
    }

    /// How many rows there was no room for.
    pub fn beyond(&self) -> usize {
        self.beyond
    }

    /// Has it no rows?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How wide the text is, with what stands between the columns.
    pub fn width(&self) -> usize {
        total(&self.widths())
    }

    /// How wide each column is that people see.
    fn widths(&self) -> Vec<usize> {
        let width = |text: &str| text.chars().count();
        let column = |at: usize| {
            let cells = self.rows.iter().map(|row| width(&row[at].text));
            cells.chain([width(&self.columns[at].name)]).max().unwrap_or(0).min(MOST_CELL)
        };
        self.shown().map(column).collect()
    }

    /// The places of the columns that people see.
    fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(|&at| !self.columns[at].hidden)
    }

    /// Narrows the columns of paths, the widest first, until the table fits or they are as narrow as they may be.
    fn fitted(&self, room: usize) -> Vec<usize> {
        let mut widths = self.widths();
        let paths: Vec<usize> = self
            .shown()
            .enumerate()
            .filter(|&(_, at)| self.columns[at].path)
            .map(|it| it.0)
            .collect();
        for _ in room..total(&widths) {
            let widest = paths.iter().copied().max_by_key(|&at| widths[at]);
            match widest.filter(|&at| widths[at] > LEAST_PATH) {
                Some(widest) => widths[widest] -= 1,
                None => break,
            }
        }
        widths
    }

    /// Writes aligned columns, numbers to the right, no wider than the terminal if paths allow it.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_text_within(out, room())
    }

    fn write_text_within(&self, out: &mut dyn Write, room: usize) -> io::Result<()> {
        let widths = self.fitted(room);
        let line = |out: &mut dyn Write, texts: &[&str]| {
            let mut text = String::new();
            for (at, &width) in self.shown().zip(&widths) {
                let (cell, column) = (texts[at], &self.columns[at]);
                let cell: Cow<'_, str> = match (column.numeric, column.path) {
                    (true, _) => format!("{:>width$}", shortened(cell, width)).into(),
                    (_, true) => format!("{:<width$}", shortened_path(cell, width)).into(),
                    _ => format!("{:<width$}", shortened(cell, width)).into(),
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

    /// Says what is not in a table for people.
    pub fn write_beyond(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.beyond {
            0 => Ok(()),
            beyond => {
                writeln!(out, "and {}; --csv has all", count_of(beyond as u64, "more row"))
            }
        }
    }

    /// Writes comma-separated values (RFC 4180), numbers in full.
    pub fn write_csv(&self, out: &mut dyn Write, form: FormArgs) -> io::Result<()> {
        write_csv_line(out, form, self.columns.iter().map(|column| (column.name.as_str(), false)))?;
        let is_number = || self.columns.iter().map(|column| column.numeric);
        for row in &self.rows {
            write_csv_line(out, form, row.iter().map(Cell::exact).zip(is_number()))?;
        }
        Ok(())
    }
}

/// Does a name begin with this mark? And what is it without?
fn stripped(name: &str, mark: char) -> (bool, &str) {
    name.strip_prefix(mark).map_or((false, name), |name| (true, name))
}

/// The width of a line with columns of these widths.
fn total(widths: &[usize]) -> usize {
    widths.iter().map(|width| width + 2).sum::<usize>().saturating_sub(2)
}

/// How wide text may be: as wide as the terminal.
fn room() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    // A terminal that does not know how wide it is says 0.
    size.map(|size| usize::from(size.ws_col)).ok().filter(|&columns| columns > 0).unwrap_or(COLUMNS)
}

/// Writes one line of comma-separated values: texts, and whether they are numbers.
pub fn write_csv_line<'a>(
    out: &mut dyn Write,
    form: FormArgs,
    cells: impl Iterator<Item = (&'a str, bool)>,
) -> io::Result<()> {
    for (index, (cell, is_number)) in cells.enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        out.write_all(&csv_field(cell.as_bytes(), form.safe_for_spreadsheets && !is_number))?;
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
    fn paths_give_way_and_hidden_columns_are_for_programs() {
        let mut table = Table::new(&["/container", "-#first", "mostly"]);
        table.push(vec![
            Cell::text("/site-1/cluster-2/machine-13"),
            Cell::number("7", 7),
            Cell::text("computing"),
        ]);
        let text = |room: usize| {
            let mut out = Vec::new();
            table.write_text_within(&mut out, room).expect("memory");
            String::from_utf8(out).expect("text")
        };
        assert_eq!(text(80).lines().nth(1), Some("/site-1/cluster-2/machine-13  computing"));
        assert_eq!(text(35).lines().nth(1), Some("/site-1/…/machine-13      computing"));
        assert_eq!(text(5).lines().nth(1), Some("…/machine-13  computing"));
        let mut csv = Vec::new();
        table.write_csv(&mut csv, FormArgs::default()).expect("memory");
        let csv = String::from_utf8(csv).expect("text");
        assert_eq!(csv, "container,first,mostly\r\n/site-1/cluster-2/machine-13,7,computing\r\n");
    }

    #[test]
    fn cells_of_any_length_are_cut_for_people_and_whole_for_programs() {
        let long = "é".repeat(70_000);
        let mut table = Table::new(&["name", "/path", "#number"]);
        let row = || Cell::text(long.clone());
        table.push(vec![row(), row(), row()]);
        let mut out = Vec::new();
        table.write_text_within(&mut out, 80).expect("memory");
        let text = String::from_utf8(out).expect("text");
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|&width| width <= 3 * (MOST_CELL + 2)), "{widths:?}");
        assert!(text.contains("ééé…"), "{text}");
        let mut out = Vec::new();
        table.write_csv(&mut out, FormArgs::default()).expect("memory");
        let csv = String::from_utf8(out).expect("text");
        assert_eq!(csv.lines().nth(1), Some([long.as_str(); 3].join(",").as_str()));
    }

    #[test]
    fn rows_without_room_are_not_made_but_counted() {
        let mut table = Table::new(&["#n"]).at_most(2);
        for n in 0..5 {
            table.push_with(|| match n {
                0 | 1 => vec![Cell::count(n)],
                _ => panic!("no room for it"),
            });
        }
        let mut out = Vec::new();
        table.write_text(&mut out).expect("memory");
        table.write_beyond(&mut out).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text, "n\n0\n1\nand 3 more rows; --csv has all\n");
        assert_eq!(table.beyond(), 3);
    }

    #[test]
    fn csv_is_quoted_and_exact() {
        let mut out = Vec::new();
        table().write_csv(&mut out, FormArgs::default()).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text, "name,time\r\n\"a, \"\"b\"\"\",1234\r\nx\\u{1b},\r\n");
    }

    #[test]
    fn formulas_are_made_harmless_and_numbers_stay_numbers() {
        let mut table = Table::new(&["name", "#time"]);
        table.push(vec![Cell::text("=HYPERLINK(1)"), Cell::number("-1", -1)]);
        let mut out = Vec::new();
        let form = FormArgs { csv: true, safe_for_spreadsheets: true, ..FormArgs::default() };
        table.write_csv(&mut out, form).expect("memory");
        assert_eq!(String::from_utf8(out).expect("text"), "name,time\r\n'=HYPERLINK(1),-1\r\n");
    }
}
