//! Which rows of the tables a scope shows.

use std::borrow::Cow;
use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use onca_model::{ContainerId, LaneId, Nature, TypeId, ValueId, display_text};
use onca_query::Scope;
use onca_store::BlockExtent;

use crate::table::Table;

/// May a lane hold an entity that is seen?
pub fn sees_lane(scope: &Scope<'_>, lane: LaneId) -> bool {
    let lane = scope.catalog().lane(lane);
    // The container of a link is its owner; its ends are looked at row by row.
    let is_link = scope.catalog().type_def(lane.type_id).nature == Nature::Link;
    match is_link {
        true => scope.sees_type(lane.type_id),
        false => scope.sees_in(lane.type_id, lane.container),
    }
}

/// May a block between these times hold an entity that is seen?
pub fn sees_block(scope: &Scope<'_>, first: i64, last: i64) -> bool {
    let window = scope.instants();
    first < window.to && last >= window.from
}

/// The blocks of a lane that may hold an entity that is seen; without a scope, all of them.
pub fn seen_blocks(
    table: &dyn Table,
    scope: Option<&Scope<'_>>,
    lane: u32,
) -> impl Iterator<Item = (u32, BlockExtent)> {
    (0_u32..).zip(table.blocks(lane)).filter(move |(_, extent)| {
        scope.is_none_or(|scope| sees_block(scope, extent.first, extent.last))
    })
}

/// Which rows of a batch are seen. The batch has entities of one type, and all columns of its
/// table.
pub fn seen_rows(scope: &Scope<'_>, type_id: TypeId, batch: &RecordBatch) -> Option<BooleanArray> {
    let nature = scope.catalog().type_def(type_id).nature;
    let ticks = |name: &str| Some(batch.column_by_name(name)?.as_primitive::<Int64Type>());
    let (starts, ends) = match nature {
        Nature::Event => (ticks("tick")?, ticks("tick")?),
        _ => (ticks("tick_start")?, ticks("tick_end")?),
    };
    let window = scope.instants();
    let least =
        if matches!(nature, Nature::State | Nature::Link) { scope.min_duration() } else { 0 };
    let in_time = |row: usize| {
        let (start, end) = (starts.value(row), ends.value(row));
        let long = least <= 0 || end.saturating_sub(start) >= least;
        long && window.touches(start.min(end), start.max(end))
    };
    let values = match nature {
        Nature::Variable => None,
        _ => Some(SeenValues::new(scope, type_id, batch)?),
    };
    let ends = match nature {
        Nature::Link => {
            Some(["source_id", "destination_id"].map(|name| batch.column_by_name(name)))
        }
        _ => None,
    };
    let ends_seen = |row: usize| {
        ends.is_none_or(|ends| {
            let end = |ids: Option<&ArrayRef>| {
                let ids = ids?.as_primitive::<UInt32Type>();
                (!ids.is_null(row)).then(|| ContainerId(ids.value(row)))
            };
            scope.sees_ends(type_id, ends.map(end))
        })
    };
    let value_seen = |row: usize| values.as_ref().is_none_or(|values| values.contains(row));
    let rows = 0..batch.num_rows();
    Some(rows.map(|row| Some(in_time(row) && value_seen(row) && ends_seen(row))).collect())
}

/// The rows of a batch whose value is seen.
struct SeenValues<'a> {
    keys: &'a [i32],
    /// By key of the dictionary.
    seen: Vec<bool>,
}

impl<'a> SeenValues<'a> {
    fn new(scope: &Scope<'_>, type_id: TypeId, batch: &'a RecordBatch) -> Option<Self> {
        let catalog = scope.catalog();
        let of_type = |id: &ValueId| catalog.value(*id).type_id == type_id && scope.sees_value(*id);
        let seen = (0..catalog.values.len() as u32).map(ValueId).filter(of_type);
        let names: HashSet<Cow<'_, str>> =
            seen.map(|id| display_text(&catalog.value(id).name)).collect();
        let column = batch.column_by_name("value")?.as_dictionary::<Int32Type>();
        let texts = column.values().as_string::<i32>();
        let seen = texts.iter().map(|text| text.is_some_and(|text| names.contains(text))).collect();
        Some(Self { keys: column.keys().values(), seen })
    }

    fn contains(&self, row: usize) -> bool {
        usize::try_from(self.keys[row])
            .is_ok_and(|key| self.seen.get(key).copied().unwrap_or(false))
    }
}
