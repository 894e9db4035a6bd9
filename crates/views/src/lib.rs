//! One module a view: it asks `answer`, lays the answer out and returns a figure.
//!
//! A view's scene is what the page and the files draw alike; around it a figure has a title, axes,
//! a legend and a caption. Nothing here knows of image formats or of HTTP.

mod amount_scale;
mod bands;
pub mod bars;
mod bundles;
mod canvas;
mod color;
pub mod commgram;
pub mod compare;
pub mod concurrency;
pub mod durations;
pub mod efficiency;
mod error;
pub mod flame;
pub mod graph;
pub mod histogram;
mod legend;
pub mod matrix;
pub mod minimap;
mod names;
pub mod options;
pub mod overview;
mod paper;
pub mod pie;
mod quantity;
pub mod registry;
pub mod report;
pub mod scaling;
mod shares;
mod sheet;
pub mod solid;
mod subject;
mod theme;
mod time_scale;
pub mod timeline;
pub mod topology;
pub mod traffic;
pub mod treemap;

pub use amount_scale::ColorScale;
pub use canvas::{Canvas, Drawn, HistogramPlot, UprightAxis};
pub use error::{Result, ViewError};
pub use legend::Entry as LegendEntry;
pub use paper::{Paper, caption};
pub use quantity::Ruler;
pub use subject::{pick_of, subject_of};
pub use theme::Theme;
pub use time_scale::TimeScale;
