//! `slice` over data sets: the plain sum over states that the store's cumulative sums equal.
//!
//! The exclusive time in a value during a window is that of its states less that of the states
//! directly in them, which tell the value that they lie in. So no nesting has to be followed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DFSchema, Result, exec_err, internal_err};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{Expr, TableType, col, lit};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::StreamExt;
use onca_model::{Catalog, Window};
use tokio::sync::OnceCell;

use super::error::external;
use super::folded::{Cells, Having, fold};
use super::open::DataSets;
use super::table::{SetTable, TableFile, Wanted};
use super::times::{add, check_container, ids, values_of};
use crate::functions::{AskedSlice, ContainerTree, SliceRows};

/// The function over data sets.
#[derive(Debug)]
pub(crate) struct SetSlice {
    sets: Arc<DataSets>,
    states: Arc<SetTable>,
    /// For each run which containers have states of which type, found when it is first asked for.
    having: Arc<[OnceCell<Having>]>,
}

impl SetSlice {
    pub(crate) fn new(sets: Arc<DataSets>, states: Arc<SetTable>) -> Self {
        let having = sets.runs().iter().map(|_| OnceCell::new()).collect();
        Self { sets, states, having }
    }
}

impl TableFunctionImpl for SetSlice {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let asked = AskedSlice::new(args.exprs())?;
        let runs = self.sets.runs().iter();
        let windows = runs.map(|run| asked.window(&run.facts())).collect::<Result<Vec<_>>>()?;
        let slice = Self {
            sets: Arc::clone(&self.sets),
            states: Arc::clone(&self.states),
            having: Arc::clone(&self.having),
        };
        Ok(Arc::new(AskedTable { slice, asked, windows }))
    }
}

/// The function with its arguments. Its rows are computed when a query reads them.
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
        SliceRows::schema(self.slice.sets.is_folder())
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
        let batch = self.rows(session).await?;
        let table = MemTable::try_new(batch.schema(), vec![vec![batch]])?;
        table.scan(session, projection, filters, limit).await
    }
}

impl AskedTable {
    async fn rows(&self, session: &dyn Session) -> Result<RecordBatch> {
        let sets = &self.slice.sets;
        let mut all = SliceRows::new(sets.is_folder());
        // A level that one run has and another has not is no mistake.
        let (mut n_known, mut unknown) = (0, None);
        for (number, (run, &window)) in sets.runs().iter().zip(&self.windows).enumerate() {
            let tree = run.tree().map_err(external)?;
            let catalog = tree.catalog();
            let having = self.slice.having(session, number, catalog).await?;
            let cells = self.slice.cells(session, number, catalog, window).await?;
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

impl SetSlice {
    /// Which containers have states of which type, at any time.
    async fn having(
        &self,
        session: &dyn Session,
        run: usize,
        catalog: &Catalog,
    ) -> Result<&Having> {
        let Some(having) = self.having.get(run) else {
            return internal_err!("there is no run {run}");
        };
        having.get_or_try_init(|| self.find_having(session, run, catalog)).await
    }

    async fn find_having(
        &self,
        session: &dyn Session,
        run: usize,
        catalog: &Catalog,
    ) -> Result<Having> {
        let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (type_id, files) in self.by_type(session, run, &[])? {
            let known = found.entry(type_id).or_default();
            let visit = |batch: &RecordBatch| -> Result<()> {
                let mut last = None;
                for id in ids(batch, "container_id")? {
                    if last != Some(id) {
                        check_container(catalog, id)?;
                        known.insert(id);
                    }
                    last = Some(id);
                }
                Ok(())
            };
            self.visit(session, files, &["container_id"], &[], visit).await?;
        }
        Ok(found)
    }

    /// The ticks of each container in each value during a window.
    async fn cells(
        &self,
        session: &dyn Session,
        run: usize,
        catalog: &Catalog,
        window: Window,
    ) -> Result<Cells> {
        let touches = [col("tick_start").lt(lit(window.to)), col("tick_end").gt(lit(window.from))];
        let columns = ["container_id", "value", "parent_value", "tick_start", "tick_end"];
        let mut cells = Cells::new();
        for (type_id, files) in self.by_type(session, run, &touches)? {
            let numbers = values_of(catalog, type_id);
            let visit =
                |batch: &RecordBatch| -> Result<()> { add(&mut cells, &numbers, window, batch) };
            self.visit(session, files, &columns, &touches, visit).await?;
        }
        Ok(cells)
    }

    /// The files of a run that may have rows for which conditions hold, by the type of states.
    fn by_type(
        &self,
        session: &dyn Session,
        run: usize,
        filters: &[Expr],
    ) -> Result<BTreeMap<u32, Vec<&TableFile>>> {
        let mut by_type: BTreeMap<u32, Vec<&TableFile>> = BTreeMap::new();
        let files = self.states.needed(session, filters)?;
        for file in files.into_iter().filter(|file| file.run_number == run) {
            let Some(number) = file.type_number else {
                return exec_err!("slice: a file of states does not tell their type");
            };
            by_type.entry(number).or_default().push(file);
        }
        Ok(by_type)
    }

    /// Reads some columns of files, on all cores.
    async fn visit(
        &self,
        session: &dyn Session,
        files: Vec<&TableFile>,
        columns: &[&str],
        filters: &[Expr],
        mut visit: impl FnMut(&RecordBatch) -> Result<()> + Send,
    ) -> Result<()> {
        let schema = self.states.columns();
        let place = |name: &&str| -> Result<usize> { Ok(schema.index_of(name)?) };
        let condition = filters.iter().cloned().reduce(Expr::and);
        let known = DFSchema::try_from(Arc::clone(self.states.read_columns()))?;
        let predicate = condition.map(|filter| session.create_physical_expr(filter, &known));
        let plan = self.states.read(Wanted {
            files,
            columns: columns.iter().map(place).collect::<Result<_>>()?,
            predicate: predicate.transpose()?,
            limit: None,
            n_partitions: session.config().target_partitions(),
        })?;
        let mut stream = execute_stream(plan, session.task_ctx())?;
        while let Some(batch) = stream.next().await {
            visit(&batch?)?;
        }
        Ok(())
    }
}
