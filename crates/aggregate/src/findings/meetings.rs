//! Operations in which all meet: what lies between two of them is one step of the program.

use onca_model::Ticks;

use crate::waits::{CollectiveKind, Process, Program};

/// An operation in which all meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Meeting {
    /// When the last came.
    pub time: Ticks,
    /// Its place among the operations of the program.
    pub operation: usize,
}

/// The operations in which all that work meet, or hardly fewer, in order of time.
pub(crate) fn meetings(program: &Program) -> Vec<Meeting> {
    let has_work = |process: &&Process| {
        (0..=process.n_calls())
            .any(|at| process.work_before(at).any(|it| program.is_useful(it.value)))
    };
    let n_working = program.processes.iter().filter(has_work).count();
    let mut found = Vec::new();
    for (operation, collective) in program.collectives.iter().enumerate() {
        let meet = matches!(collective.kind, CollectiveKind::Barrier | CollectiveKind::AllToAll);
        if meet && 10 * collective.members.len() >= 9 * n_working {
            let last = program.last_enter(collective);
            found.extend(last.map(|time| Meeting { time, operation }));
        }
    }
    found.sort_unstable();
    found
}

/// For each process its calls that end a step, with the number of that step.
pub(crate) fn step_ends(program: &Program, meetings: &[Meeting]) -> Vec<Vec<(u32, usize)>> {
    let mut ends: Vec<Vec<(u32, usize)>> = vec![Vec::new(); program.n_processes()];
    for (step, meeting) in meetings.iter().enumerate() {
        for id in &program.collectives[meeting.operation].members {
            ends[id.process as usize].push((id.call, step));
        }
    }
    ends
}
