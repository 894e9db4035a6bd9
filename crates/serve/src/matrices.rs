//! The amounts that overviews were made of lately: another trade-off need not add them up again.

use std::sync::{Arc, Mutex};

use onca_answer::AnswerError;
use onca_answer::overview::{Matrix, Metric};

use crate::newest::{Newest, lock, size_if_known};
use crate::question::Seen;

/// This many are remembered, as long as they are not too large together.
const MOST_KEPT: usize = 8;
/// Amounts that are kept, of all but the newest.
const MOST_CELLS: usize = 1 << 22;

/// The matrices of a trace. Whoever needs one first adds it up; others wait meanwhile.
#[derive(Default)]
pub struct Matrices(Newest<Mutex<Option<Arc<Matrix>>>>);

impl Matrices {
    /// The matrix of what is seen, from memory where it has been asked for lately.
    pub fn of(
        &self,
        seen: &Seen<'_>,
        n_slices: usize,
        metric: &Metric,
    ) -> Result<Arc<Matrix>, AnswerError> {
        let window = seen.scope.window();
        let key = format!("{window:?} {n_slices} {metric:?} {}", seen.lens.to_json());
        let entry = self.0.entry(key);
        let mut known = lock(&entry.content);
        if let Some(matrix) = &*known {
            return Ok(Arc::clone(matrix));
        }
        let matrix = Arc::new(Matrix::new(&seen.scope, n_slices, metric)?);
        *known = Some(Arc::clone(&matrix));
        drop(known);
        self.0.forget_old(MOST_KEPT, MOST_CELLS, |known| size_if_known(known, n_cells));
        Ok(matrix)
    }
}

fn n_cells(matrix: &Matrix) -> usize {
    matrix.cells.n_leaves() * matrix.cells.n_slices() * matrix.values.len()
}
