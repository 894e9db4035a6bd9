//! Treemaps tile their room, in proportion.

use onca_layout::treemap::{Nest, Order, Squarified, Tile, nested, squarify};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Values from the largest, the size of the room, and where each goes: `[x, y, width, height]`.
type Example = (&'static [f64], (f64, f64), &'static [[f64; 4]]);

/// Computed by a plain program of its own, straight from the published description.
const EXAMPLES: &[Example] = &[
    (
        &[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0],
        (6.0, 4.0),
        &[
            [0.0, 0.0, 3.0, 2.0],
            [0.0, 2.0, 3.0, 2.0],
            [3.0, 0.0, 1.7142857142857142, 2.3333333333333335],
            [4.714285714285714, 0.0, 1.2857142857142856, 2.3333333333333335],
            [3.0, 2.3333333333333335, 1.2000000000000002, 1.6666666666666665],
            [4.2, 2.3333333333333335, 1.2000000000000002, 1.6666666666666665],
            [5.4, 2.3333333333333335, 0.5999999999999996, 1.6666666666666676],
        ],
    ),
    (
        &[5.0, 0.001],
        (10.0, 10.0),
        &[
            [0.0, 0.0, 10.0, 9.998000399920015],
            [0.0, 9.998000399920015, 9.999999999993305, 0.001999600079985342],
        ],
    ),
    (
        &[3.0, 3.0, 3.0, 3.0],
        (4.0, 4.0),
        &[[0.0, 0.0, 2.0, 2.0], [2.0, 0.0, 2.0, 2.0], [0.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0]],
    ),
    (
        &[98.0, 73.0, 64.0, 33.0, 16.0, 9.0],
        (829.0, 510.0),
        &[
            [0.0, 0.0, 277.27645051194537, 510.00000000000006],
            [277.27645051194537, 0.0, 387.6211604095563, 271.75182481751824],
            [277.27645051194537, 271.75182481751824, 387.6211604095563, 238.2481751824818],
            [664.8976109215016, 0.0, 164.1023890784984, 290.17241379310326],
            [664.8976109215016, 290.17241379310326, 164.1023890784984, 140.68965517241372],
            [664.8976109215016, 430.862068965517, 164.10238907849777, 79.13793103448302],
        ],
    ),
    (
        &[100.0, 95.0, 90.0, 87.0, 71.0, 48.0, 47.0],
        (138.0, 499.0),
        &[
            [0.0, 0.0, 138.0, 92.75092936802974],
            [0.0, 92.75092936802974, 138.0, 88.11338289962825],
            [0.0, 180.864312267658, 138.0, 83.47583643122677],
            [0.0, 264.3401486988848, 138.0, 80.69330855018588],
            [0.0, 345.03345724907064, 82.33613445378151, 110.37360594795538],
            [82.33613445378151, 345.03345724907064, 55.66386554621849, 110.37360594795538],
            [0.0, 455.407063197026, 137.99999999999983, 43.59293680297403],
        ],
    ),
];

/// All parts, without any that are joined.
fn all(values: &[f64], room: Tile, order: Order) -> Vec<(usize, Tile)> {
    let Squarified { tiles, rest } = squarify(values, room, order, 0.0);
    assert_eq!(rest, None);
    tiles
}

#[test]
fn the_published_examples_come_out() {
    for (values, (width, height), expected) in EXAMPLES {
        let tiles = all(values, Tile::new(0.0, 0.0, *width, *height), Order::Largest);
        let parts: Vec<usize> = tiles.iter().map(|(part, _)| *part).collect();
        assert_eq!(parts, (0..values.len()).collect::<Vec<_>>());
        for ((_, tile), expected) in tiles.iter().zip(*expected) {
            let found = [tile.x0, tile.y0, tile.width(), tile.height()];
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * width.max(*height);
            assert!(found.iter().zip(expected).all(near), "{found:?} is not {expected:?}");
        }
    }
}

#[test]
fn a_row_that_is_perfectly_square_does_not_end_the_picture() {
    // Four squares, then one more: programs that stop at a perfect row lose it.
    let tiles = all(&[1.0; 5], Tile::new(0.0, 0.0, 2.0, 2.5), Order::Largest);
    assert_eq!(tiles.len(), 5);
    assert!(tiles.iter().all(|(_, tile)| (tile.area() - 1.0).abs() < 1e-12));
}

