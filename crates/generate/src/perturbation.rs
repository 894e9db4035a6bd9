//! Planted slowness at work: which computations take longer, and how many did.

use crate::truth;

/// Factors multiply without limit; a run stops with an error before this much time is added to overflow its clock.
const MAX_TICKS: i64 = 1 << 58;

/// A slowness during a run.
pub(crate) struct Perturbation {
    pub(crate) kind: &'static str,
    pub(crate) container: Option<String>,
    /// Per process, whether it is hit.
    pub(crate) hit: Vec<bool>,
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) factor: f64,
    pub(crate) slowed: u64,
}

impl Perturbation {
    /// How long a computation of that process takes when it begins at `start`.
    pub(crate) fn stretch(&mut self, process: u32, start: i64, ticks: i64) -> i64 {
        if !self.hit[process as usize] || start < self.from || start >= self.to {
            return ticks;
        }
        self.slowed += 1;
        ((ticks as f64 * self.factor) as i64).clamp(1, MAX_TICKS)
    }

    /// What to tell about it after a run that ended at `end`.
    pub(crate) fn truth(&self, end: i64) -> truth::Perturbation {
        let processes = self.hit.iter().enumerate().filter(|(_, hit)| **hit);
        truth::Perturbation {
            kind: self.kind,
            container: self.container.clone(),
            processes: processes.map(|(p, _)| format!("rank-{p}")).collect(),
            from_ticks: self.from.min(end),
            to_ticks: self.to.min(end),
            factor: self.factor,
            slowed_computations: self.slowed,
        }
    }
}

/// The time a computation takes with everything planted taken into account.
pub(crate) fn stretched(all: &mut [Perturbation], process: u32, start: i64, ticks: i64) -> i64 {
    all.iter_mut().fold(ticks, |ticks, planted| planted.stretch(process, start, ticks))
}
