//! Parquet files.

use std::io::{self, Write};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use super::RowWriter;

/// Rows of a row group: the unit in which readers skip and share out work.
pub(crate) const ROW_GROUP_ROWS: usize = 1 << 20;

/// How a Parquet file is written on its own.
pub(crate) fn properties() -> WriterProperties {
    builder().build()
}

/// How all Parquet files are written: compressed by zstd, texts as dictionaries, with statistics.
pub(crate) fn builder() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(true)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_created_by(format!("onca {}", env!("CARGO_PKG_VERSION")))
}

/// An error of a file inside an error of the format.
pub(crate) fn parquet_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

pub(super) struct ParquetWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> io::Result<Self> {
        let writer = ArrowWriter::try_new(out, Arc::clone(schema), Some(properties()));
        Ok(Self { writer: writer.map_err(parquet_error)? })
    }
}

impl<W: Write + Send> RowWriter for ParquetWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.writer.write(batch).map_err(parquet_error)
    }

    fn finish(mut self: Box<Self>, _: bool) -> io::Result<()> {
        self.writer.finish().map(drop).map_err(parquet_error)?;
        self.writer.inner_mut().flush()
    }
}
