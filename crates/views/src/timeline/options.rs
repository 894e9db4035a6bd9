//! What a timeline can be asked for.

use onca_answer::{Subject, bundles::has_few_links};
use onca_model::LaneId;
use onca_query::{NodeId, Scope};
use onca_scene::Pick;
use serde::{Deserialize, Serialize};

use super::content;
use crate::options::{LevelOptions, NodeName, ViewOptions};
use crate::{pick_of, subject_of};

/// The space-time diagram: states, links, events and variables of every container over time
///
/// Where several states share a pixel column, the column shows their exact shares. What was summed
/// up, merged or left out for lack of room stands in the caption.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render timeline run.paje -o run.svg
  onca render timeline run.paje --from 1.2s --to 1.3s --width 180mm -o detail.pdf
  onca render timeline run.paje --level machine --no-links --theme dark -o run.png
  onca render timeline run.paje --only /site/cluster/rank-3 -o rank.svg
  onca render timeline run.paje --waits --critical-path --no-links -o waits.svg")
)]
pub struct TimelineOptions {
    /// Which nodes are shown as one row, with what lies below them.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,

    /// Do not collapse this node, by its path; may be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH"))]
    pub open: Vec<NodeName>,

    /// Collapse this node
    #[cfg_attr(feature = "clap", arg(long = "close", value_name = "PATH"))]
    pub closed: Vec<NodeName>,

    /// Show only the row of this node, by its path, and those of others that are named so
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH"))]
    pub only: Vec<NodeName>,

    /// Give every node that others lie below a row that sums them up
    #[cfg_attr(feature = "clap", arg(long))]
    pub groups: bool,

    /// The height of a row, in pixels, where there is room
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "PIXELS",
            value_parser = parse_row_height,
            default_value_t = content::STATE_HEIGHT
        )
    )]
    pub row_height: f64,

    /// Draw at most this many arrows; as many as the picture can hold by default
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub arrows: Option<usize>,

    /// The links that are drawn.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub links: Links,

    /// Draw no events
    #[cfg_attr(feature = "clap", arg(long = "no-events", action = clap::ArgAction::SetFalse))]
    pub events: bool,

    /// Draw states down to this depth of nesting only
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))
    )]
    pub state_depths: Option<u32>,

    /// Draw no variables
    #[cfg_attr(feature = "clap", arg(long = "no-variables", action = clap::ArgAction::SetFalse))]
    pub variables: bool,

    /// Draw the variables of a row over each other, on one scale
    #[cfg_attr(feature = "clap", arg(long))]
    pub overlay: bool,

    /// Show who waits for others: hatched, with a band in the colour of the kind of waiting
    #[cfg_attr(feature = "clap", arg(long))]
    pub waits: bool,

    /// Draw the critical path over the rows: the chain of activities that made the run as long as it was
    #[cfg_attr(feature = "clap", arg(long))]
    pub critical_path: bool,
}

impl Default for TimelineOptions {
    fn default() -> Self {
        Self {
            level: LevelOptions::default(),
            open: Vec::new(),
            closed: Vec::new(),
            only: Vec::new(),
            groups: false,
            row_height: content::STATE_HEIGHT,
            arrows: None,
            links: Links::All,
            events: true,
            state_depths: None,
            variables: true,
            overlay: false,
            waits: false,
            critical_path: false,
        }
    }
}

impl ViewOptions for TimelineOptions {
    /// A command can draw all links or none, not those of a selection.
    fn portable(&self, scope: &Scope<'_>) -> Self {
        Self {
            open: NodeName::paths(&self.open, scope),
            closed: NodeName::paths(&self.closed, scope),
            only: NodeName::paths(&self.only, scope),
            links: match self.links {
                Links::All => Links::All,
                Links::Of { few, .. } if has_few_links(scope, few).unwrap_or(false) => Links::All,
                Links::None | Links::Of { .. } => Links::None,
            },
            ..self.clone()
        }
    }
}

