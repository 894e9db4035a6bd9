//! Builds the pair index of links: sorts them by pair, outside memory when they are many, and
//! cuts each pair's into chains.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    path::PathBuf,
};

use foldhash::fast::RandomState;
use onca_model::Ticks;

use crate::{
    build::block_writer::BlockWriter,
    build::runs::RunFile,
    error::Result,
    format::block::{
        field,
        link::BareLink,
        pair::{Chain, PairEntry, PairSums, encode_chains, encode_pairs},
    },
    format::directory::{BlockEntry, PlacedBlock, Section},
};

/// Entries of a block.
const PAIR_ROWS: usize = 1024;
/// Chains of a block.
const CHAIN_ROWS: usize = 4096;

/// A link to be sorted; the order of the fields is that of the index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PairRecord {
    lane: u32,
    source: u32,
    destination: u32,
    reversed: bool,
    low: Ticks,
    row: u64,
    high: Ticks,
    size: u64,
}

const RECORD: usize = 45;

/// Lane, source, destination, and whether the links end before they start.
type Pair = (u32, u32, u32, bool);

impl PairRecord {
    /// A link that has both ends.
    pub(crate) fn of(lane: u32, row: u64, link: &BareLink) -> Option<Self> {
        Some(Self {
            lane,
            source: link.source.checked_sub(1)?,
            destination: link.destination.checked_sub(1)?,
            reversed: link.end < link.start,
            low: link.low(),
            row,
            high: link.high(),
            size: link.size.unwrap_or_default(),
        })
    }

    fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..4].copy_from_slice(&self.lane.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.source.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.destination.to_le_bytes());
        bytes[12] = u8::from(self.reversed);
        bytes[13..21].copy_from_slice(&self.low.to_le_bytes());
        bytes[21..29].copy_from_slice(&self.row.to_le_bytes());
        bytes[29..37].copy_from_slice(&self.high.to_le_bytes());
        bytes[37..].copy_from_slice(&self.size.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            lane: u32::from_le_bytes(field(bytes, 0)),
            source: u32::from_le_bytes(field(bytes, 4)),
            destination: u32::from_le_bytes(field(bytes, 8)),
            reversed: bytes[12] != 0,
            low: Ticks::from_le_bytes(field(bytes, 13)),
            row: u64::from_le_bytes(field(bytes, 21)),
            high: Ticks::from_le_bytes(field(bytes, 29)),
            size: u64::from_le_bytes(field(bytes, 37)),
        }
    }

    fn pair(&self) -> Pair {
        (self.lane, self.source, self.destination, self.reversed)
    }
}

/// Which pair each record belongs to. There are few pairs, and the records of a pair come nearly
/// in order: they are dealt out to their pairs, and what is left to sort is nearly sorted. Pairs
/// are numbered as records come, while other threads decode, and not at the end, when the others
/// have nothing left to do. The memory is used again from run to run: allocating it anew each
/// time would tear the heap into pieces and make it grow.
#[derive(Default)]
struct Pairs {
    numbers: HashMap<Pair, u32, RandomState>,
    /// The pair of the last record: where files are read in turns, that of the next is often the
    /// same.
    last: Option<(Pair, u32)>,
    /// How many records each pair has, by number.
    counts: Vec<u32>,
    number_of_record: Vec<u32>,
    order: Vec<u32>,
    group: Vec<PairRecord>,
}

impl Pairs {
    fn add(&mut self, pair: Pair) {
        let number = match self.last {
            Some((last, number)) if last == pair => number,
            _ => self.number(pair),
        };
        self.last = Some((pair, number));
        self.counts[number as usize] += 1;
        self.number_of_record.push(number);
    }

    fn number(&mut self, pair: Pair) -> u32 {
        let next = self.counts.len() as u32;
        let number = *self.numbers.entry(pair).or_insert(next);
        if number == next {
            self.counts.push(0);
        }
        number
    }

