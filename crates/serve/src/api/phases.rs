//! Phases of communication: what they are, and what their messages are.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use onca_answer::Subject;
use onca_answer::phases::{Communication, Exchange, ExchangedMessage, PhasesAnswer};
use onca_model::{ValueId, printable};
use onca_views::options::{PhaseOptions, parse};
use onca_views::registry::Memory;
use onca_views::{commgram, pick_of};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::picture::take;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;

/// Phases, and one of their flows.
struct PhasesQuestion {
    options: PhaseOptions,
    /// The width of the picture that the answer is for, which may have room for fewer phases.
    width: Option<f64>,
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
    fn read(mut fields: Map<String, Value>) -> Result<Self, Fault> {
        let (width, flow) = (take(&mut fields, "width")?, take(&mut fields, "flow")?);
        let options = parse("phases", fields).map_err(Fault::question)?;
        Ok(Self { options, width, flow })
    }

    fn answer<'s>(
        &self,
        seen: &'s Seen<'s>,
    ) -> Result<(Communication<'s>, Arc<PhasesAnswer>), Fault> {
        let spec = self.options.spec(&seen.scope)?;
        let communication = seen.communication(&seen.scope, &spec)?;
        let wanted = self.options.n_phases();
        let n = match (communication.totals.messages, self.width) {
            (0, Some(_)) => 0,
            (_, Some(width)) => commgram::fitting(&communication, width, wanted)?.0,
            (_, None) => wanted.unwrap_or_else(|| communication.suggestions()[0].phases),
        };
        let n_communities = self.options.n_communities();
        let answer = seen.phases(&communication, &spec, n, n_communities)?;
        Ok((communication, answer))
    }
}

pub async fn phases(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Value>, Fault> {
    app.ask(&id, body, |seen, fields| {
        let (communication, answer) = PhasesQuestion::read(fields)?.answer(&seen)?;
        Ok(Json(phases_json(&seen, &communication, &answer)))
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
    app.ask(&id, body, |seen, fields| {
        let asked = PhasesQuestion::read(fields)?;
        let FlowAsked { phase, from, to, limit } =
            asked.flow.ok_or_else(|| Fault::question("flow: phase, from and to"))?;
        let (communication, answer) = asked.answer(&seen)?;
        let limit = limit.min(MOST_LISTED);
        let found = communication.exchange(&answer, phase, (from, to), limit)?;
        let found = found.ok_or_else(|| Fault::senseless("there is no such flow"))?;
        Ok(Json(flow_json(&seen, &communication, &found)))
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
