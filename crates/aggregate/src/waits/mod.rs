//! Who waits for whom, what the run time is made of, and who is to blame.
//!
//! A [`Program`] is what processes did as far as others can wait for it: their calls in order of time,
//! the messages between calls, and the collective operations. [`Wiring`] sorts what belongs to which call. Five passes read both,
//! all in whole ticks:
//!
//! | function | question |
//! | --- | --- |
//! | [`find_waits`] | how long which call waited for which process |
//! | [`critical_path`] | which chain of activities made the run as long as it was |
//! | [`delay_costs`] | which work of which process caused the waiting of all |
//! | [`logical_clocks`] | how long the run would be if moving data took no time |
//! | [`Replay`] | how long the run would have been if something had taken another time |
//!
//! The formulas are those of Scalasca's patterns, and `docs/waits.md` has them all.

mod apportion;
mod clock;
mod column;
mod delay;
mod find;
mod gate;
mod machine;
mod meeting;
mod messages;
mod path;
mod process;
mod program;
mod replay;
mod wait;
mod wiring;

pub use clock::{ClockHistory, Clocks, logical_clocks};
pub use column::{Column, Growing, partition};
pub use delay::{Charge, Delays, delay_costs};
pub use find::{Completion, Found, find_waits};
pub use messages::{Message, Messages};
pub use path::{Segment, critical_path, path_profile, work_totals};
pub use process::{Call, Process, Work};
pub use program::{CallId, Collective, CollectiveKind, Program};
pub use replay::{Change, Replay, Replayed, Unchanged};
pub use wait::{Wait, WaitKind, Waits};
pub use wiring::{ByProcess, Wiring};
