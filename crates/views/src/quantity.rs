//! Quantities on an axis: how they are spread, where the ticks are, how they are written.

use onca_layout::axis;
use onca_model::{TimeUnit, format::grouped};
use serde::{Deserialize, Serialize};

use crate::time_scale::readable_unit;

/// How quantities are spread along an axis or over colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Ruler {
    /// Equal steps are equal differences
    #[default]
    Linear,
    /// Equal steps are equal ratios
    Log,
}

impl Ruler {
    /// The ruler that tells quantities from the smallest to the largest apart.
    pub(crate) fn fitting(smallest: f64, largest: f64) -> Self {
        if smallest > 0.0 && largest / smallest > 100.0 { Self::Log } else { Self::Linear }
    }
}

/// What is measured.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Quantity {
    /// A number of things.
    Count,
    /// Bytes.
    Bytes,
    /// Ticks.
    Time(TimeUnit),
    /// A plain number that does not grow with time, such as a ratio.
    Number,
}

impl Quantity {
    /// A quantity for people, with its unit.
    pub fn text(&self, value: f64) -> String {
        let (size, unit) = self.unit(value);
        let number = brief(value / size);
        if unit.is_empty() { number } else { format!("{number} {unit}") }
    }

    /// How large the unit is in which a quantity has few digits.
    pub fn size(&self, value: f64) -> f64 {
        self.unit(value).0
    }

    /// The unit in which a quantity has few digits, and how large that is.
    fn unit(&self, value: f64) -> (f64, String) {
        match self {
            Self::Count | Self::Number => (1.0, String::new()),
            Self::Bytes => {
                const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
                let steps = (value.abs().max(1.0).log2() / 10.0).floor() as usize;
                let steps = steps.min(UNITS.len() - 1);
                (1024f64.powi(steps as i32), UNITS[steps].to_owned())
            }
            Self::Time(unit) => readable_unit(value.abs(), unit),
        }
    }

    /// At most `most` round quantities between two.
    pub fn ticks(&self, ruler: Ruler, from: f64, to: f64, most: usize) -> Vec<f64> {
        match (ruler, self) {
            (Ruler::Linear, _) => {
                let (size, _) = self.unit(to);
                let ticks = axis::ticks(from / size, to / size, most).at.into_iter();
                // Nothing is there half a time.
                let ticks = ticks.filter(|at| *self != Self::Count || at.fract() == 0.0);
                ticks.map(|at| at * size).collect()
            }
            (Ruler::Log, Self::Bytes) => powers_of_two(from, to, most),
            (Ruler::Log, Self::Count | Self::Number) => axis::decades(from, to, most),
            (Ruler::Log, Self::Time(unit)) => {
                // Ticks need not be a round part of a second; what is written must be round.
                let (size, _) = readable_unit(from, unit);
                let decades = axis::decades(from / size, to / size, most);
                decades.into_iter().map(|at| at * size).collect()
            }
        }
    }
}

/// Powers of two between two numbers above 0, thinned to at most `most`.
fn powers_of_two(from: f64, to: f64, most: usize) -> Vec<f64> {
    if !(from > 0.0 && to >= from && to.is_finite()) || most == 0 {
        return Vec::new();
    }
    let (first, last) = (from.log2().ceil() as i32, to.log2().floor() as i32);
    let n = (last - first + 1).max(0) as usize;
    // Strides of which some power is a unit: 1 KiB is 2 to the 10.
    let stride = [1, 2, 5, 10, 20, 40].into_iter().find(|stride| n.div_ceil(*stride) <= most);
    let stride = stride.unwrap_or(80) as i32;
    let begin = first.div_euclid(stride) * stride;
    let powers = (begin..=last).step_by(stride as usize).filter(|power| *power >= first);
    powers.map(|power| 2f64.powi(power)).collect()
}

/// A number with at most three digits that mean something, and no zeros that do not.
pub(crate) fn brief(number: f64) -> String {
    let magnitude = number.abs();
    if (1000.0..1e15).contains(&magnitude) {
        let sign = if number < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(magnitude.round() as u64));
    }
    if magnitude == 0.0 || !(1e-6..1e15).contains(&magnitude) {
        return if magnitude == 0.0 { "0".to_owned() } else { format!("{number:.2e}") };
    }
    let decimals = (2 - magnitude.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Quantities between two ends, each as a share of the way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Scale {
    /// How they are spread.
    pub ruler: Ruler,
    /// Where the way begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

impl Scale {
    /// How far along a quantity is, from 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        let way =
            |from: f64, to: f64, at: f64| if to > from { (at - from) / (to - from) } else { 1.0 };
        let share = match self.ruler {
            Ruler::Linear => way(self.from, self.to, value),
            Ruler::Log => way(self.from.ln(), self.to.ln(), value.ln()),
        };
        share.clamp(0.0, 1.0)
    }

    /// The quantity at a share of the way.
    pub fn at(&self, share: f64) -> f64 {
        match self.ruler {
            Ruler::Linear => self.from + share * (self.to - self.from),
            Ruler::Log => self.from * (self.to / self.from).powf(share),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_written_briefly() {
        let time = Quantity::Time(TimeUnit::default());
        for (quantity, value, text) in [
            (&Quantity::Count, 12_345.0, "12,345"),
            (&Quantity::Count, 7.0, "7"),
            (&Quantity::Bytes, 0.0, "0 B"),
            (&Quantity::Bytes, 1000.0, "1,000 B"),
            (&Quantity::Bytes, 1536.0, "1.5 KiB"),
            (&Quantity::Bytes, 67_108_864.0, "64 MiB"),
            (&time, 1_000_000.0, "1 ms"),
            (&time, 1_234_567.0, "1.23 ms"),
            (&time, 0.0, "0 s"),
        ] {
            assert_eq!(quantity.text(value), text);
        }
        assert_eq!(brief(-0.000_000_01), "-1.00e-8");
    }

    #[test]
    fn logarithmic_ticks_are_round_in_their_units() {
        let bytes = Quantity::Bytes.ticks(Ruler::Log, 1.0, 1_048_576.0, 5);
        let texts: Vec<String> = bytes.iter().map(|&at| Quantity::Bytes.text(at)).collect();
        assert_eq!(texts, ["1 B", "32 B", "1 KiB", "32 KiB", "1 MiB"]);
        let odd = Quantity::Time(TimeUnit { ticks_per_unit: 3_000, ..TimeUnit::default() });
        let ticks = odd.ticks(Ruler::Log, 3.0, 30_000.0, 9);
        let texts: Vec<String> = ticks.iter().map(|&at| odd.text(at)).collect();
        assert_eq!(texts, ["1 ms", "10 ms", "100 ms", "1 s", "10 s"]);
    }

    #[test]
    fn linear_ticks_are_round_in_their_units() {
        let ticks = Quantity::Bytes.ticks(Ruler::Linear, 0.0, 4096.0, 5);
        assert_eq!(ticks, [0.0, 1024.0, 2048.0, 3072.0, 4096.0]);
    }

    #[test]
    fn a_scale_goes_from_nought_to_one() {
        let scale = Scale { ruler: Ruler::Log, from: 1.0, to: 100.0 };
        assert!((scale.share(10.0) - 0.5).abs() < 1e-12);
        assert_eq!((scale.share(1.0), scale.share(1e9)), (0.0, 1.0));
        assert!((scale.at(0.5) - 10.0).abs() < 1e-12);
        assert_eq!(Scale { ruler: Ruler::Linear, from: 5.0, to: 5.0 }.share(5.0), 1.0);
    }
}
