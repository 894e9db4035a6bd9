//! Findings of a comparison in plain English.

use onca_model::format::{rounded, rounded_time};
use onca_model::{TimeUnit, Window, printable};
use onca_query::Scope;

use super::{ComparedFinding, Comparison};
use crate::findings::text::{Told, named};

/// One sentence about a finding.
pub(super) fn sentence(
    comparison: &Comparison,
    (before, after): (&Scope<'_>, &Scope<'_>),
    finding: &ComparedFinding,
) -> String {
    let scope = if finding.is_gone() { before } else { after };
    let Told { who, is_one } = named(scope, &finding.groups, finding.containers.len());
    let (who, is_one) = match finding.containers.len() as u64 {
        n if n == comparison.n_processes().1 && n > 1 => ("all processes".to_owned(), false),
        _ => (who, is_one),
    };
    let verb = |one: &str, many: &str| if is_one { one.to_owned() } else { many.to_owned() };
    let ratio = match finding.ratio {
        ratio if ratio < 10.0 => format!("{ratio:.2}"),
        ratio => rounded(ratio),
    };
    let name = finding.value.map(|value| match &comparison.values[value as usize].name {
        Some(name) => printable(name).into_owned(),
        None => "outside of all states".to_owned(),
    });
    let work = match &name {
        Some(name) => format!("the same work ({name})"),
        None => "the same work".to_owned(),
    };
    let unit = &comparison.unit;
    let when = when(comparison, after, finding.after);
    let change = run_time(unit, finding.ticks);
    let said = match finding.kind.as_ref() {
        "slow" | "fast" => {
            format!(
                "{who} {} {ratio} times as long for {work} as before{when}",
                verb("takes", "take")
            )
        }
        "more-work" | "less-work" => {
            format!("{who} {} {ratio} times as much work as before{when}", verb("has", "have"))
        }
        "communication" => {
            let most = name.map_or(String::new(), |name| format!(", most of it in {name}"));
            let what = if finding.ticks > 0 { "longer" } else { "less long" };
            format!(
                "communication and waiting take {what}{when}{most}, although nobody works {what}"
            )
        }
        "gone" => {
            let unit = &before.catalog().facts.unit;
            format!(
                "what the first run does from {} to {} is gone",
                rounded_time(unit, finding.before.from as f64),
                time(unit, finding.before.to as i128)
            )
        }
        _ => {
            let unit = &after.catalog().facts.unit;
            format!(
                "what the run does from {} to {} is new",
                rounded_time(unit, finding.after.from as f64),
                time(unit, finding.after.to as i128)
            )
        }
    };
    let waits = match finding.n_waiting {
        n if n > 0 && finding.waiting > 0 => format!(
            "; {} {} {} longer for others",
            crate::findings::processes(n),
            if n == 1 { "waits" } else { "wait" },
            time(unit, finding.waiting)
        ),
        _ => String::new(),
    };
    format!("{said}: {change}{waits}")
}

/// What a finding does to the run time.
fn run_time(unit: &TimeUnit, ticks: i128) -> String {
    match ticks {
        0.. => format!("the run is {} longer", time(unit, ticks)),
        _ => format!("the run is {} shorter", time(unit, -ticks)),
    }
}

/// When in the second run, unless it is all the time.
fn when(comparison: &Comparison, after: &Scope<'_>, window: Window) -> String {
    let run = comparison.runs.1;
    if 10 * (window.to - window.from) >= 8 * (run.to - run.from) {
        return String::new();
    }
    let unit = &after.catalog().facts.unit;
    let from = rounded_time(unit, window.from as f64);
    format!(" from {from} to {}", time(unit, i128::from(window.to)))
}

fn time(unit: &TimeUnit, ticks: i128) -> String {
    format!("{} {}", rounded_time(unit, ticks as f64), printable(unit.name.as_bytes()))
}
