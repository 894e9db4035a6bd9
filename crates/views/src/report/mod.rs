//! A report on a trace.
//!
//! Each function asks one question and writes its answer as a [`Section`](onca_scene::Section);
//! [`report()`] puts them together with the pictures.

mod disruptions;
mod efficiency;
mod findings;
mod notes;
mod problems;
mod statistics;
mod trace;
mod whole;

pub use disruptions::disruptions;
pub use efficiency::efficiency;
pub use findings::{findings, findings_report};
pub use notes::notes;
pub use problems::problems;
pub use statistics::statistics;
pub use trace::trace;
pub use whole::report;

use onca_scene::{Cell, Table};

/// No table has more rows.
const MOST_ROWS: usize = 40;

/// Keeps the first rows of a table and counts the others.
fn shortened(mut table: Table) -> Table {
    table.left_out += table.rows.len().saturating_sub(MOST_ROWS) as u64;
    table.rows.truncate(MOST_ROWS);
    table
}

/// A share, or a dash where there is none.
fn share(share: Option<f64>) -> Cell {
    share.map_or_else(|| Cell::text("–"), Cell::Share)
}
