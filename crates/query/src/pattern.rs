//! Patterns that name containers, types and values.
//!
//! | text | matches |
//! | --- | --- |
//! | `rank3` | the name or alias `rank3` |
//! | `rank*`, `rank?` | any text, any one character |
//! | `rank[0-63]`, `rank[1,4,8-9]` | names that end in one of these numbers |
//! | `re:^(io\|net)` | names in which the regular expression finds something |
//! | `#12` | the container with this id |
//! | `/cluster/node*/rank0` | a path from the root, each part a name or a pattern |
//! | `REFERENCE/**` | what the reference means, and everything below |
//!
//! A backslash takes the meaning from the character that follows. A text that is exactly a name
//! or an alias means that, whatever characters it has; but `#12` is always an id, and what is a
//! path is taken for a name only if it leads nowhere.

use std::fmt;

use onca_model::printable;
use regex::bytes::{Regex, RegexBuilder};

/// How much memory a compiled expression may take: enough for any sensible one.
const MAX_EXPRESSION_BYTES: usize = 1 << 20;

/// A pattern for one name.
#[derive(Clone, Debug)]
pub struct NamePattern {
    /// The text as it was given; a name that equals it matches.
    text: Vec<u8>,
    /// How other names are tested. `None`: only the exact name matches.
    matcher: Option<Matcher>,
    /// The text without escapes.
    literal: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Matcher {
    regex: Regex,
    /// Allowed numbers for each group of the expression.
    ranges: Vec<NumberSet>,
}

/// Numbers such as `0-63` or `1,4,8-9`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct NumberSet {
    ranges: Vec<(u64, u64)>,
    /// How many digits a number must have, where the bounds are written with leading zeros.
    width: Option<usize>,
}

impl NumberSet {
    fn parse(text: &str) -> Option<Self> {
        let number = |digits: &str| {
            let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            all_digits.then(|| digits.parse::<u64>().ok()).flatten()
        };
        let mut width = None;
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            if low.len() > 1 && low.starts_with('0') {
                width = Some(low.len());
            }
            ranges.push((number(low)?, number(high)?));
        }
        ranges.iter().all(|(low, high)| low <= high).then_some(Self { ranges, width })
    }

    fn contains(&self, digits: &[u8]) -> bool {
        let fits = self.width.is_none_or(|width| digits.len() == width);
        let number = std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
        fits && number.is_some_and(|n| self.ranges.iter().any(|&(low, high)| low <= n && n <= high))
    }
}

impl NamePattern {
    /// Reads a pattern for one name.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_with(text, false)
    }

    /// Reads a pattern that does not tell small letters from capital ones.
    pub fn parse_ignoring_case(text: &str) -> Result<Self, String> {
        Self::parse_with(text, true)
    }

    fn parse_with(text: &str, ignore_case: bool) -> Result<Self, String> {
        let flags = if ignore_case { "(?i)" } else { "" };
        if let Some(expression) = text.strip_prefix("re:") {
            let regex = expression_of(&format!("{flags}{expression}"))?;
            let matcher = Matcher { regex, ranges: Vec::new() };
            let bytes = text.as_bytes().to_vec();
            return Ok(Self { text: bytes.clone(), matcher: Some(matcher), literal: bytes });
        }
        let mut glob = Glob::default();
        glob.read(text)?;
        let matcher = match glob.special || ignore_case {
            false => None,
            true => {
                let regex = expression_of(&format!("{flags}^{}$", glob.expression))?;
                Some(Matcher { regex, ranges: glob.ranges })
            }
        };
        Ok(Self { text: text.as_bytes().to_vec(), matcher, literal: glob.literal.into_bytes() })
    }

    /// Is it a plain name, without anything that stands for several?
    pub fn is_literal(&self) -> bool {
        self.matcher.is_none()
    }

    /// Is this exactly the name that the pattern spells?
    pub fn is_exactly(&self, name: &[u8]) -> bool {
        name == self.text || (self.is_literal() && name == self.literal)
    }

    /// Does the name match, exactly or as a pattern?
    pub fn matches(&self, name: &[u8]) -> bool {
        self.is_exactly(name) || self.matcher.as_ref().is_some_and(|matcher| matcher.matches(name))
    }

    /// The texts that are exactly this pattern: as given, and without its escapes.
    pub(crate) fn spellings(&self) -> [&[u8]; 2] {
        [&self.text, if self.is_literal() { &self.literal } else { &self.text }]
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.text))
    }
}

