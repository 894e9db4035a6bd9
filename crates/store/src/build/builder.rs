use std::{cmp::Reverse, collections::BTreeMap, path::Path};

use onca_model::{
    Catalog, ContainerId, EntitySink, EventRow, LaneId, LinkRow, Nature, StateRow, Ticks, ValueId,
    VariableRow,
};

use crate::{
    Change, DATA, Fingerprint, INDEX, MAGIC, StoreLock, TABLES, VERSION, ValueOrder,
    build::block_writer::{BlockWriter, COLD_BLOCK, Flush},
    build::data_writer::DataWriter,
    build::lane_buffer::{LaneBuffer, row_size},
    build::pair_index::{PairSorter, write_pair_index},
    build::row_log::{Pieces, piece_header},
    build::runs::RunFile,
    error::{Result, StoreError, bad_input},
    folder::workspace::{Workspace, folder_of, write_manifest},
    format::block::{cold::Texts, event, link::BareLink, state, variable},
    format::directory::{Kind, PlacedBlock, Section, data_seal, encode_directory},
    format::manifest::{Counts, Manifest},
    format::pages::{Seal, write_pages},
    format::tables::{check_catalog, encode_catalog},
};

/// Lanes with fewer pending rows are logged, not flushed, when memory is short: a store of tiny
/// blocks would be larger than the trace.
const MIN_FLUSH_ROWS: usize = 256;

