//! Phases as JSON.

use onca_aggregate::phases::Linkage;
use onca_model::Ticks;
use serde::Serialize;

use super::answer::pattern_name;
use super::{Communication, Iteration, Phase, PhasesAnswer, Repetition};
use crate::wire::{HeaderJson, List, SpanJson, units_of_mean};

/// This many numbers of phases are suggested.
const SUGGESTIONS: usize = 5;

/// Phases of communication: `onca-phases/1`. The server says more of each phase.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PhasesJson<'a, P = PhaseJson<'a>> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// How many messages there are.
    pub messages: MessagesJson,
    /// The paths of those that send or receive; phases name them by their place in this list.
    pub processors: List<'a, &'a str>,
    /// What traffic is measured in: `size`, or `count` where no message has a size.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::TrafficWeight"))]
    pub weight: &'static str,
    /// `midpoint` or `weighted`.
    pub linkage: &'static str,
    /// By how much the time of a message may have been moved, in units; 0 if all are exact.
    pub rounding: f64,
    /// The same in ticks.
    pub rounding_ticks: Ticks,
    /// The numbers of phases that stand out most.
    pub suggestions: Vec<SuggestionJson>,
    /// The number of phases that stands out most, where that is more than are made.
    pub too_many_phases: Option<usize>,
    /// The phases, in order of time.
    pub phases: List<'a, P>,
    /// What repeats; `null` if nothing does.
    pub repetition: Option<RepetitionJson<'a>>,
    /// With `--trees` only: how the phases would join, the last merge first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub merges: Option<Vec<PhaseMergeJson>>,
}

/// How many messages there are.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MessagesJson {
    /// All of them.
    pub count: u64,
    /// Those that have a size.
    pub with_size: u64,
    /// The sum of the sizes.
    pub size: u64,
    /// Those that a processor sends to itself.
    pub to_self: u64,
    /// Those of collective operations.
    pub collective: u64,
    /// Links without two known ends, which do not count.
    pub left_out: u64,
    /// Collective operations that states of their members tell of.
    pub operations: u64,
    /// Do the members of these follow from the order of calls, for want of numbers?
    pub members_assumed: bool,
    /// Were collective operations left out because they have too many calls?
    pub operations_left_out: bool,
    /// The names of operations, the most frequent first.
    pub functions: Vec<CalledFunctionJson>,
}

/// How many messages an operation has.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CalledFunctionJson {
    /// The value of links, or of the states of a collective operation.
    pub name: String,
    /// How many messages.
    pub count: u64,
}

/// A number of phases that stands out.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SuggestionJson {
    /// How many phases.
    pub phases: usize,
    /// How much it stands out.
    pub contrast: f64,
}

/// A phase.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PhaseJson<'a> {
    /// When it is.
    #[serde(flatten)]
    pub window: SpanJson,
    /// The letters of its pattern: phases that look alike have the same.
    pub pattern: String,
    /// How many messages it has.
    pub messages: u64,
    /// The sum of their sizes.
    pub size: u64,
    /// How many of them a processor sends to itself.
    pub to_self: u64,
    /// How many of them are of collective operations.
    pub collective: u64,
    /// How many processors have no message.
    pub idle: usize,
    /// How well the communities are set apart; `null` where there is no traffic.
    pub modularity: Option<f64>,
    /// The communities, each a list of places in `processors`.
    pub communities: &'a [Vec<u32>],
    /// What communities send each other.
    pub flows: Vec<FlowJson>,
    /// The height of the curve of change.
    pub height: f64,
    /// How much it differs from the next phase, from 0 to 1; `null` for the last.
    pub difference_to_next: Option<f64>,
    /// With `--trees` only: how the communities joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub merges: Option<CommunityMergesJson<'a>>,
}

/// What one community sends to another.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "CommunityFlow"))]
pub struct FlowJson {
    /// The place of the community that sends.
    pub from: usize,
    /// The place of the community that receives.
    pub to: usize,
    /// Its size, or the number of messages where no message has a size.
    pub weight: u64,
    /// How many messages.
    pub count: u64,
}

/// All merges of the communities of a phase.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CommunityMergesJson<'a> {
    /// The active processors, as places in the list of all.
    pub processors: &'a [u32],
    /// Left, right and the gain of modularity. Numbers below the number of active processors are places
    /// in that list, larger ones are the merges from the first on.
    pub merges: List<'a, (u32, u32, Option<f64>)>,
}

/// What repeats.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RepetitionJson<'a> {
    /// How many phases make an iteration.
    pub phases: usize,
    /// Their patterns.
    pub patterns: Vec<String>,
    /// How alike the iterations are.
    pub correlation: f64,
    /// The first phase of the first iteration.
    pub first: usize,
    /// How long an iteration usually is, in units.
    pub length: f64,
    /// The same in ticks.
    pub length_ticks: Ticks,
    /// The size that an iteration usually has.
    pub size: f64,
    /// The iterations.
    pub iterations: List<'a, IterationJson<'a>>,
}

/// An iteration.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct IterationJson<'a> {
    /// When it is.
    #[serde(flatten)]
    pub window: SpanJson,
    /// Its first phase.
    pub first: usize,
    /// How long it is, in units; `null` if it is not whole.
    pub length: Option<f64>,
    /// The same in ticks.
    pub length_ticks: Option<Ticks>,
    /// The sum of the sizes of its messages.
    pub size: u64,
    /// Its length is unusual.
    pub odd_length: bool,
    /// Its size is unusual.
    pub odd_size: bool,
    /// Its phases that are unlike those of the pattern.
    pub odd_phases: &'a [usize],
}

/// A merge of phases.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PhaseMergeJson {
    /// The time between the two, in units.
    pub at: f64,
    /// The same in ticks.
    pub at_ticks: Ticks,
    /// How far they are apart, in units.
    pub distance: f64,
}

