//! With whom nodes communicate.

use std::collections::BTreeSet;

use onca_aggregate::slice::{Bounds, LinkTally, Peer, Peers};
use onca_query::{NodeId, Scope};

use super::answer::{describe, wanted_nodes};
use super::links::visit_links;
use super::{Amount, Links, Nodes, Quantity, Rows, SliceAnswer, SliceQuestion, SliceValue, Space};
use crate::slices::slices_of;
use crate::{AnswerError, Result};

/// How many pairs of nodes there may be, in all slices together.
const MAX_PAIRS: usize = 1 << 23;

/// The number of links of each node with each other node.
pub(super) fn slice(
    scope: &Scope<'_>,
    question: &SliceQuestion,
    links: Links,
) -> Result<SliceAnswer> {
    if question.normalise {
        let why = "only times can be shares of the slice, not a number of links";
        return Err(AnswerError::Question(why.to_owned()));
    }
    let wanted = wanted_nodes(scope, &question.nodes)?;
    let place_of = places(scope, &question.nodes, &wanted);
    let (bounds, pairs, tally) = pairs(scope, question.n_slices, links, &place_of)?;
    // Peers become the values; both are numbered by those that occur.
    let occurring = |number: fn(&Peer) -> u32| {
        let set: BTreeSet<u32> = pairs.iter().map(number).collect();
        set.into_iter().collect::<Vec<u32>>()
    };
    let (origins, peers) = (occurring(|pair| pair.leaf), occurring(|pair| pair.peer));
    let nodes: Vec<NodeId> = origins.iter().map(|&place| wanted[place as usize]).collect();
    let mut amounts: Vec<(usize, usize, u32, u64)> = pairs
        .iter()
        .map(|pair| {
            let node = origins.partition_point(|&origin| origin < pair.leaf);
            let value = peers.partition_point(|&peer| peer < pair.peer);
            (node, value, pair.slice, pair.count)
        })
        .collect();
    amounts.sort_unstable();
    let mut rows = Rows::default();
    for (node, value, slice, count) in amounts {
        rows.push(node, value, slice as usize, Amount::Whole(count.into()));
    }
    let value = |&place: &u32| {
        let node = wanted[place as usize];
        SliceValue {
            type_name: scope.hierarchy().kind(node).to_vec(),
            name: scope.path(node).into_bytes(),
            value: None,
            type_id: None,
            derived: None,
        }
    };
    let space = Space::new(scope.hierarchy(), |_| false)?;
    Ok(SliceAnswer {
        bounds,
        unit: scope.catalog().facts.unit.clone(),
        nodes: describe(scope, &nodes, &space),
        values: peers.iter().map(value).collect(),
        rows,
        quantity: Quantity::Count,
        absent_is_zero: true,
        tally: Some(tally),
        scanned: true,
        having: None,
    })
}

/// How many different nodes each node has links with, in each slice: of a group, the nodes that
/// any of its leaves has links with. By node and slice, without zeros.
pub(super) fn numbers_of_peers(
    scope: &Scope<'_>,
    n_slices: usize,
    links: Links,
    name: Option<&[u8]>,
) -> Result<Vec<((NodeId, u32), u64)>> {
    let hierarchy = scope.hierarchy();
    let place_of: Vec<Option<u32>> = (0..hierarchy.len() as u32).map(Some).collect();
    let (_, pairs, _) = named_pairs(scope, n_slices, links, &place_of, name)?;
    let mut different: BTreeSet<(NodeId, u32, u32)> = BTreeSet::new();
    for pair in &pairs {
        let mut node = NodeId(pair.leaf);
        // Where the pair is known of a node, it is known of all nodes above.
        while different.insert((node, pair.slice, pair.peer)) && node != NodeId::ROOT {
            node = hierarchy.parent(node);
        }
        if different.len() > MAX_PAIRS {
            return Err(too_many(&format!(
                "more than {MAX_PAIRS} pairs of containers communicate"
            )));
        }
    }
    let mut numbers: Vec<((NodeId, u32), u64)> = Vec::new();
    for (node, slice, _) in different {
        match numbers.last_mut() {
            Some((key, number)) if *key == (node, slice) => *number += 1,
            _ => numbers.push(((node, slice), 1)),
        }
    }
    Ok(numbers)
}

/// For each node the wanted node that it belongs to, by its index.
fn places(scope: &Scope<'_>, nodes: &Nodes, wanted: &[NodeId]) -> Vec<Option<u32>> {
    let hierarchy = scope.hierarchy();
    let mut place_of = vec![None; hierarchy.len()];
    for (index, node) in wanted.iter().enumerate() {
        place_of[node.index()] = Some(index as u32);
    }
    if *nodes != Nodes::All {
        // Parents come before their children.
        for node in hierarchy.nodes() {
            let above = place_of[hierarchy.parent(node).index()];
            place_of[node.index()] = place_of[node.index()].or(above);
        }
    }
    place_of
}

fn pairs(
    scope: &Scope<'_>,
    n_slices: usize,
    links: Links,
    place_of: &[Option<u32>],
) -> Result<(Bounds, Vec<Peer>, LinkTally)> {
    named_pairs(scope, n_slices, links, place_of, None)
}

/// The links between places, by pair and slice; only those of a value or type with a name, if one
/// is given.
fn named_pairs(
    scope: &Scope<'_>,
    n_slices: usize,
    links: Links,
    place_of: &[Option<u32>],
    name: Option<&[u8]>,
) -> Result<(Bounds, Vec<Peer>, LinkTally)> {
    let bounds = slices_of(scope, n_slices)?;
    let columns = super::columns::Columns::of_values(scope, onca_model::Nature::Link);
    let is_meant = |value: onca_model::ValueId| {
        let column = columns.of_value(value);
        column.is_some_and(|column| name.is_none_or(|name| columns.values[column].is_named(name)))
    };
    let mut peers = Peers::new(bounds, links.border, MAX_PAIRS);
    let mut outcome = Ok(());
    visit_links(scope, |source, destination, link| {
        if outcome.is_err() || !is_meant(link.value) {
            return;
        }
        let place = |id| place_of[scope.hierarchy().node_of(id)?.index()];
        if let (Some(source), Some(destination)) = (place(source), place(destination)) {
            let leaf = links.end.of(source, destination);
            let peer = links.end.of(destination, source);
            outcome = peers.add(leaf, peer, link.start, link.end);
        }
    })?;
    outcome.map_err(|error| too_many(&error.to_string()))?;
    let tally = peers.tally();
    Ok((bounds, peers.finish(), tally))
}

fn too_many(why: &str) -> AnswerError {
    AnswerError::TooLarge(why.to_owned())
}
