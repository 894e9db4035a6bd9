//! What the colours of amounts mean.

use onca_layout::text::Font;
use onca_model::Color;
use onca_scene::{Align, Bounds, Label, Point, Rect, Rise};

use crate::{
    Ruler,
    quantity::{Quantity, Scale},
    sheet::{Sheet, TICK_SIZE},
};

const N_STEPS: usize = 64;

/// Amounts, how they are spread over colours, and what they are called.
pub(crate) struct AmountScale<'a> {
    /// What is measured.
    pub quantity: &'a Quantity,
    /// How it is spread.
    pub scale: &'a Scale,
    /// What it is.
    pub name: &'a str,
}

impl AmountScale<'_> {
    /// Draws a bar of colours with its name above and round amounts below. `color` is asked for shares from 0 to 1.
    pub fn draw(&self, sheet: &mut Sheet<'_>, bar: &Bounds, color: impl Fn(f64) -> Color) {
        for step in 0..N_STEPS {
            let share = |step: usize| step as f64 / N_STEPS as f64;
            let x_of = |step| bar.x0 + share(step) * bar.width();
            let bounds = Bounds { x0: x_of(step), x1: x_of(step + 1), ..*bar };
            sheet.add_rect(Rect::plain(bounds, color(share(step) + 0.5 / N_STEPS as f64)));
        }
        let how = if self.scale.ruler == Ruler::Log { " (logarithmic)" } else { "" };
        let text = format!("{}{how}", self.name);
        let name = sheet.label(Point::new(bar.x0, bar.y0 - 5.0), text, TICK_SIZE);
        sheet.add_label(name);
        self.marks(sheet, bar);
    }

    /// The ends of the scale, and what is round between them.
    fn marks(&self, sheet: &mut Sheet<'_>, bar: &Bounds) {
        let (from, to) = (self.scale.from, self.scale.to);
        let most = (bar.width() / 56.0).max(2.0) as usize;
        let mut amounts = vec![from, to];
        amounts.extend(self.quantity.ticks(self.scale.ruler, from, to, most));
        let mut taken: Vec<(f64, f64)> = Vec::new();
        for amount in amounts {
            let text = self.quantity.text(amount);
            let half = Font::Regular.width(&text, TICK_SIZE) / 2.0;
            let x = bar.x0 + self.scale.share(amount) * bar.width();
            // The ends of the scale come first and stand inside it.
            let middle = x.clamp(bar.x0 + half, (bar.x1 - half).max(bar.x0 + half));
            let span = (middle - half - 6.0, middle + half + 6.0);
            if taken.iter().any(|other| span.0 < other.1 && other.0 < span.1) {
                continue;
            }
            taken.push((middle - half, middle + half));
            let color = sheet.colors.muted;
            let label = sheet.label(Point::new(middle, bar.y1 + 4.0), text, TICK_SIZE);
            sheet.add_label(Label { align: Align::Middle, rise: Rise::Top, color, ..label });
        }
    }
}
