//! What was found as JSON.

use onca_model::{ContainerId, Nature, display_text, extra_fields};
use onca_query::{Scope, container_path};
use serde_json::{Map, Value, json};

use super::{Found, FoundCounts, Hit};
use crate::json::{header, put_time};

impl Found {
    /// The answer as JSON, `onca-find/1`.
    pub fn json(&self, scope: &Scope<'_>) -> Value {
        let mut answer = header(scope, "onca-find/1", true);
        answer.insert("next".to_owned(), json!(self.next.map(|cursor| cursor.to_string())));
        let hits = self.hits.iter().map(|hit| hit.json(scope));
        answer.insert("found".to_owned(), Value::Array(hits.collect()));
        Value::Object(answer)
    }
}

impl Hit {
    fn json(&self, scope: &Scope<'_>) -> Value {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        let path = |id: ContainerId| container_path(&catalog.containers, id);
        let mut object = Map::new();
        object.insert("kind".to_owned(), json!(self.nature.name()));
        let type_name = &catalog.type_def(self.type_id).name;
        object.insert("type".to_owned(), json!(display_text(type_name)));
        put_time(&mut object, unit, "start", Some(self.start));
        put_time(&mut object, unit, "end", Some(self.end));
        put_time(&mut object, unit, "duration", Some(self.end.saturating_sub(self.start)));
        object.insert("container".to_owned(), json!(self.container.map(path)));
        if self.nature == Nature::Link {
            object.insert("destination".to_owned(), json!(self.destination.map(path)));
            object.insert("key".to_owned(), json!(display_text(&self.key)));
        }
        let value = self.value.map(|value| json!(display_text(&catalog.value(value).name)));
        object.insert("value".to_owned(), value.unwrap_or_else(|| json!(self.number)));
        let extras = extra_fields(&self.extras).map(|extra| {
            let name = catalog.field_name(extra.field);
            json!({"name": display_text(&name), "text": display_text(extra.text)})
        });
        object.insert("extras".to_owned(), Value::Array(extras.collect()));
        object.insert("cursor".to_owned(), json!(self.cursor.to_string()));
        Value::Object(object)
    }
}

impl FoundCounts {
    /// How many there are in all.
    pub fn total(&self) -> u64 {
        self.rows.iter().map(|row| row.count).sum()
    }

    /// The answer as JSON, `onca-find-count/1`.
    pub fn json(&self, scope: &Scope<'_>) -> Value {
        let catalog = scope.catalog();
        let mut answer = header(scope, "onca-find-count/1", self.scanned);
        answer.insert("total".to_owned(), json!(self.total()));
        let rows = self.rows.iter().map(|row| {
            json!({
                "kind": row.nature.name(),
                "type": display_text(&catalog.type_def(row.type_id).name),
                "value": row.value.map(|value| display_text(&catalog.value(value).name)),
                "count": row.count,
            })
        });
        answer.insert("counts".to_owned(), Value::Array(rows.collect()));
        Value::Object(answer)
    }
}
