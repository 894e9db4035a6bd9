//! Much waiting that no cause explains.

use std::cmp::Reverse;

use onca_aggregate::waits::WaitKind;
use onca_query::Scope;

use super::{FoundFinding, text};
use crate::waits::WaitAnalysis;

/// Waiting is told by itself from this share of the time of all processes on, if no cause explains a third of it.
const LEAST_WAITING: f64 = 0.1;
pub(super) const LEAST_EXPLAINED: f64 = 1.0 / 3.0;
/// A few are a hot spot if they cause this share of all waiting, and are not more than one in this many.
const HOT_SHARE: f64 = 0.6;
const HOT_ONE_IN: usize = 8;
/// Fewer waits for somebody may be chance.
const LEAST_WAITS: usize = 24;
/// Late senders are told by themselves from this share of the time of all processes on.
const LEAST_LATE: f64 = 0.2;

/// Much waiting of which no finding explains a large part: for a few, or for late senders. What it costs the run is not known.
pub(super) fn finding(
    analysis: &WaitAnalysis,
    scope: &Scope<'_>,
    found: &[FoundFinding],
) -> Option<FoundFinding> {
    let run = analysis.program.run;
    let all = time_of_all(analysis);
    let total = analysis.found.waits.total();
    let explained: i128 = found.iter().filter(|it| it.saved > 0).map(|it| it.cost).sum();
    let is_told = !is_much(analysis)
        || explained as f64 >= LEAST_EXPLAINED * total as f64
        || found.iter().any(|it| it.kind == "serialised");
    // Where clocks disagree, so do waits.
    if is_told || analysis.examined().backward > 0 {
        return None;
    }
    let told = |kind: &'static str, processes: &[u32], cost, text| FoundFinding {
        kind: kind.into(),
        containers: processes.iter().map(|it| analysis.containers[*it as usize]).collect(),
        groups: Vec::new(),
        towards: Vec::new(),
        window: run,
        cost,
        saved: 0,
        sure: 0.7,
        text,
        effects: Vec::new(),
    };
    if let Some((processes, charged)) = hot_spot(analysis) {
        let is_known = |process: &u32| {
            let id = analysis.containers[*process as usize];
            found.iter().any(|it| it.containers.contains(&id))
        };
        let text = || {
            text::hot_spot(
                scope,
                &analysis.names_of(scope, &processes),
                processes.len(),
                (charged, total),
            )
        };
        return (!processes.iter().any(is_known))
            .then(|| told("hot-spot", &processes, charged, text()));
    }
    let late = || {
        let waits = analysis.found.waits.iter();
        waits.filter(|wait| wait.kind == WaitKind::LateSender)
    };
    let mut waiting: Vec<u32> = late().map(|wait| wait.call.process).collect();
    let late: i128 = late().map(|wait| i128::from(wait.ticks())).sum();
    waiting.sort_unstable();
    waiting.dedup();
    let text = || text::late_sender(scope, waiting.len(), late, late as f64 / all);
    (late as f64 >= LEAST_LATE * all).then(|| told("late-sender", &waiting, late, text()))
}

/// Is there so much waiting that it may be told by itself?
pub(super) fn is_much(analysis: &WaitAnalysis) -> bool {
    analysis.found.waits.total() as f64 >= LEAST_WAITING * time_of_all(analysis)
}

/// The run time, as often as there are processes.
pub(super) fn time_of_all(analysis: &WaitAnalysis) -> f64 {
    let run = analysis.program.run;
    (run.to - run.from) as f64 * analysis.containers.len() as f64
}

/// The few that cause most of the waiting, if there are any, and how much.
fn hot_spot(analysis: &WaitAnalysis) -> Option<(Vec<u32>, i128)> {
    let n = analysis.containers.len();
    let mut charged = vec![0i128; n];
    for charge in &analysis.delays().charges {
        charged[charge.process as usize] += charge.short_term + charge.long_term;
    }
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|process| Reverse(charged[*process as usize]));
    order.truncate(n / HOT_ONE_IN);
    let needed = HOT_SHARE * analysis.found.waits.total() as f64;
    let mut sum = 0;
    let last = order.iter().position(|process| {
        sum += charged[*process as usize];
        sum as f64 >= needed
    })?;
    order.truncate(last + 1);
    order.sort_unstable();
    let is_for = |process: u32| order.binary_search(&process).is_ok();
    let waits = analysis.found.waits.iter().filter(|wait| is_for(wait.cause.process));
    (waits.count() >= LEAST_WAITS).then_some((order, sum))
}
