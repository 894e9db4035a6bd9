//! How a call communicates, as its name tells.

use crate::Role;
use crate::role::words_of;

/// How a call communicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallShape {
    /// What it does.
    pub part: CallPart,
    /// It may not return before others did their part.
    pub blocks: bool,
    /// It is a function of a library for messages, and not of the program.
    pub of_library: bool,
    /// Only threads of one process take part in it.
    pub of_threads: bool,
}

/// The part of a call in communication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallPart {
    /// It sends.
    Send,
    /// It receives.
    Receive,
    /// It does both.
    Exchange,
    /// It waits for what others began.
    Wait,
    /// It has nothing to do until others give it something.
    Idle,
    /// Many do it together; `None` where nobody knows who waits for whom.
    Collective(Option<CollectiveShape>),
}

/// Who waits for whom in a collective operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectiveShape {
    /// Nobody leaves before all have come.
    Barrier,
    /// Everybody needs something from everybody.
    AllToAll,
    /// Everybody needs something from the root.
    OneToAll,
    /// The root needs something from everybody.
    AllToOne,
    /// Each needs something from those before it.
    Scan,
}

/// First words of functions of libraries for threads.
const THREADS: [&[u8]; 2] = [b"omp", b"pthread"];
/// First words of functions of libraries for messages.
const LIBRARIES: [&[u8]; 4] = [b"mpi", b"gaspi", b"shmem", b"nccl"];

impl CallShape {
    /// The shape of a state with a role and a name; `None` where it does not communicate.
    pub fn of(role: Role, name: &[u8]) -> Option<Self> {
        let words = words_of(name);
        let is_of = |some: &[&[u8]]| words.first().is_some_and(|it| some.contains(&it.as_slice()));
        let (of_library, of_threads) = (is_of(&LIBRARIES), is_of(&THREADS));
        let begins = |word: &[u8]| words.iter().any(|other| other.starts_with(word));
        // Those that begin something and do not wait for it: isend, irecv, ibcast.
        let is_begun = |rest: &[u8]| {
            words.iter().any(|word| word.strip_prefix(b"i").is_some_and(|it| it.ends_with(rest)))
        };
        let (part, blocks) = match role {
            Role::Send if words.iter().any(|it| has(it, b"sendrecv")) || begins(b"exchang") => {
                (CallPart::Exchange, !begins(b"isendrecv"))
            }
            Role::Send => {
                let one_sided =
                    begins(b"put") || begins(b"rput") || begins(b"start") || begins(b"pready");
                (CallPart::Send, !is_begun(b"send") && !one_sided)
            }
            Role::Receive => {
                (CallPart::Receive, !is_begun(b"recv") && !begins(b"get") && !begins(b"rget"))
            }
            Role::Wait => {
                (CallPart::Wait, !begins(b"test") && !begins(b"iprobe") && !begins(b"improbe"))
            }
            Role::Idle => (CallPart::Idle, true),
            Role::Collective => {
                let (shape, blocks) = collective(&words);
                (CallPart::Collective(shape), blocks)
            }
            _ => return None,
        };
        Some(Self { part, blocks, of_library, of_threads })
    }
}

fn has(word: &[u8], part: &[u8]) -> bool {
    word.windows(part.len()).any(|window| window == part)
}

impl CollectiveShape {
    /// Does nobody leave before all have come?
    pub fn meets(self) -> bool {
        matches!(self, Self::Barrier | Self::AllToAll)
    }
}

/// Who waits for whom, and whether the call waits at all.
fn collective(words: &[Vec<u8>]) -> (Option<CollectiveShape>, bool) {
    use CollectiveShape::{AllToAll, AllToOne, Barrier, OneToAll, Scan};
    // Joined, so that all_reduce is allreduce and reduce_scatter one word.
    let joined: Vec<u8> = words.iter().flatten().copied().collect();
    let whole = joined.strip_prefix(b"mpi").unwrap_or(&joined);
    let (rest, blocks) = match whole.strip_prefix(b"i") {
        Some(rest) if known(rest).is_some() => (rest, false),
        _ => (whole, true),
    };
    return (known(rest), blocks);

    fn known(name: &[u8]) -> Option<CollectiveShape> {
        if has(name, b"neighbor") || has(name, b"neighbour") {
            return None;
        }
        // The longer names first: an allreduce is no reduce.
        let shapes: [(&[u8], CollectiveShape); 12] = [
            (b"barrier", Barrier),
            (b"allreduce", AllToAll),
            (b"allgather", AllToAll),
            (b"alltoall", AllToAll),
            (b"reducescatter", AllToAll),
            (b"bcast", OneToAll),
            (b"broadcast", OneToAll),
            (b"scatter", OneToAll),
            (b"reduce", AllToOne),
            (b"gather", AllToOne),
            (b"exscan", Scan),
            (b"scan", Scan),
        ];
        shapes.iter().find(|(part, _)| has(name, part)).map(|(_, shape)| *shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(name: &str) -> Option<(CallPart, bool, bool)> {
        let role = Role::guess(name.as_bytes())?;
        let CallShape { part, blocks, of_library, .. } = CallShape::of(role, name.as_bytes())?;
        Some((part, blocks, of_library))
    }

    #[test]
    fn names_tell_what_a_call_waits_for() {
        use CallPart::{Collective, Exchange, Idle, Receive, Send, Wait};
        use CollectiveShape::{AllToAll, AllToOne, Barrier, OneToAll, Scan};
        let of = |shape| Collective(Some(shape));
        for (name, part, blocks, of_library) in [
            ("MPI_Send", Send, true, true),
            ("PMPI_Isend", Send, false, true),
            ("MPI_Ssend", Send, true, true),
            ("MPI_Put", Send, false, true),
            ("MPI_Sendrecv", Exchange, true, true),
            ("MPI_Recv", Receive, true, true),
            ("MPI_Irecv", Receive, false, true),
            ("MPI_Waitall", Wait, true, true),
            ("MPI_Testsome", Wait, false, true),
            ("Blocked", Wait, true, false),
            ("Sleeping", Idle, true, false),
            ("MPI_Barrier", of(Barrier), true, true),
            ("MPI_Ibarrier", of(Barrier), false, true),
            ("MPI_Allreduce", of(AllToAll), true, true),
            ("MPI_Iallreduce", of(AllToAll), false, true),
            ("action_alltoallv", of(AllToAll), true, true),
            ("MPI_Reduce_scatter_block", of(AllToAll), true, true),
            ("MPI_Reduce", of(AllToOne), true, true),
            ("MPI_Ireduce", of(AllToOne), false, true),
            ("MPI_Gatherv", of(AllToOne), true, true),
            ("MPI_Bcast", of(OneToAll), true, true),
            ("MPI_Scatterv", of(OneToAll), true, true),
            ("MPI_Exscan", of(Scan), true, true),
            ("Allreduce", of(AllToAll), true, false),
            ("MPI_Comm_dup", Collective(None), true, true),
            ("MPI_Neighbor_alltoall", Collective(None), true, true),
        ] {
            assert_eq!(shape(name), Some((part, blocks, of_library)), "{name}");
        }
        for (name, of_threads) in [("!$omp implicit barrier", true), ("MPI_Barrier", false)] {
            let shape = CallShape::of(Role::Collective, name.as_bytes()).expect("a call");
            assert_eq!(shape.of_threads, of_threads, "{name}");
        }
        assert_eq!(shape("computing"), None);
        assert_eq!(shape("MPI_Comm_rank"), None);
    }
}
