//! The answer about waits as JSON.

use std::borrow::Cow;

use onca_aggregate::waits::WaitKind;
use onca_model::{Ticks, TimeUnit, Window};
use onca_query::{Scope, container_path};
use serde::Serialize;

use super::{Activity, Cause, Examined, KindTotal, PathPart, WaitOf, WaitRow, Waits};
use crate::wire::{HeaderJson, List, NodeJson, Number, SpanJson, ValueNameJson, units_of_sum};

/// Who waits for whom, and why, as JSON: `onca-waits/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitsJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// How many processes there are.
    pub processes: u64,
    /// All waiting in the window.
    #[serde(flatten)]
    pub waiting: AmountJson,
    /// Its share of the time of all processes in the window; `null` where no time passes.
    pub share: Option<f64>,
    /// The kinds of waits of which there are any.
    pub kinds: List<'a, WaitKindJson>,
    /// Time at the end of operations, after what was waited for had come; it is no waiting.
    pub completions: List<'a, CompletionJson>,
    /// The waits by node and slice; empty unless a level or slices were asked for.
    pub rows: List<'a, WaitRowJson<'a>>,
    /// The chain of activities that made the run as long as it was.
    pub critical_path: CriticalPathJson<'a>,
    /// What caused the waiting of the whole run, most costly first.
    pub causes: List<'a, CauseJson<'a>>,
    /// Waiting of the whole run without a known cause.
    pub unexplained: AmountJson,
    /// The efficiencies of the whole run.
    pub efficiency: RunEfficiencyJson,
    /// How many things were looked at.
    pub examined: &'a Examined,
    /// What was assumed, in words.
    pub assumed: Vec<String>,
    /// What could not be examined, in words.
    pub not_examined: Vec<String>,
}

/// Some time.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AmountJson {
    /// In units.
    pub time: f64,
    /// In ticks.
    pub ticks: Number,
}

impl AmountJson {
    fn new(unit: &TimeUnit, ticks: i128) -> Self {
        Self { time: units_of_sum(unit, ticks), ticks: Number::sum(ticks) }
    }
}

/// What waits of one kind amount to.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitKindJson {
    /// `late-sender`, `late-receiver`, `blocked`, `wait-at-barrier`, `wait-at-nxn`, `late-broadcast`, `early-reduce` or `early-scan`.
    pub kind: &'static str,
    /// How long they are in the window.
    #[serde(flatten)]
    pub waiting: AmountJson,
    /// How many there are.
    pub count: u64,
    /// Of these, how long receivers waited that took messages in the wrong order, in ticks.
    pub wrong_order_ticks: Number,
    /// The longest.
    pub longest: Option<WaitJson>,
}

/// One wait.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitJson {
    /// The path of the container that waited.
    pub container: String,
    /// When.
    #[serde(flatten)]
    pub span: SpanJson,
    /// The path of the container that it waited for.
    pub cause: String,
}

/// Time at the end of operations.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CompletionJson {
    /// `late-sender-completion`, `barrier-completion` or `nxn-completion`.
    pub kind: &'static str,
    /// How long, in the whole run.
    #[serde(flatten)]
    pub time: AmountJson,
    /// How many calls.
    pub count: u64,
}

/// The waiting of one kind below one node in one slice.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitRowJson<'a> {
    /// The node.
    pub node: NodeJson<'a>,
    /// The slice.
    #[serde(flatten)]
    pub slice: SpanJson,
    /// The kind.
    pub kind: &'static str,
    /// How long.
    #[serde(flatten)]
    pub waiting: AmountJson,
    /// How many waits meet the slice.
    pub count: u64,
}

/// The chain of activities that made the run as long as it was.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CriticalPathJson<'a> {
    /// Its length, which is the run time.
    #[serde(flatten)]
    pub length: AmountJson,
    /// What it is made of, longest first.
    pub activities: List<'a, PathActivityJson<'a>>,
    /// Where it goes along, longest first.
    pub nodes: List<'a, PathNodeJson<'a>>,
    /// Its segments in order of time; they follow each other without a gap.
    pub segments: List<'a, PathSegmentJson<'a>>,
}

/// An activity on the critical path.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PathActivityJson<'a> {
    /// The activity; `null` outside of all states.
    pub activity: Option<ValueNameJson<'a>>,
    /// How long it is on the path.
    #[serde(flatten)]
    pub time: AmountJson,
    /// How much longer than processes do it on average, in ticks: what better balance could save.
    pub imbalance_ticks: Number,
}

/// A node on the critical path.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PathNodeJson<'a> {
    /// The node.
    pub node: NodeJson<'a>,
    /// How long the path goes along it.
    #[serde(flatten)]
    pub time: AmountJson,
}

/// A segment of the critical path.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PathSegmentJson<'a> {
    /// The node.
    pub node: NodeJson<'a>,
    /// When.
    #[serde(flatten)]
    pub span: SpanJson,
}

/// What an activity costs others.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CauseJson<'a> {
    /// Whose activity.
    pub node: NodeJson<'a>,
    /// Which; `null` outside of all states.
    pub activity: Option<ValueNameJson<'a>>,
    /// The waiting that it causes.
    #[serde(flatten)]
    pub cost: AmountJson,
    /// Of those that waited for it, in ticks.
    pub short_term_ticks: Number,
    /// Of those that waited for others because of it, in ticks.
    pub long_term_ticks: Number,
}

