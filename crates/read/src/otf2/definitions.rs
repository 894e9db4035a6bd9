//! Global definitions: what the ids in event files stand for. All are loaded before any is
//! used, because a definition may refer to a later one.

use super::ids::IdTable;
use super::value::{Typed, typed_value};
use crate::cursor::{Cursor, Field, UNDEFINED, UNDEFINED_64};

/// Definitions of one kind, in file order, found by id.
#[derive(Debug)]
pub(super) struct Table<T> {
    pub entries: Vec<T>,
    index: IdTable,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), index: IdTable::default() }
    }
}

impl<T> Table<T> {
    /// Adds a definition. One that has the id of an earlier one takes its place.
    fn add(&mut self, id: u64, entry: T) {
        // What is not defined is referred to by this id: nothing may have it.
        if id != UNDEFINED_64 {
            self.index.insert(id, self.entries.len() as u32);
        }
        self.entries.push(entry);
    }

    /// The same for ids of 32 bits.
    fn add_small(&mut self, id: u32, entry: T) {
        self.add(if id == UNDEFINED { UNDEFINED_64 } else { id.into() }, entry);
    }

    pub fn get(&self, id: impl Into<u64>) -> Option<&T> {
        self.index.get(id.into()).map(|entry| &self.entries[entry as usize])
    }

    /// The number of a definition, in file order.
    #[inline]
    pub fn number(&self, id: u64) -> Option<u32> {
        self.index.get(id)
    }

    fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<T>() + self.index.bytes()
    }
}

/// The clock of an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Clock {
    /// Ticks per second.
    pub resolution: u64,
    /// The time that is shown as zero.
    pub offset: u64,
}

/// A node of the system tree: a machine, a rack, a node.
#[derive(Debug)]
pub(super) struct TreeNode {
    pub id: u32,
    pub name: u32,
    pub class: u32,
    pub parent: u32,
}

/// A process or an accelerator.
#[derive(Debug)]
pub(super) struct LocationGroup {
    pub id: u32,
    pub name: u32,
    pub kind: u8,
    pub parent: u32,
    pub creator: u32,
}

/// A thread, a stream of an accelerator, or a place for metrics.
#[derive(Debug)]
pub(super) struct Location {
    pub id: u64,
    pub name: u32,
    pub kind: u8,
    /// How many events it has; not every writer tells the truth.
    pub n_events: u64,
    pub group: u32,
}

/// A function or another stretch of code.
#[derive(Debug)]
pub(super) struct Region {
    pub id: u32,
    pub name: u32,
    pub file: u32,
    pub first_line: u32,
    pub role: Option<u8>,
    pub paradigm: Option<u8>,
}

/// Members of something, in order.
#[derive(Debug)]
pub(super) struct Group {
    pub kind: u8,
    pub paradigm: u8,
    /// Members are ids of locations, not places in the list of communicating locations.
    pub global: bool,
    pub name: u32,
    pub members: Vec<u64>,
}

/// The kinds of groups that matter here.
pub(super) mod group_kind {
    pub const COMM_LOCATIONS: u8 = 4;
    pub const COMM_GROUP: u8 = 5;
    pub const COMM_SELF: u8 = 6;
    pub const COMM_LOCATION_GROUPS: u8 = 7;
}

/// A communicator, of one group or, between two groups, of two.
#[derive(Debug)]
pub(super) struct Comm {
    pub name: u32,
    pub groups: (u32, Option<u32>),
}

/// One number of a metric.
#[derive(Debug)]
pub(super) struct MetricMember {
    pub id: u32,
    pub name: u32,
    pub description: u32,
    pub mode: u8,
    pub base: u8,
    pub exponent: i64,
    pub unit: u32,
}

/// What a metric event refers to.
#[derive(Debug)]
pub(super) enum Metric {
    /// Numbers that belong to the location of the event.
    Class { members: Vec<u32> },
    /// The numbers of a class, of something else than the location of the event.
    Instance { class: u32, scope_kind: u8, scope: u64 },
}

/// A property of a container.
#[derive(Debug)]
pub(super) struct Property {
    pub owner: u64,
    pub name: u32,
    pub value: Typed,
}

