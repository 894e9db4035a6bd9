//! What was done to the times of a trace, in words and as JSON.

use onca_model::TimeUnit;
use onca_model::format::{count_of, grouped, rounded_time};
use onca_store::{Change, Correction, JoinedSource, Store};
use serde_json::{Value, json};

/// What was done to a trace, one sentence a step.
pub fn changes_text(store: &Store) -> Vec<String> {
    let unit = &store.catalog().facts.unit;
    store.changes().iter().map(|change| sentence(change, unit)).collect()
}

/// The same as JSON: for each step its kind, its numbers and its sentence.
pub fn changes_json(store: &Store) -> Value {
    let unit = &store.catalog().facts.unit;
    let describe = |change: &Change| {
        let mut object = match change {
            Change::Joined { sources } => json!({
                "kind": "joined",
                "sources": sources.iter().map(source_json).collect::<Vec<_>>(),
            }),
            Change::Corrected(correction) => correction_json(correction),
        };
        object["text"] = json!(sentence(change, unit));
        object
    };
    store.changes().iter().map(describe).collect()
}

fn source_json(source: &JoinedSource) -> Value {
    json!({
        "name": source.name,
        "offset_ticks": source.offset_ticks,
        "rate": source.rate,
    })
}

fn correction_json(correction: &Correction) -> Value {
    json!({
        "kind": "corrected",
        "from": correction.from,
        "drifts": correction.drifts,
        "processes": correction.processes,
        "moved": correction.moved,
        "largest_offset_ticks": correction.largest_offset_ticks,
        "largest_drift": correction.largest_drift,
        "uncertainty_ticks": correction.uncertainty_ticks,
        "unbounded": correction.unbounded,
        "backward_before": correction.backward_before,
        "backward_after": correction.backward_after,
    })
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
