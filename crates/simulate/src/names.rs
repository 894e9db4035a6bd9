//! What identifiers refer to: types, containers and values.
//!
//! Everything here follows file order. An identifier is an alias, or a name where there is no
//! alias; a name never wins over an alias.

use std::collections::{HashMap, HashSet};

use onca_model::{
    Color, Container, ContainerId, Containers, Nature, Ticks, TypeDef, TypeId, ValueDef, ValueId,
};
use onca_read::{Symbol, Symbols};

/// The end of a container that has not been destroyed.
pub(crate) const ALIVE: Ticks = Ticks::MAX;

const NONE: u32 = u32::MAX;
/// Several containers have this identifier.
const MANY: u32 = u32::MAX - 1;

/// What a reference leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found<Id> {
    /// The identifier is this one's, and no other's.
    Identifier(Id),
    /// The identifier is this one's here and now; it is also another's.
    OneOfMany(Id),
    /// It has this name, and no other fitting one has.
    Name(Id),
}

impl<Id: Copy> Found<Id> {
    pub fn id(self) -> Id {
        match self {
            Self::Identifier(id) | Self::OneOfMany(id) | Self::Name(id) => id,
        }
    }
}

/// Why a reference leads nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    /// Nothing has this identifier or name.
    Unknown,
    /// That many things have this name.
    Ambiguous(usize),
    /// A type of another nature has this identifier.
    WrongNature(TypeId),
}

/// A value that is met for the first time under what a record calls it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Met {
    /// It has an alias, and is called by its name.
    ByName(ValueId),
    /// Nothing has defined it.
    Undefined(ValueId),
}

/// All types, containers and values.
#[derive(Clone)]
pub(crate) struct Names {
    pub types: Vec<TypeDef>,
    types_by_symbol: HashMap<Symbol, Vec<TypeId>>,
    pub containers: Containers,
    container_by_symbol: Vec<u32>,
    containers_by_symbol: HashMap<Symbol, Vec<ContainerId>>,
    containers_by_name: HashMap<Vec<u8>, Vec<ContainerId>>,
    /// How many containers `containers_by_name` knows: it is only built when it is needed.
    n_named: usize,
    /// The tree of containers, for destroying a whole branch. What has ended and holds nothing
    /// more is taken out, or a deep chain that is destroyed from its end would be walked again
    /// for every container of it.
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
    in_tree: Vec<bool>,
    pub values: Vec<ValueDef>,
    value_by_symbol: Vec<Vec<u32>>,
    /// Values that a definition declared, rather than a first use.
    declared: Vec<bool>,
    /// Values that have an alias, by type and name.
    values_by_name: HashMap<(TypeId, Vec<u8>), Vec<ValueId>>,
    /// Names of values that were used in place of their aliases.
    met_by_name: HashSet<(TypeId, Symbol)>,
    /// What was met for the first time and is not yet reported.
    pub met: Vec<Met>,
    /// Grows whenever a reference may lead somewhere else than before.
    pub epoch: u64,
}

impl Names {
    pub fn new() -> Self {
        let root_type = TypeDef {
            name: b"0".to_vec(),
            alias: None,
            nature: Nature::Container,
            parent: TypeId::ROOT,
            color: None,
            ends: None,
            extras: Vec::new(),
        };
        let mut names = Self {
            types: vec![root_type],
            types_by_symbol: HashMap::new(),
            containers: Containers::default(),
            container_by_symbol: Vec::new(),
            containers_by_symbol: HashMap::new(),
            containers_by_name: HashMap::new(),
            n_named: 0,
            first_child: Vec::new(),
            next_sibling: Vec::new(),
            in_tree: Vec::new(),
            values: Vec::new(),
            value_by_symbol: vec![Vec::new()],
            declared: Vec::new(),
            values_by_name: HashMap::new(),
            met_by_name: HashSet::new(),
            met: Vec::new(),
            epoch: 0,
        };
        names.add_container(&Container {
            name: b"0",
            alias: b"",
            type_id: TypeId::ROOT,
            parent: ContainerId::ROOT,
            start: 0,
            end: ALIVE,
            extras: b"",
        });
        names
    }

    pub fn type_def(&self, id: TypeId) -> &TypeDef {
        &self.types[id.index()]
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        let containers = &self.containers;
        containers.names.bytes.capacity()
            + containers.aliases.bytes.capacity()
            + containers.extras.bytes.capacity()
            + containers.types.capacity() * 60
            + self.container_by_symbol.capacity() * 4
            + self.containers_by_name.len() * 80
            + self.values.capacity() * size_of::<ValueDef>()
            + self.value_by_symbol.iter().map(|column| column.capacity() * 4).sum::<usize>()
    }

