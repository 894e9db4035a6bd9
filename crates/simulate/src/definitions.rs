//! Records that define types and values, and create and destroy containers.

use onca_model::{
    Code, Container, ContainerId, EntitySink, Nature, Position, Ticks, TypeDef, TypeId, ValueDef,
    printable,
};
use onca_read::{
    Batch, CreateRecord, PartRequest, Rare, Record, Role, Symbol, TypeRecord, ValueRecord,
};

use crate::names::{ALIVE, Found, Missing, Names};
use crate::report::Place;
use crate::track::DIVERTED;
use crate::{Simulator, UNRESOLVED};

impl<S: EntitySink> Simulator<'_, S> {
    #[inline(never)]
    pub(crate) fn rare(&mut self, batch: &Batch, record: &Record, extras: &[u8]) {
        let place = Place::Batch(batch, record.at);
        match &batch.rare[record.value as usize] {
            Rare::Type(def) => self.define_type(batch, def, extras, place),
            Rare::Value(def) => self.define_value(batch, def, extras, place),
            Rare::Create(create) => self.create(batch, create, record.time, extras, place),
            Rare::Destroy { container, type_symbol } => {
                self.destroy(*container, *type_symbol, record.time, place);
            }
            Rare::Part { file } => self.request_part(batch.bytes(*file), place),
            Rare::UserEvent { name } => self.user_event(batch, record, *name, extras),
            Rare::Ignored => {}
        }
    }

    fn request_part(&mut self, file: &[u8], place: Place<'_>) {
        let position = match place {
            Place::Batch(batch, at) => batch.locate(at, Some(Role::File)).0,
            Place::Line(position) => position,
            Place::None => Position::default(),
        };
        self.parts.push(PartRequest { file: file.to_vec(), position });
    }

    fn define_type(&mut self, batch: &Batch, record: &TypeRecord, extras: &[u8], place: Place<'_>) {
        let mut name = batch.bytes(record.name).to_vec();
        let mut parent_symbol = record.parent;
        let mut identifier = record.identifier;
        let container = [Nature::Container];
        let find = |names: &Names, symbol| names.find_type(self.symbols, symbol, &container, None);
        if record.nature == Nature::Variable && find(&self.names, parent_symbol).is_err() {
            // An old exporter declares the columns in one order and writes them in another.
            let as_type = self.symbols.types.intern(&name);
            if let Ok(Found::Identifier(_) | Found::OneOfMany(_)) = find(&self.names, as_type) {
                self.reporter.report(place, Some(Role::Type), Code::SwappedColumns, || {
                    ("the name and the container type are exchanged".to_owned(), None)
                });
                name = self.symbols.types.text(parent_symbol);
                if !record.has_alias {
                    identifier = parent_symbol;
                }
                parent_symbol = as_type;
            }
        }
        let parent = match self.names.find_type(self.symbols, parent_symbol, &container, None) {
            Ok(found) => found,
            Err(missing) => {
                let unknown = Code::UnknownParent;
                let role = Role::Type;
                return self.report_missing_type(
                    parent_symbol,
                    &container,
                    missing,
                    place,
                    role,
                    unknown,
                );
            }
        };
        if let Found::Name(id) = parent
            && self.named_types.insert(id)
        {
            self.report_by_name(place, Role::Type, &self.symbols.types.text(parent_symbol));
        }
        let mut ends = None;
        if let Some((start, end)) = record.ends {
            let role = Role::StartContainerType;
            let Some(start) = self.find_type(start, &container, None, place, role) else { return };
            let role = Role::EndContainerType;
            let Some(end) = self.find_type(end, &container, None, place, role) else { return };
            ends = Some((start.id(), end.id()));
        }
        let identifier_text = self.symbols.types.text(identifier);
        if identifier_text == b"0" {
            return self.report_reserved(place, record.has_alias);
        }
        let def = TypeDef {
            alias: record.has_alias.then_some(identifier_text),
            name,
            nature: record.nature,
            parent: parent.id(),
            color: record.color,
            ends,
            extras: extras.to_vec(),
        };
        self.add_type(identifier, def, place);
    }

    fn report_reserved(&mut self, place: Place<'_>, is_alias: bool) {
        let role = if is_alias { Role::Alias } else { Role::Name };
        self.reporter.lose(place, Some(role), Code::ReservedName, || {
            ("\"0\" is the name of the root".to_owned(), None)
        });
    }

    fn add_type(&mut self, symbol: Symbol, def: TypeDef, place: Place<'_>) {
        let same_parent = self
            .names
            .types_with(symbol)
            .iter()
            .map(|&id| self.names.type_def(id))
            .find(|old| old.parent == def.parent);
        if let Some(old) = same_parent {
            let same = old.nature == def.nature && old.name == def.name && old.ends == def.ends;
            let (old, new) = (old.nature.name(), printable(def.identifier()).into_owned());
            if same {
                return self.report_strictly(place, Role::Alias, Code::DuplicateType, || {
                    format!("\"{new}\" is defined again, the same")
                });
            }
            return self.reporter.lose(place, Some(Role::Alias), Code::DuplicateType, || {
                (format!("\"{new}\" is a {old} type already; the first definition holds"), None)
            });
        }
        if !self.names.types_with(symbol).is_empty() {
            // From now on the identifier depends on the container at hand.
            self.forget_pairs();
            let shown = printable(def.identifier()).into_owned();
            self.report_strictly(place, Role::Alias, Code::DuplicateType, || {
                format!("\"{shown}\" is also a type of other containers")
            });
        }
        self.names.add_type(symbol, def);
    }

    /// Reports what only strict reading does not accept.
    fn report_strictly(
        &mut self,
        place: Place<'_>,
        role: Role,
        code: Code,
        message: impl FnOnce() -> String,
    ) {
        if self.options.pedantic {
            self.reporter.report(place, Some(role), code, || (message(), None));
        }
    }

    pub(crate) fn forget_pairs(&mut self) {
        self.track_of_pair.fill(UNRESOLVED);
        self.pair_of_track.fill(Symbol::MAX);
        self.brief_pairs.clear();
    }

    fn define_value(
        &mut self,
        batch: &Batch,
        record: &ValueRecord,
        extras: &[u8],
        place: Place<'_>,
    ) {
        let natures = [Nature::State, Nature::Event, Nature::Link];
        let type_id = match self.names.find_type(self.symbols, record.type_symbol, &natures, None) {
            Err(Missing::WrongNature(_)) => {
                return self.reporter.lose(
                    place,
                    Some(Role::Type),
                    Code::ValueOnContainerOrVariableType,
                    || ("container and variable types have no values".to_owned(), None),
                );
            }
            _ => self.find_type(record.type_symbol, &natures, None, place, Role::Type),
        };
        let Some(type_id) = type_id else { return };
        let def = ValueDef {
            type_id: type_id.id(),
            name: batch.bytes(record.name).to_vec(),
            alias: record.has_alias.then(|| self.symbols.values.text(record.identifier)),
            color: record.color,
            extras: extras.to_vec(),
        };
        let name = def.name.clone();
        if record.has_alias && self.names.has_value(def.type_id, self.symbols.values.intern(&name))
        {
            self.report_strictly(place, Role::Name, Code::DuplicateValue, || {
                format!("\"{}\" is also the identifier of a value", printable(&name))
            });
        }
        let by_name = self.symbols.values.intern(&name);
        if !self.names.define_value(self.symbols, record.identifier, by_name, def) {
            self.reporter.report(place, Some(Role::Name), Code::DuplicateValue, || {
                let name = printable(&name).into_owned();
                (format!("value \"{name}\" is defined again; the new definition holds"), None)
            });
        }
    }

    fn create(
        &mut self,
        batch: &Batch,
        record: &CreateRecord,
        time: Ticks,
        extras: &[u8],
        place: Place<'_>,
    ) {
        let role = Role::Container;
        let parent = self.names.find_container(self.symbols, record.parent, Some(time), None);
        let parent = match parent {
            Ok(found) => {
                if let Found::Name(id) = found
                    && self.named_containers.insert(id)
                {
                    self.report_by_name(place, role, &self.symbols.containers.text(record.parent));
                }
                found.id()
            }
            Err(missing) => {
                let unknown = Code::UnknownParent;
                return self.report_missing_container(record.parent, missing, place, role, unknown);
            }
        };
        let parent_type = self.names.containers.types[parent.index()];
        let natures = [Nature::Container];
        let Some(type_found) =
            self.find_type(record.type_symbol, &natures, Some(parent_type), place, Role::Type)
        else {
            return;
        };
        let type_id = type_found.id();
        let name = batch.bytes(record.name);
        let alias = record.alias.map_or(&[][..], |alias| batch.bytes(alias));
        if alias == b"0" || alias.is_empty() && name == b"0" {
            return self.report_reserved(place, record.alias.is_some());
        }
        if time != Record::SINCE_EVER {
            self.extent.include(time);
        }
        if self.is_duplicate(record.identifier, type_id) {
            let shown = printable(name).into_owned();
            return self.reporter.lose(place, Some(Role::Alias), Code::DuplicateContainer, || {
                (format!("container \"{shown}\" lives already; the first one holds"), None)
            });
        }
        if type_id == TypeId::ROOT || self.names.type_def(type_id).parent != parent_type {
            self.report_container_type(place, type_id, parent_type);
        }
        if time > self.names.containers.ends[parent.index()] {
            self.reporter.report(place, Some(role), Code::AfterDestroy, || {
                ("created in a container that is destroyed".to_owned(), None)
            });
        }
        let container = Container { name, alias, type_id, parent, start: time, end: ALIVE, extras };
        let (_, shadowed) = self.names.create(record.identifier, &container);
        self.first_track.push(UNRESOLVED);
        if let Some(first) = shadowed {
            self.forget_pairs_of(first);
        }
        if let Some(part) = record.part {
            self.request_part(batch.bytes(part), place);
        }
    }

    fn report_container_type(&mut self, place: Place<'_>, type_id: TypeId, parent_type: TypeId) {
        let names = &self.names;
        self.reporter.report(place, Some(Role::Type), Code::ContainerTypeMismatch, || {
            let message = format!(
                "containers of type \"{}\" do not belong in containers of type \"{}\"",
                printable(&names.type_def(type_id).name),
                printable(&names.type_def(parent_type).name)
            );
            (message, None)
        });
    }

    /// Does a container with this identifier and type live?
    fn is_duplicate(&self, identifier: Symbol, type_id: TypeId) -> bool {
        let containers = &self.names.containers;
        self.names.containers_with(identifier).iter().any(|id| {
            containers.ends[id.index()] == ALIVE && containers.types[id.index()] == type_id
        })
    }

    /// An identifier now has two containers: what it refers to depends on the time.
    fn forget_pairs_of(&mut self, container: ContainerId) {
        let mut track = self.first_track[container.index()];
        while track != UNRESOLVED {
            let pair = std::mem::replace(&mut self.pair_of_track[track as usize], Symbol::MAX);
            if let Some(known) = self.track_of_pair.get_mut(pair as usize) {
                *known = UNRESOLVED;
            }
            track = self.next_track[track as usize];
        }
    }

    fn destroy(&mut self, symbol: Symbol, type_symbol: Symbol, time: Ticks, place: Place<'_>) {
        let natures = [Nature::Container];
        let known = self.names.find_type(self.symbols, type_symbol, &natures, None);
        let unknown_type = known == Err(Missing::Unknown);
        let of = match unknown_type {
            true => None,
            false => match self.find_type(type_symbol, &natures, None, place, Role::Type) {
                Some(found) => Some(found.id()),
                None => return,
            },
        };
        // Without a type the container must be the only one of its identifier or name.
        let container = self.names.find_container(self.symbols, symbol, Some(time), of);
        if unknown_type && !matches!(container, Ok(Found::Identifier(_) | Found::Name(_))) {
            let missing = Missing::Unknown;
            let code = Code::UnknownType;
            return self.report_missing_type(
                type_symbol,
                &natures,
                missing,
                place,
                Role::Type,
                code,
            );
        }
        let Some(found) = self.find_container(symbol, Some(time), of, &place, Role::Name) else {
            return;
        };
        let id = found.id();
        if unknown_type {
            let symbols = self.symbols;
            self.reporter.report(place, Some(Role::Type), Code::DestroyUnknownType, || {
                let type_name = symbols.types.text(type_symbol);
                let message = format!("no type \"{}\"", printable(&type_name));
                (message, Some("there is only one such container: it is destroyed".to_owned()))
            });
        }
        self.extent.include(time);
        let is = self.names.containers.types[id.index()];
        let names = &self.names;
        let name = || printable(names.containers.names.get(id.index())).into_owned();
        if of.is_some_and(|of| is != of) {
            self.reporter.report(place, Some(Role::Type), Code::ContainerTypeMismatch, || {
                let message = format!(
                    "container \"{}\" is of type \"{}\"",
                    name(),
                    printable(&names.type_def(is).name)
                );
                (message, None)
            });
        }
        if names.containers.ends[id.index()] != ALIVE {
            return self.reporter.lose(place, Some(Role::Name), Code::DestroyTwice, || {
                (format!("container \"{}\" is destroyed already", name()), None)
            });
        }
        for ended in self.names.destroy(id, time) {
            self.end_tracks(ended, time);
        }
    }

    /// Tells the tracks of a container that it ends. A track that has gone on after that must
    /// be sorted: its later records count from an empty track.
    fn end_tracks(&mut self, container: ContainerId, time: Ticks) {
        let mut track = self.first_track[container.index()];
        while track != UNRESOLVED {
            let line = &mut self.tracks.tracks[track as usize];
            line.destroyed = time;
            if line.last_time > time && line.flags & DIVERTED == 0 {
                self.redo.diverted.insert(track);
                self.tracks.dry = true;
            }
            track = self.next_track[track as usize];
        }
    }
}
