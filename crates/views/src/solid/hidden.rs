//! What hides what.
//!
//! Boxes of a node stand on each other in one column, and columns do not overlap on the base. So all
//! boxes of a column are drawn before those of any column that stands in front of it, and within a
//! column from below: that order is exact. Which column stands in front is asked only of pairs that
//! overlap across the picture; seen from above these are disjoint squares, of which no three can
//! hide each other in a circle.

use super::camera::{Place, View};

/// A square on the base with boxes on it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Column {
    pub x: f64,
    pub y: f64,
    /// Half the width of the widest box.
    pub radius: f64,
    /// The boxes, from below: from where to where, half the width.
    pub boxes: Vec<(f64, f64, f64)>,
}

/// The columns in an order in which each is drawn before those in front of it.
pub(super) fn from_behind(view: &View, columns: &[Column]) -> Vec<usize> {
    let n = columns.len();
    let spans: Vec<(f64, f64)> =
        columns.iter().map(|column| view.across((column.x, column.y), column.radius)).collect();
    let mut by_left: Vec<usize> = (0..n).collect();
    by_left.sort_by(|&a, &b| spans[a].0.total_cmp(&spans[b].0).then(a.cmp(&b)));
    let mut in_front: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut n_behind = vec![0usize; n];
    let mut open: Vec<usize> = Vec::new();
    for &next in &by_left {
        open.retain(|&other| spans[other].1 > spans[next].0);
        for &other in &open {
            let (back, front) = match stands_behind(view, &columns[next], &columns[other]) {
                Some(true) => (next, other),
                Some(false) => (other, next),
                None => continue,
            };
            in_front[back].push(front);
            n_behind[front] += 1;
        }
        open.push(next);
    }
    // Of those that nothing waits for, the first by number: the order is the same everywhere.
    let mut free: std::collections::BTreeSet<usize> =
        (0..n).filter(|&column| n_behind[column] == 0).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(column) = free.pop_first() {
        order.push(column);
        for &front in &in_front[column] {
            n_behind[front] -= 1;
            if n_behind[front] == 0 {
                free.insert(front);
            }
        }
    }
    order
}

/// Does the one stand behind the other? `None` where neither can hide the other.
fn stands_behind(view: &View, one: &Column, other: &Column) -> Option<bool> {
    let reach = one.radius + other.radius;
    // Along an axis on which they are apart, the one that is farther away is behind.
    let by_axis = |own: f64, others: f64, away: f64| {
        let apart = (own - others).abs() >= reach - 1e-9;
        (apart && away != 0.0).then_some((own > others) == (away > 0.0))
    };
    let x = by_axis(one.x, other.x, view.away.0);
    let y = by_axis(one.y, other.y, view.away.1);
    match (x, y) {
        (Some(x), Some(y)) if x != y => None,
        _ => x.or(y),
    }
}

/// Is a place hidden by a box?
pub(super) fn is_hidden(view: &View, columns: &[Column], place: Place) -> bool {
    let way = view.towards_camera();
    columns.iter().any(|column| {
        let along = |at: f64, way: f64, middle: f64| slab(at, way, middle, column.radius);
        let Some(x) = along(place.x, way.x, column.x) else { return false };
        let Some(y) = along(place.y, way.y, column.y) else { return false };
        let (from, to) = (x.0.max(y.0).max(0.0), x.1.min(y.1));
        if to <= from + 1e-9 {
            return false;
        }
        let height = |t: f64| place.z + t.min(1e3) * way.z;
        let (low, high) = (height(from), height(to));
        let first = column.boxes.partition_point(|(_, top, _)| *top <= low);
        column.boxes[first..]
            .iter()
            .take_while(|(bottom, ..)| *bottom < high || (low == high && *bottom <= low))
            .any(|&(bottom, top, radius)| hits(view, column, place, (bottom, top, radius)))
    })
}

/// Does the way from a place to the camera go through a box?
fn hits(
    view: &View,
    column: &Column,
    place: Place,
    (bottom, top, radius): (f64, f64, f64),
) -> bool {
    let way = view.towards_camera();
    let (middle, half) = ((bottom + top) / 2.0, (top - bottom) / 2.0);
    let sides = [
        slab(place.x, way.x, column.x, radius),
        slab(place.y, way.y, column.y, radius),
        slab(place.z, way.z, middle, half),
    ];
    let [Some(x), Some(y), Some(z)] = sides else { return false };
    let from = x.0.max(y.0).max(z.0).max(0.0);
    x.1.min(y.1).min(z.1) > from + 1e-9
}

