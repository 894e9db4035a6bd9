//! Header lines: event definitions, read in file order before any record after them is decoded.

use onca_model::{Code, FieldKind, printable};

use super::event::{Effect, RESERVED_FIELDS, Spelling, event_named, role_of_field};
use super::layout::{Column, Layout, Layouts};
use super::token::{Rules, Token, is_blank, split};
use crate::batch::{Problem, Role};
use crate::symbols::Symbols;

/// Names of extra fields that give a link its size, in lower case.
pub(crate) const SIZE_FIELDS: [&[u8]; 7] =
    [b"size", b"msgsize", b"messagesize", b"msg_size", b"bytes", b"length", b"volume"];

/// The state of reading header lines.
pub(super) struct Header {
    layouts: Layouts,
    open: Option<OpenBlock>,
    /// The definition that the last comment swallowed, and its line.
    swallowed: Option<(Vec<u8>, Vec<u8>, u64)>,
    /// Something changed since the layouts were last handed out.
    changed: bool,
    problems: Vec<Problem>,
    /// A definition lacked a mandatory field; strict reading stops there.
    strict: bool,
}

struct OpenBlock {
    layout: Layout,
    /// Roles that were given by an old spelling, with that spelling and its kind: the canonical
    /// one still wins.
    old_roles: Vec<(Role, Vec<u8>, FieldKind)>,
}

/// A line of the source with its place, for messages.
#[derive(Clone, Copy)]
pub(super) struct HeaderLine<'a> {
    pub text: &'a [u8],
    /// The line within the batch that the problems will be reported in.
    pub line_in_batch: u32,
    /// The line in the file.
    pub line: u64,
}

impl Header {
    pub fn new(inherited: Layouts, strict: bool) -> Self {
        Self {
            layouts: inherited,
            open: None,
            swallowed: None,
            changed: true,
            problems: Vec::new(),
            strict,
        }
    }

    pub fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// Were definitions added since this was last asked?
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// Is a definition open, so that the next record line will close it?
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Looks at a comment line: SimGrid writes some comments without a newline, and the
    /// definition after them becomes part of the comment.
    pub fn comment(&mut self, line: HeaderLine<'_>) {
        self.swallowed =
            memchr::memmem::rfind(line.text, b"%EventDef").and_then(|at| {
                match &words(&line.text[at..]).0[..] {
                    [_, name, id] => Some((name.clone(), id.clone(), line.line)),
                    _ => None,
                }
            });
    }

    /// Lines that are not of the header: what a comment before them swallowed is not continued.
    pub fn lines_between(&mut self) {
        self.swallowed = None;
    }

    /// A line that holds a NUL byte: it is as if it were not there.
    pub fn nul_byte(&mut self, line: HeaderLine<'_>) {
        let message = "a NUL byte; the line is skipped".to_owned();
        self.problem(line, Code::NulByte, message, None);
    }

    /// A record line: a definition must be closed before it.
    pub fn record(&mut self, line: HeaderLine<'_>) {
        self.swallowed = None;
        if self.open.is_some() {
            self.syntax(line, "a record stands inside %EventDef; the definition ends here");
            self.close_early(line);
        }
    }

    /// The file ends.
    pub fn end(&mut self) {
        let line = HeaderLine { text: b"", line_in_batch: 0, line: 0 };
        if let Some(OpenBlock { layout, .. }) = self.open.take() {
            let begun =
                if layout.line > 0 { format!(" in line {}", layout.line) } else { String::new() };
            let name = printable(&layout.name).into_owned();
            let message =
                format!("the file ends inside the definition of {name} that begins{begun}");
            self.problem(line, Code::HeaderSyntax, message, None);
        }
    }

    /// A line that begins with `%`.
    pub fn line(&mut self, line: HeaderLine<'_>, symbols: &Symbols) {
        let (words, unterminated) = words(line.text);
        if unterminated {
            let message = "a quote is not closed on this line".to_owned();
            self.problem(line, Code::UnterminatedString, message, None);
        }
        let swallowed = self.swallowed.take();
        match words.split_first() {
            None => self.syntax(line, "a lone % means nothing"),
            Some((keyword, rest)) => match keyword.as_slice() {
                b"EventDef" => self.begin(line, rest),
                b"EndEventDef" => self.finish(line, rest),
                _ => self.field_or_swallowed(line, &words, swallowed, symbols),
            },
        }
    }

