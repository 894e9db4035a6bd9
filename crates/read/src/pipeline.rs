//! How a source is decoded on all cores: one thread at a time takes a piece of it, all threads
//! decode pieces, one at a time hands decoded batches to the consumer in the order in which the
//! pieces were taken. No thread has a fixed role, so none waits while there is anything to do.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::batch::{Batch, BatchConsumer};
use crate::reading::ReadError;
use crate::source::Progress;

/// What a format does so that [`run`] can decode it.
pub(crate) trait Decode: Sync {
    /// What pieces are taken from, by one thread at a time.
    type Source: Send;
    /// What one thread decodes at once.
    type Piece: Send;
    /// What a thread keeps from piece to piece.
    type Worker;
    /// What a decoded piece tells besides its batch.
    type Note: Send;
    /// What whoever hands batches over keeps from batch to batch.
    type Order: Send;

    /// Equips a thread.
    fn worker(&self) -> Self::Worker;

    /// Takes the next piece; what is read of it may go into the batch already.
    fn take(&self, source: &mut Self::Source, batch: &mut Batch) -> io::Result<Taken<Self::Piece>>;

    /// Decodes a piece into its batch.
    fn decode(
        &self,
        worker: &mut Self::Worker,
        piece: Self::Piece,
        batch: &mut Batch,
    ) -> Self::Note;

    /// Gives a batch to the consumer; batches come here in the order of their pieces.
    fn hand_over(
        &self,
        order: &mut Self::Order,
        note: Self::Note,
        batch: &mut Batch,
        consumer: &mut dyn BatchConsumer,
    ) -> ControlFlow<()>;
}

/// The answer to a thread that asks for a piece.
pub(crate) enum Taken<P> {
    /// Here it is.
    Piece(P),
    /// Another piece must be decoded before.
    NotYet,
    /// There are no more.
    End,
}

/// Pieces that may be under way at once, for each thread: enough to keep all cores busy, few
/// enough to keep memory flat.
const PIECES_PER_THREAD: usize = 2;

/// Decodes all pieces of a source; gives it back at the end.
pub(crate) fn run<D: Decode>(
    decode: &D,
    source: D::Source,
    order: D::Order,
    threads: usize,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
) -> Result<(D::Source, D::Order), ReadError> {
    let threads = threads.max(1);
    let shared = Shared {
        decode,
        source: Mutex::new(source),
        consumer: Mutex::new((order, consumer)),
        turn: Mutex::new(Turn::default()),
        turned: Condvar::new(),
        threads,
        progress,
    };
    let panicked = thread::scope(|scope| {
        // Where the system gives no more threads, fewer do the work.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, || shared.work()).ok();
        let workers: Vec<_> = (1..threads).map_while(spawn).collect();
        let here = panic::catch_unwind(AssertUnwindSafe(|| shared.work()));
        workers.into_iter().any(|worker| worker.join().is_err()) || here.is_err()
    });
    if panicked {
        return Err(ReadError::WorkerFailed);
    }
    let turn = shared.turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (order, _) = shared.consumer.into_inner().unwrap_or_else(PoisonError::into_inner);
    match turn.failed {
        Some(error) => Err(error),
        None => Ok((shared.source.into_inner().unwrap_or_else(PoisonError::into_inner), order)),
    }
}

/// What the threads share. Locks are taken in the order of the fields and held briefly, except
/// `consumer`, whose holder applies batches.
struct Shared<'a, D: Decode> {
    decode: &'a D,
    source: Mutex<D::Source>,
    consumer: Mutex<(D::Order, &'a mut dyn BatchConsumer)>,
    turn: Mutex<Turn<D::Note>>,
    turned: Condvar,
    threads: usize,
    progress: &'a Progress,
}

/// Where the work stands.
struct Turn<N> {
    /// Pieces taken from the source.
    taken: u64,
    /// Pieces decoded.
    n_decoded: u64,
    /// Batches handed to the consumer.
    applied: u64,
    /// Batches that wait for their turn.
    decoded: BTreeMap<u64, (N, Batch)>,
    /// Batches to be used again.
    spare: Vec<Batch>,
    /// There is no more input.
    ended: bool,
    failed: Option<ReadError>,
}

