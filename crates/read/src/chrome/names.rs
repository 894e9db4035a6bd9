//! Who and what events speak of: processes, threads, categories, counters, fields, all by
//! number in order of their first appearance.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use onca_model::{FieldId, FieldKind};

use crate::symbols::{Symbol, Symbols};

/// The category of events that have none.
pub(super) const NO_CATEGORY: u32 = 0;

/// This many categories become types of their own; what has another says so in a field.
const MAX_TYPED_CATEGORIES: usize = 64;

/// This many members of `args` become fields of their own; the others share one.
const MAX_FIELDS: usize = 4096;

/// The field that the rest of `args` shares.
const REST_FIELD: &[u8] = b"args";

/// What each entry of these tables takes, about, besides its texts.
const BYTES_PER_NAME: usize = 120;

/// A process or a thread.
#[derive(Default)]
pub(super) struct Party {
    /// The number or text by which events name it.
    pub id: Vec<u8>,
    /// The process of a thread.
    pub process: u32,
    /// What metadata says.
    pub name: Option<Vec<u8>>,
    /// Where it is shown, by metadata.
    pub sort_index: i64,
    /// The categories of the slices of a thread.
    pub categories: Categories,
}

/// The categories of some slices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Categories {
    #[default]
    None,
    One(u32),
    Several,
}

impl Categories {
    #[inline]
    pub fn add(&mut self, category: u32) {
        *self = match *self {
            Self::None => Self::One(category),
            Self::One(known) if known == category => return,
            _ => Self::Several,
        };
    }
}

/// Whom an instant or a counter belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Owner {
    Root,
    Process(u32),
    Thread(u32),
}

/// Instants of one category or the values of one counter, of one owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PointTrack {
    pub owner: Owner,
    pub kind: PointKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum PointKind {
    /// The category.
    Instant(u32),
    /// The number of the counter.
    Counter(u32),
}

/// All names of a trace.
pub(super) struct Names<'s> {
    symbols: &'s Symbols,
    pub processes: Vec<Party>,
    pub threads: Vec<Party>,
    process_index: HashMap<Vec<u8>, u32, RandomState>,
    thread_index: HashMap<Vec<u8>, u32, RandomState>,
    /// The thread that was asked for last, and how it was called.
    last_thread: (Vec<u8>, Vec<u8>, u32),
    categories: Vec<Symbol>,
    category_index: HashMap<Symbol, u32, RandomState>,
    last_category: (Vec<u8>, u32),
    typed: Vec<bool>,
    n_typed: usize,
    /// What each counter is called.
    pub counters: Vec<Vec<u8>>,
    counter_index: HashMap<Symbol, u32, RandomState>,
    pub point_tracks: Vec<PointTrack>,
    point_index: HashMap<PointTrack, u32, RandomState>,
    fields: HashMap<Vec<u8>, FieldId, RandomState>,
    text_bytes: usize,
    scratch: Vec<u8>,
}

impl<'s> Names<'s> {
    pub fn new(symbols: &'s Symbols) -> Self {
        let mut names = Self {
            symbols,
            processes: Vec::new(),
            threads: Vec::new(),
            process_index: HashMap::default(),
            thread_index: HashMap::default(),
            last_thread: (Vec::new(), Vec::new(), u32::MAX),
            categories: Vec::new(),
            category_index: HashMap::default(),
            last_category: (Vec::new(), NO_CATEGORY),
            typed: Vec::new(),
            n_typed: 0,
            counters: Vec::new(),
            counter_index: HashMap::default(),
            point_tracks: Vec::new(),
            point_index: HashMap::default(),
            fields: HashMap::default(),
            text_bytes: 0,
            scratch: Vec::new(),
        };
        names.add_category(b"");
        names
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        let n = self.processes.len()
            + self.threads.len()
            + self.categories.len()
            + self.counters.len()
            + self.point_tracks.len();
        self.text_bytes + n * BYTES_PER_NAME
    }

    /// The number of a process.
    pub fn process(&mut self, id: &[u8]) -> u32 {
        if let Some(&known) = self.process_index.get(id) {
            return known;
        }
        let number = self.processes.len() as u32;
        self.processes.push(Party { id: id.to_vec(), process: number, ..Party::default() });
        self.process_index.insert(id.to_vec(), number);
        self.text_bytes += 2 * id.len();
        number
    }

    /// The number of a thread. Events of one thread often follow each other.
    #[inline]
    pub fn thread(&mut self, process: &[u8], thread: &[u8]) -> u32 {
        let (last_process, last_thread, number) = &self.last_thread;
        if *number != u32::MAX && last_thread == thread && last_process == process {
            return *number;
        }
        let number = self.find_thread(process, thread);
        self.last_thread = (process.to_vec(), thread.to_vec(), number);
        number
    }

