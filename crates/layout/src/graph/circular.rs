//! Nodes on a circle.

use std::f64::consts::TAU;

use super::{Graph, Spot};

/// Neighbours on the circle are swapped at most so often.
const SWEEPS: usize = 20;

pub(super) fn place(graph: &Graph) -> Vec<Spot> {
    let n = graph.len();
    let mut spots = vec![Spot::default(); n];
    if n > 1 {
        for (place, node) in order(graph).into_iter().enumerate() {
            // From the top, as a clock goes.
            let (sine, cosine) = (TAU * place as f64 / n as f64).sin_cos();
            spots[node] = Spot::new(sine, cosine);
        }
    }
    spots
}

/// An order in which neighbours are close: a walk that goes on to the neighbour with the fewest
/// unseen neighbours of its own, which finds a cycle where the graph is one; then swaps of
/// neighbours in the order as long as edges get shorter.
fn order(graph: &Graph) -> Vec<usize> {
    let n = graph.len();
    let mut unseen: Vec<usize> = (0..n).map(|node| graph.degree(node)).collect();
    let mut seen = vec![false; n];
    let start = (0..n).min_by_key(|&node| (graph.degree(node), node)).unwrap_or(0);
    let (mut order, mut way) = (Vec::with_capacity(n), vec![start]);
    let visit = |node: usize, seen: &mut [bool], unseen: &mut [usize]| {
        seen[node] = true;
        graph.neighbours(node).iter().for_each(|&other| unseen[other as usize] -= 1);
    };
    visit(start, &mut seen, &mut unseen);
    order.push(start);
    while let Some(&at) = way.last() {
        let open = graph.neighbours(at).iter().map(|&other| other as usize);
        match open.filter(|&other| !seen[other]).min_by_key(|&other| (unseen[other], other)) {
            Some(next) => {
                visit(next, &mut seen, &mut unseen);
                order.push(next);
                way.push(next);
            }
            None => {
                way.pop();
            }
        }
    }
    shorten(graph, &mut order);
    order
}

/// Swaps neighbours in the order while that makes edges shorter around the circle.
fn shorten(graph: &Graph, order: &mut [usize]) {
    let n = order.len();
    let mut place_of = vec![0; n];
    order.iter().enumerate().for_each(|(place, &node)| place_of[node] = place);
    let around = |a: usize, b: usize| a.abs_diff(b).min(n - a.abs_diff(b));
    for _ in 0..SWEEPS {
        let mut changed = false;
        for place in 0..n {
            let (here, there) = (place, (place + 1) % n);
            let (one, other) = (order[here], order[there]);
            // What the swap changes for the edges of one node; the edge between the two stays.
            let gain = |node: usize, from: usize, to: usize, partner: usize| -> i64 {
                let others = graph.neighbours(node).iter().map(|&other| other as usize);
                let others = others.filter(|&other| other != partner);
                let change = |other: usize| {
                    around(from, place_of[other]) as i64 - around(to, place_of[other]) as i64
                };
                others.map(change).sum()
            };
            if gain(one, here, there, other) + gain(other, there, here, one) > 0 {
                order.swap(here, there);
                place_of.swap(one, other);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}
