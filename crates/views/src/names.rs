//! Names as short as they can be without being mistaken for each other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use onca_model::{ValueId, printable};
use onca_query::{NodeId, Scope, StateValue};

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

/// Ways to write each of many names, the longest first: whole, without an ending that others of its
/// kind share, and only what tells it from these. Names of a kind differ in numbers only.
pub(crate) fn shortened(names: &[&str]) -> Vec<Vec<String>> {
    let mut kinds: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        kinds.entry(runs(name).iter().map(|run| run.kind()).collect()).or_default().push(at);
    }
    let mut ways: Vec<Vec<String>> = names.iter().map(|name| vec![(*name).to_owned()]).collect();
    for members in kinds.values().filter(|members| members.len() > 1) {
        let all: Vec<Vec<Run<'_>>> = members.iter().map(|&at| runs(names[at])).collect();
        let varies = |run: &usize| all.iter().any(|own| own[*run].0 != all[0][*run].0);
        let varying: Vec<usize> = (0..all[0].len()).filter(varies).collect();
        let (Some(&first), Some(&last)) = (varying.first(), varying.last()) else { continue };
        for (&at, own) in members.iter().zip(&all) {
            let text = |runs: &[Run<'_>]| runs.iter().map(|run| run.0).collect::<String>();
            // A domain goes, and what says which way of a link it is does not.
            let ends = own.get(last + 1).is_none_or(|run| run.0.starts_with('.'));
            let until = if ends { last + 1 } else { own.len() };
            let mark = own[..first].last().and_then(|run| run.0.chars().last());
            let mark = mark.filter(|letter| !letter.is_alphanumeric());
            let mark = mark.map(String::from).unwrap_or_default();
            let front = text(&own[..until]);
            let short = format!("…{mark}{}", text(&own[first..until]));
            for way in [front, short] {
                if way.chars().count() < ways[at].last().map_or(0, |last| last.chars().count()) {
                    ways[at].push(way);
                }
            }
        }
    }
    ways
}

/// A part of a name: figures, or what lies between them.
#[derive(Clone, Copy)]
struct Run<'a>(&'a str);

impl<'a> Run<'a> {
    fn is_number(self) -> bool {
        self.0.starts_with(|letter: char| letter.is_ascii_digit())
    }

    /// Itself; all numbers are of one kind.
    fn kind(self) -> &'a str {
        if self.is_number() { "\0" } else { self.0 }
    }
}

fn runs(name: &str) -> Vec<Run<'_>> {
    let mut found = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|letter: char| letter.is_ascii_digit() != is_digit);
        let (run, after) = rest.split_at(end.unwrap_or(rest.len()));
        found.push(Run(run));
        rest = after;
    }
    found
}

/// The name of neighbours that share a place: the first and the last.
pub(crate) fn of_run(names: &[String], run: &Range<usize>) -> String {
    match &names[run.clone()] {
        [] => String::new(),
        [name] => name.clone(),
        [first, .., last] => format!("{first} – {last}"),
    }
}

/// The names of values and of numbers of derived states.
pub(crate) fn of_states(scope: &Scope<'_>, values: &[StateValue]) -> Vec<String> {
    let of_trace: Vec<ValueId> = values.iter().filter_map(|value| value.of_trace()).collect();
    let mut named = of_values(scope, &of_trace).into_iter();
    let name = |value: &StateValue| match value {
        StateValue::Trace(_) => named.next().unwrap_or_default(),
        StateValue::Derived(derived) => derived.words(scope),
    };
    values.iter().map(name).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_names_apart_stays() {
        let names = [
            "chinqchint-146.lille.grid5000.fr",
            "chinqchint-7.lille.grid5000.fr",
            "AS_chimint_link_16_UP",
            "AS_chimint_link_3_UP",
            "gw",
            "node-1-2",
            "node-1-3",
        ];
        let ways = shortened(&names);
        assert_eq!(ways[0], [names[0], "chinqchint-146", "…-146"]);
        assert_eq!(ways[1], [names[1], "chinqchint-7", "…-7"]);
        assert_eq!(ways[2], [names[2], "…_16_UP"]);
        assert_eq!(ways[4], ["gw"]);
        assert_eq!(ways[5], ["node-1-2", "…-2"]);
        assert_eq!(ways[6], ["node-1-3", "…-3"]);
    }

    #[test]
    fn names_that_are_alone_or_the_same_stay_whole() {
        assert_eq!(shortened(&["rank-1", "host-1", ""]), [["rank-1"], ["host-1"], [""]]);
        assert_eq!(shortened(&["a-1", "a-1"]), [["a-1"], ["a-1"]]);
    }
}
