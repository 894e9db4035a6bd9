//! Room between places.

use std::collections::BTreeMap;

use super::Spot;

/// How often all are pushed.
const ROUNDS: usize = 200;

/// Places of which no two are nearer than `gap` along both axes, as far as some rounds of pushing get
/// that done, in the square from -1 to 1. Those that are farther apart hardly move.
pub fn pushed_apart(mut spots: Vec<Spot>, gap: f64) -> Vec<Spot> {
    for _ in 0..ROUNDS {
        let mut pushes = vec![Spot::default(); spots.len()];
        let mut any = false;
        for (a, b) in near_pairs(&spots, gap) {
            let (x, y) = (spots[b].x - spots[a].x, spots[b].y - spots[a].y);
            // Along the axis on which the least is missing; those at the same place by their order.
            let (missing_x, missing_y) = (gap - x.abs(), gap - y.abs());
            let along_x = missing_x <= missing_y;
            let (missing, way) = if along_x { (missing_x, x) } else { (missing_y, y) };
            let by = 0.4 * missing * if way < 0.0 { -1.0 } else { 1.0 };
            let push = if along_x { Spot::new(by, 0.0) } else { Spot::new(0.0, by) };
            pushes[a] = Spot::new(pushes[a].x - push.x, pushes[a].y - push.y);
            pushes[b] = Spot::new(pushes[b].x + push.x, pushes[b].y + push.y);
            any = true;
        }
        if !any {
            break;
        }
        for (spot, push) in spots.iter_mut().zip(pushes) {
            *spot =
                Spot::new((spot.x + push.x).clamp(-1.0, 1.0), (spot.y + push.y).clamp(-1.0, 1.0));
        }
    }
    spots
}

/// Half of the smallest gap between two places, along the axis on which it is larger: squares of that
/// half width around all of them do not overlap. At most `most`.
pub fn half_gap(spots: &[Spot], most: f64) -> f64 {
    let gap = near_pairs(spots, 2.0 * most)
        .into_iter()
        .map(|(a, b)| (spots[a].x - spots[b].x).abs().max((spots[a].y - spots[b].y).abs()))
        .fold(2.0 * most, f64::min);
    gap / 2.0
}

/// The pairs that are nearer than `gap` along both axes, each once, in order.
fn near_pairs(spots: &[Spot], gap: f64) -> Vec<(usize, usize)> {
    let gap = gap.max(1e-9);
    let bin = |spot: &Spot| ((spot.x / gap).floor() as i64, (spot.y / gap).floor() as i64);
    let mut bins: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
    spots.iter().enumerate().for_each(|(at, spot)| bins.entry(bin(spot)).or_default().push(at));
    let mut pairs = Vec::new();
    for (a, spot) in spots.iter().enumerate() {
        let (column, row) = bin(spot);
        for near in (-1..=1).flat_map(|x| (-1..=1).map(move |y| (column + x, row + y))) {
            for &b in bins.get(&near).map_or(&[][..], Vec::as_slice) {
                let is_near = |a: f64, b: f64| (a - b).abs() < gap;
                if a < b && is_near(spot.x, spots[b].x) && is_near(spot.y, spots[b].y) {
                    pairs.push((a, b));
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
