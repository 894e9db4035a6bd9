//! Asynchronous operations, the slow and obvious way.

use std::collections::BTreeSet;

use super::Event;
use super::model::{Fields, Model, category, extras_of, name, shown};
use crate::model::escape;

impl Model<'_> {
    /// Operations of one category and process that are open together are on different lanes.
    pub(super) fn operations(&mut self) {
        let events = self.timed("bneSTpF");
        let categories: BTreeSet<String> = events.iter().map(|(_, e)| category(e)).collect();
        for of in categories {
            let mut open: Vec<Operation> = Vec::new();
            for &(_, event) in events.iter().filter(|(_, event)| category(event) == of) {
                self.step(&of, &mut open, event);
            }
            for operation in open {
                for (depth, state) in operation.states.iter().enumerate() {
                    let container = self.track(&of, operation.process, operation.lane);
                    let (start, name, extras) = state;
                    self.state(&container, "AsyncSlice", *start, i64::MAX, depth, name, extras);
                }
            }
        }
    }

    fn track(&self, category: &str, process: i64, lane: usize) -> String {
        let mut name = "async".to_owned();
        if !category.is_empty() {
            name += &format!(" {category}");
        }
        if lane > 0 {
            name += &format!(" #{}", lane + 1);
        }
        format!("{}/{name}", self.named((process, None)))
    }

    fn step(&mut self, of: &str, open: &mut Vec<Operation>, event: &Event) {
        let phase = event.phase.as_str();
        let time = event.time.unwrap_or(0);
        let old = "STpF".contains(phase);
        let key = (
            event.local_id.then_some(event.process),
            old.then(|| name(event)),
            event.id.clone().unwrap_or_default(),
        );
        let step = event.args.iter().find(|(name, _)| name == "step" && "Tp".contains(phase));
        let value = step.map_or_else(|| name(event), |(_, arg)| arg.text().to_owned());
        let state = (time, value.clone(), extras_of(event));
        let known = open.iter().position(|operation| operation.key == key);
        match (phase, known) {
            ("b" | "S", None) => {
                let lane = first_free_lane(open, event.process);
                let process = event.process;
                open.push(Operation { key, process, lane, states: vec![state], in_step: false });
            }
            ("b" | "S", Some(index)) => open[index].states.push(state),
            ("e" | "F", Some(index)) => {
                if std::mem::take(&mut open[index].in_step) {
                    self.close(of, &mut open[index], time, Vec::new());
                }
                self.close(of, &mut open[index], time, extras_of(event));
                if open[index].states.is_empty() {
                    open.remove(index);
                }
            }
            ("T", Some(index)) => {
                if open[index].in_step {
                    self.close(of, &mut open[index], time, Vec::new());
                }
                open[index].in_step = true;
                open[index].states.push(state);
            }
            ("n" | "p", known) => {
                let (process, lane) = match known {
                    Some(index) => (open[index].process, open[index].lane),
                    None => (event.process, 0),
                };
                self.latest = self.latest.max(time);
                let container = self.track(of, process, lane);
                let (value, extras) = (escape(value.as_bytes()), shown(&extras_of(event)));
                let row = format!("E {container} AsyncInstant {time} {value} {extras}");
                self.reading.rows.push(row);
            }
            _ => self.reading.lose("pop-empty"),
        }
    }

    fn close(&mut self, of: &str, operation: &mut Operation, end: i64, more: Fields) {
        let Some((start, name, mut extras)) = operation.states.pop() else { return };
        extras.extend(more);
        let container = self.track(of, operation.process, operation.lane);
        let depth = operation.states.len();
        self.state(&container, "AsyncSlice", start, end, depth, &name, &extras);
    }
}

/// When a state began, its value and its fields.
type State = (i64, String, Fields);

/// An operation that is open, and its states that are, the outermost first.
struct Operation {
    key: (Option<i64>, Option<String>, String),
    process: i64,
    lane: usize,
    states: Vec<State>,
    in_step: bool,
}

fn first_free_lane(open: &[Operation], process: i64) -> usize {
    let taken: BTreeSet<usize> = open
        .iter()
        .filter(|operation| operation.process == process)
        .map(|operation| operation.lane)
        .collect();
    (0..).find(|lane| !taken.contains(lane)).unwrap_or(0)
}
