//! Colours as people see them: OKLab and OKLCH (Ottosson, 2020), and contrast (WCAG 2).

use onca_model::Color;

/// A colour in OKLab: equal distances look about equally far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Lab {
    /// From 0, black, to 1, white.
    pub lightness: f64,
    /// From green to red.
    pub a: f64,
    /// From blue to yellow.
    pub b: f64,
}

/// A colour in OKLCH: OKLab in polar form.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Lch {
    /// From 0, black, to 1, white.
    pub lightness: f64,
    /// How far from grey.
    pub chroma: f64,
    /// In degrees: red is near 29, green near 142, blue near 264.
    pub hue: f64,
}

/// Red, green and blue in proportion to light, from 0 to 1 within the gamut.
type Linear = [f64; 3];

impl Lab {
    pub(super) fn of(color: Color) -> Self {
        Self::of_linear(linear(color))
    }

    pub(super) fn of_linear([r, g, b]: Linear) -> Self {
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        Self {
            lightness: 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            a: 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            b: 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        }
    }

    fn to_linear(self) -> Linear {
        let Self { lightness, a, b } = self;
        let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        [
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ]
    }

    /// How different two colours look.
    pub(super) fn distance(self, other: Self) -> f64 {
        let [l, a, b] = [self.lightness - other.lightness, self.a - other.a, self.b - other.b];
        (l * l + a * a + b * b).sqrt()
    }
}

impl Lch {
    pub(super) fn of(color: Color) -> Self {
        let Lab { lightness, a, b } = Lab::of(color);
        let hue = b.atan2(a).to_degrees().rem_euclid(360.0);
        Self { lightness, chroma: a.hypot(b), hue }
    }

    fn to_lab(self) -> Lab {
        let (sin, cos) = self.hue.to_radians().sin_cos();
        Lab { lightness: self.lightness, a: self.chroma * cos, b: self.chroma * sin }
    }

    /// The colour on a screen. One that no screen can show keeps its lightness and hue and loses
    /// chroma.
    pub(super) fn to_color(self) -> Color {
        let linear = self.to_lab().to_linear();
        if is_shown(linear) {
            return color_of_linear(linear);
        }
        let with_chroma = |chroma| Self { chroma, ..self }.to_lab().to_linear();
        let (mut shown, mut too_much) = (0.0, self.chroma);
        // Far finer than a step of eight bits.
        for _ in 0..20 {
            let middle = (shown + too_much) / 2.0;
            if is_shown(with_chroma(middle)) {
                shown = middle;
            } else {
                too_much = middle;
            }
        }
        color_of_linear(with_chroma(shown))
    }
}

/// Whether a screen shows the colour, but for rounding.
fn is_shown(linear: Linear) -> bool {
    linear.iter().all(|part| (-1e-6..=1.0 + 1e-6).contains(part))
}

pub(super) fn linear(color: Color) -> Linear {
    [color.red, color.green, color.blue].map(|byte| {
        let part = f64::from(byte) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

fn color_of_linear(linear: Linear) -> Color {
    let [red, green, blue] = linear.map(|part| {
        let part = part.clamp(0.0, 1.0);
        let encoded =
            if part <= 0.003_130_8 { part * 12.92 } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 };
        (encoded * 255.0).round() as u8
    });
    Color::rgb(red, green, blue)
}

/// The contrast of two colours by WCAG 2, from 1 to 21. Opacity is not looked at.
pub fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(color: Color) -> f64 {
    let [r, g, b] = linear(color);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The colour of text on a fill: black or white, whichever has more contrast. That is always
/// more than 4.5 to 1.
pub fn text_on(fill: Color) -> Color {
    const BLACK: Color = Color::rgb(0, 0, 0);
    const WHITE: Color = Color::rgb(255, 255, 255);
    if contrast(fill, BLACK) >= contrast(fill, WHITE) { BLACK } else { WHITE }
}
