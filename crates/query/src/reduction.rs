//! Derived variables and states: a number at each instant, made of all containers below a node.

use onca_model::{LaneId, Nature, Ticks, TypeId, Window};
use onca_store::TrackId;

use crate::{
    NodeId, Resolver, Scope,
    error::Result,
    lens::{ReductionForm, ReductionOp, ReductionSpec},
};

/// How many changes are kept at once; a window with more is done in parts.
const MAX_CHANGES: usize = 1 << 23;

/// A derived variable or state of the nodes of one level.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The name of what it makes.
    pub name: String,
    /// What it makes: a variable, or states with one value for each number.
    pub form: ReductionForm,
    /// The nodes that have it.
    pub nodes: Vec<NodeId>,
    /// No count can be larger: the most containers that one of the nodes has below it.
    pub most: u32,
    op: ReductionOp,
    /// The type whose tracks are reduced.
    type_id: TypeId,
    /// For states: the values that count.
    counts: Vec<bool>,
}

impl Reduction {
    pub(crate) fn new(
        scope: &Scope<'_>,
        spec: &ReductionSpec,
        resolver: &Resolver<'_>,
    ) -> std::result::Result<Self, String> {
        let catalog = scope.catalog();
        let mut counts = vec![false; catalog.values.len()];
        let type_id = match spec.op {
            ReductionOp::Count | ReductionOp::Busy => {
                for pattern in &spec.values {
                    resolver.values(pattern)?.iter().for_each(|value| counts[value.index()] = true);
                }
                let of_state = |value: &&onca_model::ValueDef| {
                    catalog.type_def(value.type_id).nature == Nature::State
                };
                let chosen = catalog.values.iter().zip(&counts).filter(|(_, counts)| **counts);
                let mut types: Vec<TypeId> = chosen
                    .map(|(value, _)| value)
                    .filter(of_state)
                    .map(|value| value.type_id)
                    .collect();
                types.dedup();
                types.sort_unstable();
                types.dedup();
                match types.as_slice() {
                    [one] => *one,
                    [] => return Err("name the values of states that count".to_owned()),
                    _ => {
                        return Err(
                            "the values belong to several types; write TYPE:VALUE".to_owned()
                        );
                    }
                }
            }
            ReductionOp::Sum | ReductionOp::Mean | ReductionOp::Min | ReductionOp::Max => {
                let name = spec.variable.as_deref().ok_or("name the variable that is reduced")?;
                let found = resolver.types(name)?;
                let variables = |id: &TypeId| catalog.type_def(*id).nature == Nature::Variable;
                let found: Vec<TypeId> = found.into_iter().filter(variables).collect();
                match found.as_slice() {
                    [one] => *one,
                    [] => return Err(format!("{name:?} is no variable")),
                    _ => return Err(format!("{name:?} means several variables; use an alias")),
                }
            }
        };
        if spec.form == ReductionForm::States && spec.op != ReductionOp::Count {
            return Err("only a count can be shown as states".to_owned());
        }
        let nodes = scope.at_level(&spec.level)?;
        Ok(Self {
            name: spec.name.clone(),
            form: spec.form,
            most: most_below(scope, type_id, &nodes),
            nodes,
            op: spec.op,
            type_id,
            counts,
        })
    }

    /// Visits the steps of the derived variable of a node during a window, in order and clipped to
    /// it: begin, end, value. Where it has no value there is no step; neighbours differ in value.
    pub fn visit(
        &self,
        scope: &Scope<'_>,
        node: NodeId,
        window: Window,
        visit: impl FnMut(Ticks, Ticks, f64),
    ) -> Result<()> {
        let below = self.tracks_below(scope, node);
        let mut steps = Steps { visit, pending: None };
        let mut parts = vec![window];
        while let Some(part) = parts.pop() {
            let mut changes = Changes { list: Vec::new(), overflow: false };
            for (slot, &track) in below.iter().enumerate() {
                self.gather(scope, track, slot as u32, part, &mut changes)?;
            }
            let middle = part.from.midpoint(part.to);
            if changes.overflow && middle > part.from {
                parts.push(Window::new(middle, part.to));
                parts.push(Window::new(part.from, middle));
                continue;
            }
            self.sweep(changes.list, below.len(), part, &mut steps);
        }
        steps.finish();
        Ok(())
    }

