//! Two processes that send messages to each other: how the clock of the one is read by that of the
//! other, as a line.

/// Clocks drift less than this, compared with each other.
pub(super) const MAX_DRIFT: f64 = 1e-3;

/// This many halvings leave nothing of an interval.
const HALVINGS: u32 = 70;

/// A time of the sender and one of the receiver.
type Point = (f64, f64);

/// The messages of two processes, as far as they bound anything: none was received before it was
/// sent. `there` go from the first process to the second, `back` the other way.
pub(super) struct Pair {
    pub there: Vec<Point>,
    pub back: Vec<Point>,
}

/// What the first clock shows when the second shows a time: `start + rate * time`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Line {
    pub start: f64,
    pub rate: f64,
}

impl Pair {
    /// The least start of a line with this rate that messages there allow, and when the message
    /// that says so was received.
    fn least(&self, rate: f64) -> (f64, f64) {
        let start = |&(sent, received): &Point| (sent - rate * received, received);
        self.there.iter().map(start).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }

    /// The greatest start of a line with this rate that messages back allow, and when the message
    /// that says so was sent.
    fn greatest(&self, rate: f64) -> (f64, f64) {
        let start = |&(sent, received): &Point| (received - rate * sent, sent);
        self.back.iter().map(start).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }

    /// How much room there is for lines of a rate; negative if there are none.
    fn room(&self, rate: f64) -> f64 {
        self.greatest(rate).0 - self.least(rate).0
    }

    /// The line in the middle of the most room.
    pub fn best(&self) -> Line {
        // The room is concave: it grows with the rate as long as the message there that bounds it
        // is later than the one back.
        let rate = halve(1.0 - MAX_DRIFT, 1.0 + MAX_DRIFT, |rate| {
            self.least(rate).1 > self.greatest(rate).1
        });
        Line { start: (self.least(rate).0 + self.greatest(rate).0) / 2.0, rate }
    }

    /// The rates that lines can have, from the best one down and up; `None` if no line is possible.
    pub fn rates(&self, best: Line) -> Option<(f64, f64)> {
        if self.room(best.rate) < 0.0 {
            return None;
        }
        let edge = |outer: f64| match self.room(outer) >= 0.0 {
            true => outer,
            false => {
                halve(0.0, 1.0, |part| self.room(best.rate + part * (outer - best.rate)) >= 0.0)
                    .mul_add(outer - best.rate, best.rate)
            }
        };
        Some((edge(1.0 - MAX_DRIFT), edge(1.0 + MAX_DRIFT)))
    }

    /// What the first clock can show at least and at most when the second shows a time, by all
    /// lines that are possible.
    pub fn bounds(&self, (slow, fast): (f64, f64), time: f64) -> (f64, f64) {
        let low = halve(slow, fast, |rate| self.least(rate).1 > time);
        let high = halve(slow, fast, |rate| self.greatest(rate).1 < time);
        (self.least(low).0 + low * time, self.greatest(high).0 + high * time)
    }
}

/// Where something that holds on the left of an interval ceases to hold.
fn halve(mut left: f64, mut right: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = left + (right - left) / 2.0;
        if holds(middle) { left = middle } else { right = middle }
    }
    left + (right - left) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_passes_between_the_messages() {
        // The second clock is 100 ahead and gains one in ten thousand; messages take 10.
        let second = |time: f64| time * 1.0001 + 100.0;
        let times = (0..100).map(|i| f64::from(i) * 1000.0);
        let pair = Pair {
            there: times.clone().map(|time| (time, second(time + 10.0))).collect(),
            back: times.map(|time| (second(time), time + 10.0)).collect(),
        };
        let best = pair.best();
        let rates = pair.rates(best).expect("lines are possible");
        for time in [0.0, 50_000.0, 99_000.0] {
            let (low, high) = pair.bounds(rates, second(time));
            assert!((best.start + best.rate * second(time) - time).abs() < 0.1, "{best:?}");
            assert!(low <= time && time <= high && high - low < 25.0, "{low} {high}");
        }
        assert!((best.rate - 1.0 / 1.0001).abs() < 1e-6);
    }

    #[test]
    fn clocks_that_jump_have_no_line() {
        let there = vec![(0.0, 1.0), (1000.0, 701.0), (2000.0, 2001.0)];
        let back = vec![(0.0, 1.0), (700.0, 1001.0), (2000.0, 2001.0)];
        let pair = Pair { there, back };
        assert_eq!(pair.rates(pair.best()), None);
    }
}
