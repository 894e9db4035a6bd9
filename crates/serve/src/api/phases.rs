//! Phases of communication: what they are, and what their messages are.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use onca_aggregate::phases::Linkage;
use onca_answer::phases::{
    Communication, Exchange, ExchangedMessage, MessageSize, Part, PhaseSpec, PhasesAnswer,
};
use onca_answer::{Level, Subject};
use onca_model::{ValueId, printable};
use onca_query::NodeId;
use onca_views::commgram::{self, CommgramOptions};
use onca_views::{Canvas, Drawn, pick_of};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Shared, TraceId};
use crate::conversations::Conversation;
use crate::fault::Fault;
use crate::question::Seen;

/// Which messages count.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct MessagesAsked {
    link_types: Vec<String>,
    /// `given`, `value`, `none` or the name of an extra field.
    size: Option<String>,
    no_collectives: bool,
    linkage: LinkageName,
    /// Only messages of one phase.
    within: Option<Within>,
    /// Only messages between these nodes.
    among: Option<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LinkageName {
    #[default]
    Midpoint,
    Weighted,
}

/// The sums of start and end of messages, in ticks after the begin of the trace: whole numbers, where a middle need not be.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Within {
    first: i64,
    last: i64,
}

impl MessagesAsked {
    /// The same in the words of the analysis.
    pub fn spec(&self, seen: &Seen<'_>, level: Level) -> Result<PhaseSpec, Fault> {
        let n_nodes = seen.scope.hierarchy().len();
        let among = self.among.as_deref();
        if let Some(node) = among.and_then(|all| all.iter().find(|node| **node as usize >= n_nodes))
        {
            return Err(Fault::question(format!("among: there is no node {node}")));
        }
        let begin = 2 * i128::from(seen.scope.catalog().facts.start);
        let absolute = |sum: i64| {
            let sum = begin + i128::from(sum);
            sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
        };
        Ok(PhaseSpec {
            level,
            link_types: self.link_types.clone(),
            size: match self.size.as_deref() {
                None | Some("given") => MessageSize::Given,
                Some("value") => MessageSize::Value,
                Some("none") => MessageSize::Ignored,
                Some(field) => MessageSize::Field(field.to_owned()),
            },
            without_collectives: self.no_collectives,
            linkage: match self.linkage {
                LinkageName::Midpoint => Linkage::Midpoint,
                LinkageName::Weighted => Linkage::Weighted,
            },
            part: Part {
                middles: self.within.map(|own| absolute(own.first)..=absolute(own.last)),
                among: among.map(|nodes| nodes.iter().map(|node| NodeId(*node)).collect()),
            },
        })
    }

    /// Is it only a part of what the window shows?
    pub fn is_part(&self) -> bool {
        self.within.is_some() || self.among.is_some()
    }

    /// The flags of `onca render commgram` for it. There are none for a part.
    pub fn flags(&self) -> Vec<(&'static str, Option<String>)> {
        let mut flags: Vec<(&str, Option<String>)> =
            self.link_types.iter().map(|name| ("--link-type", Some(name.clone()))).collect();
        flags.push(("--size", self.size.clone()));
        let weighted = self.linkage == LinkageName::Weighted;
        flags.push(("--linkage", weighted.then(|| "weighted".to_owned())));
        flags
    }

    /// Are links of collective operations left out?
    pub fn leaves_collectives_out(&self) -> bool {
        self.no_collectives
    }
}

/// The picture, from messages that are remembered.
pub fn drawn(seen: &Seen<'_>, canvas: &Canvas, options: &CommgramOptions) -> Result<Drawn, Fault> {
    let conversation = seen.trace.conversations.of(seen, &options.spec)?;
    let (n, note) = room(&conversation, canvas.width, options.phases)?;
    let answer = conversation.phases(n, options.communities)?;
    let mut drawn = commgram::screen(&conversation.communication, &answer, canvas, options);
    drawn.notes.extend(note);
    Ok(drawn)
}

