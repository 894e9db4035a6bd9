//! What can be summed up over links.

use onca_model::Ticks;

use super::LinkShare;
use crate::Number;

/// What one link adds to a slice.
pub trait LinkMeasure {
    /// Integers where they suffice.
    type Amount: Number;

    /// What the slice gets.
    fn amount(&self, share: &LinkShare) -> Self::Amount;
}

/// The number of links. A link that is clipped counts in every slice that it touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkCount;

impl LinkMeasure for LinkCount {
    type Amount = i64;

    fn amount(&self, _share: &LinkShare) -> i64 {
        1
    }
}

/// The time under way. [`Cube::proportions`](super::Cube::proportions) makes it the mean number
/// of links under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkTicks;

impl LinkMeasure for LinkTicks {
    type Amount = Ticks;

    fn amount(&self, share: &LinkShare) -> Ticks {
        share.ticks
    }
}

/// The size, such as bytes; of a clipped link the share that its time in the slice has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkSize;

impl LinkMeasure for LinkSize {
    type Amount = f64;

    fn amount(&self, share: &LinkShare) -> f64 {
        share.size_inside()
    }
}

/// Ticks times size. [`Cube::proportions`](super::Cube::proportions) makes it the size under way,
/// weighted by time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkWeighted;

impl LinkMeasure for LinkWeighted {
    type Amount = f64;

    fn amount(&self, share: &LinkShare) -> f64 {
        share.ticks as f64 * share.size_inside()
    }
}

/// Size by duration, such as bytes per second: of the whole link, also where it is clipped. A
/// link without duration has no rate and adds nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkRate {
    /// How many ticks make the unit of time that the rate is told in.
    pub ticks_per_unit: u64,
}

impl LinkMeasure for LinkRate {
    type Amount = f64;

    fn amount(&self, share: &LinkShare) -> f64 {
        if share.duration == 0 {
            return 0.0;
        }
        share.size / (share.duration as f64 / self.ticks_per_unit as f64)
    }
}
