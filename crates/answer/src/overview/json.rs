//! The answers as JSON, described in `docs/json.md`.

use onca_aggregate::overview::Shift;
use onca_model::display_text;
use serde_json::{Map, Value, json};

use super::{
    AreaRow, ChangeAnswer, CurveAnswer, DisruptionAnswer, FoundDisruption, HalvingAnswer, HitArea,
    Matrix, OverviewAnswer,
};

impl Matrix {
    /// What all answers about a matrix begin with.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "schema": "onca-overview/1",
            "metric": self.metric,
            "slices": self.cells.n_slices(),
            "leaves": self.cells.n_leaves(),
            "values": self.values.iter().map(|name| display_text(name)).collect::<Vec<_>>(),
            "scanned": self.scanned,
        });
        if let Some(times) = &self.times {
            json["unit"] = json!({
                "name": times.unit.name,
                "assumed": times.unit.assumed,
                "ticks_per_unit": times.unit.ticks_per_unit,
            });
            add_times(&mut json, self, 0, self.cells.n_slices() - 1);
        }
        json
    }

    fn json_value(&self, value: Option<usize>) -> Value {
        value.map_or(Value::Null, |value| json!(display_text(&self.values[value])))
    }

    fn json_shift(&self, shift: Option<Shift>) -> Value {
        shift.map_or(
            Value::Null,
            |shift| json!({ "value": self.json_value(Some(shift.value)), "by": shift.by }),
        )
    }
}

/// Adds when the slices are, if that is known.
fn add_times(json: &mut Value, matrix: &Matrix, first: usize, last: usize) {
    let Some(times) = &matrix.times else { return };
    let (from, to) = (times.bounds.bound(first), times.bounds.bound(last + 1));
    json["from"] = json!(times.unit.units(from));
    json["to"] = json!(times.unit.units(to));
    json["from_ticks"] = json!(from);
    json["to_ticks"] = json!(to);
}

fn share_of(number: f64, whole: f64) -> f64 {
    if whole > 0.0 { number / whole } else { 0.0 }
}

impl OverviewAnswer {
    /// The partition: trade-off, value, gain, loss and areas.
    pub fn to_json(&self, matrix: &Matrix) -> Value {
        let partition = &self.partition;
        json!({
            "p": partition.p,
            "value": partition.value(),
            "gain": partition.gain,
            "loss": partition.loss,
            "gain_share": share_of(partition.gain, self.whole_gain),
            "loss_share": share_of(partition.loss, self.whole_loss),
            "aggregates": partition.areas.len(),
            "areas": self.areas.iter().map(|area| area.to_json(matrix)).collect::<Vec<_>>(),
        })
    }

    /// The partition as `[node, first, last]`, by node and time.
    pub fn to_plain_json(&self) -> Value {
        let partition = &self.partition;
        let triple =
            |area: &onca_aggregate::overview::Area| json!([area.node, area.first, area.last]);
        json!({
            "p": partition.p,
            "value": partition.value(),
            "gain": partition.gain,
            "loss": partition.loss,
            "aggregates": partition.areas.len(),
            "partition": partition.areas.iter().map(triple).collect::<Vec<_>>(),
        })
    }
}

impl AreaRow {
    fn to_json(&self, matrix: &Matrix) -> Value {
        let node = &matrix.nodes.get(self.node as usize);
        let means: Map<String, Value> = self
            .look
            .means
            .iter()
            .enumerate()
            .filter(|(_, mean)| **mean > 0.0)
            .map(|(value, mean)| (display_text(&matrix.values[value]).into_owned(), json!(mean)))
            .collect();
        let mut json = json!({
            "path": matrix.path(self.node),
            "kind": node.map(|node| display_text(&node.kind)),
            "own": node.is_some_and(|node| node.own),
            "first": self.first,
            "last": self.last,
            "leaves": self.n_leaves,
            "gain": self.gain,
            "loss": self.loss,
            "mode": matrix.json_value(self.look.mode),
            "share": self.look.share,
            "means": means,
        });
        add_times(&mut json, matrix, self.first, self.last);
        json
    }
}

