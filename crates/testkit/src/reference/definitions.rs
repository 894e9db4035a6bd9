//! Definitions of types and values, in file order.

use super::records::Fields;
use super::{Reader, Refused};
use crate::color::parse_color;
use crate::header::EventKind;
use crate::model::{Nature, Type};

impl Reader {
    pub(super) fn define_type(
        &mut self,
        nature: Nature,
        kind: EventKind,
        fields: &Fields,
    ) -> Result<(), Refused> {
        self.read_color(fields);
        self.check_not_cut()?;
        let mut name = fields.get("Name");
        let mut parent_token = fields.get("Type");
        let found = self.find_type(&parent_token, &[Nature::Container], None);
        let parent = match found {
            Err("unknown-type") => {
                let swapped = kind == EventKind::DefineVariableType
                    && self.is_container_type_identifier(&name);
                if !swapped {
                    return Err("unknown-parent");
                }
                self.tally("swapped-columns");
                std::mem::swap(&mut name, &mut parent_token);
                self.find_type(&parent_token, &[Nature::Container], None)?
            }
            other => other?,
        };
        let link_ends = if nature == Nature::Link {
            let start = fields.get("StartContainerType");
            let end = fields.get("EndContainerType");
            Some((
                self.find_type(&start, &[Nature::Container], None)?,
                self.find_type(&end, &[Nature::Container], None)?,
            ))
        } else {
            None
        };
        let alias = fields.alias();
        if alias.as_deref().unwrap_or(&name) == b"0" {
            return Err("reserved-name");
        }

        let identifier = alias.clone().unwrap_or_else(|| name.clone());
        let namesakes: Vec<&Type> = self
            .types_by_identifier
            .get(&identifier)
            .into_iter()
            .flatten()
            .map(|&index| &self.trace.types[index])
            .filter(|other| other.parent == Some(parent))
            .collect();
        let same = |other: &&Type| {
            other.nature == nature && other.name == name && other.link_ends == link_ends
        };
        if namesakes.iter().any(same) {
            return Ok(());
        }
        if !namesakes.is_empty() {
            return Err("duplicate-type");
        }

        let index = self.trace.types.len();
        self.trace.types.push(Type { parent: Some(parent), nature, name, alias, link_ends });
        self.types_by_identifier.entry(identifier).or_default().push(index);
        Ok(())
    }

    fn is_container_type_identifier(&self, token: &[u8]) -> bool {
        match self.types_by_identifier.get(token) {
            Some(candidates) => {
                candidates.iter().any(|&index| self.trace.types[index].nature == Nature::Container)
            }
            None => matches!(token, b"0" | b"/" | b"File"),
        }
    }

    fn read_color(&mut self, fields: &Fields) -> Option<[f64; 4]> {
        let color = parse_color(fields.by_role.get("Color")?);
        if color.is_none() {
            self.tally("bad-color");
        }
        color
    }

    pub(super) fn define_value(&mut self, fields: &Fields) -> Result<(), Refused> {
        let color = self.read_color(fields);
        self.check_not_cut()?;
        let natures = [Nature::State, Nature::Event, Nature::Link];
        let type_index = match self.find_type(&fields.get("Type"), &natures, None) {
            Err("wrong-nature") => return Err("value-on-container-or-variable-type"),
            other => other?,
        };
        let name = fields.get("Name");
        let alias = fields.alias();
        let identifier = alias.clone().unwrap_or_else(|| name.clone());
        let key = (type_index, identifier.clone());
        let by_name = (type_index, name.clone());
        let used = self.values_by_identifier.get(&by_name).copied();
        let used = used.filter(|&index| !self.trace.values[index].defined);
        let index = match (self.values_by_identifier.get(&key).copied(), used) {
            (Some(index), _) => index,
            (None, Some(index)) => {
                // What records called by the name is the value that is defined here.
                self.values_by_identifier.remove(&by_name);
                self.values_by_identifier.insert(key, index);
                self.trace.values[index].identifier = identifier;
                index
            }
            (None, None) => self.new_value(type_index, &identifier),
        };
        let value = &mut self.trace.values[index];
        let color = color.or(value.color);
        let changes = value.name != name || value.color != color;
        let redefined = value.defined && changes;
        value.has_alias = alias.is_some();
        value.name = name;
        value.color = color;
        value.defined = true;
        if redefined {
            self.tally("duplicate-value");
        }
        Ok(())
    }
}
