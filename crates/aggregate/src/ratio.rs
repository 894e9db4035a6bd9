//! One summary divided by another: blocked time per message, bytes per second.

use std::fmt;

use onca_model::printable;

use crate::{Number, SyntaxError};

/// Two summaries, the first to be divided by the second.
///
/// ```text
/// ratio   = summary "/" summary
/// summary = mode [ ":" kind ] [ ":" name ]
/// mode    = "time" | "count" | "size" | "rate" | "weighted" | "peers" | "value"
/// kind    = "state" | "link" | "event" | "variable"
/// name    = word | '"' { character | '\"' | '\\' } '"'
/// ```
///
/// The kind is `state` where it is not told. The name is that of a value, or of a type; without
/// one, all are meant. A word ends at white space, `:` or `/`; a name that has these, or that is
/// the word for a kind, is quoted. Not every mode fits every kind, see [`Mode`].
///
/// Both summaries are aggregated first and divided then: the ratio of a group is that of its
/// sums, not a mean of ratios.
///
/// ```
/// use onca_aggregate::ratio::{Kind, Mode, Ratio};
///
/// let ratio = Ratio::parse("time:Blocked / count:link:Message")?;
/// assert_eq!(ratio.numerator.mode, Mode::Time);
/// assert_eq!(ratio.numerator.name.as_deref(), Some(&b"Blocked"[..]));
/// assert_eq!(ratio.denominator.kind, Kind::Link);
/// # Ok::<(), onca_aggregate::SyntaxError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ratio {
    /// What is divided.
    pub numerator: Quantity,
    /// What it is divided by.
    pub denominator: Quantity,
}

/// What is to be summed up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quantity {
    /// How rows become a number.
    pub mode: Mode,
    /// Which rows.
    pub kind: Kind,
    /// Only those of a value or type with this name.
    pub name: Option<Vec<u8>>,
}

/// How rows become a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The time in states, or under way on links.
    Time,
    /// The number of states, links, events, or steps of variables.
    Count,
    /// The size of links.
    Size,
    /// Size by duration of each link, summed up.
    Rate,
    /// Size of links, weighted by time.
    Weighted,
    /// The number of different containers at the other end of links.
    Peers,
    /// The mean of a variable over time.
    Value,
}

/// Which rows are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// States.
    State,
    /// Links.
    Link,
    /// Events.
    Event,
    /// Variables.
    Variable,
}

use Kind::{Event, Link, State, Variable};

/// The modes, by name, and the kinds that each one fits.
const MODES: &[(&str, Mode, &[Kind])] = &[
    ("time", Mode::Time, &[State, Link]),
    ("count", Mode::Count, &[State, Link, Event, Variable]),
    ("size", Mode::Size, &[Link]),
    ("rate", Mode::Rate, &[Link]),
    ("weighted", Mode::Weighted, &[Link]),
    ("peers", Mode::Peers, &[Link]),
    ("value", Mode::Value, &[Variable]),
];

const KINDS: &[(&str, Kind)] =
    &[("state", State), ("link", Link), ("event", Event), ("variable", Variable)];

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = MODES.iter().find(|(_, mode, _)| mode == self).map_or("", |(name, ..)| name);
        f.write_str(name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KINDS.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl fmt::Display for Quantity {
    /// For people: names are shown as they would be in a table, not quoted to be read again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.mode, self.kind)?;
        match &self.name {
            Some(name) => write!(f, ":{}", printable(name)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", self.numerator, self.denominator)
    }
}

impl Ratio {
    /// Understands a text.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut parser = Parser { text, at: 0 };
        let numerator = parser.quantity()?;
        if !parser.take('/') {
            return Err(parser.unexpected("\"/\" and what to divide by"));
        }
        let denominator = parser.quantity()?;
        parser.end()?;
        Ok(Self { numerator, denominator })
    }
}

impl Quantity {
    /// Understands a text with one summary, without a division.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut parser = Parser { text, at: 0 };
        let quantity = parser.quantity()?;
        parser.end()?;
        Ok(quantity)
    }
}

/// The quotient; undefined where it is divided by 0, also for 0 / 0, and where it is no number.
pub fn divide<A: Number, B: Number>(numerator: A, denominator: B) -> Option<f64> {
    let quotient = numerator.to_f64() / denominator.to_f64();
    quotient.is_finite().then_some(quotient)
}

/// Divides two columns, such as a node's slices, cell by cell.
pub fn divide_columns<A: Number, B: Number>(
    numerators: &[A],
    denominators: &[B],
) -> Vec<Option<f64>> {
    numerators.iter().zip(denominators).map(|(&a, &b)| divide(a, b)).collect()
}

/// A word, where it begins, and whether it was quoted.
struct Word {
    at: usize,
    text: String,
    quoted: bool,
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn quantity(&mut self) -> Result<Quantity, SyntaxError> {
        let word = self.word("time, count, size, rate, weighted, peers or value")?;
        let (mode, fits) = mode_of(&word)?;
        let mut kind = None;
        let mut name = None;
        if self.take(':') {
            let word = self.word("a kind or a name")?;
            kind = kind_of(&word);
            if kind.is_none() {
                name = Some(word.text.into_bytes());
            } else if self.take(':') {
                name = Some(self.word("a name")?.text.into_bytes());
            }
        }
        let kind = kind.unwrap_or(State);
        if !fits.contains(&kind) {
            return Err(misfit(word.at, mode, kind, fits));
        }
        Ok(Quantity { mode, kind, name })
    }

