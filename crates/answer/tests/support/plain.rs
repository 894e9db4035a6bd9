//! Everything in a store as plain lists, and what a slice of it is, the obvious way.

use std::collections::{BTreeMap, BTreeSet};

use onca_aggregate::slice::{Bounds, Crossing, LinkEnd};
use onca_answer::slice::{LinkMeasure, VariableMeasure};
use onca_model::{
    ContainerId, EventRow, LinkRow, Nature, StateRow, Ticks, TypeId, VariableRow, Window,
};
use onca_query::{NodeId, Scope};
use onca_store::Store;

/// What a node has of a value of a type, by slice. `None` where there is nothing.
pub type Amounts = BTreeMap<(NodeId, String, String), Vec<Option<f64>>>;

/// A state and the one right around it.
pub struct PlainState {
    pub container: ContainerId,
    pub type_id: TypeId,
    pub row: StateRow,
    pub around: Option<StateRow>,
}

/// All entities of a trace.
pub struct Plain {
    pub states: Vec<PlainState>,
    pub variables: Vec<(ContainerId, TypeId, VariableRow)>,
    pub events: Vec<(ContainerId, EventRow)>,
    pub links: Vec<(TypeId, LinkRow<'static>)>,
}

impl Plain {
    pub fn of(store: &Store) -> Self {
        let mut plain = Self { states: vec![], variables: vec![], events: vec![], links: vec![] };
        let (catalog, all) = (store.catalog(), Window::ALL);
        for (id, track) in store.tracks().iter() {
            let mut outer: Vec<StateRow> = Vec::new();
            for &lane in store.tracks().lanes(id) {
                let (container, type_id) = (track.container, track.type_id);
                let mut rows = Vec::new();
                match catalog.type_def(type_id).nature {
                    Nature::State => store
                        .visit_states(lane, all, 0, |_, row, parent| {
                            let around = parent.and_then(|row| outer.get(row as usize)).copied();
                            plain.states.push(PlainState { container, type_id, row: *row, around });
                            rows.push(*row);
                        })
                        .expect("states"),
                    Nature::Variable => store
                        .visit_variables(lane, all, |_, row| {
                            plain.variables.push((container, type_id, *row));
                        })
                        .expect("variables"),
                    Nature::Event => store
                        .visit_events(lane, all, |_, row| plain.events.push((container, *row)))
                        .expect("events"),
                    Nature::Link => store
                        .visit_links(lane, all, None, 0, |_, row| {
                            plain.links.push((type_id, LinkRow { key: b"", ..*row }));
                        })
                        .expect("links"),
                    Nature::Container => {}
                }
                outer = rows;
            }
        }
        plain
    }

    pub fn state_time(&self, scope: &Scope<'_>, bounds: &Bounds, inclusive: bool) -> Amounts {
        let mut sums = Sums::new(scope, bounds);
        for state in &self.states {
            let seen = |row: &StateRow| scope.sees_type(state.type_id) && scope.sees_state(row);
            for slice in 0..bounds.n_slices() {
                let ticks = overlap(bounds.slice(slice), state.row.start, state.row.end) as f64;
                if seen(&state.row) {
                    sums.add_value(state.container, state.row.value, slice, ticks);
                }
                let around = state.around.as_ref().filter(|row| !inclusive && seen(row));
                if let Some(around) = around {
                    sums.add_value(state.container, around.value, slice, -ticks);
                }
            }
        }
        sums.amounts
    }

    pub fn state_count(&self, scope: &Scope<'_>, bounds: &Bounds) -> Amounts {
        let mut sums = Sums::new(scope, bounds);
        for PlainState { container, type_id, row, .. } in &self.states {
            for slice in 0..bounds.n_slices() {
                let window = bounds.slice(slice);
                let touches = window.from < window.to && window.touches(row.start, row.end);
                if touches && scope.sees_type(*type_id) && scope.sees_state(row) {
                    sums.add_value(*container, row.value, slice, 1.0);
                }
            }
        }
        sums.amounts
    }

