//! A store as Parquet files.
//!
//! A data set per table, a folder each. The tables of entities have one file per type, sorted by
//! container, nesting depth and start. All columns are those of the SQL tables, and all are in
//! the files, none in their names, so that readers need not agree about names of folders.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::error::ArrowError;
use onca_model::{Catalog, LaneId, Nature, TypeId, display_text};
use onca_query::Scope;
use onca_store::{Store, StoreError};
use onca_tables::{
    CatalogTable, Collect, EntityTable, Table, Trace, batch, seen_blocks, seen_rows, sees_lane,
};
use parquet::arrow::ArrowWriter;

use crate::dataset::DatasetError;
use crate::output::{parquet_error, properties};
use crate::scan::BATCH_ROWS;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExportReport {
    /// Files.
    pub files: u64,
    /// Rows in them.
    pub rows: u64,
    /// Their length.
    pub bytes: u64,
}

/// Why an export failed.
#[derive(Debug)]
pub enum ExportError {
    /// The store cannot be read.
    Store(StoreError),
    /// A file or folder cannot be written.
    Write(PathBuf, io::Error),
    /// The data set in the folder is not one that can be added to.
    Dataset(DatasetError),
}

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Write(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Dataset(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<StoreError> for ExportError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<DatasetError> for ExportError {
    fn from(error: DatasetError) -> Self {
        match error {
            DatasetError::Io(path, error) => Self::Write(path, error),
            other => Self::Dataset(other),
        }
    }
}

type Result<T> = std::result::Result<T, ExportError>;

/// Writes what a scope shows of a store as Parquet files into the folder `out`, which must not be
/// there yet. It appears when it is complete. Entities are whole, also where they reach out of
/// the window; containers, types and diagnostics are all there, so that every id can be looked
/// up.
pub fn export_parquet(store: Arc<Store>, scope: &Scope<'_>, out: &Path) -> Result<ExportReport> {
    let explain = |error: io::Error| ExportError::Write(out.to_owned(), error);
    if out.symlink_metadata().is_ok() {
        return Err(explain(io::Error::new(io::ErrorKind::AlreadyExists, "is there already")));
    }
    let temporary = temporary_name(out)
        .ok_or_else(|| explain(io::Error::other("this is not the name of a folder")))?;
    fs::create_dir(&temporary).map_err(explain)?;
    let mut export = Export {
        trace: Arc::new(Trace::new(store)),
        scope,
        folder: &temporary,
        report: ExportReport::default(),
    };
    let outcome = export.all().and_then(|()| fs::rename(&temporary, out).map_err(explain));
    if let Err(error) = outcome {
        // Nothing more can be done when this fails too; the first error is the one to report.
        let _ = fs::remove_dir_all(&temporary);
        return Err(error);
    }
    Ok(export.report)
}

/// Where something is until it is complete.
pub(crate) fn temporary_name(out: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(out.file_name()?);
    name.push(format!(".{}.tmp", std::process::id()));
    Some(out.with_file_name(name))
}

/// An export on its way.
struct Export<'a> {
    trace: Arc<Trace>,
    scope: &'a Scope<'a>,
    folder: &'a Path,
    report: ExportReport,
}

impl Export<'_> {
    fn all(&mut self) -> Result<()> {
        let trace = || Arc::clone(&self.trace);
        let tables = [
            CatalogTable::containers(trace()),
            CatalogTable::types(trace()),
            CatalogTable::type_values(trace()),
            CatalogTable::diagnostics(trace()),
        ];
        for table in tables {
            let path = self.folder_of(&table)?.join(format!("{}.parquet", table.name()));
            self.write_file(&table, &[0], None, path)?;
        }
        [Nature::State, Nature::Link, Nature::Event, Nature::Variable]
            .into_iter()
            .try_for_each(|nature| self.entities(nature))
    }

    /// Writes a file per type. A table without rows has a file without rows, for its columns.
    fn entities(&mut self, nature: Nature) -> Result<()> {
        let table = EntityTable::new(Arc::clone(&self.trace), nature);
        let folder = self.folder_of(&table)?;
        let by_type = lanes_by_type(&table, self.scope);
        if by_type.is_empty() {
            let path = folder.join("none.parquet");
            return self.write_file(&table, &[], None, path);
        }
        for (type_id, lanes) in by_type {
            let name = type_stem(self.trace.catalog(), type_id);
            let path = folder.join(format!("{name}.parquet"));
            self.write_file(&table, &lanes, Some(type_id), path)?;
        }
        Ok(())
    }

    fn folder_of(&self, table: &dyn Table) -> Result<PathBuf> {
        let folder = self.folder.join(table.name());
        fs::create_dir(&folder).map_err(|error| ExportError::Write(folder.clone(), error))?;
        Ok(folder)
    }

    fn write_file(
        &mut self,
        table: &dyn Table,
        lanes: &[u32],
        entities: Option<TypeId>,
        path: PathBuf,
    ) -> Result<()> {
        let explain = |error: io::Error| ExportError::Write(path.clone(), error);
        let parquet = |error| explain(parquet_error(error));
        let arrow = |error: ArrowError| explain(io::Error::other(error));
        let file = File::create_new(&path).map_err(explain)?;
        let schema = table.schema();
        let mut writer =
            ArrowWriter::try_new(file, Arc::clone(schema), Some(properties())).map_err(parquet)?;
        let all: Vec<usize> = (0..schema.fields().len()).collect();
        let mut collector = table.collect(&all);
        let mut write = |collector: &mut dyn Collect| -> Result<u64> {
            let rows = batch(schema, collector).map_err(arrow)?;
            let rows = seen(self.scope, entities, rows).map_err(arrow)?;
            writer.write(&rows).map_err(parquet)?;
            Ok(rows.num_rows() as u64)
        };
        let mut n_rows = 0;
        for &lane in lanes {
            for (block, _) in seen_blocks(table, entities.map(|_| self.scope), lane) {
                collector.add(lane, block)?;
                if collector.n_rows() >= BATCH_ROWS {
                    n_rows += write(&mut *collector)?;
                }
            }
        }
        n_rows += write(&mut *collector)?;
        writer.finish().map_err(parquet)?;
        let bytes = writer.bytes_written() as u64;
        writer.inner_mut().sync_all().map_err(explain)?;
        let ExportReport { files, rows, bytes: before } = self.report;
        self.report = ExportReport { files: files + 1, rows: rows + n_rows, bytes: before + bytes };
        Ok(())
    }
}

