//! The summary of a window, per container and value, at any level of the hierarchy.
//!
//! A [`cube()`] tells what every leaf has of every value in every slice of the window. [`slice()`]
//! folds it up the hierarchy. Ticks and counts stay integers, so that slices sum up to the window
//! and leaves to their group, to the last tick.

mod answer;
mod columns;
mod cube;
mod cube_file;
mod events;
mod folding;
mod links;
mod measure;
mod peers;
mod question;
mod ratio;
mod space;
mod states;
mod variables;
mod vectors;
pub(crate) mod wire;

pub use answer::{Amount, Rows, SliceAnswer, SliceNode};
pub use columns::SliceValue;
pub use cube::{Cells, Having, LeafCube, cube, visit_touched};
pub use cube_file::CubeFile;
pub(crate) use cube_file::ValueOfFile;
pub use measure::{LinkMeasure, Measure, Quantity, VariableMeasure};
pub use question::{Aggregate, AskedRatio, Links, Nodes, SliceQuestion, What, median};
pub use ratio::{Ratios, ratios};
pub use space::Space;
pub use vectors::{Component, VectorAnswer, VectorQuestion, VectorValue, vectors};

use onca_query::Scope;

use crate::{AnswerError, Result};
use folding::Folding;

/// Answers a question about the window of a scope.
pub fn slice(scope: &Scope<'_>, question: &SliceQuestion) -> Result<SliceAnswer> {
    match &question.what {
        What::Measure(measure) => of_measure(scope, question, *measure),
        What::Peers(links) => peers::slice(scope, question, *links),
        What::Ratio(asked) => ratio::slice(scope, question, asked),
    }
}

fn of_measure(
    scope: &Scope<'_>,
    question: &SliceQuestion,
    measure: Measure,
) -> Result<SliceAnswer> {
    let quantity = measure.quantity();
    if question.normalise && quantity != Quantity::Time {
        let name = quantity.name();
        return Err(AnswerError::Question(format!(
            "only times can be shares of the slice, not a {name}"
        )));
    }
    let nodes = answer::wanted_nodes(scope, &question.nodes)?;
    let cube = cube(scope, question.n_slices, measure)?;
    let folding = Folding {
        cube: &cube,
        aggregate: &question.aggregate,
        quantity,
        normalise: question.normalise,
        ticks_per_unit: scope.catalog().facts.unit.ticks_per_unit,
    };
    let is_expression = matches!(question.aggregate, Aggregate::Expression(_));
    let absent_is_zero = !is_expression && !matches!(measure, Measure::Variable(_));
    let places: Vec<u32> = nodes.iter().map(|&node| cube.space.place(node)).collect();
    let mut amounts = Vec::new();
    for value in 0..cube.values.len() {
        folding.visit(value, &places, |node, slice, amount| {
            if !absent_is_zero || amount.to_f64() != 0.0 {
                amounts.push((node, value, slice, amount));
            }
        });
    }
    amounts.sort_by_key(|&(node, value, slice, _)| (node, value, slice));
    let mut rows = Rows::default();
    amounts.iter().for_each(|&(node, value, slice, amount)| rows.push(node, value, slice, amount));
    let mut answer = SliceAnswer {
        nodes: answer::describe(scope, &nodes, &cube.space),
        bounds: cube.bounds,
        unit: scope.catalog().facts.unit.clone(),
        values: cube.values,
        rows,
        quantity: match (is_expression, question.normalise) {
            (true, _) => Quantity::Expression,
            (false, true) => Quantity::Share,
            (false, false) => quantity,
        },
        absent_is_zero,
        tally: cube.tally,
        scanned: cube.scanned,
        having: cube.having,
    };
    answer.drop_unused_values();
    Ok(answer)
}
