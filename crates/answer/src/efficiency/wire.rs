//! Efficiencies as JSON.

use onca_aggregate::efficiency::{CommunicationSplit, GroupTime};
use onca_model::{Ticks, TimeUnit};
use onca_query::{Role, Scope};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Efficiencies, EfficiencyRow, Hybrid};
use crate::wire::{HeaderJson, List, NodeJson, Number, SpanJson, units_of_sum};

/// How well processes used their time, as JSON: `onca-stats-efficiency/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EfficienciesJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// Some containers have states of several types, which overlap.
    pub several_types: bool,
    /// Which efficiencies are not told, and why; `null` if all are.
    pub left_out: Option<&'static str>,
    /// The efficiencies, by node and slice.
    pub efficiency: List<'a, EfficiencyRowJson<'a>>,
}

/// How well the processes below one node used one slice of time.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EfficiencyRowJson<'a> {
    /// The node whose processes these are.
    pub node: NodeJson<'a>,
    /// The slice.
    #[serde(flatten)]
    pub slice: SpanJson,
    /// How many processes there are.
    pub processes: u64,
    /// Parallel efficiency; `null` where it is not defined.
    pub parallel: Option<f64>,
    /// Load balance; `null` where it is not defined.
    pub load_balance: Option<f64>,
    /// Communication efficiency; `null` where it is not defined.
    pub communication: Option<f64>,
    /// Serialisation efficiency; `null` where it is not told or not defined.
    pub serialisation: Option<f64>,
    /// Transfer efficiency; `null` where it is not told or not defined.
    pub transfer: Option<f64>,
    /// Where processes and their threads are told apart, the efficiencies of both; else `null`.
    pub hybrid: Option<Hybrid>,
    /// The share of all time that is communication.
    pub communication_share: Option<f64>,
    /// The useful time of all, in units.
    pub useful: f64,
    /// The useful time of all, in ticks.
    pub useful_ticks: Number,
    /// The useful time of the busiest, in units.
    pub max_useful: f64,
    /// The useful time of the busiest, in ticks.
    pub max_useful_ticks: Ticks,
    /// The communication of all, in units.
    pub communicating: f64,
    /// The communication of all, in ticks.
    pub communicating_ticks: Number,
    /// The time in each role, in `unknown` and in `none`, in units; and each again in ticks.
    pub roles: RoleTimesJson<'a>,
}

/// The time in each role, as an object: for each a field of its name, in units, and one that ends in
/// `_ticks`.
#[derive(Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "Record<string, number>"))]
pub struct RoleTimesJson<'a> {
    unit: &'a TimeUnit,
    row: &'a EfficiencyRow,
}

impl Serialize for RoleTimesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let roles = Role::ALL.iter().map(|role| role.name()).zip(self.row.roles);
        let others = [("unknown", self.row.unknown), ("none", self.row.none)];
        let mut map = serializer.serialize_map(None)?;
        for (name, ticks) in roles.chain(others) {
            map.serialize_entry(name, &units_of_sum(self.unit, ticks))?;
            map.serialize_entry(&format_args!("{name}_ticks"), &Number::sum(ticks))?;
        }
        map.end()
    }
}

impl Efficiencies {
    /// The answer as JSON, `onca-stats-efficiency/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> EfficienciesJson<'a> {
        EfficienciesJson {
            header: HeaderJson::new(scope, "onca-stats-efficiency/1", self.scanned),
            several_types: self.several_types,
            left_out: (!self.is_split).then_some(CommunicationSplit::REASON),
            efficiency: List::new(self.rows.iter().map(|row| row.json(scope))),
        }
    }
}

impl EfficiencyRow {
    fn json<'a>(&'a self, scope: &'a Scope<'_>) -> EfficiencyRowJson<'a> {
        let unit = &scope.catalog().facts.unit;
        let GroupTime { processes, useful, max_useful, communication } = self.times;
        let (serialisation, transfer) = self.efficiency.split.parts();
        EfficiencyRowJson {
            node: NodeJson::new(scope, self.node),
            slice: SpanJson::new(unit, self.slice),
            processes,
            parallel: self.efficiency.parallel,
            load_balance: self.efficiency.load_balance,
            communication: self.efficiency.communication,
            serialisation,
            transfer,
            hybrid: self.hybrid,
            communication_share: self.efficiency.communication_share,
            useful: units_of_sum(unit, useful),
            useful_ticks: Number::sum(useful),
            max_useful: unit.units(max_useful),
            max_useful_ticks: max_useful,
            communicating: units_of_sum(unit, communication),
            communicating_ticks: Number::sum(communication),
            roles: RoleTimesJson { unit, row: self },
        }
    }
}
