//! An inspection as JSON. Times are ticks after the begin of the trace.

use onca_model::Ticks;
use serde::Serialize;

use super::{
    EndState, Inspection, Kind, LinkEnd, Nested, Place, SameValue, Subject, ValueShare, WaitFor,
};
use crate::topology::RouteJson;
use crate::wire::{List, Number};

/// What a mark of a picture stands for: `onca-inspect/1`. All times are ticks after the begin of the
/// trace, and a pick is what the server calls a subject.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InspectionJson<'a> {
    /// `onca-inspect/1`.
    pub schema: &'static str,
    /// `state`, `event`, `variable`, `link`, `container`, `aggregate` or `value`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::InspectKind"))]
    pub kind: &'static str,
    /// What it is called.
    pub title: &'a str,
    /// Its colour, as `#rrggbb` or `#rrggbbaa`; `null` for what has none.
    pub color: Option<String>,
    /// The number of its node; `null` where it has none.
    pub node: Option<u32>,
    /// The path of its node.
    pub path: Option<&'a str>,
    /// The name of its container.
    pub container: Option<&'a str>,
    /// The number of the node where a link ends.
    pub destination_node: Option<u32>,
    /// The path of the node where a link ends.
    pub destination_path: Option<&'a str>,
    /// Where it begins.
    pub start: Option<Number>,
    /// Where it ends.
    pub end: Option<Number>,
    /// What else is known of it.
    pub fields: List<'a, FieldJson<'a>>,
    /// The line of source code that made it, if the trace tells.
    pub source: Option<SourceLineJson<'a>>,
    /// The states around it, from the outermost, and those right inside it.
    pub nesting: List<'a, NestedJson<'a>>,
    /// How many more states are inside it.
    pub inside_left_out: u64,
    /// The links that begin or end in it.
    pub links: List<'a, LinkEndJson<'a>>,
    /// How many more links there are.
    pub links_left_out: u64,
    /// The states at both ends of a link.
    pub ends: List<'a, EndStateJson<'a>>,
    /// How a state waited for others; empty as long as that is not known.
    pub waits: List<'a, WaitForJson<'a>>,
    /// Is a state on the critical path? `null` as long as that is not known.
    pub on_path: Option<bool>,
    /// How it compares with others of its value.
    pub same_value: Option<SameValueJson>,
    /// What an aggregate is made of.
    pub shares: List<'a, ValueShareJson<'a>>,
    /// The picks of what is to be shown with it.
    pub related: List<'a, String>,
    /// The way of a message over the network; `null` for others, and where no network is known.
    pub route: Option<&'a RouteJson>,
}

/// Something that is known of what is inspected.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InspectField"))]
pub struct FieldJson<'a> {
    /// What it is.
    pub name: &'a str,
    /// The text for people.
    pub text: &'a str,
}

/// A line of source code.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourceLineJson<'a> {
    /// The file, as the trace names it.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u32,
}

/// A state around or inside another.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "NestedState"))]
pub struct NestedJson<'a> {
    /// Its pick.
    pub pick: String,
    /// What it is called.
    pub title: &'a str,
    /// Where it begins.
    pub start: Number,
    /// Where it ends.
    pub end: Number,
    /// `inside` or `around`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::Relation"))]
    pub relation: &'static str,
}

/// A wait during a state.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InspectWait"))]
pub struct WaitForJson<'a> {
    /// The kind, as in `onca-waits/1`.
    pub kind: &'static str,
    /// Where it begins.
    pub start: Number,
    /// Where it ends.
    pub end: Number,
    /// The number of the node that was waited for.
    pub node: Option<u32>,
    /// Its path.
    pub path: Option<&'a str>,
    /// The pick of what that one did until the wait was over.
    pub pick: Option<String>,
}

/// A link that begins or ends in a state.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InspectLink"))]
pub struct LinkEndJson<'a> {
    /// Its pick.
    pub pick: String,
    /// Which way it goes.
    #[cfg_attr(feature = "typescript", ts(as = "crate::wire::words::LinkDirection"))]
    pub direction: &'static str,
    /// What it is called.
    pub title: &'a str,
    /// Where it begins.
    pub start: Number,
    /// Where it ends.
    pub end: Number,
    /// The number of the node at its other end.
    pub node: Option<u32>,
    /// The path of the node at its other end.
    pub path: Option<&'a str>,
}

/// A state at an end of a link.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InspectEnd"))]
pub struct EndStateJson<'a> {
    /// Does the link come from it? Else it goes there.
    pub is_source: bool,
    /// Its pick.
    pub pick: String,
    /// What it is called.
    pub title: &'a str,
    /// Where it begins.
    pub start: Number,
    /// Where it ends.
    pub end: Number,
    /// The number of its node.
    pub node: Option<u32>,
    /// The path of its node.
    pub path: Option<&'a str>,
}

