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

/// How a group is made. Ranks count in the group that is chosen from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum GroupCall {
    OfComm { comm: i64, new: i64 },
    Union { a: i64, b: i64, new: i64 },
    Intersection { a: i64, b: i64, new: i64 },
    Difference { a: i64, b: i64, new: i64 },
    Include { group: i64, ranks: Vec<i64>, new: i64 },
    Exclude { group: i64, ranks: Vec<i64>, new: i64 },
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

/// A range of more ranks is taken for damage.
const MAX_RANGE: i64 = 1 << 24;

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
                76 | 77 => call.list("ranks").to_vec(),
                _ => ranges(call.list("ranges"))?,
            };
            match id {
                76 | 78 => GroupCall::Include { group, ranks, new },
                _ => GroupCall::Exclude { group, ranks, new },
            }
        }
    })
}

/// The ranks of some ranges, each told by its first rank, its last and the step.
fn ranges(told: &[i64]) -> Option<Vec<i64>> {
    let (ranges, _) = told.as_chunks::<3>();
    let mut ranks = Vec::new();
    for &[first, last, step] in ranges {
        if step == 0 || first.max(last) > MAX_RANGE || first.min(last) < 0 {
            return None;
        }
        let n = (last - first) / step;
        ranks.extend((0..=n).map(|i| first + i * step));
    }
    Some(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_up_and_down() {
        assert_eq!(ranges(&[0, 6, 3, 5, 4, -1]), Some(vec![0, 3, 6, 5, 4]));
        assert_eq!(ranges(&[0, 6, 0]), None);
        assert_eq!(ranges(&[4, 0, 1]), Some(vec![]));
        assert_eq!(ranges(&[0, i64::MAX, 1]), None);
    }
}
