//! The trace as Pajé text, for tools that read nothing else.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use crate::clock::{self, Reading};
use crate::definitions::{Definition, Nature};
use crate::encode::{parts, text_at};
use crate::ring::{Kind, Ring};
use crate::session::Output;

/// Lines wait for so long, in nanoseconds, so that the threads' lines come in order of time.
const HELD_BACK: i64 = 50_000_000;

/// Events with comments have numbers that are larger by this.
const WITH_COMMENT: u8 = 20;

/// Events and their fields. Comments are added by `header`.
const EVENTS: [(u8, &str, &str); 20] = [
    (0, "PajeDefineContainerType", "Alias string|Type string|Name string"),
    (1, "PajeDefineStateType", "Alias string|Type string|Name string"),
    (2, "PajeDefineEventType", "Alias string|Type string|Name string"),
    (3, "PajeDefineVariableType", "Alias string|Type string|Name string"),
    (
        4,
        "PajeDefineLinkType",
        "Alias string|Type string|StartContainerType string|EndContainerType string|Name string",
    ),
    (5, "PajeDefineEntityValue", "Alias string|Type string|Name string|Color color"),
    (6, "PajeCreateContainer", "Time date|Alias string|Type string|Container string|Name string"),
    (7, "PajeDestroyContainer", "Time date|Type string|Name string"),
    (8, "PajeSetState", "Time date|Type string|Container string|Value string"),
    (9, "PajePushState", "Time date|Type string|Container string|Value string"),
    (10, "PajePopState", "Time date|Type string|Container string"),
    (11, "PajeResetState", "Time date|Type string|Container string"),
    (12, "PajeNewEvent", "Time date|Type string|Container string|Value string"),
    (13, "PajeSetVariable", "Time date|Type string|Container string|Value double"),
    (14, "PajeAddVariable", "Time date|Type string|Container string|Value double"),
    (15, "PajeSubVariable", "Time date|Type string|Container string|Value double"),
    (
        16,
        "PajeStartLink",
        "Time date|Type string|Container string|Value string|StartContainer string|Key string",
    ),
    (
        17,
        "PajeEndLink",
        "Time date|Type string|Container string|Value string|EndContainer string|Key string",
    ),
    (
        18,
        "PajeStartLink",
        "Time date|Type string|Container string|Value string|StartContainer string|Key string|Size int",
    ),
    (
        19,
        "PajeEndLink",
        "Time date|Type string|Container string|Value string|EndContainer string|Key string|Size int",
    ),
];
const WITHOUT_COLOR: u8 = 40;

fn header() -> String {
    let mut text = String::from("# written by onca-trace\n");
    let mut event = |number: u8, name: &str, fields: &str| {
        // Writing into a text cannot fail.
        let _ = writeln!(text, "%EventDef {name} {number}");
        for field in fields.split('|') {
            let _ = writeln!(text, "% {field}");
        }
        text.push_str("%EndEventDef\n");
    };
    for (number, name, fields) in EVENTS {
        event(number, name, fields);
        if number >= 8 {
            event(number + WITH_COMMENT, name, &format!("{fields}|Comment string"));
        }
    }
    event(WITHOUT_COLOR, "PajeDefineEntityValue", "Alias string|Type string|Name string");
    text
}

/// A line that has a time.
struct Line {
    time: i64,
    event: u8,
    rest: String,
    comment: String,
}

pub struct PajeWriter {
    file: BufWriter<File>,
    start: Reading,
    before: Reading,
    now: Reading,
    lines: Vec<Line>,
    /// The time of the last line that was written.
    written: i64,
    n_disordered: u64,
    /// The last time of each thread: a thread does not go back.
    last: HashMap<u32, i64>,
    fields: HashMap<u32, String>,
    containers: HashMap<u32, u32>,
    n_dropped: u64,
}

impl PajeWriter {
    pub fn begin(file: File, start: Reading) -> io::Result<Self> {
        let mut file = BufWriter::new(file);
        file.write_all(header().as_bytes())?;
        Ok(Self {
            file,
            start,
            before: start,
            now: start,
            lines: Vec::new(),
            written: i64::MIN,
            n_disordered: 0,
            last: HashMap::new(),
            fields: HashMap::new(),
            containers: HashMap::new(),
            n_dropped: 0,
        })
    }