/// The heights of rows that can be asked for, in pixels.
#[cfg(feature = "clap")]
fn parse_row_height(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(height) if (1.0..=200.0).contains(&height) => Ok(height),
        _ => Err("write a number of pixels from 1 to 200".to_owned()),
    }
}

/// Which links are drawn.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(try_from = "WrittenLinks", into = "WrittenLinks")]
pub enum Links {
    /// None.
    None,
    /// All, as arrows or bundles of arrows, as far as there is room.
    #[default]
    All,
    /// Those that belong to something, in the same way.
    Of {
        /// Entities by lane and row: links themselves, and those that begin or end during a state,
        /// an event or a step, in its container.
        entities: Vec<(LaneId, u64)>,
        /// Nodes: links that come from or go to them or what lies below them.
        nodes: Vec<NodeId>,
        /// Pairs of nodes: links from the first or what lies below it to the second.
        pairs: Vec<(NodeId, NodeId)>,
        /// All of them, if no more than these touch the window.
        few: u64,
    },
}

/// How requests write links.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenLinks {
    Switch(bool),
    Word(LinksWord),
    Of {
        /// What they belong to, by their picks.
        #[serde(default)]
        of: Vec<String>,
        #[serde(default)]
        nodes: Vec<u32>,
        /// All, if no more than these touch the window.
        #[serde(default)]
        few: u64,
    },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LinksWord {
    None,
    All,
}

impl TryFrom<WrittenLinks> for Links {
    type Error = String;

    fn try_from(written: WrittenLinks) -> Result<Self, String> {
        let (of, nodes, few) = match written {
            WrittenLinks::Switch(false) | WrittenLinks::Word(LinksWord::None) => {
                return Ok(Self::None);
            }
            WrittenLinks::Switch(true) | WrittenLinks::Word(LinksWord::All) => {
                return Ok(Self::All);
            }
            WrittenLinks::Of { of, nodes, few } => (of, nodes, few),
        };
        let (mut entities, mut pairs) = (Vec::new(), Vec::new());
        let mut nodes: Vec<NodeId> = nodes.into_iter().map(NodeId).collect();
        for text in of {
            let bits = text.parse().map_err(|_| format!("{text:?} is no pick"))?;
            let pick = Pick::from_bits(bits).ok_or_else(|| format!("{text:?} is no pick"))?;
            match (pick, subject_of(pick)) {
                (Pick::Pair { from, to }, _) => pairs.push((NodeId(from), NodeId(to))),
                (_, Some(Subject::Entity(lane, row))) => entities.push((lane, row)),
                (_, Some(Subject::Node(node) | Subject::Share(node, _))) => nodes.push(node),
                (_, Some(Subject::Value(_))) => {}
                (_, None) => return Err("nothing can be said about this pick".to_owned()),
            }
        }
        Ok(Self::Of { entities, nodes, pairs, few })
    }
}

impl From<Links> for WrittenLinks {
    fn from(links: Links) -> Self {
        match links {
            Links::None => Self::Word(LinksWord::None),
            Links::All => Self::Word(LinksWord::All),
            Links::Of { entities, nodes, pairs, few } => {
                let entities = entities.into_iter().map(|(lane, row)| Subject::Entity(lane, row));
                let pairs =
                    pairs.into_iter().map(|(from, to)| Pick::Pair { from: from.0, to: to.0 });
                let picks = entities.map(pick_of).chain(pairs);
                let of = picks.map(|pick| pick.to_bits().to_string()).collect();
                Self::Of { of, nodes: nodes.into_iter().map(|node| node.0).collect(), few }
            }
        }
    }
}

/// One switch.
#[cfg(feature = "clap")]
impl clap::Args for Links {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.arg(
            clap::Arg::new("links")
                .long("no-links")
                .help("Draw no links")
                .conflicts_with("arrows")
                .action(clap::ArgAction::SetFalse),
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

#[cfg(feature = "clap")]
impl clap::FromArgMatches for Links {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Ok(if matches.get_flag("links") { Self::All } else { Self::None })
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
