//! A cube of time in states as a file: what an overview needs of a trace, without the trace.

mod check;
mod elsewhere;
mod made;
mod parts;

use std::io::{self, Write};

use onca_model::Ticks;
use onca_query::Role;
use serde::{Deserialize, Serialize};

use crate::{AnswerError, Result};
use parts::{CubeNode, CubeType, CubeUnit, CubeValue, Name};

/// The exclusive time of each leaf in each value and slice: `onca-cube/1`.
///
/// Nodes are numbered so that siblings are in order. Each of `own` has one more leaf as its last child, for what it has
/// of its own. Leaves are numbered as one meets them from the root on, each node before its children.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CubeFile {
    /// `onca-cube/1`.
    schema: String,
    /// The unit of all times.
    unit: CubeUnit,
    /// The first instant of the trace.
    start_ticks: Ticks,
    /// The last instant of the trace.
    end_ticks: Ticks,
    /// Where the window begins.
    from_ticks: Ticks,
    /// Where the window ends.
    to_ticks: Ticks,
    /// How many slices of equal width the window is cut into.
    slices: usize,
    /// How many records of the trace were lost.
    lost: u64,
    /// The lens made it necessary to look at every entity.
    scanned: bool,
    /// The names of the kinds of nodes.
    kinds: Vec<Name>,
    /// The tree.
    nodes: Vec<CubeNode>,
    /// The inner nodes that have something of their own, in order.
    own: Vec<u32>,
    /// The types of states.
    types: Vec<CubeType>,
    /// The values, those that do not occur included.
    values: Vec<CubeValue>,
    /// Leaf, value, slice and ticks of all that is not 0, in order.
    cells: Vec<(u32, u32, u32, Ticks)>,
}

/// What is known of a value of a cube file.
pub(crate) struct ValueOfFile<'a> {
    pub type_name: &'a [u8],
    pub name: &'a [u8],
    pub color: Option<onca_model::Color>,
    pub role: Option<Role>,
}

impl CubeFile {
    /// What such a file says that it is.
    pub const SCHEMA: &'static str = "onca-cube/1";

    /// Reads a file. One that is damaged, or something else, is refused.
    pub fn from_json(text: &str) -> Result<Self> {
        let file: Self = serde_json::from_str(text)
            .map_err(|error| wrong(format!("this is no cube of Onca: {error}")))?;
        file.check()?;
        Ok(file)
    }

    /// Writes the file.
    pub fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// How many records of the trace were lost.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Did the lens make it necessary to look at every entity?
    pub(crate) fn scanned(&self) -> bool {
        self.scanned
    }

    /// The values, those that do not occur included.
    pub(crate) fn values(&self) -> impl Iterator<Item = ValueOfFile<'_>> {
        self.values.iter().map(|value| ValueOfFile {
            type_name: self.types[value.of as usize].name.bytes(),
            name: value.name.bytes(),
            color: value.color.map(|color| color.0),
            role: value.role,
        })
    }

    /// The name of a node.
    pub(crate) fn name(&self, node: u32) -> &[u8] {
        self.nodes[node as usize].name.bytes()
    }

    /// The kind of a node.
    pub(crate) fn kind(&self, node: u32) -> &[u8] {
        self.kinds[self.nodes[node as usize].kind as usize].bytes()
    }
}

fn wrong(why: impl Into<String>) -> AnswerError {
    AnswerError::Question(why.into())
}
