//! Communicators. Each rank has numbers of its own for them, and no record tells who belongs to
//! one. So the calls that make communicators are replayed: the n-th such call on a communicator
//! is the same event for all its members.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::made::{GroupCall, Made, Making};
use super::partition::{Part, by_told_ranks, partition};

/// The number of a rank for the communicator of all.
const LOCAL_WORLD: i64 = 2;
/// The number of a rank for the communicator of itself alone.
const LOCAL_SELF: i64 = 3;
/// Numbers up to here stand for no communicator.
const LOCAL_NULL: i64 = 1;

/// The number of the communicator of all.
pub(super) const WORLD: u32 = 0;
/// The number of the communicators of one rank alone: each has its own.
pub(super) const SELF: u32 = 1;

/// A communicator as a rank sees it: its number among all, and the rank in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub comm: u32,
    pub own_rank: u32,
}

/// What a rank calls a communicator from now on; `None` is one that is not known, or none.
pub(super) type Named = (i64, Option<Seen>);

/// What a rank calls its communicators at the beginning.
pub(super) fn first_names(rank: u32) -> [Named; 2] {
    [
        (LOCAL_WORLD, Some(Seen { comm: WORLD, own_rank: rank })),
        (LOCAL_SELF, Some(Seen { comm: SELF, own_rank: 0 })),
    ]
}

/// Ranks of the whole trace, in order of their rank in a communicator.
pub(super) type Members = Arc<[u32]>;

/// A communicator that a call made.
#[derive(Clone, Debug)]
struct Comm {
    members: Members,
    /// How many members have a file.
    n_here: usize,
    /// The lengths of its grid, if it is one.
    dims: Vec<i64>,
}

/// All communicators.
#[derive(Debug, Default)]
pub(super) struct Comms {
    /// All ranks of the trace.
    world: Members,
    /// How many members communicators and groups may still have together.
    room: usize,
    /// From the number 2 on.
    made: Vec<Comm>,
}

impl Comms {
    /// The rank in the whole trace of a rank in a communicator, as `own` sees it.
    pub fn world_rank(&self, comm: u32, rank: i64, own: u32) -> Option<u32> {
        let rank = u32::try_from(rank).ok()?;
        match comm {
            WORLD => self.world.get(rank as usize).copied(),
            SELF => (rank == 0).then_some(own),
            made => {
                let comm = self.made.get(made as usize - 2)?;
                comm.members.get(rank as usize).copied()
            }
        }
    }

    /// What a communicator is called.
    pub fn name(comm: u32) -> String {
        match comm {
            WORLD => "MPI_COMM_WORLD".to_owned(),
            SELF => "MPI_COMM_SELF".to_owned(),
            made => format!("communicator {made}"),
        }
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.made.iter().map(|comm| comm.members.len() * 4 + 64).sum()
    }

    fn members(&self, comm: u32, own: u32) -> Members {
        match comm {
            WORLD => Arc::clone(&self.world),
            SELF => Arc::new([own]),
            made => Arc::clone(&self.made[made as usize - 2].members),
        }
    }

    fn dims(&self, comm: u32) -> &[i64] {
        match comm {
            WORLD | SELF => &[],
            made => &self.made[made as usize - 2].dims,
        }
    }

    /// Takes room for this many members, if there is so much.
    fn take_room(&mut self, n_members: usize) -> Option<()> {
        self.room = self.room.checked_sub(n_members)?;
        Some(())
    }

    fn add(&mut self, members: Members, n_here: usize, dims: Vec<i64>) -> u32 {
        self.made.push(Comm { members, n_here, dims });
        self.made.len() as u32 + 1
    }
}

/// A rank on its way through the calls that make communicators.
struct Walker<'m> {
    rank: u32,
    left: std::slice::Iter<'m, Made>,
    /// It waits for the others.
    waits: Option<Instance>,
    comms: HashMap<i64, Option<Seen>>,
    groups: HashMap<i64, Members>,
    /// How many communicators were made from each.
    n_made: HashMap<u32, u32>,
    named: Vec<Named>,
}

/// A call as all members make it: on which communicator, the how many-th, and by whom, if each
/// rank has its own.
type Instance = (u32, u32, u32);

