//! What costs time in a trace, where, when, why and how much.
//!
//! `onca_aggregate::findings` finds it in plain numbers; here it gets names, sentences, and what a trace tells besides: clocks
//! that disagree, records that were lost.

mod communication;
mod oddities;
pub(crate) mod text;
mod waiting;
pub(crate) mod wire;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use onca_aggregate::Tree;
use onca_aggregate::findings::{Cells, Finding, FindingKind, Findings, Subject, find};
use onca_aggregate::waits::WaitKind;
use onca_model::format::grouped;
use onca_model::{ContainerId, Ticks, Window};
use onca_query::{NodeId, Scope};

use crate::waits::{Pass, WaitAnalysis};
use crate::{AnswerError, Diagnosis, Examined, Result, analyse_waits};

/// What processes wait for each other because of the order of the program, as a share of the run, is told from here on.
const LEAST_SERIAL: f64 = 0.2;

/// Something that costs time, or that makes other answers doubtful.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundFinding {
    /// What is wrong, such as `slow`.
    pub kind: Cow<'static, str>,
    /// Whom it is about.
    pub containers: Vec<ContainerId>,
    /// The largest nodes that hold just these.
    pub groups: Vec<NodeId>,
    /// The other side of a link.
    pub towards: Vec<ContainerId>,
    /// When.
    pub window: Window,
    /// The time of all processes that it costs.
    pub cost: i128,
    /// How much shorter the run would be without it; 0 where that is not known.
    pub saved: Ticks,
    /// How sure it is, from 0 to 1.
    pub sure: f64,
    /// One sentence.
    pub text: String,
    /// What follows from it.
    pub effects: Vec<Effect>,
}

/// Waiting that follows from something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// Of which kind.
    pub kind: WaitKind,
    /// How long, all together.
    pub ticks: i128,
    /// How many processes wait.
    pub n_processes: u64,
}

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub struct FindingAnswer {
    /// The most costly first.
    pub findings: Vec<FoundFinding>,
    /// From the beginning of the trace to its end.
    pub run: Window,
    /// What was assumed, in words.
    pub assumed: Vec<String>,
    /// What could not be examined, in words.
    pub not_examined: Vec<String>,
}

impl FindingAnswer {
    /// The share of the run time that a finding costs; 0 in a trace where no time passes.
    pub fn share(&self, finding: &FoundFinding) -> f64 {
        let run = self.run.to - self.run.from;
        if run > 0 { finding.saved as f64 / run as f64 } else { 0.0 }
    }
}

/// Finds what costs time in a trace. The whole trace is looked at; what is told is what happens in the window of the scope.
pub fn findings(scope: &Scope<'_>) -> Result<FindingAnswer> {
    let mut answer = match scope.is_clear() {
        true => Diagnosis::of(scope.store())?.findings.clone(),
        false => analyse_waits(scope)?.findings(scope)?,
    };
    let window = scope.window();
    let meets = |it: &FoundFinding| it.window.overlap(window.from, window.to) > 0;
    answer.findings.retain(|it| meets(it) || it.window.from == it.window.to);
    Ok(answer)
}

