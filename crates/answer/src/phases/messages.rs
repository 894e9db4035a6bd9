//! Messages, wherever they come from.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use onca_aggregate::phases::Linkage;
use onca_model::{
    ContainerId, FieldId, LaneId, LinkRow, Nature, Ticks, TypeId, ValueId, Window, display_text,
    extra_fields,
};
use onca_query::{NodeId, Resolver, Role, Scope};
use onca_store::TextReader;

use super::collectives::Collectives;
use crate::{AnswerError, Cut, Level, Result};

/// What is asked of messages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PhaseSpec {
    /// Which nodes talk with each other.
    pub level: Level,
    /// Only links of these types; of all that are seen where it is empty.
    pub link_types: Vec<String>,
    /// How large messages are.
    pub size: MessageSize,
    /// Which of them are collective operations.
    pub collectives: CollectiveChoice,
    /// Only operations of these names: values of links, of the states of collective operations, and of the states that messages
    /// are sent or received in. All where it is empty.
    pub functions: Vec<String>,
    /// Where clusters of messages stand in time.
    pub linkage: Linkage,
    /// Which part of all this.
    pub part: Part,
}

/// Do collective operations count?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CollectiveChoice {
    /// With all other messages.
    #[default]
    With,
    /// They are left out.
    Without,
    /// Everything else is left out.
    Alone,
}

/// A part of the messages: all of them by default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Part {
    /// Only messages whose start and end have such a sum, as those of one phase have.
    pub middles: Option<RangeInclusive<i64>>,
    /// Only messages between these nodes, as those inside of one community are.
    pub among: Option<Vec<NodeId>>,
}

/// How large messages are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum MessageSize {
    /// As large as the trace says.
    #[default]
    Given,
    /// What this extra field says.
    Field(String),
    /// What the value of the link says.
    Value,
    /// Their size does not matter; they are counted.
    Ignored,
}

/// A message between processors, by their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Message {
    pub from: u32,
    pub to: u32,
    pub start: Ticks,
    pub end: Ticks,
    pub size: Option<u64>,
    pub is_collective: bool,
    /// The link that it is, where it comes from a trace.
    pub origin: Option<Origin>,
}

/// The link that a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    pub lane: LaneId,
    pub row: u64,
    pub value: ValueId,
}

impl Message {
    /// Twice its middle, which is a whole number of ticks.
    pub fn doubled_middle(&self) -> i64 {
        let sum = i128::from(self.start) + i128::from(self.end);
        sum.clamp(i128::from(i64::MIN / 2), i128::from(i64::MAX / 2)) as i64
    }
}

/// The links that a scope shows, between the nodes of a cut. They can be visited again, in the same order.
pub(super) struct Links<'a> {
    scope: &'a Scope<'a>,
    /// The place of each container, if it has one.
    places: Vec<Option<u32>>,
    lanes: Vec<LaneId>,
    sizes: Sizes,
    /// For each value: has it the role of a collective operation?
    collectives: Vec<bool>,
    choice: CollectiveChoice,
    /// The operations that are told by states.
    operations: Collectives,
    /// For each value: is it one of the functions that were asked for? All are where it is empty.
    functions: Vec<bool>,
    /// When containers were in states of these functions.
    calls: Calls,
    middles: Option<RangeInclusive<i64>>,
    /// For each place: is it in the part? All are where there is none.
    among: Option<Vec<bool>>,
}

/// How large messages are, with names looked up.
enum Sizes {
    Given,
    Fields(Vec<FieldId>),
    OfValues(Vec<Option<u64>>),
    Ignored,
}

