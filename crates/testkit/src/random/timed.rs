//! Records of states, events, variables and links, and the times of all records.

use super::{Kind, TICKS, Writer};

impl Writer {
    /// The time of the next record; mostly not earlier than the one before.
    pub(super) fn next_time(&mut self) -> i64 {
        if self.rng.percent(65) {
            let step = if self.coarse_times {
                TICKS / 2 * self.rng.below(4) as i64
            } else {
                1_000 * self.rng.below(3_000_000) as i64 + self.rng.below(1_000) as i64
            };
            self.now += step;
        }
        if self.rng.percent(8) {
            return self.now - TICKS / 2 * self.rng.below(12) as i64;
        }
        self.now
    }

    /// Any container but, if possible, not the root; rarely one that has ended.
    pub(super) fn container(&mut self) -> usize {
        let accept_ended = self.rng.percent(15);
        let choices: Vec<usize> = (1..self.containers.len())
            .filter(|&index| accept_ended || !self.containers[index].ended)
            .collect();
        if choices.is_empty() { 0 } else { choices[self.rng.below(choices.len())] }
    }

    /// A type and a container that mostly belong together.
    fn track(&mut self, kind: Kind) -> (usize, usize) {
        let of_kind: Vec<usize> =
            (0..self.types.len()).filter(|&index| self.types[index].kind == kind).collect();
        let type_index = of_kind[self.rng.below(of_kind.len())];
        let wanted = self.types[type_index].parent;
        let accept_ended = self.rng.percent(20);
        let fitting: Vec<usize> = (0..self.containers.len())
            .filter(|&index| self.containers[index].type_index == wanted)
            .filter(|&index| accept_ended || !self.containers[index].ended)
            .collect();
        let container = if fitting.is_empty() || self.rng.percent(4) {
            self.container()
        } else {
            fitting[self.rng.below(fitting.len())]
        };
        (type_index, container)
    }

    fn value(&mut self, type_index: usize) -> String {
        let defined: Vec<String> = self
            .values
            .iter()
            .filter(|(of_type, _)| *of_type == type_index)
            .map(|(_, identifier)| identifier.clone())
            .collect();
        if !defined.is_empty() && self.rng.percent(50) {
            return defined[self.rng.below(defined.len())].clone();
        }
        self.rng.pick(&["x", "y", "z", "w", "compute", "two words"]).to_string()
    }

    fn timed(&mut self, event: &'static str, kind: Kind, value: Option<String>) {
        let mut track = self.track(kind);
        if event == "PajePopState" && !self.pushed.is_empty() && self.rng.percent(90) {
            let position = self.rng.below(self.pushed.len());
            track = self.pushed.remove(position);
        }
        let (type_index, container) = track;
        let value = match value {
            Some(value) => value,
            None => self.value(type_index),
        };
        let time = self.next_time();
        let time = self.time_text(time);
        let mut values = vec![
            ("Time", time),
            ("Type", self.types[type_index].identifier.clone()),
            ("Container", self.containers[container].identifier.clone()),
        ];
        if event != "PajePopState" && event != "PajeResetState" {
            values.push(("Value", value));
        }
        let written = self.record(event, &values);
        if written.intact && event == "PajePushState" {
            self.pushed.push(track);
        }
    }

    pub(super) fn state(&mut self, event: &'static str) {
        self.timed(event, Kind::State, None);
    }

    pub(super) fn event(&mut self) {
        self.timed("PajeNewEvent", Kind::Event, None);
    }

    pub(super) fn variable(&mut self, event: &'static str) {
        let numbers = ["0", "1", "-2.5", "1e3", ".5", "7.", "1e-05", "4.096000e+03", "0.1", "+3"];
        let number = self.rng.pick(&numbers).to_string();
        self.timed(event, Kind::Variable, Some(number));
    }

    pub(super) fn link(&mut self, event: &'static str, end_role: &'static str) {
        let (type_index, owner) = self.track(Kind::Link);
        let (start_type, end_type) = self.types[type_index].ends;
        let wanted = if end_role == "StartContainer" { start_type } else { end_type };
        let fitting: Vec<usize> = (1..self.containers.len())
            .filter(|&index| self.containers[index].type_index == Some(wanted))
            .collect();
        let end = if fitting.is_empty() || self.rng.percent(10) {
            self.container()
        } else {
            fitting[self.rng.below(fitting.len())]
        };
        let key = self.rng.pick(&["k", "k", "k1", "0_1", "a key"]).to_string();
        let value = if self.rng.percent(80) { "m".to_string() } else { self.value(type_index) };
        let time = self.next_time();
        let time = self.time_text(time);
        self.record(
            event,
            &[
                ("Time", time),
                ("Type", self.types[type_index].identifier.clone()),
                ("Container", self.containers[owner].identifier.clone()),
                (end_role, self.containers[end].identifier.clone()),
                ("Value", value),
                ("Key", key),
            ],
        );
    }
}