/// Do the tiles cover the room, each as large as its share, and none over another? Edges on a grid
/// of all edges make this exact: no tolerance hides an overlap.
fn assert_tiles(values: &[f64], room: Tile, tiles: &[(usize, Tile)]) {
    let sum: f64 = tiles.iter().map(|(part, _)| values[*part]).sum();
    for (part, tile) in tiles {
        let expected = values[*part] / sum * room.area();
        let error = (tile.area() - expected).abs() / room.area();
        assert!(error < 1e-9, "part {part}: {} instead of {expected}", tile.area());
        assert!(tile.x0 >= room.x0 && tile.x1 <= room.x1 && tile.x0 <= tile.x1);
        assert!(tile.y0 >= room.y0 && tile.y1 <= room.y1 && tile.y0 <= tile.y1);
    }
    for (at, (_, one)) in tiles.iter().enumerate() {
        for (_, other) in &tiles[..at] {
            let apart = one.x0 >= other.x1
                || other.x0 >= one.x1
                || one.y0 >= other.y1
                || other.y0 >= one.y1;
            assert!(apart, "{one:?} overlaps {other:?}");
        }
    }
    let total: f64 = tiles.iter().map(|(_, tile)| tile.area()).sum();
    assert!((total - room.area()).abs() <= 1e-9 * room.area(), "{total} of {}", room.area());
}

#[test]
fn random_parts_tile_their_room() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for round in 0..300 {
        let n = rng.random_range(1..80);
        let steepness: f64 = rng.random_range(0.0..12.0);
        let values: Vec<f64> =
            (0..n).map(|_| rng.random_range(0.0f64..1.0).powf(steepness) * 1e3).collect();
        let room = Tile::new(3.0, -7.0, 3.0 + rng.random_range(1.0..2000.0), 500.0);
        let order = if round % 2 == 0 { Order::Largest } else { Order::Given };
        let tiles = all(&values, room, order);
        assert_tiles(&values, room, &tiles);
        let parts: Vec<usize> = tiles.iter().map(|(part, _)| *part).collect();
        match order {
            Order::Given => assert!(parts.is_sorted()),
            Order::Largest => assert!(parts.is_sorted_by(|&a, &b| values[a] >= values[b])),
        }
    }
}

#[test]
fn what_has_no_size_gets_no_place() {
    let values = [0.0, f64::NAN, 3.0, -1.0, f64::INFINITY, 1.0, -0.0];
    let room = Tile::new(0.0, 0.0, 4.0, 1.0);
    let tiles = all(&values, room, Order::Largest);
    assert_eq!(tiles, [(2, Tile::new(0.0, 0.0, 3.0, 1.0)), (5, Tile::new(3.0, 0.0, 4.0, 1.0))]);
    assert_eq!(all(&[], room, Order::Largest), []);
    assert_eq!(all(&[0.0; 3], room, Order::Given), []);
}

#[test]
fn a_room_without_area_still_places_everything() {
    let tiles = all(&[2.0, 1.0], Tile::new(1.0, 1.0, 1.0, 1.0), Order::Largest);
    assert_eq!(tiles.len(), 2);
    assert!(tiles.iter().all(|(_, tile)| tile.area() == 0.0));
    let line = all(&[2.0, 1.0], Tile::new(0.0, 0.0, 3.0, 0.0), Order::Largest);
    assert!(line.iter().all(|(_, tile)| tile.x1 <= 3.0 && tile.height() == 0.0));
}

#[test]
fn thin_parts_share_one_place() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for order in [Order::Largest, Order::Given] {
        let values: Vec<f64> = (0..500).map(|_| rng.random_range(0.0f64..1.0).powi(9)).collect();
        let room = Tile::new(0.0, 0.0, 300.0, 200.0);
        let Squarified { tiles, rest } = squarify(&values, room, order, 2.0);
        let (parts, place) = rest.expect("some are too thin");
        assert_eq!(tiles.len() + parts.len(), 500);
        // Together they are one more part, as large as they are together.
        let theirs = parts.iter().map(|&part| values[part]).sum();
        let with_theirs: Vec<f64> = values.iter().copied().chain([theirs]).collect();
        let places: Vec<_> = tiles.iter().copied().chain([(values.len(), place)]).collect();
        assert_tiles(&with_theirs, room, &places);
        // What is left alone is too large to be hidden, but for what shares a row with such.
        let hidden =
            |&&part: &&usize| values[part] * room.area() / values.iter().sum::<f64>() < 4.0;
        assert!(parts.iter().filter(hidden).count() * 10 > parts.len() * 9);
        if order == Order::Largest {
            let alone = all(&values, room, order);
            assert_eq!(tiles, alone[..tiles.len()]);
            assert!(alone[tiles.len()..].iter().all(|(_, tile)| tile.thickness() < 2.0));
        }
    }
}

