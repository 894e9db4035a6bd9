//! Who of the members of a collective operation waits for whom.

use onca_model::Ticks;

use super::{Collective, CollectiveKind, Program};

/// What the members of an operation wait for.
pub(super) struct Gate {
    /// The place of the member that comes last.
    pub last: usize,
    /// When the first member leaves.
    pub first_leave: Ticks,
    /// In a scan: for each member the latest of those before it and of itself.
    latest: Vec<u32>,
}

impl Gate {
    pub fn of(program: &Program, collective: &Collective) -> Self {
        let (mut last, mut latest, mut first_leave) = (0, Vec::new(), Ticks::MAX);
        let mut last_enter = Ticks::MIN;
        for (place, id) in collective.members.iter().enumerate() {
            let (enter, leave) = (program.enter(*id), program.leave(*id));
            // The first of those that come at one time.
            if place == 0 || enter > last_enter {
                (last, last_enter) = (place, enter);
            }
            first_leave = first_leave.min(leave);
            if collective.kind == CollectiveKind::Scan {
                latest.push(last as u32);
            }
        }
        Self { last, first_leave, latest }
    }

    /// The place of the member that another waits for; `None` if it waits for nobody, or if nobody knows.
    pub fn waited_for(&self, collective: &Collective, place: usize) -> Option<usize> {
        match (collective.kind, collective.root()) {
            (CollectiveKind::Barrier | CollectiveKind::AllToAll, _) => Some(self.last),
            (CollectiveKind::OneToAll, root) => root,
            (CollectiveKind::AllToOne, root) => (root == Some(place)).then_some(self.last),
            (CollectiveKind::Scan, _) => Some(self.latest[place] as usize),
        }
    }
}
