//! How a shape is painted.

use std::fmt::Write;

use onca_model::Color;
use onca_scene::CLEAR;

use crate::number::push_attribute;

/// What fills a shape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Fill {
    /// A colour; a clear one for nothing.
    Plain(Color),
    /// The fine slanted lines of an aggregate.
    Hatch(Hatch),
}

/// Fine slanted lines in a colour.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Hatch(pub Color);

/// How a shape is painted. Neighbours that are painted alike share one element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Style {
    /// Inside.
    pub fill: Fill,
    /// Along the outline; clear for nothing.
    pub stroke: Color,
    /// The width of the outline, in pixels.
    pub width: f64,
    /// The outline is broken into dashes.
    pub dashed: bool,
    /// Edges fall on pixels: right for what lies along the axes, ugly for all else.
    pub crisp: bool,
}

impl Style {
    /// A filled shape.
    pub fn filled(color: Color) -> Self {
        Self { fill: Fill::Plain(color), stroke: CLEAR, width: 1.0, dashed: false, crisp: false }
    }

    /// The fine slanted lines of an aggregate, in a colour.
    pub fn hatched(color: Color) -> Self {
        Self { fill: Fill::Hatch(Hatch(color)), ..Self::filled(CLEAR).crisp(true) }
    }

    /// A line.
    pub fn stroked(color: Color, width: f64) -> Self {
        Self { stroke: color, width, ..Self::filled(CLEAR) }
    }

    /// The same with edges on pixels, if `crisp`.
    pub fn crisp(self, crisp: bool) -> Self {
        Self { crisp, ..self }
    }

    /// Nothing of it can be seen.
    pub fn is_clear(&self) -> bool {
        let fill_is_clear = matches!(self.fill, Fill::Plain(color) if color.alpha == 0);
        fill_is_clear && self.stroke.alpha == 0
    }

    /// Two shapes that overlap look the same whether painted together or one after the other.
    pub fn is_solid(&self) -> bool {
        let is_solid = |color: Color| matches!(color.alpha, 0 | 255);
        match self.fill {
            Fill::Plain(color) => is_solid(color) && is_solid(self.stroke),
            Fill::Hatch(_) => true,
        }
    }

    /// Appends the attributes of an element.
    pub fn push_attributes(&self, out: &mut String) {
        match self.fill {
            Fill::Plain(color) => push_color(out, "fill", color),
            Fill::Hatch(hatch) => {
                let _ = write!(out, " fill=\"url(#{})\"", hatch.id());
            }
        }
        if self.is_clear() {
            // It is there for the pointer only.
            out.push_str(" pointer-events=\"all\"");
        }
        if self.stroke.alpha == 0 {
            return;
        }
        push_color(out, "stroke", self.stroke);
        if self.width != 1.0 {
            push_attribute(out, "stroke-width", self.width);
        }
        if self.dashed {
            out.push_str(" stroke-dasharray=\"4 3\"");
        }
        if !self.crisp {
            out.push_str(" stroke-linejoin=\"round\"");
        }
    }
}

/// From one line of a hatch to the next.
const HATCH_STEP: u32 = 5;
/// A hatch must not hide what it lies over.
const HATCH_OPACITY: &str = ".35";

impl Hatch {
    /// The name of the pattern. It tells all there is to know of it, so that two pictures on one
    /// page can use the same.
    fn id(self) -> String {
        format!("hatch-{}", &self.0.to_string()[1..])
    }

    /// Appends the definition of the pattern.
    pub fn push_definition(self, out: &mut String) {
        let (id, step) = (self.id(), HATCH_STEP);
        let _ = write!(
            out,
            "<pattern id=\"{id}\" width=\"{step}\" height=\"{step}\" \
             patternUnits=\"userSpaceOnUse\"><path fill=\"none\""
        );
        push_color(out, "stroke", self.0);
        // A line from corner to corner, and the corners of its neighbours.
        let (past, before) = (step + 1, step - 1);
        let _ = write!(
            out,
            " stroke-opacity=\"{HATCH_OPACITY}\" \
             d=\"M-1 1 1-1M0 {step} {step} 0M{before} {past} {past} {before}\"/></pattern>"
        );
    }
}

/// Appends a colour and, where it is translucent, its opacity.
pub(crate) fn push_color(out: &mut String, name: &str, color: Color) {
    if color.alpha == 0 {
        let _ = write!(out, " {name}=\"none\"");
        return;
    }
    let _ = write!(out, " {name}=\"");
    push_hex(out, color);
    out.push('"');
    if color.alpha != 255 {
        // Three decimals tell all 255 apart.
        let opacity = format!("{:.3}", f64::from(color.alpha) / 255.0);
        let short = opacity.trim_start_matches('0').trim_end_matches('0');
        let _ = write!(out, " {name}-opacity=\"{short}\"");
    }
}

/// Appends `#rgb` where that says it, else `#rrggbb`.
fn push_hex(out: &mut String, color: Color) {
    let channels = [color.red, color.green, color.blue];
    if channels.iter().all(|channel| channel >> 4 == channel & 15) {
        let [red, green, blue] = channels.map(|channel| channel & 15);
        let _ = write!(out, "#{red:x}{green:x}{blue:x}");
    } else {
        let _ = write!(out, "{}", Color { alpha: 255, ..color });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(style: Style) -> String {
        let mut out = String::new();
        style.push_attributes(&mut out);
        out
    }

    #[test]
    fn only_what_differs_is_written() {
        let red = Color::rgb(255, 0, 0);
        assert_eq!(attributes(Style::filled(red)), " fill=\"#f00\"");
        assert_eq!(attributes(Style::filled(Color::rgb(1, 2, 3))), " fill=\"#010203\"");
        assert_eq!(
            attributes(Style { dashed: true, ..Style::stroked(red, 1.5) }),
            " fill=\"none\" stroke=\"#f00\" stroke-width=\"1.5\" stroke-dasharray=\"4 3\" \
             stroke-linejoin=\"round\""
        );
    }

    #[test]
    fn opacity_is_an_attribute_of_its_own() {
        let half = Color { alpha: 128, ..Color::rgb(255, 0, 0) };
        assert_eq!(attributes(Style::filled(half)), " fill=\"#f00\" fill-opacity=\".502\"");
        assert!(!Style::filled(half).is_solid());
        assert!(Style::filled(CLEAR).is_clear() && Style::filled(CLEAR).is_solid());
    }
}
