//! What was found as JSON.

use std::borrow::Cow;

use onca_model::{ContainerId, Nature, Ticks, display_text};
use onca_query::{Scope, container_path};
use serde::Serialize;

use super::{Found, FoundCounts, Hit};
use crate::wire::{ExtraJson, HeaderJson, List, type_name};

/// Entities and containers that were found: `onca-find/1`. The server says more of each.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "FoundPage"))]
pub struct FoundJson<'a, H = HitJson<'a>> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// What asks for the next page; `null` if there is none.
    pub next: Option<String>,
    /// What was found, in order of time.
    pub found: List<'a, H>,
}

/// An entity or container that was found.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HitJson<'a> {
    /// `container`, `state`, `event`, `variable` or `link`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::Nature"))]
    pub kind: &'static str,
    /// The name of its type.
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
    /// Where it begins, in units.
    pub start: f64,
    /// Where it begins, in ticks.
    pub start_ticks: Ticks,
    /// Where it ends, in units; an event ends when it begins.
    pub end: f64,
    /// Where it ends, in ticks.
    pub end_ticks: Ticks,
    /// How long it is, in units.
    pub duration: f64,
    /// How long it is, in ticks.
    pub duration_ticks: Ticks,
    /// The path of its container; of the source for links, of itself for containers. `null` if it is
    /// not known.
    pub container: Option<String>,
    /// Of links only: the path of the container at the end, `null` if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "string | null"))]
    pub destination: Option<Option<String>>,
    /// Of links only: what joins the two halves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub key: Option<Cow<'a, str>>,
    /// Its value; `null` for what has none.
    pub value: Option<HitValueJson<'a>>,
    /// The extra fields.
    pub extras: Vec<ExtraJson<'a>>,
    /// What continues a search here.
    pub cursor: String,
}

/// The value of what was found.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum HitValueJson<'a> {
    /// Its name.
    Name(Cow<'a, str>),
    /// Of a variable, the number.
    Number(f64),
}

impl Found {
    /// The answer as JSON, `onca-find/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> FoundJson<'a> {
        self.json_with(scope, |_, json| json)
    }

    /// The same, with each hit as `dress` has it.
    pub fn json_with<'a, H>(
        &'a self,
        scope: &'a Scope<'_>,
        dress: impl Fn(&'a Hit, HitJson<'a>) -> H + Clone + 'a,
    ) -> FoundJson<'a, H> {
        let hit = move |hit: &'a Hit| dress(hit, hit.json(scope));
        FoundJson {
            header: HeaderJson::new(scope, "onca-find/1", true),
            next: self.next.map(|cursor| cursor.to_string()),
            found: List::new(self.hits.iter().map(hit)),
        }
    }
}

impl Hit {
    fn json<'a>(&'a self, scope: &'a Scope<'_>) -> HitJson<'a> {
        let catalog = scope.catalog();
        let unit = &catalog.facts.unit;
        let path = |id: ContainerId| container_path(&catalog.containers, id);
        let is_link = self.nature == Nature::Link;
        let name = |value| HitValueJson::Name(display_text(&catalog.value(value).name));
        let duration = self.end.saturating_sub(self.start);
        HitJson {
            kind: self.nature.name(),
            type_name: type_name(catalog, self.type_id),
            start: unit.units(self.start),
            start_ticks: self.start,
            end: unit.units(self.end),
            end_ticks: self.end,
            duration: unit.units(duration),
            duration_ticks: duration,
            container: self.container.map(path),
            destination: is_link.then(|| self.destination.map(path)),
            key: is_link.then(|| display_text(&self.key)),
            value: self.value.map(name).or(self.number.map(HitValueJson::Number)),
            extras: ExtraJson::list(catalog, &self.extras),
            cursor: self.cursor.to_string(),
        }
    }
}

/// How many there are of what is sought: `onca-find-count/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundCountsJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// How many in all.
    pub total: u64,
    /// How many of each kind, type and value.
    pub counts: List<'a, FoundCountJson<'a>>,
}

/// How many there are of one value.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundCountJson<'a> {
    /// `container`, `state`, `event`, `variable` or `link`.
    pub kind: &'static str,
    /// The name of the type.
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
    /// The name of the value; `null` for what has none.
    pub value: Option<Cow<'a, str>>,
    /// How many.
    pub count: u64,
}

impl FoundCounts {
    /// How many there are in all.
    pub fn total(&self) -> u64 {
        self.rows.iter().map(|row| row.count).sum()
    }

    /// The answer as JSON, `onca-find-count/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> FoundCountsJson<'a> {
        let catalog = scope.catalog();
        FoundCountsJson {
            header: HeaderJson::new(scope, "onca-find-count/1", self.scanned),
            total: self.total(),
            counts: List::new(self.rows.iter().map(move |row| FoundCountJson {
                kind: row.nature.name(),
                type_name: type_name(catalog, row.type_id),
                value: row.value.map(|value| display_text(&catalog.value(value).name)),
                count: row.count,
            })),
        }
    }
}
