//! The answers as JSON, described in `docs/json.md`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use onca_aggregate::overview::{HalvingPoint, Segment, Shift};
use onca_model::{Ticks, Window, display_text};
use serde::Serialize;

use super::{
    AreaRow, ChangeAnswer, CurveAnswer, DisruptionAnswer, FoundDisruption, HalvingAnswer, HitArea,
    Matrix, NodeChange, OverviewAnswer,
};
use crate::wire::{List, OptionalSpanJson, UnitJson};

/// Everything that can be told of an overview: `onca-overview/1`. What was not asked for is absent.
#[derive(Serialize, Debug)]
pub struct OverviewJson<'a> {
    /// What is aggregated.
    #[serde(flatten)]
    pub matrix: MatrixJson<'a>,
    /// Gain and loss of everything as one area; with partitions only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<WholeJson>,
    /// A partition for each trade-off that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimal: Option<List<'a, OptimalJson<'a>>>,
    /// Where the best partition changes.
    #[serde(flatten)]
    pub curve: Option<CurveJson<'a>>,
    /// The trade-offs found by halving.
    #[serde(flatten)]
    pub halving: Option<HalvingJson<'a>>,
    /// What is disrupted.
    #[serde(flatten)]
    pub disruptions: Option<DisruptionsJson<'a>>,
    /// The curves of change, one for each node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<List<'a, ChangeJson<'a>>>,
}

impl<'a> OverviewJson<'a> {
    /// Nothing but what is aggregated.
    pub fn new(matrix: &'a Matrix) -> Self {
        Self {
            matrix: matrix.json(),
            whole: None,
            optimal: None,
            curve: None,
            halving: None,
            disruptions: None,
            change: None,
        }
    }
}

/// What is aggregated.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MatrixJson<'a> {
    /// `onca-overview/1`.
    pub schema: &'static str,
    /// `states`, `events`, `bytes`, `bytes-received`, a variable; `values` of a cube of numbers.
    pub metric: &'a str,
    /// The unit of all times; absent for a cube of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub unit: Option<UnitJson<'a>>,
    /// The window; absent for a cube of numbers.
    #[serde(flatten)]
    pub window: OptionalSpanJson,
    /// How many slices there are.
    pub slices: usize,
    /// How many leaves there are.
    pub leaves: usize,
    /// The names of the values that occur; their numbers in a cube of numbers.
    pub values: List<'a, Cow<'a, str>>,
    /// The lens made it necessary to look at every entity.
    pub scanned: bool,
}

/// Everything as one area.
#[derive(Serialize, Debug)]
pub struct WholeJson {
    /// What is gained, in bits.
    pub gain: f64,
    /// What is lost, in bits.
    pub loss: f64,
}

/// A partition, of a trace or of a cube of numbers.
#[derive(Serialize, Debug)]
#[serde(untagged)]
pub enum OptimalJson<'a> {
    /// Of a trace.
    Named(PartitionJson<'a>),
    /// Of a cube, where nodes have only numbers.
    Plain(PlainPartitionJson<'a>),
}

/// The best partition for a trade-off.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PartitionJson<'a> {
    /// The trade-off.
    pub p: f64,
    /// What is maximised: `p` times gain less the rest times loss.
    pub value: f64,
    /// What is gained, in bits.
    pub gain: f64,
    /// What is lost, in bits.
    pub loss: f64,
    /// The share of the gain of the whole.
    pub gain_share: f64,
    /// The share of the loss of the whole.
    pub loss_share: f64,
    /// The number of areas.
    pub aggregates: usize,
    /// The areas.
    pub areas: List<'a, AreaJson<'a>>,
}

/// The best partition of a cube of numbers for a trade-off.
#[derive(Serialize, Debug)]
pub struct PlainPartitionJson<'a> {
    /// The trade-off.
    pub p: f64,
    /// What is maximised: `p` times gain less the rest times loss.
    pub value: f64,
    /// What is gained, in bits.
    pub gain: f64,
    /// What is lost, in bits.
    pub loss: f64,
    /// The number of areas.
    pub aggregates: usize,
    /// Node, first and last slice of each area, by node and time.
    pub partition: List<'a, (u32, usize, usize)>,
}

