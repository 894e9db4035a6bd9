//! The cube: what every leaf has of every value in every slice.

use onca_aggregate::Number;
use onca_aggregate::slice::{Bounds, Cube, LinkTally};
use onca_model::{Nature, Ticks, cut};
use onca_query::{NodeId, ReductionForm, Scope};
use onca_store::TrackId;
use rayon::prelude::*;

use super::{Measure, SliceValue, Space, events, links, states, variables};
use crate::slices::slices_of;
use crate::{AnswerError, Result};

/// How many cells a cube may have: a quarter of a gigabyte.
const MAX_CELLS: usize = 1 << 25;

/// What every leaf has of every value in every slice.
#[derive(Clone, PartialEq, Debug)]
pub struct LeafCube {
    /// The tree over the nodes; its leaves are those of the cells.
    pub space: Space,
    /// The slices.
    pub bounds: Bounds,
    /// The values, those that do not occur included.
    pub values: Vec<SliceValue>,
    /// The numbers.
    pub cells: Cells,
    /// What became of the links, if the cube is about links.
    pub tally: Option<LinkTally>,
    /// Did the lens make it necessary to look at every entity?
    pub scanned: bool,
    /// Which leaves have states of which type, if the cube is about states.
    pub having: Option<Having>,
}

/// Which leaves have states of which type. What others do not have is not 0: shares and means are
/// of those that can be in the state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Having {
    /// For each value, its type by its place in `leaves`.
    pub(super) types: Vec<u32>,
    /// For each type, the leaves that have such states, in order.
    pub(super) leaves: Vec<Vec<u32>>,
}

impl Having {
    /// How many of some neighbouring leaves have states of the type of a value.
    pub fn count(&self, value: usize, leaves: &std::ops::Range<usize>) -> usize {
        let of_type = &self.leaves[self.types[value] as usize];
        let before = |leaf: usize| of_type.partition_point(|&own| (own as usize) < leaf);
        before(leaves.end) - before(leaves.start)
    }

    /// For each of `n` leaves, whether it has states of the type of a value.
    pub(super) fn flags(&self, value: usize, n: usize) -> Vec<bool> {
        let mut has = vec![false; n];
        for &leaf in &self.leaves[self.types[value] as usize] {
            has[leaf as usize] = true;
        }
        has
    }
}

/// The numbers of a cube: exact where they can be.
#[derive(Clone, PartialEq, Debug)]
pub enum Cells {
    /// Ticks or counts.
    Whole(Cube<i64>),
    /// Other numbers; those of variables are `NaN` where there is nothing.
    Real(Cube<f64>),
}

/// The cube of a measure over the window of a scope, cut into regular slices.
///
/// Equals a plain sum over the entities that the scope sees. Time in states, counts and variables
/// come from the cumulative sums of the store, whatever the length of the window; a lens with a
/// minimum duration, and links, make it necessary to scan.
pub fn cube(scope: &Scope<'_>, n_slices: usize, measure: Measure) -> Result<LeafCube> {
    let bounds = slices_of(scope, n_slices)?;
    match measure {
        Measure::StateTime { .. } | Measure::StateCount => states::cube(scope, bounds, measure),
        Measure::EventCount => events::cube(scope, bounds),
        Measure::Variable(measure) => variables::cube(scope, bounds, measure),
        Measure::Link { measure, end, border } => links::cube(scope, bounds, measure, end, border),
    }
}

/// Cubes that are too large are not made.
pub(super) fn check_size(n_leaves: usize, n_values: usize, bounds: &Bounds) -> Result<()> {
    let n_slices = bounds.n_slices();
    let n_cells = n_leaves.checked_mul(n_values).and_then(|n| n.checked_mul(n_slices));
    if n_cells.is_some_and(|n| n <= MAX_CELLS) {
        return Ok(());
    }
    Err(AnswerError::TooLarge(format!(
        "{n_leaves} containers with {n_values} values in {n_slices} slices are more than \
         {MAX_CELLS} numbers; take fewer slices, select values, or group containers"
    )))
}

