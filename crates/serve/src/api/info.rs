//! What is in a trace, as the page needs it.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use onca_answer::{ValueCounts, changes_json, inspect::SourceFields, scope_levels};
use onca_model::{Severity, TypeId, ValueId, display_text};
use onca_query::{Appearance, Scope};
use serde_json::{Value, json};

use super::first::FirstRows;
use super::{NothingElse, Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;

pub async fn of_everything(state: Shared, id: TraceId) -> Result<Json<Value>, Fault> {
    through_lens(state, id, Bytes::new()).await
}

pub async fn through_lens(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Value>, Fault> {
    app.ask(&id, body, |seen, _: NothingElse| info(&seen).map(Json)).await
}

pub fn info(seen: &Seen<'_>) -> Result<Value, Fault> {
    let (trace, catalog) = (seen.trace, seen.scope.catalog());
    let (facts, counts) = (&catalog.facts, trace.store.counts());
    let appearance = seen.appearance()?;
    let problems = |severity| catalog.diagnostics.count_of(severity);
    Ok(json!({
        "schema": "onca-view-info/1",
        "name": trace.name(),
        "begin_ticks": facts.start.to_string(),
        "length": seen.relative(facts.end),
        "unit": {
            "name": facts.unit.name,
            "assumed": facts.unit.assumed,
            "ticks_per_unit": facts.unit.ticks_per_unit.to_string(),
        },
        "records": facts.records,
        "lost": facts.lost,
        "counts": {
            "containers": counts.containers,
            "states": counts.states,
            "links": counts.links,
            "events": counts.events,
            "variables": counts.variables,
        },
        "producer": facts.producer,
        "changes": changes_json(&trace.store),
        "types": types(&seen.scope, &appearance, &rows_by_type(&seen.scope)),
        "values": values(&seen.scope, &appearance, trace.counts()?),
        "levels": levels(&seen.scope),
        "row_height": FirstRows::of(&seen.scope).json(),
        "problems": {
            "notes": problems(Severity::Note),
            "warnings": problems(Severity::Warning),
            "errors": problems(Severity::Error) + problems(Severity::Fatal),
        },
        "fields": catalog.fields.iter().map(|field| json!({
            "name": display_text(&field.name),
            "type": format!("{:?}", field.kind).to_lowercase(),
        })).collect::<Vec<_>>(),
        "has_source": !SourceFields::new(catalog).is_empty(),
    }))
}

/// How many entities, or containers, of each type there are.
fn rows_by_type(scope: &Scope<'_>) -> Vec<u64> {
    let (store, catalog) = (scope.store(), scope.catalog());
    let mut rows = vec![0; catalog.types.len()];
    for type_id in &catalog.containers.types {
        rows[type_id.index()] += 1;
    }
    for (id, lane) in catalog.lanes.iter().enumerate() {
        rows[lane.type_id.index()] += store.n_rows(onca_model::LaneId(id as u32));
    }
    rows
}

fn types(scope: &Scope<'_>, appearance: &Appearance, rows: &[u64]) -> Vec<Value> {
    let describe = |(index, count): (usize, &u64)| {
        let id = TypeId(index as u32);
        let def = scope.catalog().type_def(id);
        json!({
            "id": index,
            "name": display_text(&def.name),
            "nature": def.nature.name(),
            "parent": def.parent.0,
            "color": appearance.of_type(id).color.to_string(),
            "count": count,
        })
    };
    rows.iter().enumerate().map(describe).collect()
}

fn values(scope: &Scope<'_>, appearance: &Appearance, counts: &ValueCounts) -> Vec<Value> {
    let catalog = scope.catalog();
    let describe = |id: ValueId| {
        let (def, style) = (catalog.value(id), appearance.of_value(id));
        json!({
            "id": id.0,
            "type": def.type_id.0,
            "name": display_text(&def.name),
            "color": style.color.to_string(),
            "color_from": style.source.name(),
            "role": scope.role(id).map(|role| role.name()),
            "shape": style.shape,
            "count": counts.of_value(id),
        })
    };
    let all = (0..catalog.values.len() as u32).map(ValueId);
    all.filter(|id| counts.of_value(*id) > 0).map(describe).collect()
}

fn levels(scope: &Scope<'_>) -> Vec<Value> {
    scope_levels(scope).map(|(name, nodes)| json!({"name": name, "nodes": nodes})).collect()
}
