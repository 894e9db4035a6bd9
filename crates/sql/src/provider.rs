//! A table as the query engine sees it.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use onca_model::TimeUnit;
use onca_tables::Table;

use crate::prune::{pushdown, select};
use crate::scan::TableScan;

/// Gives the query engine a table to scan.
#[derive(Debug)]
pub(crate) struct Provider {
    pub table: Arc<dyn Table>,
    pub unit: TimeUnit,
}

#[async_trait]
impl TableProvider for Provider {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.table.schema())
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(filters.iter().map(|filter| pushdown(&*self.table, &self.unit, filter)).collect())
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all = || (0..self.table.schema().fields().len()).collect();
        let projection = projection.cloned().unwrap_or_else(all);
        let selected = select(&*self.table, &self.unit, session, filters, limit)?;
        let n_partitions = session.config().target_partitions();
        Ok(Arc::new(TableScan::new(Arc::clone(&self.table), projection, selected, n_partitions)?))
    }
}
