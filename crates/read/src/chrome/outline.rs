//! The outline of a file: where its events are. An array of events, whose closing bracket may
//! be missing, or an object with the member `traceEvents`.

use std::io;

use onca_model::Code;

use super::event::Event;
use super::problems::Problems;
use super::scan::{Fault, Scanner, Value, is_blank};
use super::window::{Position, Window};

/// The longest event that is kept.
const MAX_EVENT: usize = 64 << 20;

/// Where the reading stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Before the first bracket.
    Start,
    /// Among the members of the outer object; tells whether one came before.
    Members { first: bool },
    /// Among the events.
    Events { in_object: bool },
    /// After the last bracket.
    End,
}

/// An event that was found.
pub(super) struct Found {
    /// Where in the source it is, in bytes.
    pub offset: u64,
    /// The same as line and column.
    pub position: Position,
}

/// Finds the events of a file, one after the other.
pub(super) struct Outline {
    pub window: Window,
    place: Place,
    /// A list of events was found.
    has_events: bool,
    /// The file ends too early.
    pub truncated: bool,
    /// Somebody still writes it.
    growing: bool,
    /// It does, and the rest is to come.
    pub is_unfinished: bool,
    /// Events that were met, broken ones too.
    pub n_events: u64,
}

/// How scanning ended.
enum Attempt<T> {
    /// The value that begins at this place of the window.
    Done { start: usize, scanned: T },
    /// The file ends before the value.
    Ended,
    /// The text is wrong at this place of the window.
    Wrong(usize, &'static str),
    /// The value is longer than is kept.
    TooLong,
}

impl Outline {
    /// While it is written, what is not complete at the end is left out and no problem.
    pub fn new(window: Window, growing: bool) -> Self {
        Self {
            window,
            place: Place::Start,
            has_events: false,
            truncated: false,
            growing,
            is_unfinished: false,
            n_events: 0,
        }
    }

    /// Was there a list of events at all?
    pub fn has_events(&self) -> bool {
        self.has_events
    }

    /// Scans the next event; `None` at the end.
    pub fn next(
        &mut self,
        event: &mut Event,
        problems: &mut Problems,
    ) -> io::Result<Option<Found>> {
        loop {
            match self.place {
                Place::Start => self.begin(problems)?,
                Place::Members { first } => self.member(first, problems)?,
                Place::Events { in_object } => {
                    if let Some(found) = self.event(in_object, event, problems)? {
                        return Ok(Some(found));
                    }
                }
                Place::End => {
                    self.finish(problems)?;
                    return Ok(None);
                }
            }
        }
    }

    fn begin(&mut self, problems: &mut Problems) -> io::Result<()> {
        while self.window.ahead() < 3 && self.window.more()? {}
        if self.window.text().starts_with(b"\xef\xbb\xbf") {
            self.window.at = 3;
            problems.report(Position { line: 1, column: 1 }, Code::ByteOrderMark, || {
                ("the file begins with a byte order mark; skipped".to_owned(), None)
            });
        }
        self.place = match self.peek()? {
            Some(b'[') => {
                self.has_events = true;
                Place::Events { in_object: false }
            }
            Some(b'{') => Place::Members { first: true },
            None if self.growing => {
                self.wait();
                return Ok(());
            }
            _ => Place::End,
        };
        if self.place != Place::End {
            self.window.at += 1;
        }
        Ok(())
    }

