//! Sorting more than fits in memory: runs are sorted, written to temporary files and merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use onca_model::Ticks;

/// What records are sorted by, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    /// What belongs together: a track, for most.
    pub group: u64,
    /// When.
    pub time: Ticks,
    /// What comes first at one time; 0 where that is the order of the source.
    pub rank: u64,
    /// Grows along the source, so that the sort is stable.
    pub place: u64,
}

impl Key {
    /// How many bytes a key takes in a file.
    const BYTES: usize = 32;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let words = [self.group, self.time as u64, self.rank, self.place];
        for (slot, word) in bytes.chunks_exact_mut(8).zip(words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let word = |index: usize| u64::from_le_bytes(words[index]);
        Self { group: word(0), time: word(1) as Ticks, rank: word(2), place: word(3) }
    }
}

/// Collects records with a key and gives them back in order of their keys.
pub struct Sorter {
    budget: usize,
    bytes: Vec<u8>,
    entries: Vec<(Key, u32, u32)>,
    runs: Vec<File>,
}

impl Sorter {
    /// A sorter that holds about `budget` bytes in memory.
    pub fn new(budget: usize) -> Self {
        // Offsets within a run are 32 bits wide.
        let budget = budget.clamp(1 << 16, 1 << 31);
        Self { budget, bytes: Vec::new(), entries: Vec::new(), runs: Vec::new() }
    }

    /// Takes a record.
    pub fn push(&mut self, key: Key, record: &[u8]) -> io::Result<()> {
        self.entries.push((key, self.bytes.len() as u32, record.len() as u32));
        self.bytes.extend_from_slice(record);
        if self.memory() > self.budget {
            self.spill()?;
        }
        Ok(())
    }

    /// Memory in use, about.
    pub fn memory(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<(Key, u32, u32)>()
    }

    fn sort(&mut self) {
        self.entries.sort_unstable_by_key(|&(key, ..)| key);
    }

    fn record(&self, entry: usize) -> (Key, &[u8]) {
        let (key, start, len) = self.entries[entry];
        (key, &self.bytes[start as usize..][..len as usize])
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let mut run = BufWriter::new(tempfile::tempfile()?);
        for entry in 0..self.entries.len() {
            let (key, record) = self.record(entry);
            write_record(&mut run, key, record)?;
        }
        let mut file = run.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(file);
        self.bytes.clear();
        self.entries.clear();
        Ok(())
    }

    /// Visits all records in order of their keys.
    pub fn visit<E: From<io::Error>>(
        mut self,
        mut visit: impl FnMut(Key, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.runs.is_empty() {
            self.sort();
            for entry in 0..self.entries.len() {
                let (key, record) = self.record(entry);
                visit(key, record)?;
            }
            return Ok(());
        }
        self.spill()?;
        let mut runs: Vec<Run> = self.runs.into_iter().map(Run::new).collect();
        let mut heap = BinaryHeap::new();
        for (index, run) in runs.iter_mut().enumerate() {
            if let Some(key) = run.advance()? {
                heap.push(Reverse((key, index)));
            }
        }
        while let Some(Reverse((key, index))) = heap.pop() {
            visit(key, &runs[index].record)?;
            if let Some(key) = runs[index].advance()? {
                heap.push(Reverse((key, index)));
            }
        }
        Ok(())
    }
}

fn write_record(out: &mut impl Write, key: Key, record: &[u8]) -> io::Result<()> {
    out.write_all(&key.to_bytes())?;
    out.write_all(&(record.len() as u32).to_le_bytes())?;
    out.write_all(record)
}

/// A sorted run on disk.
struct Run {
    file: BufReader<File>,
    record: Vec<u8>,
}

impl Run {
    fn new(file: File) -> Self {
        Self { file: BufReader::with_capacity(1 << 16, file), record: Vec::new() }
    }

    /// Reads the next record; its key, or `None` at the end.
    fn advance(&mut self) -> io::Result<Option<Key>> {
        let mut key = [0; Key::BYTES];
        match self.file.read_exact(&mut key) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut len = [0; 4];
        self.file.read_exact(&mut len)?;
        self.record.resize(u32::from_le_bytes(len) as usize, 0);
        self.file.read_exact(&mut self.record)?;
        Ok(Some(Key::from_bytes(key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_and_unspilled_sorts_agree() {
        let mut state = 7u64;
        let mut records = Vec::new();
        for place in 0..20_000u64 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let time = (state >> 56) as i64 - (1 << 7);
            let key = Key { group: state >> 60, time, rank: state >> 20 & 3, place };
            records.push((key, vec![place as u8; (place % 40) as usize]));
        }
        let sorted = |budget: usize| {
            let mut sorter = Sorter::new(budget);
            for (key, record) in &records {
                sorter.push(*key, record).expect("push");
            }
            let mut out = Vec::new();
            sorter
                .visit(|key, record| {
                    out.push((key, record.to_vec()));
                    Ok::<_, io::Error>(())
                })
                .expect("visit");
            out
        };
        let mut expected = records.clone();
        expected.sort();
        assert!(sorted(1 << 30) == expected);
        assert!(sorted(1 << 16) == expected);
    }
}
