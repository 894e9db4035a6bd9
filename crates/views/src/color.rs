//! Colours made from colours.

use std::sync::LazyLock;

use onca_model::Color;
use onca_query::{Appearance, DerivedValue, Scope, StateValue};

use crate::{Theme, theme::ThemeColors};

/// A colour between two, mixed as light is: a share of 0 gives `from`, 1 gives `to`.
pub(crate) fn mix(from: Color, to: Color, share: f64) -> Color {
    let share = share.clamp(0.0, 1.0);
    let channel = |from: u8, to: u8| {
        let light = linear(from) * (1.0 - share) + linear(to) * share;
        encoded(light)
    };
    Color::rgb(
        channel(from.red, to.red),
        channel(from.green, to.green),
        channel(from.blue, to.blue),
    )
}

/// The mean of colours by weight, mixed as light is; black if nothing has any weight.
pub(crate) fn mean(colors: impl IntoIterator<Item = (Color, f64)>) -> Color {
    let mut light = [0.0; 3];
    let mut whole = 0.0;
    for (color, weight) in colors {
        let channels = [color.red, color.green, color.blue];
        light.iter_mut().zip(channels).for_each(|(sum, of)| *sum += linear(of) * weight);
        whole += weight;
    }
    let [red, green, blue] = light.map(|sum| if whole > 0.0 { encoded(sum / whole) } else { 0 });
    Color::rgb(red, green, blue)
}

/// The colour that is seen when a colour that may be translucent lies over another.
pub(crate) fn over(color: Color, behind: Color) -> Color {
    if color.alpha == 255 {
        return color;
    }
    mix(behind, Color { alpha: 255, ..color }, f64::from(color.alpha) / 255.0)
}

/// The same colour, a little darker: for edges.
pub(crate) fn darker(color: Color) -> Color {
    Color { alpha: color.alpha, ..mix(color, Color::rgb(0, 0, 0), 0.35) }
}

/// The same colour, translucent.
pub(crate) fn faded(color: Color, opacity: f64) -> Color {
    Color { alpha: (opacity.clamp(0.0, 1.0) * 255.0).round() as u8, ..color }
}

/// A colour of the same hue for thin marks: as far from what is behind as eyes need to see it.
pub(crate) fn legible(color: Color, behind: Color) -> Color {
    const LEAST: f64 = 2.6;
    let away = text_on(behind);
    let nearer = |step: u8| mix(color, away, f64::from(step) / 12.0);
    let found = (0..10).map(nearer).find(|mixed| contrast(*mixed, behind) >= LEAST);
    let legible = found.unwrap_or_else(|| nearer(10));
    Color { alpha: color.alpha, ..legible }
}

/// Black or white, whichever can be read better on a colour.
pub(crate) fn text_on(color: Color) -> Color {
    let (black, white) = (Color::rgb(16, 16, 20), Color::rgb(255, 255, 255));
    if contrast(black, color) >= contrast(white, color) { black } else { white }
}

/// The edge of a colour: one that can be seen where the colour would be lost on the background,
/// else the usual one. Yellow is as bright as white and not lost on it: all channels must agree.
pub(crate) fn edge_on(color: Color, colors: &ThemeColors, usual: Color) -> Color {
    const NEAR: u8 = 40;
    let behind = colors.background;
    let channels =
        [(color.red, behind.red), (color.green, behind.green), (color.blue, behind.blue)];
    let is_lost = channels.iter().all(|(own, behind)| own.abs_diff(*behind) < NEAR);
    if is_lost { colors.axis } else { usual }
}

/// How well two colours can be told apart, from 1 to 21, as the accessibility guidelines count.
pub(crate) fn contrast(first: Color, second: Color) -> f64 {
    let (first, second) = (luminance(first), luminance(second));
    (first.max(second) + 0.05) / (first.min(second) + 0.05)
}

/// The colour of a state: that of its value, or of the number of a derived state, which is the
/// same in every view and window.
pub(crate) fn of_state(scope: &Scope<'_>, appearance: &Appearance, value: StateValue) -> Color {
    match value {
        StateValue::Trace(id) => appearance.of_value(id).color,
        StateValue::Derived(derived) => of_derived(scope, derived),
    }
}

/// The colour of a number of a derived state, on a scale up to the most that it can be.
pub(crate) fn of_derived(
    scope: &Scope<'_>,
    DerivedValue { reduction, number }: DerivedValue,
) -> Color {
    let most = scope.reductions().get(reduction).map_or(1, |derived| derived.most.max(1));
    sequential(number as f64 / f64::from(most))
}

