//! Who is connected. There is room for a fixed number; who has not shown that it may ask makes room for the
//! next one, so that nobody can shut others out by being there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The connections of a server, in the order in which they came.
#[derive(Debug, Default)]
pub struct Visitors(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    by_arrival: BTreeMap<u64, Visitor>,
    last: u64,
}

/// One connection. What answers its requests finds it among their extensions.
#[derive(Clone, Debug, Default)]
pub struct Visitor(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_admitted: AtomicBool,
    leave: Notify,
}

impl Visitor {
    /// It has shown that it may ask.
    pub fn admit(&self) {
        self.0.is_admitted.store(true, Ordering::Relaxed);
    }

    fn is_admitted(&self) -> bool {
        self.0.is_admitted.load(Ordering::Relaxed)
    }

    /// Waits until another needs its place.
    pub async fn sent_away(&self) {
        self.0.leave.notified().await;
    }
}

/// The place of a connection, as long as it has one.
#[derive(Debug)]
pub struct Seat {
    visitors: Arc<Visitors>,
    arrival: u64,
    /// Who has it.
    pub visitor: Visitor,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.visitors.inside().by_arrival.remove(&self.arrival);
    }
}

impl Visitors {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more, or none if all are taken by those who may ask. Where there is no other,
    /// it is that of the one who came first and has not shown that it may.
    pub fn enter(self: &Arc<Self>, most: usize) -> Option<Seat> {
        let mut inside = self.inside();
        if inside.by_arrival.len() >= most {
            let stranger = inside.by_arrival.iter().find(|(_, visitor)| !visitor.is_admitted());
            let arrival = *stranger?.0;
            if let Some(visitor) = inside.by_arrival.remove(&arrival) {
                visitor.0.leave.notify_one();
            }
        }
        inside.last += 1;
        let (arrival, visitor) = (inside.last, Visitor::default());
        inside.by_arrival.insert(arrival, visitor.clone());
        drop(inside);
        Some(Seat { visitors: Arc::clone(self), arrival, visitor })
    }

    /// Has everybody left?
    pub fn is_empty(&self) -> bool {
        self.inside().by_arrival.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn strangers_make_room_in_order_and_those_who_may_ask_stay() {
        let visitors = Arc::new(Visitors::default());
        let known = visitors.enter(3).unwrap();
        known.visitor.admit();
        let (first, second) = (visitors.enter(3).unwrap(), visitors.enter(3).unwrap());
        let third = visitors.enter(3).unwrap();
        first.visitor.sent_away().await;
        // Its end is not that of the one who has its place.
        drop(first);
        second.visitor.admit();
        let fourth = visitors.enter(3).unwrap();
        third.visitor.sent_away().await;
        fourth.visitor.admit();
        assert!(visitors.enter(3).is_none());
        drop(known);
        assert!(visitors.enter(3).is_some());
        drop((second, third, fourth));
        assert!(visitors.is_empty());
    }
}
