//! What a lens shows of a trace, and how it looks.

use onca_model::{Nature, TypeId, ValueId, display_text, printable};
use onca_query::{Appearance, Lens, Scope, Style};
use serde_json::{Map, Value, json};

/// What a lens shows of a trace as JSON, `onca-lens-answer/1`. `trace` is what the user calls it.
pub fn lens_answer(trace: &str, lens: &Lens, scope: &Scope<'_>, appearance: &Appearance) -> Value {
    let catalog = scope.catalog();
    let levels = scope_levels(scope);
    let levels: Vec<Value> =
        levels.map(|(level, nodes)| json!({"level": level, "nodes": nodes})).collect();
    json!({
        "schema": "onca-lens-answer/1",
        "trace": trace,
        "containers": {"seen": scope.containers().len(), "all": catalog.containers.len()},
        "levels": levels,
        "types": types(scope, appearance),
        "values": scope_values(scope).map(|id| value(scope, appearance, id)).collect::<Vec<_>>(),
        "lens": lens,
    })
}

/// The levels of the tree of what is seen, from the root, and how many nodes each has.
pub fn scope_levels(scope: &Scope<'_>) -> impl Iterator<Item = (String, usize)> {
    let hierarchy = scope.hierarchy();
    let mut counts: Vec<(String, usize)> =
        hierarchy.levels().into_iter().map(|level| (level.into_owned(), 0)).collect();
    for node in hierarchy.nodes() {
        let kind = printable(hierarchy.kind(node));
        if let Some((_, count)) = counts.iter_mut().find(|(level, _)| *level == kind) {
            *count += 1;
        }
    }
    counts.into_iter()
}

/// The values of states, links, events and variables.
pub fn scope_values(scope: &Scope<'_>) -> impl Iterator<Item = ValueId> {
    let catalog = scope.catalog();
    let shown = move |id: &ValueId| {
        catalog.type_def(catalog.value(*id).type_id).nature != Nature::Container
    };
    (0..catalog.values.len() as u32).map(ValueId).filter(shown)
}

/// Is a value seen, and its type?
pub fn sees_value(scope: &Scope<'_>, id: ValueId) -> bool {
    scope.sees_value(id) && scope.sees_type(scope.catalog().value(id).type_id)
}

fn value(scope: &Scope<'_>, appearance: &Appearance, id: ValueId) -> Value {
    let def = scope.catalog().value(id);
    let mut object = Map::new();
    let type_name = &scope.catalog().type_def(def.type_id).name;
    object.insert("type".to_owned(), json!(display_text(type_name)));
    object.insert("value".to_owned(), json!(display_text(&def.name)));
    object.insert("seen".to_owned(), json!(sees_value(scope, id)));
    object.insert("role".to_owned(), json!(scope.role(id).map(|role| role.name())));
    put_style(&mut object, appearance.of_value(id));
    Value::Object(object)
}

fn types(scope: &Scope<'_>, appearance: &Appearance) -> Vec<Value> {
    let describe = |id: TypeId| {
        let def = scope.catalog().type_def(id);
        let mut object = Map::new();
        object.insert("type".to_owned(), json!(display_text(&def.name)));
        object.insert("nature".to_owned(), json!(def.nature.name()));
        object.insert("seen".to_owned(), json!(scope.sees_type(id)));
        put_style(&mut object, appearance.of_type(id));
        Value::Object(object)
    };
    (0..scope.catalog().types.len() as u32).map(TypeId).map(describe).collect()
}

fn put_style(object: &mut Map<String, Value>, style: &Style) {
    object.insert("color".to_owned(), json!(style.color.to_string()));
    object.insert("color_from".to_owned(), json!(style.source.name()));
    object.insert("height".to_owned(), json!(style.height));
    object.insert("shape".to_owned(), json!(style.shape));
}
