//! Random partitions of random trees, drawn with rows of any height, against a plain list of cells.

use onca_aggregate::overview::Look;
use onca_aggregate::slice::Cube;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

const N_VALUES: usize = 3;

/// A tree with amounts and a partition.
struct Example {
    tree: Tree,
    cells: Cube<f64>,
    areas: Vec<AreaRow>,
    rows: Rows,
    n_slices: usize,
}

impl Example {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let n = rng.random_range(1..40u32);
        let parents = (0..n).map(|node| if node == 0 { 0 } else { rng.random_range(0..node) });
        let tree = Tree::new(parents.collect()).expect("a tree");
        let n_slices = rng.random_range(1..12);
        let n_leaves = tree.leaves().len();
        let mut cells = Cube::new(n_leaves, N_VALUES, n_slices).expect("a cube");
        let mut have_any = Vec::new();
        for leaf in 0..n_leaves {
            let has_any = rng.random_range(0..4) > 0;
            have_any.push(has_any);
            if has_any {
                cells.leaf_mut(leaf).iter_mut().for_each(|cell| *cell = rng.random_range(0.1..1.0));
            }
        }
        let areas = partition(rng, &tree, &cells, n_slices);
        Self { rows: Rows::of_leaves(have_any.into_iter()), tree, cells, areas, n_slices }
    }

    /// For each leaf and slice the number of its area.
    fn areas_of_cells(&self) -> Vec<Vec<usize>> {
        let mut cells = vec![vec![usize::MAX; self.n_slices]; self.tree.leaves().len()];
        for (number, area) in self.areas.iter().enumerate() {
            for leaf in self.tree.leaf_range(area.node) {
                for cell in &mut cells[leaf][area.first..=area.last] {
                    assert_eq!(*cell, usize::MAX);
                    *cell = number;
                }
            }
        }
        cells
    }

    /// The leaf of each row.
    fn leaf_of_row(&self) -> Vec<usize> {
        let leaves = 0..self.tree.leaves().len();
        leaves.filter(|&leaf| !self.rows.of(&(leaf..leaf + 1)).is_empty()).collect()
    }
}

/// A random partition: each block stays whole, is cut in time, or goes to the children.
fn partition(rng: &mut impl Rng, tree: &Tree, cells: &Cube<f64>, n_slices: usize) -> Vec<AreaRow> {
    let mut areas = Vec::new();
    let mut waiting = vec![(tree.root(), 0, n_slices - 1)];
    while let Some((node, first, last)) = waiting.pop() {
        match rng.random_range(0..4) {
            0 if first < last => {
                let cut = rng.random_range(first..last);
                waiting.extend([(node, first, cut), (node, cut + 1, last)]);
            }
            1 | 2 if !tree.is_leaf(node) => {
                waiting.extend(tree.children(node).iter().map(|&child| (child, first, last)));
            }
            _ => areas.push(AreaRow {
                node,
                first,
                last,
                n_leaves: tree.n_leaves(node),
                gain: 1.0,
                loss: 2.0,
                look: Look::of(tree, cells, node, first, last),
            }),
        }
    }
    let place = |node: u32| tree.preorder().iter().position(|&other| other == node);
    areas.sort_by_key(|area| (place(area.node), area.first));
    areas
}

#[test]
fn every_cell_is_drawn_once_and_with_its_amounts() {
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    for _ in 0..400 {
        let example = Example::random(&mut rng);
        let leaf_of_row = example.leaf_of_row();
        for row_height in [0.1, 1.0, 2.0, 40.0] {
            let areas = Areas::new(&example.tree, &example.areas, &example.rows);
            let shown = areas.shown(example.n_slices, row_height, 3.0);
            let mut n_drawn = vec![vec![0; example.n_slices]; example.rows.n()];
            for area in &shown {
                let mut sums = [0.0; N_VALUES];
                for row in area.rows.clone() {
                    let slices = area.first..=area.last;
                    n_drawn[row][slices.clone()].iter_mut().for_each(|n| *n += 1);
                    for slice in slices {
                        for (value, sum) in sums.iter_mut().enumerate() {
                            *sum += example.cells.row(leaf_of_row[row], value)[slice];
                        }
                    }
                }
                let n_cells = (area.rows.len() * area.n_slices()) as f64;
                for (mean, sum) in area.means.iter().zip(sums) {
                    assert!((mean - sum / n_cells).abs() < 1e-9, "{area:?}: {sums:?}");
                }
            }
            assert!(n_drawn.iter().flatten().all(|n| *n == 1), "{n_drawn:?}");
        }
    }
}