    /// Nanoseconds since the trace was opened.
    fn time(&self, ticks: u64) -> i64 {
        let (before, now) = (&self.before, &self.now);
        let ticks_apart = i128::from(now.ticks) - i128::from(before.ticks);
        let apart = i128::from(now.monotonic - before.monotonic);
        let since = i128::from(ticks) - i128::from(now.ticks);
        let elapsed = if ticks_apart > 0 { since * apart / ticks_apart } else { since };
        let time = i128::from(now.monotonic - self.start.monotonic) + elapsed;
        i64::try_from(time.max(0)).unwrap_or(i64::MAX)
    }

    fn push(&mut self, time: i64, event: u8, rest: String) {
        self.lines.push(Line { time, event, rest, comment: String::new() });
    }

    fn record(&mut self, kind: Kind, slot: &[u64; 3], more: Option<&[u64; 3]>, last: &mut i64) {
        let (_, container, of) = parts(slot[1]);
        *last = self.time(slot[0]).max(*last);
        let place = format!("t{of} {}", alias(container));
        let value = slot[2];
        let number = f64::from_bits(value);
        let (event, rest) = match kind {
            Kind::SetState => (8, format!("{place} v{value}")),
            Kind::PushState => (9, format!("{place} v{value}")),
            Kind::PopState => (10, place),
            Kind::ResetState => (11, place),
            Kind::Event => (12, format!("{place} v{value}")),
            Kind::SetVariable => (13, format!("{place} {number:?}")),
            Kind::AddVariable => (14, format!("{place} {number:?}")),
            Kind::SubVariable => (15, format!("{place} {number:?}")),
            Kind::StartLink | Kind::EndLink => {
                let Some(more) = more else { return };
                let (_, owner, _) = parts(more[1]);
                let mut rest =
                    format!("t{of} {} v{} {} {value}", alias(owner), more[2], alias(container));
                let mut event = if kind == Kind::StartLink { 16 } else { 17 };
                if let Some(size) = more[0].checked_sub(1) {
                    rest += &format!(" {size}");
                    event += 2;
                }
                (event, rest)
            }
            Kind::More | Kind::Text | Kind::Int | Kind::Double | Kind::Time => return,
        };
        self.push(*last, event, rest);
    }

    /// Adds a field to the comment of the last line.
    fn field(&mut self, field: u32, value: &str) {
        let name = self.fields.get(&field).map_or("", String::as_str);
        let Some(line) = self.lines.last_mut() else { return };
        if !line.comment.is_empty() {
            line.comment.push_str(", ");
        }
        match name {
            "Comment" => line.comment.push_str(value),
            name => line.comment += &format!("{name}={value}"),
        }
    }

    /// Writes lines up to a time, in order.
    fn write(&mut self, until: i64) -> io::Result<()> {
        self.lines.sort_by_key(|line| line.time);
        let n = self.lines.partition_point(|line| line.time <= until);
        for line in self.lines.drain(..n) {
            self.n_disordered += u64::from(line.time < self.written);
            self.written = self.written.max(line.time);
            let (seconds, rest) = (line.time / 1_000_000_000, line.time % 1_000_000_000);
            match line.comment.is_empty() {
                true => writeln!(self.file, "{} {seconds}.{rest:09} {}", line.event, line.rest)?,
                false => writeln!(
                    self.file,
                    "{} {seconds}.{rest:09} {} {}",
                    line.event + WITH_COMMENT,
                    line.rest,
                    quoted(&line.comment)
                )?,
            }
        }
        Ok(())
    }
}

fn alias(container: u32) -> String {
    if container == 0 { "0".to_owned() } else { format!("c{container}") }
}

fn type_alias(of: u32) -> String {
    if of == 0 { "0".to_owned() } else { format!("t{of}") }
}

/// A text in quotes. The format has no way to write a quote in them.
fn quoted(text: &str) -> String {
    let plain = |c: char| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    format!("\"{}\"", text.chars().map(plain).collect::<String>())
}