/// Finds all communicators; for each rank, the names that its calls give them, in order. Once they have this many
/// members together, further ones are not known: a small file could tell of any number of them.
pub(super) fn replay(
    n_ranks: u32,
    most_members: usize,
    made: &BTreeMap<u32, Vec<Made>>,
) -> (Comms, BTreeMap<u32, Vec<Named>>) {
    let world = (0..n_ranks).collect();
    let mut comms = Comms { world, room: most_members, made: Vec::new() };
    let mut walkers: BTreeMap<u32, Walker<'_>> =
        made.iter().map(|(&rank, made)| (rank, Walker::new(rank, made))).collect();
    // Who has come to each instance, with what the call says.
    let mut waiting: BTreeMap<Instance, Vec<(u32, &Made)>> = BTreeMap::new();
    loop {
        for walker in walkers.values_mut().filter(|walker| walker.waits.is_none()) {
            walker.advance(&mut comms, &mut waiting);
        }
        let complete = waiting.iter().find(|(instance, here)| {
            let n_here = match instance.0 {
                WORLD => walkers.len(),
                SELF => 1,
                made => comms.made[made as usize - 2].n_here,
            };
            here.len() >= n_here
        });
        // If nobody can go on, somebody's calls are missing: the first go on without.
        let next = complete.or_else(|| waiting.iter().next()).map(|(&instance, _)| instance);
        let Some(next) = next else { break };
        let here = waiting.remove(&next).unwrap_or_default();
        for (rank, named) in make(&mut comms, next, &here, &walkers) {
            if let Some(walker) = walkers.get_mut(&rank) {
                walker.name(named);
                walker.waits = None;
            }
        }
    }
    let named = walkers.into_iter().map(|(rank, walker)| (rank, walker.named)).collect();
    (comms, named)
}

impl<'m> Walker<'m> {
    fn new(rank: u32, made: &'m [Made]) -> Self {
        Self {
            rank,
            left: made.iter(),
            waits: None,
            comms: first_names(rank).into_iter().collect(),
            groups: HashMap::new(),
            n_made: HashMap::new(),
            named: Vec::new(),
        }
    }

