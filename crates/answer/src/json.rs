//! What the JSON of all answers has in common.

use onca_model::{Ticks, TimeUnit, Window, display_text};
use onca_query::{NodeId, Scope};
use serde_json::{Map, Value, json};

/// The beginning of an answer: its schema, the unit of time, the window and whether entities had
/// to be looked at one by one.
pub(crate) fn header(scope: &Scope<'_>, schema: &str, scanned: bool) -> Map<String, Value> {
    header_of(&scope.catalog().facts.unit, scope.window(), schema, scanned)
}

/// The same for an answer that need not be of a trace.
pub(crate) fn header_of(
    unit: &TimeUnit,
    window: Window,
    schema: &str,
    scanned: bool,
) -> Map<String, Value> {
    let mut answer = Map::new();
    answer.insert("schema".to_owned(), json!(schema));
    answer.insert(
        "unit".to_owned(),
        json!({
            "name": unit.name,
            "assumed": unit.assumed,
            "ticks_per_unit": unit.ticks_per_unit,
        }),
    );
    let mut bounds = Map::new();
    put_time(&mut bounds, unit, "from", Some(window.from));
    put_time(&mut bounds, unit, "to", Some(window.to));
    answer.insert("window".to_owned(), Value::Object(bounds));
    answer.insert("scanned".to_owned(), json!(scanned));
    answer
}

/// Adds a time in units, and in ticks.
pub(crate) fn put_time(
    object: &mut Map<String, Value>,
    unit: &TimeUnit,
    name: &str,
    ticks: Option<Ticks>,
) {
    object.insert(name.to_owned(), json!(ticks.map(|ticks| unit.units(ticks))));
    object.insert(format!("{name}_ticks"), json!(ticks));
}

/// Adds a sum of times in units, and in ticks: those of many containers may pass 64 bits, and are
/// then rounded.
pub(crate) fn put_sum(object: &mut Map<String, Value>, unit: &TimeUnit, name: &str, ticks: i128) {
    let exact = i64::try_from(ticks).map_or_else(|_| json!(ticks as f64), |ticks| json!(ticks));
    object.insert(name.to_owned(), json!(ticks as f64 / unit.ticks_per_unit as f64));
    object.insert(format!("{name}_ticks"), exact);
}

/// Adds a mean of times: in units, and in ticks, which are not whole.
pub(crate) fn put_mean(
    object: &mut Map<String, Value>,
    unit: &TimeUnit,
    name: &str,
    ticks: Option<f64>,
) {
    object.insert(name.to_owned(), json!(ticks.map(|ticks| ticks / unit.ticks_per_unit as f64)));
    object.insert(format!("{name}_ticks"), json!(ticks));
}

/// A node: its path and its kind.
pub(crate) fn node(scope: &Scope<'_>, id: NodeId) -> Value {
    json!({
        "path": scope.path(id),
        "kind": display_text(scope.hierarchy().kind(id)),
    })
}
