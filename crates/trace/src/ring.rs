//! Where threads put records: a ring for each, which only its thread fills and only the writer empties.
//!
//! Rings are never freed, so that the handler of a fatal signal can walk over them at any time. The ring of a
//! thread that ended goes to the next that begins.

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::clock;
use crate::definitions;
use crate::format::SLOT;

/// What a slot holds. The numbers are those of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    SetState = 1,
    PushState = 2,
    PopState = 3,
    ResetState = 4,
    Event = 5,
    SetVariable = 6,
    AddVariable = 7,
    SubVariable = 8,
    StartLink = 9,
    EndLink = 10,
    /// The second half of a link.
    More = 16,
    /// Fields of the record before them.
    Text = 17,
    Int = 18,
    Double = 19,
    Time = 20,
}

impl Kind {
    pub fn of(number: u8) -> Option<Self> {
        const ALL: [Kind; 15] = [
            Kind::SetState,
            Kind::PushState,
            Kind::PopState,
            Kind::ResetState,
            Kind::Event,
            Kind::SetVariable,
            Kind::AddVariable,
            Kind::SubVariable,
            Kind::StartLink,
            Kind::EndLink,
            Kind::More,
            Kind::Text,
            Kind::Int,
            Kind::Double,
            Kind::Time,
        ];
        ALL.into_iter().find(|kind| *kind as u8 == number)
    }
}

/// A record, or a part of one.
pub type Slot = [u64; 3];

/// The second word of a slot.
#[inline(always)]
pub fn word(kind: Kind, container: u32, id: u32) -> u64 {
    u64::from(container) << 32 | u64::from(id) << 8 | kind as u64
}

/// Ids of types, values and fields have this many bits.
pub const ID_BITS: u32 = 24;
/// A text of a record is cut to this many bytes.
pub const MOST_TEXT: usize = 4096;
/// A record with its fields takes at most this many slots, half of the smallest ring.
const MOST_SLOTS: usize = 512;
/// The smallest ring, in slots.
pub const LEAST_CAPACITY: usize = 1024;

/// Is anything recorded? The only thing that a call looks at while nothing is.
static ENABLED: AtomicBool = AtomicBool::new(false);
/// Threads wait for the writer when their rings are full, rather than drop records.
pub static BLOCKS: AtomicBool = AtomicBool::new(true);
/// Slots of rings that are made from now on.
pub static CAPACITY: AtomicU64 = AtomicU64::new(1 << 16);
/// Changed to wake the writer.
static WAKE: AtomicU32 = AtomicU32::new(0);
/// All rings, the newest first.
static RINGS: AtomicPtr<Ring> = AtomicPtr::new(ptr::null_mut());
/// Numbers of threads.
static NEXT_THREAD: AtomicU32 = AtomicU32::new(1);
/// Records of threads that were already ending.
pub static DROPPED_LATE: AtomicU64 = AtomicU64::new(0);

#[inline(always)]
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

pub fn enable(on: bool) {
    ENABLED.store(on, Ordering::SeqCst);
}

/// Whose a ring is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Owner {
    Thread = 0,
    /// Its thread ended; the writer has to empty it.
    Ended = 1,
    Nobody = 2,
}

/// What the producer changes and what the writer changes lie on cache lines of their own.
#[repr(align(128))]
struct Apart<T>(T);

/// Records of one thread that are not written yet.
pub struct Ring {
    /// Slots that were filled since the ring was made.
    head: Apart<AtomicU64>,
    /// The head may come up to here before somebody looks at the tail again.
    limit: Cell<u64>,
    slots: Box<[UnsafeCell<Slot>]>,
    /// Records that found no room.
    dropped: AtomicU64,
    thread: AtomicU32,
    owner: AtomicU8,
    /// Slots that were written.
    tail: Apart<AtomicU64>,
    /// Records that were written.
    n_written: AtomicU64,
    /// Drops that were written.
    pub drops_written: AtomicU64,
    next: AtomicPtr<Self>,
}

// SAFETY: `limit` and the slots from head to tail + capacity are touched by the owning thread alone; slots from tail to
// head only by whoever writes them. Head and tail pass slots on, with release and acquire.
unsafe impl Sync for Ring {}

