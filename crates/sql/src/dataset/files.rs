//! The files of one table and type, one after the other: each is there as a whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, SchemaRef, UInt32Type};
use onca_model::Shard;
use onca_store::Unfinished;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;

use super::layout::file_name;
use super::manifest::FileEntry;
use super::order::{Key, Keys};
use crate::export::temporary_name;
use crate::output::{builder, parquet_error};

/// Rows of a row group: what readers skip, or read by a thread of their own.
const ROW_GROUP_ROWS: usize = 1 << 17;
/// After this many rows is looked whether a file is long enough.
const ROWS_BETWEEN: usize = 2048;

/// An error of a file.
pub(super) type Failed = (PathBuf, io::Error);

/// What the files of a table and a type have in common.
pub(super) struct Kind<'a> {
    /// The folder of the data set.
    pub folder: &'a Path,
    /// The table.
    pub table: &'static str,
    /// Its columns.
    pub schema: &'a SchemaRef,
    /// How the names of the files begin, where there are several types.
    pub stem: Option<String>,
    /// The name of the type.
    pub type_name: Option<String>,
    /// Who writes.
    pub shard: Shard,
    /// A new file begins when one has this many bytes.
    pub file_bytes: u64,
}

/// Files on their way.
pub(super) struct Files<'a> {
    kind: Kind<'a>,
    open: Option<OpenFile>,
    /// The last row that was written.
    last: Option<Key>,
    done: Vec<FileEntry>,
}

impl<'a> Files<'a> {
    pub fn new(kind: Kind<'a>) -> Self {
        Self { kind, open: None, last: None, done: Vec::new() }
    }

    /// Writes rows, which are in order. A new file begins where they do not come after the rows
    /// before.
    pub fn write(&mut self, rows: &RecordBatch) -> Result<(), Failed> {
        if let Some((first, last)) = Keys::of(rows).and_then(|keys| keys.ends()) {
            if self.last.is_some_and(|before| before > first) {
                self.close()?;
            }
            self.last = Some(last);
        }
        for start in (0..rows.num_rows()).step_by(ROWS_BETWEEN) {
            let some = rows.slice(start, ROWS_BETWEEN.min(rows.num_rows() - start));
            let limit = self.kind.file_bytes;
            if self.open()?.write(&some)? >= limit {
                self.close()?;
            }
        }
        Ok(())
    }

    /// The file that is written to.
    fn open(&mut self) -> Result<&mut OpenFile, Failed> {
        let open = match self.open.take() {
            Some(open) => open,
            None => OpenFile::new(&self.kind, self.done.len())?,
        };
        Ok(self.open.insert(open))
    }

    fn close(&mut self) -> Result<(), Failed> {
        if let Some(open) = self.open.take() {
            self.done.push(open.finish(&self.kind)?);
        }
        Ok(())
    }

    /// What was written; without rows, nothing.
    pub fn finish(mut self) -> Result<Vec<FileEntry>, Failed> {
        self.close()?;
        Ok(self.done)
    }

    /// The same, but without rows there is a file without rows.
    pub fn finish_with_columns(mut self) -> Result<Vec<FileEntry>, Failed> {
        if self.done.is_empty() {
            self.open()?;
        }
        self.finish()
    }
}

/// A file on its way, under a name of its own.
struct OpenFile {
    place: PathBuf,
    begun: Unfinished,
    name: String,
    writer: ArrowWriter<Summed>,
    rows: u64,
    containers: Option<(u32, u32)>,
    ticks: Option<(i64, i64)>,
}