/// A tree as lists of children, with the value of every node and the places that they get.
struct Tree {
    children: Vec<Vec<u32>>,
    values: Vec<f64>,
    places: Vec<Option<Tile>>,
    /// Nodes in the order in which they got their places.
    visited: Vec<u32>,
    /// Nodes from this number on keep their place for themselves.
    first_closed: Option<u32>,
}

impl Tree {
    fn new(children: Vec<Vec<u32>>, values: Vec<f64>) -> Self {
        let places = vec![None; values.len()];
        Self { children, values, places, visited: Vec::new(), first_closed: None }
    }

    /// A random tree; inner nodes are as large as what lies below them.
    fn random(rng: &mut ChaCha8Rng, n: usize) -> Self {
        let mut children = vec![Vec::new(); n];
        let parents: Vec<usize> = (1..n).map(|node| rng.random_range(0..node)).collect();
        for (node, &parent) in (1..).zip(&parents) {
            children[parent].push(node as u32);
        }
        let mut values: Vec<f64> = vec![0.0; n];
        for node in (0..n).rev() {
            if children[node].is_empty() {
                values[node] = f64::from(rng.random_range(0..20));
            }
            if node > 0 {
                values[parents[node - 1]] += values[node];
            }
        }
        Self::new(children, values)
    }
}

impl Nest for Tree {
    fn children(&self, node: u32) -> &[u32] {
        &self.children[node as usize]
    }

    fn value(&self, node: u32) -> f64 {
        self.values[node as usize]
    }

    fn place(&mut self, node: u32, tile: &Tile) -> Option<Tile> {
        assert_eq!(self.places[node as usize].replace(*tile), None);
        self.visited.push(node);
        self.first_closed.is_none_or(|first| node < first).then_some(*tile)
    }

    fn place_together(&mut self, _: u32, _: &[u32], _: &Tile) {
        unreachable!("nothing is too thin");
    }
}

#[test]
fn children_tile_their_parent() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..40 {
        let mut tree = Tree::random(&mut rng, 120);
        let room = Tile::new(0.0, 0.0, 960.0, 540.0);
        nested(&mut tree, 0, room, Order::Largest, 0.0);
        for (node, children) in tree.children.iter().enumerate() {
            let Some(room) = tree.places[node] else {
                assert_eq!(tree.values[node], 0.0);
                continue;
            };
            let tiles: Vec<(usize, Tile)> = children
                .iter()
                .filter_map(|&child| Some((child as usize, tree.places[child as usize]?)))
                .collect();
            assert_eq!(tiles.is_empty(), children.is_empty());
            if !tiles.is_empty() {
                assert_tiles(&tree.values, room, &tiles);
            }
        }
    }
}

#[test]
fn a_chain_of_a_million_nodes_needs_no_stack() {
    let n = 1_000_000;
    let children = (1..=n).map(|next| if next < n { vec![next] } else { vec![] }).collect();
    let mut chain = Tree::new(children, vec![1.0; n as usize]);
    let room = Tile::new(0.0, 0.0, 1.0, 1.0);
    nested(&mut chain, 0, room, Order::Largest, 0.0);
    assert!(chain.places.iter().all(|place| *place == Some(room)));
}

#[test]
fn who_takes_a_place_says_how_deep_to_go() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut tree = Tree::random(&mut rng, 50);
    tree.first_closed = Some(1);
    nested(&mut tree, 0, Tile::new(0.0, 0.0, 100.0, 100.0), Order::Given, 0.0);
    let mut expected = vec![0];
    expected.extend(tree.children[0].iter().filter(|&&child| tree.values[child as usize] > 0.0));
    assert_eq!(tree.visited, expected);
}
