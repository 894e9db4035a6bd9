use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn ring(n: usize) -> Graph {
    Graph::new(n, (0..n).map(|node| (node, (node + 1) % n)))
}

fn star(n: usize) -> Graph {
    Graph::new(n, (1..n).map(|node| (0, node)))
}

fn full(n: usize) -> Graph {
    Graph::new(n, (0..n).flat_map(|a| (0..n).map(move |b| (a, b))))
}

fn tree(n: usize, children: usize) -> Graph {
    Graph::new(n, (1..n).map(|node| (node, (node - 1) / children)))
}

fn grid(side: usize) -> Graph {
    let right = (0..side * side).filter(move |at| at % side + 1 < side).map(|at| (at, at + 1));
    let down = (0..side * side - side).map(|at| (at, at + side));
    Graph::new(side * side, right.chain(down).collect::<Vec<_>>())
}

fn binary_swap(n: usize) -> Graph {
    let partners = |node: usize| (0..n.ilog2()).map(move |bit| (node, node ^ (1 << bit)));
    Graph::new(n, (0..n).flat_map(partners))
}

/// The same graph with other numbers, so that nothing is right only by the order of nodes.
fn mixed(graph: &Graph, seed: u64) -> Graph {
    let mut names: Vec<usize> = (0..graph.len()).collect();
    Random::new(seed).shuffle(&mut names);
    Graph::new(graph.len(), graph.edges().map(|(a, b)| (names[a], names[b])))
}

/// How many pairs of edges cross, all looked at.
fn crossings(graph: &Graph, spots: &[Spot]) -> usize {
    let edges: Vec<(usize, usize)> = graph.edges().collect();
    let side = |a: usize, b: usize, c: usize| {
        let (a, b, c) = (spots[a], spots[b], spots[c]);
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    };
    let cross = |(a, b): (usize, usize), (c, d): (usize, usize)| {
        let shares = a == c || a == d || b == c || b == d;
        !shares && side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
    };
    let pairs = edges.iter().enumerate();
    pairs.map(|(at, one)| edges[at + 1..].iter().filter(|other| cross(*one, **other)).count()).sum()
}

#[test]
fn graphs_know_their_neighbours() {
    let graph = Graph::new(4, [(0, 1), (1, 0), (1, 2), (2, 2), (1, 2), (7, 0)]);
    assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert_eq!((0..4).map(|node| graph.degree(node)).collect::<Vec<_>>(), [1, 2, 1, 0]);
    assert_eq!(graph.distances(0), [0, 1, 2, u32::MAX]);
    assert!((0..16).all(|node| binary_swap(16).degree(node) == 4));
    assert!((0..9).all(|node| full(9).degree(node) == 8));
}

#[test]
fn distances_are_those_of_all_steps() {
    let mut dice = ChaCha8Rng::seed_from_u64(11);
    for n in [1usize, 2, 7, 30] {
        let edges: Vec<(usize, usize)> =
            (0..n + n / 2).map(|_| (dice.random_range(0..n), dice.random_range(0..n))).collect();
        let graph = Graph::new(n, edges);
        let mut steps = vec![vec![u32::MAX; n]; n];
        (0..n).for_each(|node| steps[node][node] = 0);
        for (a, b) in graph.edges() {
            (steps[a][b], steps[b][a]) = (1, 1);
        }
        for by in 0..n {
            for from in 0..n {
                for to in 0..n {
                    let way = steps[from][by].saturating_add(steps[by][to]);
                    steps[from][to] = steps[from][to].min(way);
                }
            }
        }
        (0..n).for_each(|node| assert_eq!(graph.distances(node), steps[node], "{n} from {node}"));
    }
}

#[test]
fn a_ring_is_a_cycle_without_crossings() {
    for n in [3, 4, 5, 16, 33, 64] {
        for seed in 1..6 {
            let graph = mixed(&ring(n), seed);
            for method in [Method::Force, Method::Circular] {
                let spots = place(&graph, method, seed);
                assert_eq!(crossings(&graph, &spots), 0, "{method:?}, {n} nodes, seed {seed}");
                let from_middle = |spot: &Spot| spot.distance(Spot::default());
                let (near, far) = extent(spots.iter().map(from_middle));
                // A triangle lies askew in its square; larger rings are circles.
                assert!(n < 5 || near > 0.7 * far, "{method:?}, {n} nodes: {near} to {far}");
            }
        }
    }
}

#[test]
fn the_centre_of_a_star_is_in_the_middle() {
    for n in [4, 9, 33] {
        let graph = star(n);
        for method in [Method::Force, Method::Radial] {
            let spots = place(&graph, method, 3);
            let mean =
                |of: fn(&Spot) -> f64| spots[1..].iter().map(of).sum::<f64>() / (n - 1) as f64;
            let middle = Spot::new(mean(|spot| spot.x), mean(|spot| spot.y));
            let reach = spots[1..].iter().map(|spot| spot.distance(middle)).fold(0.0, f64::max);
            assert!(spots[0].distance(middle) < 0.2 * reach, "{method:?}, {n} nodes");
            assert_eq!(crossings(&graph, &spots), 0);
        }
    }
}

