//! All trade-offs at once: the best value as a function of `p`.
//!
//! The value of one partition is a line in `p`, so the best value is the upper envelope of lines: convex, and made of
//! straight *segments*, one for each partition that is best somewhere. Between two known partitions the envelope is
//! looked at where their lines cross (Eisner and Severance): if nothing is higher there, that is a *breakpoint*;
//! otherwise a new line was found, and both sides are looked at again. `B` breakpoints cost at most `2 B + 2` partitions.
//!
//! As the envelope is convex, it lies between its known lines and the chords between known points. The search
//! refines where these two are farthest apart, and can stop at any time with a bound of what it may have missed.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{OverviewError, Partition, Tables, Watch};

/// When a search along the curve ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CurveLimits {
    /// The value may be off by this share of the gain and loss of the whole, nowhere by more.
    pub bound: f64,
    /// This many partitions are computed at most; three at least.
    pub solves: usize,
}

impl CurveLimits {
    /// What is good enough for a first look.
    pub const DRAFT: Self = Self { bound: 1e-6, solves: 64 };

    /// All breakpoints that are no rounding.
    pub const EXACT: Self = Self { bound: 1e-13, solves: usize::MAX };
}

/// An interval of trade-offs in which the best partition does not change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Segment {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The trade-off, within the segment, for which the partition was computed. Between its ends a search that stopped
    /// early may have missed a better one; here it has not, and the same partition comes out again.
    pub p: f64,
    /// The gain of the partition.
    pub gain: f64,
    /// Its loss.
    pub loss: f64,
    /// How many areas it has.
    pub n_areas: usize,
}

/// The best value for all trade-offs.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// The segments from 0 to 1. Gain and loss grow from each to the next.
    pub segments: Vec<Segment>,
    /// How much better than these the best value may be anywhere, as a share of the gain and loss of the whole.
    pub bound: f64,
    /// How many partitions were computed.
    pub solves: usize,
    /// Gain of everything as one area.
    pub whole_gain: f64,
    /// Loss of everything as one area.
    pub whole_loss: f64,
    /// The trade-off to begin with where its areas are few enough, [`Tables::start_p`].
    pub start_p: f64,
}

impl Curve {
    /// Searches the curve until a limit is met.
    pub fn search(
        tables: &Tables,
        limits: CurveLimits,
        watch: Watch,
    ) -> Result<Self, OverviewError> {
        let (whole_gain, whole_loss) = tables.whole();
        let scale = tables.scale();
        let mut search =
            Search { tables, watch: watch.silent(), lines: Vec::new(), open: BinaryHeap::new() };
        // The trade-off that an overview begins with comes first, so that the list has exactly its partition.
        let start_p = tables.start_p();
        for p in [start_p, 0.0, 1.0] {
            search.solve(p)?;
        }
        search.open_gap(1, 0);
        search.open_gap(0, 2);
        while search.lines.len() < limits.solves.max(3) {
            let Some(gap) = search.open.peek() else { break };
            if gap.bound <= limits.bound * scale {
                break;
            }
            search.refine(limits.bound.min(CurveLimits::EXACT.bound) * scale)?;
            if let Some(progress) = watch.progress {
                progress(search.lines.len() as u64, limits.solves.min(1 << 20) as u64);
            }
        }
        let missed = search.open.peek().map_or(0.0, |gap| gap.bound);
        Ok(Self {
            segments: search.segments(),
            bound: if scale > 0.0 { missed / scale } else { 0.0 },
            solves: search.lines.len(),
            whole_gain,
            whole_loss,
            start_p,
        })
    }

    /// Where the best partition changes.
    pub fn breakpoints(&self) -> impl Iterator<Item = f64> + '_ {
        self.segments.iter().skip(1).map(|segment| segment.from)
    }
}

/// The line of a partition, and where it is known to be the highest.
#[derive(Clone, Copy, Debug)]
struct Line {
    p: f64,
    gain: f64,
    loss: f64,
    n_areas: usize,
}

impl Line {
    fn of(partition: &Partition) -> Self {
        let Partition { p, gain, loss, areas } = partition;
        Self { p: *p, gain: *gain, loss: *loss, n_areas: areas.len() }
    }

    /// The slope: gain and loss together.
    fn weight(self) -> f64 {
        self.gain + self.loss
    }

