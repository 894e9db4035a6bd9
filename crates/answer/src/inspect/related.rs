//! What belongs to an entity: the states at the other ends of its links, and what happens to the
//! same lock meanwhile.

use onca_model::{
    ContainerId, Extra, FieldId, LaneId, Nature, Ticks, TypeId, Window, extra_fields, printable,
};
use onca_query::{NodeId, Scope};
use onca_store::TrackId;

use super::{Direction, Entity, Inspection, Place, Subject, place_of};
use crate::Result;

/// This many are listed.
const MOST: usize = 100;
/// What fields that tell things apart are called, in lower case.
const KEYS: [&[u8]; 4] = [b"key", b"lock", b"semaphore", b"mutex"];

/// The state at an end of a link.
#[derive(Clone, PartialEq, Debug)]
pub struct EndState {
    /// Is it where the link comes from? Else it is where it goes to.
    pub is_source: bool,
    /// The state.
    pub state: Subject,
    /// Its name.
    pub title: String,
    /// When it begins.
    pub start: Ticks,
    /// When it ends.
    pub end: Ticks,
    /// Where it is.
    pub place: Place,
}

/// Adds what the ends of a link did when it began and ended.
fn add_ends(scope: &Scope<'_>, link: &Entity, found: &mut Inspection) -> Result<()> {
    let source = state_at(scope, link.container, link.start)?;
    let destination = state_of_arrival(scope, link.destination, link.end)?;
    for (is_source, container, state) in
        [(true, link.container, source), (false, link.destination, destination)]
    {
        let (Some(container), Some(Subject::Entity(lane, row))) = (container, state) else {
            continue;
        };
        let (state, _) = scope.store().state(lane, row)?;
        found.ends.push(EndState {
            is_source,
            state: Subject::Entity(lane, row),
            title: printable(&scope.catalog().value(state.value).name).into_owned(),
            start: state.start,
            end: state.end,
            place: place_of(scope, container),
        });
    }
    Ok(())
}

/// Adds what belongs to an entity.
pub(super) fn add(scope: &Scope<'_>, entity: &Entity, found: &mut Inspection) -> Result<()> {
    let keys = key_fields(scope);
    let mut related = Vec::new();
    if entity.nature == Nature::Link {
        add_ends(scope, entity, found)?;
    }
    if entity.nature == Nature::Link && !add_who_was_freed(scope, entity, &keys, &mut related)? {
        related.extend(state_at(scope, entity.container, entity.start)?);
        related.extend(state_of_arrival(scope, entity.destination, entity.end)?);
    }
    let mut told = Vec::new();
    for key in extra_fields(&entity.extras).filter(|extra| keys.contains(&extra.field)) {
        if key.text.is_empty() {
            continue;
        }
        for (container, node) in containers_named(scope, key.text) {
            // Of a semaphore with states, the one at that time; else the semaphore itself.
            let state = state_at(scope, Some(container), entity.start)?;
            told.push((container, state.unwrap_or(Subject::Node(node))));
        }
        told.extend(who_tells(scope, entity, |extra| *extra == key)?);
    }
    if let (Nature::State, Some(container)) = (entity.nature, entity.container)
        && !keys.is_empty()
    {
        // Others that name the container meanwhile, such as threads that wait at a semaphore.
        told.extend(who_tells(scope, entity, |extra| names(scope, &keys, container, extra))?);
    }
    for link in &found.links {
        related.push(Subject::Entity(link.lane, link.row));
        // What is told is more than what happens to be there when the link begins or ends.
        if told.iter().any(|(container, _)| Some(*container) == link.other) {
            continue;
        }
        related.extend(match link.direction {
            Direction::Out => state_of_arrival(scope, link.other, link.end)?,
            Direction::In => state_at(scope, link.other, link.start)?,
        });
    }
    related.extend(told.into_iter().map(|(_, subject)| subject));
    let own = Subject::Entity(entity.lane, entity.row);
    let mut listed: Vec<Subject> = Vec::new();
    for subject in related {
        if listed.len() < MOST && subject != own && !listed.contains(&subject) {
            listed.push(subject);
        }
    }
    found.related = listed;
    Ok(())
}

