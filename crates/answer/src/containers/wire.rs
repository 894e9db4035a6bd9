//! The loads of containers as JSON.

use onca_model::{Ticks, display_text};
use onca_query::Scope;
use serde::Serialize;

use super::{ContainerLoad, ContainerLoads};
use crate::wire::{HeaderJson, List, NodeJson, Number, ValueNameJson, units_of_mean, units_of_sum};

/// What each value takes in each container: `onca-containers/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ContainersAnswer"))]
pub struct ContainersJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// How many slices `over_time` has.
    pub slices: u64,
    /// The rows, those with the most time first.
    pub rows: List<'a, ContainerRowJson<'a>>,
    /// How many rows with less time are left out.
    pub left_out: u64,
}

/// What the states of one value take in one container or group.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ContainerRow"))]
pub struct ContainerRowJson<'a> {
    /// The number of its node.
    pub node: u32,
    /// Its name.
    pub name: String,
    /// Path and kind.
    #[serde(flatten)]
    pub place: NodeJson<'a>,
    /// The value and its type.
    #[serde(flatten)]
    pub value: ValueNameJson<'a>,
    /// The exclusive time in the window, in units.
    pub total: f64,
    /// The same in ticks.
    pub total_ticks: Number,
    /// The share of the time of all states of the type there.
    pub share: Option<f64>,
    /// Instances that touch the window.
    pub count: u64,
    /// The mean duration of whole instances, in units.
    pub mean: Option<f64>,
    /// The same in ticks, which are not whole.
    pub mean_ticks: Option<f64>,
    /// The longest instance, in units.
    pub max: Option<f64>,
    /// The same in ticks.
    pub max_ticks: Option<Ticks>,
    /// By how many per cent the time is above the mean of all that can have the value; `null` where that is 0.
    pub imbalance_percent: Option<f64>,
    /// `high` or `low` where the time is far from that of most; else `null`.
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::wire::words::Odd>"))]
    pub outlier: Option<&'static str>,
    /// The exclusive time in each slice of the window, in ticks.
    pub over_time: List<'a, Number>,
}

impl ContainerLoads {
    /// The answer as JSON, `onca-containers/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> ContainersJson<'a> {
        ContainersJson {
            header: HeaderJson::new(scope, "onca-containers/1", true),
            slices: self.n_slices as u64,
            rows: List::new(self.rows.iter().map(|row| self.row(scope, row))),
            left_out: self.left_out as u64,
        }
    }

    fn row<'a>(&'a self, scope: &'a Scope<'_>, row: &'a ContainerLoad) -> ContainerRowJson<'a> {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        let node = self.cut.nodes()[row.of.place];
        let ticks = row.of.ticks.unwrap_or(0);
        let durations = row.of.durations.as_ref();
        ContainerRowJson {
            node: node.0,
            name: display_text(scope.name(node)).into_owned(),
            place: NodeJson::new(scope, node),
            value: ValueNameJson::new(catalog, row.value),
            total: units_of_sum(unit, ticks),
            total_ticks: Number::sum(ticks),
            share: row.of.share,
            count: row.of.count,
            mean: durations.map(|all| units_of_mean(unit, all.mean)),
            mean_ticks: durations.map(|all| all.mean),
            max: durations.map(|all| unit.units(all.max)),
            max_ticks: durations.map(|all| all.max),
            imbalance_percent: row.above_mean.map(|above| 100.0 * above),
            outlier: row.odd.map(|odd| odd.name()),
            over_time: List::new(row.over_time.iter().map(|ticks| Number::sum(*ticks))),
        }
    }
}
