//! The patterns and their names.

use std::fmt;
use std::str::FromStr;

use crate::GenerateError;

/// Who talks to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Each process sends to the next one, the last to the first.
    Ring,
    /// A token goes round: each process computes while it has it and sends it on; all others wait.
    SequentialRing,
    /// Each process sends to all others at once.
    Full,
    /// All send to process 0, which answers all.
    Star,
    /// A tree: children send to their parent, level by level up to process 0, and the answers come down again.
    HierarchicalStar,
    /// A grid as square as can be; each process sends to its up to four neighbours.
    Stencil2d,
    /// Each process sends to all others, one after the other, in stages of pairs.
    AllToAll,
    /// Partners at distance 1, 2, 4, ... swap halves: the message halves each stage. Needs a power of two.
    BinarySwap,
    /// The same, and after each stage all wait for the last.
    SynchronisedBinarySwap,
    /// Groups of two or three swap parts and then groups swap with groups: binary swap for any number of processes.
    TwoThreeSwap,
    /// Process 0 hands out tasks; who is done gets the next one.
    MasterWorker,
    /// Who has no task left takes half of those of another process, chosen at random.
    WorkStealing,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 12] = [
        Pattern::Ring,
        Pattern::SequentialRing,
        Pattern::Full,
        Pattern::Star,
        Pattern::HierarchicalStar,
        Pattern::Stencil2d,
        Pattern::AllToAll,
        Pattern::BinarySwap,
        Pattern::SynchronisedBinarySwap,
        Pattern::TwoThreeSwap,
        Pattern::MasterWorker,
        Pattern::WorkStealing,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Ring => "ring",
            Pattern::SequentialRing => "sequential-ring",
            Pattern::Full => "full",
            Pattern::Star => "star",
            Pattern::HierarchicalStar => "hierarchical-star",
            Pattern::Stencil2d => "stencil2d",
            Pattern::AllToAll => "all-to-all",
            Pattern::BinarySwap => "binary-swap",
            Pattern::SynchronisedBinarySwap => "synchronised-binary-swap",
            Pattern::TwoThreeSwap => "2-3-swap",
            Pattern::MasterWorker => "master-worker",
            Pattern::WorkStealing => "work-stealing",
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Pattern {
    type Err = GenerateError;

    fn from_str(name: &str) -> Result<Self, GenerateError> {
        let found = Pattern::ALL.into_iter().find(|p| p.name() == name);
        found.ok_or_else(|| {
            let names = Pattern::ALL.map(Pattern::name).join(", ");
            GenerateError::Options(format!("no pattern {name:?}; there are {names}"))
        })
    }
}
