//! Graphs on a plane: who is joined to whom comes in, places come out.
//!
//! The same graph and seed give the same places to the last bit. All methods put everything into the
//! square from -1 to 1. Parts that are not joined lie side by side, each in a tile as large as the
//! part has nodes.
//!
//! - [`Method::Force`] pulls and pushes nodes until distances on the plane are those in the graph
//!   (stress, by gradient descent on pairs): rings become circles, grids grids, and it needs no
//!   tuning. A simulation of springs and charges was not taken because it folds rings and grids.
//! - [`Method::Circular`] puts nodes on a circle, neighbours side by side where that can be.
//! - [`Method::Radial`] draws a spanning tree around its middle.
//! - [`place_nested`] puts groups of a hierarchy into circles.
//! - [`Method::Layered`] draws the same distances from the middle as layers, with few crossings.

mod apart;
mod circular;
mod component;
mod layered;
mod nested;
mod radial;
mod random;
mod stress;

#[cfg(test)]
mod tests;

pub use apart::{half_gap, pushed_apart};
pub use nested::{Circle, Nested, Nesting, place_nested};

use crate::treemap::{Order, Tile, squarify};
use component::components;
use random::Random;

/// A place on the plane.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spot {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
}

impl Spot {
    /// The place at `x`, `y`.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// How a graph is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Distances on the plane are those in the graph.
    #[default]
    Force,
    /// On a circle.
    Circular,
    /// Around the middle of the graph.
    Radial,
    /// In layers from the middle of the graph.
    Layered,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Force, Self::Circular, Self::Radial, Self::Layered];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Force => "force",
            Self::Circular => "circular",
            Self::Radial => "radial",
            Self::Layered => "layered",
        }
    }
}

/// Nodes and who is joined to whom, whatever the direction. Joined several times is joined once, and
/// nobody is joined to itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The neighbours of node `n` are `neighbours[first[n]..first[n + 1]]`, in order.
    first: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// A graph of `n` nodes. Ends that are no nodes are left out with their edges.
    pub fn new(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let known = |&(a, b): &(usize, usize)| a != b && a < n && b < n;
        let both = |(a, b): (usize, usize)| [(a as u32, b as u32), (b as u32, a as u32)];
        let mut arcs: Vec<(u32, u32)> = edges.into_iter().filter(known).flat_map(both).collect();
        arcs.sort_unstable();
        arcs.dedup();
        let mut first = vec![0u32; n + 1];
        arcs.iter().for_each(|(a, _)| first[*a as usize + 1] += 1);
        for node in 0..n {
            first[node + 1] += first[node];
        }
        Self { first, neighbours: arcs.into_iter().map(|(_, b)| b).collect() }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Is there no node?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes that a node is joined to.
    pub fn neighbours(&self, node: usize) -> &[u32] {
        &self.neighbours[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// With how many a node is joined.
    pub fn degree(&self, node: usize) -> usize {
        self.neighbours(node).len()
    }

    /// All edges, each once.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.len()).flat_map(move |node| {
            let later = self.neighbours(node).iter().map(|&other| other as usize);
            later.filter(move |&other| other > node).map(move |other| (node, other))
        })
    }

    /// How many steps it is from a node to every other one; `u32::MAX` for those out of reach.
    fn distances(&self, from: usize) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.len()];
        let mut queue = Vec::with_capacity(self.len());
        distances[from] = 0;
        queue.push(from);
        let mut next = 0;
        // Once all are found, the rest of a dense graph tells nothing new.
        while next < queue.len() && queue.len() < self.len() {
            let node = queue[next];
            next += 1;
            for &other in self.neighbours(node) {
                if distances[other as usize] == u32::MAX {
                    distances[other as usize] = distances[node] + 1;
                    queue.push(other as usize);
                }
            }
        }
        distances
    }
}

/// The places of all nodes, in the square from -1 to 1.
pub fn place(graph: &Graph, method: Method, seed: u64) -> Vec<Spot> {
    let parts = components(graph);
    let sizes: Vec<f64> = parts.iter().map(|part| part.nodes.len() as f64).collect();
    let mut spots = vec![Spot::default(); graph.len()];
    let tiles = squarify(&sizes, Tile::new(-1.0, -1.0, 1.0, 1.0), Order::Largest, 0.0).tiles;
    for (number, tile) in tiles {
        let part = &parts[number];
        let own = part.placed(method, &mut Random::new(seed));
        let own = fitted(&own, &tile, parts.len() > 1);
        part.nodes.iter().zip(own).for_each(|(&node, spot)| spots[node as usize] = spot);
    }
    spots
}

/// Places moved and scaled so that they fill a tile without being stretched.
fn fitted(spots: &[Spot], tile: &Tile, margin: bool) -> Vec<Spot> {
    let (x, y) = (extent(spots.iter().map(|spot| spot.x)), extent(spots.iter().map(|spot| spot.y)));
    let share = if margin { 0.8 } else { 1.0 };
    let room = |side: f64, (from, to): (f64, f64)| match to - from {
        length if length > 1e-9 => share * side / length,
        _ => f64::INFINITY,
    };
    let scale = room(tile.width(), x).min(room(tile.height(), y));
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let middle = |(from, to): (f64, f64)| (from + to) / 2.0;
    let centre = Spot::new((tile.x0 + tile.x1) / 2.0, (tile.y0 + tile.y1) / 2.0);
    let moved = |spot: &Spot| {
        Spot::new(centre.x + (spot.x - middle(x)) * scale, centre.y + (spot.y - middle(y)) * scale)
    };
    spots.iter().map(moved).collect()
}

fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (low.min(number), high.max(number))
    })
}
