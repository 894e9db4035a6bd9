//! The links that belong to what somebody points at.

use onca_model::{ContainerId, LaneId, LinkRow, Ticks, Window};
use onca_query::{NodeId, Scope};
use onca_store::{ContainerSet, Store};

use crate::{AnswerError, Entity, Result};

/// Which links are asked for.
pub enum WantedLinks {
    /// All.
    All,
    /// Those of something.
    Of(LinkOwners),
}

/// What links are asked of.
pub struct LinkOwners {
    /// Links of which these are an end.
    containers: ContainerSet,
    /// Links from one of the first to one of the second.
    pairs: Vec<(ContainerSet, ContainerSet)>,
    /// Links that touch these.
    entities: Vec<Entity>,
    /// All containers that a wanted link can have as an end.
    ends: ContainerSet,
    /// From the first to the last instant of the entities, with what ends or begins just there.
    span: Option<Window>,
}

impl LinkOwners {
    /// Visits the wanted links of a lane that touch a window.
    pub(super) fn visit(
        &self,
        store: &Store,
        lane: LaneId,
        window: Window,
        mut visit: impl FnMut(u64, &LinkRow<'_>),
    ) -> Result<()> {
        let Some(window) = self.window(window) else { return Ok(()) };
        store.visit_links(lane, window, Some(&self.ends), 0, |row, link| {
            if self.own(lane, row, link) {
                visit(row, link);
            }
        })?;
        Ok(())
    }

    /// Entities by lane and row: links themselves, and those that begin or end during a state, an event
    /// or a step, in its container. Nodes: links that come from or go to them or what lies below
    /// them. Pairs of nodes: links from the first or what lies below it to the second.
    pub fn new(
        scope: &Scope<'_>,
        entities: &[(LaneId, u64)],
        nodes: &[NodeId],
        pairs: &[(NodeId, NodeId)],
    ) -> Result<Self> {
        let entities: Vec<Entity> = entities
            .iter()
            .map(|(lane, row)| Entity::read(scope.store(), *lane, *row))
            .collect::<Result<_>>()?;
        let containers = containers_of(scope, nodes)?;
        let pair = |(from, to): &(NodeId, NodeId)| {
            Ok((containers_of(scope, &[*from])?, containers_of(scope, &[*to])?))
        };
        let pairs: Vec<(ContainerSet, ContainerSet)> =
            pairs.iter().map(pair).collect::<Result<_>>()?;
        let own = entities.iter().flat_map(|entity| [entity.container, entity.destination]);
        let of_nodes = scope.hierarchy().members().map(|(id, _)| id);
        let of_nodes = of_nodes.filter(|id| {
            containers.contains(*id) || pairs.iter().any(|(from, _)| from.contains(*id))
        });
        let ends = of_nodes.chain(own.flatten()).collect();
        let first = entities.iter().map(|entity| entity.start.min(entity.end)).min();
        let last = entities.iter().map(|entity| entity.start.max(entity.end)).max();
        let wider = |(first, last): (Ticks, Ticks)| {
            Window::new(first.saturating_sub(1), last.saturating_add(1))
        };
        let span = first.zip(last).map(wider);
        Ok(Self { containers, pairs, entities, ends, span })
    }

    /// The part of a window that has to be looked at.
    fn window(&self, window: Window) -> Option<Window> {
        if !self.containers.is_empty() || !self.pairs.is_empty() {
            return Some(window);
        }
        let span = self.span?;
        let (from, to) = (window.from.max(span.from), window.to.min(span.to));
        (from < to).then(|| Window::new(from, to))
    }

    fn own(&self, lane: LaneId, row: u64, link: &LinkRow<'_>) -> bool {
        let is_in =
            |end: Option<ContainerId>, set: &ContainerSet| end.is_some_and(|id| set.contains(id));
        let is_between = |(from, to): &(ContainerSet, ContainerSet)| {
            is_in(link.source, from) && is_in(link.destination, to)
        };
        is_in(link.source, &self.containers)
            || is_in(link.destination, &self.containers)
            || self.pairs.iter().any(is_between)
            || self.entities.iter().any(|entity| {
                (entity.lane, entity.row) == (lane, row) || entity.touched_by(link).is_some()
            })
    }
}

/// The containers that count for nodes or for what lies below them.
fn containers_of(scope: &Scope<'_>, nodes: &[NodeId]) -> Result<ContainerSet> {
    let hierarchy = scope.hierarchy();
    let mut inside = vec![false; hierarchy.len()];
    for node in nodes {
        let known = inside.get_mut(node.index());
        *known.ok_or_else(|| AnswerError::no_node(scope, *node))? = true;
    }
    // Parents come before children.
    for node in hierarchy.nodes().skip(1) {
        inside[node.index()] |= inside[hierarchy.parent(node).index()];
    }
    Ok(hierarchy.members().filter(|(_, node)| inside[node.index()]).map(|(id, _)| id).collect())
}
