//! Applications, tasks and threads as containers.

use onca_model::{FieldKind, Nature};

use super::header::Header;
use super::labels::Rows;
use crate::emit::{Emitter, Extras, NewContainer, NewType, ROOT};
use crate::symbols::{Symbol, Symbols};

const APPLICATION: &[u8] = b"application";
const TASK: &[u8] = b"task";
/// The identifier of the type of threads, to which nearly everything belongs.
pub(super) const THREAD: &[u8] = b"thread";

/// A task: its first thread among all, and how many it has.
#[derive(Clone, Copy, Debug)]
struct Threads {
    first: u32,
    n: u32,
}

/// All threads, numbered through the applications and tasks.
#[derive(Debug, Default)]
pub(super) struct Places {
    tasks: Vec<Vec<Threads>>,
    /// Identifiers, of the containers.
    aliases: Vec<Vec<u8>>,
    /// The same as symbols.
    symbols: Vec<Symbol>,
}

impl Places {
    /// Numbers the threads and creates their containers. They are called as the `.row` says, or
    /// by their numbers.
    pub fn new(header: &Header, rows: &Rows, out: &mut Emitter<'_>) -> Self {
        define_types(out);
        let mut places = Self::default();
        let mut n_tasks = 0;
        for (application, tasks) in (1..).zip(&header.applications) {
            let alias = format!("{application}");
            let label = label_of(&rows.applications, application - 1, "application", &alias);
            create(out, APPLICATION, &alias, &label, ROOT, None);
            let mut threads = Vec::new();
            for (task, told) in (1..).zip(tasks) {
                let parent = alias.as_bytes();
                let alias = format!("{application}.{task}");
                let label = label_of(&rows.tasks, n_tasks, "task", &alias);
                let node = node_name(rows, told.node);
                create(out, TASK, &alias, &label, parent, node.as_deref());
                n_tasks += 1;
                threads.push(Threads { first: places.aliases.len() as u32, n: told.n_threads });
                for thread in 1..=told.n_threads {
                    places.add_thread(rows, &alias, thread, node.as_deref(), out);
                }
            }
            places.tasks.push(threads);
        }
        places
    }

    fn add_thread(
        &mut self,
        rows: &Rows,
        task: &str,
        thread: u32,
        node: Option<&[u8]>,
        out: &mut Emitter<'_>,
    ) {
        let alias = format!("{task}.{thread}");
        let label = label_of(&rows.threads, self.aliases.len(), "thread", &alias);
        create(out, THREAD, &alias, &label, task.as_bytes(), node);
        self.symbols.push(out.symbols.containers.intern(alias.as_bytes()));
        self.aliases.push(alias.into_bytes());
    }

    /// The number of a thread that a record speaks of; `None` if the header has none such.
    #[inline]
    pub fn thread(&self, application: u64, task: u64, thread: u64) -> Option<u32> {
        let index = |number: u64| usize::try_from(number.checked_sub(1)?).ok();
        let threads = self.tasks.get(index(application)?)?.get(index(task)?)?;
        let thread = u32::try_from(thread.checked_sub(1)?).ok()?;
        (thread < threads.n).then(|| threads.first + thread)
    }

    pub fn alias(&self, thread: u32) -> &[u8] {
        &self.aliases[thread as usize]
    }

    pub fn symbol(&self, thread: u32) -> Symbol {
        self.symbols[thread as usize]
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.aliases.len() * 48 + self.tasks.iter().map(|tasks| tasks.len() * 8).sum::<usize>()
    }
}

fn define_types(out: &mut Emitter<'_>) {
    let types: [(&str, &[u8], &[u8]); 3] =
        [("Application", APPLICATION, ROOT), ("Task", TASK, APPLICATION), ("Thread", THREAD, TASK)];
    for (name, identifier, parent) in types {
        let name = name.as_bytes();
        let nature = Nature::Container;
        out.define_type(&NewType { nature, name, identifier, parent, ends: None });
    }
}

fn create(
    out: &mut Emitter<'_>,
    type_identifier: &[u8],
    alias: &str,
    name: &[u8],
    parent: &[u8],
    node: Option<&[u8]>,
) {
    let symbols: &Symbols = out.symbols;
    let mut extras = Extras::new(symbols);
    if let Some(node) = node {
        extras.push(b"node", FieldKind::String, node);
    }
    let alias = alias.as_bytes();
    out.create(&NewContainer { name, alias, type_identifier, parent }, &extras);
}

/// The name of a place: its label, or what it is and its numbers.
fn label_of(labels: &[Vec<u8>], index: usize, what: &str, numbers: &str) -> Vec<u8> {
    match labels.get(index) {
        Some(label) if !label.is_empty() => label.clone(),
        _ => format!("{what} {numbers}").into_bytes(),
    }
}

/// The name of a node; `None` where the header does not tell the node.
fn node_name(rows: &Rows, node: u32) -> Option<Vec<u8>> {
    let index = node.checked_sub(1)? as usize;
    Some(label_of(&rows.nodes, index, "node", &node.to_string()))
}
