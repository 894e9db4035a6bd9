//! Roles of names that say nothing, by what stands around them.
//!
//! `chol_model_22` and `leaf (app.py:3)` tell nobody what they are for. That they run on a worker of
//! StarPU, or are functions of Python, does. Only analyses ask for these roles: names like these are
//! easier to tell apart in colours of their own.

use onca_model::{Catalog, FieldId, Nature, TypeId, ValueDef, extra_fields};

use super::Role::{self, Collective, Compute, Runtime, Send, Task, Wait};
use super::{Pattern, without_place, words_of};

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Around {
    /// The name of the type of the state.
    Type,
    /// The name of the type of the container.
    Container,
    /// How the names of other values of the type begin: one that does is enough.
    Sibling,
    /// Some other value of the type names the place of a function of Python.
    Python,
    /// The field `role` of the value.
    Role,
    /// The field `paradigm` of the value.
    Paradigm,
}

impl Around {
    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Container => "container",
            Self::Sibling => "sibling",
            Self::Python => "Python",
            Self::Role => "role",
            Self::Paradigm => "paradigm",
        }
    }
}

/// What stands around a name that says nothing, and the role that it suggests; the first that
/// fits decides. `docs/roles.md` shows them to users.
pub const SURROUNDINGS: &[(Around, &str, Role)] = &[
    (Around::Type, "^worker state$", Task),
    (Around::Type, "kernel", Compute),
    (Around::Type, "^cpu op$", Compute),
    (Around::Type, "^gpu op$", Compute),
    (Around::Type, "^python function$", Compute),
    (Around::Type, "^user annotation$", Compute),
    (Around::Container, "^stream$", Compute),
    (Around::Python, "", Compute),
    (Around::Sibling, "aten::", Compute),
    (Around::Role, "^kernel$", Compute),
    (Around::Role, "^parallel$", Compute),
    (Around::Role, "^loop$", Compute),
    (Around::Role, "^section*$", Compute),
    (Around::Role, "^workshare$", Compute),
    (Around::Role, "^single$", Compute),
    (Around::Role, "^master$", Compute),
    (Around::Role, "sblock$", Compute),
    (Around::Role, "^atomic$", Compute),
    (Around::Role, "^critical$", Wait),
    (Around::Role, "^ordered$", Wait),
    (Around::Role, "^task wait$", Wait),
    (Around::Role, "^thread wait$", Wait),
    (Around::Role, "barrier$", Collective),
    (Around::Role, "^coll", Collective),
    (Around::Role, "^task create$", Runtime),
    (Around::Role, "^task*", Task),
    (Around::Role, "^file io", Task),
    (Around::Role, "^data transfer$", Send),
    (Around::Role, "^rma$", Send),
    (Around::Role, "^thread create$", Runtime),
    (Around::Role, "^flush$", Runtime),
    (Around::Role, "^artificial$", Runtime),
    (Around::Role, "*allocate$", Runtime),
    (Around::Paradigm, "^user$", Compute),
    (Around::Paradigm, "^compiler$", Compute),
    (Around::Paradigm, "^sampling$", Compute),
    (Around::Paradigm, "^kokkos$", Compute),
];

/// Gives values without a role one by what stands around them.
pub(crate) fn add(catalog: &Catalog, roles: &mut [Option<Role>]) {
    let without: Vec<usize> = (0..roles.len())
        .filter(|&at| roles[at].is_none())
        .filter(|&at| catalog.type_def(catalog.values[at].type_id).nature == Nature::State)
        .collect();
    if without.is_empty() {
        return;
    }
    let rules = Rules::new(catalog);
    let of_types: Vec<Option<usize>> =
        (0..catalog.types.len()).map(|at| rules.of_type(TypeId(at as u32))).collect();
    for at in without {
        let value = &catalog.values[at];
        let of_type = of_types[value.type_id.index()];
        let first = of_type.into_iter().chain(rules.of_value(value)).min();
        roles[at] = first.map(|rule| SURROUNDINGS[rule].2);
    }
}

struct Rules<'a> {
    catalog: &'a Catalog,
    patterns: Vec<Pattern>,
    /// For each type the first rule about siblings that one of its values fits.
    by_sibling: Vec<Option<usize>>,
    role: Option<FieldId>,
    paradigm: Option<FieldId>,
}

impl<'a> Rules<'a> {
    fn new(catalog: &'a Catalog) -> Self {
        let patterns: Vec<Pattern> =
            SURROUNDINGS.iter().map(|(_, pattern, _)| Pattern::parse(pattern)).collect();
        let mut by_sibling = vec![None; catalog.types.len()];
        for value in &catalog.values {
            let known: &mut Option<usize> = &mut by_sibling[value.type_id.index()];
            let until = known.unwrap_or(SURROUNDINGS.len());
            let fits = |rule: &usize| match SURROUNDINGS[*rule].0 {
                Around::Python => without_place(&value.name).is_some(),
                Around::Sibling => value.name.starts_with(SURROUNDINGS[*rule].1.as_bytes()),
                _ => false,
            };
            *known = (0..until).find(fits).or(*known);
        }
        let field = |name: &[u8]| {
            let found = catalog.fields.iter().position(|field| field.name == name);
            found.map(|at| FieldId(at as u32))
        };
        let (role, paradigm) = (field(b"role"), field(b"paradigm"));
        Self { catalog, patterns, by_sibling, role, paradigm }
    }

    /// The first rule that fits all values of a type.
    fn of_type(&self, id: TypeId) -> Option<usize> {
        let type_def = self.catalog.type_def(id);
        let of_container = self.catalog.type_def(type_def.parent);
        let by_name = self.first(|around| match around {
            Around::Type => Some(type_def.name.as_slice()),
            Around::Container => Some(of_container.name.as_slice()),
            _ => None,
        });
        by_name.into_iter().chain(self.by_sibling[id.index()]).min()
    }

    /// The first rule that the fields of a value fit.
    fn of_value(&self, value: &ValueDef) -> Option<usize> {
        if value.extras.is_empty() {
            return None;
        }
        let field = |wanted: Option<FieldId>| {
            let mut fields = extra_fields(&value.extras);
            fields.find(|extra| Some(extra.field) == wanted).map(|extra| extra.text)
        };
        let (role, paradigm) = (field(self.role), field(self.paradigm));
        self.first(|around| match around {
            Around::Role => role,
            Around::Paradigm => paradigm,
            _ => None,
        })
    }

    fn first<'t>(&self, text: impl Fn(Around) -> Option<&'t [u8]>) -> Option<usize> {
        SURROUNDINGS.iter().zip(&self.patterns).position(|((around, ..), pattern)| {
            text(*around).is_some_and(|text| pattern.fits(&words_of(text)))
        })
    }
}
