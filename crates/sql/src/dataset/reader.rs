//! What the query engine reads of data sets: the files that their manifests list, by number. It is
//! given no path and no folder, so there is nothing else that it could open.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::{Result, internal_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::ParquetFileReaderFactory;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use super::error::{self, DatasetError};
use super::folder::{Chunks, ReadAt};
use super::manifest::FileEntry;
use super::open::{DataSet, DataSets};
use super::rows::check_rows;

/// A file that a manifest lists, by its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub run: usize,
    pub file: usize,
}

/// Which of the files of a table a scan means.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileNumber(pub usize);

/// Opens the files of a table.
#[derive(Debug)]
pub(super) struct Readers {
    pub sets: Arc<DataSets>,
    pub files: Vec<Listed>,
}

impl Readers {
    fn listed(&self, number: FileNumber) -> Option<(&DataSet, &FileEntry)> {
        let Listed { run, file } = *self.files.get(number.0)?;
        let run = self.sets.runs().get(run)?;
        Some((run, run.manifest().files.get(file)?))
    }
}

impl ParquetFileReaderFactory for Readers {
    fn create_reader(
        &self,
        _: usize,
        file: PartitionedFile,
        _: Option<usize>,
        _: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        let number = file.extension::<FileNumber>();
        let Some((run, listed)) = number.and_then(|number| self.listed(*number)) else {
            return internal_err!("a file that is not of the data set");
        };
        let reader = Reader::open(run, listed).map_err(error::external)?;
        Ok(Box::new(reader))
    }
}

struct Reader {
    path: PathBuf,
    rows: u64,
    file: Arc<dyn ReadAt>,
}

impl Reader {
    fn open(run: &DataSet, listed: &FileEntry) -> std::result::Result<Self, DatasetError> {
        let path = run.dir().join(&listed.path);
        let file = match run.open_file(listed) {
            Ok(file) => file,
            Err(error) => return Err(DatasetError::Io(path, error)),
        };
        match file.bytes() == listed.bytes {
            true => Ok(Self { path, rows: listed.rows, file }),
            false => Err(DatasetError::Cut(path, file.bytes(), listed.bytes)),
        }
    }

    fn bytes(&self, range: Range<u64>) -> parquet::errors::Result<Bytes> {
        let explain = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged("it says that it is longer than it is"),
            _ => external(DatasetError::Io(self.path.clone(), error)),
        };
        self.file.read_at(range).map_err(explain)
    }

    fn metadata(
        &self,
        options: Option<&ArrowReaderOptions>,
    ) -> parquet::errors::Result<Arc<ParquetMetaData>> {
        let mut reader = ParquetMetaDataReader::new();
        if let Some(options) = options {
            reader = reader
                .with_column_index_policy(options.column_index_policy())
                .with_offset_index_policy(options.offset_index_policy())
                .with_metadata_options(Some(options.metadata_options().clone()));
        }
        let metadata = reader.parse_and_finish(&Chunks(Arc::clone(&self.file)));
        let metadata = metadata.map_err(|error| self.damaged(error))?;
        check_rows(&self.path, metadata.file_metadata().num_rows(), self.rows).map_err(external)?;
        Ok(Arc::new(metadata))
    }

    fn damaged(&self, why: impl ToString) -> ParquetError {
        external(DatasetError::Damaged(self.path.clone(), why.to_string()))
    }
}

fn external(error: DatasetError) -> ParquetError {
    ParquetError::External(Box::new(error))
}

/// Reads where it is asked, as the tables of a store do: the threads of the engine are for that.
impl AsyncFileReader for Reader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, parquet::errors::Result<Bytes>> {
        ready(self.bytes(range)).boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, parquet::errors::Result<Arc<ParquetMetaData>>> {
        ready(self.metadata(options)).boxed()
    }
}
