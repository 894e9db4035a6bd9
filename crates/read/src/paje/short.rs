//! Records of short, plain lines: nearly all of a trace.
//!
//! What does not fit here, for whatever reason, is left to the general way of
//! [`decode`](super::decode), which reads every line.

use super::cache::{Neighbours, image};
use super::decode::{Decoder, Fields, PADDING};
use super::layout::{Layout, Layouts, PlanKind};
use super::window::{NEEDED, Window};
use crate::batch::{Batch, Record};
use crate::symbols::Symbol;

const _: () = assert!(PADDING >= NEEDED);

/// How many look-ups are made together.
const POSTPONED: usize = 32;

impl Decoder<'_> {
    /// The same as [`decode_lines`](Self::decode_lines): most lines are short and plain.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn decode_wide(
        &mut self,
        text: &[u8],
        len: usize,
        layouts: &Layouts,
        batch: &mut Batch,
    ) {
        let mut start = 0;
        let mut number = 0u32;
        while start < len {
            let end = match Window::at(text, start) {
                Some(window) => {
                    if !self.short_record(text, &window, start as u32, number, layouts, batch) {
                        self.any_short_record(text, &window, start as u32, number, layouts, batch);
                    }
                    if self.postponed.len() >= POSTPONED {
                        self.find_postponed(text, batch);
                    }
                    start.wrapping_add(window.newline as usize)
                }
                None => self.any_line(text, start, number, layouts, batch),
            };
            start = end.wrapping_add(1);
            number = number.wrapping_add(1);
        }
        self.find_postponed(text, batch);
        batch.n_lines += u64::from(number);
    }

    /// Reads a timed record whose fields are as its definition says, and whose names and times
    /// are short; nearly all are. Otherwise it does nothing and returns false.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    fn short_record(
        &mut self,
        text: &[u8],
        window: &Window<'_>,
        at: u32,
        number: u32,
        layouts: &Layouts,
        batch: &mut Batch,
    ) -> bool {
        let Some(id) = window.short_id() else { return false };
        let Some(layout) = layouts.get_short(id) else { return false };
        let plan = layout.plan;
        if u32::from(plan.n_tokens) != window.n_tokens() {
            return false;
        }
        let [time, first, second, value] = window.first_fields();
        let Some(time) = window.time(time, self.tick_exponent) else { return false };
        let mut has_extras = false;
        let value = match plan.kind {
            PlanKind::Bare => 0,
            PlanKind::Value => {
                let Some(image) = window.image(value) else { return false };
                self.values.get_short(window.text(value), image, &self.symbols.values)
            }
            PlanKind::Link => {
                let link = self.short_link(text, window, at, number, layout, batch);
                has_extras = link.1;
                link.0
            }
        };
        let neighbours = match window.image(first.to(second)) {
            Some(image) => Neighbours::new(image, plan.container_first),
            None => None,
        };
        let pair = match neighbours {
            Some(neighbours) if self.neighbours.is_large() => {
                self.postponed.push((batch.records.len(), neighbours));
                0
            }
            Some(neighbours) => match self.neighbours.get(neighbours) {
                Some(pair) => pair,
                None => self.new_neighbours(text, window, at, neighbours),
            },
            None if plan.container_first => self.pair(text, first.token(at), second.token(at)),
            None => self.pair(text, second.token(at), first.token(at)),
        };
        batch.n_records += 1;
        batch.last_line = Some(Some(time));
        batch.records.push(Record { time, at, pair, value, op: plan.op, has_extras });
        true
    }

    /// Finds the pairs of the records that wait for theirs. With very many containers each
    /// look-up goes to main memory; a loop of nothing else lets the processor wait for several
    /// at once.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline(never)]
    fn find_postponed(&mut self, text: &[u8], batch: &mut Batch) {
        let mut postponed = std::mem::take(&mut self.postponed);
        for (record, neighbours) in postponed.drain(..) {
            let record = &mut batch.records[record];
            record.pair = match self.neighbours.get(neighbours) {
                Some(pair) => pair,
                None => match Window::at(text, record.at as usize) {
                    Some(window) => self.new_neighbours(text, &window, record.at, neighbours),
                    None => unreachable!("the line was a window before"),
                },
            };
        }
        self.postponed = postponed;
    }

    /// The symbol of a container and a type that were not seen side by side before.
    #[inline(never)]
    fn new_neighbours(
        &mut self,
        text: &[u8],
        window: &Window<'_>,
        at: u32,
        neighbours: Neighbours,
    ) -> Symbol {
        let [_, first, second, _] = window.first_fields();
        let (first, second) = (first.token(at), second.token(at));
        let (container, type_) =
            if neighbours.container_first() { (first, second) } else { (second, first) };
        let pair = self.intern_pair(text, container, image(text, container), type_);
        self.neighbours.insert(neighbours, pair);
        pair
    }

    /// What a link has besides, and whether it has extra fields.
    #[inline(never)]
    fn short_link(
        &mut self,
        text: &[u8],
        window: &Window<'_>,
        at: u32,
        number: u32,
        layout: &Layout,
        batch: &mut Batch,
    ) -> (u32, bool) {
        let mut tokens = std::mem::take(&mut self.tokens);
        window.tokens(at, &mut tokens);
        let fields = Fields { text, tokens: &tokens };
        let line = window.line(at, number);
        let half = self.link_half(layout.plan.op, fields, line, layout, batch);
        let has_extras = self.extras(fields, layout, batch);
        self.tokens = tokens;
        (half, has_extras)
    }

    /// Reads any record of a plain line.
    #[inline(never)]
    fn any_short_record(
        &mut self,
        text: &[u8],
        window: &Window<'_>,
        at: u32,
        number: u32,
        layouts: &Layouts,
        batch: &mut Batch,
    ) {
        let line = window.line(at, number);
        let mut tokens = std::mem::take(&mut self.tokens);
        window.tokens(at, &mut tokens);
        if !tokens.is_empty() {
            self.record(text, line, &tokens, layouts, batch);
        }
        self.tokens = tokens;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use onca_model::FieldKind;

    use super::*;
    use crate::batch::{Op, Role};
    use crate::number::has_wide_instructions;
    use crate::paje::event::event_named;
    use crate::paje::layout::Column;
    use crate::symbols::Symbols;

    fn random() -> impl FnMut(usize) -> usize {
        let mut state = 7u64;
        move |bound| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % bound
        }
    }

    fn layouts(symbols: &Symbols) -> Layouts {
        use Role::{Container, EndContainer, Key, StartContainer, Time, Type, Value};
        let mut layouts = Layouts::default();
        let mut define = |id: &str, name: &str, roles: &[Role], extra: bool| {
            let (id, event) = (id.as_bytes().to_vec(), event_named(name.as_bytes()));
            let mut layout = Layout::new(id, name.as_bytes().to_vec(), event, 1);
            layout.columns = roles.iter().map(|&role| Column::Role(role)).collect();
            if extra {
                let field = symbols.field(b"Size", FieldKind::Int);
                layout.size_column = Some(layout.columns.len());
                layout.columns.push(Column::Extra(field));
            }
            layout.compile();
            layouts.insert(layout);
        };
        define("1", "PajePushState", &[Time, Type, Container, Value], false);
        define("2", "PajePopState", &[Time, Type, Container], false);
        define("3", "PajePushState", &[Time, Container, Type, Value], false);
        define("14", "PajePopState", &[Time, Container, Type], true);
        define("15", "PajeSetVariable", &[Time, Type, Container, Value], false);
        define("16", "PajeStartLink", &[Time, Type, Container, Value, StartContainer, Key], true);
        define("17", "PajeEndLink", &[Time, Type, Container, Value, EndContainer, Key], false);
        define("18", "PajeNewEvent", &[Value, Time, Type, Container], false);
        layouts
    }

    /// Lines of all layouts, with short and long names, rare spaces and wrong numbers of fields.
    fn text(n_containers: usize) -> Vec<u8> {
        let mut random = random();
        let mut text = Vec::new();
        for line in 0..150_000 {
            let ids = ["1", "2", "3", "14", "15", "16", "17", "18", "99"];
            let (id, fitting) = (random(9), [1, 0, 1, 1, 1, 4, 3, 1, 0]);
            let n_more = if random(9) == 0 { random(5) } else { fitting[id] };
            let c = random(n_containers);
            let container = match random(50) {
                0 => format!("a container with a long name {c}").replace(' ', "_"),
                _ => format!("c{c}"),
            };
            let (type_, value) = (["S", "MPI_STATE"][random(2)], ["v", "MPI_Allreduce"][random(2)]);
            let time = [format!("{line}.5"), format!("{line}"), "1e2".to_owned()];
            let time = &time[[0, 0, 0, 1, 1, 2][random(6)]];
            let order = if random(2) == 0 { [type_, &container] } else { [&container, type_] };
            let mut fields = vec![ids[id], time, order[0], order[1]];
            let more = [value, &container, "key", "4096"];
            fields.extend(&more[..n_more]);
            let blank = [" ", " ", " ", "\t", "  "][random(5)];
            text.extend_from_slice(fields.join(blank).as_bytes());
            text.extend_from_slice([&b"\n"[..], b"\n", b" \n", b"\r\n"][random(4)]);
        }
        text
    }

    #[test]
    fn short_lines_are_read_like_any() {
        if !has_wide_instructions() {
            return;
        }
        // Few containers, and more than fit a small cache of pairs.
        for n_containers in [50, 60_000] {
            let symbols = Symbols::new();
            let layouts = Arc::new(layouts(&symbols));
            let mut text = text(n_containers);
            let len = text.len();
            text.resize(len + PADDING, b'x');
            let read = |wide: bool| {
                let mut decoder = Decoder::new(&symbols, 9, 1 << 28);
                decoder.wide = wide;
                let mut batch = Batch { text: text.clone(), ..Batch::default() };
                decoder.decode(&mut batch, len, &layouts);
                assert_eq!(decoder.neighbours.is_large(), wide && n_containers > 50);
                batch
            };
            let (fast, slow) = (read(true), read(false));
            let all = |batch: &Batch| format!("{:?}", batch.records);
            assert!(all(&fast) == all(&slow), "other records");
            assert!(fast.records.iter().filter(|record| record.op == Op::PushState).count() > 9000);
            assert_eq!(format!("{:?}", fast.halves), format!("{:?}", slow.halves));
            assert_eq!(fast.numbers, slow.numbers);
            assert_eq!((&fast.extras, &fast.arena), (&slow.extras, &slow.arena));
            let counts = |batch: &Batch| (batch.n_records, batch.n_lost, batch.n_lines);
            assert_eq!(counts(&fast), counts(&slow));
            assert_eq!(fast.last_line, slow.last_line);
            assert_eq!(format!("{:?}", fast.problems), format!("{:?}", slow.problems));
        }
    }
}
