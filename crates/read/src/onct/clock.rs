//! From the ticks of a process to nanoseconds that all processes share.

use onca_model::Ticks;

use super::block::Reading;

/// Times beyond are clamped: only damage brings them, and sums of times must not overflow.
const FARTHEST: i128 = 1 << 61;

/// What the clock of a process and that of another showed at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub own: u64,
    pub other: u64,
    /// How far apart the moments may be, in own ticks; 0 if both read the same clock.
    pub width: u64,
}

/// The clock of a process: between two readings it runs evenly.
#[derive(Clone)]
pub(super) struct Clock {
    readings: Vec<Reading>,
    /// What is added to the monotonic clock.
    offset: i128,
    agreed: Option<Agreed>,
}

/// A clock by which another goes.
#[derive(Clone)]
struct Agreed {
    reference: Box<Clock>,
    /// Times of the own clock, and what is to be added there; none if both are the same clock.
    corrections: Vec<(i128, i128)>,
}

impl Clock {
    /// The clock that showed these readings, the first of which was made when the file was begun.
    pub fn new(start: Reading, others: impl Iterator<Item = Reading>) -> Self {
        let mut readings = vec![start];
        for reading in others {
            let last = readings[readings.len() - 1];
            // A clock that stands still or goes back is a reading that says nothing.
            if reading.ticks > last.ticks && reading.monotonic > last.monotonic {
                readings.push(reading);
            }
        }
        let offset = i128::from(start.realtime) - i128::from(start.monotonic);
        Self { readings, offset, agreed: None }
    }

    /// From now on times are those of another clock, with which this one was compared.
    pub fn agree(&mut self, reference: &Self, pairs: &[Pair]) {
        let is_same = |pair: &Pair| pair.width == 0 && pair.own == pair.other;
        let mut reference = reference.clone();
        reference.agreed = None;
        let correction = |pair: &Pair| {
            let own = self.exact_time(pair.own);
            (own, reference.exact_time(pair.other) - own)
        };
        let mut corrections: Vec<_> = match pairs.iter().all(is_same) {
            true => Vec::new(),
            false => pairs.iter().map(correction).collect(),
        };
        corrections.sort_unstable();
        corrections.dedup_by_key(|(own, _)| *own);
        if !pairs.is_empty() {
            self.agreed = Some(Agreed { reference: Box::new(reference), corrections });
        }
    }

    /// Does it know how fast ticks pass?
    pub fn has_rate(&self) -> bool {
        self.readings.len() > 1
    }

    /// All times count from this moment, in nanoseconds since 1970.
    pub fn count_from(&mut self, zero: i64) {
        self.offset -= i128::from(zero);
        if let Some(agreed) = &mut self.agreed {
            agreed.reference.count_from(zero);
            agreed.corrections.iter_mut().for_each(|(own, _)| *own -= i128::from(zero));
        }
    }

    /// The time at a tick.
    pub fn time(&self, ticks: u64) -> Ticks {
        let time = match &self.agreed {
            None => self.exact_time(ticks),
            Some(agreed) if agreed.corrections.is_empty() => agreed.reference.exact_time(ticks),
            Some(agreed) => {
                let own = self.exact_time(ticks);
                own + correction_at(&agreed.corrections, own)
            }
        };
        time.clamp(-FARTHEST, FARTHEST) as Ticks
    }

    /// The time at a tick by this clock alone.
    fn exact_time(&self, ticks: u64) -> i128 {
        let after = self.readings.partition_point(|reading| reading.ticks <= ticks);
        let last = self.readings.len() - 1;
        let from = after.saturating_sub(1).min(last.saturating_sub(1));
        let before = &self.readings[from];
        let elapsed = i128::from(ticks) - i128::from(before.ticks);
        let elapsed = match self.readings.get(from + 1) {
            None => elapsed,
            Some(next) => {
                let apart = i128::from(next.monotonic) - i128::from(before.monotonic);
                elapsed
                    .saturating_mul(apart)
                    .div_euclid(i128::from(next.ticks) - i128::from(before.ticks))
            }
        };
        let time = i128::from(before.monotonic) + elapsed + self.offset;
        time.clamp(-FARTHEST, FARTHEST)
    }
}

/// What is to be added at a time: it changes evenly from one comparison to the next, and not before the first or after
/// the last, where a small error of two that are close to each other would grow without bound.
fn correction_at(corrections: &[(i128, i128)], time: i128) -> i128 {
    let after = corrections.partition_point(|(own, _)| *own <= time);
    match (after.checked_sub(1).and_then(|at| corrections.get(at)), corrections.get(after)) {
        (Some(&(from, first)), Some(&(to, second))) => {
            let changed = (second - first).saturating_mul(time - from);
            first + changed.div_euclid(to - from)
        }
        (Some(&(_, only)), None) | (None, Some(&(_, only))) => only,
        (None, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(ticks: u64, monotonic: i64) -> Reading {
        Reading { ticks, monotonic, realtime: monotonic + 1000 }
    }

    #[test]
    fn time_passes_evenly_between_readings() {
        let others = [reading(200, 550), reading(150, 400), reading(300, 600)];
        let mut clock = Clock::new(reading(100, 500), others.into_iter());
        clock.count_from(1500);
        let times = [0, 100, 101, 150, 200, 201, 300, 400].map(|ticks| clock.time(ticks));
        assert_eq!(times, [-50, 0, 0, 25, 50, 50, 100, 150]);
    }

    #[test]
    fn times_are_those_of_the_clock_that_was_compared_with() {
        // The reference counts nanoseconds from 5000 on; this one is 300 behind at first and 100 behind later.
        let reference = Clock::new(reading(0, 4000), [reading(1000, 5000)].into_iter());
        let own = || Clock::new(reading(7000, 1000), [reading(9000, 3000)].into_iter());
        let pair = |own, other| Pair { own, other, width: 6 };
        let mut clock = own();
        assert_eq!(clock.time(7500), 2500);
        // At 7500 it shows 1500 + 1000, the other 5300; at 7700 it shows 2700, the other 5300.
        clock.agree(&reference, &[pair(7700, 300), pair(7500, 300)]);
        let times = [7400, 7500, 7550, 7600, 7700, 7800].map(|ticks| clock.time(ticks));
        assert_eq!(times, [5200, 5300, 5300, 5300, 5300, 5400]);
        clock.count_from(5000);
        assert_eq!(clock.time(7800), 400);
        // One comparison says nothing of the rate.
        let mut clock = own();
        clock.agree(&reference, &[pair(7500, 300)]);
        assert_eq!([7400, 7500, 7600].map(|ticks| clock.time(ticks)), [5200, 5300, 5400]);
        // The same clock needs no correction, and no readings of its own.
        let mut clock = own();
        clock.agree(&reference, &[Pair { own: 8000, other: 8000, width: 0 }]);
        assert_eq!(clock.time(1234), reference.time(1234));
    }

    #[test]
    fn a_clock_with_one_reading_counts_nanoseconds() {
        let clock = Clock::new(reading(100, 500), std::iter::empty());
        assert!(!clock.has_rate());
        assert_eq!(clock.time(130), 1530);
        assert_eq!(clock.time(u64::MAX), 1 << 61);
    }
}
