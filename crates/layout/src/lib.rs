//! Geometry only: numbers in, places out.
//!
//! Text is measured in the font that comes with the program, so that a label never overlaps
//! another and never leaves its box, whoever draws it. Nothing here knows that a trace exists.

pub mod axis;
pub mod commgram;
pub mod graph;
pub mod spread;
pub mod text;
pub mod treemap;
