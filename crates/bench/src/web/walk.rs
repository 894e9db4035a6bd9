//! A random walk through a trace: zoom in, zoom out, move.

use std::io;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::Times;
use super::client::{Client, Target, block_on};

/// Pixels of the picture.
const WIDTH: f64 = 1500.0;
/// Pixels of a row.
const ROW: u32 = 4;
/// The shortest window, as a share of the trace.
const LEAST: f64 = 1e-6;
/// How long to wait for a trace that is being opened, between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// What the walk met.
pub struct Walk {
    pub times: Times,
    /// Of the largest answer, compressed.
    pub most_bytes: usize,
}

impl Walk {
    pub fn json(&self) -> Value {
        json!({
            "scenes": self.times.len(),
            "median_ms": self.times.median_ms(),
            "p99_ms": self.times.within_ms(0.99),
            "max_ms": self.times.within_ms(1.0),
            "most_bytes": self.most_bytes,
        })
    }
}

/// Walks.
pub fn measure(target: &Target, procs: u32, steps: usize) -> io::Result<Walk> {
    block_on(async {
        let mut client = Client::connect(target).await?;
        let mut wanderer = Wanderer::new(length(&mut client).await?, procs, 1);
        let (mut times, mut most_bytes) = (Vec::with_capacity(steps), 0);
        for _ in 0..steps {
            let answer = client.post(TIMELINE, &wanderer.next_question()).await?;
            if !answer.status.is_success() {
                let why = String::from_utf8_lossy(&answer.body).into_owned();
                return Err(io::Error::other(why));
            }
            times.push(answer.time);
            most_bytes = most_bytes.max(answer.body.len());
        }
        Ok(Walk { times: Times::new(times), most_bytes })
    })
}

/// The request of a timeline; the only trace has the number 1.
pub const TIMELINE: &str = "/api/traces/1/timeline";

/// The length of the trace in ticks, once it is open.
pub async fn length(client: &mut Client) -> io::Result<f64> {
    loop {
        let answer = client.get("/api/traces/1/info").await?;
        if answer.status != hyper::StatusCode::CONFLICT {
            let info: Value = serde_json::from_slice(&answer.body)?;
            return info["length"].as_f64().ok_or_else(|| io::Error::other(info.to_string()));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Somebody who looks around.
pub struct Wanderer {
    length: f64,
    height: u32,
    from: f64,
    span: f64,
    dice: ChaCha8Rng,
}

impl Wanderer {
    /// Begins with the whole of a trace.
    pub fn new(length: f64, procs: u32, seed: u64) -> Self {
        let dice = ChaCha8Rng::seed_from_u64(seed);
        Self { length, height: procs * ROW, from: 0.0, span: length, dice }
    }

    /// The next picture: three in ten times from closer, two from further away, else beside it.
    pub fn next_question(&mut self) -> Value {
        let middle = self.from + self.span * self.dice.random_range(0.0..1.0);
        match self.dice.random_range(0..10) {
            0..=2 => self.span *= self.dice.random_range(0.05..0.7),
            3..=4 => self.span *= self.dice.random_range(1.5..20.0),
            _ => {}
        }
        self.span = self.span.clamp((self.length * LEAST).max(1.0), self.length);
        self.from = (middle - self.span / 2.0).clamp(0.0, self.length - self.span);
        let (from, to) = (self.from.floor(), (self.from + self.span).ceil());
        json!({
            "window": {"from": from as i64, "to": to as i64},
            "width": WIDTH,
            "rows": {"fit": self.height},
            // The page shows links of what is selected, and nothing is.
            "links": "none",
            "theme": "light",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_stays_inside_the_trace() {
        let mut wanderer = Wanderer::new(1000.0, 3, 7);
        for _ in 0..1000 {
            let question = wanderer.next_question();
            let (from, to) = (&question["window"]["from"], &question["window"]["to"]);
            let (from, to) = (from.as_i64().unwrap(), to.as_i64().unwrap());
            assert!(0 <= from && from < to && to <= 1001, "{question}");
        }
    }
}