    fn find_thread(&mut self, process: &[u8], thread: &[u8]) -> u32 {
        let process = self.process(process);
        self.scratch.clear();
        self.scratch.extend_from_slice(&process.to_le_bytes());
        self.scratch.extend_from_slice(thread);
        if let Some(&known) = self.thread_index.get(&self.scratch) {
            return known;
        }
        let number = self.threads.len() as u32;
        self.threads.push(Party { id: thread.to_vec(), process, ..Party::default() });
        self.thread_index.insert(self.scratch.clone(), number);
        self.text_bytes += 2 * thread.len();
        number
    }

    /// Counts the memory of a name that metadata gives.
    pub fn note_name(&mut self, name: &[u8]) {
        self.text_bytes += name.len();
    }

    /// The number of a category.
    #[inline]
    pub fn category(&mut self, text: &[u8]) -> u32 {
        if self.last_category.0 == text {
            return self.last_category.1;
        }
        let symbol = self.symbols.types.intern(text);
        let number = match self.category_index.get(&symbol) {
            Some(&known) => known,
            None => self.add_category(text),
        };
        self.last_category = (text.to_vec(), number);
        number
    }

    fn add_category(&mut self, text: &[u8]) -> u32 {
        let symbol = self.symbols.types.intern(text);
        let number = self.categories.len() as u32;
        self.categories.push(symbol);
        self.typed.push(text.is_empty());
        self.category_index.insert(symbol, number);
        number
    }

    /// The text of a category.
    pub fn category_text(&self, category: u32) -> Vec<u8> {
        match self.categories.get(category as usize) {
            Some(&symbol) => self.symbols.types.text(symbol),
            None => Vec::new(),
        }
    }

    /// The category whose type an instant or a flow gets: its own while there are few.
    pub fn typed_category(&mut self, category: u32) -> u32 {
        let typed = &mut self.typed[category as usize];
        if !*typed && self.n_typed < MAX_TYPED_CATEGORIES {
            *typed = true;
            self.n_typed += 1;
        }
        if *typed { category } else { NO_CATEGORY }
    }

    /// The category that names the type of each thread's slices, where the slices of every
    /// thread are of one category. Otherwise slices of several categories nest in each other,
    /// and all must be of one type.
    pub fn slices_have_category_types(&self) -> bool {
        let mut used = std::collections::BTreeSet::new();
        for thread in &self.threads {
            match thread.categories {
                Categories::None => {}
                Categories::One(category) => {
                    used.insert(category);
                }
                Categories::Several => return false,
            }
            if used.len() > MAX_TYPED_CATEGORIES {
                return false;
            }
        }
        true
    }

    /// The number of a counter: a series of values with a name, of an id if it has one. A
    /// series that is just called "value" adds nothing to the name.
    pub fn counter(&mut self, name: &[u8], id: &[u8], series: &[u8]) -> u32 {
        self.scratch.clear();
        for part in [b"counter".as_slice(), name, id, series] {
            self.scratch.extend_from_slice(&(part.len() as u32).to_le_bytes());
            self.scratch.extend_from_slice(part);
        }
        let symbol = self.symbols.types.intern(&self.scratch);
        if let Some(&known) = self.counter_index.get(&symbol) {
            return known;
        }
        let number = self.counters.len() as u32;
        let mut shown = name.to_vec();
        if !id.is_empty() {
            shown.extend_from_slice(&[b"[", id, b"]"].concat());
        }
        if series != b"value" {
            shown.extend_from_slice(&[b".", series].concat());
        }
        self.text_bytes += shown.len();
        self.counters.push(shown);
        self.counter_index.insert(symbol, number);
        number
    }

    /// The number of a track of instants or values.
    pub fn point_track(&mut self, track: PointTrack) -> u32 {
        let next = self.point_tracks.len() as u32;
        let number = *self.point_index.entry(track).or_insert(next);
        if number == next {
            self.point_tracks.push(track);
        }
        number
    }

    /// The field of a member of `args`; `None` when there are too many for one more.
    pub fn field(&mut self, name: &[u8], kind: FieldKind) -> Option<FieldId> {
        self.scratch.clear();
        self.scratch.push(kind as u8);
        self.scratch.extend_from_slice(name);
        if let Some(&known) = self.fields.get(&self.scratch) {
            return Some(known);
        }
        if self.fields.len() >= MAX_FIELDS {
            return None;
        }
        let field = self.symbols.field(name, kind);
        self.fields.insert(self.scratch.clone(), field);
        Some(field)
    }

    /// The field for members of `args` that have none of their own.
    pub fn rest_field(&self) -> FieldId {
        self.symbols.field(REST_FIELD, FieldKind::String)
    }
}
