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
//! 6. A slice that is shorter than an iteration shows who computes at that moment, not who is slow. So all this is done again with
//!    two and with four slices at a time, if at least 20 are left. What a wider look finds counts where finer ones have found
//!    nothing of that leaf, or only fragments that are weaker together.
//! 7. The strongest run begins a disruption and gives its time. Runs of other leaves belong to it if they have at least
//!    half of the longer of the two times in common: they happen at the same time. So do runs of which half lies in the
//!    time of a disruption that lasts at most a quarter of the window: who waits for a disrupted leaf is odd too, for a
//!    part of that time. The score of a disruption is the root of the sum of `z^2` over its cells: it grows with
//!    the strength, and with the time and the leaves that are hit.
//! 8. Two disruptions are one if the time between them is no longer than the shorter of them, and if half of all leaves of
//!    both are hit by both. Where half of the peers are hit, what is usual changes sides, and the time falls apart.
//! 9. A leaf whose habit is far from 0, by 5 times the spread of the habits, is disrupted all the time; unless it does so little
//!    useful work that it has another role ([`tell_roles_apart`]).
//!
//! What is hit is told by the areas of a partition: runs are cut where areas end.
//!
//! With fewer than four peers there is nothing to compare with, and only the own past counts.

use super::area_map::AreaMap;
use super::deviations::{self, Run};
use crate::Tree;
use crate::findings::OTHER_ROLE;
use crate::robust::median;
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
    /// The odd cells, by leaf and time.
    pub hits: Vec<Hit>,
    /// The value that the leaves have more of than usual, and how much on average.
    pub rises: Option<Shift>,
    /// The value that they have less of.
    pub falls: Option<Shift>,
    /// How much is spent on other values than usual, over all cells together.
    pub displaced: f64,
}

impl Disruption {
    /// The places of the leaves that are hit, in order.
    pub fn leaves(&self) -> Vec<usize> {
        let mut leaves: Vec<usize> = self.hits.iter().map(|hit| hit.leaf).collect();
        leaves.dedup();
        leaves
    }
}

/// Odd slices of one leaf within one area of a partition.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// The place of the leaf.
    pub leaf: usize,
    /// The place of the area.
    pub area: usize,
    /// The first slice.
    pub first: usize,
    /// The last slice, which belongs to it.
    pub last: usize,
    /// How many of the slices between are odd.
    pub n_cells: f64,
    /// The sum of `z^2` over these.
    pub strength: f64,
    /// The sum of the deviations of each value over these.
    pub shifts: Vec<f64>,
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
/// the same number do the same kind of work. Hits are cut where areas end; that changes nothing else.
pub fn disruptions(cube: &Cube<f64>, peers: &[u32], areas: &AreaMap) -> Vec<Disruption> {
    let mut groups: Vec<(u32, usize)> = (0..cube.n_leaves())
        .filter(|&leaf| cube.leaf(leaf).iter().any(|&number| number > 0.0))
        .map(|leaf| (peers[leaf], leaf))
        .collect();
    groups.sort_unstable();
    let mut runs = Vec::new();
    for group in groups.chunk_by(|a, b| a.0 == b.0) {
        let leaves: Vec<usize> = group.iter().map(|&(_, leaf)| leaf).collect();
        runs.extend(deviations::runs(cube, &leaves, areas));
    }
    let mut found = join(runs, cube.n_slices());
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    found
}

/// Gives leaves that do hardly any useful work beside their peers, such as a master, a number of their own: they have
/// another role, which is no disruption, and are compared with their own past only.
pub fn tell_roles_apart(peers: &mut [u32], useful: &[f64]) {
    let mut groups: Vec<(u32, usize)> = peers.iter().copied().zip(0..).collect();
    groups.sort_unstable();
    let mut next = peers.iter().max().map_or(0, |most| most + 1);
    for group in groups.chunk_by(|a, b| a.0 == b.0) {
        let positive = group.iter().map(|(_, leaf)| useful[*leaf]).filter(|it| *it > 0.0);
        let mut positive: Vec<f64> = positive.collect();
        if positive.is_empty() {
            continue;
        }
        let least = OTHER_ROLE * median(&mut positive);
        for &(_, leaf) in group.iter().filter(|(_, leaf)| useful[*leaf] < least) {
            peers[leaf] = next;
            next += 1;
        }
    }
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
    let mut found: Vec<Disruption> = Vec::new();
    for mut one in clusters.into_iter().map(disruption) {
        // Whatever it is joined with may make it long enough for another.
        while let Some(at) = found.iter().position(|other| goes_on(&one, other)) {
            one = joined(found.remove(at), one);
        }
        found.push(one);
    }
    found
}

