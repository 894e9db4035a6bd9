//! What every node has of every value: the sizes of a treemap.

use onca_aggregate::slice::Cube;
use onca_aggregate::{Number, Tree};
use onca_answer::slice::{Cells, LeafCube, Measure, SliceValue, Space, cube};
use onca_model::format::{count_of, percent};
use onca_model::{Color, printable};
use onca_query::{Appearance, NodeId, Scope, palette};
use onca_scene::Pick;

use super::{TreemapOptions, difference::Changes};
use crate::{Result, Theme, ViewError, bands::NO_STATE, color, legend::Entry, quantity::Quantity};

/// A value as it is seen.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SeenValue {
    /// What it is called.
    pub name: String,
    /// Its colour, opaque.
    pub color: Color,
    /// The value, if it is one of the trace.
    pub id: Option<u32>,
}

/// What every node of the tree has of every value. Sizes add up: a node has what its children have.
pub(crate) struct Amounts<'a> {
    scope: &'a Scope<'a>,
    space: Space,
    /// The values that occur, in the order of the trace.
    pub values: Vec<SeenValue>,
    /// Node by node, what it has of each value.
    sums: Vec<f64>,
    /// What each node has of all values.
    totals: Vec<f64>,
    /// What the amounts are.
    pub quantity: Quantity,
    /// How many amounts were below 0, which has no size.
    pub n_negative: usize,
    /// How long the window is, in ticks.
    length: f64,
    /// What changed since another window; amounts are then the means of both.
    changes: Option<Changes>,
}

impl<'a> Amounts<'a> {
    /// Measures everything in the window.
    pub fn new(
        scope: &'a Scope<'a>,
        appearance: &Appearance,
        theme: Theme,
        options: &TreemapOptions,
    ) -> Result<Self> {
        let found = cube(scope, 1, options.measure)?;
        let LeafCube { space, bounds, mut values, cells, .. } = found;
        let mut leaves = match cells {
            Cells::Whole(cells) => {
                let idle = options.idle && matches!(options.measure, Measure::StateTime { .. });
                let with_idle = idle.then(|| cells.with_idle(&bounds)).transpose();
                let with_idle = with_idle.map_err(|error| ViewError::Nothing(error.to_string()))?;
                if with_idle.is_some() {
                    values.push(no_state());
                }
                Leaves::new(with_idle.as_ref().unwrap_or(&cells))
            }
            Cells::Real(cells) => Leaves::new(&cells),
        };
        let is_wanted = |value: &SliceValue| {
            options.only.is_empty() || options.only.iter().any(|name| name.as_bytes() == value.name)
        };
        leaves.join_values(&values, is_wanted);
        let values: Vec<&SliceValue> = leaves.columns.iter().map(|&at| &values[at]).collect();
        let window = bounds.window();
        let (sums, totals) = summed_up(space.tree(), &leaves.amounts, values.len());
        let look = |value: &&SliceValue| seen_value(value, appearance, theme);
        Ok(Self {
            scope,
            space,
            values: values.iter().map(look).collect(),
            sums,
            totals,
            quantity: quantity(options.measure, scope),
            n_negative: leaves.n_negative,
            length: window.to as f64 - window.from as f64,
            changes: None,
        })
    }

    /// The same tree with other amounts, which are means, and what changed.
    pub fn compared(
        self,
        values: Vec<SeenValue>,
        sums: Vec<f64>,
        totals: Vec<f64>,
        changes: Changes,
    ) -> Self {
        Self { values, sums, totals, changes: Some(changes), ..self }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        self.space.tree()
    }

    /// The scope that was measured.
    pub fn scope(&self) -> &'a Scope<'a> {
        self.scope
    }

    /// What a node has of each value.
    pub fn of(&self, node: u32) -> &[f64] {
        let n_values = self.values.len();
        &self.sums[node as usize * n_values..][..n_values]
    }

    /// What a node has of all values.
    pub fn total(&self, node: u32) -> f64 {
        self.totals[node as usize]
    }

    /// The node of the hierarchy that a node of the tree stands for.
    pub fn node(&self, node: u32) -> NodeId {
        self.space.node(node)
    }

    /// The place of a node of the hierarchy.
    pub fn place(&self, node: NodeId) -> u32 {
        self.space.place(node)
    }

    /// The place of what an inner node has of its own, if it has a place of its own.
    pub fn own_place(&self, node: NodeId) -> Option<u32> {
        let leaf = self.tree().leaves()[self.space.leaf(node)?];
        self.space.is_own(leaf).then_some(leaf)
    }

    /// Is it the place of what an inner node has of its own?
    pub fn is_own(&self, node: u32) -> bool {
        self.space.is_own(node)
    }

