//! The query engine, with our tables and functions and without all that reaches outside.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemoryCatalogProvider, MemoryCatalogProviderList,
    MemorySchemaProvider, SchemaProvider, TableFunction, TableProvider,
};
use datafusion::error::Result;
use datafusion::execution::{SessionStateBuilder, SessionStateDefaults};
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionConfig;
use onca_tables::{Table, Trace};

use crate::dataset::{DataSets, SetSlice, SetTable};
use crate::found::FoundTable;
use crate::functions::{self, Runs};
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

/// What a session is over.
pub(crate) struct Content {
    pub tables: Vec<(String, Arc<dyn TableProvider>)>,
    pub functions: Vec<Arc<ScalarUDF>>,
    pub table_functions: Vec<Arc<TableFunction>>,
}

impl Content {
    /// The tables and functions of a store.
    pub fn of_trace(trace: &Arc<Trace>, tables: &[Arc<dyn Table>]) -> Self {
        let unit = &trace.catalog().facts.unit;
        let made = tables.iter().map(|table| {
            let provider = Provider { table: Arc::clone(table), unit: unit.clone() };
            (table.name().to_owned(), Arc::new(provider) as Arc<dyn TableProvider>)
        });
        let found = FoundTable::all(trace)
            .map(|table| (table.name().to_owned(), Arc::new(table) as Arc<dyn TableProvider>));
        Self {
            tables: made.chain(found).collect(),
            functions: functions::all(&functions::runs_of(trace)),
            table_functions: functions::tables(trace),
        }
    }

    /// The tables and functions of data sets.
    pub fn of_data_sets(tables: &[Arc<SetTable>], states: &Arc<SetTable>) -> Self {
        let sets = states.sets();
        let slice = Arc::new(SetSlice::new(Arc::clone(states)));
        let slice = Arc::new(TableFunction::new("slice".to_owned(), slice));
        let named = |table: &Arc<SetTable>| {
            (table.name().to_owned(), Arc::clone(table) as Arc<dyn TableProvider>)
        };
        let runs: Arc<dyn Runs> = Arc::<DataSets>::clone(sets);
        Self {
            tables: tables.iter().map(named).collect(),
            functions: functions::all(&runs),
            table_functions: vec![slice],
        }
    }
}

/// How many threads compute.
pub(crate) fn config_of(threads: NonZeroUsize) -> SessionConfig {
    SessionConfig::new().with_batch_size(BATCH_ROWS).with_target_partitions(threads.get())
}

/// A session over tables. It knows no file format, no table factory and no object store with
/// anything in it, so there is nothing that could open a file or a connection.
pub(crate) fn session(content: Content, config: SessionConfig) -> Result<SessionStateBuilder> {
    let mut config = config
        .with_create_default_catalog_and_schema(false)
        .with_default_catalog_and_schema(CATALOG, SCHEMA)
        .with_information_schema(true);
    // For the line and the column of a problem.
    config.options_mut().sql_parser.collect_spans = true;
    let Content { tables, functions, table_functions } = content;
    let session = SessionStateBuilder::new()
        .with_config(config)
        .with_catalog_list(catalogs(tables)?)
        .with_expr_planners(SessionStateDefaults::default_expr_planners())
        .with_scalar_functions(scalar_functions(functions))
        .with_higher_order_functions(SessionStateDefaults::default_higher_order_functions())
        .with_aggregate_functions(SessionStateDefaults::default_aggregate_functions())
        .with_window_functions(SessionStateDefaults::default_window_functions())
        .with_table_functions(all_table_functions(table_functions))
        .with_physical_optimizer_rule(Arc::new(YieldOften));
    Ok(session)
}

fn catalogs(tables: Vec<(String, Arc<dyn TableProvider>)>) -> Result<Arc<dyn CatalogProviderList>> {
    let schema = MemorySchemaProvider::new();
    for (name, table) in tables {
        schema.register_table(name, table)?;
    }
    let catalog = MemoryCatalogProvider::new();
    catalog.register_schema(SCHEMA, Arc::new(schema))?;
    let list = MemoryCatalogProviderList::new();
    list.register_catalog(CATALOG.to_owned(), Arc::new(catalog));
    Ok(Arc::new(list))
}

fn scalar_functions(own: Vec<Arc<ScalarUDF>>) -> Vec<Arc<ScalarUDF>> {
    let kept = |function: &Arc<ScalarUDF>| !LEFT_OUT.contains(&function.name());
    let known = SessionStateDefaults::default_scalar_functions().into_iter().filter(kept);
    known.chain(own).collect()
}

/// Functions that stand where a table stands. Those of the engine make series of numbers, row
/// by row and in no memory.
fn all_table_functions(own: Vec<Arc<TableFunction>>) -> HashMap<String, Arc<TableFunction>> {
    let known = SessionStateDefaults::default_table_functions().into_iter();
    known.chain(own).map(|function| (function.name().to_owned(), function)).collect()
}
