//! The catalogs of several traces as one.

use hashbrown::{HashMap, HashSet};
use onca_model::{
    Catalog, Code, Color, Container, ContainerId, Containers, Diagnostic, Diagnostics, FieldId,
    LaneId, Nature, Severity, Tally, Ticks, TimeMap, TimeUnit, TypeDef, TypeId, ValueDef, ValueId,
    extra_fields, push_extra,
};

use crate::Store;

/// The type of the containers that hold one source each.
const SOURCE: &str = "Source";
/// Positions in a source whose files are not known refer to this one, which never is.
const NO_FILE: u32 = u32::MAX;

/// Catalogs put together.
pub(super) struct Merged {
    pub catalog: Catalog,
    /// What became of the numbers of each part.
    pub numbers: Vec<Numbers>,
    n_files: u32,
    /// When each source ends.
    ends: Vec<Ticks>,
    /// Rows may lie outside what the facts say.
    follow_rows: bool,
}

/// What became of the numbers of a part.
pub(super) struct Numbers {
    types: Vec<TypeId>,
    values: Vec<ValueId>,
    /// `None` where they are the same.
    fields: Option<Vec<FieldId>>,
    containers: u32,
    lanes: u32,
}

impl Numbers {
    pub fn container(&self, id: ContainerId) -> ContainerId {
        ContainerId(id.0 + self.containers)
    }

    pub fn lane(&self, id: LaneId) -> LaneId {
        LaneId(id.0 + self.lanes)
    }

    pub fn value(&self, id: ValueId) -> ValueId {
        self.values.get(id.index()).copied().unwrap_or(id)
    }

    /// The extra fields of a row, with the numbers of the whole.
    pub fn extras<'e>(&self, packed: &'e [u8], room: &'e mut Vec<u8>) -> &'e [u8] {
        if self.fields.is_none() {
            return packed;
        }
        room.clear();
        for extra in extra_fields(packed) {
            push_extra(room, self.field(extra.field), extra.text);
        }
        room
    }

    /// A field, with its number in the whole.
    pub fn field(&self, id: FieldId) -> FieldId {
        let fields = self.fields.as_deref().unwrap_or_default();
        fields.get(id.index()).copied().unwrap_or(id)
    }
}

impl Merged {
    /// A trace by itself, the times of each container passed through a map. Where clocks agree
    /// then, what was said of them does not hold any more.
    pub fn alone(catalog: &Catalog, maps: &[TimeMap], agree: bool) -> Result<Self, String> {
        let mut catalog = catalog.clone();
        if agree {
            let mut others = Diagnostics::default();
            let of_clocks = [Code::LinkNegativeDuration, Code::UnsynchronisedClocks];
            let kept = catalog.diagnostics.iter().filter(|(code, _)| !of_clocks.contains(code));
            kept.for_each(|(code, tally)| others.restore(code, tally.clone()));
            catalog.diagnostics = others;
        }
        let moved = |map: &TimeMap, time: Ticks| map.apply(time).ok_or_else(too_far);
        let containers = &mut catalog.containers;
        for (index, map) in maps.iter().enumerate() {
            containers.starts[index] = moved(map, containers.starts[index])?;
            containers.ends[index] = moved(map, containers.ends[index])?;
        }
        widen_parents(containers);
        let root = ContainerId::ROOT.index();
        let facts = &mut catalog.facts;
        let first = containers.starts.get(root).copied().unwrap_or(facts.start);
        let last = containers.ends.get(root).copied().unwrap_or(facts.end);
        (facts.start, facts.end) = (first, last);
        facts.last_line = facts.last_line.map(|_| last);
        let numbers = Numbers {
            types: Vec::new(),
            values: Vec::new(),
            fields: None,
            containers: 0,
            lanes: 0,
        };
        let ends = Vec::new();
        Ok(Self { catalog, numbers: vec![numbers], n_files: 0, ends, follow_rows: true })
    }

    /// The beginning of a trace of several sources.
    pub fn several(unit: TimeUnit) -> Self {
        let mut catalog = Catalog::default();
        catalog.facts.unit = unit;
        catalog.types.push(container_type(b"0", TypeId::ROOT));
        catalog.types.push(container_type(SOURCE.as_bytes(), TypeId::ROOT));
        let root = Container {
            name: b"0",
            alias: b"",
            type_id: TypeId::ROOT,
            parent: ContainerId::ROOT,
            start: 0,
            end: 0,
            extras: b"",
        };
        catalog.containers.push(&root);
        let (numbers, ends) = (Vec::new(), Vec::new());
        Self { catalog, numbers, n_files: 0, ends, follow_rows: false }
    }

    pub fn unit(&self) -> &TimeUnit {
        &self.catalog.facts.unit
    }