    /// How long the window is, in ticks.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// How much more there is of each value of a node than before; nothing if nothing is compared.
    pub fn changes(&self, node: u32) -> &[f64] {
        let n_values = self.values.len();
        let changes = self.changes.as_ref().map(|changes| changes.by_node.as_slice());
        changes.map_or(&[], |all| &all[node as usize * n_values..][..n_values])
    }

    /// What a node is called.
    pub fn name(&self, node: u32) -> String {
        let id = self.space.node(node);
        let name = match id {
            NodeId::ROOT => "everything".into(),
            _ => printable(self.scope.name(id)),
        };
        if self.space.is_own(node) { format!("{name} itself") } else { name.into_owned() }
    }

    /// The path of a node.
    pub fn path(&self, node: u32) -> String {
        let path = self.scope.path(self.space.node(node));
        if self.space.is_own(node) { format!("{path} itself") } else { path }
    }

    /// What a node shows under the pointer: what it has of everything.
    pub fn description(&self, node: u32) -> String {
        let leaves = count_of(self.tree().n_leaves(node) as u64, "container");
        let path = self.path(node);
        let lines = self.shares(node, self.of(node), self.changes(node));
        if let Some(changes) = &self.changes {
            let (mean, change) = (self.total(node), self.changes(node).iter().sum());
            let n_leaves = self.tree().n_leaves(node);
            let words = changes.words(&self.quantity, n_leaves, mean, change);
            return format!("{path}: {leaves}, {words}{lines}");
        }
        let share = percent(self.total(node) / self.total(self.tree().root()));
        let amount = self.quantity.text(self.total(node));
        format!("{path}: {leaves}, {amount}, {share} of all{lines}")
    }

    /// The shares of some amounts of a node, or how they changed, a line each.
    pub fn shares(&self, node: u32, amounts: &[f64], changed: &[f64]) -> String {
        let total: f64 = amounts.iter().sum();
        let line = |(value, amount): (usize, &f64)| {
            let words = self.words(node, *amount, total, changed.get(value));
            format!("\n{}  {words}", self.values[value].name)
        };
        let some = amounts.iter().enumerate().filter(|(_, amount)| **amount > 0.0);
        some.map(line).collect()
    }

    /// The share of a value of a node, or how it changed.
    pub fn share(&self, node: u32, value: usize) -> String {
        let change = self.changes(node).get(value);
        self.words(node, self.of(node)[value], self.total(node), change)
    }

    fn words(&self, node: u32, amount: f64, total: f64, change: Option<&f64>) -> String {
        match (&self.changes, change) {
            (Some(changes), Some(change)) => {
                changes.words(&self.quantity, self.tree().n_leaves(node), amount, *change)
            }
            _ => percent(amount / total),
        }
    }

    /// What a value of a node shows under the pointer.
    pub fn value_description(&self, node: u32, value: usize) -> String {
        let (path, name) = (self.path(node), &self.values[value].name);
        let share = self.share(node, value);
        match self.changes {
            Some(_) => format!("{path}\n{name}  {share}"),
            None => {
                format!("{path}\n{name}  {share}, {}", self.quantity.text(self.of(node)[value]))
            }
        }
    }

    /// The colour of a value of a node.
    pub fn color(&self, node: u32, value: usize) -> Color {
        match self.changes(node).get(value) {
            Some(change) => Changes::color(self.of(node)[value], *change),
            None => self.values[value].color,
        }
    }

    /// What a mark for a value of a node stands for.
    pub fn pick(&self, node: u32, value: usize) -> Pick {
        let node = self.space.node(node).0;
        self.values[value].id.map_or(Pick::Node(node), |value| Pick::Share { node, value })
    }

    /// The colour of several amounts together: the mean of the colours of their values, by what
    /// there is of each, or that of all their changes.
    pub fn mean_color(&self, amounts: &[f64], changed: &[f64]) -> Color {
        if self.changes.is_some() {
            return Changes::color(amounts.iter().sum(), changed.iter().sum());
        }
        color::mean(self.values.iter().map(|value| value.color).zip(amounts.iter().copied()))
    }

    /// The legend, with shares of everything; or what the colours of changes mean.
    pub fn legend(&self) -> Vec<Entry> {
        if self.changes.is_some() {
            return Changes::legend();
        }
        let root = self.tree().root();
        let whole = self.total(root);
        let mut entries: Vec<(f64, Entry)> = self
            .values
            .iter()
            .zip(self.of(root))
            .map(|(value, &amount)| {
                let pick = value.id.map_or(Pick::NOTHING, Pick::Value);
                let share = (whole > 0.0).then(|| amount / whole);
                (amount, Entry { name: value.name.clone(), share, color: value.color, pick })
            })
            .collect();
        entries.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        entries.into_iter().map(|(_, entry)| entry).collect()
    }

