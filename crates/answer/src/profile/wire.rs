//! The profile as JSON.

use onca_query::Scope;
use serde::Serialize;

use super::{Path, Profile};
use crate::wire::{HeaderJson, List, NodeJson, Number, ValueNameJson, units_of_sum};

/// How long each path of nested states took: `onca-profile/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProfileAnswer"))]
pub struct ProfileJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// The exclusive time of all paths, in units.
    pub total: f64,
    /// The same in ticks.
    pub total_ticks: Number,
    /// How many paths are too small to be listed.
    pub left_out: u64,
    /// Their exclusive time, in units.
    pub left_out_exclusive: f64,
    /// The same in ticks.
    pub left_out_exclusive_ticks: Number,
    /// The paths, each before those that continue it.
    pub paths: List<'a, PathJson<'a>>,
}

/// A path of nested states, by the value that it ends with.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProfilePath"))]
pub struct PathJson<'a> {
    /// Whose path it is.
    pub node: NodeJson<'a>,
    /// The place in `paths` of the path that it continues; `null` for outermost states.
    pub outer: Option<usize>,
    /// How many values it has before its last.
    pub depth: usize,
    /// The last value and its type.
    #[serde(flatten)]
    pub value: ValueNameJson<'a>,
    /// States that touch the window.
    pub count: u64,
    /// The time in these states, in units.
    pub inclusive: f64,
    /// The same in ticks.
    pub inclusive_ticks: Number,
    /// The time in these states and in no state inside them, in units.
    pub exclusive: f64,
    /// The same in ticks.
    pub exclusive_ticks: Number,
}

impl Profile {
    /// The answer as JSON, `onca-profile/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> ProfileJson<'a> {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        let path = move |path: &'a Path| PathJson {
            node: NodeJson::new(scope, self.cut.nodes()[path.place]),
            outer: path.outer,
            depth: path.depth,
            value: ValueNameJson::new(catalog, path.value),
            count: path.count,
            inclusive: units_of_sum(unit, path.inclusive),
            inclusive_ticks: Number::sum(path.inclusive),
            exclusive: units_of_sum(unit, path.exclusive),
            exclusive_ticks: Number::sum(path.exclusive),
        };
        ProfileJson {
            header: HeaderJson::new(scope, "onca-profile/1", true),
            total: units_of_sum(unit, self.total),
            total_ticks: Number::sum(self.total),
            left_out: self.left_out,
            left_out_exclusive: units_of_sum(unit, self.left_out_ticks),
            left_out_exclusive_ticks: Number::sum(self.left_out_ticks),
            paths: List::new(self.paths.iter().map(path)),
        }
    }
}
