//! Computing: on threads of its own, so much at a time, and in turn.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::fault::Fault;

/// A browser has at most this many requests under way at once. As many may be inside, so that only a
/// crowd is sent away.
const OF_A_BROWSER: usize = 6;
/// This many may wait in any case. Who asks again later finds a better moment, and may want something
/// else by then; a long queue would only make everybody late.
const LEAST_WAITING: usize = 3;

/// Queries in SQL that run at a time, each in a process of its own and with its share of the memory;
/// and how many may wait. They have turns of their own: a query may take ten seconds, and pictures
/// must not wait for it.
pub const SQL_AT_A_TIME: usize = 4;
pub const SQL_WAITING: usize = 12;

/// Where requests are worked on: some at a time, some waiting, the rest are sent away.
#[derive(Clone, Debug)]
pub struct Workshop {
    /// Who is inside: working or waiting.
    inside: Arc<Semaphore>,
    /// Who works. Those who wait get their turn in order.
    working: Arc<Semaphore>,
}

/// The right to work. It belongs to the work, not to the one who waits for it: work that nobody
/// waits for any more still takes its place until it ends.
#[derive(Debug)]
pub struct Turn {
    _inside: OwnedSemaphorePermit,
    _working: OwnedSemaphorePermit,
}

/// Sets a flag when it is dropped: whoever waited for an answer has it, or has left.
#[derive(Debug, Default)]
pub struct Left(Arc<AtomicBool>);

impl Left {
    /// The flag.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Workshop {
    /// A workshop for one worker more than there are cores: most work uses all cores by itself.
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = cores + 1;
        Self::with(workers, OF_A_BROWSER.saturating_sub(workers).max(LEAST_WAITING))
    }

    /// A workshop for this many workers, and this many who wait.
    pub fn with(workers: usize, waiting: usize) -> Self {
        Self {
            inside: Arc::new(Semaphore::new(workers + waiting)),
            working: Arc::new(Semaphore::new(workers)),
        }
    }

    /// Waits for a turn if few do. Who goes away while waiting never gets it.
    pub async fn turn(&self) -> Result<Turn, Fault> {
        let inside = Arc::clone(&self.inside).try_acquire_owned().map_err(|_| Fault::busy())?;
        let working = Arc::clone(&self.working).acquire_owned().await;
        let working = working.map_err(|_| Fault::busy())?;
        Ok(Turn { _inside: inside, _working: working })
    }

    /// Works on something in turn. A panic is a fault of this request alone.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let turn = self.turn().await?;
        aside(move || {
            let _turn = turn;
            job()
        })
        .await
    }
}

/// Does something that may wait for a disk where nothing else waits for it, without a turn: it is
/// short.
pub async fn aside<T: Send + 'static>(
    job: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let work = tokio::task::spawn_blocking(job);
    work.await.unwrap_or_else(|error| Err(Fault::ours(&reason(error))))
}

impl Default for Workshop {
    fn default() -> Self {
        Self::new()
    }
}

fn reason(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => panic_message(&*panic),
        Err(error) => error.to_string(),
    }
}

/// What a panic says.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic").to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc;

    use axum::http::StatusCode;
    use axum::response::IntoResponse;

    use super::*;

    fn status(fault: Fault) -> StatusCode {
        fault.into_response().status()
    }

    #[tokio::test]
    async fn a_panic_is_a_fault_and_the_next_goes_on() {
        let workshop = Workshop::with(1, 1);
        for _ in 0..20 {
            let failed = workshop.run(|| -> Result<(), Fault> { panic!("on purpose") }).await;
            assert_eq!(status(failed.unwrap_err()), StatusCode::INTERNAL_SERVER_ERROR);
        }
        assert_eq!(workshop.run(|| Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn work_learns_that_nobody_waits_for_it() {
        let workshop = Workshop::with(1, 1);
        let (begun, has_begun) = mpsc::channel::<()>();
        let (ended, has_ended) = mpsc::channel::<()>();
        let asked = tokio::spawn({
            let workshop = workshop.clone();
            async move {
                let left = Left::default();
                let flag = left.flag();
                let job = move || {
                    begun.send(()).map_err(|_| Fault::busy())?;
                    while !flag.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    ended.send(()).map_err(|_| Fault::busy())
                };
                workshop.run(job).await
            }
        });
        tokio::task::spawn_blocking(move || has_begun.recv())
            .await
            .expect("it did not panic")
            .expect("the work has begun");
        asked.abort();
        assert!(asked.await.unwrap_err().is_cancelled());
        tokio::task::spawn_blocking(move || has_ended.recv())
            .await
            .expect("it did not panic")
            .expect("the work has ended");
    }

    #[tokio::test]
    async fn who_finds_no_place_is_sent_away_and_who_leaves_never_runs() {
        let workshop = Workshop::with(1, 1);
        let (release, held) = mpsc::channel::<()>();
        let ran = Arc::new(AtomicUsize::new(0));
        let first = tokio::spawn({
            let workshop = workshop.clone();
            async move { workshop.run(move || held.recv().map_err(|_| Fault::busy())).await }
        });
        while workshop.working.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let count = Arc::clone(&ran);
        let waiting = tokio::spawn({
            let workshop = workshop.clone();
            let job = move || Ok(count.fetch_add(1, Ordering::SeqCst));
            async move { workshop.run(job).await }
        });
        while workshop.inside.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let sent_away = workshop.run(|| Ok(())).await.unwrap_err();
        assert_eq!(status(sent_away), StatusCode::SERVICE_UNAVAILABLE);
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        release.send(()).expect("the first waits for it");
        first.await.expect("it did not panic").expect("it was released");
        workshop.run(|| Ok(())).await.expect("there is room again");
        assert_eq!(ran.load(Ordering::SeqCst), 0);
    }
}