impl CurveAnswer {
    /// The curve: breakpoints, and the optimum between them.
    pub fn to_json(&self) -> Value {
        let curve = &self.curve;
        let segment = |segment: &onca_aggregate::overview::Segment| {
            json!({
                "from": segment.from,
                "to": segment.to,
                "p": segment.p,
                "gain": segment.gain,
                "loss": segment.loss,
                "gain_share": share_of(segment.gain, curve.whole_gain),
                "loss_share": share_of(segment.loss, curve.whole_loss),
                "aggregates": segment.n_areas,
            })
        };
        json!({
            "breakpoints": curve.breakpoints().collect::<Vec<_>>(),
            "segments": curve.segments.iter().map(segment).collect::<Vec<_>>(),
            "default": self.default,
            "bound": curve.bound,
            "solves": curve.solves,
        })
    }
}

impl HalvingAnswer {
    /// The list, with the place of the default.
    pub fn to_json(&self) -> Value {
        let point = |point: &onca_aggregate::overview::HalvingPoint| {
            json!({
                "p": point.p,
                "gain": point.gain,
                "loss": point.loss,
                "gain_share": share_of(point.gain, self.whole_gain),
                "loss_share": share_of(point.loss, self.whole_loss),
            })
        };
        json!({
            "points": self.halving.points.iter().map(point).collect::<Vec<_>>(),
            "default": self.halving.default,
        })
    }
}

impl DisruptionAnswer {
    /// The disruptions, the clearest first.
    pub fn to_json(&self, matrix: &Matrix) -> Value {
        json!({
            "p": self.p,
            "threshold": self.threshold,
            "found": self.n_found,
            "highest": self.highest,
            "disruptions": self.disruptions.iter().map(|d| d.to_json(matrix)).collect::<Vec<_>>(),
        })
    }
}

impl FoundDisruption {
    fn to_json(&self, matrix: &Matrix) -> Value {
        let disruption = &self.disruption;
        let leaves = disruption.leaves();
        let leaves = leaves.iter().map(|&leaf| matrix.path(matrix.tree.leaves()[leaf]));
        let mut json = json!({
            "score": disruption.score,
            "first": disruption.first,
            "last": disruption.last,
            "containers": self.nodes.iter().map(|&node| matrix.path(node)).collect::<Vec<_>>(),
            "leaves": leaves.collect::<Vec<_>>(),
            "rises": matrix.json_shift(disruption.rises),
            "falls": matrix.json_shift(disruption.falls),
            "displaced": disruption.displaced,
            "areas": self.areas.iter().map(|area| area.to_json(matrix)).collect::<Vec<_>>(),
        });
        add_times(&mut json, matrix, disruption.first, disruption.last);
        json
    }
}

impl HitArea {
    fn to_json(&self, matrix: &Matrix) -> Value {
        let part_of = self.part_of.map(|area| {
            json!({ "path": matrix.path(area.node), "first": area.first, "last": area.last })
        });
        let mut json = json!({
            "score": self.score,
            "containers": self.nodes.iter().map(|&node| matrix.path(node)).collect::<Vec<_>>(),
            "leaves": self.n_leaves,
            "first": self.first,
            "last": self.last,
            "part_of": part_of,
            "rises": matrix.json_shift(self.rises),
            "falls": matrix.json_shift(self.falls),
        });
        add_times(&mut json, matrix, self.first, self.last);
        json
    }
}

impl ChangeAnswer {
    /// The curves, one object for each node.
    pub fn to_json(&self, matrix: &Matrix) -> Value {
        let peak = |&at: &usize| {
            let mut json = json!({ "slice": at + 1 });
            if let Some(times) = &matrix.times {
                let time = times.bounds.bound(at + 1);
                json["time"] = json!(times.unit.units(time));
                json["time_ticks"] = json!(time);
            }
            json
        };
        let curve = |change: &super::NodeChange| {
            json!({
                "path": change.path,
                "changes": change.curve.changes,
                "peaks": change.curve.peaks.iter().map(peak).collect::<Vec<_>>(),
            })
        };
        self.curves.iter().map(curve).collect()
    }
}
