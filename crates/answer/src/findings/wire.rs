//! Findings as JSON.

use std::borrow::Cow;

use onca_model::{ContainerId, Window};
use onca_query::{NodeId, Scope, container_path};
use serde::Serialize;

use super::{Effect, FindingAnswer, FoundFinding};
use crate::wire::{HeaderJson, List, Number, SpanJson, units_of_sum};

/// What costs time, as JSON: `onca-findings/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FindingsJson<'a, F = FindingJson> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// The most costly first.
    pub findings: List<'a, F>,
    /// What was assumed, in words.
    pub assumed: &'a [String],
    /// What could not be examined, in words: nothing is known about it.
    pub not_examined: &'a [String],
}

/// Something that costs time.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FindingJson {
    /// `slow`, `burst`, `stall`, `imbalance`, `outlier-iteration`, `change`, `link`, `collective-wait`, `serialised`, `hot-spot`, `late-sender`, `communication`, `disruption`, `clock` or `lost-records`.
    pub kind: Cow<'static, str>,
    /// The paths of all containers that it is about.
    #[serde(rename = "where")]
    pub containers: Vec<String>,
    /// The paths of the largest containers that hold just these.
    pub groups: Vec<String>,
    /// The paths of the containers on the other side of a link.
    pub towards: Vec<String>,
    /// When.
    #[serde(flatten)]
    pub span: SpanJson,
    /// The time of all processes that it costs, in units.
    pub cost: f64,
    /// The same in ticks.
    pub cost_ticks: Number,
    /// How much shorter the run would be without it, in ticks; 0 where that is not known.
    pub saved_ticks: i64,
    /// The same as a share of the run time.
    pub cost_share: f64,
    /// How sure it is, from 0 to 1.
    pub sure: f64,
    /// One sentence.
    pub text: String,
    /// What follows from it, the costliest first.
    pub effects: Vec<EffectJson>,
    /// What shows it.
    pub evidence: EvidenceJson,
}

/// Waiting that follows from something.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EffectJson {
    /// The kind of the waits, as in `onca-waits/1`.
    pub kind: &'static str,
    /// How long, all together, in ticks.
    pub ticks: Number,
    /// How many processes wait.
    pub processes: u64,
}

/// What shows a finding: a window with some time around it, and whom to look at.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EvidenceJson {
    /// The window.
    #[serde(flatten)]
    pub span: SpanJson,
    /// The lens under which only those are seen that it is about: its `select.containers.only`.
    pub only: Vec<String>,
}

impl FindingAnswer {
    /// The answer as JSON, `onca-findings/1`. At most `top` findings are told.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>, top: usize) -> FindingsJson<'a, FindingJson> {
        self.json_with(scope, top, |_, json| json)
    }

    /// The same, with more about each finding.
    pub fn json_with<'a, F: Serialize + 'a>(
        &'a self,
        scope: &'a Scope<'_>,
        top: usize,
        more: impl Fn(&FoundFinding, FindingJson) -> F + Clone + 'a,
    ) -> FindingsJson<'a, F> {
        let told = self.findings.iter().take(top);
        FindingsJson {
            header: HeaderJson::new(scope, "onca-findings/1", true),
            findings: List::new(told.map(move |it| more(it, self.finding(scope, it)))),
            assumed: &self.assumed,
            not_examined: &self.not_examined,
        }
    }

    fn finding(&self, scope: &Scope<'_>, finding: &FoundFinding) -> FindingJson {
        let unit = &scope.catalog().facts.unit;
        let paths = |ids: &[ContainerId]| -> Vec<String> {
            ids.iter().map(|id| container_path(&scope.catalog().containers, *id)).collect()
        };
        let groups: Vec<String> = finding.groups.iter().map(|node| scope.path(*node)).collect();
        let below = |node: &NodeId| {
            let is_leaf = scope.hierarchy().children(*node).is_empty();
            let path = scope.path(*node);
            if is_leaf { path } else { format!("{}/**", path.trim_end_matches('/')) }
        };
        FindingJson {
            kind: finding.kind.clone(),
            containers: paths(&finding.containers),
            towards: paths(&finding.towards),
            span: SpanJson::new(unit, finding.window),
            cost: units_of_sum(unit, finding.cost),
            cost_ticks: Number::sum(finding.cost),
            saved_ticks: finding.saved,
            cost_share: self.share(finding),
            sure: finding.sure,
            text: finding.text.clone(),
            effects: finding.effects.iter().map(Effect::json).collect(),
            evidence: EvidenceJson {
                span: SpanJson::new(unit, self.around(finding.window)),
                only: finding.groups.iter().map(below).collect(),
            },
            groups,
        }
    }

    /// A window with a tenth of its length on either side, as far as the run goes.
    pub fn around(&self, window: Window) -> Window {
        let more = (window.to - window.from) / 10;
        Window {
            from: (window.from - more).max(self.run.from),
            to: window.to.saturating_add(more).min(self.run.to),
        }
    }
}

impl Effect {
    fn json(&self) -> EffectJson {
        let ticks = Number::sum(self.ticks);
        EffectJson { kind: self.kind.name(), ticks, processes: self.n_processes }
    }
}
