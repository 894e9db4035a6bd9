//! Regular slices of a window, without rounding errors.

use std::fmt;

use onca_model::{Ticks, Window};

/// A window cut into regular slices.
///
/// Bound `k` is `from + (to - from) * k div n`, computed from `k` in 128 bits and never summed up.
/// Slice `k` is `[bound k, bound k + 1)`, so neighbours share a bound and every tick of the window
/// is in exactly one slice. The widths of two slices differ by at most one tick; where there are
/// more slices than ticks, some are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    from: Ticks,
    to: Ticks,
    n_slices: u32,
}

/// Why a window cannot be cut into slices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BoundsError {
    /// The window holds no tick.
    Empty {
        /// Its begin.
        from: Ticks,
        /// Its end, which is not after its begin.
        to: Ticks,
    },
    /// The window is longer than a tick count can say.
    TooLong {
        /// Its begin.
        from: Ticks,
        /// Its end.
        to: Ticks,
    },
    /// No slices, or more than [`Bounds::MAX_SLICES`].
    Slices {
        /// How many were wanted.
        wanted: usize,
    },
}

impl fmt::Display for BoundsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { from, to } => {
                write!(f, "the window from tick {from} to tick {to} is empty")
            }
            Self::TooLong { from, to } => {
                let most = Ticks::MAX;
                write!(f, "the window from tick {from} to tick {to} has more than {most} ticks")
            }
            Self::Slices { wanted } => {
                write!(
                    f,
                    "{wanted} slices are not possible; there may be 1 to {}",
                    Bounds::MAX_SLICES
                )
            }
        }
    }
}

impl std::error::Error for BoundsError {}

/// The part of an interval that lies in a window, and the slices that hold its two ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub start: Ticks,
    pub end: Ticks,
    pub first: usize,
    pub last: usize,
}

impl Bounds {
    /// No picture or table has more; what is kept per slice then stays within megabytes.
    pub const MAX_SLICES: usize = 1 << 20;

    /// Cuts `[from, to)` into `n_slices` slices.
    pub fn new(from: Ticks, to: Ticks, n_slices: usize) -> Result<Self, BoundsError> {
        if from >= to {
            return Err(BoundsError::Empty { from, to });
        }
        if to.checked_sub(from).is_none() {
            return Err(BoundsError::TooLong { from, to });
        }
        if n_slices == 0 || n_slices > Self::MAX_SLICES {
            return Err(BoundsError::Slices { wanted: n_slices });
        }
        Ok(Self { from, to, n_slices: n_slices as u32 })
    }

    /// The whole window.
    pub fn window(&self) -> Window {
        Window::new(self.from, self.to)
    }

    /// How many slices there are.
    pub fn n_slices(&self) -> usize {
        self.n_slices as usize
    }

    /// Bound `k`: where slice `k` begins and slice `k - 1` ends. Bound `n_slices` is the end of the
    /// window.
    pub fn bound(&self, k: usize) -> Ticks {
        let k = (k as u128).min(u128::from(self.n_slices));
        self.from + (u128::from(self.span()) * k / u128::from(self.n_slices)) as Ticks
    }

    /// Slice `k` as a window.
    pub fn slice(&self, k: usize) -> Window {
        Window::new(self.bound(k), self.bound(k + 1))
    }

    /// All bounds, one more than there are slices.
    pub fn edges(&self) -> Vec<Ticks> {
        (0..=self.n_slices()).map(|k| self.bound(k)).collect()
    }

