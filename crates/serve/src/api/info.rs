//! What is in a trace, as the page needs it.

use std::borrow::Cow;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::wire::{CountsJson, FieldDefJson, StepJson};
use onca_answer::{ValueCounts, changes_json, inspect::SourceFields, scope_levels};
use onca_model::{Severity, TypeId, ValueId, display_text};
use onca_query::{Appearance, Scope, Shape, TraceColors};
use serde::Serialize;

use super::first::FirstRows;
use super::{NothingElse, Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;

pub async fn of_everything(state: Shared, id: TraceId) -> Result<Response, Fault> {
    through_lens(state, id, Bytes::new()).await
}

pub async fn through_lens(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    let answer = |seen: Seen<'_>, _: NothingElse| Ok(Json(info(&seen)?).into_response());
    app.ask(&id, body, answer).await
}

/// What is in a trace, as the page needs it: `onca-view-info/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TraceInfo"))]
pub struct ViewInfo<'a> {
    schema: &'static str,
    /// What the trace is called.
    name: String,
    /// The begin in ticks, a text because it may pass what scripts can count to.
    begin_ticks: String,
    /// In ticks.
    length: i64,
    unit: ExactUnit<'a>,
    /// Lines that are neither blank nor comment nor header.
    records: u64,
    /// Records without any effect.
    lost: u64,
    counts: CountsJson,
    /// The program that wrote it, if it can be told.
    producer: Option<&'a str>,
    /// What was done to times on the way from the sources, first to last.
    changes: Vec<StepJson<'a>>,
    /// All types.
    types: Vec<ShownType<'a>>,
    /// Whether the colours of the trace are used.
    trace_colors: TraceColorUse,
    /// The values that occur.
    values: Vec<ShownValue<'a>>,
    /// The levels of the tree of what is seen, from the root.
    levels: Vec<ShownLevel>,
    /// The height of rows at first, in pixels, or `fit`.
    #[cfg_attr(feature = "typescript", ts(type = "'fit' | number"))]
    row_height: FirstRows,
    problems: ProblemCounts,
    /// The extra fields.
    fields: Vec<FieldDefJson<'a>>,
    /// Entities tell the lines of source code that made them.
    has_source: bool,
}

/// The unit of time.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ExactUnit<'a> {
    name: &'a str,
    /// Nothing tells the unit.
    assumed: bool,
    /// A text because it may pass what scripts can count to.
    ticks_per_unit: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TypeInfo"))]
struct ShownType<'a> {
    /// Its number; types come in order of definition.
    id: u32,
    name: Cow<'a, str>,
    /// `container`, `state`, `event`, `variable` or `link`.
    #[cfg_attr(feature = "typescript", ts(as = "onca_answer::wire::words::Nature"))]
    nature: &'static str,
    /// The id of the container type that it belongs to; the root is its own.
    parent: u32,
    /// As `#rrggbb` or `#rrggbbaa`.
    color: String,
    /// How many entities, or containers, there are.
    count: u64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ValueInfo"))]
struct ShownValue<'a> {
    id: u32,
    /// The number of its type.
    #[serde(rename = "type")]
    type_id: u32,
    name: Cow<'a, str>,
    /// As `#rrggbb` or `#rrggbbaa`.
    color: String,
    /// Who chose the colour: `lens`, `remembered`, `trace`, `role` or `palette`.
    #[cfg_attr(feature = "typescript", ts(as = "onca_answer::wire::words::ColorFrom"))]
    color_from: &'static str,
    /// `null` if it has none.
    role: Option<&'static str>,
    /// The mark of an event.
    shape: Shape,
    /// How often it occurs.
    count: u64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LevelInfo"))]
struct ShownLevel {
    name: String,
    /// How many nodes it has.
    nodes: usize,
}

/// Whether the colours that the trace gives to values are used.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct TraceColorUse {
    /// The trace gives some.
    given: bool,
    /// Whether they are wanted.
    asked: TraceColors,
    /// Why some are not used; `null` if all are, or if none are wanted.
    unused: Option<String>,
}

/// How many problems a trace has.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ProblemCounts {
    notes: u64,
    warnings: u64,
    errors: u64,
}

/// What is in a trace.
pub fn info<'a>(seen: &'a Seen<'_>) -> Result<ViewInfo<'a>, Fault> {
    let (trace, catalog) = (seen.trace, seen.scope.catalog());
    let facts = &catalog.facts;
    let appearance = seen.appearance()?;
    let problems = |severity| catalog.diagnostics.count_of(severity);
    Ok(ViewInfo {
        schema: "onca-view-info/1",
        name: trace.name(),
        begin_ticks: facts.start.to_string(),
        length: seen.relative(facts.end),
        unit: ExactUnit {
            name: &facts.unit.name,
            assumed: facts.unit.assumed,
            ticks_per_unit: facts.unit.ticks_per_unit.to_string(),
        },
        records: facts.records,
        lost: facts.lost,
        counts: CountsJson::new(trace.store.counts()),
        producer: facts.producer.as_deref(),
        changes: changes_json(&trace.store),
        types: types(&seen.scope, &appearance, &rows_by_type(&seen.scope)),
        trace_colors: TraceColorUse {
            given: catalog.values.iter().any(|value| value.color.is_some()),
            asked: appearance.trace_colors(),
            unused: appearance.colors_note(catalog),
        },
        values: values(&seen.scope, &appearance, trace.counts()?),
        levels: scope_levels(&seen.scope).map(|(name, nodes)| ShownLevel { name, nodes }).collect(),
        row_height: FirstRows::of(&seen.scope),
        problems: ProblemCounts {
            notes: problems(Severity::Note),
            warnings: problems(Severity::Warning),
            errors: problems(Severity::Error) + problems(Severity::Fatal),
        },
        fields: catalog.fields.iter().map(FieldDefJson::new).collect(),
        has_source: !SourceFields::new(catalog).is_empty(),
    })
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

fn types<'a>(scope: &'a Scope<'_>, appearance: &Appearance, rows: &[u64]) -> Vec<ShownType<'a>> {
    let describe = |(index, &count): (usize, &u64)| {
        let id = TypeId(index as u32);
        let def = scope.catalog().type_def(id);
        ShownType {
            id: id.0,
            name: display_text(&def.name),
            nature: def.nature.name(),
            parent: def.parent.0,
            color: appearance.of_type(id).color.to_string(),
            count,
        }
    };
    rows.iter().enumerate().map(describe).collect()
}

fn values<'a>(
    scope: &'a Scope<'_>,
    appearance: &Appearance,
    counts: &ValueCounts,
) -> Vec<ShownValue<'a>> {
    let catalog = scope.catalog();
    let describe = |id: ValueId| {
        let (def, style) = (catalog.value(id), appearance.of_value(id));
        ShownValue {
            id: id.0,
            type_id: def.type_id.0,
            name: display_text(&def.name),
            color: style.color.to_string(),
            color_from: style.source.name(),
            role: scope.role(id).map(|role| role.name()),
            shape: style.shape,
            count: counts.of_value(id),
        }
    };
    let all = (0..catalog.values.len() as u32).map(ValueId);
    all.filter(|id| counts.of_value(*id) > 0).map(describe).collect()
}
