//! From the ticks of a process to nanoseconds that all processes share.

use onca_model::Ticks;

use super::block::Reading;

/// Times beyond are clamped: only damage brings them, and sums of times must not overflow.
const FARTHEST: i128 = 1 << 61;

/// The clock of a process: between two readings it runs evenly.
pub(super) struct Clock {
    readings: Vec<Reading>,
    /// What is added to the monotonic clock.
    offset: i128,
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
        Self { readings, offset }
    }

    /// Does it know how fast ticks pass?
    pub fn has_rate(&self) -> bool {
        self.readings.len() > 1
    }

    /// All times count from this moment, in nanoseconds since 1970.
    pub fn count_from(&mut self, zero: i64) {
        self.offset -= i128::from(zero);
    }

    /// The time at a tick.
    pub fn time(&self, ticks: u64) -> Ticks {
        let after = self.readings.partition_point(|reading| reading.ticks <= ticks);
        let last = self.readings.len() - 1;
        let from = after.saturating_sub(1).min(last.saturating_sub(1));
        let before = &self.readings[from];
        let elapsed = i128::from(ticks) - i128::from(before.ticks);
        let elapsed = match self.readings.get(from + 1) {
            None => elapsed,
            Some(next) => {
                let apart = i128::from(next.monotonic) - i128::from(before.monotonic);
                (elapsed * apart).div_euclid(i128::from(next.ticks) - i128::from(before.ticks))
            }
        };
        let time = i128::from(before.monotonic) + elapsed + self.offset;
        time.clamp(-FARTHEST, FARTHEST) as Ticks
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
    fn a_clock_with_one_reading_counts_nanoseconds() {
        let clock = Clock::new(reading(100, 500), std::iter::empty());
        assert!(!clock.has_rate());
        assert_eq!(clock.time(130), 1530);
        assert_eq!(clock.time(u64::MAX), 1 << 61);
    }
}
