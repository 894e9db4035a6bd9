//! Chrome trace events: random ones, a writer, and what they mean, the slow and obvious way.

mod model;
mod operations;
mod random;
mod write;

pub use model::{Reading, interpret};
pub use random::events;
pub use write::{Style, Written, write};

/// One event. Times are in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Event {
    pub phase: String,
    pub name: Option<String>,
    pub category: Option<String>,
    pub time: Option<i64>,
    pub duration: Option<i64>,
    pub process: i64,
    pub thread: i64,
    pub id: Option<String>,
    /// The id counts within the process only.
    pub local_id: bool,
    /// `s` of an instant.
    pub reach: Option<char>,
    /// `bp` is "e".
    pub binds_enclosing: bool,
    pub args: Vec<(String, Arg)>,
}

/// A value among the arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A number, as it is written.
    Number(String),
    Text(String),
    /// An object or array, as it is written.
    Nested(String),
}

impl Arg {
    /// The text that a field gets.
    pub fn text(&self) -> &str {
        match self {
            Self::Number(text) | Self::Text(text) | Self::Nested(text) => text,
        }
    }
}

/// Nanoseconds as microseconds, without decimals that say nothing.
pub fn microseconds(time: i64) -> String {
    let sign = if time < 0 { "-" } else { "" };
    let (whole, part) = (time.unsigned_abs() / 1000, time.unsigned_abs() % 1000);
    let decimals = format!("{part:03}");
    match decimals.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        decimals => format!("{sign}{whole}.{decimals}"),
    }
}
