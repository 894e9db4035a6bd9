//! The time that containers spend in values, as questions to the engine: sums of whole numbers, which
//! are the same in whatever order and wherever they are made.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, internal_err};
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::functions::core::expr_fn::get_field;
use datafusion::functions_aggregate::expr_fn::sum;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, col, lit};
use datafusion::physical_plan::execute_stream;
use futures::StreamExt;
use onca_model::{Catalog, Ticks, Window};

use super::error::external;
use super::folded::{Cells, Having};
use super::table::{RUN, SetTable, TYPE_ID};
use super::times::{add, check_container, numbers_of, values_of};
use crate::functions::{self, ContainerTree};

/// States in states may have the same value, as deep as this.
const MOST_DEPTH: Ticks = 1 << 16;

/// Which states are asked about.
pub(super) struct Spent<'a> {
    /// They tell their types.
    pub states: &'a Arc<SetTable>,
    /// The place of the run.
    pub run: usize,
    pub window: Window,
}

impl Spent<'_> {
    fn of_run(&self) -> Result<LogicalPlanBuilder> {
        let source = provider_as_source(Arc::clone(self.states) as _);
        let all = LogicalPlanBuilder::scan("states", source, None)?;
        match self.states.sets().runs().get(self.run) {
            Some(run) if self.states.sets().is_folder() => all.filter(col(RUN).eq(lit(run.name()))),
            _ => Ok(all),
        }
    }

    fn touching(&self) -> Result<LogicalPlanBuilder> {
        let Window { from, to } = self.window;
        let touches = col("tick_start").lt(lit(to)).and(col("tick_end").gt(lit(from)));
        self.of_run()?.filter(touches)
    }

    /// The sum of some ticks, none of which is longer than the window.
    fn sum(&self, ticks: Expr) -> Expr {
        let width = self.window.to.checked_sub(self.window.from);
        let is_safe = width.and_then(|width| width.checked_mul(MOST_DEPTH)).is_some();
        match is_safe {
            true => sum(ticks),
            // Longer than a whole number of 64 bits can say.
            false => sum(cast(ticks, DataType::Decimal128(28, 0))),
        }
        .alias("ticks")
    }

    fn whole(&self) -> Result<LogicalPlan> {
        let Window { from, to } = self.window;
        let inside = vec![col("tick_start"), col("tick_end"), lit(from), lit(to)];
        let inside = functions::overlap().call(inside);
        self.touching()?.aggregate(Self::keys(), [self.sum(inside)])?.build()
    }

    /// By slice.
    fn cut(&self, n_slices: u32) -> Result<LogicalPlan> {
        let Window { from, to } = self.window;
        let n_slices = lit(i64::from(n_slices));
        let interval = vec![col("tick_start"), col("tick_end"), lit(from), lit(to), n_slices];
        let parts = functions::cut().call(interval).alias("part");
        let columns = Self::keys().into_iter().chain([parts]);
        let of_part = |name: &str| get_field(col("part"), name);
        let keys = Self::keys().into_iter().chain([of_part("slice").alias("slice")]);
        self.touching()?
            .project(columns)?
            .unnest_column("part")?
            .aggregate(keys, [self.sum(of_part("ticks"))])?
            .build()
    }

    fn keys() -> Vec<Expr> {
        [TYPE_ID, "container_id", "value", "parent_value"].map(col).to_vec()
    }
}

/// What each container of a run has of each value in slices of a window.
#[derive(Clone, Debug)]
pub struct StateTimes {
    /// The containers, types and values.
    pub catalog: Catalog,
    /// What is not 0: slice, container, number of the value among those of the catalog, and ticks.
    pub cells: Vec<(u32, u32, u32, i128)>,
    /// For each type of states the containers that have some, at any time.
    pub having: BTreeMap<u32, BTreeSet<u32>>,
}

impl StateTimes {
    pub(crate) async fn of(
        states: &Arc<SetTable>,
        run: usize,
        window: Window,
        n_slices: u32,
        state: &SessionState,
    ) -> Result<Self> {
        let Some(of_run) = states.sets().runs().get(run) else {
            return internal_err!("there is no run {run}");
        };
        let tree = of_run.tree().map_err(external)?;
        let catalog = tree.catalog();
        let spent = Spent { states, run, window };
        let having = having(&spent, catalog, state).await?;
        let cells = cells_of_slices(&spent, n_slices, catalog, state).await?;
        // Less than nothing: a lens hid the states that those of the data set lie in.
        let cells = cells.into_iter().filter(|(_, ticks)| *ticks > 0);
        let cells =
            cells.map(|((slice, container, value), ticks)| (slice, container, value, ticks));
        Ok(Self { catalog: catalog.clone(), cells: cells.collect(), having })
    }
}

/// Which containers have states of which type, at any time.
pub(super) async fn having(
    spent: &Spent<'_>,
    catalog: &Catalog,
    state: &SessionState,
) -> Result<Having> {
    let none: [Expr; 0] = [];
    let plan = spent.of_run()?.aggregate([col(TYPE_ID), col("container_id")], none)?.build()?;
    let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    visit(plan, state, |batch| {
        let containers = numbers_of(batch, "container_id")?;
        for (kind, container) in numbers_of(batch, TYPE_ID)?.into_iter().zip(containers) {
            check_container(catalog, container)?;
            found.entry(kind).or_default().insert(container);
        }
        Ok(())
    })
    .await?;
    Ok(found)
}

/// The ticks of each container in each value during the window.
pub(super) async fn cells(
    spent: &Spent<'_>,
    catalog: &Catalog,
    state: &SessionState,
) -> Result<Cells> {
    let (mut cells, values) = (Cells::new(), values_of(catalog));
    let visited = |batch: &RecordBatch| {
        add(&values, batch, |_, container, value, ticks| {
            *cells.entry((value, container)).or_default() += ticks;
        })
    };
    visit(spent.whole()?, state, visited).await?;
    Ok(cells)
}

/// The same by slice of the window: slice, container and value.
async fn cells_of_slices(
    spent: &Spent<'_>,
    n_slices: u32,
    catalog: &Catalog,
    state: &SessionState,
) -> Result<BTreeMap<(u32, u32, u32), i128>> {
    let (mut cells, values) = (BTreeMap::new(), values_of(catalog));
    let visited = |batch: &RecordBatch| {
        let slices = numbers_of(batch, "slice")?;
        add(&values, batch, |row, container, value, ticks| {
            let slice = slices.get(row).copied().unwrap_or(u32::MAX);
            *cells.entry((slice, container, value)).or_insert(0_i128) += ticks;
        })
    };
    visit(spent.cut(n_slices)?, state, visited).await?;
    Ok(cells)
}

/// Answers a question, and visits its rows as they come.
async fn visit(
    plan: LogicalPlan,
    state: &SessionState,
    mut visit: impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let plan = state.create_physical_plan(&plan).await?;
    let mut stream = execute_stream(plan, state.task_ctx())?;
    while let Some(batch) = stream.next().await {
        visit(&batch?)?;
    }
    Ok(())
}