/// A colour for a quantity from 0 to 1: from dark blue over grey to yellow, evenly bright steps,
/// and the same for people who see fewer colours. Measured points of the map known as cividis.
pub(crate) fn sequential(share: f64) -> Color {
    const POINTS: [Color; 9] = [
        Color::rgb(0, 34, 78),
        Color::rgb(22, 55, 108),
        Color::rgb(63, 76, 107),
        Color::rgb(91, 96, 110),
        Color::rgb(117, 117, 117),
        Color::rgb(148, 142, 119),
        Color::rgb(180, 167, 110),
        Color::rgb(216, 196, 92),
        Color::rgb(254, 232, 56),
    ];
    let place = share.clamp(0.0, 1.0) * (POINTS.len() - 1) as f64;
    let index = (place as usize).min(POINTS.len() - 2);
    let between = |from: u8, to: u8| {
        let value = f64::from(from) + (f64::from(to) - f64::from(from)) * (place - index as f64);
        value.round() as u8
    };
    let (from, to) = (POINTS[index], POINTS[index + 1]);
    Color::rgb(
        between(from.red, to.red),
        between(from.green, to.green),
        between(from.blue, to.blue),
    )
}

/// The colour of a quantity from 0 to 1 on the field of a theme: the more there is, the farther
/// from the field, so that little never looks like much and always like something.
pub(crate) fn quantity(share: f64, theme: Theme) -> Color {
    let share = share.clamp(0.0, 1.0);
    match theme {
        Theme::Light => sequential(1.0 - share),
        Theme::Dark => sequential(0.16 + 0.84 * share),
    }
}

fn luminance(color: Color) -> f64 {
    0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
}

/// How much light a channel gives. There are 256, and a trace may have a million colours to mix.
fn linear(channel: u8) -> f64 {
    static LIGHT: LazyLock<[f64; 256]> = LazyLock::new(|| {
        std::array::from_fn(|channel| {
            let value = channel as f64 / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    });
    LIGHT[usize::from(channel)]
}

fn encoded(light: f64) -> u8 {
    let value =
        if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0).round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Color = Color::rgb(0, 0, 0);
    const WHITE: Color = Color::rgb(255, 255, 255);

    #[test]
    fn colours_mix_as_light() {
        assert_eq!(mix(BLACK, WHITE, 0.0), BLACK);
        assert_eq!(mix(BLACK, WHITE, 1.0), WHITE);
        assert_eq!(mix(BLACK, WHITE, 0.5), Color::rgb(188, 188, 188));
        assert_eq!(over(Color { alpha: 0, ..BLACK }, WHITE), WHITE);
        assert_eq!(mean([(BLACK, 2.0), (WHITE, 2.0)]), mix(BLACK, WHITE, 0.5));
        assert_eq!(mean([(BLACK, 0.0), (WHITE, 0.1)]), WHITE);
        assert_eq!(mean([]), BLACK);
    }

    #[test]
    fn contrast_is_that_of_the_guidelines() {
        assert!((contrast(BLACK, WHITE) - 21.0).abs() < 1e-9);
        assert_eq!(contrast(WHITE, WHITE), 1.0);
        assert_eq!(text_on(Color::rgb(240, 228, 66)), Color::rgb(16, 16, 20));
        assert_eq!(text_on(Color::rgb(0, 34, 78)), WHITE);
    }

    #[test]
    fn only_what_is_lost_gets_another_edge() {
        let (light, usual) = (Theme::Light.colors(), Color::rgb(1, 2, 3));
        assert_eq!(edge_on(WHITE, light, usual), light.axis);
        assert_eq!(edge_on(light.field, light, usual), light.axis);
        assert_eq!(edge_on(Color::rgb(255, 255, 0), light, usual), usual);
        assert_eq!(edge_on(BLACK, Theme::Dark.colors(), usual), Theme::Dark.colors().axis);
    }

    #[test]
    fn little_differs_from_nothing_and_much_more_so() {
        for theme in [Theme::Light, Theme::Dark] {
            let field = theme.colors().field;
            let (little, much) = (quantity(0.0, theme), quantity(1.0, theme));
            assert!(contrast(little, field) > 1.1, "{theme:?}");
            assert!(contrast(much, field) > 8.0, "{theme:?}");
        }
    }

    #[test]
    fn thin_marks_can_be_seen_on_both_grounds() {
        let (blue, yellow) = (Color::rgb(0, 80, 120), Color::rgb(240, 228, 66));
        assert_eq!(legible(blue, WHITE), blue);
        for (color, behind) in [(blue, Color::rgb(22, 23, 28)), (yellow, WHITE)] {
            assert!(contrast(legible(color, behind), behind) >= 2.6);
        }
    }

    #[test]
    fn quantities_get_brighter_all_the_way() {
        let bright: Vec<f64> =
            (0..=100).map(|step| luminance(sequential(f64::from(step) / 100.0))).collect();
        assert!(bright.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
