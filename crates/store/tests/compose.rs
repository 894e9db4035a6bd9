//! Stores made of stores: every row is where the maps put it, and every question is answered
//! as if the moved rows had been given to a builder.

use crate::sample;
use crate::scan;

use std::collections::BTreeMap;
use std::path::Path;

use onca_model::*;
use onca_store::{BuildOptions, Change, Composition, Correction, JoinPart, Store, StoreBuilder};
use sample::{Link, Sample, Shape, open};

const AMPLE: usize = 64 << 20;

fn built(composition: Composition<'_>, place: &Path) -> Store {
    let builder = StoreBuilder::create(place, &BuildOptions::default()).expect("begun");
    composition.write(builder, &BTreeMap::new()).expect("written");
    let store = open(place);
    store.verify().expect("whole");
    store
}

fn correction() -> Correction {
    Correction {
        from: "elsewhere".to_owned(),
        drifts: true,
        moved: 3,
        processes: 6,
        largest_offset_ticks: 500,
        largest_drift: 1e-3,
        uncertainty_ticks: Some(4),
        unbounded: 1,
        backward_before: 9,
        backward_after: 0,
    }
}

/// The clocks of containers: some run as they are, some are off, some drift.
fn clock(container: ContainerId) -> TimeMap {
    let drift = [0.0, 0.0, 1.0 / 512.0][container.index() % 3];
    let offset = [0, 500, -70][container.index() % 3];
    TimeMap::drifting(0, offset, drift).expect("a map")
}

/// The same, in other words.
fn on_clock(container: ContainerId, time: Ticks) -> Ticks {
    match container.index() % 3 {
        0 => time,
        1 => time + 500,
        // The nearest tick, halves up.
        _ => (time * 513 + 256).div_euclid(512) - 70,
    }
}

/// Adds to each link when its receiver asked for it and when its sender was done with it, by their clocks.
fn add_times(sample: &mut Sample, clock: Clock) {
    let Sample { catalog, links, .. } = sample;
    for (&lane, links) in links {
        let owner = catalog.lane(lane).container;
        for Link { row, extras, .. } in links {
            let sender = row.source.or(row.destination).unwrap_or(owner);
            let receiver = row.destination.or(row.source).unwrap_or(owner);
            let posted = clock(receiver, row.end - 3).to_string();
            let completed = clock(sender, row.start + 5).to_string();
            push_extra(extras, POSTED, posted.as_bytes());
            push_extra(extras, COMPLETED, completed.as_bytes());
            push_extra(extras, POSTED, b"some time");
        }
    }
}

type Clock = fn(ContainerId, Ticks) -> Ticks;
const POSTED: FieldId = FieldId(3);
const COMPLETED: FieldId = FieldId(4);

#[test]
fn each_container_has_the_times_of_its_clock() {
    for seed in 0..4 {
        let shape = Shape { seed, steps: 5_000, extras: true, ..Shape::default() };
        let timed = |clock: Clock| {
            let mut sample = Sample::random(&shape);
            for name in ["first", "second", "third", "posted", "completed"] {
                let name = name.as_bytes().to_vec();
                sample.catalog.fields.push(FieldDef { name, kind: FieldKind::Int });
            }
            add_times(&mut sample, clock);
            sample
        };
        let dir = tempfile::tempdir().expect("a folder");
        let (before, after) = (dir.path().join("before.onca"), dir.path().join("after.onca"));
        timed(|_, time| time).build(&before, AMPLE).expect("built");
        let mut sample = timed(on_clock);
        let store = open(&before);
        let maps: Vec<TimeMap> = (0..6).map(|id| clock(ContainerId(id))).collect();
        let composition = Composition::correct(&store, maps, correction()).expect("maps");
        let corrected = built(composition, &after);
        let owner = |lane: LaneId| store.catalog().lane(lane).container;
        for (&lane, states) in &mut sample.states {
            for state in states {
                state.row.start = on_clock(owner(lane), state.row.start);
                state.row.end = on_clock(owner(lane), state.row.end);
            }
        }
        for (&lane, steps) in &mut sample.variables {
            for step in steps {
                step.start = on_clock(owner(lane), step.start);
                step.end = on_clock(owner(lane), step.end);
            }
        }
        for (&lane, events) in &mut sample.events {
            events.iter_mut().for_each(|event| event.time = on_clock(owner(lane), event.time));
        }
        for (&lane, links) in &mut sample.links {
            for Link { row, .. } in links {
                let sender = row.source.or(row.destination).unwrap_or(owner(lane));
                let receiver = row.destination.or(row.source).unwrap_or(owner(lane));
                row.start = on_clock(sender, row.start);
                row.end = on_clock(receiver, row.end);
            }
        }
        scan::check_all(&sample, &corrected, &sample.windows(12, seed));
        assert_eq!(corrected.changes(), [Change::Corrected(correction())]);
        assert_eq!(store.changes(), []);
        let facts = &corrected.catalog().facts;
        let times = sample.times();
        assert!(times.iter().all(|time| (facts.start..=facts.end).contains(time)), "{facts:?}");
    }
}