impl Ring {
    fn new() -> &'static Self {
        let capacity = CAPACITY.load(Ordering::Relaxed) as usize;
        let slots = (0..capacity).map(|_| UnsafeCell::new([0; 3])).collect();
        let ring = Box::leak(Box::new(Self {
            head: Apart(AtomicU64::new(0)),
            limit: Cell::new(0),
            slots,
            dropped: AtomicU64::new(0),
            thread: AtomicU32::new(0),
            owner: AtomicU8::new(Owner::Thread as u8),
            tail: Apart(AtomicU64::new(0)),
            n_written: AtomicU64::new(0),
            drops_written: AtomicU64::new(0),
            next: AtomicPtr::new(ptr::null_mut()),
        }));
        let mut first = RINGS.load(Ordering::Acquire);
        loop {
            ring.next.store(first, Ordering::Relaxed);
            let swapped = RINGS.compare_exchange(first, ring, Ordering::AcqRel, Ordering::Acquire);
            match swapped {
                Ok(_) => return ring,
                Err(now) => first = now,
            }
        }
    }

    /// A ring for a thread that begins to record.
    fn claim() -> &'static Self {
        let vacant = |ring: &&Self| {
            let from = Owner::Nobody as u8;
            let to = Owner::Thread as u8;
            ring.owner.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let ring = all().find(vacant).unwrap_or_else(Self::new);
        ring.n_written.store(0, Ordering::Relaxed);
        ring.dropped.store(0, Ordering::Relaxed);
        ring.drops_written.store(0, Ordering::Relaxed);
        ring.limit.set(0);
        let number = NEXT_THREAD.fetch_add(1, Ordering::Relaxed);
        definitions::begin_thread(number);
        ring.thread.store(number, Ordering::Release);
        ring
    }

    pub fn thread(&self) -> u32 {
        self.thread.load(Ordering::Acquire)
    }

    pub fn owner(&self) -> Owner {
        match self.owner.load(Ordering::Acquire) {
            0 => Owner::Thread,
            1 => Owner::Ended,
            _ => Owner::Nobody,
        }
    }

    /// Gives an empty ring to the next thread.
    pub fn release(&self) {
        self.owner.store(Owner::Nobody as u8, Ordering::Release);
    }

    pub fn head(&self) -> u64 {
        self.head.0.load(Ordering::Acquire)
    }

    pub fn tail(&self) -> u64 {
        self.tail.0.load(Ordering::Acquire)
    }

    pub fn n_written(&self) -> u64 {
        self.n_written.load(Ordering::Relaxed)
    }

    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// This many more records were written, which took the slots up to a new tail.
    pub fn advance(&self, tail: u64, n_records: u64) {
        self.n_written.fetch_add(n_records, Ordering::Relaxed);
        self.tail.0.store(tail, Ordering::Release);
    }

    /// Forgets what is in the ring: it is of a trace that was closed.
    pub fn forget(&self) {
        self.n_written.store(0, Ordering::Relaxed);
        self.drops_written.store(self.dropped(), Ordering::Relaxed);
        self.tail.0.store(self.head(), Ordering::Release);
    }

    /// A slot between tail and head.
    #[inline]
    pub fn slot(&self, number: u64) -> Slot {
        // SAFETY: slots between tail and head do not change until the tail passes them.
        unsafe { *self.slots[number as usize & (self.slots.len() - 1)].get() }
    }

    /// The bytes of the slots from tail to head, in one or two stretches. Safe in a signal handler.
    pub fn stretches(&self, tail: u64, head: u64) -> [&[u8]; 2] {
        let mask = self.slots.len() as u64 - 1;
        let n = (head - tail).min(self.slots.len() as u64) as usize;
        let first = (tail & mask) as usize;
        let n_first = n.min(self.slots.len() - first);
        let stretch = |from: usize, n: usize| {
            let bytes = self.slots.as_ptr().wrapping_add(from).cast::<u8>();
            // SAFETY: the slots lie in the ring, and nobody changes them until the tail passes them.
            unsafe { std::slice::from_raw_parts(bytes, n * SLOT) }
        };
        [stretch(first, n_first), stretch(0, n - n_first)]
    }

    #[inline(always)]
    fn put(&self, number: u64, slot: Slot) {
        let place = self.slots[number as usize & (self.slots.len() - 1)].get();
        // SAFETY: only the owning thread calls this, and the limit keeps it from slots that are not written yet.
        unsafe { *place = slot };
    }

    /// Adds a record of one slot, if there is room.
    #[inline(always)]
    fn push(&self, word: u64, payload: u64) -> bool {
        let head = self.head.0.load(Ordering::Relaxed);
        if head >= self.limit.get() {
            return false;
        }
        self.put(head, [clock::ticks(), word, payload]);
        self.head.0.store(head + 1, Ordering::Release);
        true
    }

    /// Makes room for this many slots; wakes the writer each time that a quarter of the ring was filled.
    #[cold]
    fn make_room(&self, n: u64) -> bool {
        let capacity = self.slots.len() as u64;
        let head = self.head.0.load(Ordering::Relaxed);
        let mut n_waits = 0u32;
        loop {
            let tail = self.tail();
            if head != tail {
                wake();
            }
            if head + n <= tail + capacity {
                self.limit.set((tail + capacity).min(head + n.max(capacity / 4)));
                return true;
            }
            if !BLOCKS.load(Ordering::Relaxed) || !is_enabled() {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                return false;
            }
            match n_waits < 20 {
                true => std::thread::yield_now(),
                false => std::thread::sleep(Duration::from_micros(100)),
            }
            n_waits += 1;
        }
    }

    /// Adds a record of several slots. They are published together.
    fn push_many(&self, first: First, more: Option<Slot>, fields: &[Attribute<'_>]) {
        let mut n = 1 + usize::from(more.is_some());
        let mut n_fields = 0;
        for field in fields {
            let taken = field.slots();
            if n + taken > MOST_SLOTS {
                break;
            }
            n += taken;
            n_fields += 1;
        }
        let head = self.head.0.load(Ordering::Relaxed);
        if head + n as u64 > self.limit.get() && !self.make_room(n as u64) {
            return;
        }
        let ticks = first.ticks.unwrap_or_else(clock::ticks);
        self.put(head, [ticks, first.word, first.payload]);
        let mut at = head + 1;
        if let Some(more) = more {
            self.put(at, more);
            at += 1;
        }
        for field in &fields[..n_fields] {
            at = field.put(self, at);
        }
        self.head.0.store(at, Ordering::Release);
    }
}

