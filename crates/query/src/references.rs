//! From references to the containers, types and values they mean.

use std::cell::OnceCell;

use hashbrown::HashMap;
use onca_model::{Catalog, ContainerId, Containers, TypeId, ValueId, printable};
use onca_store::ContainerSet;

use crate::pattern::{ContainerPattern, NamePattern, Target};

/// How many names a message suggests or lists.
const MAX_CANDIDATES: usize = 5;
/// How many names are looked at for something similar.
const MAX_COMPARED: usize = 100_000;

/// Finds what references mean in one catalog.
pub struct Resolver<'c> {
    catalog: &'c Catalog,
    by_name: OnceCell<HashMap<&'c [u8], Vec<ContainerId>>>,
}

impl<'c> Resolver<'c> {
    /// A resolver for this catalog.
    pub fn new(catalog: &'c Catalog) -> Self {
        Self { catalog, by_name: OnceCell::new() }
    }

    /// The containers that a reference means. A name that nothing has is an error; a pattern may
    /// match nothing.
    pub fn containers(&self, reference: &str) -> Result<ContainerSet, String> {
        let pattern = ContainerPattern::parse(reference)?;
        self.matching(&pattern)
    }

    /// The one container that a reference means.
    pub fn container(&self, reference: &str) -> Result<ContainerId, String> {
        let found = self.containers(reference)?;
        let mut ids = self.all().filter(|&id| found.contains(id));
        match (ids.next(), ids.next()) {
            (Some(id), None) => Ok(id),
            (None, _) => Err(format!("no container matches {reference:?}")),
            (Some(first), Some(second)) => {
                let more = ids.count();
                let listed: Vec<_> = [first, second]
                    .map(|id| format!("#{} ({})", id.0, self.path(id)))
                    .into_iter()
                    .chain((more > 0).then(|| format!("{more} more")))
                    .collect();
                Err(format!("{reference:?} means several containers: {}", listed.join(", ")))
            }
        }
    }

    /// The union of what several references mean.
    pub fn all_containers(&self, references: &[String]) -> Result<ContainerSet, String> {
        let mut set = ContainerSet::new();
        for reference in references {
            let found = self.containers(reference)?;
            self.all().filter(|&id| found.contains(id)).for_each(|id| set.insert(id));
        }
        Ok(set)
    }

    fn matching(&self, pattern: &ContainerPattern) -> Result<ContainerSet, String> {
        let mut found = match &pattern.target {
            Target::Id(id) => self.by_id(*id)?,
            Target::Name(name) => self.by_name(name),
            Target::Path(parts) => self.by_path(parts),
        };
        if found.is_empty() {
            // It may be the name of something, for all that it looks like a path or a subtree.
            let named = self.index().get(pattern.text.as_bytes()).into_iter().flatten();
            let named: ContainerSet = named.copied().collect();
            return match named.is_empty() && pattern.is_literal() {
                true => Err(self.unknown(&pattern.text)),
                false => Ok(named),
            };
        }
        if pattern.subtree {
            add_subtrees(&self.catalog.containers, &mut found);
        }
        Ok(found)
    }

    fn by_id(&self, id: u32) -> Result<ContainerSet, String> {
        let n = self.catalog.containers.len();
        if id as usize >= n {
            return Err(format!(
                "there is no container #{id}; the ids go from 0 to {}",
                n.saturating_sub(1)
            ));
        }
        Ok([ContainerId(id)].into_iter().collect())
    }

    /// An exact name wins over what the text matches as a pattern.
    fn by_name(&self, name: &NamePattern) -> ContainerSet {
        let index = self.index();
        let exact = name.spellings().into_iter().filter_map(|text| index.get(text)).flatten();
        let exact: ContainerSet = exact.copied().collect();
        if !exact.is_empty() || name.is_literal() {
            return exact;
        }
        let containers = &self.catalog.containers;
        let matches = |id: &ContainerId| {
            let alias = containers.aliases.get(id.index());
            name.matches(containers.names.get(id.index()))
                || (!alias.is_empty() && name.matches(alias))
        };
        self.all().filter(matches).collect()
    }

    fn by_path(&self, parts: &[NamePattern]) -> ContainerSet {
        let containers = &self.catalog.containers;
        let matches = |id: &ContainerId| {
            let mut id = *id;
            for part in parts.iter().rev() {
                let alias = containers.aliases.get(id.index());
                let named = part.matches(containers.names.get(id.index()))
                    || (!alias.is_empty() && part.matches(alias));
                if id == ContainerId::ROOT || !named {
                    return false;
                }
                id = containers.parents[id.index()];
            }
            id == ContainerId::ROOT
        };
        self.all().filter(matches).collect()
    }

