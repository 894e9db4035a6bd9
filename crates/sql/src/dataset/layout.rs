//! Where the rows and files of a data set belong.

use std::fmt;

/// Folders of a data set: its tables.
pub(super) const TABLES: [&str; 8] =
    ["containers", "types", "type_values", "diagnostics", "states", "links", "events", "variables"];

/// A part of a data set that is written on its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// One of several, counted from 1; nothing if there is no such shard.
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&number).then_some(Self { number, of })
    }

    /// Which it is, from 1 on.
    pub(super) fn number(self) -> u32 {
        self.number
    }

    /// Of how many.
    pub(super) fn of(self) -> u32 {
        self.of
    }

    /// Does it write what the whole trace has once?
    pub(super) fn is_first(self) -> bool {
        self.number == 1
    }

    /// Is the container, or the block of links, with this number its own?
    pub(super) fn holds(self, number: u32) -> bool {
        number % self.of == self.number - 1
    }

    /// The name of one of its files. The stem tells the type, where a table has several.
    pub(super) fn file_name(self, stem: Option<&str>, number: usize) -> String {
        match stem {
            Some(stem) => format!("{stem}-{self}-{number:05}.parquet"),
            None => format!("{self}-{number:05}.parquet"),
        }
    }

    /// Is a file with this name one of its own, or was to become one?
    pub(super) fn wrote(self, name: &str) -> bool {
        let name = match name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp")) {
            Some(unfinished) => unfinished.rsplit_once('.').map(|(name, _)| name),
            None => Some(name),
        };
        let Some(name) = name.and_then(|name| name.strip_suffix(".parquet")) else { return false };
        let Some((before, _)) = name.rsplit_once('-') else { return false };
        before.rsplit('-').next() == Some(&*self.to_string())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}of{}", self.number, self.of)
    }
}
