//! Trees, folds, expressions and efficiencies against slow and obvious versions, on random input.

use onca_aggregate::efficiency::{GroupTime, ProcessTime, group_times};
use onca_aggregate::fold::{
    Count, Describe, Expression, Max, Mean, Min, Std, Sum, Summary, WeightedMean, fold_tree,
};
use onca_aggregate::tree::TreeError;
use onca_aggregate::{Number, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ROUNDS: u64 = 300;

/// The parents of a random tree whose nodes are numbered in no order.
fn random_parents(rng: &mut ChaCha8Rng) -> Vec<u32> {
    let n = rng.random_range(1..40usize);
    let mut numbers: Vec<u32> = (0..n as u32).collect();
    for at in (1..n).rev() {
        numbers.swap(at, rng.random_range(0..=at));
    }
    let mut parents = vec![0; n];
    parents[numbers[0] as usize] = numbers[0];
    // Some trees are bushes, some are nearly chains.
    let reach = rng.random_range(1..=n);
    for at in 1..n {
        let parent = rng.random_range(at.saturating_sub(reach)..at);
        parents[numbers[at] as usize] = numbers[parent];
    }
    parents
}

/// The nodes from a node up to the root.
fn ancestors(parents: &[u32], mut node: u32) -> Vec<u32> {
    let mut path = vec![node];
    while parents[node as usize] != node {
        node = parents[node as usize];
        path.push(node);
    }
    path
}

fn rounds(mut check: impl FnMut(&mut ChaCha8Rng, Vec<u32>)) {
    for seed in 0..ROUNDS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let parents = random_parents(&mut rng);
        check(&mut rng, parents);
    }
}

#[test]
fn trees_agree_with_their_parents() {
    rounds(|rng, parents| {
        let tree = Tree::new(parents.clone()).expect("a tree");
        let nodes = 0..parents.len() as u32;
        let children = |of: u32| -> Vec<u32> {
            nodes.clone().filter(|&k| k != of && parents[k as usize] == of).collect()
        };
        assert_eq!(tree.preorder().len(), parents.len());
        for node in nodes.clone() {
            assert_eq!(tree.children(node), children(node));
            assert_eq!(tree.depth(node) as usize, ancestors(&parents, node).len() - 1);
            let mut below = tree.subtree(node).to_vec();
            assert_eq!(below[0], node);
            below.sort_unstable();
            let under = |&k: &u32| ancestors(&parents, k).contains(&node);
            assert_eq!(below, nodes.clone().filter(under).collect::<Vec<_>>());
            let mut leaves = tree.leaves()[tree.leaf_range(node)].to_vec();
            leaves.sort_unstable();
            let leaf_under = |k: &u32| under(k) && children(*k).is_empty();
            assert_eq!(leaves, nodes.clone().filter(leaf_under).collect::<Vec<_>>());
        }
        let cut = tree.level_cut(rng.random_range(0..6));
        for &leaf in tree.leaves() {
            let path = ancestors(&parents, leaf);
            assert_eq!(cut.iter().filter(|node| path.contains(node)).count(), 1);
        }
    });
}

#[test]
fn a_broken_list_of_parents_is_refused() {
    rounds(|rng, mut parents| {
        let node = rng.random_range(0..parents.len()) as u32;
        let below = Tree::new(parents.clone()).expect("a tree").subtree(node).to_vec();
        let root = (0..parents.len() as u32).find(|&k| parents[k as usize] == k).expect("a root");
        let wrong = below[rng.random_range(0..below.len())];
        parents[node as usize] = wrong;
        // A node under itself: a second root, no root at all, or a cycle.
        match Tree::new(parents) {
            Ok(_) => assert_eq!((node, wrong), (root, root)),
            Err(TreeError::SeveralRoots { .. }) => assert!(wrong == node && node != root),
            Err(TreeError::NoRoot) => assert!(node == root && wrong != root),
            Err(TreeError::Cycle { node: lost }) => {
                assert!(node != root && wrong != node);
                assert_eq!(Some(lost), below.iter().copied().min());
            }
            Err(error) => panic!("{error}"),
        }
    });
}

#[test]
fn own_leaves_hold_what_inner_nodes_have() {
    rounds(|rng, parents| {
        let tree = Tree::new(parents.clone()).expect("a tree");
        let own: Vec<i64> = parents.iter().map(|_| rng.random_range(-50..50)).collect();
        let (wider, added) = tree.with_own_leaves(|node| own[node as usize] != 0).expect("a tree");
        let owner =
            |leaf: u32| added.iter().find(|own| own.leaf == leaf).map_or(leaf, |own| own.node);
        let sums = fold_tree(&wider, 1, &Sum::default(), |leaf, _| {
            Some(own[owner(wider.leaves()[leaf]) as usize])
        });
        for node in 0..parents.len() as u32 {
            let all: i64 = tree.subtree(node).iter().map(|&k| own[k as usize]).sum();
            assert_eq!(sums.node(node), [i128::from(all)]);
        }
    });
}

