//! What belongs to which call. It is sorted once, and read by every pass.

use rayon::prelude::*;

use super::{CallId, Collective, Messages, Program};

/// What belongs to the calls of a program: messages and collective operations.
pub struct Wiring {
    /// The messages that a call receives, and those that it sends.
    pub(super) received: ByProcess<u32>,
    pub(super) sent: ByProcess<u32>,
    /// The collective operation of a call, and its place among the members.
    pub(super) operations: ByProcess<(u32, u32)>,
}

impl Wiring {
    /// Sorts what belongs to the calls of a program.
    pub fn new(program: &Program) -> Self {
        let n = program.n_processes();
        let messages = &program.messages;
        let all = || 0..messages.len() as u32;
        let of_messages = |call: fn(&Messages, usize) -> CallId| {
            let call = move |at: &u32| call(messages, *at as usize);
            ByProcess::new(n, all, |at| call(at).process, |at| (call(at).call, *at))
        };
        let members = |(at, collective): (u32, &Collective)| {
            (0..collective.members.len() as u32).map(move |place| (at, place))
        };
        let members = || (0u32..).zip(&program.collectives).flat_map(members);
        let member = |it: &(u32, u32)| call_of_member(program, *it);
        let operations =
            || ByProcess::new(n, members, |it| member(it).process, |it| (member(it).call, *it));
        let (received, (sent, operations)) = rayon::join(
            || of_messages(Messages::receive),
            || rayon::join(|| of_messages(Messages::send), operations),
        );
        Self { received, sent, operations }
    }

    /// The messages that a process receives, in that order.
    pub fn received(&self, process: u32) -> &[u32] {
        self.received.get(process)
    }
}

/// The call of a member of an operation.
pub(super) fn call_of_member(program: &Program, (at, place): (u32, u32)) -> CallId {
    program.collectives[at as usize].members[place as usize]
}

/// Things by process, those of one process in order.
pub struct ByProcess<T> {
    things: Vec<T>,
    /// For each process its first thing, and at the end how many there are.
    first: Vec<usize>,
}

impl<T: Copy + Default + Send + Sync> ByProcess<T> {
    /// Sorts things by process and key. `things` gives them as often as it is asked.
    pub fn new<I: Iterator<Item = T>, K: Ord>(
        n_processes: usize,
        things: impl Fn() -> I,
        process: impl Fn(&T) -> u32,
        key: impl Fn(&T) -> K + Sync,
    ) -> Self {
        let mut first = vec![0; n_processes + 1];
        things().for_each(|thing| first[process(&thing) as usize + 1] += 1);
        (0..n_processes).for_each(|process| first[process + 1] += first[process]);
        let mut next = first.clone();
        let mut sorted = vec![T::default(); first[n_processes]];
        for thing in things() {
            let place = &mut next[process(&thing) as usize];
            sorted[*place] = thing;
            *place += 1;
        }
        let mut parts = Vec::with_capacity(n_processes);
        let mut rest = sorted.as_mut_slice();
        for bounds in first.windows(2) {
            let (own, others) = rest.split_at_mut(bounds[1] - bounds[0]);
            parts.push(own);
            rest = others;
        }
        // Most things come in order.
        parts.into_par_iter().filter(|own| !own.is_sorted_by_key(&key)).for_each(|own| {
            own.sort_by_cached_key(&key);
        });
        Self { things: sorted, first }
    }
}

impl<T: Copy> ByProcess<T> {
    /// Where the things of each process begin.
    pub fn cursors(&self) -> Vec<usize> {
        self.first[..self.first.len() - 1].to_vec()
    }

    /// The things of a process.
    pub fn get(&self, process: u32) -> &[T] {
        &self.things[self.first[process as usize]..self.first[process as usize + 1]]
    }

    /// What belongs to the call that its process is at. `from` is where that process is.
    pub(super) fn of_call(&self, from: usize, id: CallId, call: impl Fn(&T) -> u32) -> &[T] {
        let own = &self.things[from..self.first[id.process as usize + 1]];
        let n = own.iter().take_while(|thing| call(thing) == id.call).count();
        &own[..n]
    }
}
