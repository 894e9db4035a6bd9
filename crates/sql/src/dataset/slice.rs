//! `slice` over data sets: the plain sum over states that the store's cumulative sums equal.
//!
//! The exclusive time in a value during a window is that of its states less that of the states
//! directly in them, which tell the value that they lie in. So no nesting has to be followed.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::datasource::{MemTable, provider_as_source, source_as_provider};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, TableType};
use datafusion::physical_plan::{ExecutionPlan, collect};
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

/// Rows of a table of the engine that are sent elsewhere, at most.
const MOST_SENT: usize = 1 << 20;

/// Replaces every slice in a plan by its rows. They are sums over all states, which are a question
/// of their own: it is answered where other questions are, be that here or on many machines. What
/// others cannot read goes to them as rows too.
pub(crate) async fn computed(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    let is_slice = |table: &dyn TableProvider| table.downcast_ref::<AskedTable>().is_some();
    let mut known = Vec::new();
    for table in tables_of(&plan, is_slice)? {
        if let Some(asked) = table.downcast_ref::<AskedTable>() {
            let rows = Box::pin(asked.rows(state)).await?;
            known.push((table, rows));
        }
    }
    let address = |table: &dyn TableProvider| -> Option<bool> {
        Some(table.downcast_ref::<SetTable>()?.sets().address().is_some())
    };
    let is_elsewhere =
        tables_of(&plan, |table| address(table) == Some(true)).map(|found| !found.is_empty())?;
    if is_elsewhere {
        for table in tables_of(&plan, |table| address(table).is_none() && !is_slice(table))? {
            let rows = rows_of(&*table, state).await?;
            known.push((table, rows));
        }
    }
    if known.is_empty() {
        return Ok(plan);
    }
    let replace = |node: LogicalPlan| {
        let LogicalPlan::TableScan(mut scan) = node else { return Ok(Transformed::no(node)) };
        let table = source_as_provider(&scan.source)?;
        let rows = known.iter().find(|(known, _)| Arc::ptr_eq(known, &table));
        let Some((_, rows)) = rows else {
            return Ok(Transformed::no(LogicalPlan::TableScan(scan)));
        };
        scan.source = provider_as_source(Arc::new(RowsTable(rows.clone())));
        Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
    };
    Ok(plan.transform_up_with_subqueries(replace)?.data)
}

/// The tables that a plan reads and that are wanted.
fn tables_of(
    plan: &LogicalPlan,
    is_wanted: impl Fn(&dyn TableProvider) -> bool,
) -> Result<Vec<Arc<dyn TableProvider>>> {
    let mut tables: Vec<Arc<dyn TableProvider>> = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            let table = source_as_provider(&scan.source)?;
            if is_wanted(&*table) && !tables.iter().any(|known| Arc::ptr_eq(known, &table)) {
                tables.push(table);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(tables)
}

/// All rows of a table, such as a series of numbers.
async fn rows_of(table: &dyn TableProvider, state: &SessionState) -> Result<RecordBatch> {
    let plan = table.scan(state, None, &[], Some(MOST_SENT + 1)).await?;
    let batches = collect(plan, state.task_ctx()).await?;
    let rows = concat_batches(&table.schema(), &batches)?;
    match rows.num_rows() > MOST_SENT {
        true => exec_err!("a series of more than {MOST_SENT} rows beside the tables of a data set"),
        false => Ok(rows),
    }
}
