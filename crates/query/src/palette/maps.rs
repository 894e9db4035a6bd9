//! Colours of quantities.

use onca_model::Color;

use super::oklab::Lch;
use crate::Role;

/// The map cividis (Nuñez, Anderton, Renslow, 2018), sampled at equal steps.
const SEQUENTIAL: [Color; 10] = [
    Color::rgb(0x00, 0x22, 0x4e),
    Color::rgb(0x12, 0x35, 0x70),
    Color::rgb(0x3b, 0x49, 0x6c),
    Color::rgb(0x57, 0x5d, 0x6d),
    Color::rgb(0x70, 0x71, 0x73),
    Color::rgb(0x8a, 0x86, 0x78),
    Color::rgb(0xa5, 0x9c, 0x74),
    Color::rgb(0xc3, 0xb3, 0x69),
    Color::rgb(0xe1, 0xcc, 0x55),
    Color::rgb(0xfe, 0xe8, 0x38),
];

/// The colour of a quantity from 0, dark, to 1, bright: evenly lighter, for all kinds of colour
/// vision. What is beyond the ends has the colour of the end; what is not a number that of 0.
pub fn sequential(quantity: f64) -> Color {
    let last = SEQUENTIAL.len() - 1;
    let place = fraction(quantity) * last as f64;
    let at = (place as usize).min(last - 1);
    mix(SEQUENTIAL[at], SEQUENTIAL[at + 1], place - at as f64)
}

/// The two ends of a difference: hues that stay apart for all kinds of colour vision.
const LESS_HUE: f64 = 250.0;
const MORE_HUE: f64 = 50.0;
const NEUTRAL_LIGHTNESS: f64 = 0.95;
const END_LIGHTNESS: f64 = 0.50;
const END_CHROMA: f64 = 0.13;

/// The colour of a difference from -1, blue, over 0, a neutral light grey, to 1, orange. Equal
/// differences either way are equally dark.
pub fn diverging(difference: f64) -> Color {
    let size = fraction(difference.abs());
    Lch {
        lightness: NEUTRAL_LIGHTNESS + (END_LIGHTNESS - NEUTRAL_LIGHTNESS) * size,
        chroma: END_CHROMA * size,
        hue: if difference < 0.0 { LESS_HUE } else { MORE_HUE },
    }
    .to_color()
}

const NONE_LIGHTNESS: f64 = 0.96;
const ALL_LIGHTNESS: f64 = 0.38;

/// The shade for `count` out of `most`, such as active threads: from nearly white for none to a
/// dark tone of the colour of computing for all.
pub fn count_shade(count: usize, most: usize) -> Color {
    let share = if most == 0 { 0.0 } else { fraction(count as f64 / most as f64) };
    let Lch { chroma, hue, .. } = Lch::of(Role::Compute.color());
    Lch {
        lightness: NONE_LIGHTNESS + (ALL_LIGHTNESS - NONE_LIGHTNESS) * share,
        // The faintest tone is still a tone, but for nothing at all.
        chroma: if share == 0.0 { 0.0 } else { chroma * (0.3 + 0.7 * share) },
        hue,
    }
    .to_color()
}

/// One shade for each number from 0 to `most`. See [`count_shade`].
pub fn count_shades(most: usize) -> Vec<Color> {
    (0..=most).map(|count| count_shade(count, most)).collect()
}

/// A number in 0 to 1; 0 if it is none.
fn fraction(number: f64) -> f64 {
    if number.is_nan() { 0.0 } else { number.clamp(0.0, 1.0) }
}

fn mix(from: Color, to: Color, share: f64) -> Color {
    let part = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
    };
    Color::rgb(part(from.red, to.red), part(from.green, to.green), part(from.blue, to.blue))
}