impl Communication<'_> {
    /// The answer as JSON, `onca-phases/1`; with the merges of both trees if `trees` says so.
    pub fn json<'a>(&'a self, answer: &'a PhasesAnswer, trees: bool) -> PhasesJson<'a> {
        self.json_with(answer, trees, |_, json| json)
    }

    /// The same, with each phase as `dress` has it.
    pub fn json_with<'a, P>(
        &'a self,
        answer: &'a PhasesAnswer,
        trees: bool,
        dress: impl Fn(&'a Phase, PhaseJson<'a>) -> P + Clone + 'a,
    ) -> PhasesJson<'a, P> {
        let totals = &self.totals;
        let suggestions = self.suggestions().iter().take(SUGGESTIONS);
        let phase = move |at: usize| dress(&answer.phases[at], self.phase_json(answer, at, trees));
        PhasesJson {
            header: HeaderJson::of(&self.unit, self.window, "onca-phases/1", true),
            messages: MessagesJson {
                count: totals.messages,
                with_size: totals.sized,
                size: totals.size,
                to_self: totals.to_self,
                collective: totals.collective,
                left_out: totals.left_out,
                operations: totals.operations,
                members_assumed: totals.are_assumed,
                operations_left_out: totals.are_too_many,
                functions: self.functions_json(),
            },
            processors: List::new(self.processors.iter().map(|one| one.name.as_str())),
            weight: if self.is_sized() { "size" } else { "count" },
            linkage: linkage_name(self.tree.linkage()),
            rounding: self.unit.units(self.rounding()),
            rounding_ticks: self.rounding(),
            suggestions: suggestions
                .map(|one| SuggestionJson { phases: one.phases, contrast: one.contrast })
                .collect(),
            too_many_phases: self.too_many_phases(),
            phases: List::new((0..answer.phases.len()).map(phase)),
            repetition: answer.repetition.as_ref().map(|found| self.repetition_json(found)),
            merges: trees.then(|| self.merges_json(answer)),
        }
    }

    fn functions_json(&self) -> Vec<CalledFunctionJson> {
        let json = |(name, count): &(String, u64)| CalledFunctionJson {
            name: name.clone(),
            count: *count,
        };
        self.functions.iter().map(json).collect()
    }

    fn phase_json<'a>(&'a self, answer: &'a PhasesAnswer, at: usize, trees: bool) -> PhaseJson<'a> {
        let phase = &answer.phases[at];
        let communities = &answer.communities[at];
        let totals = &phase.totals;
        let flows = phase.flows(communities).into_iter().map(|flow| FlowJson {
            from: flow.from,
            to: flow.to,
            weight: flow.weight,
            count: flow.count,
        });
        PhaseJson {
            window: SpanJson::new(&self.unit, phase.window),
            pattern: phase.pattern(),
            messages: totals.messages,
            size: totals.size,
            to_self: totals.to_self,
            collective: totals.collective,
            idle: self.processors.len() - phase.active.len(),
            modularity: phase.tree.modularity(communities.len()),
            communities,
            flows: flows.collect(),
            height: answer.curve.heights[at],
            difference_to_next: answer.curve.differences.get(at).map(|next| next.share()),
            merges: trees.then(|| community_merges(phase)),
        }
    }

    fn repetition_json<'a>(&'a self, repetition: &'a Repetition) -> RepetitionJson<'a> {
        let period = &repetition.period;
        let length = repetition.usual_length as Ticks;
        let iterations = repetition.iterations.iter();
        RepetitionJson {
            phases: period.phases,
            patterns: repetition.labels.iter().map(|&label| pattern_name(label)).collect(),
            correlation: period.correlation,
            first: period.first,
            length: self.unit.units(length),
            length_ticks: length,
            size: repetition.usual_size,
            iterations: List::new(iterations.map(|one| self.iteration_json(one))),
        }
    }

    fn iteration_json<'a>(&self, iteration: &'a Iteration) -> IterationJson<'a> {
        let length = iteration.length.map(|length| length as Ticks);
        IterationJson {
            window: SpanJson::new(&self.unit, iteration.window),
            first: iteration.first,
            length: length.map(|length| self.unit.units(length)),
            length_ticks: length,
            size: iteration.size,
            odd_length: iteration.odd_length,
            odd_size: iteration.odd_size,
            odd_phases: &iteration.odd_phases,
        }
    }

    /// The merges that joined the phases, the last one first.
    fn merges_json(&self, answer: &PhasesAnswer) -> Vec<PhaseMergeJson> {
        let firsts = self.tree.cut(answer.phases.len());
        let mut gaps: Vec<usize> = firsts.into_iter().skip(1).collect();
        gaps.sort_by(|a, b| {
            self.tree.distance(*b).total_cmp(&self.tree.distance(*a)).then(b.cmp(a))
        });
        let merge = |&gap: &usize| {
            let at = self.bound_before(gap);
            // Times are doubled while they are clustered.
            let distance = units_of_mean(&self.unit, self.tree.distance(gap) / 2.0);
            PhaseMergeJson { at: self.unit.units(at), at_ticks: at, distance }
        };
        gaps.iter().map(merge).collect()
    }
}

fn community_merges(phase: &Phase) -> CommunityMergesJson<'_> {
    let merges = phase.tree.merges().iter();
    let merge = |merge: &onca_aggregate::phases::CommunityMerge| {
        (merge.left, merge.right, phase.tree.gain(merge))
    };
    CommunityMergesJson { processors: &phase.active, merges: List::new(merges.map(merge)) }
}

fn linkage_name(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Midpoint => "midpoint",
        Linkage::Weighted => "weighted",
    }
}
