//! A slow and obvious reading of Paraver traces, and what was read in the same words.

use std::collections::{BTreeMap, HashMap};

use onca_model::{ContainerId, LaneId, display_text};
use onca_simulate::Driven;

use super::support::Rows;

/// The slow reading: all rows of a sound trace, as text.
pub struct Slow {
    pub lines: Vec<String>,
    pub end: i64,
}

#[derive(Default)]
struct SlowType {
    label: Option<String>,
    values: HashMap<i128, String>,
}

/// Labels of a `.pcf`, read the obvious way.
fn slow_labels(pcf: &str) -> (HashMap<i128, String>, HashMap<u64, SlowType>) {
    let mut states = HashMap::new();
    let mut types: HashMap<u64, SlowType> = HashMap::new();
    let mut section = "";
    let mut current = Vec::new();
    for line in pcf.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let first = words.next().expect("not empty");
        match (section, first.parse::<i128>()) {
            (_, Err(_)) if first != "PRECISION" => {
                section = first;
                if section == "EVENT_TYPE" {
                    current.clear();
                }
            }
            ("STATES", Ok(value)) => {
                states.insert(value, words.collect::<Vec<_>>().join(" "));
            }
            ("EVENT_TYPE", Ok(_)) => {
                let number: u64 = words.next().expect("a type").parse().expect("a number");
                let label = words.collect::<Vec<_>>().join(" ");
                types.entry(number).or_default().label = Some(label);
                current.push(number);
            }
            ("VALUES", Ok(value)) => {
                let name = words.collect::<Vec<_>>().join(" ");
                for number in &current {
                    let of = types.get_mut(number).expect("declared");
                    of.values.insert(value, name.clone());
                }
            }
            _ => {}
        }
    }
    (states, types)
}

/// An event of a thread and a type: when, and its value.
type Events = BTreeMap<(String, u64), Vec<(i64, i128)>>;

pub fn slow(prv: &str, pcf: &str) -> Slow {
    let (states, types) = slow_labels(pcf);
    let mut lines = Vec::new();
    let mut events: Events = BTreeMap::new();
    let mut open_states = Vec::new();
    let mut end = i64::MIN;
    for line in prv.lines().skip(1).map(str::trim) {
        let fields: Vec<i128> = line.split(':').map_while(|field| field.parse().ok()).collect();
        let at = |index: usize| fields[index] as i64;
        let thread =
            |from: usize| format!("{}.{}.{}", fields[from], fields[from + 1], fields[from + 2]);
        match fields.first() {
            Some(1) => {
                let name = states.get(&fields[7]).cloned().unwrap_or(fields[7].to_string());
                end = end.max(at(5)).max(at(6));
                match at(6) {
                    -1 => open_states.push((thread(2), at(5), name)),
                    until => lines.push(format!("S {} state {}-{until} {name}", thread(2), at(5))),
                }
            }
            Some(2) => {
                end = end.max(at(5));
                for pair in fields[6..].chunks(2) {
                    let key = (thread(2), pair[0] as u64);
                    events.entry(key).or_default().push((at(5), pair[1]));
                }
            }
            Some(3) => {
                end = end.max(at(6)).max(at(12));
                let (from, to, size) = (thread(2), thread(8), fields[13]);
                lines.push(format!("L {from}>{to} {}-{} {size}", at(6), at(12)));
            }
            _ => {}
        }
    }
    for (thread, from, name) in open_states {
        lines.push(format!("S {thread} state {from}-{end} {name}"));
    }
    for ((thread, number), events) in events {
        slow_events(&thread, number, &events, types.get(&number), end, &mut lines);
    }
    Slow { lines, end }
}