#[test]
fn a_map_for_each_container_is_needed_and_times_must_fit() {
    let sample = Sample::random(&Shape { steps: 300, ..Shape::default() });
    let dir = tempfile::tempdir().expect("a folder");
    sample.build(&dir.path().join("s.onca"), AMPLE).expect("built");
    let store = open(&dir.path().join("s.onca"));
    assert!(Composition::correct(&store, Vec::new(), correction()).is_err());
    let far = TimeMap::new(0, Ticks::MAX, Fraction::ONE).expect("a map");
    assert!(Composition::correct(&store, vec![far; 6], correction()).is_err());
    let part = |offset: &str, rate: &str| JoinPart {
        store: &store,
        name: "s".to_owned(),
        offset: Shift::parse(offset).expect("a time"),
        rate: Fraction::parse(rate).expect("a rate"),
    };
    assert!(Composition::join(&[]).is_err());
    assert!(Composition::join(&[part("9999999999", "1")]).is_err());
    assert!(Composition::join(&[part("0", "0")]).is_err());
    assert!(Composition::join(&[part("0", "99999999")]).is_err());
    assert!(Composition::join(&[part("-1", "2/3")]).is_ok());
}

/// Two samples whose ticks have different lengths, as one trace: times of the first count three
/// ticks, those of the second two, and are five seconds later.
#[test]
fn joined_traces_have_all_rows_of_their_parts() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut samples: Vec<Sample> = (7..9)
        .map(|seed| {
            let extras = true;
            Sample::random(&Shape { seed, steps: 4_000, extras, ..Shape::default() })
        })
        .collect();
    for (sample, ticks) in samples.iter_mut().zip([1000, 1500]) {
        let times = sample.times();
        let facts = &mut sample.catalog.facts;
        facts.unit.ticks_per_unit = ticks;
        (facts.start, facts.end) = (times[0], times[times.len() - 1]);
        (facts.records, facts.lost) = (ticks, 1);
    }
    // The second has a value and a field of its own, and another colour for a value of the first.
    let fields = [b"Size".to_vec(), b"Tag".to_vec()];
    let field = |name: &Vec<u8>| FieldDef { name: name.clone(), kind: FieldKind::String };
    samples[0].catalog.fields = fields.iter().map(field).collect();
    samples[1].catalog.fields = fields.iter().rev().map(field).collect();
    samples[1].catalog.values[2].color = Some(Color::rgb(200, 200, 200));
    samples[1].catalog.values[3].name = b"other".to_vec();
    let mut stores = Vec::new();
    for (number, sample) in samples.iter().enumerate() {
        let place = dir.path().join(format!("{number}.onca"));
        sample.build(&place, AMPLE).expect("built");
        stores.push(open(&place));
    }
    let parts: Vec<JoinPart<'_>> = stores
        .iter()
        .zip(["first", "second"])
        .zip(["0", "5s"])
        .map(|((store, name), offset)| JoinPart {
            store,
            name: name.to_owned(),
            offset: Shift::parse(offset).expect("a time"),
            rate: Fraction::ONE,
        })
        .collect();
    let joined = built(Composition::join(&parts).expect("parts"), &dir.path().join("all.onca"));
    let catalog = joined.catalog();
    assert_eq!(catalog.facts.unit.ticks_per_unit, 3000);
    assert_eq!((catalog.facts.records, catalog.facts.lost), (2500, 2));
    assert_eq!(catalog.types.len(), samples[0].catalog.types.len() + 1, "types are shared");
    assert_eq!(catalog.values.len(), samples[0].catalog.values.len() + 2, "values that agree are");
    assert_eq!(catalog.fields.len(), 2);
    let counts = |store: &Store| store.counts();
    let sum = counts(&stores[0]).states + counts(&stores[1]).states;
    assert_eq!(counts(&joined).states, sum);
    let (mut lanes, mut containers) = (0, 1);
    for (number, sample) in samples.iter().enumerate() {
        let moved = |time: Ticks| [time * 3, time * 2 + 15_000][number];
        let part = Expected { sample, joined: &joined, lanes, containers, moved: &moved };
        part.check_states();
        part.check_links();
        part.check_others();
        part.check_containers(["first", "second"][number]);
        lanes += sample.catalog.lanes.len() as u32;
        containers += sample.catalog.containers.len() as u32;
    }
}

struct Expected<'a> {
    sample: &'a Sample,
    joined: &'a Store,
    lanes: u32,
    containers: u32,
    moved: &'a dyn Fn(Ticks) -> Ticks,
}