/// Is one disruption the other, after or before a gap?
fn goes_on(one: &Disruption, other: &Disruption) -> bool {
    let n_slices = |it: &Disruption| it.last - it.first + 1;
    let shorter = n_slices(one).min(n_slices(other));
    let (first, second) = if one.first <= other.first { (one, other) } else { (other, one) };
    if second.first > first.last + 1 + shorter {
        return false;
    }
    let (leaves, others) = (one.leaves(), other.leaves());
    let common = leaves.iter().filter(|leaf| others.binary_search(leaf).is_ok()).count();
    // At the same time other leaves may break the pattern in another way.
    second.first > first.last && 2 * common >= leaves.len() + others.len() - common
}

fn joined(one: Disruption, other: Disruption) -> Disruption {
    let (first, last) = (one.first.min(other.first), one.last.max(other.last));
    let hits = one.hits.into_iter().chain(other.hits).collect();
    Disruption { first, last, ..of_hits(hits) }
}

/// Does a run belong to the disruption that a stronger one has begun?
fn belongs(run: &Run, begun: &Run, n_slices: usize) -> bool {
    let is_short = LONG * begun.n_slices() <= n_slices;
    let is_within = 2 * run.in_common(begun) >= run.n_slices();
    run.is_about_as_long_as(begun) || is_short && is_within
}

fn disruption(runs: Vec<Run>) -> Disruption {
    let (first, last) = (runs[0].first, runs[0].last);
    Disruption { first, last, ..of_hits(runs.into_iter().flat_map(|run| run.hits).collect()) }
}

/// A disruption of these hits, which has no time of its own yet.
fn of_hits(mut hits: Vec<Hit>) -> Disruption {
    hits.sort_by_key(|hit| (hit.leaf, hit.first));
    let (rises, falls) = shifts(&hits);
    let (score, displaced) = (score(&hits), displaced(&hits));
    Disruption { score, first: 0, last: 0, rises, falls, displaced, hits }
}

/// How clearly cells stand out together.
pub fn score(hits: &[Hit]) -> f64 {
    hits.iter().map(|hit| hit.strength).sum::<f64>().sqrt()
}

/// The value that cells have more of than usual, and that they have less of.
pub fn shifts(hits: &[Hit]) -> (Option<Shift>, Option<Shift>) {
    let n_values = hits.first().map_or(0, |hit| hit.shifts.len());
    let n_cells: f64 = hits.iter().map(|hit| hit.n_cells).sum();
    let shift = |value: usize| Shift {
        value,
        by: hits.iter().map(|hit| hit.shifts[value]).sum::<f64>() / n_cells,
    };
    let mut shifts: Vec<Shift> = (0..n_values).map(shift).collect();
    shifts.sort_by(|a, b| b.by.total_cmp(&a.by).then(a.value.cmp(&b.value)));
    let rises = shifts.first().copied().filter(|shift| shift.by > 0.0);
    let falls = shifts.last().copied().filter(|shift| shift.by < 0.0);
    (rises, falls)
}

