//! What the query engine reads of data sets: the files that their manifests list, by number. It is
//! given no path and no folder, so there is nothing else that it could open.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
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
use super::rows::check_rows;

/// A file that a manifest lists.
#[derive(Debug)]
pub(super) struct Listed {
    pub path: PathBuf,
    pub rows: u64,
    pub bytes: u64,
}

/// Which of the files of a table a scan means.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileNumber(pub usize);

/// Opens the files of a table.
#[derive(Debug)]
pub(super) struct Readers {
    pub files: Vec<Arc<Listed>>,
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
        let Some(listed) = number.and_then(|number| self.files.get(number.0)) else {
            return internal_err!("a file that is not of the data set");
        };
        let reader = Reader::open(Arc::clone(listed)).map_err(error::external)?;
        Ok(Box::new(reader))
    }
}

struct Reader {
    listed: Arc<Listed>,
    file: File,
}

impl Reader {
    fn open(listed: Arc<Listed>) -> std::result::Result<Self, DatasetError> {
        let explain = |error| DatasetError::Io(listed.path.clone(), error);
        let file = File::open(&listed.path).map_err(explain)?;
        let bytes = file.metadata().map_err(explain)?.len();
        match bytes == listed.bytes {
            true => Ok(Self { listed, file }),
            false => Err(DatasetError::Cut(listed.path.clone(), bytes, listed.bytes)),
        }
    }

    fn bytes(&self, range: Range<u64>) -> parquet::errors::Result<Bytes> {
        let n = usize::try_from(range.end.saturating_sub(range.start))?;
        if range.end > self.listed.bytes {
            return Err(self.damaged("it says that it is longer than it is"));
        }
        let mut bytes = vec![0; n];
        match self.file.read_exact_at(&mut bytes, range.start) {
            Ok(()) => Ok(Bytes::from(bytes)),
            Err(error) => Err(external(DatasetError::Io(self.listed.path.clone(), error))),
        }
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
        let metadata = reader.parse_and_finish(&self.file);
        let metadata = metadata.map_err(|error| self.damaged(error))?;
        let Listed { path, rows, .. } = &*self.listed;
        check_rows(path, metadata.file_metadata().num_rows(), *rows).map_err(external)?;
        Ok(Arc::new(metadata))
    }

    fn damaged(&self, why: impl ToString) -> ParquetError {
        external(DatasetError::Damaged(self.listed.path.clone(), why.to_string()))
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
