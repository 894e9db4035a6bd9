//! Creation and destruction of containers, in file order.

use super::records::Fields;
use super::{Reader, Refused};
use crate::model::{Container, Nature};

impl Reader {
    pub(super) fn create_container(&mut self, fields: Fields) -> Result<(), Refused> {
        let time = self.time(&fields)?;
        self.check_not_cut()?;
        let parent = match self.find_container(&fields.get("Container"), time, None) {
            Err("unknown-container") => return Err("unknown-parent"),
            other => other?,
        };
        let parent_type = self.trace.containers[parent].type_index;
        let type_index =
            self.find_type(&fields.get("Type"), &[Nature::Container], Some(parent_type))?;
        let name = fields.get("Name");
        let alias = fields.alias();
        if alias.as_deref().unwrap_or(&name) == b"0" {
            return Err("reserved-name");
        }
        self.saw_time(time);

        let identifier = alias.clone().unwrap_or_else(|| name.clone());
        let instances = self.containers_by_identifier.entry(identifier).or_default();
        let containers = &mut self.trace.containers;
        let alive_already = instances.iter().any(|&index| {
            containers[index].destroyed.is_none() && containers[index].type_index == type_index
        });
        if alive_already {
            return Err("duplicate-container");
        }
        let index = containers.len();
        instances.push(index);
        containers.push(Container {
            parent: Some(parent),
            type_index,
            name,
            alias,
            start: time,
            end: 0,
            destroyed: None,
            extras: fields.extras,
        });
        self.children.push(Vec::new());
        self.children[parent].push(index);
        if self.trace.types[type_index].parent != Some(parent_type) {
            self.tally("container-type-mismatch");
        }
        if self.trace.containers[parent].destroyed.is_some_and(|end| time > end) {
            self.tally("after-destroy");
        }
        if fields.names_a_part {
            self.tally("missing-part-file");
            self.trace.lost += 1;
        }
        Ok(())
    }

    pub(super) fn destroy_container(&mut self, fields: &Fields) -> Result<(), Refused> {
        let time = self.time(fields)?;
        let (name, natures) = (fields.get("Name"), [Nature::Container]);
        let type_index = match self.find_type(&fields.get("Type"), &natures, None) {
            Err("unknown-type") => None,
            other => Some(other?),
        };
        let several =
            self.containers_by_identifier.get(&name).is_some_and(|instances| instances.len() > 1);
        if type_index.is_none() && (several || self.look_for_container(&name, time, None).is_none())
        {
            return Err("unknown-type");
        }
        let container = self.find_container(&name, time, type_index)?;
        self.saw_time(time);
        match type_index {
            None => self.tally("destroy-unknown-type"),
            Some(of) if self.trace.containers[container].type_index != of => {
                self.tally("container-type-mismatch");
            }
            Some(_) => {}
        }
        if self.trace.containers[container].destroyed.is_some() {
            return Err("destroy-twice");
        }
        let mut to_visit = vec![container];
        while let Some(index) = to_visit.pop() {
            self.trace.containers[index].destroyed.get_or_insert(time);
            to_visit.extend_from_slice(&self.children[index]);
        }
        Ok(())
    }
}