/// How a store is built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The memory that the builder may take, apart from about 60 bytes a lane.
    pub memory_bytes: usize,
    /// The mode of the source file: the files of the store get no wider one. Without it, only
    /// the owner can read them.
    pub source_mode: Option<u32>,
    /// Wait for another builder of the same store, or fail with [`StoreError::Locked`].
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
    lanes: Vec<LaneBuffer>,
    /// Bytes of pending rows and texts.
    buffered: usize,
    /// Bytes at which pending rows are flushed or logged.
    most_buffered: usize,
    writer: BlockWriter,
    log: RunFile,
    workspace: Workspace,
    /// Nothing is pending, and no more rows may come.
    settled: bool,
    /// An error was returned: rows are missing.
    failed: bool,
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
        Ok(Self {
            lanes: Vec::new(),
            buffered: 0,
            // Growing buffers may be half empty.
            most_buffered: options.memory_bytes / 4,
            writer: BlockWriter::new(data, pairs),
            log,
            workspace,
            settled: false,
            failed: false,
        })
    }

    /// Writes what is pending, when no more rows will come. [`finish`](Self::finish) does it too;
    /// whoever has something else to do for it can do that meanwhile.
    pub fn settle(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.settled, true) {
            return Ok(());
        }
        let result = self
            .finish_lanes()
            .and_then(|()| write_pair_index(&mut self.writer))
            .and_then(|()| self.writer.close());
        self.note(result)
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
        mut self,
        catalog: &Catalog,
        source: &Fingerprint,
        facts: &BTreeMap<String, String>,
        changes: Vec<Change>,
    ) -> Result<BuildReport> {
        if self.failed {
            return Err(bad_input("rows were lost to an error before"));
        }
        self.check_lanes(catalog)?;
        self.settle()?;
        if self.lanes.iter().any(|lane| !lane.rows.is_empty()) {
            return Err(bad_input("rows came after the last"));
        }
        self.check_ids(catalog)?;
        let counts = self.counts(catalog);
        let lanes = self.lane_kinds(catalog);
        let mut manifest = Manifest {
            magic: MAGIC.to_owned(),
            version: VERSION,
            features: Vec::new(),
            creator: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned(),
            counts,
            files: BTreeMap::new(),
            source: source.clone().relative_to(&folder_of(self.workspace.store())),
            facts: facts.clone(),
            changes,
        };
        let order = self.order_by_time(catalog);
        let Self { mut workspace, writer, lanes: buffers, .. } = self;
        drop(buffers);
        let files = &mut manifest.files;
        let BlockWriter { data, placed: pieces, ranges, .. } = writer;
        let mut placed = pieces.to_vec();
        drop(pieces);
        let (file, chunks) = data.finish()?;
        workspace.seal_file(&file, DATA)?;
        files.insert(DATA.to_owned(), data_seal(&chunks));
        sort_blocks(&mut placed);
        let index = encode_directory(&chunks, &lanes, &placed, &ranges, &order);
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
            blocks: placed.len() as u64,
            fsync_seconds: workspace.commit()?,
            counts,
        })
    }

    /// The values by the time that they have in the whole trace, for a long trace.
    fn order_by_time(&self, catalog: &Catalog) -> Vec<ValueId> {
        let Some(times) = self.writer.times() else { return Vec::new() };
        let time = |value: ValueId| times.get(value.index()).copied().unwrap_or(0);
        let order = ValueOrder::by_key(catalog.values.len(), |value| Reverse(time(value)));
        order.values().to_vec()
    }

    /// Remembers a failure, so that no store is made of half the rows.
    fn note<T>(&mut self, result: Result<T>) -> Result<T> {
        self.failed |= result.is_err();
        result
    }

    fn lane(&mut self, id: LaneId) -> &mut LaneBuffer {
        if id.index() >= self.lanes.len() {
            self.lanes.resize_with(id.index() + 1, LaneBuffer::new);
        }
        &mut self.lanes[id.index()]
    }

    /// The lane, if it may take a row of `kind` from `start` to `end`.
    fn checked_lane(
        &mut self,
        id: LaneId,
        kind: Kind,
        start: Ticks,
        end: Ticks,
    ) -> Result<&mut LaneBuffer> {
        let lane = self.lane(id);
        if lane.kind == Kind::Empty {
            lane.set_kind(kind);
        }
        if lane.kind != kind {
            return Err(bad_input(format!("lane {} gets rows of two kinds", id.0)));
        }
        if start < lane.last || end < start {
            let what = format!("a row of lane {} starts before the end of the one before", id.0);
            return Err(bad_input(what));
        }
        Ok(lane)
    }

    /// Keeps the texts of the row that was just pushed.
    fn push_texts(&mut self, id: LaneId, key: &[u8], extras: &[u8]) {
        if key.is_empty() && extras.is_empty() {
            return;
        }
        let lane = &mut self.lanes[id.index()];
        let row = lane.n_rows - 1;
        let cold = &mut lane.more().cold;
        let before = cold.len();
        Texts { row, key, extras }.buffer(cold);
        let added = cold.len() - before;
        self.buffered += added;
    }

    /// Makes room after a row was pushed, if need be.
    #[inline]
    fn relieve(&mut self, id: LaneId) -> Result<()> {
        let lane = &self.lanes[id.index()];
        let full = lane.rows.len() >= lane.full_at as usize;
        if full || lane.cold_len() >= COLD_BLOCK || self.buffered > self.most_buffered {
            return self.relieve_now(id);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn relieve_now(&mut self, id: LaneId) -> Result<()> {
        let result = self
            .flush_full(id)
            .and_then(|()| if self.buffered > self.most_buffered { self.spill() } else { Ok(()) });
        self.note(result)
    }

    fn flush_full(&mut self, id: LaneId) -> Result<()> {
        let lane = &mut self.lanes[id.index()];
        let before = lane.n_held();
        // Logged rows, and their texts, come before these.
        if lane.is_logged() {
            return Ok(());
        }
        if lane.rows.len() >= lane.full_at as usize {
            self.writer.flush_rows(id.0, lane, Flush::Full)?;
        }
        if lane.cold_len() >= COLD_BLOCK {
            self.writer.flush_cold(id.0, lane)?;
        }
        self.buffered = self.buffered + lane.n_held() - before;
        Ok(())
    }

    /// Empties all buffers: long ones become blocks, short ones go to the log.
    fn spill(&mut self) -> Result<()> {
        for (id, lane) in self.lanes.iter_mut().enumerate() {
            let id = id as u32;
            if let Some(more) = &mut lane.more {
                more.pyramid.forget();
            }
            if lane.rows.is_empty() && lane.cold_len() == 0 {
                continue;
            }
            if lane.n_pending() >= MIN_FLUSH_ROWS && !lane.is_logged() {
                self.writer.flush_rows(id, lane, Flush::All)?;
                self.writer.flush_cold(id, lane)?;
                lane.rows = Vec::new();
                lane.more().pyramid.forget();
                continue;
            }
            let rows = std::mem::take(&mut lane.rows);
            let cold = lane.more.as_mut().map(|more| std::mem::take(&mut more.cold));
            let cold = cold.unwrap_or_default();
            lane.full_at = u32::MAX;
            self.log.write(&piece_header(id, rows.len(), cold.len()))?;
            self.log.write(&rows)?;
            self.log.write(&cold)?;
        }
        self.log.end_run();
        self.buffered = 0;
        Ok(())
    }

    /// Writes all pending rows, lane by lane, those in the log first.
    fn finish_lanes(&mut self) -> Result<()> {
        let empty = RunFile::new(self.workspace.path("rows.tmp"));
        let log = std::mem::replace(&mut self.log, empty);
        let mut pieces = Pieces::open(log, self.most_buffered)?;
        for (id, lane) in self.lanes.iter_mut().enumerate() {
            let id = id as u32;
            let pending = std::mem::take(&mut lane.rows);
            let pending_cold =
                lane.more.as_mut().map(|more| std::mem::take(&mut more.cold)).unwrap_or_default();
            while let Some(piece) = pieces.next_of(id)? {
                add_piece(&mut self.writer, id, lane, &piece.rows, &piece.cold)?;
            }
            add_piece(&mut self.writer, id, lane, &pending, &pending_cold)?;
            drop((pending, pending_cold));
            if lane.kind != Kind::Empty {
                self.writer.flush_rows(id, lane, Flush::Last)?;
            }
            self.writer.flush_cold(id, lane)?;
            lane.rows = Vec::new();
            lane.more = None;
        }
        Ok(())
    }

    fn check_lanes(&self, catalog: &Catalog) -> Result<()> {
        check_catalog(catalog).map_err(bad_input)?;
        for (id, buffer) in self.lanes.iter().enumerate() {
            let expected = match buffer.kind {
                Kind::Empty => continue,
                Kind::State | Kind::Nested => Nature::State,
                Kind::Variable => Nature::Variable,
                Kind::Event => Nature::Event,
                Kind::Link => Nature::Link,
            };
            let lane = catalog.lanes.get(id);
            if lane.is_none_or(|lane| catalog.type_def(lane.type_id).nature != expected) {
                let what = format!("the catalog has no lane {id} of a {} type", expected.name());
                return Err(bad_input(what));
            }
        }
        Ok(())
    }

    fn check_ids(&self, catalog: &Catalog) -> Result<()> {
        let seen = self.writer.seen();
        if seen.n_values as usize > catalog.values.len() {
            return Err(bad_input("a row has a value that the catalog lacks"));
        }
        if seen.n_containers as usize > catalog.containers.len() {
            return Err(bad_input("a link has a container that the catalog lacks"));
        }
        Ok(())
    }

    fn lane_kinds(&self, catalog: &Catalog) -> Vec<Kind> {
        // A lane may be said to be nested and get no row.
        let kind = |lane: &LaneBuffer| if lane.n_rows == 0 { Kind::Empty } else { lane.kind };
        let mut kinds: Vec<_> = self.lanes.iter().map(kind).collect();
        kinds.resize(catalog.lanes.len(), Kind::Empty);
        kinds
    }

    fn counts(&self, catalog: &Catalog) -> Counts {
        let mut counts = Counts {
            containers: catalog.containers.len() as u64,
            lanes: catalog.lanes.len() as u64,
            ..Counts::default()
        };
        for lane in &self.lanes {
            match lane.kind {
                Kind::Empty => {}
                Kind::State | Kind::Nested => counts.states += lane.n_rows,
                Kind::Variable => counts.variables += lane.n_rows,
                Kind::Event => counts.events += lane.n_rows,
                Kind::Link => counts.links += lane.n_rows,
            }
        }
        counts
    }

    /// Everything that the fast path of [`state`](EntitySink::state) leaves out.
    fn push_state(&mut self, id: LaneId, row: &StateRow, extras: &[u8]) -> Result<()> {
        let nested = self.lane(id).kind == Kind::Nested;
        let kind = if nested { Kind::Nested } else { Kind::State };
        check_value(row.value)?;
        row.parent.map_or(Ok(()), check_value)?;
        if row.parent.is_some() && !nested {
            return Err(bad_input(format!("lane {} is not said to be nested", id.0)));
        }
        // The enclosing state ends later: it is the row that the outer lane gets next.
        let parent_row = match &self.lanes[id.index()].more {
            Some(more) if nested => self.lanes[more.outer as usize].n_rows,
            _ => 0,
        };
        let lane = self.checked_lane(id, kind, row.start, row.end)?;
        lane.push_state(row);
        if nested {
            let enclosing = row.parent.map_or(0, |value| value.0 + 1);
            lane.rows.extend_from_slice(&enclosing.to_le_bytes());
            lane.rows.extend_from_slice(&parent_row.to_le_bytes());
        }
        self.buffered += row_size(kind);
        self.push_texts(id, b"", extras);
        self.relieve(id)
    }

    fn push_variable(&mut self, id: LaneId, row: &VariableRow, extras: &[u8]) -> Result<()> {
        let mut bytes = [0; variable::ROW];
        bytes[..8].copy_from_slice(&row.start.to_le_bytes());
        bytes[8..16].copy_from_slice(&row.end.to_le_bytes());
        bytes[16..].copy_from_slice(&row.value.to_bits().to_le_bytes());
        self.checked_lane(id, Kind::Variable, row.start, row.end)?.push(&bytes, row.end);
        self.buffered += variable::ROW;
        self.push_texts(id, b"", extras);
        self.relieve(id)
    }

    fn push_event(&mut self, id: LaneId, row: &EventRow, extras: &[u8]) -> Result<()> {
        check_value(row.value)?;
        let mut bytes = [0; event::ROW];
        bytes[..8].copy_from_slice(&row.time.to_le_bytes());
        bytes[8..].copy_from_slice(&row.value.0.to_le_bytes());
        self.checked_lane(id, Kind::Event, row.time, row.time)?.push(&bytes, row.time);
        self.buffered += event::ROW;
        self.push_texts(id, b"", extras);
        self.relieve(id)
    }

    fn push_link(&mut self, id: LaneId, row: &LinkRow<'_>, extras: &[u8]) -> Result<()> {
        check_value(row.value)?;
        if [row.source, row.destination].contains(&Some(ContainerId(u32::MAX))) {
            return Err(bad_input("a container id of 2^32 - 1"));
        }
        let bytes = BareLink::of(row).to_buffer();
        // Links come in no order of time.
        self.checked_lane(id, Kind::Link, Ticks::MIN, Ticks::MIN)?.push(&bytes, Ticks::MIN);
        self.buffered += bytes.len();
        self.push_texts(id, row.key, extras);
        self.relieve(id)
    }
}

impl EntitySink for StoreBuilder {
    type Error = StoreError;

    fn nest(&mut self, lane: LaneId, outer: LaneId) {
        self.lane(outer);
        let lane = self.lane(lane);
        // A lane that has rows already keeps its kind; its next nested row is refused.
        if lane.kind == Kind::Empty {
            lane.set_kind(Kind::Nested);
            lane.more().outer = outer.0;
        }
    }

    #[inline]
    fn state(&mut self, lane: LaneId, row: &StateRow, extras: &[u8]) -> Result<()> {
        if let Some(buffer) = self.lanes.get_mut(lane.index())
            && buffer.kind == Kind::State
            && row.start >= buffer.last
            && row.end >= row.start
            && row.value.0 < state::OPEN
            && row.parent.is_none()
            && extras.is_empty()
        {
            buffer.push_state(row);
            let full = buffer.rows.len() >= buffer.full_at as usize;
            self.buffered += state::ROW;
            if full || self.buffered > self.most_buffered {
                return self.relieve_now(lane);
            }
            return Ok(());
        }
        let result = self.push_state(lane, row, extras);
        self.note(result)
    }

    /// With very many lanes each is far from the last in memory. Where the next rows will be put is
    /// looked at for all lanes together, so that the processor waits for all of them at once.
    #[inline]
    fn expect(&self, lanes: &[LaneId]) {
        let lanes = lanes.iter().filter_map(|lane| self.lanes.get(lane.index()));
        let last = lanes.filter_map(|buffer| buffer.rows.last());
        std::hint::black_box(last.fold(0, |all, byte| all ^ byte));
    }

    #[inline]
    fn variable(&mut self, lane: LaneId, row: &VariableRow, extras: &[u8]) -> Result<()> {
        let result = self.push_variable(lane, row, extras);
        self.note(result)
    }

    #[inline]
    fn event(&mut self, lane: LaneId, row: &EventRow, extras: &[u8]) -> Result<()> {
        let result = self.push_event(lane, row, extras);
        self.note(result)
    }

    #[inline]
    fn link(&mut self, lane: LaneId, row: &LinkRow<'_>, extras: &[u8]) -> Result<()> {
        let result = self.push_link(lane, row, extras);
        self.note(result)
    }
}

fn sort_blocks(placed: &mut [PlacedBlock]) {
    placed.sort_unstable_by_key(|PlacedBlock { section, lane, entry }| {
        let level = if *section == Section::Sums { entry.last } else { 0 };
        (*section, *lane, level, entry.rows_before, entry.first, entry.last)
    });
}

/// One bit of a value id is used in the buffers.
fn check_value(value: ValueId) -> Result<()> {
    if value.0 < state::OPEN { Ok(()) } else { Err(bad_input("a value id of 2^31 or more")) }
}

/// Appends rows and texts to a lane and writes the blocks that this fills.
fn add_piece(
    writer: &mut BlockWriter,
    id: u32,
    lane: &mut LaneBuffer,
    rows: &[u8],
    cold: &[u8],
) -> Result<()> {
    lane.rows.extend_from_slice(rows);
    if !rows.is_empty() && lane.is_logged() {
        writer.flush_rows(id, lane, Flush::Full)?;
    }
    if !cold.is_empty() {
        lane.more().cold.extend_from_slice(cold);
        if lane.cold_len() >= COLD_BLOCK {
            writer.flush_cold(id, lane)?;
        }
    }
    Ok(())
}

fn write_table(workspace: &mut Workspace, name: &str, raw: &[u8]) -> Result<Seal> {
    let file = workspace.create_file(name)?;
    let (file, seal) = write_pages(&workspace.path(name), file, raw)?;
    workspace.seal_file(&file, name)?;
    Ok(seal)
}
