//! An order of values.

use onca_model::ValueId;

/// An order of all values of a store: sums per value can be had in it, so that whoever wants them
/// in an order of his own need not sort them again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueOrder {
    /// By value.
    places: Vec<u32>,
    /// By place.
    values: Vec<ValueId>,
}

impl ValueOrder {
    /// This many values in the order of their ids.
    pub fn by_id(n_values: usize) -> Self {
        Self::by_key(n_values, |_| ())
    }

    /// This many values in the order of a key. Where that is the same, the lower id comes first.
    pub fn by_key<K: Ord>(n_values: usize, key: impl Fn(ValueId) -> K) -> Self {
        let mut values: Vec<ValueId> = (0..n_values as u32).map(ValueId).collect();
        values.sort_by_key(|value| key(*value));
        Self::of(values)
    }

    /// All values, each once, in this order.
    pub(crate) fn of(values: Vec<ValueId>) -> Self {
        let mut places = vec![0; values.len()];
        for (place, value) in values.iter().enumerate() {
            places[value.index()] = place as u32;
        }
        Self { places, values }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The place of a value.
    #[inline]
    pub fn place(&self, value: ValueId) -> u32 {
        self.places[value.index()]
    }

    /// All values.
    pub(crate) fn values(&self) -> &[ValueId] {
        &self.values
    }

    /// The value at a place.
    #[inline]
    pub fn value(&self, place: usize) -> ValueId {
        self.values[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_places() {
        let ranks = [7, 3, 7, 0];
        let order = ValueOrder::by_key(4, |value| ranks[value.index()]);
        let values: Vec<u32> = (0..4).map(|place| order.value(place).0).collect();
        assert_eq!(values, [3, 1, 0, 2]);
        assert!((0..4).all(|id| order.value(order.place(ValueId(id)) as usize) == ValueId(id)));
        assert_eq!(ValueOrder::by_id(3).place(ValueId(2)), 2);
    }
}
