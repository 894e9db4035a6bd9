//! The messages from one process to another that say most about their clocks.

use onca_model::Ticks;

/// A message: when it was sent, by the clock of the sender, and when it was received, by the clock
/// of the receiver.
pub(super) type Point = (Ticks, Ticks);

/// More points than this are thinned out. There can be very many pairs of processes.
const MAX_WAITING: usize = 64;

/// The lower convex hull of some messages, sent from left to right and received from below to
/// above. Whatever the rates of both clocks, the message that came earliest compared with its
/// sending is one of its corners, so that the others can be forgotten.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Hull {
    points: Vec<Point>,
    /// This many of them are the hull; the others came later.
    n_hull: usize,
}

impl Hull {
    /// Takes a message.
    pub fn push(&mut self, point: Point) {
        self.points.push(point);
        if self.points.len() >= 2 * self.n_hull.max(MAX_WAITING) {
            self.thin_out();
        }
    }

    /// Keeps the corners alone.
    pub fn thin_out(&mut self) {
        self.points.sort_unstable();
        // Of messages that were sent at once the first to arrive counts.
        self.points.dedup_by_key(|point| point.0);
        let mut hull: Vec<Point> = Vec::new();
        for &point in &self.points {
            while let [.., before, last] = hull[..]
                && !turns_up(before, last, point)
            {
                hull.pop();
            }
            hull.push(point);
        }
        self.n_hull = hull.len();
        self.points = hull;
    }

    /// The corners, once it was thinned out.
    pub fn corners(&self) -> &[Point] {
        &self.points
    }
}

/// Does the way from `a` over `b` to `c` turn to the left at `b`?
fn turns_up(a: Point, b: Point, c: Point) -> bool {
    let wide = |ticks: Ticks| i128::from(ticks);
    let (dx, dy) = (wide(b.0) - wide(a.0), wide(b.1) - wide(a.1));
    let (ex, ey) = (wide(c.0) - wide(b.0), wide(c.1) - wide(b.1));
    // Sides are shorter than 2^64: their products can be too long.
    let (left, right) = (dx.checked_mul(ey), dy.checked_mul(ex));
    left.zip(right).is_some_and(|(left, right)| left > right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_earliest_message_is_a_corner_whatever_the_rates() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..50 {
            let mut hull = Hull::default();
            let mut all = Vec::new();
            for _ in 0..rng.random_range(1..4000) {
                let sent = rng.random_range(-1000..100_000i64);
                let point = (sent, sent + rng.random_range(-500..5000));
                hull.push(point);
                all.push(point);
            }
            hull.thin_out();
            for (sender, receiver) in [(1, 1), (1000, 1001), (1001, 1000), (3, 2), (1, 9)] {
                let latest = |points: &[Point]| {
                    points.iter().map(|point| sender * point.0 - receiver * point.1).max()
                };
                assert_eq!(latest(hull.corners()), latest(&all));
            }
        }
    }

    #[test]
    fn extreme_times_do_not_overflow() {
        let mut hull = Hull::default();
        for point in [(i64::MIN, i64::MAX), (0, 0), (i64::MAX, i64::MIN), (i64::MAX, i64::MAX)] {
            hull.push(point);
        }
        hull.thin_out();
        assert!(!hull.corners().is_empty());
    }
}
