//! Who talks with whom in each phase.

use std::ops::Range;
use std::sync::Arc;

use onca_aggregate::phases::{Community, Curve, Traffic, TrafficSum, labels};
use onca_model::{Ticks, Window};
use rayon::prelude::*;

use super::phase::{PhaseTotals, weighed};
use super::{Communication, MOST_PHASES, Phase, Repetition};
use crate::{AnswerError, Result};

/// More pairs of processors are not kept, in all phases together.
const MOST_PAIRS: usize = 1 << 24;

/// How many pairs are kept is looked at once in this many messages.
const CHECKED: u64 = 1 << 20;

/// The phases of a trace, with the communities in each.
#[derive(Clone, PartialEq, Debug)]
pub struct PhasesAnswer {
    /// The phases, in order.
    pub phases: Arc<Vec<Phase>>,
    /// The number of communities that was asked for.
    pub n_communities: Option<usize>,
    /// The communities of each phase.
    pub communities: Vec<Vec<Community>>,
    /// How communities change from phase to phase.
    pub curve: Curve,
    /// What comes again and again.
    pub repetition: Option<Repetition>,
}

impl Communication<'_> {
    /// This many phases, as far as there are different times; the suggested number by default, or
    /// where that is more than can be kept, the best of fewer. Without messages there are none.
    pub fn phases(
        &self,
        n_phases: Option<usize>,
        n_communities: Option<usize>,
    ) -> Result<PhasesAnswer> {
        let all = 0..self.instants.times.len();
        if let Some(n) = n_phases {
            return self.phases_within(all, n, n_communities);
        }
        let mut n = self.suggestions()[0].phases;
        loop {
            match self.phases_within(all.clone(), n, n_communities) {
                Err(AnswerError::TooLarge(_)) if n > 1 => {
                    n = self.suggestions_up_to(n / 2)[0].phases;
                }
                found => return found,
            }
        }
    }

    /// The same for some of the different times, such as those of one phase.
    pub fn phases_within(
        &self,
        instants: Range<usize>,
        n_phases: usize,
        n_communities: Option<usize>,
    ) -> Result<PhasesAnswer> {
        let firsts = match instants.is_empty() {
            true => Vec::new(),
            false => self.tree.cut_within(instants.clone(), n_phases),
        };
        if firsts.len() > MOST_PHASES {
            return Err(AnswerError::TooLarge(format!(
                "{n_phases} phases are too many; ask for at most {MOST_PHASES}"
            )));
        }
        let gathered = self.gather(&firsts, instants.end)?;
        let windows = self.windows(&firsts, instants.end);
        let mut phases: Vec<Phase> = gathered
            .into_par_iter()
            .zip(windows)
            .zip(ranges(&firsts, instants.end))
            .map(|(((totals, sum), window), instants)| {
                let first_message = self.instants.times[instants.start].div_euclid(2);
                Phase::new(window, instants, first_message, totals, sum)
            })
            .collect();
        let traffic: Vec<Vec<Traffic>> =
            phases.iter().map(|phase| weighed(&phase.traffic)).collect();
        for (phase, label) in phases.iter_mut().zip(labels(&traffic)) {
            phase.label = label;
        }
        // Of phases that are coarser than what stands out, each has many of what repeats: to call
        // each an iteration would be wrong.
        let is_coarse = instants == (0..self.instants.times.len())
            && phases.len() < self.too_many_phases().unwrap_or(self.suggestions()[0].phases);
        let repetition = Repetition::new(&phases)
            .filter(|repetition| !is_coarse || repetition.period.phases > 1);
        let nothing = PhasesAnswer {
            phases: Arc::new(phases),
            n_communities,
            communities: Vec::new(),
            curve: Curve::default(),
            repetition,
        };
        Ok(nothing.regrouped(n_communities))
    }

    /// The traffic of the phases that begin at some of the different times.
    pub(super) fn gather(
        &self,
        firsts: &[usize],
        end: usize,
    ) -> Result<Vec<(PhaseTotals, TrafficSum)>> {
        let detail = self.detail.get().and_then(Option::as_ref);
        if let Some(sums) = detail.and_then(|detail| detail.gather(firsts, end)) {
            return Ok(sums);
        }
        let times = &self.instants.times;
        let begins: Vec<i64> = firsts.iter().map(|&first| times[first]).collect();
        let last = end.checked_sub(1).map_or(i64::MIN, |last| times[last]);
        let mut phases = vec![(PhaseTotals::default(), TrafficSum::default()); firsts.len()];
        let is_sized = self.is_sized();
        let (mut n_seen, mut n_kept) = (0u64, 0);
        self.visit(|message| {
            if n_kept > MOST_PAIRS {
                return;
            }
            let time = self.instants.rounded(message.doubled_middle());
            let phase = begins.partition_point(|&begin| begin <= time).checked_sub(1);
            let Some(phase) = phase.filter(|_| time <= last) else { return };
            let (totals, sum) = &mut phases[phase];
            let size = message.size.unwrap_or(0);
            totals.messages += 1;
            totals.size = totals.size.saturating_add(size);
            totals.to_self += u64::from(message.from == message.to);
            totals.collective += u64::from(message.is_collective);
            // A barrier sends no data, but nobody would call its members idle.
            let weight = match (is_sized, message.is_collective) {
                (false, _) => 1,
                (true, false) => size,
                (true, true) => size.max(1),
            };
            sum.add(Traffic { from: message.from, to: message.to, weight, count: 1 });
            n_seen += 1;
            if n_seen.is_multiple_of(CHECKED) {
                n_kept = phases.iter().map(|(_, sum)| sum.len()).sum();
            }
        })?;
        if n_kept > MOST_PAIRS {
            return Err(AnswerError::TooLarge(format!(
                "more than {MOST_PAIRS} pairs communicate in {} phases; ask for fewer phases, a level, or fewer containers",
                firsts.len()
            )));
        }
        Ok(phases)
    }

    /// When phases are: the bound between two is halfway between their nearest messages.
    fn windows(&self, firsts: &[usize], end: usize) -> Vec<Window> {
        let bound = |first: usize| self.bound_before(first);
        let mut bounds: Vec<Ticks> = firsts.iter().map(|&first| bound(first)).collect();
        bounds.push(bound(end));
        bounds.windows(2).map(|pair| Window { from: pair[0], to: pair[1] }).collect()
    }

    /// Halfway between one of the different times and that before; the ends of the extent where there is none.
    pub(super) fn bound_before(&self, instant: usize) -> Ticks {
        let times = &self.instants.times;
        match (instant.checked_sub(1).and_then(|before| times.get(before)), times.get(instant)) {
            // Times are doubled: a quarter of their sum is halfway.
            (Some(before), Some(after)) => {
                (i128::from(*before) + i128::from(*after)).div_euclid(4) as Ticks
            }
            (None, _) => self.extent.from,
            // The end of the last message is a part of the last phase.
            (_, None) => self.extent.to.saturating_add(1),
        }
    }
}

