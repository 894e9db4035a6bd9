//! The values of a picture in the order in which they are stacked.

use std::collections::HashMap;

use onca_model::{Color, TypeId, format::count_of};
use onca_query::{Appearance, Role, Scope, StateValue};
use onca_scene::Pick;

use crate::legend::{Entry, Part, with_shares};
use crate::{Theme, color, names};

/// No picture tells more values apart.
const MOST_BANDS: usize = 24;

/// A value, or all those that are too many to be told apart.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Band {
    /// The value; `None` for all others together.
    pub value: Option<StateValue>,
    /// What it is called.
    pub name: String,
    /// Its colour, opaque.
    pub color: Color,
    /// The time in it, of all that is seen.
    pub ticks: i128,
    /// The type of its value, if that is one of the trace.
    of: Option<TypeId>,
}

impl Band {
    /// What its marks stand for where no node is meant.
    pub fn pick(&self) -> Pick {
        let value = self.value.and_then(StateValue::of_trace);
        value.map_or(Pick::NOTHING, |value| Pick::Value(value.0))
    }
}

/// The values of a picture, those with the most time first and idle ones last: what is worth
/// comparing then begins at a common line.
pub(crate) struct Bands {
    /// The bands.
    pub list: Vec<Band>,
    /// For each value its band.
    band_of: HashMap<StateValue, usize>,
}

impl Bands {
    /// The bands of some values with their times; each value comes once.
    pub fn new(
        scope: &Scope<'_>,
        appearance: &Appearance,
        theme: Theme,
        times: Vec<(impl Into<StateValue>, i128)>,
    ) -> Self {
        let mut times: Vec<(StateValue, i128)> =
            times.into_iter().map(|(value, ticks)| (value.into(), ticks)).collect();
        let idle = |value: StateValue| {
            value.of_trace().is_some_and(|id| scope.role(id) == Some(Role::Idle))
        };
        times.sort_by_key(|&(value, ticks)| (std::cmp::Reverse(ticks), value));
        let n_alone = if times.len() > MOST_BANDS { MOST_BANDS - 1 } else { times.len() };
        let others = times.split_off(n_alone);
        times.sort_by_key(|&(value, _)| idle(value));
        let colors = theme.colors();
        let shown: Vec<StateValue> = times.iter().map(|(value, _)| *value).collect();
        let named = times.iter().zip(names::of_states(scope, &shown));
        let alone = named.map(|(&(value, ticks), name)| Band {
            value: Some(value),
            name,
            color: color::over(color::of_state(scope, appearance, value), colors.background),
            ticks,
            of: value.of_trace().map(|id| scope.catalog().value(id).type_id),
        });
        let mut list: Vec<Band> = alone.collect();
        let bands = times.iter().enumerate().map(|(band, (value, _))| (*value, band));
        let mut band_of: HashMap<StateValue, usize> = bands.collect();
        if !others.is_empty() {
            band_of.extend(others.iter().map(|(value, _)| (*value, list.len())));
            list.push(Band {
                value: None,
                name: count_of(others.len() as u64, "other value"),
                color: colors.axis,
                ticks: others.iter().map(|(_, ticks)| ticks).sum(),
                of: None,
            });
        }
        Self { list, band_of }
    }

    /// The band of a value.
    pub fn of(&self, value: impl Into<StateValue>) -> Option<usize> {
        self.band_of.get(&value.into()).copied()
    }

    /// The legend, with shares of a whole, or of the time of a type where there are several; what is in no band is in no
    /// state.
    pub fn legend(&self, whole: i128, theme: Theme) -> Vec<Entry> {
        let part = |of, ticks: i128, name: &str, color, pick| Part {
            of,
            amount: ticks as f64,
            entry: Entry { name: name.to_owned(), share: None, color, pick },
        };
        let bands = self.list.iter();
        let mut parts: Vec<Part> = bands
            .map(|band| part(band.of, band.ticks, &band.name, band.color, band.pick()))
            .collect();
        let none = whole - self.list.iter().map(|band| band.ticks).sum::<i128>();
        if none > 0 {
            parts.push(part(None, none, NO_STATE, theme.colors().field, Pick::NOTHING));
        }
        with_shares(parts, whole as f64)
    }
}

/// What time is called in which there is no state.
pub(crate) const NO_STATE: &str = "no state";
