//! Who waits for whom, what the run time is made of, and who is to blame.
//!
//! A trace is gathered into a program ([`gather`]), which `onca_aggregate::waits` reads. The whole trace is looked at, whatever
//! the window is, because who met whom before matters; waits are then told as far as they lie in the window.

mod calls;
mod ends;
mod gather;
mod lookup;
mod process;
pub(crate) mod wire;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use onca_aggregate::compare::Course;
use onca_aggregate::efficiency::{Efficiency, GroupTime, ProcessTime};
use onca_aggregate::findings::TimeBins;
use onca_aggregate::slice::Bounds;
use onca_aggregate::waits::{
    Clocks, Delays, Found, Program, Segment, Wait, WaitKind, Wiring, critical_path, delay_costs,
    find_waits, logical_clocks, path_profile, work_totals,
};
use onca_model::format::grouped;
use onca_model::{ContainerId, Ticks, ValueId, Window};
use onca_query::{NodeId, Scope};
use onca_store::Store;

pub use gather::Examined;
use gather::Gathered;

pub(crate) use calls::main_track_of;
pub(crate) use gather::processes;
pub(crate) use lookup::own_values;

use crate::slices::slices_of;
use crate::{Cut, Level, PathStep, Result, WaitTable};

/// All waits of a trace, and why they are.
pub struct WaitAnalysis {
    pub(crate) program: Program,
    pub(crate) wiring: Wiring,
    pub(crate) containers: Vec<ContainerId>,
    pub(crate) found: Found,
    pub(crate) bins: Vec<TimeBins>,
    path: Vec<Segment>,
    // Not everybody asks for these.
    delays: OnceLock<Delays>,
    clocks: OnceLock<Clocks>,
    examined: Examined,
}

/// Looks for the waits of a trace.
pub fn analyse_waits(scope: &Scope<'_>) -> Result<WaitAnalysis> {
    let Gathered { program, containers, ends, bins, examined } = gather::gather_program(scope)?;
    let pass = Pass::of(scope, containers.len());
    pass.begin(0)?;
    let wiring = Wiring::new(&program);
    pass.begin(1)?;
    let found = find_waits(&program, &wiring);
    let path = critical_path(&program, &found, &ends);
    pass.begin(2)?;
    let (delays, clocks) = (OnceLock::new(), OnceLock::new());
    Ok(WaitAnalysis { program, wiring, containers, found, bins, path, delays, clocks, examined })
}

/// The passes after a program was gathered: together they take about half as long as that.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a> {
    store: &'a Store,
    n_processes: u64,
}

impl<'a> Pass<'a> {
    pub fn of(scope: &'a Scope<'_>, n_processes: usize) -> Self {
        Self { store: scope.store(), n_processes: n_processes as u64 }
    }

    /// A sixth begins. Fails if nobody wants the answer any more.
    pub fn begin(self, sixth: u64) -> Result<()> {
        if let Some(progress) = self.store.progress() {
            progress.reach(2 * self.n_processes + sixth * self.n_processes / 6);
        }
        Ok(self.store.go_on()?)
    }
}

/// What waits of one kind amount to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KindTotal {
    /// The kind.
    pub kind: WaitKind,
    /// How many lie in the window, at least in part.
    pub count: u64,
    /// How long they are in the window.
    pub ticks: i128,
    /// Of these, how long receivers waited that took messages in the wrong order.
    pub wrong_order_ticks: i128,
    /// The longest.
    pub longest: Option<WaitOf>,
}

/// One wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitOf {
    /// Of which kind.
    pub kind: WaitKind,
    /// Who waited.
    pub container: ContainerId,
    /// When.
    pub window: Window,
    /// For whom.
    pub cause: ContainerId,
    /// A message that had been sent earlier was received later.
    pub wrong_order: bool,
}

/// The waiting of one kind below one node in one slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitRow {
    /// The node.
    pub node: NodeId,
    /// The slice.
    pub slice: Window,
    /// The kind.
    pub kind: WaitKind,
    /// How many lie in the slice, at least in part.
    pub count: u64,
    /// How long they are in the slice.
    pub ticks: i128,
}

/// Something that a process did; `None` is what it did outside of all states.
pub type Activity = Option<ValueId>;

