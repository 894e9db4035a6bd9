//! A trace, or data sets, that can be asked in SQL.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::datatypes::{DataType, FieldRef, SchemaRef};
use datafusion::common::Result as EngineResult;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{GreedyMemoryPool, TrackConsumersPool};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SendableRecordBatchStream, SessionState, SessionStateBuilder};
use datafusion::object_store::memory::InMemory;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::SessionConfig;
use datafusion::sql::parser::Statement;
use onca_model::Window;
use onca_store::Store;
use onca_tables::{TABLES, Trace, tables_of};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::answer::{Answer, Deadline, Work};
use crate::dataset::{DataSets, DatasetError, PLACE, SetTable, StateTimes, computed};
use crate::error::{Faults, Result, SqlError};
use crate::found::FoundTable;
use crate::guard;
use crate::session::{Content, config_of, session};

/// The stack of a thread that computes, in bytes: enough for the deepest query that is let in, also
/// in a program that is not optimised.
pub const STACK_BYTES: usize = 16 << 20;

/// What a query may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Time from the question to the last row.
    pub timeout: Option<Duration>,
    /// Rows of the answer.
    pub max_rows: Option<u64>,
    /// Bytes of memory for what a query gathers: groups, sorted rows, tables to join.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: None, max_rows: None, memory: 2 << 30 }
    }
}

/// A table and its columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<ColumnInfo>,
}

impl TableInfo {
    fn new(name: &'static str, schema: &SchemaRef) -> Self {
        Self { name, columns: column_infos(schema) }
    }
}

/// A column of a table or of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: String,
    /// Can it be NULL?
    pub nullable: bool,
}

/// A trace, or data sets, that can be asked in SQL, read-only: see `docs/sql.md`.
#[derive(Debug)]
pub struct Database {
    tables: Vec<TableInfo>,
    /// What it answers from, unless that is a store: states that tell their types.
    states: Option<Arc<SetTable>>,
    state: SessionState,
    engine: Engine,
}