    /// The amounts of the leaves as a cube of one slice, times as shares of the window.
    pub fn leaf_cube(&self) -> Result<Cube<f64>> {
        let too_large = |error: onca_aggregate::slice::TooLarge| {
            ViewError::Nothing(format!("there is no optimal cut: {error}"))
        };
        let leaves = self.tree().leaves();
        let mut cube = Cube::new(leaves.len(), self.values.len(), 1).map_err(too_large)?;
        let unit = if matches!(self.quantity, Quantity::Time(_)) { self.length } else { 1.0 };
        for (place, &leaf) in leaves.iter().enumerate() {
            for (cell, amount) in cube.leaf_mut(place).iter_mut().zip(self.of(leaf)) {
                *cell = amount / unit;
            }
        }
        Ok(cube)
    }
}

/// What every leaf has of every value, as plain numbers.
struct Leaves {
    n_values: usize,
    amounts: Vec<f64>,
    n_negative: usize,
    /// For each column the first of its values.
    columns: Vec<usize>,
}

impl Leaves {
    fn new<T: Number>(cells: &Cube<T>) -> Self {
        let mut n_negative = 0;
        let amount = |cell: &T| {
            let amount = cell.present().map_or(0.0, Number::to_f64);
            n_negative += usize::from(amount < 0.0);
            if amount.is_finite() { amount.max(0.0) } else { 0.0 }
        };
        let all = (0..cells.n_leaves()).flat_map(|leaf| cells.leaf(leaf));
        let amounts = all.map(amount).collect();
        Self { n_values: cells.n_values(), amounts, n_negative, columns: Vec::new() }
    }

    /// Gives values of the same name one column: what is called the same in types of different
    /// containers is the same to a reader. Values that are not wanted or do not occur have none.
    fn join_values(&mut self, values: &[SliceValue], is_wanted: impl Fn(&SliceValue) -> bool) {
        let n_values = self.n_values;
        let mut occurs = vec![false; n_values];
        for leaf in self.amounts.chunks_exact(n_values.max(1)) {
            occurs.iter_mut().zip(leaf).for_each(|(occurs, amount)| *occurs |= *amount > 0.0);
        }
        let mut columns: Vec<usize> = Vec::new();
        let column_of: Vec<Option<usize>> = (0..n_values)
            .map(|value| {
                if !occurs[value] || !is_wanted(&values[value]) {
                    return None;
                }
                let same = |&first: &usize| values[first].name == values[value].name;
                let known = columns.iter().position(same);
                Some(known.unwrap_or_else(|| {
                    columns.push(value);
                    columns.len() - 1
                }))
            })
            .collect();
        let n_leaves = self.amounts.len() / n_values.max(1);
        let mut joined = vec![0.0; n_leaves * columns.len()];
        for (at, amount) in self.amounts.iter().enumerate() {
            if let Some(column) = column_of[at % n_values] {
                joined[at / n_values * columns.len() + column] += amount;
            }
        }
        (self.amounts, self.columns) = (joined, columns);
    }
}

/// Sums up the tree: for each node what it has of each value, and of all.
fn summed_up(tree: &Tree, leaves: &[f64], n_values: usize) -> (Vec<f64>, Vec<f64>) {
    let mut sums = vec![0.0; tree.len() * n_values];
    for (place, &leaf) in tree.leaves().iter().enumerate() {
        let row = &leaves[place * n_values..][..n_values];
        sums[leaf as usize * n_values..][..n_values].copy_from_slice(row);
    }
    for &node in tree.preorder().iter().rev() {
        let Some(parent) = tree.parent(node) else { continue };
        for value in 0..n_values {
            sums[parent as usize * n_values + value] += sums[node as usize * n_values + value];
        }
    }
    let total = |node: usize| sums[node * n_values..][..n_values].iter().sum();
    let totals = (0..tree.len()).map(total).collect();
    (sums, totals)
}

fn seen_value(value: &SliceValue, appearance: &Appearance, theme: Theme) -> SeenValue {
    let color = match (value.value, value.type_id) {
        (Some(id), _) => appearance.of_value(id).color,
        (None, Some(id)) => appearance.of_type(id).color,
        (None, None) if *value == no_state() => theme.colors().grid,
        (None, None) => palette::assign(&[(&value.name, None)])[0],
    };
    SeenValue {
        name: printable(&value.name).into_owned(),
        color: color::visible(color, theme.colors()),
        id: value.value.map(|id| id.0),
    }
}

/// The time in no state, as a value.
fn no_state() -> SliceValue {
    let name = NO_STATE.as_bytes().to_vec();
    SliceValue { type_name: Vec::new(), name, value: None, type_id: None }
}

fn quantity(measure: Measure, scope: &Scope<'_>) -> Quantity {
    use onca_answer::slice::Quantity as Asked;
    match measure.quantity() {
        Asked::Time => Quantity::Time(scope.catalog().facts.unit.clone()),
        Asked::Size => Quantity::Bytes,
        _ => Quantity::Count,
    }
}
