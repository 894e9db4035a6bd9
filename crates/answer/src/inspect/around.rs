//! What lies around an entity: states that enclose it and that it encloses, links that begin and
//! end there, and how often the same happens.

use onca_model::{ContainerId, LaneId, Nature, StateRow, Ticks, ValueId, Window, printable};
use onca_query::{NodeId, Scope};
use onca_store::{ContainerSet, Measure, TrackId};

use super::{Direction, Entity, Inspection, Place, place_of};
use crate::{Cut, Level, Result, state_times};

/// This many states inside another, and this many links, are listed.
const MOST: usize = 100;

/// A state around or inside another.
#[derive(Clone, PartialEq, Debug)]
pub struct Nested {
    /// Its lane.
    pub lane: LaneId,
    /// Its row.
    pub row: u64,
    /// Its name.
    pub title: String,
    /// When it begins.
    pub start: Ticks,
    /// When it ends.
    pub end: Ticks,
    /// Is it inside? Else it is around.
    pub inside: bool,
}

/// A link, seen from one of its ends.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkEnd {
    /// Its lane.
    pub lane: LaneId,
    /// Its row.
    pub row: u64,
    /// Which way it goes.
    pub direction: Direction,
    /// Its name.
    pub title: String,
    /// When it begins.
    pub start: Ticks,
    /// When it ends.
    pub end: Ticks,
    /// The container at the other end, if it is known.
    pub other: Option<ContainerId>,
    /// Where that is.
    pub place: Option<Place>,
}

/// How often and how long the same value occurs. Times are of what lies in the window, durations
/// of whole states that touch it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SameValue {
    /// How many there are.
    pub count: u64,
    /// Their time.
    pub total: i128,
    /// What part they have of the time of all seen states of their type, each tick counted once.
    pub share: Option<f64>,
    /// The shortest.
    pub min: Option<Ticks>,
    /// The mean.
    pub mean: Option<f64>,
    /// The longest.
    pub max: Option<Ticks>,
}

/// Adds what lies around an entity.
pub(super) fn add(scope: &Scope<'_>, entity: &Entity, found: &mut Inspection) -> Result<()> {
    if entity.nature == Nature::State {
        add_nesting(scope, entity, found)?;
    }
    add_links(scope, entity, found)?;
    found.same_value = same_value(scope, entity)?;
    Ok(())
}

/// The lanes of the track of an entity, and the place of its own among them.
fn lanes_of<'s>(scope: &Scope<'s>, lane: LaneId) -> (&'s [LaneId], usize) {
    let on = scope.catalog().lane(lane);
    let tracks = scope.store().tracks();
    let lanes = tracks.find(on.container, on.type_id).map_or(&[][..], |id| tracks.lanes(id));
    let place = lanes.iter().position(|other| *other == lane).unwrap_or(lanes.len());
    (lanes, place)
}

fn add_nesting(scope: &Scope<'_>, entity: &Entity, found: &mut Inspection) -> Result<()> {
    let store = scope.store();
    let (lanes, place) = lanes_of(scope, entity.lane);
    let nested = |lane, row, state: &StateRow, inside| Nested {
        lane,
        row,
        title: printable(&scope.catalog().value(state.value).name).into_owned(),
        start: state.start,
        end: state.end,
        inside,
    };
    let mut above = entity.around;
    for &lane in lanes[..place].iter().rev() {
        let Some(row) = above else { break };
        let (state, next) = store.state(lane, row)?;
        if scope.sees_state(&state) {
            found.nesting.push(nested(lane, row, &state, false));
        }
        above = next;
    }
    found.nesting.reverse();
    let Some(&inner) = lanes.get(place + 1) else { return Ok(()) };
    let mut inside = Vec::new();
    // A state of no length may lie at the very end.
    let window = Window::new(entity.start, entity.end.saturating_add(1));
    store.visit_states(inner, window, 0, |row, state, parent| {
        if parent == Some(entity.row) && scope.sees_state(state) {
            match inside.len() {
                MOST => found.inside_left_out += 1,
                _ => inside.push((row, *state)),
            }
        }
    })?;
    found.nesting.extend(inside.iter().map(|(row, state)| nested(inner, *row, state, true)));
    Ok(())
}

/// A link that begins or ends in an entity.
pub(super) struct Touching {
    pub key: LinkKey,
    pub direction: Direction,
    other: Option<ContainerId>,
    value: ValueId,
}

/// The seen links that begin or end in an entity, in order of time.
pub(super) fn links_of(scope: &Scope<'_>, entity: &Entity) -> Result<Vec<Touching>> {
    let Some(container) = entity.container.filter(|_| entity.nature != Nature::Link) else {
        return Ok(Vec::new());
    };
    // A link may end at the very instant at which the entity begins, and a window is half open.
    let window = Window::new(entity.start.saturating_sub(1), entity.end.saturating_add(1));
    let own: ContainerSet = [container].into_iter().collect();
    let mut links: Vec<Touching> = Vec::new();
    for (lane, _) in scope.link_lanes() {
        scope.store().visit_links(lane, window, Some(&own), 0, |row, link| {
            let Some(direction) = entity.touched_by(link).filter(|_| scope.sees_link(link)) else {
                return;
            };
            let other = match direction {
                Direction::Out => link.destination,
                Direction::In => link.source,
            };
            let key = LinkKey { start: link.start, end: link.end, lane, row };
            links.push(Touching { key, direction, other, value: link.value });
        })?;
    }
    links.sort_unstable_by_key(|link| link.key);
    Ok(links)
}

