//! Messages that were asked about lately, joined in time: sliders and unfolding need not read them again.

use std::sync::{Arc, Mutex};

use onca_answer::AnswerError;
use onca_answer::phases::{Communication, Joined, PhaseSpec, PhasesAnswer};
use onca_query::Scope;

use crate::newest::{Entry, Newest, keep_newest, lock, size_if_known};
use crate::question::Seen;

/// This many questions about messages are remembered, as long as they are not too large together.
const MOST_KEPT: usize = 8;
/// From this many messages on, traffic is kept in detail: to see them all again would take longer than a slider may.
const DETAILED: u64 = 1 << 16;
/// Messages, different times and pairs that are kept, of all but the newest question.
const MOST_MESSAGES: usize = 1 << 22;
/// This many numbers of phases are remembered for each, as long as they are not too large together.
const MOST_ANSWERS: usize = 12;
/// Pairs that communicate, of all but the newest answer.
const MOST_PAIRS: usize = 1 << 21;

/// The conversations of a trace.
#[derive(Default)]
pub struct Conversations(Newest<Kept>);

/// Messages as some window and lens show them.
#[derive(Default)]
struct Kept {
    /// Whoever needs it first finds it out; others wait meanwhile.
    joined: Mutex<Option<Arc<Joined>>>,
    answers: Mutex<Vec<Arc<PhasesAnswer>>>,
}

impl Conversations {
    fn entry(&self, seen: &Seen<'_>, spec: &PhaseSpec) -> Arc<Entry<Kept>> {
        self.0.entry(format!("{:?} {spec:?} {}", seen.scope.window(), seen.lens.to_json()))
    }

    /// The messages that are seen, from memory where they have been asked about lately.
    pub fn communication<'s>(
        &self,
        seen: &Seen<'_>,
        scope: &'s Scope<'s>,
        spec: &PhaseSpec,
    ) -> Result<Communication<'s>, AnswerError> {
        let kept = self.entry(seen, spec);
        let mut joined = lock(&kept.content.joined);
        let communication = match &*joined {
            Some(joined) => Communication::of(scope, spec, Arc::clone(joined))?,
            None => Communication::new(scope, spec)?,
        };
        if communication.totals.messages > DETAILED {
            communication.keep_detail()?;
        }
        *joined = Some(Arc::clone(communication.joined()));
        drop(joined);
        self.0.forget_old(MOST_KEPT, MOST_MESSAGES, |kept| {
            size_if_known(&kept.joined, Joined::n_kept)
        });
        Ok(communication)
    }

    /// Phases and communities of these messages, from memory where they have been asked for lately.
    pub fn phases(
        &self,
        seen: &Seen<'_>,
        communication: &Communication<'_>,
        spec: &PhaseSpec,
        n_phases: usize,
        n_communities: Option<usize>,
    ) -> Result<Arc<PhasesAnswer>, AnswerError> {
        let n_phases = n_phases.min(communication.instants.times.len());
        let kept = self.entry(seen, spec);
        let like = |answer: &Arc<PhasesAnswer>| answer.phases.len() == n_phases;
        let same =
            |answer: &Arc<PhasesAnswer>| like(answer) && answer.n_communities == n_communities;
        let known = {
            let answers = lock(&kept.content.answers);
            answers.iter().find(|answer| same(answer)).or(answers.iter().find(|a| like(a))).cloned()
        };
        let answer = match known {
            Some(answer) if same(&answer) => return Ok(answer),
            Some(answer) => answer.regrouped(n_communities),
            None => communication.phases(Some(n_phases), n_communities)?,
        };
        let answer = Arc::new(answer);
        let mut answers = lock(&kept.content.answers);
        answers.push(Arc::clone(&answer));
        keep_newest(&mut answers, MOST_ANSWERS, MOST_PAIRS, |answer| {
            answer.phases.iter().map(|phase| phase.traffic.len()).sum()
        });
        Ok(answer)
    }
}