/// What a record begins with; without a time it is now.
struct First {
    ticks: Option<u64>,
    word: u64,
    payload: u64,
}

/// All rings.
pub fn all() -> impl Iterator<Item = &'static Ring> {
    let mut next = RINGS.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: rings are never freed.
        let ring = unsafe { next.as_ref() }?;
        next = ring.next.load(Ordering::Acquire);
        Some(ring)
    })
}

/// In the child of a fork: rings belong to threads that are not here.
pub fn abandon_all() {
    RINGS.store(ptr::null_mut(), Ordering::Release);
    RING.with(|ring| ring.set(ptr::null()));
}

thread_local! {
    /// The ring of this thread. It has no destructor, so that a look at it is a plain load.
    static RING: Cell<*const Ring> = const { Cell::new(ptr::null()) };
    static ENDING: Ending = const { Ending };
}

/// Hands the ring of a thread back when the thread ends.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        let ring = RING.replace(ptr::null());
        // SAFETY: rings are never freed.
        if let Some(ring) = unsafe { ring.as_ref() } {
            definitions::end_thread(ring.thread());
            ring.owner.store(Owner::Ended as u8, Ordering::Release);
        }
    }
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'t> {
    pub field: u32,
    pub value: AttributeValue<'t>,
}

#[derive(Clone, Copy, Debug)]
pub enum AttributeValue<'t> {
    Text(&'t str),
    Int(i64),
    Double(f64),
    /// What the clock of records showed.
    Time(u64),
}

