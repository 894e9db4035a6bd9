//! Reading the small tables of a data set without a query engine.

use std::path::{Path, PathBuf};

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef, UInt32Type};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::error::{DatasetError, Result};
use super::folder::Chunks;
use super::manifest::FileEntry;
use super::open::DataSet;
use crate::scan::BATCH_ROWS;

fn damaged(path: &Path, why: impl ToString) -> DatasetError {
    DatasetError::Damaged(path.to_owned(), why.to_string())
}

/// A file must have the rows that its manifest says.
pub(super) fn check_rows(path: &Path, is: i64, should: u64) -> Result<()> {
    match u64::try_from(is) == Ok(should) {
        true => Ok(()),
        false => Err(damaged(path, format!("it has {is} rows; it should have {should}"))),
    }
}

/// Some rows of a file, and which file that is.
pub(super) struct Rows {
    pub path: PathBuf,
    batch: RecordBatch,
}

impl Rows {
    fn column(&self, name: &str, data_type: &DataType) -> Result<ArrayRef> {
        let column = self.batch.column_by_name(name);
        let column = column.ok_or_else(|| damaged(&self.path, format!("it has no {name}")))?;
        cast(column, data_type).map_err(|error| damaged(&self.path, error))
    }

    /// A column of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<Option<String>>> {
        let column = self.column(name, &DataType::Utf8)?;
        Ok(column.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect())
    }

    /// A column of texts, all of which are there.
    pub(super) fn whole_texts(&self, name: &str) -> Result<Vec<String>> {
        let null = || damaged(&self.path, format!("a {name} is missing"));
        self.texts(name)?.into_iter().map(|text| text.ok_or_else(null)).collect()
    }

    /// A column of numbers.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<Option<u32>>> {
        let column = self.column(name, &DataType::UInt32)?;
        Ok(column.as_primitive::<UInt32Type>().iter().collect())
    }

    /// Something is wrong with the file that these rows are of.
    pub(super) fn damaged(&self, why: impl ToString) -> DatasetError {
        damaged(&self.path, why)
    }
}

impl DataSet {
    /// Reads some columns of a table, file after file.
    pub(super) fn visit(
        &self,
        table: &str,
        columns: &[&str],
        mut visit: impl FnMut(&Rows) -> Result<()>,
    ) -> Result<()> {
        for file in self.files(table) {
            let path = self.dir().join(&file.path);
            let builder = self.open_rows(file)?;
            let fields = builder.schema().fields().iter().enumerate();
            let wanted = fields.filter(|(_, field)| columns.contains(&field.name().as_str()));
            let wanted: Vec<usize> = wanted.map(|(index, _)| index).collect();
            let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
            let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
            for batch in reader.map_err(|error| damaged(&path, error))? {
                let batch = batch.map_err(|error| damaged(&path, error))?;
                visit(&Rows { path: path.clone(), batch })?;
            }
        }
        Ok(())
    }

    fn open_rows(&self, file: &FileEntry) -> Result<ParquetRecordBatchReaderBuilder<Chunks>> {
        let path = self.dir().join(&file.path);
        let opened = self.open_file(file);
        let opened = opened.map_err(|error| DatasetError::Io(path.clone(), error))?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(Chunks(opened));
        let builder = builder.map_err(|error| damaged(&path, error))?;
        check_rows(&path, builder.metadata().file_metadata().num_rows(), file.rows)?;
        Ok(builder)
    }

    /// The columns of a table, as its first file has them.
    pub(super) fn schema(&self, table: &str) -> Result<SchemaRef> {
        let Some(file) = self.files(table).next() else {
            return Err(DatasetError::Missing(self.dir().join(table)));
        };
        let builder = self.open_rows(file)?;
        // What else is written beside the columns is no matter of theirs.
        Ok(SchemaRef::new(Schema::new(builder.schema().fields().clone())))
    }
}
