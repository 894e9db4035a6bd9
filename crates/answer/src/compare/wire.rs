//! Comparisons as JSON.

use std::borrow::Cow;

use onca_aggregate::align::{AlignedAxis, Pair, Which};
use onca_model::{Ticks, TimeUnit, Window, display_text};
use onca_query::{NodeId, Scope};
use serde::Serialize;

use super::matching::paths;
use super::{ComparedFinding, Comparison, ValueChange};
use crate::findings::wire::{EvidenceJson, FindingJson};
use crate::wire::{List, Number, SpanJson, UnitJson, units_of_sum};

/// Two runs compared, as JSON: `onca-compare/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CompareJson<'a, F = ComparedFindingJson> {
    /// The kind of the answer and its version.
    pub schema: &'static str,
    /// The unit of all differences. Times of each run are in its own unit.
    pub unit: UnitJson<'a>,
    /// The first run.
    pub before: RunJson<'a>,
    /// The second run.
    pub after: RunJson<'a>,
    /// How much longer the second run is, in ticks of `unit`.
    pub change_ticks: Number,
    /// The same in units.
    pub change: f64,
    /// The same as a share of the first run.
    pub change_share: f64,
    /// How much of the change may be chance, in ticks; null where nothing tells.
    pub noise_ticks: Option<f64>,
    /// The lengths of all runs of each side in ticks, and how likely their difference is by chance; null where there is one
    /// run a side.
    pub all_runs: Option<AllRunsJson<'a>>,
    /// Do the runs have anything in common? If not, nothing else is compared.
    pub related: bool,
    /// How containers were paired.
    pub matched: MatchedJson<'a>,
    /// By what times were paired.
    pub align: String,
    /// Parts of the runs that belong together, in order.
    pub pairs: List<'a, PairJson>,
    /// How long the axis is that both share, in ticks: each pair takes as much of it as the longer of the two.
    pub axis_ticks: Number,
    /// What the change of the run time is made of, in ticks; the parts add up to it.
    pub account: AccountJson,
    /// The time of all processes by value, the largest change first.
    pub values: List<'a, ValueChangeJson<'a>>,
    /// What changes the run time most first.
    pub findings: List<'a, F>,
    /// What was assumed, in words.
    pub assumed: &'a [String],
    /// What could not be examined, in words.
    pub not_examined: &'a [String],
}

impl Comparison {
    /// Where a finding is on the axis that both runs share, with a tenth of its length on either side.
    pub fn around_on_axis(&self, finding: &ComparedFinding) -> Window {
        let (which, own, scale) = match finding.is_gone() {
            true => (Which::Before, finding.before, self.scales.0),
            false => (Which::After, finding.after, self.scales.1),
        };
        let axis = AlignedAxis::new(&self.alignment.pairs);
        let scaled = Window { from: own.from * scale, to: own.to * scale };
        let (from, to) = axis.places(which, scaled);
        let more = (to - from) / 10;
        Window { from: (from - more).max(0) as Ticks, to: (to + more).min(axis.length()) as Ticks }
    }
}

/// One of two runs.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunJson<'a> {
    /// From its beginning to its end, in its own unit.
    #[serde(flatten)]
    pub span: SpanJson,
    /// Its own unit.
    pub unit: UnitJson<'a>,
    /// How many processes it has.
    pub processes: u64,
}

/// All runs of both sides.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AllRunsJson<'a> {
    /// How long those of the first side are, in their own ticks.
    pub before_ticks: &'a [i64],
    /// How long those of the second side are.
    pub after_ticks: &'a [i64],
    /// How likely such a difference is by chance.
    pub p: f64,
}

/// How containers were paired.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MatchedJson<'a> {
    /// `path`, `name` or `position`.
    pub rule: &'static str,
    /// The level whose containers are compared by means over their processes; null where single processes are.
    pub level: Option<&'a str>,
    /// How many pairs there are.
    pub places: u64,
    /// Processes of the first run without a counterpart.
    pub alone_before: Vec<String>,
    /// Processes of the second run without a counterpart.
    pub alone_after: Vec<String>,
}

/// Parts of both runs that belong together. One is empty where the other run has nothing like it.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PairJson {
    /// In the first run.
    pub before: SpanJson,
    /// In the second run.
    pub after: SpanJson,
}

/// What the change of the run time is made of, in ticks.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AccountJson {
    /// The busiest process of each part works longer.
    pub work: f64,
    /// Communication, waiting, and what else is no work.
    pub rest: f64,
    /// What only the second run has.
    pub new: f64,
    /// What only the first run has, as a negative number.
    pub gone: f64,
}

/// The time of a value in both runs.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ValueChangeJson<'a> {
    /// Its name; null is what is outside of all states.
    pub value: Option<Cow<'a, str>>,
    /// The time of all processes in the first run, in ticks.
    pub before_ticks: Number,
    /// In the second run.
    pub after_ticks: Number,
    /// The difference.
    pub change_ticks: Number,
}

/// Something that changes the run time: a finding as in `onca-findings/1`, and what it was before.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedFindingJson {
    /// The finding. Its times are those of the second run, or of the first for what is gone; `saved_ticks` and `cost_share` are
    /// what it adds to the run time, negative where the run is shorter because of it.
    #[serde(flatten)]
    pub finding: FindingJson,
    /// The share of the change of the run time; null where that is 0.
    pub change_share: Option<f64>,
    /// How many times as long, or as much, as before.
    pub ratio: f64,
    /// When in the first run.
    pub before: SpanJson,
    /// When in the second run.
    pub after: SpanJson,
    /// How much more other processes wait, all together, in ticks.
    pub waiting_ticks: Number,
    /// How many wait longer.
    pub waiting_processes: u64,
    /// How likely it is by chance, where there are several runs on each side.
    pub p: Option<f64>,
}