    /// Adds a source: its root becomes a container that is called `name`.
    pub fn add(&mut self, store: &Store, name: &[u8], map: &TimeMap) -> Result<(), String> {
        let part = store.catalog();
        let containers = self.catalog.containers.len() as u32;
        let lanes = self.catalog.lanes.len() as u32;
        let fits = |before: u32, more: usize| u64::from(before) + more as u64 <= u32::MAX.into();
        if !fits(containers, part.containers.len()) || !fits(lanes, part.lanes.len()) {
            return Err("the sources have too many containers together".to_owned());
        }
        let fields = self.add_fields(part);
        let types = self.add_types(part);
        let values = self.add_values(part, &types);
        let numbers = Numbers { types, values, fields, containers, lanes };
        self.add_containers(part, name, map, &numbers)?;
        for lane in &part.lanes {
            let mut lane = *lane;
            lane.container = numbers.container(lane.container);
            lane.type_id = numbers.types[lane.type_id.index()];
            self.catalog.lanes.push(lane);
        }
        self.add_diagnostics(store);
        self.add_facts(part, map)?;
        self.numbers.push(numbers);
        Ok(())
    }

    /// Fields of the same name and kind are one.
    fn add_fields(&mut self, part: &Catalog) -> Option<Vec<FieldId>> {
        let all = &mut self.catalog.fields;
        let new: Vec<FieldId> = part
            .fields
            .iter()
            .map(|field| {
                let known = all.iter().position(|known| known == field);
                let place = known.unwrap_or_else(|| {
                    all.push(field.clone());
                    all.len() - 1
                });
                FieldId(place as u32)
            })
            .collect();
        let same = new.iter().enumerate().all(|(old, new)| new.index() == old);
        (!same).then_some(new)
    }

    /// Types of the same name, kind and place are one, unless the trace itself has two of them or
    /// colours contradict. Types of links come last: they name types that may follow them.
    fn add_types(&mut self, part: &Catalog) -> Vec<TypeId> {
        let mut known: HashMap<TypeKey, Vec<TypeId>> = HashMap::new();
        for (id, def) in self.catalog.types.iter().enumerate().skip(2) {
            known.entry(TypeKey::of(def)).or_default().push(TypeId(id as u32));
        }
        let mut new = vec![TypeId(1); part.types.len()];
        let mut claimed = HashSet::new();
        let links_last = [false, true].into_iter().flat_map(|links| {
            let defs = part.types.iter().enumerate().skip(1);
            defs.filter(move |(_, def)| (def.nature == Nature::Link) == links)
        });
        for (old, def) in links_last {
            let mut def = def.clone();
            def.parent = new[def.parent.index()];
            def.ends = def.ends.map(|(from, to)| (new[from.index()], new[to.index()]));
            let all = &mut self.catalog.types;
            let candidates = known.get(&TypeKey::of(&def)).into_iter().flatten().copied();
            let same = candidates
                .filter(|id| !claimed.contains(id))
                .find(|id: &TypeId| agree(all[id.index()].color, def.color));
            let id = match same {
                Some(id) => {
                    all[id.index()].color = all[id.index()].color.or(def.color);
                    id
                }
                None => {
                    all.push(def);
                    TypeId(all.len() as u32 - 1)
                }
            };
            claimed.insert(id);
            new[old] = id;
        }
        new
    }

    /// Values of a type with the same name are one, under the same conditions.
    fn add_values(&mut self, part: &Catalog, types: &[TypeId]) -> Vec<ValueId> {
        let all = &mut self.catalog.values;
        let mut known: HashMap<(TypeId, Vec<u8>), Vec<usize>> = HashMap::new();
        for (id, def) in all.iter().enumerate() {
            known.entry((def.type_id, def.name.clone())).or_default().push(id);
        }
        let mut claimed = HashSet::new();
        let place = |def: &ValueDef| {
            let type_id = types[def.type_id.index()];
            let candidates = known.get(&(type_id, def.name.clone())).into_iter().flatten().copied();
            let same = candidates
                .filter(|id| !claimed.contains(id))
                .find(|&id| agree(all[id].color, def.color));
            let id = match same {
                Some(id) => {
                    all[id].color = all[id].color.or(def.color);
                    id
                }
                None => {
                    all.push(ValueDef { type_id, ..def.clone() });
                    all.len() - 1
                }
            };
            claimed.insert(id);
            ValueId(id as u32)
        };
        part.values.iter().map(place).collect()
    }

    fn add_containers(
        &mut self,
        part: &Catalog,
        name: &[u8],
        map: &TimeMap,
        numbers: &Numbers,
    ) -> Result<(), String> {
        let moved = |time: Ticks| map.apply(time).ok_or_else(too_far);
        let mut room = Vec::new();
        for index in 0..part.containers.len() {
            let id = ContainerId(index as u32);
            let own = part.containers.get(id);
            let is_root = id == ContainerId::ROOT;
            self.catalog.containers.push(&Container {
                name: if is_root { name } else { own.name },
                alias: if is_root { b"" } else { own.alias },
                type_id: numbers.types[own.type_id.index()],
                parent: if is_root { ContainerId::ROOT } else { numbers.container(own.parent) },
                start: moved(own.start)?,
                end: moved(own.end)?,
                extras: numbers.extras(own.extras, &mut room),
            });
            let destroyed = self.catalog.containers.destroyed.last_mut();
            if let Some(destroyed) = destroyed {
                *destroyed = part.containers.destroyed[index];
            }
        }
        Ok(())
    }

