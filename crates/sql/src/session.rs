//! The query engine, with our tables and functions and without all that reaches outside.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemoryCatalogProvider, MemoryCatalogProviderList,
    MemorySchemaProvider, SchemaProvider, TableFunction,
};
use datafusion::error::Result;
use datafusion::execution::{SessionState, SessionStateBuilder, SessionStateDefaults};
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionConfig;
use onca_tables::{Table, Trace};

use crate::found::FoundTable;
use crate::functions;
use crate::provider::Provider;
use crate::scan::BATCH_ROWS;
use crate::yielding::YieldOften;

pub(crate) const CATALOG: &str = "onca";
pub(crate) const SCHEMA: &str = "trace";

/// Functions that are left out. Most turn a short text into one that takes all memory; the others
/// tell of files, of this program, or of chance, and the same query shall have the same answer.
const LEFT_OUT: &[&str] = &[
    "array_repeat",
    "array_resize",
    "file_row_index",
    "generate_series",
    "input_file_name",
    "lpad",
    "random",
    "range",
    "repeat",
    "rpad",
    "uuid",
    "version",
];

/// A session over the tables. It knows no file format, no table factory and no object store, so
/// there is nothing in it that could open a file or a connection.
pub(crate) fn session_state(
    trace: &Arc<Trace>,
    tables: &[Arc<dyn Table>],
    threads: NonZeroUsize,
) -> Result<SessionState> {
    let mut config = SessionConfig::new()
        .with_batch_size(BATCH_ROWS)
        .with_target_partitions(threads.get())
        .with_create_default_catalog_and_schema(false)
        .with_default_catalog_and_schema(CATALOG, SCHEMA)
        .with_information_schema(true);
    // For the line and the column of a problem.
    config.options_mut().sql_parser.collect_spans = true;
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_catalog_list(catalogs(trace, tables)?)
        .with_expr_planners(SessionStateDefaults::default_expr_planners())
        .with_scalar_functions(scalar_functions(trace))
        .with_higher_order_functions(SessionStateDefaults::default_higher_order_functions())
        .with_aggregate_functions(SessionStateDefaults::default_aggregate_functions())
        .with_window_functions(SessionStateDefaults::default_window_functions())
        .with_table_functions(table_functions(trace))
        .with_physical_optimizer_rule(Arc::new(YieldOften))
        .build();
    Ok(state)
}

fn catalogs(trace: &Arc<Trace>, tables: &[Arc<dyn Table>]) -> Result<Arc<dyn CatalogProviderList>> {
    let schema = MemorySchemaProvider::new();
    let unit = &trace.catalog().facts.unit;
    for table in tables {
        let provider = Provider { table: Arc::clone(table), unit: unit.clone() };
        schema.register_table(table.name().to_owned(), Arc::new(provider))?;
    }
    for table in FoundTable::all(trace) {
        schema.register_table(table.name().to_owned(), Arc::new(table))?;
    }
    let catalog = MemoryCatalogProvider::new();
    catalog.register_schema(SCHEMA, Arc::new(schema))?;
    let list = MemoryCatalogProviderList::new();
    list.register_catalog(CATALOG.to_owned(), Arc::new(catalog));
    Ok(Arc::new(list))
}

fn scalar_functions(trace: &Arc<Trace>) -> Vec<Arc<ScalarUDF>> {
    let kept = |function: &Arc<ScalarUDF>| !LEFT_OUT.contains(&function.name());
    let known = SessionStateDefaults::default_scalar_functions().into_iter().filter(kept);
    known.chain(functions::all(trace)).collect()
}

/// Functions that stand where a table stands. Those of the engine make series of numbers, row
/// by row and in no memory.
fn table_functions(trace: &Arc<Trace>) -> HashMap<String, Arc<TableFunction>> {
    let known = SessionStateDefaults::default_table_functions().into_iter();
    known
        .chain(functions::tables(trace))
        .map(|function| (function.name().to_owned(), function))
        .collect()
}
