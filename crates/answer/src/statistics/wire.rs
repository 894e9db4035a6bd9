//! The statistics as JSON.

use onca_model::{ContainerId, Ticks};
use onca_query::{Scope, container_path};
use serde::Serialize;

use super::{Durations, Instance, Statistics, ValueStatistics};
use crate::measure_name;
use crate::wire::{HeaderJson, List, NodeJson, Number, ValueNameJson, units_of_mean, units_of_sum};

/// Time, count and durations of values: `onca-stats-values/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StatisticsAnswer"))]
pub struct StatisticsJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// What the time of nested states counts for: `exclusive` or `inclusive`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::Measure"))]
    pub measure: &'static str,
    /// The values.
    pub values: List<'a, ValueStatisticsJson<'a>>,
}

/// What there is of one value below one node.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ValueStatisticsJson<'a> {
    /// Whose row it is; the root for everything together.
    pub node: NodeJson<'a>,
    /// The value and its type.
    #[serde(flatten)]
    pub value: ValueNameJson<'a>,
    /// `state`, `link` or `event`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::Nature"))]
    pub nature: &'static str,
    /// The role of the value; `null` if it has none.
    pub role: Option<&'static str>,
    /// The time in the window, in units; `null` for events.
    pub total: Option<f64>,
    /// The same in ticks.
    pub total_ticks: Option<Number>,
    /// The share of the time of all states of the type; `null` for links and events.
    pub share: Option<f64>,
    /// Instances that touch the window.
    pub count: u64,
    /// The sum of the sizes of links; `null` for all others.
    pub size: Option<u64>,
    /// Durations of whole instances.
    #[serde(flatten)]
    pub durations: DurationsJson,
    /// The longest instances, as many as were asked for.
    pub longest: List<'a, InstanceJson>,
}

/// Durations of whole instances; all `null` where there is none, as for events.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DurationsJson {
    /// The shortest, in units.
    pub min: Option<f64>,
    /// The shortest, in ticks.
    pub min_ticks: Option<Ticks>,
    /// The mean, in units.
    pub mean: Option<f64>,
    /// The mean, in ticks, which are not whole.
    pub mean_ticks: Option<f64>,
    /// The median, in units.
    pub median: Option<f64>,
    /// The median, in ticks.
    pub median_ticks: Option<Ticks>,
    /// What 90 of 100 do not exceed, in units.
    pub p90: Option<f64>,
    /// What 90 of 100 do not exceed, in ticks.
    pub p90_ticks: Option<Ticks>,
    /// What 99 of 100 do not exceed, in units.
    pub p99: Option<f64>,
    /// What 99 of 100 do not exceed, in ticks.
    pub p99_ticks: Option<Ticks>,
    /// The longest, in units.
    pub max: Option<f64>,
    /// The longest, in ticks.
    pub max_ticks: Option<Ticks>,
    /// The quantiles are exact.
    pub exact: Option<bool>,
}

/// A state or link.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InstanceJson {
    /// The path of its container, if it is known.
    pub container: Option<String>,
    /// Where it begins, in units.
    pub start: f64,
    /// Where it begins, in ticks.
    pub start_ticks: Ticks,
    /// Where it ends, in units.
    pub end: f64,
    /// Where it ends, in ticks.
    pub end_ticks: Ticks,
    /// How long it is, in units.
    pub duration: f64,
    /// How long it is, in ticks.
    pub duration_ticks: Ticks,
}

impl Statistics {
    /// The answer as JSON, `onca-stats-values/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> StatisticsJson<'a> {
        StatisticsJson {
            header: HeaderJson::new(scope, "onca-stats-values/1", true),
            measure: measure_name(self.measure),
            values: List::new(self.rows.iter().map(|row| self.row(scope, row))),
        }
    }

    fn row<'a>(
        &'a self,
        scope: &'a Scope<'_>,
        row: &'a ValueStatistics,
    ) -> ValueStatisticsJson<'a> {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        ValueStatisticsJson {
            node: NodeJson::new(scope, self.cut.nodes()[row.place]),
            value: ValueNameJson::of_state(scope, row.value),
            nature: row.nature.name(),
            role: row.value.of_trace().and_then(|id| scope.role(id)).map(|role| role.name()),
            total: row.ticks.map(|ticks| units_of_sum(unit, ticks)),
            total_ticks: row.ticks.map(Number::sum),
            share: row.share,
            count: row.count,
            size: row.size,
            durations: durations(scope, row.durations.as_ref()),
            longest: List::new(row.longest.iter().map(|one| instance(scope, one))),
        }
    }
}

fn durations(scope: &Scope<'_>, durations: Option<&Durations>) -> DurationsJson {
    let unit = &scope.catalog().facts.unit;
    let ticks = |part: fn(&Durations) -> Ticks| durations.map(part);
    let units = |part: fn(&Durations) -> Ticks| ticks(part).map(|ticks| unit.units(ticks));
    let mean = durations.map(|durations| durations.mean);
    DurationsJson {
        min: units(|durations| durations.min),
        min_ticks: ticks(|durations| durations.min),
        mean: mean.map(|mean| units_of_mean(unit, mean)),
        mean_ticks: mean,
        median: units(|durations| durations.median),
        median_ticks: ticks(|durations| durations.median),
        p90: units(|durations| durations.p90),
        p90_ticks: ticks(|durations| durations.p90),
        p99: units(|durations| durations.p99),
        p99_ticks: ticks(|durations| durations.p99),
        max: units(|durations| durations.max),
        max_ticks: ticks(|durations| durations.max),
        exact: durations.map(|durations| durations.exact),
    }
}

fn instance(scope: &Scope<'_>, instance: &Instance) -> InstanceJson {
    let unit = &scope.catalog().facts.unit;
    let path = |id: ContainerId| container_path(&scope.catalog().containers, id);
    let Instance { start, end, container } = *instance;
    let duration = end.saturating_sub(start);
    InstanceJson {
        container: container.map(path),
        start: unit.units(start),
        start_ticks: start,
        end: unit.units(end),
        end_ticks: end,
        duration: unit.units(duration),
        duration_ticks: duration,
    }
}