/// A cube of zeros, if it may be that large.
pub(super) fn cells<T: Number>(
    n_leaves: usize,
    n_values: usize,
    bounds: &Bounds,
) -> Result<Cube<T>> {
    check_size(n_leaves, n_values, bounds)?;
    Cube::new(n_leaves, n_values, bounds.n_slices())
        .map_err(|error| AnswerError::TooLarge(error.to_string()))
}

/// What the data of a leaf come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A track of the trace.
    Track(TrackId),
    /// The reduction of the lens with this index, for this node.
    Derived(usize, NodeId),
}

/// Where the data of all leaves come from.
pub(super) struct Sources {
    pub space: Space,
    /// By leaf, in a fixed order.
    list: Vec<(u32, Source)>,
}

impl Sources {
    /// The tracks of a nature, and the reductions of a form.
    pub fn new(scope: &Scope<'_>, nature: Nature, form: Option<ReductionForm>) -> Result<Self> {
        let store = scope.store();
        // A lane of which every entity was faulty holds nothing.
        let has_rows =
            |track: TrackId| store.tracks().lanes(track).iter().any(|&lane| store.n_rows(lane) > 0);
        let tracks = scope
            .tracks(nature)
            .filter(|(id, _, _)| has_rows(*id))
            .map(|(id, _, node)| (node, Source::Track(id)));
        let reductions = scope.reductions().iter().enumerate();
        let derived = reductions.filter(|(_, reduction)| Some(reduction.form) == form).flat_map(
            |(index, reduction)| {
                reduction.nodes.iter().map(move |&node| (node, Source::Derived(index, node)))
            },
        );
        let sources: Vec<(NodeId, Source)> = tracks.chain(derived).collect();
        let mut has_data = vec![false; scope.hierarchy().len()];
        sources.iter().for_each(|(node, _)| has_data[node.index()] = true);
        let space = Space::new(scope.hierarchy(), |node| has_data[node.index()])?;
        let mut list: Vec<(u32, Source)> = sources
            .into_iter()
            .filter_map(|(node, source)| Some((space.leaf(node)? as u32, source)))
            .collect();
        list.sort_by_key(|(leaf, _)| *leaf);
        Ok(Self { space, list })
    }

    /// How many leaves there are.
    pub fn n_leaves(&self) -> usize {
        self.space.tree().leaves().len()
    }

    /// All sources, with their leaves.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Source)> {
        self.list.iter().map(|&(leaf, source)| (leaf as usize, source))
    }

    /// Fills the leaves that have sources, on all cores. Each leaf is filled by one thread, in
    /// the order of its sources: the result does not depend on their number.
    pub fn fill<T: Number + Send, S>(
        &self,
        cube: &mut Cube<T>,
        scratch: impl Fn() -> S + Sync + Send,
        fill: impl Fn(&mut S, &mut [T], &[(u32, Source)]) -> Result<()> + Sync + Send,
    ) -> Result<()> {
        let mut rest = self.list.as_slice();
        let parts: Vec<_> = cube
            .leaves_mut()
            .enumerate()
            .filter_map(|(leaf, cells)| {
                let n = rest.iter().take_while(|(own, _)| *own as usize == leaf).count();
                let (own, later) = rest.split_at(n);
                rest = later;
                (n > 0).then_some((cells, own))
            })
            .collect();
        parts
            .into_par_iter()
            .try_for_each_init(scratch, |scratch, (cells, sources)| fill(scratch, cells, sources))
    }
}

/// Gives `visit` the slices that an interval touches, with the ticks in each. An instant touches
/// the slice of its tick; slices narrower than a tick are touched by nothing.
pub fn visit_touched(
    bounds: &Bounds,
    start: Ticks,
    end: Ticks,
    mut visit: impl FnMut(usize, Ticks),
) {
    let window = bounds.window();
    if !window.touches(start, end) {
        return;
    }
    let start = start.max(window.from);
    let Some(first) = bounds.slice_of(start) else { return };
    let slice = |slice: i64| bounds.slice(slice as usize);
    let end_of = |number: i64| (number < bounds.n_slices() as i64).then(|| slice(number).to);
    cut(start, end, first as i64, end_of, |number, ticks| {
        if slice(number).from < slice(number).to {
            visit(number as usize, ticks);
        }
    });
}
