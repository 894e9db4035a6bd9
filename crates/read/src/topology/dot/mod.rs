//! The DOT language of Graphviz.
//!
//! Read are graphs and digraphs, strict or not, with subgraphs, chains and sets of nodes, default
//! attributes by scope, and all kinds of strings. Ports are read and dropped. Unlike Graphviz, a
//! bare name may begin with a digit and have dots after it, as in `bandwidth=10Gbps` or
//! `10.0.0.1`. As in Graphviz, `\"` is the only escape of quoted strings: others belong to the
//! value, and only labels of groups are interpreted.

mod builder;
mod lexer;
mod parser;
#[cfg(test)]
mod tests;

use super::error::without_mark;
use super::{SyntaxError, Topology};

/// The largest file that is read.
const MAX_TEXT_BYTES: usize = 1 << 30;
/// How deep subgraphs may stand in each other.
const MAX_DEPTH: usize = 128;
/// Sets of nodes multiply: `{a b} -- {c d}` is four edges.
const MAX_EDGES: usize = 4 << 20;
/// Keys of one node, edge or graph.
const MAX_KEYS: usize = 256;
/// Keys of all of them that could not be shared.
const MAX_ENTRIES: usize = 16 << 20;
/// Places of nodes in subgraphs, counted once for each subgraph around them.
const MAX_MEMBERS: usize = 8 << 20;

/// Reads a graph in the DOT language.
pub fn read_dot(text: &[u8]) -> Result<Topology, SyntaxError> {
    let text = without_mark(text);
    if text.len() > MAX_TEXT_BYTES {
        return Err(SyntaxError::at(b"", 0, "the file is longer than 1 GiB"));
    }
    parser::Parser::new(text)?.graph()
}