    // Types

    /// The types with this identifier.
    pub fn types_with(&self, symbol: Symbol) -> &[TypeId] {
        self.types_by_symbol.get(&symbol).map_or(&[], Vec::as_slice)
    }

    pub fn add_type(&mut self, symbol: Symbol, def: TypeDef) -> TypeId {
        let id = TypeId(self.types.len() as u32);
        self.types.push(def);
        self.types_by_symbol.entry(symbol).or_default().push(id);
        self.value_by_symbol.push(Vec::new());
        self.epoch += 1;
        id
    }

    /// Finds a type of one of the given natures. `of` is the type of the container at hand:
    /// types that belong to it are preferred, and only they are found by name.
    pub fn find_type(
        &self,
        symbols: &Symbols,
        symbol: Symbol,
        natures: &[Nature],
        of: Option<TypeId>,
    ) -> Result<Found<TypeId>, Missing> {
        let fits = |id: &TypeId| natures.contains(&self.type_def(*id).nature);
        let candidates = self.types_with(symbol);
        let mut fitting = candidates.iter().copied().filter(fits);
        if let Some(first) = fitting.next() {
            let others: Vec<_> = fitting.collect();
            if others.is_empty() && candidates.len() == 1 {
                return Ok(Found::Identifier(first));
            }
            let belongs = |id: &TypeId| Some(self.type_def(*id).parent) == of;
            let chosen = std::iter::once(first).chain(others).find(belongs);
            return Ok(Found::OneOfMany(chosen.unwrap_or(first)));
        }
        if let Some(&other) = candidates.first() {
            return Err(Missing::WrongNature(other));
        }
        let text = symbols.types.text(symbol);
        if matches!(text.as_slice(), b"0" | b"/" | b"File") {
            return match natures.contains(&Nature::Container) {
                true => Ok(Found::Identifier(TypeId::ROOT)),
                false => Err(Missing::WrongNature(TypeId::ROOT)),
            };
        }
        self.find_type_by_name(&text, natures, of)
    }

    fn find_type_by_name(
        &self,
        name: &[u8],
        natures: &[Nature],
        of: Option<TypeId>,
    ) -> Result<Found<TypeId>, Missing> {
        let named: Vec<_> = (1..self.types.len())
            .filter(|&index| {
                let def = &self.types[index];
                let belongs =
                    of.is_none() || def.nature == Nature::Container || Some(def.parent) == of;
                def.name == name && natures.contains(&def.nature) && belongs
            })
            .collect();
        match named[..] {
            [] => Err(Missing::Unknown),
            [index] => Ok(Found::Name(TypeId(index as u32))),
            _ => Err(Missing::Ambiguous(named.len())),
        }
    }

    // Containers

    /// The containers with this identifier, in order of creation.
    pub fn containers_with(&self, symbol: Symbol) -> Vec<ContainerId> {
        match self.container_by_symbol.get(symbol as usize) {
            None | Some(&NONE) => Vec::new(),
            Some(&MANY) => self.containers_by_symbol[&symbol].clone(),
            Some(&id) => vec![ContainerId(id)],
        }
    }

    /// Creates a container under an identifier. Returns the first container of that identifier
    /// when it now has a second: what was remembered of the first no longer holds.
    pub fn create(
        &mut self,
        symbol: Symbol,
        container: &Container<'_>,
    ) -> (ContainerId, Option<ContainerId>) {
        let id = self.add_container(container);
        let index = symbol as usize;
        if index >= self.container_by_symbol.len() {
            self.container_by_symbol.resize((index + 1).max(index * 3 / 2), NONE);
        }
        let entry = &mut self.container_by_symbol[index];
        match *entry {
            NONE => {
                *entry = id.0;
                (id, None)
            }
            MANY => {
                self.containers_by_symbol.entry(symbol).or_default().push(id);
                (id, None)
            }
            first => {
                *entry = MANY;
                self.containers_by_symbol.insert(symbol, vec![ContainerId(first), id]);
                (id, Some(ContainerId(first)))
            }
        }
    }

    fn add_container(&mut self, container: &Container<'_>) -> ContainerId {
        let id = self.containers.push(container);
        self.first_child.push(NONE);
        self.next_sibling.push(NONE);
        self.in_tree.push(id == ContainerId::ROOT);
        self.put_in_tree(id);
        self.epoch += 1;
        id
    }

