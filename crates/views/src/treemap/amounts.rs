//! What every node has of every value: the sizes of a treemap.

use std::borrow::Cow;

use onca_aggregate::Tree;
use onca_aggregate::slice::Cube;
use onca_answer::slice::{Aggregate, SliceValue, Space, What};
use onca_model::format::{count_of, grouped, percent};
use onca_model::{Color, TypeId, printable};
use onca_query::{Appearance, NodeId, Scope, palette};
use onca_scene::Pick;

use super::cells::Cells;
use super::measured::{Measured, no_state};
use super::{Understood, difference::Changes};
use crate::legend::{Entry, Part, with_shares};
use crate::{Result, Theme, ViewError, color, quantity::Quantity};

/// A text for the pointer tells the shares of at most this many values.
const MOST_SHARES: usize = 24;

/// A value as it is seen.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SeenValue {
    /// What it is called.
    pub name: String,
    /// Its colour, opaque.
    pub color: Color,
    /// The value, if it is one of the trace.
    pub id: Option<u32>,
    /// The type of that value.
    pub of: Option<TypeId>,
}

/// What every node of the tree has of every value.
#[derive(Clone)]
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
    /// The same of each node.
    negative: Vec<u32>,
    /// Has every node what its children have together?
    pub adds_up: bool,
    /// How many cells lie in each node, where amounts are those of cells.
    n_cells: Option<Vec<f64>>,
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
        options: &Understood,
    ) -> Result<Self> {
        let Measured { space, length, values, amounts: sums, n_negative } =
            Measured::new(scope, options)?;
        let totals = totals(&sums, space.tree().len(), values.len());
        let look = |value: &SliceValue| seen_value(scope, value, appearance, theme);
        Ok(Self {
            scope,
            space,
            values: values.iter().map(look).collect(),
            sums,
            totals,
            quantity: quantity(options, scope),
            n_negative: n_negative.iter().map(|n| *n as usize).sum(),
            negative: n_negative,
            adds_up: matches!(options.what, What::Measure(_))
                && options.aggregate == Aggregate::Sum,
            n_cells: None,
            length,
            changes: None,
        })
    }

    /// What the picture of some cells shows. A cell has what the operator makes of its leaves; what
    /// lies around cells has room for them, so it has what they have together.
    pub fn at(&self, cells: &Cells) -> Cow<'_, Self> {
        if self.adds_up {
            return Cow::Borrowed(self);
        }
        let tree = self.tree();
        let mut is_around = vec![false; tree.len()];
        for &node in tree.preorder() {
            let in_cell = tree.parent(node).is_some_and(|parent| !is_around[parent as usize]);
            is_around[node as usize] = !in_cell && !cells.contains(node);
        }
        let n_values = self.values.len();
        let mut shown = self.clone();
        sum_around(tree, &is_around, n_values, &mut shown.sums);
        if let Some(changes) = &mut shown.changes {
            sum_around(tree, &is_around, n_values, &mut changes.by_node);
        }
        let mut n_cells = vec![1.0; tree.len()];
        sum_around(tree, &is_around, 1, &mut n_cells);
        shown.n_cells = Some(n_cells);
        shown.totals = totals(&shown.sums, tree.len(), n_values);
        let negative = |node: usize| cells.contains(node as u32).then_some(self.negative[node]);
        shown.n_negative = (0..tree.len()).filter_map(negative).map(|n| n as usize).sum();
        Cow::Owned(shown)
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
        self.space.own_place(node)
    }

    /// Is it the place of what an inner node has of its own?
    pub fn is_own(&self, node: u32) -> bool {
        self.space.is_own(node)
    }

    /// How long the window is, in ticks.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// How many containers' worth of amounts a node has: its leaves, or its cells if each of these
    /// stands for one of its own.
    fn n_parts(&self, node: u32) -> f64 {
        match &self.n_cells {
            Some(n_cells) => n_cells[node as usize],
            None => self.tree().n_leaves(node) as f64,
        }
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
            let words = changes.words(&self.quantity, self.n_parts(node), mean, change);
            return format!("{path}: {leaves}, {words}{lines}");
        }
        let share = percent(self.total(node) / self.total(self.tree().root()));
        let amount = self.quantity.text(self.total(node));
        format!("{path}: {leaves}, {amount}, {share} of all{lines}")
    }

    /// The shares of some amounts of a node, or how they changed, a line each; of many, the largest.
    pub fn shares(&self, node: u32, amounts: &[f64], changed: &[f64]) -> String {
        let total: f64 = amounts.iter().sum();
        let mut some: Vec<usize> = (0..amounts.len()).filter(|&at| amounts[at] > 0.0).collect();
        let n_left_out = some.len().saturating_sub(MOST_SHARES);
        if n_left_out > 0 {
            some.select_nth_unstable_by(MOST_SHARES, |&a, &b| {
                amounts[b].total_cmp(&amounts[a]).then(a.cmp(&b))
            });
            some.truncate(MOST_SHARES);
            some.sort_unstable();
        }
        let line = |value: usize| {
            let words = self.words(node, amounts[value], total, changed.get(value));
            format!("\n{}  {words}", self.values[value].name)
        };
        let lines: String = some.into_iter().map(line).collect();
        match n_left_out as u64 {
            0 => lines,
            n => format!("{lines}\nand {} more", grouped(n)),
        }
    }

    /// The share of a value of a node, or how it changed.
    pub fn share(&self, node: u32, value: usize) -> String {
        let change = self.changes(node).get(value);
        self.words(node, self.of(node)[value], self.total(node), change)
    }

    fn words(&self, node: u32, amount: f64, total: f64, change: Option<&f64>) -> String {
        match (&self.changes, change) {
            (Some(changes), Some(change)) => {
                changes.words(&self.quantity, self.n_parts(node), amount, *change)
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

    /// The legend, with shares of everything, or of the type where there are several, if amounts add up; or what the colours of changes mean.
    pub fn legend(&self) -> Vec<Entry> {
        if self.changes.is_some() {
            return Changes::legend();
        }
        let root = self.tree().root();
        let whole = self.total(root);
        let mut parts: Vec<Part> = self
            .values
            .iter()
            .zip(self.of(root))
            .map(|(value, &amount)| {
                let pick = value.id.map_or(Pick::NOTHING, Pick::Value);
                let (name, color) = (value.name.clone(), value.color);
                Part { of: value.of, amount, entry: Entry { name, share: None, color, pick } }
            })
            .collect();
        parts.sort_by(|a, b| b.amount.total_cmp(&a.amount));
        match self.adds_up {
            true => with_shares(parts, whole),
            false => parts.into_iter().map(|part| part.entry).collect(),
        }
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

fn seen_value(
    scope: &Scope<'_>,
    value: &SliceValue,
    appearance: &Appearance,
    theme: Theme,
) -> SeenValue {
    if let Some(derived) = value.derived {
        let (name, color) = (derived.words(scope), color::of_derived(scope, derived));
        return SeenValue { name, color, id: None, of: None };
    }
    let color = match (value.value, value.type_id) {
        (Some(id), _) => appearance.of_value(id).color,
        (None, Some(id)) => appearance.of_type(id).color,
        (None, None) if *value == no_state() => theme.colors().grid,
        (None, None) => palette::assign(&[(&value.name, None)])[0],
    };
    SeenValue {
        name: printable(&value.name).into_owned(),
        color: color::over(color, theme.colors().background),
        id: value.value.map(|id| id.0),
        of: value.value.and(value.type_id),
    }
}

/// Replaces what lies around cells by the sum of what lies directly inside, from the bottom up.
fn sum_around(tree: &Tree, is_around: &[bool], n_columns: usize, amounts: &mut [f64]) {
    for &node in tree.preorder().iter().rev() {
        if is_around[node as usize] {
            let row = |of: u32| of as usize * n_columns;
            for column in 0..n_columns {
                let parts = tree.children(node).iter().map(|&part| amounts[row(part) + column]);
                amounts[row(node) + column] = parts.sum();
            }
        }
    }
}

fn totals(sums: &[f64], n_nodes: usize, n_values: usize) -> Vec<f64> {
    (0..n_nodes).map(|node| sums[node * n_values..][..n_values].iter().sum()).collect()
}

fn quantity(options: &Understood, scope: &Scope<'_>) -> Quantity {
    use onca_answer::slice::Quantity as Asked;
    let What::Measure(measure) = options.what else { return Quantity::Number };
    match (&options.aggregate, measure.quantity()) {
        (Aggregate::Expression(_), _) | (_, Asked::Value | Asked::Weighted) => Quantity::Number,
        (_, Asked::Time) => Quantity::Time(scope.catalog().facts.unit.clone()),
        (_, Asked::Size) => Quantity::Bytes,
        _ => Quantity::Count,
    }
}