    /// Gives `each` the records of one pair after the other, all in order. `records` are those
    /// that were added.
    fn drain(
        &mut self,
        records: &[PairRecord],
        mut each: impl FnMut(&mut Vec<PairRecord>) -> Result<()>,
    ) -> Result<()> {
        self.last = None;
        let mut pairs: Vec<_> = self.numbers.drain().collect();
        pairs.sort_unstable();
        let mut places = vec![0; self.counts.len()];
        let mut place = 0;
        for &(_, number) in &pairs {
            places[number as usize] = place;
            place += self.counts[number as usize];
        }
        self.order.clear();
        self.order.reserve_exact(records.len());
        self.order.resize(records.len(), 0);
        for (record, &number) in self.number_of_record.iter().enumerate() {
            let place = &mut places[number as usize];
            self.order[*place as usize] = record as u32;
            *place += 1;
        }
        let mut rest = &self.order[..];
        for &(_, number) in &pairs {
            let (own, others) = rest.split_at(self.counts[number as usize] as usize);
            rest = others;
            self.group.clear();
            self.group.extend(own.iter().map(|&record| records[record as usize]));
            self.group.sort_unstable_by_key(|record| (record.low, record.row));
            each(&mut self.group)?;
        }
        self.counts.clear();
        self.number_of_record.clear();
        Ok(())
    }
}

/// Sorts records within a memory bound.
pub(crate) struct PairSorter {
    records: Vec<PairRecord>,
    pairs: Pairs,
    most: usize,
    runs: RunFile,
}

impl PairSorter {
    /// Sorts in at most `memory` bytes, with a temporary file at `path`.
    pub(crate) fn new(path: PathBuf, memory: usize) -> Self {
        // Sorting takes two numbers a record.
        let most = (memory / (size_of::<PairRecord>() + 8)).clamp(64, 1 << 30);
        let (records, pairs) = (Vec::new(), Pairs::default());
        Self { records, pairs, most, runs: RunFile::new(path) }
    }

    pub(crate) fn push(&mut self, record: PairRecord) -> Result<()> {
        if self.records.len() >= self.most {
            self.spill()?;
        }
        self.pairs.add(record.pair());
        self.records.push(record);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        self.pairs.drain(&self.records, |group| {
            group.iter().try_for_each(|record| self.runs.write(&record.to_bytes()))
        })?;
        self.records.clear();
        self.runs.end_run();
        Ok(())
    }

    /// Gives all records in order to the indexer.
    fn drain(mut self, indexer: &mut Indexer<'_>) -> Result<()> {
        if self.runs.is_empty() {
            return self.pairs.drain(&self.records, |group| indexer.add_pair(group));
        }
        self.spill()?;
        let memory = self.most * size_of::<PairRecord>();
        drop((self.records, self.pairs));
        let (file, mut readers) = self.runs.into_readers(memory)?;
        let Some(file) = file else { return Ok(()) };
        let mut heads = BinaryHeap::new();
        for (run, reader) in readers.iter_mut().enumerate() {
            heads.push(Reverse((PairRecord::from_bytes(reader.next(&file, RECORD)?), run)));
        }
        while let Some(Reverse((record, run))) = heads.pop() {
            indexer.add(record)?;
            if !readers[run].is_done() {
                let next = PairRecord::from_bytes(readers[run].next(&file, RECORD)?);
                heads.push(Reverse((next, run)));
            }
        }
        Ok(())
    }
}

/// Writes the pair index of all links that `writer` has seen, if it is to have one.
pub(crate) fn write_pair_index(writer: &mut BlockWriter) -> Result<()> {
    let Some(sorter) = writer.pairs.take() else { return Ok(()) };
    // A pair may have more links than fit in memory; it then gets its chains piece by piece.
    let most = sorter.most;
    let mut indexer = Indexer::new(writer, most);
    sorter.drain(&mut indexer)?;
    indexer.end_lane()
}

struct Indexer<'a> {
    writer: &'a mut BlockWriter,
    most: usize,
    /// Links of one pair, in order of their earlier time.
    group: Vec<PairRecord>,
    entries: Vec<PairEntry>,
    n_entries: u64,
    sums: PairSums,
    chains: Vec<Chain>,
    n_chains: u64,
    lane: u32,
}

impl<'a> Indexer<'a> {
    fn new(writer: &'a mut BlockWriter, most: usize) -> Self {
        Self {
            writer,
            most,
            group: Vec::new(),
            entries: Vec::new(),
            n_entries: 0,
            sums: PairSums::default(),
            chains: Vec::new(),
            n_chains: 0,
            lane: 0,
        }
    }

    fn add(&mut self, record: PairRecord) -> Result<()> {
        if let Some(last) = self.group.last() {
            let (same_lane, same_pair) = (last.lane == record.lane, last.pair() == record.pair());
            if !same_pair || self.group.len() >= self.most {
                self.end_pair()?;
            }
            if !same_lane {
                self.end_lane()?;
            }
        }
        self.lane = record.lane;
        self.group.push(record);
        Ok(())
    }

