//! How efficient a program is with more and more processes.

use onca_aggregate::efficiency::Efficiency;
use onca_query::Scope;
use serde::Serialize;

use crate::{Level, Result, efficiency};

/// One run of a study of scaling.
#[derive(Clone, PartialEq, Debug)]
pub struct ScalingRun {
    /// How many processes it has.
    pub n_processes: u64,
    /// How long it is, in units of its trace.
    pub length: f64,
    /// Its efficiencies.
    pub efficiency: Efficiency,
    /// The useful time of all processes of the first run, divided by that of this one: below 1, more processes make more work.
    pub computation: Option<f64>,
    /// How many times as fast as the first run.
    pub speed_up: Option<f64>,
}

impl ScalingRun {
    /// How efficient it is: parallel efficiency times the scaling of computation.
    pub fn global(&self) -> Option<f64> {
        Some(self.efficiency.parallel? * self.computation?)
    }

    /// The factors in the order of tables, with their names and how deep they are nested.
    pub fn factors(&self) -> [(&'static str, usize, Option<f64>); 7] {
        let (serialisation, transfer) = self.efficiency.split.parts();
        [
            ("global efficiency", 0, self.global()),
            ("parallel efficiency", 1, self.efficiency.parallel),
            ("load balance", 2, self.efficiency.load_balance),
            ("communication efficiency", 2, self.efficiency.communication),
            ("serialisation", 3, serialisation),
            ("transfer", 3, transfer),
            ("computation scaling", 1, self.computation),
        ]
    }
}

/// The runs of a program with different numbers of processes, the fewest first. The first is what the others are compared
/// with; the same work is shared out in all of them.
pub fn scaling(runs: &[Scope<'_>]) -> Result<Vec<ScalingRun>> {
    let mut found = Vec::new();
    for (at, scope) in runs.iter().enumerate() {
        let mut answer = efficiency(scope, &Level::Whole, 1)?;
        answer.split(scope, &Level::Whole)?;
        let facts = &scope.catalog().facts;
        let unit = facts.unit.nanoseconds().unwrap_or(1) as f64 / facts.unit.ticks_per_unit as f64;
        let ticks = (facts.end - facts.start) as f64;
        let row = answer.rows.first();
        let times = row.map(|row| row.times).unwrap_or_default();
        let run = ScalingRun {
            n_processes: times.processes,
            length: facts.unit.units(facts.end - facts.start),
            efficiency: row.map_or_else(|| times.efficiency(0, None), |row| row.efficiency),
            computation: None,
            speed_up: None,
        };
        found.push((run, times.useful as f64 * unit, ticks * unit, at));
    }
    found.sort_by_key(|(run, _, _, at)| (run.n_processes, *at));
    let first = found.first().map(|(_, useful, length, _)| (*useful, *length));
    let divided = |a: f64, b: f64| (a > 0.0 && b > 0.0).then(|| a / b);
    Ok(found
        .into_iter()
        .map(|(run, useful, length, _)| ScalingRun {
            computation: first.and_then(|(of_first, _)| divided(of_first, useful)),
            speed_up: first.and_then(|(_, of_first)| divided(of_first, length)),
            ..run
        })
        .collect())
}

/// A study of scaling as JSON: `onca-scaling/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ScalingJson {
    /// The kind of the answer and its version.
    pub schema: &'static str,
    /// The runs, the fewest processes first.
    pub runs: Vec<ScalingRunJson>,
}

/// A run of a study of scaling.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ScalingRunJson {
    /// How many processes it has.
    pub processes: u64,
    /// How long it is, in units of its trace.
    pub length: f64,
    /// How many times as fast as the first.
    pub speed_up: Option<f64>,
    /// Parallel efficiency times the scaling of computation.
    pub global: Option<f64>,
    /// Load balance times communication efficiency.
    pub parallel: Option<f64>,
    /// Are all equally busy?
    pub load_balance: Option<f64>,
    /// Does the busiest one wait?
    pub communication: Option<f64>,
    /// Does anybody wait for others to get there?
    pub serialisation: Option<f64>,
    /// Does moving data cost time?
    pub transfer: Option<f64>,
    /// The useful time of the first run, divided by that of this one.
    pub computation: Option<f64>,
}

/// A study of scaling as JSON.
pub fn scaling_json(runs: &[ScalingRun]) -> ScalingJson {
    let run = |run: &ScalingRun| {
        let (serialisation, transfer) = run.efficiency.split.parts();
        ScalingRunJson {
            processes: run.n_processes,
            length: run.length,
            speed_up: run.speed_up,
            global: run.global(),
            parallel: run.efficiency.parallel,
            load_balance: run.efficiency.load_balance,
            communication: run.efficiency.communication,
            serialisation,
            transfer,
            computation: run.computation,
        }
    };
    ScalingJson { schema: "onca-scaling/1", runs: runs.iter().map(run).collect() }
}
