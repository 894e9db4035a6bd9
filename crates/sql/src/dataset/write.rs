//! Writing a data set, or one shard of it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::error::ArrowError;
use onca_model::{LaneId, Nature, Shard, Ticks, TypeId, display_text};
use onca_query::{Lens, Scope};
use onca_store::{Store, Unfinished};
use onca_tables::{CatalogTable, Collect, EntityTable, Table, Trace, batch, seen_blocks};

use super::files::{Failed, Files, Kind};
use super::folder::LocalFolder;
use super::manifest::{FileEntry, PART_SCHEMA, PARTS, Part, Source};
use super::order::{Key, Sorter};
use super::place::{failed, make_folders, prepare, vacant};
use super::seal::{seal, write_text};
use crate::export::{ExportError, ExportReport, lanes_by_type, seen, type_stem};
use crate::scan::BATCH_ROWS;

type Result<T> = std::result::Result<T, ExportError>;

/// What of a trace becomes a data set, and how.
#[derive(Clone, Copy, Debug)]
pub struct DatasetOptions<'a> {
    /// The lens of the scope, for the manifest.
    pub lens: &'a Lens,
    /// Which shard; nothing for a data set that is sealed at once.
    pub shard: Option<Shard>,
    /// A new file begins when one has this many bytes.
    pub file_bytes: u64,
}

impl DatasetOptions<'_> {
    /// How long files become by default: 128 MB.
    pub const FILE_BYTES: u64 = 128_000_000;
}

/// Writes what a scope shows of a store into the folder `out` as a data set, or one shard of it.
/// The whole appears when it is complete. Shards may be written at the same time, and one that was
/// interrupted may be written again. Entities are whole, also where they reach out of the window.
pub fn export_dataset(
    store: Arc<Store>,
    scope: &Scope<'_>,
    options: &DatasetOptions<'_>,
    out: &Path,
) -> Result<ExportReport> {
    let source = source(&store, scope, options.lens);
    let (folder, shard) = match options.shard {
        Some(shard) => {
            prepare(out, shard, &source)?;
            (None, shard)
        }
        None => (Some(vacant(out)?), Shard::WHOLE),
    };
    let at = folder.as_ref().map_or(out, Unfinished::path);
    make_folders(at)?;
    let trace = Arc::new(Trace::new(store));
    let file_bytes = options.file_bytes;
    let mut writing = Writing { trace, scope, folder: at, shard, file_bytes, files: Vec::new() };
    writing.all()?;
    let mut files = writing.files;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let report = ExportReport {
        files: files.len() as u64,
        rows: files.iter().map(|file| file.rows).sum(),
        bytes: files.iter().map(|file| file.bytes).sum(),
    };
    let (schema, number, of) = (PART_SCHEMA.to_owned(), shard.number(), shard.of());
    let part = Part { schema, source, shard: number, shards: of, files };
    write_text(&LocalFolder::new(&at.join(PARTS)), &Part::file_name(number, of), &part)?;
    if let Some(folder) = folder {
        seal(&LocalFolder::new(folder.path()))?;
        folder.finish(out).map_err(failed(out))?;
    }
    Ok(report)
}

fn source(store: &Store, scope: &Scope<'_>, lens: &Lens) -> Source {
    let (facts, window) = (&store.catalog().facts, scope.window());
    Source {
        store: store.identity().to_string(),
        lens: serde_json::from_str(&lens.to_json()).unwrap_or_default(),
        from_tick: (window.from != Ticks::MIN).then_some(window.from),
        to_tick: (window.to != Ticks::MAX).then_some(window.to),
        begin: facts.start,
        end: facts.end,
        ticks_per_unit: facts.unit.ticks_per_unit,
        unit: facts.unit.name.clone(),
        unit_assumed: facts.unit.assumed,
        lost: facts.lost,
    }
}

/// A shard on its way.
struct Writing<'a> {
    trace: Arc<Trace>,
    scope: &'a Scope<'a>,
    folder: &'a Path,
    shard: Shard,
    file_bytes: u64,
    files: Vec<FileEntry>,
}

