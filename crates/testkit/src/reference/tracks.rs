//! States, variables and events: the records of a track are collected in file order, and then
//! taken in time order.

use super::records::Fields;
use super::{ROOT, Reader, Refused};
use crate::header::EventKind;
use crate::model::{Event, Extras, Nature, State, Type, Variable};
use crate::number::parse_variable;

#[derive(Clone, Debug)]
enum Action {
    SetState(usize),
    PushState(usize),
    PopState,
    ResetState,
    NewEvent(usize),
    SetVariable(f64),
    AddVariable(f64),
    SubVariable(f64),
}

#[derive(Clone, Debug)]
pub(super) struct TrackRecord {
    time: i64,
    line: u64,
    action: Action,
    extras: Extras,
}

impl Reader {
    pub(super) fn track_record(&mut self, kind: EventKind, fields: Fields) -> Result<(), Refused> {
        let nature = match kind {
            EventKind::NewEvent => Nature::Event,
            EventKind::SetVariable | EventKind::AddVariable | EventKind::SubVariable => {
                Nature::Variable
            }
            _ => Nature::State,
        };
        // What a line shows by itself comes before what it refers to.
        let time = self.time(&fields)?;
        let text = fields.get("Value");
        let number = if nature == Nature::Variable {
            parse_variable(&text).ok_or("bad-number")?
        } else {
            0.0
        };
        if !number.is_finite() {
            self.tally("non-finite-variable");
        }
        let container = self.find_container(&fields.get("Container"), time, None)?;
        let container_type = self.trace.containers[container].type_index;
        let type_index = self.find_type(&fields.get("Type"), &[nature], Some(container_type))?;
        if matches!(kind, EventKind::SetState | EventKind::PushState | EventKind::NewEvent) {
            self.check_value_whole(type_index, &text)?;
        }
        self.saw_time(time);
        self.check_owner(type_index, container);

        let action = match kind {
            EventKind::SetState => Action::SetState(self.find_value(type_index, &text)),
            EventKind::PushState => Action::PushState(self.find_value(type_index, &text)),
            EventKind::PopState => Action::PopState,
            EventKind::NewEvent => Action::NewEvent(self.find_value(type_index, &text)),
            EventKind::SetVariable => Action::SetVariable(number),
            EventKind::AddVariable => Action::AddVariable(number),
            EventKind::SubVariable => Action::SubVariable(number),
            _ => Action::ResetState,
        };
        let track = self.tracks.entry((container, type_index)).or_default();
        track.push(TrackRecord { time, line: self.line, action, extras: fields.extras });
        Ok(())
    }

    /// An event of the traced program belongs to the container that one of its fields names.
    pub(super) fn user_event(&mut self, name: &[u8], fields: Fields) -> Result<(), Refused> {
        let time = self.time(&fields)?;
        self.check_not_cut()?;
        let mut container = ROOT;
        for (field, text) in &fields.extras {
            if let Some(found) = self.container_of_field(field, text, time) {
                container = found;
                break;
            }
        }
        let parent = Some(self.trace.containers[container].type_index);
        let known = (0..self.trace.types.len()).find(|&index| {
            let other = &self.trace.types[index];
            let identifier = other.alias.as_ref().unwrap_or(&other.name);
            identifier == b"User event" && other.parent == parent && other.nature == Nature::Event
        });
        let type_index = known.unwrap_or_else(|| {
            let index = self.trace.types.len();
            self.trace.types.push(Type {
                parent,
                nature: Nature::Event,
                name: b"User event".to_vec(),
                alias: None,
                link_ends: None,
            });
            self.types_by_identifier.entry(b"User event".to_vec()).or_default().push(index);
            index
        });
        self.saw_time(time);
        let value = match self.values_by_identifier.get(&(type_index, name.to_vec())) {
            Some(&value) => value,
            None => self.new_value(type_index, name),
        };
        self.trace.values[value].defined = true;
        let action = Action::NewEvent(value);
        let track = self.tracks.entry((container, type_index)).or_default();
        track.push(TrackRecord { time, line: self.line, action, extras: fields.extras });
        Ok(())
    }

