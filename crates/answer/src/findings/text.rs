//! Findings in plain English.

use onca_aggregate::findings::{Finding, FindingKind};
use onca_model::format::{count_of, grouped, rounded, rounded_time};
use onca_model::{ContainerId, Ticks, Window, printable};
use onca_query::{NodeId, Scope};

use crate::waits::{Activity, WaitAnalysis};
use crate::wire::activity_name;

/// At most this many names stand in a sentence.
const MOST_NAMES: usize = 3;

/// One sentence about a finding. The groups are those that it is about, and those of the other side.
pub(super) fn sentence(
    analysis: &WaitAnalysis,
    scope: &Scope<'_>,
    finding: &Finding,
    (own, other): (&[NodeId], &[NodeId]),
) -> String {
    let Told { who, is_one } = named(scope, own, finding.processes.len());
    let ratio = ratio(finding.ratio);
    let activity =
        |value: u32| printable(&activity_name(scope, analysis.activity(value))).into_owned();
    let work = match finding.value {
        Some(value) => format!("the same work ({})", activity(value)),
        None => "the same work".to_owned(),
    };
    let verb = |one: &str, many: &str| if is_one { one.to_owned() } else { many.to_owned() };
    let when = during(scope, analysis.program.run, finding.window);
    let said = match finding.kind {
        FindingKind::Slow => {
            let takes = verb("takes", "take");
            let peers = verb("its peers", "their peers");
            format!("{who} {takes} {ratio} times as long as {peers} for {work}{when}")
        }
        FindingKind::Burst => {
            format!("{who} take {ratio} times as long as others for {work}{when}")
        }
        FindingKind::Stall => {
            let what = finding.value.map_or("piece of work".to_owned(), activity);
            format!("one {what} of {who} stalls: it takes {ratio} times as long as others{when}")
        }
        FindingKind::Imbalance if is_one => {
            format!("{who} has {ratio} times as much work as its peers{when}")
        }
        FindingKind::Imbalance => {
            format!("{who} have more work than the others, up to {ratio} times as much{when}")
        }
        FindingKind::OutlierIteration => {
            format!("one iteration takes {ratio} times as long as others{when}")
        }
        FindingKind::Change => format!("all take {ratio} times as long as at other times{when}"),
        FindingKind::Link => {
            let other = match other.is_empty() {
                true => "all others".to_owned(),
                false => named(scope, other, finding.towards.len()).who,
            };
            format!(
                "messages between {who} and {other} travel {ratio} times as long as others of their size"
            )
        }
        FindingKind::CollectiveWait => {
            let operation = finding.value.map_or("its operations".to_owned(), activity);
            format!("{who} comes late to {operation}, of which it is the root{when}")
        }
    };
    format!("{said}; {}", cost(scope, finding))
}

/// What it costs.
fn cost(scope: &Scope<'_>, finding: &Finding) -> String {
    let run = time(scope, i128::from(finding.saved));
    let waits = if finding.n_waiting == 1 { "waits" } else { "wait" };
    match finding.n_waiting {
        0 => format!("without it the run would be {run} shorter"),
        n => format!(
            "{} {waits} because of it: {} of process time, {run} of run time",
            super::processes(n),
            time(scope, finding.waiting),
        ),
    }
}

/// When, unless it is all the time.
pub(super) fn during(scope: &Scope<'_>, run: Window, window: Window) -> String {
    let length = run.to - run.from;
    // Where a window leaves out hardly anything, it says nothing.
    if 10 * (window.to - window.from) >= 8 * length {
        return String::new();
    }
    let unit = &scope.catalog().facts.unit;
    let from = rounded_time(unit, window.from as f64);
    format!(" from {from} to {}", time(scope, i128::from(window.to)))
}

fn time(scope: &Scope<'_>, ticks: i128) -> String {
    let unit = &scope.catalog().facts.unit;
    format!("{} {}", rounded_time(unit, ticks as f64), printable(unit.name.as_bytes()))
}

fn ratio(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 10.0 => format!("{ratio:.2}"),
        ratio => rounded(ratio),
    }
}

/// Who a sentence is about.
pub(crate) struct Told {
    pub who: String,
    pub is_one: bool,
}

