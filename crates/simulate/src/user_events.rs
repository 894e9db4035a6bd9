//! Events that the format leaves to programs: they are kept as events of a container.

use onca_model::{ContainerId, EntitySink, Nature, TypeDef, TypeId, extra_fields};
use onca_read::{Batch, Record, Symbol};

use crate::Simulator;

/// The event type that they are of, one for each type of container.
const TYPE_NAME: &[u8] = b"User event";

impl<S: EntitySink> Simulator<'_, S> {
    pub(crate) fn user_event(
        &mut self,
        batch: &Batch,
        record: &Record,
        name: Symbol,
        extras: &[u8],
    ) {
        self.pajeng_differs = true;
        if self.options.as_pajeng {
            self.reporter.lost += 1;
            return;
        }
        let container = self.named_container(record, extras).unwrap_or(ContainerId::ROOT);
        let container_type = self.names.containers.types[container.index()];
        let type_id = self.user_event_type(container_type);
        let value = self.names.declared_value(self.symbols, type_id, name);
        let track = self.track(container, type_id);
        self.new_event(batch, record, track, value, extras);
    }

    /// The container that one of the fields names: the field `Container`, or one that is called
    /// like a type of containers, such as `Process` or `ProcessId`. The first that leads to a
    /// container counts.
    fn named_container(&mut self, record: &Record, extras: &[u8]) -> Option<ContainerId> {
        let fields = self.symbols.fields();
        extra_fields(extras).find_map(|extra| {
            let field = fields.get(extra.field.index())?.name.to_ascii_lowercase();
            if field == b"container" {
                return self.container_called(extra.text, record, None);
            }
            let called = |name: &[u8]| {
                let name = name.to_ascii_lowercase();
                field
                    .strip_prefix(name.as_slice())
                    .is_some_and(|rest| matches!(rest, b"" | b"id" | b"_id"))
            };
            let types: Vec<TypeId> = (1..self.names.types.len())
                .map(|index| TypeId(index as u32))
                .filter(|&id| {
                    let def = self.names.type_def(id);
                    def.nature == Nature::Container && called(&def.name)
                })
                .collect();
            types.into_iter().find_map(|of| self.container_called(extra.text, record, Some(of)))
        })
    }

    fn container_called(
        &mut self,
        text: &[u8],
        record: &Record,
        of: Option<TypeId>,
    ) -> Option<ContainerId> {
        let symbol = self.symbols.containers.intern(text);
        let found = self.names.find_container(self.symbols, symbol, Some(record.time), of);
        let id = found.ok()?.id();
        of.is_none_or(|of| self.names.containers.types[id.index()] == of).then_some(id)
    }

    fn user_event_type(&mut self, parent: TypeId) -> TypeId {
        let symbol = self.symbols.types.intern(TYPE_NAME);
        let fits = |id: &&TypeId| {
            let def = self.names.type_def(**id);
            def.parent == parent && def.nature == Nature::Event
        };
        if let Some(&id) = self.names.types_with(symbol).iter().find(fits) {
            return id;
        }
        if !self.names.types_with(symbol).is_empty() {
            self.forget_pairs();
        }
        let def = TypeDef {
            alias: None,
            name: TYPE_NAME.to_vec(),
            nature: Nature::Event,
            parent,
            color: None,
            ends: None,
            extras: Vec::new(),
        };
        self.names.add_type(symbol, def)
    }
}