impl Attribute<'_> {
    fn slots(&self) -> usize {
        match self.value {
            AttributeValue::Text(text) => 1 + cut(text).len().div_ceil(SLOT),
            AttributeValue::Int(_) | AttributeValue::Double(_) | AttributeValue::Time(_) => 1,
        }
    }

    fn put(&self, ring: &Ring, at: u64) -> u64 {
        let text = match self.value {
            AttributeValue::Int(number) => {
                ring.put(at, [number.cast_unsigned(), word(Kind::Int, 0, self.field), 0]);
                return at + 1;
            }
            AttributeValue::Double(number) => {
                ring.put(at, [number.to_bits(), word(Kind::Double, 0, self.field), 0]);
                return at + 1;
            }
            AttributeValue::Time(ticks) => {
                ring.put(at, [ticks, word(Kind::Time, 0, self.field), 0]);
                return at + 1;
            }
            AttributeValue::Text(text) => cut(text),
        };
        ring.put(at, [text.len() as u64, word(Kind::Text, 0, self.field), 0]);
        let mut at = at + 1;
        for chunk in text.as_bytes().chunks(SLOT) {
            let mut bytes = [0; SLOT];
            bytes[..chunk.len()].copy_from_slice(chunk);
            let (words, _) = bytes.as_chunks::<8>();
            ring.put(at, [0, 1, 2].map(|i| u64::from_ne_bytes(words[i])));
            at += 1;
        }
        at
    }
}

/// A text as long as a record takes.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_TEXT)]
}

/// Records something. Does nothing, and next to nothing, when no trace is open.
#[inline(always)]
pub fn record(kind: Kind, container: u32, id: u32, payload: u64) {
    if !is_enabled() {
        return;
    }
    record_enabled(word(kind, container, id), payload);
}

/// Kept out of its callers: what they pay while nothing is recorded is a look and a branch.
#[inline(never)]
fn record_enabled(word: u64, payload: u64) {
    let ring = RING.get();
    // SAFETY: rings are never freed.
    if unsafe { ring.as_ref() }.is_some_and(|ring| ring.push(word, payload)) {
        return;
    }
    record_slowly(First { ticks: None, word, payload }, None, &[]);
}

/// Records something that was at some time.
#[cfg(feature = "tracing")]
pub fn record_at(ticks: u64, kind: Kind, container: u32, id: u32, payload: u64) {
    if is_enabled() {
        let first = First { ticks: Some(ticks), word: word(kind, container, id), payload };
        record_slowly(first, None, &[]);
    }
}

/// Records something with a second half or with fields, now or at some time.
pub fn record_more(
    ticks: Option<u64>,
    kind: Kind,
    container: u32,
    id: u32,
    payload: u64,
    more: Option<Slot>,
    fields: &[Attribute<'_>],
) {
    if is_enabled() {
        let first = First { ticks, word: word(kind, container, id), payload };
        record_slowly(first, more, fields);
    }
}

#[cold]
fn record_slowly(first: First, more: Option<Slot>, fields: &[Attribute<'_>]) {
    let mut ring = RING.get();
    if ring.is_null() {
        // A thread that is ending has handed its ring back and gets no other.
        if ENDING.try_with(|_| ()).is_err() {
            DROPPED_LATE.fetch_add(1, Ordering::Relaxed);
            return;
        }
        ring = Ring::claim();
        RING.set(ring);
    }
    // SAFETY: rings are never freed.
    if let Some(ring) = unsafe { ring.as_ref() } {
        ring.push_many(first, more, fields);
    }
}

/// Wakes the writer. Safe in a signal handler.
pub fn wake() {
    WAKE.fetch_add(1, Ordering::Release);
    // SAFETY: the address is that of a static number.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            WAKE.as_ptr(),
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
            1,
        );
    }
}

/// What `wait_for_wake` compares with.
pub fn wake_count() -> u32 {
    WAKE.load(Ordering::Acquire)
}

/// Waits until somebody wakes the writer, or for some time.
pub fn wait_for_wake(seen: u32, most: Duration) {
    let timeout = libc::timespec {
        tv_sec: most.as_secs().cast_signed(),
        tv_nsec: i64::from(most.subsec_nanos()),
    };
    // SAFETY: the address is that of a static number, and the time is valid for reading.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            WAKE.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            seen,
            &raw const timeout,
        );
    }
}
