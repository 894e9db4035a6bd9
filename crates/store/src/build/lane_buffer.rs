//! What a builder holds of one lane. A million lanes are an ordinary case, so a lane that has
//! only a few rows is one small struct and one allocation.

use onca_model::{StateRow, Ticks};

use crate::{
    build::pyramid::Pyramid,
    format::block::{event, link, state, variable},
    format::directory::Kind,
};

/// Rows of a block, unless the lane has many values.
pub(crate) const BLOCK_ROWS: usize = 1024;
const MAX_BLOCK_ROWS: usize = 8192;

/// The pending rows of one lane; in one line of the processor's cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct LaneBuffer {
    /// Rows of fixed size, see the kinds of blocks.
    pub rows: Vec<u8>,
    /// The end of the last row: the next must not start before.
    pub last: Ticks,
    /// Rows received so far.
    pub n_rows: u64,
    pub more: Option<Box<LaneMore>>,
    /// Length of `rows` at which they become a block; never, once rows of the lane are logged,
    /// because those come first.
    pub full_at: u32,
    pub kind: Kind,
}

/// What only some lanes need.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneMore {
    /// The lane of the enclosing states.
    pub outer: u32,
    /// Rows that are in blocks.
    pub flushed: u64,
    /// Texts of pending rows, see [`cold`](crate::format::block::cold).
    pub cold: Vec<u8>,
    pub states: state::StateTotals,
    /// Sums that wait to be summed up.
    pub pyramid: Pyramid,
    pub events: event::EventTotals,
    pub integral: variable::Integral,
}

impl LaneBuffer {
    pub(crate) fn new() -> Self {
        let kind = Kind::Empty;
        Self { rows: Vec::new(), last: Ticks::MIN, n_rows: 0, more: None, full_at: 0, kind }
    }

    pub(crate) fn set_kind(&mut self, kind: Kind) {
        self.kind = kind;
        self.full_at = (BLOCK_ROWS * row_size(kind)) as u32;
    }

    pub(crate) fn more(&mut self) -> &mut LaneMore {
        self.more.get_or_insert_default()
    }

    pub(crate) fn n_pending(&self) -> usize {
        self.rows.len() / row_size(self.kind)
    }

    pub(crate) fn cold_len(&self) -> usize {
        self.more.as_ref().map_or(0, |more| more.cold.len())
    }

    /// The bytes of all that is pending.
    pub(crate) fn n_held(&self) -> usize {
        let more = self.more.as_ref().map_or(0, |more| more.cold.len() + more.pyramid.n_bytes());
        self.rows.len() + more
    }

    /// Were rows of it logged?
    pub(crate) fn is_logged(&self) -> bool {
        self.full_at == u32::MAX
    }

    #[inline]
    pub(crate) fn push(&mut self, row: &[u8], end: Ticks) {
        self.make_room(row.len());
        self.rows.extend_from_slice(row);
        self.last = end;
        self.n_rows += 1;
    }

    /// Appends an outermost state, field by field: a row that is put together first is read back
    /// in one piece before its fields have been written, which makes the processor wait.
    #[inline]
    pub(crate) fn push_state(&mut self, state: &StateRow) {
        self.make_room(state::ROW);
        self.rows.extend_from_slice(&state.start.to_le_bytes());
        self.rows.extend_from_slice(&state.end.to_le_bytes());
        self.rows.extend_from_slice(&state::flagged_value(state).to_le_bytes());
        self.last = state.end;
        self.n_rows += 1;
    }

    /// Most of a million lanes have a few rows: they get room for them at once.
    #[inline]
    fn make_room(&mut self, row_size: usize) {
        if self.rows.capacity() == 0 {
            self.rows.reserve_exact(4 * row_size);
        }
    }
}

/// Bytes of a buffered row.
pub(crate) fn row_size(kind: Kind) -> usize {
    match kind {
        Kind::Empty => 1,
        Kind::State => state::ROW,
        Kind::Nested => state::NESTED_ROW,
        Kind::Variable => variable::ROW,
        Kind::Event => event::ROW,
        Kind::Link => link::ROW,
    }
}

/// How many rows the next block should have after one with `n_values` distinct values. Totals
/// and checkpoints grow with the values, so that longer blocks keep them small beside the rows.
pub(crate) fn block_rows(n_values: usize) -> usize {
    (8 * n_values).next_power_of_two().clamp(BLOCK_ROWS, MAX_BLOCK_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_small() {
        assert_eq!(size_of::<LaneBuffer>(), 64);
    }
}