impl<'a> Links<'a> {
    pub fn new(scope: &'a Scope<'a>, spec: &PhaseSpec, cut: &Cut) -> Result<Self> {
        let catalog = scope.catalog();
        let resolver = Resolver::new(catalog);
        let mut types = Vec::new();
        for pattern in &spec.link_types {
            types.extend(resolver.types(pattern).map_err(AnswerError::Question)?);
        }
        let lanes = scope.link_lanes().filter(|(_, id)| types.is_empty() || types.contains(id));
        let place = |id| cut.place(scope.hierarchy().node_of(id)?).map(|place| place as u32);
        let values = 0..catalog.values.len() as u32;
        let is_collective = |id| scope.role(ValueId(id)) == Some(Role::Collective);
        let places: Vec<Option<u32>> =
            (0..catalog.containers.len() as u32).map(|id| place(ContainerId(id))).collect();
        let collectives: Vec<bool> = values.map(is_collective).collect();
        let mut functions = Vec::new();
        for pattern in &spec.functions {
            functions.resize(catalog.values.len(), false);
            let found = resolver.values(pattern).map_err(AnswerError::Question)?;
            found.into_iter().for_each(|id| functions[id.index()] = true);
        }
        let calls = Calls::new(scope, &functions)?;
        let nature = |id| catalog.type_def(id).nature;
        let has_links = catalog
            .values
            .iter()
            .zip(&collectives)
            .any(|(value, is_one)| *is_one && nature(value.type_id) == Nature::Link);
        // Where links tell of collective operations, states tell of the same.
        let is_told =
            types.is_empty() && !has_links && spec.collectives != CollectiveChoice::Without;
        let operations = match is_told {
            true => Collectives::new(scope, |id| collectives[id.index()], |id| places[id.index()])?,
            false => Collectives::default(),
        };
        Ok(Self {
            scope,
            places,
            collectives,
            operations,
            functions,
            calls,
            choice: spec.collectives,
            lanes: lanes.map(|(lane, _)| lane).collect(),
            sizes: sizes(scope, &spec.size)?,
            middles: spec.part.middles.clone(),
            among: spec.part.among.as_deref().map(|nodes| places_of(cut, nodes)),
        })
    }

    /// Visits all messages. Gives the number of links that are none, because one end is not known or not among the nodes.
    pub fn visit(&self, mut visit: impl FnMut(&Message)) -> Result<u64> {
        let mut n_left_out = 0;
        for &lane in &self.lanes {
            let mut texts = self.scope.store().texts(lane);
            self.scope.visit_links(lane, |row, link| -> Result<()> {
                match self.message(lane, row, link) {
                    None => n_left_out += 1,
                    Some(message) if !self.takes(&message) || !self.is_called(link) => {}
                    Some(message) => {
                        let size = self.size(row, link, &mut texts)?;
                        visit(&Message { size, ..message });
                    }
                }
                Ok(())
            })??;
        }
        self.operations.visit(self.scope, |message| {
            let is_named =
                |origin: Origin| self.functions.get(origin.value.index()) != Some(&false);
            if self.takes(message) && message.origin.is_none_or(is_named) {
                let is_given = matches!(self.sizes, Sizes::Given);
                visit(&Message { size: message.size.filter(|_| is_given), ..*message });
            }
        });
        Ok(n_left_out)
    }

    /// The collective operations that states tell of.
    pub fn operations(&self) -> &Collectives {
        &self.operations
    }

    /// The message of a link, without its size.
    fn message(&self, lane: LaneId, row: u64, link: &LinkRow<'_>) -> Option<Message> {
        Some(Message {
            origin: Some(Origin { lane, row, value: link.value }),
            from: self.places[link.source?.index()]?,
            to: self.places[link.destination?.index()]?,
            start: link.start,
            end: link.end,
            size: None,
            is_collective: self.collectives[link.value.index()],
        })
    }

    /// Is it in the part that was asked for?
    fn takes(&self, message: &Message) -> bool {
        let is_inside =
            |places: &Vec<bool>| places[message.from as usize] && places[message.to as usize];
        let is_chosen = match self.choice {
            CollectiveChoice::With => true,
            CollectiveChoice::Without => !message.is_collective,
            CollectiveChoice::Alone => message.is_collective,
        };
        is_chosen
            && self.middles.as_ref().is_none_or(|range| range.contains(&message.doubled_middle()))
            && self.among.as_ref().is_none_or(is_inside)
    }

    /// Is a link of one of the functions that were asked for, by its value or by what its ends were doing?
    fn is_called(&self, link: &LinkRow<'_>) -> bool {
        self.functions.get(link.value.index()) != Some(&false)
            || link.source.is_some_and(|source| self.calls.begins(source, link.start))
            || link.destination.is_some_and(|target| self.calls.ends(target, link.end))
    }

