//! Phases as JSON.

use onca_aggregate::phases::Linkage;
use onca_model::Window;
use serde_json::{Map, Value, json};

use super::answer::pattern_name;
use super::{Communication, Iteration, Phase, PhasesAnswer, Repetition};
use crate::json::{header_of, put_time};

/// So many numbers of phases are suggested.
const SUGGESTIONS: usize = 5;

impl Communication<'_> {
    /// The answer as JSON, `onca-phases/1`; with the merges of both trees if `trees` says so.
    pub fn json(&self, answer: &PhasesAnswer, trees: bool) -> Value {
        let mut json = header_of(&self.unit, self.window, "onca-phases/1", true);
        json.insert("messages".to_owned(), self.totals_json());
        let names: Vec<&str> = self.processors.iter().map(|one| one.name.as_str()).collect();
        json.insert("processors".to_owned(), json!(names));
        json.insert("weight".to_owned(), json!(if self.is_sized() { "size" } else { "count" }));
        json.insert("linkage".to_owned(), json!(linkage_name(self.tree.linkage())));
        put_time(&mut json, &self.unit, "rounding", Some(self.rounding()));
        let suggestions: Vec<Value> = self
            .suggestions()
            .iter()
            .take(SUGGESTIONS)
            .map(|one| json!({"phases": one.phases, "contrast": one.contrast}))
            .collect();
        json.insert("suggestions".to_owned(), Value::Array(suggestions));
        let phases = (0..answer.phases.len()).map(|at| self.phase_json(answer, at, trees));
        json.insert("phases".to_owned(), Value::Array(phases.collect()));
        let repetition =
            answer.repetition.as_ref().map(|repetition| self.repetition_json(repetition));
        json.insert("repetition".to_owned(), json!(repetition));
        if trees {
            json.insert("merges".to_owned(), self.merges_json(answer));
        }
        Value::Object(json)
    }

    fn totals_json(&self) -> Value {
        let totals = &self.totals;
        json!({
            "count": totals.messages,
            "with_size": totals.sized,
            "size": totals.size,
            "to_self": totals.to_self,
            "collective": totals.collective,
            "left_out": totals.left_out,
        })
    }

    fn phase_json(&self, answer: &PhasesAnswer, at: usize, trees: bool) -> Value {
        let phase = &answer.phases[at];
        let communities = &answer.communities[at];
        let mut json = self.window_json(phase.window);
        let totals = &phase.totals;
        json.insert("pattern".to_owned(), json!(phase.pattern()));
        json.insert("messages".to_owned(), json!(totals.messages));
        json.insert("size".to_owned(), json!(totals.size));
        json.insert("to_self".to_owned(), json!(totals.to_self));
        json.insert("collective".to_owned(), json!(totals.collective));
        json.insert("idle".to_owned(), json!(self.processors.len() - phase.active.len()));
        json.insert("modularity".to_owned(), json!(phase.tree.modularity(communities.len())));
        json.insert("communities".to_owned(), json!(communities));
        let flows: Vec<Value> = phase
            .flows(communities)
            .iter()
            .map(|flow| json!({"from": flow.from, "to": flow.to, "weight": flow.weight, "count": flow.count}))
            .collect();
        json.insert("flows".to_owned(), Value::Array(flows));
        json.insert("height".to_owned(), json!(answer.curve.heights[at]));
        let next = answer.curve.differences.get(at);
        json.insert("difference_to_next".to_owned(), json!(next.map(|next| next.share())));
        if trees {
            json.insert("merges".to_owned(), community_merges(phase));
        }
        Value::Object(json)
    }

    fn window_json(&self, window: Window) -> Map<String, Value> {
        let mut json = Map::new();
        put_time(&mut json, &self.unit, "from", Some(window.from));
        put_time(&mut json, &self.unit, "to", Some(window.to));
        json
    }

    fn repetition_json(&self, repetition: &Repetition) -> Value {
        let labels: Vec<String> =
            repetition.labels.iter().map(|&label| pattern_name(label)).collect();
        let period = &repetition.period;
        let mut json = Map::new();
        json.insert("phases".to_owned(), json!(period.phases));
        json.insert("patterns".to_owned(), json!(labels));
        json.insert("correlation".to_owned(), json!(period.correlation));
        json.insert("first".to_owned(), json!(period.first));
        put_time(&mut json, &self.unit, "length", Some(repetition.usual_length as i64));
        json.insert("size".to_owned(), json!(repetition.usual_size));
        let iterations = repetition.iterations.iter().map(|one| self.iteration_json(one));
        json.insert("iterations".to_owned(), Value::Array(iterations.collect()));
        Value::Object(json)
    }

    fn iteration_json(&self, iteration: &Iteration) -> Value {
        let mut json = self.window_json(iteration.window);
        json.insert("first".to_owned(), json!(iteration.first));
        put_time(&mut json, &self.unit, "length", iteration.length.map(|length| length as i64));
        json.insert("size".to_owned(), json!(iteration.size));
        json.insert("odd_length".to_owned(), json!(iteration.odd_length));
        json.insert("odd_size".to_owned(), json!(iteration.odd_size));
        json.insert("odd_phases".to_owned(), json!(iteration.odd_phases));
        Value::Object(json)
    }

    /// The merges that joined the phases, the last one first: `[time, distance]`.
    fn merges_json(&self, answer: &PhasesAnswer) -> Value {
        let firsts = self.tree.cut(answer.phases.len());
        let mut gaps: Vec<usize> = firsts.into_iter().skip(1).collect();
        gaps.sort_by(|a, b| {
            self.tree.distance(*b).total_cmp(&self.tree.distance(*a)).then(b.cmp(a))
        });
        let merge = |&gap: &usize| {
            let mut json = Map::new();
            put_time(&mut json, &self.unit, "at", Some(self.bound_before(gap)));
            // Times are doubled while they are clustered.
            let distance = self.tree.distance(gap) / 2.0;
            json.insert("distance".to_owned(), json!(distance / self.unit.ticks_per_unit as f64));
            Value::Object(json)
        };
        Value::Array(gaps.iter().map(merge).collect())
    }
}

/// All merges of the communities of a phase: `[left, right, gain of modularity]`. The numbers of the active processors begin at
/// 0; communities go on from there.
fn community_merges(phase: &Phase) -> Value {
    let merges = phase.tree.merges().iter();
    let merges = merges.map(|merge| json!([merge.left, merge.right, phase.tree.gain(merge)]));
    json!({"processors": phase.active, "merges": merges.collect::<Vec<Value>>()})
}

fn linkage_name(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Midpoint => "midpoint",
        Linkage::Weighted => "weighted",
    }
}
