//! What a cube file is made of.

use onca_model::{Color, TimeUnit};
use onca_query::{Role, parse_color};
use serde::{Deserialize, Serialize};

/// A name: a text, or its bytes where they are none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Name {
    /// UTF-8.
    Text(String),
    /// Of an unknown encoding.
    Bytes(Vec<u8>),
}

impl Name {
    pub fn new(name: &[u8]) -> Self {
        match std::str::from_utf8(name) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes(name.to_vec()),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// The unit of time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CubeUnit {
    /// Its name, such as `s`.
    pub name: String,
    /// Nothing tells the unit.
    pub assumed: bool,
    /// How many ticks make one unit.
    pub ticks_per_unit: u64,
}

impl CubeUnit {
    pub fn new(unit: &TimeUnit) -> Self {
        let TimeUnit { name, assumed, ticks_per_unit } = unit.clone();
        Self { name, assumed, ticks_per_unit }
    }

    pub fn unit(&self) -> TimeUnit {
        let Self { name, assumed, ticks_per_unit } = self.clone();
        TimeUnit { name, assumed, ticks_per_unit }
    }
}

/// A node of the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CubeNode {
    /// The node above it; the root has none.
    pub parent: Option<u32>,
    /// What it is called.
    pub name: Name,
    /// The number of its kind.
    pub kind: u32,
}

/// A type of states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CubeType {
    /// What it is called.
    pub name: Name,
    /// The leaves that have such states, in order.
    pub leaves: Vec<u32>,
}

/// A value of states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CubeValue {
    /// The number of its type.
    #[serde(rename = "type")]
    pub of: u32,
    /// What it is called.
    pub name: Name,
    /// Its colour in pictures; what a lens derives has none.
    pub color: Option<CubeColor>,
    /// What it is for, if that can be told.
    pub role: Option<Role>,
}

/// A colour, as `#d55e00`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct CubeColor(pub Color);

impl TryFrom<String> for CubeColor {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        parse_color(&text).map(Self)
    }
}

impl From<CubeColor> for String {
    fn from(color: CubeColor) -> Self {
        color.0.to_string()
    }
}
