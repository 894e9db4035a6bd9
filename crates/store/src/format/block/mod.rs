//! How rows become blocks and are read from them, one file per kind of row. A block is read in
//! place: parsing finds its columns and checks their bounds, rows are then loaded one by one.

pub(crate) mod cold;
pub(crate) mod event;
pub(crate) mod link;
pub(crate) mod pair;
pub(crate) mod state;
pub(crate) mod sums;
pub(crate) mod totals;
pub(crate) mod variable;

use std::sync::Arc;

use crate::{
    error::{Result, damaged},
    format::codec::{PAD, Packed, Reader, width_of},
    format::directory::BlockEntry,
};

/// A parsed block of any kind, shared by all who read it.
#[derive(Clone)]
pub(crate) enum Parsed {
    State(Arc<state::StateBlock>),
    Variable(Arc<variable::VariableBlock>),
    Event(Arc<event::EventBlock>),
    Link(Arc<link::LinkBlock>),
    Pair(Arc<pair::PairBlock>),
    Chain(Arc<pair::ChainBlock>),
}

/// What ids in a block may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub n_values: u32,
    pub n_containers: u32,
}

impl Bounds {
    fn check_values(&self, ids: &[u32]) -> Result<()> {
        match ids.last() {
            Some(&largest) if largest >= self.n_values => Err(damaged("a row has no known value")),
            _ => Ok(()),
        }
    }
}

/// The most rows a block may say it has; those written have at most an eighth of it.
const MAX_ROWS: u32 = 1 << 16;

/// A reader at the start of a block, and the number of its rows.
fn open_block<'a>(bytes: &'a [u8], entry: &BlockEntry) -> Result<(Reader<'a>, usize)> {
    if entry.n_rows > MAX_ROWS {
        return Err(damaged("a block has too many rows"));
    }
    let content = &bytes[..bytes.len() - PAD];
    Ok((Reader::from(content, entry.offset as usize)?, entry.n_rows as usize))
}

/// The bytes that numbers into a dictionary need.
fn number_width(dictionary: &[u32]) -> Result<u8> {
    match dictionary.len() {
        0 => Err(damaged("a dictionary is empty")),
        n => Ok(width_of(n as u64 - 1)),
    }
}

fn put_bits(out: &mut Vec<u8>, bits: impl ExactSizeIterator<Item = bool>) {
    let at = out.len();
    out.resize(at + bits.len().div_ceil(8), 0);
    for (index, bit) in bits.enumerate() {
        out[at + index / 8] |= u8::from(bit) << (index % 8);
    }
}

/// Bit `row` of the bits that start at `at`.
fn bit(bytes: &[u8], at: usize, row: usize) -> bool {
    bytes.get(at + row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
}

/// Appends what `map` makes of the ids that a column of numbers into a dictionary stands for.
fn extend_ids<T: Copy>(
    numbers: &Packed,
    dictionary: &[u32],
    bytes: &[u8],
    n: usize,
    out: &mut Vec<T>,
    map: impl Fn(u32) -> T,
) {
    // Mapped once per id, not per row. Parsing has checked that all numbers are in the dictionary.
    let mapped: Vec<T> = dictionary.iter().map(|&id| map(id)).collect();
    numbers.extend(bytes, n, out, |number| mapped[number as usize]);
}

/// Rows between two checkpoints, unless there are many values.
pub(crate) const SPACING: usize = 64;

/// Reads fixed-size fields of a buffered row.
#[inline]
pub(crate) fn field<const N: usize>(row: &[u8], at: usize) -> [u8; N] {
    row[at..at + N].try_into().expect("a slice of N bytes")
}