/// An area of a partition.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AreaJson<'a> {
    /// The path of the container, or of the node of the hierarchy.
    pub path: String,
    /// Its kind; `null` for a cube of numbers.
    pub kind: Option<Cow<'a, str>>,
    /// It stands only for what a container has of its own, besides its children.
    pub own: bool,
    /// Its first slice.
    pub first: usize,
    /// Its last slice.
    pub last: usize,
    /// When it is; absent for a cube of numbers.
    #[serde(flatten)]
    pub window: OptionalSpanJson,
    /// How many leaves it has.
    pub leaves: usize,
    /// What it gains, in bits.
    pub gain: f64,
    /// What it loses, in bits.
    pub loss: f64,
    /// The value with the largest mean; `null` if there is nothing.
    pub mode: Option<Cow<'a, str>>,
    /// The share of that value among all.
    pub share: f64,
    /// The mean of each value over leaves and slices, without zeros.
    pub means: BTreeMap<Cow<'a, str>, f64>,
}

/// Where the best partition changes.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CurveJson<'a> {
    /// The trade-offs at which it changes.
    pub breakpoints: List<'a, f64>,
    /// The segments between them.
    pub segments: List<'a, SegmentJson>,
    /// The number of the default segment.
    pub default: usize,
    /// How far the value may be off, as a share of gain and loss of the whole.
    pub bound: f64,
    /// How many partitions were computed.
    pub solves: usize,
}

/// Trade-offs with the same best partition.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TradeOff"))]
pub struct SegmentJson {
    /// The least trade-off.
    pub from: f64,
    /// The greatest trade-off.
    pub to: f64,
    /// The trade-off for which it was computed.
    pub p: f64,
    /// What is gained, in bits.
    pub gain: f64,
    /// What is lost, in bits.
    pub loss: f64,
    /// The share of the gain of the whole.
    pub gain_share: f64,
    /// The share of the loss of the whole.
    pub loss_share: f64,
    /// The number of areas.
    pub aggregates: usize,
}

/// Trade-offs that were found by halving.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HalvingJson<'a> {
    /// The trade-offs.
    pub points: List<'a, PointJson>,
    /// The number of the default.
    pub default: usize,
}

/// A trade-off that was found by halving.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PointJson {
    /// The trade-off.
    pub p: f64,
    /// What is gained, in bits.
    pub gain: f64,
    /// What is lost, in bits.
    pub loss: f64,
    /// The share of the gain of the whole.
    pub gain_share: f64,
    /// The share of the loss of the whole.
    pub loss_share: f64,
}

/// What is disrupted.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DisruptionsJson<'a> {
    /// The trade-off of the partition whose areas are named.
    pub p: f64,
    /// The score from which on it is more than noise.
    pub threshold: f64,
    /// How many reach it.
    pub found: usize,
    /// The highest score met.
    pub highest: f64,
    /// The clearest first.
    pub disruptions: List<'a, DisruptionJson<'a>>,
}

/// A disruption.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DisruptionFound"))]
pub struct DisruptionJson<'a> {
    /// How clear it is.
    pub score: f64,
    /// Its first slice.
    pub first: usize,
    /// Its last slice.
    pub last: usize,
    /// When it is; absent for a cube of numbers.
    #[serde(flatten)]
    pub window: OptionalSpanJson,
    /// The paths of the largest nodes of which all leaves with data are hit.
    pub containers: List<'a, String>,
    /// The paths of the leaves.
    pub leaves: Vec<String>,
    /// What rises most.
    pub rises: Option<ShiftJson<'a>>,
    /// What falls most.
    pub falls: Option<ShiftJson<'a>>,
    /// How much is displaced.
    pub displaced: f64,
    /// What is hit of areas of the partition, the clearest first.
    pub areas: List<'a, HitAreaJson<'a>>,
}

/// What is hit of an area of the partition.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HitAreaJson<'a> {
    /// How clear it is.
    pub score: f64,
    /// The paths of the largest nodes of which all leaves with data are hit.
    pub containers: List<'a, String>,
    /// How many leaves there are.
    pub leaves: usize,
    /// Its first slice.
    pub first: usize,
    /// Its last slice.
    pub last: usize,
    /// When it is; absent for a cube of numbers.
    #[serde(flatten)]
    pub window: OptionalSpanJson,
    /// The area; `null` if the whole of it is hit.
    pub part_of: Option<AreaPlaceJson>,
    /// What rises most.
    pub rises: Option<ShiftJson<'a>>,
    /// What falls most.
    pub falls: Option<ShiftJson<'a>>,
}

