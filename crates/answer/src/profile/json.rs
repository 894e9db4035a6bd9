//! The profile as JSON.

use onca_model::display_text;
use onca_query::Scope;
use serde_json::{Map, Value, json};

use super::Profile;
use crate::json::{header, node, put_sum};

impl Profile {
    /// The answer as JSON, `onca-profile/1`.
    pub fn json(&self, scope: &Scope<'_>) -> Value {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        let mut answer = header(scope, "onca-profile/1", true);
        put_sum(&mut answer, unit, "total", self.total);
        answer.insert("left_out".to_owned(), json!(self.left_out));
        put_sum(&mut answer, unit, "left_out_exclusive", self.left_out_ticks);
        let paths = self.paths.iter().map(|path| {
            let value = catalog.value(path.value);
            let mut object = Map::new();
            object.insert("node".to_owned(), node(scope, self.cut.nodes()[path.place]));
            object.insert("outer".to_owned(), json!(path.outer));
            object.insert("depth".to_owned(), json!(path.depth));
            object.insert("value".to_owned(), json!(display_text(&value.name)));
            let type_name = &catalog.type_def(value.type_id).name;
            object.insert("type".to_owned(), json!(display_text(type_name)));
            object.insert("count".to_owned(), json!(path.count));
            put_sum(&mut object, unit, "inclusive", path.inclusive);
            put_sum(&mut object, unit, "exclusive", path.exclusive);
            Value::Object(object)
        });
        answer.insert("paths".to_owned(), Value::Array(paths.collect()));
        Value::Object(answer)
    }
}