/// The names of groups, or how many processes they are.
pub(crate) fn named(scope: &Scope<'_>, groups: &[NodeId], n_processes: usize) -> Told {
    let name = |node: &NodeId| node_name(scope, *node);
    let who = match groups {
        [] => super::processes(n_processes as u64),
        [one] => name(one),
        [some @ .., last] if groups.len() <= MOST_NAMES => {
            let some: Vec<String> = some.iter().map(name).collect();
            format!("{} and {}", some.join(", "), name(last))
        }
        _ => format!("{} ({}, ...)", super::processes(n_processes as u64), name(&groups[0])),
    };
    Told { who, is_one: groups.len() == 1 || n_processes == 1 }
}

/// The name of a node, or its path where others have the same name. Where others have the same path, the one node below it is
/// named, if there is just one.
fn node_name(scope: &Scope<'_>, node: NodeId) -> String {
    let is_same = |other: NodeId| other != node && scope.name(other) == scope.name(node);
    if !scope.hierarchy().nodes().any(is_same) {
        return printable(scope.name(node)).into_owned();
    }
    let path = scope.path(node);
    let is_same = |other: NodeId| other != node && scope.path(other) == path;
    match scope.hierarchy().children(node) {
        &[child] if scope.hierarchy().nodes().any(is_same) => node_name(scope, child),
        _ => printable(path.as_bytes()).into_owned(),
    }
}

/// The name of a container.
pub(super) fn container_name(scope: &Scope<'_>, id: ContainerId) -> String {
    match scope.hierarchy().node_of(id) {
        Some(node) => node_name(scope, node),
        None => printable(scope.catalog().containers.get(id).name).into_owned(),
    }
}

/// The order of the program makes its work serial.
pub(super) fn serialised(scope: &Scope<'_>, serial: Ticks, waiting: i128) -> String {
    format!(
        "work is done one after the other: chains of it are {} longer than what the busiest process does; processes wait {} for each other, \
         and what another order would save is not known",
        time(scope, i128::from(serial)),
        time(scope, waiting)
    )
}

/// A few cause most of the waiting.
pub(super) fn hot_spot(
    scope: &Scope<'_>,
    names: &[String],
    n_processes: usize,
    (charged, total): (i128, i128),
) -> String {
    let who = match n_processes > names.len() {
        true => format!("{} ({}, ...)", super::processes(n_processes as u64), names[0]),
        false => names.join(", "),
    };
    let verb = if n_processes == 1 { "causes" } else { "cause" };
    format!(
        "{who} {verb} {:.0} % of all waiting: {} of process time; why is not known, nor what the run would be without it",
        100.0 * charged as f64 / total.max(1) as f64,
        time(scope, charged),
    )
}

/// Messages are sent late, for no reason that was found.
pub(super) fn late_sender(scope: &Scope<'_>, n_waiting: usize, late: i128, share: f64) -> String {
    let wait = if n_waiting == 1 { "waits" } else { "wait" };
    format!(
        "{} {wait} for messages that are sent late: {} of process time, {:.0} % of all; most of it has no cause that was found",
        super::processes(n_waiting as u64),
        time(scope, late),
        100.0 * share,
    )
}

/// Communication takes much time by itself.
pub(super) fn communication(
    scope: &Scope<'_>,
    Told { who, is_one }: &Told,
    (ticks, share): (i128, f64),
    (operation, part): (Activity, f64),
    when: &str,
) -> String {
    let (spend, their) = if *is_one { ("spends", "its") } else { ("spend", "their") };
    let operation = printable(&activity_name(scope, operation)).into_owned();
    format!(
        "{who} {spend} {:.0} % of {their} time communicating, beside all waiting that is known, {:.0} % of that in {operation}{when}: \
         {} of process time; fewer and larger operations, or fewer processes, would need less of it, but what that saves is not known",
        100.0 * share,
        100.0 * part,
        time(scope, ticks),
    )
}

/// Clocks disagree.
pub(super) fn clock(backward: u64) -> String {
    let messages = count_of(backward, "message");
    let verb = if backward == 1 { "was" } else { "were" };
    format!(
        "{messages} {verb} received before being sent: clocks disagree, and times between processes are doubtful (see onca clocks)"
    )
}

/// Records were lost.
pub(super) fn lost(lost: u64) -> String {
    let verb = if lost == 1 { "was" } else { "were" };
    let records = if lost == 1 { "record" } else { "records" };
    format!(
        "{} {records} {verb} lost or repaired while reading: what is told here may be incomplete (see onca validate)",
        grouped(lost)
    )
}
