//! Problems of a batch, of which only the first of each kind carry a text.

use onca_model::Code;

use crate::batch::{Batch, Problem};

/// Samples of one kind of problem that a batch carries.
const SAMPLES_PER_BATCH: usize = 100;

/// Counts the problems of one batch.
#[derive(Default)]
pub(super) struct Faults {
    sampled: Vec<(Code, usize)>,
}

impl Faults {
    /// Reports a problem; its text is made only while samples are wanted.
    pub fn report(
        &mut self,
        batch: &mut Batch,
        at: u32,
        code: Code,
        text: impl FnOnce() -> String,
    ) {
        let position = self.sampled.iter().position(|(known, _)| *known == code);
        let index = position.unwrap_or_else(|| {
            self.sampled.push((code, 0));
            self.sampled.len() - 1
        });
        let n_sampled = &mut self.sampled[index].1;
        if *n_sampled >= SAMPLES_PER_BATCH {
            match batch.unsampled.iter_mut().find(|(known, _)| *known == code) {
                Some((_, count)) => *count += 1,
                None => batch.unsampled.push((code, 1)),
            }
            return;
        }
        *n_sampled += 1;
        let message = text();
        batch.problems.push(Problem { at, line: at, column: 0, code, message, hint: None });
    }
}
