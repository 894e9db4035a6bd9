//! OTF2 archives: a ring of processes that compute, pass a message on and reduce.

mod file;

use std::fs;
use std::path::{Path, PathBuf};

pub use file::{ByteOrder, Field, FileWriter};

use crate::{GenerateError, Written, require};
use Field::{C32, C64, I64, Text, U8, U64};

/// How large the archive is and how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Processes, each with one thread.
    pub locations: u32,
    /// Events of all processes, about.
    pub events: u64,
    /// How numbers are ordered.
    pub order: ByteOrder,
    /// Bytes of a chunk.
    pub chunk: usize,
    /// Local ids differ from global ones, and each location has a table that maps them.
    pub mapped: bool,
    /// Clocks are off by this many ticks for each location, and offsets say so.
    pub clock_step: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            locations: 64,
            events: 3_800_000,
            order: ByteOrder::Little,
            chunk: 1 << 20,
            mapped: false,
            clock_step: 0,
        }
    }
}

/// Ticks per second.
pub const RESOLUTION: u64 = 1_000_000_000;
/// The clock at the beginning of the trace.
pub const START: u64 = 5_000_000;
/// Ticks that one iteration takes.
const ITERATION: u64 = 10_000;
/// Events of one iteration, and of one that ends with a reduction.
const PER_ITERATION: u64 = 9;
const PER_REDUCTION: u64 = 4;
/// A reduction comes after this many iterations.
const REDUCE_EVERY: u64 = 8;

const REGIONS: [&str; 4] = ["compute", "MPI_Send", "MPI_Recv", "MPI_Allreduce"];
/// Local ids are so much larger than global ones.
const LOCAL_SHIFT: u32 = 100;

/// Writes an archive into a folder, which is made; the path of its anchor, and what was written.
pub fn write(options: &Options, folder: &Path) -> Result<(PathBuf, Written), GenerateError> {
    require((2..=1_000_000).contains(&options.locations), || {
        "the number of locations must be from 2 to 1,000,000".to_owned()
    })?;
    require((4096..=16 << 20).contains(&options.chunk), || {
        "a chunk must be of 4 KiB to 16 MiB".to_owned()
    })?;
    let events_folder = folder.join("traces");
    fs::create_dir_all(&events_folder)?;
    let mut written =
        Written { containers: 3 + 2 * u64::from(options.locations), ..Written::default() };
    for location in 0..options.locations {
        let events = location_events(options, location, &mut written);
        fs::write(events_folder.join(format!("{location}.evt")), &events)?;
        written.bytes += events.len() as u64;
        if options.mapped || options.clock_step > 0 {
            let local = local_definitions(options, location);
            fs::write(events_folder.join(format!("{location}.def")), local)?;
        }
    }
    let (definitions, n_definitions) = definitions(options);
    fs::write(folder.join("traces.def"), definitions)?;
    let anchor = folder.join("traces.otf2");
    let counts = (options.locations.into(), n_definitions);
    fs::write(&anchor, anchor_file((options.order, options.chunk), counts, "a ring"))?;
    Ok((anchor, written))
}

fn iterations(options: &Options) -> u64 {
    let share = options.events / u64::from(options.locations);
    (share * REDUCE_EVERY / (PER_ITERATION * REDUCE_EVERY + PER_REDUCTION)).max(1)
}

/// What the clock of a location shows at a moment of the run.
fn clock(options: &Options, location: u32, moment: u64) -> u64 {
    START + moment + options.clock_step * u64::from(location)
}

