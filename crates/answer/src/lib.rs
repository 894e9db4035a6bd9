//! What commands, views, SQL functions and the server ask: slices, statistics, profiles and
//! searches of a trace seen through a lens, and the JSON of these answers.
//!
//! Every answer is made of plain columns. Nothing here knows how they are shown.

mod balance;
pub mod bundles;
mod changes;
pub mod clocks;
pub mod columns;
pub mod compare;
mod concurrency;
mod containers;
mod cut;
mod diagnosis;
mod durations;
mod efficiency;
pub mod entities;
mod error;
mod find;
mod findings;
pub mod inspect;
mod lengths;
mod lens_answer;
pub mod marks;
mod messages;
mod operations;
pub mod overview;
pub mod phases;
mod profile;
pub mod slice;
mod slice_times;
mod slices;
mod statistics;
mod summary;
mod times;
pub mod topology;
mod value_counts;
mod waits;
pub mod wire;

pub use balance::{Balance, BalanceRow, Load, balance};
pub use changes::{changes_json, changes_text};
pub use concurrency::{ConcurrencyAnswer, concurrency};
pub use containers::{ContainerLoad, ContainerLoads, ContainerSpec, containers};
pub use cut::{Cut, Level};
pub use diagnosis::{Diagnosis, PathStep, WaitTable};
pub use durations::{DurationOf, DurationScatter, duration_bin, durations, value_of_states};
pub use efficiency::{Efficiencies, EfficiencyRow, Hybrid, PartEfficiency, efficiency};
pub use error::{AnswerError, Result};
pub use find::{Cursor, Fields, FindSpec, Found, FoundCount, FoundCounts, Hit, count_found, find};
pub use findings::{Effect, FindingAnswer, FoundFinding, findings};
pub use inspect::{
    Along, Entity, Inspection, Step, Subject, inspect, inspect_row, step, step_along,
};
pub use lengths::state_histograms;
pub use lens_answer::{lens_answer, scope_levels, scope_values, sees_value};
pub use messages::{LinkHistograms, Matrix, Pair, doublings, link_histograms, matrix};
pub use profile::{Path, Profile, ProfileSpec, profile};
pub use slice_times::{SliceTimes, slice_times};
pub use statistics::{Durations, Instance, Statistics, ValueStatistics, statistics};
pub use summary::{Summary, summary};
pub use times::{StateTimes, ValueTime, state_times};
pub use value_counts::{ValueCounts, value_counts};
pub use waits::{
    Activity, Cause, Examined, KindTotal, PathPart, WaitAnalysis, WaitOf, WaitRow, WaitSpec, Waits,
    analyse_waits,
};

/// What a call waited for.
pub use onca_aggregate::waits::WaitKind;

/// What answers are made of, for those who ask no store themselves.
pub use onca_store::{Counts, LinkTotals, Measure, Share, Track, TrackId, ValueOrder};

/// The word for a measure.
fn measure_name(measure: Measure) -> &'static str {
    match measure {
        Measure::Exclusive => "exclusive",
        Measure::Inclusive => "inclusive",
    }
}