    fn add_diagnostics(&mut self, store: &Store) {
        let n_files = store.source().files.len() as u32;
        let before = self.n_files;
        let place = |part: u32| if n_files == 0 { NO_FILE } else { part.saturating_add(before) };
        for (code, tally) in store.catalog().diagnostics.iter() {
            let mut sum = match self.catalog.diagnostics.get(code) {
                Some(sum) => sum.clone(),
                None => Tally { severity: Severity::Note, count: 0, samples: Vec::new() },
            };
            sum.severity = sum.severity.max(tally.severity);
            sum.count += tally.count;
            for sample in &tally.samples {
                let mut sample: Diagnostic = sample.clone();
                sample.position.part = place(sample.position.part);
                sum.samples.push(sample);
            }
            sum.samples.truncate(onca_model::MAX_SAMPLES);
            self.catalog.diagnostics.restore(code, sum);
        }
        self.n_files += n_files;
    }

    fn add_facts(&mut self, part: &Catalog, map: &TimeMap) -> Result<(), String> {
        let moved = |time: Ticks| map.apply(time).ok_or_else(too_far);
        let (start, end) = (moved(part.facts.start)?, moved(part.facts.end)?);
        let facts = &mut self.catalog.facts;
        match self.ends.is_empty() {
            true => (facts.start, facts.end) = (start, end),
            false => (facts.start, facts.end) = (facts.start.min(start), facts.end.max(end)),
        }
        self.ends.push(end);
        facts.last_line = Some(facts.end);
        facts.records = facts.records.saturating_add(part.facts.records);
        facts.lost = facts.lost.saturating_add(part.facts.lost);
        facts.truncated |= part.facts.truncated;
        if let Some(producer) = &part.facts.producer {
            match &mut facts.producer {
                None => facts.producer = Some(producer.clone()),
                Some(all) if all.split(", ").any(|known| known == producer) => {}
                Some(all) => *all = format!("{all}, {producer}"),
            }
        }
        Ok(())
    }

    /// All sources are there: the root lasts as long as they, and what ended with a source does
    /// not end with the whole.
    pub fn end_sources(&mut self) {
        let Catalog { containers, facts, .. } = &mut self.catalog;
        (containers.starts[0], containers.ends[0]) = (facts.start, facts.end);
        let mut firsts: Vec<u32> = self.numbers.iter().map(|part| part.containers).collect();
        firsts.push(containers.len() as u32);
        for (number, &end) in self.ends.iter().enumerate() {
            if end < facts.end {
                let own = firsts[number] as usize..firsts[number + 1] as usize;
                containers.destroyed[own].fill(true);
            }
        }
    }

    /// All rows are written; these are their first and last time.
    pub fn widen(&mut self, extent: Option<(Ticks, Ticks)>) {
        if !self.follow_rows {
            return;
        }
        let Catalog { containers, facts, .. } = &mut self.catalog;
        let (first, last) = extent.unwrap_or((facts.start, facts.end));
        (facts.start, facts.end) = (facts.start.min(first), facts.end.max(last));
        facts.last_line = facts.last_line.map(|_| facts.end);
        let alive = containers.ends.iter_mut().zip(&containers.destroyed);
        alive.filter(|(_, destroyed)| !**destroyed).for_each(|(end, _)| *end = facts.end);
        if let Some(start) = containers.starts.first_mut() {
            *start = facts.start;
        }
    }
}

fn container_type(name: &[u8], parent: TypeId) -> TypeDef {
    TypeDef {
        name: name.to_vec(),
        alias: None,
        nature: Nature::Container,
        parent,
        color: None,
        ends: None,
        extras: Vec::new(),
    }
}

/// What types must have in common to be one.
#[derive(PartialEq, Eq, Hash)]
struct TypeKey {
    parent: TypeId,
    nature: Nature,
    name: Vec<u8>,
    ends: Option<(TypeId, TypeId)>,
}

impl TypeKey {
    fn of(def: &TypeDef) -> Self {
        Self { parent: def.parent, nature: def.nature, name: def.name.clone(), ends: def.ends }
    }
}

/// Do colours not contradict?
fn agree(a: Option<Color>, b: Option<Color>) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// A container lasts at least as long as those in it.
fn widen_parents(containers: &mut Containers) {
    for index in (1..containers.len()).rev() {
        let parent = containers.parents[index].index();
        containers.starts[parent] = containers.starts[parent].min(containers.starts[index]);
        containers.ends[parent] = containers.ends[parent].max(containers.ends[index]);
    }
}

fn too_far() -> String {
    "a time does not fit after it was moved; try another offset or rate".to_owned()
}