    /// Links a container to its parent, and its parents if they were taken out.
    fn put_in_tree(&mut self, id: ContainerId) {
        let mut id = id;
        while !self.in_tree[id.index()] {
            self.in_tree[id.index()] = true;
            let parent = self.containers.parents[id.index()];
            self.next_sibling[id.index()] = self.first_child[parent.index()];
            self.first_child[parent.index()] = id.0;
            id = parent;
        }
    }

    /// Finds a container for a record at `time`; `of` is the type that it should have.
    pub fn find_container(
        &mut self,
        symbols: &Symbols,
        symbol: Symbol,
        time: Option<Ticks>,
        of: Option<TypeId>,
    ) -> Result<Found<ContainerId>, Missing> {
        match self.container_by_symbol.get(symbol as usize) {
            Some(&id) if id < MANY => return Ok(Found::Identifier(ContainerId(id))),
            Some(&MANY) => return Ok(Found::OneOfMany(self.instance(symbol, time, of))),
            _ => {}
        }
        let text = symbols.containers.text(symbol);
        if matches!(text.as_slice(), b"0" | b"/") {
            return Ok(Found::Identifier(ContainerId::ROOT));
        }
        self.index_names();
        let named = self.containers_by_name.get(&text).map_or(&[][..], Vec::as_slice);
        let types = &self.containers.types;
        let fits = |id: &&ContainerId| of.is_none_or(|of| types[id.index()] == of);
        let mut fitting = named.iter().filter(fits);
        match (fitting.next(), fitting.count()) {
            (None, _) => Err(Missing::Unknown),
            (Some(&id), 0) => Ok(Found::Name(id)),
            (Some(_), others) => Err(Missing::Ambiguous(others + 1)),
        }
    }

    /// Among several containers with one identifier: the newest that lives at `time`.
    fn instance(&self, symbol: Symbol, time: Option<Ticks>, of: Option<TypeId>) -> ContainerId {
        let all = &self.containers_by_symbol[&symbol];
        let typed = |id: &&ContainerId| of.is_none_or(|of| self.containers.types[id.index()] == of);
        let lives = |id: &&ContainerId| {
            time.is_none_or(|time| {
                self.containers.starts[id.index()] <= time
                    && time <= self.containers.ends[id.index()]
            })
        };
        let newest_first = || all.iter().rev();
        let any_typed = newest_first().any(|id| typed(&id));
        let candidates = || newest_first().filter(move |id| !any_typed || typed(id));
        let chosen = candidates().find(lives).or_else(|| candidates().next());
        chosen.copied().unwrap_or(ContainerId::ROOT)
    }

    fn index_names(&mut self) {
        for index in self.n_named.max(1)..self.containers.len() {
            let name = self.containers.names.get(index).to_vec();
            self.containers_by_name.entry(name).or_default().push(ContainerId(index as u32));
        }
        self.n_named = self.containers.len();
    }

    /// Ends a container and what lives in it; returns all that ended now.
    pub fn destroy(&mut self, id: ContainerId, time: Ticks) -> Vec<ContainerId> {
        let mut ended = Vec::new();
        let mut open = vec![id.0];
        while let Some(index) = open.pop() {
            let end = &mut self.containers.ends[index as usize];
            if *end == ALIVE {
                *end = time;
                ended.push(ContainerId(index));
            }
            self.open_children(index, &mut open);
        }
        self.epoch += 1;
        ended
    }

    /// Adds the children of a container that live or hold something; the others leave the tree.
    fn open_children(&mut self, index: u32, open: &mut Vec<u32>) {
        let mut child = std::mem::replace(&mut self.first_child[index as usize], NONE);
        while child != NONE {
            let next = self.next_sibling[child as usize];
            let over = self.containers.ends[child as usize] != ALIVE
                && self.first_child[child as usize] == NONE;
            self.in_tree[child as usize] = !over;
            if !over {
                self.next_sibling[child as usize] = self.first_child[index as usize];
                self.first_child[index as usize] = child;
                open.push(child);
            }
            child = next;
        }
    }

    // Values

    /// The value with this identifier; its first use defines it.
    #[inline]
    pub fn value(&mut self, symbols: &Symbols, type_id: TypeId, symbol: Symbol) -> ValueId {
        match self.value_by_symbol[type_id.index()].get(symbol as usize) {
            Some(&id) if id != NONE => ValueId(id),
            _ => self.first_use(symbols, type_id, symbol),
        }
    }

    #[cold]
    fn first_use(&mut self, symbols: &Symbols, type_id: TypeId, symbol: Symbol) -> ValueId {
        let name = symbols.values.text(symbol);
        if let Some(id) = self.value_named(type_id, &name) {
            self.call_value(type_id, symbol, id);
            if self.met_by_name.insert((type_id, symbol)) {
                self.met.push(Met::ByName(id));
            }
            return id;
        }
        let def = ValueDef { type_id, name, alias: None, color: None, extras: Vec::new() };
        let id = self.add_value(type_id, symbol, def, false);
        self.met.push(Met::Undefined(id));
        id
    }