/// The items of the leaves below a node, in one column.
fn below<T: Copy>(tree: &Tree, node: u32, column: usize, items: &[Vec<Option<T>>]) -> Vec<T> {
    tree.leaf_range(node).filter_map(|leaf| items[leaf][column]).collect()
}

fn close(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        (found, expected) => found == expected,
    }
}

fn slow_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn slow_std(values: &[f64]) -> Option<f64> {
    let mean = slow_mean(values)?;
    let squares: Vec<f64> = values.iter().map(|value| (value - mean).powi(2)).collect();
    slow_mean(&squares).map(f64::sqrt)
}

#[test]
fn folds_of_ticks_equal_those_over_all_leaves_below() {
    rounds(|rng, parents| {
        let tree = Tree::new(parents).expect("a tree");
        let n_columns = rng.random_range(1..4);
        let bound = [10, 1_000_000_000, i64::MAX][rng.random_range(0..3usize)];
        let mut item = |_| rng.random_bool(0.7).then(|| rng.random_range(-bound..bound));
        let items: Vec<Vec<Option<i64>>> =
            tree.leaves().iter().map(|_| (0..n_columns).map(&mut item).collect()).collect();
        let get = |leaf: usize, column: usize| items[leaf][column];
        let sums = fold_tree(&tree, n_columns, &Sum::default(), get);
        let means = fold_tree(&tree, n_columns, &Mean::default(), get);
        let (mins, maxs) = (
            fold_tree(&tree, n_columns, &Min::default(), get),
            fold_tree(&tree, n_columns, &Max::default(), get),
        );
        let counts = fold_tree(&tree, n_columns, &Count::default(), get);
        let stds = fold_tree(&tree, n_columns, &Std::default(), get);
        let all = fold_tree(&tree, n_columns, &Describe::default(), get);
        for node in 0..tree.len() as u32 {
            for column in 0..n_columns {
                let values = below(&tree, node, column, &items);
                let sum: i128 = values.iter().map(|&value| i128::from(value)).sum();
                let rounded: Vec<f64> = values.iter().map(|&value| value as f64).collect();
                let mean = (!values.is_empty()).then(|| sum as f64 / values.len() as f64);
                assert_eq!(sums.node(node)[column], sum);
                assert_eq!(means.node(node)[column], mean);
                assert_eq!(mins.node(node)[column], values.iter().min().copied());
                assert_eq!(maxs.node(node)[column], values.iter().max().copied());
                assert_eq!(counts.node(node)[column], values.len() as u64);
                let std = slow_std(&rounded);
                assert!(close(stds.node(node)[column], std));
                let group = all.node(node)[column];
                assert_eq!((group.sum, group.mean), (sum as f64, mean));
                assert_eq!(group.min, values.iter().min().map(|min| min.to_f64()));
                assert_eq!(group.max, values.iter().max().map(|max| max.to_f64()));
                assert_eq!(group.leaves, tree.n_leaves(node) as u64);
                assert_eq!(group.count, values.len() as u64);
                assert!(close(group.std, std));
            }
        }
    });
}

#[test]
fn folds_of_real_numbers_equal_those_over_all_leaves_below() {
    rounds(|rng, parents| {
        let tree = Tree::new(parents).expect("a tree");
        let mut item = |_: &u32| match rng.random_range(0..10) {
            0 => vec![None],
            1 => vec![Some((f64::NAN, 1.0))],
            _ => vec![Some((rng.random_range(-1e3..1e3), rng.random_range(0.0..2.0)))],
        };
        let items: Vec<Vec<Option<(f64, f64)>>> = tree.leaves().iter().map(&mut item).collect();
        let get = |leaf: usize, column: usize| items[leaf][column].map(|(value, _)| value);
        let sums = fold_tree(&tree, 1, &Sum::default(), get);
        let mins = fold_tree(&tree, 1, &Min::default(), get);
        let stds = fold_tree(&tree, 1, &Std::default(), get);
        let weighted = fold_tree(&tree, 1, &WeightedMean, |leaf, column| items[leaf][column]);
        for node in 0..tree.len() as u32 {
            let mut pairs = below(&tree, node, 0, &items);
            pairs.retain(|(value, _)| !value.is_nan());
            let values: Vec<f64> = pairs.iter().map(|(value, _)| *value).collect();
            assert!(close(Some(sums.node(node)[0]), Some(values.iter().sum())));
            assert_eq!(mins.node(node)[0], values.iter().copied().reduce(f64::min));
            assert!(close(stds.node(node)[0], slow_std(&values)));
            let weights: f64 = pairs.iter().map(|(_, weight)| weight).sum();
            let sum: f64 = pairs.iter().map(|(value, weight)| value * weight).sum();
            assert!(close(weighted.node(node)[0], (!pairs.is_empty()).then(|| sum / weights)));
        }
    });
}

