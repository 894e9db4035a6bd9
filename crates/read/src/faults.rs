//! Problems of a batch, of which only the first of each kind carry a text.

use onca_model::Code;

use crate::batch::{Batch, Problem};

/// Samples of one kind of problem that a batch carries.
const SAMPLES_PER_BATCH: usize = 100;

/// A place in a batch.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    /// Offset of the record in the text.
    pub at: u32,
    /// Line within the batch, from 0.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// Counts the problems of one batch.
#[derive(Default)]
pub(crate) struct Faults {
    sampled: Vec<(Code, usize)>,
}

impl Faults {
    /// Reports a problem at a byte of a binary file.
    pub fn report(
        &mut self,
        batch: &mut Batch,
        at: u32,
        code: Code,
        text: impl FnOnce() -> String,
    ) {
        self.report_at(batch, Spot { at, line: at, column: 0 }, code, text);
    }

    /// Reports a problem; its text is made only while samples are wanted.
    pub fn report_at(
        &mut self,
        batch: &mut Batch,
        Spot { at, line, column }: Spot,
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
        batch.problems.push(Problem { at, line, column, code, message, hint: None });
    }
}