    fn container_of_field(&mut self, field: &[u8], text: &[u8], time: i64) -> Option<usize> {
        let field = String::from_utf8_lossy(field).to_ascii_lowercase();
        let expected: Vec<Option<usize>> = if field == "container" {
            vec![None]
        } else {
            (1..self.trace.types.len())
                .filter(|&index| {
                    let candidate = &self.trace.types[index];
                    let name = String::from_utf8_lossy(&candidate.name).to_ascii_lowercase();
                    candidate.nature == Nature::Container
                        && ["", "id", "_id"].iter().any(|end| format!("{name}{end}") == field)
                })
                .map(Some)
                .collect()
        };
        for of in expected {
            let Some(found) = self.look_for_container(text, time, of) else { continue };
            if of.is_none() || of == Some(self.trace.containers[found].type_index) {
                return Some(found);
            }
        }
        None
    }

    pub(super) fn finish_track(
        &mut self,
        container: usize,
        type_index: usize,
        records: Vec<TrackRecord>,
    ) {
        self.check_order(records.iter().map(|record| (record.time, record.line)));
        let mut records = records;
        records.sort_by_key(|record| record.time);

        let destroyed = self.trace.containers[container].destroyed;
        let mut is_past_end = false;
        // Open states with the line of the record that opened each.
        let mut stack: Vec<(State, u64)> = Vec::new();
        let mut current: Option<Variable> = None;
        for record in records {
            let TrackRecord { time, line, extras, .. } = record;
            self.check_life(container, time, line);
            if let Some(end) = destroyed
                && time > end
                && !is_past_end
            {
                is_past_end = true;
                self.close_open_things(&mut stack, &mut current, end);
            }
            match record.action {
                Action::SetState(value) | Action::PushState(value) => {
                    if matches!(record.action, Action::SetState(_)) {
                        self.close_states(&mut stack, time);
                    }
                    let state = State {
                        container,
                        type_index,
                        start: time,
                        end: time,
                        depth: stack.len(),
                        value,
                        open: true,
                        extras,
                    };
                    stack.push((state, line));
                }
                Action::PopState => match stack.pop() {
                    Some((mut state, _)) => {
                        state.end = time;
                        state.open = false;
                        state.extras.extend(extras);
                        self.trace.states.push(state);
                    }
                    None => {
                        self.tally_at("pop-empty", line);
                        self.trace.lost += 1;
                    }
                },
                Action::ResetState => self.close_states(&mut stack, time),
                Action::NewEvent(value) => {
                    self.trace.events.push(Event { container, type_index, time, value, extras })
                }
                Action::SetVariable(number)
                | Action::AddVariable(number)
                | Action::SubVariable(number) => {
                    let old = current.as_ref().map(|variable| variable.value);
                    let is_set = matches!(record.action, Action::SetVariable(_));
                    if old.is_none() && !is_set {
                        self.tally_at("variable-without-value", line);
                    }
                    let base = old.unwrap_or(0.0);
                    let value = match record.action {
                        Action::AddVariable(_) => base + number,
                        Action::SubVariable(_) => base - number,
                        _ => number,
                    };
                    match &mut current {
                        Some(variable) if variable.start == time => variable.value = value,
                        _ => {
                            let next = Variable {
                                container,
                                type_index,
                                start: time,
                                end: time,
                                value,
                                extras,
                            };
                            if let Some(mut previous) = current.replace(next) {
                                previous.end = time;
                                self.trace.variables.push(previous);
                            }
                        }
                    }
                }
            }
        }

        let end = match destroyed {
            Some(end) if !is_past_end => end,
            _ => self.trace.end,
        };
        self.close_open_things(&mut stack, &mut current, end);
    }

    fn close_states(&mut self, stack: &mut Vec<(State, u64)>, time: i64) {
        for (mut state, _) in stack.drain(..) {
            state.end = time;
            state.open = false;
            self.trace.states.push(state);
        }
    }

    /// Ends what no record ended.
    fn close_open_things(
        &mut self,
        stack: &mut Vec<(State, u64)>,
        current: &mut Option<Variable>,
        end: i64,
    ) {
        for (mut state, line) in stack.drain(..) {
            state.end = end;
            self.trace.states.push(state);
            self.tally_at("state-open-at-end", line);
        }
        if let Some(mut variable) = current.take() {
            variable.end = end;
            self.trace.variables.push(variable);
        }
    }
}