/// The lanes of a table that are seen, by type.
pub(crate) fn lanes_by_type(table: &EntityTable, scope: &Scope<'_>) -> BTreeMap<TypeId, Vec<u32>> {
    let mut by_type: BTreeMap<TypeId, Vec<u32>> = BTreeMap::new();
    for lane in table.lanes().into_iter().filter(|&lane| sees_lane(scope, LaneId(lane))) {
        by_type.entry(scope.catalog().lane(LaneId(lane)).type_id).or_default().push(lane);
    }
    by_type
}

/// How names of files of a type begin. The number keeps types of one name apart; the name is for
/// people.
pub(crate) fn type_stem(catalog: &Catalog, type_id: TypeId) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name = display_text(&catalog.type_def(type_id).name);
    let name: String = name.chars().take(64).map(plain).collect();
    format!("{:04}-{name}", type_id.0)
}

/// The rows of a batch that are seen; of a table that is not of entities, all.
pub(crate) fn seen(
    scope: &Scope<'_>,
    entities: Option<TypeId>,
    rows: RecordBatch,
) -> std::result::Result<RecordBatch, ArrowError> {
    match entities.and_then(|type_id| seen_rows(scope, type_id, &rows)) {
        Some(seen) => filter_record_batch(&rows, &seen),
        None => Ok(rows),
    }
}
