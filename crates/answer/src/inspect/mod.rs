//! What somebody points at: an entity, a node, a value, a column of pixels.
//!
//! Times are those of the trace; the JSON of an [`Inspection`] has them after its begin.

mod along;
mod around;
mod column;
mod entity;
mod related;
mod source;
mod step;
mod waiting;
pub(crate) mod wire;

pub use along::{Along, step_along};
pub use around::{LinkEnd, Nested, SameValue};
pub use column::inspect_row;
pub use entity::{Direction, Entity};
pub use related::EndState;
pub use source::{SourceFields, SourceLine};
pub use step::{Step, step};
pub use waiting::WaitFor;

use onca_model::{
    Color, ContainerId, FieldId, LaneId, Nature, Ticks, ValueId, extra_fields,
    format::{exact_time, rounded},
    printable,
};
use onca_query::{Appearance, NodeId, Scope};

use crate::topology::{Platform, RouteJson, Routing, describes_network, message_name};
use crate::{AnswerError, Result};

/// What somebody points at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// The entity in a row of a lane.
    Entity(LaneId, u64),
    /// A node of the hierarchy.
    Node(NodeId),
    /// A value.
    Value(ValueId),
    /// A value in a node and everything below it.
    Share(NodeId, ValueId),
}

/// What there is to know about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Inspection {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub title: String,
    /// Its colour.
    pub color: Option<Color>,
    /// Where it is; for links where it comes from.
    pub place: Option<Place>,
    /// For links where it goes to.
    pub destination: Option<Place>,
    /// When it begins.
    pub start: Option<Ticks>,
    /// When it ends.
    pub end: Option<Ticks>,
    /// Everything else that is known, as names and texts.
    pub fields: Vec<(String, String)>,
    /// The line of source that made it.
    pub source: Option<SourceLine>,
    /// The states around it, outermost first, and those directly inside it.
    pub nesting: Vec<Nested>,
    /// How many states inside it are not listed.
    pub inside_left_out: u64,
    /// Links that begin or end there during its time.
    pub links: Vec<LinkEnd>,
    /// How many of them are not listed.
    pub links_left_out: u64,
    /// For links what their ends did then: where it comes from first.
    pub ends: Vec<EndState>,
    /// How a state waited for others, if that is known.
    pub waits: Vec<WaitFor>,
    /// Is a state on the critical path, at least in part? None if that is not known.
    pub on_path: Option<bool>,
    /// Statistics of its value.
    pub same_value: Option<SameValue>,
    /// For an aggregate the shares of values, the largest first.
    pub shares: Vec<ValueShare>,
    /// What belongs to it.
    pub related: Vec<Subject>,
    /// For messages the way over the network, once one is told.
    pub route: Option<RouteJson>,
    /// When the trace begins.
    begin: Ticks,
}

/// What is inspected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A state, link, event or step of a variable.
    Entity(Nature),
    /// A container, or a group of them.
    Container,
    /// A row during a column of pixels.
    Aggregate,
    /// A value.
    Value,
}

/// Where something is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The node that counts it; none if the lens hides it.
    pub node: Option<NodeId>,
    /// The path of the node.
    pub path: Option<String>,
    /// The name of the container, if it is one.
    pub container: Option<String>,
}

/// What a value has of an aggregate.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueShare {
    /// The value.
    pub value: ValueId,
    /// Its name.
    pub title: String,
    /// Its colour.
    pub color: Color,
    /// Its time, without that of states nested in it.
    pub ticks: Ticks,
    /// Its share of the time of all values.
    pub share: f64,
    /// How many states of the value there are.
    pub count: u64,
}