/// All definitions that are used.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub clock: Option<Clock>,
    pub strings: Table<Vec<u8>>,
    /// Names of things that are only ever named: attributes, parameters, windows, files, ...
    pub attributes: Table<u32>,
    pub parameters: Table<u32>,
    pub interrupts: Table<u32>,
    pub io_files: Table<u32>,
    pub io_handles: Table<u32>,
    pub windows: Table<(u32, u32)>,
    pub source_lines: Table<(u32, u32)>,
    /// The region of each calling context.
    pub contexts: Table<u32>,
    pub nodes: Table<TreeNode>,
    pub location_groups: Table<LocationGroup>,
    pub locations: Table<Location>,
    pub regions: Table<Region>,
    /// Lists of communicating locations are kept apart: one writer gives them ids of others.
    pub comm_locations: Vec<Group>,
    pub groups: Table<Group>,
    pub comms: Table<Comm>,
    pub members: Table<MetricMember>,
    pub metrics: Table<Metric>,
    pub node_properties: Vec<Property>,
    pub group_properties: Vec<Property>,
    pub location_properties: Vec<Property>,
    text_bytes: usize,
}

/// A process spans an accelerator's locations or a program's.
pub(super) const ACCELERATOR: u8 = 2;

impl Definitions {
    /// The text of a string, if it is defined.
    pub fn string(&self, id: u32) -> Option<&[u8]> {
        self.strings.get(id).map(Vec::as_slice)
    }

    /// Takes a definition; definitions that are not used are passed over.
    pub fn take(&mut self, kind: u8, c: &mut Cursor<'_>) -> Field<()> {
        match kind {
            5 => {
                let (resolution, offset) = (c.c64()?, c.c64()?);
                self.clock = Some(Clock { resolution, offset });
            }
            10 => {
                let (id, text) = (c.c32()?, c.text()?.to_vec());
                self.text_bytes += text.capacity();
                self.strings.add_small(id, text);
            }
            11 => self.attributes.add_small(c.c32()?, c.c32()?),
            12 => {
                let (id, name, class, parent) = (c.c32()?, c.c32()?, c.c32()?, c.c32()?);
                self.nodes.add_small(id, TreeNode { id, name, class, parent });
            }
            13 => {
                let (id, name, kind, parent) = (c.c32()?, c.c32()?, c.u8()?, c.c32()?);
                let creator = if c.is_at_end() { UNDEFINED } else { c.c32()? };
                let group = LocationGroup { id, name, kind, parent, creator };
                self.location_groups.add_small(id, group);
            }
            14 => {
                let (id, name, kind, n_events) = (c.c64()?, c.c32()?, c.u8()?, c.c64()?);
                self.locations.add(id, Location { id, name, kind, n_events, group: c.c32()? });
            }
            15 => self.region(c)?,
            18 => self.group(c)?,
            19 => self.metric_member(c)?,
            20 => {
                let (id, n) = (c.c32()?, c.u8()?);
                let members = (0..n).map(|_| c.c32()).collect::<Field<_>>()?;
                self.metrics.add_small(id, Metric::Class { members });
            }
            21 => {
                let (id, class, _recorder) = (c.c32()?, c.c32()?, c.c64()?);
                let (scope_kind, scope) = (c.u8()?, c.c64()?);
                self.metrics.add_small(id, Metric::Instance { class, scope_kind, scope });
            }
            22 => {
                let (id, name, group) = (c.c32()?, c.c32()?, c.c32()?);
                self.comms.add_small(id, Comm { name, groups: (group, None) });
            }
            23 => self.parameters.add_small(c.c32()?, c.c32()?),
            24 => self.windows.add_small(c.c32()?, (c.c32()?, c.c32()?)),
            26 => self.node_properties.push(Property::parse(c, |c| c.c32().map(u64::from))?),
            28 => self.group_properties.push(Property::parse(c, |c| c.c32().map(u64::from))?),
            29 => self.location_properties.push(Property::parse(c, |c| c.c64())?),
            33 => self.source_lines.add_small(c.c32()?, (c.c32()?, c.c32()?)),
            34 => {
                let (id, region) = (c.c32()?, c.c32()?);
                self.contexts.add_small(id, region);
            }
            36 => self.interrupts.add_small(c.c32()?, c.c32()?),
            38 | 39 => self.io_files.add_small(c.c32()?, c.c32()?),
            40 => self.io_handles.add_small(c.c32()?, c.c32()?),
            43 => {
                let (id, name, a, b) = (c.c32()?, c.c32()?, c.c32()?, c.c32()?);
                self.comms.add_small(id, Comm { name, groups: (a, Some(b)) });
            }
            _ => {}
        }
        Ok(())
    }