    fn begin(&mut self, line: HeaderLine<'_>, words: &[Vec<u8>]) {
        if self.open.is_some() {
            self.syntax(line, "%EventDef inside %EventDef; the first definition ends here");
            self.close_early(line);
        }
        match words {
            [name, id, surplus @ ..] => {
                if !surplus.is_empty() {
                    self.syntax(line, "more than a name and an id after %EventDef");
                }
                self.open_block(line, name, id);
            }
            _ => self.syntax(line, "%EventDef needs the name of an event and an id"),
        }
    }

    fn open_block(&mut self, line: HeaderLine<'_>, name: &[u8], id: &[u8]) {
        let event = event_named(name);
        if event.effect == Effect::Unknown {
            let message =
                format!("unknown event \"{}\": its records will be lost", printable(name));
            self.problem(line, Code::UnknownEventName, message, None);
        }
        if event.effect == Effect::User {
            let name = printable(name);
            let message = format!("\"{name}\" is no event of the format: kept as user events");
            self.problem(line, Code::UserEvent, message, None);
        }
        if !id.iter().all(u8::is_ascii_digit) {
            let message = format!("the event id \"{}\" is not a number", printable(id));
            self.problem(line, Code::HeaderSyntax, message, None);
        }
        let layout = Layout::new(id.to_vec(), name.to_vec(), event, line.line);
        self.open = Some(OpenBlock { layout, old_roles: Vec::new() });
    }

    fn finish(&mut self, line: HeaderLine<'_>, words: &[Vec<u8>]) {
        if !words.is_empty() {
            self.syntax(line, "words after %EndEventDef mean nothing");
        }
        if self.open.is_none() {
            self.syntax(line, "%EndEventDef without %EventDef");
        }
        self.close(line);
    }

    /// Ends a definition whose `%EndEventDef` is missing: it counts if it is complete.
    fn close_early(&mut self, line: HeaderLine<'_>) {
        if let Some(open) = &mut self.open {
            open.layout.compile();
            if open.layout.missing.is_empty() {
                self.close(line);
            } else {
                self.open = None;
            }
        }
    }

    /// Ends the open definition.
    fn close(&mut self, line: HeaderLine<'_>) {
        let Some(OpenBlock { mut layout, .. }) = self.open.take() else { return };
        layout.compile();
        if self.strict && !layout.missing.is_empty() {
            let message = missing_fields(&layout);
            self.problem(line, Code::MissingMandatoryField, message, None);
        }
        if let Some(old) = self.layouts.get(&layout.id)
            && !old.inherited
        {
            let (code, how) = match old.same_as(&layout) {
                true => (Code::RepeatedEventId, "the same"),
                false => (Code::DuplicateEventId, "differently"),
            };
            let message = format!("event id {} is defined again, {how}", printable(&layout.id));
            let hint = format!("first defined in line {}", old.line);
            self.problem(line, code, message, (old.line > 0).then_some(hint));
        }
        self.layouts.insert(layout);
        self.changed = true;
    }

    fn field_or_swallowed(
        &mut self,
        line: HeaderLine<'_>,
        words: &[Vec<u8>],
        swallowed: Option<(Vec<u8>, Vec<u8>, u64)>,
        symbols: &Symbols,
    ) {
        if self.open.is_none() {
            let Some((name, id, comment_line)) = swallowed else {
                let message = format!("field \"{}\" outside %EventDef", printable(&words[0]));
                return self.problem(line, Code::HeaderSyntax, message, None);
            };
            let message = format!(
                "field line outside %EventDef; line {comment_line} is a comment that contains \
                 \"%EventDef {} {}\", using it",
                printable(&name),
                printable(&id)
            );
            self.problem(line, Code::EventdefInComment, message, None);
            self.open_block(line, &name, &id);
        }
        self.field(line, words, symbols);
    }

