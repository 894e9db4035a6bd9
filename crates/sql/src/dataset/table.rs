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
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use onca_model::{Ticks, TimeUnit};

use super::error::{DatasetError, Result};
use super::open::{DataSet, DataSets};
use super::ranges::{is_plain, needed};
use super::reader::{FileNumber, Listed, Readers};

/// The name of the column of runs.
pub(crate) const RUN: &str = "run";

/// The name of the column of the types of entities, for those who must not mistake two types of one
/// name.
pub(super) const TYPE_ID: &str = "type_id";

/// Where the engine believes that files are, unless other processes find them too: a store that is
/// empty, as it is never asked.
pub(crate) const PLACE: &str = "onca://dataset";

/// A table of all runs.
#[derive(Debug)]
pub(crate) struct SetTable {
    name: &'static str,
    /// The files that have rows.
    files: Vec<TableFile>,
    /// The columns as they are asked for: the run, if there is one, comes first, and the number of
    /// the type last.
    schema: SchemaRef,
    /// The columns as they are read: those of the files first.
    layout: TableSchema,
    /// For each column that is asked for, where it is when it is read.
    places: Vec<usize>,
    has_types: bool,
    place: ObjectStoreUrl,
    readers: Arc<Readers>,
}

/// A file of a table.
#[derive(Clone, Debug)]
pub(super) struct TableFile {
    pub run: String,
    pub containers: Option<(u32, u32)>,
    pub ticks: Option<(Ticks, Ticks)>,
    pub unit: TimeUnit,
    rows: u64,
    file: PartitionedFile,
}

impl SetTable {
    /// A table of all data sets, of which the columns must agree.
    pub fn new(sets: &Arc<DataSets>, name: &'static str) -> Result<Self> {
        Self::make(sets, name, false)
    }

    /// The states of all data sets, with the numbers of their types.
    pub fn states_with_types(sets: &Arc<DataSets>) -> Result<Self> {
        Self::make(sets, "states", true)
    }

    fn make(sets: &Arc<DataSets>, name: &'static str, has_types: bool) -> Result<Self> {
        let columns = columns(sets, name)?;
        let field = |name, kind| -> FieldRef { Arc::new(Field::new(name, kind, false)) };
        let run = sets.is_folder().then(|| field(RUN, DataType::Utf8));
        let type_id = has_types.then(|| field(TYPE_ID, DataType::UInt32));
        let of_files: Vec<FieldRef> = run.iter().chain(&type_id).cloned().collect();
        let all: Vec<FieldRef> =
            run.iter().chain(columns.fields()).chain(&type_id).cloned().collect();
        let (n_columns, n_runs) = (columns.fields().len(), usize::from(run.is_some()));
        let places = (n_columns..n_columns + n_runs)
            .chain(0..n_columns)
            .chain(n_columns + n_runs..all.len())
            .collect();
        let layout =
            TableSchema::builder(Arc::clone(&columns)).with_table_partition_cols(of_files).build();
        let (mut files, mut listed) = (Vec::new(), Vec::new());
        for (run_number, run) in sets.runs().iter().enumerate() {
            let entries = run.manifest().files.iter().enumerate();
            for (file, entry) in entries.filter(|(_, entry)| entry.table == name && entry.rows > 0)
            {
                let number = FileNumber(listed.len());
                listed.push(Listed { run: run_number, file });
                let type_number = type_number(&entry.path);
                let mut known = Vec::new();
                if sets.is_folder() {
                    known.push(ScalarValue::Utf8(Some(run.name().to_owned())));
                }
                if has_types {
                    let why = "its name does not tell the type of its states".to_owned();
                    let place = || run.dir().join(&entry.path);
                    let number = type_number.ok_or_else(|| DatasetError::Foreign(place(), why))?;
                    known.push(ScalarValue::UInt32(Some(number)));
                }
                let counted = Statistics::new_unknown(&columns)
                    .with_num_rows(Precision::Exact(entry.rows as usize));
                let file = PartitionedFile::new(run.shown(entry), entry.bytes)
                    .with_extension(number)
                    .with_partition_values(known)
                    .with_statistics(Arc::new(counted));
                files.push(TableFile {
                    run: run.name().to_owned(),
                    containers: entry.containers,
                    ticks: entry.ticks,
                    unit: run.facts().unit,
                    rows: entry.rows,
                    file,
                });
            }
        }
        let schema = Arc::new(Schema::new(all));
        let place = ObjectStoreUrl::parse(sets.address().unwrap_or(PLACE));
        let place = place.map_err(|error| {
            let folder = sets.runs().first().map(DataSet::dir).unwrap_or_default();
            DatasetError::Damaged(folder, error.to_string())
        })?;
        let readers = Arc::new(Readers { sets: Arc::clone(sets), files: listed });
        Ok(Self { name, files, schema, layout, places, has_types, place, readers })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its columns.
    pub fn columns(&self) -> &SchemaRef {
        &self.schema
    }

    /// Does it tell the numbers of types?
    pub(crate) fn has_types(&self) -> bool {
        self.has_types
    }

    /// The data sets that it is of.
    pub(crate) fn sets(&self) -> &Arc<DataSets> {
        &self.readers.sets
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
    // Between processes a text is a text: dictionaries become texts on their way.
    if sets.address().is_some() {
        all.iter_mut().for_each(|field| *field = plain(field));
    }
    Ok(Arc::new(Schema::new(all)))
}

fn plain(field: &FieldRef) -> FieldRef {
    match field.data_type() {
        DataType::Dictionary(_, values) => {
            Arc::new(Field::clone(field).with_data_type(DataType::clone(values)))
        }
        _ => Arc::clone(field),
    }
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
        let columns = match projection {
            Some(columns) => columns.clone(),
            None => (0..self.schema.fields().len()).collect(),
        };
        let files = needed(&self.files, &self.schema, session, filters)?;
        if files.is_empty() {
            return Ok(Arc::new(EmptyExec::new(Arc::new(self.schema.project(&columns)?))));
        }
        let readers = Arc::clone(&self.readers);
        let source =
            ParquetSource::new(self.layout.clone()).with_parquet_file_reader_factory(readers);
        let n_rows: u64 = files.iter().map(|file| file.rows).sum();
        let counted = Statistics::new_unknown(self.layout.table_schema())
            .with_num_rows(Precision::Exact(n_rows as usize));
        let files = files.into_iter().map(|file| file.file.clone()).collect();
        let n_groups = session.config().target_partitions().max(1);
        let places = columns.iter().filter_map(|&column| self.places.get(column).copied());
        let config = FileScanConfigBuilder::new(self.place.clone(), Arc::new(source))
            .with_file_groups(FileGroup::new(files).split_files(n_groups))
            .with_statistics(counted)
            .with_projection_indices(Some(places.collect()))?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }
}
