//! For which nodes a picture is drawn, or a command answers.

use onca_answer::Level;
use serde::{Deserialize, Serialize};

/// For which nodes: one at a time, a container or group with what lies below it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct LevelOptions {
    /// Take each container or group of this kind, with what lies below it
    #[cfg_attr(feature = "clap", arg(long, value_name = "LEVEL", conflicts_with = "depth"))]
    pub level: Option<String>,

    /// Take each container or group at this distance from the root
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub depth: Option<usize>,
}

impl LevelOptions {
    /// The nodes of a kind.
    pub fn of_kind(kind: &str) -> Self {
        Self { level: Some(kind.to_owned()), depth: None }
    }

    /// The nodes at a distance from the root.
    pub fn at_depth(depth: usize) -> Self {
        Self { level: None, depth: Some(depth) }
    }

    /// The level that was asked for, if one was.
    pub fn level(&self) -> Option<Level> {
        self.level.clone().map(Level::Kind).or(self.depth.map(Level::Depth))
    }

    /// The level that was asked for, else the usual one.
    pub fn or(&self, usual: Level) -> Level {
        self.level().unwrap_or(usual)
    }
}
