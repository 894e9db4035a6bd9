//! Finding entities and containers by name, by extra field and by duration.
//!
//! What is found comes in order of time, page by page. The window is searched in stretches that
//! grow until a page is full, so that the first page does not cost more than it must; and only
//! lanes that can hold what is searched are looked at.

mod source;
pub(crate) mod wire;

use std::fmt;
use std::str::FromStr;

use onca_model::{
    ContainerId, FieldId, LaneId, Nature, Ticks, TypeId, ValueId, Window, extra_fields,
};
use onca_query::{NamePattern, Scope};
use rayon::prelude::*;

use crate::Result;
use crate::inspect::SourceLine;
use crate::times::chunk_of;
use source::{Search, Stretch};

/// Which texts of an entity a pattern is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fields {
    /// The name of its value; for variables the number.
    pub values: bool,
    /// For containers: the name and the alias.
    pub containers: bool,
    /// The name of its type.
    pub types: bool,
    /// The texts of its extra fields.
    pub extras: bool,
    /// For links: the key that paired its halves.
    pub keys: bool,
}

/// What is searched.
#[derive(Clone, Debug)]
pub struct FindSpec {
    /// What one of the texts must be.
    pub pattern: NamePattern,
    /// Which texts.
    pub fields: Fields,
    /// Of the extra fields, only these; all when there is none.
    pub extra_fields: Vec<FieldId>,
    /// Entities of which natures.
    pub kinds: Vec<Nature>,
    /// Only what lasts longer than this. Events have no duration.
    pub longer_than: Option<Ticks>,
    /// Only what lasts less than this.
    pub shorter_than: Option<Ticks>,
    /// What this line of source made. Then nothing else decides whether an entity fits, and
    /// containers do not.
    pub line: Option<SourceLine>,
}

impl FindSpec {
    /// Has one of the extra fields that count a fitting text?
    fn fits_extras(&self, packed: &[u8]) -> bool {
        let counts = |id| self.extra_fields.is_empty() || self.extra_fields.contains(&id);
        extra_fields(packed).any(|extra| counts(extra.field) && self.pattern.matches(extra.text))
    }

    /// Does something of this duration count?
    fn lasts(&self, duration: Option<Ticks>) -> bool {
        match (duration, self.longer_than, self.shorter_than) {
            (_, None, None) => true,
            (None, ..) => false,
            (Some(ticks), least, most) => {
                least.is_none_or(|least| ticks > least) && most.is_none_or(|most| ticks < most)
            }
        }
    }
}

/// Where an entity stands among all: by time, nature, lane or container, and row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cursor {
    start: Ticks,
    nature: u8,
    id: u32,
    row: u64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, nature, id, row } = self;
        write!(f, "{start}:{nature}:{id}:{row}")
    }
}

impl FromStr for Cursor {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let read = || {
            let [start, nature, id, row] = parts.as_slice() else { return None };
            Some(Self {
                start: start.parse().ok()?,
                nature: nature.parse().ok()?,
                id: id.parse().ok()?,
                row: row.parse().ok()?,
            })
        };
        read().ok_or_else(|| format!("{text:?} is no place of a search; copy one that was printed"))
    }
}

/// Something found.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// Where it stands among all.
    pub cursor: Cursor,
    /// What it is.
    pub nature: Nature,
    /// Its type.
    pub type_id: TypeId,
    /// When it began.
    pub start: Ticks,
    /// When it ended; events end when they begin.
    pub end: Ticks,
    /// The container: its own, for links the source, for containers itself.
    pub container: Option<ContainerId>,
    /// For links the destination.
    pub destination: Option<ContainerId>,
    /// Its value, if it has one with a name.
    pub value: Option<ValueId>,
    /// For variables the number.
    pub number: Option<f64>,
    /// For links the key.
    pub key: Vec<u8>,
    /// Its extra fields, packed.
    pub extras: Vec<u8>,
}

impl Hit {
    /// Where the entity is stored: its lane and its row there. Containers are not stored so.
    pub fn place(&self) -> Option<(LaneId, u64)> {
        let Cursor { id, row, .. } = self.cursor;
        (self.nature != Nature::Container).then_some((LaneId(id), row))
    }
}

/// A page of what was found, in order of time.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// What was found.
    pub hits: Vec<Hit>,
    /// Where the next page begins, if there is one: after this.
    pub next: Option<Cursor>,
}