/// All of the same value in the window.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SameValueJson {
    /// How many there are.
    pub count: u64,
    /// Their time, in ticks.
    pub total: Number,
    /// Their share of the time of all seen states of their type, each tick counted once.
    pub share: Option<f64>,
    /// The shortest, in ticks.
    pub min: Option<Ticks>,
    /// The mean, in ticks, which are not whole.
    pub mean: Option<f64>,
    /// The longest, in ticks.
    pub max: Option<Ticks>,
}

/// What an aggregate has of a value.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ShareOfAggregate"))]
pub struct ValueShareJson<'a> {
    /// The number of the value.
    pub value: u32,
    /// What it is called.
    pub title: &'a str,
    /// Its colour, as `#rrggbb` or `#rrggbbaa`.
    pub color: String,
    /// The time in it, in ticks.
    pub ticks: Ticks,
    /// The share of the time of the aggregate.
    pub share: f64,
    /// How many there are.
    pub count: u64,
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entity(nature) => nature.name(),
            Self::Container => "container",
            Self::Aggregate => "aggregate",
            Self::Value => "value",
        }
    }
}

impl Inspection {
    /// The JSON, with subjects as `pick` writes them.
    pub fn json<'a>(&'a self, pick: impl Fn(Subject) -> String + Copy + 'a) -> InspectionJson<'a> {
        let time = move |time: Ticks| Number::sum(i128::from(time) - i128::from(self.begin));
        let (place, destination) = (self.place.as_ref(), self.destination.as_ref());
        let nested = move |state: &'a Nested| NestedJson {
            pick: pick(Subject::Entity(state.lane, state.row)),
            title: &state.title,
            start: time(state.start),
            end: time(state.end),
            relation: if state.inside { "inside" } else { "around" },
        };
        let link = move |link: &'a LinkEnd| LinkEndJson {
            pick: pick(Subject::Entity(link.lane, link.row)),
            direction: link.direction.name(),
            title: &link.title,
            start: time(link.start),
            end: time(link.end),
            node: node(link.place.as_ref()),
            path: path(link.place.as_ref()),
        };
        let end = move |end: &'a EndState| EndStateJson {
            is_source: end.is_source,
            pick: pick(end.state),
            title: &end.title,
            start: time(end.start),
            end: time(end.end),
            node: node(Some(&end.place)),
            path: path(Some(&end.place)),
        };
        let wait = move |wait: &'a WaitFor| WaitForJson {
            kind: wait.kind.name(),
            start: time(wait.window.from),
            end: time(wait.window.to),
            node: wait.cause.node.map(|node| node.0),
            path: wait.cause.path.as_deref(),
            pick: wait.state.map(pick),
        };
        let fields = self.fields.iter().map(|(name, text)| FieldJson { name, text });
        InspectionJson {
            schema: "onca-inspect/1",
            kind: self.kind.name(),
            title: &self.title,
            color: self.color.map(|color| color.to_string()),
            node: node(place),
            path: path(place),
            container: place.and_then(|place| place.container.as_deref()),
            destination_node: node(destination),
            destination_path: path(destination),
            start: self.start.map(time),
            end: self.end.map(time),
            fields: List::new(fields),
            source: self.source.as_ref().map(|at| SourceLineJson { file: &at.file, line: at.line }),
            nesting: List::new(self.nesting.iter().map(nested)),
            inside_left_out: self.inside_left_out,
            links: List::new(self.links.iter().map(link)),
            links_left_out: self.links_left_out,
            ends: List::new(self.ends.iter().map(end)),
            waits: List::new(self.waits.iter().map(wait)),
            on_path: self.on_path,
            same_value: self.same_value.as_ref().map(same_value),
            shares: List::new(self.shares.iter().map(share)),
            related: List::new(self.related.iter().map(move |subject| pick(*subject))),
            route: self.route.as_ref(),
        }
    }
}

fn node(place: Option<&Place>) -> Option<u32> {
    place.and_then(|place| place.node).map(|node| node.0)
}

fn path(place: Option<&Place>) -> Option<&str> {
    place.and_then(|place| place.path.as_deref())
}

fn same_value(same: &SameValue) -> SameValueJson {
    SameValueJson {
        count: same.count,
        total: Number::sum(same.total),
        share: same.share,
        min: same.min,
        mean: same.mean,
        max: same.max,
    }
}

fn share(share: &ValueShare) -> ValueShareJson<'_> {
    ValueShareJson {
        value: share.value.0,
        title: &share.title,
        color: share.color.to_string(),
        ticks: share.ticks,
        share: share.share,
        count: share.count,
    }
}
