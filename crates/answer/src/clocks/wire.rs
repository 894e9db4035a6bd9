//! The JSON of an answer about clocks.

use onca_model::{Ticks, TimeUnit};
use onca_query::Scope;
use serde::Serialize;

use super::{Backward, ClocksAnswer, Process, model_name};
use crate::wire::{HeaderJson, List, NodeJson};

/// How far the clocks of processes are off: `onca-clocks/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClocksJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// `agree`, `offsets` or `offsets and drifts`.
    pub model: &'static str,
    /// The messages as they are.
    pub before: BackwardJson,
    /// The messages with corrected times.
    pub after: BackwardJson,
    /// Links without two known ends.
    pub left_out: u64,
    /// The process that all others are compared with, by its place in `processes`; `null` if there are
    /// several.
    pub reference: Option<usize>,
    /// The processes with messages.
    pub processes: List<'a, ProcessJson<'a>>,
    /// Nodes of the same kinds without messages.
    pub silent: List<'a, NodeJson<'a>>,
    /// The pairs with messages that go backwards, the worst first.
    pub pairs: List<'a, BackwardPairJson>,
    /// The time from which drifts count, in units.
    pub origin: f64,
    /// The same in ticks.
    pub origin_ticks: Ticks,
    /// By how much some bound is missed, in units; 0 if the model explains all messages.
    pub missed: f64,
    /// The same in ticks.
    pub missed_ticks: Ticks,
    /// The largest uncertainty of all processes, in units; `null` if one is not bounded.
    pub uncertainty: Option<f64>,
    /// The same in ticks.
    pub uncertainty_ticks: Option<Ticks>,
}

/// Messages that are received before they are sent.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BackwardJson {
    /// How many messages there are.
    pub messages: u64,
    /// How many of them are received before they are sent.
    pub backward: u64,
    /// By how much at most, in units.
    pub worst: f64,
    /// The same in ticks.
    pub worst_ticks: Ticks,
}

/// Messages from one process to another.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BackwardPairJson {
    /// The place of the sender in `processes`.
    pub from: usize,
    /// The place of the receiver in `processes`.
    pub to: usize,
    /// The messages.
    #[serde(flatten)]
    pub counts: BackwardJson,
}

/// The clock of a process.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProcessJson<'a> {
    /// The process.
    pub node: NodeJson<'a>,
    /// The place in `processes` of the process that it is compared with.
    pub reference: usize,
    /// How many messages it sends and receives.
    pub messages: u64,
    /// How far its clock is ahead, in units.
    pub offset: f64,
    /// The same in ticks.
    pub offset_ticks: Ticks,
    /// How much faster it runs, per tick.
    pub drift: f64,
    /// By how much this can be wrong, in units; `null` if messages do not bound it.
    pub uncertainty: Option<f64>,
    /// The same in ticks.
    pub uncertainty_ticks: Option<Ticks>,
}

impl ClocksAnswer {
    /// The answer as JSON, `onca-clocks/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> ClocksJson<'a> {
        let unit = &scope.catalog().facts.unit;
        let (origin, missed) = (self.estimate.origin, self.estimate.missed);
        let uncertainty = self.uncertainty();
        ClocksJson {
            header: HeaderJson::new(scope, "onca-clocks/1", true),
            model: model_name(self.estimate.model),
            before: BackwardJson::new(unit, &self.before),
            after: BackwardJson::new(unit, &self.after),
            left_out: self.left_out,
            reference: self.reference(),
            processes: List::new(self.processes.iter().map(|one| ProcessJson::new(scope, one))),
            silent: List::new(self.silent.iter().map(|&id| NodeJson::new(scope, id))),
            pairs: List::new(self.pairs.iter().map(move |pair| BackwardPairJson {
                from: pair.from,
                to: pair.to,
                counts: BackwardJson::new(unit, &pair.counts),
            })),
            origin: unit.units(origin),
            origin_ticks: origin,
            missed: unit.units(missed),
            missed_ticks: missed,
            uncertainty: uncertainty.map(|ticks| unit.units(ticks)),
            uncertainty_ticks: uncertainty,
        }
    }
}

impl<'a> ProcessJson<'a> {
    fn new(scope: &'a Scope<'_>, process: &Process) -> Self {
        let (unit, clock) = (&scope.catalog().facts.unit, process.clock);
        Self {
            node: NodeJson::new(scope, process.node),
            reference: process.reference,
            messages: process.messages,
            offset: unit.units(clock.offset),
            offset_ticks: clock.offset,
            drift: clock.drift,
            uncertainty: clock.uncertainty.map(|ticks| unit.units(ticks)),
            uncertainty_ticks: clock.uncertainty,
        }
    }
}

impl BackwardJson {
    fn new(unit: &TimeUnit, counts: &Backward) -> Self {
        let Backward { messages, backward, worst } = *counts;
        Self { messages, backward, worst: unit.units(worst), worst_ticks: worst }
    }
}
