//! Marks in space: structure on a base, time upwards.
//!
//! The base is the square from -1 to 1 in `x` (to the right) and `y` (away from the reader). `z` is
//! time: 0 is the begin of the window, 1 its end. Marks refer to base nodes by place, so that who
//! draws them may move a node and take everything on it along.

use onca_model::Color;

use crate::{Bounds, Pick, Point, Shape, Title, Titles};

/// What is drawn in space.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Solid {
    /// Rectangles on the base, each before those inside it.
    pub cells: Vec<BaseCell>,
    /// Places on the base.
    pub nodes: Vec<BaseNode>,
    /// Links of a network on the base.
    pub cables: Vec<Cable>,
    /// What nodes send each other, on the base.
    pub edges: Vec<BaseEdge>,
    /// States, upright on their nodes. Boxes of one node never overlap.
    pub boxes: Vec<StateBox>,
    /// Links through time.
    pub arrows: Vec<TimeArrow>,
    /// The places that arrows pass on their way, of all arrows in one list.
    pub vias: Vec<u32>,
    /// The way of one message over a network, if one is wanted.
    pub route: Option<BaseRoute>,
    /// Variables along time.
    pub ribbons: Ribbons,
    /// Events.
    pub marks: Vec<TimeMark>,
    /// Numbers of the few links of a network that matter, on the base.
    pub numbers: Vec<BaseNumber>,
    /// Round times along the vertical axis.
    pub ruler: Vec<(f64, String)>,
    /// The texts for hovering.
    pub titles: Titles,
}

impl Solid {
    /// The places that an arrow passes on its way.
    pub fn via(&self, arrow: &TimeArrow) -> &[u32] {
        &self.vias[arrow.via.0 as usize..arrow.via.1 as usize]
    }
}

/// What a place on the base is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BaseKind {
    /// A container or a group of the trace.
    Container,
    /// A machine of a network on which containers can stand.
    Host,
    /// A node of a network that only passes messages on: a switch, a router.
    Switch,
    /// A link of a network that is drawn as a node of its own.
    Wire,
    /// A post for several nodes, at which bundles of links begin and end. No boxes stand there.
    Middle,
    /// A group of nodes of a network, round and below them.
    Group,
}

/// A place on the base.
#[derive(Clone, PartialEq, Debug)]
pub struct BaseNode {
    /// What it is.
    pub kind: BaseKind,
    /// Where it is.
    pub at: Point,
    /// Half its width.
    pub radius: f64,
    /// What it is called.
    pub name: String,
    /// The same as short as it can be without being mistaken for another.
    pub short: String,
    /// How much its name matters: 0 matters most. Who has no room for all takes the first.
    pub rank: u32,
    /// The node of the hierarchy, if it stands for one.
    pub node: Option<u32>,
    /// The place of the node that it stands on, and with which it moves.
    pub on: Option<u32>,
    /// Its colour.
    pub fill: Color,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

/// A rectangle on the base.
#[derive(Clone, PartialEq, Debug)]
pub struct BaseCell {
    /// Where it is.
    pub bounds: Bounds,
    /// How deep it lies in others; 0 for the whole.
    pub depth: u8,
    /// What it is called.
    pub name: String,
    /// The node of the hierarchy.
    pub node: u32,
    /// Its colour.
    pub fill: Color,
    /// The colour of its edge.
    pub edge: Color,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

/// A link of a network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cable {
    /// The places of the nodes that it joins.
    pub ends: (u32, u32),
    /// How wide it is drawn, on the base.
    pub width: f64,
    /// Its colour.
    pub color: Color,
    /// How many messages crossed it in the window.
    pub count: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Bytes per second that it can carry, if known.
    pub bandwidth: Option<f64>,
    /// Its latency in seconds, if known.
    pub latency: Option<f64>,
    /// The share of what it can carry that was carried, if known.
    pub load: Option<f64>,
    /// What it shows under the pointer.
    pub title: Title,
}

/// A number of a link of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct BaseNumber {
    /// The places of the nodes that the link joins; the same for a link that is a node.
    pub ends: (u32, u32),
    /// The number, with its unit.
    pub text: String,
    /// The colour around it.
    pub edge: Color,
}

/// What one node sends another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BaseEdge {
    /// The places of sender and receiver.
    pub ends: (u32, u32),
    /// How wide it is drawn, on the base.
    pub width: f64,
    /// Its colour.
    pub color: Color,
    /// How many links.
    pub count: u64,
    /// Their sizes together.
    pub bytes: u64,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

/// A state, or the share of a value in a stretch of time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StateBox {
    /// The place of its node.
    pub node: u32,
    /// Where it begins.
    pub z0: f64,
    /// Where it ends.
    pub z1: f64,
    /// Its share of the radius of the node.
    pub radius: f64,
    /// Its colour.
    pub color: Color,
    /// Is it a share of a stretch in which several states would be too thin to be seen?
    pub aggregate: bool,
    /// What it stands for.
    pub pick: Pick,
}

/// A link, or several between the same places at about the same time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeArrow {
    /// The places of sender and receiver.
    pub ends: (u32, u32),
    /// When it leaves and when it arrives. Either may lie outside 0 to 1: who draws it cuts it there.
    pub times: (f64, f64),
    /// Which of the `vias` it passes, from the first to before the last; none if it goes straight. It
    /// is equally fast all the way on the base.
    pub via: (u32, u32),
    /// How wide it is drawn, in pixels.
    pub width: f64,
    /// Its colour.
    pub color: Color,
    /// How many links.
    pub count: u64,
    /// What it stands for; of several the first.
    pub pick: Pick,
}

/// The way of one message over a network.
#[derive(Clone, PartialEq, Debug)]
pub struct BaseRoute {
    /// The places of the nodes, from the one that sends to the one that receives.
    pub places: Vec<u32>,
    /// When it leaves and when it arrives.
    pub times: (f64, f64),
    /// Its colour.
    pub color: Color,
    /// The way in words.
    pub text: String,
}

/// Variables along time, with all points in one list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ribbons {
    /// The points of all ribbons: time, and the share of the largest value of its type.
    pub points: Vec<(f64, f64)>,
    /// The ribbons.
    pub ribbons: Vec<Ribbon>,
}

/// A variable along time.
#[derive(Clone, PartialEq, Debug)]
pub struct Ribbon {
    /// The place of its node.
    pub node: u32,
    /// Its points. The value holds from each point to the next.
    pub points: std::ops::Range<usize>,
    /// Its colour.
    pub color: Color,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

/// An event, or several at about the same time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeMark {
    /// The place of its node.
    pub node: u32,
    /// When.
    pub z: f64,
    /// Its form.
    pub shape: Shape,
    /// Its colour.
    pub color: Color,
    /// How many events.
    pub count: u64,
    /// What it stands for; of several the first.
    pub pick: Pick,
}
