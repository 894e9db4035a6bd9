use std::{
    collections::BTreeMap,
    fmt,
    fs::File,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use onca_model::{Catalog, LaneId, Nature, ValueId};

use crate::{
    Change, Counts, DATA, Fingerprint, Freshness, INDEX, MANIFEST, Scrutiny, StoreError, StoreLock,
    TABLES, Tracks, ValueOrder,
    error::{Result, damaged, io_error},
    folder::workspace::{Workspace, clean_up, folder_of, remove_store, write_manifest},
    format::block::{
        Bounds, Parsed, cold,
        event::EventBlock,
        link::LinkBlock,
        pair::{ChainBlock, PairBlock},
        state::StateBlock,
        sums::UnpackedSums,
        variable::VariableBlock,
    },
    format::directory::{
        BlockEntry, Directory, Kind, SMALL_ROWS, Section, data_seal, decode_directory,
    },
    format::manifest::Manifest,
    format::pages::{Seal, read_pages},
    format::tables::decode_catalog,
    read::data_file::{Chunk, DataReader},
    read::derived::Derivations,
    read::progress::Progress,
};

/// The bound of the block cache, unless another is given.
pub const DEFAULT_CACHE_BYTES: usize = 256 << 20;

/// An open store. All questions take `&self` and may be asked from many threads.
///
/// A window is half open. An entity *touches* it as [`Window::touches`](onca_model::Window) says, an instant
/// occupying its own tick; time in it is [`Window::overlap`](onca_model::Window::overlap).
pub struct Store {
    catalog: Arc<Catalog>,
    contents: Arc<Contents>,
    stop: Option<Arc<AtomicBool>>,
    progress: Option<Arc<Progress>>,
}

/// What is read once, however many ask.
struct Contents {
    dir: PathBuf,
    manifest: Manifest,
    manifest_bytes: u64,
    directory: Directory,
    data: DataReader,
    tracks: OnceLock<Tracks>,
    order: OnceLock<Arc<ValueOrder>>,
    derivations: Derivations,
    identity: StoreIdentity,
    has_pair_index: bool,
}

/// Tells stores apart by their content: what was learned from one is true of every store with the
/// same identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StoreIdentity([Seal; 3]);

impl fmt::Display for StoreIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([tables, index, data]) = self;
        for (before, seal) in [("", tables), ("-", index), ("-", data)] {
            write!(f, "{before}{:x}.{:08x}", seal.bytes, seal.crc)?;
        }
        Ok(())
    }
}

/// What [`Store::verify`] has read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VerifyReport {
    /// Chunks of the data file.
    pub chunks: u64,
    /// Blocks in them.
    pub blocks: u64,
    /// Rows of all lanes.
    pub rows: u64,
    /// Length of the data file.
    pub bytes: u64,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("dir", &self.contents.dir)
            .field("counts", &self.counts())
            .finish()
    }
}

