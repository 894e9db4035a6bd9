//! Layers of nodes at the same distance from the middle of a graph.

use super::radial::SpanningTree;
use super::{Graph, Spot};

/// How often every layer is put in order by the one before and the one after it.
const SWEEPS: usize = 12;
/// In a graph of more edges nobody sees crossings, and counting them takes long.
const MOST_EDGES: usize = 200_000;

pub(super) fn place(graph: &Graph) -> Vec<Spot> {
    let tree = SpanningTree::new(graph);
    let n_layers = tree.depths.iter().max().map_or(0, |deepest| *deepest as usize + 1);
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); n_layers];
    tree.order.iter().for_each(|&node| layers[tree.depths[node] as usize].push(node));
    let layers = fewest_crossings(graph, &tree, layers);
    let mut across = vec![0.0; graph.len()];
    layers.iter().for_each(|layer| spread(layer, &mut across));
    let mut spots = vec![Spot::default(); graph.len()];
    for (depth, layer) in layers.iter().enumerate() {
        let height = 1.0 - 2.0 * depth as f64 / (n_layers - 1).max(1) as f64;
        layer.iter().for_each(|&node| spots[node] = Spot::new(across[node] * 1.6, height));
    }
    spots
}

/// The best of some orders of the nodes in their layers. The first is that of the tree, in which
/// edges of the tree do not cross.
fn fewest_crossings(
    graph: &Graph,
    tree: &SpanningTree,
    mut layers: Vec<Vec<usize>>,
) -> Vec<Vec<usize>> {
    let n_layers = layers.len();
    let mut best = (crossings(graph, tree, &layers), layers.clone());
    let sweeps = if graph.edges().count() > MOST_EDGES { 0 } else { SWEEPS };
    let mut across = vec![0.0; graph.len()];
    layers.iter().for_each(|layer| spread(layer, &mut across));
    for sweep in 0..sweeps {
        if best.0 == 0 {
            break;
        }
        for number in 0..n_layers {
            let down = sweep % 2 == 0;
            let layer = if down { number } else { n_layers - 1 - number };
            // Towards the layer that has its order already.
            let fixed = if down { layer.checked_sub(1) } else { Some(layer + 1) };
            let Some(fixed) = fixed.filter(|fixed| *fixed < n_layers) else { continue };
            order_by(graph, tree, &mut layers[layer], fixed, &across);
            spread(&layers[layer], &mut across);
        }
        let n = crossings(graph, tree, &layers);
        if n < best.0 {
            best = (n, layers.clone());
        }
    }
    best.1
}

/// How many edges between neighbouring layers cross: pairs that begin in one order and end in the
/// other, counted with a tree of sums.
fn crossings(graph: &Graph, tree: &SpanningTree, layers: &[Vec<usize>]) -> u64 {
    let mut place_of = vec![0usize; graph.len()];
    for layer in layers {
        layer.iter().enumerate().for_each(|(place, &node)| place_of[node] = place);
    }
    let mut n_crossings = 0;
    for pair in layers.windows(2) {
        let mut sums = vec![0u64; pair[1].len() + 1];
        let (mut ends, mut n_seen) = (Vec::new(), 0u64);
        for &node in &pair[0] {
            let below = graph.neighbours(node).iter().map(|&other| other as usize);
            let below = below.filter(|&other| tree.depths[other] == tree.depths[node] + 1);
            ends.clear();
            ends.extend(below.map(|other| place_of[other]));
            n_crossings += ends.iter().map(|&end| n_seen - up_to(&sums, end)).sum::<u64>();
            ends.iter().for_each(|&end| add_one(&mut sums, end));
            n_seen += ends.len() as u64;
        }
    }
    n_crossings
}

/// How many ends lie at a place or before it.
fn up_to(sums: &[u64], place: usize) -> u64 {
    let (mut at, mut sum) = (place + 1, 0);
    while at > 0 {
        sum += sums[at];
        at &= at - 1;
    }
    sum
}

fn add_one(sums: &mut [u64], place: usize) {
    let mut at = place + 1;
    while at < sums.len() {
        sums[at] += 1;
        at += at & at.wrapping_neg();
    }
}

/// Puts the nodes of a layer at equal steps, in the order that they have.
fn spread(layer: &[usize], across: &mut [f64]) {
    let n = layer.len() as f64;
    for (place, &node) in layer.iter().enumerate() {
        across[node] = 2.0 * (place as f64 + 0.5) / n - 1.0;
    }
}

/// Orders a layer by the mean place of the neighbours in another one.
fn order_by(graph: &Graph, tree: &SpanningTree, layer: &mut [usize], fixed: usize, across: &[f64]) {
    let mean = |node: usize| {
        let others = graph.neighbours(node).iter().map(|&other| other as usize);
        let others = others.filter(|&other| tree.depths[other] as usize == fixed);
        let (n, sum) = others.fold((0, 0.0), |(n, sum), other| (n + 1, sum + across[other]));
        if n == 0 { across[node] } else { sum / f64::from(n) }
    };
    layer.sort_by(|&a, &b| mean(a).total_cmp(&mean(b)).then(a.cmp(&b)));
}
