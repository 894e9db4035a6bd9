//! A table of data sets as the query engine sees it: the files that manifests list.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{Result as EngineResult, ScalarValue, Statistics};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use onca_model::{Ticks, TimeUnit};

use super::error::{DatasetError, Result};
use super::open::{DataSet, DataSets};
use super::ranges::{is_plain, needed};
use super::reader::{FileNumber, Listed, Readers};

/// The name of the column of runs.
pub(crate) const RUN: &str = "run";

/// Where the engine believes that files are: a store that is empty, as it is never asked.
pub(crate) const PLACE: &str = "onca://dataset";

/// A table of all runs.
#[derive(Debug)]
pub(crate) struct SetTable {
    name: &'static str,
    /// The files that have rows.
    files: Vec<TableFile>,
    /// The columns as they are asked for: the run, if there is one, comes first.
    schema: SchemaRef,
    /// The columns as they are read: the run comes last.
    layout: TableSchema,
    readers: Arc<Readers>,
}

/// A file of a table.
#[derive(Clone, Debug)]
pub(super) struct TableFile {
    pub run: String,
    /// The place of the run.
    pub run_number: usize,
    /// The number of the type of its entities, as its name tells.
    pub type_number: Option<u32>,
    pub containers: Option<(u32, u32)>,
    pub ticks: Option<(Ticks, Ticks)>,
    pub unit: TimeUnit,
    rows: u64,
    file: PartitionedFile,
}

/// What a scan reads.
pub(super) struct Wanted<'a> {
    pub files: Vec<&'a TableFile>,
    /// By their places in the schema.
    pub columns: Vec<usize>,
    /// Rows for which it does not hold need not be read, over the columns as they are read.
    pub predicate: Option<Arc<dyn PhysicalExpr>>,
    pub limit: Option<usize>,
    pub n_partitions: usize,
}

