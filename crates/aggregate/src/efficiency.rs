//! How well parallel processes used their time: the efficiencies of the POP project.
//!
//! With the useful time `u` of each process (computing, outside communication), the runtime `R`
//! and, where it is known, the runtime `I` that the same program would have on a network without
//! delay:
//!
//! | name | definition | 1 means |
//! | --- | --- | --- |
//! | parallel efficiency | mean `u` / `R` | all processes compute all the time |
//! | load balance | mean `u` / max `u` | all compute equally long |
//! | communication efficiency | max `u` / `R` | the busiest one never waits |
//! | serialisation efficiency | max `u` / `I` | nobody waits for others to get there |
//! | transfer efficiency | `I` / `R` | moving data costs no time |
//!
//! Parallel efficiency is load balance times communication efficiency, and communication
//! efficiency is serialisation times transfer efficiency.

use onca_model::Ticks;

use crate::Tree;
use crate::fold::{Fold, Folded, fold_tree};
use crate::ratio::divide;

/// What one process did with its time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ProcessTime {
    /// Useful time: computing.
    pub useful: Ticks,
    /// Time in communication: sending, receiving, waiting.
    pub communication: Ticks,
}

/// What a group of processes did with its time: enough for all efficiencies.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GroupTime {
    /// How many processes there are.
    pub processes: u64,
    /// The useful time of all.
    pub useful: i128,
    /// The useful time of the one that has most.
    pub max_useful: Ticks,
    /// The communication time of all.
    pub communication: i128,
}

/// The fold that adds up the processes of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupTimes;

impl Fold for GroupTimes {
    type Item = ProcessTime;
    type State = GroupTime;
    type Output = GroupTime;

    fn init(&self) -> GroupTime {
        GroupTime::default()
    }

    fn add(&self, group: &mut GroupTime, process: ProcessTime) {
        self.merge(
            group,
            &GroupTime {
                processes: 1,
                useful: i128::from(process.useful),
                max_useful: process.useful,
                communication: i128::from(process.communication),
            },
        );
    }

    fn merge(&self, group: &mut GroupTime, other: &GroupTime) {
        group.processes += other.processes;
        group.useful += other.useful;
        group.max_useful = group.max_useful.max(other.max_useful);
        group.communication += other.communication;
    }

    fn finish(&self, group: &GroupTime) -> GroupTime {
        *group
    }
}

/// The efficiencies of a group. `None` where one would divide by 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Efficiency {
    /// Load balance times communication efficiency.
    pub parallel: Option<f64>,
    /// Are all equally busy? Undefined if nobody does anything useful.
    pub load_balance: Option<f64>,
    /// Does the busiest one wait?
    pub communication: Option<f64>,
    /// What communication efficiency is made of.
    pub split: CommunicationSplit,
    /// The share of the time of all processes that they spend in communication.
    pub communication_share: Option<f64>,
}

/// What communication efficiency is made of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CommunicationSplit {
    /// The runtime without network delay is known.
    Known {
        /// Does anybody wait for others to get there?
        serialisation: Option<f64>,
        /// Does moving data cost time?
        transfer: Option<f64>,
    },
    /// It is not, see [`CommunicationSplit::REASON`].
    Unknown,
}

impl CommunicationSplit {
    /// Why serialisation and transfer efficiency are left out.
    pub const REASON: &'static str = "serialisation and transfer efficiency need an analysis of who waits for whom, \
        which was not asked for";

    /// Serialisation and transfer efficiency, where they are known.
    pub fn parts(&self) -> (Option<f64>, Option<f64>) {
        match *self {
            Self::Known { serialisation, transfer } => (serialisation, transfer),
            Self::Unknown => (None, None),
        }
    }
}

impl GroupTime {
    /// The group of some processes.
    pub fn of(processes: impl IntoIterator<Item = ProcessTime>) -> Self {
        let mut group = Self::default();
        processes.into_iter().for_each(|process| GroupTimes.add(&mut group, process));
        group
    }

    /// The efficiencies of the group during a time of `runtime`; `ideal_runtime` is what it would
    /// be on a network without delay, where somebody has found that out.
    pub fn efficiency(&self, runtime: Ticks, ideal_runtime: Option<Ticks>) -> Efficiency {
        let all = i128::from(runtime).saturating_mul(i128::from(self.processes));
        let busiest = i128::from(self.max_useful).saturating_mul(i128::from(self.processes));
        Efficiency {
            parallel: divide(self.useful, all),
            load_balance: divide(self.useful, busiest),
            communication: self.per_process(divide(self.max_useful, runtime)),
            split: match ideal_runtime {
                Some(ideal) => CommunicationSplit::Known {
                    serialisation: self.per_process(divide(self.max_useful, ideal)),
                    transfer: self.per_process(divide(ideal, runtime)),
                },
                None => CommunicationSplit::Unknown,
            },
            communication_share: divide(self.communication, all),
        }
    }

    /// A group of nobody has no efficiency.
    fn per_process(&self, efficiency: Option<f64>) -> Option<f64> {
        efficiency.filter(|_| self.processes > 0)
    }
}

/// The times of every group of a tree, per slice. `process` gives what the process at a place of
/// [`Tree::leaves`] did in a slice; `None` for leaves that are no processes.
pub fn group_times(
    tree: &Tree,
    n_slices: usize,
    process: impl FnMut(usize, usize) -> Option<ProcessTime>,
) -> Folded<GroupTime> {
    fold_tree(tree, n_slices, &GroupTimes, process)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(useful: Ticks, communication: Ticks) -> ProcessTime {
        ProcessTime { useful, communication }
    }

    #[test]
    fn efficiencies_follow_their_definitions() {
        let group = GroupTime::of([process(40, 50), process(80, 10)]);
        let efficiency = group.efficiency(100, None);
        assert_eq!(efficiency.parallel, Some(0.6));
        assert_eq!(efficiency.load_balance, Some(0.75));
        assert_eq!(efficiency.communication, Some(0.8));
        assert_eq!(efficiency.communication_share, Some(0.3));
        assert_eq!(efficiency.split, CommunicationSplit::Unknown);
        let known = CommunicationSplit::Known { serialisation: Some(0.9), transfer: Some(0.8) };
        assert_eq!(GroupTime::of([process(72, 0)]).efficiency(100, Some(80)).split, known);
    }

    #[test]
    fn what_divides_by_nothing_is_undefined() {
        let idle = GroupTime::of([process(0, 0)]).efficiency(100, None);
        assert_eq!((idle.parallel, idle.load_balance), (Some(0.0), None));
        let nobody = GroupTime::default().efficiency(100, Some(100));
        assert_eq!((nobody.parallel, nobody.communication), (None, None));
        assert_eq!(GroupTime::of([process(1, 0)]).efficiency(0, None).parallel, None);
    }

    #[test]
    fn groups_and_slices_have_their_own() {
        // A machine with two processes, and another one that is no process at all.
        let tree = Tree::new(vec![0, 0, 0, 1, 1]).expect("a tree");
        let useful = [[10, 0], [4, 6]];
        let times = group_times(&tree, 2, |leaf, slice| {
            useful.get(leaf).map(|process| ProcessTime { useful: process[slice], communication: 0 })
        });
        let expected =
            |useful, max_useful| GroupTime { processes: 2, useful, max_useful, communication: 0 };
        assert_eq!(times.node(1), [expected(14, 10), expected(6, 6)]);
        assert_eq!(times.node(0), times.node(1));
        assert_eq!(times.node(2), [GroupTime::default(); 2]);
        assert_eq!(times.node(1)[0].efficiency(10, None).load_balance, Some(0.7));
    }
}
