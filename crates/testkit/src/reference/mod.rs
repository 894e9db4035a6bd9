//! The interpreter: definitions and references in file order first, then every track in time order.
//!
//! The order of the checks of one record is fixed, and the first error ends it:
//! tokens, time, owner or parent container, type, number or other container, reserved names,
//! duplicates. Repairs met on the way are counted even if an error follows; remarks about how
//! the resolved objects relate to each other are counted for accepted records only.

mod checks;
mod containers;
mod definitions;
mod header;
mod links;
mod records;
mod references;
mod tracks;

use std::collections::{BTreeMap, BTreeSet};

use self::header::swallowed_definition;
use self::links::LinkHalf;
use self::tracks::TrackRecord;
use crate::header::Layout;
use crate::model::{Container, DiagnosticTally, Nature, Trace, Type};
use crate::token::first_nonblank;

const ROOT: usize = 0;
const LONGEST_LINE: usize = 64 << 20;

/// Interprets a whole plain-text trace of one file.
pub fn interpret(bytes: &[u8]) -> Trace {
    let mut reader = Reader::new();
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let last_line_is_cut = lines.last().is_some_and(|last| !last.is_empty());
    if !last_line_is_cut {
        lines.pop();
    }
    let count = lines.len();
    for (index, line) in lines.into_iter().enumerate() {
        reader.line = index as u64 + 1;
        reader.line_is_cut = last_line_is_cut && index + 1 == count;
        let is_record = reader.read_line(line);
        if is_record && reader.line_is_cut {
            reader.tally("truncated");
        }
    }
    reader.finish()
}

/// The code of the error that makes a record unusable.
type Refused = &'static str;

struct Reader {
    line: u64,
    /// No newline ends the line: names that are new may be halves of others, and cost the line.
    line_is_cut: bool,
    trace: Trace,
    block: Option<Layout>,
    /// What a comment on the previous line would define, see `swallowed_definition`.
    swallowed: Option<(Vec<u8>, Vec<u8>)>,
    layouts: Vec<Layout>,
    types_by_identifier: BTreeMap<Vec<u8>, Vec<usize>>,
    containers_by_identifier: BTreeMap<Vec<u8>, Vec<usize>>,
    children: Vec<Vec<usize>>,
    values_by_identifier: BTreeMap<(usize, Vec<u8>), usize>,
    types_met_by_name: BTreeSet<usize>,
    containers_met_by_name: BTreeSet<usize>,
    values_met_by_name: BTreeSet<(usize, Vec<u8>)>,
    tracks: BTreeMap<(usize, usize), Vec<TrackRecord>>,
    link_halves: BTreeMap<(usize, usize, Vec<u8>), Vec<LinkHalf>>,
    latest: Option<i64>,
}

impl Reader {
    fn new() -> Reader {
        let root_type = Type {
            parent: None,
            nature: Nature::Container,
            name: b"0".to_vec(),
            alias: None,
            link_ends: None,
        };
        let root_container = Container {
            parent: None,
            type_index: ROOT,
            name: b"0".to_vec(),
            alias: None,
            start: 0,
            end: 0,
            destroyed: None,
            extras: Vec::new(),
        };
        Reader {
            line: 0,
            line_is_cut: false,
            trace: Trace {
                types: vec![root_type],
                containers: vec![root_container],
                values: Vec::new(),
                states: Vec::new(),
                variables: Vec::new(),
                events: Vec::new(),
                links: Vec::new(),
                diagnostics: BTreeMap::new(),
                records: 0,
                lost: 0,
                end: 0,
            },
            block: None,
            swallowed: None,
            layouts: Vec::new(),
            types_by_identifier: BTreeMap::new(),
            containers_by_identifier: BTreeMap::new(),
            children: vec![Vec::new()],
            values_by_identifier: BTreeMap::new(),
            types_met_by_name: BTreeSet::new(),
            containers_met_by_name: BTreeSet::new(),
            values_met_by_name: BTreeSet::new(),
            tracks: BTreeMap::new(),
            link_halves: BTreeMap::new(),
            latest: None,
        }
    }

    /// Refuses a line that brings something new and is cut; the cut itself is counted elsewhere.
    fn check_not_cut(&self) -> Result<(), Refused> {
        if self.line_is_cut { Err("") } else { Ok(()) }
    }

    fn tally(&mut self, code: &str) {
        self.tally_at(code, self.line);
    }

    fn tally_at(&mut self, code: &str, line: u64) {
        let tally = self
            .trace
            .diagnostics
            .entry(code.to_string())
            .or_insert(DiagnosticTally { count: 0, first_line: line });
        tally.count += 1;
        tally.first_line = tally.first_line.min(line);
    }

    /// Returns whether the line is a record line.
    fn read_line(&mut self, line: &[u8]) -> bool {
        let swallowed = self.swallowed.take();
        let Some(start) = first_nonblank(line) else {
            return false;
        };
        let is_header = line[start] == b'%';
        let is_comment = line[start] == b'#';
        let is_record = !is_header && !is_comment;
        if is_record {
            self.trace.records += 1;
        }

        // An unreadable line is as good as absent: it does not even close a header block.
        let unreadable = if line.len() > LONGEST_LINE {
            Some("line-too-long")
        } else if line.contains(&0) {
            Some("nul-byte")
        } else {
            None
        };
        if let Some(code) = unreadable {
            self.tally(code);
            self.trace.lost += u64::from(is_record);
            return is_record;
        }

        if is_header {
            self.read_header_line(&line[start + 1..], swallowed);
        } else if is_comment {
            self.swallowed = swallowed_definition(line);
        } else {
            if self.block.is_some() {
                self.tally("header-syntax");
                self.close_unfinished_block();
            }
            if let Err(code) = self.read_record(line) {
                if !code.is_empty() {
                    self.tally(code);
                }
                self.trace.lost += 1;
            }
        }
        is_record
    }

    fn finish(mut self) -> Trace {
        if let Some(block) = self.block.take() {
            self.tally_at("header-syntax", block.line);
        }
        if self.trace.records == 0 {
            self.tally_at("empty-trace", 0);
        }
        self.trace.end = self.latest.unwrap_or(0);
        for container in &mut self.trace.containers {
            container.end = container.destroyed.unwrap_or(self.trace.end);
        }
        for ((container, type_index), records) in std::mem::take(&mut self.tracks) {
            self.finish_track(container, type_index, records);
        }
        for ((owner, type_index, key), halves) in std::mem::take(&mut self.link_halves) {
            self.finish_links(owner, type_index, &key, halves);
        }
        self.trace
    }
}
