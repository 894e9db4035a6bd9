//! What a mark stands for.

/// Bits for a row in a lane. A row beyond them cannot be picked.
const ROW_BITS: u32 = 32;
/// Bits for a lane, a node, a value.
const LANE_BITS: u32 = 28;
const KIND_SHIFT: u32 = ROW_BITS + LANE_BITS;

/// What a mark stands for, in 64 bits: it can be looked up again without any memory of the picture.
///
/// An aggregate is picked as its row in the picture; whoever drew it knows the window and the
/// column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pick {
    /// Nothing that could be asked about.
    Nothing,
    /// The entity in this row of this lane.
    Entity {
        /// The lane.
        lane: u32,
        /// The row in it.
        row: u32,
    },
    /// A node of the hierarchy: a container or a group.
    Node(u32),
    /// A value, as in a legend.
    Value(u32),
    /// A value in a node, as in a treemap or a bar.
    Share {
        /// The node.
        node: u32,
        /// The value.
        value: u32,
    },
    /// Two nodes, as in a matrix.
    Pair {
        /// Who sends.
        from: u32,
        /// Who receives.
        to: u32,
    },
    /// An area of an overview, by its number.
    Area(u32),
    /// A community of processes in a phase of communication.
    Community {
        /// The phase.
        phase: u32,
        /// The place of the community in it.
        place: u32,
    },
    /// What one community sends to another in a phase.
    Flow {
        /// The phase.
        phase: u32,
        /// The place of the community that sends.
        from: u16,
        /// The place of the community that receives.
        to: u16,
    },
}

impl Pick {
    /// Nothing that could be asked about.
    pub const NOTHING: Self = Self::Nothing;
    /// How many bits the second part of the number has, which is the lower one.
    pub const SECOND_BITS: u32 = ROW_BITS;
    /// How many bits the first part has. The kind is above it.
    pub const FIRST_BITS: u32 = LANE_BITS;

    /// The entity in a row of a lane, where both can be written in the bits there are.
    pub fn entity(lane: u32, row: u64) -> Self {
        match u32::try_from(row) {
            Ok(row) if lane >> LANE_BITS == 0 => Self::Entity { lane, row },
            _ => Self::Nothing,
        }
    }

    /// What one community sends to another, where their places can be written in the bits there are.
    pub fn flow(phase: usize, from: usize, to: usize) -> Self {
        match (u32::try_from(phase), u16::try_from(from), u16::try_from(to)) {
            (Ok(phase), Ok(from), Ok(to)) if phase >> LANE_BITS == 0 => {
                Self::Flow { phase, from, to }
            }
            _ => Self::Nothing,
        }
    }

    /// As a number: four bits of kind, then two parts.
    pub fn to_bits(self) -> u64 {
        let (kind, first, second) = match self {
            Self::Nothing => (0, 0, 0),
            Self::Entity { lane, row } => (1, lane, row),
            Self::Node(node) => (2, 0, node),
            Self::Value(value) => (3, 0, value),
            Self::Share { node, value } => (4, value, node),
            Self::Pair { from, to } => (5, from, to),
            Self::Area(number) => (6, 0, number),
            Self::Community { phase, place } => (7, phase, place),
            Self::Flow { phase, from, to } => (8, phase, u32::from(from) << 16 | u32::from(to)),
        };
        let first = u64::from(first) & ((1 << LANE_BITS) - 1);
        (kind << KIND_SHIFT) | (first << ROW_BITS) | u64::from(second)
    }

    /// The pick that a number stands for.
    pub fn from_bits(bits: u64) -> Option<Self> {
        let first = (bits >> ROW_BITS) as u32 & ((1 << LANE_BITS) - 1);
        let second = bits as u32;
        Some(match bits >> KIND_SHIFT {
            0 => Self::Nothing,
            1 => Self::Entity { lane: first, row: second },
            2 => Self::Node(second),
            3 => Self::Value(second),
            4 => Self::Share { node: second, value: first },
            5 => Self::Pair { from: first, to: second },
            6 => Self::Area(second),
            7 => Self::Community { phase: first, place: second },
            8 => Self::Flow { phase: first, from: (second >> 16) as u16, to: second as u16 },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pick_comes_back_from_its_bits() {
        let most = (1 << LANE_BITS) - 1;
        for pick in [
            Pick::Nothing,
            Pick::Entity { lane: most, row: u32::MAX },
            Pick::Node(u32::MAX),
            Pick::Value(7),
            Pick::Share { node: u32::MAX, value: most },
            Pick::Pair { from: most, to: 3 },
            Pick::Area(12),
            Pick::Community { phase: most, place: u32::MAX },
            Pick::Flow { phase: 5, from: u16::MAX, to: 1 },
        ] {
            assert_eq!(Pick::from_bits(pick.to_bits()), Some(pick));
        }
        assert_eq!(Pick::from_bits(u64::MAX), None);
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        assert_eq!(Pick::entity(1 << LANE_BITS, 0), Pick::Nothing);
        assert_eq!(Pick::entity(0, 1 << ROW_BITS), Pick::Nothing);
        assert_eq!(Pick::entity(5, 9), Pick::Entity { lane: 5, row: 9 });
        assert_eq!(Pick::flow(0, 1 << 16, 0), Pick::Nothing);
        assert_eq!(Pick::flow(3, 2, 1), Pick::Flow { phase: 3, from: 2, to: 1 });
    }
}