    /// The width of each slice.
    pub fn widths(&self) -> Vec<Ticks> {
        self.edges().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// The slice that holds a tick, if one does.
    pub fn slice_of(&self, tick: Ticks) -> Option<usize> {
        (self.from <= tick && tick < self.to).then(|| self.slice_inside(tick))
    }

    /// The slice that an instant counts in: as [`slice_of`](Self::slice_of), but the last slice is
    /// closed, so that what happens at the very end of the window is not lost.
    pub fn slice_of_instant(&self, tick: Ticks) -> Option<usize> {
        if tick == self.to { Some(self.n_slices() - 1) } else { self.slice_of(tick) }
    }

    /// The slice of a tick that is known to lie in the window: the largest `k` with
    /// `span * k div n <= tick - from`.
    fn slice_inside(&self, tick: Ticks) -> usize {
        // `span * k div n <= d` is `span * k < (d + 1) * n`, hence `k <= ((d + 1) * n - 1) div span`.
        let after = self.distance(tick) + 1;
        match after.checked_mul(u64::from(self.n_slices)) {
            Some(scaled) => ((scaled - 1) / self.span()) as usize,
            None => {
                let scaled = u128::from(after) * u128::from(self.n_slices);
                ((scaled - 1) / u128::from(self.span())) as usize
            }
        }
    }

    fn span(&self) -> u64 {
        self.distance(self.to)
    }

    fn distance(&self, tick: Ticks) -> u64 {
        self.from.abs_diff(tick)
    }

    /// The part of `[start, end)` inside the window; `None` if that is no tick at all.
    pub(super) fn part(&self, start: Ticks, end: Ticks) -> Option<Part> {
        let (start, end) = (start.max(self.from), end.min(self.to));
        if start >= end {
            return None;
        }
        let first = self.slice_inside(start);
        let last = self.slice_inside(end - 1);
        Some(Part { start, end, first, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_computed_from_their_number() {
        let bounds = Bounds::new(-3, 7, 4).expect("bounds");
        assert_eq!(bounds.edges(), [-3, -1, 2, 4, 7]);
        assert_eq!(bounds.widths(), [2, 3, 2, 3]);
        assert_eq!(bounds.slice(1), Window::new(-1, 2));
    }

    #[test]
    fn every_tick_is_in_one_slice() {
        for (span, n_slices) in [(1, 1), (1, 5), (7, 3), (10, 10), (10, 64), (100, 7)] {
            let bounds = Bounds::new(-5, -5 + span, n_slices).expect("bounds");
            for tick in -7..span {
                let holders: Vec<usize> = (0..n_slices)
                    .filter(|&k| bounds.bound(k) <= tick && tick < bounds.bound(k + 1))
                    .collect();
                assert_eq!(bounds.slice_of(tick), holders.first().copied(), "{tick} {bounds:?}");
                assert!(holders.len() <= 1);
            }
        }
    }

    #[test]
    fn the_last_slice_is_closed_for_instants() {
        let bounds = Bounds::new(0, 10, 3).expect("bounds");
        assert_eq!(bounds.slice_of(10), None);
        assert_eq!(bounds.slice_of_instant(10), Some(2));
        assert_eq!(bounds.slice_of_instant(11), None);
        assert_eq!(bounds.slice_of_instant(0), Some(0));
    }

    #[test]
    fn extreme_windows_do_not_overflow() {
        let n_slices = Bounds::MAX_SLICES;
        let bounds = Bounds::new(0, Ticks::MAX, n_slices).expect("bounds");
        assert_eq!(bounds.bound(n_slices), Ticks::MAX);
        assert_eq!(bounds.slice_of(Ticks::MAX - 1), Some(n_slices - 1));
        let early = Bounds::new(Ticks::MIN, -1, 3).expect("bounds");
        assert_eq!(early.slice_of(Ticks::MIN), Some(0));
        assert_eq!(early.bound(3), -1);
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        assert_eq!(Bounds::new(4, 4, 1), Err(BoundsError::Empty { from: 4, to: 4 }));
        for wanted in [0, Bounds::MAX_SLICES + 1] {
            assert_eq!(Bounds::new(0, 4, wanted), Err(BoundsError::Slices { wanted }));
        }
        let (from, to) = (Ticks::MIN, Ticks::MAX);
        assert_eq!(Bounds::new(from, to, 1), Err(BoundsError::TooLong { from, to }));
    }
}