    fn word(&mut self, wanted: &str) -> Result<Word, SyntaxError> {
        self.skip_space();
        let at = self.at;
        if self.take('"') {
            return Ok(Word { at, text: self.quoted(at)?, quoted: true });
        }
        let rest = &self.text[at..];
        let ends = |c: char| c.is_whitespace() || matches!(c, ':' | '/' | '"');
        let text = rest[..rest.find(ends).unwrap_or(rest.len())].to_owned();
        if text.is_empty() {
            return Err(self.unexpected(wanted));
        }
        self.at += text.len();
        Ok(Word { at, text, quoted: false })
    }

    /// The rest of a quoted word that was opened at `open`.
    fn quoted(&mut self, open: usize) -> Result<String, SyntaxError> {
        let mut word = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(word);
                }
                '\\' => match chars.next() {
                    Some((_, escaped @ ('"' | '\\'))) => word.push(escaped),
                    Some((_, other)) => word.extend(['\\', other]),
                    None => break,
                },
                c => word.push(c),
            }
        }
        Err(SyntaxError::new(open, "the quoted name does not end"))
    }

    fn end(&mut self) -> Result<(), SyntaxError> {
        self.skip_space();
        if self.at < self.text.len() { Err(self.unexpected("the end")) } else { Ok(()) }
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
    }

    fn unexpected(&self, wanted: &str) -> SyntaxError {
        SyntaxError::unexpected(self.text, self.at, wanted)
    }
}

fn mode_of(word: &Word) -> Result<(Mode, &'static [Kind]), SyntaxError> {
    match MODES.iter().find(|(name, ..)| *name == word.text && !word.quoted) {
        Some(&(_, mode, fits)) => Ok((mode, fits)),
        None => {
            let names: Vec<&str> = MODES.iter().map(|(name, ..)| *name).collect();
            let shown = printable(word.text.as_bytes());
            let message = format!("no mode \"{shown}\"; there are {}", names.join(", "));
            Err(SyntaxError::new(word.at, message))
        }
    }
}

fn kind_of(word: &Word) -> Option<Kind> {
    let known = KINDS.iter().find(|(name, _)| *name == word.text && !word.quoted);
    known.map(|&(_, kind)| kind)
}

fn misfit(at: usize, mode: Mode, kind: Kind, fits: &[Kind]) -> SyntaxError {
    let right: Vec<String> = fits.iter().map(|kind| format!("{mode}:{kind}")).collect();
    let message = format!("there is no {mode} of kind {kind}; write {}", right.join(" or "));
    SyntaxError::new(at, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(mode: Mode, kind: Kind, name: Option<&str>) -> Quantity {
        Quantity { mode, kind, name: name.map(|name| name.as_bytes().to_vec()) }
    }

    #[test]
    fn texts_are_understood() {
        let cases = [
            (
                "time:Blocked / count:link:Message",
                quantity(Mode::Time, State, Some("Blocked")),
                quantity(Mode::Count, Link, Some("Message")),
            ),
            (
                "size:link:Message/time",
                quantity(Mode::Size, Link, Some("Message")),
                quantity(Mode::Time, State, None),
            ),
            (
                r#" value:variable:"a: \"b\" / \c" / peers:link "#,
                quantity(Mode::Value, Variable, Some(r#"a: "b" / \c"#)),
                quantity(Mode::Peers, Link, None),
            ),
            (
                r#"time:"link" / count : event : state"#,
                quantity(Mode::Time, State, Some("link")),
                quantity(Mode::Count, Event, Some("state")),
            ),
        ];
        for (text, numerator, denominator) in cases {
            assert_eq!(Ratio::parse(text), Ok(Ratio { numerator, denominator }), "{text}");
        }
        let ratio = Ratio::parse("time:Blocked/count:link").expect("a ratio");
        assert_eq!(ratio.to_string(), "time:state:Blocked / count:link");
    }

    #[test]
    fn a_summary_may_stand_alone() {
        assert_eq!(Quantity::parse("rate:link"), Ok(quantity(Mode::Rate, Link, None)));
        assert_eq!(Quantity::parse("time / count").expect_err("a ratio").at, 5);
    }

    #[test]
    fn errors_tell_the_place_and_what_would_be_right() {
        let cases = [
            ("", 0, "the text ends where time, count,"),
            ("time", 4, "\"/\" and what to divide by"),
            ("tme / time", 0, "no mode \"tme\"; there are time, count, size"),
            ("size / time", 0, "there is no size of kind state; write size:link"),
            ("time / time:event", 7, "no time of kind event; write time:state or time:link"),
            ("time: / time", 6, "\"/\" where a kind or a name should be"),
            ("time / time x", 12, "\"x\" where the end should be"),
            ("time / time:\"x", 12, "does not end"),
            ("time / time:\"x\\", 12, "does not end"),
        ];
        for (text, at, message) in cases {
            let error = Ratio::parse(text).expect_err(text);
            assert_eq!(error.at, at, "{text}: {error}");
            assert!(error.message.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn nothing_divided_by_nothing_is_undefined() {
        assert_eq!(divide(0i64, 0i64), None);
        assert_eq!(divide(1.0, 0i128), None);
        assert_eq!(divide_columns(&[6i64, 0, 0], &[4.0, 2.0, 0.0]), [Some(1.5), Some(0.0), None]);
    }
}
