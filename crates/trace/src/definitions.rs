//! What a program has defined: types, values, fields, containers and threads.
//!
//! They live as long as the process, whether a trace is open or not, so that a program can define them at any
//! time and close one trace and open another. Definitions are rare: a lock keeps them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock;
use crate::format::{text, varint};
use crate::ring::{ID_BITS, is_enabled};

/// What a type is a type of. The numbers are those of the format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Nature {
    Container = 1,
    State = 2,
    Event = 3,
    Variable = 4,
    Link = 5,
}

/// A definition, as it is written.
#[derive(Clone, Debug)]
pub enum Definition {
    Type { id: u32, nature: Nature, parent: u32, ends: Option<(u32, u32)>, name: String },
    Value { id: u32, of: u32, color: Option<u32>, name: String },
    Field { id: u32, name: String },
    Create { id: u32, of: u32, parent: u32, ticks: u64, name: String },
    Destroy { id: u32, ticks: u64 },
    Thread { number: u32, tid: u32, name: String },
    Property { key: String, value: String },
    ClockPair { rank: u32, own: u64, other: u64, width: u64 },
}

impl Definition {
    /// Appends it as the format has it.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Type { id, nature, parent, ends, name } => {
                out.push(1);
                varint(u64::from(*id), out);
                out.push(*nature as u8);
                varint(u64::from(*parent), out);
                if let Some((from, to)) = ends {
                    varint(u64::from(*from), out);
                    varint(u64::from(*to), out);
                }
                text(name.as_bytes(), out);
            }
            Self::Value { id, of, color, name } => {
                out.push(2);
                varint(u64::from(*id), out);
                varint(u64::from(*of), out);
                varint(color.map_or(0, |color| u64::from(color) + 1), out);
                text(name.as_bytes(), out);
            }
            Self::Field { id, name } => {
                out.push(3);
                varint(u64::from(*id), out);
                text(name.as_bytes(), out);
            }
            Self::Create { id, of, parent, ticks, name } => {
                out.push(4);
                varint(u64::from(*id), out);
                varint(u64::from(*of), out);
                varint(u64::from(*parent), out);
                varint(*ticks, out);
                text(name.as_bytes(), out);
            }
            Self::Destroy { id, ticks } => {
                out.push(5);
                varint(u64::from(*id), out);
                varint(*ticks, out);
            }
            Self::Thread { number, tid, name } => {
                out.push(6);
                varint(u64::from(*number), out);
                varint(u64::from(*tid), out);
                text(name.as_bytes(), out);
            }
            Self::Property { key, value } => {
                out.push(7);
                text(key.as_bytes(), out);
                text(value.as_bytes(), out);
            }
            Self::ClockPair { rank, own, other, width } => {
                out.push(8);
                varint(u64::from(*rank), out);
                [own, other, width].into_iter().for_each(|ticks| varint(*ticks, out));
            }
        }
    }
}

/// Everything that is defined.
#[derive(Default)]
struct Known {
    types: Vec<Definition>,
    type_ids: HashMap<(Nature, u32, String), u32>,
    values: Vec<Definition>,
    value_ids: HashMap<(u32, String), u32>,
    fields: Vec<Definition>,
    field_ids: HashMap<String, u32>,
    /// Containers that are not destroyed.
    containers: BTreeMap<u32, Definition>,
    /// What lies in each of them.
    contents: HashMap<u32, HashSet<u32>>,
    last_container: u32,
    threads: BTreeMap<u32, Definition>,
    is_open: bool,
}

/// A definition that the open trace does not have yet, the newest first.
struct Pending {
    definition: Definition,
    /// The definition as the format has it, for whoever must not allocate.
    packed: Vec<u8>,
    next: *mut Self,
}