    /// The tracks of the reduced type at or below a node.
    fn tracks_below(&self, scope: &Scope<'_>, node: NodeId) -> Vec<TrackId> {
        let hierarchy = scope.hierarchy();
        let mut inside = vec![false; hierarchy.len()];
        inside[node.index()] = true;
        for other in hierarchy.nodes().skip(node.index() + 1) {
            inside[other.index()] = inside[hierarchy.parent(other).index()];
        }
        let tracks = scope.store().tracks();
        let of_type = tracks.of_type(self.type_id).iter().copied();
        let is_inside = |id: &TrackId| {
            let container = tracks.get(*id).map(|track| track.container);
            container.and_then(|id| hierarchy.node_of(id)).is_some_and(|node| inside[node.index()])
        };
        of_type.filter(is_inside).collect()
    }

    /// Writes down when the number of one track changes during a window.
    fn gather(
        &self,
        scope: &Scope<'_>,
        track: TrackId,
        slot: u32,
        window: Window,
        changes: &mut Changes,
    ) -> Result<()> {
        let tracks = scope.store().tracks();
        let Some(container) = tracks.get(track).map(|track| track.container) else { return Ok(()) };
        let mut put = |start: Ticks, end: Ticks, begin: Change, finish: Change| {
            let (start, end) = (start.max(window.from), end.min(window.to));
            if start < end {
                changes.push(start, slot, begin);
                changes.push(end, slot, finish);
            }
        };
        let lanes: &[LaneId] = tracks.lanes(track);
        match self.op {
            ReductionOp::Count | ReductionOp::Busy => {
                let containers = &scope.catalog().containers;
                let (start, end) =
                    (containers.starts[container.index()], containers.ends[container.index()]);
                put(start, end, Change::Appear, Change::Vanish);
                let counts = |value: Option<onca_model::ValueId>| {
                    value.is_some_and(|value| self.counts[value.index()])
                };
                for &lane in lanes {
                    scope.store().visit_states(lane, window, 0, |_, row, _| {
                        // Over all depths these sum up to one where the innermost state counts.
                        match (counts(Some(row.value)), counts(row.parent)) {
                            (true, false) => {
                                put(row.start, row.end, Change::Add(1), Change::Add(-1))
                            }
                            (false, true) => {
                                put(row.start, row.end, Change::Add(-1), Change::Add(1))
                            }
                            _ => {}
                        }
                    })?;
                }
            }
            ReductionOp::Sum | ReductionOp::Mean | ReductionOp::Min | ReductionOp::Max => {
                for &lane in lanes {
                    scope.store().visit_variables(lane, window, |_, row| {
                        if row.value.is_finite() {
                            put(row.start, row.end, Change::Set(row.value), Change::Vanish);
                        }
                    })?;
                }
            }
        }
        Ok(())
    }

    fn sweep(
        &self,
        mut changes: Vec<(Ticks, u32, Change)>,
        n_slots: usize,
        window: Window,
        steps: &mut Steps<impl FnMut(Ticks, Ticks, f64)>,
    ) {
        // Stable: a step that ends comes before the one that begins at the same instant.
        changes.sort_by_key(|(time, ..)| *time);
        let mut slots = vec![Slot::default(); n_slots];
        let mut fold = FoldTree::new(n_slots);
        let mut at = window.from;
        let mut rest = changes.as_slice();
        loop {
            let next = rest.first().map_or(window.to, |(time, ..)| *time);
            if at < next {
                steps.put(at, next, self.value(&fold.total()));
            }
            if rest.is_empty() {
                return;
            }
            let n = rest.partition_point(|(time, ..)| *time <= next);
            let (now, later) = rest.split_at(n);
            for (_, slot, change) in now {
                slots[*slot as usize].apply(*change);
                fold.set(*slot as usize, slots[*slot as usize].value());
            }
            (at, rest) = (next, later);
        }
    }