/// Tells what there is to know about a subject. A node at a time, with the length of a column of
/// pixels, is an aggregate: what is in that column of everything from the node down.
pub fn inspect(
    scope: &Scope<'_>,
    appearance: &Appearance,
    subject: Subject,
    column: Option<(Ticks, Ticks)>,
) -> Result<Inspection> {
    match (subject, column) {
        (Subject::Entity(lane, row), _) => {
            let entity = Entity::read(scope.store(), lane, row)?;
            of_entity(scope, appearance, &entity)
        }
        (Subject::Node(node), None) => of_node(scope, known(scope, node)?),
        (Subject::Node(node), Some(column)) => inspect_row(scope, appearance, &[node], column),
        (Subject::Value(value), _) => of_value(scope, appearance, value, None),
        (Subject::Share(node, value), _) => {
            of_value(scope, appearance, value, Some(known(scope, node)?))
        }
    }
}

impl Inspection {
    /// Adds the way that a message takes over a network. What is no message has none.
    pub fn add_route(
        &mut self,
        scope: &Scope<'_>,
        platform: &Platform,
        subject: Subject,
    ) -> Result<()> {
        let Subject::Entity(lane, row) = subject else { return Ok(()) };
        let link = Entity::read(scope.store(), lane, row)?;
        let catalog = scope.catalog();
        if link.nature == Nature::Link && !describes_network(catalog, link.type_id) {
            let passage =
                platform.passage(catalog, Routing::default(), link.container, link.destination)?;
            let name = message_name(catalog, &link);
            self.route = Some(passage.json(&platform.network, name));
        }
        Ok(())
    }

    fn new(scope: &Scope<'_>, kind: Kind, title: &[u8]) -> Self {
        Self {
            kind,
            title: printable(title).into_owned(),
            color: None,
            place: None,
            destination: None,
            start: None,
            end: None,
            fields: Vec::new(),
            source: None,
            nesting: Vec::new(),
            inside_left_out: 0,
            links: Vec::new(),
            links_left_out: 0,
            ends: Vec::new(),
            waits: Vec::new(),
            on_path: None,
            same_value: None,
            shares: Vec::new(),
            related: Vec::new(),
            route: None,
            begin: scope.catalog().facts.start,
        }
    }

    fn add_field(&mut self, name: &str, text: impl Into<String>) {
        self.fields.push((name.to_owned(), text.into()));
    }

    fn add_extras(&mut self, scope: &Scope<'_>, packed: &[u8]) {
        let name = |field: FieldId| printable(&scope.catalog().field_name(field)).into_owned();
        let fields = extra_fields(packed);
        self.fields
            .extend(fields.map(|extra| (name(extra.field), printable(extra.text).into_owned())));
    }
}

fn known(scope: &Scope<'_>, node: NodeId) -> Result<NodeId> {
    let is_known = node.index() < scope.hierarchy().len();
    is_known.then_some(node).ok_or_else(|| AnswerError::no_node(scope, node))
}

fn place_of(scope: &Scope<'_>, container: ContainerId) -> Place {
    let node = scope.hierarchy().node_of(container);
    let name = scope.catalog().containers.names.get(container.index());
    Place {
        node,
        path: node.map(|node| scope.path(node)),
        container: Some(printable(name).into_owned()),
    }
}

fn of_entity(scope: &Scope<'_>, appearance: &Appearance, entity: &Entity) -> Result<Inspection> {
    let catalog = scope.catalog();
    let type_def = catalog.type_def(entity.type_id);
    let value = entity.value.map(|value| catalog.value(value));
    let title = value.map_or(&type_def.name, |value| &value.name);
    let mut found = Inspection::new(scope, Kind::Entity(entity.nature), title);
    let color = match entity.value {
        Some(value) => appearance.of_value(value).color,
        None => appearance.of_type(entity.type_id).color,
    };
    found.color = Some(color);
    found.place = entity.container.map(|id| place_of(scope, id));
    found.destination = entity.destination.map(|id| place_of(scope, id));
    (found.start, found.end) = (Some(entity.start), Some(entity.end));
    add_fields(scope, entity, &mut found)?;
    let of_value = value.map_or(&[][..], |value| &value.extras);
    found.source = SourceFields::new(catalog).line(&entity.extras, of_value);
    found.add_extras(scope, &entity.extras);
    found.add_extras(scope, of_value);
    around::add(scope, entity, &mut found)?;
    waiting::add(scope, entity, &mut found)?;
    related::add(scope, entity, &mut found)?;
    Ok(found)
}