/// What an activity costs others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// Whose activity.
    pub node: NodeId,
    /// Which.
    pub activity: Activity,
    /// The waiting of those that waited for it.
    pub short_term: i128,
    /// The waiting of those that waited for others because of it.
    pub long_term: i128,
}

impl Cause {
    /// All waiting.
    pub fn ticks(&self) -> i128 {
        self.short_term + self.long_term
    }
}

/// A part of the critical path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathPart<T> {
    /// Of what.
    pub of: T,
    /// Time on the path.
    pub ticks: i128,
    /// The mean over all processes of the time that they did this, without waiting.
    pub mean: i128,
}

/// What is asked about waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitSpec {
    /// Whose waits are told together; all by default.
    pub level: Option<Level>,
    /// In how many slices of the window.
    pub n_slices: usize,
}

impl Default for WaitSpec {
    fn default() -> Self {
        Self { level: None, n_slices: 1 }
    }
}

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Waits {
    /// How many processes there are.
    pub n_processes: u64,
    /// From the beginning of the trace to its end.
    pub run: Window,
    /// What each kind amounts to, without kinds of which there is none.
    pub kinds: Vec<KindTotal>,
    /// The time at the end of operations, after what was waited for had come, by name.
    pub completions: Vec<(&'static str, u64, i128)>,
    /// The same by node and slice, where that was asked for.
    pub rows: Vec<WaitRow>,
    /// What the critical path is made of by activity, longest first.
    pub path_activities: Vec<PathPart<Activity>>,
    /// By node, longest first.
    pub path_nodes: Vec<PathPart<NodeId>>,
    /// The path itself.
    pub path: Vec<(NodeId, Window)>,
    /// Who is to blame, most costly first.
    pub causes: Vec<Cause>,
    /// Waiting of the whole run without a known cause.
    pub unexplained: i128,
    /// The efficiencies of the whole run.
    pub efficiency: Efficiency,
    /// The longest chain of useful work: the run time if moving data took no time.
    pub ideal: Ticks,
    /// The useful time of all, and of the busiest.
    pub useful: (i128, Ticks),
    /// What was looked at, and what could not be.
    pub examined: Examined,
}

impl Waits {
    /// All waiting in the window.
    pub fn total(&self) -> i128 {
        self.kinds.iter().map(|kind| kind.ticks).sum()
    }
}

impl WaitAnalysis {
    /// What the analysis tells of the window of a scope.
    pub fn answer(&self, scope: &Scope<'_>, spec: &WaitSpec) -> Result<Waits> {
        let window = scope.window();
        let nodes = self.nodes(scope, &Cut::new(scope, &Level::Own)?);
        let run = self.program.run;
        let (clocks, delays) = rayon::join(|| self.clocks(), || self.delays());
        let useful = clocks.useful.iter();
        let group = GroupTime::of(useful.map(|&useful| ProcessTime { useful, communication: 0 }));
        let ideal = clocks.ideal();
        Ok(Waits {
            n_processes: self.containers.len() as u64,
            run,
            kinds: self.kinds(window),
            completions: self.completions(),
            rows: self.rows(scope, spec)?,
            path_activities: self.path_activities(),
            path_nodes: self.path_nodes(&nodes),
            path: self
                .path
                .iter()
                .filter_map(|it| {
                    Some((nodes[it.process as usize]?, Window { from: it.from, to: it.to }))
                })
                .collect(),
            causes: self.causes(&nodes),
            unexplained: delays.unexplained,
            efficiency: group.efficiency(run.to - run.from, Some(ideal)),
            ideal,
            useful: (group.useful, group.max_useful),
            examined: self.examined(),
        })
    }

    /// What each delay costs.
    pub(crate) fn delays(&self) -> &Delays {
        self.delays.get_or_init(|| delay_costs(&self.program, &self.found))
    }

    /// What the clocks show that run in useful work only.
    pub(crate) fn clocks(&self) -> &Clocks {
        self.clocks.get_or_init(|| logical_clocks(&self.program, &self.wiring))
    }

    /// What was looked at, and what could not be.
    pub fn examined(&self) -> Examined {
        Examined { forced: self.clocks().forced, ..self.examined.clone() }
    }

    /// The steps of the run.
    pub fn course(&self) -> Course {
        Course::of(&self.program)
    }

    /// All waits, by process and time.
    pub fn each(&self) -> impl Iterator<Item = WaitOf> {
        self.found.waits.iter().map(|wait| wait_of(&self.containers, &wait))
    }

    /// All waits, by container and time. The rest is forgotten.
    pub(crate) fn into_table(self) -> WaitTable {
        let Self { found, containers, .. } = self;
        let mut order: Vec<usize> = (0..containers.len()).collect();
        order.sort_by_key(|process| containers[*process]);
        let waits = order.into_iter().flat_map(|process| found.waits.of_process(process as u32));
        WaitTable::new(waits.map(|at| wait_of(&containers, &found.waits.get(at))))
    }

    /// The critical path, from the beginning of the run to its end.
    pub fn path_steps(&self) -> impl Iterator<Item = PathStep> {
        self.path.iter().map(|segment| PathStep {
            container: self.containers[segment.process as usize],
            window: Window { from: segment.from, to: segment.to },
        })
    }

    /// The node of each process.
    fn nodes(&self, scope: &Scope<'_>, cut: &Cut) -> Vec<Option<NodeId>> {
        let place = |id: &ContainerId| cut.place(scope.hierarchy().node_of(*id)?);
        self.containers.iter().map(|id| place(id).map(|place| cut.nodes()[place])).collect()
    }

    fn kinds(&self, window: Window) -> Vec<KindTotal> {
        let mut kinds = Vec::new();
        for kind in WaitKind::ALL {
            let mut total =
                KindTotal { kind, count: 0, ticks: 0, wrong_order_ticks: 0, longest: None };
            let mut longest: Option<Wait> = None;
            for wait in self.found.waits.iter().filter(|wait| wait.kind == kind) {
                let ticks = overlap(&wait, window);
                if ticks == 0 {
                    continue;
                }
                total.count += 1;
                total.ticks += i128::from(ticks);
                total.wrong_order_ticks += if wait.wrong_order { i128::from(ticks) } else { 0 };
                if longest.is_none_or(|other| wait.ticks() > other.ticks()) {
                    longest = Some(wait);
                }
            }
            total.longest = longest.map(|wait| wait_of(&self.containers, &wait));
            if total.count > 0 {
                kinds.push(total);
            }
        }
        kinds
    }

    fn completions(&self) -> Vec<(&'static str, u64, i128)> {
        let named = [
            ("late-sender-completion", self.found.late_sender_completion),
            ("barrier-completion", self.found.barrier_completion),
            ("nxn-completion", self.found.all_to_all_completion),
        ];
        let some = named.into_iter().filter(|(_, completion)| completion.count > 0);
        some.map(|(name, completion)| (name, completion.count, completion.ticks)).collect()
    }

    fn rows(&self, scope: &Scope<'_>, spec: &WaitSpec) -> Result<Vec<WaitRow>> {
        if (spec.level.is_none() && spec.n_slices == 1) || scope.window().from >= scope.window().to
        {
            return Ok(Vec::new());
        }
        let cut = Cut::new(scope, spec.level.as_ref().unwrap_or(&Level::Whole))?;
        let bounds = slices_of(scope, spec.n_slices)?;
        let place = |id: ContainerId| cut.place(scope.hierarchy().node_of(id)?);
        let places: Vec<Option<usize>> = self.containers.iter().map(|id| place(*id)).collect();
        let mut sums: BTreeMap<(usize, usize, WaitKind), (u64, i128)> = BTreeMap::new();
        for wait in self.found.waits.iter() {
            let Some(place) = places[wait.call.process as usize] else { continue };
            for slice in slices_meeting(&bounds, &wait) {
                let ticks = overlap(&wait, bounds.slice(slice));
                if ticks > 0 {
                    let sum = sums.entry((place, slice, wait.kind)).or_default();
                    *sum = (sum.0 + 1, sum.1 + i128::from(ticks));
                }
            }
        }
        let row = |((place, slice, kind), (count, ticks))| WaitRow {
            node: cut.nodes()[place],
            slice: bounds.slice(slice),
            kind,
            count,
            ticks,
        };
        Ok(sums.into_iter().map(row).collect())
    }

    pub(crate) fn activity(&self, value: u32) -> Activity {
        // What is outside of all states comes after all values.
        ((value as usize) + 1 < self.program.useful.len()).then_some(ValueId(value))
    }

    fn path_activities(&self) -> Vec<PathPart<Activity>> {
        let totals = work_totals(&self.program, &self.found);
        let n = self.containers.len().max(1) as i128;
        let mut times: BTreeMap<u32, i128> = BTreeMap::new();
        for (_, value, ticks) in path_profile(&self.program, &self.path) {
            *times.entry(value).or_default() += i128::from(ticks);
        }
        let part = |(value, ticks)| PathPart {
            of: self.activity(value),
            ticks,
            mean: totals.get(&value).copied().unwrap_or(0) / n,
        };
        let mut parts: Vec<_> = times.into_iter().map(part).collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.ticks));
        parts
    }

    fn path_nodes(&self, nodes: &[Option<NodeId>]) -> Vec<PathPart<NodeId>> {
        let mut times: BTreeMap<NodeId, i128> = BTreeMap::new();
        for segment in &self.path {
            if let Some(node) = nodes[segment.process as usize] {
                *times.entry(node).or_default() += i128::from(segment.to - segment.from);
            }
        }
        let length: i128 = times.values().sum();
        let mean = length / self.containers.len().max(1) as i128;
        let mut parts: Vec<_> =
            times.into_iter().map(|(of, ticks)| PathPart { of, ticks, mean }).collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.ticks));
        parts
    }

    fn causes(&self, nodes: &[Option<NodeId>]) -> Vec<Cause> {
        let cause = |charge: &onca_aggregate::waits::Charge| {
            Some(Cause {
                node: nodes[charge.process as usize]?,
                activity: self.activity(charge.value),
                short_term: charge.short_term,
                long_term: charge.long_term,
            })
        };
        let mut causes: Vec<Cause> = self.delays().charges.iter().filter_map(cause).collect();
        causes.retain(|cause| cause.ticks() > 0);
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.ticks()));
        causes
    }
}

