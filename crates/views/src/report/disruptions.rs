//! What breaks the pattern.

use onca_aggregate::overview::{Shift, Watch};
use onca_answer::overview::{Choice, FoundDisruption, Matrix, Overview, OverviewOptions};
use onca_model::{
    format::{count_of, percent, rounded},
    printable,
};
use onca_scene::{Block, Cell, Heading, Section, Table};

use super::shortened;
use crate::Result;
use crate::time_scale::duration;

/// At most this many are told.
const MOST: usize = 20;
/// Containers of a disruption that are named; the others are counted.
const NAMED: usize = 3;

/// The containers that break the pattern of their peers or of their own past, and when, told by
/// the areas of the partition with this trade-off.
pub fn disruptions(matrix: &Matrix, choice: Choice) -> Result<Section> {
    let watch = Watch::default();
    let found = Overview::with(matrix, &OverviewOptions::default(), watch, |overview| {
        overview.disruptions(MOST, choice, watch)
    })?;
    let words = match found.n_found {
        0 => format!(
            "Nothing stands out: the highest score is {:.1}, and from {} on it is more than noise.",
            found.highest, found.threshold
        ),
        n => format!(
            "{} with a score of at least {}, the clearest first.",
            count_of(n as u64, "disruption"),
            found.threshold
        ),
    };
    let mut blocks = vec![Block::Paragraph(words)];
    if found.n_found > 0 {
        let headings = vec![
            Heading::number("score"),
            Heading::number("from"),
            Heading::number("to"),
            Heading::text("where"),
            Heading::text("more of"),
            Heading::text("less of"),
        ];
        let rows = found.disruptions.iter().map(|found| row(matrix, found)).collect();
        let left_out = (found.n_found - found.disruptions.len()) as u64;
        blocks.push(Block::Table(shortened(Table { headings, rows, left_out })));
    }
    Ok(Section { heading: "Disruptions".to_owned(), blocks })
}

fn row(matrix: &Matrix, found: &FoundDisruption) -> Vec<Cell> {
    let of = &found.disruption;
    let mut names: Vec<String> =
        found.nodes.iter().take(NAMED).map(|&node| matrix.path(node)).collect();
    if found.nodes.len() > NAMED {
        names.push(format!("and {} more", found.nodes.len() - NAMED));
    }
    vec![
        Cell::text(format!("{:.1}", of.score)),
        begin(matrix, of.first),
        begin(matrix, of.last + 1),
        Cell::text(names.join(", ")),
        shift(matrix, of.rises),
        shift(matrix, of.falls),
    ]
}

/// When a slice begins; its number where times are not known.
fn begin(matrix: &Matrix, slice: usize) -> Cell {
    match &matrix.times {
        Some(times) => Cell::text(duration(times.bounds.bound(slice) as f64, &times.unit)),
        None => Cell::text(slice.to_string()),
    }
}

fn shift(matrix: &Matrix, shift: Option<Shift>) -> Cell {
    let Some(Shift { value, by }) = shift else { return Cell::text("–") };
    let name = matrix.values.get(value).map(|name| printable(name)).unwrap_or_default();
    // States are shares of time; other amounts have no whole.
    let amount = if matrix.metric == "states" { percent(by.abs()) } else { rounded(by.abs()) };
    Cell::text(format!("{name} ({amount})"))
}
