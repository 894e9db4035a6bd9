//! Which parts of two runs belong together.
//!
//! Each run is a sequence of segments that tile it. [`sequence`] finds the best way to pair two sequences in order, with gaps
//! where one run has what the other has not. An [`Alignment`] is such a way in time: its pairs tile both runs, so that the
//! differences of their lengths add up to the difference of the runs.

mod axis;
mod mixes;
mod pairs;
mod sequence;

pub use axis::{AlignedAxis, Which};
pub use mixes::{difference, segments};
pub use pairs::{Alignment, Pair};
pub use sequence::{Gap, Step, sequence};