fn add_links(scope: &Scope<'_>, entity: &Entity, found: &mut Inspection) -> Result<()> {
    let mut links = links_of(scope, entity)?;
    found.links_left_out = links.len().saturating_sub(MOST) as u64;
    links.truncate(MOST);
    let listed = links.into_iter().map(|Touching { key, direction, other, value }| LinkEnd {
        lane: key.lane,
        row: key.row,
        direction,
        title: printable(&scope.catalog().value(value).name).into_owned(),
        start: key.start,
        end: key.end,
        other,
        place: other.map(|id| place_of(scope, id)),
    });
    found.links = listed.collect();
    Ok(())
}

/// Links are listed in order of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinkKey {
    pub start: Ticks,
    pub end: Ticks,
    pub lane: LaneId,
    pub row: u64,
}

fn same_value(scope: &Scope<'_>, entity: &Entity) -> Result<Option<SameValue>> {
    let Some(value) = entity.value else { return Ok(None) };
    let store = scope.store();
    match entity.nature {
        Nature::State => {
            let on = scope.catalog().lane(entity.lane);
            let track = store.tracks().find(on.container, on.type_id);
            track.map(|track| states_like(scope, track, value)).transpose()
        }
        Nature::Event => {
            let counts = store.event_counts(entity.lane, scope.instants())?;
            let count = counts.iter().find(|(other, _)| *other == value).map_or(0, |(_, n)| *n);
            Ok(Some(SameValue { count, ..SameValue::default() }))
        }
        _ => Ok(None),
    }
}

/// The states of a value in a track.
fn states_like(scope: &Scope<'_>, track: TrackId, value: ValueId) -> Result<SameValue> {
    let window = scope.window();
    let mut found = SameValue::default();
    let (mut of_value, mut of_all) = (Covered::default(), Covered::default());
    let mut durations: i128 = 0;
    scope.visit_states(track, |_, _, state| {
        of_all.add(window, state);
        if state.value != value {
            return;
        }
        of_value.add(window, state);
        let duration = state.end.saturating_sub(state.start);
        found.count += 1;
        found.total += i128::from(window.overlap(state.start, state.end));
        durations += i128::from(duration);
        found.min = Some(found.min.map_or(duration, |least| least.min(duration)));
        found.max = Some(found.max.map_or(duration, |most| most.max(duration)));
    })?;
    found.share = (of_all.ticks > 0).then(|| of_value.ticks as f64 / of_all.ticks as f64);
    found.mean = (found.count > 0).then(|| durations as f64 / found.count as f64);
    Ok(found)
}

/// How much time states cover that come in order of their begin.
#[derive(Default)]
struct Covered {
    ticks: i128,
    to: Option<Ticks>,
}

impl Covered {
    fn add(&mut self, window: Window, state: &StateRow) {
        let from = self.to.map_or(state.start, |to| to.max(state.start));
        self.ticks += i128::from(window.overlap(from, state.end.max(from)));
        self.to = Some(self.to.map_or(state.end, |to| to.max(state.end)));
    }
}

/// How much of a value there is in a node and everything below it, from cumulative sums where the
/// lens allows: durations are not among them.
pub(super) fn value_in(
    scope: &Scope<'_>,
    value: ValueId,
    node: NodeId,
) -> Result<Option<SameValue>> {
    let type_id = scope.catalog().value(value).type_id;
    if scope.catalog().type_def(type_id).nature != Nature::State {
        return Ok(None);
    }
    let cut = Cut::new(scope, &Level::Own)?;
    let hierarchy = scope.hierarchy();
    let mut inside = vec![false; hierarchy.len()];
    inside[node.index()] = true;
    // Parents come before children.
    for child in hierarchy.nodes().skip(1) {
        inside[child.index()] |= inside[hierarchy.parent(child).index()];
    }
    let times = state_times(scope, &cut, scope.window(), Measure::Exclusive)?;
    let (mut total, mut all) = (0i128, 0i128);
    for row in times.rows.iter().filter(|row| inside[cut.nodes()[row.place].index()]) {
        if scope.catalog().value(row.value).type_id == type_id {
            all += row.ticks;
            total += if row.value == value { row.ticks } else { 0 };
        }
    }
    let mut count = 0;
    for (track, on, own) in scope.tracks(Nature::State) {
        if on.type_id == type_id && inside[own.index()] {
            let counts = scope.store().state_counts(track, scope.instants())?;
            count += counts.iter().find(|(other, _)| *other == value).map_or(0, |(_, n)| *n);
        }
    }
    let share = (all > 0).then(|| total as f64 / all as f64);
    Ok(Some(SameValue { count, total, share, ..SameValue::default() }))
}
