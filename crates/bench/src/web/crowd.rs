//! Many clients at the same time.

use std::io;
use std::time::Duration;

use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::Times;
use super::client::{Client, Target, block_on};
use super::walk::{TIMELINE, Wanderer, length};

/// How often a client asks.
const PAUSE: Duration = Duration::from_secs(3);

/// What the clients met.
pub struct Crowd {
    pub clients: usize,
    /// Of the answers.
    pub times: Times,
    /// Told to come back later.
    pub sent_away: u64,
    /// Answered with another error.
    pub failed: u64,
}

impl Crowd {
    pub fn json(&self) -> Value {
        json!({
            "clients": self.clients,
            "answers": self.times.len(),
            "p99_ms": self.times.within_ms(0.99),
            "sent_away": self.sent_away,
            "failed": self.failed,
        })
    }
}

/// Lets clients ask for some seconds.
pub fn measure(target: &Target, procs: u32, clients: usize, seconds: u64) -> io::Result<Crowd> {
    block_on(async {
        let length = length(&mut Client::connect(target).await?).await?;
        let end = Instant::now() + Duration::from_secs(seconds);
        let asking = (0..clients).map(|number| {
            let delay = PAUSE.mul_f64(number as f64 / clients as f64);
            let wanderer = Wanderer::new(length, procs, number as u64);
            tokio::spawn(ask(target.clone(), wanderer, delay, end))
        });
        let asking: Vec<_> = asking.collect();
        let mut crowd = Crowd { clients, times: Times::default(), sent_away: 0, failed: 0 };
        let mut times = Vec::new();
        for client in asking {
            for (status, time) in client.await.map_err(io::Error::other)?? {
                match status {
                    StatusCode::OK => times.push(time),
                    StatusCode::SERVICE_UNAVAILABLE => crowd.sent_away += 1,
                    _ => crowd.failed += 1,
                }
            }
        }
        crowd.times = Times::new(times);
        Ok(crowd)
    })
}

async fn ask(
    target: Target,
    mut wanderer: Wanderer,
    delay: Duration,
    end: Instant,
) -> io::Result<Vec<(StatusCode, Duration)>> {
    let mut turns = interval_at(Instant::now() + delay, PAUSE);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut client = Client::connect(&target).await?;
    let mut met = Vec::new();
    while turns.tick().await < end {
        let answer = client.post(TIMELINE, &wanderer.next_question()).await?;
        met.push((answer.status, answer.time));
    }
    Ok(met)
}
