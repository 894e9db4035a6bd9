//! Rows in, blocks out: what a store in the making and a look at it have in common.

use std::cmp::Reverse;
use std::fs::File;

use onca_model::{
    Catalog, ContainerId, EntitySink, EventRow, LaneId, LinkRow, Nature, StateRow, Ticks, ValueId,
    VariableRow,
};

use crate::{
    StoreError, ValueOrder,
    build::block_writer::{BlockWriter, COLD_BLOCK, Flush},
    build::lane_buffer::{LaneBuffer, row_size},
    build::pair_index::write_pair_index,
    build::row_log::{Pieces, piece_header},
    build::runs::RunFile,
    error::{Result, bad_input},
    format::block::{cold::Texts, event, link::BareLink, state, variable},
    format::directory::{ChunkEntry, Kind, PlacedBlock, Section, encode_directory},
    format::manifest::Counts,
    format::tables::check_catalog,
};

/// Lanes with fewer pending rows are logged, not flushed, when memory is short: a store of tiny
/// blocks would be larger than the trace.
const MIN_FLUSH_ROWS: usize = 256;

/// Takes rows, and writes them as blocks.
pub(crate) struct RowWriter {
    lanes: Vec<LaneBuffer>,
    /// Bytes of pending rows and texts.
    buffered: usize,
    /// Bytes at which pending rows are flushed or logged.
    most_buffered: usize,
    writer: BlockWriter,
    log: RunFile,
    /// Nothing is pending, and no more rows may come.
    settled: bool,
    /// An error was returned: rows are missing.
    failed: bool,
}

/// All rows, written.
pub(crate) struct Written {
    /// The data file.
    pub file: File,
    pub chunks: Vec<ChunkEntry>,
    /// The directory, encoded.
    pub index: Vec<u8>,
    pub counts: Counts,
    pub n_blocks: u64,
}

impl RowWriter {
    pub(crate) fn new(writer: BlockWriter, log: RunFile, most_buffered: usize) -> Self {
        Self {
            lanes: Vec::new(),
            buffered: 0,
            most_buffered,
            writer,
            log,
            settled: false,
            failed: false,
        }
    }

    /// A writer that goes on from here by itself, into a file of its own. What it gets, this one does
    /// not, and the other way round. It has no index of pairs, which would take as long as all links.
    pub(crate) fn fork(&mut self, file: File) -> Result<Self> {
        if self.failed || self.settled {
            return Err(bad_input("no more rows can come"));
        }
        let forked = self.writer.fork(file).and_then(|writer| Ok((writer, self.log.share()?)));
        let (writer, log) = self.note(forked)?;
        let (lanes, buffered) = (self.lanes.clone(), self.buffered);
        // The log is that of both, and only one may write to it.
        let most_buffered = usize::MAX;
        Ok(Self { lanes, buffered, most_buffered, writer, log, settled: false, failed: false })
    }

    /// How many bytes of the data file are written.
    pub(crate) fn data_length(&self) -> u64 {
        self.writer.data.length()
    }

    /// Writes what is pending, when no more rows will come.
    pub(crate) fn settle(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.settled, true) {
            return Ok(());
        }
        let result = self
            .finish_lanes()
            .and_then(|()| write_pair_index(&mut self.writer))
            .and_then(|()| self.writer.close());
        self.note(result)
    }

    /// Writes all that is pending, and tells where everything is.
    pub(crate) fn end(mut self, catalog: &Catalog) -> Result<Written> {
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
        let kinds = self.lane_kinds(catalog);
        let order = self.order_by_time(catalog);
        let Self { writer, lanes: buffers, .. } = self;
        drop(buffers);
        let BlockWriter { data, placed: pieces, ranges, .. } = writer;
        let mut placed = pieces.to_vec();
        drop(pieces);
        let (file, chunks) = data.finish()?;
        sort_blocks(&mut placed);
        let index = encode_directory(&chunks, &kinds, &placed, &ranges, &order);
        Ok(Written { file, chunks, index, counts, n_blocks: placed.len() as u64 })
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
        let log = std::mem::replace(&mut self.log, RunFile::nowhere());
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

impl EntitySink for RowWriter {
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

/// Makes something that has a [`RowWriter`] hand its rows on to it.
macro_rules! rows_to_writer {
    ($sink:ty) => {
        impl onca_model::EntitySink for $sink {
            type Error = crate::StoreError;

            fn nest(&mut self, lane: onca_model::LaneId, outer: onca_model::LaneId) {
                self.rows.nest(lane, outer);
            }

            #[inline]
            fn state(
                &mut self,
                lane: onca_model::LaneId,
                row: &onca_model::StateRow,
                extras: &[u8],
            ) -> crate::error::Result<()> {
                self.rows.state(lane, row, extras)
            }

            #[inline]
            fn expect(&self, lanes: &[onca_model::LaneId]) {
                self.rows.expect(lanes);
            }

            #[inline]
            fn variable(
                &mut self,
                lane: onca_model::LaneId,
                row: &onca_model::VariableRow,
                extras: &[u8],
            ) -> crate::error::Result<()> {
                self.rows.variable(lane, row, extras)
            }

            #[inline]
            fn event(
                &mut self,
                lane: onca_model::LaneId,
                row: &onca_model::EventRow,
                extras: &[u8],
            ) -> crate::error::Result<()> {
                self.rows.event(lane, row, extras)
            }

            #[inline]
            fn link(
                &mut self,
                lane: onca_model::LaneId,
                row: &onca_model::LinkRow<'_>,
                extras: &[u8],
            ) -> crate::error::Result<()> {
                self.rows.link(lane, row, extras)
            }
        }
    };
}
pub(crate) use rows_to_writer;
