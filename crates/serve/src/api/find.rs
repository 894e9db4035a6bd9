//! Entities and containers by name and duration.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::inspect::SourceLine;
use onca_answer::wire::{FoundJson, HitJson};
use onca_answer::{Cursor, Fields, FindSpec, Found, Hit, find as find_in};
use onca_model::{Nature, Ticks};
use onca_query::{NamePattern, Scope};
use onca_scene::Pick;
use serde::{Deserialize, Serialize};

use super::{Shared, TraceId};
use crate::fault::Fault;

/// Hits of a page by default, and at most.
const USUAL: usize = 100;
const MOST: usize = 1000;

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct FindQuestion {
    pattern: String,
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<onca_answer::wire::words::Nature>>"))]
    kinds: Option<Vec<String>>,
    fields: Option<Vec<SearchedField>>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    ignore_case: bool,
    longer_than: Option<Ticks>,
    shorter_than: Option<Ticks>,
    after: Option<String>,
    limit: Option<usize>,
}

/// Where a page of what was found begins.
fn cursor(after: Option<&str>) -> Result<Option<Cursor>, Fault> {
    after.map(str::parse::<Cursor>).transpose().map_err(Fault::question)
}

/// How many hits are on a page.
fn length(limit: Option<usize>) -> usize {
    limit.unwrap_or(USUAL).clamp(1, MOST)
}

/// The nature that a word stands for.
fn nature(word: &str) -> Result<Nature, Fault> {
    let found = Nature::ALL.into_iter().find(|nature| nature.name() == word);
    found.ok_or_else(|| {
        let words = Nature::ALL.map(Nature::name).join(", ");
        Fault::question(format!("kinds: {word:?} is none of {words}"))
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum SearchedField {
    Values,
    Containers,
    Types,
    Extras,
    Keys,
}

impl FindQuestion {
    fn spec(&self) -> Result<FindSpec, Fault> {
        let parse = match self.ignore_case {
            true => NamePattern::parse_ignoring_case,
            false => NamePattern::parse,
        };
        let usual_kinds = [Nature::State, Nature::Link, Nature::Event, Nature::Container];
        let kinds = match &self.kinds {
            None => usual_kinds.to_vec(),
            Some(words) => words.iter().map(|word| nature(word)).collect::<Result<_, _>>()?,
        };
        let texts =
            self.fields.as_deref().unwrap_or(&[SearchedField::Values, SearchedField::Containers]);
        Ok(FindSpec {
            pattern: parse(&self.pattern).map_err(Fault::question)?,
            fields: Fields {
                values: texts.contains(&SearchedField::Values),
                containers: texts.contains(&SearchedField::Containers),
                types: texts.contains(&SearchedField::Types),
                extras: texts.contains(&SearchedField::Extras),
                keys: texts.contains(&SearchedField::Keys),
            },
            extra_fields: Vec::new(),
            kinds,
            longer_than: self.longer_than,
            shorter_than: self.shorter_than,
            line: None,
        })
    }
}

pub async fn find(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: FindQuestion| {
        let after = cursor(asked.after.as_deref())?;
        let found = find_in(&seen.scope, &asked.spec()?, after, length(asked.limit))?;
        Ok(Json(with_picks(&seen.scope, &found)).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct LineQuestion {
    file: String,
    line: u32,
    after: Option<String>,
    limit: Option<usize>,
}

/// The entities that a line of source made.
pub async fn line(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: LineQuestion| {
        let LineQuestion { file, line, after, limit } = asked;
        let spec = FindSpec {
            pattern: NamePattern::parse("*").map_err(Fault::question)?,
            fields: Fields::default(),
            extra_fields: Vec::new(),
            kinds: vec![Nature::State, Nature::Link, Nature::Event, Nature::Variable],
            longer_than: None,
            shorter_than: None,
            line: Some(SourceLine { file, line }),
        };
        let found = find_in(&seen.scope, &spec, cursor(after.as_deref())?, length(limit))?;
        Ok(Json(with_picks(&seen.scope, &found)).into_response())
    })
    .await
}

/// A hit of `onca-find/1`, with what the page needs to show it.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Found"))]
pub struct ShownHit<'a> {
    #[serde(flatten)]
    hit: HitJson<'a>,
    /// The number of the node of its container, if the lens shows it.
    node: Option<u32>,
    /// What asks for more about it.
    pick: String,
}

/// The answer of the command line, with what the page needs to show each hit.
fn with_picks<'a>(scope: &'a Scope<'_>, found: &'a Found) -> FoundJson<'a, ShownHit<'a>> {
    found.json_with(scope, |hit, json| {
        let node = hit.container.and_then(|id| scope.hierarchy().node_of(id));
        let node = node.map(|node| node.0);
        ShownHit { hit: json, node, pick: pick_of(hit, node).to_bits().to_string() }
    })
}

fn pick_of(hit: &Hit, node: Option<u32>) -> Pick {
    match hit.place() {
        Some((lane, row)) => Pick::entity(lane.0, row),
        None => node.map_or(Pick::Nothing, Pick::Node),
    }
}
