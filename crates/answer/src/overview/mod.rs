//! The overview: the optimal partition of a trace in space and time, the curve over all trade-offs, what changes and
//! what is disrupted.
//!
//! A [`Matrix`] is what is aggregated: a quantity of each leaf and value in each slice. It comes from a trace seen
//! through a lens, or from a file. An [`Overview`] asks it.

mod change;
mod cube_file;
mod disruptions;
mod file;
mod frame;
mod matrix;
mod own_area;
mod partition;
pub(crate) mod wire;

pub use change::{ChangeAnswer, NodeChange};
pub use disruptions::{AreaPlace, DisruptionAnswer, FoundDisruption, HitArea};
pub use matrix::{Matrix, MatrixNode, Meaning, Metric, Times};
pub use own_area::OwnArea;
pub use partition::{
    AreaRow, Choice, CurveAnswer, HalvingAnswer, Overview, OverviewAnswer, OverviewOptions, Simpler,
};
