//! From rows of states to the time of their values.

use std::collections::HashMap;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int32Type, Int64Type, UInt32Type};
use datafusion::common::{Result, exec_err, internal_err};
use onca_model::{Catalog, ContainerId, Nature, Ticks, Window};

use super::folded::Cells;

/// Refuses an id that no container has.
pub(super) fn check_container(catalog: &Catalog, id: u32) -> Result<()> {
    match ContainerId(id).index() < catalog.containers.len() {
        true => Ok(()),
        false => exec_err!("slice: there is no container {id}"),
    }
}

fn column(batch: &RecordBatch, name: &str, kind: &DataType) -> Result<ArrayRef> {
    match batch.column_by_name(name) {
        Some(column) => Ok(cast(column, kind)?),
        None => internal_err!("there is no column {name}"),
    }
}

pub(super) fn ids(batch: &RecordBatch, name: &str) -> Result<Vec<u32>> {
    let column = column(batch, name, &DataType::UInt32)?;
    Ok(column.as_primitive::<UInt32Type>().values().to_vec())
}

fn ticks(batch: &RecordBatch, name: &str) -> Result<Vec<Ticks>> {
    let column = column(batch, name, &DataType::Int64)?;
    Ok(column.as_primitive::<Int64Type>().values().to_vec())
}

/// The values of a type, each with its number.
pub(super) fn values_of(catalog: &Catalog, type_id: u32) -> HashMap<&[u8], u32> {
    let values = (0..).zip(&catalog.values).filter(|(_, value)| value.type_id.0 == type_id);
    let states = values.filter(|(_, value)| {
        catalog.types.get(value.type_id.index()).is_some_and(|def| def.nature == Nature::State)
    });
    states.map(|(number, value)| (value.name.as_slice(), number)).collect()
}

/// Adds the time of the states of a batch to their values, and takes it off those they lie in.
pub(super) fn add(
    cells: &mut Cells,
    numbers: &HashMap<&[u8], u32>,
    window: Window,
    batch: &RecordBatch,
) -> Result<()> {
    let (starts, ends) = (ticks(batch, "tick_start")?, ticks(batch, "tick_end")?);
    let values = value_numbers(batch, "value", numbers)?;
    let parents = value_numbers(batch, "parent_value", numbers)?;
    let times = starts.into_iter().zip(ends);
    let states = ids(batch, "container_id")?.into_iter().zip(times);
    for ((id, (start, end)), (value, parent)) in states.zip(values.into_iter().zip(parents)) {
        let inside = i128::from(end.min(window.to)) - i128::from(start.max(window.from));
        if inside <= 0 {
            continue;
        }
        let Some(value) = value else { return exec_err!("slice: a state without a value") };
        *cells.entry((value, id)).or_default() += inside;
        if let Some(parent) = parent {
            *cells.entry((parent, id)).or_default() -= inside;
        }
    }
    Ok(())
}

/// The number of the value in each row. Names are looked up once a batch, not once a row.
fn value_numbers(
    batch: &RecordBatch,
    name: &str,
    numbers: &HashMap<&[u8], u32>,
) -> Result<Vec<Option<u32>>> {
    let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let column = column(batch, name, &kind)?;
    let column = column.as_dictionary::<Int32Type>();
    let texts: &StringArray = column.values().as_string();
    let known: Vec<Option<u32>> = (texts.iter())
        .map(|text| numbers.get(text.unwrap_or_default().as_bytes()).copied())
        .collect();
    let number = |key: Option<i32>| -> Result<Option<u32>> {
        let Some(key) = key else { return Ok(None) };
        let place = usize::try_from(key).unwrap_or(usize::MAX);
        match known.get(place).copied().flatten() {
            Some(number) => Ok(Some(number)),
            None => exec_err!("slice: a state has a value that is not among those of its type"),
        }
    };
    column.keys().iter().map(number).collect()
}
