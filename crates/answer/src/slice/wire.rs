//! The answer as JSON, described in `docs/json.md`.

use std::borrow::Cow;

use onca_aggregate::slice::LinkTally;
use onca_model::display_text;
use serde::Serialize;

use super::{Amount, Component, Quantity, SliceAnswer, SliceNode, VectorAnswer};
use crate::wire::{List, Number, SpanJson, UnitJson, units_of_mean};

/// What nodes have of values in slices: `onca-slice/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SliceJson<'a> {
    /// `onca-slice/1`.
    pub schema: &'static str,
    /// The unit of all times.
    pub unit: UnitJson<'a>,
    /// The window.
    #[serde(flatten)]
    pub window: SpanJson,
    /// The slices of the window.
    pub slices: List<'a, SpanJson>,
    /// What the amounts are: `time`, `share` (of the width of the slice), `count`, `size`, `rate`,
    /// `weighted`, `value` (of variables), `integral`, `expression` or `ratio`.
    pub quantity: &'static str,
    /// The containers and groups.
    pub nodes: List<'a, SliceNodeJson<'a>>,
    /// The values that occur.
    pub values: List<'a, SliceValueJson<'a>>,
    /// The amounts, by node, value and slice.
    pub rows: SliceRowsJson<'a>,
    /// What an amount is that has no row: 0, or `null` for not defined.
    pub absent: Option<u8>,
    /// What became of the links; `null` if the answer is not about links.
    pub links: Option<LinkTallyJson>,
    /// False if cumulative sums were enough, true if every entity of the window was looked at.
    pub scanned: bool,
}

/// A container or group of a slice.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SliceNodeJson<'a> {
    /// Its path from the root.
    pub path: &'a str,
    /// Its own name.
    pub name: Cow<'a, str>,
    /// The name of its container type, or what the lens calls its level.
    pub kind: Cow<'a, str>,
    /// How far it is from the root, which has 0.
    pub depth: usize,
    /// The number of leaves that its amounts come from.
    pub leaves: usize,
}

/// A value that nodes have an amount of. A variable has the same in both fields; of a peer they are its
/// kind and its path.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SliceValueJson<'a> {
    /// The name of its type, or of the reduction that it is derived by.
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
    /// Its name.
    pub name: Cow<'a, str>,
}

/// Amounts as columns of equal length.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SliceRowsJson<'a> {
    /// Places in `nodes`.
    pub node: &'a [u32],
    /// Places in `values`.
    pub value: &'a [u32],
    /// Places in `slices`.
    pub slice: &'a [u32],
    /// The amounts, times in units.
    pub amount: List<'a, Number>,
    /// Of times, the same in ticks: `null` where a time had to be divided. Absent for all other
    /// quantities.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub amount_ticks: Option<List<'a, Option<Number>>>,
}

/// What became of the links.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkTallyJson {
    /// How many were counted.
    pub counted: u64,
    /// How many cross the border of a slice and were left out.
    pub dropped: u64,
    /// How many cross the border of a slice and were cut there.
    pub clipped: u64,
    /// How many of the counted end before they start.
    pub backward: u64,
}

/// What nodes have in slices as vectors of states and links: `onca-slice-vectors/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VectorsJson<'a> {
    /// `onca-slice-vectors/1`.
    pub schema: &'static str,
    /// The unit of all times.
    pub unit: UnitJson<'a>,
    /// The window.
    #[serde(flatten)]
    pub window: SpanJson,
    /// The slices of the window.
    pub slices: List<'a, SpanJson>,
    /// The containers and groups.
    pub nodes: List<'a, SliceNodeJson<'a>>,
    /// The components that occur: states, then numbers and sizes of links.
    pub values: List<'a, VectorValueJson<'a>>,
    /// The amounts, by node, value and slice.
    pub rows: VectorRowsJson<'a>,
    /// What an amount is that has no row: 0, or `null` for not defined.
    pub absent: Option<u8>,
    /// What became of the links.
    pub links: Option<LinkTallyJson>,
    /// False if cumulative sums were enough, true if every entity of the window was looked at.
    pub scanned: bool,
}

/// A component of a vector.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VectorValueJson<'a> {
    /// What has it: `state` or `link`.
    pub of: &'static str,
    /// What its amounts are: `time` of states, `count` or `size` of links.
    pub quantity: &'static str,
    /// The name of its type.
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
    /// The name of its value.
    pub name: Cow<'a, str>,
}

