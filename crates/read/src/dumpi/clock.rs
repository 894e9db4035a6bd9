//! Clocks of a file.

use onca_model::time_of;

/// Seconds are recorded with 16 bits.
const LAP: i64 = 1 << 16;
const SECOND: i64 = 1_000_000_000;

/// A clock whose seconds begin again at 0 every 18 hours. It does not go back by more than half
/// of that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// Seconds to be added.
    offset: i64,
    /// The last second, with all laps.
    last: Option<i64>,
}

impl Clock {
    pub fn new(offset: i32) -> Self {
        Self { offset: offset.into(), last: None }
    }

    /// A time in nanoseconds; `None` if there is none such.
    pub fn time(&mut self, seconds: u16, nanoseconds: u32) -> Option<i64> {
        if i64::from(nanoseconds) >= SECOND {
            return None;
        }
        let seconds = match self.last {
            None => seconds.into(),
            Some(last) => {
                let here = last.div_euclid(LAP) * LAP + i64::from(seconds);
                match here - last {
                    ahead if ahead > LAP / 2 && here >= LAP => here - LAP,
                    ahead if ahead < -LAP / 2 => here + LAP,
                    _ => here,
                }
            }
        };
        self.last = Some(seconds);
        time_of((seconds + self.offset).checked_mul(SECOND)?.checked_add(nanoseconds.into())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_are_counted() {
        let mut clock = Clock::new(10);
        let mut at = |seconds| clock.time(seconds, 5).map(|time| time / SECOND);
        assert_eq!(at(65_000), Some(65_010));
        assert_eq!(at(65_535), Some(65_545));
        assert_eq!(at(3), Some(65_549));
        assert_eq!(at(65_534), Some(65_544), "a little back is no lap");
        assert_eq!(at(40_000), Some(40_010));
        assert_eq!(clock.time(1, 1_000_000_000), None);
    }
}
