//! What a state is for, guessed from its name.
//!
//! Traces name their states as they like. A role says what kind of activity a name stands for,
//! so that `MPI_Wait`, `Blocked` and `UserWaiting` look alike. The patterns are in
//! [`PATTERNS`], first match first; `docs/roles.md` shows them to users.

mod context;
mod patterns;

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use onca_model::{Color, printable};
use serde::{Deserialize, Serialize};

pub(crate) use context::add as add_by_context;
pub use context::{Around, SURROUNDINGS};
pub use patterns::PATTERNS;

/// What kind of activity a state is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The work that the program is for.
    Compute,
    /// Tasks and other work, input and output included.
    Task,
    /// Giving data away, or both ways at once.
    Send,
    /// Taking data in.
    Receive,
    /// Waiting for something, or blocked.
    Wait,
    /// Many do it together: collective operations, barriers.
    Collective,
    /// Setting up and tearing down.
    Init,
    /// What the runtime system does: scheduling, stealing, memory, bookkeeping.
    Runtime,
    /// Nothing to do.
    Idle,
}

impl Role {
    /// All roles, in the order in which they are listed to people.
    pub const ALL: [Role; 9] = [
        Role::Compute,
        Role::Task,
        Role::Send,
        Role::Receive,
        Role::Wait,
        Role::Collective,
        Role::Init,
        Role::Runtime,
        Role::Idle,
    ];

    /// The name in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Compute => "compute",
            Role::Task => "task",
            Role::Send => "send",
            Role::Receive => "receive",
            Role::Wait => "wait",
            Role::Collective => "collective",
            Role::Init => "init",
            Role::Runtime => "runtime",
            Role::Idle => "idle",
        }
    }

    /// The colour that stands for the role. The nine stay apart for people who do not see all
    /// colours: those of Okabe and Ito, with a brown and a light grey.
    pub const fn color(self) -> Color {
        match self {
            Role::Compute => Color::rgb(0x00, 0x9e, 0x73),
            Role::Task => Color::rgb(0x00, 0x72, 0xb2),
            Role::Send => Color::rgb(0xe6, 0x9f, 0x00),
            Role::Receive => Color::rgb(0x56, 0xb4, 0xe9),
            Role::Wait => Color::rgb(0xd5, 0x5e, 0x00),
            Role::Collective => Color::rgb(0xcc, 0x79, 0xa7),
            Role::Init => Color::rgb(0xf0, 0xe4, 0x42),
            Role::Runtime => Color::rgb(0x8c, 0x56, 0x4b),
            Role::Idle => Color::rgb(0xbb, 0xbb, 0xbb),
        }
    }

    /// The role that a name suggests: that of the first pattern that fits it.
    pub fn guess(name: &[u8]) -> Option<Role> {
        static PARSED: LazyLock<Vec<Pattern>> =
            LazyLock::new(|| PATTERNS.iter().map(|(pattern, _)| Pattern::parse(pattern)).collect());
        if !may_have_a_role(name) {
            return None;
        }
        let words = words_of(name);
        let found = PARSED.iter().position(|pattern| pattern.fits(&words));
        found.map(|at| PATTERNS[at].1)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No role has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownRole(String);

impl fmt::Display for UnknownRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Role::ALL.map(Role::name).join(", ");
        write!(f, "no role \"{}\"; there are {names}", printable(self.0.as_bytes()))
    }
}

impl std::error::Error for UnknownRole {}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(name: &str) -> Result<Self, UnknownRole> {
        let found = Role::ALL.into_iter().find(|role| role.name() == name);
        found.ok_or_else(|| UnknownRole(name.to_owned()))
    }
}

/// The first word of a name that says where it comes from, and what it is read as. The functions
/// of the profiling interface of MPI and the actions of a replay are those of MPI; compilers
/// have their own names for OpenMP.
const FAMILIES: &[(&[u8], &[u8])] = &[
    (b"pmpi", b"mpi"),
    (b"smpi", b"mpi"),
    (b"action", b"mpi"),
    (b"openmp", b"omp"),
    (b"gomp", b"omp"),
    (b"kmpc", b"omp"),
    (b"cu", b"cuda"),
    (b"hip", b"cuda"),
];

