//! The next thing along a chain: on its row, in cause, on the critical path, by length.

use std::cmp::Reverse;

use onca_model::{ContainerId, LaneId, Nature, Ticks, ValueId, Window};
use onca_query::{NodeId, Scope};
use onca_store::TrackId;

use super::around::links_of;
use super::related::{state_at, state_of_arrival};
use super::{Direction, Entity, Step, Subject, step};
use crate::{Diagnosis, Result, WaitOf};

/// What is stepped along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Along {
    /// The entities of one lane.
    Row,
    /// Back to what made it late or came to it, on to what waited for it or was sent by it.
    Cause,
    /// The states of the critical path, one for each of its steps.
    Path,
    /// All of the same value: on to the next shorter one, back to the next longer one.
    Length,
}

/// Steps on the path that the lens hides are passed, at most this many.
const MOST_HIDDEN: usize = 1000;

/// The next subject along a chain, if there is one. Without a subject to start from, the critical path
/// begins at its first or last step. Only lengths depend on the window, and where a row begins.
pub fn step_along(
    scope: &Scope<'_>,
    from: Option<Subject>,
    along: Along,
    way: Step,
) -> Result<Option<Subject>> {
    let entity = match from {
        Some(Subject::Entity(lane, row)) => Some(Entity::read(scope.store(), lane, row)?),
        _ => None,
    };
    match (along, entity, from) {
        (Along::Row, Some(entity), _) => {
            let found = step(scope, entity.lane, entity.row, way)?;
            Ok(found.map(|row| Subject::Entity(entity.lane, row)))
        }
        (Along::Row, None, Some(Subject::Node(node))) => end_of_row(scope, node, way),
        (Along::Cause, Some(entity), _) => in_cause(scope, &entity, way),
        (Along::Path, entity, _) => on_path(scope, entity.as_ref(), way),
        (Along::Length, Some(entity), _) => match entity.value {
            Some(value) => by_length(scope, value, Some(LengthKey::of(&entity)), way),
            None => Ok(None),
        },
        (Along::Length, None, Some(Subject::Value(value) | Subject::Share(_, value)))
            if value.index() < scope.catalog().values.len() =>
        {
            by_length(scope, value, None, way)
        }
        _ => Ok(None),
    }
}

/// The first or last state of a row in the window.
fn end_of_row(scope: &Scope<'_>, node: NodeId, way: Step) -> Result<Option<Subject>> {
    if node.index() >= scope.hierarchy().len() {
        return Ok(None);
    }
    let Some(container) = scope.hierarchy().container(node) else { return Ok(None) };
    let Window { from, to } = scope.window();
    let border = match way {
        Step::Forward => from,
        Step::Back => to.saturating_sub(1),
    };
    if let Some(state) = state_at(scope, Some(container), border)? {
        return Ok(Some(state));
    }
    let mut found: Option<(Ticks, Subject)> = None;
    let own = scope.tracks(Nature::State).filter(|(_, of, _)| of.container == container);
    for (track, ..) in own {
        let Some(&lane) = scope.store().tracks().lanes(track).first() else { continue };
        scope.store().visit_states(lane, scope.window(), 0, |row, state, _| {
            let is_better = found.is_none_or(|(start, _)| match way {
                Step::Forward => state.start < start,
                Step::Back => state.start > start,
            });
            if is_better && scope.sees_state(state) {
                found = Some((state.start, Subject::Entity(lane, row)));
            }
        })?;
    }
    Ok(found.map(|(_, subject)| subject))
}

