//! Random entities, the calls that give them to a builder, and the same entities as plain lists
//! to scan.

use std::{collections::BTreeMap, path::Path};

use onca_model::*;
use onca_store::{BuildOptions, BuildReport, Fingerprint, Result, Store, StoreBuilder, StoreError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub const STATE: TypeId = TypeId(1);
pub const VARIABLE: TypeId = TypeId(2);
pub const EVENT: TypeId = TypeId(3);
pub const LINK: TypeId = TypeId(4);

/// What a random sample is like.
#[derive(Clone)]
pub struct Shape {
    pub seed: u64,
    pub containers: u32,
    pub steps: usize,
    pub values: u32,
    pub depth: usize,
    pub origin: Ticks,
    pub longest: Ticks,
    pub extras: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            seed: 1,
            containers: 6,
            steps: 20_000,
            values: 7,
            depth: 4,
            origin: -5_000,
            longest: 40,
            extras: false,
        }
    }
}

pub struct State {
    pub row: StateRow,
    pub parent: Option<u64>,
    pub extras: Vec<u8>,
}

pub struct Link {
    pub row: LinkRow<'static>,
    pub key: Vec<u8>,
    pub extras: Vec<u8>,
}

enum Call {
    Nest(LaneId, LaneId),
    State(LaneId, usize),
    Variable(LaneId, usize),
    Event(LaneId, usize),
    Link(LaneId, usize),
}

#[derive(Default)]
pub struct Sample {
    calls: Vec<Call>,
    pub catalog: Catalog,
    pub states: BTreeMap<LaneId, Vec<State>>,
    /// By container: depth and row in order of opening.
    pub opened: BTreeMap<ContainerId, Vec<(usize, u64)>>,
    pub variables: BTreeMap<LaneId, Vec<VariableRow>>,
    pub events: BTreeMap<LaneId, Vec<EventRow>>,
    pub links: BTreeMap<LaneId, Vec<Link>>,
}

/// A container while its rows are made.
#[derive(Default)]
struct Live {
    now: Ticks,
    /// Value, start, place in the order of opening.
    stack: Vec<(ValueId, Ticks, usize)>,
    lanes: Vec<LaneId>,
    opened: Vec<(usize, u64)>,
    variable: Option<(LaneId, Ticks)>,
    event: Option<LaneId>,
}

