//! Calls that make communicators and groups.

use super::call::Call;

/// How a communicator is made of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Making {
    Duplicate,
    Split {
        color: i64,
        key: i64,
    },
    Grid {
        dims: Vec<i64>,
    },
    Graph {
        n_nodes: i64,
    },
    SubGrid {
        remain: Vec<i64>,
    },
    OfGroup {
        group: i64,
    },
    /// In a way that is not followed: between programs, or of two sides.
    Unknown,
}

/// Ranks as a call tells them. A file of some bytes can tell of millions, so they are not listed before it is known how
/// many there can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ranges(Vec<Range>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    first: i64,
    last: i64,
    step: i64,
}

impl Ranges {
    /// Single ranks.
    pub fn of_ranks(ranks: &[i64]) -> Self {
        Self(ranks.iter().map(|&rank| Range { first: rank, last: rank, step: 1 }).collect())
    }

    /// Ranges, each told by its first rank, its last and the step.
    fn of_ranges(told: &[i64]) -> Self {
        let (ranges, _) = told.as_chunks::<3>();
        Self(ranges.iter().map(|&[first, last, step]| Range { first, last, step }).collect())
    }

    /// The ranks, if all are those of a group of this many members, and none can be there twice for want of members.
    pub fn within(&self, n_members: usize) -> Option<Vec<usize>> {
        let mut ranks = Vec::new();
        for &Range { first, last, step } in &self.0 {
            let is_member = |rank: i64| usize::try_from(rank).is_ok_and(|rank| rank < n_members);
            if step == 0 || !is_member(first) || !is_member(last) {
                return None;
            }
            let is_before = |rank: &i64| if step > 0 { *rank <= last } else { *rank >= last };
            let all = std::iter::successors(Some(first), |rank| rank.checked_add(step));
            ranks.extend(all.take_while(is_before).map(|rank| rank as usize));
            if ranks.len() > n_members {
                return None;
            }
        }
        Some(ranks)
    }
}

/// How a group is made. Ranks count in the group that is chosen from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum GroupCall {
    OfComm { comm: i64, new: i64 },
    Union { a: i64, b: i64, new: i64 },
    Intersection { a: i64, b: i64, new: i64 },
    Difference { a: i64, b: i64, new: i64 },
    Include { group: i64, ranks: Ranges, new: i64 },
    Exclude { group: i64, ranks: Ranges, new: i64 },
}

/// A call that makes something, by the numbers of its rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Made {
    Group(GroupCall),
    Comm {
        making: Making,
        parent: i64,
        new: i64,
        /// The rank in the result, if the program asked for it later.
        told_rank: Option<i64>,
    },
}

/// Functions that make communicators.
pub(super) const COMM_MAKERS: [u16; 12] = [84, 85, 86, 91, 92, 99, 101, 111, 130, 131, 133, 134];

impl Made {
    /// What a call makes; `None` if it makes nothing of the kind.
    pub fn of(call: &Call) -> Option<Self> {
        let number = |name: &str| call.number(name);
        let comm = |making, parent: &str| {
            let (parent, new) = (number(parent).unwrap_or(0), number("newcomm")?);
            Some(Self::Comm { making, parent, new, told_rank: None })
        };
        let list = |name: &str| call.list(name).to_vec();
        match call.id() {
            72..=79 => group_call(call).map(Self::Group),
            84 => comm(Making::Duplicate, "oldcomm"),
            85 => comm(Making::OfGroup { group: number("group")? }, "oldcomm"),
            86 => {
                let (color, key) = (number("color")?, number("key")?);
                comm(Making::Split { color, key }, "oldcomm")
            }
            99 => comm(Making::Grid { dims: list("dims") }, "oldcomm"),
            101 => comm(Making::Graph { n_nodes: number("nodes")? }, "oldcomm"),
            111 => comm(Making::SubGrid { remain: list("remain") }, "oldcomm"),
            91 | 92 | 130 | 131 | 133 | 134 => comm(Making::Unknown, ""),
            _ => None,
        }
    }

    /// How it makes a communicator, if it does.
    pub fn making(&self) -> Option<&Making> {
        match self {
            Self::Comm { making, .. } => Some(making),
            Self::Group(_) => None,
        }
    }

    /// The number of the new communicator.
    pub fn new_comm(&self) -> i64 {
        match self {
            Self::Comm { new, .. } => *new,
            Self::Group(_) => 0,
        }
    }

    /// The rank in the new communicator, if the program asked for it.
    pub fn told_rank(&self) -> Option<i64> {
        match self {
            Self::Comm { told_rank, .. } => *told_rank,
            Self::Group(_) => None,
        }
    }
}

fn group_call(call: &Call) -> Option<GroupCall> {
    let number = |name: &str| call.number(name);
    let two = || Some((number("group1")?, number("group2")?, number("newgroup")?));
    Some(match call.id() {
        72 => GroupCall::OfComm { comm: number("comm")?, new: number("group")? },
        73 => two().map(|(a, b, new)| GroupCall::Union { a, b, new })?,
        74 => two().map(|(a, b, new)| GroupCall::Intersection { a, b, new })?,
        75 => two().map(|(a, b, new)| GroupCall::Difference { a, b, new })?,
        id => {
            let (group, new) = (number("group")?, number("newgroup")?);
            let ranks = match id {
                76 | 77 => Ranges::of_ranks(call.list("ranks")),
                _ => Ranges::of_ranges(call.list("ranges")),
            };
            match id {
                76 | 78 => GroupCall::Include { group, ranks, new },
                _ => GroupCall::Exclude { group, ranks, new },
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_up_and_down() {
        let ranks = |told: &[i64]| Ranges::of_ranges(told).within(7);
        assert_eq!(ranks(&[0, 6, 3, 5, 4, -1]), Some(vec![0, 3, 6, 5, 4]));
        assert_eq!(ranks(&[0, 6, 0]), None);
        assert_eq!(ranks(&[4, 0, 1]), Some(vec![]));
        assert_eq!(ranks(&[0, 7, 1]), None, "beyond the group");
        assert_eq!(ranks(&[0, i64::MAX, 1]), None);
        assert_eq!(ranks(&[0, 6, 1, 0, 0, 1]), None, "more than the group has");
        assert_eq!(ranks(&[6, 6, i64::MAX]), Some(vec![6]));
        assert_eq!(Ranges::of_ranks(&[2, 0]).within(3), Some(vec![2, 0]));
        assert_eq!(Ranges::of_ranks(&[-1]).within(3), None);
    }
}
