//! Is the load spread evenly over the nodes of a level?

use std::borrow::Cow;

use onca_aggregate::statistics::LoadBalance;
use onca_model::{Nature, ValueId, display_text};
use onca_query::{NodeId, Scope};
use onca_store::Measure;
use serde::Serialize;

use crate::efficiency::is_useful;
use crate::times::{StateTimes, state_times};
use crate::wire::{HeaderJson, List, NodeJson, type_name, units_of_mean};
use crate::{Cut, Level, Result, measure_name};

/// How evenly loads are spread.
#[derive(Clone, PartialEq, Debug)]
pub struct Balance {
    /// What the loads are of.
    pub measure: Measure,
    /// For each level the useful time, if a role says what that is, then each value, those with
    /// the most time first.
    pub rows: Vec<BalanceRow>,
    /// Did the lens make it necessary to look at every state?
    pub scanned: bool,
}

/// A load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Load {
    /// The time of all values that compute.
    Useful,
    /// The time in one value.
    Value(ValueId),
}

/// How evenly one load is spread over the nodes of one level.
#[derive(Clone, PartialEq, Debug)]
pub struct BalanceRow {
    /// The level; `None` for nodes by themselves, whatever their kind.
    pub level: Option<String>,
    /// What is spread.
    pub load: Load,
    /// How evenly. All nodes of the level that have states count, also those without this load.
    pub balance: LoadBalance,
    /// The first of those that carry most.
    pub most: NodeId,
}

/// How evenly time is spread over the nodes of a level, or over those of every level that has
/// states when none is given.
pub fn balance(scope: &Scope<'_>, level: Option<&Level>, measure: Measure) -> Result<Balance> {
    let levels: Vec<Level> = match level {
        Some(level) => vec![level.clone()],
        None => {
            let kinds = scope.hierarchy().levels();
            kinds.into_iter().map(|kind| Level::Kind(kind.into_owned())).collect()
        }
    };
    let mut answer = Balance { measure, rows: Vec::new(), scanned: false };
    for asked in levels {
        let cut = Cut::new(scope, &asked)?;
        if level.is_none() && cut.nodes() == [NodeId::ROOT] {
            // All of it is the root's.
            continue;
        }
        let times = state_times(scope, &cut, scope.window(), measure)?;
        answer.scanned |= times.scanned;
        let name = match asked {
            Level::Kind(kind) => Some(kind),
            Level::Depth(depth) => Some(format!("depth {depth}")),
            Level::Own | Level::Whole => None,
        };
        answer.rows.extend(of_level(scope, &cut, &times, name));
    }
    Ok(answer)
}

/// The loads of one level.
fn of_level(
    scope: &Scope<'_>,
    cut: &Cut,
    times: &StateTimes,
    level: Option<String>,
) -> Vec<BalanceRow> {
    let mut places: Vec<usize> =
        cut.tracks(scope, Nature::State).into_iter().map(|(place, _)| place).collect();
    places.dedup();
    let mut sums: Vec<(i128, ValueId)> = Vec::new();
    let mut by_value: Vec<_> =
        times.rows.iter().map(|row| (row.value, row.place, row.ticks)).collect();
    by_value.sort_unstable();
    for same in by_value.chunk_by(|a, b| a.0 == b.0) {
        sums.push((same.iter().map(|row| row.2).sum(), same[0].0));
    }
    sums.sort_by_key(|&(ticks, value)| (std::cmp::Reverse(ticks), value));
    let spread = |load: Load, loads: &[i128]| {
        let balance = LoadBalance::of(loads.iter().copied())?;
        let largest = loads.iter().max()?;
        let at = loads.iter().position(|load| load == largest)?;
        let most = cut.nodes()[places[at]];
        Some(BalanceRow { level: level.clone(), load, balance, most })
    };
    let mut rows = Vec::new();
    let useful: Vec<i128> = places
        .iter()
        .map(|&place| {
            let useful = times.at(place).iter().filter(|row| is_useful(scope.role(row.value)));
            useful.map(|row| row.ticks).sum()
        })
        .collect();
    if times.rows.iter().any(|row| is_useful(scope.role(row.value))) {
        rows.extend(spread(Load::Useful, &useful));
    }
    let mut loads = vec![0i128; places.len()];
    for (_, value) in sums {
        loads.fill(0);
        let from = by_value.partition_point(|row| row.0 < value);
        for &(_, place, ticks) in by_value[from..].iter().take_while(|row| row.0 == value) {
            if let Ok(at) = places.binary_search(&place) {
                loads[at] = ticks;
            }
        }
        rows.extend(spread(Load::Value(value), &loads));
    }
    rows
}

/// How evenly loads are spread, as JSON: `onca-stats-balance/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BalanceJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// What the time of nested states counts for: `exclusive` or `inclusive`.
    pub measure: &'static str,
    /// The loads of each level.
    pub balance: List<'a, BalanceRowJson<'a>>,
}

/// How evenly one load is spread over the nodes of one level.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BalanceRowJson<'a> {
    /// The level; `null` for containers whatever their kind.
    pub level: Option<&'a str>,
    /// `useful`, or `value`.
    pub load: &'static str,
    /// The value, if it is one.
    pub value: Option<Cow<'a, str>>,
    /// The type of the value, if it is one.
    #[serde(rename = "type")]
    pub type_name: Option<Cow<'a, str>>,
    /// How many nodes there are.
    pub nodes: u64,
    /// The mean load, in units.
    pub mean: f64,
    /// The mean load, in ticks.
    pub mean_ticks: f64,
    /// The largest load, in units.
    pub max: f64,
    /// The largest load, in ticks.
    pub max_ticks: f64,
    /// The standard deviation, in units.
    pub deviation: f64,
    /// The standard deviation, in ticks.
    pub deviation_ticks: f64,
    /// The largest load by the mean; `null` where the mean is 0.
    pub max_by_mean: Option<f64>,
    /// By how many per cent the largest load is above the mean; `null` where the mean is 0.
    pub imbalance_percent: Option<f64>,
    /// The first node of those that carry most.
    pub most: NodeJson<'a>,
}

impl Balance {
    /// The answer as JSON, `onca-stats-balance/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> BalanceJson<'a> {
        BalanceJson {
            header: HeaderJson::new(scope, "onca-stats-balance/1", self.scanned),
            measure: measure_name(self.measure),
            balance: List::new(self.rows.iter().map(|row| row.json(scope))),
        }
    }
}

impl BalanceRow {
    fn json<'a>(&'a self, scope: &'a Scope<'_>) -> BalanceRowJson<'a> {
        let catalog = scope.catalog();
        let value = match self.load {
            Load::Useful => None,
            Load::Value(value) => Some(catalog.value(value)),
        };
        let balance = &self.balance;
        let units = |ticks: f64| units_of_mean(&catalog.facts.unit, ticks);
        BalanceRowJson {
            level: self.level.as_deref(),
            load: if value.is_some() { "value" } else { "useful" },
            value: value.map(|value| display_text(&value.name)),
            type_name: value.map(|value| type_name(catalog, value.type_id)),
            nodes: balance.count,
            mean: units(balance.mean),
            mean_ticks: balance.mean,
            max: units(balance.max),
            max_ticks: balance.max,
            deviation: units(balance.std),
            deviation_ticks: balance.std,
            max_by_mean: balance.max_by_mean(),
            imbalance_percent: balance.imbalance_percent(),
            most: NodeJson::new(scope, self.most),
        }
    }
}
