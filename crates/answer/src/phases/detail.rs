//! The traffic of many short phases, so that fewer long ones need not see all messages again.

use onca_aggregate::phases::TrafficSum;

use super::{Communication, PhaseTotals};
use crate::{AnswerError, Result};

/// This many short phases: more than a screen has room for.
const SHORT_PHASES: usize = 256;

/// Short phases. Any smaller number of phases is made of them, because one phase more only splits one.
pub(super) struct Detail {
    firsts: Vec<usize>,
    end: usize,
    sums: Vec<(PhaseTotals, TrafficSum)>,
}

impl Communication<'_> {
    /// Sees all messages once, so that up to 256 phases can be found without seeing them again. Where too many pairs communicate, nothing is
    /// kept.
    pub fn keep_detail(&self) -> Result<()> {
        let end = self.instants.times.len();
        if self.detail.get().is_some() || end == 0 {
            return Ok(());
        }
        let firsts = self.tree.cut(SHORT_PHASES);
        let detail = match self.gather(&firsts, end) {
            Ok(sums) => Some(Detail { firsts, end, sums }),
            Err(AnswerError::TooLarge(_)) => None,
            Err(other) => return Err(other),
        };
        // Whoever was quicker has found the same.
        let _ = self.detail.set(detail);
        Ok(())
    }
}

impl Detail {
    /// How many pairs of processors are kept.
    pub fn n_pairs(&self) -> usize {
        self.sums.iter().map(|(_, sum)| sum.len()).sum()
    }

    /// The traffic of longer phases; none where they are not made of these.
    pub fn gather(&self, firsts: &[usize], end: usize) -> Option<Vec<(PhaseTotals, TrafficSum)>> {
        let places: Option<Vec<usize>> =
            firsts.iter().map(|first| self.firsts.binary_search(first).ok()).collect();
        let places = places.filter(|places| end == self.end && places.first() == Some(&0))?;
        let ends = places.iter().skip(1).copied().chain([self.sums.len()]);
        Some(places.iter().zip(ends).map(|(&place, end)| joined(&self.sums[place..end])).collect())
    }
}

fn joined(parts: &[(PhaseTotals, TrafficSum)]) -> (PhaseTotals, TrafficSum) {
    let (mut all, mut sum) = (PhaseTotals::default(), TrafficSum::default());
    for (totals, traffic) in parts {
        all.messages += totals.messages;
        all.size = all.size.saturating_add(totals.size);
        all.to_self += totals.to_self;
        all.collective += totals.collective;
        traffic.iter().for_each(|one| sum.add(*one));
    }
    (all, sum)
}