/// What an entity has besides the fields of its own.
fn add_fields(scope: &Scope<'_>, entity: &Entity, found: &mut Inspection) -> Result<()> {
    let unit = &scope.catalog().facts.unit;
    let type_name = printable(&scope.catalog().type_def(entity.type_id).name);
    found.add_field("type", type_name);
    let time = |ticks: i128| format!("{} {}", exact_time(unit, ticks), unit.name);
    if entity.nature != Nature::Event {
        let length = i128::from(entity.end) - i128::from(entity.start);
        found.add_field("duration", time(length));
    }
    if let Some(number) = entity.number {
        found.add_field("value", number.to_string());
        let summary = scope.store().variable_summary(entity.lane, scope.instants())?;
        // A mean has more digits than mean something; the others are numbers of the trace.
        let all = [
            ("smallest", summary.min.map(|number| number.to_string())),
            ("mean", summary.mean.map(rounded)),
            ("largest", summary.max.map(|number| number.to_string())),
        ];
        for (name, text) in all {
            text.into_iter().for_each(|text| found.add_field(name, text));
        }
    }
    if let Some(role) = entity.value.and_then(|value| scope.role(value)) {
        found.add_field("role", role.name());
    }
    if let Some(size) = entity.size {
        found.add_field("size", size.to_string());
    }
    if !entity.key.is_empty() {
        found.add_field("key", printable(&entity.key));
    }
    if entity.nature == Nature::Link && (entity.container.is_none() || entity.destination.is_none())
    {
        found.add_field("ends", "the trace has only one of its two");
    }
    if entity.open_ended {
        found.add_field("end", "nothing in the trace ends it");
    }
    Ok(())
}

fn of_node(scope: &Scope<'_>, node: NodeId) -> Result<Inspection> {
    let (catalog, hierarchy) = (scope.catalog(), scope.hierarchy());
    let mut found = Inspection::new(scope, Kind::Container, scope.name(node));
    let container = hierarchy.container(node);
    let name = |id: ContainerId| printable(catalog.containers.names.get(id.index())).into_owned();
    let path = Some(scope.path(node));
    found.place = Some(Place { node: Some(node), path, container: container.map(name) });
    found.add_field("kind", printable(hierarchy.kind(node)));
    found.add_field("nodes below", hierarchy.children(node).len().to_string());
    if let Some(id) = container {
        let container = catalog.containers.get(id);
        (found.start, found.end) = (Some(container.start), Some(container.end));
        if !container.alias.is_empty() {
            found.add_field("alias", printable(container.alias));
        }
        found.source = SourceFields::new(catalog).line(container.extras, &[]);
        found.add_extras(scope, container.extras);
    }
    Ok(found)
}

fn of_value(
    scope: &Scope<'_>,
    appearance: &Appearance,
    value: ValueId,
    node: Option<NodeId>,
) -> Result<Inspection> {
    let catalog = scope.catalog();
    let Some(def) = catalog.values.get(value.index()) else {
        let n = catalog.values.len();
        return Err(AnswerError::Question(format!("there is no value {}; there are {n}", value.0)));
    };
    let mut found = Inspection::new(scope, Kind::Value, &def.name);
    found.color = Some(appearance.of_value(value).color);
    found.place = node.map(|node| {
        let path = Some(scope.path(node));
        Place { node: Some(node), path, container: None }
    });
    found.add_field("type", printable(&catalog.type_def(def.type_id).name));
    if let Some(role) = scope.role(value) {
        found.add_field("role", role.name());
    }
    if let Some(alias) = &def.alias {
        found.add_field("alias", printable(alias));
    }
    found.source = SourceFields::new(catalog).line(&[], &def.extras);
    found.add_extras(scope, &def.extras);
    found.same_value = around::value_in(scope, value, node.unwrap_or(NodeId::ROOT))?;
    Ok(found)
}
