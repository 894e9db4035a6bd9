//! Colours as people with each kind of colour vision see them.

use onca_model::Color;

use super::oklab::{Lab, linear};

/// Each kind of colour vision, and what it makes of red, green and blue light (Machado, Oliveira,
/// Fernandes, 2009, severity 1).
pub(super) const VISIONS: [(&str, [[f64; 3]; 3]); 4] = [
    ("trichromacy", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// A colour as it is seen by each of [`VISIONS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen([Lab; VISIONS.len()]);

impl Seen {
    pub(super) fn of(color: Color) -> Self {
        let light = linear(color);
        Self(VISIONS.map(|(_, matrix)| {
            let part = |row: [f64; 3]| {
                let sum: f64 = row.iter().zip(light).map(|(factor, part)| factor * part).sum();
                sum.clamp(0.0, 1.0)
            };
            Lab::of_linear(matrix.map(part))
        }))
    }

    /// The distance for people who see all colours.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        self.0[0].distance(other.0[0])
    }

    /// The distance for those to whom the two look most alike.
    pub(super) fn least_distance(&self, other: &Self) -> f64 {
        let distances = self.0.iter().zip(other.0).map(|(lab, other)| lab.distance(other));
        distances.fold(f64::INFINITY, f64::min)
    }

    /// How light the colour is to each.
    #[cfg(test)]
    pub(super) fn lightness(&self) -> [f64; VISIONS.len()] {
        self.0.map(|lab| lab.lightness)
    }
}