    fn field(&mut self, line: HeaderLine<'_>, words: &[Vec<u8>], symbols: &Symbols) {
        let name = &words[0];
        if words.len() > 2 {
            self.syntax(line, "more than a name and a type for a field");
        }
        let kind = self.field_kind(line, name, words.get(1).map(Vec::as_slice));
        if RESERVED_FIELDS.contains(&name.as_slice()) {
            let message = format!("the format keeps the field name \"{}\"", printable(name));
            let hint = "kept as an extra field".to_owned();
            self.problem(line, Code::ReservedField, message, Some(hint));
        }
        let Some(OpenBlock { mut layout, mut old_roles }) = self.open.take() else { return };
        let index = layout.columns.len();
        let extra = || Column::Extra(symbols.field(name, kind));
        let column = match role_of_field(layout.event, name) {
            None => {
                let declared_twice = layout.columns.contains(&extra());
                if declared_twice {
                    self.duplicate_field(line, name);
                }
                extra()
            }
            Some((role, spelling)) => {
                let taken = layout.columns.iter().position(|c| *c == Column::Role(role));
                if spelling == Spelling::Old {
                    let message = format!("\"{}\" is an old name of a field", printable(name));
                    self.problem(line, Code::OldFieldName, message, None);
                }
                match taken {
                    None => {
                        if spelling == Spelling::Old {
                            old_roles.push((role, name.clone(), kind));
                        }
                        Column::Role(role)
                    }
                    Some(first) => {
                        self.duplicate_field(line, name);
                        let old = old_roles.iter().position(|(old, ..)| *old == role);
                        match old {
                            Some(old) if spelling == Spelling::Canonical => {
                                let (_, name, kind) = old_roles.swap_remove(old);
                                layout.columns[first] = Column::Extra(symbols.field(&name, kind));
                                Column::Role(role)
                            }
                            _ => extra(),
                        }
                    }
                }
            }
        };
        if matches!(column, Column::Extra(_)) {
            note_special_extra(&mut layout, index, name);
        }
        layout.columns.push(column);
        layout.kinds.push(kind);
        self.open = Some(OpenBlock { layout, old_roles });
    }

    fn field_kind(&mut self, line: HeaderLine<'_>, name: &[u8], kind: Option<&[u8]>) -> FieldKind {
        match kind {
            Some(b"string") => FieldKind::String,
            Some(b"int") => FieldKind::Int,
            Some(b"double" | b"float") => FieldKind::Double,
            Some(b"date") => FieldKind::Date,
            Some(b"hex") => FieldKind::Hex,
            Some(b"color") => FieldKind::Color,
            Some(other) => {
                let message = format!(
                    "field \"{}\" has the unknown type \"{}\"; taken as string",
                    printable(name),
                    printable(other)
                );
                self.problem(line, Code::UnknownFieldType, message, None);
                FieldKind::String
            }
            None => {
                let message = format!("field \"{}\" has no type; taken as string", printable(name));
                self.problem(line, Code::HeaderSyntax, message, None);
                FieldKind::String
            }
        }
    }

    fn duplicate_field(&mut self, line: HeaderLine<'_>, name: &[u8]) {
        let message = format!("field \"{}\" is declared twice", printable(name));
        let hint = Some("one of them is kept as an extra field".to_owned());
        self.problem(line, Code::DuplicateField, message, hint);
    }

    fn syntax(&mut self, line: HeaderLine<'_>, message: &str) {
        self.problem(line, Code::HeaderSyntax, message.to_owned(), None);
    }

    fn problem(&mut self, line: HeaderLine<'_>, code: Code, message: String, hint: Option<String>) {
        let column = line.text.iter().take_while(|&&byte| is_blank(byte)).count() as u32 + 1;
        let line = line.line_in_batch;
        self.problems.push(Problem { at: 0, line, column, code, message, hint });
    }
}

/// Which mandatory fields a definition lacks.
pub(super) fn missing_fields(layout: &Layout) -> String {
    let fields: Vec<_> = layout.missing.iter().map(|role| format!("{role:?}")).collect();
    format!("{}: the definition lacks {}", printable(&layout.name), fields.join(", "))
}

/// Extra columns that mean more than their text.
fn note_special_extra(layout: &mut Layout, index: usize, name: &[u8]) {
    match layout.event.effect {
        Effect::Timed(_) if SIZE_FIELDS.contains(&name.to_ascii_lowercase().as_slice()) => {
            layout.size_column.get_or_insert(index);
        }
        Effect::Create if matches!(name, b"Filename" | b"FileName" | b"File") => {
            layout.part_column.get_or_insert((index, name == b"Filename"));
        }
        _ => {}
    }
}

/// The words of a header line after its `%`, comments removed; and whether a quote was not
/// closed.
fn words(line: &[u8]) -> (Vec<Vec<u8>>, bool) {
    let start = line.iter().take_while(|&&byte| is_blank(byte)).count();
    let start = start + usize::from(line.get(start) == Some(&b'%'));
    let mut tokens: Vec<Token> = Vec::new();
    let oddities = split(line, start, line.len(), Rules::Standard, &mut tokens);
    let words = tokens.iter().map(|t| line[t.start as usize..t.end as usize].to_vec());
    (words.collect(), oddities.unterminated)
}
