//! `slice` over data sets: the plain sum over states that the store's cumulative sums equal.
//!
//! The exclusive time in a value during a window is that of its states less that of the states
//! directly in them, which tell the value that they lie in. So no nesting has to be followed.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::datasource::{MemTable, provider_as_source, source_as_provider};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, TableType};
use datafusion::physical_plan::ExecutionPlan;
use onca_model::Window;
use tokio::sync::OnceCell;

use super::error::external;
use super::folded::{Having, fold};
use super::open::DataSets;
use super::spent::{self, Spent};
use super::table::SetTable;
use crate::functions::{AskedSlice, ContainerTree, SliceRows};

/// The function over data sets.
#[derive(Clone, Debug)]
pub(crate) struct SetSlice {
    states: Arc<SetTable>,
    /// For each run which containers have states of which type, found when it is first asked for.
    having: Arc<[OnceCell<Having>]>,
}

impl SetSlice {
    /// The states tell their types.
    pub(crate) fn new(states: Arc<SetTable>) -> Self {
        let having = states.sets().runs().iter().map(|_| OnceCell::new()).collect();
        Self { states, having }
    }

    fn sets(&self) -> &DataSets {
        self.states.sets()
    }
}

impl TableFunctionImpl for SetSlice {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let asked = AskedSlice::new(args.exprs())?;
        let runs = self.sets().runs().iter();
        let windows = runs.map(|run| asked.window(&run.facts())).collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(AskedTable { slice: self.clone(), asked, windows }))
    }
}

/// The function with its arguments: a plan with it has to be [`computed`].
#[derive(Debug)]
struct AskedTable {
    slice: SetSlice,
    asked: AskedSlice,
    /// By run: their units may differ.
    windows: Vec<Window>,
}

#[async_trait]
impl TableProvider for AskedTable {
    fn schema(&self) -> SchemaRef {
        SliceRows::schema(self.slice.sets().is_folder())
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        internal_err!("slice was not computed before the query")
    }
}

impl AskedTable {
    async fn rows(&self, state: &SessionState) -> Result<RecordBatch> {
        let SetSlice { states, having } = &self.slice;
        let sets = states.sets();
        let mut all = SliceRows::new(sets.is_folder());
        // A level that one run has and another has not is no mistake.
        let (mut n_known, mut unknown) = (0, None);
        let runs = sets.runs().iter().zip(&self.windows).zip(having.iter()).enumerate();
        for (number, ((run, &window), having)) in runs {
            let tree = run.tree().map_err(external)?;
            let catalog = tree.catalog();
            let spent = Spent { states, run: number, window };
            let having = having.get_or_try_init(|| spent::having(&spent, catalog, state)).await?;
            let cells = spent::cells(&spent, catalog, state).await?;
            match fold(catalog, &self.asked.nodes, &cells, having) {
                Ok(rows) => {
                    n_known += 1;
                    let width = window.to.saturating_sub(window.from);
                    all.add(run.name(), &catalog.facts.unit, width, rows);
                }
                Err(why) => unknown = Some(why),
            }
        }
        match unknown {
            Some(why) if n_known == 0 => exec_err!("slice: {why}"),
            _ => all.batch(),
        }
    }
}

/// Rows that are known.
#[derive(Debug)]
pub(crate) struct RowsTable(pub RecordBatch);

#[async_trait]
impl TableProvider for RowsTable {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let table = MemTable::try_new(self.schema(), vec![vec![self.0.clone()]])?;
        table.scan(session, projection, filters, limit).await
    }
}

/// Replaces every slice in a plan by its rows. They are sums over all states, which are a question
/// of their own: it is answered where other questions are, be that here or on many machines.
pub(crate) async fn computed(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    let mut wanted: Vec<Arc<dyn TableProvider>> = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let Some(provider) = slice_of(node) {
            wanted.push(provider);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if wanted.is_empty() {
        return Ok(plan);
    }
    let mut known = Vec::with_capacity(wanted.len());
    for provider in wanted {
        if let Some(asked) = provider.downcast_ref::<AskedTable>() {
            let rows = RowsTable(Box::pin(asked.rows(state)).await?);
            known.push((provider, provider_as_source(Arc::new(rows))));
        }
    }
    let replace = |node: LogicalPlan| {
        let Some(provider) = slice_of(&node) else { return Ok(Transformed::no(node)) };
        let source = known.iter().find(|(known, _)| Arc::ptr_eq(known, &provider));
        Ok(match (node, source) {
            (LogicalPlan::TableScan(mut scan), Some((_, source))) => {
                scan.source = Arc::clone(source);
                Transformed::yes(LogicalPlan::TableScan(scan))
            }
            (node, _) => Transformed::no(node),
        })
    };
    Ok(plan.transform_up_with_subqueries(replace)?.data)
}

/// The slice that a node of a plan reads.
fn slice_of(node: &LogicalPlan) -> Option<Arc<dyn TableProvider>> {
    let LogicalPlan::TableScan(scan) = node else { return None };
    let provider = source_as_provider(&scan.source).ok()?;
    provider.downcast_ref::<AskedTable>().is_some().then_some(provider)
}