/// What the open trace does not have yet. It is no part of what the lock keeps: the handler of a fatal signal takes it.
static PENDING: AtomicPtr<Pending> = AtomicPtr::new(ptr::null_mut());

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// The lock on definitions, which a fork holds so that its child finds them whole.
pub struct Locked(MutexGuard<'static, Option<Known>>);

impl Locked {
    pub fn take() -> Self {
        Self(KNOWN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn known(&mut self) -> &mut Known {
        self.0.get_or_insert_default()
    }
}

impl Known {
    fn add(&mut self, definition: &Definition) {
        if !self.is_open {
            return;
        }
        let mut packed = Vec::new();
        definition.write(&mut packed);
        let mut next = PENDING.load(Ordering::Acquire);
        let pending =
            Box::into_raw(Box::new(Pending { definition: definition.clone(), packed, next }));
        loop {
            // SAFETY: nobody else knows of it before it is in the list.
            unsafe { (*pending).next = next };
            let put = PENDING.compare_exchange(next, pending, Ordering::AcqRel, Ordering::Acquire);
            match put {
                Ok(_) => return,
                Err(now) => next = now,
            }
        }
    }
}

/// The next id of a list, or 0 when the format has no room for more.
fn next_id(n: usize) -> u32 {
    u32::try_from(n + 1).ok().filter(|id| id >> ID_BITS == 0).unwrap_or(0)
}

/// The type of this name below another; the same for the same name.
pub fn define_type(nature: Nature, parent: u32, name: &str, ends: Option<(u32, u32)>) -> u32 {
    let mut locked = Locked::take();
    let known = locked.known();
    let key = (nature, parent, name.to_owned());
    if let Some(&id) = known.type_ids.get(&key) {
        return id;
    }
    let id = next_id(known.types.len());
    if id != 0 {
        let definition = Definition::Type { id, nature, parent, ends, name: name.to_owned() };
        known.type_ids.insert(key, id);
        known.add(&definition);
        known.types.push(definition);
    }
    id
}

/// The container type that was last defined below another.
pub fn last_type_below(of: u32) -> Option<u32> {
    let mut locked = Locked::take();
    locked.known().types.iter().rev().find_map(|definition| match definition {
        Definition::Type { id, nature: Nature::Container, parent, .. } if *parent == of => {
            Some(*id)
        }
        _ => None,
    })
}

/// The value of this name of a type; the same for the same name.
pub fn define_value(of: u32, name: &str, color: Option<u32>) -> u32 {
    let mut locked = Locked::take();
    let known = locked.known();
    let key = (of, name.to_owned());
    if let Some(&id) = known.value_ids.get(&key) {
        return id;
    }
    let id = next_id(known.values.len());
    if id != 0 {
        let color = color.map(|color| color & 0xff_ffff);
        let definition = Definition::Value { id, of, color, name: name.to_owned() };
        known.value_ids.insert(key, id);
        known.add(&definition);
        known.values.push(definition);
    }
    id
}

/// The field of this name.
pub fn define_field(name: &str) -> u32 {
    let mut locked = Locked::take();
    let known = locked.known();
    if let Some(&id) = known.field_ids.get(name) {
        return id;
    }
    let id = next_id(known.fields.len());
    if id != 0 {
        let definition = Definition::Field { id, name: name.to_owned() };
        known.field_ids.insert(name.to_owned(), id);
        known.add(&definition);
        known.fields.push(definition);
    }
    id
}

/// A new container.
pub fn create(of: u32, parent: u32, name: &str) -> u32 {
    let ticks = if is_enabled() { clock::ticks() } else { 0 };
    create_at(of, parent, name, ticks)
}

/// A container that has been there since some time.
pub fn create_at(of: u32, parent: u32, name: &str, ticks: u64) -> u32 {
    let mut locked = Locked::take();
    let known = locked.known();
    let Some(id) = known.last_container.checked_add(1) else { return 0 };
    known.last_container = id;
    let definition = Definition::Create { id, of, parent, ticks, name: name.to_owned() };
    known.add(&definition);
    known.containers.insert(id, definition);
    known.contents.entry(parent).or_default().insert(id);
    id
}

/// Ends a container, and all in it.
pub fn destroy(id: u32) {
    let mut locked = Locked::take();
    let known = locked.known();
    let Some(Definition::Create { parent, .. }) = known.containers.remove(&id) else { return };
    let ticks = clock::ticks();
    known.add(&Definition::Destroy { id, ticks });
    if let Some(contents) = known.contents.get_mut(&parent) {
        contents.remove(&id);
    }
    let mut ended = vec![id];
    while let Some(id) = ended.pop() {
        known.containers.remove(&id);
        ended.extend(known.contents.remove(&id).into_iter().flatten());
    }
}

/// A thread records for the first time.
pub fn begin_thread(number: u32) {
    let mut name = [0u8; 17];
    // SAFETY: the name of a thread has at most 16 bytes with its zero, for which there is room.
    let named = unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) } == 0;
    let name = CStr::from_bytes_until_nul(&name).ok().filter(|_| named);
    let name = name.map_or(String::new(), |name| name.to_string_lossy().into_owned());
    // SAFETY: the call has no condition.
    let tid = unsafe { libc::gettid() }.cast_unsigned();
    let definition = Definition::Thread { number, tid, name };
    let mut locked = Locked::take();
    let known = locked.known();
    known.add(&definition);
    known.threads.insert(number, definition);
}

/// A thread that recorded ends.
pub fn end_thread(number: u32) {
    Locked::take().known().threads.remove(&number);
}

/// Something that is true of the open trace only.
pub fn add_to_trace(definition: &Definition) {
    Locked::take().known().add(definition);
}

/// A trace is opened: everything that is known is to be written.
pub fn open(properties: Vec<Definition>) {
    let mut locked = Locked::take();
    let known = locked.known();
    let containers = known.containers.values_mut().map(|container| {
        // What was there before the trace has always been there.
        if let Definition::Create { ticks, .. } = container {
            *ticks = 0;
        }
        container.clone()
    });
    let containers: Vec<_> = containers.collect();
    let lists = [&known.types, &known.values, &known.fields].into_iter().flatten().cloned();
    let threads = known.threads.values().cloned();
    let all: Vec<_> =
        properties.into_iter().chain(lists).chain(containers).chain(threads).collect();
    drop(take_pending());
    known.is_open = true;
    all.iter().for_each(|definition| known.add(definition));
}

/// A trace is closed: nobody writes definitions.
pub fn close() {
    let mut locked = Locked::take();
    let known = locked.known();
    known.is_open = false;
    drop(take_pending());
}

/// In the child of a fork: the threads of the parent are not here.
pub fn forget_threads(locked: &mut Locked) {
    let known = locked.known();
    known.threads.clear();
    known.is_open = false;
    drop(take_pending());
}

/// What is to be written now, the oldest first.
pub fn take_pending() -> Vec<Definition> {
    let mut next = take_list();
    let mut definitions = Vec::new();
    while !next.is_null() {
        // SAFETY: it was made of a box, and the list was taken: nobody else has it.
        let pending = unsafe { Box::from_raw(next) };
        next = pending.next;
        definitions.push(pending.definition);
    }
    definitions.reverse();
    definitions
}

/// Shows what is to be written, the oldest first, and forgets it. Safe in a signal handler: nothing is allocated or freed.
pub fn visit_pending(mut visit: impl FnMut(&[u8])) {
    let mut newest = take_list();
    let mut oldest: *mut Pending = ptr::null_mut();
    // SAFETY: the list was taken: nobody else has it.
    while let Some(pending) = unsafe { newest.as_mut() } {
        let next = std::mem::replace(&mut pending.next, oldest);
        oldest = newest;
        newest = next;
    }
    // SAFETY: as above.
    while let Some(pending) = unsafe { oldest.as_ref() } {
        visit(&pending.packed);
        oldest = pending.next;
    }
}

fn take_list() -> *mut Pending {
    PENDING.swap(ptr::null_mut(), Ordering::AcqRel)
}
