//! Problems on their way to the consumer: samples of each kind, and counts of the rest.

use onca_model::{Code, MAX_SAMPLES};

use super::window::Position;
use crate::batch::{Batch, Problem};

/// What was met and not yet handed over.
pub(super) struct Problems {
    list: Vec<Problem>,
    /// How often each kind was met at all.
    met: Vec<u64>,
    /// How many of each kind wait without a sample.
    unsampled: Vec<u64>,
    lost: u64,
}

impl Problems {
    pub fn new() -> Self {
        let n = Code::ALL.len();
        Self { list: Vec::new(), met: vec![0; n], unsampled: vec![0; n], lost: 0 }
    }

    /// Reports a problem; its text is made only while samples are wanted.
    #[cold]
    pub fn report(
        &mut self,
        position: Position,
        code: Code,
        text: impl FnOnce() -> (String, Option<String>),
    ) {
        let met = &mut self.met[code as usize];
        *met += 1;
        if *met > MAX_SAMPLES as u64 {
            self.unsampled[code as usize] += 1;
            return;
        }
        let (message, hint) = text();
        let (line, column) = (position.line.saturating_sub(1), position.column);
        self.list.push(Problem { at: 0, line, column, code, message, hint });
    }

    /// Reports a problem that costs an event.
    #[cold]
    pub fn lose(
        &mut self,
        position: Position,
        code: Code,
        text: impl FnOnce() -> (String, Option<String>),
    ) {
        self.lost += 1;
        self.report(position, code, text);
    }

    /// Does nothing wait?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.lost == 0 && self.unsampled.iter().all(|&n| n == 0)
    }

    /// Hands everything over. The positions count lines from the first of the source.
    pub fn move_into(&mut self, batch: &mut Batch) {
        batch.problems.append(&mut self.list);
        batch.n_lost += std::mem::take(&mut self.lost);
        for (&code, count) in Code::ALL.iter().zip(&mut self.unsampled) {
            if *count > 0 {
                batch.unsampled.push((code, std::mem::take(count)));
            }
        }
    }
}
