//! Messages that were asked about lately, joined in time: sliders and unfolding need not read them again.

use std::sync::{Arc, Mutex};

use onca_answer::AnswerError;
use onca_answer::phases::{Communication, Joined, PhaseSpec, PhasesAnswer};

use crate::newest::{Entry, Newest, keep_newest, lock, size_if_known};
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

/// Messages that can be asked about.
pub struct Conversation<'a> {
    /// The messages.
    pub communication: Communication<'a>,
    kept: Arc<Entry<Kept>>,
}

impl Conversations {
    /// The messages that are seen, from memory where they have been asked about lately.
    pub fn of<'a>(
        &self,
        seen: &'a Seen<'a>,
        spec: &PhaseSpec,
    ) -> Result<Conversation<'a>, AnswerError> {
        let key = format!("{:?} {spec:?} {}", seen.scope.window(), seen.lens.to_json());
        let kept = self.0.entry(key);
        let mut joined = lock(&kept.content.joined);
        let communication = match &*joined {
            Some(joined) => Communication::of(&seen.scope, spec, Arc::clone(joined))?,
            None => Communication::new(&seen.scope, spec)?,
        };
        if communication.totals.messages > DETAILED {
            communication.keep_detail()?;
        }
        *joined = Some(Arc::clone(communication.joined()));
        drop(joined);
        self.0.forget_old(MOST_KEPT, MOST_MESSAGES, |kept| {
            size_if_known(&kept.joined, Joined::n_kept)
        });
        Ok(Conversation { communication, kept })
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
            let answers = lock(&self.kept.content.answers);
            answers.iter().find(|answer| same(answer)).or(answers.iter().find(|a| like(a))).cloned()
        };
        let answer = match known {
            Some(answer) if same(&answer) => return Ok(answer),
            Some(answer) => answer.regrouped(n_communities),
            None => self.communication.phases(Some(n_phases), n_communities)?,
        };
        let answer = Arc::new(answer);
        let mut answers = lock(&self.kept.content.answers);
        answers.push(Arc::clone(&answer));
        keep_newest(&mut answers, MOST_ANSWERS, MOST_PAIRS, |answer| {
            answer.phases.iter().map(|phase| phase.traffic.len()).sum()
        });
        Ok(answer)
    }
}