impl WaitAnalysis {
    /// What costs time in the run that was analysed, in whatever window.
    pub fn findings(&self, scope: &Scope<'_>) -> Result<FindingAnswer> {
        let tree = Tree::new(scope.hierarchy().parents())
            .map_err(|error| AnswerError::Question(error.to_string()))?;
        let node_of = |id: &ContainerId| {
            scope.hierarchy().node_of(*id).map_or(tree.root(), |node| node.index() as u32)
        };
        let nodes: Vec<u32> = self.containers.iter().map(node_of).collect();
        let pass = Pass::of(scope, self.containers.len());
        let cells = Cells::of(&self.program, &self.bins);
        let subject = Subject {
            program: &self.program,
            wiring: &self.wiring,
            found: &self.found,
            cells: &cells,
            tree: &tree,
            nodes: &nodes,
            kinds: &self.kinds_of_processes(scope),
        };
        pass.begin(3)?;
        let ((), found) = rayon::join(|| self.prepare(), || find(&subject));
        pass.begin(5)?;
        let telling = Telling { analysis: self, scope, subject: &subject };
        let mut findings: Vec<FoundFinding> =
            found.findings.iter().map(|finding| telling.tell(finding)).collect();
        findings.extend(self.structure(scope, &findings));
        findings.extend(waiting::finding(self, scope, &findings));
        if let Some(finding) = communication::finding(&telling, &findings) {
            // Of those that may save nothing, too, the most costly comes first.
            let place = findings.partition_point(|it| it.saved > 0 || it.cost >= finding.cost);
            findings.insert(place, finding);
        }
        if found.n_compared == 0 {
            findings.extend(oddities::findings(scope)?);
        }
        findings.extend(self.doubts(scope));
        let examined = self.examined();
        Ok(FindingAnswer {
            findings,
            run: self.program.run,
            assumed: examined.assumptions(),
            not_examined: not_examined(
                &found,
                &examined,
                &self.names_of(scope, &found.other_roles),
            ),
        })
    }

    /// Works out what is needed besides.
    fn prepare(&self) {
        self.clocks();
        if waiting::is_much(self) {
            self.delays();
        }
    }

    /// Processes whose containers are of the same type are of the same kind.
    fn kinds_of_processes(&self, scope: &Scope<'_>) -> Vec<u32> {
        let containers = &scope.catalog().containers;
        self.containers.iter().map(|id| containers.get(*id).type_id.0).collect()
    }

    /// The names of the first of some processes.
    fn names_of(&self, scope: &Scope<'_>, processes: &[u32]) -> Vec<String> {
        let name = |process: &u32| {
            let id = self.containers[*process as usize];
            text::container_name(scope, id)
        };
        processes.iter().take(3).map(name).collect()
    }

    /// What the program's own order costs. What another order would save is not known, so that nothing of the run is claimed.
    fn structure(&self, scope: &Scope<'_>, found: &[FoundFinding]) -> Option<FoundFinding> {
        let (busiest, ideal) = (self.clocks().busiest(), self.clocks().ideal());
        let run = self.program.run;
        let serial = ideal - busiest;
        let length = run.to - run.from;
        let is_large = length > 0 && serial as f64 >= LEAST_SERIAL * length as f64;
        if !is_large || !found.is_empty() || self.containers.len() < 2 {
            return None;
        }
        Some(FoundFinding {
            kind: "serialised".into(),
            containers: self.containers.clone(),
            groups: vec![scope.hierarchy().nodes().next()?],
            towards: Vec::new(),
            window: run,
            cost: self.found.waits.total(),
            saved: 0,
            sure: 0.9,
            text: text::serialised(scope, serial, self.found.waits.total()),
            effects: Vec::new(),
        })
    }

    /// What makes other answers doubtful.
    fn doubts(&self, scope: &Scope<'_>) -> Vec<FoundFinding> {
        let facts = &scope.catalog().facts;
        let run = self.program.run;
        let doubt = |kind: &'static str, window, text| FoundFinding {
            kind: kind.into(),
            containers: Vec::new(),
            groups: Vec::new(),
            towards: Vec::new(),
            window,
            cost: 0,
            saved: 0,
            sure: 1.0,
            text,
            effects: Vec::new(),
        };
        let mut doubts = Vec::new();
        let backward = self.examined().backward;
        if backward > 0 {
            doubts.push(doubt("clock", run, text::clock(backward)));
        }
        if facts.lost > 0 {
            doubts.push(doubt("lost-records", run, text::lost(facts.lost)));
        }
        doubts
    }
}

/// Gives findings names and words.
struct Telling<'a> {
    analysis: &'a WaitAnalysis,
    scope: &'a Scope<'a>,
    subject: &'a Subject<'a>,
}