impl<N> Default for Turn<N> {
    fn default() -> Self {
        Self {
            taken: 0,
            n_decoded: 0,
            applied: 0,
            decoded: BTreeMap::new(),
            spare: Vec::new(),
            ended: false,
            failed: None,
        }
    }
}

impl<N> Turn<N> {
    fn finished(&self) -> bool {
        self.failed.is_some() || self.ended && self.applied == self.taken
    }
}

/// What a thread does next.
enum Task {
    Apply,
    Decode,
    Stop,
}

impl<D: Decode> Shared<'_, D> {
    fn work(&self) {
        let _guard = PanicGuard(self);
        let mut worker = self.decode.worker();
        loop {
            match self.next_task() {
                Task::Stop => break,
                Task::Apply => self.apply_ready(),
                Task::Decode => self.decode_one(&mut worker),
            }
        }
        self.turned.notify_all();
    }

    /// Applies if it can, else decodes if it may, else waits.
    fn next_task(&self) -> Task {
        let mut turn = lock(&self.turn);
        loop {
            if turn.finished() {
                return Task::Stop;
            }
            let next = turn.applied;
            if turn.decoded.contains_key(&next) && self.consumer.try_lock().is_ok() {
                return Task::Apply;
            }
            let outstanding = (turn.taken - turn.applied) as usize;
            if !turn.ended && outstanding < PIECES_PER_THREAD * self.threads {
                return Task::Decode;
            }
            turn = self.turned.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Hands over all batches whose turn it is, unless another thread is at it.
    fn apply_ready(&self) {
        let Ok(mut holder) = self.consumer.try_lock() else { return };
        let (order, consumer) = &mut *holder;
        loop {
            let (note, mut batch) = {
                let mut turn = lock(&self.turn);
                let next = turn.applied;
                match turn.decoded.remove(&next) {
                    Some(decoded) if turn.failed.is_none() => decoded,
                    _ => break,
                }
            };
            let flow = self.decode.hand_over(order, note, &mut batch, *consumer);
            let mut turn = lock(&self.turn);
            turn.applied += 1;
            batch.clear();
            turn.spare.push(batch);
            if flow.is_break() || self.progress.is_cancelled() {
                turn.failed.get_or_insert(ReadError::Stopped);
            }
            drop(turn);
            self.turned.notify_all();
        }
        drop(holder);
        // A batch may have become ready while the lock was still held.
        self.turned.notify_all();
    }

    fn decode_one(&self, worker: &mut D::Worker) {
        let (mut batch, n_decoded) = {
            let mut turn = lock(&self.turn);
            (turn.spare.pop().unwrap_or_default(), turn.n_decoded)
        };
        let (number, piece) = {
            let mut source = lock(&self.source);
            let taken = self.decode.take(&mut source, &mut batch);
            let mut turn = lock(&self.turn);
            match taken {
                Ok(Taken::Piece(piece)) => {
                    turn.taken += 1;
                    (turn.taken - 1, piece)
                }
                Ok(Taken::NotYet) => {
                    drop(source);
                    turn.spare.push(batch);
                    return self.wait_for_another(turn, n_decoded);
                }
                Ok(Taken::End) => {
                    turn.ended = true;
                    return;
                }
                Err(error) => {
                    turn.failed.get_or_insert(ReadError::Io(error));
                    return;
                }
            }
        };
        let note = self.decode.decode(worker, piece, &mut batch);
        let mut turn = lock(&self.turn);
        turn.n_decoded += 1;
        turn.decoded.insert(number, (note, batch));
        drop(turn);
        self.turned.notify_all();
    }

    /// Waits until something has changed since `n_decoded` pieces were decoded.
    fn wait_for_another(&self, turn: MutexGuard<'_, Turn<D::Note>>, n_decoded: u64) {
        if turn.n_decoded == n_decoded && !turn.finished() {
            drop(self.turned.wait(turn).unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// Tells the other threads when this one panics: they would wait for ever for its piece.
struct PanicGuard<'a, 's, D: Decode>(&'a Shared<'s, D>);

impl<D: Decode> Drop for PanicGuard<'_, '_, D> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.turn).failed.get_or_insert(ReadError::WorkerFailed);
            self.0.turned.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
