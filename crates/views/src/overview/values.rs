//! How the values of a matrix look.

use std::collections::HashMap;

use onca_answer::overview::{Matrix, Meaning};
use onca_model::{Color, ValueId, printable};
use onca_query::{Appearance, Role, Scope, palette};
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

/// The looks of the values of a matrix.
pub(crate) fn looks(
    scope: &Scope<'_>,
    appearance: &Appearance,
    theme: Theme,
    matrix: &Matrix,
) -> Vec<ValueLook> {
    let (catalog, colors) = (scope.catalog(), theme.colors());
    let name_of = |id: ValueId| catalog.value(id).name.as_slice();
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for meaning in &matrix.meanings {
        if let Meaning::Value(id) = *meaning {
            *counts.entry(name_of(id)).or_default() += 1;
        }
    }
    let look = |(name, meaning): (&Vec<u8>, &Meaning)| {
        let own = || printable(name).into_owned();
        let (name, color, pick) = match *meaning {
            Meaning::Value(id) => {
                let is_clear = counts[name_of(id)] == 1;
                let name = if is_clear { printable(name_of(id)).into_owned() } else { own() };
                (name, appearance.of_value(id).color, Pick::Value(id.0))
            }
            Meaning::Variable(id) => (own(), appearance.of_type(id).color, Pick::NOTHING),
            Meaning::NoState => (NO_STATE.to_owned(), colors.grid, Pick::NOTHING),
            Meaning::Other => (own(), palette::assign(&[(name, None)])[0], Pick::NOTHING),
        };
        ValueLook { name, color: color::over(color, colors.background), pick }
    };
    matrix.values.iter().zip(&matrix.meanings).map(look).collect()
}

/// The looks of the values of a matrix that comes from no trace.
pub(crate) fn looks_of_numbers(theme: Theme, matrix: &Matrix) -> Vec<ValueLook> {
    let names: Vec<(&[u8], Option<Role>)> =
        matrix.values.iter().map(|name| (name.as_slice(), None)).collect();
    let background = theme.colors().background;
    let look = |(name, color): (&Vec<u8>, Color)| ValueLook {
        name: printable(name).into_owned(),
        color: color::over(color, background),
        pick: Pick::NOTHING,
    };
    matrix.values.iter().zip(palette::assign(&names)).map(look).collect()
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
