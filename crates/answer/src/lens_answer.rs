//! What a lens shows of a trace, and how it looks.

use std::borrow::Cow;

use onca_model::{Nature, TypeId, ValueId, printable};
use onca_query::{Appearance, Lens, Scope, Shape, Style};
use serde::Serialize;

use crate::wire::{List, ValueNameJson, type_name};

/// What a lens shows of a trace, and how it looks: `onca-lens-answer/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensAnswer"))]
pub struct LensJson<'a> {
    /// `onca-lens-answer/1`.
    pub schema: &'static str,
    /// The name of the trace.
    pub trace: &'a str,
    /// How many containers are seen.
    pub containers: SeenOfAllJson,
    /// The levels of the tree of what is seen, from the root.
    pub levels: Vec<LevelJson>,
    /// All types.
    pub types: List<'a, TypeLookJson<'a>>,
    /// All values.
    pub values: List<'a, ValueLookJson<'a>>,
    /// The lens itself, as `docs/lens.md` describes it.
    pub lens: &'a Lens,
}

/// How many are seen.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeenOfAllJson {
    /// How many are seen.
    pub seen: usize,
    /// How many there are.
    pub all: usize,
}

/// A level of the tree.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LevelJson {
    /// Its name.
    pub level: String,
    /// How many nodes it has.
    pub nodes: usize,
}

/// How a type looks.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TypeLookJson<'a> {
    /// The name of the type.
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
    /// `container`, `state`, `event`, `variable` or `link`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::Nature"))]
    pub nature: &'static str,
    /// It is seen.
    pub seen: bool,
    /// How it looks.
    #[serde(flatten)]
    pub style: StyleJson<'a>,
}

/// How a value looks.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ValueLookJson<'a> {
    /// The value and its type.
    #[serde(flatten)]
    pub name: ValueNameJson<'a>,
    /// It is seen.
    pub seen: bool,
    /// Its role; `null` if there is none.
    pub role: Option<&'static str>,
    /// How it looks.
    #[serde(flatten)]
    pub style: StyleJson<'a>,
}

/// How something looks.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StyleJson<'a> {
    /// As `#rrggbb` or `#rrggbbaa`.
    pub color: String,
    /// Who chose the colour: `lens`, `remembered`, `trace`, `role` or `palette`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::ColorFrom"))]
    pub color_from: &'static str,
    /// The mark of an event.
    pub shape: &'a Shape,
    /// The share of the row that it takes, from 0 to 1.
    pub height: f64,
}

/// What a lens shows of a trace as JSON, `onca-lens-answer/1`. `trace` is what the user calls it.
pub fn lens_answer<'a>(
    trace: &'a str,
    lens: &'a Lens,
    scope: &'a Scope<'_>,
    appearance: &'a Appearance,
) -> LensJson<'a> {
    let catalog = scope.catalog();
    let levels = scope_levels(scope);
    let types = (0..catalog.types.len() as u32).map(TypeId);
    let values = move || scope_values(scope).map(|id| value(scope, appearance, id));
    LensJson {
        schema: "onca-lens-answer/1",
        trace,
        containers: SeenOfAllJson { seen: scope.containers().len(), all: catalog.containers.len() },
        levels: levels.map(|(level, nodes)| LevelJson { level, nodes }).collect(),
        types: List::new(types.map(|id| type_look(scope, appearance, id))),
        values: List::made(values),
        lens,
    }
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

fn value<'a>(scope: &'a Scope<'_>, appearance: &'a Appearance, id: ValueId) -> ValueLookJson<'a> {
    ValueLookJson {
        name: ValueNameJson::new(scope.catalog(), id),
        seen: sees_value(scope, id),
        role: scope.role(id).map(|role| role.name()),
        style: style(appearance.of_value(id)),
    }
}

fn type_look<'a>(scope: &'a Scope<'_>, appearance: &'a Appearance, id: TypeId) -> TypeLookJson<'a> {
    TypeLookJson {
        type_name: type_name(scope.catalog(), id),
        nature: scope.catalog().type_def(id).nature.name(),
        seen: scope.sees_type(id),
        style: style(appearance.of_type(id)),
    }
}

fn style(style: &Style) -> StyleJson<'_> {
    StyleJson {
        color: style.color.to_string(),
        color_from: style.source.name(),
        shape: &style.shape,
        height: style.height,
    }
}
