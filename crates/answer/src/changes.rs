//! What was done to the times of a trace, in words and as JSON.

use onca_model::format::{count_of, grouped, rounded_time};
use onca_model::{Ticks, TimeUnit};
use onca_store::{Change, Correction, JoinedSource, Store};
use serde::Serialize;

/// What was done to a trace, one sentence a step.
pub fn changes_text(store: &Store) -> Vec<String> {
    let unit = &store.catalog().facts.unit;
    store.changes().iter().map(|change| sentence(change, unit)).collect()
}

/// A step between the sources of a trace and its store, as JSON.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepJson<'a> {
    /// Several traces became one.
    Joined {
        /// What was done, in a sentence.
        text: String,
        /// They, in order.
        sources: Vec<JoinedSourceJson<'a>>,
    },
    /// Clocks were made to agree.
    Corrected(CorrectionJson<'a>),
}

/// A trace that became part of another one.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct JoinedSourceJson<'a> {
    /// What the container that holds it is called.
    pub name: &'a str,
    /// Where its time 0 came to lie, in ticks of the whole.
    pub offset_ticks: Ticks,
    /// By what its times were multiplied, as a fraction: `1` or `1000001/1000000`.
    pub rate: &'a str,
}

/// How clocks were made to agree. Largest amounts are without sign.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CorrectionJson<'a> {
    /// What was done, in a sentence.
    pub text: String,
    /// The store that was corrected.
    pub from: &'a str,
    /// Clocks run at different speeds too.
    pub drifts: bool,
    /// How many clocks there are.
    pub processes: u64,
    /// How many of them were moved.
    pub moved: u64,
    /// The most that one was moved.
    pub largest_offset_ticks: Ticks,
    /// The most that one was slowed down or sped up, per tick.
    pub largest_drift: f64,
    /// By how much a time can be wrong; `null` where that is not known.
    pub uncertainty_ticks: Option<Ticks>,
    /// How many clocks can be wrong by any amount.
    pub unbounded: u64,
    /// Messages that were received before they were sent.
    pub backward_before: u64,
    /// Messages that still are.
    pub backward_after: u64,
}

/// The same as JSON: for each step its kind, its numbers and its sentence.
pub fn changes_json(store: &Store) -> Vec<StepJson<'_>> {
    let unit = &store.catalog().facts.unit;
    let describe = |change| {
        let text = sentence(change, unit);
        match change {
            Change::Joined { sources } => {
                StepJson::Joined { text, sources: sources.iter().map(source_json).collect() }
            }
            Change::Corrected(correction) => StepJson::Corrected(correction_json(correction, text)),
        }
    };
    store.changes().iter().map(describe).collect()
}

fn source_json(source: &JoinedSource) -> JoinedSourceJson<'_> {
    JoinedSourceJson { name: &source.name, offset_ticks: source.offset_ticks, rate: &source.rate }
}

fn correction_json(correction: &Correction, text: String) -> CorrectionJson<'_> {
    CorrectionJson {
        text,
        from: &correction.from,
        drifts: correction.drifts,
        processes: correction.processes,
        moved: correction.moved,
        largest_offset_ticks: correction.largest_offset_ticks,
        largest_drift: correction.largest_drift,
        uncertainty_ticks: correction.uncertainty_ticks,
        unbounded: correction.unbounded,
        backward_before: correction.backward_before,
        backward_after: correction.backward_after,
    }
}

fn sentence(change: &Change, unit: &TimeUnit) -> String {
    match change {
        Change::Joined { sources } => {
            let source = |source: &JoinedSource| {
                let mut text = source.name.clone();
                if source.rate != "1" {
                    text = format!("{text} times {}", source.rate);
                }
                if source.offset_ticks != 0 {
                    let sign = if source.offset_ticks < 0 { "" } else { "+" };
                    text =
                        format!("{text} {sign}{} {}", unit.format(source.offset_ticks), unit.name);
                }
                text
            };
            let sources: Vec<String> = sources.iter().map(source).collect();
            format!("joined from {}", sources.join(", "))
        }
        Change::Corrected(correction) => corrected(correction, unit),
    }
}

fn corrected(correction: &Correction, unit: &TimeUnit) -> String {
    let time = |ticks: i64| format!("{} {}", rounded_time(unit, ticks as f64), unit.name);
    let mut text = format!(
        "clocks corrected: {} of {} moved, by {} at most",
        grouped(correction.moved),
        count_of(correction.processes, "clock"),
        time(correction.largest_offset_ticks)
    );
    if correction.drifts {
        text += &format!(" and {:.1} ppm", correction.largest_drift * 1e6);
    }
    text += &match correction.uncertainty_ticks {
        Some(ticks) => format!("; a time can be wrong by {}", time(ticks)),
        None => "; by how much times can be wrong is not known".to_owned(),
    };
    if correction.unbounded > 0 && correction.uncertainty_ticks.is_some() {
        text += &format!(", of {} by any amount", count_of(correction.unbounded, "clock"));
    }
    text + &format!(
        "; {} received before they were sent, {} before",
        match correction.backward_after {
            0 => "no messages are".to_owned(),
            1 => "1 message is still".to_owned(),
            n => format!("{} messages are still", grouped(n)),
        },
        grouped(correction.backward_before)
    )
}
