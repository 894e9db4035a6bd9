//! Where things are looked for.

use std::collections::BTreeMap;

use onca_model::{ContainerId, LaneId, Nature, Ticks, TypeId, ValueId, Window};
use onca_query::Scope;
use onca_store::{TextReader, TrackId};

use super::{Cursor, Fields, FindSpec, FoundCount, Hit};
use crate::Result;
use crate::inspect::{SourceFields, SourceLine};

/// A lane that may hold what is searched.
pub(super) struct Source {
    lane: LaneId,
    nature: Nature,
    type_id: TypeId,
    /// Whose it is; for links the owner, which nobody asks for.
    container: ContainerId,
}

/// A part of the window.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    pub window: Window,
    /// Only what begins here or later.
    pub starts_from: Ticks,
    /// Only what stands after this.
    pub after: Option<Cursor>,
}

impl Stretch {
    fn holds(&self, cursor: &Cursor) -> bool {
        let Cursor { start, .. } = *cursor;
        self.starts_from <= start
            && start < self.window.to
            && self.after.is_none_or(|after| *cursor > after)
    }
}

/// A search, with what the catalog says about it.
pub(super) struct Search<'a> {
    scope: &'a Scope<'a>,
    spec: &'a FindSpec,
    /// Which extra fields tell lines of source.
    line_fields: SourceFields,
    /// The values and types whose names fit.
    values: Vec<bool>,
    types: Vec<bool>,
    /// The types that have a value whose name fits.
    types_of_values: Vec<bool>,
    pub sources: Vec<Source>,
    /// The containers that fit, by begin.
    containers: Vec<ContainerId>,
}

impl<'a> Search<'a> {
    pub fn new(scope: &'a Scope<'a>, spec: &'a FindSpec) -> Result<Self> {
        let catalog = scope.catalog();
        let fits = |name: &[u8], alias: Option<&[u8]>| {
            spec.pattern.matches(name) || alias.is_some_and(|alias| spec.pattern.matches(alias))
        };
        let values = catalog.values.iter();
        let types = catalog.types.iter();
        let mut search = Self {
            scope,
            spec,
            line_fields: SourceFields::new(catalog),
            values: values
                .map(|def| spec.fields.values && fits(&def.name, def.alias.as_deref()))
                .collect(),
            types: types
                .map(|def| spec.fields.types && fits(&def.name, def.alias.as_deref()))
                .collect(),
            types_of_values: vec![false; catalog.types.len()],
            sources: Vec::new(),
            containers: Vec::new(),
        };
        for (def, _) in catalog.values.iter().zip(&search.values).filter(|(_, fits)| **fits) {
            search.types_of_values[def.type_id.index()] = true;
        }
        for nature in [Nature::State, Nature::Event, Nature::Variable] {
            search.add_tracks(nature)?;
        }
        search.add_links();
        search.add_containers();
        Ok(search)
    }

    fn searches(&self, nature: Nature) -> bool {
        self.spec.kinds.contains(&nature)
    }

    /// Must rows be looked at one by one, because their texts decide?
    fn reads_texts(&self, nature: Nature) -> bool {
        let Fields { extras, keys, .. } = self.spec.fields;
        extras || keys && nature == Nature::Link || self.spec.line.is_some()
    }

    /// Adds the lanes of the tracks that have one of the values at all.
    fn add_tracks(&mut self, nature: Nature) -> Result<()> {
        if !self.searches(nature) {
            return Ok(());
        }
        for (id, track, _) in self.scope.tracks(nature) {
            let wanted = self.types[track.type_id.index()]
                || self.reads_texts(nature)
                || self.has_values(nature, id, track.type_id)?;
            if wanted {
                let (type_id, container) = (track.type_id, track.container);
                let lanes = self.scope.store().tracks().lanes(id).iter();
                self.sources.extend(lanes.map(|&lane| Source { lane, nature, type_id, container }));
            }
        }
        Ok(())
    }

