//! The Pajé format.
//!
//! Pieces are blocks of lines. Whoever takes one reads the header lines in it, in file order.

mod blocks;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only `short` uses all"))]
mod cache;
mod color;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only `short` uses all"))]
mod decode;
mod event;
mod growing;
mod header;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only `short` uses all"))]
mod layout;
mod locate;
mod rare;
#[cfg(target_arch = "x86_64")]
mod short;
mod token;
#[cfg(target_arch = "x86_64")]
mod window;

use std::io;
use std::ops::ControlFlow;

use onca_model::Strictness;

use crate::batch::{Batch, BatchConsumer};
use crate::lines::note_cut_line;
use crate::pipeline::{self, Decode, Taken};
use crate::reading::{ReadError, ReadOptions};
use crate::source::{Input, Progress};
use crate::symbols::Symbols;
use blocks::{Block, BlockReader};
use decode::Decoder;
pub use growing::GrowingText;
pub(crate) use header::SIZE_FIELDS;
use layout::Layouts;

/// Event definitions that a part of a trace inherits from the file that names it.
#[derive(Clone, Default)]
pub struct Definitions(Layouts);

/// What was learnt about a file besides its records.
pub struct FileEnd {
    /// The definitions in force at its end.
    pub definitions: Definitions,
    /// Its first bytes: comments in them tell who wrote it.
    pub head: Vec<u8>,
    /// Its length in bytes, decompressed.
    pub bytes: u64,
    /// The compressed stream was cut.
    pub truncated: bool,
}

/// Reads one file and hands its records to the consumer in file order.
pub fn read(
    input: Input,
    symbols: &Symbols,
    inherited: Definitions,
    options: ReadOptions,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
) -> Result<FileEnd, ReadError> {
    let strict = options.strictness == Strictness::Strict;
    let mut blocks = BlockReader::new(input, inherited.0.inherit(), strict, options.block_bytes);
    blocks.fill_first().map_err(ReadError::Io)?;
    let lines = Lines { symbols, options };
    let (blocks, _) = pipeline::run(&lines, blocks, 1, options.threads, progress, consumer)?;
    Ok(FileEnd {
        definitions: Definitions(blocks.layouts().clone()),
        head: blocks.lines().head().to_vec(),
        bytes: blocks.lines().bytes(),
        truncated: blocks.lines().truncated(),
    })
}

/// Decodes blocks of lines. Header lines are read when a block is taken, in file order.
struct Lines<'a> {
    symbols: &'a Symbols,
    options: ReadOptions,
}

impl<'a> Decode for Lines<'a> {
    type Source = BlockReader;
    type Piece = Block;
    type Worker = Decoder<'a>;
    type Note = ();
    /// The number of the next line.
    type Order = u64;

    fn worker(&self) -> Decoder<'a> {
        // A quarter for the caches of all threads.
        let cache_bytes = self.options.memory / self.options.threads.max(1) / 4;
        let decoder = Decoder::new(self.symbols, self.options.tick_exponent, cache_bytes);
        match self.options.pedantic {
            true => decoder.checking_types(),
            false => decoder,
        }
    }

    fn take(&self, blocks: &mut BlockReader, batch: &mut Batch) -> io::Result<Taken<Block>> {
        Ok(blocks.next(batch, self.symbols)?.map_or(Taken::End, Taken::Piece))
    }

    fn decode(&self, decoder: &mut Decoder<'a>, block: Block, batch: &mut Batch) {
        if let Block::Lines { len, layouts, cut } = block {
            decoder.decode(batch, len, &layouts);
            if cut {
                // Whether all that it names is known, the simulator finds out.
                note_cut_line(batch, len, None);
                batch.cut = true;
            }
        }
    }

    fn hand_over(
        &self,
        next_line: &mut u64,
        (): (),
        batch: &mut Batch,
        consumer: &mut dyn BatchConsumer,
    ) -> ControlFlow<()> {
        batch.first_line = *next_line;
        batch.part = self.options.part;
        *next_line += batch.n_lines;
        consumer.accept(batch)
    }
}
