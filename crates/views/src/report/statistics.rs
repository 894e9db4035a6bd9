//! How long and how often.

use onca_answer::{Cut, Level, Measure, ValueStatistics, statistics as ask};
use onca_model::{Nature, TimeUnit, format::grouped, printable};
use onca_query::{Appearance, Scope};
use onca_scene::{Block, Cell, Heading, Section, Table};

use super::{MOST_ROWS, share};
use crate::{Result, Theme, color, quantity::Quantity, time_scale::duration};

/// What the values seen take: states, messages and events, each in a table.
pub fn statistics(scope: &Scope<'_>, appearance: &Appearance) -> Result<Section> {
    let found = ask(scope, Cut::new(scope, &Level::Whole)?, Measure::Exclusive, 0)?;
    let mut blocks = Vec::new();
    for (nature, words) in [
        (Nature::State, "Time counts for the innermost state; lengths are of whole states."),
        (Nature::Link, "Messages from one container to another."),
        (Nature::Event, "Events."),
    ] {
        let rows: Vec<&ValueStatistics> =
            found.rows.iter().filter(|row| row.nature == nature).collect();
        if !rows.is_empty() {
            blocks.push(Block::Paragraph(words.to_owned()));
            blocks.push(Block::Table(table(scope, appearance, nature, &rows)));
        }
    }
    if blocks.is_empty() {
        blocks.push(Block::Paragraph("There is nothing to count.".to_owned()));
    }
    Ok(Section { heading: "Statistics".to_owned(), blocks })
}

fn table(
    scope: &Scope<'_>,
    appearance: &Appearance,
    nature: Nature,
    rows: &[&ValueStatistics],
) -> Table {
    let unit = &scope.catalog().facts.unit;
    let mut headings =
        vec![Heading::text("value"), Heading::text("type"), Heading::number("number")];
    match nature {
        Nature::State => headings.extend(["time", "share"].map(Heading::number)),
        Nature::Link => headings.extend(["time", "size"].map(Heading::number)),
        _ => {}
    }
    if nature != Nature::Event {
        headings.extend(["mean", "median", "p99", "longest"].map(Heading::number));
    }
    let row = |row: &&ValueStatistics| {
        let color = color::of_state(scope, appearance, row.value);
        let paint = color::over(color, Theme::Light.colors().background);
        let mut cells = vec![
            Cell::Named(paint, printable(&row.value.name(scope)).into_owned()),
            Cell::text(printable(row.value.type_name(scope))),
            Cell::text(grouped(row.count)),
        ];
        let ticks = row.ticks.map_or_else(dash, |ticks| time(ticks as f64, unit));
        match nature {
            Nature::State => cells.extend([ticks, share(row.share)]),
            Nature::Link => cells.extend([ticks, size(row.size)]),
            _ => {}
        }
        if nature != Nature::Event {
            cells.extend(lengths(row, unit));
        }
        cells
    };
    let left_out = rows.len().saturating_sub(MOST_ROWS) as u64;
    Table { headings, rows: rows.iter().take(MOST_ROWS).map(row).collect(), left_out }
}

fn lengths(row: &ValueStatistics, unit: &TimeUnit) -> [Cell; 4] {
    match &row.durations {
        None => std::array::from_fn(|_| dash()),
        Some(of) => {
            [of.mean, of.median as f64, of.p99 as f64, of.max as f64].map(|ticks| time(ticks, unit))
        }
    }
}

fn time(ticks: f64, unit: &TimeUnit) -> Cell {
    Cell::text(duration(ticks, unit))
}

fn size(bytes: Option<u64>) -> Cell {
    bytes.map_or_else(dash, |bytes| Cell::text(Quantity::Bytes.text(bytes as f64)))
}

fn dash() -> Cell {
    Cell::text("–")
}