impl PhasesAnswer {
    /// The same phases with another number of communities; the best number of each where there is none.
    pub fn regrouped(&self, n_communities: Option<usize>) -> Self {
        let communities: Vec<Vec<Community>> =
            self.phases.par_iter().map(|phase| phase.communities(n_communities)).collect();
        Self {
            phases: Arc::clone(&self.phases),
            curve: Curve::new(&communities),
            communities,
            n_communities,
            repetition: self.repetition.clone(),
        }
    }

    /// How many different patterns there are.
    pub fn n_patterns(&self) -> usize {
        self.phases.iter().map(|phase| phase.label + 1).max().unwrap_or(0)
    }
}

/// The different times of each phase, from where each begins and the last one ends.
fn ranges(firsts: &[usize], end: usize) -> Vec<Range<usize>> {
    let ends = firsts.iter().skip(1).copied().chain([end]);
    firsts.iter().copied().zip(ends).map(|(first, end)| first..end).collect()
}

/// The name of a pattern: A to Z, then AA, AB and so on.
pub fn pattern_name(label: usize) -> String {
    let mut name = Vec::new();
    let mut rest = label + 1;
    while rest > 0 {
        rest -= 1;
        name.push(b'A' + (rest % 26) as u8);
        rest /= 26;
    }
    name.into_iter().rev().map(char::from).collect()
}

impl Phase {
    /// The name of its pattern: A to Z, then AA, AB and so on.
    pub fn pattern(&self) -> String {
        pattern_name(self.label)
    }
}