fn slow_events(
    thread: &str,
    number: u64,
    events: &[(i64, i128)],
    of: Option<&SlowType>,
    end: i64,
    lines: &mut Vec<String>,
) {
    let label = of.and_then(|of| of.label.clone()).unwrap_or(number.to_string());
    let name = |value: &i128| {
        let name = of.and_then(|of| of.values.get(value)).cloned();
        name.unwrap_or(value.to_string())
    };
    let has_values = of.is_some_and(|of| !of.values.is_empty());
    let until = |index: usize| events.get(index + 1).map_or(end, |next| next.0);
    let million = number / 1_000_000;
    if million == 30 || [40_000_001, 40_000_012, 40_000_018].contains(&number) {
        for (time, value) in events {
            lines.push(format!("E {thread} {label} {time} {}", name(value)));
        }
    } else if has_values && million == 60 {
        let mut stack = Vec::new();
        for (time, value) in events {
            match value {
                0 => {
                    if let Some((from, value)) = stack.pop() {
                        lines.push(format!("S {thread} {label} {from}-{time} {}", name(value)));
                    }
                }
                _ => stack.push((time, value)),
            }
        }
        for (from, value) in stack {
            lines.push(format!("S {thread} {label} {from}-{end} {}", name(value)));
        }
    } else if has_values {
        for (index, (time, value)) in events.iter().enumerate().filter(|(_, event)| event.1 != 0) {
            lines.push(format!("S {thread} {label} {time}-{} {}", until(index), name(value)));
        }
    } else if [42, 44, 46].contains(&million) {
        let mut from = 0;
        for (time, value) in events {
            lines.push(format!("V {thread} {label} {from}-{time} {:?}", *value as f64));
            from = *time;
        }
        lines.push(format!("V {thread} {label} {from}-{end} 0.0"));
    } else {
        for (index, (time, value)) in events.iter().enumerate() {
            let until = until(index);
            lines.push(format!("V {thread} {label} {time}-{until} {:?}", *value as f64));
        }
    }
}

/// What was read, in the words of the slow reading.
pub fn fast(driven: &Driven<Rows>) -> Vec<String> {
    let Driven { catalog, sink, .. } = driven;
    let alias = |id: ContainerId| display_text(catalog.containers.aliases.get(id.index()));
    let track = |lane: LaneId| {
        let lane = catalog.lane(lane);
        let of = catalog.type_def(lane.type_id);
        let name = match of.alias.as_deref() {
            Some(b"state") => "state".into(),
            _ => display_text(&of.name),
        };
        format!("{} {name}", alias(lane.container))
    };
    let value = |id| display_text(&catalog.value(id).name);
    let mut lines = Vec::new();
    for (lane, row, _) in &sink.states {
        let (track, value) = (track(*lane), value(row.value));
        lines.push(format!("S {track} {}-{} {value}", row.start, row.end));
    }
    for (lane, row, _) in &sink.events {
        lines.push(format!("E {} {} {}", track(*lane), row.time, value(row.value)));
    }
    for (lane, row, _) in &sink.variables {
        let of = catalog.type_def(catalog.lane(*lane).type_id);
        if of.alias.as_deref() != Some(b"cpu") {
            lines.push(format!("V {} {}-{} {:?}", track(*lane), row.start, row.end, row.value));
        }
    }
    for link in &sink.links {
        let side = |id: Option<ContainerId>| alias(id.expect("both ends")).into_owned();
        let (from, to) = (side(link.source), side(link.destination));
        let size = link.size.expect("a size");
        lines.push(format!("L {from}>{to} {}-{} {size}", link.start, link.end));
    }
    lines
}

/// Intervals of no length need not be kept; where one stands is no matter.
pub fn lasting(lines: Vec<String>) -> Vec<String> {
    let is_empty = |line: &String| {
        let mut words = line.split(' ').filter_map(|word| word.split_once('-'));
        !line.starts_with('L') && words.any(|(from, to)| from == to && from.parse::<i64>().is_ok())
    };
    let mut lines: Vec<String> = lines.into_iter().filter(|line| !is_empty(line)).collect();
    lines.sort();
    lines
}
