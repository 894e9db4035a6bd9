//! Phases of communication: when who talks with whom.
//!
//! [`Communication`] looks at all messages once and knows when they were; [`Communication::phases`] looks again, for a number
//! of phases, at who talked with whom in each. See [`onca_aggregate::phases`] for what is computed, and `docs/phases.md` for what
//! it means.

mod answer;
mod collectives;
mod communication;
mod csv;
mod detail;
mod exchange;
mod messages;
mod phase;
mod repetition;
pub(crate) mod wire;

pub use answer::{PhasesAnswer, pattern_name};
pub use communication::{Communication, Joined, MOST_PHASES, Processor, Totals};
pub use exchange::{Exchange, ExchangedMessage, Operation};
pub use messages::{CollectiveChoice, MessageSize, Part, PhaseSpec};
pub use phase::{Flow, Phase, PhaseTotals};
pub use repetition::{Iteration, Repetition};
