//! What people have noted.

use onca_answer::marks::{Mark, Marks};
use onca_model::printable;
use onca_query::Scope;
use onca_scene::{Block, Cell, Heading, Section, Table};

use super::shortened;

/// The marks and notes that are kept beside the store, in the order of time; nothing without any.
pub fn notes(scope: &Scope<'_>) -> Option<Section> {
    let mut marks = Marks::beside(scope.store()).marks;
    if marks.is_empty() {
        return None;
    }
    marks.sort_by_key(|mark| (mark.time, mark.end));
    let unit = &scope.catalog().facts.unit.name;
    let headings = vec![
        Heading::number(&format!("from ({unit})")),
        Heading::number(&format!("to ({unit})")),
        Heading::text("row"),
        Heading::text("name"),
        Heading::text("note"),
    ];
    let rows = marks.iter().map(|mark| row(scope, mark)).collect();
    let table = shortened(Table { headings, rows, left_out: 0 });
    Some(Section { heading: "Notes".to_owned(), blocks: vec![Block::Table(table)] })
}

fn row(scope: &Scope<'_>, mark: &Mark) -> Vec<Cell> {
    let facts = &scope.catalog().facts;
    let time = |ticks: i64| Cell::text(facts.unit.format(facts.start.saturating_add(ticks)));
    let text = |text: &str| Cell::text(printable(text.as_bytes()).into_owned());
    vec![
        time(mark.time),
        mark.end.map_or_else(|| Cell::text("–"), time),
        mark.row.as_deref().map_or_else(|| Cell::text("–"), text),
        text(&mark.name),
        text(&mark.note),
    ]
}
