//! What strengths of colours and marks mean.

use onca_layout::text::Font;
use onca_model::Color;
use onca_scene::{Bounds, Label, Pattern, Point, Rect, Rise};

use super::{Intensity, areas::Shown, paint::FAINTEST};
use crate::{
    ColorScale, Theme, color,
    sheet::{CAPTION_SIZE, Sheet},
    theme::ThemeColors,
};

/// The height of the line.
pub(super) const HEIGHT: f64 = 20.0;
const SWATCH: Bounds = Bounds::new(0.0, 0.0, 16.0, 11.0);
const STEPS: usize = 6;
const GAP: f64 = 5.0;
const APART: f64 = 16.0;

/// Which marks a picture has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Marks {
    pub diagonal: bool,
    pub cross: bool,
}

impl Marks {
    /// The marks of areas.
    pub fn of<'a>(shown: impl Iterator<Item = &'a Shown>) -> Self {
        shown.fold(Self::default(), |marks, area| Self {
            diagonal: marks.diagonal || area.mark == Pattern::Diagonal,
            cross: marks.cross || area.mark == Pattern::Cross,
        })
    }
}

/// What the strength of a colour means.
fn meaning(intensity: Intensity) -> &'static str {
    match intensity {
        Intensity::Share => "colour of the strongest value, by its share of all",
        Intensity::Amount => "colour of the strongest value, by its share of the time",
    }
}

/// A strength of any colour.
fn strength_of(share: f64, colors: &ThemeColors) -> Color {
    color::mix(colors.background, colors.muted, share.max(FAINTEST))
}

/// The strengths of colours for a screen.
pub(super) fn scale(intensity: Intensity, theme: Theme) -> ColorScale {
    ColorScale::of_shares(meaning(intensity), |share| strength_of(share, theme.colors()))
}

/// Draws the key into a line; what does not fit is left out.
pub(super) fn draw(
    sheet: &mut Sheet<'_>,
    room: &Bounds,
    strength: Option<Intensity>,
    marks: Marks,
) {
    let mut x = room.x0;
    let y = room.center().y;
    if let Some(intensity) = strength {
        let colors = sheet.colors;
        let fills = (0..STEPS).map(|step| {
            let share = FAINTEST + (1.0 - FAINTEST) * step as f64 / (STEPS - 1) as f64;
            (strength_of(share, colors), Pattern::Plain)
        });
        x = entry(sheet, Point::new(x, y), room.x1, 8.0, fills.collect(), meaning(intensity));
    }
    let field = sheet.colors.grid;
    for (pattern, is_there, text) in [
        (Pattern::Diagonal, marks.diagonal, "rows drawn together, alike in time"),
        (Pattern::Cross, marks.cross, "drawn together, not alike in time"),
    ] {
        if is_there {
            let swatch = vec![(field, pattern)];
            x = entry(sheet, Point::new(x, y), room.x1, SWATCH.width(), swatch, text);
        }
    }
}

/// Some swatches and a text; returns where the next may begin.
fn entry(
    sheet: &mut Sheet<'_>,
    at: Point,
    end: f64,
    width: f64,
    swatches: Vec<(Color, Pattern)>,
    text: &str,
) -> f64 {
    let text_x = at.x + width * swatches.len() as f64 + GAP;
    let next = text_x + Font::Regular.width(text, CAPTION_SIZE) + APART;
    if next - APART > end {
        return at.x;
    }
    let (top, bottom) = (at.y - SWATCH.height() / 2.0, at.y + SWATCH.height() / 2.0);
    for (step, (fill, pattern)) in swatches.into_iter().enumerate() {
        let x = at.x + step as f64 * width;
        let bounds = Bounds::new(x, top, x + width, bottom);
        sheet.add_rect(Rect { pattern, ..Rect::plain(bounds, fill) });
    }
    let label = sheet.label(Point::new(text_x, at.y), text, CAPTION_SIZE);
    sheet.add_label(Label { rise: Rise::Middle, ..label });
    next
}
