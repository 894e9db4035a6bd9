//! What the programs of Onca share: exit statuses, messages, files that are written whole or not at
//! all, numbers and tables for people.
//!
//! The feature `traces` adds what programs that read, ask and draw traces share. A program that only
//! opens stores does without, and then compiles none of those crates.

mod fault;
pub mod format;
mod guest;
mod memory;
#[cfg(feature = "traces")]
mod network_file;
pub mod new_file;
#[cfg(feature = "traces")]
mod of_traces;
mod outcome;
mod output;
mod rows;
mod start;
pub mod table;
mod watch;

pub use guest::{Answer, ask, is_guest, say, stop_flag};
pub use memory::peak_memory;
#[cfg(feature = "traces")]
pub use network_file::read_network;
pub use outcome::{Exit, Failure, Status, is_full, program, program_with, written};
pub use output::{Output, Screen, output, print, write_json};
pub use rows::{QuestionArgs, more_rows_than, row_format};
pub use watch::{Watch, outlasting_interrupts};
