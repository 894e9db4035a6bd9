//! Tiny archives for tests, written record by record.

use std::convert::Infallible;
use std::fs;

use onca_generate::otf2::{ByteOrder, Field, FileWriter};
use onca_model::{Code, ContainerId, Diagnostics, Strictness, display_text};
use onca_simulate::{DriveError, DriveOptions, Driven};

use super::support::{Rows, try_read};
use Field::{C32, C64, Text, U8, U64};

const CHUNK: usize = 1 << 16;

/// An archive of some processes, each with one thread, and two regions.
pub struct Tiny {
    definitions: FileWriter,
    clock: bool,
    events: Vec<FileWriter>,
}

impl Tiny {
    pub fn new(locations: u32) -> Self {
        let file = || FileWriter::new(ByteOrder::Little, CHUNK);
        let mut tiny = Self {
            definitions: file(),
            clock: true,
            events: (0..locations).map(|_| file()).collect(),
        };
        tiny.define(10, &[C32(0), Text("thing")]);
        tiny.define(10, &[C32(1), Text("other")]);
        tiny.define(12, &[C32(0), C32(0), C32(0), C32(u32::MAX)]);
        for (region, name) in [(0, 0), (1, 1)] {
            let fields = [C32(region), C32(name), C32(0), U8(0), C32(u32::MAX), C32(0), C32(0)];
            tiny.define(15, &fields);
        }
        for location in 0..locations {
            tiny.define(13, &[C32(location), C32(0), U8(1), C32(0)]);
            let id = C64(location.into());
            tiny.define(14, &[id, C32(0), U8(1), C64(1), C32(location)]);
        }
        for kind in [4, 5] {
            let mut fields = vec![C32(kind), C32(0), U8(0), C32(locations)];
            fields.extend((0..locations).map(|member| C64(member.into())));
            fields.extend([U8(kind as u8), U8(4), C32(0)]);
            tiny.define(18, &fields);
        }
        tiny.define(22, &[C32(0), C32(0), C32(5), C32(u32::MAX)]);
        tiny
    }

    pub fn define(&mut self, kind: u8, fields: &[Field<'_>]) {
        self.definitions.definition(kind, fields);
    }

    /// The archive does not tell its clock.
    pub fn without_clock(&mut self) {
        self.clock = false;
    }

    pub fn event(&mut self, location: usize, time: u64, kind: u8, fields: &[Field<'_>]) {
        self.events[location].event(time, kind, fields);
    }

    pub fn read(&self, strictness: Strictness) -> Driven<Rows> {
        self.try_read(strictness).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_read(&self, strictness: Strictness) -> Result<Driven<Rows>, DriveError<Infallible>> {
        let folder = tempfile::tempdir().expect("folder");
        let events = folder.path().join("tiny");
        fs::create_dir(&events).expect("folder");
        for (location, file) in self.events.iter().enumerate() {
            let path = events.join(format!("{location}.evt"));
            fs::write(path, file.clone().finish()).expect("events");
        }
        let mut definitions = self.definitions.clone();
        if self.clock {
            definitions.definition(5, &[C64(1_000_000), C64(0), C64(100)]);
        }
        fs::write(folder.path().join("tiny.def"), definitions.finish()).expect("definitions");
        let chunk = U64(CHUNK as u64);
        let mut anchor = FileWriter::without_chunks(ByteOrder::Little);
        anchor.fields(&[
            Text("OTF2"),
            U8(1),
            U8(1),
            U8(3),
            U8(0),
            U8(0),
            chunk,
            chunk,
            U8(1),
            U8(1),
        ]);
        anchor.fields(&[U64(self.events.len() as u64), U64(0), Text(""), Text(""), Text("")]);
        let path = folder.path().join("tiny.otf2");
        fs::write(&path, anchor.finish()).expect("anchor");
        try_read(&path, &DriveOptions { strictness, ..DriveOptions::default() })
    }
}

/// The codes of all problems, without those that only tell how the trace ended.
pub fn codes(driven: &Driven<Rows>) -> Vec<Code> {
    driven.catalog.diagnostics.iter().map(|(code, _)| code).collect()
}

/// How many problems there are of a code.
pub fn count_of(diagnostics: &Diagnostics, code: Code) -> u64 {
    diagnostics.get(code).map_or(0, |tally| tally.count)
}

/// Times, ends and sizes of all links, in order.
pub fn links(driven: &Driven<Rows>) -> Vec<(i64, i64, String, String, Option<u64>)> {
    let name = |container: Option<ContainerId>| match container {
        Some(container) => {
            display_text(driven.catalog.containers.aliases.get(container.index())).into_owned()
        }
        None => "nobody".to_owned(),
    };
    let mut links: Vec<_> = driven
        .sink
        .links
        .iter()
        .map(|link| (link.start, link.end, name(link.source), name(link.destination), link.size))
        .collect();
    links.sort();
    links
}

/// One of them.
pub fn link(
    start: i64,
    end: i64,
    source: &str,
    destination: &str,
    size: u64,
) -> (i64, i64, String, String, Option<u64>) {
    (start, end, source.to_owned(), destination.to_owned(), Some(size))
}
