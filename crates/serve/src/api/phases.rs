//! Phases of communication: what they are, and what their messages are.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::Subject;
use onca_answer::phases::{Communication, Exchange, ExchangedMessage, PhasesAnswer};
use onca_answer::wire::{List, PhaseJson, PhasesJson};
use onca_model::{ValueId, printable};
use onca_views::options::{Middles, PhaseOptions, parse};
use onca_views::registry::Memory;
use onca_views::{commgram, pick_of};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::picture::take;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;

/// Phases, and one of their flows.
struct PhasesQuestion {
    options: PhaseOptions,
    /// The answer is for a picture: no more phases than that shows, and none is no fault.
    on_screen: bool,
    /// What one community sends to another in a phase.
    flow: Option<FlowPlace>,
}

#[derive(Clone, Copy, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct FlowPlace {
    phase: usize,
    from: usize,
    to: usize,
    /// How many messages are listed, at most.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    limit: usize,
}

/// More messages are not listed.
const MOST_LISTED: usize = 10_000;

impl PhasesQuestion {
    fn read(mut fields: Map<String, Value>) -> Result<Self, Fault> {
        let on_screen = take(&mut fields, "on_screen")?.unwrap_or(false);
        let flow = take(&mut fields, "flow")?;
        let options = parse("phases", fields).map_err(Fault::question)?;
        Ok(Self { options, on_screen, flow })
    }

    fn answer<'s>(
        &self,
        seen: &'s Seen<'s>,
    ) -> Result<(Communication<'s>, Arc<PhasesAnswer>), Fault> {
        let spec = self.options.spec(&seen.scope)?;
        let communication = seen.communication(&seen.scope, &spec)?;
        let wanted = self.options.n_phases();
        let n = match (communication.totals.messages, self.on_screen) {
            (0, true) => 0,
            (_, true) => commgram::on_screen(&communication, wanted)?.0,
            (_, false) => wanted.unwrap_or_else(|| communication.suggestions()[0].phases),
        };
        let n_communities = self.options.n_communities();
        let answer = seen.phases(&communication, &spec, n, n_communities)?;
        Ok((communication, answer))
    }
}

pub async fn phases(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, fields| {
        let asked = PhasesQuestion::read(fields)?;
        let (communication, answer) = asked.answer(&seen)?;
        let most = if asked.on_screen { commgram::MOST_ON_SCREEN } else { usize::MAX };
        Ok(Json(phases_json(&seen, &communication, &answer, most)).into_response())
    })
    .await
}

/// The answer of `onca phases --json`, `onca-phases/1`, with what a page needs to ask on.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PhasesAnswer"))]
pub struct ShownPhases<'a> {
    #[serde(flatten)]
    phases: PhasesJson<'a, ShownPhase<'a>>,
    /// The numbers of the nodes of `processors`.
    nodes: Vec<Option<u32>>,
    /// There can be no more phases than this, nor are more shown.
    most_phases: usize,
}

/// A phase, with what a page needs to ask for its messages.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PhaseFound"))]
pub struct ShownPhase<'a> {
    #[serde(flatten)]
    phase: PhaseJson<'a>,
    /// In ticks after the begin of the trace.
    start: i64,
    end: i64,
    /// `null` if it has no messages.
    within: Option<Middles>,
}

fn phases_json<'a>(
    seen: &'a Seen<'_>,
    communication: &'a Communication<'_>,
    answer: &'a PhasesAnswer,
    most: usize,
) -> ShownPhases<'a> {
    let begin = 2 * i128::from(seen.scope.catalog().facts.start);
    let relative = move |sum: &i64| (i128::from(*sum) - begin) as i64;
    let phases = communication.json_with(answer, false, move |phase, json| {
        let sums = communication.middles(&phase.instants);
        ShownPhase {
            phase: json,
            start: seen.relative(phase.window.from),
            end: seen.relative(phase.window.to),
            within: sums
                .map(|sums| Middles { first: relative(sums.start()), last: relative(sums.end()) }),
        }
    });
    let nodes = communication.processors.iter().map(|one| one.node.map(|node| node.0));
    let most_phases = communication.instants.times.len().min(most);
    ShownPhases { phases, nodes: nodes.collect(), most_phases }
}

pub async fn flow(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, fields| {
        let asked = PhasesQuestion::read(fields)?;
        let FlowPlace { phase, from, to, limit } =
            asked.flow.ok_or_else(|| Fault::question("flow: phase, from and to"))?;
        let (communication, answer) = asked.answer(&seen)?;
        let limit = limit.min(MOST_LISTED);
        let found = communication.exchange(&answer, phase, (from, to), limit)?;
        let found = found.ok_or_else(|| Fault::senseless("there is no such flow"))?;
        Ok(Json(flow_json(&seen, &communication, &found)).into_response())
    })
    .await
}

/// What one community sends to another: `onca-flow/1`. Times are ticks after the begin of the trace.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "FlowAnswer"))]
pub struct FlowJson<'a> {
    schema: &'static str,
    /// How many messages.
    count: u64,
    /// The sum of their sizes.
    size: u64,
    /// The smallest and the largest size; `null` if no message has one.
    sizes: Option<(u64, u64)>,
    start: i64,
    end: i64,
    /// The values of the messages.
    operations: Vec<OperationJson>,
    /// The first messages, as many as were asked for.
    messages: List<'a, MessageJson<'a>>,
}

/// A value of messages.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct OperationJson {
    name: String,
    /// Its number.
    value: u32,
    /// How many messages.
    count: u64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "FlowMessage"))]
struct MessageJson<'a> {
    /// `null` if it is no link of the trace.
    pick: Option<String>,
    /// The name of its value.
    operation: Option<String>,
    /// The path of the sender.
    from: &'a str,
    /// The path of the receiver.
    to: &'a str,
    from_node: Option<u32>,
    to_node: Option<u32>,
    start: i64,
    end: i64,
    /// `null` if it has none.
    size: Option<u64>,
}

fn flow_json<'a>(
    seen: &'a Seen<'_>,
    communication: &'a Communication<'_>,
    found: &'a Exchange,
) -> FlowJson<'a> {
    let name = |value: ValueId| printable(&seen.scope.catalog().value(value).name).into_owned();
    let operations = found.operations.iter().map(|one| OperationJson {
        name: name(one.value),
        value: one.value.0,
        count: one.count,
    });
    let end = |number: u32| &communication.processors[number as usize];
    let message = move |one: &ExchangedMessage| {
        let pick = one.link.map(|(lane, row, _)| pick_of(Subject::Entity(lane, row)));
        MessageJson {
            pick: pick.map(|pick| pick.to_bits().to_string()),
            operation: one.link.map(|(_, _, value)| name(value)),
            from: &end(one.from).name,
            to: &end(one.to).name,
            from_node: end(one.from).node.map(|node| node.0),
            to_node: end(one.to).node.map(|node| node.0),
            start: seen.relative(one.start),
            end: seen.relative(one.end),
            size: one.size,
        }
    };
    FlowJson {
        schema: "onca-flow/1",
        count: found.count,
        size: found.size,
        sizes: found.sizes,
        start: seen.relative(found.extent.from),
        end: seen.relative(found.extent.to),
        operations: operations.collect(),
        messages: List::new(found.messages.iter().map(message)),
    }
}
