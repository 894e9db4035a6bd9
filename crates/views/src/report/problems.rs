//! What was wrong with the source.

use onca_model::{
    Code, Position, Severity, Tally,
    format::{count_of, grouped},
    printable,
};
use onca_query::Scope;
use onca_scene::{Block, Cell, Heading, Section, Table};

/// What was wrong with the trace, by kind, with the first case of each.
pub fn problems(scope: &Scope<'_>) -> Section {
    let catalog = scope.catalog();
    let mut blocks = Vec::new();
    if catalog.facts.lost > 0 {
        let lost = count_of(catalog.facts.lost, "record");
        blocks.push(Block::Note(format!("{lost} had no effect: what they tell is missing here.")));
    }
    if catalog.diagnostics.is_empty() {
        blocks.push(Block::Paragraph("Nothing was wrong with the trace.".to_owned()));
    } else {
        let mut tallies: Vec<(Code, &Tally)> = catalog.diagnostics.iter().collect();
        tallies.sort_by_key(|(_, tally)| std::cmp::Reverse(rank(tally.severity)));
        let rows = tallies.into_iter().map(|(code, tally)| row(code, tally)).collect();
        let headings = vec![
            Heading::text("severity"),
            Heading::text("problem"),
            Heading::number("number"),
            Heading::text("first case"),
        ];
        blocks.push(Block::Table(Table { headings, rows, left_out: 0 }));
    }
    Section { heading: "Diagnostics".to_owned(), blocks }
}

fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Note => 0,
        Severity::Warning => 1,
        Severity::Error => 2,
        Severity::Fatal => 3,
    }
}

fn row(code: Code, tally: &Tally) -> Vec<Cell> {
    let first = tally.samples.first();
    let words = first.map(|sample| {
        let message = printable(sample.message.as_bytes()).into_owned();
        let place = place(&sample.position);
        if place.is_empty() { message } else { format!("{place}: {message}") }
    });
    vec![
        Cell::text(tally.severity.name()),
        Cell::text(code.name()),
        Cell::text(grouped(tally.count)),
        Cell::text(words.unwrap_or_default()),
    ]
}

fn place(position: &Position) -> String {
    let line = match position.line {
        0 => return String::new(),
        line => format!("line {}", grouped(line)),
    };
    if position.part == 0 { line } else { format!("part {}, {line}", position.part + 1) }
}
