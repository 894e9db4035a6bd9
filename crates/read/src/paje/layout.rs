//! Compiled event definitions: which column of a record plays which role.

use std::collections::HashMap;

use onca_model::{FieldId, FieldKind, Nature};

use super::event::{Effect, Event};
use crate::batch::{Op, Role};

/// A column of a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Column {
    /// The event uses it.
    Role(Role),
    /// It is kept as an extra field.
    Extra(FieldId),
}

/// No column plays this role.
pub(super) const ABSENT: u8 = u8::MAX;

/// An event definition, ready to decode records with.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The id as written.
    pub id: Vec<u8>,
    /// The event's name as written: unknown events have one, too.
    pub name: Vec<u8>,
    pub event: &'static Event,
    pub columns: Vec<Column>,
    /// What the columns are declared to hold.
    pub kinds: Vec<FieldKind>,
    /// The line of the definition, for hints.
    pub line: u64,
    /// It comes from the file that names this one as a part: a header may replace it.
    pub inherited: bool,
    column_of_role: [u8; Role::COUNT],
    /// Columns whose text is kept as an extra field.
    pub extras: Vec<(usize, FieldId)>,
    /// The extra column that gives a link its size.
    pub size_column: Option<usize>,
    /// The column of a `CreateContainer` that may name a file, and whether its spelling alone
    /// says that it does.
    pub part_column: Option<(usize, bool)>,
    /// Mandatory fields that the definition lacks: its records cannot be used.
    pub missing: Vec<Role>,
    /// How to read its records the short way.
    pub plan: Plan,
}

/// How the tokens of a timed record stand when they stand as usual: an id, a time, a type and a
/// container or the other way round, a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// How many there are; 0 where they stand otherwise.
    pub n_tokens: u8,
    /// The container comes before the type.
    pub container_first: bool,
    pub kind: PlanKind,
    pub op: Op,
}

/// What a record has besides a time, a container and a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PlanKind {
    /// Nothing.
    Bare,
    /// A value that is a name.
    Value,
    /// What a link has.
    Link,
}

const NO_PLAN: Plan =
    Plan { n_tokens: 0, container_first: false, kind: PlanKind::Bare, op: Op::Rare };

impl Layout {
    pub fn new(id: Vec<u8>, name: Vec<u8>, event: &'static Event, line: u64) -> Self {
        Self {
            id,
            name,
            event,
            columns: Vec::new(),
            kinds: Vec::new(),
            line,
            inherited: false,
            column_of_role: [ABSENT; Role::COUNT],
            extras: Vec::new(),
            size_column: None,
            part_column: None,
            missing: Vec::new(),
            plan: NO_PLAN,
        }
    }

    /// The column that plays a role, [`ABSENT`] if none does.
    #[inline]
    pub fn column(&self, role: Role) -> usize {
        usize::from(self.column_of_role[role as usize])
    }

    pub fn has(&self, role: Role) -> bool {
        self.column_of_role[role as usize] != ABSENT
    }

    /// Indexes the columns once they are all there.
    pub fn compile(&mut self) {
        self.column_of_role = [ABSENT; Role::COUNT];
        self.extras.clear();
        for (index, column) in self.columns.iter().enumerate() {
            match *column {
                // More than 254 columns: the roles stand among the first in every real trace.
                Column::Role(role) if index < usize::from(ABSENT) => {
                    self.column_of_role[role as usize] = index as u8;
                }
                Column::Role(_) => {}
                Column::Extra(field) => self.extras.push((index, field)),
            }
        }
        let missing = self.event.mandatory.iter().copied().filter(|&role| !self.has(role));
        self.missing = missing.collect();
        self.plan = self.make_plan();
    }

    fn make_plan(&self) -> Plan {
        let n_tokens = self.columns.len() + 1;
        let Effect::Timed(op) = self.event.effect else { return NO_PLAN };
        let kind = match op.nature() {
            Nature::Link => PlanKind::Link,
            Nature::Variable => return NO_PLAN,
            _ if !self.extras.is_empty() => return NO_PLAN,
            _ if self.has(Role::Value) => PlanKind::Value,
            _ => PlanKind::Bare,
        };
        let container_first = match (self.column(Role::Container), self.column(Role::Type)) {
            (1, 2) => true,
            (2, 1) => false,
            _ => return NO_PLAN,
        };
        let as_usual = self.column(Role::Time) == 0
            && (kind != PlanKind::Value || self.column(Role::Value) == 3)
            && self.missing.is_empty();
        match u8::try_from(n_tokens) {
            Ok(n_tokens) if as_usual => Plan { n_tokens, container_first, kind, op },
            _ => NO_PLAN,
        }
    }

    /// Do records of it have an effect?
    pub fn is_usable(&self) -> bool {
        self.missing.is_empty() && !matches!(self.event.effect, Effect::Unknown | Effect::Ignored)
    }

    /// The same event with the same columns.
    pub fn same_as(&self, other: &Self) -> bool {
        self.name == other.name && self.columns == other.columns
    }
}

/// The definitions in force for a stretch of a source.
#[derive(Clone, Debug, Default)]
pub(super) struct Layouts {
    all: Vec<Layout>,
    /// Index + 1 of the definition with this id of one or two bytes; 0 for none.
    by_short: Vec<u16>,
    by_text: HashMap<Vec<u8>, usize>,
}

impl Layouts {
    /// Adds or replaces a definition.
    pub fn insert(&mut self, layout: Layout) {
        let index = match self.by_text.get(&layout.id) {
            Some(&index) => index,
            None => {
                self.all.push(layout.clone());
                self.all.len() - 1
            }
        };
        self.by_text.insert(layout.id.clone(), index);
        if let Some(short) = short_id(&layout.id)
            && let Ok(entry) = u16::try_from(index + 1)
        {
            self.by_short.resize(1 << 16, 0);
            self.by_short[short] = entry;
        }
        self.all[index] = layout;
    }

    /// The same definitions for a part of the trace.
    pub fn inherit(mut self) -> Self {
        for layout in &mut self.all {
            layout.inherited = true;
            layout.line = 0;
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The definition of an id, compared as text.
    #[inline(always)]
    pub fn get(&self, id: &[u8]) -> Option<&Layout> {
        if let Some(layout) = short_id(id).and_then(|short| self.get_short(short)) {
            return Some(layout);
        }
        self.by_text.get(id).map(|&index| &self.all[index])
    }

    /// The definition of an id of one or two bytes.
    #[inline(always)]
    pub fn get_short(&self, id: usize) -> Option<&Layout> {
        let index = *self.by_short.get(id)?;
        self.all.get(usize::from(index).wrapping_sub(1))
    }

    /// The definition of an id, compared as a number: `012` is `12`.
    pub fn get_by_value(&self, id: &[u8]) -> Option<&Layout> {
        if id.is_empty() || !id.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let value = |digits: &[u8]| {
            let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
            digits[zeros..].to_vec()
        };
        let wanted = value(id);
        self.all.iter().find(|layout| {
            !layout.id.is_empty()
                && layout.id.iter().all(u8::is_ascii_digit)
                && value(&layout.id) == wanted
        })
    }
}

/// An id of one or two bytes as a number. No id has a NUL byte, so none is taken for another.
#[inline(always)]
fn short_id(id: &[u8]) -> Option<usize> {
    match *id {
        [one] => Some(usize::from(one)),
        [one, two] => Some(usize::from(one) | usize::from(two) << 8),
        _ => None,
    }
}
