//! How the time of containers and groups is shared by values.

use std::collections::{BTreeMap, BTreeSet};

use onca_answer::{Cut, Level, Measure, state_times};
use onca_model::{Nature, TimeUnit, TypeId, Window, format, printable};
use onca_query::{DerivedValue, NodeId, ReductionForm, Resolver, Scope, StateValue};
use onca_scene::Pick;

use crate::{
    Result, ViewError,
    bands::{Band, Bands},
    bundles, names,
    time_scale::duration,
};

/// How the time of some nodes is shared by values. A tick counts for the innermost state of each
/// type, so that shares never exceed the whole.
pub(crate) struct Shares {
    /// What each node that has states amounts to, in the order of the lens.
    pub mixes: Vec<Mix>,
    /// Are there containers with states of several types? Each type is counted for itself.
    pub several_types: bool,
}

/// What one node, or neighbours that share a place, amount to.
#[derive(Clone, Debug)]
pub(crate) struct Mix {
    /// The node, or the first of the neighbours.
    pub node: NodeId,
    /// What it is called.
    pub name: String,
    /// How many nodes share the place.
    pub n_nodes: usize,
    /// The time in each value, by value.
    pub times: Vec<(StateValue, i128)>,
    /// The length of the window for each container and type of states.
    pub whole: i128,
}

/// Which states are shared out.
enum Of {
    /// Those of the trace, of some types or of all.
    Trace(Option<BTreeSet<TypeId>>),
    /// Derived ones, by their places among the reductions.
    Derived(Vec<usize>),
}

impl Of {
    /// What a name means: types of the trace, or a derived state. Without one, the states of the
    /// trace; where none is seen, all derived ones.
    fn new(scope: &Scope<'_>, name: Option<&str>) -> Result<Self> {
        let reductions = scope.reductions().iter().enumerate();
        let derived: Vec<usize> = reductions
            .filter(|(_, one)| one.form == ReductionForm::States)
            .filter(|(_, one)| name.is_none_or(|name| name == one.name))
            .map(|(index, _)| index)
            .collect();
        let catalog = scope.catalog();
        let is_state = |id: &TypeId| catalog.type_def(*id).nature == Nature::State;
        let Some(name) = name else {
            return Ok(match derived.is_empty() || scope.tracks(Nature::State).next().is_some() {
                true => Self::Trace(None),
                false => Self::Derived(derived),
            });
        };
        if !derived.is_empty() {
            return Ok(Self::Derived(derived));
        }
        let found = Resolver::new(catalog).types(name).unwrap_or_default();
        let types: BTreeSet<TypeId> = found.into_iter().filter(is_state).collect();
        if types.is_empty() {
            let ids = (0..catalog.types.len() as u32).map(TypeId);
            let of_trace = ids.filter(is_state).map(|id| &catalog.type_def(id).name);
            let of_trace = of_trace.map(|name| printable(name).into_owned());
            let states = scope.reductions().iter().filter(|one| one.form == ReductionForm::States);
            let known: Vec<String> =
                of_trace.chain(states.map(|one| one.name.clone())).take(MOST_NAMED).collect();
            return Err(ViewError::Nothing(format!(
                "there are no states called {name}; there are {}",
                known.join(", ")
            )));
        }
        Ok(Self::Trace(Some(types)))
    }
}

/// A message names at most this many types.
const MOST_NAMED: usize = 8;

impl Shares {
    /// The times of the nodes of a level during the window. The nodes that have no states, neither
    /// themselves nor below, are left out. `of` names a type of states, or one that is derived.
    pub fn new(scope: &Scope<'_>, level: &Level, of: Option<&str>) -> Result<Self> {
        let Window { from, to } = scope.window();
        if from >= to {
            return Err(ViewError::Nothing("no time passes in the window".to_owned()));
        }
        let cut = Cut::new(scope, level)?;
        match Of::new(scope, of)? {
            Of::Trace(types) => Self::of_trace(scope, &cut, types.as_ref()),
            Of::Derived(reductions) => Self::of_derived(scope, &cut, &reductions),
        }
    }

    fn of_derived(scope: &Scope<'_>, cut: &Cut, reductions: &[usize]) -> Result<Self> {
        let window = scope.window();
        let length = i128::from(window.to) - i128::from(window.from);
        let mut by_place: BTreeMap<usize, (i128, BTreeMap<StateValue, i128>)> = BTreeMap::new();
        for &reduction in reductions {
            let derived = &scope.reductions()[reduction];
            for &node in &derived.nodes {
                let Some(place) = cut.place(node) else { continue };
                let (whole, times) = by_place.entry(place).or_default();
                *whole += length;
                derived.visit(scope, node, window, |start, end, number| {
                    let value = DerivedValue { reduction, number: number as i64 };
                    let ticks = times.entry(StateValue::Derived(value)).or_default();
                    *ticks += i128::from(end) - i128::from(start);
                })?;
            }
        }
        if by_place.is_empty() {
            let names: Vec<&str> =
                reductions.iter().map(|&index| scope.reductions()[index].name.as_str()).collect();
            return Err(ViewError::Nothing(format!(
                "no container at or below this level has {}; take the level that has it, or one above",
                names.join(" or ")
            )));
        }
        let nodes: Vec<NodeId> = by_place.keys().map(|&place| cut.nodes()[place]).collect();
        let named = by_place.into_values().zip(nodes.iter().zip(names::of_nodes(scope, &nodes)));
        let mixes = named.map(|((whole, times), (&node, name))| Mix {
            node,
            name,
            n_nodes: 1,
            times: times.into_iter().collect(),
            whole,
        });
        Ok(Self { mixes: mixes.collect(), several_types: reductions.len() > 1 })
    }