#[test]
fn efficiencies_equal_their_definitions() {
    rounds(|rng, parents| {
        let tree = Tree::new(parents).expect("a tree");
        let runtime = rng.random_range(1..1000);
        let mut process = |_: &u32| {
            let useful = rng.random_range(0..=runtime);
            let communication = rng.random_range(0..=runtime - useful);
            ProcessTime { useful, communication }
        };
        let processes: Vec<ProcessTime> = tree.leaves().iter().map(&mut process).collect();
        let times = group_times(&tree, 1, |leaf, _| Some(processes[leaf]));
        for node in 0..tree.len() as u32 {
            let group = &processes[tree.leaf_range(node)];
            assert_eq!(times.node(node)[0], GroupTime::of(group.iter().copied()));
            let found = times.node(node)[0].efficiency(runtime, None);
            let useful: Vec<f64> = group.iter().map(|process| process.useful as f64).collect();
            let (mean, max) = (slow_mean(&useful), useful.iter().copied().reduce(f64::max));
            let (mean, max) = (mean.expect("processes"), max.expect("processes"));
            assert!(close(found.parallel, Some(mean / runtime as f64)));
            assert!(close(found.communication, Some(max / runtime as f64)));
            assert!(close(found.load_balance, (max > 0.0).then(|| mean / max)));
            if let (Some(balance), Some(communication)) = (found.load_balance, found.communication)
            {
                assert!(close(found.parallel, Some(balance * communication)));
            }
        }
    });
}

/// An expression as a tree, to be written as text and to be computed the slow way.
enum Slow {
    Number(f64),
    Name(&'static str),
    Negate(Box<Slow>),
    Binary(char, Box<Slow>, Box<Slow>),
}

impl Slow {
    fn random(rng: &mut ChaCha8Rng, depth: u32) -> Self {
        let part = |rng: &mut ChaCha8Rng| Box::new(Self::random(rng, depth - 1));
        match rng.random_range(0..if depth > 0 { 5 } else { 2 }) {
            0 => Self::Number(f64::from(rng.random_range(0..40u32)) / 4.0),
            1 => {
                let names = ["sum", "mean", "min", "max", "count", "std", "leaves"];
                Self::Name(names[rng.random_range(0..names.len())])
            }
            2 => Self::Negate(part(rng)),
            _ => {
                let operator = ['+', '-', '*', '/'][rng.random_range(0..4usize)];
                Self::Binary(operator, part(rng), part(rng))
            }
        }
    }

    /// With no more parentheses than are needed where something of `rank` or more may stand.
    fn text(&self, rank: u32) -> String {
        let (own, text) = match self {
            Self::Number(number) => (4, number.to_string()),
            Self::Name(name) => (4, (*name).to_owned()),
            Self::Negate(part) => (3, format!("-{}", part.text(3))),
            Self::Binary(operator, left, right) => {
                let own = if matches!(operator, '+' | '-') { 1 } else { 2 };
                (own, format!("{} {operator} {}", left.text(own), right.text(own + 1)))
            }
        };
        if own < rank { format!("({text})") } else { text }
    }

    fn value(&self, group: &Summary) -> Option<f64> {
        Some(match self {
            Self::Number(number) => *number,
            Self::Name("sum") => group.sum,
            Self::Name("mean") => group.mean?,
            Self::Name("min") => group.min?,
            Self::Name("max") => group.max?,
            Self::Name("count") => group.count as f64,
            Self::Name("std") => group.std?,
            Self::Name(_) => group.leaves as f64,
            Self::Negate(part) => -part.value(group)?,
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.value(group)?, right.value(group)?);
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ if right == 0.0 => return None,
                    _ => left / right,
                }
            }
        })
    }
}

#[test]
fn expressions_equal_the_tree_they_were_written_from() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..3000 {
        let slow = Slow::random(&mut rng, 5);
        let text = slow.text(0);
        let mean = rng.random_bool(0.8).then(|| rng.random_range(0.0..9.0));
        let (min, max, std) = (mean, mean.map(|mean| mean * 2.0), mean);
        let group = Summary { leaves: 4, count: 3, sum: 11.5, mean, min, max, std };
        let found = Expression::parse(&text).expect(&text).evaluate(&group);
        assert_eq!(found, slow.value(&group).filter(|value| value.is_finite()), "{text}");
    }
}
