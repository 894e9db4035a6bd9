//! Chrome trace events as JSON, as Chromium, Perfetto and many others write them.
//!
//! Events come in any order, names often last. So a file is read once, event by event, and what
//! it says is put aside, outside memory if it is much. Then it is sorted and handed over in
//! order, track after track: begins and ends become slices, slices are laid out on lanes, points
//! of flows become links. Nothing of this needs a second reading.

mod asyncs;
mod decode;
mod emit;
mod entry;
mod event;
mod flows;
mod metadata;
mod names;
mod outline;
mod parties;
mod phases;
mod problems;
mod scan;
mod slices;
mod types;
mod window;

use onca_model::{Strictness, TimeUnit};

use crate::batch::BatchConsumer;
use crate::reading::{Origin, ReadError, ReadOptions, SourceEnd};
use crate::sort::Key;
use crate::source::{Input, Progress};
use crate::symbols::{Symbol, Symbols};
use asyncs::Operations;
use decode::{Class, Decoder, Here, MICRO};
use emit::Emitter;
use entry::Entry;
use event::Event;
use flows::{Flows, half_of};
use names::{Names, Owner, PointKind};
use outline::Outline;
use parties::ShownNames;
use slices::{Layout, Pairing};
use types::Type;
use window::Window;

/// After this many events the consumer is told what the reader holds.
const EVENTS_PER_REPORT: u64 = 1 << 16;

/// Reads one file and hands its records to the consumer, track after track.
pub fn read(
    input: Input,
    symbols: &Symbols,
    options: ReadOptions,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
) -> Result<SourceEnd, ReadError> {
    let exponent = options.tick_exponent.max(MICRO);
    let mut emitter = Emitter::new(symbols, consumer, progress, options.part);
    let mut decoder = Decoder::new(symbols, exponent, options.memory);
    let mut outline = Outline::new(Window::new(input, options.block_bytes), options.growing);
    decode_all(&mut outline, &mut decoder, &mut emitter, options.strictness)?;
    if !outline.has_events() && !outline.is_unfinished {
        return Err(ReadError::Format("JSON without a list of trace events"));
    }
    if decoder.tick_exponent_needed.is_none() {
        emit_all(decoder, &mut emitter, symbols, options.memory)?;
    }
    let unit = TimeUnit {
        ticks_per_unit: 10u64.pow(u32::from(exponent)),
        name: "s".to_owned(),
        assumed: false,
    };
    Ok(SourceEnd {
        origin: Origin::Said { unit, producer: None, corrected_clocks: false },
        bytes: outline.window.bytes(),
        truncated: outline.truncated,
    })
}

/// Reads all events and puts aside what they say.
fn decode_all(
    outline: &mut Outline,
    decoder: &mut Decoder<'_>,
    emitter: &mut Emitter<'_>,
    strictness: Strictness,
) -> Result<(), ReadError> {
    let mut event = Event::default();
    let mut told = 0;
    while let Some(found) = outline.next(&mut event, &mut decoder.problems)? {
        let window = &outline.window;
        let (offset, position) = (found.offset, found.position);
        decoder.decode(&Here { event: &event, window, offset, position })?;
        let urgent = strictness == Strictness::Strict && !decoder.problems.is_empty();
        if urgent || outline.n_events - told >= EVENTS_PER_REPORT {
            report(decoder, emitter, outline.n_events - told)?;
            told = outline.n_events;
        }
    }
    report(decoder, emitter, outline.n_events - told)
}

/// Tells the consumer of some more events.
fn report(
    decoder: &mut Decoder<'_>,
    emitter: &mut Emitter<'_>,
    n_events: u64,
) -> Result<(), ReadError> {
    let (held, exponent) = (decoder.names.bytes(), decoder.tick_exponent_needed);
    emitter.report(&mut decoder.problems, n_events, held, exponent)
}

/// Hands over what was put aside, in order.
fn emit_all(
    decoder: Decoder<'_>,
    emitter: &mut Emitter<'_>,
    symbols: &Symbols,
    memory: usize,
) -> Result<(), ReadError> {
    let resolution = decoder.resolution();
    let Decoder { names, mut problems, first, mut slices, .. } = decoder;
    let shown = ShownNames::new(&names);
    parties::create_all(emitter, symbols, &names, &shown)?;
    let mut pairing = Pairing::default();
    let mut operations = Operations::default();
    let mut points = Points::default();
    first.visit(|key, bytes| {
        let Some(entry) = Entry::decode(bytes) else { return Ok::<_, ReadError>(()) };
        match Class::of(key.group) {
            (Class::Ends, _) => Ok(pairing.take(key, &entry, &mut slices, &mut problems)?),
            (Class::Async, _) => operations.take(key, &entry, &names, emitter, &mut problems),
            (Class::Points, track) => points.take(key, track, &entry, &names, emitter),
        }
    })?;
    pairing.finish(&mut slices)?;
    let mut flows = Flows::new(symbols, memory);
    let mut layout = Layout {
        emitter: &mut *emitter,
        symbols,
        names: &names,
        shown: &shown,
        problems: &mut problems,
        resolution,
        category_types: names.slices_have_category_types(),
        thread: 0,
        lanes: Vec::new(),
        flows: &mut flows,
        extras: Vec::new(),
    };
    slices.visit(|key, bytes| match Entry::decode(bytes) {
        Some(entry) => layout.take(key, &entry),
        None => Ok(()),
    })?;
    layout.finish()?;
    flows.into_halves(memory)?.visit(|key, bytes| {
        let Some(entry) = Entry::decode(bytes) else { return Ok::<_, ReadError>(()) };
        let type_symbol = emitter.type_symbol(&names, Type::Flow(entry.category))?;
        let pair = emitter.pair_of(Owner::Root, type_symbol);
        let (op, size) = half_of(&entry);
        emitter.half(op, pair, key.time, &entry, size)
    })?;
    emitter.report(&mut problems, 0, names.bytes(), None)
}

/// Hands over instants and values of counters, which come track by track.
#[derive(Default)]
struct Points {
    /// The track at hand and its symbol.
    current: Option<(u32, Symbol)>,
}

impl Points {
    fn take(
        &mut self,
        key: Key,
        track: u32,
        entry: &Entry<'_>,
        names: &Names<'_>,
        emitter: &mut Emitter<'_>,
    ) -> Result<(), ReadError> {
        let known = self.current.filter(|(current, _)| *current == track);
        let of = names.point_tracks[track as usize];
        let pair = match known {
            Some((_, pair)) => pair,
            None => {
                let type_symbol = match of.kind {
                    PointKind::Instant(category) => {
                        emitter.type_symbol(names, Type::instant(of.owner, category))?
                    }
                    PointKind::Counter(counter) => {
                        emitter.type_symbol(names, Type::Counter(counter))?
                    }
                };
                emitter.pair_of(of.owner, type_symbol)
            }
        };
        self.current = Some((track, pair));
        match of.kind {
            PointKind::Instant(_) => emitter.event(pair, key.time, entry),
            PointKind::Counter(_) => {
                emitter.set(pair, key.time, f64::from_bits(entry.number), entry.position)
            }
        }
    }
}
