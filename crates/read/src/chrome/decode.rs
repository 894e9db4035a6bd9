//! Events to entries: what each phase means. Nothing is in order yet, and names may still
//! come, so entries are put aside to be sorted.

use std::borrow::Cow;
use std::io;

use onca_model::{Code, FieldKind, Ticks, printable, push_extra};

use super::event::Event;
use super::names::Names;
use super::problems::Problems;
use super::scan::Value;
use super::window::{Position, Window};
use crate::number::{BadTime, Time, parse_time};
use crate::sort::{Key, Sorter};
use crate::symbols::{Symbol, Symbols};

/// The longest name or argument that is kept.
pub(super) const MAX_TEXT: usize = 1 << 20;

/// What an event without a name is called.
const UNNAMED: &[u8] = b"(unnamed)";

/// The field for the category of what does not have it as its type.
pub(super) const CATEGORY_FIELD: &[u8] = b"cat";

/// Entries that are sorted first are of three classes; the upper half of the group tells which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Begins and ends of slices, by thread.
    Ends = 0,
    /// Asynchronous operations, by category.
    Async = 1,
    /// Instants and values of counters, by track.
    Points = 2,
}

impl Class {
    pub(super) fn group(self, index: u32) -> u64 {
        (self as u64) << 32 | u64::from(index)
    }

    /// The class and the index that make a group.
    pub fn of(group: u64) -> (Self, u32) {
        let class = match group >> 32 {
            0 => Self::Ends,
            1 => Self::Async,
            _ => Self::Points,
        };
        (class, group as u32)
    }
}

/// An event and where it stands.
pub(super) struct Here<'a> {
    pub event: &'a Event,
    pub window: &'a Window,
    pub offset: u64,
    pub position: Position,
}

impl<'a> Here<'a> {
    pub(super) fn text(&self, value: Value) -> Cow<'a, [u8]> {
        value.text(self.window.text())
    }

    /// Where a member stands.
    pub(super) fn at(&self, value: Value) -> Position {
        self.window.position(value.start())
    }

    /// The process or thread that the event names; 0 where it names none.
    fn party(&self, value: Value) -> Cow<'a, [u8]> {
        if value.is_absent() { (&b"0"[..]).into() } else { self.text(value) }
    }

    pub(super) fn is(&self, value: Value, word: &[u8]) -> bool {
        *self.text(value) == *word
    }
}

/// Takes events in file order.
pub(super) struct Decoder<'s> {
    pub(super) symbols: &'s Symbols,
    pub names: Names<'s>,
    pub problems: Problems,
    /// What must be in order before it can become slices or records.
    pub first: Sorter,
    /// Slices and points of flows, by thread.
    pub slices: Sorter,
    /// Decimals of a microsecond that a tick has.
    pub(super) scale: u8,
    /// The most decimals, up to those of a tick, that a time has.
    decimals: u8,
    /// Set when a time does not fit.
    pub tick_exponent_needed: Option<u8>,
    pub(super) extras: Vec<u8>,
    pub(super) key: Vec<u8>,
    pub(super) encoded: Vec<u8>,
}

/// The power of ten by which microseconds are parts of the unit, the second.
pub(super) const MICRO: u8 = 6;

impl<'s> Decoder<'s> {
    pub fn new(symbols: &'s Symbols, tick_exponent: u8, memory: usize) -> Self {
        Self {
            symbols,
            names: Names::new(symbols),
            problems: Problems::new(),
            first: Sorter::new(memory / 16),
            slices: Sorter::new(memory / 8),
            scale: tick_exponent.saturating_sub(MICRO),
            decimals: 0,
            tick_exponent_needed: None,
            extras: Vec::new(),
            key: Vec::new(),
            encoded: Vec::new(),
        }
    }

    /// The smallest difference that the times of the source can express.
    pub fn resolution(&self) -> Ticks {
        10i64.pow(u32::from(self.scale - self.decimals))
    }

    /// Puts aside what an event means.
    pub fn decode(&mut self, here: &Here<'_>) -> io::Result<()> {
        let phase = here.text(here.event.phase);
        match *phase {
            [b'M'] => self.metadata(here),
            [b'N' | b'O' | b'D' | b'P' | b'c' | b'V' | b'v' | b'(' | b')' | b'a' | b'='] => {
                self.problems.report(here.at(here.event.phase), Code::PhaseNotRead, || {
                    (format!("events of phase \"{}\" are not read", printable(&phase)), None)
                });
            }
            [phase] if b"BEXiIRbneSTpFstfC".contains(&phase) => return self.timed(here, phase),
            [] => self.problems.lose(here.position, Code::MissingField, || {
                ("the event has no phase, \"ph\"".to_owned(), None)
            }),
            _ => self.problems.lose(here.at(here.event.phase), Code::UnknownPhase, || {
                (format!("there is no phase \"{}\"", printable(&phase)), None)
            }),
        }
        Ok(())
    }

