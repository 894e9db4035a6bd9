//! A run in a few numbers: how well it used its processes, and who has the most to do.

use std::borrow::Cow;

use onca_model::display_text;
use onca_query::Scope;
use onca_store::Measure;
use serde::Serialize;

use crate::wire::{HeaderJson, NodeJson, type_name, units_of_mean};
use crate::{
    Balance, BalanceRow, Efficiencies, EfficiencyRow, Level, Load, Result, balance, efficiency,
};

/// A run in a few numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The efficiency of all processes in the window. None if nothing is known to be useful.
    pub efficiency: Option<EfficiencyRow>,
    /// Do states of several types of one container overlap? Then time counts more than once.
    pub several_types: bool,
    /// Who has the most useful time or, if nothing is known to be useful, the most of the value that has the
    /// most time. None of one alone, nor where nobody has any.
    pub most_loaded: Option<BalanceRow>,
    /// Did the lens make it necessary to look at every state?
    pub scanned: bool,
}

/// The numbers of the window.
pub fn summary(scope: &Scope<'_>) -> Result<Summary> {
    let Efficiencies { rows, scanned, several_types, .. } = efficiency(scope, &Level::Whole, 1)?;
    let Balance { rows: loads, scanned: all_seen, .. } =
        balance(scope, Some(&Level::Own), Measure::Exclusive)?;
    Ok(Summary {
        efficiency: rows.into_iter().next().filter(|row| row.times.useful > 0),
        several_types,
        most_loaded: loads
            .into_iter()
            .next()
            .filter(|row| row.balance.count > 1 && row.balance.max > 0.0),
        scanned: scanned || all_seen,
    })
}

/// A run in a few numbers, as JSON: `onca-summary/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SummaryAnswer"))]
pub struct SummaryJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// How well processes used their time; `null` if nothing is known to be useful.
    pub efficiency: Option<SummaryEfficiencyJson>,
    /// Who has the most to do; `null` of one alone.
    pub most_loaded: Option<MostLoadedJson<'a>>,
}

/// How well all processes used their time.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SummaryEfficiencyJson {
    /// How many processes there are.
    pub processes: u64,
    /// Parallel efficiency.
    pub parallel: Option<f64>,
    /// Load balance.
    pub load_balance: Option<f64>,
    /// Communication efficiency.
    pub communication: Option<f64>,
    /// States of several types of one container overlap: what they take can be more than the time there is.
    pub several_types: bool,
}

/// Who has the most to do.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MostLoadedJson<'a> {
    /// The number of its node.
    pub node: u32,
    /// Its name.
    pub name: Cow<'a, str>,
    /// Path and kind.
    #[serde(flatten)]
    pub place: NodeJson<'a>,
    /// The value that is compared; `null` for all useful time.
    pub value: Option<Cow<'a, str>>,
    /// The type of the value.
    #[serde(rename = "type")]
    pub type_name: Option<Cow<'a, str>>,
    /// Its time, in units.
    pub max: f64,
    /// Its time, in ticks.
    pub max_ticks: f64,
    /// The mean of all, in units.
    pub mean: f64,
    /// The mean of all, in ticks.
    pub mean_ticks: f64,
    /// By how many per cent its time is above the mean.
    pub imbalance_percent: Option<f64>,
    /// How many are compared.
    pub nodes: u64,
}

impl Summary {
    /// The answer as JSON, `onca-summary/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> SummaryJson<'a> {
        let efficiency = self.efficiency.as_ref().map(|row| SummaryEfficiencyJson {
            processes: row.times.processes,
            parallel: row.efficiency.parallel,
            load_balance: row.efficiency.load_balance,
            communication: row.efficiency.communication,
            several_types: self.several_types,
        });
        SummaryJson {
            header: HeaderJson::new(scope, "onca-summary/1", self.scanned),
            efficiency,
            most_loaded: self.most_loaded.as_ref().map(|row| most_loaded(scope, row)),
        }
    }
}

fn most_loaded<'a>(scope: &'a Scope<'_>, row: &BalanceRow) -> MostLoadedJson<'a> {
    let catalog = scope.catalog();
    let value = match row.load {
        Load::Useful => None,
        Load::Value(value) => Some(catalog.value(value)),
    };
    let units = |ticks: f64| units_of_mean(&catalog.facts.unit, ticks);
    MostLoadedJson {
        node: row.most.0,
        name: display_text(scope.name(row.most)),
        place: NodeJson::new(scope, row.most),
        value: value.map(|value| display_text(&value.name)),
        type_name: value.map(|value| type_name(catalog, value.type_id)),
        max: units(row.balance.max),
        max_ticks: row.balance.max,
        mean: units(row.balance.mean),
        mean_ticks: row.balance.mean,
        imbalance_percent: row.balance.imbalance_percent(),
        nodes: row.balance.count,
    }
}
