//! A lens applied to a store and a window: what is seen of a trace.

use std::ops::Range;

use onca_model::{
    Catalog, ContainerId, EventRow, Flow, LaneId, LinkRow, Nature, StateRow, Ticks, TypeId,
    ValueId, VariableRow, Window,
};
use onca_store::{ContainerSet, Store, Track, TrackId};

use crate::{
    Hierarchy, Lens, LockRule, NodeId, Resolver, Role,
    error::{LensError, Result},
    grouping,
    lens::Filter,
    order,
    reduction::Reduction,
    role::add_by_context,
    seen_in::SeenIn,
    tree_import::{draft, level_name},
};

/// Some links of a lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkPart {
    /// The lane.
    pub lane: LaneId,
    /// Some of its blocks.
    pub blocks: Range<usize>,
}

impl LinkPart {
    /// Blocks of a part: enough to be worth a thread's while.
    const BLOCKS: usize = 8;
}

/// What is seen of a trace through a lens during a window.
///
/// A lens takes entities away; it does not change those that remain. In particular the exclusive
/// time of a state is what the trace says: the time of a hidden nested state does not go to the
/// state around it.
#[derive(Clone)]
pub struct Scope<'s> {
    store: &'s Store,
    window: Window,
    containers: ContainerSet,
    types: Vec<bool>,
    values: Vec<bool>,
    roles: Vec<Option<Role>>,
    /// Types that are seen in some containers only.
    seen_in: Vec<SeenIn>,
    min_duration: Ticks,
    hierarchy: Hierarchy,
    reductions: Vec<Reduction>,
    reuse: Vec<Vec<u8>>,
    locks: Vec<LockRule>,
    is_clear: bool,
}

impl<'s> Scope<'s> {
    /// Applies a lens. What the lens names must be in the trace.
    pub fn new(store: &'s Store, lens: &Lens, window: Window) -> Result<Self> {
        let catalog = store.catalog();
        let resolver = Resolver::new(catalog);
        let select = &lens.select;
        let containers = selected_containers(&resolver, catalog, &select.containers)?;
        let mut draft = draft(store, &containers, lens.hierarchy.as_ref())?;
        grouping::apply(&mut draft, &lens.group, catalog)?;
        let reuse = lens.reuse_rows.iter().map(|level| level_name(catalog, level)).collect();
        let n_types = catalog.types.len();
        let n_named = n_types + lens.reduce.len();
        let mut types = chosen("select.types", &select.types, n_named, |text| {
            let derived = derived_named(lens, text)?;
            let found = match resolver.types(text) {
                // What is derived has a name of its own, which the trace need not know.
                Err(_) if !derived.is_empty() => Vec::new(),
                Err(why) if !lens.reduce.is_empty() => {
                    let names: Vec<&str> = lens.reduce.iter().map(|spec| &*spec.name).collect();
                    return Err(format!("{why}; the lens derives {}", names.join(", ")));
                }
                found => found?,
            };
            let derived = derived.into_iter().map(|index| n_types + index);
            Ok(found.into_iter().map(TypeId::index).chain(derived).collect())
        })?;
        let derived = types.split_off(n_types);
        let locks = lens.locks.iter().enumerate();
        let locks = locks.map(|(index, spec)| LockRule::new(&resolver, catalog, index, spec));
        let mut scope = Self {
            store,
            window,
            containers,
            types,
            values: chosen("select.values", &select.values, catalog.values.len(), |text| {
                Ok(resolver.values(text)?.into_iter().map(ValueId::index).collect())
            })?,
            roles: roles(&resolver, catalog, lens, add_by_context)?,
            seen_in: (select.types_in.iter().enumerate())
                .map(|(index, spec)| SeenIn::new(&resolver, n_types, index, spec))
                .collect::<Result<_>>()?,
            min_duration: min_duration(lens, catalog)?,
            hierarchy: Hierarchy::new(draft),
            reductions: Vec::new(),
            reuse,
            locks: locks.collect::<Result<_>>()?,
            is_clear: *lens == Lens::clear(),
        };
        order::apply(&mut scope, &lens.order, &resolver)?;
        for (index, spec) in lens.reduce.iter().enumerate() {
            let reduction = Reduction::new(&scope, spec, &resolver)
                .map_err(|why| LensError::unfit(format!("reduce[{index}]"), why))?;
            if derived[index] {
                scope.reductions.push(reduction);
            }
        }
        Ok(scope)
    }