/// The efficiencies of the whole run; `null` where one is not defined.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunEfficiencyJson {
    /// Load balance times communication efficiency.
    pub parallel: Option<f64>,
    /// Are all equally busy?
    pub load_balance: Option<f64>,
    /// Does the busiest one wait? Serialisation times transfer.
    pub communication: Option<f64>,
    /// Does anybody wait for others to get there?
    pub serialisation: Option<f64>,
    /// Does moving data cost time?
    pub transfer: Option<f64>,
    /// The longest chain of useful work, in ticks: the run time if moving data took no time.
    pub ideal_ticks: Ticks,
    /// The useful time of all, in ticks.
    pub useful_ticks: Number,
    /// The useful time of the busiest, in ticks.
    pub max_useful_ticks: Ticks,
}

impl Waits {
    /// The answer as JSON, `onca-waits/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> WaitsJson<'a> {
        let unit = &scope.catalog().facts.unit;
        let Window { from, to } = scope.window();
        let whole = i128::from(to - from) * i128::from(self.n_processes);
        let amount = |ticks| AmountJson::new(unit, ticks);
        let total = self.total();
        WaitsJson {
            header: HeaderJson::new(scope, "onca-waits/1", true),
            processes: self.n_processes,
            waiting: amount(total),
            share: (whole > 0).then(|| total as f64 / whole as f64),
            kinds: List::new(self.kinds.iter().map(|kind| kind.json(scope))),
            completions: List::new(self.completions.iter().map(move |(kind, count, ticks)| {
                CompletionJson { kind, time: AmountJson::new(unit, *ticks), count: *count }
            })),
            rows: List::new(self.rows.iter().map(|row| row.json(scope))),
            critical_path: CriticalPathJson {
                length: amount(i128::from(self.run.to - self.run.from)),
                activities: List::new(self.path_activities.iter().map(|part| part.json(scope))),
                nodes: List::new(self.path_nodes.iter().map(|part| PathNodeJson {
                    node: NodeJson::new(scope, part.of),
                    time: AmountJson::new(unit, part.ticks),
                })),
                segments: List::new(self.path.iter().map(|(node, window)| PathSegmentJson {
                    node: NodeJson::new(scope, *node),
                    span: SpanJson::new(unit, *window),
                })),
            },
            causes: List::new(self.causes.iter().map(|cause| cause.json(scope))),
            unexplained: amount(self.unexplained),
            efficiency: self.run_efficiency(),
            examined: &self.examined,
            assumed: self.examined.assumptions(),
            not_examined: self.examined.not_examined(),
        }
    }

    /// Serialisation and transfer efficiency.
    pub fn split(&self) -> (Option<f64>, Option<f64>) {
        self.efficiency.split.parts()
    }

    fn run_efficiency(&self) -> RunEfficiencyJson {
        let (serialisation, transfer) = self.split();
        RunEfficiencyJson {
            parallel: self.efficiency.parallel,
            load_balance: self.efficiency.load_balance,
            communication: self.efficiency.communication,
            serialisation,
            transfer,
            ideal_ticks: self.ideal,
            useful_ticks: Number::sum(self.useful.0),
            max_useful_ticks: self.useful.1,
        }
    }
}

impl KindTotal {
    fn json(&self, scope: &Scope<'_>) -> WaitKindJson {
        let unit = &scope.catalog().facts.unit;
        WaitKindJson {
            kind: WaitKind::name(self.kind),
            waiting: AmountJson::new(unit, self.ticks),
            count: self.count,
            wrong_order_ticks: Number::sum(self.wrong_order_ticks),
            longest: self.longest.as_ref().map(|wait| wait.json(scope)),
        }
    }
}

impl WaitOf {
    fn json(&self, scope: &Scope<'_>) -> WaitJson {
        let containers = &scope.catalog().containers;
        WaitJson {
            container: container_path(containers, self.container),
            span: SpanJson::new(&scope.catalog().facts.unit, self.window),
            cause: container_path(containers, self.cause),
        }
    }
}

impl WaitRow {
    fn json<'a>(&'a self, scope: &'a Scope<'_>) -> WaitRowJson<'a> {
        let unit = &scope.catalog().facts.unit;
        WaitRowJson {
            node: NodeJson::new(scope, self.node),
            slice: SpanJson::new(unit, self.slice),
            kind: self.kind.name(),
            waiting: AmountJson::new(unit, self.ticks),
            count: self.count,
        }
    }
}

fn activity<'a>(scope: &'a Scope<'_>, activity: Activity) -> Option<ValueNameJson<'a>> {
    activity.map(|value| ValueNameJson::new(scope.catalog(), value))
}

/// What an activity is called.
pub fn activity_name<'a>(scope: &'a Scope<'_>, activity: Activity) -> Cow<'a, [u8]> {
    match activity {
        Some(value) => Cow::Borrowed(&scope.catalog().value(value).name),
        None => Cow::Borrowed(b"(no state)"),
    }
}

impl PathPart<Activity> {
    fn json<'a>(&'a self, scope: &'a Scope<'_>) -> PathActivityJson<'a> {
        PathActivityJson {
            activity: activity(scope, self.of),
            time: AmountJson::new(&scope.catalog().facts.unit, self.ticks),
            imbalance_ticks: Number::sum(self.ticks - self.mean),
        }
    }
}

impl Cause {
    fn json<'a>(&'a self, scope: &'a Scope<'_>) -> CauseJson<'a> {
        CauseJson {
            node: NodeJson::new(scope, self.node),
            activity: activity(scope, self.activity),
            cost: AmountJson::new(&scope.catalog().facts.unit, self.ticks()),
            short_term_ticks: Number::sum(self.short_term),
            long_term_ticks: Number::sum(self.long_term),
        }
    }
}
