//! What the pixels of a strip show. Files and the page follow these rules, so that they are one
//! picture.

use onca_model::Color;

use crate::{CLEAR, strip::Strips};

/// How a strip becomes pixels. Lengths are in pixels of the page.
///
/// A strip is put on whole pixels of the device. A pixel of a thin one has the mean of the parts
/// that it covers, so that none is lost. A pixel of a higher one has the part in its middle: what is
/// too thin for that leaves a mark at the top. Columns that hide single entities have a darker foot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PixelRules {
    /// Strips that are lower are thin.
    pub thin: f64,
    /// The channels of a mean are multiples of this: nobody sees the difference, and images of many
    /// means are a tenth smaller.
    pub mean_step: f64,
    /// The mark of a rare value: its share of the height.
    pub rare_share: f64,
    /// The mark is no lower than this,
    pub rare_least: f64,
    /// and no higher than this.
    pub rare_most: f64,
    /// How high the foot of a column is.
    pub foot: f64,
    /// How much of black a foot has.
    pub foot_shade: f64,
}

/// The rules of all pictures.
pub const PIXEL_RULES: PixelRules = PixelRules {
    // Six pixels. Sides of boxes reach the page as short numbers, which may lack a little.
    thin: 5.9,
    mean_step: 4.0,
    rare_share: 0.2,
    rare_least: 1.0,
    rare_most: 3.0,
    foot: 1.0,
    foot_shade: 0.35,
};

/// The parts of a column fill it when their shares have this sum.
const WHOLE: f64 = 255.0;

impl PixelRules {
    /// Is a strip of this height thin?
    pub fn is_thin(&self, height: f64) -> bool {
        height < self.thin
    }

    /// How high the mark of a rare value is on a strip.
    pub fn rare_mark(&self, height: f64) -> f64 {
        (height * self.rare_share).clamp(self.rare_least, self.rare_most)
    }

    /// A colour at the foot of a column.
    pub fn at_foot(&self, color: Color) -> Color {
        let shaded = |byte: u8| (f64::from(byte) * (1.0 - self.foot_shade)).round() as u8;
        let Color { red, green, blue, alpha } = color;
        Color { red: shaded(red), green: shaded(green), blue: shaded(blue), alpha }
    }
}

impl Strips {
    /// What a column has between two heights, which are parts of the whole counted from below: the
    /// mean of its colours, as translucent as the column is empty there.
    pub fn mean(&self, column: usize, from: f64, to: f64) -> Color {
        let (from, to) = (from * WHOLE, to * WHOLE);
        let (mut sum, mut opacity, mut below) = ([0.0; 3], 0.0, 0.0);
        for part in self.parts_of(column) {
            let above = below + f64::from(part.share);
            let color = self.palette.get(usize::from(part.color)).copied().unwrap_or(CLEAR);
            if below <= from && above >= to {
                return color;
            }
            let amount = (above.min(to) - f64::max(below, from)) * f64::from(color.alpha);
            if amount > 0.0 {
                let channels = [color.red, color.green, color.blue];
                sum.iter_mut().zip(channels).for_each(|(sum, own)| *sum += amount * f64::from(own));
                opacity += amount;
            }
            below = above;
            if below >= to {
                break;
            }
        }
        if opacity == 0.0 {
            return CLEAR;
        }
        let step = PIXEL_RULES.mean_step;
        let channel = |mean: f64| ((mean / step).round() * step).min(WHOLE) as u8;
        let [red, green, blue] = sum.map(|sum| channel(sum / opacity));
        Color { red, green, blue, alpha: (opacity / (to - from)).round() as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ColumnPart;

    #[test]
    fn the_mean_is_that_of_many_samples() {
        let palette = vec![
            Color::rgb(250, 20, 90),
            Color::rgb(0, 200, 255),
            Color { red: 80, green: 80, blue: 0, alpha: 128 },
        ];
        let mut strips = Strips { palette: palette.clone(), ..Strips::default() };
        let shares = [(0, 60), (2, 40), (1, 100)];
        let part = |(color, share)| ColumnPart { color, share };
        strips.push_column(shares.map(part), None, false);
        const SAMPLES: i32 = 10_000;
        for (from, to) in [(0.0, 1.0), (0.0, 0.2), (0.2, 0.5), (0.3, 0.9), (0.7, 0.8), (0.9, 1.0)] {
            let mut sums = [0.0; 4];
            for sample in 0..SAMPLES {
                let level = from + (to - from) * (f64::from(sample) + 0.5) / f64::from(SAMPLES);
                let color = match level * 255.0 {
                    ..60.0 => palette[0],
                    60.0..100.0 => palette[2],
                    100.0..200.0 => palette[1],
                    _ => CLEAR,
                };
                let alpha = f64::from(color.alpha);
                let own = [color.red, color.green, color.blue].map(|byte| f64::from(byte) * alpha);
                let own = [own[0], own[1], own[2], alpha];
                sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own / f64::from(SAMPLES));
            }
            let found = strips.mean(0, from, to);
            let near = |found: u8, expected: f64| (f64::from(found) - expected).abs() <= 2.5;
            assert!(near(found.alpha, sums[3]), "{from} to {to}: {found}");
            for (channel, sum) in [found.red, found.green, found.blue].into_iter().zip(sums) {
                let expected = if sums[3] > 0.0 { sum / sums[3] } else { 0.0 };
                assert!(near(channel, expected), "{from} to {to}: {found}");
            }
        }
    }

    #[test]
    fn marks_keep_to_their_sizes() {
        let marks = [4.0, 10.0, 40.0].map(|height| PIXEL_RULES.rare_mark(height));
        assert_eq!(marks, [1.0, 2.0, 3.0]);
        assert!(PIXEL_RULES.is_thin(5.0) && !PIXEL_RULES.is_thin(6.0));
        assert_eq!(PIXEL_RULES.at_foot(Color::rgb(200, 100, 0)), Color::rgb(130, 65, 0));
    }
}
