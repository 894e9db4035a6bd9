//! The ends of links, by process.

use onca_aggregate::waits::{ByProcess, Column, Growing};
use onca_model::{LaneId, LinkTime, Ticks, extra_fields};
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
}

/// All links between processes, packed: there are millions.
#[derive(Default)]
pub(super) struct Links {
    from: Column,
    to: Column,
    starts: Growing,
    lengths: Column,
    /// One more than the size, where there is one.
    sizes: Column,
    /// What the trace tells of the times of each link's calls; empty where it tells nothing.
    told: Vec<ToldTimes>,
    /// Links with only one end.
    pub n_halves: u64,
    /// Links from or to a container that has no states.
    pub n_elsewhere: u64,
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
                if found.len() >= MOST_MESSAGES {
                    return Err(AnswerError::TooLarge(format!(
                        "there are more than {MOST_MESSAGES} messages; choose fewer containers"
                    )));
                }
                let mut start = link.start;
                if fields.are_any() {
                    let told = ToldTimes { left: link.start, ..times.get(row)? };
                    start = told.sent.unwrap_or(start);
                    found.told.push(told);
                }
                found.push(LinkEnds { from, to, start, end: link.end, size: link.size });
                Ok(())
            })??;
        }
        Ok(found)
    }

    fn push(&mut self, link: LinkEnds) {
        self.from.push(link.from.into());
        self.to.push(link.to.into());
        self.starts.push(link.start);
        self.lengths.push(link.end.wrapping_sub(link.start) as u64);
        self.sizes.push(link.size.map_or(0, |size| size.saturating_add(1)));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// A link.
    pub fn get(&self, at: usize) -> LinkEnds {
        let start = self.starts.get(at);
        LinkEnds {
            from: self.from.get_u32(at),
            to: self.to.get_u32(at),
            start,
            end: start.wrapping_add(self.lengths.get(at) as Ticks),
            size: self.sizes.get(at).checked_sub(1),
        }
    }

    /// Does the trace tell when messages were asked for, or taken?
    pub fn tell_times(&self) -> bool {
        !self.told.is_empty()
    }

    /// What the trace tells of the calls of a link.
    pub fn told(&self, link: usize) -> ToldTimes {
        self.told.get(link).copied().unwrap_or_default()
    }

    /// From when a message left until it was received.
    pub fn travel(&self, link: usize) -> Ticks {
        let LinkEnds { start, end, .. } = self.get(link);
        end.saturating_sub(self.told.get(link).map_or(start, |told| told.left)).max(0)
    }
}

/// The ends of all links, by process and time.
pub(super) struct LinkOrder<'a> {
    links: &'a Links,
    sent: ByProcess<u32>,
    received: ByProcess<u32>,
}

impl<'a> LinkOrder<'a> {
    pub fn new(links: &'a Links, n_processes: usize) -> Self {
        let all = || 0..links.len() as u32;
        let of = |at: &u32| links.get(*at as usize);
        let (sent, received) = rayon::join(
            || ByProcess::new(n_processes, all, |at| of(at).from, |at| (of(at).start, *at)),
            || ByProcess::new(n_processes, all, |at| of(at).to, |at| (of(at).end, *at)),
        );
        Self { links, sent, received }
    }

    /// The ends of links at a process.
    pub fn of(&self, process: u32) -> Ends<'_> {
        Ends {
            links: self.links,
            sent: self.sent.get(process),
            received: self.received.get(process),
        }
    }
}

/// The fields of links that tell times of calls.
struct TimeFields(Vec<Option<LinkTime>>);

/// What a link tells of the times of its calls.
#[derive(Clone, Copy, Default)]
pub(super) struct ToldTimes {
    left: Ticks,
    sent: Option<Ticks>,
    /// When the receiver asked for it.
    pub posted: Option<Ticks>,
    /// When the sender was done with it.
    pub completed: Option<Ticks>,
}

impl TimeFields {
    fn new(scope: &Scope<'_>) -> Self {
        let fields = scope.catalog().fields.iter();
        Self(fields.map(|field| LinkTime::of_field(&field.name)).collect())
    }

    fn are_any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    fn reader<'a>(&'a self, scope: &'a Scope<'_>, lane: LaneId) -> TimeReader<'a> {
        let texts = scope.store().texts(lane);
        TimeReader { fields: self, texts: (self.are_any() && !texts.is_empty()).then_some(texts) }
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
            match self.fields.0.get(extra.field.index()).copied().flatten() {
                Some(LinkTime::Sent) => told.sent = time(),
                Some(LinkTime::Posted) => told.posted = time(),
                Some(LinkTime::Completed) => told.completed = time(),
                None => {}
            }
        }
        Ok(told)
    }
}

/// The ends of links at one process.
pub(super) struct Ends<'a> {
    links: &'a Links,
    sent: &'a [u32],
    received: &'a [u32],
}

impl Ends<'_> {
    /// In order of time.
    pub fn iter(&self) -> impl Iterator<Item = End> {
        let (mut sent, mut received) =
            (self.sent.iter().peekable(), self.received.iter().peekable());
        std::iter::from_fn(move || {
            let start = sent.peek().map(|at| self.links.get(**at as usize).start);
            let end = received.peek().map(|at| self.links.get(**at as usize).end);
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
