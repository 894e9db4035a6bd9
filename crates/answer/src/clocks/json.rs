//! The JSON of an answer about clocks.

use onca_model::TimeUnit;
use onca_query::Scope;
use serde_json::{Map, Value, json};

use super::{Backward, ClocksAnswer, Process, model_name};
use crate::json::{header, node, put_time};

impl ClocksAnswer {
    /// The answer as JSON, `onca-clocks/1`.
    pub fn json(&self, scope: &Scope<'_>) -> Value {
        let unit = &scope.catalog().facts.unit;
        let mut answer = header(scope, "onca-clocks/1", true);
        let mut put = |name: &str, value: Value| answer.insert(name.to_owned(), value);
        put("model", json!(model_name(self.estimate.model)));
        put("before", counts(unit, &self.before));
        put("after", counts(unit, &self.after));
        put("left_out", json!(self.left_out));
        put("reference", json!(self.reference()));
        let silent = self.silent.iter().map(|&id| node(scope, id));
        put("silent", silent.collect());
        let processes = self.processes.iter().map(|process| self.process(scope, process));
        put("processes", processes.collect());
        let pairs = self.pairs.iter().map(|pair| {
            let mut object = counts(unit, &pair.counts);
            object["from"] = json!(pair.from);
            object["to"] = json!(pair.to);
            object
        });
        put("pairs", pairs.collect());
        put_time(&mut answer, unit, "origin", Some(self.estimate.origin));
        put_time(&mut answer, unit, "missed", Some(self.estimate.missed));
        put_time(&mut answer, unit, "uncertainty", self.uncertainty());
        Value::Object(answer)
    }

    fn process(&self, scope: &Scope<'_>, process: &Process) -> Value {
        let unit = &scope.catalog().facts.unit;
        let mut object = Map::new();
        object.insert("node".to_owned(), node(scope, process.node));
        object.insert("reference".to_owned(), json!(process.reference));
        object.insert("messages".to_owned(), json!(process.messages));
        put_time(&mut object, unit, "offset", Some(process.clock.offset));
        object.insert("drift".to_owned(), json!(process.clock.drift));
        put_time(&mut object, unit, "uncertainty", process.clock.uncertainty);
        Value::Object(object)
    }
}

fn counts(unit: &TimeUnit, counts: &Backward) -> Value {
    let mut object = Map::new();
    object.insert("messages".to_owned(), json!(counts.messages));
    object.insert("backward".to_owned(), json!(counts.backward));
    put_time(&mut object, unit, "worst", Some(counts.worst));
    Value::Object(object)
}
