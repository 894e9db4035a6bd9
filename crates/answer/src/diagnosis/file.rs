//! A diagnosis as bytes: a line of JSON with the findings and all lengths, then the columns.

use onca_aggregate::compare::Course;
use onca_aggregate::waits::WaitKind;
use onca_model::{ContainerId, Ticks, Window};
use onca_query::NodeId;
use onca_store::{Derived, Store};
use serde::{Deserialize, Serialize};

use super::table::WRONG_ORDER;
use super::{Diagnosis, PathStep, WaitTable};
use crate::{Effect, FindingAnswer, FoundFinding};

/// Changes whenever the same trace would give other waits, another path, other findings or other words.
const RULES: u32 = 4;

impl Derived for Diagnosis {
    const NAME: &'static str = "diagnosis";

    fn rules(store: &Store) -> String {
        // Sentences have units in them.
        let unit = &store.catalog().facts.unit;
        let version = env!("CARGO_PKG_VERSION");
        format!("{version} {RULES} {} {:?}", unit.ticks_per_unit, unit.name)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let Self { waits, path, course, findings } = self;
        let head = Head {
            containers: waits.containers.len(),
            waits: waits.len(),
            steps: path.len(),
            findings: findings.findings.iter().map(KeptFinding::new).collect(),
            borders: course.borders.clone(),
            made_of: course.made_of.clone(),
            run: (findings.run.from, findings.run.to),
            assumed: findings.assumed.clone(),
            not_examined: findings.not_examined.clone(),
        };
        let mut bytes = serde_json::to_vec(&head).expect("findings have only plain values");
        bytes.push(b'\n');
        put_ids(&mut bytes, waits.containers.iter().map(|(id, _)| *id));
        put_times(&mut bytes, waits.containers.iter().map(|(_, end)| *end as Ticks));
        let windows = || (0..waits.len()).map(|at| waits.window(at));
        put_times(&mut bytes, windows().map(|window| window.from));
        put_lengths(&mut bytes, windows().map(|window| (window.from, window.to)));
        put_ids(&mut bytes, (0..waits.len()).map(|at| waits.cause(at)));
        bytes.extend((0..waits.len()).map(|at| waits.kind(at)));
        put_ids(&mut bytes, path.iter().map(|step| step.container));
        put_times(&mut bytes, path.iter().map(|step| step.window.from));
        put_lengths(&mut bytes, path.iter().map(|step| (step.window.from, step.window.to)));
        bytes
    }

    fn from_bytes(store: &Store, bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
        let mut columns = Columns(&bytes[end + 1..]);
        let n_containers = store.catalog().containers.len();
        let waits = columns.waits(&head)?;
        let path = columns.path(head.steps)?;
        let causes = (0..waits.len()).map(|at| waits.cause(at));
        let mut ids = waits.containers.iter().map(|(id, _)| *id).chain(causes);
        let is_known = |id: ContainerId| id.index() < n_containers;
        let fits = columns.0.is_empty()
            && ids.all(is_known)
            && path.iter().all(|step| is_known(step.container))
            && (0..waits.len())
                .all(|at| usize::from(waits.kind(at) & !WRONG_ORDER) < WaitKind::ALL.len());
        let course = Course { borders: head.borders, made_of: head.made_of };
        let n_values = store.catalog().values.len();
        let fits = fits
            && course.borders.is_sorted()
            && course.borders.len() == course.n_steps() + 1
            && course.made_of.iter().flatten().all(|(value, _)| *value as usize <= n_values);
        let findings = FindingAnswer {
            findings: head.findings.into_iter().map(KeptFinding::found).collect::<Option<_>>()?,
            run: Window { from: head.run.0, to: head.run.1 },
            assumed: head.assumed,
            not_examined: head.not_examined,
        };
        fits.then_some(Self { waits, path, course, findings })
    }
}

#[derive(Serialize, Deserialize)]
struct Head {
    containers: usize,
    waits: usize,
    steps: usize,
    findings: Vec<KeptFinding>,
    /// Where the steps of the run begin and end, and what each is made of.
    borders: Vec<Ticks>,
    made_of: Vec<Vec<(u32, u64)>>,
    run: (Ticks, Ticks),
    assumed: Vec<String>,
    not_examined: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct KeptFinding {
    kind: String,
    containers: Vec<u32>,
    groups: Vec<u32>,
    towards: Vec<u32>,
    window: (Ticks, Ticks),
    /// A number of 128 bits is a text in JSON.
    cost: String,
    saved: Ticks,
    /// Its bits: a number of JSON need not come back the same.
    sure: u64,
    text: String,
    /// The place of the kind, ticks, processes.
    effects: Vec<(usize, String, u64)>,
}

impl KeptFinding {
    fn new(finding: &FoundFinding) -> Self {
        let ids = |ids: &[ContainerId]| ids.iter().map(|id| id.0).collect();
        let effect = |effect: &Effect| {
            let kind = WaitKind::ALL.iter().position(|kind| *kind == effect.kind);
            (kind.unwrap_or_default(), effect.ticks.to_string(), effect.n_processes)
        };
        Self {
            kind: finding.kind.clone().into_owned(),
            containers: ids(&finding.containers),
            groups: finding.groups.iter().map(|node| node.0).collect(),
            towards: ids(&finding.towards),
            window: (finding.window.from, finding.window.to),
            cost: finding.cost.to_string(),
            saved: finding.saved,
            sure: finding.sure.to_bits(),
            text: finding.text.clone(),
            effects: finding.effects.iter().map(effect).collect(),
        }
    }