impl Store {
    /// Opens the store in `dir`, reading and checking all but the data file.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_with_cache(dir, DEFAULT_CACHE_BYTES)
    }

    /// Opens a store that keeps at most `cache_bytes` of blocks in memory.
    pub fn open_with_cache(dir: &Path, cache_bytes: usize) -> Result<Self> {
        clean_up(dir);
        let (mut manifest, manifest_bytes) = Manifest::read(dir)?;
        manifest.source = manifest.source.absolute_from(&folder_of(dir));
        let (tables, index) = (manifest.seal(TABLES)?, manifest.seal(INDEX)?);
        let (catalog, directory) = rayon::join(
            || decode_catalog(&read_pages(&dir.join(TABLES), tables)?),
            || decode_directory(&read_pages(&dir.join(INDEX), index)?),
        );
        let (catalog, directory) = (catalog?, directory?);
        if directory.lanes.len() != catalog.lanes.len() {
            return Err(damaged("the tables and the index have different lanes"));
        }
        let seal = data_seal(&directory.chunks);
        if seal != manifest.seal(DATA)? {
            return Err(damaged("the index is not that of the data file"));
        }
        let identity = StoreIdentity([tables, index, seal]);
        let contents = Contents {
            dir: dir.to_owned(),
            manifest,
            manifest_bytes,
            data: open_data(dir, data_seal(&directory.chunks).bytes, cache_bytes)?,
            directory,
            tracks: OnceLock::new(),
            order: OnceLock::new(),
            derivations: Derivations::default(),
            identity,
            has_pair_index: true,
        };
        Ok(Self {
            catalog: Arc::new(catalog),
            contents: Arc::new(contents),
            stop: None,
            progress: None,
        })
    }

    /// A store whose files are not in its folder, without an index of pairs.
    pub(super) fn unfinished(
        dir: PathBuf,
        manifest: Manifest,
        catalog: Catalog,
        directory: Directory,
        data: DataReader,
    ) -> Result<Self> {
        let seal = |file| manifest.seal(file);
        let identity = StoreIdentity([seal(TABLES)?, seal(INDEX)?, seal(DATA)?]);
        let contents = Contents {
            dir,
            manifest,
            manifest_bytes: 0,
            directory,
            data,
            tracks: OnceLock::new(),
            order: OnceLock::new(),
            derivations: Derivations::default(),
            identity,
            has_pair_index: false,
        };
        let (catalog, contents) = (Arc::new(catalog), Arc::new(contents));
        Ok(Self { catalog, contents, stop: None, progress: None })
    }

    /// The same store for a question that may be stopped: once the flag is set, whatever still has
    /// to be read fails with [`StoreError::Stopped`].
    pub fn stoppable(&self, stop: Arc<AtomicBool>) -> Self {
        Self {
            catalog: Arc::clone(&self.catalog),
            contents: Arc::clone(&self.contents),
            stop: Some(stop),
            progress: self.progress.clone(),
        }
    }

    /// The same store for a question that somebody watches.
    pub fn watched(&self, progress: Arc<Progress>) -> Self {
        Self {
            catalog: Arc::clone(&self.catalog),
            contents: Arc::clone(&self.contents),
            stop: self.stop.clone(),
            progress: Some(progress),
        }
    }

    /// Who watches the question at hand, if somebody does.
    pub fn progress(&self) -> Option<&Progress> {
        self.progress.as_deref()
    }

    /// Where everything is.
    pub(crate) fn directory(&self) -> &Directory {
        &self.contents.directory
    }

    /// Are links of pairs found without a look at all links?
    pub(crate) fn has_pair_index(&self) -> bool {
        self.contents.has_pair_index
    }

    /// What was worked out from it.
    pub(super) fn derivations(&self) -> &Derivations {
        &self.contents.derivations
    }

    /// What makes the directory a store.
    pub(super) fn manifest(&self) -> &Manifest {
        &self.contents.manifest
    }

    /// Fails if nobody wants the answer any more: for work that takes long between questions.
    pub fn go_on(&self) -> Result<()> {
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(StoreError::Stopped),
            _ => Ok(()),
        }
    }

    /// Opens the store in `dir` if its source is still what it was made from.
    pub fn open_fresh(dir: &Path) -> Result<Self> {
        let store = Self::open(dir)?;
        let (freshness, news) = store.source().look_again(Scrutiny::Quick)?;
        if let Some(news) = news {
            // Without it the content of the source is compared at the next opening too.
            let _ = store.remember_source(&news);
        }
        match freshness {
            Freshness::Changed(why) => Err(StoreError::Stale { why }),
            Freshness::Missing(path) => {
                Err(StoreError::Stale { why: format!("{} is gone", path.display()) })
            }
            Freshness::Fresh | Freshness::Unknown => Ok(store),
        }
    }

    /// Writes into the manifest what the file system tells now of a source that is still the same.
    fn remember_source(&self, news: &Fingerprint) -> Result<()> {
        let dir = self.dir();
        let owner = std::fs::metadata(dir).map_err(io_error(format!("read {}", dir.display())))?;
        if owner.uid() != rustix::process::geteuid().as_raw() {
            return Ok(());
        }
        let lock = StoreLock::acquire(dir, false)?;
        // Another process may have built another store here.
        let (manifest, _) = Manifest::read(dir)?;
        let folder = folder_of(dir);
        let same = manifest.files == self.contents.manifest.files
            && manifest.source.clone().absolute_from(&folder) == *self.source();
        if !same {
            return Ok(());
        }
        let source = news.clone().relative_to(&folder);
        let text = Manifest { source, ..manifest }.to_text()?;
        let path = dir.join(MANIFEST);
        let fail = || io_error(format!("write {}", path.display()));
        let mode = std::fs::metadata(&path).map_err(fail())?.permissions().mode();
        let mut workspace = Workspace::create(lock, mode)?;
        write_manifest(&mut workspace, &text, news.looked_ns)?;
        std::fs::rename(workspace.path(MANIFEST), &path).map_err(fail())
    }

    /// Removes the store in `dir`, and nothing else that may be there.
    pub fn remove(dir: &Path) -> Result<()> {
        clean_up(dir);
        match Manifest::read(dir) {
            Err(error @ (StoreError::NotAStore { .. } | StoreError::DataSet { .. })) => Err(error),
            _ => remove_store(dir),
        }
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.contents.dir
    }

    /// What tells it from stores with another content.
    pub fn identity(&self) -> StoreIdentity {
        self.contents.identity
    }

    /// What the trace declares.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// How many of each it has.
    pub fn counts(&self) -> Counts {
        self.contents.manifest.counts
    }

    /// The program that wrote it.
    pub fn creator(&self) -> &str {
        &self.contents.manifest.creator
    }

    /// What the builder was asked to remember.
    pub fn facts(&self) -> &BTreeMap<String, String> {
        &self.contents.manifest.facts
    }

    /// What was done to times on the way from the sources, first to last.
    pub fn changes(&self) -> &[Change] {
        &self.contents.manifest.changes
    }

    /// The source it was made from.
    pub fn source(&self) -> &Fingerprint {
        &self.contents.manifest.source
    }

    /// Compares the source with what it is now.
    pub fn freshness(&self, scrutiny: Scrutiny) -> Result<Freshness> {
        self.contents.manifest.source.freshness(scrutiny)
    }

    /// Length of all files.
    pub fn bytes(&self) -> u64 {
        let files = self.contents.manifest.files.values().map(|seal| seal.bytes).sum::<u64>();
        files + self.contents.manifest_bytes
    }

    /// The same store with another name for the unit of time: what the user knows better.
    pub fn with_unit(mut self, name: &str) -> Self {
        let unit = &mut Arc::make_mut(&mut self.catalog).facts.unit;
        name.clone_into(&mut unit.name);
        unit.assumed = false;
        self
    }

    /// The tracks: lanes by container and type.
    pub fn tracks(&self) -> &Tracks {
        self.contents.tracks.get_or_init(|| Tracks::new(&self.catalog.lanes))
    }

    /// The order of values by time, once that is known.
    pub(crate) fn known_order(&self) -> &OnceLock<Arc<ValueOrder>> {
        &self.contents.order
    }

    /// How many rows a lane has; 0 if there is no such lane.
    pub fn n_rows(&self, lane: LaneId) -> u64 {
        self.directory().n_rows(lane.0)
    }

    /// Reads and checks every chunk, and every block in it.
    pub fn verify(&self) -> Result<VerifyReport> {
        self.check_cover()?;
        let mut report = VerifyReport {
            bytes: data_seal(&self.directory().chunks).bytes,
            ..VerifyReport::default()
        };
        let mut blocks: Vec<_> = self
            .directory()
            .all()
            .flat_map(|(lane, section, blocks)| blocks.iter().map(move |b| (lane, section, b)))
            .collect();
        blocks.sort_by_key(|(_, _, block)| (block.chunk, block.offset));
        let mut rest = blocks.as_slice();
        for (number, entry) in self.directory().chunks.iter().enumerate() {
            let chunk = self.contents.data.read(entry)?;
            let n = rest.partition_point(|(_, _, block)| block.chunk as usize <= number);
            let (own, after) = rest.split_at(n);
            rest = after;
            for &(lane, section, block) in own {
                self.check_block(&chunk, lane, section, block)?;
            }
            report.chunks += 1;
        }
        report.blocks = self.directory().n_blocks() as u64;
        let lanes = 0..self.directory().lanes.len() as u32;
        report.rows = lanes.map(|lane| self.directory().n_rows(lane)).sum();
        Ok(report)
    }

    /// Checks that the chunks cover the data file, each byte once.
    fn check_cover(&self) -> Result<()> {
        let mut chunks: Vec<_> = self.directory().chunks.iter().collect();
        chunks.sort_by_key(|chunk| (chunk.offset, chunk.len));
        let mut next = 0;
        for chunk in chunks {
            if chunk.offset != next {
                return Err(damaged("the chunks do not cover the data file"));
            }
            next += u64::from(chunk.len);
        }
        Ok(())
    }

    fn check_block(
        &self,
        chunk: &Chunk,
        lane: u32,
        section: Section,
        block: &BlockEntry,
    ) -> Result<()> {
        match section {
            Section::Cold => cold::visit(chunk.content(), block, |_, _| ()),
            Section::Sums => {
                UnpackedSums::default().read(chunk.padded(), block, self.bounds(), |id| id)
            }
            _ => self.parse(chunk.padded(), lane, section, block).map(drop),
        }
    }

    /// What ids may be.
    fn bounds(&self) -> Bounds {
        Bounds {
            n_values: self.catalog.values.len() as u32,
            n_containers: self.catalog.containers.len() as u32,
        }
    }

    /// The blocks of a lane's rows, if it is a lane of this nature.
    pub(crate) fn rows_of(&self, lane: LaneId, nature: Nature) -> Result<&[BlockEntry]> {
        self.go_on()?;
        let kind = match self.directory().lanes.get(lane.index()) {
            Some(entry) => entry.kind,
            None => return Err(StoreError::NoSuch { what: format!("lane {}", lane.0) }),
        };
        let fits = match kind {
            Kind::Empty => true,
            Kind::State | Kind::Nested => nature == Nature::State,
            Kind::Variable => nature == Nature::Variable,
            Kind::Event => nature == Nature::Event,
            Kind::Link => nature == Nature::Link,
        };
        if !fits {
            return Err(StoreError::NoSuch { what: format!("{} lane {}", nature.name(), lane.0) });
        }
        Ok(self.directory().blocks(lane.0, Section::Rows))
    }

    pub(crate) fn chunk(&self, block: &BlockEntry) -> Result<Arc<Chunk>> {
        self.go_on()?;
        let entry = &self.directory().chunks[block.chunk as usize];
        self.contents.data.chunk(block.chunk, entry)
    }

    /// A block of states for a reader that meets each block once. Unless it is to be kept, it is
    /// read into `buffer`, and the cache stays as it is.
    pub(crate) fn passing_state_block<'b>(
        &self,
        lane: LaneId,
        block: &BlockEntry,
        keep: bool,
        buffer: &'b mut Vec<u8>,
    ) -> Result<Passing<'b, StateBlock>> {
        // Small blocks share a chunk, and the next reader wants its neighbour.
        if keep || block.n_rows < SMALL_ROWS as u32 || self.contents.data.holds(block.chunk) {
            return Ok(Passing::Held(self.state_block(lane, block)?));
        }
        let bytes =
            self.contents.data.read_into(&self.directory().chunks[block.chunk as usize], buffer)?;
        let parsed = StateBlock::parse(bytes, block, self.bounds())?;
        Ok(Passing::Read { bytes, parsed })
    }

    /// Reads sums, with the places of values in an order.
    pub(crate) fn read_sums(
        &self,
        block: &BlockEntry,
        order: &ValueOrder,
        sums: &mut UnpackedSums,
    ) -> Result<()> {
        let chunk = self.chunk(block)?;
        sums.read(chunk.padded(), block, self.bounds(), |id| order.place(ValueId(id)))
    }

    fn parse(
        &self,
        bytes: &[u8],
        lane: u32,
        section: Section,
        block: &BlockEntry,
    ) -> Result<Parsed> {
        let bounds = self.bounds();
        Ok(match (section, self.directory().lanes.get(lane as usize).map(|lane| lane.kind)) {
            (Section::Pairs, _) => Parsed::Pair(Arc::new(PairBlock::parse(bytes, block)?)),
            (Section::Chains, _) => {
                let entries = self.directory().blocks(lane, Section::Pairs);
                let n = entries.last().map_or(0, |last| last.rows_before + u64::from(last.n_rows));
                Parsed::Chain(Arc::new(ChainBlock::parse(bytes, block, bounds, n)?))
            }
            (_, Some(Kind::State | Kind::Nested)) => {
                Parsed::State(Arc::new(StateBlock::parse(bytes, block, bounds)?))
            }
            (_, Some(Kind::Variable)) => {
                Parsed::Variable(Arc::new(VariableBlock::parse(bytes, block)?))
            }
            (_, Some(Kind::Event)) => {
                Parsed::Event(Arc::new(EventBlock::parse(bytes, block, bounds)?))
            }
            (_, Some(Kind::Link)) => {
                Parsed::Link(Arc::new(LinkBlock::parse(bytes, block, bounds)?))
            }
            _ => return Err(damaged("a block is of no known kind")),
        })
    }

    fn load(
        &self,
        lane: u32,
        section: Section,
        block: &BlockEntry,
    ) -> Result<(Arc<Chunk>, Parsed)> {
        let chunk = self.chunk(block)?;
        if block.offset == 0
            && let Some(parsed) = chunk.head.get()
        {
            let parsed = parsed.clone();
            return Ok((chunk, parsed));
        }
        let parsed = self.parse(chunk.padded(), lane, section, block)?;
        if block.offset == 0 {
            let _ = chunk.head.set(parsed.clone());
        }
        Ok((chunk, parsed))
    }
}