#[test]
fn marks_tell_whether_rows_are_alike_in_time() {
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let mut seen = [0; 3];
    for _ in 0..400 {
        let example = Example::random(&mut rng);
        let (cells, leaf_of_row) = (example.areas_of_cells(), example.leaf_of_row());
        let areas = Areas::new(&example.tree, &example.areas, &example.rows);
        for area in areas.shown(example.n_slices, 0.7, 3.0) {
            let numbers = |row: usize| &cells[leaf_of_row[row]][area.first..=area.last];
            let is_cut = |row: usize, at: usize| numbers(row)[at] != numbers(row)[at - 1];
            let all = area.rows.clone().flat_map(|row| numbers(row).iter());
            let mut different: Vec<usize> = all.copied().collect();
            different.sort_unstable();
            different.dedup();
            assert_eq!(area.n_areas, different.len());
            let cut_inside =
                (1..area.n_slices()).any(|at| area.rows.clone().any(|row| is_cut(row, at)));
            let expected = match (different.len(), cut_inside) {
                (1, _) => Pattern::Plain,
                (_, false) => Pattern::Diagonal,
                (_, true) => Pattern::Cross,
            };
            assert_eq!(area.mark, expected);
            // Where all rows are cut, the picture is.
            let common =
                (1..area.n_slices()).any(|at| area.rows.clone().all(|row| is_cut(row, at)));
            assert!(!common, "{area:?}");
            seen[different.len().min(2) + usize::from(cut_inside) - 1] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > 100), "{seen:?}");
}

#[test]
fn rows_that_are_high_enough_show_the_partition_itself() {
    let mut rng = ChaCha8Rng::seed_from_u64(23);
    for _ in 0..200 {
        let example = Example::random(&mut rng);
        let areas = Areas::new(&example.tree, &example.areas, &example.rows);
        let shown = areas.shown(example.n_slices, 3.0, 3.0);
        let has_rows =
            |area: &&AreaRow| !example.rows.of(&example.tree.leaf_range(area.node)).is_empty();
        assert_eq!(shown.len(), example.areas.iter().filter(has_rows).count());
        assert!(shown.iter().all(|area| area.mark == Pattern::Plain && area.n_areas == 1));
    }
}

#[test]
fn the_picture_bounds_how_much_is_drawn() {
    // 10,000 leaves below one node, each an area of its own, in 400 pixels.
    let n = 10_000u32;
    let tree = Tree::new((0..=n).map(|_| 0).collect()).expect("a tree");
    let mut cells = Cube::new(n as usize, 1, 1).expect("a cube");
    (0..n as usize).for_each(|leaf| cells.row_mut(leaf, 0)[0] = 0.5);
    let look = |node| Look::of(&tree, &cells, node, 0, 0);
    let area = |node| AreaRow {
        node,
        first: 0,
        last: 0,
        n_leaves: 1,
        gain: 0.0,
        loss: 0.0,
        look: look(node),
    };
    let list: Vec<AreaRow> = tree.leaves().iter().map(|&leaf| area(leaf)).collect();
    let rows = Rows::of_leaves((0..n).map(|_| true));
    let shown = Areas::new(&tree, &list, &rows).shown(1, 400.0 / f64::from(n), 3.0);
    assert!(shown.len() <= 400 / 3, "{}", shown.len());
    assert_eq!(shown.iter().map(|area| area.n_areas).sum::<usize>(), n as usize);
}