impl Matcher {
    fn matches(&self, name: &[u8]) -> bool {
        if self.ranges.is_empty() {
            return self.regex.is_match(name);
        }
        let Some(groups) = self.regex.captures(name) else { return false };
        let mut ranges = self.ranges.iter().enumerate();
        ranges.all(|(index, range)| {
            groups.get(index + 1).is_some_and(|m| range.contains(m.as_bytes()))
        })
    }
}

/// Compiles an expression with an engine whose time is linear in the text.
pub(crate) fn expression_of(text: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(text).size_limit(MAX_EXPRESSION_BYTES).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => format!("the expression {text:?} is too large"),
        // The last line of the message says what is wrong; those before draw where.
        error => {
            let message = error.to_string();
            let reason = message.lines().last().unwrap_or_default();
            format!("the expression {text:?}: {}", reason.trim_start_matches("error: "))
        }
    })
}

/// A glob on its way to an expression.
#[derive(Default)]
struct Glob {
    expression: String,
    literal: String,
    ranges: Vec<NumberSet>,
    special: bool,
}

impl Glob {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => {
                    let next =
                        rest.next().ok_or_else(|| format!("{text:?} ends in a backslash"))?;
                    self.plain(next);
                }
                '*' => self.wild("(?s-u:.*)"),
                '?' => self.wild("(?:(?s:.)|(?s-u:.))"),
                '[' => {
                    let (inside, after) = rest.as_str().split_once(']').ok_or_else(|| {
                        format!("{text:?} opens a bracket and does not close it; write \\[ for the character")
                    })?;
                    let numbers = NumberSet::parse(inside).ok_or_else(|| {
                        format!(
                            "[{inside}] in {text:?} is no list of numbers such as [0-63] or [1,4]; write \\[ for the character"
                        )
                    })?;
                    self.wild("([0-9]+)");
                    self.ranges.push(numbers);
                    rest = after.chars();
                }
                c => self.plain(c),
            }
        }
        Ok(())
    }

    fn plain(&mut self, c: char) {
        self.literal.push(c);
        self.expression.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn wild(&mut self, expression: &str) {
        self.expression.push_str(expression);
        self.special = true;
    }
}

/// A reference to containers.
#[derive(Clone, Debug)]
pub struct ContainerPattern {
    /// The text as it was given.
    pub text: String,
    pub(crate) target: Target,
    /// Everything below belongs to it.
    pub(crate) subtree: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// A container by its id.
    Id(u32),
    /// Containers with a name or alias.
    Name(NamePattern),
    /// A path from the root; empty for the root.
    Path(Vec<NamePattern>),
}

impl ContainerPattern {
    /// Reads a reference to containers.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (reference, subtree) = match text.strip_suffix("/**") {
            Some(reference) => (reference, true),
            None => (text, false),
        };
        let id = reference.strip_prefix('#').and_then(|digits| digits.parse().ok());
        let target = match (id, reference.strip_prefix('/')) {
            (Some(id), _) => Target::Id(id),
            (None, Some(path)) => Target::Path(path_parts(path)?),
            (None, None) if reference.is_empty() && subtree => Target::Path(Vec::new()),
            (None, None) if reference.is_empty() => return Err("the reference is empty".to_owned()),
            (None, None) => Target::Name(NamePattern::parse(reference)?),
        };
        Ok(Self { text: text.to_owned(), target, subtree })
    }

    /// Can it mean only one container, or containers of one name?
    pub(crate) fn is_literal(&self) -> bool {
        match &self.target {
            Target::Id(_) => true,
            Target::Name(name) => name.is_literal(),
            Target::Path(parts) => parts.iter().all(NamePattern::is_literal),
        }
    }
}

