//! Disruptions: where and when leaves break the pattern of their peers and of their own past.
//!
//! Let `m` be what a leaf has of a value in a slice. Peers are leaves that do the same kind of work.
//!
//! 1. What is usual in a slice is the median of `m` over the peers. `d = m - usual`. What all do together, such as a
//!    phase, is no deviation.
//! 2. The habit of a leaf is the median of `d` over the slices. `e = d - habit`. Who always differs, such as a master,
//!    is not disrupted all the time by that.
//! 3. Noise is the largest of three: the spread of `e` over the peers in this slice or within a hundredth of the window (at
//!    least a slice) of it, the spread of `e` over the slices of this leaf, and 1 % of what a leaf has in a slice on average. A spread is 1.4826 times the median absolute
//!    deviation; over the peers it is the deviation that seven in ten do not exceed, divided by 1.0364. `z = |e| / noise`, and the `z` of a cell is the largest of its values.
//! 4. Nobody begins a phase at the very same time. A cell is odd only if `z` is at least 5 also when `e` is taken from the
//!    nearest of all that is usual within a hundredth of the window before and after.
//! 5. Slices of a leaf with a plain `z` of at least 5, and gaps of at most three hundredths of the window between them, are a
//!    run if one of them is odd. A run is stronger the larger the sum of `z^2` over these slices.
//! 6. The strongest run begins a disruption and gives its time. Runs of other leaves belong to it if they have at least
//!    half of the longer of the two times in common: they happen at the same time. So do runs of which half lies in the
//!    time of a disruption that lasts at most a quarter of the window: who waits for a disrupted leaf is odd too, for a
//!    part of that time. The score of a disruption is the root of the sum of `z^2` over its cells: it grows with
//!    the strength, and with the time and the leaves that are hit.
//! 7. A leaf whose habit is far from 0, by 5 times the spread of the habits, is disrupted all the time.
//!
//! With fewer than four peers there is nothing to compare with, and only the own past counts.

use super::deviations::{Deviations, Run};
use crate::Tree;
use crate::slice::Cube;

/// The score that a disruption must reach to be more than noise. Runs without disruptions stay below it.
pub const DISRUPTION_THRESHOLD: f64 = 12.0;

/// What lasts longer than this part of the window does not explain what is odd for a shorter time.
const LONG: usize = 4;

/// Leaves that break the pattern during some slices.
#[derive(Clone, PartialEq, Debug)]
pub struct Disruption {
    /// How clearly it stands out; from [`DISRUPTION_THRESHOLD`] on it is more than noise.
    pub score: f64,
    /// Its first slice.
    pub first: usize,
    /// Its last slice, which belongs to it.
    pub last: usize,
    /// The places of the leaves that are hit, in order.
    pub leaves: Vec<usize>,
    /// The value that the leaves have more of than usual, and how much on average.
    pub rises: Option<Shift>,
    /// The value that they have less of.
    pub falls: Option<Shift>,
    /// How much is spent on other values than usual, over all cells together.
    pub displaced: f64,
}

/// How much the amount of a value differs from what is usual.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shift {
    /// The place of the value.
    pub value: usize,
    /// By how much, on average over the cells that are hit.
    pub by: f64,
}

/// All disruptions, the clearest first, those below the threshold included. `peers` has a number for each leaf: leaves with
/// the same number do the same kind of work.
pub fn disruptions(cube: &Cube<f64>, peers: &[u32]) -> Vec<Disruption> {
    let mut groups: Vec<(u32, usize)> = (0..cube.n_leaves())
        .filter(|&leaf| cube.leaf(leaf).iter().any(|&number| number > 0.0))
        .map(|leaf| (peers[leaf], leaf))
        .collect();
    groups.sort_unstable();
    let mut runs = Vec::new();
    for group in groups.chunk_by(|a, b| a.0 == b.0) {
        let leaves: Vec<usize> = group.iter().map(|&(_, leaf)| leaf).collect();
        runs.extend(Deviations::new(cube, leaves).runs());
    }
    let mut found = join(runs, cube.n_slices());
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    found
}

