//! What of a session other processes have to know: which table of which data sets a plan reads, and
//! which function it calls.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::logical_expr::ScalarUDF;

use crate::dataset::{DataSets, DatasetError, RowsTable, SetTable};
use crate::functions::{self, Runs};
use onca_tables::TABLES;

/// A table that a plan reads, as another process can make it again.
#[derive(Clone, PartialEq, Debug)]
pub enum PortableTable {
    /// A table of data sets.
    Set {
        /// The address of the data sets.
        address: String,
        /// The name of the table.
        name: String,
        /// Does it tell the numbers of types?
        has_types: bool,
    },
    /// Rows that are known already.
    Rows(RecordBatch),
}

impl PortableTable {
    /// What a table is, if another process can make it.
    pub fn of(table: &dyn TableProvider) -> Option<Self> {
        if let Some(RowsTable(rows)) = table.downcast_ref::<RowsTable>() {
            return Some(Self::Rows(rows.clone()));
        }
        let table = table.downcast_ref::<SetTable>()?;
        let address = table.sets().address()?.to_owned();
        Some(Self::Set { address, name: table.name().to_owned(), has_types: table.has_types() })
    }
}

/// Rows that are known, as a table.
pub fn table_of_rows(rows: RecordBatch) -> Arc<dyn TableProvider> {
    Arc::new(RowsTable(rows))
}

/// A table of data sets; nothing if there is none of this name.
pub fn table_of_sets(
    sets: &Arc<DataSets>,
    name: &str,
    has_types: bool,
) -> Result<Option<Arc<dyn TableProvider>>, DatasetError> {
    let Some(name) = TABLES.into_iter().find(|known| *known == name) else { return Ok(None) };
    let table = match (name, has_types) {
        ("states", true) => SetTable::states_with_types(sets)?,
        _ => SetTable::new(sets, name)?,
    };
    Ok(Some(Arc::new(table)))
}

/// The address of the data sets that a function asks; nothing for one that asks none, or that is not
/// ours.
pub fn address_of_function(function: &ScalarUDF) -> Option<String> {
    functions::address_of(function)
}

/// A function of ours that asks data sets, or none.
pub fn function_of(sets: Option<&Arc<DataSets>>, name: &str) -> Option<Arc<ScalarUDF>> {
    let known = match sets {
        Some(sets) => functions::all(&(Arc::clone(sets) as Arc<dyn Runs>)),
        None => vec![functions::overlap(), functions::cut()],
    };
    known.into_iter().find(|function| function.name() == name)
}
