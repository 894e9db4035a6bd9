//! A random trace twice: as a store, and as plain lists of everything in it.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use onca_model::{
    Catalog, ContainerId, EntitySink, EventRow, LaneId, LinkRow, Nature, StateRow, Ticks, TypeId,
    VariableRow, Window,
};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Rows in order of arrival; the number of a row counts within its lane.
#[derive(Default)]
pub struct Rows {
    pub states: Vec<(LaneId, u64, StateRow)>,
    pub variables: Vec<(LaneId, u64, VariableRow)>,
    pub events: Vec<(LaneId, u64, EventRow)>,
    pub links: Vec<(LaneId, u64, LinkRow<'static>)>,
    /// Keys of links and extra fields, packed.
    pub texts: BTreeMap<(LaneId, u64), (Vec<u8>, Vec<u8>)>,
    n_rows: BTreeMap<LaneId, u64>,
}

impl Rows {
    fn number(&mut self, lane: LaneId, key: &[u8], extras: &[u8]) -> u64 {
        let next = self.n_rows.entry(lane).or_default();
        *next += 1;
        self.texts.insert((lane, *next - 1), (key.to_vec(), extras.to_vec()));
        *next - 1
    }
}

impl EntitySink for Rows {
    type Error = Infallible;

    fn state(&mut self, lane: LaneId, row: &StateRow, extras: &[u8]) -> Result<(), Infallible> {
        let number = self.number(lane, b"", extras);
        self.states.push((lane, number, *row));
        Ok(())
    }

    fn variable(
        &mut self,
        lane: LaneId,
        row: &VariableRow,
        extras: &[u8],
    ) -> Result<(), Infallible> {
        let number = self.number(lane, b"", extras);
        self.variables.push((lane, number, *row));
        Ok(())
    }

    fn event(&mut self, lane: LaneId, row: &EventRow, extras: &[u8]) -> Result<(), Infallible> {
        let number = self.number(lane, b"", extras);
        self.events.push((lane, number, *row));
        Ok(())
    }

    fn link(&mut self, lane: LaneId, row: &LinkRow<'_>, extras: &[u8]) -> Result<(), Infallible> {
        let number = self.number(lane, row.key, extras);
        let LinkRow { start, end, source, destination, value, size, .. } = *row;
        let row = LinkRow { start, end, source, destination, value, size, key: b"" };
        self.links.push((lane, number, row));
        Ok(())
    }
}

/// A trace as a store and as lists.
pub struct Plain {
    pub store: Store,
    pub catalog: Catalog,
    pub rows: Rows,
    _folder: tempfile::TempDir,
}

impl Plain {
    /// The random trace of a seed.
    pub fn random(seed: u64) -> Self {
        Self::of(&onca_testkit::random::trace(seed))
    }

    /// The trace with this text.
    pub fn of(text: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("t.paje");
        std::fs::write(&file, text).expect("written");
        let (options, progress) = (DriveOptions::default(), Arc::new(Progress::default()));
        let listed = drive(&Source::new(&file), &options, &progress, || Ok(Rows::default()));
        let listed = listed.unwrap_or_else(|error| panic!("{error}"));
        let place = folder.path().join("t.onca");
        let built = drive(&Source::new(&file), &options, &progress, || {
            StoreBuilder::create(&place, &BuildOptions::default())
        });
        let built = built.unwrap_or_else(|error| panic!("{error}"));
        let (fingerprint, facts) = (Fingerprint::default(), BTreeMap::new());
        built.sink.finish(&built.catalog, &fingerprint, &facts).expect("built");
        let store = Store::open(&place).expect("opened");
        Self { store, catalog: listed.catalog, rows: listed.sink, _folder: folder }
    }

    /// The number of containers, the root included.
    pub fn n_containers(&self) -> usize {
        self.catalog.containers.len()
    }

    /// The name of a container.
    pub fn name(&self, container: usize) -> &[u8] {
        self.catalog.containers.names.get(container)
    }

    /// The alias of a container; empty if it has none.
    pub fn alias(&self, container: usize) -> &[u8] {
        self.catalog.containers.aliases.get(container)
    }

    /// The parent of a container.
    pub fn parent(&self, container: usize) -> usize {
        self.catalog.containers.parents[container].index()
    }

    /// The name of the type of a container.
    pub fn kind(&self, container: usize) -> &[u8] {
        &self.catalog.type_def(self.catalog.containers.types[container]).name
    }

    /// A container and all above it, the root first.
    pub fn lineage(&self, container: usize) -> Vec<usize> {
        let mut lineage = vec![container];
        while let Some(&last) = lineage.last()
            && last != 0
        {
            lineage.push(self.parent(last));
        }
        lineage.reverse();
        lineage
    }

    /// Does a container lie at or below another?
    pub fn lies_in(&self, container: usize, above: usize) -> bool {
        self.lineage(container).contains(&above)
    }

    /// Does a container have rows of states, events, variables or owned links?
    pub fn has_lanes(&self, container: usize) -> bool {
        self.catalog.lanes.iter().any(|lane| lane.container.index() == container)
    }

    /// The container types.
    pub fn container_types(&self) -> Vec<TypeId> {
        let ids = (0..self.catalog.types.len() as u32).map(TypeId);
        ids.filter(|id| self.catalog.type_def(*id).nature == Nature::Container).collect()
    }

    /// Whose row it is, and of which type.
    pub fn place(&self, lane: LaneId) -> (ContainerId, TypeId) {
        let lane = self.catalog.lane(lane);
        (lane.container, lane.type_id)
    }

    /// All times at which something begins or ends.
    pub fn times(&self) -> Vec<Ticks> {
        let Rows { states, variables, events, links, .. } = &self.rows;
        let facts = &self.catalog.facts;
        (states.iter().flat_map(|(_, _, row)| [row.start, row.end]))
            .chain(variables.iter().flat_map(|(_, _, row)| [row.start, row.end]))
            .chain(events.iter().map(|(_, _, row)| row.time))
            .chain(links.iter().flat_map(|(_, _, row)| [row.start, row.end]))
            .chain([facts.start, facts.end])
            .collect()
    }

    /// A window: the whole trace, everything, or one with borders at or beside events.
    pub fn window(&self, rng: &mut ChaCha8Rng) -> Window {
        let facts = &self.catalog.facts;
        let times = self.times();
        let time = |rng: &mut ChaCha8Rng| {
            times[rng.random_range(0..times.len())] + rng.random_range(-1..=1)
        };
        match rng.random_range(0..5) {
            0 => Window::new(facts.start, facts.end),
            1 => Window::ALL,
            2 => Window::new(time(rng), facts.end),
            _ => {
                let (a, b) = (time(rng), time(rng));
                Window::new(a.min(b), a.max(b))
            }
        }
    }
}
