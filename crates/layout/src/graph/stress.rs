//! Distances on the plane like those in the graph.
//!
//! Pairs of nodes are taken in random order, and each is moved towards its right distance by a step
//! that gets smaller (Zheng, Pawar and Goodman, *Graph Drawing by Stochastic Gradient Descent*,
//! 2018). For large graphs only some pairs are taken: every node with its neighbours and with some
//! nodes that are far from each other.

use super::{Graph, Random, Spot};

/// Up to this many nodes, all pairs are taken.
const ALL_PAIRS: usize = 600;
/// With how many far nodes every node is paired in a larger graph.
const LANDMARKS: usize = 60;
/// How often every pair is looked at.
const ROUNDS: usize = 40;
/// The last step moves a pair by this share of its error.
const LAST_STEP: f64 = 0.05;

/// A pair of nodes and how far they should be from each other.
#[derive(Clone, Copy)]
struct Pull {
    a: u32,
    b: u32,
    distance: f32,
}

pub(super) fn place(graph: &Graph, random: &mut Random) -> Vec<Spot> {
    let n = graph.len();
    let start = |_| Spot::new(random.share() - 0.5, random.share() - 0.5);
    let mut spots: Vec<Spot> = (0..n).map(start).collect();
    let mut pulls = match n <= ALL_PAIRS {
        true => all_pairs(graph),
        false => some_pairs(graph),
    };
    let farthest = pulls.iter().map(|pull| pull.distance).fold(1.0, f32::max);
    let first_step = f64::from(farthest).powi(2);
    let slower = (LAST_STEP / first_step).ln() / (ROUNDS - 1) as f64;
    for round in 0..ROUNDS {
        random.shuffle(&mut pulls);
        let step = first_step * (slower * round as f64).exp();
        pulls.iter().for_each(|pull| give_in(pull, step, &mut spots));
    }
    upright(graph, &mut spots);
    spots
}

/// Moves both ends of a pair.
fn give_in(pull: &Pull, step: f64, spots: &mut [Spot]) {
    let (a, b) = (spots[pull.a as usize], spots[pull.b as usize]);
    let distance = f64::from(pull.distance);
    let share = (step / (distance * distance)).min(1.0);
    let apart = a.distance(b).max(1e-9);
    let by = share * (apart - distance) / (2.0 * apart);
    let (x, y) = (by * (a.x - b.x), by * (a.y - b.y));
    spots[pull.a as usize] = Spot::new(a.x - x, a.y - y);
    spots[pull.b as usize] = Spot::new(b.x + x, b.y + y);
}

fn all_pairs(graph: &Graph) -> Vec<Pull> {
    let mut pulls = Vec::with_capacity(graph.len() * graph.len().saturating_sub(1) / 2);
    for a in 0..graph.len() {
        let distances = graph.distances(a);
        pulls.extend((a + 1..graph.len()).map(|b| Pull {
            a: a as u32,
            b: b as u32,
            distance: distances[b] as f32,
        }));
    }
    pulls
}

fn some_pairs(graph: &Graph) -> Vec<Pull> {
    let mut pulls: Vec<Pull> =
        graph.edges().map(|(a, b)| Pull { a: a as u32, b: b as u32, distance: 1.0 }).collect();
    // Each landmark is the node that is farthest from those before.
    let mut nearest = vec![u32::MAX; graph.len()];
    let mut landmark = 0;
    for _ in 0..LANDMARKS {
        let distances = graph.distances(landmark);
        for (node, &distance) in distances.iter().enumerate() {
            nearest[node] = nearest[node].min(distance);
            if distance > 1 {
                pulls.push(Pull { a: landmark as u32, b: node as u32, distance: distance as f32 });
            }
        }
        let far = nearest.iter().max().copied().unwrap_or(0);
        landmark = nearest.iter().position(|distance| *distance == far).unwrap_or(0);
    }
    pulls
}

/// Turns places so that edges lie along the axes as far as they can, and the whole is rather wide
/// than high: a grid then looks like one.
fn upright(graph: &Graph, spots: &mut [Spot]) {
    let (mut sine, mut cosine) = (0.0, 0.0);
    for (a, b) in graph.edges() {
        let angle = (spots[b].y - spots[a].y).atan2(spots[b].x - spots[a].x);
        sine += (4.0 * angle).sin();
        cosine += (4.0 * angle).cos();
    }
    turn(spots, -sine.atan2(cosine) / 4.0);
    let spread = |of: fn(&Spot) -> f64| {
        let (low, high) = super::extent(spots.iter().map(of));
        high - low
    };
    if spread(|spot| spot.y) > spread(|spot| spot.x) {
        turn(spots, std::f64::consts::FRAC_PI_2);
    }
}

fn turn(spots: &mut [Spot], angle: f64) {
    let (sine, cosine) = angle.sin_cos();
    for spot in spots {
        *spot = Spot::new(spot.x * cosine - spot.y * sine, spot.x * sine + spot.y * cosine);
    }
}
