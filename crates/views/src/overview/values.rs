//! How the values of a matrix look.

use onca_answer::overview::{Matrix, Metric};
use onca_model::{Color, Nature, TypeId, ValueId, printable};
use onca_query::{Appearance, Scope, palette};
use onca_scene::Pick;

use super::rows::Rows;
use crate::{Theme, bands::NO_STATE, color, legend::Entry};

/// How a value of a matrix looks.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ValueLook {
    /// What it is called.
    pub name: String,
    /// Its colour, opaque.
    pub color: Color,
    /// What it stands for.
    pub pick: Pick,
}

/// What a name in a matrix means.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Meant {
    Value(ValueId),
    Variable(TypeId),
    /// The time in no state.
    NoState,
    /// Something that a lens derives.
    Derived,
}

/// The looks of the values of a matrix, which has only their names.
pub(crate) fn looks(
    scope: &Scope<'_>,
    appearance: &Appearance,
    theme: Theme,
    matrix: &Matrix,
    metric: &Metric,
) -> Vec<ValueLook> {
    let (catalog, colors) = (scope.catalog(), theme.colors());
    let meant: Vec<Meant> = matrix.values.iter().map(|name| meaning(scope, metric, name)).collect();
    let is_clear = |id: ValueId| {
        let same = |other: &&Meant| match other {
            Meant::Value(other) => catalog.value(*other).name == catalog.value(id).name,
            _ => false,
        };
        meant.iter().filter(same).count() == 1
    };
    let look = |(name, meant): (&Vec<u8>, &Meant)| {
        let own = || printable(name).into_owned();
        let (name, color, pick) = match *meant {
            Meant::Value(id) if is_clear(id) => {
                let name = printable(&catalog.value(id).name).into_owned();
                (name, appearance.of_value(id).color, Pick::Value(id.0))
            }
            Meant::Value(id) => (own(), appearance.of_value(id).color, Pick::Value(id.0)),
            Meant::Variable(id) => (own(), appearance.of_type(id).color, Pick::NOTHING),
            Meant::NoState => (NO_STATE.to_owned(), colors.grid, Pick::NOTHING),
            Meant::Derived => (own(), palette::assign(&[(name, None)])[0], Pick::NOTHING),
        };
        ValueLook { name, color: color::visible(color, colors), pick }
    };
    matrix.values.iter().zip(&meant).map(look).collect()
}

/// What a name means: the name of a value alone, or after that of its type.
fn meaning(scope: &Scope<'_>, metric: &Metric, name: &[u8]) -> Meant {
    let catalog = scope.catalog();
    let nature = match metric {
        Metric::States { .. } => Nature::State,
        Metric::Events => Nature::Event,
        Metric::Bytes(_) => Nature::Link,
        Metric::Variable(_) => {
            let mut types = catalog.types.iter();
            let found = types.position(|def| def.nature == Nature::Variable && def.name == name);
            return found.map_or(Meant::Derived, |id| Meant::Variable(TypeId(id as u32)));
        }
    };
    let is_meant = |id: &ValueId| {
        let value = catalog.value(*id);
        let type_def = catalog.type_def(value.type_id);
        let full = || [&type_def.name, b":".as_slice(), &value.name].concat();
        type_def.nature == nature
            && scope.sees_type(value.type_id)
            && scope.sees_value(*id)
            && (value.name == name || full() == name)
    };
    match (0..catalog.values.len() as u32).map(ValueId).find(is_meant) {
        Some(id) => Meant::Value(id),
        None if name == b"none" && *metric == (Metric::States { idle: true }) => Meant::NoState,
        None => Meant::Derived,
    }
}

/// The legend: the mean of each value over all rows, those with the most first.
pub(crate) fn legend(matrix: &Matrix, rows: &Rows, looks: &[ValueLook]) -> Vec<Entry> {
    let cells = &matrix.cells;
    let n_cells = (rows.n() * cells.n_slices()).max(1) as f64;
    let sum = |value: usize| {
        (0..cells.n_leaves()).map(|leaf| cells.row(leaf, value).iter().sum::<f64>()).sum::<f64>()
    };
    let sums: Vec<f64> = (0..looks.len()).map(sum).collect();
    let whole = match matrix.metric.as_str() {
        "states" => n_cells,
        _ => sums.iter().sum(),
    };
    let mut order: Vec<usize> = (0..looks.len()).collect();
    order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
    let entry = |value: usize| Entry {
        name: looks[value].name.clone(),
        share: (whole > 0.0).then(|| sums[value] / whole),
        color: looks[value].color,
        pick: looks[value].pick,
    };
    order.into_iter().map(entry).collect()
}