    fn found(self) -> Option<FoundFinding> {
        let ids = |ids: Vec<u32>| ids.into_iter().map(ContainerId).collect();
        let effect = |(kind, ticks, n_processes): (usize, String, u64)| {
            let kind = *WaitKind::ALL.get(kind)?;
            Some(Effect { kind, ticks: ticks.parse().ok()?, n_processes })
        };
        Some(FoundFinding {
            kind: self.kind.into(),
            containers: ids(self.containers),
            groups: self.groups.into_iter().map(NodeId).collect(),
            towards: ids(self.towards),
            window: Window { from: self.window.0, to: self.window.1 },
            cost: self.cost.parse().ok()?,
            saved: self.saved,
            sure: f64::from_bits(self.sure),
            text: self.text,
            effects: self.effects.into_iter().map(effect).collect::<Option<_>>()?,
        })
    }
}

fn put_ids(bytes: &mut Vec<u8>, ids: impl Iterator<Item = ContainerId>) {
    ids.for_each(|id| bytes.extend_from_slice(&id.0.to_le_bytes()));
}

/// Times as differences: they are small where times are in order, and pages of small numbers are packed well.
fn put_times(bytes: &mut Vec<u8>, times: impl Iterator<Item = Ticks>) {
    let mut before: Ticks = 0;
    for time in times {
        bytes.extend_from_slice(&time.wrapping_sub(before).to_le_bytes());
        before = time;
    }
}

fn put_lengths(bytes: &mut Vec<u8>, windows: impl Iterator<Item = (Ticks, Ticks)>) {
    windows.for_each(|(from, to)| bytes.extend_from_slice(&to.wrapping_sub(from).to_le_bytes()));
}

/// What is not read yet.
struct Columns<'a>(&'a [u8]);

impl Columns<'_> {
    fn take(&mut self, n: usize, size: usize) -> Option<&[u8]> {
        let (taken, rest) = self.0.split_at_checked(n.checked_mul(size)?)?;
        self.0 = rest;
        Some(taken)
    }

    fn ids(&mut self, n: usize) -> Option<Vec<ContainerId>> {
        let (ids, _) = self.take(n, 4)?.as_chunks::<4>();
        Some(ids.iter().map(|id| ContainerId(u32::from_le_bytes(*id))).collect())
    }

    fn numbers(&mut self, n: usize) -> Option<Vec<Ticks>> {
        let (numbers, _) = self.take(n, 8)?.as_chunks::<8>();
        Some(numbers.iter().map(|number| Ticks::from_le_bytes(*number)).collect())
    }

    fn times(&mut self, n: usize) -> Option<Vec<Ticks>> {
        let mut times = self.numbers(n)?;
        let mut before: Ticks = 0;
        for time in &mut times {
            *time = time.wrapping_add(before);
            before = *time;
        }
        Some(times)
    }

    fn windows(&mut self, n: usize) -> Option<Vec<Window>> {
        let (from, lengths) = (self.times(n)?, self.numbers(n)?);
        let window = |(from, length): (Ticks, Ticks)| {
            let to = from.checked_add(length)?;
            (from <= to).then_some(Window { from, to })
        };
        from.into_iter().zip(lengths).map(window).collect()
    }

    fn waits(&mut self, head: &Head) -> Option<WaitTable> {
        let (ids, ends) = (self.ids(head.containers)?, self.times(head.containers)?);
        let ends: Vec<usize> =
            ends.into_iter().map(|end| usize::try_from(end).ok()).collect::<Option<_>>()?;
        let last = ends.last().copied().unwrap_or(0);
        if !ends.is_sorted() || !ids.is_sorted() || last != head.waits {
            return None;
        }
        let (windows, causes) = (self.windows(head.waits)?, self.ids(head.waits)?);
        let kinds = self.take(head.waits, 1)?;
        let mut table = WaitTable::default();
        table.containers = ids.into_iter().zip(ends).collect();
        for ((window, cause), kind) in windows.into_iter().zip(causes).zip(kinds) {
            table.push(window, cause, *kind);
        }
        Some(table)
    }

    fn path(&mut self, n: usize) -> Option<Vec<PathStep>> {
        let ids = self.ids(n)?;
        let step = |(container, window)| PathStep { container, window };
        Some(ids.into_iter().zip(self.windows(n)?).map(step).collect())
    }
}
