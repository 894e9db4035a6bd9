//! The program as an OTF2 archive.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Activity, NAMES, Operation, Program};
use crate::otf2::{ByteOrder, Field, FileWriter, anchor_file};
use crate::{GenerateError, Written};
use Field::{C32, C64, Text, U8};

const CHUNK: usize = 1 << 20;
/// The clock at the beginning of the trace.
const START: u64 = 1_000;
const RESOLUTION: u64 = 1_000_000_000;

pub(super) fn write(program: &Program, folder: &Path) -> Result<(PathBuf, Written), GenerateError> {
    let events = folder.join("traces");
    fs::create_dir_all(&events)?;
    let n = program.activities.len() as u64;
    let mut written = Written { containers: 3 + 2 * n, ..Written::default() };
    for (rank, activities) in program.activities.iter().enumerate() {
        let bytes = location(program, activities, &mut written);
        fs::write(events.join(format!("{rank}.evt")), &bytes)?;
        written.bytes += bytes.len() as u64;
    }
    written.links = program.messages.len() as u64;
    written.end_ticks = program.clocks.iter().copied().max().unwrap_or(0);
    let (definitions, n_definitions) = definitions(program);
    fs::write(folder.join("traces.def"), definitions)?;
    let anchor = folder.join("traces.otf2");
    fs::write(&anchor, anchor_file((ByteOrder::Little, CHUNK), (n, n_definitions), "a program"))?;
    Ok((anchor, written))
}

fn location(program: &Program, activities: &[Activity], written: &mut Written) -> Vec<u8> {
    let mut file = FileWriter::new(ByteOrder::Little, CHUNK);
    let mut event = |time: i64, kind: u8, fields: &[Field<'_>]| {
        file.event(START + time as u64, kind, fields);
        written.records += 1;
    };
    for activity in activities {
        let region = C32(activity.doing.index() as u32);
        event(activity.from, 12, &[region]);
        for &message in &activity.sends {
            let it = program.messages[message as usize];
            let (to, communicator, tag) = (C32(it.to), C32(0), C32(it.tag));
            match it.is_begun {
                true => {
                    let request = C64(message.into());
                    event(activity.from, 15, &[to, communicator, tag, C64(it.bytes), request]);
                }
                false => event(activity.from, 14, &[to, communicator, tag, C64(it.bytes)]),
            }
        }
        if activity.operation.is_some() {
            event(activity.from, 22, &[]);
        }
        // The number of a message is that of its request. It is told somewhere inside the call.
        for &message in &activity.posts {
            event(activity.from.midpoint(activity.to), 17, &[C64(message.into())]);
        }
        for &message in &activity.takes {
            let it = program.messages[message as usize];
            let (from, communicator, tag) = (C32(it.from), C32(0), C32(it.tag));
            match it.is_posted {
                true => {
                    let request = C64(message.into());
                    event(activity.to, 19, &[from, communicator, tag, C64(it.bytes), request]);
                }
                false => event(activity.to, 18, &[from, communicator, tag, C64(it.bytes)]),
            }
        }
        for &message in &activity.completes {
            event(activity.to, 16, &[C64(message.into())]);
        }
        if let (Some((communicator, _, root)), super::Doing::Collective(operation)) =
            (activity.operation, activity.doing)
        {
            let root = C32(root.unwrap_or(u32::MAX));
            event(activity.to, 23, &[U8(code(operation)), C32(communicator), root, C64(8), C64(8)]);
            written.states += 1;
        }
        event(activity.to, 13, &[region]);
        written.states += 1;
        let key = ("Region".to_owned(), NAMES[activity.doing.index()].to_owned());
        *written.ticks_per_value.entry(key).or_insert(0) += activity.to - activity.from;
    }
    file.finish()
}

/// The number of an operation in an archive.
fn code(operation: Operation) -> u8 {
    match operation {
        Operation::Barrier => 0,
        Operation::Bcast => 1,
        Operation::Alltoall => 8,
        Operation::Allreduce => 11,
        Operation::Reduce => 12,
        Operation::Scan => 14,
    }
}

/// The global definitions, and how many there are.
fn definitions(program: &Program) -> (Vec<u8>, u64) {
    let mut file = FileWriter::new(ByteOrder::Little, CHUNK);
    let (mut strings, mut n) = (0u32, 0);
    let mut define = |kind: u8, fields: &[Field<'_>]| {
        file.definition(kind, fields);
        n += 1;
    };
    let mut string = |define: &mut dyn FnMut(u8, &[Field<'_>]), text: &str| {
        define(10, &[C32(strings), Text(text)]);
        strings += 1;
        strings - 1
    };
    let length = program.clocks.iter().copied().max().unwrap_or(0) as u64;
    define(5, &[C64(RESOLUTION), C64(START), C64(length), C64(u64::MAX)]);
    let empty = string(&mut define, "");
    let (machine, node) = (string(&mut define, "machine"), string(&mut define, "node"));
    define(12, &[C32(0), C32(machine), C32(machine), C32(u32::MAX)]);
    define(12, &[C32(1), C32(node), C32(node), C32(0)]);
    for (id, name) in (0u32..).zip(NAMES) {
        let name = string(&mut define, name);
        let (name, empty) = (C32(name), C32(empty));
        let none = C32(u32::MAX);
        let fields =
            [C32(id), name, empty, U8(0), none, C32(0), C32(0), name, U8(1), U8(1), C32(0)];
        define(15, &fields);
    }
    for (rank, activities) in (0u32..).zip(&program.activities) {
        let name = string(&mut define, &format!("MPI Rank {rank}"));
        define(13, &[C32(rank), C32(name), U8(1), C32(1), C32(u32::MAX)]);
        let thread = string(&mut define, "Master thread");
        let events = C64(2 * activities.len() as u64);
        define(14, &[C64(rank.into()), C32(thread), U8(1), events, C32(rank)]);
    }
    let all: Vec<u32> = (0..program.activities.len() as u32).collect();
    let group = |id: u32, kind: u8, members: &[u32]| {
        let mut fields = vec![C32(id), C32(empty), U8(kind), C32(members.len() as u32)];
        fields.extend(members.iter().map(|member| C64((*member).into())));
        fields.extend([U8(kind), U8(4), C32(0)]);
        fields
    };
    // The locations, then the members of each communicator.
    define(18, &group(0, 4, &all));
    for (id, members) in (1u32..).zip(&program.communicators) {
        define(18, &group(id, 5, members));
    }
    for (id, name) in (0u32..).zip(["MPI_COMM_WORLD", "even ranks", "odd ranks"]) {
        let name = string(&mut define, name);
        define(22, &[C32(id), C32(name), C32(id + 1), C32(u32::MAX), C32(0)]);
    }
    (file.finish(), n)
}
