//! What a diagram is made of.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use onca_answer::{ValueOrder, entities};
use onca_model::{Color, Nature, Ticks, ValueId, Window};
use onca_query::{Appearance, Scope};

use crate::{
    Result,
    theme::ThemeColors,
    time_scale::duration,
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
    /// The colours of columns: what looks alike has one.
    pub palette: Vec<Color>,
    /// The order of values in a column, from the bottom up.
    pub order: Arc<ValueOrder>,
    /// By value.
    in_columns: Vec<InColumn>,
    /// Tells apart what columns look like, but for the colours.
    pub looks_key: u64,
}

/// A value in columns.
#[derive(Clone, Copy, Debug, Hash)]
struct InColumn {
    /// The place of its colour in the palette.
    color: u16,
    /// Does the lens show it?
    is_seen: bool,
}

impl<'a> Stage<'a> {
    /// A stage for a window. The values that have most time in the whole trace are at the bottom
    /// of columns, wherever one looks.
    pub fn new(
        scope: &'a Scope<'a>,
        appearance: &'a Appearance,
        colors: &'static ThemeColors,
        grid: Grid,
    ) -> Result<Self> {
        let (palette, places) = palette(scope, appearance);
        let in_column = |(value, color)| {
            let is_seen = scope.sees_value(ValueId(value as u32));
            InColumn { color, is_seen }
        };
        let in_columns: Vec<InColumn> = places.into_iter().enumerate().map(in_column).collect();
        let order = entities::order_by_time(scope)?;
        let mut hasher = DefaultHasher::new();
        in_columns.hash(&mut hasher);
        let looks_key = hasher.finish();
        Ok(Self { scope, appearance, colors, grid, palette, order, in_columns, looks_key })
    }

    /// The time to look at: also the last instant of a trace.
    pub fn instants(&self) -> Window {
        let Window { from, to } = self.grid.window;
        Window::new(from, to.max(self.scope.instants().to))
    }

    /// What a value has of a column.
    #[inline]
    pub fn time_of(&self, value: ValueId, ticks: u64) -> TimeOfValue {
        TimeOfValue { color: self.in_columns[value.index()].color, ticks }
    }

    /// The same if the lens shows the value.
    #[inline]
    pub fn seen_time_of(&self, value: ValueId, ticks: u64) -> Option<TimeOfValue> {
        let InColumn { color, is_seen } = self.in_columns[value.index()];
        is_seen.then_some(TimeOfValue { color, ticks })
    }

    /// `1.234 s, 3.112 ms long`, for the pointer.
    pub fn times_text(&self, start: Ticks, end: Ticks) -> String {
        let unit = &self.scope.catalog().facts.unit;
        let length = duration(end as f64 - start as f64, unit);
        format!("{} {}, {length} long", unit.format(start), unit.name)
    }

    /// How many pixels a length of view space has.
    pub fn pixels(&self, length: f64) -> f64 {
        length / self.grid.pixel
    }
}

/// The colours of columns, and the place of each value among them.
fn palette(scope: &Scope<'_>, appearance: &Appearance) -> (Vec<Color>, Vec<u16>) {
    let catalog = scope.catalog();
    let (mut colors, mut places) = (Vec::new(), vec![0; catalog.values.len()]);
    let mut known: BTreeMap<[u8; 4], u16> = BTreeMap::new();
    for (index, value) in catalog.values.iter().enumerate() {
        if !matches!(catalog.type_def(value.type_id).nature, Nature::State | Nature::Event) {
            continue;
        }
        let color = appearance.of_value(ValueId(index as u32)).color;
        let key = [color.red, color.green, color.blue, color.alpha];
        places[index] = *known.entry(key).or_insert_with(|| match u16::try_from(colors.len()) {
            Ok(next) if next < u16::MAX => {
                colors.push(color);
                next
            }
            // More colours than anyone can tell apart: the rest look like the last.
            _ => u16::MAX - 1,
        });
    }
    (colors, places)
}
