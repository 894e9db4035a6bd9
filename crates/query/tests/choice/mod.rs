//! Random parts of lenses, each made together with what it means.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeSet;

use onca_model::Ticks;
use onca_query::{Duration, Filter, Selection};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::plain::Plain;

/// A reference and the things that it means.
#[derive(Clone, Debug)]
pub struct Reference {
    pub text: String,
    pub meaning: BTreeSet<usize>,
}

/// Writes a name so that no character of it has a meaning.
fn escaped(name: &str) -> String {
    let special = |c: char| matches!(c, '\\' | '*' | '?' | '[' | '/');
    name.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// A name that can be written as a reference without being taken for something else.
fn writable(name: &[u8]) -> Option<&str> {
    let name = std::str::from_utf8(name).ok()?;
    let plain = !name.is_empty() && !name.starts_with(['/', '#']) && !name.starts_with("re:");
    plain.then_some(name)
}

/// A reference to containers, of any kind.
pub fn container(rng: &mut ChaCha8Rng, plain: &Plain) -> Reference {
    let n = plain.n_containers();
    let target = rng.random_range(0..n);
    let called = |id: usize, test: &dyn Fn(&[u8]) -> bool| {
        test(plain.name(id)) || !plain.alias(id).is_empty() && test(plain.alias(id))
    };
    let all = |test: &dyn Fn(usize) -> bool| (0..n).filter(|&id| test(id)).collect();
    let name = writable(plain.name(target));
    let lineage = plain.lineage(target);
    let path: Option<Vec<&str>> = lineage[1..].iter().map(|&id| writable(plain.name(id))).collect();
    let (text, meaning): (String, BTreeSet<usize>) = match (rng.random_range(0..7), name, path) {
        (0, Some(name), _) => {
            (escaped(name), all(&|id| called(id, &|other| other == name.as_bytes())))
        }
        (1, _, Some(path)) => {
            let text: String = path.iter().map(|part| format!("/{}", escaped(part))).collect();
            let same = |id: usize| {
                let other = plain.lineage(id);
                other.len() == lineage.len()
                    && other[1..]
                        .iter()
                        .zip(&path)
                        .all(|(&id, part)| called(id, &|name| name == part.as_bytes()))
            };
            (if text.is_empty() { "/".to_owned() } else { text }, all(&same))
        }
        (2, Some(name), _) => {
            let end = name.char_indices().nth(rng.random_range(0..4)).map_or(name.len(), |at| at.0);
            let prefix = &name[..end];
            let begins = |other: &[u8]| other.starts_with(prefix.as_bytes());
            (format!("{}*", escaped(prefix)), all(&|id| called(id, &begins)))
        }
        (3, _, _) => {
            let (low, high) = (rng.random_range(0..20u64), rng.random_range(20..60u64));
            let inside = |other: &[u8]| {
                let digits = other.strip_prefix(b"Node ").and_then(|d| std::str::from_utf8(d).ok());
                let all_digits = digits.filter(|d| d.bytes().all(|byte| byte.is_ascii_digit()));
                all_digits
                    .and_then(|d| d.parse::<u64>().ok())
                    .is_some_and(|number| (low..=high).contains(&number))
            };
            (format!("Node [{low}-{high}]"), all(&|id| called(id, &inside)))
        }
        (4, _, _) => {
            let digit = rng.random_range(b'0'..=b'9');
            let ends = |other: &[u8]| other.last() == Some(&digit);
            (format!("re:{}$", char::from(digit)), all(&|id| called(id, &ends)))
        }
        _ => (format!("#{target}"), BTreeSet::from([target])),
    };
    if rng.random_range(0..3) > 0 {
        return Reference { text, meaning };
    }
    let below = all(&|id| plain.lineage(id).iter().any(|above| meaning.contains(above)));
    Reference { text: if text == "/" { "/**".to_owned() } else { text + "/**" }, meaning: below }
}

/// A reference to one of several things that each have some names.
fn named(rng: &mut ChaCha8Rng, names: &[Vec<Vec<u8>>]) -> Option<Reference> {
    if names.is_empty() {
        return None;
    }
    let target = &names[rng.random_range(0..names.len())];
    let name = writable(&target[rng.random_range(0..target.len())])?;
    let all = |test: &dyn Fn(&[u8]) -> bool| {
        (0..names.len()).filter(|&id| names[id].iter().any(|name| test(name))).collect()
    };
    let first = &name[..name.chars().next().map_or(0, char::len_utf8)];
    Some(match rng.random_range(0..3) {
        0 => Reference {
            text: format!("{}*", escaped(first)),
            meaning: all(&|other| other.starts_with(first.as_bytes())),
        },
        _ => Reference { text: escaped(name), meaning: all(&|other| other == name.as_bytes()) },
    })
}

/// A reference to types.
pub fn type_of(rng: &mut ChaCha8Rng, plain: &Plain) -> Option<Reference> {
    let names = |def: &onca_model::TypeDef| {
        [Some(def.name.clone()), def.alias.clone()].into_iter().flatten().collect()
    };
    named(rng, &plain.catalog.types.iter().map(names).collect::<Vec<_>>())
}

/// A reference to values.
pub fn value(rng: &mut ChaCha8Rng, plain: &Plain) -> Option<Reference> {
    let names = |def: &onca_model::ValueDef| {
        let type_name = plain.catalog.type_def(def.type_id).name.clone();
        let full = [type_name, b":".to_vec(), def.name.clone()].concat();
        [Some(def.name.clone()), def.alias.clone(), Some(full)].into_iter().flatten().collect()
    };
    named(rng, &plain.catalog.values.iter().map(names).collect::<Vec<_>>())
}

/// Some of many things.
#[derive(Clone, Debug, Default)]
pub struct Pick {
    only: Option<Vec<Reference>>,
    hide: Vec<Reference>,
}

impl Pick {
    fn random(
        rng: &mut ChaCha8Rng,
        mut one: impl FnMut(&mut ChaCha8Rng) -> Option<Reference>,
    ) -> Self {
        let mut some = |rng: &mut ChaCha8Rng| -> Vec<Reference> {
            let n = rng.random_range(1..4);
            (0..n).filter_map(|_| one(rng)).collect()
        };
        let only = rng.random_bool(0.4).then(|| some(rng));
        let hide = if rng.random_bool(0.4) { some(rng) } else { Vec::new() };
        Self { only, hide }
    }

    /// Is a thing left?
    pub fn leaves(&self, thing: usize) -> bool {
        let in_any = |list: &[Reference]| list.iter().any(|one| one.meaning.contains(&thing));
        self.only.as_ref().is_none_or(|only| in_any(only)) && !in_any(&self.hide)
    }

    fn filter(&self) -> Filter {
        let texts = |list: &[Reference]| list.iter().map(|one| one.text.clone()).collect();
        Filter { only: self.only.as_ref().map(|only| texts(only)), hide: texts(&self.hide) }
    }
}

/// What is seen.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    pub types: Pick,
    pub values: Pick,
    pub containers: Pick,
    pub min_duration: Ticks,
}