    /// Adds all records of a pair, in order.
    fn add_pair(&mut self, group: &mut Vec<PairRecord>) -> Result<()> {
        let Some(&PairRecord { lane, .. }) = group.first() else { return Ok(()) };
        if lane != self.lane {
            self.end_lane()?;
        }
        self.lane = lane;
        std::mem::swap(&mut self.group, group);
        self.end_pair()
    }

    fn end_pair(&mut self) -> Result<()> {
        let group = std::mem::take(&mut self.group);
        // Most pairs need one chain.
        if group.is_sorted_by_key(|record| record.high) {
            self.add_chain(group.iter())?;
        } else {
            for chain in chains(&group) {
                self.add_chain(chain.iter().map(|&index| &group[index]))?;
            }
        }
        self.group = group;
        self.group.clear();
        Ok(())
    }

    fn add_chain<'r>(&mut self, links: impl Iterator<Item = &'r PairRecord>) -> Result<()> {
        let first = self.n_entries;
        let mut ends = None;
        for &PairRecord { low, high, size, row, source, destination, reversed, .. } in links {
            ends = Some((source, destination, reversed));
            self.entries.push(PairEntry { low, high, size, row });
            self.n_entries += 1;
            if self.entries.len() == PAIR_ROWS {
                self.write_entries()?;
            }
        }
        let Some((source, destination, reversed)) = ends else { return Ok(()) };
        let n = self.n_entries - first;
        self.chains.push(Chain { source, destination, reversed, first, n });
        if self.chains.len() == CHAIN_ROWS { self.write_chains() } else { Ok(()) }
    }

    fn end_lane(&mut self) -> Result<()> {
        if !self.group.is_empty() {
            self.end_pair()?;
        }
        self.write_entries()?;
        self.write_chains()?;
        self.n_entries = 0;
        self.n_chains = 0;
        self.sums = PairSums::default();
        Ok(())
    }

    fn write_entries(&mut self) -> Result<()> {
        let Some(first) = self.entries.first().copied() else { return Ok(()) };
        let mut bytes = Vec::new();
        encode_pairs(&self.entries, &mut self.sums, &mut bytes);
        let n = self.entries.len();
        self.entries.clear();
        let rows_before = self.n_entries - n as u64;
        self.place(Section::Pairs, (first.low, first.high), rows_before, n, &bytes)
    }

    fn write_chains(&mut self) -> Result<()> {
        let (Some(first), Some(last)) = (self.chains.first(), self.chains.last()) else {
            return Ok(());
        };
        let sources = (i64::from(first.source), i64::from(last.source));
        let mut bytes = Vec::new();
        encode_chains(&self.chains, &mut bytes);
        let n = self.chains.len();
        self.chains.clear();
        let rows_before = self.n_chains;
        self.n_chains += n as u64;
        self.place(Section::Chains, sources, rows_before, n, &bytes)
    }

    fn place(
        &mut self,
        section: Section,
        (first, last): (i64, i64),
        rows_before: u64,
        n: usize,
        bytes: &[u8],
    ) -> Result<()> {
        let n_rows = n as u32;
        let entry = BlockEntry { first, last, rows_before, chunk: 0, offset: 0, n_rows, range: 0 };
        self.writer.write(PlacedBlock { lane: self.lane, section, entry }, bytes)
    }
}

/// Cuts links that are in order of their earlier time into few chains along which the later time
/// never decreases either: each goes to the chain that ends last but not after it (patience
/// sorting), which keeps the ends of the chains in descending order.
fn chains(group: &[PairRecord]) -> Vec<Vec<usize>> {
    let mut ends: Vec<Ticks> = Vec::new();
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for (index, record) in group.iter().enumerate() {
        let chain = ends.partition_point(|&end| end > record.high);
        if chain == ends.len() {
            ends.push(record.high);
            chains.push(Vec::new());
        }
        ends[chain] = record.high;
        chains[chain].push(index);
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(low: Ticks, high: Ticks) -> PairRecord {
        let (lane, source, destination, reversed) = (0, 1, 2, false);
        PairRecord { lane, source, destination, reversed, low, row: 0, high, size: 0 }
    }

    #[test]
    fn chains_are_few_and_monotone() {
        let group = [(0, 9), (1, 4), (2, 5), (3, 9), (4, 8)].map(|(low, high)| record(low, high));
        assert_eq!(chains(&group), [vec![0, 3], vec![1, 2, 4]]);
    }

    #[test]
    fn records_come_back_from_a_file() {
        let record = PairRecord { reversed: true, size: 7, row: 1 << 40, ..record(-5, 9) };
        assert_eq!(PairRecord::from_bytes(&record.to_bytes()), record);
    }
}
