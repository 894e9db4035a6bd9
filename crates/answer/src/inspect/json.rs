//! An inspection as JSON. Times are ticks after the begin of the trace.

use onca_model::Ticks;
use serde_json::{Value, json};

use super::{Inspection, Kind, LinkEnd, Nested, Place, SameValue, Subject, ValueShare};

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
    pub fn json(&self, pick: impl Fn(Subject) -> String) -> Value {
        let after_begin = |time: Ticks| i128::from(time) - i128::from(self.begin);
        let time = |time: Ticks| exact(after_begin(time));
        let node = |place: Option<&Place>| place.and_then(|p| p.node).map(|node| node.0);
        let path = |place: Option<&Place>| place.and_then(|p| p.path.clone());
        let (place, destination) = (self.place.as_ref(), self.destination.as_ref());
        let nested = |state: &Nested| {
            json!({
                "pick": pick(Subject::Entity(state.lane, state.row)),
                "title": state.title,
                "start": time(state.start),
                "end": time(state.end),
                "relation": if state.inside { "inside" } else { "around" },
            })
        };
        let link = |link: &LinkEnd| {
            json!({
                "pick": pick(Subject::Entity(link.lane, link.row)),
                "direction": link.direction.name(),
                "title": link.title,
                "start": time(link.start),
                "end": time(link.end),
                "node": node(link.place.as_ref()),
                "path": path(link.place.as_ref()),
            })
        };
        json!({
            "schema": "onca-inspect/1",
            "kind": self.kind.name(),
            "title": self.title,
            "color": self.color.map(|color| color.to_string()),
            "node": node(place),
            "path": path(place),
            "container": place.and_then(|place| place.container.clone()),
            "destination_node": node(destination),
            "destination_path": path(destination),
            "start": self.start.map(time),
            "end": self.end.map(time),
            "fields": self.fields.iter().map(field).collect::<Vec<_>>(),
            "source": self.source.as_ref().map(|at| json!({"file": at.file, "line": at.line})),
            "nesting": self.nesting.iter().map(nested).collect::<Vec<_>>(),
            "inside_left_out": self.inside_left_out,
            "links": self.links.iter().map(link).collect::<Vec<_>>(),
            "links_left_out": self.links_left_out,
            "same_value": self.same_value.as_ref().map(same_value),
            "shares": self.shares.iter().map(share).collect::<Vec<_>>(),
            "related": self.related.iter().map(|subject| pick(*subject)).collect::<Vec<_>>(),
        })
    }
}

/// A number that may pass 64 bits, and is then rounded.
fn exact(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| json!(number as f64), |number| json!(number))
}

fn field((name, text): &(String, String)) -> Value {
    json!({"name": name, "text": text})
}

fn same_value(same: &SameValue) -> Value {
    json!({
        "count": same.count,
        "total": exact(same.total),
        "share": same.share,
        "min": same.min,
        "mean": same.mean,
        "max": same.max,
    })
}

fn share(share: &ValueShare) -> Value {
    json!({
        "value": share.value.0,
        "title": share.title,
        "color": share.color.to_string(),
        "ticks": share.ticks,
        "share": share.share,
        "count": share.count,
    })
}
