//! Two windows as one treemap: areas are the mean of both, colours tell what changed.

use std::collections::HashMap;

use onca_model::{Color, format::percent};
use onca_query::{Scope, palette};
use onca_scene::{Bounds, Label, Layer, Pick, Point, Rect, Rise};

use super::{Understood, amounts::Amounts, amounts::SeenValue};
use crate::{Canvas, canvas::label, legend, legend::Entry, quantity::Quantity, sheet::TICK_SIZE};

/// How much more there is now, of each value of each node. Amounts that grow with time are per tick
/// of their window, so that windows of different lengths can be compared.
#[derive(Clone)]
pub(crate) struct Changes {
    /// Node by node, what it has now of each value less what it had.
    pub by_node: Vec<f64>,
    /// Ticks of a unit of time, for people.
    unit: (f64, String),
}

impl<'a> Amounts<'a> {
    /// Compares with the amounts of the same tree in another window.
    pub fn against(self, before: &Amounts<'_>) -> Self {
        let mut values: Vec<SeenValue> = self.values.clone();
        let (own, others) = (self.columns_by_name(), before.columns_by_name());
        let is_new = |value: &&SeenValue| !own.contains_key(value.name.as_str());
        values.extend(before.values.iter().filter(is_new).cloned());
        let column = |by_name: &HashMap<&str, usize>| -> Vec<Option<usize>> {
            values.iter().map(|value| by_name.get(value.name.as_str()).copied()).collect()
        };
        let (columns, columns_before) = (column(&own), column(&others));
        let (mut sums, mut totals, mut by_node) = (Vec::new(), Vec::new(), Vec::new());
        for node in 0..self.tree().len() as u32 {
            let now = self.rates(Some(node), &columns);
            let then = before.rates(before.place_of(&self, node), &columns_before);
            let means = now.iter().zip(&then).map(|(now, then)| (now + then) / 2.0);
            let first = sums.len();
            sums.extend(means);
            totals.push(sums[first..].iter().sum());
            by_node.extend(now.iter().zip(&then).map(|(now, then)| now - then));
        }
        let unit = &self.scope().catalog().facts.unit;
        let unit = (unit.ticks_per_unit as f64, unit.name.clone());
        self.compared(values, sums, totals, Changes { by_node, unit })
    }

    /// Where the amounts of each value are. Each name occurs once.
    fn columns_by_name(&self) -> HashMap<&str, usize> {
        self.values.iter().enumerate().map(|(at, value)| (value.name.as_str(), at)).collect()
    }

    /// The place in this tree of a node of another one, of the same hierarchy.
    fn place_of(&self, other: &Amounts<'_>, node: u32) -> Option<u32> {
        let id = other.node(node);
        match other.is_own(node) {
            false => Some(self.place(id)),
            true => self.own_place(id),
        }
    }

    /// What a node has of each column, per tick if it grows with time.
    fn rates(&self, node: Option<u32>, columns: &[Option<usize>]) -> Vec<f64> {
        let of = |column: &Option<usize>| {
            let amount = node.zip(*column).map_or(0.0, |(node, column)| self.of(node)[column]);
            amount / if self.quantity == Quantity::Number { 1.0 } else { self.length().max(1.0) }
        };
        columns.iter().map(of).collect()
    }
}

impl Changes {
    /// The colour of a change, compared with the mean of both.
    pub fn color(mean: f64, change: f64) -> Color {
        palette::diverging(if mean > 0.0 { change / (2.0 * mean) } else { 0.0 })
    }

    /// What there was and what there is, in words. Times are shares of the window for each of some
    /// containers.
    pub fn words(&self, quantity: &Quantity, n_containers: f64, mean: f64, change: f64) -> String {
        let text = |rate: f64| match quantity {
            Quantity::Time(_) => percent(rate / n_containers.max(1.0)),
            Quantity::Number => quantity.text(rate),
            _ => format!("{} per {}", quantity.text(rate * self.unit.0), self.unit.1),
        };
        let (then, now) = (mean - change / 2.0, mean + change / 2.0);
        format!("{} → {}", text(then.max(0.0)), text(now.max(0.0)))
    }

    /// What the colours mean.
    pub fn legend() -> Vec<Entry> {
        // A change of a third of the sum is twice as much, or half as much.
        let steps = [
            ("only before", -1.0),
            ("half as much", -1.0 / 3.0),
            ("the same", 0.0),
            ("twice as much", 1.0 / 3.0),
            ("only now", 1.0),
        ];
        let entry = |(name, at): (&str, f64)| Entry {
            name: name.to_owned(),
            share: None,
            color: palette::diverging(at),
            pick: Pick::NOTHING,
        };
        steps.map(entry).into()
    }
}

/// The key of the colours takes this much below a bare picture.
pub(super) const KEY_HEIGHT: f64 = 24.0;
const KEY_MARGIN: f64 = 8.0;

/// What the colours mean, in one line at the foot of a canvas.
pub(super) fn key(canvas: &Canvas) -> [Layer; 2] {
    let entries = Changes::legend();
    let places = legend::places(&entries, TICK_SIZE, canvas.width - 2.0 * KEY_MARGIN, 1);
    let top = canvas.height - KEY_HEIGHT + 4.0;
    let colors = canvas.theme.colors();
    let (mut rects, mut labels) = (Vec::new(), Vec::new());
    for ((swatch, text), entry) in places.entries.iter().zip(&entries) {
        let (x0, x1) = (swatch.x0 + KEY_MARGIN, swatch.x1 + KEY_MARGIN);
        let bounds = Bounds::new(x0, swatch.y0 + top, x1, swatch.y1 + top);
        rects.push(Rect { edge: colors.axis, ..Rect::plain(bounds, entry.color) });
        let at = Point::new(legend::text_x(&bounds), bounds.center().y);
        let text = label(at, text, TICK_SIZE, colors.muted);
        labels.push(Label { rise: Rise::Middle, ..text });
    }
    [Layer::Rects(rects), Layer::Labels(labels)]
}

/// What a picture says of the window that it compares with.
pub(super) fn note(scope: &Scope<'_>, options: &Understood) -> Option<String> {
    let window = options.against?;
    let unit = &scope.catalog().facts.unit;
    let (from, to) = (unit.units(window.from), unit.units(window.to));
    Some(format!("compared with {from} – {to} {}", unit.name))
}
