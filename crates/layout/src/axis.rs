//! Round numbers along an axis.

/// The ticks of an axis: round numbers, with as many decimals as tell them apart.
#[derive(Clone, PartialEq, Debug)]
pub struct Ticks {
    /// Where they are, in rising order.
    pub at: Vec<f64>,
    /// How far they are apart.
    pub step: f64,
    /// How many decimals they need.
    pub decimals: usize,
}

/// At most `most` round numbers from `from` to `to`: multiples of 1, 2 or 5 times a power of ten.
pub fn ticks(from: f64, to: f64, most: usize) -> Ticks {
    let span = to - from;
    if !(span > 0.0 && span.is_finite()) || most == 0 {
        let at = if from.is_finite() && most > 0 { vec![from] } else { Vec::new() };
        return Ticks { at, step: 0.0, decimals: 3 };
    }
    let mut step = round_step(span / most as f64);
    let mut multiples = multiples(from, to, step);
    if multiples.len() > most {
        step = round_step(step * 1.01);
        multiples = self::multiples(from, to, step);
    }
    Ticks { at: multiples, step, decimals: decimals(step) }
}

/// The powers of ten from `from` to `to`, both above 0, thinned to at most `most`.
pub fn decades(from: f64, to: f64, most: usize) -> Vec<f64> {
    if !(from > 0.0 && to >= from && to.is_finite()) || most == 0 {
        return Vec::new();
    }
    let first = from.log10().ceil() as i32;
    let last = to.log10().floor() as i32;
    let stride = ((last - first + 1).max(1) as usize).div_ceil(most);
    (first..=last).step_by(stride).map(|power| 10f64.powi(power)).collect()
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    // A hair below: 0.1 + 0.2 must not make a step of 0.3 into one of 0.5.
    let factor = factors.into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// The multiples of a step, computed from their number and never added up.
fn multiples(from: f64, to: f64, step: f64) -> Vec<f64> {
    let slack = 1e-6;
    let first = (from / step - slack).ceil() as i64;
    let last = (to / step + slack).floor() as i64;
    let inverse = (1.0 / step).round();
    // Dividing by a whole number gives 0.3 where multiplying by 0.1 gives 0.30000000000000004.
    let at = |number: i64| {
        if step < 1.0 { number as f64 / inverse } else { number as f64 * step }
    };
    (first..=last).map(at).collect()
}

fn decimals(step: f64) -> usize {
    (-step.log10().floor()).clamp(0.0, 18.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 1.0, 6).at, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks(0.13, 0.46, 4).at, [0.2, 0.3, 0.4]);
        assert_eq!(ticks(0.0, 97.0, 5).at, [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(ticks(-5.0, 5.0, 3).at, [-5.0, 0.0, 5.0]);
        assert_eq!(ticks(0.13, 0.46, 4).decimals, 1);
        assert_eq!(ticks(1e6, 3e6, 4).decimals, 0);
    }

    #[test]
    fn there_are_never_more_than_asked_for() {
        for most in 1..12 {
            for (from, to) in [(0.0, 1.0), (3.3, 3.4), (-1e9, 1e12), (1e-9, 2.1e-9), (0.05, 0.95)] {
                let ticks = ticks(from, to, most);
                assert!(ticks.at.len() <= most.max(1), "{from} {to} {most}: {ticks:?}");
                assert!(ticks.at.windows(2).all(|pair| pair[0] < pair[1]));
                let span = to - from;
                let inside = |at: &f64| *at >= from - span * 1e-3 && *at <= to + span * 1e-3;
                assert!(ticks.at.iter().all(inside), "{ticks:?}");
            }
        }
    }

    #[test]
    fn an_empty_axis_has_one_tick_at_most() {
        assert_eq!(ticks(2.0, 2.0, 5).at, [2.0]);
        assert_eq!(ticks(f64::NAN, 2.0, 5).at, []);
        assert_eq!(ticks(3.0, 2.0, 5).at, [3.0]);
        assert_eq!(ticks(0.0, 2.0, 0).at, []);
    }

    #[test]
    fn decades_are_thinned() {
        assert_eq!(decades(1.0, 1000.0, 10), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(decades(1.0, 1000.0, 2), [1.0, 100.0]);
        assert_eq!(decades(0.0, 10.0, 5), []);
        assert_eq!(decades(20.0, 90.0, 5), []);
    }
}
