//! What a diagram is made of.

use std::collections::BTreeMap;

use onca_model::{Color, Nature, ValueId, Window};
use onca_query::{Appearance, Scope};

use crate::{
    theme::ThemeColors,
    timeline::{grid::Grid, state_marks::TimeOfValue},
};

/// What everything in a diagram depends on. Nothing changes in it: rows are painted at once.
pub(crate) struct Stage<'a> {
    /// What is seen.
    pub scope: &'a Scope<'a>,
    /// How it looks.
    pub appearance: &'a Appearance,
    /// The colours of everything else.
    pub colors: &'static ThemeColors,
    /// The columns.
    pub grid: Grid,
    /// The place of each value in a column: the most common at the bottom.
    pub ranks: Vec<u32>,
    /// The colours of columns.
    pub palette: Palette,
}

impl<'a> Stage<'a> {
    /// A stage for a window.
    pub fn new(
        scope: &'a Scope<'a>,
        appearance: &'a Appearance,
        colors: &'static ThemeColors,
        grid: Grid,
        ranks: Vec<u32>,
    ) -> Self {
        let palette = Palette::new(scope, appearance);
        Self { scope, appearance, colors, grid, ranks, palette }
    }

    /// The time to look at: also the last instant of a trace.
    pub fn instants(&self) -> Window {
        let Window { from, to } = self.grid.window;
        Window::new(from, to.max(self.scope.instants().to))
    }

    /// What a value has of a column.
    #[inline]
    pub fn time_of(&self, value: ValueId, ticks: u64) -> TimeOfValue {
        TimeOfValue { value, rank: self.ranks[value.index()], ticks }
    }

    /// How many pixels a length of view space has.
    pub fn pixels(&self, length: f64) -> f64 {
        length / self.grid.pixel
    }
}

/// The colours of columns. Values that look alike share a place.
pub(crate) struct Palette {
    /// The colours.
    pub colors: Vec<Color>,
    /// By value.
    places: Vec<u16>,
}

impl Palette {
    fn new(scope: &Scope<'_>, appearance: &Appearance) -> Self {
        let catalog = scope.catalog();
        let mut palette = Self { colors: Vec::new(), places: vec![0; catalog.values.len()] };
        let mut known: BTreeMap<[u8; 4], u16> = BTreeMap::new();
        for (index, value) in catalog.values.iter().enumerate() {
            if !matches!(catalog.type_def(value.type_id).nature, Nature::State | Nature::Event) {
                continue;
            }
            let color = appearance.of_value(ValueId(index as u32)).color;
            let key = [color.red, color.green, color.blue, color.alpha];
            palette.places[index] =
                *known.entry(key).or_insert_with(|| match u16::try_from(palette.colors.len()) {
                    Ok(next) if next < u16::MAX => {
                        palette.colors.push(color);
                        next
                    }
                    // More colours than anyone can tell apart: the rest look like the last.
                    _ => u16::MAX - 1,
                });
        }
        palette
    }

    /// The place of the colour of a value.
    pub fn place_of(&self, value: ValueId) -> u16 {
        self.places[value.index()]
    }
}