impl Writing<'_> {
    fn all(&mut self) -> Result<()> {
        let trace = || Arc::clone(&self.trace);
        let tables = [
            CatalogTable::containers(trace()),
            CatalogTable::types(trace()),
            CatalogTable::type_values(trace()),
            CatalogTable::diagnostics(trace()),
        ];
        if self.shard.is_first() {
            tables.iter().try_for_each(|table| self.catalog_table(table))?;
        }
        [Nature::State, Nature::Link, Nature::Event, Nature::Variable]
            .into_iter()
            .try_for_each(|nature| self.entities(nature))
    }

    fn kind<'k>(&'k self, table: &'k dyn Table, of: Option<TypeId>) -> Kind<'k> {
        let catalog = self.trace.catalog();
        let name = |id: TypeId| display_text(&catalog.type_def(id).name).into_owned();
        Kind {
            folder: self.folder,
            table: table.name(),
            schema: table.schema(),
            stem: of.map(|id| type_stem(catalog, id)),
            type_name: of.map(name),
            shard: self.shard,
            file_bytes: self.file_bytes,
        }
    }

    fn catalog_table(&mut self, table: &CatalogTable) -> Result<()> {
        let mut files = Files::new(self.kind(table, None));
        let mut collector = table.collect(&all_columns(table));
        for (block, _) in seen_blocks(table, None, 0) {
            collector.add(0, block)?;
            let rows =
                batch(table.schema(), &mut *collector).map_err(|error| self.engine(error))?;
            files.write(&rows).map_err(write_error)?;
        }
        let written = files.finish_with_columns().map_err(write_error)?;
        self.files.extend(written);
        Ok(())
    }

    fn entities(&mut self, nature: Nature) -> Result<()> {
        let table = EntityTable::new(Arc::clone(&self.trace), nature);
        let before = self.files.len();
        for (type_id, lanes) in lanes_by_type(&table, self.scope) {
            let written = self.of_type(&table, type_id, &lanes)?;
            self.files.extend(written);
        }
        if self.files.len() == before && self.shard.is_first() {
            let kind = Kind { stem: Some("none".to_owned()), ..self.kind(&table, None) };
            let written = Files::new(kind).finish_with_columns().map_err(write_error)?;
            self.files.extend(written);
        }
        Ok(())
    }

    /// Writes the entities of a type. Lanes come in order of their containers.
    fn of_type(
        &self,
        table: &EntityTable,
        type_id: TypeId,
        lanes: &[u32],
    ) -> Result<Vec<FileEntry>> {
        let mut files = Files::new(self.kind(table, Some(type_id)));
        let mut sorter = Sorter::new(table.schema());
        let mut collector = table.collect(&all_columns(table));
        let mut write = |collector: &mut dyn Collect, sorter: &mut Sorter, until: Option<Key>| {
            let rows = batch(table.schema(), collector).map_err(|error| self.engine(error))?;
            let rows = seen(self.scope, Some(type_id), rows).map_err(|error| self.engine(error))?;
            let rows = sorter.add(rows, until).map_err(|error| self.engine(error))?;
            files.write(&rows).map_err(write_error)
        };
        let container = |lane: u32| self.trace.catalog().lane(LaneId(lane)).container.0;
        for track in lanes.chunk_by(|&a, &b| container(a) == container(b)) {
            let blocks = self.blocks(table, track);
            for (at, &(key, lane, block)) in blocks.iter().enumerate() {
                collector.add(lane, block)?;
                if collector.n_rows() >= BATCH_ROWS.max(sorter.n_held()) {
                    let next = blocks.get(at + 1).map(|&(key, ..)| key);
                    let until = next.unwrap_or((key.0, Ticks::MAX, u16::MAX));
                    write(&mut *collector, &mut sorter, Some(until))?;
                }
            }
        }
        write(&mut *collector, &mut sorter, None)?;
        files.finish().map_err(write_error)
    }

    /// The blocks of a container that are seen and are this shard's, in order of their first times.
    fn blocks(&self, table: &EntityTable, lanes: &[u32]) -> Vec<(Key, u32, u32)> {
        let mut blocks = Vec::new();
        for &lane in lanes {
            let of = self.trace.catalog().lane(LaneId(lane));
            let by_block = table.nature() == Some(Nature::Link);
            if !by_block && !self.shard.holds(of.container.0) {
                continue;
            }
            let own = seen_blocks(table, Some(self.scope), lane)
                .filter(|&(block, _)| !by_block || self.shard.holds(block));
            blocks.extend(
                own.map(|(block, extent)| ((of.container.0, extent.first, of.depth), lane, block)),
            );
        }
        blocks.sort_unstable();
        blocks
    }

    fn engine(&self, error: ArrowError) -> ExportError {
        failed(self.folder)(io::Error::other(error))
    }
}

fn all_columns(table: &dyn Table) -> Vec<usize> {
    (0..table.schema().fields().len()).collect()
}

fn write_error((path, error): Failed) -> ExportError {
    ExportError::Write(path, error)
}
