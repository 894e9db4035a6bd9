//! What has to be defined before records can be written.

use std::collections::BTreeSet;

use onca_model::{Color, FieldId, Nature, TypeDef, TypeId, ValueId, extra_fields};
use onca_query::Scope;
use rayon::prelude::*;

use super::layout::{Layouts, RecordKind};
use crate::{
    clip::Clip,
    error::Result,
    seen::{self, SeenTrack},
};

/// Is a type written? All container types are: they are few, and whatever is seen needs some.
pub(super) fn is_written(scope: &Scope<'_>, id: TypeId) -> bool {
    let is_container = scope.catalog().type_def(id).nature == Nature::Container;
    id != TypeId::ROOT && (is_container || scope.sees_type(id))
}

/// The values that are written.
pub(super) fn values(scope: &Scope<'_>) -> impl Iterator<Item = ValueId> {
    let all = scope.catalog().values.iter().enumerate();
    all.filter(|(_, def)| is_written(scope, def.type_id))
        .map(|(id, _)| ValueId(id as u32))
        .filter(|id| scope.sees_value(*id))
}

/// The record that defines a type.
pub(super) fn definition(nature: Nature) -> RecordKind {
    match nature {
        Nature::Container => RecordKind::DefineContainerType,
        Nature::State => RecordKind::DefineStateType,
        Nature::Event => RecordKind::DefineEventType,
        Nature::Variable => RecordKind::DefineVariableType,
        Nature::Link => RecordKind::DefineLinkType,
    }
}

/// The colour of a type, where the format has a place for it.
pub(super) fn color(def: &TypeDef) -> Option<Color> {
    def.color.filter(|_| matches!(def.nature, Nature::Event | Nature::Variable))
}

/// The definitions for all records that will be written.
pub(super) fn layouts<'c>(
    scope: &Scope<'c>,
    clip: &Clip,
    tracks: &[SeenTrack],
) -> Result<Layouts<'c>> {
    let catalog = scope.catalog();
    let mut layouts = Layouts::new(catalog);
    for (id, def) in catalog.types.iter().enumerate().skip(1) {
        if is_written(scope, TypeId(id as u32)) {
            layouts.need(definition(def.nature), color(def).is_some(), &seen::fields(&def.extras));
        }
    }
    for def in values(scope).map(|id| catalog.value(id)) {
        layouts.need(RecordKind::DefineValue, def.color.is_some(), &seen::fields(&def.extras));
    }
    layouts.need(RecordKind::Create, false, &[]);
    for index in 0..catalog.containers.len() {
        let extras = catalog.containers.extras.get(index);
        if !extras.is_empty() {
            layouts.need(RecordKind::Create, false, &seen::fields(extras));
        }
    }
    layouts.need(RecordKind::Destroy, false, &[]);
    for (nature, fields) in shapes(scope, clip, tracks)? {
        match Nature::ALL[usize::from(nature)] {
            Nature::State => {
                let (push, pop) = fields.split_at(layouts.split(RecordKind::PushState, &fields));
                layouts.need(RecordKind::PushState, false, push);
                layouts.need(RecordKind::PopState, false, pop);
            }
            Nature::Link => {
                let (start, end) = fields.split_at(layouts.split(RecordKind::StartLink, &fields));
                layouts.need(RecordKind::StartLink, false, start);
                layouts.need(RecordKind::EndLink, false, end);
                // A half link has all fields in one record.
                layouts.need(RecordKind::StartLink, false, &fields);
                layouts.need(RecordKind::EndLink, false, &fields);
            }
            Nature::Variable => layouts.need(RecordKind::SetVariable, false, &fields),
            Nature::Event => layouts.need(RecordKind::NewEvent, false, &fields),
            Nature::Container => {}
        }
    }
    Ok(layouts)
}

/// The lists of extra fields that records have, by the number of their nature.
fn shapes(
    scope: &Scope<'_>,
    clip: &Clip,
    tracks: &[SeenTrack],
) -> Result<BTreeSet<(u8, Vec<FieldId>)>> {
    let of_track = |track: &SeenTrack| -> Result<BTreeSet<_>> {
        let mut found = BTreeSet::from([(track.nature as u8, Vec::new())]);
        let mut last: Vec<FieldId> = Vec::new();
        seen::extras(scope, clip, track, |packed| {
            let fields = extra_fields(packed).map(|extra| extra.field);
            if !fields.eq(last.iter().copied()) {
                last = seen::fields(packed);
                found.insert((track.nature as u8, last.clone()));
            }
        })?;
        Ok(found)
    };
    let union = |mut a: BTreeSet<_>, mut b: BTreeSet<_>| {
        a.append(&mut b);
        Ok(a)
    };
    tracks.par_iter().map(of_track).try_reduce(BTreeSet::new, union)
}