impl Sample {
    pub fn random(shape: &Shape) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(shape.seed);
        let mut sample = Self::default();
        sample.declare(shape);
        let link_lane = sample.lane(ContainerId(0), LINK, 0);
        let mut live: Vec<Live> =
            (0..shape.containers).map(|_| Live { now: shape.origin, ..Live::default() }).collect();
        for _ in 0..shape.steps {
            let index = rng.random_range(0..live.len());
            let container = ContainerId(index as u32);
            sample.step(container, &mut live[index], link_lane, shape, &mut rng);
        }
        for (index, mut own) in live.into_iter().enumerate() {
            let container = ContainerId(index as u32);
            while !own.stack.is_empty() {
                sample.pop(container, &mut own, true, Vec::new());
            }
            sample.opened.insert(container, own.opened);
        }
        sample
    }

    /// One lane of states that are given.
    pub fn of_states(rows: impl Iterator<Item = (Ticks, Ticks, u32)>, values: u32) -> Self {
        let mut sample = Self::default();
        sample.declare(&Shape { values, containers: 1, ..Shape::default() });
        let lane = sample.lane(ContainerId(0), STATE, 0);
        let opened = sample.opened.entry(ContainerId(0)).or_default();
        let list = sample.states.entry(lane).or_default();
        for (start, end, value) in rows {
            let value = ValueId(value);
            let row = StateRow { start, end, value, parent: None, open_ended: false };
            opened.push((0, list.len() as u64));
            sample.calls.push(Call::State(lane, list.len()));
            list.push(State { row, parent: None, extras: Vec::new() });
        }
        sample
    }

    /// One lane of steps that are given.
    pub fn of_variables(rows: impl Iterator<Item = VariableRow>) -> Self {
        let mut sample = Self::default();
        sample.declare(&Shape { containers: 1, ..Shape::default() });
        let lane = sample.lane(ContainerId(0), VARIABLE, 0);
        let list: Vec<_> = rows.collect();
        sample.calls.extend((0..list.len()).map(|index| Call::Variable(lane, index)));
        sample.variables.insert(lane, list);
        sample
    }

    /// One lane of links that are given: start, end, source, destination, size.
    pub fn of_links(rows: impl Iterator<Item = (Ticks, Ticks, u32, u32, u64)>) -> Self {
        let mut sample = Self::default();
        sample.declare(&Shape { containers: 8, ..Shape::default() });
        let lane = sample.lane(ContainerId(0), LINK, 0);
        let list: Vec<Link> = rows
            .map(|(start, end, source, destination, size)| {
                let (source, destination) =
                    (Some(ContainerId(source)), Some(ContainerId(destination)));
                let (value, size) = (ValueId(0), Some(size));
                let row = LinkRow { start, end, source, destination, value, size, key: b"" };
                Link { row, key: b"k".to_vec(), extras: Vec::new() }
            })
            .collect();
        sample.calls.extend((0..list.len()).map(|index| Call::Link(lane, index)));
        sample.links.insert(lane, list);
        sample
    }

    fn declare(&mut self, shape: &Shape) {
        let natures =
            [Nature::Container, Nature::State, Nature::Variable, Nature::Event, Nature::Link];
        for nature in natures {
            self.catalog.types.push(TypeDef {
                name: nature.name().into(),
                alias: (nature == Nature::Link).then(|| b"L".to_vec()),
                nature,
                parent: TypeId::ROOT,
                color: None,
                ends: (nature == Nature::Link).then_some((TypeId::ROOT, TypeId::ROOT)),
                extras: Vec::new(),
            });
        }
        for value in 0..shape.values {
            self.catalog.values.push(ValueDef {
                type_id: STATE,
                name: format!("v{value}").into(),
                alias: None,
                color: Some(Color::rgb(value as u8, 1, 2)),
                extras: Vec::new(),
            });
        }
        for container in 0..shape.containers {
            self.catalog.containers.push(&Container {
                name: format!("process {container}").as_bytes(),
                alias: if container % 2 == 0 { b"" } else { b"p\xff" },
                type_id: TypeId::ROOT,
                parent: ContainerId(container / 2),
                start: shape.origin,
                end: 1 << 40,
                extras: b"",
            });
        }
    }

    fn lane(&mut self, container: ContainerId, type_id: TypeId, depth: u16) -> LaneId {
        self.catalog.lanes.push(Lane { container, type_id, depth });
        LaneId(self.catalog.lanes.len() as u32 - 1)
    }

    fn step(
        &mut self,
        container: ContainerId,
        own: &mut Live,
        link_lane: LaneId,
        shape: &Shape,
        rng: &mut ChaCha8Rng,
    ) {
        if rng.random_bool(0.7) {
            own.now += rng.random_range(0..=shape.longest);
        }
        let value = ValueId(rng.random_range(0..shape.values));
        match rng.random_range(0..10) {
            0..5 if own.stack.len() < shape.depth => {
                own.stack.push((value, own.now, own.opened.len()));
                own.opened.push((own.stack.len() - 1, u64::MAX));
            }
            0..7 if !own.stack.is_empty() => {
                let extras = if shape.extras { texts(rng) } else { Vec::new() };
                self.pop(container, own, rng.random_bool(0.01), extras);
            }
            7 => self.change_variable(container, own, rng),
            8 => {
                let lane = *own.event.get_or_insert_with(|| self.lane(container, EVENT, 0));
                let list = self.events.entry(lane).or_default();
                list.push(EventRow { time: own.now, value });
                self.calls.push(Call::Event(lane, list.len() - 1));
            }
            _ => self.add_link(link_lane, own.now, shape, rng),
        }
    }

    fn pop(&mut self, container: ContainerId, own: &mut Live, open_ended: bool, extras: Vec<u8>) {
        let (value, start, place) = own.stack.pop().expect("something is open");
        let depth = own.stack.len();
        while own.lanes.len() <= depth {
            let next = own.lanes.len();
            let lane = self.lane(container, STATE, next as u16);
            if let Some(&outer) = own.lanes.last() {
                self.calls.push(Call::Nest(lane, outer));
            }
            own.lanes.push(lane);
        }
        let lane = own.lanes[depth];
        let parent_value = own.stack.last().map(|&(value, _, _)| value);
        let list = self.states.entry(lane).or_default();
        let number = list.len() as u64;
        let row = StateRow { start, end: own.now, value, parent: parent_value, open_ended };
        list.push(State { row, parent: None, extras });
        self.calls.push(Call::State(lane, number as usize));
        own.opened[place].1 = number;
        // Those opened after it, one level deeper, are inside it.
        for &(inner_depth, inner) in &own.opened[place + 1..] {
            if inner_depth == depth + 1 {
                let inner_lane = own.lanes[inner_depth];
                let list = self.states.get_mut(&inner_lane).expect("it has ended");
                list[inner as usize].parent = Some(number);
            }
        }
    }

    fn change_variable(&mut self, container: ContainerId, own: &mut Live, rng: &mut ChaCha8Rng) {
        let Some((lane, since)) = own.variable else {
            own.variable = Some((self.lane(container, VARIABLE, 0), own.now));
            return;
        };
        let value = match rng.random_range(0..20) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -0.0,
            3 => rng.random_range(-1e3..1e3),
            _ => f64::from(rng.random_range(-50..50)),
        };
        let list = self.variables.entry(lane).or_default();
        list.push(VariableRow { start: since, end: own.now, value });
        self.calls.push(Call::Variable(lane, list.len() - 1));
        let gap = if rng.random_bool(0.1) { 3 } else { 0 };
        own.now += gap;
        own.variable = Some((lane, own.now));
    }

    fn add_link(&mut self, lane: LaneId, now: Ticks, shape: &Shape, rng: &mut ChaCha8Rng) {
        let container = |rng: &mut ChaCha8Rng| {
            rng.random_bool(0.95).then(|| ContainerId(rng.random_range(0..shape.containers)))
        };
        let (source, destination) = (container(rng), container(rng));
        let length = rng.random_range(-shape.longest / 4..shape.longest * 3 + 1);
        let size = rng.random_bool(0.7).then(|| rng.random_range(0..1 << 20));
        let value = ValueId(rng.random_range(0..shape.values));
        let row =
            LinkRow { start: now - length, end: now, source, destination, value, size, key: b"" };
        let extras = if shape.extras { texts(rng) } else { Vec::new() };
        let list = self.links.entry(lane).or_default();
        let key = format!("key {}", list.len()).into();
        list.push(Link { row, key, extras });
        self.calls.push(Call::Link(lane, list.len() - 1));
    }

    /// Gives everything to a builder.
    pub fn replay(&self, builder: &mut StoreBuilder) -> Result<()> {
        self.replay_part(0..self.calls.len(), builder)
    }

    /// Gives some of all calls to a sink.
    pub fn replay_part<S: EntitySink<Error = StoreError>>(
        &self,
        part: std::ops::Range<usize>,
        builder: &mut S,
    ) -> Result<()> {
        for call in &self.calls[part] {
            match *call {
                Call::Nest(lane, outer) => builder.nest(lane, outer),
                Call::State(lane, index) => {
                    let state = &self.states[&lane][index];
                    builder.state(lane, &state.row, &state.extras)?;
                }
                Call::Variable(lane, index) => {
                    builder.variable(lane, &self.variables[&lane][index], b"")?;
                }
                Call::Event(lane, index) => builder.event(lane, &self.events[&lane][index], b"")?,
                Call::Link(lane, index) => {
                    let link = &self.links[&lane][index];
                    let row = LinkRow { key: &link.key, ..link.row };
                    builder.link(lane, &row, &link.extras)?;
                }
            }
        }
        Ok(())
    }

    pub fn build(&self, dir: &Path, memory_bytes: usize) -> Result<BuildReport> {
        let options = BuildOptions { memory_bytes, ..BuildOptions::default() };
        let mut builder = StoreBuilder::create(dir, &options)?;
        self.replay(&mut builder)?;
        builder.finish(&self.catalog, &Fingerprint::default(), &BTreeMap::new())
    }

    /// How many rows and nested lanes there are to tell of.
    pub fn n_calls(&self) -> usize {
        self.calls.len()
    }

    /// All times at which something begins or ends.
    pub fn times(&self) -> Vec<Ticks> {
        let states = self.states.values().flatten().flat_map(|s| [s.row.start, s.row.end]);
        let variables = self.variables.values().flatten().flat_map(|v| [v.start, v.end]);
        let events = self.events.values().flatten().map(|e| e.time);
        let links = self.links.values().flatten().flat_map(|l| [l.row.start, l.row.end]);
        states.chain(variables).chain(events).chain(links).collect()
    }

    /// Random windows: on boundaries and off, empty, inverted, everything.
    pub fn windows(&self, n: usize, seed: u64) -> Vec<Window> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let times = self.times();
        let mut windows = vec![Window::ALL, Window::new(5, 5), Window::new(9, -9)];
        while windows.len() < n {
            let mut time = || {
                let time = times[rng.random_range(0..times.len())];
                time.saturating_add(rng.random_range(-2..=2))
            };
            let (a, b) = (time(), time());
            windows.push(if windows.len() % 9 == 0 {
                Window::new(a, b)
            } else {
                Window::new(a.min(b), a.max(b))
            });
        }
        windows
    }
}

fn texts(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut packed = Vec::new();
    if rng.random_bool(0.3) {
        push_extra(&mut packed, FieldId(rng.random_range(0..3)), b"some text");
    }
    packed
}

pub fn open(dir: &Path) -> Store {
    Store::open(dir).expect("the store opens")
}