    fn index(&self) -> &HashMap<&'c [u8], Vec<ContainerId>> {
        self.by_name.get_or_init(|| {
            let mut index: HashMap<&[u8], Vec<ContainerId>> = HashMap::new();
            for id in self.all() {
                let containers = &self.catalog.containers;
                let (name, alias) =
                    (containers.names.get(id.index()), containers.aliases.get(id.index()));
                index.entry(name).or_default().push(id);
                if !alias.is_empty() && alias != name {
                    index.entry(alias).or_default().push(id);
                }
            }
            index
        })
    }

    fn all(&self) -> impl Iterator<Item = ContainerId> + use<> {
        (0..self.catalog.containers.len() as u32).map(ContainerId)
    }

    /// The path of a container, as a reference that means it.
    pub fn path(&self, id: ContainerId) -> String {
        container_path(&self.catalog.containers, id)
    }

    fn unknown(&self, reference: &str) -> String {
        let names = self.all().map(|id| self.catalog.containers.names.get(id.index()));
        unknown("container", reference, names)
    }

    /// The types that a pattern means.
    pub fn types(&self, pattern: &str) -> Result<Vec<TypeId>, String> {
        let types = self.catalog.types.iter().enumerate();
        let named = types.map(|(id, def)| {
            (TypeId(id as u32), [Some(def.name.as_slice()), def.alias.as_deref(), None])
        });
        found("type", pattern, named)
    }

    /// The values that a pattern means: `Wait`, or `State:Wait` for those of one type.
    pub fn values(&self, pattern: &str) -> Result<Vec<ValueId>, String> {
        let qualified: Vec<Vec<u8>> = (self.catalog.values.iter())
            .map(|value| {
                let type_name = &self.catalog.type_def(value.type_id).name;
                [type_name, b":".as_slice(), &value.name].concat()
            })
            .collect();
        let named =
            self.catalog.values.iter().zip(&qualified).enumerate().map(|(id, (def, full))| {
                let names =
                    [Some(def.name.as_slice()), def.alias.as_deref(), Some(full.as_slice())];
                (ValueId(id as u32), names)
            });
        found("value", pattern, named)
    }
}

/// The things of which a name matches; an error if the pattern is a plain name that nothing has.
fn found<'a, T: Copy>(
    what: &str,
    text: &str,
    things: impl Iterator<Item = (T, [Option<&'a [u8]>; 3])>,
) -> Result<Vec<T>, String> {
    let pattern = NamePattern::parse(text)?;
    let things: Vec<_> = things.collect();
    let those = |test: &dyn Fn(&[u8]) -> bool| -> Vec<T> {
        let named = |names: &[Option<&[u8]>; 3]| names.iter().flatten().any(|name| test(name));
        things.iter().filter(|(_, names)| named(names)).map(|&(thing, _)| thing).collect()
    };
    let exact = those(&|name| pattern.is_exactly(name));
    if !exact.is_empty() {
        return Ok(exact);
    }
    if pattern.is_literal() {
        let names = things.iter().filter_map(|(_, names)| names[0]);
        return Err(unknown(what, text, names));
    }
    Ok(those(&|name| pattern.matches(name)))
}

/// Says that nothing has this name, and what is similar.
fn unknown<'a>(what: &str, reference: &str, names: impl Iterator<Item = &'a [u8]>) -> String {
    let mut similar: Vec<(f64, String)> = names
        .take(MAX_COMPARED)
        .map(|name| {
            let name = printable(name).into_owned();
            (strsim::jaro_winkler(&reference.to_lowercase(), &name.to_lowercase()), name)
        })
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    similar.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    similar.dedup_by(|a, b| a.1 == b.1);
    let names: Vec<_> = similar.into_iter().take(MAX_CANDIDATES).map(|(_, name)| name).collect();
    let hint = match names.as_slice() {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    };
    format!("there is no {what} {reference:?}{hint}")
}

/// Adds everything that lies below a container of the set.
pub(crate) fn add_subtrees(containers: &Containers, set: &mut ContainerSet) {
    for index in 1..containers.len() {
        // A parent comes before its children, so one pass is enough.
        if set.contains(containers.parents[index]) {
            set.insert(ContainerId(index as u32));
        }
    }
}