/// The largest nodes of which every leaf with data is among these.
pub fn nodes_of_leaves(tree: &Tree, cube: &Cube<f64>, leaves: &[usize]) -> Vec<u32> {
    let mut is_hit = vec![false; tree.leaves().len()];
    leaves.iter().for_each(|&leaf| is_hit[leaf] = true);
    let has_data = |leaf: usize| cube.leaf(leaf).iter().any(|&number| number > 0.0);
    // For each node: how many leaves below are hit, and how many have data but are not.
    let mut below = vec![(0usize, 0usize); tree.len()];
    for (place, &leaf) in tree.leaves().iter().enumerate() {
        below[leaf as usize] =
            (usize::from(is_hit[place]), usize::from(!is_hit[place] && has_data(place)));
    }
    for &node in tree.preorder().iter().rev() {
        if let Some(parent) = tree.parent(node) {
            let (hit, other) = below[node as usize];
            below[parent as usize].0 += hit;
            below[parent as usize].1 += other;
        }
    }
    let all_hit = |node: u32| below[node as usize].0 > 0 && below[node as usize].1 == 0;
    let is_largest =
        |&node: &u32| all_hit(node) && tree.parent(node).is_none_or(|parent| !all_hit(parent));
    tree.preorder().iter().copied().filter(is_largest).collect()
}

/// Joins runs that happen at the same time, the strongest first.
fn join(mut runs: Vec<Run>, n_slices: usize) -> Vec<Disruption> {
    runs.sort_by(|a, b| {
        b.strength.total_cmp(&a.strength).then((a.leaf, a.first).cmp(&(b.leaf, b.first)))
    });
    let mut clusters: Vec<Vec<Run>> = Vec::new();
    for run in runs {
        match clusters.iter_mut().find(|cluster| belongs(&run, &cluster[0], n_slices)) {
            Some(cluster) => cluster.push(run),
            None => clusters.push(vec![run]),
        }
    }
    clusters.iter().map(|runs| disruption(runs)).collect()
}

/// Does a run belong to the disruption that a stronger one has begun?
fn belongs(run: &Run, begun: &Run, n_slices: usize) -> bool {
    let common = (run.last.min(begun.last) + 1).saturating_sub(run.first.max(begun.first));
    let is_short = LONG * begun.n_slices() <= n_slices;
    let enough = if is_short { run.n_slices() } else { run.n_slices().max(begun.n_slices()) };
    2 * common >= enough
}