fn wait_of(containers: &[ContainerId], wait: &Wait) -> WaitOf {
    WaitOf {
        kind: wait.kind,
        container: containers[wait.call.process as usize],
        window: Window { from: wait.from, to: wait.to },
        cause: containers[wait.cause.process as usize],
        wrong_order: wait.wrong_order,
    }
}

/// How much of a wait lies in a window.
fn overlap(wait: &Wait, window: Window) -> Ticks {
    (wait.to.min(window.to) - wait.from.max(window.from)).max(0)
}

/// The slices that a wait meets.
fn slices_meeting(bounds: &Bounds, wait: &Wait) -> std::ops::Range<usize> {
    let Window { from, to } = bounds.window();
    if wait.to <= from || wait.from >= to {
        return 0..0;
    }
    let first = bounds.slice_of(wait.from.max(from)).unwrap_or(0);
    let last = bounds.slice_of(wait.to.min(to) - 1).unwrap_or(bounds.n_slices() - 1);
    first..last + 1
}

impl Examined {
    /// What was assumed, in words.
    pub fn assumptions(&self) -> Vec<String> {
        let mut told = counted(&[
            (
                "collective operations put together by counting, the n-th call of each process",
                self.assumed_operations,
            ),
            ("roots of operations, by who left when", self.assumed_roots),
            ("waits without a message that belong to the receive after them", self.joined_waits),
        ]);
        if self.useful_outside {
            told.push("what processes do outside of all states is their work".to_owned());
        }
        told
    }

    /// What could not be examined, in words.
    pub fn not_examined(&self) -> Vec<String> {
        let mut told = counted(&[
            ("messages with an end in no call", self.without_call),
            ("links with only one end", self.halves),
            ("links from or to what is no process", self.elsewhere),
            ("messages received before they were sent (see onca clocks)", self.backward),
            ("calls of collective operations that fit no operation", self.unpaired),
            ("calls that wait for each other in a circle", self.forced),
        ]);
        if self.messages == 0 {
            told.push("there are no messages whose ends lie in calls".to_owned());
        }
        if self.operations + self.assumed_operations == 0 {
            told.push("there are no collective operations".to_owned());
        }
        told
    }
}

/// Remarks with their numbers, without those of which there is nothing.
fn counted(remarks: &[(&str, u64)]) -> Vec<String> {
    let some = remarks.iter().filter(|(_, count)| *count > 0);
    some.map(|(what, count)| format!("{what}: {}", grouped(*count))).collect()
}
