//! References: the type, the container or the value that a token means.

use super::{ROOT, Reader, Refused};
use crate::model::{Nature, Value};

impl Reader {
    pub(super) fn find_type(
        &mut self,
        token: &[u8],
        natures: &[Nature],
        container_type: Option<usize>,
    ) -> Result<usize, Refused> {
        let same_identifier = self.types_by_identifier.get(token);
        if let Some(candidates) = same_identifier {
            let types = &self.trace.types;
            let fitting: Vec<usize> = candidates
                .iter()
                .copied()
                .filter(|&index| natures.contains(&types[index].nature))
                .collect();
            let of_container = fitting
                .iter()
                .copied()
                .find(|&index| container_type.is_some() && types[index].parent == container_type);
            return of_container.or(fitting.first().copied()).ok_or("wrong-nature");
        }
        if matches!(token, b"0" | b"/" | b"File") {
            let fits = natures.contains(&Nature::Container);
            return if fits { Ok(ROOT) } else { Err("wrong-nature") };
        }
        let named: Vec<usize> = (1..self.trace.types.len())
            .filter(|&index| {
                let candidate = &self.trace.types[index];
                let fits_container = candidate.nature == Nature::Container
                    || container_type.is_none()
                    || candidate.parent == container_type;
                candidate.name == token && natures.contains(&candidate.nature) && fits_container
            })
            .collect();
        match named[..] {
            [] => Err("unknown-type"),
            [index] => {
                if self.types_met_by_name.insert(index) {
                    self.tally("reference-by-name");
                }
                Ok(index)
            }
            _ => Err("ambiguous-name"),
        }
    }

    pub(super) fn find_container(
        &mut self,
        token: &[u8],
        time: i64,
        expected_type: Option<usize>,
    ) -> Result<usize, Refused> {
        let containers = &self.trace.containers;
        let is_expected = |index: usize| {
            expected_type.is_none() || expected_type == Some(containers[index].type_index)
        };
        if let Some(all) = self.containers_by_identifier.get(token) {
            let mut instances: Vec<usize> = all.clone();
            if instances.iter().any(|&index| is_expected(index)) {
                instances.retain(|&index| is_expected(index));
            }
            let covers = |index: usize| {
                let container = &containers[index];
                container.start <= time && container.destroyed.is_none_or(|end| time <= end)
            };
            let newest_covering = instances.iter().copied().rev().find(|&index| covers(index));
            return newest_covering.or(instances.last().copied()).ok_or("unknown-container");
        }
        if matches!(token, b"0" | b"/") {
            return Ok(ROOT);
        }
        let named: Vec<usize> = (1..containers.len())
            .filter(|&index| containers[index].name == token && is_expected(index))
            .collect();
        match named[..] {
            [] => Err("unknown-container"),
            [index] => {
                if self.containers_met_by_name.insert(index) {
                    self.tally("reference-by-name");
                }
                Ok(index)
            }
            _ => Err("ambiguous-name"),
        }
    }

    /// The same without a word about how it was found.
    pub(super) fn look_for_container(
        &mut self,
        token: &[u8],
        time: i64,
        expected_type: Option<usize>,
    ) -> Option<usize> {
        let (met, tallies) = (self.containers_met_by_name.clone(), self.trace.diagnostics.clone());
        let found = self.find_container(token, time, expected_type);
        self.containers_met_by_name = met;
        self.trace.diagnostics = tallies;
        found.ok()
    }

    /// Refuses a value that may be half of another: it is new, and the line is cut.
    pub(super) fn check_value_whole(&self, type_index: usize, token: &[u8]) -> Result<(), Refused> {
        let key = (type_index, token.to_vec());
        let known = self.values_by_identifier.contains_key(&key)
            || self.value_named(type_index, token).is_some();
        match known {
            true => Ok(()),
            false => self.check_not_cut(),
        }
    }

    /// The value of an entity type; a value nobody defined comes into being by its use.
    pub(super) fn find_value(&mut self, type_index: usize, token: &[u8]) -> usize {
        let key = (type_index, token.to_vec());
        if let Some(&index) = self.values_by_identifier.get(&key) {
            return index;
        }
        if let Some(index) = self.value_named(type_index, token) {
            if self.values_met_by_name.insert(key) {
                self.tally("reference-by-name");
            }
            return index;
        }
        self.new_value(type_index, token)
    }

    /// The first value that is called something else in records and has this name.
    fn value_named(&self, type_index: usize, token: &[u8]) -> Option<usize> {
        self.trace.values.iter().position(|value| {
            value.type_index == type_index && value.has_alias && value.name == token
        })
    }

    pub(super) fn new_value(&mut self, type_index: usize, token: &[u8]) -> usize {
        let index = self.trace.values.len();
        self.trace.values.push(Value {
            type_index,
            identifier: token.to_vec(),
            name: token.to_vec(),
            color: None,
            defined: false,
            has_alias: false,
        });
        self.values_by_identifier.insert((type_index, token.to_vec()), index);
        index
    }
}