impl Choice {
    /// A random selection.
    pub fn random(rng: &mut ChaCha8Rng, plain: &Plain) -> Self {
        Self {
            types: Pick::random(rng, |rng| type_of(rng, plain)),
            values: Pick::random(rng, |rng| value(rng, plain)),
            containers: Self::of_containers(rng, plain).containers,
            min_duration: match plain.rows.states.len() {
                n if n > 0 && rng.random_bool(0.3) => {
                    let (_, _, state) = plain.rows.states[rng.random_range(0..n)];
                    state.end - state.start
                }
                _ => 0,
            },
        }
    }

    /// A random selection of containers only.
    pub fn of_containers(rng: &mut ChaCha8Rng, plain: &Plain) -> Self {
        let containers = Pick::random(rng, |rng| Some(container(rng, plain)));
        Self { containers, ..Self::default() }
    }

    /// The same as a part of a lens.
    pub fn selection(&self, plain: &Plain) -> Selection {
        let rate = plain.catalog.facts.unit.ticks_per_unit as f64;
        Selection {
            types_in: Vec::new(),
            types: self.types.filter(),
            values: self.values.filter(),
            containers: self.containers.filter(),
            min_duration: (self.min_duration > 0)
                .then(|| Duration::Units(self.min_duration as f64 / rate)),
        }
    }
}
