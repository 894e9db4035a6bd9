//! Types that are seen in some containers only.

use onca_model::{ContainerId, TypeId};
use onca_store::ContainerSet;

use crate::{
    Resolver,
    error::{LensError, Result},
    lens::TypesIn,
};

/// In which containers some types are seen.
#[derive(Clone, Debug)]
pub(crate) struct SeenIn {
    /// By type, whether this is about it.
    types: Vec<bool>,
    only: Option<ContainerSet>,
    hide: ContainerSet,
    both_ends: bool,
}

impl SeenIn {
    pub fn new(
        resolver: &Resolver<'_>,
        n_types: usize,
        index: usize,
        spec: &TypesIn,
    ) -> Result<Self> {
        let unfit = |why| LensError::unfit(format!("select.types_in[{index}]"), why);
        let mut types = vec![false; n_types];
        for pattern in &spec.types {
            let found = resolver.types(pattern).map_err(unfit)?;
            found.into_iter().for_each(|id| types[id.index()] = true);
        }
        let sets = |references: &[String]| resolver.all_containers(references).map_err(unfit);
        Ok(Self {
            types,
            only: spec.only.as_deref().map(sets).transpose()?,
            hide: sets(&spec.hide)?,
            both_ends: spec.both_ends,
        })
    }

    pub fn is_about(&self, id: TypeId) -> bool {
        self.types.get(id.index()).copied().unwrap_or(false)
    }

    /// Are states, events and variables of a container seen?
    pub fn sees(&self, container: ContainerId) -> bool {
        let only = self.only.as_ref();
        only.is_none_or(|only| only.contains(container)) && !self.hide.contains(container)
    }

    /// Is a link between these ends seen, as far as they are known?
    pub fn sees_link(&self, ends: [Option<ContainerId>; 2]) -> bool {
        let mut known = ends.into_iter().flatten();
        let is_hidden = known.clone().any(|end| self.hide.contains(end));
        let is_chosen = self.only.as_ref().is_none_or(|only| match self.both_ends {
            true => known.all(|end| only.contains(end)),
            false => known.any(|end| only.contains(end)),
        });
        is_chosen && !is_hidden
    }
}
