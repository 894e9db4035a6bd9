//! What is looked up once for all processes: which states are calls, and what they do.

use std::sync::{Mutex, PoisonError};

use onca_model::{FieldId, Nature, ValueId};
use onca_query::{CallPart, CallShape, Role, Scope};

use crate::efficiency::{is_communication, is_useful};
use crate::operations::CommunicatorNumbers;

/// What is looked up once for all processes.
pub(super) struct Lookup {
    /// How each value communicates.
    pub shapes: Vec<Option<CallShape>>,
    /// For each type: are its states calls?
    pub call_types: Vec<bool>,
    /// For each type: do its states tell which operation a call is part of?
    pub operation_types: Vec<bool>,
    pub instance: Option<FieldId>,
    pub communicator: Vec<FieldId>,
    pub root: Option<FieldId>,
    /// A wait without a message may be for one that was sent.
    pub has_begun_sends: bool,
    /// The program calls a library for messages: who does not call it sends nothing.
    pub has_library: bool,
    /// Which values are useful work, and at the end whether what is outside of all states is.
    pub useful: Vec<bool>,
    communicators: Mutex<CommunicatorNumbers>,
}

impl Lookup {
    pub fn new(scope: &Scope<'_>) -> Self {
        let catalog = scope.catalog();
        let shapes: Vec<Option<CallShape>> = (0..catalog.values.len() as u32)
            .map(|id| CallShape::of(scope.role(ValueId(id))?, &catalog.value(ValueId(id)).name))
            .collect();
        let of_type = |at: usize| {
            let values = catalog.values.iter().enumerate();
            values.filter(move |(_, value)| value.type_id.index() == at).map(|(id, _)| shapes[id])
        };
        let is_state = |at: usize| catalog.types[at].nature == Nature::State;
        let types = 0..catalog.types.len();
        // Some writers define values of a library that the program does not use.
        let mut has_states = vec![false; catalog.types.len()];
        scope
            .tracks(Nature::State)
            .for_each(|(_, track, _)| has_states[track.type_id.index()] = true);
        let of_library: Vec<bool> = types
            .clone()
            .map(|at| has_states[at] && of_type(at).flatten().any(|shape| shape.of_library))
            .collect();
        let has_library = of_library.contains(&true);
        let is_collective =
            |shape: &CallShape| matches!(shape, CallShape { part: CallPart::Collective(_), .. });
        let field = |name: &str| {
            let found = catalog
                .fields
                .iter()
                .position(|field| field.name.eq_ignore_ascii_case(name.as_bytes()));
            found.map(|at| FieldId(at as u32))
        };
        let instance = field("instance");
        let operation_types = types
            .clone()
            .map(|at| {
                let may_tell = instance.is_some() && is_state(at) && !of_library[at];
                let mut shapes = of_type(at).flatten();
                may_tell
                    && shapes.next().is_some_and(|it| is_collective(&it))
                    && shapes.all(|it| is_collective(&it))
            })
            .collect();
        let begins_send = |shape: &CallShape| shape.part == CallPart::Send && !shape.blocks;
        Self {
            call_types: types
                .map(|at| if has_library { of_library[at] } else { is_state(at) })
                .collect(),
            operation_types,
            instance,
            communicator: ["communicator", "comm"].into_iter().filter_map(field).collect(),
            root: field("root"),
            has_begun_sends: shapes.iter().flatten().any(begins_send),
            has_library,
            useful: useful(scope, has_library),
            communicators: Mutex::default(),
            shapes,
        }
    }

    /// A number that stands for a communicator.
    pub fn number_of(&self, communicator: &[u8]) -> u32 {
        self.communicators.lock().unwrap_or_else(PoisonError::into_inner).get(communicator)
    }

    pub fn shape(&self, value: ValueId) -> Option<CallShape> {
        self.shapes[value.index()]
    }
}

/// Which values are something that processes do by themselves, neither communication nor waiting; at the end whether what is
/// outside of all states is.
pub(crate) fn own_values(scope: &Scope<'_>) -> Vec<bool> {
    let catalog = scope.catalog();
    let is_own = |id: usize| {
        let of_states = catalog.type_def(catalog.values[id].type_id).nature == Nature::State;
        let role = scope.role(ValueId(id as u32));
        let of_others = |role| is_communication(Some(role)) || role == Role::Idle;
        of_states && !role.is_some_and(of_others)
    };
    let mut own: Vec<bool> = (0..catalog.values.len()).map(is_own).collect();
    own.extend(Lookup::new(scope).useful.last());
    own
}

/// Which values are the work that the program is for, and at the end whether what is outside of all states is.
fn useful(scope: &Scope<'_>, has_library: bool) -> Vec<bool> {
    let catalog = scope.catalog();
    let roles: Vec<Option<Role>> =
        (0..catalog.values.len() as u32).map(|id| scope.role(ValueId(id))).collect();
    let of_states =
        |id: &usize| catalog.type_def(catalog.values[*id].type_id).nature == Nature::State;
    // In a program that passes messages, functions of any name are its work.
    let is_work = |id: usize| is_useful(roles[id]) || has_library && roles[id].is_none();
    let mut useful: Vec<bool> = (0..roles.len()).map(|id| of_states(&id) && is_work(id)).collect();
    useful.push(has_library && !useful.contains(&true));
    useful
}