/// Opens the data file, which must have this many bytes.
fn open_data(dir: &Path, bytes: u64, cache_bytes: usize) -> Result<DataReader> {
    let path = dir.join(DATA);
    let file = File::open(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => damaged("data.bin is missing"),
        _ => io_error(format!("open {}", path.display()))(error),
    })?;
    let data = DataReader::new(file, cache_bytes);
    let length = data.length().map_err(io_error(format!("read {}", path.display())))?;
    if length != bytes {
        return Err(damaged("data.bin has the wrong length"));
    }
    Ok(data)
}

macro_rules! loaders {
    ($($name:ident $variant:ident $block:ty, $section:ident;)*) => {
        impl Store {
            $(pub(crate) fn $name(
                &self,
                lane: LaneId,
                block: &BlockEntry,
            ) -> Result<Held<$block>> {
                match self.load(lane.0, Section::$section, block)? {
                    (chunk, Parsed::$variant(parsed)) => Ok(Held { chunk, parsed }),
                    _ => Err(damaged("a block is of another kind than its lane")),
                }
            })*
        }
    };
}

loaders! {
    state_block State StateBlock, Rows;
    variable_block Variable VariableBlock, Rows;
    event_block Event EventBlock, Rows;
    link_block Link LinkBlock, Rows;
    pair_block Pair PairBlock, Pairs;
    chain_block Chain ChainBlock, Chains;
}

