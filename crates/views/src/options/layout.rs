//! How graphs and networks are laid out.

use onca_answer::topology::Routing;
use onca_layout::graph::Method;
use serde::{Deserialize, Serialize};

use crate::matrix::Metric;
use crate::topology::CableColor;

/// How nodes are laid out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct LayoutOptions {
    /// How nodes are laid out; nested by default for networks, force for who communicates with whom
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, value_name = "LAYOUT", help_heading = "Layout")
    )]
    pub layout: Option<LayoutName>,

    /// Random numbers of the layout begin from N
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", default_value_t = 1, help_heading = "Layout")
    )]
    pub seed: u64,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        Self { layout: None, seed: 1 }
    }
}

impl LayoutOptions {
    /// The layout of a network.
    pub fn of_network(&self) -> LayoutName {
        self.layout.unwrap_or(LayoutName::Nested)
    }

    /// The layout of who communicates with whom.
    pub fn of_graph(&self) -> LayoutName {
        self.layout.unwrap_or(LayoutName::Force)
    }
}

/// What is shown of a network.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct NetworkOptions {
    /// What makes a way short
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, value_name = "BY", default_value_t, help_heading = "Network")
    )]
    pub routing: RoutingName,

    /// What the colour of a network link shows
    #[cfg_attr(
        feature = "clap",
        arg(
            long = "colors",
            value_enum,
            value_name = "WHAT",
            default_value_t,
            help_heading = "Network"
        )
    )]
    pub cables: CableColor,

    /// Draw the way of one message: the link with this key; of several the first, or with a time, such
    /// as 42@1.5, the one that starts nearest to it
    #[cfg_attr(feature = "clap", arg(long, value_name = "KEY", help_heading = "Network"))]
    pub route: Option<String>,
}

/// What a layout is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum LayoutName {
    /// Sites, clusters and groups apart, machines around their switch
    Nested,
    /// Distances on paper are those in the graph
    Force,
    /// On a circle
    Circular,
    /// Around the middle of the graph
    Radial,
    /// In layers from the middle of the graph
    Layered,
}

impl LayoutName {
    /// The layout of this name that knows no groups.
    pub fn method(self) -> Option<Method> {
        match self {
            Self::Nested => None,
            Self::Force => Some(Method::Force),
            Self::Circular => Some(Method::Circular),
            Self::Radial => Some(Method::Radial),
            Self::Layered => Some(Method::Layered),
        }
    }
}

/// What makes a way through a network short.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum RoutingName {
    /// The number of links
    #[default]
    Hops,
    /// The sum of their latencies
    Latency,
}

impl RoutingName {
    /// What it means.
    pub fn routing(self) -> Routing {
        match self {
            Self::Hops => Routing::Hops,
            Self::Latency => Routing::Latency,
        }
    }
}

/// What the width of an edge shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum EdgeMetric {
    /// The number of links
    Count,
    /// Their sizes
    Bytes,
}

impl EdgeMetric {
    /// The same of a matrix.
    pub fn metric(self) -> Metric {
        match self {
            Self::Count => Metric::Count,
            Self::Bytes => Metric::Bytes,
        }
    }
}