/// The parts of a path, cut at slashes that no backslash precedes.
fn path_parts(path: &str) -> Result<Vec<NamePattern>, String> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    let mut parts = vec![String::new()];
    let mut escaped = false;
    for c in path.chars() {
        let part = parts.last_mut().expect("there is always a part");
        match c {
            '/' if escaped => {
                part.pop();
                part.push('/');
            }
            '/' => parts.push(String::new()),
            c => part.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    parts.iter().map(|part| NamePattern::parse(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched<'a>(pattern: &str, names: &[&'a str]) -> Vec<&'a str> {
        let pattern = NamePattern::parse(pattern).expect("a pattern");
        names.iter().copied().filter(|name| pattern.matches(name.as_bytes())).collect()
    }

    #[test]
    fn patterns_match_what_the_table_says() {
        let names = ["rank0", "rank1", "rank10", "rank63", "rank64", "io", "rank[0-1]", "a*b"];
        assert_eq!(matched("rank1", &names), ["rank1"]);
        assert_eq!(matched("rank?", &names), ["rank0", "rank1"]);
        assert_eq!(matched("rank[0-1]", &names), ["rank0", "rank1", "rank[0-1]"]);
        assert_eq!(matched("rank[10,60-63]", &names), ["rank10", "rank63"]);
        assert_eq!(matched("re:^(io|rank6)", &names), ["rank63", "rank64", "io"]);
        assert_eq!(matched("a\\*b", &names), ["a*b"]);
        assert_eq!(matched("*", &names).len(), names.len());
    }

    #[test]
    fn case_is_ignored_on_request() {
        let matches = |pattern: &str, name: &[u8]| {
            NamePattern::parse_ignoring_case(pattern).expect("a pattern").matches(name)
        };
        assert!(matches("mpi_wait", b"MPI_Wait") && matches("mpi_*", b"MPI_Wait"));
        assert!(matches("re:^MPI", b"mpi_send") && matches("RANK[0-3]", b"rank2"));
        assert!(!matches("mpi", b"MPI_Wait") && !matches("RANK[0-3]", b"rank4"));
        assert!(matches("a.b", b"A.B") && !matches("a.b", b"axb"));
    }

    #[test]
    fn numbers_with_leading_zeros_keep_their_width() {
        let names = ["n01", "n1", "n10", "n010"];
        assert_eq!(matched("n[01-10]", &names), ["n01", "n10"]);
        assert_eq!(matched("n[1-10]", &names), names);
    }

    #[test]
    fn names_that_are_not_utf8_match_too() {
        let pattern = NamePattern::parse("caf?").expect("a pattern");
        assert!(pattern.matches(b"caf\xe9") && pattern.matches("café".as_bytes()));
        assert!(NamePattern::parse("c*").expect("a pattern").matches(b"c\xff\n\xfe"));
    }

    #[test]
    fn wrong_patterns_say_why() {
        let why = |text: &str| NamePattern::parse(text).expect_err("wrong");
        assert!(why("rank[0-").contains("does not close"));
        assert!(why("rank[a-b]").contains("no list of numbers"));
        assert!(why("rank[9-1]").contains("no list of numbers"));
        assert!(why("x\\").contains("backslash"));
        assert!(why("re:(").contains("unclosed group"));
        assert!(why("re:((a{1000}){1000}){1000}").contains("too large"));
        assert!(ContainerPattern::parse("").is_err());
    }

    #[test]
    fn a_path_is_cut_at_plain_slashes() {
        let parts = path_parts("a/b\\/c/d*").expect("a path");
        assert_eq!(parts.len(), 3);
        assert!(parts[1].matches(b"b/c") && parts[2].matches(b"dxy"));
        assert!(path_parts("").expect("the root").is_empty());
    }
}