impl Comparison {
    /// The answer as JSON, `onca-compare/1`. At most `top` findings are told.
    pub fn json<'a>(
        &'a self,
        before: &'a Scope<'_>,
        after: &'a Scope<'_>,
        top: usize,
    ) -> CompareJson<'a> {
        self.json_with(before, after, top, |_, json| json)
    }

    /// The same, with more about each finding.
    pub fn json_with<'a, F: Serialize + 'a>(
        &'a self,
        before: &'a Scope<'_>,
        after: &'a Scope<'_>,
        top: usize,
        more: impl Fn(&ComparedFinding, ComparedFindingJson) -> F + Clone + 'a,
    ) -> CompareJson<'a, F> {
        let units = (&before.catalog().facts.unit, &after.catalog().facts.unit);
        let run = |unit: &'a TimeUnit, span: Window, processes: u64| RunJson {
            span: SpanJson::new(unit, span),
            unit: UnitJson::new(unit),
            processes,
        };
        let own = |window: Window, scale: i64| Window {
            from: window.from / scale,
            to: window.to / scale,
        };
        let pair = move |pair: &Pair| PairJson {
            before: SpanJson::new(units.0, own(pair.before, self.scales.0)),
            after: SpanJson::new(units.1, own(pair.after, self.scales.1)),
        };
        CompareJson {
            schema: "onca-compare/1",
            unit: UnitJson::new(&self.unit),
            before: run(units.0, self.runs.0, self.n_processes().0),
            after: run(units.1, self.runs.1, self.n_processes().1),
            change_ticks: Number::sum(self.change()),
            change: units_of_sum(&self.unit, self.change()),
            change_share: self.change_share(),
            noise_ticks: self.noise,
            all_runs: self.lengths_of_all.as_ref().map(|all| AllRunsJson {
                before_ticks: &all.before,
                after_ticks: &all.after,
                p: all.p,
            }),
            related: self.is_related,
            matched: MatchedJson {
                rule: self.matching.rule.name(),
                level: self.matching.level.as_deref(),
                places: self.matching.places.len() as u64,
                alone_before: paths(before, &self.matching.alone_before),
                alone_after: paths(after, &self.matching.alone_after),
            },
            align: self.align.to_string(),
            pairs: List::new(self.alignment.pairs.iter().map(pair)),
            axis_ticks: Number::sum(AlignedAxis::new(&self.alignment.pairs).length()),
            account: AccountJson {
                work: self.account.work,
                rest: self.account.rest,
                new: self.account.new,
                gone: self.account.gone,
            },
            values: List::new(self.values_by_change().into_iter().map(ValueChange::json)),
            findings: List::new(
                self.findings
                    .iter()
                    .take(top)
                    .map(move |it| more(it, self.finding(before, after, it))),
            ),
            assumed: &self.assumed,
            not_examined: &self.not_examined,
        }
    }

    /// The values that occur, the largest change first.
    pub fn values_by_change(&self) -> Vec<&ValueChange> {
        let mut values: Vec<&ValueChange> =
            self.values.iter().filter(|value| value.before != 0 || value.after != 0).collect();
        values.sort_by_key(|value| std::cmp::Reverse((value.after - value.before).abs()));
        values
    }

    fn finding(
        &self,
        before: &Scope<'_>,
        after: &Scope<'_>,
        finding: &ComparedFinding,
    ) -> ComparedFindingJson {
        let (scope, window, run) = match finding.is_gone() {
            true => (before, finding.before, self.runs.0),
            false => (after, finding.after, self.runs.1),
        };
        let unit = &scope.catalog().facts.unit;
        let below = |node: &NodeId| {
            let is_leaf = scope.hierarchy().children(*node).is_empty();
            let path = scope.path(*node);
            if is_leaf { path } else { format!("{}/**", path.trim_end_matches('/')) }
        };
        let more = (window.to - window.from) / 10;
        let around = Window {
            from: (window.from - more).max(run.from),
            to: window.to.saturating_add(more).min(run.to),
        };
        ComparedFindingJson {
            finding: FindingJson {
                kind: finding.kind.clone(),
                containers: paths(scope, &finding.containers),
                groups: finding.groups.iter().map(|node| scope.path(*node)).collect(),
                towards: Vec::new(),
                span: SpanJson::new(unit, window),
                cost: units_of_sum(&self.unit, finding.cost),
                cost_ticks: Number::sum(finding.cost),
                saved_ticks: finding.ticks as i64,
                cost_share: self.share_of_run(finding.ticks),
                sure: finding.sure,
                text: finding.text.clone(),
                effects: Vec::new(),
                evidence: EvidenceJson {
                    span: SpanJson::new(unit, around),
                    only: finding.groups.iter().map(below).collect(),
                },
            },
            change_share: self.share_of_change(finding.ticks),
            ratio: finding.ratio,
            before: SpanJson::new(&before.catalog().facts.unit, finding.before),
            after: SpanJson::new(&after.catalog().facts.unit, finding.after),
            waiting_ticks: Number::sum(finding.waiting),
            waiting_processes: finding.n_waiting,
            p: finding.p,
        }
    }
}

impl ValueChange {
    fn json(&self) -> ValueChangeJson<'_> {
        ValueChangeJson {
            value: self.name.as_deref().map(display_text),
            before_ticks: Number::sum(self.before),
            after_ticks: Number::sum(self.after),
            change_ticks: Number::sum(self.after - self.before),
        }
    }
}