    fn of_trace(scope: &Scope<'_>, cut: &Cut, types: Option<&BTreeSet<TypeId>>) -> Result<Self> {
        let Window { from, to } = scope.window();
        let is_meant = |id: TypeId| types.is_none_or(|types| types.contains(&id));
        let mut n_tracks = vec![0i128; cut.nodes().len()];
        let (mut last, mut several_types) = (None, false);
        // The tracks of a container are next to each other.
        let tracks = scope.tracks(Nature::State);
        for (_, track, node) in tracks.filter(|(_, track, _)| is_meant(track.type_id)) {
            if let Some(place) = cut.place(node) {
                n_tracks[place] += 1;
                several_types |= last == Some(track.container);
                last = Some(track.container);
            }
        }
        let places: Vec<usize> = (0..n_tracks.len()).filter(|&at| n_tracks[at] > 0).collect();
        if places.is_empty() {
            return Err(ViewError::Nothing("no container that is seen has states".to_owned()));
        }
        let nodes: Vec<NodeId> = places.iter().map(|&place| cut.nodes()[place]).collect();
        let times = state_times(scope, cut, scope.window(), Measure::Exclusive)?;
        let type_of = |value| scope.catalog().value(value).type_id;
        let length = i128::from(to) - i128::from(from);
        let mixes = places.iter().zip(names::of_nodes(scope, &nodes)).map(|(&place, name)| Mix {
            node: cut.nodes()[place],
            name,
            n_nodes: 1,
            times: (times.at(place).iter())
                .filter(|row| is_meant(type_of(row.value)))
                .map(|row| (row.value.into(), row.ticks))
                .collect(),
            whole: n_tracks[place] * length,
        });
        Ok(Self { mixes: mixes.collect(), several_types })
    }

    /// All together.
    pub fn total(&self) -> Mix {
        sum(&self.mixes, String::new())
    }

    /// At most `most` mixes: neighbours share one where there are more.
    pub fn bundled(&self, most: usize) -> Vec<Mix> {
        let names: Vec<String> = self.mixes.iter().map(|mix| mix.name.clone()).collect();
        let runs = bundles::runs(self.mixes.len(), most);
        let bundle = |run: std::ops::Range<usize>| {
            let name = names::of_run(&names, &run);
            sum(&self.mixes[run], name)
        };
        runs.into_iter().map(bundle).collect()
    }

    /// What the picture must say of the times.
    pub fn notes(&self) -> Vec<String> {
        let note = "states of several types are counted each for itself";
        self.several_types.then(|| note.to_owned()).into_iter().collect()
    }
}

/// Several mixes as one.
fn sum(mixes: &[Mix], name: String) -> Mix {
    let mut times: Vec<(StateValue, i128)> =
        mixes.iter().flat_map(|mix| mix.times.iter().copied()).collect();
    times.sort_unstable();
    times.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
    Mix {
        node: mixes.first().map_or(NodeId::ROOT, |mix| mix.node),
        name,
        n_nodes: mixes.iter().map(|mix| mix.n_nodes).sum(),
        times,
        whole: mixes.iter().map(|mix| mix.whole).sum(),
    }
}

impl Mix {
    /// The time in each band.
    pub fn in_bands(&self, bands: &Bands) -> Vec<i128> {
        let mut sums = vec![0; bands.list.len()];
        for &(value, ticks) in &self.times {
            if let Some(band) = bands.of(value) {
                sums[band] += ticks;
            }
        }
        sums
    }

    /// What a part of it shows under the pointer.
    pub fn title(&self, part: &str, ticks: i128, unit: &TimeUnit) -> String {
        let share = format::percent(ticks as f64 / self.whole as f64);
        format!("{}\n{part}  {share}, {}", self.name, duration(ticks as f64, unit))
    }

    /// What a part of it stands for.
    pub fn pick(&self, band: &Band) -> Pick {
        match band.value.and_then(StateValue::of_trace) {
            Some(value) if self.n_nodes == 1 => Pick::Share { node: self.node.0, value: value.0 },
            _ => Pick::Node(self.node.0),
        }
    }
}
