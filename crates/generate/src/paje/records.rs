//! How each record is spelt, and what is counted of it.

use std::io::Write;

use super::{Container, EventKind, LinkKind, OperationTold, Trace, Value, VariableType};

impl<W: Write> Trace<'_, W> {
    pub(super) fn create(&mut self, time: i64, container: Container, parent: Container) {
        self.written.containers += 1;
        self.begin("6 ", time);
        self.buffer.push(b' ');
        self.container(container);
        self.buffer.push(b' ');
        self.container_type_of(container);
        self.buffer.push(b' ');
        self.container(parent);
        self.buffer.push(b' ');
        self.container_name(container);
    }

    pub(super) fn destroy(&mut self, time: i64, container: Container) {
        self.begin("7 ", time);
        self.buffer.push(b' ');
        self.container_type_of(container);
        self.buffer.push(b' ');
        self.container(container);
    }

    pub(super) fn open_state(&mut self, id: &str, time: i64, container: Container, value: Value) {
        self.written.states += 1;
        let of_type = {
            let entry = &mut self.values[usize::from(value.0)];
            entry.opened += 1;
            entry.ticks -= i128::from(time);
            entry.of_type
        };
        self.begin(id, time);
        self.state_type_token(of_type);
        self.container(container);
        let token = &self.values[usize::from(value.0)].token;
        self.buffer.extend_from_slice(token.as_bytes());
    }

    pub(super) fn open_operation(
        &mut self,
        time: i64,
        container: Container,
        value: Value,
        told: OperationTold,
    ) {
        self.open_state("19 ", time, container, value);
        self.text(" c");
        self.number(told.communicator.into());
        self.text(" ");
        self.number(told.number.into());
        match told.root {
            Some(root) => {
                self.text(" ");
                self.number(root.into());
            }
            None => self.text(" none"),
        }
    }

    pub(super) fn pop(&mut self, time: i64, container: Container, value: Value) {
        self.count_end(time, value);
        self.begin("13 ", time);
        self.state_type_token(self.values[usize::from(value.0)].of_type);
        self.container(container);
    }

    pub(super) fn start_link(
        &mut self,
        time: i64,
        link: LinkKind,
        from: Container,
        (key, bytes): (u64, Option<u64>),
    ) {
        self.begin(if bytes.is_some() { "15 " } else { "18 " }, time);
        self.link_token(link);
        self.container(from);
        self.buffer.push(b' ');
        self.number(key);
        if let Some(bytes) = bytes {
            self.buffer.push(b' ');
            self.number(bytes);
        }
    }

    pub(super) fn end_link(&mut self, time: i64, link: LinkKind, to: Container, key: u64) {
        self.written.links += 1;
        self.begin("16 ", time);
        self.link_token(link);
        self.container(to);
        self.buffer.push(b' ');
        self.number(key);
    }

    pub(super) fn event(&mut self, time: i64, event: EventKind, container: Container, line: u32) {
        self.written.events += 1;
        self.begin("17 ", time);
        let of_type = &self.events[usize::from(event.0)].0;
        self.buffer.extend_from_slice(of_type.as_bytes());
        self.container(container);
        let value_and_file = &self.events[usize::from(event.0)].1;
        self.buffer.extend_from_slice(value_and_file.as_bytes());
        self.number(u64::from(line));
    }

    pub(super) fn set_variable(
        &mut self,
        time: i64,
        variable: VariableType,
        container: Container,
        value: u64,
    ) {
        self.written.variables += 1;
        self.begin("8 ", time);
        let token = &self.variables[usize::from(variable.0)];
        self.buffer.extend_from_slice(token.as_bytes());
        self.container(container);
        self.buffer.push(b' ');
        self.number(value);
    }

    pub(super) fn count_end(&mut self, time: i64, value: Value) {
        self.values[usize::from(value.0)].ticks += i128::from(time);
    }
}