fn disruption(runs: &[Run]) -> Disruption {
    let n_cells: usize = runs.iter().map(|run| run.n_odd).sum();
    let n_values = runs[0].shifts.len();
    let shift = |value: usize| Shift {
        value,
        by: runs.iter().map(|run| run.shifts[value]).sum::<f64>() / n_cells as f64,
    };
    let mut shifts: Vec<Shift> = (0..n_values).map(shift).collect();
    shifts.sort_by(|a, b| b.by.total_cmp(&a.by).then(a.value.cmp(&b.value)));
    let mut leaves: Vec<usize> = runs.iter().map(|run| run.leaf).collect();
    leaves.sort_unstable();
    leaves.dedup();
    Disruption {
        score: runs.iter().map(|run| run.strength).sum::<f64>().sqrt(),
        first: runs[0].first,
        last: runs[0].last,
        leaves,
        rises: shifts.first().copied().filter(|shift| shift.by > 0.0),
        falls: shifts.last().copied().filter(|shift| shift.by < 0.0),
        displaced: runs.iter().flat_map(|run| &run.shifts).map(|shift| shift.abs()).sum::<f64>()
            / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// Forty leaves that compute nine tenths of the time, with a little noise, and wait for the rest.
    fn calm(seed: u64) -> Cube<f64> {
        let mut dice = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut cube = Cube::new(40, 2, 50).expect("a cube");
        for leaf in 0..40 {
            for slice in 0..50 {
                set(&mut cube, leaf, slice, dice.random_range(0.88..0.92));
            }
        }
        cube
    }

    fn set(cube: &mut Cube<f64>, leaf: usize, slice: usize, share: f64) {
        cube.row_mut(leaf, 0)[slice] = share;
        cube.row_mut(leaf, 1)[slice] = 1.0 - share;
    }

    #[test]
    fn calm_runs_stay_below_the_threshold() {
        for seed in 0..20 {
            let found = disruptions(&calm(seed), &[0; 40]);
            assert!(found.iter().all(|d| d.score < DISRUPTION_THRESHOLD), "{seed}: {found:?}");
        }
    }

    #[test]
    fn scattered_leaves_at_one_time_are_one_disruption() {
        let mut cube = calm(7);
        for leaf in [3, 17, 18, 31] {
            (20..=24).for_each(|slice| set(&mut cube, leaf, slice, 0.4));
        }
        let found = disruptions(&cube, &[0; 40]);
        let first = &found[0];
        assert!(first.score > DISRUPTION_THRESHOLD);
        assert_eq!((first.first, first.last), (20, 24));
        assert_eq!(first.leaves, [3, 17, 18, 31]);
        let (rises, falls) = (first.rises.expect("a rise"), first.falls.expect("a fall"));
        assert_eq!((rises.value, falls.value), (1, 0));
        assert!((rises.by - 0.5).abs() < 0.03 && (falls.by + 0.5).abs() < 0.03, "{first:?}");
        assert!((first.displaced - 10.0).abs() < 0.5, "{first:?}");
        assert!(found[1..].iter().all(|d| d.score < DISRUPTION_THRESHOLD));
    }

    #[test]
    fn a_leaf_that_always_differs_is_disrupted_all_the_time() {
        let mut cube = calm(8);
        (0..50).for_each(|slice| set(&mut cube, 5, slice, 0.3));
        let found = disruptions(&cube, &[0; 40]);
        assert_eq!(
            (found[0].first, found[0].last, found[0].leaves.as_slice()),
            (0, 49, [5].as_slice())
        );
    }

    #[test]
    fn what_all_do_is_no_disruption() {
        let mut cube = calm(9);
        for leaf in 0..40 {
            (10..30).for_each(|slice| set(&mut cube, leaf, slice, 0.1));
        }
        assert!(disruptions(&cube, &[0; 40]).iter().all(|d| d.score < DISRUPTION_THRESHOLD));
    }

    #[test]
    fn without_peers_the_own_past_counts() {
        let mut cube = Cube::new(1, 2, 50).expect("a cube");
        (0..50).for_each(|slice| set(&mut cube, 0, slice, 0.9));
        (30..34).for_each(|slice| set(&mut cube, 0, slice, 0.2));
        let found = disruptions(&cube, &[0]);
        assert_eq!((found.len(), found[0].first, found[0].last), (1, 30, 33));
    }

    #[test]
    fn leaves_are_told_by_the_largest_nodes() {
        let tree = Tree::new(vec![0, 0, 0, 1, 1, 2, 2]).expect("a tree");
        let cube = Cube::new(4, 1, 1).map(|mut cube: Cube<f64>| {
            (0..3).for_each(|leaf| cube.row_mut(leaf, 0)[0] = 1.0);
            cube
        });
        let cube = cube.expect("a cube");
        assert_eq!(nodes_of_leaves(&tree, &cube, &[0, 1]), [1]);
        assert_eq!(nodes_of_leaves(&tree, &cube, &[0]), [3]);
        // The fourth leaf has no data: its sibling stands for both.
        assert_eq!(nodes_of_leaves(&tree, &cube, &[2]), [2]);
        assert_eq!(nodes_of_leaves(&tree, &cube, &[0, 1, 2]), [0]);
    }
}
