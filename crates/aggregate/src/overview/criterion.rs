//! The criterion: what an area saves, what it hides, and how the two are weighed.

use super::Gain;

/// Sums over an area, a node in an interval of slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The sum of all numbers.
    pub mass: f64,
    /// The sum of `x log2 x` over all numbers.
    pub information: f64,
    /// The Kullback-Leibler divergence of the numbers from their mean.
    pub loss: f64,
    /// The logarithm of the number of microscopic cells.
    pub log_n: f64,
}

impl Cell {
    /// Gain and loss together; no partition of the area has a larger gain, loss or value.
    #[inline(always)]
    pub fn weight(self) -> f64 {
        self.mass * self.log_n
    }
}

impl Gain {
    /// The gain of an area.
    ///
    /// With `S` the sum of `f(sum)` over the values, the loss is `information - S + weight`; so both gains follow from
    /// the loss, and only the loss needs a table.
    #[inline(always)]
    pub(super) fn of(self, cell: Cell) -> f64 {
        match self {
            Self::Sum => (cell.weight() - cell.loss).max(0.0),
            Self::Mean => (cell.information - cell.loss) / cell.log_n.exp2() - cell.information,
        }
    }
}

/// What a partition is to be the best of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim {
    /// `p * gain - (1 - p) * loss`.
    Trade { gain: Gain, p: f64 },
    /// The largest gain without any loss: the limit for `p` to 0. There the criterion itself is 0 for very many
    /// partitions.
    Lossless { gain: Gain },
}

impl Aim {
    /// The aim of a trade-off between 0 and 1.
    pub fn new(gain: Gain, p: f64) -> Self {
        if p > 0.0 { Self::Trade { gain, p } } else { Self::Lossless { gain } }
    }

    /// The gain in use.
    pub fn gain(self) -> Gain {
        match self {
            Self::Trade { gain, .. } | Self::Lossless { gain } => gain,
        }
    }

    /// What an area is worth. For the gain of sums and `p < 1` this is `p * weight - loss`.
    #[inline(always)]
    pub fn value(self, cell: Cell) -> f64 {
        match self {
            Self::Trade { gain: Gain::Sum, p } => p * cell.weight() - cell.loss,
            Self::Trade { gain, p } => p * gain.of(cell) - (1.0 - p) * cell.loss,
            Self::Lossless { gain } if cell.loss <= 0.0 => gain.of(cell),
            Self::Lossless { .. } => f64::NEG_INFINITY,
        }
    }

    /// Is an area that is as good as the best partition of it also the best by gain, loss and number of areas?
    ///
    /// The gain of sums only grows when areas are joined. At `p = 1` equal gain may still hide a smaller loss.
    pub fn whole_wins(self) -> bool {
        match self {
            Self::Trade { gain, p } => gain == Gain::Sum && p < 1.0,
            Self::Lossless { gain } => gain == Gain::Sum,
        }
    }
}