fn location_events(options: &Options, location: u32, written: &mut Written) -> Vec<u8> {
    let mut file = FileWriter::new(options.order, options.chunk);
    let local = |id: u32| C32(if options.mapped { id + LOCAL_SHIFT } else { id });
    let (right, left) = (
        (location + 1) % options.locations,
        (location + options.locations - 1) % options.locations,
    );
    let mut event = |moment: u64, kind: u8, fields: &[Field<'_>]| {
        file.event(clock(options, location, moment), kind, fields);
        written.records += 1;
        written.end_ticks = written.end_ticks.max(moment as i64);
    };
    let mut totals = [0i64; REGIONS.len()];
    for iteration in 0..iterations(options) {
        let start = iteration * ITERATION;
        // Longer for some than for others, and never the same.
        let compute = 3_000 + (u64::from(location) * 37 + iteration * 101) % 1_000;
        let mut region = |id: u32, from: u64, to: u64, inside: Option<(u8, [Field<'_>; 4])>| {
            event(start + from, 12, &[local(id)]);
            if let Some((kind, fields)) = inside {
                event(start + to, kind, &fields);
            }
            event(start + to, 13, &[local(id)]);
            totals[id as usize] += (to - from) as i64;
        };
        let tag = (iteration % 4) as u32;
        let bytes = 1_000 + u64::from(location);
        let left_bytes = 1_000 + u64::from(left);
        region(0, 0, compute, None);
        let send = [C32(right), C32(0), C32(tag), C64(bytes)];
        region(1, 4_100, 4_200, Some((14, send)));
        let receive = [C32(left), C32(0), C32(tag), C64(left_bytes)];
        region(2, 4_300, 5_000, Some((18, receive)));
        event(start + 5_000, 31, &[C32(0), U8(1), U8(4), C64(iteration)]);
        if (iteration + 1).is_multiple_of(REDUCE_EVERY) {
            event(start + 6_000, 12, &[local(3)]);
            event(start + 6_000, 22, &[]);
            event(start + 7_000, 23, &[U8(11), C32(0), C32(u32::MAX), C64(8), C64(8)]);
            event(start + 7_000, 13, &[local(3)]);
            totals[3] += 1_000;
            written.states += 2;
        }
        written.states += 3;
        written.links += 1;
        written.variables += 1;
    }
    for (name, total) in REGIONS.iter().zip(totals).filter(|(_, total)| *total > 0) {
        let key = ("Region".to_owned(), (*name).to_owned());
        *written.ticks_per_value.entry(key).or_insert(0) += total;
    }
    file.finish()
}

fn local_definitions(options: &Options, location: u32) -> Vec<u8> {
    let mut file = FileWriter::new(options.order, options.chunk);
    if options.mapped {
        let mut fields = vec![U8(3), C64(REGIONS.len() as u64), U8(1)];
        for id in 0..REGIONS.len() as u64 {
            fields.extend([C64(id + u64::from(LOCAL_SHIFT)), C64(id)]);
        }
        file.definition(5, &fields);
    }
    if options.clock_step > 0 {
        let off = (options.clock_step * u64::from(location)) as i64;
        for moment in [0, iterations(options) * ITERATION] {
            let time = clock(options, location, moment);
            file.definition(6, &[U64(time), I64(-off), U64(0)]);
        }
    }
    file.finish()
}

/// The global definitions, and how many there are.
fn definitions(options: &Options) -> (Vec<u8>, u64) {
    let mut file = FileWriter::new(options.order, options.chunk);
    let mut strings = 0u32;
    let mut n = 0;
    let mut define = |kind: u8, fields: &[Field<'_>]| {
        file.definition(kind, fields);
        n += 1;
    };
    let mut string = |define: &mut dyn FnMut(u8, &[Field<'_>]), text: &str| {
        define(10, &[C32(strings), Text(text)]);
        strings += 1;
        strings - 1
    };
    let length = iterations(options) * ITERATION;
    define(5, &[C64(RESOLUTION), C64(START), C64(length), C64(u64::MAX)]);
    let empty = string(&mut define, "");
    let (machine, node) = (string(&mut define, "machine"), string(&mut define, "node"));
    define(12, &[C32(0), C32(machine), C32(machine), C32(u32::MAX)]);
    define(12, &[C32(1), C32(node), C32(node), C32(0)]);
    let source = string(&mut define, "ring.c");
    for (id, name) in (0u32..).zip(REGIONS) {
        let name = string(&mut define, name);
        let line = C32(10 + id);
        let role = U8(1);
        define(
            15,
            &[
                C32(id),
                C32(name),
                C32(empty),
                U8(0),
                C32(source),
                line,
                line,
                C32(name),
                role,
                U8(1),
                C32(0),
            ],
        );
    }
    for location in 0..options.locations {
        let name = string(&mut define, &format!("MPI Rank {location}"));
        define(13, &[C32(location), C32(name), U8(1), C32(1), C32(u32::MAX)]);
        let thread = string(&mut define, "Master thread");
        let events = C64(iterations(options) * PER_ITERATION);
        define(14, &[C64(location.into()), C32(thread), U8(1), events, C32(location)]);
    }
    let members = |kind: u8| {
        let mut fields = vec![C32(kind.into()), C32(empty), U8(kind), C32(options.locations)];
        fields.extend((0..options.locations).map(|member| C64(member.into())));
        fields.extend([U8(kind), U8(4), C32(0)]);
        fields
    };
    define(18, &members(4));
    define(18, &members(5));
    let world = string(&mut define, "MPI_COMM_WORLD");
    define(22, &[C32(0), C32(world), C32(5), C32(u32::MAX), C32(0)]);
    let metric = string(&mut define, "iteration");
    define(19, &[C32(0), C32(metric), C32(empty), U8(0), U8(1), U8(4), U8(1), I64(0), C32(empty)]);
    define(20, &[C32(0), U8(1), C32(0), U8(2), U8(0)]);
    (file.finish(), n)
}

/// The anchor of an archive: what it is called, in chunks of which size, how many locations and definitions it has.
pub(crate) fn anchor_file(
    (order, chunk): (ByteOrder, usize),
    (n_locations, n_definitions): (u64, u64),
    description: &str,
) -> Vec<u8> {
    let chunk = U64(chunk as u64);
    let mut file = FileWriter::without_chunks(order);
    file.fields(&[
        Text("OTF2"),
        U8(3),
        U8(2),
        U8(3),
        U8(0),
        U8(2),
        chunk,
        chunk,
        U8(1),
        U8(1),
        U64(n_locations),
        U64(n_definitions),
        Text("here"),
        Text("onca generate"),
        Text(description),
        Field::U32(0),
        U64(1),
        Field::U32(0),
        Field::U32(0),
    ]);
    file.finish()
}