impl Output for PajeWriter {
    fn definitions(&mut self, definitions: Vec<Definition>) -> io::Result<()> {
        self.clock(&clock::read())?;
        for definition in definitions {
            match definition {
                Definition::Type { id, nature, parent, ends, name } => {
                    let (parent, name) = (type_alias(parent), quoted(&name));
                    let event = match nature {
                        Nature::Container => 0,
                        Nature::State => 1,
                        Nature::Event => 2,
                        Nature::Variable => 3,
                        Nature::Link => 4,
                    };
                    let ends = ends.map_or(String::new(), |(from, to)| {
                        format!("{} {} ", type_alias(from), type_alias(to))
                    });
                    writeln!(self.file, "{event} t{id} {parent} {ends}{name}")?;
                }
                Definition::Value { id, of, color, name } => {
                    let name = quoted(&name);
                    match color {
                        None => writeln!(self.file, "{WITHOUT_COLOR} v{id} t{of} {name}")?,
                        Some(color) => {
                            let part = |shift: u32| f64::from(color >> shift & 255) / 255.0;
                            let (red, green, blue) = (part(16), part(8), part(0));
                            let color = format!("\"{red:.6} {green:.6} {blue:.6}\"");
                            writeln!(self.file, "5 v{id} t{of} {name} {color}")?;
                        }
                    }
                }
                Definition::Field { id, name } => {
                    self.fields.insert(id, name);
                }
                Definition::Create { id, of, parent, ticks, name } => {
                    self.containers.insert(id, of);
                    let time = if ticks == 0 { 0 } else { self.time(ticks) };
                    let name = quoted(&name);
                    self.push(time, 6, format!("c{id} t{of} {} {name}", alias(parent)));
                }
                Definition::Destroy { id, ticks } => {
                    let of = self.containers.remove(&id).unwrap_or(0);
                    self.push(self.time(ticks), 7, format!("{} c{id}", type_alias(of)));
                }
                Definition::Property { key, value } => {
                    writeln!(self.file, "# {key}: {}", quoted(&value))?;
                }
                Definition::Thread { .. } | Definition::ClockPair { .. } => {}
            }
        }
        Ok(())
    }

    fn clock(&mut self, reading: &Reading) -> io::Result<()> {
        self.before = if self.now.ticks < reading.ticks { self.now } else { self.before };
        self.now = *reading;
        Ok(())
    }

    fn drain(&mut self, ring: &Ring, head: u64) -> io::Result<()> {
        let mut at = ring.tail();
        let mut n_records = 0;
        let mut last = self.last.get(&ring.thread()).copied().unwrap_or(0);
        while at < head {
            let slot = ring.slot(at);
            at += 1;
            let (kind, _, field) = parts(slot[1]);
            match Kind::of(kind) {
                None | Some(Kind::More) => {}
                Some(Kind::Int) => self.field(field, &slot[0].cast_signed().to_string()),
                Some(Kind::Double) => self.field(field, &format!("{:?}", f64::from_bits(slot[0]))),
                Some(Kind::Time) => self.field(field, &self.time(slot[0]).to_string()),
                Some(Kind::Text) => {
                    let (text, after) = text_at(ring, &slot, at);
                    self.field(field, &String::from_utf8_lossy(&text));
                    at = after;
                }
                Some(kind @ (Kind::StartLink | Kind::EndLink)) => {
                    let more = ring.slot(at);
                    self.record(kind, &slot, Some(&more), &mut last);
                    n_records += 1;
                }
                Some(kind) => {
                    self.record(kind, &slot, None, &mut last);
                    n_records += 1;
                }
            }
        }
        self.last.insert(ring.thread(), last);
        ring.advance(at, n_records);
        Ok(())
    }

    fn drops(&mut self, _: u32, n: u64, _: u64) -> io::Result<()> {
        self.n_dropped += n;
        writeln!(self.file, "# {n} records were dropped here: a buffer was full")
    }

    fn flush(&mut self, everything: bool) -> io::Result<()> {
        let until = match everything {
            true => i64::MAX,
            false => self.time(clock::read().ticks) - HELD_BACK,
        };
        self.write(until)?;
        self.file.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        self.write(i64::MAX)?;
        if self.n_disordered > 0 {
            writeln!(self.file, "# {} lines are not in order of time", self.n_disordered)?;
        }
        writeln!(self.file, "# end of the trace, {} records were dropped", self.n_dropped)?;
        self.file.flush()
    }
}
