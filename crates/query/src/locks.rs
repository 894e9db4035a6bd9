//! Locks: which states hold one, and which wait for one.

use onca_model::{Catalog, FieldId, ValueId, extra_fields};

use crate::{
    Resolver,
    error::{LensError, Result},
    lens::LockSpec,
};

/// A rule that finds locks in states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockRule {
    /// By value: does a state of it hold a lock, or wait for one?
    uses: Vec<Option<LockUse>>,
    key: LockKey,
}

/// What a state has to do with a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockUse {
    /// It holds it.
    Holds,
    /// It waits for it.
    Waits,
}

/// What the name of a lock is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum LockKey {
    /// The name of the value.
    Value,
    /// The text of an extra field.
    Field(FieldId),
}

/// The word in a lens for the name of the value.
const VALUE: &str = "value";

impl LockRule {
    pub(crate) fn new(
        resolver: &Resolver<'_>,
        catalog: &Catalog,
        index: usize,
        spec: &LockSpec,
    ) -> Result<Self> {
        let unfit =
            |part: &str, why: String| LensError::unfit(format!("locks[{index}].{part}"), why);
        let mut uses = vec![None; catalog.values.len()];
        for (part, pattern, is) in
            [("waits", &spec.waits, LockUse::Waits), ("holds", &spec.holds, LockUse::Holds)]
        {
            let values = resolver.values(pattern).map_err(|why| unfit(part, why))?;
            values.into_iter().for_each(|value| uses[value.index()] = Some(is));
        }
        let field = |name: &str| {
            let place = catalog.fields.iter().position(|field| field.name == name.as_bytes());
            place.map(|place| LockKey::Field(FieldId(place as u32)))
        };
        let key = match spec.key.as_str() {
            VALUE => LockKey::Value,
            name => field(name).ok_or_else(|| {
                unfit("key", format!("the trace has no extra field {name:?}; or write \"value\""))
            })?,
        };
        Ok(Self { uses, key })
    }

    /// What a state of a value does with a lock.
    #[inline]
    pub fn use_of(&self, value: ValueId) -> Option<LockUse> {
        self.uses.get(value.index()).copied().flatten()
    }

    /// The name of the lock that a state with these extra fields is about.
    pub fn lock<'a>(
        &self,
        catalog: &'a Catalog,
        value: ValueId,
        packed: &'a [u8],
    ) -> Option<&'a [u8]> {
        let name = match self.key {
            LockKey::Value => Some(catalog.value(value).name.as_slice()),
            LockKey::Field(field) => {
                extra_fields(packed).find(|extra| extra.field == field).map(|extra| extra.text)
            }
        };
        name.filter(|name| !name.is_empty())
    }
}