/// How many there are of one nature, type and value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundCount {
    /// What they are.
    pub nature: Nature,
    /// Their type.
    pub type_id: TypeId,
    /// Their value, if they have one with a name.
    pub value: Option<ValueId>,
    /// How many.
    pub count: u64,
}

/// How many there are of everything searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundCounts {
    /// The counts, the most first.
    pub rows: Vec<FoundCount>,
    /// Did entities have to be looked at one by one?
    pub scanned: bool,
}

/// Finds a page of at most `limit` after a cursor, or from the beginning.
pub fn find(
    scope: &Scope<'_>,
    spec: &FindSpec,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Found> {
    let search = Search::new(scope, spec)?;
    let Window { from, to } = scope.instants();
    let begun = after.is_some_and(|cursor| cursor.start >= from);
    let mut at = if begun { after.map_or(from, |cursor| cursor.start) } else { from };
    // What began before the window comes first.
    let mut first = if begun { at } else { Ticks::MIN };
    let mut width = (to.saturating_sub(at) / 1024).max(1);
    let mut hits: Vec<Hit> = Vec::new();
    while at < to && hits.len() <= limit {
        let end = at.saturating_add(width).min(to);
        let stretch = Stretch { window: Window::new(at, end), starts_from: first, after };
        hits.extend(of_stretch(&search, &stretch, limit + 1 - hits.len())?);
        (at, first) = (end, end);
        width = width.saturating_mul(2);
    }
    let more = hits.len() > limit;
    hits.truncate(limit);
    search.read_texts(&mut hits)?;
    let next = hits.last().filter(|_| more).map(|hit| hit.cursor);
    Ok(Found { hits, next })
}

/// The first `limit` of a stretch of time, in order.
fn of_stretch(search: &Search<'_>, stretch: &Stretch, limit: usize) -> Result<Vec<Hit>> {
    let parts: Vec<Vec<Hit>> = search
        .sources
        .par_chunks(chunk_of(search.sources.len()))
        .map(|sources| {
            let mut hits = Vec::new();
            for source in sources {
                search.visit(source, stretch, |hit| {
                    hits.push(hit);
                    if hits.len() >= 2 * limit + 1024 {
                        keep_first(&mut hits, limit);
                    }
                })?;
            }
            keep_first(&mut hits, limit);
            Ok(hits)
        })
        .collect::<Result<_>>()?;
    let mut hits = parts.concat();
    search.visit_containers(stretch, |hit| hits.push(hit));
    keep_first(&mut hits, limit);
    Ok(hits)
}

fn keep_first(hits: &mut Vec<Hit>, limit: usize) {
    hits.sort_unstable_by_key(|hit| hit.cursor);
    hits.truncate(limit);
}

/// How many there are, by nature, type and value. From cumulative sums wherever names alone
/// decide.
pub fn count_found(scope: &Scope<'_>, spec: &FindSpec) -> Result<FoundCounts> {
    let search = Search::new(scope, spec)?;
    let stretch = Stretch { window: scope.instants(), starts_from: Ticks::MIN, after: None };
    let parts: Vec<(Vec<FoundCount>, bool)> = search
        .sources
        .par_chunks(chunk_of(search.sources.len()))
        .map(|sources| {
            let (mut counts, mut scanned) = (Vec::new(), false);
            for source in sources {
                scanned |= search.count(source, &stretch, &mut counts)?;
            }
            Ok((merged(counts), scanned))
        })
        .collect::<Result<_>>()?;
    let scanned = parts.iter().any(|(_, scanned)| *scanned);
    let mut counts: Vec<FoundCount> = parts.into_iter().flat_map(|(counts, _)| counts).collect();
    search.visit_containers(&stretch, |hit| counts.push(FoundCount::one(&hit)));
    let mut rows = merged(counts);
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    Ok(FoundCounts { rows, scanned })
}

impl FoundCount {
    fn one(hit: &Hit) -> Self {
        Self { nature: hit.nature, type_id: hit.type_id, value: hit.value, count: 1 }
    }
}

/// Counts by nature, type and value, each once.
fn merged(mut counts: Vec<FoundCount>) -> Vec<FoundCount> {
    counts.sort_by_key(|row| (row.nature as u8, row.type_id, row.value));
    counts.dedup_by(|later, earlier| {
        let key = |row: &FoundCount| (row.nature, row.type_id, row.value);
        let same = key(later) == key(earlier);
        if same {
            earlier.count += later.count;
        }
        same
    });
    counts
}