    /// Goes on to the next call that others must make, too.
    fn advance(
        &mut self,
        comms: &mut Comms,
        waiting: &mut BTreeMap<Instance, Vec<(u32, &'m Made)>>,
    ) {
        for made in self.left.by_ref() {
            match made {
                Made::Group(call) => {
                    if let Some((number, members)) =
                        evaluate(call, &self.comms, &self.groups, comms, self.rank)
                    {
                        self.groups.insert(number, members);
                    }
                }
                Made::Comm { making, parent, new, .. } => {
                    let parent = self.comms.get(parent).copied().flatten();
                    let Some(parent) = parent.filter(|_| *making != Making::Unknown) else {
                        self.named.push((*new, None));
                        self.comms.insert(*new, None);
                        continue;
                    };
                    let n = self.n_made.entry(parent.comm).or_insert(0);
                    let owner = if parent.comm == SELF { self.rank } else { 0 };
                    let instance = (parent.comm, *n, owner);
                    *n += 1;
                    waiting.entry(instance).or_default().push((self.rank, made));
                    self.waits = Some(instance);
                    return;
                }
            }
        }
    }

    fn name(&mut self, named: Named) {
        self.named.push(named);
        self.comms.insert(named.0, named.1);
    }
}

/// The members of a group that a call makes.
fn evaluate(
    call: &GroupCall,
    named: &HashMap<i64, Option<Seen>>,
    groups: &HashMap<i64, Members>,
    comms: &mut Comms,
    own: u32,
) -> Option<(i64, Members)> {
    let group = |number: &i64| groups.get(number).cloned();
    let (new, members): (i64, Members) = match call {
        GroupCall::OfComm { comm, new } => {
            let seen = named.get(comm).copied().flatten()?;
            return Some((*new, comms.members(seen.comm, own)));
        }
        GroupCall::Union { a, b, new } => {
            let (a, b) = (group(a)?, group(b)?);
            comms.take_room(a.len() + b.len())?;
            let in_a: HashSet<u32> = a.iter().copied().collect();
            let more = b.iter().filter(|rank| !in_a.contains(rank));
            (*new, a.iter().chain(more).copied().collect())
        }
        GroupCall::Intersection { a, b, new } => {
            (*new, chosen(comms, &group(a)?, &group(b)?, true)?)
        }
        GroupCall::Difference { a, b, new } => {
            (*new, chosen(comms, &group(a)?, &group(b)?, false)?)
        }
        GroupCall::Include { group: from, ranks, new } => {
            let from = group(from)?;
            comms.take_room(from.len())?;
            (*new, ranks.within(from.len())?.into_iter().map(|rank| from[rank]).collect())
        }
        GroupCall::Exclude { group: from, ranks, new } => {
            let from = group(from)?;
            comms.take_room(from.len())?;
            let mut is_kept = vec![true; from.len()];
            ranks.within(from.len())?.into_iter().for_each(|rank| is_kept[rank] = false);
            let kept = from.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
            (*new, kept.map(|(&member, _)| member).collect())
        }
    };
    Some((new, members))
}

/// Those of a group that are in another, or that are not.
fn chosen(comms: &mut Comms, of: &[u32], other: &[u32], is_in: bool) -> Option<Members> {
    comms.take_room(of.len() + other.len())?;
    let other: HashSet<u32> = other.iter().copied().collect();
    Some(of.iter().filter(|rank| other.contains(rank) == is_in).copied().collect())
}

/// Makes what a call makes; what each rank that made it calls the result.
fn make(
    comms: &mut Comms,
    (parent, _, owner): Instance,
    here: &[(u32, &Made)],
    walkers: &BTreeMap<u32, Walker<'_>>,
) -> Vec<(u32, Named)> {
    let members = comms.members(parent, owner);
    let calls: BTreeMap<u32, &Made> = here.iter().copied().collect();
    let group_of = |rank: u32, group: i64| walkers.get(&rank)?.groups.get(&group).cloned();
    let parts = match comms.take_room(members.len()) {
        Some(()) => partition(comms.dims(parent), &members, &calls, group_of),
        None => Vec::new(),
    };
    let mut comm_of = HashMap::new();
    for Part { members, dims } in parts {
        let members = by_told_ranks(members, &calls);
        let seen: Vec<(u32, u32)> = (0..).zip(members.iter()).map(|(i, &rank)| (rank, i)).collect();
        let n_here = members.iter().filter(|rank| walkers.contains_key(rank)).count();
        let comm = comms.add(members.into(), n_here, dims);
        comm_of.extend(seen.into_iter().map(|(rank, own_rank)| (rank, Seen { comm, own_rank })));
    }
    let named = |&(rank, made): &(u32, &Made)| {
        let new = made.new_comm();
        let seen = comm_of.get(&rank).copied().filter(|_| new > LOCAL_NULL);
        (rank, (new, seen))
    };
    here.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::super::made::Ranges;
    use super::*;

    /// With room for all.
    fn replay(n_ranks: u32, made: &BTreeMap<u32, Vec<Made>>) -> (Comms, BTreeMap<u32, Vec<Named>>) {
        super::replay(n_ranks, usize::MAX, made)
    }

    fn comm(making: Making, parent: i64, new: i64) -> Made {
        Made::Comm { making, parent, new, told_rank: None }
    }

    fn members(comms: &Comms, number: u32) -> Vec<u32> {
        comms.made[number as usize - 2].members.to_vec()
    }

    #[test]
    fn a_split_orders_by_key_and_then_by_rank() {
        let split = |rank: i64, key: i64| comm(Making::Split { color: rank % 2, key }, 2, 4);
        let made = BTreeMap::from([
            (0, vec![split(0, 5)]),
            (1, vec![split(1, 0)]),
            (2, vec![split(2, 3)]),
            (3, vec![comm(Making::Split { color: -1, key: 0 }, 2, 1)]),
        ]);
        let (comms, named) = replay(4, &made);
        assert_eq!(members(&comms, 2), [2, 0]);
        assert_eq!(members(&comms, 3), [1]);
        assert_eq!(named[&0], [(4, Some(Seen { comm: 2, own_rank: 1 }))]);
        assert_eq!(named[&3], [(1, None)]);
        assert_eq!(comms.world_rank(2, 0, 1), Some(2));
        assert_eq!(comms.world_rank(2, 2, 1), None);
        assert_eq!(comms.world_rank(SELF, 0, 7), Some(7));
    }

    #[test]
    fn calls_are_paired_whatever_the_order_in_which_numbers_are_used() {
        // Both duplicate twice; the second numbers its results the other way round.
        let dup = |new| comm(Making::Duplicate, 2, new);
        let made = BTreeMap::from([
            (0, vec![dup(4), dup(5), comm(Making::Split { color: 0, key: 1 }, 5, 6)]),
            (1, vec![dup(5), dup(4), comm(Making::Split { color: 0, key: 0 }, 4, 9)]),
        ]);
        let (comms, named) = replay(2, &made);
        assert_eq!(named[&0][0].1.map(|seen| seen.comm), named[&1][0].1.map(|seen| seen.comm));
        assert_eq!(members(&comms, 4), [1, 0]);
        assert_eq!(named[&0][2], (6, Some(Seen { comm: 4, own_rank: 1 })));
    }

    #[test]
    fn grids_and_their_parts() {
        let grid = comm(Making::Grid { dims: vec![2, 3] }, 2, 4);
        let columns = comm(Making::SubGrid { remain: vec![1, 0] }, 4, 5);
        let made = (0..7).map(|rank| match rank {
            6 => (rank, vec![comm(Making::Grid { dims: vec![2, 3] }, 2, 1)]),
            _ => (rank, vec![grid.clone(), columns.clone()]),
        });
        let (comms, named) = replay(7, &made.collect());
        assert_eq!(members(&comms, 2), [0, 1, 2, 3, 4, 5]);
        assert_eq!(named[&6], [(1, None)]);
        assert_eq!(members(&comms, 3), [0, 3]);
        assert_eq!(members(&comms, 5), [2, 5]);
        assert_eq!(named[&4][1], (5, Some(Seen { comm: 4, own_rank: 1 })));
    }

    #[test]
    fn ranks_that_were_given_out_anew_are_believed() {
        let made = [2, 0, 1].map(|told| Made::Comm {
            making: Making::Grid { dims: vec![3] },
            parent: 2,
            new: 4,
            told_rank: Some(told),
        });
        let made = (0..).zip(made).map(|(rank, made)| (rank, vec![made])).collect();
        assert_eq!(members(&replay(3, &made).0, 2), [1, 2, 0]);
    }

    #[test]
    fn groups_make_communicators() {
        let of_world = || Made::Group(GroupCall::OfComm { comm: 2, new: 3 });
        let include = |ranks: &[i64]| {
            Made::Group(GroupCall::Include { group: 3, ranks: Ranges::of_ranks(ranks), new: 4 })
        };
        let create = |new| comm(Making::OfGroup { group: 4 }, 2, new);
        let made = (0..3).map(|rank| {
            let new = if rank == 1 { 1 } else { 4 };
            (rank, vec![of_world(), include(&[2, 0]), create(new)])
        });
        let (comms, named) = replay(3, &made.collect());
        assert_eq!(members(&comms, 2), [2, 0]);
        assert_eq!(named[&1], [(1, None)]);
        assert_eq!(named[&2], [(4, Some(Seen { comm: 2, own_rank: 0 }))]);
    }

    #[test]
    fn what_is_missing_holds_nobody_up() {
        // Rank 1 was cut before its call; rank 2 has no file.
        let made = BTreeMap::from([(0, vec![comm(Making::Duplicate, 2, 4)]), (1, vec![])]);
        let (comms, named) = replay(3, &made);
        assert_eq!(named[&0], [(4, Some(Seen { comm: 2, own_rank: 0 }))]);
        assert_eq!(members(&comms, 2), [0, 1, 2]);
        let unknown = BTreeMap::from([(0, vec![comm(Making::Duplicate, 77, 4)])]);
        assert_eq!(replay(1, &unknown).1[&0], [(4, None)]);
    }

    #[test]
    fn sets_of_groups() {
        let group = |call| Made::Group(call);
        let of_world = || group(GroupCall::OfComm { comm: 2, new: 3 });
        let some = |ranks: &[i64], new| {
            group(GroupCall::Include { group: 3, ranks: Ranges::of_ranks(ranks), new })
        };
        let (a, b, new) = (4, 5, 6);
        for (call, expected) in [
            (GroupCall::Union { a, b, new }, vec![2, 0, 1]),
            (GroupCall::Intersection { a, b, new }, vec![0]),
            (GroupCall::Difference { a, b, new }, vec![2]),
            (GroupCall::Exclude { group: 3, ranks: Ranges::of_ranks(&[1]), new }, vec![0, 2]),
        ] {
            let calls = vec![
                of_world(),
                some(&[2, 0], a),
                some(&[1, 0], b),
                group(call),
                comm(Making::OfGroup { group: new }, 2, 7),
            ];
            let made = (0..3).map(|rank| (rank, calls.clone())).collect();
            assert_eq!(members(&replay(3, &made).0, 2), expected);
        }
    }

    #[test]
    fn communicators_that_are_too_many_are_not_known() {
        let dup = |new| comm(Making::Duplicate, 2, new);
        let made = BTreeMap::from([(0, vec![dup(4), dup(5), dup(6)])]);
        let (comms, named) = super::replay(100, 250, &made);
        assert_eq!(comms.made.len(), 2);
        assert_eq!(named[&0][2], (6, None));
        assert!(named[&0][1].1.is_some());
    }
}