    /// One member of the outer object.
    fn member(&mut self, first: bool, problems: &mut Problems) -> io::Result<()> {
        let key = self.attempt(|scanner, text| {
            let key = scanner.key(first)?;
            Ok(key.map(|key: Value| &*key.text(text) == b"traceEvents"))
        })?;
        self.place = Place::Members { first: false };
        match key {
            Attempt::Done { scanned: None, .. } => self.place = Place::End,
            Attempt::Done { scanned: Some(true), .. } if self.peek()? == Some(b'[') => {
                self.window.at += 1;
                self.has_events = true;
                self.place = Place::Events { in_object: true };
            }
            Attempt::Done { .. } => {
                if !self.skip_value()? {
                    self.cut(problems, "the file ends inside its outer object");
                }
            }
            Attempt::Ended => self.cut(problems, "the file ends inside its outer object"),
            Attempt::Wrong(at, expected) => {
                self.report_syntax(problems, at, expected);
                self.give_up_rest()?;
            }
            Attempt::TooLong => {
                self.report_syntax(problems, self.window.at, "a key of less than 64 MiB");
                self.give_up_rest()?;
            }
        }
        Ok(())
    }

    /// The next event, or whatever else stands in its place.
    fn event(
        &mut self,
        in_object: bool,
        event: &mut Event,
        problems: &mut Problems,
    ) -> io::Result<Option<Found>> {
        match self.peek()? {
            Some(b'{') => {}
            Some(b',') => {
                self.window.at += 1;
                return Ok(None);
            }
            Some(b']') => {
                self.window.at += 1;
                self.place = match in_object {
                    true => Place::Members { first: false },
                    false => Place::End,
                };
                return Ok(None);
            }
            Some(_) => {
                let expected = "an event, which begins with a brace";
                self.report_syntax(problems, self.window.at, expected);
                self.find_event(true)?;
                return Ok(None);
            }
            None if in_object => {
                self.cut(problems, "the file ends inside its list of events");
                return Ok(None);
            }
            // Writers append to a bare array while they run and never close it.
            None => {
                self.place = Place::End;
                return Ok(None);
            }
        }
        self.n_events += 1;
        let attempt = self.attempt(|scanner, text| event.scan(scanner, text))?;
        match attempt {
            Attempt::Done { start, .. } => {
                let position = self.window.mark(start);
                return Ok(Some(Found { offset: self.window.offset(start), position }));
            }
            Attempt::Ended if self.growing => {
                self.n_events -= 1;
                self.wait();
            }
            Attempt::Ended => {
                let position = self.window.position(self.window.at);
                self.truncated = true;
                problems.lose(position, Code::Truncated, || {
                    ("the file ends inside this event".to_owned(), Some("it is lost".to_owned()))
                });
                self.place = Place::End;
                self.window.at = self.window.text().len();
            }
            Attempt::Wrong(at, expected) => {
                problems.lose(self.window.position(at), Code::JsonSyntax, || {
                    let hint = "the event is lost; reading goes on at the next one";
                    (format!("not JSON: {expected} should be here"), Some(hint.to_owned()))
                });
                self.window.at = at;
                self.find_event(false)?;
            }
            Attempt::TooLong => {
                problems.lose(self.window.position(self.window.at), Code::LineTooLong, || {
                    ("the event is longer than 64 MiB".to_owned(), None)
                });
                self.window.at = self.window.text().len();
                self.find_event(false)?;
            }
        }
        Ok(None)
    }

    /// What follows the end must be blank.
    fn finish(&mut self, problems: &mut Problems) -> io::Result<()> {
        if self.peek()?.is_some() {
            self.report_syntax(problems, self.window.at, "the end of the file");
            self.give_up_rest()?;
        }
        if let Some(error) = self.window.take_cut() {
            self.truncated = true;
            let position = self.window.position(self.window.at);
            problems.report(position, Code::Truncated, || {
                let hint = "what comes before is read, the rest is lost";
                let message = format!("the compressed stream is damaged or cut ({error})");
                (message, Some(hint.to_owned()))
            });
        }
        Ok(())
    }

    /// The rest is not there yet.
    fn wait(&mut self) {
        self.place = Place::End;
        self.is_unfinished = true;
        self.window.at = self.window.text().len();
    }