    pub fn event_count(&self, scope: &Scope<'_>, bounds: &Bounds) -> Amounts {
        let mut sums = Sums::new(scope, bounds);
        for (container, row) in &self.events {
            for slice in 0..bounds.n_slices() {
                let inside = instants(scope, bounds, slice).touches(row.time, row.time);
                let type_id = scope.catalog().value(row.value).type_id;
                if inside && scope.sees_type(type_id) && scope.sees_event(row) {
                    sums.add_value(*container, row.value, slice, 1.0);
                }
            }
        }
        sums.amounts
    }

    pub fn variable(
        &self,
        scope: &Scope<'_>,
        bounds: &Bounds,
        measure: VariableMeasure,
    ) -> Amounts {
        let mut found: BTreeMap<(NodeId, TypeId, usize), Vec<(Ticks, f64)>> = BTreeMap::new();
        for (container, type_id, row) in &self.variables {
            let node = scope.hierarchy().node_of(*container);
            for slice in 0..bounds.n_slices() {
                let window = instants(scope, bounds, slice);
                let Some(node) = node.filter(|_| scope.sees_type(*type_id)) else { continue };
                if window.touches(row.start, row.end) && row.value.is_finite() {
                    let ticks = overlap(window, row.start, row.end);
                    found.entry((node, *type_id, slice)).or_default().push((ticks, row.value));
                }
            }
        }
        let mut amounts = Amounts::new();
        for ((node, type_id, slice), steps) in found {
            let name = text(&scope.catalog().type_def(type_id).name);
            let integral: f64 = steps.iter().map(|(ticks, value)| *ticks as f64 * value).sum();
            let defined: Ticks = steps.iter().map(|(ticks, _)| ticks).sum();
            let width = bounds.widths()[slice] as f64;
            let values = steps.iter().map(|(_, value)| *value);
            let amount = match measure {
                VariableMeasure::Min => values.reduce(f64::min),
                VariableMeasure::Max => values.reduce(f64::max),
                _ if defined == 0 => None,
                VariableMeasure::Mean => Some(integral / width),
                VariableMeasure::Defined => Some(integral / defined as f64),
                VariableMeasure::Integral => Some(integral / 1e9),
            };
            let row = amounts.entry((node, name.clone(), name));
            row.or_insert_with(|| vec![None; bounds.n_slices()])[slice] = amount;
        }
        amounts
    }

    pub fn link(
        &self,
        scope: &Scope<'_>,
        bounds: &Bounds,
        measure: LinkMeasure,
        end: LinkEnd,
        border: Crossing,
    ) -> Amounts {
        let mut sums = Sums::new(scope, bounds);
        for (source, destination, link) in self.seen_links(scope) {
            let duration = (link.end - link.start).max(0) as f64;
            for (slice, ticks) in link_slices(scope, bounds, border, link) {
                let size = link.size.unwrap_or(0) as f64;
                let inside = if duration > 0.0 { size * ticks / duration } else { size };
                let amount = match measure {
                    LinkMeasure::Count => 1.0,
                    LinkMeasure::Time => ticks,
                    LinkMeasure::Size => inside,
                    LinkMeasure::Rate if duration == 0.0 => 0.0,
                    LinkMeasure::Rate => size / (duration / 1e9),
                    LinkMeasure::Weighted => ticks * inside / bounds.widths()[slice] as f64,
                };
                sums.add_value(end.of(source, destination), link.value, slice, amount);
            }
        }
        sums.amounts
    }

    /// The number of links between nodes, by slice.
    pub fn pairs(
        &self,
        scope: &Scope<'_>,
        bounds: &Bounds,
        border: Crossing,
    ) -> BTreeMap<(NodeId, NodeId, usize), u64> {
        let mut pairs = BTreeMap::new();
        let node = |id| scope.hierarchy().node_of(id).expect("a seen container");
        for (source, destination, link) in self.seen_links(scope) {
            for (slice, _) in link_slices(scope, bounds, border, link) {
                *pairs.entry((node(source), node(destination), slice)).or_default() += 1;
            }
        }
        pairs
    }

