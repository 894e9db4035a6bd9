//! How the values of a matrix look.

use std::collections::HashMap;

use onca_answer::overview::{Matrix, Meaning};
use onca_model::{Color, printable};
use onca_query::{Appearance, Role, palette};
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

/// The looks of the values of a matrix of a trace. One that comes from a file has its colours with it.
pub(crate) fn looks(
    appearance: Option<&Appearance>,
    theme: Theme,
    matrix: &Matrix,
) -> Vec<ValueLook> {
    let colors = theme.colors();
    let is_of_trace =
        |meaning: &Meaning| matches!(meaning, Meaning::Value(_) | Meaning::Colored(_));
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for (name, _) in matrix.bare.iter().zip(&matrix.meanings).filter(|(_, it)| is_of_trace(it)) {
        *counts.entry(name).or_default() += 1;
    }
    let look = |((name, bare), meaning): ((&Vec<u8>, &Vec<u8>), &Meaning)| {
        let is_clear = is_of_trace(meaning) && counts[bare.as_slice()] == 1;
        let name_shown = printable(if is_clear { bare } else { name }).into_owned();
        let (name, color, pick) = match (*meaning, appearance) {
            (Meaning::Value(id), Some(appearance)) => {
                (name_shown, appearance.of_value(id).color, Pick::Value(id.0))
            }
            (Meaning::Variable(id), Some(appearance)) => {
                (name_shown, appearance.of_type(id).color, Pick::NOTHING)
            }
            (Meaning::Colored(color), _) => (name_shown, color, Pick::NOTHING),
            (Meaning::NoState, _) => (NO_STATE.to_owned(), colors.grid, Pick::NOTHING),
            _ => (name_shown, palette::assign(&[(name, None)])[0], Pick::NOTHING),
        };
        ValueLook { name, color: color::over(color, colors.background), pick }
    };
    matrix.values.iter().zip(&matrix.bare).zip(&matrix.meanings).map(look).collect()
}

/// The looks of the values of a matrix that comes from no trace at all.
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
