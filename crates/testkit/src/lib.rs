//! Slow and obvious interpreters of trace formats, for tests only: Pajé, and below `chrome` Chrome
//! trace events.
//!
//! The production reader is compared against this one on hand-written, random and damaged traces.
//! Nothing here is shared with it, so a mistake has to be made twice to stay unseen. [`sandbox`] runs
//! the finished programs.

pub mod chrome;
pub mod fixtures;
pub mod model;
pub mod random;
pub mod reference;
pub mod sandbox;
pub mod viewing;

mod color;
mod header;
mod number;
mod token;

pub use model::{
    Container, DiagnosticTally, Event, Extras, Link, Nature, State, Trace, Type, Value, Variable,
    escape,
};
pub use reference::interpret;
