//! The ways of messages over a network.

use std::collections::{BTreeMap, BTreeSet};

use onca_answer::topology::{Platform, message_name, message_named};
use onca_model::format::grouped;
use onca_query::NodeId;
use onca_scene::{BaseRoute, Solid};

use super::Maker;
use super::arrows::FromTo;
use crate::{Result, ViewError};

/// The nodes at both ends of a bundle.
type Ends = (NodeId, NodeId);

/// By the ends of a bundle: the places of the nodes of the network that all its messages pass between
/// the machines, in the order of the way. No bundle ends below `deepest`.
pub(super) fn passed_by_all(
    maker: &Maker<'_>,
    platform: &Platform,
    from_to: BTreeSet<FromTo>,
    deepest: usize,
) -> Result<BTreeMap<Ends, Vec<u32>>> {
    let hierarchy = maker.scope.hierarchy();
    let placement = platform.placement(maker.scope.catalog())?;
    let up = |mut node: NodeId| {
        while hierarchy.depth(node) > deepest {
            node = hierarchy.parent(node);
        }
        node
    };
    let mut passed: BTreeMap<Ends, Option<Vec<u32>>> = BTreeMap::new();
    let mut between: BTreeMap<(usize, usize), BTreeSet<Ends>> = BTreeMap::new();
    for ((from, to), (source, destination)) in from_to {
        let ends = (up(from), up(to));
        match (placement.of(source), placement.of(destination)) {
            (Some(from), Some(to)) => {
                between.entry((from, to)).or_default().insert(ends);
            }
            _ => {
                passed.insert(ends, Some(Vec::new()));
            }
        }
    }
    let first = maker.standing.nodes.len() as u32;
    let pairs: Vec<(usize, usize)> = between.keys().copied().collect();
    let routing = maker.options.network.routing.routing();
    platform.visit_routes(routing, pairs, |pair, route| {
        let inner = &route.nodes[1..route.nodes.len().max(2) - 1];
        let own: Vec<u32> = inner.iter().map(|node| first + *node as u32).collect();
        for ends in between.remove(&pair).unwrap_or_default() {
            let places = passed.entry(ends).or_default();
            match places {
                Some(places) => places.retain(|place| own.contains(place)),
                None => *places = Some(own.clone()),
            }
        }
    })?;
    // What has no way passes nothing.
    for ends in between.into_values().flatten() {
        passed.insert(ends, None);
    }
    Ok(passed.into_iter().map(|(ends, places)| (ends, places.unwrap_or_default())).collect())
}

/// Puts the way of the message that is asked for.
pub(super) fn put(
    maker: &mut Maker<'_>,
    network: Option<&Platform>,
    solid: &mut Solid,
) -> Result<()> {
    let Some(name) = &maker.options.network.route else { return Ok(()) };
    let Some(platform) = network else {
        let why = "a route is drawn on a network: take the base topology or coords";
        return Err(ViewError::Nothing(why.to_owned()));
    };
    let catalog = maker.scope.catalog();
    let found = message_named(maker.scope, name)?;
    let routing = maker.options.network.routing.routing();
    let passage =
        platform.passage(catalog, routing, found.link.container, found.link.destination)?;
    let text =
        note(&message_name(catalog, &found.link), found.n_alike, &passage.words(&platform.network));
    maker.notes.push(text.clone());
    if passage.nodes().len() > 1 {
        let first = maker.standing.nodes.len() as u32;
        solid.route = Some(BaseRoute {
            places: passage.nodes().iter().map(|node| first + *node as u32).collect(),
            times: (maker.z(found.link.start as f64), maker.z(found.link.end as f64)),
            color: maker.stage.theme.colors().accent,
            text,
        });
    }
    Ok(())
}

/// What is said about the way of a message.
pub(crate) fn note(name: &str, n_alike: u64, way: &str) -> String {
    let others = match n_alike {
        0 | 1 => String::new(),
        n => format!(", one of {} with its key", grouped(n)),
    };
    format!("message {name}{others}: {way}")
}