/// The threads that queries run on. They are not those of the caller, so that a query that
/// computes for long holds up nothing: neither a clock nor another connection.
#[derive(Debug)]
struct Engine {
    /// Taken when it is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl Engine {
    fn new(threads: NonZeroUsize) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads.get())
            .thread_name("onca-sql")
            .thread_stack_size(STACK_BYTES)
            .enable_all()
            .build()
            .map_err(|error| SqlError::Limit(format!("cannot start threads: {error}")))?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Work that was stopped may take a while to notice; nobody waits for it.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Database {
    /// Makes the tables of a store. Nothing is read until a query asks.
    pub fn new(store: Arc<Store>) -> Result<Self> {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self::with_threads(store, threads)
    }

    /// The same with another number of threads than there are cores.
    pub fn with_threads(store: Arc<Store>, threads: NonZeroUsize) -> Result<Self> {
        let trace = Arc::new(Trace::new(store));
        let tables = tables_of(&trace);
        let state = session(Content::of_trace(&trace, &tables), config_of(threads))?.build();
        let found = FoundTable::all(&trace);
        let own = tables.iter().map(|table| TableInfo::new(table.name(), table.schema()));
        let more = found.iter().map(|table| TableInfo::new(table.name(), table.columns()));
        let tables = own.chain(more).collect();
        Ok(Self { tables, states: None, state, engine: Engine::new(threads)? })
    }

    /// Makes the tables of data sets. Nothing but their columns is read until a query asks.
    pub fn of_data_sets(sets: Arc<DataSets>, threads: NonZeroUsize) -> Result<Self> {
        Self::of_sets(&sets, threads, config_of(threads), |session| session)
    }

    /// The same for questions that are answered elsewhere, by whoever the session gets for planner.
    /// The data sets have an address.
    pub fn answered_elsewhere(
        sets: &Arc<DataSets>,
        config: SessionConfig,
        with_planner: impl FnOnce(SessionStateBuilder) -> SessionStateBuilder,
    ) -> Result<Self> {
        Self::of_sets(sets, NonZeroUsize::MIN, config, with_planner)
    }

    fn of_sets(
        sets: &Arc<DataSets>,
        threads: NonZeroUsize,
        config: SessionConfig,
        with: impl FnOnce(SessionStateBuilder) -> SessionStateBuilder,
    ) -> Result<Self> {
        let made = TABLES.map(|name| SetTable::new(sets, name).map(Arc::new));
        let made = made.into_iter().collect::<std::result::Result<Vec<_>, DatasetError>>()?;
        let states = Arc::new(SetTable::states_with_types(sets)?);
        let state = with(session(Content::of_data_sets(&made, &states), config)?).build();
        let tables = made.iter().map(|table| TableInfo::new(table.name(), table.columns()));
        let tables = tables.collect();
        Ok(Self { tables, states: Some(states), state, engine: Engine::new(threads)? })
    }

    /// The time that each container of a run spends in each value in each slice of a window, and
    /// what it is understood by. The run is that with this place among the data sets.
    pub async fn state_times(
        &self,
        run: usize,
        window: Window,
        n_slices: u32,
    ) -> Result<StateTimes> {
        let Some(states) = self.states.clone() else {
            return Err(SqlError::Invalid("this is for data sets".to_owned()));
        };
        let faults = self.faults();
        let limits = Limits::default();
        let state = self.state_with(&limits)?;
        let mut work = Work::start(&self.engine.handle, async move {
            let times = StateTimes::of(&states, run, window, n_slices, &state).await;
            times.map_err(|error| faults.of(error))
        });
        work.join().await?
    }

    fn faults(&self) -> Faults {
        Faults(self.states.as_ref().map(|states| Arc::clone(states.sets())))
    }

    fn state_with(&self, limits: &Limits) -> Result<SessionState> {
        let state = SessionStateBuilder::new_from_existing(self.state.clone());
        Ok(state.with_runtime_env(runtime(limits)?).build())
    }

    /// The tables with their columns.
    pub fn tables(&self) -> Vec<TableInfo> {
        self.tables.clone()
    }

    /// Writes the tables and their columns, for people.
    pub fn write_tables(&self, out: &mut dyn Write) -> io::Result<()> {
        for (index, table) in self.tables.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}", table.name)?;
            let width = table.columns.iter().map(|column| column.name.chars().count()).max();
            for column in &table.columns {
                let null = if column.nullable { " or NULL" } else { "" };
                let (name, width) = (&column.name, width.unwrap_or(0));
                writeln!(out, "  {name:width$}  {}{null}", column.data_type)?;
            }
        }
        Ok(())
    }

    /// Does no query compute any more? One that was stopped does so until it can be.
    pub fn is_idle(&self) -> bool {
        self.engine.handle.metrics().num_alive_tasks() == 0
    }

    /// Plans a query and starts it. What comes then is read from the [`Answer`].
    ///
    /// Needs a Tokio runtime with its clock, for the timeout. Dropping the future, or the answer, ends the work.
    pub async fn query(&self, sql: &str, limits: &Limits) -> Result<Answer> {
        let deadline = Deadline::after(limits.timeout);
        let sql = sql.to_owned();
        let state = self.state_with(limits)?;
        let faults = self.faults();
        let explain = faults.clone();
        let mut start = Work::start(&self.engine.handle, async move {
            let statement = guard::parse(&sql)?;
            start_plan(&state, statement).await.map_err(|error| explain.of(error))
        });
        let started: Result<_> = deadline.wait(start.join()).await??;
        let (schema, stream) = started?;
        Ok(Answer::new(&self.engine.handle, schema, stream, deadline, limits, faults))
    }
}

async fn start_plan(
    state: &SessionState,
    statement: Statement,
) -> EngineResult<(SchemaRef, SendableRecordBatchStream)> {
    let plan = state.statement_to_plan(statement).await?;
    guard::check(&plan)?;
    let plan = computed(plan, state).await?;
    let plan = state.create_physical_plan(&plan).await?;
    Ok((plan.schema(), execute_stream(plan, state.task_ctx())?))
}

/// Memory is counted; nothing goes to disk, so that a query touches no file but the store's.
fn runtime(limits: &Limits) -> Result<Arc<RuntimeEnv>> {
    let pool = GreedyMemoryPool::new(limits.memory);
    let pool = TrackConsumersPool::new(pool, NonZeroUsize::MIN);
    let no_disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(pool))
        .with_disk_manager_builder(no_disk)
        .build_arc()?;
    // A scan of files wants one, and asks it for nothing: see `dataset::reader`.
    let place = ObjectStoreUrl::parse(PLACE)?;
    runtime.register_object_store(place.as_ref(), Arc::new(InMemory::new()));
    Ok(runtime)
}

/// The columns of a schema, with the names of types that people know.
pub(crate) fn column_infos(schema: &SchemaRef) -> Vec<ColumnInfo> {
    let info = |field: &FieldRef| ColumnInfo {
        name: field.name().clone(),
        data_type: type_name(field.data_type()),
        nullable: field.is_nullable(),
    };
    schema.fields().iter().map(info).collect()
}

/// A dictionary is a way to store texts, not a type that a reader of a table cares about.
fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Dictionary(_, values) => values.to_string(),
        other => other.to_string(),
    }
}
