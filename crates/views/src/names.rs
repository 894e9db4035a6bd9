//! Names as short as they can be without being mistaken for each other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use onca_model::{ValueId, printable};
use onca_query::{NodeId, Scope};

/// Names get at most this many parents before they are told apart by nothing.
const MOST_PARENTS: usize = 3;

/// The names of nodes, each with as many of its parents as are needed to tell all apart.
pub(crate) fn of_nodes(scope: &Scope<'_>, nodes: &[NodeId]) -> Vec<String> {
    let mut names = Vec::new();
    for n_parents in 0..=MOST_PARENTS {
        names = nodes.iter().map(|&node| with_parents(scope, node, n_parents)).collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        if distinct.len() == names.len() {
            break;
        }
    }
    names
}

fn with_parents(scope: &Scope<'_>, node: NodeId, n_parents: usize) -> String {
    if node == NodeId::ROOT {
        return "everything".to_owned();
    }
    let mut name = printable(scope.name(node)).into_owned();
    let mut at = scope.hierarchy().parent(node);
    for _ in 0..n_parents {
        if at == NodeId::ROOT {
            break;
        }
        name = format!("{}/{name}", printable(scope.name(at)));
        at = scope.hierarchy().parent(at);
    }
    name
}

/// The name of neighbours that share a place: the first and the last.
pub(crate) fn of_run(names: &[String], run: &Range<usize>) -> String {
    match &names[run.clone()] {
        [] => String::new(),
        [name] => name.clone(),
        [first, .., last] => format!("{first} – {last}"),
    }
}

/// The names of values, each with its type where another of them has the same name.
pub(crate) fn of_values(scope: &Scope<'_>, values: &[ValueId]) -> Vec<String> {
    let catalog = scope.catalog();
    let mut n_called: BTreeMap<&[u8], usize> = BTreeMap::new();
    for &id in values {
        *n_called.entry(&catalog.value(id).name).or_default() += 1;
    }
    let name = |id: &ValueId| {
        let value = catalog.value(*id);
        let name = printable(&value.name);
        match n_called.get(value.name.as_slice()) {
            Some(2..) => format!("{name} ({})", printable(&catalog.type_def(value.type_id).name)),
            _ => name.into_owned(),
        }
    };
    values.iter().map(name).collect()
}