#[test]
fn trees_have_no_crossings() {
    for children in [2, 4] {
        let graph = mixed(&tree(40, children), 7);
        for method in [Method::Radial, Method::Layered] {
            let spots = place(&graph, method, 1);
            assert_eq!(crossings(&graph, &spots), 0, "{method:?}, {children} children");
        }
    }
}

#[test]
fn the_middle_of_a_tree_is_its_root() {
    // Two full levels below the root: all ways down are equally long.
    assert_eq!(component::middle(&tree(21, 4)), 0);
    assert_eq!(component::middle(&star(9)), 0);
}

#[test]
fn a_grid_keeps_its_neighbours_nearest() {
    let graph = mixed(&grid(6), 2);
    let spots = place(&graph, Method::Force, 5);
    assert_eq!(crossings(&graph, &spots), 0);
    // Edges of a grid that lies along the axes are rather level or upright than slanted.
    let straight = graph.edges().filter(|&(a, b)| {
        let (x, y) = ((spots[a].x - spots[b].x).abs(), (spots[a].y - spots[b].y).abs());
        x.min(y) < 0.5 * x.max(y)
    });
    assert!(straight.count() * 10 >= graph.edges().count() * 9);
}

#[test]
fn everything_lies_in_the_square_and_is_repeatable() {
    let graphs = [ring(12), star(12), full(12), tree(21, 4), grid(5), binary_swap(16)];
    for graph in graphs.iter().chain([&Graph::new(5, []), &Graph::new(1, []), &Graph::new(0, [])]) {
        for method in Method::ALL {
            let spots = place(graph, method, 9);
            assert_eq!(spots.len(), graph.len());
            let inside = |at: f64| (-1.0 - 1e-9..=1.0 + 1e-9).contains(&at);
            assert!(spots.iter().all(|spot| inside(spot.x) && inside(spot.y)), "{method:?}");
            assert_eq!(place(graph, method, 9), spots);
        }
    }
}

#[test]
fn parts_that_are_not_joined_do_not_mix() {
    let graph = Graph::new(9, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3)]);
    for method in Method::ALL {
        let spots = place(&graph, method, 1);
        let bounds = |nodes: &[usize]| {
            let x = extent(nodes.iter().map(|&node| spots[node].x));
            let y = extent(nodes.iter().map(|&node| spots[node].y));
            (x, y)
        };
        let parts = [bounds(&[0, 1, 2]), bounds(&[3, 4, 5, 6]), bounds(&[7]), bounds(&[8])];
        for (at, (x, y)) in parts.iter().enumerate() {
            for (other_x, other_y) in &parts[at + 1..] {
                let apart = |a: &(f64, f64), b: &(f64, f64)| a.1 < b.0 || b.1 < a.0;
                assert!(apart(x, other_x) || apart(y, other_y), "{method:?}");
            }
        }
    }
}

#[test]
fn large_graphs_are_laid_out_by_landmarks() {
    let graph = ring(1000);
    let spots = place(&graph, Method::Force, 1);
    let (near, far) = extent(spots.iter().map(|spot| spot.distance(Spot::default())));
    assert!(near > 0.5 * far, "{near} to {far}");
}

#[test]
fn squares_do_not_overlap_after_pushing() {
    let mut dice = ChaCha8Rng::seed_from_u64(3);
    let spots: Vec<Spot> = (0..200)
        .map(|_| Spot::new(dice.random_range(-0.4..0.4), dice.random_range(-0.4..0.4)))
        .chain([Spot::default(); 3])
        .collect();
    let pushed = pushed_apart(spots, 0.06);
    let radius = half_gap(&pushed, 0.2);
    assert!(radius > 0.02, "{radius}");
    for (at, one) in pushed.iter().enumerate() {
        for other in &pushed[at + 1..] {
            let gap = (one.x - other.x).abs().max((one.y - other.y).abs());
            assert!(gap >= 2.0 * radius - 1e-12);
        }
    }
    assert_eq!(half_gap(&[Spot::new(0.0, 0.0), Spot::new(0.3, 0.1)], 1.0), 0.15);
    assert_eq!(half_gap(&[], 0.1), 0.1);
}

/// Two sites of two clusters of nine machines around a switch, routers and a backbone.
fn sites() -> (Graph, Nesting) {
    let (mut edges, mut group_of) = (Vec::new(), vec![None]);
    let mut parents = Vec::new();
    for _ in 0..2 {
        let site = parents.len();
        parents.push(None);
        let router = group_of.len();
        group_of.push(Some(site));
        edges.push((0, router));
        for _ in 0..2 {
            let cluster = parents.len();
            parents.push(Some(site));
            let switch = group_of.len();
            group_of.push(Some(cluster));
            edges.push((router, switch));
            for _ in 0..9 {
                edges.push((switch, group_of.len()));
                group_of.push(Some(cluster));
            }
        }
    }
    let n = group_of.len();
    (Graph::new(n, edges), Nesting { group_of, parents, between: vec![false; n] })
}