impl Telling<'_> {
    fn tell(&self, finding: &Finding) -> FoundFinding {
        let nodes: HashMap<u32, NodeId> =
            self.scope.hierarchy().nodes().map(|node| (node.index() as u32, node)).collect();
        let groups = |processes: &[u32]| -> Vec<NodeId> {
            self.subject.groups(processes).iter().filter_map(|it| nodes.get(it).copied()).collect()
        };
        let own = groups(&finding.processes);
        let other = groups(&finding.towards);
        let is_link = finding.kind == FindingKind::Link;
        let towards = match is_link && finding.towards.is_empty() {
            true => self.all_but(&finding.processes),
            false => finding.towards.clone(),
        };
        let containers = |processes: &[u32]| -> Vec<ContainerId> {
            processes.iter().map(|it| self.analysis.containers[*it as usize]).collect()
        };
        FoundFinding {
            kind: finding.kind.name().into(),
            text: text::sentence(self.analysis, self.scope, finding, (&own, &other)),
            containers: containers(&finding.processes),
            groups: own,
            towards: containers(&towards),
            window: finding.window,
            cost: finding.cost(),
            saved: finding.saved,
            sure: finding.sure,
            effects: self.effects(finding),
        }
    }

    fn all_but(&self, processes: &[u32]) -> Vec<u32> {
        let all = 0..self.analysis.containers.len() as u32;
        all.filter(|process| processes.binary_search(process).is_err()).collect()
    }

    /// Who waits for those that a finding is about while it lasts.
    fn effects(&self, finding: &Finding) -> Vec<Effect> {
        let mut sums: BTreeMap<WaitKind, (i128, BTreeSet<u32>)> = BTreeMap::new();
        for wait in self.analysis.found.waits.iter() {
            let ticks = finding.window.overlap(wait.from, wait.to);
            let is_cause = finding.processes.binary_search(&wait.cause.process).is_ok();
            if ticks > 0 && is_cause && wait.call.process != wait.cause.process {
                let sum = sums.entry(wait.kind).or_default();
                sum.0 += i128::from(ticks);
                sum.1.insert(wait.call.process);
            }
        }
        let effect = |(kind, (ticks, processes)): (WaitKind, (i128, BTreeSet<u32>))| Effect {
            kind,
            ticks,
            n_processes: processes.len() as u64,
        };
        let mut effects: Vec<Effect> = sums.into_iter().map(effect).collect();
        effects.sort_by_key(|effect| std::cmp::Reverse(effect.ticks));
        effects
    }
}

/// What could not be examined, in words.
fn not_examined(found: &Findings, examined: &Examined, other_roles: &[String]) -> Vec<String> {
    let mut told = Vec::new();
    if found.n_compared == 0 {
        told.push(
            "work: there are no four processes of one kind with useful work to compare".to_owned(),
        );
    } else if found.n_slots < 2 {
        told.push("changes in time: there are too few pieces of work for each process".to_owned());
    }
    if !found.without_peers.is_empty() && found.n_compared > 0 {
        told.push(format!(
            "{} without enough peers to compare with",
            processes(found.without_peers.len() as u64)
        ));
    }
    if !other_roles.is_empty() && found.n_compared > 0 {
        let n = found.other_roles.len();
        let names = match n > other_roles.len() {
            true => format!("{}, ...", other_roles.join(", ")),
            false => other_roles.join(", "),
        };
        told.push(format!(
            "{} with hardly any useful work, and so another role: {names}",
            processes(n as u64)
        ));
    }
    if found.n_pairs == 0 {
        told.push(
            "links: there are too few pairs of processes with messages of one size".to_owned(),
        );
    }
    told.extend(examined.not_examined());
    told
}

/// A number of processes, in words.
pub(crate) fn processes(n: u64) -> String {
    match n {
        1 => "1 process".to_owned(),
        n => format!("{} processes", grouped(n)),
    }
}
