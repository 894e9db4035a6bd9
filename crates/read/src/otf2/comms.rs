//! Communicators: which location a rank is, and which rank a location has.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::definitions::{Definitions, Group, group_kind};
use crate::cursor::UNDEFINED;

type Ranks = HashMap<u32, u32, RandomState>;

/// The kind of locations that are threads.
const THREAD: u8 = 1;

/// The members of all communicators.
#[derive(Debug, Default)]
pub(super) struct Comms {
    /// By the number of the group.
    groups: Vec<Members>,
    /// By the number of the communicator: the numbers of its groups.
    comms: Vec<(Option<u32>, Option<u32>)>,
}

/// The members of a group, in order of their rank.
#[derive(Debug, Default)]
struct Members {
    /// Numbers of locations.
    locations: Vec<Option<u32>>,
    rank_of_location: Ranks,
    /// Threads that no group lists speak for their process.
    rank_of_process: Ranks,
    /// Every location is alone in it.
    alone: bool,
}

/// The mark of ranks of the second group of an inter-communicator.
const SECOND: &str = "b";

/// A message as one end sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Peer {
    /// The rank of the location that asks.
    pub own_rank: u32,
    /// The number of the other location.
    pub location: u32,
    /// The group lists the location that asks, and not another thread of its process.
    pub listed: bool,
    /// What tells the ranks of two groups apart: a mark of the one that asks, and of the other.
    pub marks: (&'static str, &'static str),
}

impl Comms {
    pub fn new(definitions: &Definitions) -> Self {
        let threads = first_threads(definitions);
        let groups = definitions.groups.entries.iter();
        let groups = groups.map(|group| Members::new(definitions, &threads, group));
        let number = |id: u32| definitions.groups.number(id.into());
        let comms = definitions.comms.entries.iter();
        let comms = comms.map(|comm| (number(comm.groups.0), comm.groups.1.and_then(number)));
        Self { groups: groups.collect(), comms: comms.collect() }
    }

    /// The location with this rank in a communicator, as seen from a location; `None` if there
    /// is none.
    pub fn peer(&self, comm: u32, rank: u32, location: u32, process: u32) -> Option<Peer> {
        let &(first, second) = self.comms.get(comm as usize)?;
        let first = self.groups.get(first? as usize)?;
        if first.alone {
            return Some(Peer { own_rank: rank, location, listed: true, marks: ("", "") });
        }
        let (own, other, marks) = match second {
            None => (first, first, ("", "")),
            // Ranks count in the group that one does not belong to.
            Some(second) => {
                let second = self.groups.get(second as usize)?;
                match first.rank_of(location, process) {
                    Some(_) => (first, second, ("", SECOND)),
                    None => (second, first, (SECOND, "")),
                }
            }
        };
        let (own_rank, listed) = own.rank_of(location, process)?;
        let location = other.locations.get(rank as usize).copied().flatten()?;
        Some(Peer { own_rank, location, listed, marks })
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        let members = |members: &Members| {
            members.locations.capacity() * 8
                + (members.rank_of_location.capacity() + members.rank_of_process.capacity()) * 9
        };
        self.groups.iter().map(members).sum::<usize>() + self.comms.capacity() * 16
    }
}

impl Members {
    fn new(definitions: &Definitions, threads: &Ranks, group: &Group) -> Self {
        let world = world_of(definitions, group);
        let locate = |&member: &u64| match (group.kind, group.global) {
            (group_kind::COMM_GROUP, false) => {
                let world = world?;
                let id = *world.members.get(usize::try_from(member).ok()?)?;
                match world.kind {
                    group_kind::COMM_LOCATION_GROUPS => {
                        threads.get(&u32::try_from(id).ok()?).copied()
                    }
                    _ => definitions.locations.number(id),
                }
            }
            _ => definitions.locations.number(member),
        };
        let mut members = Self {
            locations: group.members.iter().map(locate).collect(),
            alone: group.kind == group_kind::COMM_SELF,
            ..Self::default()
        };
        for (rank, location) in members.locations.iter().enumerate() {
            let Some(location) = *location else { continue };
            members.rank_of_location.entry(location).or_insert(rank as u32);
            let process = definitions.locations.entries[location as usize].group;
            members.rank_of_process.entry(process).or_insert(rank as u32);
        }
        members
    }

    /// The rank of a location, and whether it is listed itself.
    fn rank_of(&self, location: u32, process: u32) -> Option<(u32, bool)> {
        match self.rank_of_location.get(&location) {
            Some(&rank) => Some((rank, true)),
            // Locations that tell no process do not belong together.
            None if process == UNDEFINED => None,
            None => self.rank_of_process.get(&process).map(|&rank| (rank, false)),
        }
    }
}

/// The list of locations that the members of a group are places in.
fn world_of<'d>(definitions: &'d Definitions, group: &Group) -> Option<&'d Group> {
    let worlds = &definitions.comm_locations;
    worlds.iter().find(|world| world.paradigm == group.paradigm).or(worlds.first())
}

/// The location that stands for each process, where processes are listed instead of locations: its
/// first thread, else its first location.
fn first_threads(definitions: &Definitions) -> Ranks {
    let mut first = Ranks::default();
    if definitions.comm_locations.iter().all(|world| world.kind == group_kind::COMM_LOCATIONS) {
        return first;
    }
    let locations = &definitions.locations.entries;
    for (number, location) in (0..).zip(locations) {
        let known = *first.entry(location.group).or_insert(number);
        if location.kind == THREAD && locations[known as usize].kind != THREAD {
            first.insert(location.group, number);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_without_a_process_have_no_rank_in_common() {
        let mut members = Members::default();
        members.rank_of_location.insert(0, 5);
        members.rank_of_process.extend([(UNDEFINED, 5), (3, 6)]);
        assert_eq!(members.rank_of(0, UNDEFINED), Some((5, true)));
        assert_eq!(members.rank_of(1, 3), Some((6, false)));
        assert_eq!(members.rank_of(1, UNDEFINED), None);
    }
}