/// Where an area of the partition is.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AreaPlaceJson {
    /// The path of its node.
    pub path: String,
    /// Its first slice.
    pub first: usize,
    /// Its last slice.
    pub last: usize,
}

/// A value whose share changes.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ValueShift"))]
pub struct ShiftJson<'a> {
    /// Its name.
    pub value: Cow<'a, str>,
    /// By how much.
    pub by: f64,
}

/// The change of a node from slice to slice.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChangeJson<'a> {
    /// Its path.
    pub path: &'a str,
    /// The changes, that from slice 0 to 1 first.
    pub changes: &'a [f64],
    /// The slices that stand out.
    pub peaks: List<'a, PeakJson>,
}

/// A slice that differs from the one before.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PeakJson {
    /// Its number.
    pub slice: usize,
    /// Its begin, in units; absent for a cube of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub time: Option<f64>,
    /// The same in ticks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub time_ticks: Option<Ticks>,
}

impl Matrix {
    /// What all answers about a matrix begin with.
    pub fn json(&self) -> MatrixJson<'_> {
        MatrixJson {
            schema: "onca-overview/1",
            metric: &self.metric,
            unit: self.times.as_ref().map(|times| UnitJson::new(&times.unit)),
            window: self.json_span(0, self.cells.n_slices() - 1),
            slices: self.cells.n_slices(),
            leaves: self.cells.n_leaves(),
            values: List::new(self.values.iter().map(|name| display_text(name))),
            scanned: self.scanned,
        }
    }

    /// When slices are, if that is known.
    fn json_span(&self, first: usize, last: usize) -> OptionalSpanJson {
        let Some(times) = &self.times else { return OptionalSpanJson::default() };
        let window = Window { from: times.bounds.bound(first), to: times.bounds.bound(last + 1) };
        OptionalSpanJson::new(&times.unit, window)
    }

    fn json_value(&self, value: usize) -> Cow<'_, str> {
        display_text(&self.values[value])
    }

    fn json_shift(&self, shift: Option<Shift>) -> Option<ShiftJson<'_>> {
        shift.map(|shift| ShiftJson { value: self.json_value(shift.value), by: shift.by })
    }

    fn json_paths<'a>(&'a self, nodes: &'a [u32]) -> List<'a, String> {
        List::new(nodes.iter().map(|&node| self.path(node)))
    }
}

fn share_of(number: f64, whole: f64) -> f64 {
    if whole > 0.0 { number / whole } else { 0.0 }
}

impl OverviewAnswer {
    /// The partition: trade-off, value, gain, loss and areas.
    pub fn json<'a>(&'a self, matrix: &'a Matrix) -> PartitionJson<'a> {
        let partition = &self.partition;
        PartitionJson {
            p: partition.p,
            value: partition.value(),
            gain: partition.gain,
            loss: partition.loss,
            gain_share: share_of(partition.gain, self.whole_gain),
            loss_share: share_of(partition.loss, self.whole_loss),
            aggregates: partition.areas.len(),
            areas: List::new(self.areas.iter().map(|area| area.json(matrix))),
        }
    }

    /// The partition as node, first and last slice, by node and time.
    pub fn plain_json(&self) -> PlainPartitionJson<'_> {
        let partition = &self.partition;
        let areas = partition.areas.iter();
        PlainPartitionJson {
            p: partition.p,
            value: partition.value(),
            gain: partition.gain,
            loss: partition.loss,
            aggregates: partition.areas.len(),
            partition: List::new(areas.map(|area| (area.node, area.first, area.last))),
        }
    }
}

impl AreaRow {
    fn json<'a>(&'a self, matrix: &'a Matrix) -> AreaJson<'a> {
        let node = matrix.nodes.get(self.node as usize);
        let means = self.look.means.iter().enumerate().filter(|(_, mean)| **mean > 0.0);
        AreaJson {
            path: matrix.path(self.node),
            kind: node.map(|node| display_text(&node.kind)),
            own: node.is_some_and(|node| node.own),
            first: self.first,
            last: self.last,
            window: matrix.json_span(self.first, self.last),
            leaves: self.n_leaves,
            gain: self.gain,
            loss: self.loss,
            mode: self.look.mode.map(|value| matrix.json_value(value)),
            share: self.look.share,
            means: means.map(|(value, &mean)| (matrix.json_value(value), mean)).collect(),
        }
    }
}

