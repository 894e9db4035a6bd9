use std::{collections::BTreeMap, fs::File, path::Path};

use onca_model::Catalog;

use crate::{
    Change, DATA, Fingerprint, INDEX, MAGIC, StoreLock, TABLES, VERSION,
    build::block_writer::BlockWriter,
    build::data_writer::DataWriter,
    build::pair_index::PairSorter,
    build::preview::Preview,
    build::rows::{RowWriter, Written},
    build::runs::RunFile,
    error::{Result, io_error},
    folder::workspace::{Workspace, folder_of, write_manifest},
    format::directory::data_seal,
    format::manifest::{Counts, Manifest},
    format::pages::{Seal, write_pages},
    format::tables::encode_catalog,
};

/// How a store is built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The memory that the builder may take, apart from about 60 bytes a lane.
    pub memory_bytes: usize,
    /// The mode of the source file: the files of the store get no wider one. Without it, only
    /// the owner can read them.
    pub source_mode: Option<u32>,
    /// Wait for another builder of the same store, or fail with [`StoreError::Locked`](crate::StoreError::Locked).
    pub wait: bool,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { memory_bytes: 512 << 20, source_mode: None, wait: false }
    }
}

/// What was built.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BuildReport {
    /// Length of all files.
    pub bytes: u64,
    /// Rows of all lanes.
    pub rows: u64,
    /// Blocks, those of indexes and texts included.
    pub blocks: u64,
    /// Time spent waiting for the disk.
    pub fsync_seconds: f64,
    /// What the store has.
    pub counts: Counts,
}

/// Takes finished entities and makes a store of them. Nothing is seen of it until
/// [`finish`](Self::finish) has succeeded; dropped before, it leaves nothing.
pub struct StoreBuilder {
    rows: RowWriter,
    workspace: Workspace,
}

impl StoreBuilder {
    /// Begins a store that will be `final_dir`, in a temporary directory beside it.
    pub fn create(final_dir: &Path, options: &BuildOptions) -> Result<Self> {
        Self::with_lock(StoreLock::acquire(final_dir, options.wait)?, options)
    }

    /// Begins the store whose lock is held.
    pub fn with_lock(lock: StoreLock, options: &BuildOptions) -> Result<Self> {
        let workspace = Workspace::create(lock, options.source_mode.unwrap_or(0o600))?;
        let data = DataWriter::new(workspace.create_file(DATA)?, workspace.path(DATA))?;
        let pairs = PairSorter::new(workspace.path("pairs.tmp"), options.memory_bytes / 8);
        let log = RunFile::new(workspace.path("rows.tmp"));
        // Growing buffers may be half empty.
        let most_buffered = options.memory_bytes / 4;
        let rows = RowWriter::new(BlockWriter::new(data, pairs), log, most_buffered);
        Ok(Self { rows, workspace })
    }

    /// Writes what is pending, when no more rows will come. [`finish`](Self::finish) does it too;
    /// whoever has something else to do for it can do that meanwhile.
    pub fn settle(&mut self) -> Result<()> {
        self.rows.settle()
    }

    /// A look at the store in the making. It takes the rows that would come if the trace ended here; this
    /// builder gets none of them, and goes on. It costs about what the pending rows and the tables take.
    pub fn preview(&mut self) -> Result<Preview> {
        let path = self.workspace.path("preview.tmp");
        let fail = || io_error(format!("create {}", path.display()));
        let mut options = File::options();
        let tail = options.read(true).write(true).create_new(true).open(&path).map_err(fail())?;
        // It has no name any more when it is used: it goes when nobody looks at it.
        std::fs::remove_file(&path).map_err(fail())?;
        let data = self.workspace.path(DATA);
        let base = File::open(&data).map_err(io_error(format!("open {}", data.display())))?;
        let rows = self.rows.fork(tail)?;
        let store = self.workspace.store().to_owned();
        Ok(Preview { base_length: self.rows.data_length(), base, rows, store })
    }

    /// Writes what is pending, the tables and the manifest, and puts the store in its place.
    /// `facts` are kept in the manifest for the caller.
    pub fn finish(
        self,
        catalog: &Catalog,
        source: &Fingerprint,
        facts: &BTreeMap<String, String>,
    ) -> Result<BuildReport> {
        self.finish_changed(catalog, source, facts, Vec::new())
    }

    /// The same for a store whose times are not those of its source.
    pub(crate) fn finish_changed(
        self,
        catalog: &Catalog,
        source: &Fingerprint,
        facts: &BTreeMap<String, String>,
        changes: Vec<Change>,
    ) -> Result<BuildReport> {
        let Self { rows, mut workspace } = self;
        let Written { file, chunks, index, counts, n_blocks } = rows.end(catalog)?;
        let source = source.clone().relative_to(&folder_of(workspace.store()));
        let mut manifest = new_manifest(counts, source, facts.clone(), changes);
        let files = &mut manifest.files;
        workspace.seal_file(&file, DATA)?;
        files.insert(DATA.to_owned(), data_seal(&chunks));
        let seal = write_table(&mut workspace, INDEX, &index)?;
        files.insert(INDEX.to_owned(), seal);
        let seal = write_table(&mut workspace, TABLES, &encode_catalog(catalog))?;
        files.insert(TABLES.to_owned(), seal);
        let text = manifest.to_text()?;
        write_manifest(&mut workspace, &text, manifest.source.looked_ns)?;
        let bytes = manifest.files.values().map(|seal| seal.bytes).sum::<u64>();
        Ok(BuildReport {
            bytes: bytes + text.len() as u64,
            rows: counts.states + counts.variables + counts.events + counts.links,
            blocks: n_blocks,
            fsync_seconds: workspace.commit()?,
            counts,
        })
    }
}

/// The manifest of a store that this version writes, without its files.
pub(crate) fn new_manifest(
    counts: Counts,
    source: Fingerprint,
    facts: BTreeMap<String, String>,
    changes: Vec<Change>,
) -> Manifest {
    Manifest {
        magic: MAGIC.to_owned(),
        version: VERSION,
        features: Vec::new(),
        creator: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned(),
        counts,
        files: BTreeMap::new(),
        source,
        facts,
        changes,
    }
}

crate::build::rows::rows_to_writer!(StoreBuilder);

fn write_table(workspace: &mut Workspace, name: &str, raw: &[u8]) -> Result<Seal> {
    let file = workspace.create_file(name)?;
    let (file, seal) = write_pages(&workspace.path(name), file, raw)?;
    workspace.seal_file(&file, name)?;
    Ok(seal)
}
