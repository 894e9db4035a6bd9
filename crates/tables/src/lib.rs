//! A store as Arrow tables: batches of columns, block by block, without a query engine.
//!
//! A [`Table`] says which lanes and blocks it has and what its columns are. A collector made by
//! [`Table::collect`] decodes only what the wanted columns need. Who reads the tables decides which
//! blocks to add, and when a batch is long enough. `docs/sql.md` describes every column.

mod catalog_tables;
mod collect;
mod columns;
mod extras;
mod names;
mod seen;
mod table;
mod trace;
mod tree;

use std::sync::Arc;

use onca_model::Nature;

pub use catalog_tables::CatalogTable;
pub use columns::{Column, TimeForm};
pub use extras::ExtraField;
pub use names::{Dictionary, Names, name_type};
pub use seen::{seen_blocks, seen_rows, sees_block, sees_lane};
pub use table::{Collect, EntityTable, TABLES, Table, batch};
pub use trace::Trace;
pub use tree::{Ancestors, Level, Tree};

/// All tables, in the order in which they are listed.
pub fn tables_of(trace: &Arc<Trace>) -> Vec<Arc<dyn Table>> {
    let trace = || Arc::clone(trace);
    let entities = |nature: Nature| Arc::new(EntityTable::new(trace(), nature)) as Arc<dyn Table>;
    vec![
        Arc::new(CatalogTable::containers(trace())),
        Arc::new(CatalogTable::types(trace())),
        entities(Nature::State),
        entities(Nature::Link),
        entities(Nature::Event),
        entities(Nature::Variable),
        Arc::new(CatalogTable::type_values(trace())),
        Arc::new(CatalogTable::diagnostics(trace())),
    ]
}