/// Components of vectors as columns of equal length.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VectorRowsJson<'a> {
    /// Places in `nodes`.
    pub node: &'a [u32],
    /// Places in `values`.
    pub value: &'a [u32],
    /// Places in `slices`.
    pub slice: &'a [u32],
    /// The amounts, times in units.
    pub amount: List<'a, Number>,
    /// Of times, the same in ticks; `null` for links, and where a time had to be divided.
    pub amount_ticks: List<'a, Option<Number>>,
    /// Of times, the share of the slice; `null` for links.
    pub share: &'a [Option<f64>],
}

impl VectorAnswer {
    /// The answer as JSON: `onca-slice-vectors/1`.
    pub fn json(&self) -> VectorsJson<'_> {
        let span = |window| SpanJson::new(&self.unit, window);
        VectorsJson {
            schema: "onca-slice-vectors/1",
            unit: UnitJson::new(&self.unit),
            window: span(self.bounds.window()),
            slices: List::new((0..self.bounds.n_slices()).map(move |k| span(self.bounds.slice(k)))),
            nodes: List::new(self.nodes.iter().map(SliceNodeJson::new)),
            values: List::new(self.values.iter().map(|value| VectorValueJson {
                of: value.component.of(),
                quantity: value.component.quantity(),
                type_name: display_text(&value.type_name),
                name: display_text(&value.name),
            })),
            rows: self.json_rows(),
            absent: self.absent_is_zero.then_some(0),
            links: self.tally.map(LinkTallyJson::new),
            scanned: self.scanned,
        }
    }

    fn json_rows(&self) -> VectorRowsJson<'_> {
        let is_time =
            move |value: u32| self.values[value as usize].component == Component::StateTime;
        let each = move || self.rows.values.iter().copied().zip(&self.rows.amounts);
        let amount = move |(value, amount): (u32, &Amount)| match *amount {
            amount if is_time(value) => Number::Real(units_of_mean(&self.unit, amount.to_f64())),
            Amount::Whole(number) => Number::integer(number),
            Amount::Real(number) => Number::Real(number),
        };
        let ticks = move |(value, amount): (u32, &Amount)| match *amount {
            Amount::Whole(ticks) if is_time(value) => Some(Number::integer(ticks)),
            _ => None,
        };
        VectorRowsJson {
            node: &self.rows.nodes,
            value: &self.rows.values,
            slice: &self.rows.slices,
            amount: List::new(each().map(amount)),
            amount_ticks: List::new(each().map(ticks)),
            share: &self.shares,
        }
    }
}

impl<'a> SliceNodeJson<'a> {
    fn new(node: &'a SliceNode) -> Self {
        Self {
            path: &node.path,
            name: display_text(&node.name),
            kind: display_text(&node.kind),
            depth: node.depth,
            leaves: node.n_leaves,
        }
    }
}

impl LinkTallyJson {
    fn new(tally: LinkTally) -> Self {
        Self {
            counted: tally.counted,
            dropped: tally.dropped,
            clipped: tally.clipped,
            backward: tally.backward,
        }
    }
}

impl SliceAnswer {
    /// The answer as JSON: `onca-slice/1`.
    pub fn json(&self) -> SliceJson<'_> {
        let span = |window| SpanJson::new(&self.unit, window);
        SliceJson {
            schema: "onca-slice/1",
            unit: UnitJson::new(&self.unit),
            window: span(self.bounds.window()),
            slices: List::new((0..self.bounds.n_slices()).map(move |k| span(self.bounds.slice(k)))),
            quantity: self.quantity.name(),
            nodes: List::new(self.nodes.iter().map(SliceNodeJson::new)),
            values: List::new(self.values.iter().map(|value| SliceValueJson {
                type_name: display_text(&value.type_name),
                name: display_text(&value.name),
            })),
            rows: self.json_rows(),
            absent: self.absent_is_zero.then_some(0),
            links: self.tally.map(LinkTallyJson::new),
            scanned: self.scanned,
        }
    }

    fn json_rows(&self) -> SliceRowsJson<'_> {
        let is_time = self.quantity == Quantity::Time;
        let amount = move |amount: &Amount| match *amount {
            amount if is_time => Number::Real(units_of_mean(&self.unit, amount.to_f64())),
            Amount::Whole(number) => Number::integer(number),
            Amount::Real(number) => Number::Real(number),
        };
        let ticks = |amount: &Amount| match *amount {
            Amount::Whole(ticks) => Some(Number::integer(ticks)),
            Amount::Real(_) => None,
        };
        let rows = &self.rows;
        SliceRowsJson {
            node: &rows.nodes,
            value: &rows.values,
            slice: &rows.slices,
            amount: List::new(rows.amounts.iter().map(amount)),
            amount_ticks: is_time.then(|| List::new(rows.amounts.iter().map(ticks))),
        }
    }
}