impl OpenFile {
    fn new(kind: &Kind<'_>, number: usize) -> Result<Self, Failed> {
        let name = file_name(kind.shard, kind.stem.as_deref(), number);
        let place = kind.folder.join(kind.table).join(&name);
        let explain = |error: io::Error| (place.clone(), error);
        let temporary = temporary_name(&place)
            .ok_or_else(|| explain(io::Error::other("this is not the name of a file")))?;
        let begun = Unfinished::at(temporary);
        let file = File::create(begun.path()).map_err(explain)?;
        let summed = Summed { file, sum: crc32fast::Hasher::new(), bytes: 0 };
        let writer =
            ArrowWriter::try_new(summed, Arc::clone(kind.schema), Some(properties(kind.schema)));
        let writer = writer.map_err(|error| explain(parquet_error(error)))?;
        Ok(Self { begun, name, writer, rows: 0, containers: None, ticks: None, place })
    }

    /// Writes rows, and tells about how long the file is.
    fn write(&mut self, rows: &RecordBatch) -> Result<u64, Failed> {
        self.writer.write(rows).map_err(|error| self.failed(error))?;
        self.rows += rows.num_rows() as u64;
        let ids = rows.column_by_name("container_id");
        let ids = ids.and_then(|ids| ids.as_primitive_opt::<UInt32Type>());
        widen(&mut self.containers, ids.iter().flat_map(|ids| ids.values().iter()));
        if ids.is_some() {
            for name in ["tick_start", "tick_end", "tick"] {
                let ticks = rows.column_by_name(name);
                let ticks = ticks.and_then(|ticks| ticks.as_primitive_opt::<Int64Type>());
                widen(&mut self.ticks, ticks.iter().flat_map(|ticks| ticks.values().iter()));
            }
        }
        Ok((self.writer.bytes_written() + self.writer.in_progress_size()) as u64)
    }

    fn failed(&self, error: ParquetError) -> Failed {
        (self.place.clone(), parquet_error(error))
    }

    fn finish(mut self, kind: &Kind<'_>) -> Result<FileEntry, Failed> {
        if let Err(error) = self.writer.finish() {
            return Err(self.failed(error));
        }
        let explain = |error: io::Error| (self.place.clone(), error);
        let Summed { file, sum, bytes } = self.writer.inner();
        file.sync_all().map_err(explain)?;
        let (bytes, checksum) = (*bytes, in_words(sum.clone()));
        self.begun.finish(&self.place).map_err(explain)?;
        Ok(FileEntry {
            path: format!("{}/{}", kind.table, self.name),
            table: kind.table.to_owned(),
            rows: self.rows,
            bytes,
            checksum,
            containers: self.containers,
            ticks: self.ticks,
            type_name: kind.type_name.clone(),
        })
    }
}

/// Makes a range include some numbers.
fn widen<'n, T: Copy + Ord + 'n>(range: &mut Option<(T, T)>, numbers: impl Iterator<Item = &'n T>) {
    for &number in numbers {
        let (least, most) = range.unwrap_or((number, number));
        *range = Some((least.min(number), most.max(number)));
    }
}

/// How the files of a data set are written. Only tables of entities have an order.
fn properties(schema: &SchemaRef) -> WriterProperties {
    let place = |name: &str| schema.index_of(name).ok();
    let start = place("tick_start").or_else(|| place("tick"));
    let order = place("container_id").map(|container| {
        let depth = place("depth");
        let sorted = |place: usize| SortingColumn {
            column_idx: place as i32,
            descending: false,
            nulls_first: false,
        };
        [Some(container), start, depth].into_iter().flatten().map(sorted).collect()
    });
    builder().set_max_row_group_row_count(Some(ROW_GROUP_ROWS)).set_sorting_columns(order).build()
}

/// A file, its checksum and its length, as far as it is written.
struct Summed {
    file: File,
    sum: crc32fast::Hasher,
    bytes: u64,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(bytes.get(..written).unwrap_or_default());
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The checksum of a file.
pub(super) fn checksum(file: &mut impl io::Read) -> io::Result<String> {
    let mut sum = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(in_words(sum)),
            Ok(n) => sum.update(buffer.get(..n).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn in_words(sum: crc32fast::Hasher) -> String {
    format!("{:08x}", sum.finalize())
}
