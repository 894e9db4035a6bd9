//! The statistics as JSON.

use onca_model::{ContainerId, display_text};
use onca_query::{Scope, container_path};
use serde_json::{Map, Value, json};

use super::{Durations, Instance, Statistics, ValueStatistics};
use crate::json::{header, node, put_mean, put_sum, put_time};
use crate::measure_name;

impl Statistics {
    /// The answer as JSON, `onca-stats-values/1`.
    pub fn json(&self, scope: &Scope<'_>) -> Value {
        let mut answer = header(scope, "onca-stats-values/1", true);
        answer.insert("measure".to_owned(), json!(measure_name(self.measure)));
        let rows: Vec<Value> = self.rows.iter().map(|row| self.row(scope, row)).collect();
        answer.insert("values".to_owned(), Value::Array(rows));
        Value::Object(answer)
    }

    fn row(&self, scope: &Scope<'_>, row: &ValueStatistics) -> Value {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        let value = catalog.value(row.value);
        let mut object = Map::new();
        object.insert("node".to_owned(), node(scope, self.cut.nodes()[row.place]));
        object.insert("value".to_owned(), json!(display_text(&value.name)));
        let type_name = &catalog.type_def(value.type_id).name;
        object.insert("type".to_owned(), json!(display_text(type_name)));
        object.insert("nature".to_owned(), json!(row.nature.name()));
        object.insert("role".to_owned(), json!(scope.role(row.value).map(|role| role.name())));
        match row.ticks {
            Some(ticks) => put_sum(&mut object, unit, "total", ticks),
            None => put_time(&mut object, unit, "total", None),
        }
        object.insert("share".to_owned(), json!(row.share));
        object.insert("count".to_owned(), json!(row.count));
        object.insert("size".to_owned(), json!(row.size));
        let of = |part: fn(&Durations) -> i64| row.durations.as_ref().map(part);
        put_time(&mut object, unit, "min", of(|durations| durations.min));
        put_mean(&mut object, unit, "mean", row.durations.map(|durations| durations.mean));
        put_time(&mut object, unit, "median", of(|durations| durations.median));
        put_time(&mut object, unit, "p90", of(|durations| durations.p90));
        put_time(&mut object, unit, "p99", of(|durations| durations.p99));
        put_time(&mut object, unit, "max", of(|durations| durations.max));
        object.insert("exact".to_owned(), json!(row.durations.map(|durations| durations.exact)));
        let longest = row.longest.iter().map(|instance| instance_json(scope, instance));
        object.insert("longest".to_owned(), Value::Array(longest.collect()));
        Value::Object(object)
    }
}

fn instance_json(scope: &Scope<'_>, instance: &Instance) -> Value {
    let unit = &scope.catalog().facts.unit;
    let path = |id: ContainerId| container_path(&scope.catalog().containers, id);
    let mut object = Map::new();
    object.insert("container".to_owned(), json!(instance.container.map(path)));
    put_time(&mut object, unit, "start", Some(instance.start));
    put_time(&mut object, unit, "end", Some(instance.end));
    put_time(&mut object, unit, "duration", Some(instance.end.saturating_sub(instance.start)));
    Value::Object(object)
}