impl CurveAnswer {
    /// The curve: breakpoints, and the optimum between them.
    pub fn json(&self) -> CurveJson<'_> {
        let curve = &self.curve;
        let segment = |segment: &Segment| SegmentJson {
            from: segment.from,
            to: segment.to,
            p: segment.p,
            gain: segment.gain,
            loss: segment.loss,
            gain_share: share_of(segment.gain, curve.whole_gain),
            loss_share: share_of(segment.loss, curve.whole_loss),
            aggregates: segment.n_areas,
        };
        CurveJson {
            breakpoints: List::made(|| curve.breakpoints()),
            segments: List::new(curve.segments.iter().map(segment)),
            default: self.default,
            bound: curve.bound,
            solves: curve.solves,
        }
    }
}

impl HalvingAnswer {
    /// The list, with the place of the default.
    pub fn json(&self) -> HalvingJson<'_> {
        let point = |point: &HalvingPoint| PointJson {
            p: point.p,
            gain: point.gain,
            loss: point.loss,
            gain_share: share_of(point.gain, self.whole_gain),
            loss_share: share_of(point.loss, self.whole_loss),
        };
        HalvingJson {
            points: List::new(self.halving.points.iter().map(point)),
            default: self.halving.default,
        }
    }
}

impl DisruptionAnswer {
    /// The disruptions, the clearest first.
    pub fn json<'a>(&'a self, matrix: &'a Matrix) -> DisruptionsJson<'a> {
        DisruptionsJson {
            p: self.p,
            threshold: self.threshold,
            found: self.n_found,
            highest: self.highest,
            disruptions: List::new(self.disruptions.iter().map(|one| one.json(matrix))),
        }
    }
}

impl FoundDisruption {
    fn json<'a>(&'a self, matrix: &'a Matrix) -> DisruptionJson<'a> {
        let disruption = &self.disruption;
        let leaves = disruption.leaves().into_iter();
        DisruptionJson {
            score: disruption.score,
            first: disruption.first,
            last: disruption.last,
            window: matrix.json_span(disruption.first, disruption.last),
            containers: matrix.json_paths(&self.nodes),
            leaves: leaves.map(|leaf| matrix.path(matrix.tree.leaves()[leaf])).collect(),
            rises: matrix.json_shift(disruption.rises),
            falls: matrix.json_shift(disruption.falls),
            displaced: disruption.displaced,
            areas: List::new(self.areas.iter().map(|area| area.json(matrix))),
        }
    }
}

impl HitArea {
    fn json<'a>(&'a self, matrix: &'a Matrix) -> HitAreaJson<'a> {
        HitAreaJson {
            score: self.score,
            containers: matrix.json_paths(&self.nodes),
            leaves: self.n_leaves,
            first: self.first,
            last: self.last,
            window: matrix.json_span(self.first, self.last),
            part_of: self.part_of.map(|area| AreaPlaceJson {
                path: matrix.path(area.node),
                first: area.first,
                last: area.last,
            }),
            rises: matrix.json_shift(self.rises),
            falls: matrix.json_shift(self.falls),
        }
    }
}

impl ChangeAnswer {
    /// The curves, one object for each node.
    pub fn json<'a>(&'a self, matrix: &'a Matrix) -> List<'a, ChangeJson<'a>> {
        let peak = |&at: &usize| {
            let times = matrix.times.as_ref();
            let begin = times.map(|times| (times.bounds.bound(at + 1), &times.unit));
            PeakJson {
                slice: at + 1,
                time: begin.map(|(time, unit)| unit.units(time)),
                time_ticks: begin.map(|(time, _)| time),
            }
        };
        let curve = move |change: &'a NodeChange| ChangeJson {
            path: &change.path,
            changes: &change.curve.changes,
            peaks: List::new(change.curve.peaks.iter().map(peak)),
        };
        List::new(self.curves.iter().map(curve))
    }
}