    fn value(&self, total: &Fold) -> Option<f64> {
        let defined = total.count > 0;
        match self.op {
            ReductionOp::Count | ReductionOp::Sum => Some(total.sum),
            ReductionOp::Busy if defined => Some(total.sum / f64::from(total.count)),
            ReductionOp::Busy => Some(0.0),
            ReductionOp::Mean => defined.then(|| total.sum / f64::from(total.count)),
            ReductionOp::Min => defined.then_some(total.min),
            ReductionOp::Max => defined.then_some(total.max),
        }
    }
}

/// The most tracks of a type that lie at or below one of some nodes.
fn most_below(scope: &Scope<'_>, type_id: TypeId, nodes: &[NodeId]) -> u32 {
    let hierarchy = scope.hierarchy();
    let tracks = scope.store().tracks();
    let mut below = vec![0u32; hierarchy.len()];
    for track in tracks.of_type(type_id).iter().filter_map(|id| tracks.get(*id)) {
        if let Some(node) = hierarchy.node_of(track.container) {
            below[node.index()] += 1;
        }
    }
    let order: Vec<NodeId> = hierarchy.nodes().skip(1).collect();
    // Parents come before children.
    for node in order.into_iter().rev() {
        below[hierarchy.parent(node).index()] += below[node.index()];
    }
    nodes.iter().map(|node| below[node.index()]).max().unwrap_or(0)
}

/// What happens to the number of one track.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Change {
    Appear,
    Vanish,
    Add(i8),
    Set(f64),
}

struct Changes {
    list: Vec<(Ticks, u32, Change)>,
    /// There were more than are kept.
    overflow: bool,
}

impl Changes {
    fn push(&mut self, time: Ticks, slot: u32, change: Change) {
        if self.list.len() < MAX_CHANGES {
            self.list.push((time, slot, change));
        } else {
            self.overflow = true;
        }
    }
}

/// The number of one track at an instant.
#[derive(Clone, Copy, Default)]
struct Slot {
    exists: bool,
    active: i32,
    held: f64,
}

impl Slot {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Appear => self.exists = true,
            Change::Vanish => (self.exists, self.held) = (false, 0.0),
            Change::Add(by) => self.active += i32::from(by),
            Change::Set(value) => (self.exists, self.held) = (true, value),
        }
    }

    /// States outside the life of their container still count.
    fn value(&self) -> Option<f64> {
        (self.exists || self.active != 0).then(|| f64::from(self.active) + self.held)
    }
}

/// Numbers taken together.
#[derive(Clone, Copy, Debug)]
struct Fold {
    sum: f64,
    count: u32,
    min: f64,
    max: f64,
}

impl Fold {
    const NOTHING: Self = Self { sum: 0.0, count: 0, min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn of(value: Option<f64>) -> Self {
        value.map_or(Self::NOTHING, |value| Self { sum: value, count: 1, min: value, max: value })
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            sum: self.sum + other.sum,
            count: self.count + other.count,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// The fold of many numbers of which one changes at a time. A tree, because a running sum of
/// doubles would drift away from the sum of the numbers.
struct FoldTree {
    leaves: usize,
    nodes: Vec<Fold>,
}

impl FoldTree {
    fn new(n: usize) -> Self {
        let leaves = n.next_power_of_two();
        Self { leaves, nodes: vec![Fold::NOTHING; 2 * leaves] }
    }

    fn set(&mut self, slot: usize, value: Option<f64>) {
        let mut node = self.leaves + slot;
        self.nodes[node] = Fold::of(value);
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].with(&self.nodes[2 * node + 1]);
        }
    }

    fn total(&self) -> Fold {
        self.nodes[1]
    }
}

/// Joins neighbouring steps of one value.
struct Steps<V> {
    visit: V,
    pending: Option<(Ticks, Ticks, f64)>,
}

impl<V: FnMut(Ticks, Ticks, f64)> Steps<V> {
    fn put(&mut self, start: Ticks, end: Ticks, value: Option<f64>) {
        match (&mut self.pending, value) {
            (Some((_, until, same)), Some(value)) if *until == start && *same == value => {
                *until = end
            }
            (_, value) => {
                self.finish();
                self.pending = value.map(|value| (start, end, value));
            }
        }
    }

    fn finish(&mut self) {
        if let Some((start, end, value)) = self.pending.take() {
            (self.visit)(start, end, value);
        }
    }
}
