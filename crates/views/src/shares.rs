//! How the time of containers and groups is shared by values.

use onca_answer::{Cut, Level, Measure, state_times};
use onca_model::{Nature, TimeUnit, ValueId, Window, format};
use onca_query::{NodeId, Scope};
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
    pub times: Vec<(ValueId, i128)>,
    /// The length of the window for each container and type of states.
    pub whole: i128,
}

impl Shares {
    /// The times of the nodes of a level during the window. The nodes that have no states, neither
    /// themselves nor below, are left out.
    pub fn new(scope: &Scope<'_>, level: &Level) -> Result<Self> {
        let Window { from, to } = scope.window();
        if from >= to {
            return Err(ViewError::Nothing("no time passes in the window".to_owned()));
        }
        let cut = Cut::new(scope, level)?;
        let mut n_tracks = vec![0i128; cut.nodes().len()];
        let (mut last, mut several_types) = (None, false);
        // The tracks of a container are next to each other.
        for (_, track, node) in scope.tracks(Nature::State) {
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
        let times = state_times(scope, &cut, scope.window(), Measure::Exclusive)?;
        let length = i128::from(to) - i128::from(from);
        let mixes = places.iter().zip(names::of_nodes(scope, &nodes)).map(|(&place, name)| Mix {
            node: cut.nodes()[place],
            name,
            n_nodes: 1,
            times: times.at(place).iter().map(|row| (row.value, row.ticks)).collect(),
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
    let mut times: Vec<(ValueId, i128)> =
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
        match band.value {
            Some(value) if self.n_nodes == 1 => Pick::Share { node: self.node.0, value: value.0 },
            _ => Pick::Node(self.node.0),
        }
    }
}
