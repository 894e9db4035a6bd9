//! Optimal partitions of random cubes against slow computations, and what must hold for all of them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use onca_aggregate::Tree;
use onca_aggregate::overview::{
    Axis, Curve, CurveLimits, Gain, OverviewError, Partition, Problem, Tables, Watch, best_grid,
    best_product,
};
use onca_aggregate::slice::Cube;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CAP: u64 = 1 << 30;

fn dice(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A random tree in which every parent comes before its children.
fn random_tree(dice: &mut ChaCha8Rng, n_nodes: usize) -> Tree {
    let parents =
        (0..n_nodes).map(|node| if node == 0 { 0 } else { dice.random_range(0..node as u32) });
    Tree::new(parents.collect()).expect("a tree")
}

/// Random numbers with zeros, and with slices that repeat, so that there are ties.
fn random_cube(
    dice: &mut ChaCha8Rng,
    n_leaves: usize,
    n_values: usize,
    n_slices: usize,
) -> Cube<f64> {
    let mut cube = Cube::new(n_leaves, n_values, n_slices).expect("a cube");
    for leaf in 0..n_leaves {
        for value in 0..n_values {
            for slice in 0..n_slices {
                let number = match dice.random_range(0..6) {
                    0 => 0.0,
                    1 if slice > 0 => cube.row(leaf, value)[slice - 1],
                    2 => f64::from(dice.random_range(0..3)),
                    _ => dice.random(),
                };
                cube.row_mut(leaf, value)[slice] = number;
            }
        }
    }
    cube
}

fn solve(tree: &Tree, cube: &Cube<f64>, p: f64) -> Partition {
    solve_axis(tree, cube, Axis::Both, p)
}

fn solve_axis(tree: &Tree, cube: &Cube<f64>, axis: Axis, p: f64) -> Partition {
    let problem = Problem::new(tree, cube, axis, Gain::Sum).expect("a problem");
    let tables = Tables::new(&problem, CAP, Watch::default()).expect("tables");
    tables.solve(p, Watch::default()).expect("a partition")
}

#[track_caller]
fn assert_close(found: f64, expected: f64, what: &str) {
    let allowed = 1e-9 * expected.abs().max(1.0);
    assert!((found - expected).abs() <= allowed, "{what}: {found} instead of {expected}");
}

/// Gain and loss of an area, by their definition.
fn area(tree: &Tree, cube: &Cube<f64>, node: u32, first: usize, last: usize) -> (f64, f64) {
    let f = |x: f64| if x > 0.0 { x * x.log2() } else { 0.0 };
    let leaves = tree.leaf_range(node);
    let n = (leaves.len() * (last + 1 - first)) as f64;
    let (mut gain, mut loss) = (0.0, 0.0);
    for value in 0..cube.n_values() {
        let cells = leaves.clone().flat_map(|leaf| cube.row(leaf, value)[first..=last].iter());
        let sum: f64 = cells.clone().sum();
        let information: f64 = cells.map(|&number| f(number)).sum();
        gain += f(sum) - information;
        loss += information - f(sum) + sum * n.log2();
    }
    (gain, loss)
}

/// Gain, loss and number of areas of every partition of a node in an interval; some come twice.
fn all_partitions(
    tree: &Tree,
    cube: &Cube<f64>,
    node: u32,
    first: usize,
    last: usize,
) -> Vec<(f64, f64, usize)> {
    let mut all = Vec::new();
    for cut in first..=last {
        let (gain, loss) = area(tree, cube, node, first, cut);
        let mut uncut = vec![(gain, loss, 1)];
        let children = tree.children(node).iter();
        let parts = children.map(|&child| all_partitions(tree, cube, child, first, cut));
        uncut.extend(parts.reduce(|a, b| combined(&a, &b)).unwrap_or_default());
        match cut == last {
            true => all.extend(uncut),
            false => all.extend(combined(&uncut, &all_partitions(tree, cube, node, cut + 1, last))),
        }
    }
    all
}

fn combined(a: &[(f64, f64, usize)], b: &[(f64, f64, usize)]) -> Vec<(f64, f64, usize)> {
    let mut all = Vec::with_capacity(a.len() * b.len());
    for x in a {
        all.extend(b.iter().map(|y| (x.0 + y.0, x.1 + y.1, x.2 + y.2)));
    }
    all
}

/// The best of all partitions by value, then gain, then loss, then number of areas.
fn best(all: &[(f64, f64, usize)], p: f64) -> (f64, f64, usize) {
    let value = |part: &(f64, f64, usize)| p * part.0 - (1.0 - p) * part.1;
    let scale = all.iter().map(|part| part.0 + part.1).fold(1.0, f64::max);
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-10 * scale;
    let highest = all.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
    let mut left: Vec<_> = all.iter().copied().filter(|part| near(value(part), highest)).collect();
    let gain = left.iter().map(|part| part.0).fold(f64::NEG_INFINITY, f64::max);
    left.retain(|part| near(part.0, gain));
    let loss = left.iter().map(|part| part.1).fold(f64::INFINITY, f64::min);
    left.retain(|part| near(part.1, loss));
    left.into_iter().min_by_key(|part| part.2).expect("a partition")
}

#[test]
fn exhaustive_search_on_tiny_inputs() {
    let mut dice = dice(1);
    for round in 0..120 {
        let (n_nodes, n_slices) = [(1, 6), (3, 4), (4, 3), (5, 3), (6, 2), (7, 2)][round % 6];
        let tree = random_tree(&mut dice, n_nodes);
        let cube = random_cube(&mut dice, tree.leaves().len(), 1 + round % 3, n_slices);
        let all = all_partitions(&tree, &cube, tree.root(), 0, n_slices - 1);
        for p in [0.0, 0.05, 0.2, 0.5, 0.9, 1.0, dice.random()] {
            let found = solve(&tree, &cube, p);
            let (gain, loss, n_areas) = best(&all, p);
            let what = format!("round {round}, p {p}, {tree:?} {cube:?}");
            assert_close(found.value(), p * gain - (1.0 - p) * loss, &what);
            assert_close(found.gain, gain, &what);
            assert_close(found.loss, loss, &what);
            assert_eq!(found.areas.len(), n_areas, "{what}");
        }
    }
}

/// The best value by the algorithm of the paper: cuts of any two parts, without tables or vectors.
fn slow_value(tree: &Tree, cube: &Cube<f64>, p: f64) -> f64 {
    let n = cube.n_slices();
    let mut best = vec![vec![vec![0.0; n]; n]; tree.len()];
    for &node in tree.preorder().iter().rev() {
        for first in (0..n).rev() {
            for last in first..n {
                let (gain, loss) = area(tree, cube, node, first, last);
                let mut value = p * gain - (1.0 - p) * loss;
                if !tree.is_leaf(node) {
                    let children = tree.children(node).iter();
                    value = children
                        .map(|&child| best[child as usize][first][last])
                        .sum::<f64>()
                        .max(value);
                }
                for cut in first..last {
                    value = value
                        .max(best[node as usize][first][cut] + best[node as usize][cut + 1][last]);
                }
                best[node as usize][first][last] = value;
            }
        }
    }
    best[tree.root() as usize][0][n - 1]
}

/// Every leaf is in one area at every time; gain and loss are those of the areas.
fn check_areas(tree: &Tree, cube: &Cube<f64>, found: &Partition) {
    let n = cube.n_slices();
    let mut covered = vec![0; cube.n_leaves() * n];
    let (mut gain, mut loss) = (0.0, 0.0);
    for part in &found.areas {
        for leaf in tree.leaf_range(part.node) {
            (part.first..=part.last).for_each(|slice| covered[leaf * n + slice] += 1);
        }
        let measures = area(tree, cube, part.node, part.first, part.last);
        gain += measures.0;
        loss += measures.1;
    }
    assert!(covered.iter().all(|&times| times == 1), "{found:?}");
    assert_close(found.gain, gain, "gain");
    assert_close(found.loss, loss, "loss");
}

#[test]
fn the_algorithm_of_the_paper_on_larger_inputs() {
    let mut dice = dice(2);
    for round in 0..40 {
        let n_nodes = dice.random_range(1..40);
        let tree = random_tree(&mut dice, n_nodes);
        let (n_values, n_slices) = (dice.random_range(1..4), dice.random_range(1..14));
        let cube = random_cube(&mut dice, tree.leaves().len(), n_values, n_slices);
        for p in [0.0, 0.01, 0.1, 1.0, dice.random_range(0.0..0.3)] {
            let found = solve(&tree, &cube, p);
            assert_close(
                found.value(),
                slow_value(&tree, &cube, p),
                &format!("round {round} p {p}"),
            );
            check_areas(&tree, &cube, &found);
        }
    }
}

/// Leaves in machines of nine, in two clusters: several batches and segments.
fn machines(dice: &mut ChaCha8Rng, n_leaves: usize, n_slices: usize) -> (Tree, Cube<f64>) {
    let n_machines = n_leaves.div_ceil(9);
    let mut parents = vec![0u32, 0, 0];
    parents.extend((0..n_machines).map(|machine| 1 + machine as u32 % 2));
    parents.extend((0..n_leaves).map(|leaf| (3 + leaf / 9) as u32));
    let tree = Tree::new(parents).expect("a tree");
    let cube = random_cube(dice, n_leaves, 3, n_slices);
    (tree, cube)
}

#[test]
fn gain_and_loss_grow_with_p_and_the_value_is_convex() {
    let (tree, cube) = machines(&mut dice(3), 100, 12);
    let problem = Problem::new(&tree, &cube, Axis::Both, Gain::Sum).expect("a problem");
    let tables = Tables::new(&problem, CAP, Watch::default()).expect("tables");
    let steps: Vec<Partition> = (0..=40)
        .map(|step| tables.solve(f64::from(step) / 40.0, Watch::default()).expect("a partition"))
        .collect();
    for pair in steps.windows(2) {
        assert!(pair[0].gain <= pair[1].gain + 1e-9 && pair[0].loss <= pair[1].loss + 1e-9);
    }
    for three in steps.windows(3) {
        let middle = (three[0].value() + three[2].value()) / 2.0;
        assert!(three[1].value() <= middle + 1e-9);
    }
    let (gain, loss) = tables.whole();
    assert_close(steps[40].value(), gain, "p = 1");
    assert!(steps[40].loss <= loss + 1e-9);
    assert_eq!(steps[0].loss, 0.0, "p = 0");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (tree, cube) = machines(&mut dice(4), 333, 17);
    let answers = [1, 2, 5].map(|n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads");
        pool.install(|| [0.0, 0.02, 0.3].map(|p| solve(&tree, &cube, p)))
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

#[test]
fn scale_does_not_matter() {
    let (tree, cube) = machines(&mut dice(5), 60, 10);
    let scaled = |factor: f64| {
        let mut scaled = cube.clone();
        (0..60)
            .for_each(|leaf| scaled.leaf_mut(leaf).iter_mut().for_each(|number| *number *= factor));
        scaled
    };
    let places = |found: &Partition| {
        found.areas.iter().map(|area| (area.node, area.first, area.last)).collect::<Vec<_>>()
    };
    for p in [0.0, 0.03, 0.2] {
        let plain = solve(&tree, &cube, p);
        for factor in [1e-6, 3.7, 1e9] {
            let found = solve(&tree, &scaled(factor), p);
            assert_eq!(places(&found), places(&plain), "{p} {factor}");
            assert!((found.gain - factor * plain.gain).abs() <= 1e-9 * found.gain);
        }
    }
}

#[test]
fn reversed_time_and_other_orders_of_siblings_have_the_same_value() {
    let (tree, cube) = machines(&mut dice(6), 60, 11);
    let mut reversed = cube.clone();
    for leaf in 0..60 {
        reversed.leaf_mut(leaf).chunks_exact_mut(11).for_each(<[f64]>::reverse);
    }
    // The same leaves below the same machines, in the opposite order.
    let mut permuted = cube.clone();
    for machine in (0..60).collect::<Vec<usize>>().chunks(9) {
        for (&leaf, &other) in machine.iter().zip(machine.iter().rev()) {
            let place = |leaf: usize| {
                let node = (3 + 60usize.div_ceil(9) + leaf) as u32;
                tree.leaves().iter().position(|&leaf| leaf == node).expect("a leaf")
            };
            permuted.leaf_mut(place(leaf)).copy_from_slice(cube.leaf(place(other)));
        }
    }
    for p in [0.01, 0.1, 0.4] {
        let plain = solve(&tree, &cube, p);
        for other in [&reversed, &permuted] {
            let found = solve(&tree, other, p);
            assert_close(found.value(), plain.value(), "value");
            assert_close(found.gain, plain.gain, "gain");
            assert_eq!(found.areas.len(), plain.areas.len());
        }
    }
}

#[test]
fn one_axis_only() {
    let (tree, cube) = machines(&mut dice(7), 40, 9);
    let mut summed = Cube::new(40, 3, 1).expect("a cube");
    let mut series = Cube::new(1, 3, 9).expect("a cube");
    for leaf in 0..40 {
        for value in 0..3 {
            summed.row_mut(leaf, value)[0] = cube.row(leaf, value).iter().sum();
            for slice in 0..9 {
                series.row_mut(0, value)[slice] += cube.row(leaf, value)[slice];
            }
        }
    }
    let root = Tree::new(vec![0]).expect("a tree");
    for p in [0.0, 0.05, 0.5] {
        let space = solve_axis(&tree, &cube, Axis::Space, p);
        assert_close(space.value(), slow_value(&tree, &summed, p), "space");
        let time = solve_axis(&tree, &cube, Axis::Time, p);
        assert_close(time.value(), slow_value(&root, &series, p), "time");
        // Each leaf for itself: the best common cuts, by trying all of them.
        let each = solve_axis(&tree, &cube, Axis::TimeOfEach, p);
        let value_of = |first: usize, last: usize| {
            let leaves = tree.leaves().iter().map(|&leaf| area(&tree, &cube, leaf, first, last));
            leaves.map(|(gain, loss)| p * gain - (1.0 - p) * loss).sum::<f64>()
        };
        let value_of_cuts = |cuts: u32| {
            let mut first = 0;
            let mut value = 0.0;
            for last in 0..9 {
                if last == 8 || cuts >> last & 1 == 1 {
                    value += value_of(first, last);
                    first = last + 1;
                }
            }
            value
        };
        let expected = (0..1 << 8).map(value_of_cuts).fold(f64::NEG_INFINITY, f64::max);
        assert_close(each.value(), expected, "time of each");
    }
}

#[test]
fn a_curve_that_stops_early_keeps_its_bound() {
    let (tree, cube) = machines(&mut dice(8), 50, 10);
    let problem = Problem::new(&tree, &cube, Axis::Both, Gain::Sum).expect("a problem");
    let tables = Tables::new(&problem, CAP, Watch::default()).expect("tables");
    for solves in [3, 8, 20] {
        let limits = CurveLimits { bound: 0.0, solves };
        let curve = Curve::search(&tables, limits, Watch::default()).expect("a curve");
        assert_eq!(curve.solves, solves);
        let value = |p: f64| {
            let lines = curve.segments.iter().map(|s| p * s.gain - (1.0 - p) * s.loss);
            lines.fold(f64::NEG_INFINITY, f64::max)
        };
        for step in 0..=100 {
            let p = (f64::from(step) / 100.0).powi(3);
            let best = tables.solve(p, Watch::default()).expect("a partition").value();
            let missed = best - value(p);
            assert!(
                missed >= -1e-9 && missed <= curve.bound * tables.scale() + 1e-9,
                "{solves} {p}"
            );
        }
    }
}

/// However early a search stops, the trade-offs that it lists give exactly the partitions that it lists.
#[test]
fn listed_trade_offs_give_the_listed_partitions() {
    for seed in 20..30 {
        let (tree, cube) = machines(&mut dice(seed), 30, 8);
        let problem = Problem::new(&tree, &cube, Axis::Both, Gain::Sum).expect("a problem");
        let tables = Tables::new(&problem, CAP, Watch::default()).expect("tables");
        for limits in [CurveLimits { bound: 1e-2, solves: 9 }, CurveLimits::DRAFT] {
            let curve = Curve::search(&tables, limits, Watch::default()).expect("a curve");
            for segment in &curve.segments {
                let found = tables.solve(segment.p, Watch::default()).expect("a partition");
                assert!(segment.from <= segment.p && segment.p <= segment.to, "{segment:?}");
                assert_eq!(
                    (found.gain, found.loss, found.areas.len()),
                    (segment.gain, segment.loss, segment.n_areas)
                );
            }
        }
    }
}

#[test]
fn memory_is_planned_and_tight_memory_gives_the_same() {
    let (tree, cube) = machines(&mut dice(9), 200, 40);
    let problem = Problem::new(&tree, &cube, Axis::Both, Gain::Sum).expect("a problem");
    let of = |cap: u64| Tables::new(&problem, cap, Watch::default());
    let refused = of(1 << 18).err().expect("too little memory");
    let OverviewError::Memory { needed, cap, slices_that_fit } = refused else {
        panic!("{refused}")
    };
    assert!(needed > cap && slices_that_fit < 40);
    assert!(refused.to_string().contains("higher level"));
    // Exactly what is needed: the losses of leaves are computed again for every p.
    let tight = of(needed).expect("just enough memory").solve(0.05, Watch::default());
    let ample = of(CAP).expect("enough memory").solve(0.05, Watch::default());
    assert_eq!(tight, ample);
}

#[test]
fn work_can_be_watched_and_stopped() {
    let (tree, cube) = machines(&mut dice(10), 300, 20);
    let problem = Problem::new(&tree, &cube, Axis::Both, Gain::Sum).expect("a problem");
    let stop = AtomicBool::new(false);
    let tables = Tables::new(&problem, CAP, Watch::default()).expect("tables");
    let progress = |done: u64, total: u64| {
        assert!(done <= total);
        stop.store(done >= 2, Ordering::Relaxed);
    };
    let watch = Watch { stop: Some(&stop), progress: Some(&progress) };
    assert_eq!(tables.solve(0.1, watch), Err(OverviewError::Cancelled));
}

#[test]
fn what_cannot_be_aggregated_is_refused() {
    let tree = Tree::new(vec![0, 0, 0]).expect("a tree");
    let mut cube = Cube::new(2, 1, 3).expect("a cube");
    let refused = |cube: &Cube<f64>| Problem::new(&tree, cube, Axis::Both, Gain::Sum).err();
    assert_eq!(refused(&cube), None);
    for number in [-1.0, f64::INFINITY] {
        cube.row_mut(1, 0)[2] = number;
        let expected = OverviewError::Number { leaf: 1, value: 0, slice: 2, number };
        assert_eq!(refused(&cube), Some(expected));
    }
    cube.row_mut(1, 0)[2] = f64::NAN;
    assert!(matches!(refused(&cube), Some(OverviewError::Number { .. })));
    let other = Cube::new(3, 1, 3).expect("a cube");
    assert_eq!(refused(&other), Some(OverviewError::Leaves { tree: 2, cube: 3 }));
    assert_eq!(refused(&Cube::new(2, 1, 0).expect("a cube")), Some(OverviewError::NoSlices));
    let plain = Cube::new(2, 1, 3).expect("a cube");
    let problem = Problem::new(&tree, &plain, Axis::Both, Gain::Sum).expect("a problem");
    let tables = Tables::new(&problem, CAP, Watch::default()).expect("tables");
    assert_eq!(tables.solve(1.5, Watch::default()), Err(OverviewError::P(1.5)));
}

#[test]
fn overviews_begin_where_half_of_the_neighbours_are_joined() {
    let mut n_below = 0;
    for seed in 0..60 {
        let mut dice = dice(seed);
        let (n_nodes, n_slices) = (dice.random_range(1..12), dice.random_range(1..7));
        let tree = random_tree(&mut dice, n_nodes);
        let n_leaves = tree.leaves().len();
        let mut cube = random_cube(&mut dice, n_leaves, 2, n_slices);
        if seed % 2 == 0 {
            // Neighbours that hardly differ, and one leaf that does.
            for leaf in 1..n_leaves {
                cube.leaf_mut(leaf).iter_mut().for_each(|number| *number = 1.0 + *number / 50.0);
            }
        }
        let problem = Problem::new(&tree, &cube, Axis::Both, Gain::Sum).expect("a problem");
        let tables = Tables::new(&problem, CAP, Watch::default()).expect("tables");
        // Two cells alone, in a tree of their own: from which trade-off on are they better as one?
        let joined_from = |cells: [(usize, usize); 2]| {
            let pair = Tree::new(vec![0, 0, 0]).expect("a tree");
            let mut two = Cube::new(2, 2, 1).expect("a cube");
            for (at, (leaf, slice)) in cells.into_iter().enumerate() {
                for value in 0..2 {
                    two.row_mut(at, value)[0] = cube.row(leaf, value)[slice];
                }
            }
            let (gain, loss) = area(&pair, &two, 0, 0, 0);
            (gain + loss > 0.0).then(|| loss / (gain + loss))
        };
        let median = |mut numbers: Vec<f64>| {
            numbers.sort_by(f64::total_cmp);
            numbers.get(numbers.len() / 2).copied()
        };
        let mut in_time = Vec::new();
        let mut in_space = Vec::new();
        for leaf in 0..n_leaves {
            for slice in 0..n_slices {
                if slice > 0 {
                    in_time.extend(joined_from([(leaf, slice - 1), (leaf, slice)]));
                }
                // Chains of single children are one node, so that cousins may be siblings.
                let top = |leaf: usize| {
                    let mut node = tree.leaves()[leaf];
                    while let Some(parent) = tree.parent(node) {
                        if tree.children(parent).len() > 1 {
                            return Some(parent);
                        }
                        node = parent;
                    }
                    None
                };
                if leaf > 0 && top(leaf) == top(leaf - 1) {
                    in_space.extend(joined_from([(leaf - 1, slice), (leaf, slice)]));
                }
            }
        }
        let (gain, loss) = tables.whole();
        let balanced = if loss > 0.0 { loss / (loss + 2.0 * gain) } else { 0.0 };
        let medians = median(in_time).into_iter().chain(median(in_space));
        let expected = medians.fold(balanced, f64::min);
        n_below += usize::from(expected < balanced);
        assert_close(tables.start_p(), expected, &format!("seed {seed}"));
    }
    assert!(n_below > 10, "{n_below}");
}

/// What a partition loses, by the definition of the loss.
fn loss_of(tree: &Tree, cube: &Cube<f64>, partition: &Partition) -> f64 {
    let areas = partition.areas.iter();
    areas.map(|one| area(tree, cube, one.node, one.first, one.last).1).sum()
}

/// The nodes and the begins of the intervals of a partition in which every node has every interval.
fn factors(partition: &Partition) -> (BTreeSet<u32>, BTreeSet<usize>) {
    let nodes: BTreeSet<u32> = partition.areas.iter().map(|area| area.node).collect();
    let starts: BTreeSet<usize> = partition.areas.iter().map(|area| area.first).collect();
    assert_eq!(partition.areas.len(), nodes.len() * starts.len(), "{partition:?}");
    (nodes, starts)
}

fn assert_covers_once(tree: &Tree, cube: &Cube<f64>, partition: &Partition) {
    let mut covered = vec![0; cube.n_leaves() * cube.n_slices()];
    for area in &partition.areas {
        for leaf in tree.leaf_range(area.node) {
            (area.first..=area.last).for_each(|slice| covered[leaf * cube.n_slices() + slice] += 1);
        }
    }
    assert!(covered.iter().all(|&times| times == 1), "{partition:?}");
}

/// The smallest loss of all grids with at most `most` areas, each measured by the definition.
fn slow_grid(tree: &Tree, cube: &Cube<f64>, most: usize) -> f64 {
    let n = cube.n_slices();
    let mut smallest = f64::INFINITY;
    for depth in 0..=tree.height() {
        let nodes = tree.level_cut(depth);
        for n_intervals in (1..=n).filter(|&n_intervals| nodes.len() * n_intervals <= most) {
            let bound = |at: usize| at * n / n_intervals;
            let loss = |&node: &u32| {
                let intervals = (0..n_intervals).map(|at| (bound(at), bound(at + 1) - 1));
                intervals.map(|(first, last)| area(tree, cube, node, first, last).1).sum::<f64>()
            };
            smallest = smallest.min(nodes.iter().map(loss).sum());
        }
    }
    smallest
}

#[test]
fn simpler_partitions_have_no_more_areas_and_are_no_better_than_the_optimum() {
    let mut dice = dice(26);
    let mut n_worse = [0, 0];
    for round in 0..60 {
        let (n_nodes, n_slices) = (2 + round % 14, 1 + round % 9);
        let tree = random_tree(&mut dice, n_nodes);
        let cube = random_cube(&mut dice, tree.leaves().len(), 1 + round % 3, n_slices);
        for p in [0.02, 0.2, 0.6] {
            let optimum = solve(&tree, &cube, p);
            let most = optimum.areas.len();
            let grid = best_grid(&tree, &cube, Gain::Sum, p, most);
            let product =
                best_product(&tree, &cube, Gain::Sum, p, most, CAP, Watch::default()).expect("one");
            for (at, simpler) in [&grid, &product].into_iter().enumerate() {
                let what = format!("round {round}, p {p}, {at}: {simpler:?}");
                factors(simpler);
                assert_covers_once(&tree, &cube, simpler);
                assert!(simpler.areas.len() <= most, "{what}");
                assert_close(simpler.loss, loss_of(&tree, &cube, simpler), &what);
                let (gain, loss) = simpler.areas.iter().fold((0.0, 0.0), |sums, one| {
                    let (gain, loss) = area(&tree, &cube, one.node, one.first, one.last);
                    (sums.0 + gain, sums.1 + loss)
                });
                assert_close(simpler.gain, gain, &what);
                assert!(
                    simpler.value() <= optimum.value() + 1e-9 * (gain + loss).max(1.0),
                    "{what}"
                );
                n_worse[at] += usize::from(simpler.loss > optimum.loss + 1e-9);
            }
            assert_close(grid.loss, slow_grid(&tree, &cube, most), "the best grid");
        }
    }
    assert!(n_worse.iter().all(|&n| n > 30), "{n_worse:?}");
}

/// Two machines that change at one time each: one cut of space and two of time are all that is needed.
#[test]
fn a_product_finds_what_lies_in_rows_and_columns() {
    let tree = Tree::new(vec![0, 0, 0, 1, 1, 2, 2]).expect("a tree");
    let mut cube = Cube::new(4, 1, 10).expect("a cube");
    for leaf in 0..4 {
        for slice in 0..10 {
            cube.row_mut(leaf, 0)[slice] = match (leaf < 2, slice < 3) {
                (true, true) => 1.0,
                (true, false) => 4.0,
                (false, true) => 9.0,
                (false, false) => 2.0,
            };
        }
    }
    let product = best_product(&tree, &cube, Gain::Sum, 0.1, 4, CAP, Watch::default());
    let product = product.expect("a product");
    assert_eq!(factors(&product), (BTreeSet::from([1, 2]), BTreeSet::from([0, 3])));
    assert_close(product.loss, 0.0, "nothing is hidden");
    // A grid cannot be cut after three of ten slices with four areas.
    let grid = best_grid(&tree, &cube, Gain::Sum, 0.1, 4);
    assert_eq!(factors(&grid), (BTreeSet::from([1, 2]), BTreeSet::from([0, 5])));
    assert!(grid.loss > 1.0, "{grid:?}");
}