    fn has_values(&self, nature: Nature, track: TrackId, type_id: TypeId) -> Result<bool> {
        if nature == Nature::Variable {
            return Ok(self.spec.fields.values);
        }
        if !self.types_of_values[type_id.index()] {
            return Ok(false);
        }
        let (store, window) = (self.scope.store(), self.scope.instants());
        let fits = |counts: &[(ValueId, u64)]| counts.iter().any(|(value, _)| self.fits(*value));
        if nature == Nature::State {
            return Ok(fits(&store.state_counts(track, window)?));
        }
        for &lane in store.tracks().lanes(track) {
            if fits(&store.event_counts(lane, window)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn fits(&self, value: ValueId) -> bool {
        self.values.get(value.index()).copied().unwrap_or(false) && self.scope.sees_value(value)
    }

    fn add_links(&mut self) {
        if !self.searches(Nature::Link) {
            return;
        }
        for (lane, type_id) in self.scope.link_lanes() {
            let wanted = self.types[type_id.index()]
                || self.reads_texts(Nature::Link)
                || self.types_of_values[type_id.index()];
            if wanted {
                let container = self.scope.catalog().lane(lane).container;
                self.sources.push(Source { lane, nature: Nature::Link, type_id, container });
            }
        }
    }

    fn add_containers(&mut self) {
        if !self.searches(Nature::Container) || self.spec.line.is_some() {
            return;
        }
        let containers = &self.scope.catalog().containers;
        let pattern = &self.spec.pattern;
        let Fields { containers: by_name, extras, .. } = self.spec.fields;
        let window = self.scope.instants();
        let fits = |id: &ContainerId| {
            let index = id.index();
            let (start, end) = (containers.starts[index], containers.ends[index]);
            let names = [containers.names.get(index), containers.aliases.get(index)];
            let named =
                by_name && names.iter().any(|name| !name.is_empty() && pattern.matches(name));
            let texts = || extras && self.spec.fits_extras(containers.extras.get(index));
            (named || self.types[containers.types[index].index()] || texts())
                && window.touches(start, end)
                && self.spec.lasts(Some(end.saturating_sub(start)))
        };
        // The root is there in every trace, and says nothing.
        let members = self.scope.hierarchy().members().map(|(id, _)| id);
        let mut found: Vec<ContainerId> =
            members.filter(|id| *id != ContainerId::ROOT).filter(fits).collect();
        found.sort_by_key(|id| (containers.starts[id.index()], *id));
        self.containers = found;
    }

    /// Visits the containers of a stretch.
    pub fn visit_containers(&self, stretch: &Stretch, mut visit: impl FnMut(Hit)) {
        let containers = &self.scope.catalog().containers;
        let begins = |id: &ContainerId| containers.starts[id.index()];
        let from = self.containers.partition_point(|id| begins(id) < stretch.starts_from);
        for &id in &self.containers[from..] {
            if begins(&id) >= stretch.window.to {
                break;
            }
            let hit = self.hit(
                Source {
                    lane: LaneId(id.0),
                    nature: Nature::Container,
                    type_id: containers.types[id.index()],
                    container: id,
                },
                0,
                (begins(&id), containers.ends[id.index()]),
            );
            if stretch.holds(&hit.cursor) {
                visit(hit);
            }
        }
    }

    fn hit(&self, source: Source, row: u64, (start, end): (Ticks, Ticks)) -> Hit {
        let Source { lane, nature, type_id, container } = source;
        Hit {
            // A link that ends before it starts stands where it ends.
            cursor: Cursor { start: start.min(end), nature: nature as u8, id: lane.0, row },
            nature,
            type_id,
            start,
            end,
            container: Some(container),
            destination: None,
            value: None,
            number: None,
            key: Vec::new(),
            extras: Vec::new(),
        }
    }

    /// Visits what fits in a lane during a stretch.
    pub fn visit(
        &self,
        source: &Source,
        stretch: &Stretch,
        mut visit: impl FnMut(Hit),
    ) -> Result<()> {
        let (store, window) = (self.scope.store(), stretch.window);
        let Source { lane, nature, type_id, container } = *source;
        let new = |row, times| self.hit(Source { lane, nature, type_id, container }, row, times);
        let mut texts = Texts { reader: store.texts(lane), spec: self.spec };
        let by_type = self.types[type_id.index()];
        let mut offer = |row: u64, hit: Hit, fits: bool, duration: Option<Ticks>| -> Result<()> {
            if !stretch.holds(&hit.cursor) || !self.spec.lasts(duration) {
                return Ok(());
            }
            let fits = match &self.spec.line {
                None => fits || by_type || self.reads_texts(nature) && texts.fit(row)?,
                Some(line) => texts.line(row, self, hit.value)?.as_ref() == Some(line),
            };
            if fits {
                visit(hit);
            }
            Ok(())
        };
        match nature {
            Nature::State => store.visit_states(lane, window, 0, |row, state, _| {
                if !self.scope.sees_state(state) {
                    return Ok(());
                }
                let hit = Hit { value: Some(state.value), ..new(row, (state.start, state.end)) };
                let duration = state.end.saturating_sub(state.start);
                offer(row, hit, self.fits(state.value), Some(duration))
            })?,
            Nature::Event => store.visit_events(lane, window, |row, event| {
                if !self.scope.sees_event(event) {
                    return Ok(());
                }
                let hit = Hit { value: Some(event.value), ..new(row, (event.time, event.time)) };
                offer(row, hit, self.fits(event.value), None)
            })?,
            Nature::Variable => store.visit_variables(lane, window, |row, step| {
                let hit = Hit { number: Some(step.value), ..new(row, (step.start, step.end)) };
                let by_number = self.spec.fields.values
                    && self.spec.pattern.matches(step.value.to_string().as_bytes());
                offer(row, hit, by_number, Some(step.end.saturating_sub(step.start)))
            })?,
            Nature::Link => store.visit_links(lane, window, None, 0, |row, link| {
                if !self.scope.sees_link(link) {
                    return Ok(());
                }
                let (container, destination) = (link.source, link.destination);
                let value = Some(link.value);
                let times = (link.start, link.end);
                let hit = Hit { value, container, destination, ..new(row, times) };
                let duration = link.end.saturating_sub(link.start);
                offer(row, hit, self.fits(link.value), Some(duration))
            })?,
            Nature::Container => Ok(()),
        }
    }

    /// Counts what fits in a lane, and says whether its rows had to be looked at.
    pub fn count(
        &self,
        source: &Source,
        stretch: &Stretch,
        counts: &mut Vec<FoundCount>,
    ) -> Result<bool> {
        let Source { nature, type_id, .. } = *source;
        let mut add = |value, count| counts.push(FoundCount { nature, type_id, value, count });
        if let Some(sums) = self.summed(source, stretch.window)? {
            let by_type = self.types[type_id.index()];
            let fits = |value: ValueId| self.fits(value) || by_type && self.scope.sees_value(value);
            let sums = sums.into_iter().filter(|(value, _)| fits(*value));
            sums.for_each(|(value, count)| add(Some(value), count));
            return Ok(false);
        }
        let mut found: BTreeMap<Option<ValueId>, u64> = BTreeMap::new();
        self.visit(source, stretch, |hit| *found.entry(hit.value).or_default() += 1)?;
        found.into_iter().for_each(|(value, count)| add(value, count));
        Ok(true)
    }

    /// How many of each value a lane has, where cumulative sums tell. Those of states are of all
    /// lanes of a track: the first lane answers for all.
    fn summed(&self, source: &Source, window: Window) -> Result<Option<Vec<(ValueId, u64)>>> {
        let Source { lane, nature, type_id, container } = *source;
        let FindSpec { longer_than, shorter_than, .. } = self.spec;
        if longer_than.is_some() || shorter_than.is_some() || self.reads_texts(nature) {
            return Ok(None);
        }
        let store = self.scope.store();
        Ok(match nature {
            Nature::Event => Some(store.event_counts(lane, window)?),
            Nature::State if self.scope.min_duration() <= 0 => {
                match store.tracks().find(container, type_id) {
                    Some(track) if store.tracks().lanes(track).first() == Some(&lane) => {
                        Some(store.state_counts(track, window)?)
                    }
                    _ => Some(Vec::new()),
                }
            }
            _ => None,
        })
    }

    /// Adds keys and extra fields to what was found.
    pub fn read_texts(&self, hits: &mut [Hit]) -> Result<()> {
        for hit in hits {
            let lane = LaneId(hit.cursor.id);
            if let (Nature::Container, Some(id)) = (hit.nature, hit.container) {
                hit.extras = self.scope.catalog().containers.extras.get(id.index()).to_vec();
                continue;
            }
            let mut reader = self.scope.store().texts(lane);
            let (key, extras) = reader.get(hit.cursor.row)?;
            (hit.key, hit.extras) = (key.to_vec(), extras.to_vec());
        }
        Ok(())
    }
}

/// The texts of a lane's rows.
struct Texts<'a> {
    reader: TextReader<'a>,
    spec: &'a FindSpec,
}

impl Texts<'_> {
    fn fit(&mut self, row: u64) -> Result<bool> {
        let spec = self.spec;
        let Fields { extras, keys, .. } = spec.fields;
        let (key, packed) = self.reader.get(row)?;
        let by_key = keys && !key.is_empty() && spec.pattern.matches(key);
        Ok(by_key || extras && spec.fits_extras(packed))
    }

    /// The line of source that made the entity in a row.
    fn line(
        &mut self,
        row: u64,
        search: &Search<'_>,
        value: Option<ValueId>,
    ) -> Result<Option<SourceLine>> {
        let values = &search.scope.catalog().values;
        let of_value = value.and_then(|value| values.get(value.index()));
        let of_value = of_value.map_or(&[][..], |value| &value.extras);
        let (_, own) = self.reader.get(row)?;
        Ok(search.line_fields.line(own, of_value))
    }
}