/// From where to where a way is between two planes; `None` if never.
fn slab(at: f64, way: f64, middle: f64, half: f64) -> Option<(f64, f64)> {
    let (low, high) = (middle - half - at, middle + half - at);
    if way.abs() < 1e-12 {
        return (low < 0.0 && high > 0.0).then_some((f64::NEG_INFINITY, f64::INFINITY));
    }
    let (from, to) = (low / way, high / way);
    Some((from.min(to), from.max(to)))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::camera::Camera;
    use super::*;

    /// Columns on a grid with holes, of different widths, so that none overlap.
    fn columns(dice: &mut ChaCha8Rng) -> Vec<Column> {
        let mut columns = Vec::new();
        for cell in 0..36 {
            if dice.random_bool(0.6) {
                let radius = dice.random_range(0.05..0.5);
                let free = 0.5 - radius;
                let x = f64::from(cell % 6) + dice.random_range(-free..=free);
                let y = f64::from(cell / 6) + dice.random_range(-free..=free);
                let mut z = 0.0;
                let mut boxes = Vec::new();
                for _ in 0..dice.random_range(1..4) {
                    let from = z + dice.random_range(0.0..0.5);
                    z = from + dice.random_range(0.1..2.0);
                    boxes.push((from, z, radius));
                }
                columns.push(Column { x, y, radius, boxes });
            }
        }
        columns
    }

    fn random_camera(dice: &mut ChaCha8Rng) -> Camera {
        let round = f64::from(dice.random_range(0..24)) * 15.0;
        let azimuth = if dice.random_bool(0.3) { round } else { dice.random_range(0.0..360.0) };
        Camera { azimuth, elevation: dice.random_range(0.0..89.0) }
    }

    /// A point inside a box is hidden by exactly those boxes that are drawn later.
    #[test]
    fn the_order_agrees_with_rays() {
        let mut dice = ChaCha8Rng::seed_from_u64(8);
        let mut n_hidden = 0;
        for _ in 0..60 {
            let columns = columns(&mut dice);
            let view = View::new(random_camera(&mut dice));
            let order = from_behind(&view, &columns);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..columns.len()).collect::<Vec<_>>());
            for (at, &back) in order.iter().enumerate() {
                for _ in 0..20 {
                    let own = &columns[back];
                    let inside = |dice: &mut ChaCha8Rng| dice.random_range(-1.0..1.0) * own.radius;
                    let place = Place {
                        x: own.x + inside(&mut dice),
                        y: own.y + inside(&mut dice),
                        z: dice.random_range(0.0..5.0),
                    };
                    // No column that was drawn before may hide it.
                    for &earlier in &order[..at] {
                        assert!(!is_hidden(&view, &columns[earlier..=earlier], place));
                    }
                    n_hidden += usize::from(is_hidden(&view, &columns, place));
                }
            }
        }
        assert!(n_hidden > 1000, "the test must have something to hide: {n_hidden}");
    }

    #[test]
    fn hidden_is_what_steps_along_the_way_find() {
        let mut dice = ChaCha8Rng::seed_from_u64(21);
        for _ in 0..20 {
            let columns = columns(&mut dice);
            let view = View::new(random_camera(&mut dice));
            let way = view.towards_camera();
            for _ in 0..50 {
                let mut at = || dice.random_range(-1.0..6.0);
                let place = Place { x: at(), y: at(), z: at() };
                let inside = |place: Place, margin: f64| {
                    columns.iter().any(|column| {
                        let near = column.radius - margin;
                        (place.x - column.x).abs() < near
                            && (place.y - column.y).abs() < near
                            && column.boxes.iter().any(|(bottom, top, _)| {
                                place.z > bottom + margin && place.z < top - margin
                            })
                    })
                };
                let steps = |margin: f64| {
                    (0..6000).any(|step| {
                        let t = f64::from(step) * 2e-3;
                        let step = Place {
                            x: place.x + t * way.x,
                            y: place.y + t * way.y,
                            z: place.z + t * way.z,
                        };
                        inside(step, margin)
                    })
                };
                // What only grazes an edge may be missed by steps, or found by them too early.
                match (steps(5e-3), steps(-5e-3)) {
                    (true, _) => assert!(is_hidden(&view, &columns, place)),
                    (_, false) => assert!(!is_hidden(&view, &columns, place)),
                    (false, true) => {}
                }
            }
        }
    }
}
