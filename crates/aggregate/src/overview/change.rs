//! The change curve: how different the mix of values is from one slice to the next.

use crate::Tree;
use crate::robust::{median, spread};
use crate::slice::Cube;

/// A peak rises at least by this above the calm.
const LEAST_PEAK: f64 = 0.05;

/// A peak rises this many spreads of the calm above it.
const PEAK_SPREADS: f64 = 8.0;

/// How the mix of values of a node changes.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangeCurve {
    /// The node.
    pub node: u32,
    /// For each slice but the first: the difference from the slice before, from 0 (the same shares) to 1 (nothing in
    /// common). It is half the sum of the differences of the shares, so 0.2 means that a fifth of the time is spent on
    /// something else.
    pub changes: Vec<f64>,
    /// The places in `changes` that stand out: local maxima that lie above the calm by at least 0.05 and eight spreads. Calm is
    /// the median of the lower half of all changes, and its spread 1.4826 times their median absolute deviation from it.
    pub peaks: Vec<usize>,
}

impl ChangeCurve {
    /// The curve of a node: of all leaves below it together.
    pub fn of(tree: &Tree, cube: &Cube<f64>, node: u32) -> Self {
        let n = cube.n_slices();
        let mut sums = vec![0.0; cube.n_values() * n];
        for leaf in tree.leaf_range(node) {
            for (sum, number) in sums.iter_mut().zip(cube.leaf(leaf)) {
                *sum += number;
            }
        }
        let mix = |slice: usize| sums.chunks_exact(n).map(move |row| row[slice]);
        let changes: Vec<f64> = (1..n).map(|slice| distance(mix(slice - 1), mix(slice))).collect();
        let peaks = peaks(&changes);
        Self { node, changes, peaks }
    }
}

/// Half the sum of the differences of the shares. Nothing has no shares: it differs from nothing by 0, and from all else
/// by 1.
fn distance(a: impl Iterator<Item = f64> + Clone, b: impl Iterator<Item = f64> + Clone) -> f64 {
    let (of_a, of_b): (f64, f64) = (a.clone().sum(), b.clone().sum());
    match (of_a > 0.0, of_b > 0.0) {
        (false, false) => 0.0,
        (true, true) => a.zip(b).map(|(a, b)| (a / of_a - b / of_b).abs()).sum::<f64>() / 2.0,
        _ => 1.0,
    }
}

/// Where a curve is short, or phases are, most slices may differ from the one before: the lower half of the changes tells what
/// goes on within phases, all of them do not.
fn peaks(changes: &[f64]) -> Vec<usize> {
    let mut calm = changes.to_vec();
    calm.sort_by(f64::total_cmp);
    calm.truncate(changes.len() / 2);
    let level = median(&mut calm);
    let noise = spread(calm.iter().map(|change| change - level));
    let least = level + LEAST_PEAK.max(PEAK_SPREADS * noise);
    let is_peak = |&at: &usize| {
        let before = at.checked_sub(1).map_or(0.0, |before| changes[before]);
        let after = changes.get(at + 1).copied().unwrap_or(0.0);
        changes[at] >= least && changes[at] > before && changes[at] >= after
    };
    (0..changes.len()).filter(is_peak).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_a_peak() {
        let tree = Tree::new(vec![0, 0, 0]).expect("a tree");
        let mut cube = Cube::new(2, 2, 8).expect("a cube");
        for leaf in 0..2 {
            for slice in 0..8 {
                let share = if slice < 4 { 0.9 } else { 0.4 };
                cube.row_mut(leaf, 0)[slice] = share;
                cube.row_mut(leaf, 1)[slice] = 1.0 - share;
            }
        }
        let curve = ChangeCurve::of(&tree, &cube, 0);
        assert_eq!(curve.peaks, [3]);
        assert!((curve.changes[3] - 0.5).abs() < 1e-12);
        assert!(curve.changes.iter().enumerate().all(|(at, change)| at == 3 || *change < 1e-12));
    }

    #[test]
    fn short_curves_have_peaks_too() {
        // Five phases in ten slices: half of the slices differ from the one before.
        let changes = [0.76, 0.001, 0.1, 0.28, 0.003, 0.19, 0.009, 0.17, 0.35];
        assert_eq!(peaks(&changes), [0, 3, 5, 8]);
        assert_eq!(peaks(&[0.5]), [0]);
        assert_eq!(peaks(&[0.0, 0.5]), [1]);
    }

    #[test]
    fn what_always_changes_has_no_peaks() {
        assert_eq!(peaks(&[0.3; 12]), [0; 0]);
        assert_eq!(peaks(&[0.3, 0.5, 0.4, 0.2, 0.6, 0.3, 0.5, 0.1, 0.6, 0.2]), [0; 0]);
        assert_eq!(peaks(&[0.01, 0.02, 0.04, 0.01, 0.02]), [0; 0]);
    }

    #[test]
    fn nothing_is_far_from_something_and_equal_to_nothing() {
        let tree = Tree::new(vec![0]).expect("a tree");
        let mut cube = Cube::new(1, 1, 4).expect("a cube");
        cube.row_mut(0, 0).copy_from_slice(&[0.0, 0.0, 3.0, 7.0]);
        assert_eq!(ChangeCurve::of(&tree, &cube, 0).changes, [0.0, 1.0, 0.0]);
    }

    #[test]
    fn one_slice_has_no_change() {
        let tree = Tree::new(vec![0]).expect("a tree");
        let cube = Cube::new(1, 1, 1).expect("a cube");
        let curve = ChangeCurve::of(&tree, &cube, 0);
        assert_eq!((curve.changes.len(), curve.peaks.len()), (0, 0));
    }
}