    fn region(&mut self, c: &mut Cursor<'_>) -> Field<()> {
        let (id, name, _description, _legacy) = (c.c32()?, c.c32()?, c.c32()?, c.u8()?);
        let (file, first_line, _last_line) = (c.c32()?, c.c32()?, c.c32()?);
        let mut region = Region { id, name, file, first_line, role: None, paradigm: None };
        if !c.is_at_end() {
            let _canonical = c.c32()?;
            (region.role, region.paradigm) = (Some(c.u8()?), Some(c.u8()?));
        }
        self.regions.add_small(id, region);
        Ok(())
    }

    fn group(&mut self, c: &mut Cursor<'_>) -> Field<()> {
        let (id, name, legacy, n) = (c.c32()?, c.c32()?, c.u8()?, c.c32()?);
        // A member takes a byte at least, so a count that lies cannot make room for more.
        let mut members = Vec::with_capacity(c.left().min(n as usize));
        for _ in 0..n {
            members.push(c.c64()?);
        }
        let (kind, paradigm, flags) = match c.is_at_end() {
            false => (c.u8()?, c.u8()?, c.c32()?),
            true => (legacy_group_kind(legacy), MPI, 0),
        };
        let group = Group { kind, paradigm, global: flags & 1 != 0, name, members };
        self.text_bytes += group.members.capacity() * 8;
        match kind {
            group_kind::COMM_LOCATIONS | group_kind::COMM_LOCATION_GROUPS => {
                self.comm_locations.push(group);
            }
            _ => self.groups.add_small(id, group),
        }
        Ok(())
    }

    fn metric_member(&mut self, c: &mut Cursor<'_>) -> Field<()> {
        let (id, name, description) = (c.c32()?, c.c32()?, c.c32()?);
        let (_kind, mode, _value_type, base) = (c.u8()?, c.u8()?, c.u8()?, c.u8()?);
        let (exponent, unit) = (c.i64()?, c.c32()?);
        let member = MetricMember { id, name, description, mode, base, exponent, unit };
        self.members.add_small(id, member);
        Ok(())
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.text_bytes
            + self.strings.bytes()
            + self.nodes.bytes()
            + self.location_groups.bytes()
            + self.locations.bytes()
            + self.regions.bytes()
            + self.groups.bytes()
            + self.comms.bytes()
            + self.contexts.bytes()
            + self.source_lines.bytes()
            + (self.node_properties.capacity()
                + self.group_properties.capacity()
                + self.location_properties.capacity())
                * size_of::<Property>()
    }
}

/// The paradigm of MPI.
const MPI: u8 = 4;

/// Groups of old archives count their kinds otherwise.
fn legacy_group_kind(kind: u8) -> u8 {
    match kind {
        4 => group_kind::COMM_GROUP,
        5 => group_kind::COMM_SELF,
        6 => group_kind::COMM_LOCATIONS,
        other => other,
    }
}

impl Property {
    fn parse(c: &mut Cursor<'_>, owner: impl FnOnce(&mut Cursor<'_>) -> Field<u64>) -> Field<Self> {
        let (owner, name, legacy) = (owner(c)?, c.c32()?, c.c32()?);
        let value = match c.is_at_end() {
            true => Typed::string(legacy),
            false => {
                let kind = c.u8()?;
                typed_value(c, kind)?
            }
        };
        Ok(Self { owner, name, value })
    }
}

/// Is an id of a location or group defined?
pub(super) fn defined(id: u64) -> bool {
    id != UNDEFINED_64 && id != u64::from(UNDEFINED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_found_by_the_undefined_id() {
        let mut small = Table::default();
        small.add_small(UNDEFINED, "ghost");
        small.add_small(3, "three");
        assert_eq!((small.number(UNDEFINED.into()), small.number(UNDEFINED_64)), (None, None));
        assert_eq!(small.get(3u32), Some(&"three"));
        let mut large = Table::default();
        large.add(UNDEFINED_64, "ghost");
        large.add(UNDEFINED.into(), "a location of this id");
        assert_eq!(large.number(UNDEFINED_64), None);
        assert_eq!(large.get(UNDEFINED), Some(&"a location of this id"));
    }
}