/// The words of a name, in lower case: runs of letters and digits, cut again where a small letter
/// is followed by a capital and a small one. `MPI_Isend` is two words, so is `FetchingInput`;
/// `OpenMP` is one. Bytes beyond ASCII are letters. Where a function of Python stands is no part of its name.
pub(crate) fn words_of(name: &[u8]) -> Vec<Vec<u8>> {
    let name = without_place(name).unwrap_or(name);
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut in_word = false;
    for (at, &byte) in name.iter().enumerate() {
        if !(byte.is_ascii_alphanumeric() || byte >= 0x80) {
            in_word = false;
            continue;
        }
        let small_at = |at: usize| name.get(at).is_some_and(u8::is_ascii_lowercase);
        let cut = byte.is_ascii_uppercase() && at > 0 && small_at(at - 1) && small_at(at + 1);
        let byte = byte.to_ascii_lowercase();
        match words.last_mut() {
            Some(word) if in_word && !cut => word.push(byte),
            _ => words.push(vec![byte]),
        }
        in_word = true;
    }
    if let Some(first) = words.first_mut()
        && let Some((_, family)) = FAMILIES.iter().find(|(alias, _)| alias == first)
    {
        *first = family.to_vec();
    }
    if words.first().is_some_and(|first| first == b"nccl") {
        // Its kernels are called like its functions: ncclDevKernel_AllReduce.
        let is_kernel = |word: &&Vec<u8>| matches!(word.as_slice(), b"dev" | b"kernel");
        let n_kernel = words[1..].iter().take_while(is_kernel).count();
        words.drain(1..=n_kernel);
    }
    words
}

/// The name of a function of Python without the place in the source that profilers add to it: `run (lib/threading.py:971)`,
/// `torch/optim/sgd.py(80): step`. `None` where a name is not of this kind.
fn without_place(name: &[u8]) -> Option<&[u8]> {
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if let Some(rest) = name.strip_suffix(b")")
        && let Some(at) = rest.windows(2).rposition(|pair| pair == b" (")
    {
        let (function, place) = (&rest[..at], &rest[at + 2..]);
        let colon = place.iter().rposition(|byte| *byte == b':')?;
        let (file, line) = (&place[..colon], &place[colon + 1..]);
        let is_file = file.ends_with(b".py") || file.starts_with(b"<frozen ");
        return (is_file && is_number(line)).then_some(function);
    }
    let at = name.windows(4).position(|part| part == b".py(")? + 4;
    let end = at + name[at..].windows(3).position(|part| part == b"): ")?;
    is_number(&name[at..end]).then_some(&name[end + 3..])
}

/// Whether a name has in it what some pattern begins with, in any place. A trace may have a million
/// names, and most names of so many say nothing.
fn may_have_a_role(name: &[u8]) -> bool {
    static BEGINNINGS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let parsed = PATTERNS.iter().map(|(pattern, _)| Pattern::parse(pattern));
        let beginnings = parsed.filter_map(|pattern| Some(pattern.words.first()?.letters()));
        let families = FAMILIES.iter().map(|(alias, _)| *alias);
        let all = beginnings.chain(families);
        AhoCorasick::builder().ascii_case_insensitive(true).build(all).ok()
    });
    BEGINNINGS.as_ref().is_none_or(|beginnings| beginnings.is_match(name))
}

/// A pattern, taken apart.
struct Pattern {
    words: Vec<WordPattern>,
    at_start: bool,
    at_end: bool,
}

impl Pattern {
    fn parse(text: &'static str) -> Self {
        let (at_start, text) = match text.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (at_end, text) = match text.strip_suffix('$') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        Self { words: text.split(' ').map(WordPattern::parse).collect(), at_start, at_end }
    }

    /// Whether the words of the pattern occur one after the other among those of a name: anywhere, or
    /// at the beginning after `^`, or at the end before `$`.
    fn fits(&self, words: &[Vec<u8>]) -> bool {
        let Some(last) = words.len().checked_sub(self.words.len()) else { return false };
        let first = if self.at_end { last } else { 0 };
        let last = if self.at_start { 0 } else { last };
        (first..=last)
            .any(|at| self.words.iter().zip(&words[at..]).all(|(pattern, word)| pattern.fits(word)))
    }
}

/// A word of a pattern, where `*` at either end stands for any letters.
enum WordPattern {
    Is(&'static [u8]),
    Begins(&'static [u8]),
    Ends(&'static [u8]),
    Has(&'static [u8]),
}

impl WordPattern {
    fn parse(word: &'static str) -> Self {
        let word = word.as_bytes();
        match (word.strip_prefix(b"*"), word.strip_suffix(b"*")) {
            (None, None) => Self::Is(word),
            (None, Some(start)) => Self::Begins(start),
            (Some(end), None) => Self::Ends(end),
            (Some([]), Some(_)) => Self::Begins(b""),
            (Some([inner @ .., _]), Some(_)) => Self::Has(inner),
        }
    }

    fn letters(&self) -> &'static [u8] {
        match self {
            Self::Is(letters)
            | Self::Begins(letters)
            | Self::Ends(letters)
            | Self::Has(letters) => letters,
        }
    }

    fn fits(&self, word: &[u8]) -> bool {
        match self {
            Self::Is(whole) => word == *whole,
            Self::Begins(start) => word.starts_with(start),
            Self::Ends(end) => word.ends_with(end),
            Self::Has(inner) => word.windows(inner.len()).any(|part| part == *inner),
        }
    }
}

#[cfg(test)]
mod tests;
