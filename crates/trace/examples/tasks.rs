//! Asynchronous tasks on two threads, recorded through the crate `tracing`:
//! `cargo run -p onca-trace --features tracing --example tasks`, then `onca view tasks.onct`.
//!
//! The executor is a queue that two threads take tasks from; a runtime would do the same with more words.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use tracing::{Instrument, info, info_span};
use tracing_subscriber::prelude::*;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Gives way to other tasks once.
struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match std::mem::replace(&mut self.0, true) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

async fn fetch(number: u32) {
    for part in 0..3 {
        info!(part, "asking");
        Yield(false).await;
        thread::sleep(Duration::from_millis(u64::from(number)));
        async { thread::sleep(Duration::from_millis(1)) }.instrument(info_span!("parse")).await;
        info!(counter.parts = f64::from(part + 1));
    }
}

fn work(queue: &Mutex<VecDeque<Task>>) {
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    while let Some(mut task) = take() {
        let mut context = Context::from_waker(Waker::noop());
        if task.as_mut().poll(&mut context).is_pending() {
            queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(task);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "tasks.onct".to_owned());
    let subscriber = tracing_subscriber::registry().with(onca_trace::layer(path)?);
    tracing::subscriber::set_global_default(subscriber)?;
    let mut tasks = VecDeque::new();
    let mut before: Option<tracing::Span> = None;
    for number in 1..=4 {
        let span = info_span!("fetch", number);
        if let Some(before) = &before {
            span.follows_from(before);
        }
        let task: Task = Box::pin(fetch(number).instrument(span.clone()));
        tasks.push_back(task);
        before = Some(span);
    }
    drop(before);
    let queue = Arc::new(Mutex::new(tasks));
    let workers: Vec<_> = (1..=2)
        .map(|number| {
            let queue = Arc::clone(&queue);
            thread::Builder::new().name(format!("worker {number}")).spawn(move || work(&queue))
        })
        .collect::<Result<_, _>>()?;
    for worker in workers {
        worker.join().map_err(|_| "a worker failed")?;
    }
    onca_trace::close()?;
    Ok(())
}
