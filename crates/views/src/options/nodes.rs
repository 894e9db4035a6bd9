//! Nodes by their paths, or by their numbers.

use onca_query::{NodeId, Scope};
use serde::{Deserialize, Serialize};

use crate::{Result, ViewError};

/// A node: people write its path; a page that shows a tree has its number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NodeName {
    /// Its number in the tree.
    Number(u32),
    /// Its path, as `onca find` and the page write it.
    Path(String),
}

impl From<String> for NodeName {
    fn from(path: String) -> Self {
        Self::Path(path)
    }
}

impl From<NodeId> for NodeName {
    fn from(node: NodeId) -> Self {
        Self::Number(node.0)
    }
}

impl NodeName {
    /// The nodes of some names. Numbers may be those of a tree that another lens made: what is
    /// beyond this one is left out. A path that leads nowhere is an error.
    pub(crate) fn nodes(names: &[Self], scope: &Scope<'_>) -> Result<Vec<NodeId>> {
        let hierarchy = scope.hierarchy();
        let mut found = Vec::with_capacity(names.len());
        for name in names {
            match name {
                Self::Number(number) => {
                    found.extend(
                        Some(NodeId(*number)).filter(|node| node.index() < hierarchy.len()),
                    );
                }
                Self::Path(path) => {
                    let node = hierarchy.nodes().find(|node| scope.path(*node) == *path);
                    let unknown = || format!("there is no node {path:?} to show");
                    found.push(node.ok_or_else(|| ViewError::Nothing(unknown()))?);
                }
            }
        }
        Ok(found)
    }

    /// The same names as paths.
    pub(crate) fn paths(names: &[Self], scope: &Scope<'_>) -> Vec<Self> {
        let hierarchy = scope.hierarchy();
        let path = |name: &Self| match name {
            Self::Number(number) => {
                let node = Some(NodeId(*number)).filter(|node| node.index() < hierarchy.len())?;
                Some(Self::Path(scope.path(node)))
            }
            Self::Path(_) => Some(name.clone()),
        };
        names.iter().filter_map(path).collect()
    }
}