/// The path of a container from the root, such as `/cluster/rank0`, with escapes where a name
/// needs them, and `?` for what cannot be typed. The root is `/`.
pub fn container_path(containers: &Containers, id: ContainerId) -> String {
    let mut names = Vec::new();
    let mut id = id;
    while id != ContainerId::ROOT {
        names.push(containers.names.get(id.index()));
        id = containers.parents[id.index()];
    }
    if names.is_empty() {
        return "/".to_owned();
    }
    names.iter().rev().fold(String::new(), |mut path, name| {
        path.push('/');
        if name.starts_with(b"re:") {
            path.push('\\');
        }
        for chunk in name.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '/' | '\\' | '*' | '?' | '[' => path.extend(['\\', c]),
                    c if c.is_control() => path.push('?'),
                    c => path.push(c),
                }
            }
            path.extend(chunk.invalid().iter().map(|_| '?'));
        }
        path
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use onca_model::{Container, Nature, TypeDef, ValueDef};

    fn catalog() -> Catalog {
        let mut catalog = Catalog::default();
        let type_of = |name: &str, nature| TypeDef {
            name: name.into(),
            alias: Some(format!("{name}-alias").into_bytes()),
            nature,
            parent: TypeId::ROOT,
            color: None,
            ends: None,
            extras: Vec::new(),
        };
        catalog.types = vec![type_of("0", Nature::Container), type_of("State", Nature::State)];
        for name in ["Wait", "Run"] {
            catalog.values.push(ValueDef {
                type_id: TypeId(1),
                name: name.into(),
                alias: None,
                color: None,
                extras: Vec::new(),
            });
        }
        let mut add = |name: &str, alias: &str, parent: u32| {
            catalog.containers.push(&Container {
                name: name.as_bytes(),
                alias: alias.as_bytes(),
                type_id: TypeId::ROOT,
                parent: ContainerId(parent),
                start: 0,
                end: 1,
                extras: b"",
            });
        };
        add("0", "", 0);
        add("left", "L", 0);
        add("right", "R", 0);
        for parent in [1, 2] {
            for rank in 0..3 {
                add(&format!("rank{rank}"), &format!("r{parent}-{rank}"), parent);
            }
        }
        add("a/b*", "", 1);
        add("/usr/bin/app", "", 0);
        catalog
    }

    fn ids(catalog: &Catalog, reference: &str) -> Vec<u32> {
        let set = Resolver::new(catalog).containers(reference).expect("a reference");
        (0..catalog.containers.len() as u32).filter(|&id| set.contains(ContainerId(id))).collect()
    }

    #[test]
    fn references_mean_what_the_table_says() {
        let catalog = catalog();
        for (reference, expected) in [
            ("rank1", &[4, 7][..]),
            ("r1-2", &[5]),
            ("#6", &[6]),
            ("/left/rank1", &[4]),
            ("/*/rank[0,2]", &[3, 5, 6, 8]),
            ("/", &[0]),
            ("/**", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            ("/usr/bin/app", &[10]),
            ("right/**", &[2, 6, 7, 8]),
            ("re:^rank", &[3, 4, 5, 6, 7, 8]),
            ("a/b*", &[9]),
            ("/left/a\\/b\\*", &[9]),
            ("nothing*", &[]),
        ] {
            assert_eq!(ids(&catalog, reference), expected, "{reference}");
        }
    }

    #[test]
    fn a_path_leads_back_to_its_container() {
        let catalog = catalog();
        let resolver = Resolver::new(&catalog);
        for id in resolver.all() {
            assert_eq!(resolver.container(&resolver.path(id)), Ok(id));
        }
    }

    #[test]
    fn one_container_is_one_or_an_error_that_lists_them() {
        let catalog = catalog();
        let resolver = Resolver::new(&catalog);
        assert_eq!(resolver.container("L"), Ok(ContainerId(1)));
        let several = resolver.container("rank1").expect_err("two");
        assert!(several.contains("#4 (/left/rank1)") && several.contains("#7"), "{several}");
        let unknown = resolver.container("lefft").expect_err("none");
        assert!(unknown.contains("did you mean left?"), "{unknown}");
        assert!(resolver.container("#99").expect_err("none").contains("0 to 10"));
    }

    #[test]
    fn types_and_values_are_found_by_name_alias_and_qualified() {
        let catalog = catalog();
        let resolver = Resolver::new(&catalog);
        assert_eq!(resolver.types("State-alias"), Ok(vec![TypeId(1)]));
        assert_eq!(resolver.values("State:Wait"), Ok(vec![ValueId(0)]));
        assert_eq!(resolver.values("*"), Ok(vec![ValueId(0), ValueId(1)]));
        assert!(resolver.values("wait").expect_err("none").contains("did you mean Wait?"));
    }
}