/// A parsed block and the bytes it refers to.
pub(crate) struct Held<T> {
    chunk: Arc<Chunk>,
    parsed: Arc<T>,
}

impl<T> Clone for Held<T> {
    fn clone(&self) -> Self {
        Self { chunk: Arc::clone(&self.chunk), parsed: Arc::clone(&self.parsed) }
    }
}

impl<T> Held<T> {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.chunk.padded()
    }
}

/// A parsed block on its way through: shared with the cache, or read for this use only.
pub(crate) enum Passing<'b, T> {
    Held(Held<T>),
    Read { bytes: &'b [u8], parsed: T },
}

impl<T> Passing<'_, T> {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Held(held) => held.bytes(),
            Self::Read { bytes, .. } => bytes,
        }
    }
}

impl<T> std::ops::Deref for Passing<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Held(held) => held,
            Self::Read { parsed, .. } => parsed,
        }
    }
}

impl<T> std::ops::Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.parsed
    }
}

/// The last of `blocks` that begins before `time`.
pub(crate) fn last_before(blocks: &[BlockEntry], time: i64) -> Option<usize> {
    blocks.partition_point(|block| block.first < time).checked_sub(1)
}

/// The block that holds a row, and the row's place in it.
pub(crate) fn holder(blocks: &[BlockEntry], row: u64) -> Option<(&BlockEntry, usize)> {
    let index = blocks.partition_point(|block| block.rows_before <= row).checked_sub(1)?;
    let block = &blocks[index];
    let place = row - block.rows_before;
    (place < u64::from(block.n_rows)).then_some((block, place as usize))
}
