//! Brushes: after each, every view shows the new window.

use std::io;

use serde_json::{Value, json};

use super::Times;
use super::client::{Client, Target, block_on};
use super::walk::{TIMELINE, Wanderer, length};

/// The size of a view beside others.
const WIDTH: u32 = 850;
const HEIGHT: u32 = 700;

/// What a view is asked for besides the window.
struct Asked {
    name: &'static str,
    request: &'static str,
    more: fn() -> Value,
}

const VIEWS: [Asked; 9] = [
    Asked {
        name: "timeline",
        request: TIMELINE,
        more: || json!({"width": WIDTH, "rows": {"fit": HEIGHT}, "links": "none"}),
    },
    Asked { name: "statistics", request: "/api/traces/1/statistics", more: || json!({}) },
    Asked { name: "treemap", request: "/api/traces/1/scene/treemap", more: sized },
    Asked { name: "overview", request: "/api/traces/1/scene/overview", more: balanced },
    Asked { name: "matrix", request: "/api/traces/1/scene/matrix", more: sized },
    Asked { name: "bars", request: "/api/traces/1/scene/bars", more: sized },
    Asked { name: "concurrency", request: "/api/traces/1/scene/concurrency", more: sliced },
    Asked { name: "efficiency", request: "/api/traces/1/scene/efficiency", more: sliced },
    Asked { name: "flame", request: "/api/traces/1/scene/flame", more: sized },
];

fn sized() -> Value {
    json!({"width": WIDTH, "height": HEIGHT})
}

fn sliced() -> Value {
    json!({"width": WIDTH, "height": HEIGHT, "slices": 100})
}

/// At a given trade-off, as the page asks for an overview before all trade-offs are known.
fn balanced() -> Value {
    json!({"width": WIDTH, "height": HEIGHT, "slices": 100, "p": 0.25})
}

/// How long each view took.
pub struct Brushes {
    views: Vec<(&'static str, Times)>,
}

impl Brushes {
    pub fn json(&self) -> Value {
        let views = self.views.iter().map(|(name, times)| {
            json!({
                "view": name,
                "brushes": times.len(),
                "median_ms": times.median_ms(),
                "p99_ms": times.within_ms(0.99),
            })
        });
        views.collect()
    }

    /// A line for each view.
    pub fn print(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(out, "after a brush")?;
        for (name, times) in &self.views {
            let (median, most) = (times.median_ms(), times.within_ms(0.99));
            writeln!(out, "  {name:<13} median {median:.1} ms, 99 % within {most:.1} ms")?;
        }
        Ok(())
    }
}

/// Brushes this many windows.
pub fn measure(target: &Target, procs: u32, brushes: usize) -> io::Result<Brushes> {
    block_on(async {
        let mut client = Client::connect(target).await?;
        let mut wanderer = Wanderer::new(length(&mut client).await?, procs, 2);
        let mut times: Vec<Vec<_>> = VIEWS.iter().map(|_| Vec::with_capacity(brushes)).collect();
        for _ in 0..brushes {
            let window = wanderer.next_question()["window"].take();
            for (view, times) in VIEWS.iter().zip(&mut times) {
                let mut question = (view.more)();
                question["window"] = window.clone();
                let answer = client.post(view.request, &question).await?;
                if !answer.status.is_success() {
                    let why = String::from_utf8_lossy(&answer.body).into_owned();
                    return Err(io::Error::other(format!("{}: {why}", view.name)));
                }
                times.push(answer.time);
            }
        }
        let views = VIEWS.iter().zip(times).map(|(view, times)| (view.name, Times::new(times)));
        Ok(Brushes { views: views.collect() })
    })
}
