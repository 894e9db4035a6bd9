//! Reading a table: partitions of blocks, each a stream of batches.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::coop::make_cooperative;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::stream;
use onca_tables::{Collect, Table, batch};

use crate::prune::{Run, Selected};

/// A batch is handed on when it has this many rows. Blocks are added whole, and have at most
/// as many again.
pub(crate) const BATCH_ROWS: usize = 8192;

/// A table, some of its columns, some of its blocks.
#[derive(Debug)]
pub(crate) struct TableScan {
    table: Arc<dyn Table>,
    projection: Vec<usize>,
    partitions: Vec<Partition>,
    /// What the filters left out.
    lanes_skipped: usize,
    blocks_skipped: usize,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

/// What one stream reads.
#[derive(Clone, Default, Debug)]
struct Partition {
    runs: Vec<Run>,
    n_rows: u64,
}

impl TableScan {
    pub(crate) fn new(
        table: Arc<dyn Table>,
        projection: Vec<usize>,
        selected: Selected,
        n_partitions: usize,
    ) -> Result<Self> {
        let schema = Arc::new(table.schema().project(&projection)?);
        let partitions = divide(&*table, selected.runs, selected.n_rows, n_partitions);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        Ok(Self {
            table,
            projection,
            partitions,
            lanes_skipped: selected.lanes_skipped,
            blocks_skipped: selected.blocks_skipped,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    fn columns(&self) -> String {
        let names: Vec<_> = self
            .properties
            .eq_properties
            .schema()
            .fields()
            .iter()
            .map(|f| f.name().as_str())
            .collect();
        names.join(", ")
    }
}

/// Divides runs into parts of about as many rows, keeping their order.
fn divide(table: &dyn Table, runs: Vec<Run>, n_rows: u64, n_partitions: usize) -> Vec<Partition> {
    // A part has at least a batch: starting a stream is not free.
    let share = (n_rows / n_partitions.max(1) as u64 + 1).max(BATCH_ROWS as u64);
    let mut partitions = vec![Partition::default()];
    for run in runs {
        let mut from = run.blocks.start;
        let extents = table.blocks(run.lane).skip(from as usize);
        for (block, extent) in run.blocks.clone().zip(extents) {
            if partitions.last().is_some_and(|last| last.n_rows >= share) {
                push_run(&mut partitions, run.lane, from, block);
                from = block;
                partitions.push(Partition::default());
            }
            if let Some(last) = partitions.last_mut() {
                last.n_rows += u64::from(extent.n_rows);
            }
        }
        push_run(&mut partitions, run.lane, from, run.blocks.end);
    }
    partitions
}

fn push_run(partitions: &mut [Partition], lane: u32, from: u32, to: u32) {
    if let Some(last) = partitions.last_mut().filter(|_| from < to) {
        last.runs.push(Run { lane, blocks: from..to });
    }
}

impl DisplayAs for TableScan {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (table, columns) = (self.table.name(), self.columns());
        match form {
            DisplayFormatType::TreeRender => write!(f, "table={table}\ncolumns={columns}"),
            _ => write!(
                f,
                "TableScan: {table}, columns=[{columns}], partitions={}, lanes_skipped={}, blocks_skipped={}",
                self.partitions.len(),
                self.lanes_skipped,
                self.blocks_skipped,
            ),
        }
    }
}

impl ExecutionPlan for TableScan {
    fn name(&self) -> &'static str {
        "TableScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.is_empty() {
            true => Ok(self),
            false => internal_err!("a scan of a table has no input"),
        }
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.is_empty() {
            true => Ok(self),
            false => internal_err!("a scan of a table has no input"),
        }
    }

    fn execute(&self, index: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let Some(partition) = self.partitions.get(index) else {
            return internal_err!("partition {index} of a scan with {}", self.partitions.len());
        };
        let reading = Reading {
            schema: self.schema(),
            collector: self.table.collect(&self.projection),
            runs: partition.runs.clone().into_iter(),
            current: None,
            lanes_read: MetricBuilder::new(&self.metrics).counter("lanes_read", index),
            blocks_read: MetricBuilder::new(&self.metrics).counter("blocks_read", index),
            baseline: BaselineMetrics::new(&self.metrics, index),
        };
        let batches = stream::unfold(reading, async |mut reading| {
            let batch = reading.next().transpose()?;
            Some((batch, reading))
        });
        let stream = RecordBatchStreamAdapter::new(self.schema(), batches);
        Ok(make_cooperative(Box::pin(stream)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    /// The directory of the store knows how many rows there are, so a count needs no reading.
    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let chosen = match args.partition() {
            Some(index) => self.partitions.get(index..=index).unwrap_or_default(),
            None => &self.partitions,
        };
        let n_rows: u64 = chosen.iter().map(|partition| partition.n_rows).sum();
        let unknown = Statistics::new_unknown(&self.schema());
        Ok(Arc::new(unknown.with_num_rows(Precision::Exact(n_rows as usize))))
    }
}

/// A stream of batches on its way.
struct Reading {
    schema: SchemaRef,
    collector: Box<dyn Collect>,
    runs: std::vec::IntoIter<Run>,
    current: Option<Run>,
    lanes_read: Count,
    blocks_read: Count,
    baseline: BaselineMetrics,
}

impl Reading {
    /// The next batch, or none at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        let timer = self.baseline.elapsed_compute().clone();
        let _timer = timer.timer();
        while self.collector.n_rows() < BATCH_ROWS {
            let Some((lane, block)) = self.next_block() else { break };
            let added = self.collector.add(lane, block);
            added.map_err(|error| DataFusionError::External(Box::new(error)))?;
            self.blocks_read.add(1);
        }
        if self.collector.n_rows() == 0 {
            return Ok(None);
        }
        let batch = batch(&self.schema, &mut *self.collector)?;
        self.baseline.record_output(batch.num_rows());
        Ok(Some(batch))
    }

    fn next_block(&mut self) -> Option<(u32, u32)> {
        loop {
            if let Some(run) = &mut self.current
                && let Some(block) = run.blocks.next()
            {
                return Some((run.lane, block));
            }
            self.current = Some(self.runs.next()?);
            self.lanes_read.add(1);
        }
    }
}