    fn timed(&mut self, here: &Here<'_>, phase: u8) -> io::Result<()> {
        let event = here.event;
        let Some(time) = self.time(here, event.time, "time, \"ts\"") else { return Ok(()) };
        let Some(value) = self.name(here) else { return Ok(()) };
        let category = self.names.category(&here.text(event.category));
        match phase {
            b'B' | b'E' | b'X' => self.slice(here, phase, time, value, category),
            b'i' | b'I' | b'R' => self.instant(here, time, value, category),
            b'C' => self.count(here, time),
            b's' | b't' | b'f' => self.flow(here, phase, time, value, category),
            _ => self.asynchronous(here, phase, time, value, category),
        }
    }

    /// A time or duration in ticks; `None` if the event must be given up.
    #[inline]
    pub(super) fn time(&mut self, here: &Here<'_>, value: Value, what: &str) -> Option<Ticks> {
        let text = here.text(value);
        match parse_time(&text, self.scale) {
            Ok(Time { ticks, rounded }) => {
                if rounded {
                    self.problems.report(here.at(value), Code::TimeRounded, || {
                        (format!("\"{}\" has more decimals than a tick", printable(&text)), None)
                    });
                }
                if self.decimals < self.scale {
                    let n = memchr::memchr(b'.', &text).map_or(0, |at| text.len() - at - 1);
                    self.decimals = self.decimals.max(n.min(usize::from(self.scale)) as u8);
                }
                Some(ticks)
            }
            Err(problem) => {
                self.bad_time(here, value, what, problem);
                None
            }
        }
    }

    #[cold]
    fn bad_time(&mut self, here: &Here<'_>, value: Value, what: &str, problem: BadTime) {
        if value.is_absent() {
            return self.problems.lose(here.position, Code::MissingField, || {
                (format!("the event has no {what}"), None)
            });
        }
        let shown = printable(&here.text(value)).into_owned();
        let (code, message) = match problem {
            BadTime::TooLarge { exponent: Some(exponent) } => {
                return self.need_exponent(exponent + MICRO);
            }
            BadTime::TooLarge { exponent: None } => {
                (Code::BadNumber, format!("the {what} is {shown}, which is too large"))
            }
            BadTime::NonFinite => (Code::NonFiniteTime, format!("the {what} is {shown}")),
            BadTime::Syntax => {
                (Code::BadNumber, format!("the {what} is \"{shown}\", which is no number"))
            }
        };
        let hint = Some("microseconds as a decimal number are expected".to_owned());
        self.problems.lose(here.at(value), code, || (message, hint));
    }

    /// Asks for a reading with longer ticks.
    pub(super) fn need_exponent(&mut self, exponent: u8) {
        let known = self.tick_exponent_needed.unwrap_or(exponent);
        self.tick_exponent_needed = Some(known.min(exponent));
    }

    fn name(&mut self, here: &Here<'_>) -> Option<Symbol> {
        let value = here.event.name;
        if value.is_absent() {
            return Some(self.symbols.values.intern(UNNAMED));
        }
        let text = here.text(value);
        if text.len() > MAX_TEXT {
            self.problems.lose(here.at(value), Code::LineTooLong, || {
                ("the name is longer than 1 MiB".to_owned(), None)
            });
            return None;
        }
        Some(self.symbols.values.intern(&text))
    }

    pub(super) fn thread(&mut self, here: &Here<'_>) -> u32 {
        let event = here.event;
        self.names.thread(&here.party(event.process), &here.party(event.thread))
    }

    pub(super) fn process(&mut self, here: &Here<'_>) -> u32 {
        self.names.process(&here.party(here.event.process))
    }

    /// Packs the arguments of an event.
    pub(super) fn pack_extras(&mut self, here: &Here<'_>) {
        self.extras.clear();
        for &(key, value) in &here.event.args {
            let (name, text) = (here.text(key), here.text(value));
            if name.len() > MAX_TEXT || text.len() > MAX_TEXT {
                self.problems.report(here.at(value), Code::LineTooLong, || {
                    ("the argument is longer than 1 MiB; left out".to_owned(), None)
                });
                continue;
            }
            match self.names.field(&name, kind_of(value, &text)) {
                Some(field) => push_extra(&mut self.extras, field, &text),
                None => {
                    let both = [&*name, b"=", &*text].concat();
                    push_extra(&mut self.extras, self.names.rest_field(), &both);
                }
            }
        }
    }

    /// Adds the category where no type tells it.
    pub(super) fn pack_category(&mut self, category: u32, typed: u32) {
        if category != typed {
            let text = self.names.category_text(category);
            let field = self.symbols.field(CATEGORY_FIELD, FieldKind::String);
            push_extra(&mut self.extras, field, &text);
        }
    }
}

/// Slices of a thread come in order of their start, at one start the longer ones first.
pub(super) fn slice_key(thread: u32, start: Ticks, end: Ticks, place: u64) -> Key {
    let length = end.wrapping_sub(start) as u64;
    Key { group: u64::from(thread), time: start, rank: (u64::MAX - length).max(1), place }
}

/// What kind of field a value makes.
fn kind_of(value: Value, text: &[u8]) -> FieldKind {
    let Value::Bare(_) = value else { return FieldKind::String };
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if (1..19).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        return FieldKind::Int;
    }
    let is_number = digits.first().is_some_and(u8::is_ascii_digit)
        && std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok());
    if is_number { FieldKind::Double } else { FieldKind::String }
}
