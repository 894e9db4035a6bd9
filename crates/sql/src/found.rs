//! The tables `findings` and `waits`: what is found by looking at a whole trace. They are made when a query reads them.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use onca_answer::{Diagnosis, FindingAnswer, WaitOf, findings};
use onca_model::{Ticks, Window};
use onca_query::{Lens, Scope, container_path};
use onca_tables::Trace;

/// A table that is made of an analysis of the whole trace.
#[derive(Clone, Debug)]
pub(crate) struct FoundTable {
    trace: Arc<Trace>,
    what: What,
    schema: SchemaRef,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Findings,
    Waits,
}

const FINDING_COLUMNS: [(&str, DataType); 12] = [
    ("rank", DataType::UInt32),
    ("kind", DataType::Utf8),
    ("groups", DataType::Utf8),
    ("containers", DataType::UInt32),
    ("t_start", DataType::Float64),
    ("t_end", DataType::Float64),
    ("tick_start", DataType::Int64),
    ("tick_end", DataType::Int64),
    ("cost_ticks", DataType::Int64),
    ("saved_ticks", DataType::Int64),
    ("cost_share", DataType::Float64),
    ("text", DataType::Utf8),
];

const WAIT_COLUMNS: [(&str, DataType); 11] = [
    ("kind", DataType::Utf8),
    ("container_id", DataType::UInt32),
    ("container", DataType::Utf8),
    ("cause_id", DataType::UInt32),
    ("cause", DataType::Utf8),
    ("t_start", DataType::Float64),
    ("t_end", DataType::Float64),
    ("tick_start", DataType::Int64),
    ("tick_end", DataType::Int64),
    ("duration_ticks", DataType::Int64),
    ("wrong_order", DataType::Boolean),
];

impl FoundTable {
    /// Both tables.
    pub fn all(trace: &Arc<Trace>) -> [Self; 2] {
        let made = |what, columns: &[(&str, DataType)]| {
            let field = |(name, kind): &(&str, DataType)| Field::new(*name, kind.clone(), false);
            let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
            Self { trace: Arc::clone(trace), what, schema }
        };
        [made(What::Findings, &FINDING_COLUMNS), made(What::Waits, &WAIT_COLUMNS)]
    }

    /// The name of the table.
    pub fn name(&self) -> &'static str {
        match self.what {
            What::Findings => "findings",
            What::Waits => "waits",
        }
    }

    /// Its columns.
    pub fn columns(&self) -> &SchemaRef {
        &self.schema
    }

    fn rows(&self) -> Result<RecordBatch> {
        let facts = &self.trace.catalog().facts;
        let whole = Window { from: facts.start, to: facts.end };
        let explain = |why: &dyn std::fmt::Display| {
            DataFusionError::Execution(format!("{}: {why}", self.name()))
        };
        let scope = Scope::new(&self.trace.store, &Lens::clear(), whole)
            .map_err(|error| explain(&error))?;
        let columns = match self.what {
            What::Findings => {
                let answer = findings(&scope).map_err(|error| explain(&error))?;
                self.finding_columns(&scope, &answer)
            }
            What::Waits => {
                let known = Diagnosis::of(&self.trace.store).map_err(|error| explain(&error))?;
                self.wait_columns(&known.waits.each().collect::<Vec<_>>())
            }
        };
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    fn finding_columns(&self, scope: &Scope<'_>, answer: &FindingAnswer) -> Vec<ArrayRef> {
        let all = &answer.findings;
        let groups = all.iter().map(|finding| {
            finding.groups.iter().map(|node| scope.path(*node)).collect::<Vec<_>>().join(" ")
        });
        let ticks = |of: fn(&Window) -> Ticks| -> Vec<Ticks> {
            all.iter().map(|finding| of(&finding.window)).collect()
        };
        let (from, to) = (ticks(|window| window.from), ticks(|window| window.to));
        let cost = |cost: i128| Ticks::try_from(cost).unwrap_or(Ticks::MAX);
        vec![
            Arc::new((1..=all.len() as u32).collect::<UInt32Array>()),
            Arc::new(StringArray::from_iter_values(all.iter().map(|finding| &finding.kind))),
            Arc::new(StringArray::from_iter_values(groups)),
            Arc::new(
                all.iter().map(|it| Some(it.containers.len() as u32)).collect::<UInt32Array>(),
            ),
            Arc::new(Float64Array::from(self.trace.units(&from))),
            Arc::new(Float64Array::from(self.trace.units(&to))),
            Arc::new(Int64Array::from(from)),
            Arc::new(Int64Array::from(to)),
            Arc::new(Int64Array::from_iter_values(all.iter().map(|it| cost(it.cost)))),
            Arc::new(Int64Array::from_iter_values(all.iter().map(|it| it.saved))),
            Arc::new(Float64Array::from_iter_values(all.iter().map(|it| answer.share(it)))),
            Arc::new(StringArray::from_iter_values(all.iter().map(|it| it.text.as_str()))),
        ]
    }

    fn wait_columns(&self, waits: &[WaitOf]) -> Vec<ArrayRef> {
        let containers = &self.trace.catalog().containers;
        let ids = |of: fn(&WaitOf) -> u32| -> ArrayRef {
            Arc::new(waits.iter().map(|wait| Some(of(wait))).collect::<UInt32Array>())
        };
        let paths = |of: fn(&WaitOf) -> onca_model::ContainerId| -> ArrayRef {
            let paths = waits.iter().map(|wait| container_path(containers, of(wait)));
            Arc::new(StringArray::from_iter_values(paths))
        };
        let ticks = |of: fn(&Window) -> Ticks| -> Vec<Ticks> {
            waits.iter().map(|wait| of(&wait.window)).collect()
        };
        let (from, to) = (ticks(|window| window.from), ticks(|window| window.to));
        vec![
            Arc::new(StringArray::from_iter_values(waits.iter().map(|wait| wait.kind.name()))),
            ids(|wait| wait.container.0),
            paths(|wait| wait.container),
            ids(|wait| wait.cause.0),
            paths(|wait| wait.cause),
            Arc::new(Float64Array::from(self.trace.units(&from))),
            Arc::new(Float64Array::from(self.trace.units(&to))),
            Arc::new(Int64Array::from(from)),
            Arc::new(Int64Array::from(to)),
            Arc::new(Int64Array::from(ticks(|window| window.to - window.from))),
            Arc::new(waits.iter().map(|wait| Some(wait.wrong_order)).collect::<BooleanArray>()),
        ]
    }
}

#[async_trait]
impl TableProvider for FoundTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
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
        let rows = vec![vec![self.rows()?]];
        let table = MemTable::try_new(Arc::clone(&self.schema), rows)?;
        table.scan(session, projection, filters, limit).await
    }
}
