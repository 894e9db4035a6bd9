//! The Paraver format: a text of numbers (`.prv`), and beside it what they mean (`.pcf`) and what
//! its places are called (`.row`).
//!
//! The header tells all applications, tasks and threads, which become containers. Each line then
//! stands for itself, so that blocks of lines are decoded on all cores. What needs the order of
//! lines is done when blocks are handed over: definitions, the time that a counter counted
//! for, and the processor that a thread is on.

mod companion;
mod decode;
mod header;
mod kind;
mod labels;
mod number;
mod order;
mod places;
mod vocabulary;

use std::io;
use std::ops::ControlFlow;

use onca_model::TimeUnit;

use crate::batch::{Batch, BatchConsumer};
use crate::emit::Emitter;
use crate::lines::{Given, LineReader, note_cut_line};
use crate::pipeline::{self, Decode, Taken};
use crate::reading::{FileList, Origin, ReadError, ReadOptions, SourceEnd};
use crate::source::{Input, Progress, Source};
use crate::symbols::Symbols;
use companion::Companions;
use decode::{Decoder, LinkFields, Note, Trace};
use header::{Header, is_header};
use order::Order;
use places::Places;

pub use companion::trace_of;

/// Some writers put this line before the header.
const NEW_FORMAT: &[u8] = b"new format";

/// Do these first bytes begin a trace?
pub fn is_trace(head: &[u8]) -> bool {
    let rest = match head.strip_prefix(NEW_FORMAT) {
        Some(rest) => rest.trim_ascii_start(),
        None => head,
    };
    is_header(rest)
}

/// Reads a trace and what lies beside it, and hands its records to the consumer in file order. Its
/// files are added to the list, the trace itself first.
pub fn read(
    source: &Source,
    input: Input,
    symbols: &Symbols,
    options: ReadOptions,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
    files: &mut FileList,
) -> Result<SourceEnd, ReadError> {
    files.push(source.path().to_owned());
    let mut lines = LineReader::new(input, options.block_bytes, 0);
    lines.fill_first()?;
    let (header, next_line) = read_header(&mut lines)?;
    let companions = Companions::read(source, options.part, files);
    for batch in &companions.told {
        if consumer.accept(batch).is_break() {
            return Err(ReadError::Stopped);
        }
    }
    let mut opening = Batch { part: options.part, ..Batch::default() };
    let mut out = Emitter { symbols, batch: &mut opening };
    let places = Places::new(&header, &companions.rows, &mut out);
    let trace = Trace {
        symbols,
        labels: companions.labels,
        places,
        fields: LinkFields::new(symbols),
        message_value: symbols.values.intern(b"message"),
    };
    let held_bytes = trace.places.bytes() + trace.labels.bytes;
    opening.held_bytes = held_bytes;
    if consumer.accept(&opening).is_break() {
        return Err(ReadError::Stopped);
    }
    drop(opening);
    let order = Order::new(options.part, next_line, held_bytes);
    let blocks = Blocks { lines, offset: 0 };
    let decoding = Decoding { trace: &trace };
    let (blocks, order) =
        pipeline::run(&decoding, blocks, order, options.threads, progress, consumer)?;
    if order.finish(consumer).is_break() {
        return Err(ReadError::Stopped);
    }
    let unit =
        TimeUnit { ticks_per_unit: header.ticks_per_second, name: "s".to_owned(), assumed: false };
    Ok(SourceEnd {
        origin: Origin::Said { unit, producer: None, corrected_clocks: false },
        bytes: blocks.lines.bytes(),
        truncated: blocks.lines.truncated(),
    })
}

/// Reads the first lines up to the header; the number of the line after it.
fn read_header(lines: &mut LineReader) -> Result<(Header, u64), ReadError> {
    for number in 1.. {
        if lines.pos >= lines.len {
            if lines.ended {
                break;
            }
            lines.refill()?;
            continue;
        }
        let text = &lines.buffer[lines.pos..lines.len];
        let len = memchr::memchr(b'\n', text).unwrap_or(text.len());
        let line = text[..len].trim_ascii();
        let header = is_header(line).then(|| Header::parse(line));
        let known = line.is_empty() || line == NEW_FORMAT;
        lines.pos += len + 1;
        match header {
            Some(header) => return Ok((header?, number + 1)),
            None if known => {}
            None => break,
        }
    }
    Err(ReadError::Invalid("the trace does not begin with the header of Paraver".to_owned()))
}

/// Blocks of lines, and where the next one begins.
struct Blocks {
    lines: LineReader,
    offset: u64,
}

/// A block of lines.
enum Block {
    Lines {
        given: Given,
        /// Where it begins, after the header.
        offset: u64,
    },
    /// Nothing but problems.
    Done,
}

struct Decoding<'a> {
    trace: &'a Trace<'a>,
}

impl<'a> Decode for Decoding<'a> {
    type Source = Blocks;
    type Piece = Block;
    type Worker = Decoder<'a>;
    type Note = Note;
    type Order = Order;

    fn worker(&self) -> Decoder<'a> {
        Decoder::new(self.trace)
    }

    fn take(&self, blocks: &mut Blocks, batch: &mut Batch) -> io::Result<Taken<Block>> {
        let Blocks { lines, offset } = blocks;
        loop {
            if lines.hand_out_pending(batch) {
                return Ok(Taken::Piece(Block::Done));
            }
            if lines.pos < lines.len {
                let given = lines.hand_out_lines(batch, lines.len);
                let block = Block::Lines { given, offset: *offset };
                *offset += given.len as u64;
                return Ok(Taken::Piece(block));
            }
            if lines.ended {
                return Ok(match lines.hand_out_cut(batch) {
                    true => Taken::Piece(Block::Done),
                    false => Taken::End,
                });
            }
            lines.refill()?;
        }
    }

    fn decode(&self, decoder: &mut Decoder<'a>, block: Block, batch: &mut Batch) -> Note {
        let Block::Lines { given, offset } = block else { return Note::default() };
        let note = decoder.decode(batch, given.len, offset);
        if given.cut {
            note_cut_line(batch, given.len, Some("the line is taken as it is"));
        }
        note
    }

    fn hand_over(
        &self,
        order: &mut Order,
        note: Note,
        batch: &mut Batch,
        consumer: &mut dyn BatchConsumer,
    ) -> ControlFlow<()> {
        order.hand_over(self.trace, note, batch, consumer)
    }
}
