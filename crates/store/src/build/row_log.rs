//! Rows that were put aside while memory was short.

use std::{cmp::Reverse, collections::BinaryHeap, fs::File};

use crate::{
    build::runs::{RunFile, RunReader},
    error::Result,
    format::block::field,
};

const PIECE_HEADER: usize = 20;

/// What stands before the rows and texts of a piece.
pub(crate) fn piece_header(lane: u32, rows: usize, cold: usize) -> [u8; PIECE_HEADER] {
    let mut header = [0; PIECE_HEADER];
    header[..4].copy_from_slice(&lane.to_le_bytes());
    header[4..12].copy_from_slice(&(rows as u64).to_le_bytes());
    header[12..].copy_from_slice(&(cold as u64).to_le_bytes());
    header
}

/// The log, read lane by lane: within a lane, the pieces come in the order they were written.
pub(crate) struct Pieces {
    file: Option<File>,
    readers: Vec<RunReader>,
    /// Lane, run, lengths of rows and texts of the next piece of each run.
    heads: BinaryHeap<Reverse<(u32, usize, u64, u64)>>,
}

/// Rows and texts of a lane.
pub(crate) struct Piece {
    pub rows: Vec<u8>,
    pub cold: Vec<u8>,
}

impl Pieces {
    pub(crate) fn open(log: RunFile, memory: usize) -> Result<Self> {
        let (file, readers) = log.into_readers(memory)?;
        let mut pieces = Self { file, readers, heads: BinaryHeap::new() };
        for run in 0..pieces.readers.len() {
            pieces.read_head(run)?;
        }
        Ok(pieces)
    }

    fn read_head(&mut self, run: usize) -> Result<()> {
        let (Some(file), reader) = (&self.file, &mut self.readers[run]) else { return Ok(()) };
        if !reader.is_done() {
            let header = reader.next(file, PIECE_HEADER)?;
            let lane = u32::from_le_bytes(field(header, 0));
            let rows = u64::from_le_bytes(field(header, 4));
            let cold = u64::from_le_bytes(field(header, 12));
            self.heads.push(Reverse((lane, run, rows, cold)));
        }
        Ok(())
    }

    /// The next piece of a lane, if it has one more. Lanes are asked for in order.
    pub(crate) fn next_of(&mut self, lane: u32) -> Result<Option<Piece>> {
        let (Some(file), Some(&Reverse((next, run, rows, cold)))) = (&self.file, self.heads.peek())
        else {
            return Ok(None);
        };
        if next != lane {
            return Ok(None);
        }
        self.heads.pop();
        let reader = &mut self.readers[run];
        let rows = reader.next(file, rows as usize)?.to_vec();
        let cold = reader.next(file, cold as usize)?.to_vec();
        self.read_head(run)?;
        Ok(Some(Piece { rows, cold }))
    }
}