/// Half of what each leaf has more or less of each value, together.
fn displaced(hits: &[Hit]) -> f64 {
    let of_leaf = |hits: &[Hit]| -> f64 {
        let shift = |value: usize| hits.iter().map(|hit| hit.shifts[value]).sum::<f64>();
        (0..hits[0].shifts.len()).map(|value| shift(value).abs()).sum()
    };
    hits.chunk_by(|a, b| a.leaf == b.leaf).map(of_leaf).sum::<f64>() / 2.0
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

    fn found_in(cube: &Cube<f64>) -> Vec<Disruption> {
        disruptions(cube, &[0; 40], &AreaMap::whole(40, 50))
    }

    #[test]
    fn calm_runs_stay_below_the_threshold() {
        for seed in 0..20 {
            let found = found_in(&calm(seed));
            assert!(found.iter().all(|d| d.score < DISRUPTION_THRESHOLD), "{seed}: {found:?}");
        }
    }

    #[test]
    fn scattered_leaves_at_one_time_are_one_disruption() {
        let mut cube = calm(7);
        for leaf in [3, 17, 18, 31] {
            (20..=24).for_each(|slice| set(&mut cube, leaf, slice, 0.4));
        }
        let found = found_in(&cube);
        let first = &found[0];
        assert!(first.score > DISRUPTION_THRESHOLD);
        assert_eq!((first.first, first.last), (20, 24));
        assert_eq!(first.leaves(), [3, 17, 18, 31]);
        let (rises, falls) = (first.rises.expect("a rise"), first.falls.expect("a fall"));
        assert_eq!((rises.value, falls.value), (1, 0));
        assert!((rises.by - 0.5).abs() < 0.03 && (falls.by + 0.5).abs() < 0.03, "{first:?}");
        assert!((first.displaced - 10.0).abs() < 0.5, "{first:?}");
        assert!(found[1..].iter().all(|d| d.score < DISRUPTION_THRESHOLD));
    }

    #[test]
    fn a_short_gap_does_not_make_two_of_one() {
        for (gap, others, n_found) in
            [(5, [3, 17, 18, 30], 1), (6, [3, 17, 18, 30], 2), (5, [3, 17, 29, 30], 2)]
        {
            let mut cube = calm(7);
            let second = 25 + gap..=29 + gap;
            for leaf in [3, 17, 18] {
                (20..=24).for_each(|slice| set(&mut cube, leaf, slice, 0.4));
            }
            for leaf in others {
                second.clone().for_each(|slice| set(&mut cube, leaf, slice, 0.4));
            }
            let found = found_in(&cube);
            let clear: Vec<_> = found.iter().filter(|it| it.score > DISRUPTION_THRESHOLD).collect();
            assert_eq!(clear.len(), n_found, "{gap} {others:?} {clear:?}");
            if let [one] = clear[..] {
                assert_eq!((one.first, one.last, one.leaves()), (20, 34, vec![3, 17, 18, 30]));
            }
        }
    }

    #[test]
    fn areas_cut_what_is_hit_and_nothing_else() {
        let mut cube = calm(7);
        for leaf in [3, 17] {
            (20..=24).for_each(|slice| set(&mut cube, leaf, slice, 0.4));
        }
        let tree = Tree::new(vec![0; 41]).expect("a tree");
        let halves = (1..=40).flat_map(|leaf| [(leaf, 0, 21), (leaf, 22, 49)]);
        let cut = &disruptions(&cube, &[0; 40], &AreaMap::new(&tree, 50, halves))[0];
        let hits: Vec<_> = cut.hits.iter().map(|h| (h.leaf, h.area, h.first, h.last)).collect();
        assert_eq!(hits, [(3, 6, 20, 21), (3, 7, 22, 24), (17, 34, 20, 21), (17, 35, 22, 24)]);
        let whole = &found_in(&cube)[0];
        assert!((cut.score - whole.score).abs() < 1e-9 && (cut.first, cut.last) == (20, 24));
        assert!((cut.displaced - whole.displaced).abs() < 1e-9);
    }

    #[test]
    fn a_slow_leaf_is_found_in_slices_that_are_shorter_than_iterations() {
        // Every iteration takes four slices; all compute in three of them, one leaf also in the fourth, for a third of the time.
        let mut dice = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let mut cube = Cube::new(40, 2, 96).expect("a cube");
        for leaf in 0..40 {
            for slice in 0..96 {
                let is_slow = leaf == 9 && (32..64).contains(&slice);
                let share = if slice % 4 < 3 || is_slow { 0.97 } else { 0.03 };
                set(&mut cube, leaf, slice, share + dice.random_range(-0.02..0.02));
            }
        }
        let found = disruptions(&cube, &[0; 40], &AreaMap::whole(40, 96));
        assert_eq!((found[0].first, found[0].last, found[0].leaves()), (32, 63, vec![9]));
        assert!(found[0].score > DISRUPTION_THRESHOLD);
    }

    #[test]
    fn a_leaf_that_always_differs_is_disrupted_all_the_time() {
        let mut cube = calm(8);
        (0..50).for_each(|slice| set(&mut cube, 5, slice, 0.3));
        let found = found_in(&cube);
        assert_eq!((found[0].first, found[0].last, found[0].leaves()), (0, 49, vec![5]));
    }

    #[test]
    fn a_leaf_with_another_role_is_not() {
        let mut cube = calm(8);
        (0..50).for_each(|slice| set(&mut cube, 5, slice, 0.1));
        let useful: Vec<f64> = (0..40).map(|leaf| cube.row(leaf, 0).iter().sum()).collect();
        let mut peers = vec![0; 40];
        tell_roles_apart(&mut peers, &useful);
        assert_eq!(peers.iter().filter(|number| **number == 0).count(), 39);
        assert_ne!(peers[5], 0);
        let found = disruptions(&cube, &peers, &AreaMap::whole(40, 50));
        assert!(found.iter().all(|d| d.score < DISRUPTION_THRESHOLD), "{found:?}");
        // What it does differently for a while is one all the same.
        (20..26).for_each(|slice| set(&mut cube, 5, slice, 0.9));
        let found = disruptions(&cube, &peers, &AreaMap::whole(40, 50));
        assert_eq!((found[0].first, found[0].last, found[0].leaves()), (20, 25, vec![5]));
    }

    #[test]
    fn what_all_do_is_no_disruption() {
        let mut cube = calm(9);
        for leaf in 0..40 {
            (10..30).for_each(|slice| set(&mut cube, leaf, slice, 0.1));
        }
        assert!(found_in(&cube).iter().all(|d| d.score < DISRUPTION_THRESHOLD));
    }

    #[test]
    fn without_peers_the_own_past_counts() {
        let mut cube = Cube::new(1, 2, 50).expect("a cube");
        (0..50).for_each(|slice| set(&mut cube, 0, slice, 0.9));
        (30..34).for_each(|slice| set(&mut cube, 0, slice, 0.2));
        let found = disruptions(&cube, &[0], &AreaMap::whole(1, 50));
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
