//! Lines of the header: they define the layouts of the records.

use super::{Reader, Refused};
use crate::header::{EventKind, Layout, canonical_name, is_field_type};
use crate::token::{Mode, is_blank, tokenize};

impl Reader {
    pub(super) fn read_header_line(&mut self, text: &[u8], swallowed: Option<(Vec<u8>, Vec<u8>)>) {
        let tokens = tokenize(text, Mode::Plain);
        if tokens.unterminated {
            self.tally("unterminated-string");
        }
        let words = tokens.words;
        let Some(first) = words.first() else {
            self.tally("header-syntax");
            return;
        };
        if first == b"EventDef" {
            if self.block.is_some() {
                self.tally("header-syntax");
                self.close_unfinished_block();
            }
            if words.len() != 3 {
                self.tally("header-syntax");
            }
            if words.len() >= 3 {
                self.open_block(words[1].clone(), words[2].clone());
            }
        } else if first == b"EndEventDef" {
            if words.len() > 1 {
                self.tally("header-syntax");
            }
            match self.block.take() {
                Some(block) => self.define(block),
                None => self.tally("header-syntax"),
            }
        } else {
            if self.block.is_none() {
                let Some((name, id)) = swallowed else {
                    self.tally("header-syntax");
                    return;
                };
                self.tally("eventdef-in-comment");
                self.open_block(name, id);
            }
            self.read_field_line(&words);
        }
    }

    fn read_field_line(&mut self, words: &[Vec<u8>]) {
        let Some(mut block) = self.block.take() else {
            return;
        };
        if words.len() != 2 {
            self.tally("header-syntax");
        }
        if words.get(1).is_some_and(|word| !is_field_type(word)) {
            self.tally("unknown-field-type");
        }
        let spelling = &words[0];
        if matches!(spelling.as_slice(), b"PajeEventName" | b"PajeEventId") {
            self.tally("reserved-field");
        }
        let canonical = canonical_name(spelling, block.kind);
        let declared_before = block.fields.iter().any(|other| {
            other == spelling
                || (canonical.is_some() && canonical_name(other, block.kind) == canonical)
        });
        if declared_before {
            self.tally("duplicate-field");
        }
        if block.is_old_spelling(spelling) {
            self.tally("old-field-name");
        }
        block.fields.push(spelling.clone());
        block.types.push(match words.get(1).map(Vec::as_slice) {
            Some(b"float") => b"double".to_vec(),
            Some(known) if is_field_type(known) => known.to_vec(),
            _ => b"string".to_vec(),
        });
        self.block = Some(block);
    }

    fn open_block(&mut self, name: Vec<u8>, id: Vec<u8>) {
        let kind = EventKind::from_name(&name);
        if kind == EventKind::Unknown {
            self.tally("unknown-event-name");
        }
        if kind == EventKind::User {
            self.tally("user-event");
        }
        if !is_number(&id) {
            self.tally("header-syntax");
        }
        let (fields, types) = (Vec::new(), Vec::new());
        self.block = Some(Layout { id, name, kind, fields, types, line: self.line });
    }

    /// A block without `%EndEventDef` counts if nothing mandatory is missing.
    pub(super) fn close_unfinished_block(&mut self) {
        if let Some(block) = self.block.take()
            && block.is_complete()
        {
            self.define(block);
        }
    }

    fn define(&mut self, block: Layout) {
        let existing = self.layouts.iter().position(|other| other.id == block.id);
        match existing {
            Some(index) => {
                let same = self.layouts[index].is_same_as(&block);
                let code = if same { "repeated-event-id" } else { "duplicate-event-id" };
                self.tally_at(code, block.line);
                self.layouts[index] = block;
            }
            None => self.layouts.push(block),
        }
    }

    pub(super) fn find_layout(&mut self, id: &[u8]) -> Result<Layout, Refused> {
        if let Some(layout) = self.layouts.iter().find(|layout| layout.id == id) {
            return Ok(layout.clone());
        }
        if is_number(id) {
            let same_number = |layout: &&Layout| {
                is_number(&layout.id) && significant_digits(&layout.id) == significant_digits(id)
            };
            if let Some(layout) = self.layouts.iter().find(same_number) {
                let layout = layout.clone();
                self.tally("numeric-id-match");
                return Ok(layout);
            }
        }
        Err("unknown-event-id")
    }
}

/// A comment whose end is a definition: some producers forget the newline in between.
pub(super) fn swallowed_definition(comment: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let percent = comment.iter().rposition(|&byte| byte == b'%')?;
    let mut words =
        comment[percent + 1..].split(|&byte| is_blank(byte)).filter(|word| !word.is_empty());
    if words.next()? != b"EventDef" {
        return None;
    }
    let (name, id) = (words.next()?, words.next()?);
    words.next().is_none().then(|| (name.to_vec(), id.to_vec()))
}

fn is_number(id: &[u8]) -> bool {
    !id.is_empty() && id.iter().all(u8::is_ascii_digit)
}

fn significant_digits(id: &[u8]) -> &[u8] {
    let zeros = id.iter().take_while(|&&digit| digit == b'0').count();
    &id[zeros..]
}
