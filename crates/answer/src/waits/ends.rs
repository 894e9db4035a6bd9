//! The ends of links, by process.

use onca_model::{FieldId, LaneId, Ticks, extra_fields};
use onca_query::Scope;
use onca_store::TextReader;

use crate::{AnswerError, Result};

/// More messages are not held at once.
const MOST_MESSAGES: usize = 64 << 20;

/// Does a link leave a process, or reach it?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Direction {
    /// It reaches it. At one instant messages are received before others are sent.
    In,
    /// It leaves it.
    Out,
}

/// An end of a link at a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub link: u32,
    pub time: Ticks,
    pub direction: Direction,
}

/// A link between two processes.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkEnds {
    pub from: u32,
    pub to: u32,
    /// When it was sent: at this time its call was under way.
    pub start: Ticks,
    pub end: Ticks,
    pub size: Option<u64>,
    /// From when it left until it was received.
    pub travel: Ticks,
    /// When the receiver asked for it, where the trace tells.
    pub posted: Option<Ticks>,
    /// When the sender was done with it, where the trace tells.
    pub completed: Option<Ticks>,
}

/// All links between processes.
#[derive(Default)]
pub(super) struct Links {
    pub links: Vec<LinkEnds>,
    /// Links with only one end.
    pub n_halves: u64,
    /// Links from or to a container that has no states.
    pub n_elsewhere: u64,
    /// By source and start, and by destination and end.
    by_start: Vec<u32>,
    by_end: Vec<u32>,
}

impl Links {
    /// Collects the links of a scope. `processes` has the process of each container, if it is one.
    pub fn collect(scope: &Scope<'_>, processes: &[Option<u32>]) -> Result<Self> {
        let mut found = Self::default();
        let fields = TimeFields::new(scope);
        for (lane, _) in scope.link_lanes() {
            let mut times = fields.reader(scope, lane);
            scope.visit_links(lane, |row, link| -> Result<()> {
                let (Some(source), Some(destination)) = (link.source, link.destination) else {
                    found.n_halves += 1;
                    return Ok(());
                };
                let ends = (processes[source.index()], processes[destination.index()]);
                let (Some(from), Some(to)) = ends else {
                    found.n_elsewhere += 1;
                    return Ok(());
                };
                if found.links.len() >= MOST_MESSAGES {
                    return Err(AnswerError::TooLarge(format!(
                        "there are more than {MOST_MESSAGES} messages; choose fewer containers"
                    )));
                }
                let told = times.get(row)?;
                found.links.push(LinkEnds {
                    from,
                    to,
                    start: told.sent.unwrap_or(link.start),
                    end: link.end,
                    size: link.size,
                    travel: link.end.saturating_sub(link.start).max(0),
                    posted: told.posted,
                    completed: told.completed,
                });
                Ok(())
            })??;
        }
        let links = &found.links;
        let mut by_start: Vec<u32> = (0..links.len() as u32).collect();
        let mut by_end = by_start.clone();
        by_start.sort_by_key(|&at| (links[at as usize].from, links[at as usize].start));
        by_end.sort_by_key(|&at| (links[at as usize].to, links[at as usize].end));
        (found.by_start, found.by_end) = (by_start, by_end);
        Ok(found)
    }

    /// The ends of links at a process.
    pub fn of(&self, process: u32) -> Ends<'_> {
        let part = |order: &'_ [u32], key: fn(&LinkEnds) -> u32| {
            let of = |at: &u32| key(&self.links[*at as usize]);
            let from = order.partition_point(|at| of(at) < process);
            from..order.partition_point(|at| of(at) <= process)
        };
        Ends {
            links: &self.links,
            sent: &self.by_start[part(&self.by_start, |link| link.from)],
            received: &self.by_end[part(&self.by_end, |link| link.to)],
        }
    }
}

/// The fields of links that tell times of calls.
struct TimeFields {
    sent: Option<FieldId>,
    posted: Vec<FieldId>,
    completed: Option<FieldId>,
}

/// What a link tells of the times of its calls.
#[derive(Clone, Copy, Default)]
struct ToldTimes {
    sent: Option<Ticks>,
    posted: Option<Ticks>,
    completed: Option<Ticks>,
}

impl TimeFields {
    fn new(scope: &Scope<'_>) -> Self {
        let fields = &scope.catalog().fields;
        let field = |name: &str| {
            let found = fields.iter().position(|field| field.name == name.as_bytes());
            found.map(|at| FieldId(at as u32))
        };
        let posted = ["posted", "logical_receive"].into_iter().filter_map(field).collect();
        match scope.store().changes().is_empty() {
            true => Self { sent: field("logical_send"), posted, completed: field("completed") },
            // Where times were moved, those in fields were not.
            false => Self { sent: None, posted: Vec::new(), completed: None },
        }
    }

    fn reader<'a>(&'a self, scope: &'a Scope<'_>, lane: LaneId) -> TimeReader<'a> {
        let texts = scope.store().texts(lane);
        let is_told = self.sent.is_some() || self.completed.is_some() || !self.posted.is_empty();
        TimeReader { fields: self, texts: (is_told && !texts.is_empty()).then_some(texts) }
    }
}

/// Reads what the links of a lane tell of times.
struct TimeReader<'a> {
    fields: &'a TimeFields,
    texts: Option<TextReader<'a>>,
}

impl TimeReader<'_> {
    fn get(&mut self, row: u64) -> Result<ToldTimes> {
        let mut told = ToldTimes::default();
        let Some(texts) = &mut self.texts else { return Ok(told) };
        let (_, extras) = texts.get(row)?;
        for extra in extra_fields(extras) {
            let time = || std::str::from_utf8(extra.text).ok()?.parse().ok();
            if Some(extra.field) == self.fields.sent {
                told.sent = time();
            } else if Some(extra.field) == self.fields.completed {
                told.completed = time();
            } else if self.fields.posted.contains(&extra.field) {
                told.posted = time();
            }
        }
        Ok(told)
    }
}

/// The ends of links at one process.
pub(super) struct Ends<'a> {
    links: &'a [LinkEnds],
    sent: &'a [u32],
    received: &'a [u32],
}

impl Ends<'_> {
    /// In order of time.
    pub fn iter(&self) -> impl Iterator<Item = End> {
        let (mut sent, mut received) =
            (self.sent.iter().peekable(), self.received.iter().peekable());
        std::iter::from_fn(move || {
            let start = sent.peek().map(|at| self.links[**at as usize].start);
            let end = received.peek().map(|at| self.links[**at as usize].end);
            match (start, end) {
                (Some(start), None) => take(sent.next(), start, Direction::Out),
                (Some(start), Some(end)) if start < end => take(sent.next(), start, Direction::Out),
                (_, Some(end)) => take(received.next(), end, Direction::In),
                (None, None) => None,
            }
        })
    }
}

fn take(link: Option<&u32>, time: Ticks, direction: Direction) -> Option<End> {
    link.map(|link| End { link: *link, time, direction })
}