    /// How many links touch the window and cross a bound of a slice.
    pub fn n_crossing(&self, scope: &Scope<'_>, bounds: &Bounds) -> u64 {
        let crosses = |link: &LinkRow<'_>| {
            let inside = link_slices(scope, bounds, Crossing::Drop, link);
            let touched = link_slices(scope, bounds, Crossing::Clip, link);
            inside.is_empty() && !touched.is_empty()
        };
        self.seen_links(scope).filter(|(_, _, link)| crosses(link)).count() as u64
    }

    fn seen_links<'a>(
        &'a self,
        scope: &'a Scope<'_>,
    ) -> impl Iterator<Item = (ContainerId, ContainerId, &'a LinkRow<'static>)> {
        let seen =
            self.links.iter().filter(|(id, row)| scope.sees_type(*id) && scope.sees_link(row));
        seen.filter_map(|(_, row)| Some((row.source?, row.destination?, row)))
    }
}

/// The slices that a link counts in, with its ticks there.
fn link_slices(
    scope: &Scope<'_>,
    bounds: &Bounds,
    border: Crossing,
    link: &LinkRow<'_>,
) -> Vec<(usize, f64)> {
    let all = 0..bounds.n_slices();
    if link.start >= link.end {
        let inside =
            |slice: &usize| instants(scope, bounds, *slice).touches(link.start, link.start);
        return all.filter(inside).map(|slice| (slice, 0.0)).collect();
    }
    let touched: Vec<(usize, f64)> = all
        .map(|slice| (slice, overlap(bounds.slice(slice), link.start, link.end) as f64))
        .filter(|(_, ticks)| *ticks > 0.0)
        .collect();
    let is_whole = |&(_, ticks): &(usize, f64)| ticks == (link.end - link.start) as f64;
    match border {
        Crossing::Clip => touched,
        Crossing::Drop => touched.into_iter().filter(is_whole).collect(),
    }
}

/// A slice that holds the last instant of the trace, if the window reaches to it.
fn instants(scope: &Scope<'_>, bounds: &Bounds, slice: usize) -> Window {
    let mut window = bounds.slice(slice);
    if slice + 1 == bounds.n_slices() && window.to == scope.catalog().facts.end {
        window.to += 1;
    }
    window
}

fn overlap(window: Window, start: Ticks, end: Ticks) -> Ticks {
    (end.min(window.to) - start.max(window.from)).max(0)
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Amounts that are summed up.
struct Sums<'a> {
    scope: &'a Scope<'a>,
    n_slices: usize,
    amounts: Amounts,
}

impl<'a> Sums<'a> {
    fn new(scope: &'a Scope<'_>, bounds: &Bounds) -> Self {
        Self { scope, n_slices: bounds.n_slices(), amounts: Amounts::new() }
    }

    fn add_value(
        &mut self,
        container: ContainerId,
        value: onca_model::ValueId,
        slice: usize,
        amount: f64,
    ) {
        let Some(node) = self.scope.hierarchy().node_of(container) else { return };
        let (catalog, def) = (self.scope.catalog(), self.scope.catalog().value(value));
        let type_name = text(&catalog.type_def(def.type_id).name);
        let row = self.amounts.entry((node, type_name, text(&def.name)));
        let cell = &mut row.or_insert_with(|| vec![None; self.n_slices])[slice];
        *cell = Some(cell.unwrap_or(0.0) + amount);
    }
}

/// The sum of a group: what its nodes have.
pub fn summed_up(scope: &Scope<'_>, own: &Amounts) -> Amounts {
    let mut all = Amounts::new();
    for ((node, type_name, name), amounts) in own {
        let mut above: BTreeSet<NodeId> = BTreeSet::from([*node]);
        let mut at = *node;
        while at != NodeId::ROOT {
            at = scope.hierarchy().parent(at);
            above.insert(at);
        }
        for node in above {
            let row = all.entry((node, type_name.clone(), name.clone()));
            let row = row.or_insert_with(|| vec![None; amounts.len()]);
            for (sum, amount) in row.iter_mut().zip(amounts) {
                *sum = amount.map_or(*sum, |amount| Some(sum.unwrap_or(0.0) + amount));
            }
        }
    }
    all
}
