//! What links carry, per slice.

use onca_model::Ticks;

use super::{Bounds, Cube, LinkMeasure, TooLarge};
use crate::Number;

/// What becomes of a link that crosses a bound of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crossing {
    /// It counts nowhere. For one slice that the user has chosen.
    Drop,
    /// It counts in every slice that it touches, with the time spent there and that share of its
    /// size. For many slices: dropping would lose most long links.
    Clip,
}

/// Which of its two ends a link counts for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEnd {
    /// Where it comes from.
    Origin,
    /// Where it goes to.
    Destination,
}

impl LinkEnd {
    /// The one of the two that is meant.
    pub fn of<T>(self, origin: T, destination: T) -> T {
        match self {
            Self::Origin => origin,
            Self::Destination => destination,
        }
    }
}

/// What a slice has of a link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkShare {
    /// The slice.
    pub slice: usize,
    /// How many ticks of the link lie in it.
    pub ticks: Ticks,
    /// How many ticks the link lasts altogether.
    pub duration: Ticks,
    /// The size of the whole link.
    pub size: f64,
}

impl LinkShare {
    /// The size in proportion to the time in the slice. A link without duration is whole.
    pub fn size_inside(&self) -> f64 {
        if self.ticks == self.duration {
            self.size
        } else {
            self.size * self.ticks as f64 / self.duration as f64
        }
    }
}

/// How many links came to what. Links wholly outside the window are in none of these.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkTally {
    /// Links that count in some slice, clipped ones included.
    pub counted: u64,
    /// Links that cross a bound and were dropped.
    pub dropped: u64,
    /// Links that cross a bound and were clipped.
    pub clipped: u64,
    /// Links that end before they start, as they do when clocks disagree. They are counted as
    /// instants at their start.
    pub backward: u64,
}

/// Finds the slices of links.
#[derive(Clone, Debug)]
pub(super) struct LinkSplitter {
    bounds: Bounds,
    edges: Vec<Ticks>,
    crossing: Crossing,
    pub tally: LinkTally,
}

impl LinkSplitter {
    pub fn new(bounds: Bounds, crossing: Crossing) -> Self {
        Self { bounds, edges: bounds.edges(), crossing, tally: LinkTally::default() }
    }

    /// Gives `visit` the shares of a link, by slice.
    pub fn split(&mut self, start: Ticks, end: Ticks, size: f64, visit: impl FnMut(LinkShare)) {
        if start < end {
            self.split_interval(start, end, size, visit);
        } else {
            self.place_instant(start, start > end, size, visit);
        }
    }

    fn place_instant(
        &mut self,
        time: Ticks,
        backward: bool,
        size: f64,
        mut visit: impl FnMut(LinkShare),
    ) {
        let Some(slice) = self.bounds.slice_of_instant(time) else { return };
        self.tally.counted += 1;
        self.tally.backward += u64::from(backward);
        visit(LinkShare { slice, ticks: 0, duration: 0, size });
    }

    fn split_interval(
        &mut self,
        start: Ticks,
        end: Ticks,
        size: f64,
        mut visit: impl FnMut(LinkShare),
    ) {
        let Some(part) = self.bounds.part(start, end) else { return };
        let crosses = (part.start, part.end) != (start, end) || part.first != part.last;
        if crosses && self.crossing == Crossing::Drop {
            self.tally.dropped += 1;
            return;
        }
        self.tally.counted += 1;
        self.tally.clipped += u64::from(crosses);
        let duration = end.saturating_sub(start);
        for slice in part.first..=part.last {
            let from = part.start.max(self.edges[slice]);
            let ticks = part.end.min(self.edges[slice + 1]) - from;
            // Slices narrower than a tick touch nothing.
            if ticks > 0 {
                visit(LinkShare { slice, ticks, duration, size });
            }
        }
    }
}

/// Adds up one measure of links, for all leaves at once: links come in order of time, not of leaves.
///
/// Equals, for each leaf, value and slice, the sum of the measure over the leaf's links that lie
/// in the slice ([`Crossing::Drop`]) or touch it ([`Crossing::Clip`]). A link costs the number of
/// slices that it touches.
#[derive(Clone, Debug)]
pub struct LinkSlices<M: LinkMeasure> {
    measure: M,
    splitter: LinkSplitter,
    cube: Cube<M::Amount>,
}

impl<M: LinkMeasure> LinkSlices<M> {
    /// Nothing yet.
    pub fn new(
        measure: M,
        bounds: Bounds,
        crossing: Crossing,
        n_leaves: usize,
        n_values: usize,
    ) -> Result<Self, TooLarge> {
        let cube = Cube::new(n_leaves, n_values, bounds.n_slices())?;
        Ok(Self { measure, splitter: LinkSplitter::new(bounds, crossing), cube })
    }

    /// Adds a link to the leaf at the end that is looked at, see [`LinkEnd`].
    ///
    /// # Panics
    /// If the leaf or the value is not below the number of leaves or values.
    pub fn add(&mut self, leaf: usize, value: usize, start: Ticks, end: Ticks, size: f64) {
        let row = self.cube.row_mut(leaf, value);
        self.splitter.split(start, end, size, |share| {
            let cell = &mut row[share.slice];
            *cell = cell.plus(self.measure.amount(&share));
        });
    }

    /// How many links were counted, dropped and clipped so far.
    pub fn tally(&self) -> LinkTally {
        self.splitter.tally
    }

    /// The sums.
    pub fn finish(self) -> Cube<M::Amount> {
        self.cube
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::{LinkCount, LinkSize, LinkTicks};

    fn slices<M: LinkMeasure>(measure: M, crossing: Crossing) -> LinkSlices<M> {
        let bounds = Bounds::new(0, 20, 2).expect("bounds");
        LinkSlices::new(measure, bounds, crossing, 1, 1).expect("slices")
    }

    #[test]
    fn a_link_that_crosses_is_dropped_or_clipped_and_told() {
        for (crossing, sizes) in [(Crossing::Drop, [0.0, 8.0]), (Crossing::Clip, [3.0, 9.0])] {
            let mut links = slices(LinkSize, crossing);
            links.add(0, 0, 7, 11, 4.0);
            links.add(0, 0, 12, 20, 8.0);
            links.add(0, 0, 20, 25, 99.0);
            let clipped = u64::from(crossing == Crossing::Clip);
            let dropped = 1 - clipped;
            let tally = LinkTally { counted: 1 + clipped, dropped, clipped, backward: 0 };
            assert_eq!(links.tally(), tally);
            assert_eq!(links.finish().row(0, 0), sizes);
        }
    }

    #[test]
    fn a_link_without_duration_counts_in_one_slice() {
        for crossing in [Crossing::Drop, Crossing::Clip] {
            let mut links = slices(LinkCount, crossing);
            for time in [0, 10, 20, 21] {
                links.add(0, 0, time, time, 1.0);
            }
            assert_eq!(links.tally().counted, 3);
            assert_eq!(links.finish().row(0, 0), [1, 2]);
        }
    }

    #[test]
    fn a_backward_link_is_an_instant_at_its_start() {
        let mut links = slices(LinkTicks, Crossing::Clip);
        links.add(0, 0, 12, 3, 5.0);
        assert_eq!(links.tally(), LinkTally { counted: 1, backward: 1, ..LinkTally::default() });
        assert_eq!(links.finish().row(0, 0), [0, 0]);
    }

    #[test]
    fn an_end_chooses() {
        assert_eq!(LinkEnd::Origin.of('a', 'b'), 'a');
        assert_eq!(LinkEnd::Destination.of('a', 'b'), 'b');
    }
}
