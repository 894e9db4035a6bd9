//! A file of Pajé that is read while it is written.

use super::{BlockReader, Definitions, Lines};
use crate::batch::BatchConsumer;
use crate::pipeline;
use crate::reading::{Origin, ReadError, ReadOptions};
use crate::source::{Input, Progress};
use crate::symbols::Symbols;
use onca_model::Strictness;

/// A text that grows. Its input gives no bytes where there are none yet, and may give some when it is asked
/// again. A line counts when its newline is there.
pub struct GrowingText<'a> {
    lines: Lines<'a>,
    /// None after a failure.
    blocks: Option<BlockReader>,
    next_line: u64,
    has_begun: bool,
}

impl<'a> GrowingText<'a> {
    /// A text of which nothing was read.
    pub fn new(input: Input, symbols: &'a Symbols, options: ReadOptions) -> Self {
        let strict = options.strictness == Strictness::Strict;
        let inherited = Definitions::default().0.inherit();
        let mut blocks = BlockReader::new(input, inherited, strict, options.block_bytes);
        blocks.set_growing(true);
        let lines = Lines { symbols, options };
        Self { lines, blocks: Some(blocks), next_line: 1, has_begun: false }
    }

    /// Hands over the records of all lines that are there.
    pub fn read_on(
        &mut self,
        progress: &Progress,
        consumer: &mut dyn BatchConsumer,
    ) -> Result<(), ReadError> {
        let mut blocks = self.blocks.take().ok_or(ReadError::Stopped)?;
        if !std::mem::replace(&mut self.has_begun, true) {
            blocks.fill_first().map_err(ReadError::Io)?;
        }
        // Threads and what they need are made for every reading.
        if !blocks.is_ready().map_err(ReadError::Io)? {
            self.blocks = Some(blocks);
            return Ok(());
        }
        let threads = self.lines.options.threads;
        let ran = pipeline::run(&self.lines, blocks, self.next_line, threads, progress, consumer);
        let (blocks, next_line) = ran?;
        self.next_line = next_line;
        self.blocks = Some(blocks);
        Ok(())
    }

    /// Nothing more will come: what is left is the last line, and the next reading the last one.
    pub fn end(&mut self) {
        if let Some(blocks) = &mut self.blocks {
            blocks.set_growing(false);
        }
    }

    /// Bytes that were read, those of a line without its newline included.
    pub fn bytes(&self) -> u64 {
        self.blocks.as_ref().map_or(0, |blocks| blocks.lines().bytes())
    }

    /// Bytes of a line whose newline is not there yet.
    pub fn unfinished(&self) -> usize {
        self.blocks.as_ref().map_or(0, |blocks| blocks.lines().unfinished())
    }

    /// What its first bytes tell of who wrote it.
    pub fn origin(&self) -> Origin {
        let head = self.blocks.as_ref().map(|blocks| blocks.lines().head().to_vec());
        Origin::Unsaid { head: head.unwrap_or_default() }
    }
}
