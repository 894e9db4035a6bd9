//! The course of a run: its steps, and what each is made of.

use onca_model::Ticks;

use crate::findings::meetings::{meetings, step_ends};
use crate::waits::Program;

/// More steps are not kept; neighbours are joined.
const MOST_STEPS: usize = 2048;

/// The steps of a run, which lie between operations in which all met.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Course {
    /// Where steps begin and end: one more than there are steps.
    pub borders: Vec<Ticks>,
    /// What is done in each step, by values with how often.
    pub made_of: Vec<Vec<(u32, u64)>>,
}

impl Course {
    /// The course of a run.
    pub fn of(program: &Program) -> Self {
        let meetings = meetings(program);
        let n_steps = meetings.len() + 1;
        let group = n_steps.div_ceil(MOST_STEPS);
        let n = n_steps.div_ceil(group);
        let mut borders = vec![program.run.from];
        borders.extend((1..n).map(|at| meetings[at * group - 1].time));
        borders.push(program.run.to);
        let n_values = program.useful.len();
        let mut counts = vec![0u64; n * n_values];
        for (process, ends) in program.processes.iter().zip(step_ends(program, &meetings)) {
            let mut ends = ends.iter().peekable();
            let mut step = 0;
            for at in 0..=process.n_calls() {
                while let Some((_, ended)) = ends.next_if(|(end, _)| (*end as usize) < at) {
                    step = ended + 1;
                }
                let own = &mut counts[step / group * n_values..][..n_values];
                for work in process.work_before(at) {
                    own[work.value as usize] += u64::from(work.count);
                }
                if at < process.n_calls() {
                    own[process.call(at).value as usize] += 1;
                }
            }
        }
        let made_of = counts
            .chunks(n_values.max(1))
            .map(|own| (0u32..).zip(own).filter(|(_, n)| **n > 0).map(|(at, n)| (at, *n)).collect())
            .collect();
        Self { borders, made_of }
    }

    /// How many steps there are.
    pub fn n_steps(&self) -> usize {
        self.made_of.len()
    }
}