    /// The value with this identifier, which what it is for declares.
    pub fn declared_value(
        &mut self,
        symbols: &Symbols,
        type_id: TypeId,
        symbol: Symbol,
    ) -> ValueId {
        if !self.has_value(type_id, symbol) {
            let name = symbols.values.text(symbol);
            let def = ValueDef { type_id, name, alias: None, color: None, extras: Vec::new() };
            return self.add_value(type_id, symbol, def, true);
        }
        self.value(symbols, type_id, symbol)
    }

    /// The first value that has this name and another identifier.
    fn value_named(&self, type_id: TypeId, name: &[u8]) -> Option<ValueId> {
        let named = self.values_by_name.get(&(type_id, name.to_vec()))?;
        // A definition that came later may have given it another name.
        named.iter().copied().filter(|id| self.values[id.index()].name == name).min()
    }

    /// A name no longer leads to this value without being looked up.
    fn forget_name(&mut self, name: Symbol, type_id: TypeId, id: u32) {
        let column = &mut self.value_by_symbol[type_id.index()];
        if let Some(entry) = column.get_mut(name as usize).filter(|entry| **entry == id) {
            *entry = NONE;
        }
    }

    fn note_name(&mut self, id: ValueId) {
        let def = &self.values[id.index()];
        if def.alias.is_some() {
            let key = (def.type_id, def.name.clone());
            self.values_by_name.entry(key).or_default().push(id);
        }
    }

    fn add_value(
        &mut self,
        type_id: TypeId,
        symbol: Symbol,
        def: ValueDef,
        declared: bool,
    ) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(def);
        self.declared.push(declared);
        self.note_name(id);
        self.call_value(type_id, symbol, id);
        id
    }

    /// From now on a symbol means this value.
    fn call_value(&mut self, type_id: TypeId, symbol: Symbol, id: ValueId) {
        let column = &mut self.value_by_symbol[type_id.index()];
        if symbol as usize >= column.len() {
            column.resize(symbol as usize + 1, NONE);
        }
        column[symbol as usize] = id.0;
    }

    /// Has the type a value with this identifier?
    pub fn has_value(&self, type_id: TypeId, symbol: Symbol) -> bool {
        self.value_by_symbol[type_id.index()].get(symbol as usize).is_some_and(|&id| id != NONE)
    }

    /// Has the type a value with this identifier or name?
    pub fn knows_value(&self, symbols: &Symbols, type_id: TypeId, symbol: Symbol) -> bool {
        self.has_value(type_id, symbol)
            || self.value_named(type_id, &symbols.values.text(symbol)).is_some()
    }

    /// Defines a value; false if it was defined before, differently. The new definition wins.
    /// `by_name` is the symbol of its name: what was used under it and never defined is this one.
    pub fn define_value(
        &mut self,
        symbols: &Symbols,
        symbol: Symbol,
        by_name: Symbol,
        def: ValueDef,
    ) -> bool {
        let column = &self.value_by_symbol[def.type_id.index()];
        let of = |symbol: Symbol| column.get(symbol as usize).copied().filter(|&id| id != NONE);
        // An identifier means another's name only until something has it as an identifier.
        let is_own = |id: &u32| {
            let old = &self.values[*id as usize];
            old.alias.as_ref().is_none_or(|alias| *alias == symbols.values.text(symbol))
        };
        let used = of(by_name).filter(|&id| !self.declared[id as usize]);
        let Some(id) = of(symbol).filter(is_own).or(used) else {
            self.add_value(def.type_id, symbol, def, true);
            return true;
        };
        self.call_value(def.type_id, symbol, ValueId(id));
        if symbol != by_name {
            self.forget_name(by_name, def.type_id, id);
        }
        let (old_name, has_alias) =
            (&self.values[id as usize].name, self.values[id as usize].alias.is_some());
        if has_alias && *old_name != def.name {
            let old_name = symbols.values.intern(old_name);
            if old_name != symbol {
                self.forget_name(old_name, def.type_id, id);
            }
        }
        let declared = std::mem::replace(&mut self.declared[id as usize], true);
        let old = &mut self.values[id as usize];
        let color: Option<Color> = def.color.or(old.color);
        let same = old.name == def.name && old.color == color;
        *old = ValueDef { color, ..def };
        self.note_name(ValueId(id));
        !declared || same
    }
}
