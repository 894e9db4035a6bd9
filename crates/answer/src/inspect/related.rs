//! What belongs to an entity: the states at the other ends of its links, and what happens to the
//! same lock meanwhile.

use onca_model::{
    ContainerId, Extra, FieldId, LaneId, Nature, Ticks, TypeId, Window, extra_fields,
};
use onca_query::Scope;
use onca_store::TrackId;

use super::{Direction, Entity, Inspection, Subject};
use crate::Result;

/// This many are listed.
const MOST: usize = 100;
/// What fields that tell things apart are called, in lower case.
const KEYS: [&[u8]; 4] = [b"key", b"lock", b"semaphore", b"mutex"];

/// Adds what belongs to an entity.
pub(super) fn add(scope: &Scope<'_>, entity: &Entity, found: &mut Inspection) -> Result<()> {
    let mut related = Vec::new();
    if entity.nature == Nature::Link {
        let ends = [(entity.container, entity.start), (entity.destination, entity.end)];
        for (container, time) in ends {
            related.extend(state_at(scope, container, time)?);
        }
    }
    for link in &found.links {
        related.push(Subject::Entity(link.lane, link.row));
        let time = match link.direction {
            Direction::Out => link.end,
            Direction::In => link.start,
        };
        related.extend(state_at(scope, link.other, time)?);
    }
    for key in keys_of(scope, &entity.extras) {
        related.extend(containers_named(scope, key.text));
        add_same_key(scope, entity, key, &mut related)?;
    }
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

/// The innermost seen state of a container at a time, of the first type that has one. Where one
/// ends when the next begins, it is the next.
fn state_at(
    scope: &Scope<'_>,
    container: Option<ContainerId>,
    time: Ticks,
) -> Result<Option<Subject>> {
    let Some(container) = container else { return Ok(None) };
    let window = Window::new(time, time.saturating_add(1));
    let tracks = scope.store().tracks();
    for track in tracks.of_container(container).map(TrackId) {
        let is_seen_state = |type_id: TypeId| {
            scope.catalog().type_def(type_id).nature == Nature::State && scope.sees_type(type_id)
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
fn keys_of<'a>(scope: &Scope<'_>, packed: &'a [u8]) -> impl Iterator<Item = Extra<'a>> {
    let fields = scope.catalog().fields.iter().enumerate();
    let is_key = |name: &[u8]| KEYS.contains(&name.to_ascii_lowercase().as_slice());
    let keys = fields.filter(|(_, field)| is_key(&field.name));
    let keys: Vec<FieldId> = keys.map(|(id, _)| FieldId(id as u32)).collect();
    extra_fields(packed).filter(move |extra| keys.contains(&extra.field) && !extra.text.is_empty())
}

/// The nodes of seen containers that have a name: a semaphore may be one.
fn containers_named<'a>(
    scope: &'a Scope<'_>,
    name: &'a [u8],
) -> impl Iterator<Item = Subject> + 'a {
    let containers = &scope.catalog().containers;
    let is_named = move |id: ContainerId| {
        containers.names.get(id.index()) == name || containers.identifier(id) == name
    };
    let members = scope.hierarchy().members();
    members.filter(move |(id, _)| is_named(*id)).map(|(_, node)| Subject::Node(node))
}

/// States and events with the same text in the same field, while the entity lasts.
fn add_same_key(
    scope: &Scope<'_>,
    entity: &Entity,
    key: Extra<'_>,
    related: &mut Vec<Subject>,
) -> Result<()> {
    let window =
        Window::new(entity.start.min(entity.end), entity.start.max(entity.end).saturating_add(1));
    for nature in [Nature::State, Nature::Event] {
        for (track, ..) in scope.tracks(nature) {
            for &lane in scope.store().tracks().lanes(track) {
                if related.len() >= 2 * MOST {
                    return Ok(());
                }
                add_of_lane(scope, nature, lane, window, key, related)?;
            }
        }
    }
    Ok(())
}

fn add_of_lane(
    scope: &Scope<'_>,
    nature: Nature,
    lane: LaneId,
    window: Window,
    key: Extra<'_>,
    related: &mut Vec<Subject>,
) -> Result<()> {
    let mut texts = scope.store().texts(lane);
    if texts.is_empty() {
        return Ok(());
    }
    let mut rows = Vec::new();
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
    for row in rows {
        let (_, packed) = texts.get(row)?;
        if extra_fields(packed).any(|extra| extra == key) {
            related.push(Subject::Entity(lane, row));
        }
    }
    Ok(())
}