/// Adds the ends of a link from a semaphore: the state in which the other waited for it, and that
/// of the semaphore when it began to. False if the link is none.
fn add_who_was_freed(
    scope: &Scope<'_>,
    link: &Entity,
    keys: &[FieldId],
    related: &mut Vec<Subject>,
) -> Result<bool> {
    let (Some(source), Some(destination)) = (link.container, link.destination) else {
        return Ok(false);
    };
    let window = Window::new(link.start, link.end.max(link.start.saturating_add(1)));
    for (track, of, _) in scope.tracks(Nature::State) {
        if keys.is_empty() || of.container != destination {
            continue;
        }
        for &lane in scope.store().tracks().lanes(track) {
            let mut waited = None;
            let mut texts = scope.store().texts(lane);
            let mut states = Vec::new();
            scope.store().visit_states(lane, window, 0, |row, state, _| {
                states.push((row, state.start));
            })?;
            for (row, start) in states {
                let (_, packed) = texts.get(row)?;
                if extra_fields(packed).any(|extra| names(scope, keys, source, &extra)) {
                    waited = Some((Subject::Entity(lane, row), start));
                }
            }
            if let Some((state, start)) = waited {
                related.extend(state_at(scope, Some(source), start)?);
                related.push(state);
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The state in which a link arrives: what is received when a state ends was received in it.
pub(super) fn state_of_arrival(
    scope: &Scope<'_>,
    container: Option<ContainerId>,
    time: Ticks,
) -> Result<Option<Subject>> {
    match state_at(scope, container, time.saturating_sub(1))? {
        None => state_at(scope, container, time),
        found => Ok(found),
    }
}

/// The innermost seen state of a container at a time, of the first type that has one. Where one
/// ends when the next begins, it is the next.
pub(super) fn state_at(
    scope: &Scope<'_>,
    container: Option<ContainerId>,
    time: Ticks,
) -> Result<Option<Subject>> {
    let Some(container) = container else { return Ok(None) };
    let window = Window::new(time, time.saturating_add(1));
    let tracks = scope.store().tracks();
    for track in tracks.of_container(container).map(TrackId) {
        let is_seen_state = |type_id: TypeId| {
            let is_state = scope.catalog().type_def(type_id).nature == Nature::State;
            is_state && scope.sees_in(type_id, container)
        };
        if !tracks.get(track).is_some_and(|on| is_seen_state(on.type_id)) {
            continue;
        }
        let mut innermost = None;
        for &lane in tracks.lanes(track) {
            scope.store().visit_states(lane, window, 0, |row, state, _| {
                if scope.sees_state(state) {
                    innermost = Some(Subject::Entity(lane, row));
                }
            })?;
        }
        if innermost.is_some() {
            return Ok(innermost);
        }
    }
    Ok(None)
}

/// The extra fields that tell things apart.
fn key_fields(scope: &Scope<'_>) -> Vec<FieldId> {
    let fields = scope.catalog().fields.iter().enumerate();
    let is_key = |name: &[u8]| KEYS.contains(&name.to_ascii_lowercase().as_slice());
    fields.filter(|(_, field)| is_key(&field.name)).map(|(id, _)| FieldId(id as u32)).collect()
}

/// The seen containers that have a name, and their nodes: a semaphore may be one.
fn containers_named<'a>(
    scope: &'a Scope<'_>,
    name: &'a [u8],
) -> impl Iterator<Item = (ContainerId, NodeId)> + 'a {
    let containers = &scope.catalog().containers;
    let is_named = move |id: ContainerId| {
        containers.names.get(id.index()) == name || containers.identifier(id) == name
    };
    scope.hierarchy().members().filter(move |(id, _)| is_named(*id))
}

/// Does an extra field name a container?
fn names(scope: &Scope<'_>, keys: &[FieldId], container: ContainerId, extra: &Extra<'_>) -> bool {
    let containers = &scope.catalog().containers;
    let is_named = extra.text == containers.names.get(container.index())
        || extra.text == containers.identifier(container);
    is_named && keys.contains(&extra.field)
}

/// States and events that tell something in an extra field while an entity lasts, with their
/// containers.
fn who_tells(
    scope: &Scope<'_>,
    entity: &Entity,
    tells: impl Fn(&Extra<'_>) -> bool,
) -> Result<Vec<(ContainerId, Subject)>> {
    let (start, end) = (entity.start.min(entity.end), entity.start.max(entity.end));
    let window = Window::new(start, end.max(start.saturating_add(1)));
    let mut found = Vec::new();
    for nature in [Nature::State, Nature::Event] {
        for (track, of, _) in scope.tracks(nature) {
            for &lane in scope.store().tracks().lanes(track) {
                if found.len() >= 2 * MOST {
                    return Ok(found);
                }
                let rows = rows_that_tell(scope, nature, lane, window, &tells)?;
                found
                    .extend(rows.into_iter().map(|row| (of.container, Subject::Entity(lane, row))));
            }
        }
    }
    Ok(found)
}

fn rows_that_tell(
    scope: &Scope<'_>,
    nature: Nature,
    lane: LaneId,
    window: Window,
    tells: &impl Fn(&Extra<'_>) -> bool,
) -> Result<Vec<u64>> {
    let mut texts = scope.store().texts(lane);
    let mut rows = Vec::new();
    if texts.is_empty() {
        return Ok(rows);
    }
    match nature {
        Nature::State => scope.store().visit_states(lane, window, 0, |row, state, _| {
            if scope.sees_state(state) {
                rows.push(row);
            }
        })?,
        _ => scope.store().visit_events(lane, window, |row, event| {
            if scope.sees_event(event) {
                rows.push(row);
            }
        })?,
    }
    let mut telling = Vec::new();
    for row in rows {
        let (_, packed) = texts.get(row)?;
        if extra_fields(packed).any(|extra| tells(&extra)) {
            telling.push(row);
        }
    }
    Ok(telling)
}
