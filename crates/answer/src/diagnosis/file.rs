//! A diagnosis as bytes: a line of JSON with the findings and the shapes of the columns, then the columns as they lie in
//! memory, so that reading them is copying.

use onca_aggregate::compare::Course;
use onca_aggregate::waits::{Column, Growing, WaitKind};
use onca_model::{ContainerId, Ticks, Window};
use onca_query::NodeId;
use onca_store::{Derived, Store};
use serde::{Deserialize, Serialize};

use super::table::WRONG_ORDER;
use super::{Diagnosis, PathStep, WaitTable};
use crate::{Effect, FindingAnswer, FoundFinding};

/// Changes whenever the same trace would give other waits, another path, other findings or other words.
const RULES: u32 = 6;

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
        let mut columns = Columns::default();
        columns.put_waits(waits);
        columns.put_path(path);
        let head = Head {
            columns: columns.shapes,
            findings: findings.findings.iter().map(KeptFinding::new).collect(),
            borders: course.borders.clone(),
            made_of: course.made_of.clone(),
            run: (findings.run.from, findings.run.to),
            assumed: findings.assumed.clone(),
            not_examined: findings.not_examined.clone(),
        };
        let mut bytes = serde_json::to_vec(&head).expect("findings have only plain values");
        bytes.push(b'\n');
        bytes.extend(columns.bytes);
        bytes
    }

    fn from_bytes(store: &Store, bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
        let mut kept = Kept { shapes: head.columns.iter(), bytes: &bytes[end + 1..] };
        let n_containers = store.catalog().containers.len() as u64;
        let waits = kept.waits(n_containers)?;
        let path = kept.path(n_containers)?;
        let course = Course { borders: head.borders, made_of: head.made_of };
        let n_values = store.catalog().values.len();
        let fits = kept.bytes.is_empty()
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

/// How many bytes each number of a column takes, and how many there are.
type Shape = (usize, usize);

#[derive(Serialize, Deserialize)]
struct Head {
    columns: Vec<Shape>,
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

/// Columns one after the other.
#[derive(Default)]
struct Columns {
    shapes: Vec<Shape>,
    bytes: Vec<u8>,
}

impl Columns {
    fn put(&mut self, column: &Column) {
        self.shapes.push((column.width(), column.len()));
        self.bytes.extend_from_slice(column.as_bytes());
    }

    fn put_growing(&mut self, growing: &Growing) {
        let (bases, differences) = growing.parts();
        self.put(&bases.iter().map(|base| *base as u64).collect());
        self.put(differences);
    }

    fn put_waits(&mut self, waits: &WaitTable) {
        self.put(&waits.containers.iter().map(|(id, _)| u64::from(id.0)).collect());
        self.put(&waits.containers.iter().map(|(_, end)| *end as u64).collect());
        self.put_growing(&waits.from);
        [&waits.ticks, &waits.causes, &waits.kinds].into_iter().for_each(|column| self.put(column));
    }

    fn put_path(&mut self, path: &[PathStep]) {
        let mut from = Growing::default();
        path.iter().for_each(|step| from.push(step.window.from));
        self.put_growing(&from);
        self.put(&path.iter().map(|step| (step.window.to - step.window.from) as u64).collect());
        self.put(&path.iter().map(|step| u64::from(step.container.0)).collect());
    }
}

/// Columns that are not read yet.
struct Kept<'a> {
    shapes: std::slice::Iter<'a, Shape>,
    bytes: &'a [u8],
}

impl Kept<'_> {
    fn column(&mut self) -> Option<Column> {
        let (width, len) = *self.shapes.next()?;
        let (taken, rest) = self.bytes.split_at_checked(len.checked_mul(width)?)?;
        self.bytes = rest;
        Column::from_bytes(taken, width, len)
    }

    fn growing(&mut self) -> Option<Growing> {
        let bases = self.column()?.iter().map(|base| base as i64).collect();
        Growing::from_parts(bases, self.column()?)
    }

    /// Ids of containers that there are.
    fn ids(&mut self, n_containers: u64) -> Option<Column> {
        self.column().filter(|ids| ids.iter().all(|id| id < n_containers))
    }

    fn waits(&mut self, n_containers: u64) -> Option<WaitTable> {
        let (ids, ends) = (self.ids(n_containers)?, self.column()?);
        let table = WaitTable {
            containers: ids
                .iter()
                .zip(ends.iter())
                .map(|(id, end)| (ContainerId(id as u32), end as usize))
                .collect(),
            from: self.growing()?,
            ticks: self.column()?,
            causes: self.ids(n_containers)?,
            kinds: self.column()?,
        };
        let n = table.len();
        let is_kind = |kind: u64| ((kind & !u64::from(WRONG_ORDER)) as usize) < WaitKind::ALL.len();
        let fits = ids.len() == ends.len()
            && table.containers.is_sorted_by_key(|(id, _)| *id)
            && table.containers.is_sorted_by_key(|(_, end)| *end)
            && table.containers.last().map_or(0, |(_, end)| *end) == n
            && [table.from.len(), table.causes.len(), table.kinds.len()] == [n; 3]
            && table.kinds.iter().all(is_kind)
            && are_windows(&table.from, &table.ticks);
        fits.then_some(table)
    }

    fn path(&mut self, n_containers: u64) -> Option<Vec<PathStep>> {
        let (from, ticks, ids) = (self.growing()?, self.column()?, self.ids(n_containers)?);
        let n = ids.len();
        if [from.len(), ticks.len()] != [n; 2] || !are_windows(&from, &ticks) {
            return None;
        }
        let step = |at: usize| {
            let begin = from.get(at);
            let window = Window { from: begin, to: begin + ticks.get(at) as Ticks };
            PathStep { container: ContainerId(ids.get_u32(at)), window }
        };
        Some((0..n).map(step).collect())
    }
}

/// Does each of them end at a time?
fn are_windows(from: &Growing, ticks: &Column) -> bool {
    let is_window = |(at, ticks): (usize, u64)| {
        Ticks::try_from(ticks).is_ok_and(|ticks| from.get(at).checked_add(ticks).is_some())
    };
    ticks.iter().enumerate().all(is_window)
}