fn holds(outer: &Circle, inner: &Circle) -> bool {
    outer.centre.distance(inner.centre) + inner.radius <= outer.radius + 1e-9
}

#[test]
fn groups_are_circles_that_do_not_overlap() {
    let (graph, nesting) = sites();
    let placed = place_nested(&graph, &nesting, 1);
    let nodes: Vec<Circle> =
        placed.spots.iter().map(|&centre| Circle { centre, radius: placed.radius }).collect();
    for (a, one) in nodes.iter().enumerate() {
        assert!(one.centre.x.abs() <= 1.0 && one.centre.y.abs() <= 1.0);
        for other in &nodes[a + 1..] {
            assert!(one.centre.distance(other.centre) >= 2.0 * placed.radius - 1e-9);
        }
        if let Some(group) = nesting.group_of[a] {
            assert!(holds(&placed.circles[group], one), "{a}");
        }
    }
    for (group, parent) in nesting.parents.iter().enumerate() {
        if let Some(parent) = parent {
            assert!(holds(&placed.circles[*parent], &placed.circles[group]));
        }
        for other in group + 1..nesting.parents.len() {
            if nesting.parents[other] == *parent {
                let (a, b) = (&placed.circles[group], &placed.circles[other]);
                assert!(a.centre.distance(b.centre) >= a.radius + b.radius - 1e-9);
            }
        }
    }
    assert_eq!(place_nested(&graph, &nesting, 1), placed);
}

#[test]
fn machines_stand_around_their_switch() {
    let (graph, nesting) = sites();
    let placed = place_nested(&graph, &nesting, 1);
    for switch in (0..graph.len()).filter(|&node| graph.degree(node) == 10) {
        let leaves = graph.neighbours(switch).iter().map(|&leaf| leaf as usize);
        let leaves: Vec<usize> = leaves.filter(|&leaf| graph.degree(leaf) == 1).collect();
        let spots = leaves.iter().map(|&leaf| placed.spots[leaf]);
        let (x, y) = spots.fold((0.0, 0.0), |(x, y), spot| (x + spot.x / 9.0, y + spot.y / 9.0));
        assert!(Spot::new(x, y).distance(placed.spots[switch]) < 1e-6);
    }
    // Routers look towards the backbone that joins them.
    for router in graph.neighbours(0).iter().map(|&router| router as usize) {
        let site = nesting.group_of[router].expect("a site");
        let to_backbone = placed.spots[router].distance(placed.spots[0]);
        assert!(to_backbone < placed.circles[site].centre.distance(placed.spots[0]));
    }
}

#[test]
fn marks_lie_between_what_they_join() {
    // Two machines on a backbone, each with a link up and a link down; a link joins two others.
    let edges = [(0, 2), (0, 3), (1, 4), (1, 5), (2, 6), (3, 6), (4, 6), (5, 6), (7, 8), (8, 9)];
    let between = (0..10).map(|node| matches!(node, 2..=6 | 8)).collect();
    let nesting = Nesting { group_of: vec![None; 10], parents: Vec::new(), between };
    let placed = place_nested(&Graph::new(10, edges), &nesting, 1);
    for (link, machine) in [(2, 0), (3, 0), (4, 1), (5, 1)] {
        let (own, machine) = (placed.spots[link], placed.spots[machine]);
        assert!((own.distance(machine) - placed.radius).abs() < 1e-9, "on its rim");
        assert!(own.distance(placed.spots[6]) < machine.distance(placed.spots[6]));
    }
    let middle = Spot::new(
        (placed.spots[7].x + placed.spots[9].x) / 2.0,
        (placed.spots[7].y + placed.spots[9].y) / 2.0,
    );
    assert!(placed.spots[8].distance(middle) < 1e-9);
}

#[test]
fn a_ring_without_groups_stays_a_ring() {
    let placed = place_nested(&ring(24), &Nesting::default(), 1);
    let (x, y) =
        placed.spots.iter().fold((0.0, 0.0), |(x, y), spot| (x + spot.x / 24.0, y + spot.y / 24.0));
    let far = placed.spots.iter().map(|spot| spot.distance(Spot::new(x, y)));
    let (low, high) = extent(far);
    assert!(high / low < 1.2, "{low} to {high}");
}

#[test]
fn nesting_may_be_empty_or_wrong() {
    assert_eq!(place_nested(&Graph::new(0, []), &Nesting::default(), 1).spots, []);
    let odd =
        Nesting { group_of: vec![Some(7), Some(0)], parents: vec![Some(3), None], between: vec![] };
    let placed = place_nested(&Graph::new(3, [(0, 1)]), &odd, 1);
    assert!(placed.spots.iter().all(|spot| spot.x.is_finite() && spot.y.is_finite()));
}
