//! A writer of Chrome trace events, in the many styles that real writers have.

use super::{Arg, Event, microseconds};
use crate::random::Rng;

/// How events are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// An object with `traceEvents` and other members.
    Object,
    /// An array.
    Array,
    /// An array that ends with a comma and is not closed.
    OpenArray,
}

/// A file.
pub struct Written {
    pub bytes: Vec<u8>,
    /// Where each event begins and ends.
    pub places: Vec<(usize, usize)>,
}

/// Writes events; blanks, the order of members and the way of numbers depend on the seed.
pub fn write(events: &[Event], style: Style, seed: u64) -> Written {
    let mut rng = Rng(seed ^ 0x5eed);
    let blank = *rng.pick(&[&"", &" ", &"\n", &"\r\n\t"]);
    let mut out = match style {
        Style::Object => format!(
            "{{\"displayTimeUnit\":\"ms\",{blank}\"otherData\":{{\"a\":[\"]}}\\\"\"]}},\
             \"traceEvents\":{blank}[{blank}"
        ),
        _ => format!("{blank}[{blank}"),
    };
    let mut places = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let start = out.len();
        let mut members = members(event, &mut rng);
        rng.shuffle(&mut members);
        out += &format!("{{{blank}{}{blank}}}", members.join(&format!(",{blank}")));
        places.push((start, out.len()));
        if index + 1 < events.len() || style == Style::OpenArray {
            out += &format!("{blank},{blank}");
        }
    }
    match style {
        Style::Object => out += &format!("],{blank}\"stackFrames\":{{\"1\":{{}}}}{blank}}}\n"),
        Style::Array => out += "]",
        Style::OpenArray => {}
    }
    Written { bytes: out.into_bytes(), places }
}

fn members(event: &Event, rng: &mut Rng) -> Vec<String> {
    let mut members = Vec::new();
    let mut add = |key: &str, value: String| members.push(format!("\"{key}\":{value}"));
    if !event.phase.is_empty() {
        add("ph", string(&event.phase));
    }
    for (key, text) in [("name", &event.name), ("cat", &event.category)] {
        if let Some(text) = text {
            add(key, string(text));
        }
    }
    for (key, time) in [("ts", event.time), ("dur", event.duration)] {
        if let Some(time) = time {
            let text = microseconds(time);
            add(key, if rng.percent(10) { string(&text) } else { text });
        }
    }
    for (key, number) in [("pid", event.process), ("tid", event.thread)] {
        add(key, if rng.percent(10) { format!("\"{number}\"") } else { number.to_string() });
    }
    if let Some(id) = &event.id {
        match event.local_id {
            true => add("id2", format!("{{\"local\":{}}}", string(id))),
            false if rng.percent(50) => add("id2", format!("{{\"global\":{}}}", string(id))),
            false => add("id", string(id)),
        }
    }
    if let Some(reach) = event.reach {
        add("s", format!("\"{reach}\""));
    }
    if event.binds_enclosing {
        add("bp", "\"e\"".to_owned());
    }
    if rng.percent(20) {
        add("tts", "12".to_owned());
    }
    if !event.args.is_empty() {
        let args: Vec<_> = event.args.iter().map(arg).collect();
        add("args", format!("{{{}}}", args.join(", ")));
    }
    members
}

fn arg((name, value): &(String, Arg)) -> String {
    let value = match value {
        Arg::Number(text) | Arg::Nested(text) => text.clone(),
        Arg::Text(text) => string(text),
    };
    format!("{}:{value}", string(name))
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out += "\\n",
            '\t' => out += "\\u0009",
            _ => out.push(character),
        }
    }
    out + "\""
}
