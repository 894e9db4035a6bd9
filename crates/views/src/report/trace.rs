//! What is in a trace.

use onca_answer::{Counts, entities};
use onca_model::{
    Catalog, TypeId,
    format::{count_of, grouped},
    printable,
};
use onca_query::Scope;
use onca_scene::{Block, Cell, Heading, Section, Table};

use super::shortened;
use crate::time_scale::duration;

/// What is in the trace: its time, its entities and its types. All of it, whatever the lens sees.
pub fn trace(scope: &Scope<'_>) -> Section {
    let blocks = vec![
        Block::Facts(facts(scope.catalog(), entities::counts(scope))),
        Block::Table(shortened(types(scope))),
    ];
    Section { heading: "Trace".to_owned(), blocks }
}

fn facts(catalog: &Catalog, counts: Counts) -> Vec<(String, String)> {
    let facts = &catalog.facts;
    let unit = &facts.unit;
    let length = facts.end.saturating_sub(facts.start) as f64;
    let assumed = if unit.assumed { " (the unit is assumed)" } else { "" };
    let mut list = Vec::new();
    let mut add = |name: &str, fact: String| list.push((name.to_owned(), fact));
    if let Some(producer) = &facts.producer {
        add("written by", printable(producer.as_bytes()).into_owned());
    }
    add("duration", format!("{}{assumed}", duration(length, unit)));
    let (from, to) = (unit.format(facts.start), unit.format(facts.end));
    add("time", format!("{from} to {to} {}", unit.name));
    let lost = match facts.lost {
        0 => String::new(),
        lost => format!(", of which {} were lost", grouped(lost)),
    };
    add("records", format!("{}{lost}", grouped(facts.records)));
    let entities = [
        // The root is nothing that the trace tells of.
        count_of(counts.containers.saturating_sub(1), "container"),
        count_of(counts.states, "state"),
        count_of(counts.links, "link"),
        count_of(counts.events, "event"),
        count_of(counts.variables, "step"),
    ];
    add("entities", format!("{} of variables", entities.join(", ")));
    if facts.truncated {
        add("end", "the file ends in the middle of a record".to_owned());
    }
    list
}

/// The types, each below the type that it belongs to.
fn types(scope: &Scope<'_>) -> Table {
    let catalog = scope.catalog();
    let headings = vec![
        Heading::text("type"),
        Heading::text("of"),
        Heading::text("in"),
        Heading::number("number"),
    ];
    let ids = (1..catalog.types.len() as u32).map(TypeId);
    let row = |id: TypeId| {
        let def = catalog.type_def(id);
        let parent = catalog.type_def(def.parent);
        vec![
            Cell::text(printable(&def.name)),
            Cell::text(format!("{}s", def.nature.name())),
            Cell::text(if def.parent == TypeId::ROOT {
                "–".into()
            } else {
                printable(&parent.name)
            }),
            Cell::text(grouped(entities::n_of_type(scope, id))),
        ]
    };
    Table { headings, rows: ids.map(row).collect(), left_out: 0 }
}
