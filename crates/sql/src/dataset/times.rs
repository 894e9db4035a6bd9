//! From sums over states to the time of their values.

use std::collections::HashMap;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Decimal128Type, Int32Type, UInt32Type};
use datafusion::common::{Result, exec_err, internal_err};
use onca_model::{Catalog, ContainerId, Nature};

/// For each type of states the numbers of its values, by their names.
pub(super) type Values<'a> = HashMap<u32, HashMap<&'a [u8], u32>>;

/// Refuses an id that no container has.
pub(super) fn check_container(catalog: &Catalog, id: u32) -> Result<()> {
    match ContainerId(id).index() < catalog.containers.len() {
        true => Ok(()),
        false => exec_err!("there is no container {id}"),
    }
}

fn column(batch: &RecordBatch, name: &str, kind: &DataType) -> Result<ArrayRef> {
    match batch.column_by_name(name) {
        Some(column) => Ok(cast(column, kind)?),
        None => internal_err!("there is no column {name}"),
    }
}

/// A column of numbers, all of which are there.
pub(super) fn numbers_of(batch: &RecordBatch, name: &str) -> Result<Vec<u32>> {
    let column = column(batch, name, &DataType::UInt32)?;
    Ok(column.as_primitive::<UInt32Type>().values().to_vec())
}

fn ticks_of(batch: &RecordBatch) -> Result<Vec<i128>> {
    let column = column(batch, "ticks", &DataType::Decimal128(38, 0))?;
    Ok(column.as_primitive::<Decimal128Type>().values().to_vec())
}

/// The values of states.
pub(super) fn values_of(catalog: &Catalog) -> Values<'_> {
    let mut values = Values::new();
    for (number, value) in (0..).zip(&catalog.values) {
        let def = catalog.types.get(value.type_id.index());
        if def.is_some_and(|def| def.nature == Nature::State) {
            values.entry(value.type_id.0).or_default().insert(&value.name, number);
        }
    }
    values
}

/// Hands on the time of each row: to its value, and taken off the value that its states lie in. What
/// is handed on is the row, the container, the number of the value, and the ticks.
pub(super) fn add(
    values: &Values<'_>,
    batch: &RecordBatch,
    mut to: impl FnMut(usize, u32, u32, i128),
) -> Result<()> {
    let (types, containers) = (numbers_of(batch, "type_id")?, numbers_of(batch, "container_id")?);
    let own = Named::new(batch, "value")?;
    let parents = Named::new(batch, "parent_value")?;
    let of_rows = types.into_iter().zip(containers).zip(ticks_of(batch)?).enumerate();
    for (row, ((kind, container), ticks)) in of_rows {
        let Some(value) = own.number(row, values.get(&kind))? else {
            return exec_err!("a state without a value");
        };
        to(row, container, value, ticks);
        if let Some(parent) = parents.number(row, values.get(&kind))? {
            to(row, container, parent, -ticks);
        }
    }
    Ok(())
}

/// A column of names of values.
struct Named(ArrayRef);

impl Named {
    fn new(batch: &RecordBatch, name: &str) -> Result<Self> {
        let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        column(batch, name, &kind).map(Self)
    }

    /// The number of the value in a row, among those of its type.
    fn number(&self, row: usize, known: Option<&HashMap<&[u8], u32>>) -> Result<Option<u32>> {
        let column = self.0.as_dictionary::<Int32Type>();
        let Some(key) = column.key(row) else { return Ok(None) };
        let names: &StringArray = column.values().as_string();
        let name = names.value(key).as_bytes();
        match known.and_then(|known| known.get(name)) {
            Some(&number) => Ok(Some(number)),
            None => exec_err!("a state has a value that is not among those of its type"),
        }
    }
}