    fn cut(&mut self, problems: &mut Problems, message: &str) {
        if self.growing {
            self.wait();
            return;
        }
        self.place = Place::End;
        self.truncated = true;
        let position = self.window.position(self.window.at);
        problems.report(position, Code::Truncated, || {
            (message.to_owned(), Some("what comes before is read".to_owned()))
        });
        self.window.at = self.window.text().len();
    }

    fn report_syntax(&self, problems: &mut Problems, at: usize, expected: &str) {
        problems.report(self.window.position(at), Code::JsonSyntax, || {
            (format!("not JSON: {expected} should be here"), None)
        });
    }

    /// Reads to the end without understanding anything.
    fn give_up_rest(&mut self) -> io::Result<()> {
        self.place = Place::End;
        loop {
            self.window.at = self.window.text().len();
            if !self.window.more()? {
                return Ok(());
            }
        }
    }

    /// Skips white space; the byte after it, or `None` at the end.
    #[inline]
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let mut scanner = Scanner::new(self.window.text(), self.window.at);
            let next = scanner.peek();
            self.window.at = scanner.at;
            match next {
                Ok(byte) => return Ok(Some(byte)),
                Err(_) if self.window.more()? => {}
                Err(_) => return Ok(None),
            }
        }
    }

    /// Scans at the place of the window, with more text when that ends too early. When it is
    /// done, the window stands after the value.
    #[inline]
    fn attempt<T>(
        &mut self,
        mut scan: impl FnMut(&mut Scanner<'_>, &[u8]) -> Result<T, Fault>,
    ) -> io::Result<Attempt<T>> {
        loop {
            let start = self.window.at;
            let text = self.window.text();
            let mut scanner = Scanner::new(text, start);
            let fault = match scan(&mut scanner, text) {
                Ok(scanned) => {
                    self.window.at = scanner.at;
                    return Ok(Attempt::Done { start, scanned });
                }
                Err(fault) => fault,
            };
            match fault {
                Fault::Wrong(expected) => return Ok(Attempt::Wrong(scanner.at, expected)),
                Fault::Cut if self.window.ahead() > MAX_EVENT => return Ok(Attempt::TooLong),
                Fault::Cut if self.window.more()? => {}
                Fault::Cut => return Ok(Attempt::Ended),
            }
        }
    }

    /// Skips to what looks like the beginning of an event: between events any brace, inside of
    /// one a brace after a closing brace and a comma.
    fn find_event(&mut self, between: bool) -> io::Result<()> {
        let mut closed = between;
        loop {
            let text = self.window.text();
            for (index, &byte) in text[self.window.at..].iter().enumerate() {
                match byte {
                    b'{' if closed => {
                        self.window.at += index;
                        return Ok(());
                    }
                    b'}' => closed = true,
                    b',' => {}
                    _ if is_blank(byte) => {}
                    _ => closed = between,
                }
            }
            self.window.at = text.len();
            if !self.window.more()? {
                self.place = Place::End;
                return Ok(());
            }
        }
    }

    /// Skips a value of any length, keeping none of it; false if the file ends before it does.
    fn skip_value(&mut self) -> io::Result<bool> {
        self.peek()?;
        let mut depth = 0u64;
        let mut in_string = false;
        let mut escaped = false;
        loop {
            let text = self.window.text();
            for (index, &byte) in text[self.window.at..].iter().enumerate() {
                let mut ended = false;
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_string => escaped = true,
                    b'"' => {
                        in_string = !in_string;
                        ended = !in_string && depth == 0;
                    }
                    _ if in_string => {}
                    b'{' | b'[' => depth += 1,
                    // What follows a bare word is not a part of it.
                    b'}' | b']' | b',' if depth == 0 => {
                        self.window.at += index;
                        return Ok(true);
                    }
                    b'}' | b']' => {
                        depth -= 1;
                        ended = depth == 0;
                    }
                    _ => {}
                }
                if ended {
                    self.window.at += index + 1;
                    return Ok(true);
                }
            }
            self.window.at = text.len();
            if !self.window.more()? {
                return Ok(false);
            }
        }
    }
}
