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
/// A scale beside a picture on a screen has fewer colours, and at most this many amounts between its ends.
const N_SHOWN: usize = 16;
const MOST_MARKS: usize = 3;

/// What the strengths of a colour mean, for those who draw the scale themselves.
#[derive(Clone, PartialEq, Debug)]
pub struct ColorScale {
    /// What is measured.
    pub name: String,
    /// Colours from the least amount to the largest, evenly.
    pub colors: Vec<Color>,
    /// Amounts, in rising order, each with its share of the way along the scale.
    pub marks: Vec<(f64, String)>,
}

impl ColorScale {
    /// A scale of shares from 0 to 1.
    pub(crate) fn of_shares(name: &str, color: impl Fn(f64) -> Color) -> Self {
        let marks = [0.0, 0.5, 1.0].map(|share| (share, format!("{} %", share * 100.0)));
        Self { name: name.to_owned(), colors: shown_colors(color), marks: marks.to_vec() }
    }
}

fn shown_colors(color: impl Fn(f64) -> Color) -> Vec<Color> {
    (0..N_SHOWN).map(|step| color(step as f64 / (N_SHOWN - 1) as f64)).collect()
}

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
        let name = sheet.label(Point::new(bar.x0, bar.y0 - 5.0), self.title(), TICK_SIZE);
        sheet.add_label(name);
        self.marks(sheet, bar);
    }

    /// The same for a screen. `color` is asked for shares from 0 to 1.
    pub fn shown(&self, color: impl Fn(f64) -> Color) -> ColorScale {
        let Scale { ruler, from, to } = *self.scale;
        let mut amounts = self.quantity.ticks(ruler, from, to, MOST_MARKS);
        amounts.extend([from, to]);
        amounts.sort_by(f64::total_cmp);
        let mut marks: Vec<(f64, String)> = amounts
            .iter()
            .map(|amount| (self.scale.share(*amount), self.quantity.text(*amount)))
            .collect();
        marks.dedup_by(|later, earlier| later.1 == earlier.1);
        ColorScale { name: self.title(), colors: shown_colors(color), marks }
    }

    fn title(&self) -> String {
        let how = if self.scale.ruler == Ruler::Log { " (logarithmic)" } else { "" };
        format!("{}{how}", self.name)
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
