//! Between what marks carry and what can be asked about.

use onca_answer::Subject;
use onca_model::{LaneId, ValueId};
use onca_query::NodeId;
use onca_scene::Pick;

/// What can be asked about a pick; nothing about pairs, areas and what an analysis found.
pub fn subject_of(pick: Pick) -> Option<Subject> {
    match pick {
        Pick::Entity { lane, row } => Some(Subject::Entity(LaneId(lane), u64::from(row))),
        Pick::Node(node) => Some(Subject::Node(NodeId(node))),
        Pick::Value(value) => Some(Subject::Value(ValueId(value))),
        Pick::Share { node, value } => Some(Subject::Share(NodeId(node), ValueId(value))),
        Pick::Nothing
        | Pick::Pair { .. }
        | Pick::Area(_)
        | Pick::Community { .. }
        | Pick::Flow { .. } => None,
    }
}

/// The pick of something that can be asked about.
pub fn pick_of(subject: Subject) -> Pick {
    match subject {
        Subject::Entity(lane, row) => Pick::entity(lane.0, row),
        Subject::Node(node) => Pick::Node(node.0),
        Subject::Value(value) => Pick::Value(value.0),
        Subject::Share(node, value) => Pick::Share { node: node.0, value: value.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_come_back_from_their_picks() {
        for subject in [
            Subject::Entity(LaneId(3), 70_000),
            Subject::Node(NodeId(9)),
            Subject::Value(ValueId(4)),
            Subject::Share(NodeId(1), ValueId(2)),
        ] {
            assert_eq!(subject_of(pick_of(subject)), Some(subject));
        }
        assert_eq!(subject_of(Pick::Nothing), None);
    }
}