    fn size(
        &self,
        row: u64,
        link: &LinkRow<'_>,
        texts: &mut TextReader<'_>,
    ) -> Result<Option<u64>> {
        Ok(match &self.sizes {
            Sizes::Given => link.size,
            Sizes::OfValues(sizes) => sizes[link.value.index()],
            Sizes::Ignored => None,
            Sizes::Fields(fields) => {
                let (_, extras) = texts.get(row)?;
                let mut own = extra_fields(extras).filter(|extra| fields.contains(&extra.field));
                own.find_map(|extra| amount(extra.text))
            }
        })
    }
}

/// When containers were in states of some values.
#[derive(Default)]
struct Calls {
    /// The begins and ends of such states, joined where they touch, in order.
    spans: HashMap<ContainerId, Vec<(Ticks, Ticks)>>,
}

impl Calls {
    /// The states whose values are marked. A message may begin before the window, so all of the trace counts.
    fn new(scope: &Scope<'_>, is_meant: &[bool]) -> Result<Self> {
        let catalog = scope.catalog();
        let mut found = Self::default();
        if !is_meant.contains(&true) {
            return Ok(found);
        }
        let facts = &catalog.facts;
        let whole = scope.during(Window { from: facts.start, to: facts.end.saturating_add(1) });
        let values = catalog.values.iter().zip(is_meant).filter(|(_, is_meant)| **is_meant);
        let types: HashSet<TypeId> = values.map(|(value, _)| value.type_id).collect();
        let tracks = whole.tracks(Nature::State).filter(|(_, of, _)| types.contains(&of.type_id));
        for (track, of, _) in tracks {
            let spans = found.spans.entry(of.container).or_default();
            whole.visit_states(track, |_, _, state| {
                if is_meant[state.value.index()] {
                    spans.push((state.start, state.end));
                }
            })?;
        }
        for spans in found.spans.values_mut() {
            spans.sort_unstable();
            spans.dedup_by(|next, last| {
                let touches = next.0 <= last.1;
                last.1 = if touches { last.1.max(next.1) } else { last.1 };
                touches
            });
        }
        Ok(found)
    }

    /// Was the container in such a state from this time on?
    fn begins(&self, container: ContainerId, at: Ticks) -> bool {
        self.last_before(container, |start| start <= at).is_some_and(|(_, end)| at < end)
    }

    /// Was the container in such a state up to this time?
    fn ends(&self, container: ContainerId, at: Ticks) -> bool {
        self.last_before(container, |start| start < at).is_some_and(|(_, end)| at <= end)
    }

    fn last_before(
        &self,
        container: ContainerId,
        is_before: impl Fn(Ticks) -> bool,
    ) -> Option<(Ticks, Ticks)> {
        let spans = self.spans.get(&container)?;
        let n = spans.partition_point(|(start, _)| is_before(*start));
        spans[..n].last().copied()
    }
}

fn places_of(cut: &Cut, nodes: &[NodeId]) -> Vec<bool> {
    let mut places = vec![false; cut.nodes().len()];
    nodes.iter().filter_map(|node| cut.place(*node)).for_each(|place| places[place] = true);
    places
}

fn sizes(scope: &Scope<'_>, size: &MessageSize) -> Result<Sizes> {
    let catalog = scope.catalog();
    Ok(match size {
        MessageSize::Given => Sizes::Given,
        MessageSize::Ignored => Sizes::Ignored,
        MessageSize::Value => {
            Sizes::OfValues(catalog.values.iter().map(|value| amount(&value.name)).collect())
        }
        MessageSize::Field(name) => {
            let ids = (0..catalog.fields.len() as u32).map(FieldId);
            let fields: Vec<FieldId> =
                ids.filter(|id| catalog.field_name(*id).as_ref() == name.as_bytes()).collect();
            if fields.is_empty() {
                let known: Vec<String> = catalog
                    .fields
                    .iter()
                    .map(|field| display_text(&field.name).into_owned())
                    .collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(AnswerError::Question(format!(
                    "the trace has no extra field {name:?}; it has {known}"
                )));
            }
            Sizes::Fields(fields)
        }
    })
}

/// A number of bytes in a text.
pub(super) fn amount(text: &[u8]) -> Option<u64> {
    let number: f64 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number.round() as u64)
}
