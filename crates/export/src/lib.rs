//! What a [`Scope`](onca_query::Scope) shows, written in formats that other programs read: Pajé,
//! Chrome trace events, CSV.
//!
//! In come a scope and a writer. Rows are streamed: memory does not grow with the trace. What is
//! clipped or left out is counted in the [`Summary`]. Groups, orders, imported trees and
//! reductions of a lens are for views: an export has the containers as the trace has them.

mod chrome;
mod clip;
mod csv;
mod error;
mod paje;
mod seen;

pub use chrome::write_chrome;
pub use clip::Border;
pub use csv::{CsvOptions, TABLES, write_csv};
pub use error::{ExportError, Result};
pub use onca_store::Progress;
pub use paje::{PajeOptions, write_paje};

/// What was written, and what was not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Containers written.
    pub containers: u64,
    /// States written.
    pub states: u64,
    /// Links written, halves included.
    pub links: u64,
    /// Events written.
    pub events: u64,
    /// Steps of variables written.
    pub variables: u64,
    /// States, links and steps of variables that were cut at a border of the window.
    pub clipped: u64,
    /// Links that cross a border of the window and were left out.
    pub links_across: u64,
    /// What the format cannot say: texts that were changed, values that were left out.
    pub unsayable: u64,
}

impl Summary {
    /// All rows written.
    pub fn rows(&self) -> u64 {
        self.containers + self.states + self.links + self.events + self.variables
    }
}
