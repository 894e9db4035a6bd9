//! Random events: few threads, few times, so that much happens at once.

use super::{Arg, Event};
use crate::random::Rng;

/// A random trace, in the order of its file.
pub fn events(seed: u64) -> Vec<Event> {
    let mut rng = Rng(seed);
    let n = 1 + rng.below(60);
    // Some traces are only of slices that nest, some have everything.
    let phases: &[&str] = match rng.below(4) {
        0 => &["B", "E", "B", "E", "X"],
        1 => &["X"],
        2 => &["s", "t", "f", "X"],
        _ => &[
            "B", "E", "X", "i", "I", "C", "b", "n", "e", "S", "T", "p", "F", "s", "t", "f", "M",
            "O", "?", "",
        ],
    };
    // Whole microseconds, tenths, or nanoseconds.
    let grain = [1000, 100, 1][rng.below(3)];
    let span = [12, 60, 4000][rng.below(3)];
    (0..n).map(|_| event(&mut rng, phases, grain, span)).collect()
}

fn event(rng: &mut Rng, phases: &[&str], grain: i64, span: usize) -> Event {
    let phase = rng.pick(phases).to_owned();
    let mut event = Event {
        name: Some(rng.pick(&["a", "b", "c", "d \"quoted\" \u{e9}\n"]).to_owned()),
        category: match rng.below(4) {
            0 => None,
            1 => Some("y".to_owned()),
            _ => Some("x".to_owned()),
        },
        time: Some(rng.below(span) as i64 * grain - 3 * grain),
        process: rng.below(2) as i64 + 8,
        thread: rng.below(2) as i64 + 9,
        id: Some(rng.pick(&["1", "0x2"]).to_owned()),
        local_id: rng.percent(15),
        binds_enclosing: rng.percent(50),
        ..Event::default()
    };
    match phase.as_str() {
        "X" => event.duration = Some(rng.below(span / 2) as i64 * grain),
        "i" | "I" => event.reach = [None, Some('t'), Some('p'), Some('g')][rng.below(4)],
        "M" => metadata(rng, &mut event),
        "C" => counts(rng, &mut event),
        _ => {}
    }
    if !matches!(phase.as_str(), "M" | "C") {
        args(rng, &mut event);
    }
    event.phase = phase;
    slip(rng, &mut event);
    event
}

fn metadata(rng: &mut Rng, event: &mut Event) {
    event.time = None;
    let kinds = ["process_name", "thread_name", "process_sort_index", "thread_sort_index", "other"];
    let kind = rng.pick(&kinds);
    event.name = Some(kind.to_owned());
    event.args.push(match kind.ends_with("_name") {
        true => ("name".to_owned(), Arg::Text(rng.pick(&["main", "io", "gpu"]).to_owned())),
        false => ("sort_index".to_owned(), Arg::Number(format!("{}", rng.below(5) as i64 - 2))),
    });
}

fn counts(rng: &mut Rng, event: &mut Event) {
    event.id = None;
    for series in ["value", "free"] {
        if rng.percent(70) {
            let number = format!("{}", rng.below(9) as f64 / 2.0 - 1.0);
            event.args.push((series.to_owned(), Arg::Number(number)));
        }
    }
}

fn args(rng: &mut Rng, event: &mut Event) {
    for name in ["k", "step", "size"] {
        if rng.percent(15) {
            let value = match rng.below(3) {
                0 => Arg::Number(format!("{}", rng.below(100))),
                1 => Arg::Text("t\\\t/".to_owned()),
                _ => Arg::Nested("{\"in\":[1,\"}\"]}".to_owned()),
            };
            event.args.push((name.to_owned(), value));
        }
    }
}

/// Now and then something is missing or absurd.
fn slip(rng: &mut Rng, event: &mut Event) {
    if !rng.percent(4) {
        return;
    }
    match rng.below(5) {
        0 => event.time = None,
        1 => event.name = None,
        2 => event.id = None,
        3 => event.duration = event.duration.map(|duration| -duration),
        _ => event.duration = None,
    }
}