    /// The same with only the containers that some nodes and those below them count. The tree keeps
    /// all its nodes; reductions go, for they are about all containers.
    pub fn below(mut self, nodes: &[NodeId]) -> Self {
        let mut kept = vec![false; self.hierarchy.len()];
        for node in nodes {
            if let Some(kept) = kept.get_mut(node.index()) {
                *kept = true;
            }
        }
        // Parents come before children.
        for node in self.hierarchy.nodes().skip(1) {
            kept[node.index()] |= kept[self.hierarchy.parent(node).index()];
        }
        self.hierarchy.leave_out(|node| !kept[node.index()]);
        self.containers = self.hierarchy.members().map(|(container, _)| container).collect();
        self.reductions.clear();
        self.is_clear = false;
        self
    }

    /// The same during another window: rows have the same numbers and the same order.
    pub fn during(&self, window: Window) -> Self {
        Self { window, ..self.clone() }
    }

    /// The store.
    pub fn store(&self) -> &'s Store {
        self.store
    }

    /// What the trace declares.
    pub fn catalog(&self) -> &'s Catalog {
        self.store.catalog()
    }

    /// Is everything seen as it is?
    pub fn is_clear(&self) -> bool {
        self.is_clear
    }

    /// The window.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The window for things that happen at an instant: it holds the last instant of the trace
    /// where the window reaches to the end of the trace.
    pub fn instants(&self) -> Window {
        let Window { from, to } = self.window;
        let closed = to == self.catalog().facts.end && from <= to;
        Window { from, to: if closed { to.saturating_add(1) } else { to } }
    }

    /// The tree of what is seen.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    pub(crate) fn hierarchy_mut(&mut self) -> &mut Hierarchy {
        &mut self.hierarchy
    }

    /// The path of a node from the root.
    pub fn path(&self, node: NodeId) -> String {
        self.hierarchy.path(&self.catalog().containers, node)
    }

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> &[u8] {
        self.hierarchy.name(&self.catalog().containers, node)
    }

    /// The nodes of a level: the name or alias of a container type, or an imported kind.
    pub fn at_level(&self, level: &str) -> std::result::Result<Vec<NodeId>, String> {
        self.hierarchy.at_level(&level_name(self.catalog(), level))
    }

    /// The containers whose entities are seen.
    pub fn containers(&self) -> &ContainerSet {
        &self.containers
    }

    /// The derived variables and states that are seen.
    pub fn reductions(&self) -> &[Reduction] {
        &self.reductions
    }

    /// The rules that find locks in states.
    pub fn locks(&self) -> &[LockRule] {
        &self.locks
    }

    /// Do containers of this kind share rows?
    pub(crate) fn reuses_rows(&self, kind: &[u8]) -> bool {
        self.reuse.iter().any(|level| level == kind)
    }

    /// Is the type seen?
    pub fn sees_type(&self, id: TypeId) -> bool {
        self.types.get(id.index()).copied().unwrap_or(false)
    }

    /// Are states, events or variables of a type seen in a container?
    pub fn sees_in(&self, id: TypeId, container: ContainerId) -> bool {
        let seen_there = |rule: &SeenIn| !rule.is_about(id) || rule.sees(container);
        self.containers.contains(container)
            && self.sees_type(id)
            && self.seen_in.iter().all(seen_there)
    }

    /// Are links of a type seen between these ends, as far as they are known?
    #[inline]
    pub fn sees_ends(&self, id: TypeId, ends: [Option<ContainerId>; 2]) -> bool {
        let sees_end = |end: Option<ContainerId>| end.is_none_or(|id| self.containers.contains(id));
        let seen_there = |rule: &SeenIn| !rule.is_about(id) || rule.sees_link(ends);
        ends.into_iter().all(sees_end) && self.seen_in.iter().all(seen_there)
    }

    /// Is a link of a type seen whenever both its containers are? Then sums by pair of containers
    /// need no sorting out.
    pub fn sees_all_ends(&self, id: TypeId) -> bool {
        !self.seen_in.iter().any(|rule| rule.is_about(id))
    }

    /// Is the value seen, and its type?
    #[inline]
    pub fn sees_value(&self, id: ValueId) -> bool {
        self.values.get(id.index()).copied().unwrap_or(false)
    }

    /// Is every value seen? Then cumulative sums need no sorting out.
    pub fn sees_all_values(&self) -> bool {
        self.values.iter().all(|seen| *seen)
    }

    /// The role of a value: what the lens says, else a guess from the name, else one from what stands around it.
    pub fn role(&self, id: ValueId) -> Option<Role> {
        self.roles.get(id.index()).copied().flatten()
    }

    /// States and links that last less are not seen; 0 sees all.
    pub fn min_duration(&self) -> Ticks {
        self.min_duration
    }

    /// The seen tracks of states, events or variables, each with the node that counts it.
    pub fn tracks(&self, nature: Nature) -> impl Iterator<Item = (TrackId, &'s Track, NodeId)> {
        let catalog = self.catalog();
        self.store.tracks().iter().filter_map(move |(id, track)| {
            let node = self.hierarchy.node_of(track.container)?;
            let of_nature = catalog.type_def(track.type_id).nature == nature;
            (of_nature && self.sees_in(track.type_id, track.container)).then_some((id, track, node))
        })
    }

    /// The lanes of the seen link types. Their owner does not matter: a link is seen when its
    /// ends are.
    pub fn link_lanes(&self) -> impl Iterator<Item = (LaneId, TypeId)> {
        let catalog = self.catalog();
        let lanes = catalog.lanes.iter().enumerate();
        lanes.filter_map(move |(id, lane)| {
            let is_link = catalog.type_def(lane.type_id).nature == Nature::Link;
            (is_link && self.sees_type(lane.type_id)).then_some((LaneId(id as u32), lane.type_id))
        })
    }

    /// Is a state of a seen track seen?
    #[inline]
    pub fn sees_state(&self, row: &StateRow) -> bool {
        self.sees_value(row.value) && lasts(row.start, row.end, self.min_duration)
    }

    /// Is an event of a seen track seen?
    #[inline]
    pub fn sees_event(&self, row: &EventRow) -> bool {
        self.sees_value(row.value)
    }

    /// Is a link of a seen type seen? Both its ends must be, as far as they are known.
    #[inline]
    pub fn sees_link(&self, row: &LinkRow<'_>) -> bool {
        self.sees_value(row.value)
            && lasts(row.start, row.end, self.min_duration)
            && self
                .sees_ends(self.catalog().value(row.value).type_id, [row.source, row.destination])
    }

    /// Visits the seen states of a track that touch the window, of all depths, each before those
    /// inside it: depth, row number in the lane of that depth, state.
    pub fn visit_states<F: Flow>(
        &self,
        track: TrackId,
        mut visit: impl FnMut(usize, u64, &StateRow) -> F,
    ) -> Result<F::Out> {
        Ok(self.store.visit_track_states(
            track,
            self.window,
            self.min_duration,
            |depth, row, state| match self.sees_value(state.value) {
                true => visit(depth, row, state),
                false => F::next(),
            },
        )?)
    }

    /// Visits the seen links of a lane that touch the window, in order of completion.
    pub fn visit_links<F: Flow>(
        &self,
        lane: LaneId,
        visit: impl FnMut(u64, &LinkRow<'_>) -> F,
    ) -> Result<F::Out> {
        let blocks = 0..self.store.blocks(lane).len();
        self.visit_link_part(&LinkPart { lane, blocks }, visit)
    }

    /// The seen links in parts that several threads can share.
    pub fn link_parts(&self) -> Vec<LinkPart> {
        let parts = self.link_lanes().flat_map(|(lane, _)| {
            let n = self.store.blocks(lane).len();
            let parts = (0..n).step_by(LinkPart::BLOCKS);
            parts.map(move |from| LinkPart { lane, blocks: from..n.min(from + LinkPart::BLOCKS) })
        });
        parts.collect()
    }

    /// Visits the seen links of a part that touch the window, in order of completion.
    pub fn visit_link_part<F: Flow>(
        &self,
        part: &LinkPart,
        mut visit: impl FnMut(u64, &LinkRow<'_>) -> F,
    ) -> Result<F::Out> {
        let (window, least) = (self.instants(), self.min_duration);
        let blocks = part.blocks.clone();
        Ok(self.store.visit_link_blocks(part.lane, blocks, window, None, least, |row, link| {
            if self.sees_link(link) { visit(row, link) } else { F::next() }
        })?)
    }

    /// Visits the seen events of a lane in the window.
    pub fn visit_events<F: Flow>(
        &self,
        lane: LaneId,
        mut visit: impl FnMut(u64, &EventRow) -> F,
    ) -> Result<F::Out> {
        Ok(self.store.visit_events(lane, self.instants(), |row, event| {
            if self.sees_event(event) { visit(row, event) } else { F::next() }
        })?)
    }

    /// Visits the steps of a variable that touch the window.
    pub fn visit_variables<F: Flow>(
        &self,
        lane: LaneId,
        visit: impl FnMut(u64, &VariableRow) -> F,
    ) -> Result<F::Out> {
        Ok(self.store.visit_variables(lane, self.instants(), visit)?)
    }
}

/// Zero or less takes all, also links that end before they start.
#[inline]
fn lasts(start: Ticks, end: Ticks, min_duration: Ticks) -> bool {
    min_duration <= 0 || end.saturating_sub(start) >= min_duration
}

/// The containers that a filter leaves.
fn selected_containers(
    resolver: &Resolver<'_>,
    catalog: &Catalog,
    filter: &Filter,
) -> Result<ContainerSet> {
    let unfit = |why| LensError::unfit("select.containers", why);
    let n = catalog.containers.len();
    let only = match &filter.only {
        None => ContainerSet::first(n),
        Some(references) => resolver.all_containers(references).map_err(unfit)?,
    };
    if filter.hide.is_empty() {
        return Ok(only);
    }
    let hidden = resolver.all_containers(&filter.hide).map_err(unfit)?;
    let ids = (0..n as u32).map(ContainerId);
    Ok(ids.filter(|&id| only.contains(id) && !hidden.contains(id)).collect())
}

/// The derived variables and states of a lens that a pattern of types names.
fn derived_named(lens: &Lens, text: &str) -> std::result::Result<Vec<usize>, String> {
    let pattern = crate::NamePattern::parse(text)?;
    let names = lens.reduce.iter().map(|spec| spec.name.as_str());
    let is_named = |name: &str| name == text || pattern.matches(name.as_bytes());
    Ok(names.enumerate().filter(|(_, name)| is_named(name)).map(|(index, _)| index).collect())
}

/// Which of `n` things a filter leaves.
fn chosen(
    part: &str,
    filter: &Filter,
    n: usize,
    find: impl Fn(&str) -> std::result::Result<Vec<usize>, String>,
) -> Result<Vec<bool>> {
    let unfit = |why| LensError::unfit(part, why);
    let mut seen = vec![filter.only.is_none(); n];
    for text in filter.only.iter().flatten() {
        find(text).map_err(unfit)?.into_iter().for_each(|index| seen[index] = true);
    }
    for text in &filter.hide {
        find(text).map_err(unfit)?.into_iter().for_each(|index| seen[index] = false);
    }
    Ok(seen)
}

/// The role of every value: what the lens says, else a guess from the name, else what `otherwise` gives. A lens
/// may name values that this trace does not have.
pub(crate) fn roles(
    resolver: &Resolver<'_>,
    catalog: &Catalog,
    lens: &Lens,
    otherwise: impl Fn(&Catalog, &mut [Option<Role>]),
) -> Result<Vec<Option<Role>>> {
    let mut roles: Vec<_> = catalog.values.iter().map(|value| Role::guess(&value.name)).collect();
    otherwise(catalog, &mut roles);
    for (pattern, role) in &lens.roles {
        crate::NamePattern::parse(pattern).map_err(|why| LensError::unfit("roles", why))?;
        for value in resolver.values(pattern).unwrap_or_default() {
            roles[value.index()] = Some(*role);
        }
    }
    Ok(roles)
}

/// The role of every value for analyses, as [`Scope::role`] tells it through the clear lens.
pub fn roles_of(catalog: &Catalog) -> Result<Vec<Option<Role>>> {
    roles(&Resolver::new(catalog), catalog, &Lens::clear(), add_by_context)
}

fn min_duration(lens: &Lens, catalog: &Catalog) -> Result<Ticks> {
    let unfit = |why| LensError::unfit("select.min_duration", why);
    let Some(duration) = &lens.select.min_duration else { return Ok(0) };
    let ticks = duration.parse().and_then(|time| time.duration(&catalog.facts)).map_err(unfit)?;
    if ticks < 0 {
        return Err(unfit("a length of time cannot be negative".to_owned()));
    }
    Ok(ticks)
}
