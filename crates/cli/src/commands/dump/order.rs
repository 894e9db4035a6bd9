//! The order of the dump: a container, its tracks, then the containers below it.

use onca_model::{Catalog, ContainerId};

/// The tree of containers and types in the order of the dump.
pub(super) struct Order {
    /// Children of each container, in ascending order of type and identifier; those of
    /// container `c` are `children[starts[c]..starts[c + 1]]`.
    children: Vec<ContainerId>,
    starts: Vec<usize>,
    /// Where each type stands in ascending order of identifiers.
    pub(super) rank: Vec<usize>,
}

impl Order {
    pub(super) fn new(catalog: &Catalog) -> Self {
        let mut types: Vec<usize> = (0..catalog.types.len()).collect();
        types.sort_by_key(|&index| (catalog.types[index].identifier(), index));
        let mut rank = vec![0; types.len()];
        for (place, &index) in types.iter().enumerate() {
            rank[index] = place;
        }
        let containers = &catalog.containers;
        let mut children: Vec<ContainerId> =
            (1..containers.len() as u32).map(ContainerId).collect();
        children.sort_by(|&a, &b| {
            let key = |id: ContainerId| {
                let (parent, type_id) =
                    (containers.parents[id.index()], containers.types[id.index()]);
                (parent, rank[type_id.index()])
            };
            key(a)
                .cmp(&key(b))
                .then_with(|| containers.identifier(a).cmp(containers.identifier(b)))
                .then_with(|| a.cmp(&b))
        });
        let mut starts = vec![0; containers.len() + 1];
        for child in &children {
            starts[containers.parents[child.index()].index() + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        Self { children, starts, rank }
    }

    pub(super) fn children(&self, parent: ContainerId) -> &[ContainerId] {
        &self.children[self.starts[parent.index()]..self.starts[parent.index() + 1]]
    }
}