    fn at(self, p: f64) -> f64 {
        p * self.weight() - self.loss
    }

    /// Where another line, which is steeper, crosses this one.
    fn crossing(self, other: Self) -> Option<f64> {
        let rise = other.weight() - self.weight();
        let p = (other.loss - self.loss) / rise;
        (rise > 0.0 && p.is_finite()).then_some(p.clamp(self.p, other.p))
    }
}

/// Two known neighbours between which there may be more.
#[derive(Clone, Copy, Debug)]
struct Gap {
    left: usize,
    right: usize,
    /// Where the lines cross.
    p: f64,
    /// How much higher than the crossing the envelope may be.
    bound: f64,
}

impl PartialEq for Gap {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Gap {}

impl PartialOrd for Gap {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Gap {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.p.total_cmp(&self.p))
    }
}

struct Search<'s> {
    tables: &'s Tables<'s>,
    watch: Watch<'s>,
    lines: Vec<Line>,
    open: BinaryHeap<Gap>,
}

impl Search<'_> {
    fn solve(&mut self, p: f64) -> Result<Line, OverviewError> {
        let line = Line::of(&self.tables.solve(p, self.watch)?);
        self.lines.push(line);
        Ok(line)
    }

    fn open_gap(&mut self, left: usize, right: usize) {
        let (a, b) = (self.lines[left], self.lines[right]);
        let Some(p) = a.crossing(b) else { return };
        let (low, high) = (a.at(a.p), b.at(b.p));
        let chord = low + (high - low) * ((p - a.p) / (b.p - a.p));
        let bound = chord - a.at(p);
        if bound > 0.0 {
            self.open.push(Gap { left, right, p, bound });
        }
    }

    /// Looks at the widest gap.
    fn refine(&mut self, rounding: f64) -> Result<(), OverviewError> {
        let Some(Gap { left, right, p, .. }) = self.open.pop() else { return Ok(()) };
        let found = self.solve(p)?;
        let (a, b) = (self.lines[left], self.lines[right]);
        // A line that is not between its neighbours is one of them, but for rounding; without this test the search might
        // not end.
        let is_between = a.weight() < found.weight()
            && found.weight() < b.weight()
            && a.loss <= found.loss
            && found.loss <= b.loss;
        if is_between && found.at(p) > a.at(p) + rounding {
            let new = self.lines.len() - 1;
            self.open_gap(left, new);
            self.open_gap(new, right);
        }
        Ok(())
    }

    /// The envelope of all lines that were found.
    fn segments(&self) -> Vec<Segment> {
        let mut lines = self.lines.clone();
        lines.sort_by(|a, b| a.weight().total_cmp(&b.weight()).then(b.loss.total_cmp(&a.loss)));
        // Of a partition that was found several times, the first is kept.
        lines.dedup_by(|later, first| later.gain == first.gain && later.loss == first.loss);
        let mut hull: Vec<(f64, Line)> = Vec::new();
        for line in lines {
            let from = loop {
                let Some(&(from, last)) = hull.last() else { break Some(0.0) };
                match last.crossing_anywhere(line) {
                    // As steep, and not lower: the earlier line is never the highest.
                    None => {
                        hull.pop();
                    }
                    Some(p) if p <= from && hull.len() > 1 => {
                        hull.pop();
                    }
                    Some(p) if p <= 0.0 => {
                        hull.pop();
                    }
                    Some(p) if p >= 1.0 => break None,
                    Some(p) => break Some(p),
                }
            };
            if let Some(from) = from {
                hull.push((from, line));
            }
        }
        let ends = hull.iter().skip(1).map(|&(from, _)| from).chain([1.0]);
        let segment = |((from, line), to): (&(f64, Line), f64)| Segment {
            from: *from,
            to,
            p: line.p,
            gain: line.gain,
            loss: line.loss,
            n_areas: line.n_areas,
        };
        hull.iter().zip(ends).map(segment).collect()
    }
}

impl Line {
    /// Where a line that is at least as steep becomes the higher one; `None` if both are equally steep.
    fn crossing_anywhere(self, other: Self) -> Option<f64> {
        let rise = other.weight() - self.weight();
        (rise > 1e-12 * other.weight().abs()).then(|| (other.loss - self.loss) / rise)
    }
}
