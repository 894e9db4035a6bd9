//! A small network.

use onca_answer::topology::{Capacity, Joint, Network, NetworkNode, NodeRole, Platform};

/// The machines of the five processes on two switches, and a machine where nothing runs.
pub fn platform() -> Platform {
    let node = |(name, role): (&str, NodeRole)| NetworkNode {
        name: name.to_owned(),
        role,
        site: None,
        groups: Vec::new(),
        position: None,
        capacity: Capacity::default(),
    };
    let nodes = [
        ("M1", NodeRole::Host),
        ("M2", NodeRole::Host),
        ("M3", NodeRole::Host),
        ("M4", NodeRole::Host),
        ("left", NodeRole::Switch),
        ("right", NodeRole::Switch),
    ];
    let joint = |(a, b, bandwidth): (usize, usize, f64)| Joint {
        a,
        b,
        is_link: true,
        capacity: Capacity { bandwidth: Some(bandwidth), latency: Some(0.001 * (a + 1) as f64) },
    };
    let joints = [(0, 4, 20.0), (1, 4, 20.0), (2, 5, 20.0), (3, 5, 20.0), (4, 5, 8.0)];
    let (nodes, joints) = (nodes.map(node).to_vec(), joints.map(joint).to_vec());
    let network = Network::new("net", false, nodes, joints).expect("a network");
    Platform { network, ..Platform::default() }
}
