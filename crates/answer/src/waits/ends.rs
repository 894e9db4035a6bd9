//! The ends of links, by process.

use std::ops::ControlFlow;

use onca_model::Ticks;
use onca_query::Scope;

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
    pub start: Ticks,
    pub end: Ticks,
    pub size: Option<u64>,
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
        for (lane, _) in scope.link_lanes() {
            let _ = scope.visit_links(lane, |_, link| {
                let (Some(source), Some(destination)) = (link.source, link.destination) else {
                    found.n_halves += 1;
                    return ControlFlow::Continue(());
                };
                match (processes[source.index()], processes[destination.index()]) {
                    (Some(from), Some(to)) => {
                        let (start, end, size) = (link.start, link.end, link.size);
                        found.links.push(LinkEnds { from, to, start, end, size });
                    }
                    _ => found.n_elsewhere += 1,
                }
                match found.links.len() > MOST_MESSAGES {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
        }
        if found.links.len() > MOST_MESSAGES {
            return Err(AnswerError::TooLarge(format!(
                "there are more than {MOST_MESSAGES} messages; choose fewer containers"
            )));
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