impl SetTable {
    /// A table of all data sets, of which the columns must agree.
    pub fn new(sets: &DataSets, name: &'static str) -> Result<Self> {
        let columns = columns(sets, name)?;
        let run: Option<FieldRef> =
            sets.is_folder().then(|| Arc::new(Field::new(RUN, DataType::Utf8, false)));
        let all: Vec<FieldRef> = run.iter().chain(columns.fields()).cloned().collect();
        let layout = TableSchema::builder(Arc::clone(&columns))
            .with_table_partition_cols(run.into_iter().collect::<Vec<_>>())
            .build();
        let (mut files, mut listed) = (Vec::new(), Vec::new());
        for (run_number, run) in sets.runs().iter().enumerate() {
            for entry in run.files(name).filter(|entry| entry.rows > 0) {
                let number = FileNumber(listed.len());
                let path = run.dir().join(&entry.path);
                listed.push(Arc::new(Listed { path, rows: entry.rows, bytes: entry.bytes }));
                let shown = format!("{}/{}", run.name(), entry.path);
                let counted = Statistics::new_unknown(&columns)
                    .with_num_rows(Precision::Exact(entry.rows as usize));
                let mut file = PartitionedFile::new(shown, entry.bytes).with_extension(number);
                if sets.is_folder() {
                    let run = ScalarValue::Utf8(Some(run.name().to_owned()));
                    file = file.with_partition_values(vec![run]);
                }
                files.push(TableFile {
                    run: run.name().to_owned(),
                    run_number,
                    type_number: type_number(&entry.path),
                    containers: entry.containers,
                    ticks: entry.ticks,
                    unit: run.facts().unit,
                    rows: entry.rows,
                    file: file.with_statistics(Arc::new(counted)),
                });
            }
        }
        let schema = Arc::new(Schema::new(all));
        Ok(Self { name, files, schema, layout, readers: Arc::new(Readers { files: listed }) })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its columns.
    pub fn columns(&self) -> &SchemaRef {
        &self.schema
    }

    /// Its columns as a predicate of a scan names them.
    pub(super) fn read_columns(&self) -> &SchemaRef {
        self.layout.table_schema()
    }

    /// The files that may have rows for which conditions hold.
    pub(super) fn needed(
        &self,
        session: &dyn Session,
        filters: &[Expr],
    ) -> EngineResult<Vec<&TableFile>> {
        needed(&self.files, &self.schema, session, filters)
    }

    /// Reads some columns of some files.
    pub(super) fn read(&self, wanted: Wanted<'_>) -> EngineResult<Arc<dyn ExecutionPlan>> {
        if wanted.files.is_empty() {
            let schema = self.schema.project(&wanted.columns)?;
            return Ok(Arc::new(EmptyExec::new(Arc::new(schema))));
        }
        let readers = Arc::clone(&self.readers);
        let mut source =
            ParquetSource::new(self.layout.clone()).with_parquet_file_reader_factory(readers);
        if let Some(predicate) = wanted.predicate {
            source = source.with_predicate(predicate);
        }
        let n_rows: u64 = wanted.files.iter().map(|file| file.rows).sum();
        let counted = Statistics::new_unknown(self.layout.table_schema())
            .with_num_rows(Precision::Exact(n_rows as usize));
        let files = wanted.files.into_iter().map(|file| file.file.clone()).collect();
        let groups = FileGroup::new(files).split_files(wanted.n_partitions.max(1));
        let columns = wanted.columns.into_iter().map(|column| self.read_place(column)).collect();
        let config = FileScanConfigBuilder::new(ObjectStoreUrl::parse(PLACE)?, Arc::new(source))
            .with_file_groups(groups)
            .with_statistics(counted)
            .with_projection_indices(Some(columns))?
            .with_limit(wanted.limit)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }

    /// Where a column is when it is read.
    fn read_place(&self, column: usize) -> usize {
        let n_columns = self.layout.file_schema().fields().len();
        match (self.schema.fields().len() > n_columns, column) {
            (false, column) => column,
            (true, 0) => n_columns,
            (true, column) => column - 1,
        }
    }
}

/// The number before the first dash of the name of a file.
fn type_number(path: &str) -> Option<u32> {
    let (_, name) = path.rsplit_once('/')?;
    name.split_once('-')?.0.parse().ok()
}

/// The columns of a table. Fields of traces differ: a run without one has NULL there.
fn columns(sets: &DataSets, table: &str) -> Result<SchemaRef> {
    let mut all: Vec<FieldRef> = Vec::new();
    let is_extra = |field: &FieldRef| field.name().starts_with("x_");
    for (number, run) in sets.runs().iter().enumerate() {
        let schema = run.schema(table)?;
        let fields = |fields: &[FieldRef]| -> Vec<FieldRef> {
            fields.iter().filter(|field| !is_extra(field)).cloned().collect()
        };
        if number == 0 {
            all = schema.fields().to_vec();
            continue;
        }
        if fields(&all) != fields(schema.fields()) {
            let why = "its columns are not those of the other runs".to_owned();
            return Err(foreign(run, table, why));
        }
        for field in schema.fields().iter().filter(|field| is_extra(field)) {
            match all.iter().find(|known| known.name() == field.name()) {
                Some(known) if known.data_type() == field.data_type() => {}
                Some(known) => {
                    let (name, known, own) = (field.name(), known.data_type(), field.data_type());
                    let why = format!("{name} is {own}, but {known} in another run");
                    return Err(foreign(run, table, why));
                }
                None => all.push(Arc::clone(field)),
            }
        }
    }
    Ok(Arc::new(Schema::new(all)))
}

fn foreign(run: &DataSet, table: &str, why: String) -> DatasetError {
    DatasetError::Foreign(run.dir().join(table), why)
}

#[async_trait]
impl TableProvider for SetTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    /// Conditions leave out files, and parts of files; what remains is filtered later.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> EngineResult<Vec<TableProviderFilterPushDown>> {
        let of = |filter: &&Expr| match is_plain(filter) {
            true => TableProviderFilterPushDown::Inexact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(of).collect())
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> EngineResult<Arc<dyn ExecutionPlan>> {
        let all = || (0..self.schema.fields().len()).collect();
        self.read(Wanted {
            files: self.needed(session, filters)?,
            columns: projection.cloned().unwrap_or_else(all),
            predicate: None,
            limit,
            n_partitions: session.config().target_partitions(),
        })
    }
}
