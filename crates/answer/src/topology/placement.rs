//! On which machine a container runs.

use std::collections::BTreeMap;

use onca_model::{Catalog, ContainerId, display_text};
use onca_query::Resolver;

use super::network::Network;

/// Which containers run where, as a file says: a container and a machine a line, apart by a comma or
/// by blanks. What follows a `#` is a remark.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlaceFile {
    /// The number of each line, its container and its machine.
    rows: Vec<(usize, String, String)>,
}

impl PlaceFile {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split_once('#').map_or(line, |(line, _)| line).trim();
            if line.is_empty() {
                continue;
            }
            let halves = line.split_once(',').or_else(|| line.split_once(char::is_whitespace));
            let bare = |text: &str| text.trim().trim_matches('"').to_owned();
            match halves.map(|(container, host)| (bare(container), bare(host))) {
                Some((container, host)) if !container.is_empty() && !host.is_empty() => {
                    rows.push((number + 1, container, host));
                }
                _ => {
                    let column = line.len() + 1;
                    return Err(format!(
                        "{}:{column}: a line has a container and a machine, such as \"rank0, node1\"",
                        number + 1
                    ));
                }
            }
        }
        Ok(Self { rows })
    }
}

/// On which node of a network every container runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// By container.
    nodes: Vec<Option<u32>>,
}

impl Placement {
    /// Places every container: where a file says, else on the node of its own name, else where the
    /// container around it is.
    pub fn new(
        catalog: &Catalog,
        network: &Network,
        file: Option<&PlaceFile>,
    ) -> Result<Self, String> {
        let containers = &catalog.containers;
        let mut nodes: Vec<Option<u32>> = vec![None; containers.len()];
        if let Some(file) = file {
            let resolver = Resolver::new(catalog);
            let mut known: BTreeMap<&str, u32> = BTreeMap::new();
            for (line, container, host) in &file.rows {
                let at_line = |why: String| format!("line {line}: {why}");
                let node = match known.get(host.as_str()) {
                    Some(node) => *node,
                    None => network.known(host).map_err(at_line)? as u32,
                };
                known.insert(host, node);
                let found = resolver.containers(container).map_err(at_line)?;
                let ids = (0..containers.len() as u32).map(ContainerId);
                ids.filter(|id| found.contains(*id)).for_each(|id| nodes[id.index()] = Some(node));
            }
        }
        // Parents come before children.
        for index in 0..containers.len() {
            if nodes[index].is_some() {
                continue;
            }
            let by_name = || network.node(&display_text(containers.names.get(index)));
            let of_parent = nodes[containers.parents[index].index()];
            nodes[index] = by_name().map(|node| node as u32).or(of_parent);
        }
        Ok(Self { nodes })
    }

    /// The node that a container runs on, if one is known.
    pub fn of(&self, container: ContainerId) -> Option<usize> {
        self.nodes.get(container.index()).copied().flatten().map(|node| node as usize)
    }
}