impl Expected<'_> {
    fn lane(&self, lane: LaneId) -> LaneId {
        LaneId(lane.0 + self.lanes)
    }

    /// A value by its name and colour.
    fn value(&self, id: ValueId) -> (Vec<u8>, Option<Color>) {
        let def = self.sample.catalog.value(id);
        (def.name.clone(), def.color)
    }

    fn joined_value(&self, id: ValueId) -> (Vec<u8>, Option<Color>) {
        let def = self.joined.catalog().value(id);
        (def.name.clone(), def.color)
    }

    fn extras(catalog: &Catalog, packed: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let field =
            |extra: Extra<'_>| (catalog.field_name(extra.field).into_owned(), extra.text.to_vec());
        extra_fields(packed).map(field).collect()
    }

    fn check_states(&self) {
        for (&lane, states) in &self.sample.states {
            assert_eq!(self.joined.n_rows(self.lane(lane)), states.len() as u64);
            for (number, state) in states.iter().enumerate() {
                let (row, parent) =
                    self.joined.state(self.lane(lane), number as u64).expect("a row");
                let (own, moved) = (&state.row, self.moved);
                assert_eq!((row.start, row.end), (moved(own.start), moved(own.end)));
                assert_eq!(self.joined_value(row.value), self.value(own.value));
                assert_eq!(
                    row.parent.map(|id| self.joined_value(id)),
                    own.parent.map(|id| self.value(id))
                );
                assert_eq!((row.open_ended, parent), (own.open_ended, state.parent));
                let extras =
                    self.joined.state_extras(self.lane(lane), number as u64).expect("texts");
                assert_eq!(
                    Self::extras(self.joined.catalog(), &extras),
                    Self::extras(&self.sample.catalog, &state.extras)
                );
            }
        }
    }

    fn check_links(&self) {
        let container = |id: Option<ContainerId>| id.map(|id| ContainerId(id.0 + self.containers));
        for (&lane, links) in &self.sample.links {
            assert_eq!(self.joined.n_rows(self.lane(lane)), links.len() as u64);
            for (number, link) in links.iter().enumerate() {
                let row = self.joined.link(self.lane(lane), number as u64).expect("a row");
                let (own, moved) = (&link.row, self.moved);
                assert_eq!((row.start, row.end), (moved(own.start), moved(own.end)));
                assert_eq!(row.source, container(own.source));
                assert_eq!(row.destination, container(own.destination));
                assert_eq!(row.size, own.size);
                let key = self.joined.link_key(self.lane(lane), number as u64).expect("texts");
                assert_eq!(key, link.key);
            }
        }
    }

    fn check_others(&self) {
        let moved = self.moved;
        for (&lane, steps) in &self.sample.variables {
            let mut found = Vec::new();
            self.joined
                .visit_variables(self.lane(lane), Window::ALL, |_, row| found.push(*row))
                .expect("readable");
            let times: Vec<_> = found.iter().map(|row| (row.start, row.end)).collect();
            let own = steps.iter().map(|row| (moved(row.start), moved(row.end)));
            assert_eq!(times, own.collect::<Vec<_>>());
            let bits = |row: &VariableRow| row.value.to_bits();
            assert!(found.iter().map(bits).eq(steps.iter().map(bits)));
        }
        for (&lane, events) in &self.sample.events {
            let mut found = Vec::new();
            self.joined
                .visit_events(self.lane(lane), Window::ALL, |_, row| found.push(row.time))
                .expect("readable");
            assert_eq!(found, events.iter().map(|row| moved(row.time)).collect::<Vec<_>>());
        }
    }

    fn check_containers(&self, name: &str) {
        let (all, own) = (&self.joined.catalog().containers, &self.sample.catalog.containers);
        for index in 0..own.len() {
            let (old, new) = (
                own.get(ContainerId(index as u32)),
                all.get(ContainerId(index as u32 + self.containers)),
            );
            assert_eq!((new.start, new.end), ((self.moved)(old.start), (self.moved)(old.end)));
            if index == 0 {
                assert_eq!((new.name, new.parent), (name.as_bytes(), ContainerId::ROOT));
            } else {
                assert_eq!((new.name, new.alias), (old.name, old.alias));
                assert_eq!(new.parent.0, old.parent.0 + self.containers);
            }
        }
    }
}

/// Where ticks are not to be found that all times are multiples of, the finest is taken.
#[test]
fn times_that_would_not_fit_are_rounded_to_the_finest_tick() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut stores = Vec::new();
    for (number, ticks) in [999_999_999_989, 1_000_000_000_039].into_iter().enumerate() {
        let mut sample = Sample::random(&Shape { seed: 3, steps: 500, ..Shape::default() });
        sample.catalog.facts.unit.ticks_per_unit = ticks;
        let place = dir.path().join(format!("{number}.onca"));
        sample.build(&place, AMPLE).expect("built");
        stores.push(open(&place));
    }
    let part = |number: usize| JoinPart {
        store: &stores[number],
        name: number.to_string(),
        offset: Shift::parse("0").expect("a time"),
        rate: Fraction::ONE,
    };
    let joined = Composition::join(&[part(0), part(1)]).expect("parts");
    assert_eq!(joined.catalog().facts.unit.ticks_per_unit, 1_000_000_000_039);
    let joined = built(joined, &dir.path().join("all.onca"));
    assert_eq!(joined.counts().states, stores[0].counts().states * 2);
}
