//! Records that define types and values, and that create and destroy containers.

use super::{ContainerInfo, Kind, TypeInfo, Writer};

impl Writer {
    fn type_identifier(&self, type_index: Option<usize>) -> String {
        match type_index {
            Some(index) => self.types[index].identifier.clone(),
            None => "0".to_string(),
        }
    }

    pub(super) fn define_container_type(&mut self, parent: Option<usize>) {
        let (alias, name) = (self.fresh("ct"), self.fresh("Machine "));
        let written = self.record(
            "PajeDefineContainerType",
            &[
                ("Alias", alias.clone()),
                ("Type", self.type_identifier(parent)),
                ("Name", name.clone()),
            ],
        );
        // Registered even if damaged: the first types are needed to say anything at all.
        let identifier = if written.with_alias { alias } else { name.clone() };
        self.types.push(TypeInfo { identifier, name, kind: Kind::Container, parent, ends: (0, 0) });
    }

    fn container_types(&self) -> Vec<usize> {
        (0..self.types.len()).filter(|&index| self.types[index].kind == Kind::Container).collect()
    }

    pub(super) fn define_entity_type(&mut self, kind: Kind) {
        let choices = self.container_types();
        let mut parent = Some(choices[self.rng.below(choices.len())]);
        if self.rng.percent(if kind == Kind::Link { 60 } else { 10 }) {
            parent = None;
        }
        let mut alias = self.fresh("t");
        let name = self.fresh(self.rng_name());
        if self.rng.percent(12) && !self.types.is_empty() {
            // The identifier of another type, often under another parent.
            let other = self.types[self.rng.below(self.types.len())].clone();
            if other.kind != Kind::Container {
                alias = other.identifier;
            }
        }
        let event = match kind {
            Kind::State => "PajeDefineStateType",
            Kind::Event => "PajeDefineEventType",
            Kind::Variable => "PajeDefineVariableType",
            Kind::Link => "PajeDefineLinkType",
            Kind::Container => "PajeDefineContainerType",
        };
        let start = choices[self.rng.below(choices.len())];
        let end = choices[self.rng.below(choices.len())];
        let written = self.record(
            event,
            &[
                ("Alias", alias.clone()),
                ("Type", self.type_identifier(parent)),
                ("Name", name.clone()),
                ("Color", "0.5 .5 0".to_string()),
                ("StartContainerType", self.type_identifier(Some(start))),
                ("EndContainerType", self.type_identifier(Some(end))),
            ],
        );
        if written.intact || !self.types.iter().any(|other| other.kind == kind) {
            let identifier = if written.with_alias { alias } else { name.clone() };
            self.types.push(TypeInfo { identifier, name, kind, parent, ends: (start, end) });
        }
    }

    /// Names come in a few shapes; the counter makes them unique.
    fn rng_name(&self) -> &'static str {
        ["Kind", "a kind ", "Art/Größe-"][self.counter % 3]
    }

    pub(super) fn define_value(&mut self) {
        let choices: Vec<usize> = (0..self.types.len())
            .filter(|&index| {
                matches!(self.types[index].kind, Kind::State | Kind::Event | Kind::Link)
            })
            .collect();
        let type_index = choices[self.rng.below(choices.len())];
        let mut alias = self.fresh("v");
        let mut name = self.fresh("Value ");
        if self.rng.percent(30) {
            alias = self.rng.pick(&["x", "y", "z", "w"]).to_string();
            name = alias.to_uppercase();
        }
        let color = self.rng.pick(&["1 0 0", "0 1 0", ".1 .2 .3"]).to_string();
        let written = self.record(
            "PajeDefineEntityValue",
            &[
                ("Alias", alias.clone()),
                ("Type", self.types[type_index].identifier.clone()),
                ("Name", name.clone()),
                ("Color", color),
            ],
        );
        if written.intact {
            self.values.push((type_index, if written.with_alias { alias } else { name }));
        }
    }

    pub(super) fn create_container(&mut self) {
        let types = self.container_types();
        let type_index = types[self.rng.below(types.len())];
        let wanted = self.types[type_index].parent;
        let accept_ended = self.rng.percent(12);
        let fitting: Vec<usize> = (0..self.containers.len())
            .filter(|&index| self.containers[index].type_index == wanted)
            .filter(|&index| accept_ended || !self.containers[index].ended)
            .collect();
        let parent = match fitting[..] {
            [] => 0,
            _ if self.rng.percent(4) => self.rng.below(self.containers.len()),
            _ => fitting[self.rng.below(fitting.len())],
        };
        let mut alias = self.fresh("c");
        let mut name = self.fresh("Node ");
        let known = self.containers.len();
        if self.rng.percent(25) {
            let other = 1 + self.rng.below(known);
            let accept_living = self.rng.percent(25);
            if let Some(other) = self.containers.get(other)
                && (other.ended || accept_living)
            {
                alias = other.identifier.clone();
            }
        }
        if self.rng.percent(15) {
            name = "Node".to_string();
        }
        let time = self.next_time();
        let time = self.time_text(time);
        let written = self.record(
            "PajeCreateContainer",
            &[
                ("Time", time),
                ("Alias", alias.clone()),
                ("Type", self.types[type_index].identifier.clone()),
                ("Container", self.containers[parent].identifier.clone()),
                ("Name", name.clone()),
            ],
        );
        if written.intact {
            let identifier = if written.with_alias { alias } else { name.clone() };
            let type_index = Some(type_index);
            self.containers.push(ContainerInfo { identifier, name, type_index, ended: false });
        }
    }

    pub(super) fn destroy_container(&mut self, time: i64) {
        let index = if self.rng.percent(2) { 0 } else { self.container() };
        let time = self.time_text(time);
        let mut type_index = self.containers[index].type_index;
        if self.rng.percent(5) {
            type_index = Some(0);
        }
        let written = self.record(
            "PajeDestroyContainer",
            &[
                ("Time", time),
                ("Type", self.type_identifier(type_index)),
                ("Name", self.containers[index].identifier.clone()),
            ],
        );
        if written.intact {
            self.containers[index].ended = true;
        }
    }
}