/// How many phases are drawn, and what to say where more are wanted; none where there are no messages.
fn room(
    conversation: &Conversation<'_>,
    width: f64,
    wanted: Option<usize>,
) -> Result<(usize, Option<String>), Fault> {
    match conversation.communication.totals.messages {
        0 => Ok((0, None)),
        _ => Ok(commgram::fitting(&conversation.communication, width, wanted)?),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PhasesQuestion {
    level: Option<String>,
    depth: Option<usize>,
    phases: Option<usize>,
    communities: Option<usize>,
    /// The width of the picture that the answer is for, which may have room for fewer phases.
    width: Option<f64>,
    #[serde(default)]
    messages: MessagesAsked,
    /// What one community sends to another in a phase.
    flow: Option<FlowAsked>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct FlowAsked {
    phase: usize,
    from: usize,
    to: usize,
    /// How many messages are listed, at most.
    #[serde(default)]
    limit: usize,
}

/// More messages are not listed.
const MOST_LISTED: usize = 10_000;

impl PhasesQuestion {
    fn conversation<'a>(&self, seen: &'a Seen<'a>) -> Result<Conversation<'a>, Fault> {
        let level = self.level.clone().map(Level::Kind).or(self.depth.map(Level::Depth));
        let spec = self.messages.spec(seen, level.unwrap_or_default())?;
        Ok(seen.trace.conversations.of(seen, &spec)?)
    }

    fn answer(
        &self,
        conversation: &Conversation<'_>,
    ) -> Result<std::sync::Arc<PhasesAnswer>, Fault> {
        let communication = &conversation.communication;
        let wanted = self.phases.map(|n| n.max(1));
        let n = match self.width {
            Some(width) => room(conversation, width, wanted)?.0,
            None => wanted.unwrap_or_else(|| communication.suggestions()[0].phases),
        };
        Ok(conversation.phases(n, self.communities.map(|n| n.max(1)))?)
    }
}

pub async fn phases(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Value>, Fault> {
    app.ask(&id, body, |seen, asked: PhasesQuestion| {
        let conversation = asked.conversation(&seen)?;
        let answer = asked.answer(&conversation)?;
        Ok(Json(phases_json(&seen, &conversation.communication, &answer)))
    })
    .await
}

/// The answer of `onca phases --json`, with what a page needs to ask on.
fn phases_json(seen: &Seen<'_>, communication: &Communication<'_>, answer: &PhasesAnswer) -> Value {
    let mut json = communication.json(answer, false);
    let nodes: Vec<Option<u32>> =
        communication.processors.iter().map(|one| one.node.map(|node| node.0)).collect();
    json["nodes"] = json!(nodes);
    json["most_phases"] = json!(communication.instants.times.len());
    let begin = 2 * i128::from(seen.scope.catalog().facts.start);
    for (place, phase) in answer.phases.iter().enumerate() {
        let own = &mut json["phases"][place];
        own["start"] = json!(seen.relative(phase.window.from));
        own["end"] = json!(seen.relative(phase.window.to));
        let sums = communication.middles(&phase.instants);
        let relative = |sum: i64| (i128::from(sum) - begin) as i64;
        own["within"] = json!(sums.map(|sums| {
            json!({"first": relative(*sums.start()), "last": relative(*sums.end())})
        }));
    }
    json
}

pub async fn flow(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Value>, Fault> {
    app.ask(&id, body, |seen, asked: PhasesQuestion| {
        let FlowAsked { phase, from, to, limit } =
            asked.flow.ok_or_else(|| Fault::question("flow: phase, from and to"))?;
        let conversation = asked.conversation(&seen)?;
        let answer = asked.answer(&conversation)?;
        let communication = &conversation.communication;
        let limit = limit.min(MOST_LISTED);
        let found = communication.exchange(&answer, phase, (from, to), limit)?;
        let found = found.ok_or_else(|| Fault::senseless("there is no such flow"))?;
        Ok(Json(flow_json(&seen, communication, &found)))
    })
    .await
}

fn flow_json(seen: &Seen<'_>, communication: &Communication<'_>, found: &Exchange) -> Value {
    let name = |value: ValueId| printable(&seen.scope.catalog().value(value).name).into_owned();
    let operations: Vec<Value> = found
        .operations
        .iter()
        .map(|one| json!({"name": name(one.value), "value": one.value.0, "count": one.count}))
        .collect();
    let end = |number: u32| &communication.processors[number as usize];
    let message = |one: &ExchangedMessage| {
        let pick = one.link.map(|(lane, row, _)| pick_of(Subject::Entity(lane, row)));
        json!({
            "pick": pick.map(|pick| pick.to_bits().to_string()),
            "operation": one.link.map(|(_, _, value)| name(value)),
            "from": end(one.from).name,
            "to": end(one.to).name,
            "from_node": end(one.from).node.map(|node| node.0),
            "to_node": end(one.to).node.map(|node| node.0),
            "start": seen.relative(one.start),
            "end": seen.relative(one.end),
            "size": one.size,
        })
    };
    json!({
        "schema": "onca-flow/1",
        "count": found.count,
        "size": found.size,
        "sizes": found.sizes.map(|(least, most)| [least, most]),
        "start": seen.relative(found.extent.from),
        "end": seen.relative(found.extent.to),
        "operations": operations,
        "messages": found.messages.iter().map(message).collect::<Vec<Value>>(),
    })
}