/// A link leads to the states at its ends. A state leads back to whom it last waited for, else to the
/// link that came last; on to who waited longest for it, else to the link that left first.
fn in_cause(scope: &Scope<'_>, entity: &Entity, way: Step) -> Result<Option<Subject>> {
    match (entity.nature, way) {
        (Nature::Link, Step::Back) => return state_at(scope, entity.container, entity.start),
        (Nature::Link, Step::Forward) => {
            return state_of_arrival(scope, entity.destination, entity.end);
        }
        _ => {}
    }
    if let (Nature::State, Some(container)) = (entity.nature, entity.container) {
        let found = match way {
            Step::Back => waited_for(scope, entity, container)?,
            Step::Forward => made_wait(scope, entity, container)?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    let links = links_of(scope, entity)?.into_iter();
    let link = match way {
        Step::Back => links
            .filter(|link| link.direction == Direction::In)
            .max_by_key(|link| (link.key.end, link.key)),
        Step::Forward => {
            links.filter(|link| link.direction == Direction::Out).min_by_key(|link| link.key)
        }
    };
    Ok(link.map(|link| Subject::Entity(link.key.lane, link.key.row)))
}

/// What the one that a state last waited for did until the wait was over.
fn waited_for(
    scope: &Scope<'_>,
    entity: &Entity,
    container: ContainerId,
) -> Result<Option<Subject>> {
    let known = Diagnosis::of(scope.store())?;
    let window = Window { from: entity.start, to: entity.end };
    match known.waits.of(container, window).last() {
        Some(wait) => what_it_did(scope, wait.cause, &wait),
        None => Ok(None),
    }
}

/// The state that waited longest for another, of those whose wait ended with it.
fn made_wait(
    scope: &Scope<'_>,
    entity: &Entity,
    container: ContainerId,
) -> Result<Option<Subject>> {
    let known = Diagnosis::of(scope.store())?;
    let is_for_it = |wait: &WaitOf| {
        let last = wait.window.to.saturating_sub(1);
        wait.cause == container && entity.start <= last && last < entity.end
    };
    let length = |wait: &WaitOf| (wait.window.to - wait.window.from, Reverse(wait.container));
    let mut waits: Vec<WaitOf> = known.waits.each().filter(is_for_it).collect();
    waits.sort_by_key(|wait| Reverse(length(wait)));
    let own = Subject::Entity(entity.lane, entity.row);
    for wait in waits {
        // A wait ends in all states around the one that was waited for.
        if what_it_did(scope, wait.cause, &wait)? != Some(own) {
            continue;
        }
        let waiting = what_it_did(scope, wait.container, &wait)?;
        if waiting.is_some() {
            return Ok(waiting);
        }
    }
    Ok(None)
}

/// The state of one side of a wait until it was over: the next begins then.
fn what_it_did(scope: &Scope<'_>, who: ContainerId, wait: &WaitOf) -> Result<Option<Subject>> {
    state_at(scope, Some(who), wait.window.to.saturating_sub(1))
}

fn on_path(scope: &Scope<'_>, entity: Option<&Entity>, way: Step) -> Result<Option<Subject>> {
    let known = Diagnosis::of(scope.store())?;
    let path = &known.path;
    let mut next = match (entity, way) {
        (None, Step::Forward) => Some(0),
        (None, Step::Back) => path.len().checked_sub(1),
        (Some(entity), way) => {
            let end = entity.end.max(entity.start.saturating_add(1));
            let touched = known.path_places(Window { from: entity.start, to: end });
            let is_own = |at: &usize| Some(path[*at].container) == entity.container;
            // Whoever is not on the path is led to it.
            match way {
                Step::Forward => {
                    Some(touched.clone().rfind(is_own).map_or(touched.start, |at| at + 1))
                }
                Step::Back => touched.clone().find(is_own).unwrap_or(touched.end).checked_sub(1),
            }
        }
    };
    let own = entity.map(|entity| Subject::Entity(entity.lane, entity.row));
    for _ in 0..MOST_HIDDEN {
        let Some((at, on)) = next.and_then(|at| Some((at, path.get(at)?))) else { break };
        let state = state_at(scope, Some(on.container), on.window.from)?;
        if state.is_some() && state != own {
            return Ok(state);
        }
        next = match way {
            Step::Forward => Some(at + 1),
            Step::Back => at.checked_sub(1),
        };
    }
    Ok(None)
}

/// The order of instances by length: of equal ones the first is the longest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LengthKey(Ticks, Reverse<(Ticks, LaneId, u64)>);

impl LengthKey {
    fn new(start: Ticks, end: Ticks, lane: LaneId, row: u64) -> Self {
        Self(end.saturating_sub(start), Reverse((start, lane, row)))
    }

    fn of(entity: &Entity) -> Self {
        Self::new(entity.start, entity.end, entity.lane, entity.row)
    }
}

/// The longest instance of a value that is shorter than another, or the shortest that is longer; the
/// longest of all without another.
fn by_length(
    scope: &Scope<'_>,
    value: ValueId,
    own: Option<LengthKey>,
    way: Step,
) -> Result<Option<Subject>> {
    let mut best: Option<LengthKey> = None;
    let mut offer = |key: LengthKey| {
        let is_better = match (own, way) {
            (None, _) => best.is_none_or(|best| key > best),
            (Some(own), Step::Forward) => key < own && best.is_none_or(|best| key > best),
            (Some(own), Step::Back) => key > own && best.is_none_or(|best| key < best),
        };
        if is_better {
            best = Some(key);
        }
    };
    let catalog = scope.catalog();
    let type_id = catalog.value(value).type_id;
    match catalog.type_def(type_id).nature {
        Nature::State => {
            let tracks: Vec<TrackId> = scope
                .tracks(Nature::State)
                .filter(|(_, of, _)| of.type_id == type_id)
                .map(|(id, ..)| id)
                .collect();
            for track in tracks {
                for &lane in scope.store().tracks().lanes(track) {
                    scope.store().visit_states(lane, scope.window(), 0, |row, state, _| {
                        if state.value == value && scope.sees_state(state) {
                            offer(LengthKey::new(state.start, state.end, lane, row));
                        }
                    })?;
                }
            }
        }
        Nature::Link => {
            for (lane, _) in scope.link_lanes().filter(|(_, of)| *of == type_id) {
                scope.visit_links(lane, |row, link| {
                    if link.value == value {
                        offer(LengthKey::new(link.start, link.end, lane, row));
                    }
                })?;
            }
        }
        _ => {}
    }
    Ok(best.map(|LengthKey(_, Reverse((_, lane, row)))| Subject::Entity(lane, row)))
}
