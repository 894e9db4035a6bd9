//! Messages that were asked about lately, joined in time: sliders and unfolding need not read them again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onca_answer::AnswerError;
use onca_answer::phases::{Communication, Joined, PhaseSpec, PhasesAnswer};

use crate::question::Seen;

/// So many questions about messages are remembered, as long as they are not too large together.
const MOST_KEPT: usize = 8;
/// From so many messages on, traffic is kept in detail: to see them all again would take longer than a slider may.
const DETAILED: u64 = 1 << 16;
/// Messages, different times and pairs that are kept, of all but the newest question.
const MOST_MESSAGES: usize = 1 << 22;
/// So many numbers of phases are remembered for each, as long as they are not too large together.
const MOST_ANSWERS: usize = 12;
/// Pairs that communicate, of all but the newest answer.
const MOST_PAIRS: usize = 1 << 21;

/// The conversations of a trace, the newest last.
#[derive(Default)]
pub struct Conversations {
    kept: Mutex<Vec<Arc<Kept>>>,
}

/// Messages as some window and lens show them.
struct Kept {
    key: String,
    /// Whoever needs it first finds it out; others wait meanwhile.
    joined: Mutex<Option<Arc<Joined>>>,
    answers: Mutex<Vec<Arc<PhasesAnswer>>>,
}

/// Messages that can be asked about.
pub struct Conversation<'a> {
    /// The messages.
    pub communication: Communication<'a>,
    kept: Arc<Kept>,
}

impl Conversations {
    /// The messages that are seen, from memory where they have been asked about lately.
    pub fn of<'a>(
        &self,
        seen: &'a Seen<'a>,
        spec: &PhaseSpec,
    ) -> Result<Conversation<'a>, AnswerError> {
        let key = format!("{:?} {spec:?} {}", seen.scope.window(), seen.lens.to_json());
        let kept = self.remember(key);
        let mut joined = lock(&kept.joined);
        let communication = match &*joined {
            Some(joined) => Communication::of(&seen.scope, spec, Arc::clone(joined))?,
            None => Communication::new(&seen.scope, spec)?,
        };
        if communication.totals.messages > DETAILED {
            communication.keep_detail()?;
        }
        *joined = Some(Arc::clone(communication.joined()));
        drop(joined);
        self.forget_old();
        Ok(Conversation { communication, kept })
    }

    /// The entry of a key, which is the newest from now on.
    fn remember(&self, key: String) -> Arc<Kept> {
        let mut all = lock(&self.kept);
        let found = all.iter().position(|kept| kept.key == key).map(|at| all.remove(at));
        let kept = found.unwrap_or_else(|| {
            Arc::new(Kept { key, joined: Mutex::default(), answers: Mutex::default() })
        });
        all.push(Arc::clone(&kept));
        kept
    }

    fn forget_old(&self) {
        keep_newest(&mut lock(&self.kept), MOST_KEPT, MOST_MESSAGES, |kept| {
            // What is being found out has no size yet, and is not waited for.
            let joined = kept.joined.try_lock().ok().and_then(|joined| joined.clone());
            joined.map_or(0, |joined| joined.n_kept())
        });
    }
}

impl Conversation<'_> {
    /// So many phases and communities, from memory where they have been asked for lately.
    pub fn phases(
        &self,
        n_phases: usize,
        n_communities: Option<usize>,
    ) -> Result<Arc<PhasesAnswer>, AnswerError> {
        let n_phases = n_phases.min(self.communication.instants.times.len());
        let like = |answer: &Arc<PhasesAnswer>| answer.phases.len() == n_phases;
        let same =
            |answer: &Arc<PhasesAnswer>| like(answer) && answer.n_communities == n_communities;
        let known = {
            let answers = lock(&self.kept.answers);
            answers.iter().find(|answer| same(answer)).or(answers.iter().find(|a| like(a))).cloned()
        };
        let answer = match known {
            Some(answer) if same(&answer) => return Ok(answer),
            Some(answer) => answer.regrouped(n_communities),
            None => self.communication.phases(Some(n_phases), n_communities)?,
        };
        let answer = Arc::new(answer);
        let mut answers = lock(&self.kept.answers);
        answers.push(Arc::clone(&answer));
        keep_newest(&mut answers, MOST_ANSWERS, MOST_PAIRS, |answer| {
            answer.phases.iter().map(|phase| phase.traffic.len()).sum()
        });
        Ok(answer)
    }
}

/// Drops old entries until there are at most so many, and those before the newest are together not too large.
fn keep_newest<T>(entries: &mut Vec<T>, most: usize, largest: usize, size: impl Fn(&T) -> usize) {
    let mut sum = 0;
    let older = entries.iter().rev().skip(1).take(most.saturating_sub(1));
    let n = older.take_while(|entry| {
        sum += size(entry);
        sum <= largest
    });
    let n_kept = (n.count() + 1).min(entries.len());
    entries.drain(..entries.len() - n_kept);
}

/// What a thread that panicked has left is whole: entries are only ever replaced.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stay_as_far_as_they_fit() {
        let kept = |sizes: &[usize], most, largest| {
            let mut entries = sizes.to_vec();
            keep_newest(&mut entries, most, largest, |size| *size);
            entries
        };
        assert_eq!(kept(&[], 3, 10), [0; 0]);
        assert_eq!(kept(&[1, 2, 3, 4], 3, 10), [2, 3, 4]);
        assert_eq!(kept(&[1, 5, 6, 99], 4, 10), [6, 99]);
        assert_eq!(kept(&[11, 99], 4, 10), [99]);
    }
}
