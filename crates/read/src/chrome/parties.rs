//! Processes and threads as containers: their names, their order, their lanes.

use std::collections::HashMap;

use onca_model::{FieldKind, push_extra};

use super::emit::{Emitter, ROOT};
use super::names::{Names, Party};
use super::types::Type;
use crate::reading::ReadError;
use crate::symbols::Symbols;

/// The identifier of a process.
pub(super) fn process_identifier(process: u32) -> Vec<u8> {
    format!("P{process}").into_bytes()
}

/// The identifier of a lane of a thread; lane 0 is the thread itself.
pub(super) fn thread_identifier(thread: u32, lane: usize) -> Vec<u8> {
    match lane {
        0 => format!("T{thread}"),
        lane => format!("T{thread}.{lane}"),
    }
    .into_bytes()
}

/// How containers are called: by metadata, else by their number. Where several processes, or
/// threads of one process, share a name, the number is added.
pub(super) struct ShownNames {
    processes: Vec<Vec<u8>>,
    threads: Vec<Vec<u8>>,
}

impl ShownNames {
    pub fn new(names: &Names<'_>) -> Self {
        let whole_trace = |_: &Party| 0;
        Self {
            processes: shown_names(&names.processes, "pid", whole_trace),
            threads: shown_names(&names.threads, "tid", |thread| thread.process),
        }
    }

    pub fn process(&self, process: u32) -> &[u8] {
        self.processes.get(process as usize).map_or(&[], Vec::as_slice)
    }

    /// The name of a lane of a thread.
    pub fn thread(&self, thread: u32, lane: usize) -> Vec<u8> {
        let name = self.threads.get(thread as usize).map_or(&[][..], Vec::as_slice);
        match lane {
            0 => name.to_vec(),
            lane => [name, format!(" #{}", lane + 1).as_bytes()].concat(),
        }
    }
}

fn shown_names(parties: &[Party], word: &str, within: impl Fn(&Party) -> u32) -> Vec<Vec<u8>> {
    let mut namesakes: HashMap<(u32, &[u8]), u32> = HashMap::new();
    for party in parties {
        if let Some(name) = &party.name {
            *namesakes.entry((within(party), name)).or_default() += 1;
        }
    }
    let shown = |party: &Party| match &party.name {
        None => [word.as_bytes(), b" ", &party.id].concat(),
        Some(name) if namesakes[&(within(party), name.as_slice())] == 1 => name.clone(),
        Some(name) => [name.as_slice(), b" (", word.as_bytes(), b" ", &party.id, b")"].concat(),
    };
    parties.iter().map(shown).collect()
}

/// Where a process or thread is shown: by its sort index, then by its number.
fn shown_place(party: &Party) -> (i64, bool, i64, Vec<u8>) {
    let number = std::str::from_utf8(&party.id).ok().and_then(|text| text.parse().ok());
    (party.sort_index, number.is_none(), number.unwrap_or(0), party.id.clone())
}

/// The numbers of some parties in the order in which they are shown.
fn in_order(parties: &[Party]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..parties.len() as u32).collect();
    order.sort_by_cached_key(|&index| shown_place(&parties[index as usize]));
    order
}

/// Creates all processes and threads, in the order in which they are shown.
pub(super) fn create_all(
    emitter: &mut Emitter<'_>,
    symbols: &Symbols,
    names: &Names<'_>,
    shown: &ShownNames,
) -> Result<(), ReadError> {
    let mut threads_of = vec![Vec::new(); names.processes.len()];
    for thread in in_order(&names.threads) {
        threads_of[names.threads[thread as usize].process as usize].push(thread);
    }
    let id_extras = |field: &[u8], party: &Party| {
        let mut extras = Vec::new();
        push_extra(&mut extras, symbols.field(field, FieldKind::String), &party.id);
        extras
    };
    for process in in_order(&names.processes) {
        let identifier = process_identifier(process);
        let type_symbol = emitter.type_symbol(names, Type::Process)?;
        let extras = id_extras(b"pid", &names.processes[process as usize]);
        emitter.create(&identifier, shown.process(process), type_symbol, ROOT, &extras)?;
        for &thread in &threads_of[process as usize] {
            let type_symbol = emitter.type_symbol(names, Type::Thread)?;
            let extras = id_extras(b"tid", &names.threads[thread as usize]);
            let own = thread_identifier(thread, 0);
            emitter.create(&own, &shown.thread(thread, 0), type_symbol, &identifier, &extras)?;
        }
    }
    Ok(())
}
